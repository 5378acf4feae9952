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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.methods._shared.correlation import check_correlation, replicate_correlation
from bayescompare.methods._shared.pair_answer import pair_answer, pair_leanings
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_priors,
    prior_options,
)
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.context.correlated_t_posterior import CorrelatedTPosterior
from bayescompare.methods.context.correlated_t_words import correlated_t_words
from bayescompare.methods.context.details import CorrelatedTDetails, OfReplicates
from bayescompare.methods.context.methods_text import correlated_t_methods_text
from bayescompare.methods.context.replicates import (
    Replicates,
    context_outcome_labels,
    context_pair_differences,
)
from bayescompare.methods.context.scalars import RateScalars
from bayescompare.methods.context.shares import ShareTest, mixture_figures, rate_figures
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.details import Details, Scalars
from bayescompare.outcome.method import Accepts, Form, Method, Parameter, Phrases, Sampling, Scope
from bayescompare.outcome.posterior import Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.prior import Learned, LearnedPrior
from bayescompare.statements import Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm

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
class CorrelatedT(ShareTest):
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
        ``pairwise`` with ``joint=True`` only, learns it from all pairs.
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
    posterior_type: ClassVar[type[Posterior]] = CorrelatedTPosterior
    comparison_type: ClassVar[type[Comparison] | None] = ContextComparison
    details_type: ClassVar[type[Details]] = CorrelatedTDetails
    scalars_type: ClassVar[type[Scalars]] = RateScalars
    phrases: ClassVar[Phrases] = Phrases(
        reference="Corani & Benavoli (2015); Lacoste et al. (2012), Section 5",
        levers="another correlation ρ of the replicates, another rope, or more datasets",
        verdict="is the most frequent case on datasets of this kind",
    )
    accepts: ClassVar[Accepts] = Accepts(
        judges="replicates", forms=("textbook", "nuts"), predicts="nuts"
    )
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
    # The form for NUTS, too, predicts: the other has a flat prior.
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    rho: float | None = None
    folds: int | None = None
    joint: bool = False
    b: float | Literal["learned"] = 1.0
    priors: Priors | None = None
    #: What `pairwise` learned for one pair, and for all, with ``b="learned"``.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)

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

    def each(self, results: Results) -> Replicates:
        """What every dataset's replicates say of the mean advantage of the first algorithm."""
        differences, grain, names = context_pair_differences(results)
        count = (~np.isnan(differences)).sum(axis=1).astype(np.float64)
        rope = results[results.measures[0]].rope or 0.0
        rho = replicate_correlation(results, count, self.rho, self.folds)
        labels = context_outcome_labels(results)
        return Replicates(differences, grain, rho, rope, labels, names)

    def evidence(self, results: Results) -> Evidence:
        """Return the mass of each dataset's t above, in and below the rope."""
        return self.evidence_of(results, self.each(results))

    def evidence_of(self, results: Results, each: Replicates) -> Evidence:
        """Return the same, where the replicates were read already."""
        (measure,) = results.measures
        statements = Statements.without_data(results.algorithms, {measure: each.rope or None})
        with np.errstate(divide="ignore"):
            rows = np.log(each.evidence)
        return Evidence.from_rows(replace(statements, datasets=results.datasets), rows)

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with what all pairs teach each."""
        for results in asked:
            self._check_outcomes(results)
        return super().learn(asked)

    def _check_outcomes(self, results: Results) -> None:
        """Reject a prior of two outcomes where there are three, and the reverse."""
        rope = results[results.measures[0]].rope
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
        check_prior_ranges(self.priors, [p for p in self.parameters if not p.dims])
        if self.needs_mcmc:
            from bayescompare.methods.context.correlated_t_posterior import sampled_answer

            return sampled_answer(self, results, sampling)
        each = self.each(results)
        posterior = self.posterior(results, sampling.rng)
        if posterior is None:
            after = self.rate_after(results)
            wins = after.joint.wins
            figures = rate_figures(after)
            given_all = np.stack([wins, 1.0 - wins], axis=1)
        else:
            figures, given_all = mixture_figures(posterior), posterior.per_dataset()
            if posterior.states is not None:
                figures["seed"] = sampling.seed
        # The flat priors of mean and spread leave a constant open.
        figures["log_evidence"] = None
        return self.finished(results, each, given_all, **figures)

    def finished(
        self, results: Results, each: Replicates, given_all: FloatArray, **figures: Any
    ) -> Answer:
        """Put figures about the shares and about every dataset into an answer."""
        names = ("probability", "equivalent", "second_better") if each.rope else ("probability",)
        columns = dict(zip(names, given_all.T, strict=False))
        first = each.regions[:, 2]
        if self.joint:
            columns["alone"] = first
        support = pair_leanings(first)
        if each.rope:
            largest = each.evidence == each.evidence.max(axis=1, keepdims=True)
            support = (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
        table = OfReplicates.from_arrays(
            advantage=each.location,
            scale=each.scale,
            replicates=each.count,
            rho=each.rho,
            **columns,
        )
        return pair_answer(results, support, details=CorrelatedTDetails(table), **figures)

    # posterior -----------------------------------------------------------------------------------

    def refuses(self, quantity: str) -> str:
        """Reject a model of the formula: the full one would give another answer."""
        return _NO_MODEL if quantity in ("model", "sample") and not self.joint else ""

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model with every mean and spread in it; for NUTS they are integrated out."""
        from bayescompare.methods.context.correlated_t_model import (
            build_correlated_t_evidence,
            build_correlated_t_folds,
        )

        if why := self.refuses("model"):
            raise BayescompareError(why)
        self._check_outcomes(results)
        build = build_correlated_t_folds if form == "textbook" else build_correlated_t_evidence
        return build(self, results)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return correlated_t_methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say who is better on most datasets, what ρ was taken and what is ignored."""
        results, answer, decision = found
        sentences = correlated_t_words(self, results, answer, decision)
        return self.say_learned(sentences, decision)
