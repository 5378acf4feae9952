r"""The correlated t-test per dataset, and the Poisson-binomial test over datasets.

Story: on dataset i the replicates' differences (folds, seeds) have mean :math:`\mu_i` and every two
of them correlation ρ, because cross-validation folds share training data:

.. math:: \mu_i \mid x_i \sim \mathrm{St}\left(k_i - 1,\; \bar x_i,\;
          \left(\tfrac{1}{k_i} + \tfrac{\rho}{1 - \rho}\right) \hat\sigma_i^2\right).

The first algorithm is better on dataset i with probability :math:`p_i = \Pr(\mu_i > 0)`; from
these the Poisson-binomial test says whether it is better on most datasets of the kind. With a
region of practical equivalence there are three outcomes per dataset and a Dirichlet(1, 1, 1) over
their shares. This carries the Poisson-binomial test from errors to any measure.

The model with every mean and spread in it has priors that are flat on a range so wide that the data
do not reach its ends,

.. math:: \mu_i \mid r \sim r\,\mathrm{Uniform}(0, M) + (1 - r)\,\mathrm{Uniform}(-M, 0), \quad
          \log\sigma_i \sim \mathrm{Uniform}, \quad
          x_i \sim \mathrm{N}\bigl(\mu_i \mathbf 1,\;
          \sigma_i^2 [(1 - \rho) I + \rho \mathbf 1 \mathbf 1^\top]\bigr) ;

the test is its limit. With a rope there is no such model, for a flat density gives an interval no
probability; what remains is the form for NUTS, of what each dataset says for every statement,
:math:`p(x_i \mid \theta) \propto \sum_s \theta_s\,\ell_i(s)`.

References
----------
Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on multiple
data sets; Nadeau & Bengio (2003); Lacoste, Laviolette & Marchand (2012), Section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.context.correlated_t import (
    correlated_t_from_moments,
    correlated_t_regions,
    draw_correlated_t_differences,
    draw_correlated_t_spreads,
    draw_correlated_t_within,
    draw_statements,
)
from bayescompare.methods._shared.correlation import (
    check_correlation,
    correlation_words,
    replicate_correlation,
)
from bayescompare.methods._shared.priors import Priors
from bayescompare.methods._shared.trees import add_constants, shrink_predictions, statement_each
from bayescompare.methods._shared.words import text_on_sampling, text_on_weight
from bayescompare.methods.context.comparison import ContextDetails, drawn
from bayescompare.methods.context.shares import (
    CUT_LACKS,
    Said,
    SharePosterior,
    ShareTest,
    add_groups,
    shares_in,
)
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.method import (
    Accepts,
    Form,
    Parameter,
    Phrases,
    Sampling,
)
from bayescompare.outcome.posterior import Lack, Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text, statistic_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


#: The names of a dataset's mean advantage, of its spread, and of its replicates' differences.
ADVANTAGE, SIGMA, DIFFERENCE = "advantage", "sigma", "difference"
#: Differences this close, relative to the values, are rounding and no difference.
_ROUNDING = 1e-12
#: Priors of means and spreads are flat on so many scales of the data.
_WIDE, _WIDE_SPREAD = 100.0, 1e6


@dataclass(frozen=True, eq=False)
class Replicates:
    """Differences "first less second" on every dataset, turned so that larger is better.

    Attributes
    ----------
    differences : array (N, k)
        NaN where a dataset has fewer replicates than another.
    grain : array (N,)
        Differences below it are rounding.
    rho : array (N,)
        Correlation of two replicates of a dataset.
    rope : float
        Half the width of the region of practical equivalence; 0 without one.
    names : tuple of str
        Of the replicates, where they are the same on every dataset, else their numbers.
    """

    differences: FloatArray
    grain: FloatArray
    rho: FloatArray
    rope: float
    names: tuple[str, ...]

    @classmethod
    def of(cls, results: Results, rho: float | None, folds: int | None) -> Replicates:
        """Read them from a table.

        Replicates that no dataset shares with another, as where each names its own, are put side by
        side: only which belong to one dataset matters.
        """
        (measure,) = results.measures
        # Variables, because arrays with coordinates take longer than all of a small test.
        data = results.data.variables[measure].transpose("dataset", "algorithm", "replicate")
        first, second = (results[measure].sign * data.values).transpose(1, 0, 2)
        x = first - second
        grain = _ROUNDING * np.nanmax(np.maximum(np.abs(first), np.abs(second)), axis=1)
        names = tuple(map(str, results.data.variables["replicate"].values.tolist()))
        count = (~np.isnan(x)).sum(axis=1)
        if count.min() < x.shape[1]:
            # Those that are there come first, in their order.
            order = np.argsort(np.isnan(x), axis=1, kind="stable")[:, : int(count.max())]
            x = np.take_along_axis(x, order, axis=1)
            names = tuple(str(k + 1) for k in range(x.shape[1]))
        correlation = replicate_correlation(results, count.astype(np.float64), rho, folds)
        return cls(x, grain, correlation, results[measure].rope or 0.0, names)

    @property
    def present(self) -> BoolArray:
        """Which replicates there are."""
        return ~np.isnan(self.differences)

    @property
    def count(self) -> FloatArray:
        """How many replicates each dataset has."""
        return self.present.sum(axis=1).astype(np.float64)

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of every dataset's differences; equal up to rounding is equal."""
        x = self.differences
        mean, variance = np.nanmean(x, axis=1), np.nanvar(x, axis=1, ddof=1)
        equal = np.nanmax(x, axis=1) - np.nanmin(x, axis=1) <= self.grain
        mean = np.where(np.abs(mean) <= self.grain, 0.0, mean)
        return mean, np.where(equal, 0.0, variance)

    @cached_property
    def student(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Degrees of freedom, centre and scale of the mean advantage; 0 where all are equal."""
        return correlated_t_from_moments(*self.moments, self.count, self.rho)

    @property
    def widths(self) -> tuple[float, float, float]:
        """How far means may lie from 0, and between which logarithms spreads do, in the model."""
        mean, variance = self.moments
        sd = np.sqrt(variance / (1.0 - self.rho))
        far = _WIDE * float(np.abs(mean + self.student[2]).max())
        return far, np.log(sd.min() / _WIDE_SPREAD), np.log(sd.max() * _WIDE_SPREAD)

    @cached_property
    def evidence(self) -> FloatArray:
        """P(the first better), with a rope P(equivalent), P(the second better), (N, S)."""
        regions = correlated_t_regions(*self.student, self.rope)
        return np.ascontiguousarray(regions[:, ::-1] if self.rope else regions[:, [2, 0]])


class CorrelatedTPosterior(SharePosterior):
    """Shares of datasets after the data, and the mean and spread of each dataset."""

    method: CorrelatedT

    lacks: ClassVar[Mapping[str, Lack]] = CUT_LACKS | {
        "evidence": Lack(
            "The prior of every dataset's mean and spread is flat, so that the evidence is known "
            "only up to a constant; loo() compares priors of the shares, for which it cancels."
        ),
        "simulate": Lack("The prior of every dataset's mean and spread is flat, and has no draws."),
    }

    @cached_property
    def each(self) -> Replicates:
        """What every dataset's replicates say."""
        return self.method.read(self.results)

    def complete(
        self, tree: xr.DataTree, statement: IntArray, rng: np.random.Generator
    ) -> xr.DataTree:
        """Draw every mean, spread and new replicate, exactly given the statements.

        A tree of the textbook's form has means and spreads already.
        """
        import xarray as xr

        each, posterior = self.each, tree["posterior"].to_dataset()
        dof, location, scale = each.student
        theta, before = (shares_in(tree[g].to_dataset()) for g in ("posterior", "prior"))
        if ADVANTAGE in posterior:
            means, spreads = drawn(tree, ADVANTAGE, SIGMA)
        else:
            # Statements begin with the first better, regions with the left.
            region = 2 - statement if each.rope else 2 * (1 - statement)
            means = draw_correlated_t_within(dof, location, scale, region, each.rope, rng)
            means = means.reshape(*theta.shape[:2], -1)
            spreads = draw_correlated_t_spreads(means, dof, location, scale, each.rho, rng)
        again = draw_correlated_t_differences(means, spreads, each.rho, len(each.names), rng)
        n, over = len(each.rho), ("dataset",)
        one, replicates = ("dataset", "statement"), ("dataset", "replicate")
        # What NUTS observed is replaced: it has no place for replicates that are not there.
        tree["observed_data"] = xr.DataTree()
        tree = add_groups(
            tree,
            {
                "posterior": {
                    "theta": (("statement",), theta),
                    ADVANTAGE: (over, means),
                    SIGMA: (over, spreads),
                },
                "prior": {"theta": (("statement",), before)},
                "posterior_predictive": {
                    OUTCOME: (one, statement_each(theta, n, rng)),
                    # Half the memory: a hundred replicates of each dataset are many.
                    DIFFERENCE: (replicates, again.astype(np.float32)),
                },
                "prior_predictive": {OUTCOME: (one, statement_each(before, n, rng))},
                "log_likelihood": {OUTCOME: (over, np.log(theta @ each.evidence.T))},
                "observed_data": {
                    OUTCOME: (one, each.evidence),
                    DIFFERENCE: (replicates, each.differences),
                },
            },
            {
                "statement": self.seen.statements.labels,
                "dataset": self.results.datasets,
                "replicate": each.names,
            },
        )
        predicted = tree["posterior_predictive"].to_dataset()
        present = xr.DataArray(each.present, dims=replicates)
        predicted[DIFFERENCE] = predicted[DIFFERENCE].where(present)
        tree["posterior_predictive"] = xr.DataTree(predicted)
        facts = {
            "mean_difference": location,
            "scale": scale,
            "replicates": each.count,
            "rho": each.rho,
        }
        return add_constants(shrink_predictions(tree), facts, self.results.datasets)

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Compare how many datasets make each statement true, and the replicates' shape.

        How many make it true is itself uncertain: after the data it is that of the same draw,
        before them that of each dataset's own replicates. Replicates are predicted after the data
        only, since the prior of their mean and spread is flat.
        """
        each, labels = self.each, self.seen.statements.labels
        again = tree["prior_predictive" if prior else "posterior_predictive"].to_dataset()
        predicted = again[OUTCOME].sum("dataset").transpose("chain", "draw", "statement").values
        predicted = predicted.reshape(-1, len(labels)).astype(np.float64)
        if prior:
            statement = draw_statements(each.evidence, np.ones_like(predicted), rng)
            seen = (statement[:, :, None] == np.arange(len(labels))).sum(axis=1)
        else:
            mean = drawn(tree, ADVANTAGE)[0].reshape(len(predicted), -1)
            # A mean of exactly 0 without a rope makes either true alike.
            even = 0.0 if each.rope else 0.5 * (mean == 0.0).sum(axis=1)
            better, worse = ((sign * mean > each.rope).sum(axis=1) + even for sign in (1.0, -1.0))
            middle = [len(each.rho) - better - worse] if each.rope else []
            seen = np.stack([better, *middle, worse], axis=-1)
        statistics: dict[str, tuple[FloatArray, Any]] = {
            f"datasets with {label}": (predicted[:, k], seen[:, k].astype(np.float64))
            for k, label in enumerate(labels)
        }
        varying = each.student[2] > 0.0
        if DIFFERENCE in again and varying.any():
            order = ("chain", "draw", "dataset", "replicate")
            x = again[DIFFERENCE].transpose(*order).values.astype(np.float64)
            x = x.reshape(-1, *each.differences.shape)[:, varying]
            shapes = map(_shape_of_replicates, (x, each.differences[None, varying]))
            for name, (values, now) in zip(_SHAPES, zip(*shapes, strict=True), strict=True):
                statistics[name] = values, float(now[0])
        return statistics


_SHAPES = "largest deviation of a replicate, in sd", "skewness of the replicates"


def _shape_of_replicates(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Tails and skewness of replicates (draws, N, k), free of their dataset's mean and spread."""
    z = x - np.nanmean(x, axis=-1, keepdims=True)
    z /= np.nanstd(x, axis=-1, ddof=1, keepdims=True)
    return np.nanmax(np.abs(z), axis=(1, 2)), np.nanmean(z**3, axis=(1, 2))


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
    b : float, pair of float or "learned"
        Parameter of the symmetric prior of the shares of datasets, or both of one that favours an
        algorithm, where there is no rope. ``"learned"``, for
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
    citations: ClassVar[tuple[str, ...]] = ("corani2015bayesian", "lacoste2012bayesian")
    posterior_type: ClassVar[type[Posterior]] = CorrelatedTPosterior
    phrases: ClassVar[Phrases] = Phrases(
        reference="Corani & Benavoli (2015); Lacoste et al. (2012), Section 5",
        levers="another correlation ρ of the replicates, another rope, or more datasets",
        verdict="is the most frequent case on datasets of this kind",
    )
    accepts: ClassVar[Accepts] = Accepts(
        judges="replicates", forms=("textbook", "nuts"), predicts="nuts"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
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

    rho: float | None = None
    folds: int | None = None
    joint: bool = False
    b: float | tuple[float, float] | Literal["learned"] = 1.0
    priors: Priors | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_correlation(self.rho, self.folds)

    def read(self, results: Results) -> Replicates:
        """What every dataset's replicates say of the mean advantage of the first algorithm."""
        return Replicates.of(results, self.rho, self.folds)

    def said(self, results: Results) -> Said:
        """Return the mass of each dataset's t above, in and below the rope."""
        self._check_outcomes(results)
        each = self.read(results)
        _, location, scale = each.student
        columns = {"advantage": location, "scale": scale, "replicates": each.count, "rho": each.rho}
        with np.errstate(divide="ignore"):
            return Said(np.log(each.evidence), each.evidence, columns)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """The flat priors of mean and spread leave a constant of the evidence open."""
        return replace(super().answer(results, sampling), log_evidence=None)

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

    # the model ------------------------------------------------------------------------------------

    def build(self, results: Results, form: Form) -> pm.Model:
        """Build the model with every mean and spread in it."""
        import pymc as pm

        each, statements = self.read(results), self.evidence(results).statements
        if each.rope or form == "nuts":
            return self._nuts_model(results)
        _check_spread(results, each)
        far, low, high = each.widths
        over, transforms = ("dataset", "replicate"), pm.distributions.transforms
        coords = {"dataset": list(results.datasets), "statement": list(statements.labels)}
        with pm.Model(coords={**coords, "replicate": list(each.names)}) as model:
            # PyMC would take NaN for data to be imputed; what is absent has no weight.
            x = pm.Data("seen", np.nan_to_num(each.differences), dims=over)
            present = pm.Data("present", each.present * 1.0, dims=over)
            rho = pm.Data("rho", each.rho, dims="dataset")
            theta = self.place_shares(statements)
            sides = [pm.Uniform.dist(0.0, far), pm.Uniform.dist(-far, 0.0)]
            between = {"default_transform": transforms.Interval(-far, far), "dims": "dataset"}
            mu = pm.Mixture(ADVANTAGE, theta, sides, **between)
            positive = {"default_transform": transforms.log, "dims": "dataset"}
            sigma = pm.CustomDist(
                SIGMA, low, high, dist=_log_uniform, class_name="LogUniform", **positive
            )
            exchangeable_normal(DIFFERENCE, mu, sigma, rho, present, observed=x, dims=over)
        return model

    def _nuts_model(self, results: Results) -> pm.Model:
        r"""Build the form that has every mean and spread integrated out.

        Uncertain statements are observed: log p = log Σ_s θ_s ℓ_is, which a certain one makes
        log θ_s. A new dataset is drawn as one statement.
        """
        import pymc as pm
        import pytensor.tensor as pt

        evidence = self.evidence(results)
        labels = list(evidence.statements.labels)
        coords = {"statement": labels, "dataset": list(results.datasets)}
        with pm.Model(coords=coords) as model:
            rows = pm.Data("rows", np.exp(evidence.rows[0]), dims=("dataset", "statement"))
            pm.CustomDist(
                OUTCOME,
                self.place_shares(evidence.statements),
                logp=lambda value, p: pt.log((value * p).sum(axis=-1)),
                dist=lambda p, size: pm.Multinomial.dist(1, p, size=size).astype("float64"),
                observed=rows,
                signature="(s)->(s)",
                class_name="UncertainStatement",
                dims=("dataset", "statement"),
            )
        return model

    # words ----------------------------------------------------------------------------------------

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        rho = "ρ, one over the number of folds"
        if answer is not None:
            seen = ContextDetails.of(answer).per_dataset["rho"]
            ends = dict.fromkeys([min(seen), max(seen)])
            rho = f"ρ = {' to '.join(statistic_number_text(end, significant=3) for end in ends)}"
        elif self.rho is not None:
            rho = f"ρ = {setting_number_text(self.rho)}"
        elif self.folds is not None:
            rho = f"ρ = 1/{self.folds}"
        outcome = "one is better on most datasets"
        if answer is not None and len(answer.labels) == 3:
            outcome = (
                "an outcome (one better, the other better, equivalent) is the most frequent one"
            )
        joint = "joint model, " if self.joint else ""
        own = {k: v for k, v in (self.priors or {}).items() if not is_number(v)}
        b = text_on_weight("learned" if self.b == "learned" else self.weight)
        even = "" if isinstance(self.weight, tuple) else "symmetric "
        prior = f"{even}prior of the shares of datasets with {b}"
        if own:
            prior = "a prior of the shares of datasets"
        return (
            "by the Bayesian correlated t-test on each dataset's replicates, of which every two "
            f"have the correlation {rho}, and the Poisson binomial over datasets ({joint}{prior}; "
            f"{{aside}}){text_on_sampling(self) if own else ''}. Reported is the posterior "
            f"probability that {outcome}."
        )

    def own_words(self, results: Results, answer: Answer) -> list[str]:
        """Say what ρ was taken and what is ignored."""
        columns, (measure,) = ContextDetails.of(answer).per_dataset, results.measures
        given: dict[str, Any] = {"rho": self.rho, "folds": self.folds}
        said = [correlation_words(results, columns["rho"], columns["replicates"], **given)]
        if rope := results[measure].rope:
            said.append(f"Differences of at most {setting_number_text(rope)} count as equivalent.")
        said.append(
            "Each dataset's differences are taken to be normal with one mean; how large a mean "
            "difference is does not count further, and every dataset counts the same."
        )
        return said


# means, spreads, replicates ----------------------------------------------------------------------


def _check_spread(results: Results, each: Replicates) -> None:
    """Refuse datasets whose replicates are all equal, of which the spread has no posterior."""
    scales = zip(results.datasets, each.student[2], strict=True)
    if equal := [name for name, scale in scales if scale == 0.0]:
        raise BayescompareError(
            f"model(): all replicates are equal on {join_names(equal, most=4)}, so their spread "
            "has no posterior density; model(form='nuts') and sample() take such datasets as "
            "certain."
        )


def _log_uniform(low: Any, high: Any, size: Any) -> Any:
    import pymc as pm
    import pytensor.tensor as pt

    return pt.exp(pm.Uniform.dist(low, high, size=size))


def exchangeable_normal(
    name: str, mean: Any, sigma: Any, rho: Any, present: Any, **kwargs: Any
) -> Any:
    """Replicates that are normal, every two of them with correlation ρ."""
    import pymc as pm

    named = {"class_name": "ExchangeableNormal", "signature": "(),(),(),(k)->(k)"}
    how = {"logp": exchangeable_logp, "random": _draw_replicates}
    return pm.CustomDist(name, mean, sigma, rho, present, **how, **named, **kwargs)


def exchangeable_logp(value: Any, mean: Any, sigma: Any, rho: Any, present: Any) -> Any:
    """Log density of normal replicates of which every two have correlation ρ.

    By the determinant and the inverse of such a covariance matrix, which are closed; `present` is
    0 for a replicate that is not there.
    """
    import pytensor.tensor as pt

    k = present.sum(axis=-1)
    average = (present * value).sum(axis=-1) / k
    within = (present * (value - average[..., None]) ** 2).sum(axis=-1) / (1.0 - rho)
    between = (average - mean) ** 2 / (rho + (1.0 - rho) / k)
    log_det = (k - 1.0) * pt.log1p(-rho) + pt.log1p((k - 1.0) * rho) + 2.0 * k * pt.log(sigma)
    return -0.5 * (k * math.log(2.0 * math.pi) + log_det + (within + between) / sigma**2)


def _draw_replicates(
    mean: Any,
    sigma: Any,
    rho: Any,
    present: Any,
    rng: np.random.Generator | None = None,
    size: Any = None,
) -> FloatArray:
    """Draw as many replicates again, on the same datasets."""
    assert rng is not None
    shape = np.broadcast_shapes(*map(np.shape, (mean, sigma, rho))) if size is None else size
    means = np.broadcast_to(mean, shape)
    return draw_correlated_t_differences(means, sigma, rho, np.shape(present)[-1], rng)
