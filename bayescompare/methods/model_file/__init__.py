r"""A model of the user's own, or a bundled one: PyMC in a file, run by NUTS.

A file (or a function) has ``build(results, **priors) -> pm.Model``. The model holds one of
``theta`` (over "statement"), ``better`` (over "algorithm", "opponent") or ``strength`` (over
"algorithm"[, "measure"]; higher is better), and a likelihood over "dataset". ``QUANTITY = "name"``
picks another variable, ``probability(posterior)`` reads it another way.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bayescompare._checks import check_flag
from bayescompare._errors import BayescompareError
from bayescompare.methods._shared.priors import Priors, prior_options
from bayescompare.methods.model_file.answer import ModelDetails, read_probability, read_quantity
from bayescompare.methods.model_file.densities import bounded_prior, hooked_likelihood
from bayescompare.methods.model_file.posterior import ModelPosterior, with_data
from bayescompare.methods.model_file.source import OPTIONAL, UNNAMED, Source, bundled, find_source
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.decision import SETTLED, certainty_words, claim_words
from bayescompare.outcome.method import Accepts, Form, Judges, Method, Phrases, Sampling
from bayescompare.outcome.posterior import Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    plural,
    probability_words,
    setting_number_text,
    standard_error_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


@dataclass(frozen=True, kw_only=True)
class ModelFile(Method):
    """Compare by your own generative model.

    Parameters
    ----------
    source : str, path or callable
        A file that ends in ``.py``, a bundled model's bare name, or a build function. The code is
        run only when it is named here by you, never when a saved comparison is read.
    priors : mapping, optional
        Arguments for ``build``, by name: whatever ``priors=`` takes elsewhere.

    Examples
    --------
    >>> import pymc as pm, bayescompare as bc
    >>> from bayescompare.modelling import observe_statements, statement_table
    >>> def build(results, strength=1.0):
    ...     table = statement_table(results)
    ...     coords = {"statement": table.labels, "dataset": results.datasets}
    ...     with pm.Model(coords=coords) as model:
    ...         k = len(table.labels)
    ...         theta = pm.Dirichlet("theta", [strength / k] * k, dims="statement")
    ...         observe_statements(theta, table)
    ...     return model
    >>> ModelFile(build).code.parameters()
    {'strength': 1.0}
    """

    name: ClassVar[str] = "model"
    title: ClassVar[str] = title_in_registry("model")
    posterior_type: ClassVar[type[Posterior]] = ModelPosterior
    phrases: ClassVar[Phrases] = Phrases(
        levers=(
            "another prior or likelihood in the model (compare_models() weighs them), or more "
            "datasets"
        )
    )

    source: str | Path | Callable[..., Any] = field(kw_only=False)
    priors: Priors | None = None
    saved: bool = False

    def __post_init__(self) -> None:
        priors: object = self.priors
        if not (priors is None or isinstance(priors, Mapping)):
            raise BayescompareError(f"priors={priors!r}: give a mapping {{name: value}}.")
        check_flag(saved=self.saved)
        if not self.saved:
            _ = self.code  # an error in the file shows at once

    @cached_property
    def code(self) -> Source:
        """The build function and what goes with it."""
        if self.saved:
            raise BayescompareError(
                "this comparison was read from a file, and the model it names is not run: to run "
                f"it, name it yourself, as in bc.compare(c.results, method={self._again()})."
            )
        return find_source(self.source)

    def _again(self) -> str:
        """What to pass as ``method=`` to run a saved model again: a name, or its function."""
        named = str(self.source)
        return repr(named) if named.endswith(".py") or named in bundled() else "build"

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function that the model's file defines beside ``build``.

        Files define what can be computed from their posterior afterwards, such as `bayes_factor`
        of "spike_and_slab" or `delta` of "hierarchical_t".

        Examples
        --------
        >>> ModelFile("item_response").function("discrimination").__name__
        'discrimination'
        """
        return self.code.function(name)

    @property
    def accepts(self) -> Accepts:  # type: ignore[override]
        """What the file says by ``REPLICATES`` (means if nothing), and by ``SAMPLER``."""
        if self.saved:
            return Accepts()
        judges: Judges = "cells"
        if self.code.replicates:
            judges = "either" if self.code.replicates == OPTIONAL else "replicates"
        return Accepts(judges=judges, sampler=self.code.sampler)

    @property
    def data_scale(self) -> str | None:
        """What the file declares as ``DATA_SCALE``."""
        return None if self.saved else self.code.data_scale

    def pointwise(self, results: Results) -> Callable[[xr.Dataset], xr.DataArray] | None:
        """Return the file's own ``log_likelihood``, if it has one."""
        if self.saved or self.code.log_likelihood is None:
            return None
        return hooked_likelihood(self.code, results, dict(self.priors or {}))

    def hook(self, results: Results) -> Callable[[xr.Dataset], Any] | None:
        """Return the file's own ``probability`` of the posterior alone, if it has one."""
        own = self.code.probability
        if own is None:
            return None
        known = {"results": results, **(self.priors or {})}
        named = inspect.signature(own).parameters
        return partial(own, **{name: known[name] for name in list(named)[1:] if name in known})

    @property
    def needs_mcmc(self) -> bool:
        """NUTS always."""
        return True

    def options(self) -> dict[str, Any]:
        """Name the model and its priors."""
        named = self.code.name if not self.saved and callable(self.source) else str(self.source)
        return {"source": named, "priors": prior_options(self.priors), "saved": True}

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model."""
        return self.code.model(results, dict(self.priors or {}))

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Sample, and read the statements' probabilities off the posterior."""
        model = self.model(results)
        return self._read(results, model, self._sampled(results, model, sampling), sampling)

    def _read(
        self, results: Results, model: pm.Model, tree: xr.DataTree, sampling: Sampling
    ) -> Answer:
        """Read the answer off the draws as the file says."""
        code, posterior = self.code, tree["posterior"].to_dataset()
        with code.named("its posterior cannot be read"):
            if (hook := self.hook(results)) is not None:
                answer = read_probability(results, hook, posterior, self._details)
            else:
                answer = read_quantity(results, posterior[code.quantity_of(model)], self._details)
        tree = with_data(tree, model, answer.counts)
        return replace(answer, tree=tree, seed=sampling.seed)

    def answer_pairs(
        self, results: Results, pairs: Sequence[tuple[str, str]], sampling: Sampling
    ) -> list[Answer] | None:
        """Sample once where the model has a strength for each algorithm, and read every pair."""
        try:
            model = self.model(results)
        except BayescompareError:
            # It takes no more than two algorithms, or has too many statements of them.
            return None
        if self.code.probability is not None or len(results.algorithms) < 3:
            return None
        quantity = self.code.quantity_of(model)
        if "algorithm" not in (model.named_vars_to_dims.get(quantity) or ()):
            return None
        tree = self._sampled(results, model, sampling)
        values = tree["posterior"].to_dataset()[quantity]
        answers = []
        for pair in pairs:
            names = {dim: list(pair) for dim in ("algorithm", "opponent") if dim in values.dims}
            details = replace(self._details, together=results.algorithms)
            answer = read_quantity(results.sel(algorithms=pair), values.sel(names), details)
            answers.append(replace(answer, tree=tree, seed=sampling.seed))
        return answers

    def _sampled(self, results: Results, model: pm.Model, sampling: Sampling) -> xr.DataTree:
        """Sample, and name the file in whatever goes wrong."""
        with self.code.named("sampling failed"):
            asked = replace(sampling, options={**self.accepts.sampler, **sampling.options})
            tree = nuts.sample(asked, model)
            likelihood = self.pointwise(results)
            return nuts.with_likelihood(bounded_prior(tree, model), likelihood, model)

    @property
    def _details(self) -> ModelDetails:
        """The model of an answer that is read off its posterior."""
        return ModelDetails(model=self.code.name, title=self.code.title)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the model for a methods section."""
        named = "" if answer is None else ModelDetails.of(answer).model
        known = named not in ("", UNNAMED)
        model = f"the generative model {named}" if known else "a custom generative model"
        return f"by {model}, sampled by NUTS in PyMC."

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict, and that it depends on the model."""
        results, answer, decision = found
        details, names = ModelDetails.of(answer), results.algorithms
        assert answer.mcse is not None
        mcse = float(answer.mcse[answer.labels.index(decision.statement)])
        title = details.title.rstrip(".")
        named = f"the model {details.model}" + ("" if title == details.model else f" ({title})")
        named = "a model of your own" if details.model == UNNAMED else named
        claim = claim_words(decision.statement, names, results.measures)
        error = f" (Monte Carlo standard error {standard_error_text(mcse)})"
        tied = decision.state == "tied"
        said = [
            f"By {named} on {plural(len(results.datasets), 'dataset')} the most probable statement "
            f"is that {claim}, with probability {probability_words(decision.level)}"
            f"{error if math.isfinite(mcse) else ''}"
            f"{', and so has another statement' if tied else certainty_words(decision)}."
        ]
        if details.together is not None:
            said.append(
                f"It is one model of {plural(len(details.together), 'algorithm')} together, "
                "and this pair is one of its pairs."
            )
        elif details.ahead is not None and len(names) > 2:
            everywhere = " on every measure" if len(results.measures) > 1 else ""
            sure = [
                f"{first} is ahead of {join_names(behind)}"
                for first, row in zip(names, details.ahead, strict=True)
                if (behind := [name for name, p in zip(names, row, strict=True) if p >= SETTLED])
            ]
            least = f"{setting_number_text(SETTLED)} or more"
            said.append(
                f"Pair by pair{everywhere}, with probability {least} each: {'; '.join(sure)}."
                if sure
                else f"No algorithm is ahead of another{everywhere} with probability {least}."
            )
        return [
            *said,
            "The figure is only as good as that model: see diagnose() for its sampling and loo() "
            "for how it compares with others.",
        ]
