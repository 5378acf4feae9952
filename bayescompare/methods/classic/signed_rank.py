r"""The Bayesian signed-rank test: how probable is it that one algorithm is better on the whole?

Story: differences z (second less first) come from a distribution of which nothing is assumed but a
Dirichlet process with base measure at a tie, of weight s. Its posterior has weights

.. math:: w \sim \mathrm{Dirichlet}(s, 1, \dots, 1)

on :math:`z_0 = 0` and the differences :math:`z_1, \dots, z_n` seen. With a rope r, the share of
pairs of datasets whose mean difference favours the second is

.. math:: \theta_{\text{second}} = \sum_{i,j=0}^{n} w_i w_j\,[z_i + z_j > 2r],

:math:`\theta_{\text{first}}` alike with :math:`z_i + z_j < -2r`, and the rest is that of practical
equivalence. Reported is P(each share is the largest): of the Walsh averages
:math:`(z_i + z_j)/2`, which Wilcoxon's statistic counts, with the weights unknown.

With ``prior="imprecise"`` the weight of the prior may lie anywhere: the least and the greatest P
over all base measures have it far to one side, :math:`z_0 = \mp\infty`.

References
----------
Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014); Benavoli, Corani, Demšar & Zaffalon (2017),
Section 4.2.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from scipy.special import betaincinv, gammaln

from bayescompare._checks import check_count, check_positive, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray, StrArray
from bayescompare.kernels.classic import walsh, wilcoxon
from bayescompare.kernels.dirichlet.draws import draw_urn_cells
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.new_datasets import sampled_posterior, thinned_draws
from bayescompare.methods._shared.pair_answer import pair_answer
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_support,
    check_priors,
    constant_dirichlet,
    prior_options,
)
from bayescompare.methods._shared.simplex import DRAWN, WEIGHT, place_weights, weights_alpha
from bayescompare.methods._shared.trees import add_constants, make_tree, ratio_prior
from bayescompare.methods._shared.words import leading_words, text_on_sampling
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import (
    LOWER,
    THETA_LOWER,
    THETA_MEAN,
    THETA_UPPER,
    UPPER,
    Answer,
    Found,
    theta_columns,
)
from bayescompare.outcome.method import Form, Method, Parameter, Phrases, Sampling, Scope
from bayescompare.outcome.posterior import FACTORS, Lack, Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent, plural, probability_words, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr

WhichPrior = Literal["tie", "imprecise"]

#: The dim of the points, and the name of the prior's one.
POINT, TIE = "point", "(tie)"
#: Draws by which each simulated table is judged; the error of P is at most 0.016.
_DRAWS = 1000
#: Draws of weights that are held at once.
_TOGETHER = 10_000
_PROPER = "give priors={'weight': pm.Dirichlet.dist(np.ones(n + 1))} for n datasets and a tie"
_IMPROPER = (
    "the prior of weight knows a tie and nothing of the datasets; it is improper, and there are no "
    f"draws from it: predict from a posterior, set weight by pm.do, or {_PROPER}."
)
_LACKS = {
    "loo": Lack(
        "A difference that was not seen has no weight, so that each dataset left out is "
        "impossible given the others."
    ),
    "evidence": Lack(
        "The likelihood is that each difference was drawn once, whatever its size, so that the "
        "evidence depends on their number alone."
    ),
    "simulate": Lack("The prior knows no difference but a tie, so that it has no tables to draw."),
    "psis": Lack("A dataset left out would have no weight."),
    "prior_predictive": Lack(f"the prior of weight is improper and predicts nothing: {_PROPER}."),
    "bounds": Lack(
        "bounds: only SignedRank(prior='imprecise') has them.", unless={"prior": "imprecise"}
    ),
}


@dataclass(frozen=True)
class Points:
    """Second less first on every dataset, after the prior's point, and where pairs of them fall."""

    results: Results
    #: Where the prior's weight lies: at a tie, or far to one side.
    start: float = 0.0

    @property
    def rope(self) -> float | None:
        """The measure's rope."""
        return self.results[self.results.measures[0]].rope

    @cached_property
    def values(self) -> FloatArray:
        """The prior's point, and the differences, larger where the second is better."""
        (measure,) = self.results.measures
        if self.results[measure].scale == "ordinal":
            raise BayescompareError(
                f"measure {measure!r} is ordinal, and the signed-rank test adds differences, which "
                "such a measure does not have: use 'dirichlet'."
            )
        return np.append(self.start, -wilcoxon.differences(self._columns))

    @cached_property
    def regions(self) -> walsh.Regions:
        """In which region the sum of each two points lies."""
        return walsh.find_regions(self.values, self.rope, float(np.abs(self._columns).max()))

    @property
    def coords(self) -> dict[str, list[str]]:
        """The points, the datasets, and the statements: first better, equivalent, second better."""
        order = State.order(*self.results.algorithms)
        equal = [State.equal(*self.results.algorithms)] if self.rope is not None else []
        datasets = list(self.results.datasets)
        labels = [str(state) for state in (order, *equal, order.reversed())]
        return {POINT: [TIE, *datasets], "dataset": datasets, "statement": labels}

    @cached_property
    def states(self) -> IntArray:
        """The statement that each point supports; −1 for a tie without a rope."""
        z, width = self.values, self.rope or 0.0
        noise = 1e-12 * np.append(0.0, np.abs(self._columns).max(axis=1))
        side = np.where(z > width + noise, 1, np.where(z < -width - noise, -1, 0))
        if self.rope is not None:
            return np.asarray(side + 1)
        return np.asarray(np.where(side == 0, -1, (side + 1) // 2))

    @property
    def support(self) -> FloatArray:
        """Datasets for each statement; a tie without a rope counts half for each."""
        of_datasets, k = self.states[1:], 2 if self.rope is None else 3
        counts = (of_datasets[:, None] == np.arange(k)).sum(axis=0)
        return np.asarray(counts + (of_datasets < 0).sum() / k)

    @property
    def _columns(self) -> FloatArray:
        return np.asarray(self.results.oriented()[:, :, 0])


class SignedRankPosterior(Posterior):
    """The weights of the points after the data, and the shares that they give."""

    method: SignedRank

    weighed_by: ClassVar[str | None] = "strength"
    lacks: ClassVar[Mapping[str, Lack]] = _LACKS

    @cached_property
    def points(self) -> Points:
        """The differences, and where their pairs fall."""
        return Points(self.results)

    @property
    def alpha(self) -> FloatArray:
        """Parameters of the weights."""
        return self.method.weight_alpha(self.results)

    @property
    def bounds(self) -> xr.DataArray:
        """Lower and upper P over all points at which the prior's weight may lie."""
        import pandas as pd
        import xarray as xr

        ends = (LOWER, UPPER)
        both = [self.over_statements("bounds", self.answer.per_statement[end]) for end in ends]
        return xr.concat(both, pd.Index(ends, name="bound")).transpose()

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the weights, the shares under them, and datasets drawn again."""
        import xarray as xr

        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and this prior has no posterior in closed form: use sample(), "
                "or the posterior kept as c.tree."
            )
        before = self.method.prior_alpha(self.results)
        posterior, drawn = self._drawn(self.alpha, chains, draws, rng)
        weights = posterior[WEIGHT]
        groups: dict[str, dict[str, AnyArray]] = {
            "posterior": posterior,
            "posterior_predictive": drawn,
            "log_likelihood": {DRAWN: _log(weights[..., 1:])},
            "observed_data": {DRAWN: np.arange(1, len(before))},
        }
        # The constant of an improper prior is arbitrary.
        norm = 0.0
        if (before > 0.0).all():
            norm = gammaln(before.sum()) - gammaln(before).sum()
            groups["prior"], groups["prior_predictive"] = self._drawn(before, 1, draws, rng)
        dims = {WEIGHT: (POINT,), "theta": ("statement",), DRAWN: ("dataset",)}
        tree = make_tree(groups, dims, self.points.coords)
        # Of a vector, but one number for each.
        logs = norm + _log(weights) @ (before - 1.0)
        sample = tree["posterior"].to_dataset()[["chain", "draw"]]
        tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (("chain", "draw"), logs)}))
        return self.from_nuts(tree, rng)

    def _drawn(
        self, alpha: FloatArray, chains: int, draws: int, rng: np.random.Generator
    ) -> tuple[dict[str, AnyArray], dict[str, AnyArray]]:
        """Draw weights and shares, and as many datasets again, as positions among the points."""
        weights, n = rng.dirichlet(alpha, size=(chains, draws)), len(alpha) - 1
        again = draw_urn_cells(weights.reshape(-1, n + 1), n, rng).reshape(chains, draws, n)
        return {WEIGHT: weights, "theta": walsh.shares(self.points.regions, weights)}, {
            DRAWN: again
        }

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Add the differences, second less first, and what made the tree."""
        facts = {"difference": self.points.values[1:]}
        return add_constants(ratio_prior(tree, [WEIGHT]), facts, self.results.datasets)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return a function that adds datasets of the kinds seen, drawn by the weights."""
        if self.method.needs_mcmc:
            raise BayescompareError(
                "plan() needs a posterior in closed form, and this prior needs NUTS."
            )
        alpha, regions = self.alpha, self.points.regions

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            more = alpha + rng.multinomial(number, rng.dirichlet(alpha))
            exact = walsh.exact_leaders(regions, more)
            if exact is not None:
                return exact
            drawn = walsh.draw_shares(regions, more, _DRAWS, rng)
            return np.asarray(sole_leader(drawn).mean(axis=0))

        return simulate

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Tabulate P by the strength of the prior, from the same draws of the datasets.

        Its attributes have the Monte Carlo error of the leading statement. None for priors of
        another form.
        """
        import pandas as pd

        if self.method.priors:
            return None
        at = self.method.strength * FACTORS if values is None else values
        n, draws, rng = len(self.results.datasets), self.method.draws, np.random.default_rng(0)
        leads = np.zeros((len(at), len(self.answer.labels)))
        for part in np.array_split(np.arange(draws), -(-draws // _TOGETHER)):
            among, place = rng.dirichlet(np.ones(n), size=len(part)), rng.random(len(part))
            for k, strength in enumerate(at.tolist()):
                tie = betaincinv(strength, n, place)[:, None]
                weights = np.hstack([tie, (1.0 - tie) * among])
                leads[k] += sole_leader(walsh.shares(self.points.regions, weights)).sum(axis=0)
        p, error = leads / draws, _error(leads, draws)
        for k, strength in enumerate(at.tolist()):
            alpha = np.append(strength, np.ones(n))
            if (exact := walsh.exact_leaders(self.points.regions, alpha)) is not None:
                p[k], error[k] = exact, 0.0
        table = pd.DataFrame(p, pd.Index(at, name="strength"), list(self.answer.labels))
        table.attrs["mcse"] = error[:, p.sum(axis=0).argmax()].tolist()
        return table

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Return wins, and mean and median of the differences: predicted, and seen."""
        points = self.points
        drawn = tree["prior_predictive" if prior else "posterior_predictive"][DRAWN]
        picked = drawn.transpose("chain", "draw", "dataset").values
        picked = picked.reshape(-1, len(points.values) - 1)
        values, seen = points.values[picked], points.values[1:]
        statistics: dict[str, tuple[FloatArray, Any]] = {
            f"datasets with {label}": (
                (points.states[picked] == k).sum(axis=1).astype(np.float64),
                float((points.states[1:] == k).sum()),
            )
            for k, label in enumerate(self.answer.labels)
        }
        return statistics | {
            "mean difference": (values.mean(axis=1), float(seen.mean())),
            "median difference": (np.median(values, axis=1), float(np.median(seen))),
        }

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw new datasets among the points; a tie without a rope goes to either by chance."""
        if self.method.needs_mcmc:
            weights = thinned_draws(sampled_posterior(self.answer)[WEIGHT], draws, rng)
        else:
            weights = rng.dirichlet(self.alpha, size=draws)
        states = self.points.states[draw_urn_cells(weights, number, rng)]
        chance = rng.integers(2, size=states.shape)
        return np.array(self.answer.labels, dtype=np.str_)[np.where(states < 0, chance, states)]


def _log(weights: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(weights, np.finfo(np.float64).tiny)))


def _error(leads: FloatArray | IntArray, draws: int) -> FloatArray:
    """Standard error of shares; where no draw or every draw leads not zero: Laplace's rule."""
    seen = (leads > 0) & (leads < draws)
    share = np.where(seen, leads / draws, (leads + 1.0) / (draws + 2.0))
    return np.asarray(np.sqrt(share * (1.0 - share) / draws))


@dataclass(frozen=True, kw_only=True)
class SignedRank(Method):
    """Is one algorithm better than the other on the whole, sizes of differences counted?

    Parameters
    ----------
    strength : float
        Weight s of the prior, in datasets that are ties.
    prior : {"tie", "imprecise"}
        Where that weight lies. With "imprecise" the answer is the same and has bounds,
        ``c.bounds``: the least and the greatest P wherever the weight may lie, as Benavoli et al.
        (2014) report. They are for measures without a rope.
    draws : int
        Independent draws of the weights; the figures carry their Monte Carlo error. Where at most
        two kinds of differences matter the answer is exact.
    priors : mapping, optional
        ``{"weight": prior}``: a prior of the weights of the tie and of every dataset in place of
        (s, 0, …, 0). A Dirichlet stays conjugate; with any other the answer comes from NUTS, and
        says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("jansen-uci").sel(measures=["auc"], algorithms=["RF", "BDS"])
    >>> c = bc.compare(results, method="signed-rank", rng=1)
    >>> c.best, round(float(c.probability.max()), 2)
    ('RF>BDS', 0.82)
    """

    name: ClassVar[str] = "signed-rank"
    title: ClassVar[str] = title_in_registry("signed-rank")
    citations: ClassVar[tuple[str, ...]] = ("benavoli2014wilcoxon", "benavoli2017time")
    phrases: ClassVar[Phrases] = Phrases(
        reference="Benavoli et al. (2014)",
        levers="more datasets, another rope, or differences measured on another scale",
        verdict="holds on the whole",
    )
    posterior_type: ClassVar[type[Posterior]] = SignedRankPosterior
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            WEIGHT,
            (POINT,),
            "(s, 0, ..., 0), improper",
            "share of a tie, and of each dataset's kind, in the population",
            high=1.0,
            simplex=True,
        ),
    )
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)

    strength: float = 0.5
    draws: int = 50_000
    priors: Priors | None = None
    prior: WhichPrior = "tie"

    def __post_init__(self) -> None:
        check_positive(strength=self.strength)
        check_count(draws=self.draws)
        check_word("prior", self.prior, get_args(WhichPrior))
        check_priors(self.priors, self.parameters)
        for name in ("strength", "prior"):
            if self.priors and getattr(self, name) != getattr(type(self), name):
                raise BayescompareError(
                    f"priors={list(self.priors)} replaces {name}={getattr(self, name)!r}: give one."
                )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        return {**super().options(), "priors": prior_options(self.priors)}

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's is no Dirichlet, so that NUTS is needed."""
        return bool(self.priors) and constant_dirichlet((self.priors or {})[WEIGHT]) is None

    def prior_alpha(self, results: Results) -> FloatArray:
        """Parameters of the prior of the weights: of a tie, and of each dataset's difference."""
        n = len(results.datasets)
        if self.priors:
            return weights_alpha(self.priors[WEIGHT], n + 1, POINT)
        return np.append(float(self.strength), np.zeros(n))

    def weight_alpha(self, results: Results) -> FloatArray:
        """Parameters of their posterior: one more for each dataset."""
        seen = np.append(0.0, np.ones(len(results.datasets)))
        return np.asarray(self.prior_alpha(results) + seen)

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model: weights, shares as functions of them, and which point was drawn."""
        import pymc as pm

        points, n = Points(results), len(results.datasets)
        coords = points.coords
        with pm.Model(coords={**coords, "partner": coords[POINT]}) as model:
            prior = (self.priors or {}).get(WEIGHT)
            alpha = np.zeros(n + 1) if prior is not None else self.prior_alpha(results)
            weight = place_weights(prior, alpha, POINT, _IMPROPER)
            where = ("statement", POINT, "partner")
            pairs = pm.Data("pairs", walsh.pair_table(points.regions), dims=where)
            seen = pm.Data("seen", np.arange(1, n + 1), dims="dataset")
            # P that the mean of two differences, drawn by the weights, is in each region.
            pm.Deterministic("theta", (pairs @ weight) @ weight, dims="statement")
            pm.Categorical(DRAWN, p=weight, observed=seen, dims="dataset")
        return model

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(each share is the largest), exactly or from independent draws."""
        points = Points(results)
        if self.prior == "imprecise" and points.rope is not None:
            raise BayescompareError(
                f"rope on {results.measures[0]!r}: prior='imprecise' bounds P without a rope; drop "
                "the rope, or leave prior= out."
            )
        same = copy.deepcopy(sampling.rng)
        if self.needs_mcmc:
            model = self.model(results)
            check_prior_support(self.priors or {}, self.parameters, model)
            # There is no answer yet.
            asked = SignedRankPosterior(self, results, None)  # type: ignore[arg-type]
            tree = asked.from_nuts(nuts.sample(sampling, model), same)
            theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
            mean = theta.mean(axis=(0, 1))
            figures = nuts.figures_of(tree, sole_leader(theta), sampling)
        else:
            theta, p, exact = self._shares(points, sampling.rng)
            mean = walsh.mean_shares(points.regions, self.weight_alpha(results))
            none = 1.0 - float(p.sum())
            figures = {"probability": p, "none_leads": none if none > 1e-12 else 0.0}
            if not exact:
                figures |= {"mcse": _error(p * self.draws, self.draws), "seed": sampling.seed}
        columns = theta_columns(mean, *np.quantile(theta, (0.025, 0.975), axis=(0, 1)))
        if self.prior == "imprecise":
            # The same weights, so that the bounds contain P in every sample.
            ends = [figures["probability"]]
            for start in (-np.inf, np.inf):
                ends.append(self._shares(Points(results, start), copy.deepcopy(same))[1])
            columns |= {LOWER: np.min(ends, axis=0), UPPER: np.max(ends, axis=0)}
        return pair_answer(results, points.support, per_statement=columns, **figures)

    def _shares(
        self, points: Points, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, bool]:
        """Draw the shares (1, draw, statement); P that each leads, and whether that is exact."""
        alpha, regions = self.weight_alpha(points.results), points.regions
        drawn = walsh.draw_shares(regions, alpha, self.draws, rng)
        exact = walsh.exact_leaders(regions, alpha)
        p = sole_leader(drawn).mean(axis=0) if exact is None else exact
        return drawn[None], p, exact is not None

    # words ----------------------------------------------------------------------------------------

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        prior = f", with a prior of strength {setting_number_text(self.strength)} at a tie"
        prior = text_on_sampling(self) if self.priors else prior
        if self.needs_mcmc:
            how = f"weights of the datasets{prior}"
        elif answer is not None and answer.exact:
            how = f"the posterior computed exactly{prior}"
        else:
            how = f"from {plural(self.draws, 'draw')} of the datasets' weights{prior}"
        if self.prior == "imprecise":
            how += ", and lower and upper probabilities over all places of that prior"
        return (
            f"by the Bayesian signed-rank test ({{aside}}), {how}. Reported is the posterior "
            "probability that each outcome holds for the largest share of pairs of datasets."
        )

    def sentences(self, found: Found) -> list[str]:
        """Say which outcome is the most probable on the whole, and what that assumes."""
        results, answer, decision = found
        best, rope = decision.statement, results[results.measures[0]].rope
        said = leading_words(found, "on the whole", "on the whole", "support it")
        if decision.verdict != "tied":
            mean, low, high = (
                percent(answer.column_at(column, best))
                for column in (THETA_MEAN, THETA_LOWER, THETA_UPPER)
            )
            said.append(
                "For two datasets taken at random, the mean of the two differences supports it in "
                f"{mean} of all pairs (95 % interval {low} to {high})."
            )
        if rope:
            said.append(
                f"Differences of at most {setting_number_text(rope)} count as equivalent; a pair "
                "of datasets is judged by the mean of its two differences."
            )
        said.append(
            f"You chose the prior of {join_names(list(self.priors))}."
            if self.priors
            else f"The prior weighs as much as {setting_number_text(self.strength)} of a dataset "
            "on which the two are equal."
        )
        if self.prior == "imprecise" and decision.verdict != "tied":
            low, high = (probability_words(answer.column_at(end, best)) for end in (LOWER, UPPER))
            said.append(
                f"Wherever that weight lies, the probability of the leader is between {low} and "
                f"{high}."
            )
        return [
            *said,
            "Sizes of differences count, so they must be comparable between datasets; where they "
            "are not, use method='dirichlet'. The test knows no kinds of datasets besides those "
            "seen.",
        ]
