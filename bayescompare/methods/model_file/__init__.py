r"""A model of the user's own, or a bundled one: PyMC in a file, run by NUTS.

A file (or a function) has ``build(results, **priors) -> pm.Model``. The model holds one of
``theta`` (over "statement"), ``better`` (over "algorithm", "opponent") or ``strength`` (over
"algorithm"[, "measure"]; higher is better), and a likelihood over "dataset". ``QUANTITY = "name"``
picks another variable, ``probability(posterior)`` reads it another way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import check_flag
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.methods._shared.priors import Priors, prior_options
from bayescompare.methods.model_file.answer import (
    ModelDetails,
    StrengthDetails,
    hooked_leads,
    quantity_leads,
    read_probability,
    read_quantity,
)
from bayescompare.methods.model_file.densities import bounded_prior, hooked_likelihood
from bayescompare.methods.model_file.source import (
    MODEL_QUANTITIES,
    OPTIONAL,
    UNNAMED,
    Source,
    bundled,
    find_source,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.claims import certainty_words, claim_words
from bayescompare.outcome.decision import SETTLED, Decision
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.method import (
    STATEMENTS,
    Accepts,
    Form,
    Judges,
    Method,
    Phrases,
    Sampling,
)
from bayescompare.outcome.posterior import Lack, Posterior
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


class ModelPosterior(Posterior):
    """The draws of a model, read as the model says."""

    facts_type: ClassVar[type[Facts]] = ModelDetails

    method: ModelFile

    lacks: ClassVar[Mapping[str, Lack]] = {
        "draws": Lack(
            "Its posterior is known only through NUTS; the draws of its answer are in c.tree."
        )
    }

    def under_other_priors(self, values: FloatArray | None) -> None:
        """Have the draws weighed: there is no other way."""

    @property
    def data_scale(self) -> str | None:
        """What the file declares as ``DATA_SCALE``."""
        return self.method.data_scale

    def check_scale(self) -> None:
        """Refuse likelihoods of statements that do not sum to one."""
        from bayescompare.methods.model_file.densities import check_statements

        tree = self.answer.tree
        if self.data_scale == STATEMENTS and tree is not None:
            check_statements(self.method, self.results, tree["posterior"].to_dataset())

    def pointwise(self) -> Callable[[xr.Dataset], xr.DataArray] | None:
        """Return what the file says of leaving a dataset out."""
        return self.method.pointwise(self.results)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Leave the tree as the model made it, but for the scale of the log prior."""
        return bounded_prior(tree, self.method.model(self.results))

    def leads(self) -> FloatArray:
        """Read each draw as the answer was read off all of them."""
        method, answer = self.method, self.answer
        assert answer.tree is not None
        posterior = answer.tree["posterior"].to_dataset()
        if not method.saved and method.code.probability is not None:
            return hooked_leads(method.code.probability, posterior, answer.labels)
        known = [name for name in MODEL_QUANTITIES if name in posterior] if method.saved else []
        quantity = known[0] if known else method.code.quantity_of(method.model(self.results))
        values = posterior[quantity]
        # One model of all algorithms answers every pair.
        names = {
            dim: list(self.results.algorithms)
            for dim in ("algorithm", "opponent")
            if dim in values.dims
        }
        return quantity_leads(values.sel(names), answer.labels)

    def likelihood_of_more(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets at one draw, and weigh every draw by them."""
        from bayescompare.methods.model_file.prediction import weigh_more

        return weigh_more(self)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the statements of new datasets by what the model has: theta, better or rank."""
        from bayescompare.methods.model_file.prediction import predict

        return predict(self, number, draws, rng)

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw once from the model's prior, and make a table of what it predicts."""
        from bayescompare.methods.model_file.prediction import simulated

        return simulated(self.method, self.results, rng)

    def why_not(self, quantity: str) -> str:
        """Say that an answer may be about other things than strengths."""
        details = ModelDetails.of(self.answer)
        if quantity == "ahead" and (details.ahead is None or details.together is not None):
            return (
                "ahead: this answer is not about strengths of algorithms; models with 'strength' "
                "or 'better' have it."
            )
        return super().why_not(quantity)

    @property
    def ahead(self) -> xr.DataArray:
        """P(algorithm is ahead of opponent on every measure), by the model's strengths."""
        names = list(self.results.algorithms)
        values = np.array(ModelDetails.of(self.answer).ahead, dtype=float)
        np.fill_diagonal(values, np.nan)
        coords = {"algorithm": names, "opponent": names}
        return xr.DataArray(
            values, coords, ("algorithm", "opponent"), name="ahead", attrs=self.attrs
        )

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Who is ahead of whom, of more than two algorithms, headed to be printed."""
        if ModelDetails.of(self.answer).ahead is None or len(self.results.algorithms) < 3:
            return {}
        names = pd.Index(self.results.algorithms, name="algorithm")
        heads = [f"P (ahead of {name})" for name in names]
        everywhere = " on every measure" if len(self.results.measures) > 1 else ""
        return {f"Who is ahead{everywhere}": pd.DataFrame(self.ahead.values, names, heads)}


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
        tree = self._sampled(results, model, sampling)
        return self._read(results, model, tree, sampling)

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
            answer = read_quantity(results.sel(algorithms=pair), values.sel(names))
            details = self._details(answer, together=results.algorithms)
            answers.append(replace(answer, tree=tree, seed=sampling.seed, facts=details))
        return answers

    def _sampled(self, results: Results, model: pm.Model, sampling: Sampling) -> xr.DataTree:
        """Sample, and name the file in whatever goes wrong."""
        with self.code.named("sampling failed"):
            asked = replace(sampling, options={**self.accepts.sampler, **sampling.options})
            tree = nuts.sample_nuts_as_asked(asked, model)
            likelihood = self.pointwise(results)
            return nuts.with_likelihood(bounded_prior(tree, model), likelihood, model)

    def _read(
        self, results: Results, model: pm.Model, tree: xr.DataTree, sampling: Sampling
    ) -> Answer:
        """Read the answer off the draws as the file says."""
        posterior = tree["posterior"].to_dataset()
        with self.code.named("its posterior cannot be read"):
            if self.code.probability is not None:
                answer = read_probability(results, self.code.probability, posterior)
            else:
                answer = read_quantity(results, posterior[self.code.quantity_of(model)])
        return replace(answer, tree=tree, seed=sampling.seed, facts=self._details(answer))

    def _details(self, answer: Answer, together: tuple[str, ...] | None = None) -> ModelDetails:
        """Name the model of an answer that was read off its posterior."""
        return ModelDetails(
            ahead=StrengthDetails.of(answer).ahead,
            model=self.code.name,
            title=self.code.title,
            together=together,
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return _methods_text(answer)

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict of the model, and that it is the model's."""
        return _sentences(*found)


# ---------------------------------------------------------------------------------------- the words


def _sentences(results: Results, answer: Answer, decision: Decision) -> list[str]:
    """Say the verdict, and that it depends on the model."""
    n = plural(len(results.datasets), "dataset")
    details = ModelDetails.of(answer)
    assert answer.mcse is not None
    mcse = float(answer.mcse[answer.labels.index(decision.statement)])
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    start = (
        f"By {_model_words(details)} on {n} the most probable statement is that {claim}, with "
        f"probability {probability_words(decision.level)}"
    )
    if math.isfinite(mcse):
        start += f" (Monte Carlo standard error {standard_error_text(mcse)})"
    tied = decision.state == "tied"
    verdict = ", and so has another statement" if tied else certainty_words(decision)
    return [
        f"{start}{verdict}.",
        *_pair_words(results, answer),
        "The figure is only as good as that model: see diagnose() for its sampling and loo() for "
        "how it compares with others.",
    ]


def _model_words(details: ModelDetails) -> str:
    """Name the model, with its title where that says more."""
    if details.model == UNNAMED:
        return "a model of your own"
    title = details.title.rstrip(".")
    return f"the model {details.model}" + ("" if title == details.model else f" ({title})")


def _pair_words(results: Results, answer: Answer) -> list[str]:
    """Say who is ahead of whom, where the model has a strength for each of many algorithms."""
    details = ModelDetails.of(answer)
    if details.together is not None:
        return [
            f"It is one model of {plural(len(details.together), 'algorithm')} together, "
            "and this pair is one of its pairs."
        ]
    ahead, names = details.ahead, results.algorithms
    if ahead is None or len(names) < 3:
        return []
    everywhere = " on every measure" if len(results.measures) > 1 else ""
    sure = [
        f"{first} is ahead of {join_names(behind)}"
        for first, row in zip(names, ahead, strict=True)
        if (behind := [name for name, p in zip(names, row, strict=True) if p >= SETTLED])
    ]
    least = f"{setting_number_text(SETTLED)} or more"
    if not sure:
        return [f"No algorithm is ahead of another{everywhere} with probability {least}."]
    return [f"Pair by pair{everywhere}, with probability {least} each: {'; '.join(sure)}."]


def _methods_text(answer: Answer | None) -> str:
    """Describe the model for a methods section."""
    named = "a custom generative model"
    if answer is not None and ModelDetails.of(answer).model != UNNAMED:
        named = f"the generative model {ModelDetails.of(answer).model}"
    return f"by {named}, sampled by NUTS in PyMC."
