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

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from bayescompare._checks import check_flag, is_number, is_whole
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import theta_columns
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details, Scalars
from bayescompare.comparison.method import Kind, Method, Parameter, Sampling
from bayescompare.comparison.registry import title_of
from bayescompare.kernels.context.correlated_t import posterior_from_moments, region_probabilities
from bayescompare.kernels.context.poisson_binomial import context, pmf, rate_interval
from bayescompare.kernels.context.poisson_binomial_joint import count_posterior, joint
from bayescompare.kernels.context.poisson_multinomial import (
    context_regions,
    context_regions_by_draws,
)
from bayescompare.methods._shared.learned_prior import LearnedPrior
from bayescompare.methods._shared.pair_answer import leanings, pair_answer
from bayescompare.methods._shared.priors import Priors, check_priors
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.context.correlated_t_words import correlated_t_words
from bayescompare.methods.context.details import CorrelatedTDetails, OfReplicates
from bayescompare.methods.context.learned_rate import LearnsWeight, learned_rate
from bayescompare.methods.context.methods_text import correlated_t_methods_text, weight_learned_text
from bayescompare.methods.context.poisson_binomial import cut_rate
from bayescompare.methods.context.scalars import RateScalars, rate_scalars
from bayescompare.results.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["CorrelatedT", "Posterior"]


#: Differences this close, relative to the values, are rounding and no difference.
_ROUNDING = 1e-12
#: Datasets up to which three regions are summed exactly; O(N³).
_MOST_EXACT = 1000
_DRAWS = 20_000
#: Replicates up to which they are taken for the folds of one cross-validation. Ten times ten folds
#: taken for a hundred folds have ρ = .01 for .1, which flips verdicts.
_MOST_FOLDS = 20


class Posterior(NamedTuple):
    """Every dataset's mean advantage of the first: a Student-t each, and its three regions."""

    dof: FloatArray
    location: FloatArray
    scale: FloatArray
    rho: FloatArray
    regions: FloatArray


@dataclass(frozen=True, kw_only=True)
class CorrelatedT(LearnsWeight, Method):
    """Is the first algorithm better on most datasets, judged by replicates of any measure?

    Parameters
    ----------
    rho : float, optional
        Correlation of two replicates of one dataset, in [0, 1); 0 for independent seeds.
    folds : int, optional
        Folds of the cross-validation, for ρ = 1/folds; needed when it was repeated, as in ten times
        ten folds. Without either, up to 20 replicates are taken for the folds of one
        cross-validation, and more are refused.
    joint : bool
        Whether the datasets inform each other, as in ``PoissonBinomial(joint=True)``; without a
        rope only.
    b : float or "learned"
        Parameter of the symmetric prior of the shares of datasets. ``"learned"``, for
        ``pairwise`` with ``joint=True`` only, learns it from all pairs of the table.
    priors : mapping, optional
        ``{"b": number}``, as `b`. The test has no PyMC model to put other priors into; the bundled
        model ``"hierarchical_t"`` has.

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
    """

    name: ClassVar[str] = "correlated-t"
    title: ClassVar[str] = title_of("correlated-t")
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
    provides: ClassVar[frozenset[str]] = frozenset({"probability", "draws", "per_dataset", "rate"})
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("b", (), "1", "parameter of the symmetric prior of the shares of datasets"),
    )
    input_kind = "replicates"
    one_pair = True
    draws_are: ClassVar[str] = "exact"
    one_measure = True
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
        check_priors(self.priors, self.parameters)
        if self.priors and not is_number(self.priors["b"]):
            raise BayescompareError(
                "priors['b']: the correlated t-test takes a number here, having no model to "
                "sample; the bundled model 'hierarchical_t' takes priors of any kind."
            )
        if self.priors:
            object.__setattr__(self, "b", float(self.priors["b"]))
        if self.rho is not None and self.folds is not None:
            raise BayescompareError(
                f"rho={self.rho!r} and folds={self.folds!r}: each determines the other; give one."
            )
        if self.rho is not None and not (is_number(self.rho) and 0.0 <= self.rho < 1.0):
            raise BayescompareError(
                f"rho={self.rho!r}: a correlation of replicates lies in [0, 1); 0 for independent "
                "seeds, 1/folds for cross-validation."
            )
        if self.folds is not None and not (is_whole(self.folds) and self.folds >= 2):
            raise BayescompareError(f"folds={self.folds!r}: must be an integer >= 2.")

    # the answer ----------------------------------------------------------------------------------

    def each(self, results: Results) -> Posterior:
        """Posterior of every dataset's mean advantage of the first algorithm."""
        (measure,) = results.measures
        values = results.data[measure].transpose("dataset", "algorithm", "replicate").values
        values = values * results[measure].sign
        count, mean, variance = _moments(values[:, 0], values[:, 1])
        rho = self._correlation(results, count)
        dof, location, scale = posterior_from_moments(mean, variance, count, rho)
        rope = results[measure].rope or 0.0
        return Posterior(
            dof, location, scale, rho, region_probabilities(dof, location, scale, rope)
        )

    def _correlation(self, results: Results, count: FloatArray) -> FloatArray:
        """ρ of every dataset: as given, or one over its replicates where these can be folds."""
        if self.rho is not None:
            return np.full(len(count), float(self.rho))
        if self.folds is not None:
            return np.full(len(count), 1.0 / self.folds)
        most = int(count.argmax())
        if count[most] > _MOST_FOLDS:
            raise BayescompareError(
                f"rho= or folds= is missing: {results.datasets[most]!r} has {int(count[most])} "
                "replicates, and their correlation cannot be guessed; give folds=10 for ten times "
                "ten folds, rho=0 for independent seeds."
            )
        return np.asarray(1.0 / count)

    def options(self) -> dict[str, Any]:
        """Return the choices by name, with what was learned."""
        return self.with_learned(super().options())

    def alone(self, results: Results) -> FloatArray:
        """P(the first is better) on each dataset, by its own replicates."""
        return self.each(results).regions[:, 2]

    @property
    def weight(self) -> float:
        """The parameter b that holds; where it was learned, 1 is the pair's own."""
        return 1.0 if self.b == "learned" else self.b

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(r > ½) and P(r < ½), or with a rope P(each region is the most frequent)."""
        each = self.each(results)
        if results[results.measures[0]].rope:
            if self.joint:
                raise BayescompareError(
                    "joint=True: with a rope there is only the formula that judges each dataset "
                    "by itself; leave out the rope or joint=True."
                )
            return self._with_rope(results, each, sampling)
        second, _, first = each.regions.T
        extra: dict[str, FloatArray] = {}
        mixture = self.mixture(first)
        if mixture is not None:
            both, figures, extra = learned_rate(mixture)
            better = mixture.joint.wins
        elif self.joint:
            posterior = joint(first, self.weight)
            low, high = rate_interval(count_posterior(first, self.weight)[0], self.weight)
            figures = rate_scalars(posterior.mean, posterior.sd, low, high)
            both, better = [posterior.first, posterior.second], posterior.wins
        else:
            both, better = [context(first, self.weight), context(second, self.weight)], first
            figures = cut_rate(pmf(first), self.weight)
        columns = {"alone": first} if self.joint else {}
        return pair_answer(
            results,
            leanings(first),
            probability=np.array(both),
            scalars=figures,
            per_statement={**extra, **figures.both},
            details=_details(each, {**columns, "probability": better}),
        )

    def _with_rope(self, results: Results, each: Posterior, sampling: Sampling) -> Answer:
        triples, prior = each.regions, (self.weight,) * 3
        mcse = None
        if len(triples) <= _MOST_EXACT:
            probability = context_regions(triples, prior)
        else:
            probability, mcse = context_regions_by_draws(triples, _DRAWS, sampling.rng, prior)
        largest = triples == triples.max(axis=1, keepdims=True)
        support = (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
        mean = (self.weight + triples.sum(axis=0)) / (3.0 * self.weight + len(triples))
        # One share of a Dirichlet is a Beta, and one region's count is Poisson-binomial.
        ends = [rate_interval(pmf(p), self.weight, 2.0 * self.weight) for p in triples.T]
        low, high = np.array(ends).T
        names = ("second_better", "equivalent", "probability")
        columns = dict(zip(names, triples.T, strict=True))
        # Left, rope and right: the second better, equivalent, the first better.
        return pair_answer(
            results,
            support[::-1],
            probability=probability[::-1],
            mcse=None if mcse is None else mcse[::-1],
            per_statement=theta_columns(mean[::-1], low[::-1], high[::-1]),
            scalars=RateScalars(
                rate_mean=float(mean[2]), rate_lower=float(low[2]), rate_upper=float(high[2])
            ),
            details=_details(each, columns),
            seed=None if mcse is None else sampling.seed,
        )

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw every dataset's mean advantage, and the shares of datasets given them."""
        from bayescompare.methods.context.correlated_t_posterior import exact_tree

        return exact_tree(self, results, draws, chains, rng)

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


def _moments(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Number, mean and variance of every dataset's differences; NaN is a replicate not there.

    Replicates that differ by rounding only are equal, and so have no variance.
    """
    x = first - second
    count = (~np.isnan(x)).sum(axis=1).astype(np.float64)
    grain = _ROUNDING * np.nanmax(np.maximum(np.abs(first), np.abs(second)), axis=1)
    mean, variance = np.nanmean(x, axis=1), np.nanvar(x, axis=1, ddof=1)
    equal = np.nanmax(x, axis=1) - np.nanmin(x, axis=1) <= grain
    mean = np.where(np.abs(mean) <= grain, 0.0, mean)
    return count, mean, np.where(equal, 0.0, variance)


def _details(each: Posterior, columns: dict[str, FloatArray]) -> CorrelatedTDetails:
    table = OfReplicates.from_arrays(
        advantage=each.location,
        scale=each.scale,
        replicates=each.dof + 1.0,
        rho=each.rho,
        **columns,
    )
    return CorrelatedTDetails(table)
