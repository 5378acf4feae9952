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

References
----------
Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014); Benavoli, Corani, Demšar & Zaffalon (2017),
Section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import gammaln

from bayescompare._checks import check_count, check_positive
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
from bayescompare.methods._shared.simplex import (
    DRAWN,
    WEIGHT,
    place_weights,
    weights_alpha,
)
from bayescompare.methods._shared.trees import (
    add_constants,
    make_tree,
    ratio_prior,
)
from bayescompare.methods._shared.words import text_on_sampling
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.claims import certainty_words
from bayescompare.outcome.columns import THETA_LOWER, THETA_MEAN, THETA_UPPER, theta_columns
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import Form, Method, Parameter, Phrases, Sampling, Scope
from bayescompare.outcome.posterior import Lack, Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import State, Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, percent, plural, probability_words, setting_number_text
from bayescompare.text.phrases import exactness_phrase, join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


#: The dim of the points, and the name of the prior's one.
POINT, TIE = "point", "(tie)"
_SAMPLE = ("chain", "draw")

#: Draws by which each simulated table is judged; the error of P is at most 0.016.
_DRAWS = 1000
_IMPROPER = (
    "the prior of weight knows a tie and nothing of the datasets; it is improper, and there are no "
    "draws from it: predict from a posterior, set weight by pm.do, or give priors={'weight': ...}."
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
}


@dataclass(frozen=True)
class Points:
    """Second less first on every dataset, after a tie, and where the pairs of them fall."""

    results: Results

    @property
    def rope(self) -> float | None:
        """The measure's rope."""
        return self.results[self.results.measures[0]].rope

    @cached_property
    def values(self) -> FloatArray:
        """The points: a tie, and the differences, larger where the second is better."""
        (measure,) = self.results.measures
        if self.results[measure].scale == "ordinal":
            raise BayescompareError(
                f"measure {measure!r} is ordinal, and the signed-rank test adds differences, which "
                "such a measure does not have: use 'dirichlet'."
            )
        return np.append(0.0, -wilcoxon.differences(self._columns))

    @cached_property
    def regions(self) -> walsh.Regions:
        """In which region the sum of each two points lies."""
        return walsh.find_regions(self.values, self.rope, float(np.abs(self._columns).max()))

    @cached_property
    def table(self) -> FloatArray:
        """The same as shares, (statement, point, point)."""
        return walsh.pair_table(self.regions)

    @property
    def names(self) -> list[str]:
        """The points by name."""
        return [TIE, *self.results.datasets]

    @property
    def labels(self) -> list[str]:
        """The statements: first better, equivalent if there is a rope, second better."""
        order = State.order(*self.results.algorithms)
        equal = [State.equal(*self.results.algorithms)] if self.rope is not None else []
        return [str(state) for state in (order, *equal, order.reversed())]

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
        of_datasets = self.states[1:]
        counts = np.array([float((of_datasets == k).sum()) for k in range(len(self.labels))])
        return counts + 0.5 * float((of_datasets < 0).sum()) * (self.rope is None)

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

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the weights, the shares under them, and datasets drawn again."""
        import xarray as xr

        if self.method.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and this prior has no posterior in closed form: use sample(), "
                "or the posterior kept as c.tree."
            )
        points, before = self.points, self.method.prior_alpha(self.results)
        weights = rng.dirichlet(self.alpha, size=(chains, draws))
        groups: dict[str, dict[str, AnyArray]] = {
            "posterior": {WEIGHT: weights, "theta": walsh.shares(points.regions, weights)},
            "posterior_predictive": {DRAWN: _drawn_again(weights, rng)},
            "log_likelihood": {DRAWN: _log(weights[..., 1:])},
            "observed_data": {DRAWN: np.arange(1, len(self.alpha))},
        }
        proper = bool((before > 0.0).all())
        if proper:
            prior = rng.dirichlet(before, size=(1, draws))
            groups["prior"] = {WEIGHT: prior, "theta": walsh.shares(points.regions, prior)}
            groups["prior_predictive"] = {DRAWN: _drawn_again(prior, rng)}
        dims = {WEIGHT: (POINT,), "theta": ("statement",), DRAWN: ("dataset",)}
        coords = {
            POINT: points.names,
            "statement": points.labels,
            "dataset": list(self.results.datasets),
        }
        tree = make_tree(groups, dims, coords)
        # Of a vector, but one number for each. The constant of an improper prior is arbitrary.
        norm = gammaln(before.sum()) - gammaln(before).sum() if proper else 0.0
        logs = norm + _log(weights) @ (before - 1.0)
        sample = tree["posterior"].to_dataset()[list(_SAMPLE)]
        tree["log_prior"] = xr.DataTree(sample.assign({WEIGHT: (_SAMPLE, logs)}))
        return _finished(points, tree)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Add what is known of the datasets to a tree of NUTS."""
        return _finished(self.points, tree)

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
            return np.asarray(
                sole_leader(walsh.draw_shares(regions, more, _DRAWS, rng)).mean(axis=0)
            )

        return simulate

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Return wins, and mean and median of the differences: predicted, and seen."""
        points = self.points
        drawn = tree["prior_predictive" if prior else "posterior_predictive"][DRAWN]
        picked = drawn.transpose(*_SAMPLE, "dataset").values.reshape(-1, len(points.values) - 1)
        values, seen = points.values[picked], points.values[1:]
        statistics: dict[str, tuple[FloatArray, Any]] = {
            f"datasets with {label}": (
                (points.states[picked] == k).sum(axis=1).astype(np.float64),
                float((points.states[1:] == k).sum()),
            )
            for k, label in enumerate(points.labels)
        }
        return statistics | {
            "mean difference": (values.mean(axis=1), float(seen.mean())),
            "median difference": (np.median(values, axis=1), float(np.median(seen))),
        }

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw new datasets among the points; a tie without a rope goes to either by chance."""
        if self.method.needs_mcmc:
            kept = sampled_posterior(self.answer)[WEIGHT]
            weights = thinned_draws(kept, draws, rng)
        else:
            weights = rng.dirichlet(self.alpha, size=draws)
        states = self.points.states[draw_urn_cells(weights, number, rng)]
        chance = rng.integers(2, size=states.shape)
        return np.array(self.points.labels, dtype=np.str_)[np.where(states < 0, chance, states)]


def _finished(points: Points, tree: xr.DataTree) -> xr.DataTree:
    """Add the differences, second less first, and what made the tree."""
    facts = {"difference": points.values[1:]}
    return add_constants(ratio_prior(tree, [WEIGHT]), facts, points.results.datasets)


def _drawn_again(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw as many datasets again by each draw's weights, as positions among the points."""
    n = weights.shape[-1] - 1
    return draw_urn_cells(weights.reshape(-1, n + 1), n, rng).reshape(*weights.shape[:-1], n)


def _log(weights: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(weights, np.finfo(np.float64).tiny)))


@dataclass(frozen=True, kw_only=True)
class SignedRank(Method):
    """Is one algorithm better than the other on the whole, sizes of differences counted?

    Parameters
    ----------
    strength : float
        Weight s of the prior, in datasets that are ties.
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

    def __post_init__(self) -> None:
        check_positive(strength=self.strength)
        check_count(draws=self.draws)
        check_priors(self.priors, self.parameters)
        if self.priors and self.strength != type(self).strength:
            raise BayescompareError(
                f"priors={list(self.priors)} replaces strength={self.strength!r}: give one."
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
        return np.asarray(
            self.prior_alpha(results) + np.append(0.0, np.ones(len(results.datasets)))
        )

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(each share is the largest), exactly or from independent draws."""
        points = Points(results)
        if self.needs_mcmc:
            return self._sampled(points, sampling)
        alpha = self.weight_alpha(results)
        theta = walsh.draw_shares(points.regions, alpha, self.draws, sampling.rng)
        mean = walsh.mean_shares(points.regions, alpha)
        exact = walsh.exact_leaders(points.regions, alpha)
        if exact is not None:
            figures: dict[str, Any] = {"probability": exact, "none_leads": 1.0 - exact.sum()}
            return self._finished(points, theta, mean, **figures)
        leads = sole_leader(theta)
        # Where no draw or every draw has it the error is not zero but unknown: Laplace's rule.
        share, n = leads.mean(axis=0), self.draws
        smooth = (leads.sum(axis=0) + 1.0) / (n + 2.0)
        known = np.where((share > 0) & (share < 1), share, smooth)
        return self._finished(
            points,
            theta,
            mean,
            probability=share,
            mcse=np.sqrt(known * (1.0 - known) / n),
            none_leads=1.0 - float(leads.any(axis=-1).mean()),
            seed=sampling.seed,
        )

    def _sampled(self, points: Points, sampling: Sampling) -> Answer:
        """Answer from NUTS, with its Monte Carlo standard error."""
        results = points.results
        model = self.model(results)
        check_prior_support(self.priors or {}, self.parameters, model)
        tree = nuts.sample_nuts_as_asked(sampling, model)
        tree = _finished(points, tree)
        theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
        leads = sole_leader(theta).astype(np.float64)
        return self._finished(
            points,
            theta.reshape(-1, theta.shape[-1]),
            theta.mean(axis=(0, 1)),
            probability=leads.mean(axis=(0, 1)),
            mcse=nuts.nuts_monte_carlo_error(leads),
            none_leads=1.0 - float(leads.any(axis=-1).mean()),
            seed=sampling.seed,
            tree=tree,
        )

    def _finished(
        self, points: Points, theta: FloatArray, mean: FloatArray, **figures: Any
    ) -> Answer:
        """Put the shares of every draw into an answer."""
        low, high = np.quantile(theta, (0.025, 0.975), axis=0)
        return pair_answer(
            points.results,
            points.support,
            per_statement=theta_columns(mean, low, high),
            **figures,
        )

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the model: weights, shares as functions of them, and which point was drawn."""
        import pymc as pm
        import pytensor.tensor as pt

        points, n = Points(results), len(results.datasets)
        coords = {
            POINT: points.names,
            "dataset": list(results.datasets),
            "statement": points.labels,
        }
        with pm.Model(coords=coords) as model:
            prior = (self.priors or {}).get(WEIGHT)
            alpha = np.zeros(n + 1) if prior is not None else self.prior_alpha(results)
            weight = place_weights(prior, alpha, POINT, _IMPROPER)
            shares = [weight @ pt.as_tensor(pairs) @ weight for pairs in points.table]
            pm.Deterministic("theta", pt.stack(shares), dims="statement")
            pm.Categorical(DRAWN, p=weight, observed=np.arange(1, n + 1), dims="dataset")
        return model

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return _methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say which outcome is the most probable on the whole, and what that assumes."""
        return _sentences(self, *found)


# ---------------------------------------------------------------------------------------- the words


def _sentences(
    method: SignedRank, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say which outcome is the most probable on the whole, and what that assumes."""
    sentences = [_finding(results, answer, decision)]
    if decision.verdict != "tied":
        sentences += [
            _support(answer, decision),
            _share_of_pairs(answer, decision),
        ]
    rope = results[results.measures[0]].rope
    if rope:
        sentences.append(
            f"Differences of at most {setting_number_text(rope)} count as equivalent; a pair of "
            "datasets is "
            "judged by the mean of its two differences."
        )
    if method.priors:
        sentences.append(f"You chose the prior of {join_names(list(method.priors))}.")
    else:
        sentences.append(
            f"The prior weighs as much as {setting_number_text(method.strength)} of a dataset on "
            "which the two "
            "are equal."
        )
    sentences.append(
        "Sizes of differences count, so they must be comparable between datasets; where they are "
        "not, use method='dirichlet'. The test knows no kinds of datasets besides those seen."
    )
    return sentences


def _finding(results: Results, answer: Answer, decision: Decision) -> str:
    (measure,) = results.measures
    n = plural(len(results.datasets), "dataset")
    level = probability_words(decision.level)
    if decision.verdict == "tied":
        tied = [_claim(label) for label in (decision.statement, *decision.rivals)]
        return (
            f"On {n} no outcome on {measure} leads: that {' and that '.join(tied)} are equally "
            f"probable on the whole ({level} each)."
        )
    start = (
        f"On {n} the probability that {_claim(decision.statement)} on "
        f"{measure}, on the whole, is "
        f"{level} ({exactness_phrase(answer, decision.statement)})"
    )
    return f"{start}{certainty_words(decision)}."


def _support(answer: Answer, decision: Decision) -> str:
    own = float(answer.counts[answer.labels.index(decision.statement)])
    total = float(answer.counts.sum())
    return f"Of the datasets seen, {count(own)} of {count(total)} support it."


def _share_of_pairs(answer: Answer, decision: Decision) -> str:
    mean, low, high = (
        percent(answer.column_at(column, decision.statement))
        for column in (THETA_MEAN, THETA_LOWER, THETA_UPPER)
    )
    return (
        "For two datasets taken at random, the mean of the two differences supports it in "
        f"{mean} of all pairs (95 % interval {low} to {high})."
    )


def _claim(statement: str) -> str:
    (state,) = Statement.parse(statement).states
    if state.relation == "=":
        return f"{' and '.join(state.names)} are practically equivalent"
    return state.words()


def _methods_text(method: SignedRank, answer: Answer | None) -> str:
    """Describe the test for a methods section."""
    if method.needs_mcmc:
        how = f"weights of the datasets{text_on_sampling(method)}"
    elif answer is not None and answer.exact:
        how = f"the posterior computed exactly{_prior(method)}"
    else:
        prior = _prior(method)
        how = f"from {plural(method.draws, 'draw')} of the datasets' weights{prior}"
    return (
        f"by the Bayesian signed-rank test ({{aside}}), {how}. Reported is the posterior "
        "probability that each outcome holds for the largest share of pairs of datasets."
    )


def _prior(method: SignedRank) -> str:
    if method.priors:
        return text_on_sampling(method)
    return f", with a prior of strength {setting_number_text(method.strength)} at a tie"
