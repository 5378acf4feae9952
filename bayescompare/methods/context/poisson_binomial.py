r"""The Poisson-binomial test: is one algorithm better than another on most datasets of a kind?

Story: on dataset i an example is the first algorithm's error alone with probability
:math:`p_{h,i}`, the second's alone with :math:`p_{g,i}`; the first is better (:math:`d_i = 1`)
where :math:`p_{h,i} < p_{g,i}`. That holds on a share r of the datasets of the context,

.. math:: r \sim \mathrm{Beta}(b, b), \quad d_i \mid r \sim \mathrm{Bernoulli}(r), \quad
          (p_{h,i}, p_{g,i}, \cdot) \mid d_i \sim \mathrm{Dirichlet}(a, a, a)
          \text{ on the side of } d_i, \quad k_i \sim \mathrm{Multinomial}(p_i),

and the question is Pr(r > ½ | k). The paper's formula is the *cut* of this model: every
:math:`d_i` is judged by its own counts alone, and r by the d's (`joint=False`). With `joint=True`
the datasets inform each other through r. That is the model which PyMC samples; the cut has draws,
but no model.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, check_positive, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.context.error_rates import (
    error_rate_log_marginal,
    first_error_rate_better,
)
from bayescompare.methods._shared.pair_answer import (
    pair_answer,
    pair_counts,
    pair_leanings,
)
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_priors,
    prior_options,
)
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.context.details import OfCounts, PoissonBinomialDetails
from bayescompare.methods.context.methods_text import poisson_binomial_methods_text
from bayescompare.methods.context.poisson_binomial_posterior import PoissonBinomialPosterior
from bayescompare.methods.context.poisson_binomial_words import poisson_binomial_words
from bayescompare.methods.context.scalars import RateScalars
from bayescompare.methods.context.shares import ShareTest, mixture_figures, rate_figures
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.details import Details, Scalars
from bayescompare.outcome.method import (
    Accepts,
    Form,
    Parameter,
    Phrases,
    Replicate,
    Sampling,
    Scope,
)
from bayescompare.outcome.posterior import Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.prior import Learned, LearnedPrior
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm

__all__ = ["PoissonBinomial"]


_PARAMETERS = (
    Parameter(
        "r",
        (),
        "Beta(b, b)",
        "share of datasets on which the first algorithm is better (with joint=True)",
        high=1.0,
    ),
    Parameter("b", (), "1", "parameter of r's symmetric Beta prior (a number, or joint=True)"),
)

_NO_MODEL = (
    "model() and sample() are of the full model, and this answer is by the paper's formula, which "
    "judges every dataset by its own errors alone: say joint=True, or use draws(), which draws "
    "from the formula."
)


@dataclass(frozen=True, kw_only=True)
class PoissonBinomial(ShareTest):
    """Is the first algorithm better than the second on most datasets like these?

    Parameters
    ----------
    joint : bool
        Whether the datasets inform each other through r (the full model), or each is judged by its
        own counts alone (the paper's formula, the default).
    a : float
        Parameter of the symmetric Dirichlet prior of a dataset's error probabilities.
    b : float or "learned"
        Parameter of the symmetric Beta prior of r. ``"learned"``, for ``pairwise`` with
        ``joint=True`` only, learns it from all pairs of the table.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("poisson-binomial")``; with
        ``joint=True`` only. A distribution for ``r`` without random parameters keeps the answer
        exact; a distribution for ``b`` and all else switch it to NUTS, and the answer says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> counts = bc.load_example("lacoste-svm-parzen")
    >>> c = bc.compare(counts, method=PoissonBinomial())
    >>> c.best, round(float(c.probability.max()), 6)
    ('svm>parzen', 0.985346)
    >>> c = bc.compare(counts, method=PoissonBinomial(joint=True))
    >>> round(float(c.probability.max()), 6)
    0.998807
    """

    name: ClassVar[str] = "poisson-binomial"
    title: ClassVar[str] = title_in_registry("poisson-binomial")
    citations: ClassVar[tuple[str, ...]] = ("lacoste2012bayesian",)
    posterior_type: ClassVar[type[Posterior]] = PoissonBinomialPosterior
    comparison_type: ClassVar[type[Comparison] | None] = ContextComparison
    details_type: ClassVar[type[Details]] = PoissonBinomialDetails
    scalars_type: ClassVar[type[Scalars]] = RateScalars
    phrases: ClassVar[Phrases] = Phrases(
        reference="Lacoste, Laviolette & Marchand (2012), Section 5",
        levers="more examples on the datasets in doubt (see per_dataset)",
        verdict="holds on most datasets of this kind",
    )
    accepts: ClassVar[Accepts] = Accepts(judges="counts")
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "draws",
            "model",
            "sample",
            "log_evidence",
            "loo",
            "per_dataset",
            "rate",
            "plan",
            "predict",
            "simulate",
        }
    )
    only_with: ClassVar[Mapping[str, Mapping[str, Any]]] = dict.fromkeys(
        ("model", "sample", "evidence"), MappingProxyType({"joint": True})
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    joint: bool = False
    a: float = 1.0
    b: float | Literal["learned"] = 1.0
    priors: Priors | None = None
    #: What `pairwise` learned for one pair, and for all, with ``b="learned"``.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_positive(a=self.a)
        check_flag(joint=self.joint)
        self.check_weight()
        check_priors(self.priors, self.parameters)
        priors = self.priors or {}
        if len(priors) > 1:
            raise BayescompareError("priors names r and b: each determines the other; give one.")
        if is_number(priors.get("r")):
            raise BayescompareError("priors['r'] is a number: the test asks what r is.")
        if priors and self.b != 1.0:
            raise BayescompareError(f"priors={list(priors)} replaces b={self.b!r}: give one.")
        if not (self.joint or all(map(is_number, priors.values()))):
            raise BayescompareError(
                f"priors={list(priors)}: the paper's formula is not a model that takes a prior; "
                "use joint=True."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        return self.with_learned({**super().options(), "priors": prior_options(self.priors)})

    # evidence and answer --------------------------------------------------------------------------

    def evidence(self, results: Results) -> Evidence:
        """Return p_i and 1 − p_i, each by its own tail, times the evidence of the counts."""
        wrong = pair_counts(results)
        both = [first_error_rate_better(*order, self.a) for order in (wrong, wrong[::-1])]
        each = math.log(2.0) + error_rate_log_marginal(*wrong, self.a)
        statements = Statements.without_data(results.algorithms, dict.fromkeys(results.measures))
        with np.errstate(divide="ignore"):
            rows = np.log(both).T + each[:, None]
        return Evidence.from_rows(replace(statements, datasets=results.datasets), rows)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(r > ½) and P(r < ½): exactly, or from NUTS where a prior is the user's own."""
        check_prior_ranges(self.priors, self.parameters)
        if self.needs_mcmc:
            from bayescompare.methods.context.poisson_binomial_posterior import (
                poisson_binomial_by_nuts,
            )

            return poisson_binomial_by_nuts(self, results, sampling)
        posterior = self.posterior(results)
        if posterior is not None:
            wins = posterior.per_dataset()[:, 0]
            return self.finished(results, wins, **mixture_figures(posterior))
        after = self.rate_after(results)
        figures = rate_figures(after)
        each = math.log(2.0) + error_rate_log_marginal(*pair_counts(results), self.a)
        figures["log_evidence"] += float(each.sum())
        return self.finished(results, after.joint.wins, **figures)

    def finished(self, results: Results, wins: FloatArray, **figures: Any) -> Answer:
        """Put figures about r and about every dataset into an answer."""
        k_h, k_g = pair_counts(results)
        p = first_error_rate_better(k_h, k_g, self.a)
        columns = {"first_wrong": k_h, "second_wrong": k_g, "probability": wins}
        if self.joint:
            columns = {**columns, "alone": p}
        details = PoissonBinomialDetails(OfCounts.from_arrays(**columns))
        return pair_answer(results, pair_leanings(p), details=details, **figures)

    def no_evidence(self) -> str:
        """Say that a formula is no model."""
        if not self.joint:
            return "is that of a model, which the paper's formula is not: say joint=True."
        return super().no_evidence()

    # posterior -----------------------------------------------------------------------------------

    def refuses(self, quantity: str) -> str:
        """Reject a model of the formula: the full one would give another answer."""
        return _NO_MODEL if quantity in ("model", "sample") and not self.joint else ""

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the joint model, every d marginalised: with explicit d it does not mix."""
        from bayescompare.methods.context.poisson_binomial_posterior import build

        if why := self.refuses("model"):
            raise BayescompareError(why)
        return build(self, results)

    @classmethod
    def calibration(cls) -> Callable[..., Iterator[Replicate]]:
        """Simulate from the model, for calibration by simulation."""
        from bayescompare.methods.context.calibration import simulate_context_counts

        return simulate_context_counts

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return poisson_binomial_methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say who is better on most datasets, and how the datasets were put together."""
        results, answer, decision = found
        sentences = poisson_binomial_words(self, results, answer, decision)
        return self.say_learned(sentences, decision)
