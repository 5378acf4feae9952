r"""The correlated t-test per dataset, and the Poisson-binomial test over datasets.

Story: on dataset i the replicates' differences (folds, seeds) have mean :math:`\mu_i` and every two
of them correlation ρ, because cross-validation folds share training data:

.. math:: \mu_i \mid x_i \sim \mathrm{St}\left(k_i - 1,\; \bar x_i,\;
          \left(\tfrac{1}{k_i} + \tfrac{\rho}{1 - \rho}\right) \hat\sigma_i^2\right).

The first algorithm is better on dataset i with probability :math:`p_i = \Pr(\mu_i > 0)`; from
these the Poisson-binomial test says whether it is better on most datasets of the kind. With a
region of practical equivalence there are three outcomes per dataset and a Dirichlet(1, 1, 1) over
their shares. This carries the Poisson-binomial test from errors to any measure.

References
----------
Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on multiple
data sets; Nadeau & Bengio (2003); Lacoste, Laviolette & Marchand (2012), Section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details, Scalars
from bayescompare.comparison.method import (
    BetaMixture,
    Form,
    Kind,
    Method,
    Parameter,
    Sampling,
    Scope,
)
from bayescompare.comparison.registry import title_in_registry
from bayescompare.kernels.context.poisson_multinomial_joint import poisson_multinomial_joint_regions
from bayescompare.methods._shared.correlation import check_correlation, replicate_correlation
from bayescompare.methods._shared.learned_prior import LearnedPrior
from bayescompare.methods._shared.prediction import share_labels
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    check_shared_prior_ranges,
    prior_options,
)
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.context.correlated_t_answer import (
    MOST_EXACT,
    correlated_t_share_betas,
    correlated_t_three_outcomes,
    correlated_t_two_outcomes,
    sampled_answer,
)
from bayescompare.methods.context.correlated_t_words import correlated_t_words
from bayescompare.methods.context.details import CorrelatedTDetails
from bayescompare.methods.context.methods_text import correlated_t_methods_text, weight_learned_text
from bayescompare.methods.context.rate_model import RateModel
from bayescompare.methods.context.replicates import (
    Replicates,
    context_outcome_labels,
    context_pair_differences,
)
from bayescompare.methods.context.scalars import RateScalars
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["CorrelatedT"]


_PARAMETERS = (
    Parameter("b", (), "1", "parameter of the symmetric prior of the shares of datasets"),
    Parameter(
        "r",
        (),
        "Beta(b, b)",
        "share of datasets on which the first is better (joint=True, without a rope)",
        high=1.0,
    ),
    Parameter(
        "theta",
        ("statement",),
        "Dirichlet(b, b, b)",
        "shares of datasets on which each statement holds (joint=True, with a rope)",
        high=1.0,
        simplex=True,
    ),
)

_NO_MODEL = (
    "model() and sample() are of the full model, and this answer is by the formula that judges "
    "every dataset by its own replicates alone: say joint=True, or use draws(), which draws from "
    "the formula."
)


@dataclass(frozen=True, kw_only=True)
class CorrelatedT(RateModel, Method):
    """Is the first algorithm better on most datasets, judged by replicates of any measure?

    Parameters
    ----------
    rho : float, optional
        Correlation of two replicates of one dataset, in [0, 1); 0 for independent seeds, which is
        the default where the results say that their replicates are seeds or items.
    folds : int, optional
        Folds of the cross-validation, for ρ = 1/folds; needed when it was repeated, as in ten times
        ten folds. Without either, up to 20 replicates are taken for the folds of one
        cross-validation, and more are refused.
    joint : bool
        Whether the datasets inform each other through the shares (the full model), or each is
        judged by its own replicates alone (the default).
    b : float or "learned"
        Parameter of the symmetric prior of the shares of datasets. ``"learned"``, for
        ``pairwise`` with ``joint=True`` and without a rope only, learns it from all pairs.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("correlated-t")``: a number for b, or
        with ``joint=True`` any prior of b, or of the shares themselves. A distribution for ``r``
        without random parameters keeps the answer exact; with all else it comes from NUTS, and
        says so. The bundled model ``"hierarchical_t"`` has priors of the means, too.

    Examples
    --------
    >>> import numpy as np, pandas as pd, bayescompare as bc
    >>> rng = np.random.default_rng(1)
    >>> rows = [
    ...     (d, a, f, rng.normal(0.8 + 0.05 * (a == "B"), 0.02))
    ...     for d in range(6) for a in "AB" for f in range(10)
    ... ]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    >>> folds = bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max"})
    >>> c = bc.compare(folds, method="correlated-t")
    >>> c.best, round(float(c.probability.max()), 3)
    ('B>A', 0.992)
    >>> c = bc.compare(folds, method=bc.methods.CorrelatedT(joint=True))
    >>> c.draws(100, rng=1)["posterior"]["advantage"].dims
    ('chain', 'draw', 'dataset')
    """

    name: ClassVar[str] = "correlated-t"
    title: ClassVar[str] = title_in_registry("correlated-t")
    citations: ClassVar[tuple[str, ...]] = (
        "corani2015bayesian",
        "lacoste2012bayesian",
    )
    comparison_type: ClassVar[type[Comparison] | None] = ContextComparison
    details_type: ClassVar[type[Details]] = CorrelatedTDetails
    scalars_type: ClassVar[type[Scalars]] = RateScalars
    prior_weight: ClassVar[str | None] = "b"
    levers: ClassVar[str] = (
        "another correlation ρ of the replicates, another rope, or more datasets"
    )
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "Corani & Benavoli (2015); Lacoste et al. (2012), Section 5"
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "draws",
            "model",
            "sample",
            "loo",
            "plan",
            "per_dataset",
            "rate",
            "predict",
        }
    )
    lacks: ClassVar[Mapping[str, str]] = {
        "evidence": (
            "The prior of every dataset's mean and spread is flat, so that the evidence is known "
            "only up to a constant; loo() compares priors of the shares, for which it cancels."
        ),
        "simulate": "The prior of every dataset's mean and spread is flat, and has no draws.",
    }
    only_with: ClassVar[Mapping[str, Mapping[str, Any]]] = dict.fromkeys(
        ("model", "sample"), MappingProxyType({"joint": True})
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS
    forms: ClassVar[tuple[Form, ...]] = ("textbook", "nuts")
    input_kind = "replicates"
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)
    draws_are: ClassVar[str] = "exact"
    verdict_phrase: ClassVar[str] = "is the most frequent case on datasets of this kind"

    rho: float | None = None
    folds: int | None = None
    joint: bool = False
    b: float | Literal["learned"] = 1.0
    priors: Priors | None = None
    #: What `pairwise` learned, with ``b="learned"``.
    learned: LearnedPrior | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_flag(joint=self.joint)
        self.check_weight()
        self._check_priors()
        check_correlation(self.rho, self.folds)

    def _check_priors(self) -> None:
        check_priors(self.priors, self.parameters)
        priors = self.priors or {}
        if len(priors) > 1:
            raise BayescompareError(
                f"priors names {' and '.join(priors)}: each determines the others; give one."
            )
        for name in ("r", "theta"):
            if is_number(priors.get(name)):
                raise BayescompareError(f"priors[{name!r}] is a number: the test asks what it is.")
        if priors and self.b != 1.0:
            raise BayescompareError(f"priors={list(priors)} replaces b={self.b!r}: give one.")
        if not (self.joint or all(map(is_number, priors.values()))):
            raise BayescompareError(
                f"priors={list(priors)}: the formula that judges each dataset by itself is not a "
                "model that takes a prior; use joint=True."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name, with what was learned; a prior that is an object is named."""
        return self.with_learned({**super().options(), "priors": prior_options(self.priors)})

    @property
    def supports_psis(self) -> bool:
        """Not the formula's, which cuts what the datasets would tell each other."""
        return self.joint

    def each(self, results: Results) -> Replicates:
        """What every dataset's replicates say of the mean advantage of the first algorithm."""
        differences, grain, names = context_pair_differences(results)
        count = (~np.isnan(differences)).sum(axis=1).astype(np.float64)
        rope = results[results.measures[0]].rope or 0.0
        rho = replicate_correlation(results, count, self.rho, self.folds)
        labels = context_outcome_labels(results)
        return Replicates(differences, grain, rho, rope, labels, names)

    def alone(self, results: Results) -> FloatArray:
        """P(the first is better) on each dataset, by its own replicates."""
        return self.each(results).regions[:, 2]

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with the weight b that all pairs teach; two outcomes only."""
        for results in asked:
            self._check_outcomes(results)
        return super().learn(asked)

    def _check_outcomes(self, results: Results) -> None:
        """Reject a prior of two outcomes where there are three, and the reverse."""
        rope = results[results.measures[0]].rope
        if rope and self.b == "learned":
            raise BayescompareError(
                "b='learned' is learned for two outcomes, and with a rope there are three: leave "
                "out the rope, or give b as a number."
            )
        priors = self.priors or {}
        if rope and "r" in priors:
            raise BayescompareError(
                "priors['r'] is the share of one of two outcomes, and with a rope there are three: "
                "give priors['theta'], or leave out the rope."
            )
        if not rope and "theta" in priors:
            raise BayescompareError(
                "priors['theta'] is for three outcomes, and without a rope there are two: give "
                "priors['r']."
            )

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(r > ½) and P(r < ½), or with a rope P(each region is the most frequent)."""
        self._check_outcomes(results)
        check_shared_prior_ranges(self.priors, [p for p in self.parameters if not p.dims])
        each = self.each(results)
        many = self.joint and each.rope and len(results.datasets) > MOST_EXACT
        if self.needs_mcmc or many:
            return sampled_answer(self, results, sampling)
        if each.rope:
            return correlated_t_three_outcomes(self, results, each, sampling)
        return correlated_t_two_outcomes(self, results, each)

    def theta_betas(self, results: Results) -> Sequence[BetaMixture] | None:
        """Return the Betas of every statement's share, one for each count of datasets."""
        return None if self.needs_mcmc else correlated_t_share_betas(self, self.each(results))

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of what each dataset says, up to its own constant.

        The constant, the density of the replicates under the flat prior of mean and spread, is
        left out: it does not depend on the shares, nor on their prior.
        """
        if self.needs_mcmc:
            raise self.unavailable("exact loo with a custom prior")
        each, b = self.each(results), self.weight
        evidence = each.evidence
        if not self.joint:
            n, outcomes = evidence.shape
            total = evidence.sum(axis=0)
            without = (b + total - evidence) / (outcomes * b + n - 1.0)
            within = (b + total) / (outcomes * b + n)
            return np.log((evidence * without).sum(axis=1)), np.log(evidence @ within)
        if each.rope:
            posterior = poisson_multinomial_joint_regions(each.regions, b)
            return posterior.log_predictive, np.log(each.regions @ posterior.mean)
        rate = self.full(each.regions[:, 2])
        return rate.log_predictive, np.log(evidence @ np.array([rate.mean, 1.0 - rate.mean]))

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets that resemble those seen, statement by statement."""
        from bayescompare.methods.context.correlated_t_plan import plan_simulator

        if self.needs_mcmc:
            raise BayescompareError("plan() needs the exact answer, and this prior needs NUTS.")
        return plan_simulator(self, self.each(results))

    def predictive_statistics(
        self, results: Results, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Compare how many datasets make each statement true, and the replicates' shape."""
        from bayescompare.methods.context.correlated_t_check import check_statistics

        return check_statistics(self.each(results), tree, rng, prior=prior)

    # posterior -----------------------------------------------------------------------------------

    def refuses(self, quantity: str) -> str:
        """Reject a model of the formula: the full one would give another answer."""
        return _NO_MODEL if quantity in ("model", "sample") and not self.joint else ""

    def model(self, results: Results) -> pm.Model:
        """Build the model with every mean and spread in it."""
        from bayescompare.methods.context.correlated_t_model import build_correlated_t_folds

        return self._built(results, build_correlated_t_folds)

    def nuts_model(self, results: Results) -> pm.Model:
        """Build the same model with every mean and spread integrated out."""
        from bayescompare.methods.context.correlated_t_model import build_correlated_t_evidence

        return self._built(results, build_correlated_t_evidence)

    def _built(
        self, results: Results, build: Callable[[CorrelatedT, Results], pm.Model]
    ) -> pm.Model:
        if why := self.refuses("model"):
            raise BayescompareError(why)
        self._check_outcomes(results)
        return build(self, results)

    def predictive_model(self, results: Results) -> None:
        """Predict through the form for NUTS, which has no flat prior."""

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the shares, every mean advantage and every spread, independently."""
        from bayescompare.methods.context.correlated_t_posterior import correlated_t_exact_tree

        if self.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and a custom prior has no exact formula: use sample(), or the "
                "posterior kept as c.tree."
            )
        return correlated_t_exact_tree(self, results, draws, chains, rng)

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Draw every mean, spread and new replicate back, given NUTS's shares."""
        from bayescompare.methods.context.correlated_t_posterior import finish_correlated_t

        return finish_correlated_t(self, results, tree, rng)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw the shares of datasets, and who is better on new datasets."""
        return share_labels(self.posterior_type(self, results, answer), number, draws, rng)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return correlated_t_methods_text(self, answer)

    def learned_text(self, pairs: int) -> str:
        """Describe how b came from all pairs."""
        return weight_learned_text(pairs)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say who is better on most datasets, what ρ was taken and what is ignored."""
        sentences = correlated_t_words(self, results, answer, decision)
        return self.say_learned(sentences, decision)
