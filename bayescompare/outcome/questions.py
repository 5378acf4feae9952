"""Questions about θ: intervals of each statement's share, and of coarser events (SPEC 13).

Events are sums of θ over statements, and sums of a Dirichlet are a Dirichlet, α_E = Σ α_s. How many
statements an event has is counted in closed form, so nothing is enumerated but a partition of the
user's own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from bayescompare._checks import check_level, check_word, is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError, QuantityNotAvailableError, did_you_mean
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.numerics.intervals import (
    Betas,
    IntervalKind,
    draws_interval,
    quantile_interval,
)
from bayescompare.outcome.answer import THETA_MEAN
from bayescompare.outcome.method import Sampling
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.mixture import Mixture
from bayescompare.posterior.partition import Groups
from bayescompare.statements import BAR, DENSE, OTHER, Statements
from bayescompare.table.checks import check_selection
from bayescompare.text.numbers import whole_number_text

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison


# intervals ----------------------------------------------------------------------------------------


class Interval(NamedTuple):
    """Which interval: its mass, and whether it is equal-tailed or the shortest."""

    ci_prob: float
    ci_kind: IntervalKind


#: The interval that answers store.
STORED = Interval(0.95, "eti")


def interval_choice(ci_prob: object, ci_kind: object) -> Interval:
    """Check the two, and take from ``arviz.rcParams`` what is None, as arviz-stats does."""
    if ci_prob is None or ci_kind is None:
        # Only here: importing this package does not import ArviZ.
        from arviz_base import rcParams

        ci_prob = rcParams["stats.ci_prob"] if ci_prob is None else ci_prob
        ci_kind = rcParams["stats.ci_kind"] if ci_kind is None else ci_kind
    check_word("ci_kind", ci_kind, ("eti", "hdi"))
    if not (is_number(ci_prob) and 0.0 < float(ci_prob) < 1.0):
        raise BayescompareError(
            f"ci_prob={ci_prob!r}: give the probability inside the interval, between 0 and 1."
        )
    return Interval(float(ci_prob), cast("IntervalKind", ci_kind))


def statement_intervals(
    c: Comparison, ci_prob: float | None, ci_kind: IntervalKind | None, rng: Rng
) -> pd.DataFrame:
    """Return mean and interval of every statement's share of datasets."""
    asked = interval_choice(ci_prob, ci_kind)
    mean = c.answer.per_statement.get(THETA_MEAN)
    if mean is None:
        raise QuantityNotAvailableError(
            f"intervals: this answer of method {c.method.name!r} has no share of datasets for each "
            "statement; for the parameters of a sampled model see arviz.summary(c.tree, ci_prob=, "
            "ci_kind=)."
        )
    betas = c.posterior.shares()
    if betas is not None:
        low, high = np.array([_interval_of(each, asked) for each in betas]).T
    else:
        low, high = draws_interval(_drawn_shares(c, rng), *asked)
    # A statement that the draws lump together with others has a mean, but no interval.
    columns = {"mean": mean, "lower": low, "upper": high}
    table = pd.DataFrame(columns, index=pd.Index(c.answer.labels, name="statement"))
    table = table.iloc[np.argsort(-np.nan_to_num(np.asarray(mean)), kind="stable")]
    table.attrs.update(asked._asdict(), exact=betas is not None)
    return table


def _interval_of(betas: Betas, asked: Interval) -> tuple[float, float]:
    if not (np.isfinite(betas.first).all() and np.isfinite(betas.second).all()):
        # Among infinitely many statements one that is not observed has none of the mass.
        return (0.0, 0.0) if np.isfinite(betas.first).all() else (math.nan, math.nan)
    return quantile_interval(betas.quantile, *asked)


def _drawn_shares(c: Comparison, rng: Rng) -> FloatArray:
    """Draws of every listed statement's share of datasets, (draw, statement)."""
    tree: Any = c.answer.tree
    if tree is None:
        # A seed of its own, so that the same question has the same answer.
        tree = c.draws(5000, chains=4, rng=as_rng(rng, default=0)[0])
    drawn = tree["posterior"].to_dataset().stack(sample=("chain", "draw"))
    # Of domains, φ of the average one; of two algorithms alone, the share of the first.
    over = [name for name in ("phi", "theta") if name in drawn and "statement" in drawn[name].dims]
    if not over:
        rate = drawn["r" if "r" in drawn else "q"].values
        return np.stack([rate, 1.0 - rate], axis=1)
    shares = drawn[over[0]].reindex(statement=list(c.answer.labels))
    return np.asarray(shares.transpose("sample", "statement").values, dtype=np.float64)


# events -------------------------------------------------------------------------------------------

#: What the user asks for.
EventsAsked = str | tuple[str, str] | Mapping[str, Any] | Callable[[str], Any]

BEST, UNDOMINATED, NOBODY, NEITHER = "best on every measure", "undominated", "nobody", "neither"

#: Statements up to which a partition of the user's is enumerated.
_MOST = 1_000_000
#: Draws where the sums have no closed form.
_DRAWS = 10_000


def events_of(c: Comparison, asked: EventsAsked, mass: float) -> pd.DataFrame:
    """Return P, mean, interval and majority of every event; see `Comparison.events`."""
    check_level(ci_prob=mass)
    theta = getattr(c.posterior, "theta", None)  # a test has none
    if not isinstance(theta, DirichletMixture):
        return _by_draws(c, asked, mass)
    statements = theta.evidence.statements
    if asked == UNDOMINATED:
        everybody, inside = statements.algorithms, _undominated(statements)
        each = [_undominated_number(statements)] * len(everybody)
        return _overlapping(theta, everybody, inside, each, mass)
    names, of, numbers = _partition(statements, asked)
    listed = np.bincount(of, minlength=len(names))
    left = [number - int(own) for number, own in zip(numbers, listed, strict=True)]
    try:
        sums = _summed(theta, of, left)
    except ValueError:  # a folded component, which the events do not respect
        return _by_draws(c, asked, mass)
    low, high = sums.intervals(mass)
    majority = [sums.majority(e) for e in range(len(names))]
    return _frame(names, sums.p_max()[:-1], sums.mean(), low, high, majority, exact=True)


def _frame(names: Sequence[str], *columns: Any, exact: bool) -> pd.DataFrame:
    heads = ["probability", "mean", "lower", "upper", "majority"]
    index = pd.Index(names, name="event")
    table = pd.DataFrame(dict(zip(heads, columns, strict=True)), index)
    table.attrs["exact"] = exact
    return table


# which statements an event has ------------------------------------------------------------------


def _partition(statements: Statements, asked: Any) -> tuple[list[str], IntArray, list[int]]:
    """Return names, the event of each listed statement, and how many statements each event has.

    Events without statements are left out.
    """
    l, m, size = len(statements.algorithms), len(statements.measures), statements.size
    if asked == BEST:
        leaders = np.stack([_leaders(statements, j) for j in range(m)])
        alike = (leaders == leaders[0]).all(axis=0) & (leaders[0] >= 0)
        of = np.where(alike, leaders[0], l)
        each = math.factorial(l - 1) ** m
        names, numbers = [*statements.algorithms, NOBODY], [*([each] * l), size - l * each]
    elif isinstance(asked, tuple):
        first, second = _pair(statements, asked)
        ahead = _positions(statements)
        wins = (ahead[:, :, first] < ahead[:, :, second]).all(axis=0)
        loses = (ahead[:, :, first] > ahead[:, :, second]).all(axis=0)
        of = np.where(wins, 0, np.where(loses, 1, 2))
        a, b = asked
        each = (math.factorial(l) // 2) ** m
        names, numbers = [f"{a} over {b}", f"{b} over {a}", NEITHER], [each, each, size - 2 * each]
    elif isinstance(asked, str):
        return _marginal(statements, asked)
    else:
        return _own_partition(statements, asked)
    kept = [e for e, number in enumerate(numbers) if number]
    renumbered = np.searchsorted(kept, of)
    return [names[e] for e in kept], renumbered, [numbers[e] for e in kept]


def _leaders(statements: Statements, measure: int) -> IntArray:
    """Return who leads on a measure in each listed statement; −1 where nobody does."""
    level = statements.levels[measure]
    first = np.where(level.min(axis=1) < 0, -1, level[:, 0])  # within the rope nobody leads
    return np.asarray(first[statements.table.states[:, measure]])


def _positions(statements: Statements) -> IntArray:
    """Return the place of each algorithm in each listed statement, (m, S, l); equal ones share."""
    out = []
    for level, column in zip(statements.levels, statements.table.states.T, strict=True):
        places = np.argsort(level, axis=1).astype(np.int16)
        places[level.min(axis=1) < 0] = 0
        out.append(places[column])
    return np.stack(out)


def _pair(statements: Statements, asked: tuple[Any, ...]) -> tuple[int, int]:
    names = check_selection("algorithms", asked, statements.algorithms)
    if len(names) != 2:
        raise BayescompareError(f"events: {asked!r} is no pair: name two different algorithms.")
    first, second = map(statements.algorithms.index, names)
    return first, second


def _marginal(statements: Statements, measure: str) -> tuple[list[str], IntArray, list[int]]:
    """The states of one measure; those that are not listed are one event for each."""
    if measure not in statements.measures:
        known = (BEST, UNDOMINATED, *statements.measures)
        raise BayescompareError(
            f"events={measure!r}: give {BEST!r}, {UNDOMINATED!r}, a measure, two algorithms as a "
            f"tuple, or a mapping or function of statements.{did_you_mean(measure, known)}"
        )
    j = statements.measures.index(measure)
    seen, of = np.unique(statements.table.states[:, j], return_inverse=True)
    states = statements.arities[j]
    if states > len(seen) and states > DENSE:
        raise BayescompareError(
            f"events={measure!r}: it has {whole_number_text(states)} states, and at most {DENSE} "
            "are listed: name fewer algorithms by project()."
        )
    names = [statements.name_order(order) for order in statements.levels[j]]
    return names, seen[of.ravel()], [statements.size // states] * states


def _own_partition(statements: Statements, asked: Any) -> tuple[list[str], IntArray, list[int]]:
    """Put every statement into the event that a mapping or a function gives it."""
    if not (isinstance(asked, Mapping) or callable(asked)):
        raise BayescompareError(
            f"events={show_checked_value_briefly(asked)}: give {BEST!r}, {UNDOMINATED!r}, a "
            "measure, two algorithms as a tuple, or a mapping or function of statements."
        )
    if statements.size > _MOST:
        raise BayescompareError(
            f"events: there are {whole_number_text(statements.size)} statements, and a partition "
            f"of your own is asked for each of at most {whole_number_text(_MOST)}."
        )
    every = statements.labels
    if len(every) < statements.size:
        orders = itertools.permutations(range(len(statements.algorithms)))
        names = list(map(statements.name_order, orders))
        every = tuple(map(BAR.join, itertools.product(names, repeat=len(statements.measures))))
    event_of: Callable[[str], Any] = asked
    if isinstance(asked, Mapping):
        known = set(every)
        if (unknown := next((str(a) for a in asked if a not in known), None)) is not None:
            raise BayescompareError(
                f"events: {unknown!r} is no statement.{did_you_mean(unknown, every)}"
            )
        if lacking := next((label for label in every if label not in asked), None):
            raise BayescompareError(
                f"events: this is no partition, since {lacking!r} has no event: give every "
                "statement one."
            )
        event_of = asked.__getitem__
    events = {label: str(event_of(label)) for label in every}
    place = {name: e for e, name in enumerate(dict.fromkeys(events.values()))}
    numbers = np.bincount([place[name] for name in events.values()])
    of = np.array([place[events[label]] for label in statements.labels], dtype=np.int64)
    return list(place), of, numbers.tolist()


# undominated: events that overlap ---------------------------------------------------------------


def _undominated(statements: Statements) -> BoolArray:
    """Whether nobody is above each algorithm on all measures, (l, S)."""
    places = _positions(statements)
    everybody = range(places.shape[2])
    return np.stack(
        [
            ~np.any([(places[:, :, b] < places[:, :, a]).all(axis=0) for b in everybody], axis=0)
            for a in everybody
        ]
    )


@cache
def _share_undominated(l: int, m: int) -> Fraction:
    """Return p_m(l), the share of statements in which one of l algorithms is undominated."""
    if m == 1:
        return Fraction(1, l)
    return sum((_share_undominated(i, m - 1) for i in range(1, l + 1)), Fraction(0)) / l


def _undominated_number(statements: Statements) -> int:
    l = len(statements.algorithms)
    if l == 2:  # with ropes too, one statement puts the other above on every measure
        return statements.size - 1
    return int(statements.size * _share_undominated(l, len(statements.measures)))


def _overlapping(
    theta: DirichletMixture,
    names: Sequence[str],
    inside: BoolArray,
    numbers: Sequence[int],
    mass: float,
) -> pd.DataFrame:
    """A Beta for each event: overlapping events have no P(max)."""
    rows, size = [], theta.evidence.statements.size
    for own, number in zip(inside, numbers, strict=True):
        left = [number - int(own.sum()), size - number - int((~own).sum())]
        sums = _summed(theta, np.where(own, 0, 1), left)
        low, high = sums.intervals(mass)[:, 0] if sums.weight.size == 1 else sums.interval(0, mass)
        rows.append((math.nan, sums.mean()[0], low, high, sums.majority(0)))
    return _frame(names, *zip(*rows, strict=True), exact=True)


# their distribution -----------------------------------------------------------------------------


def _summed(theta: Mixture, of: IntArray, left: Sequence[int]) -> Mixture:
    """Return the distribution of the sums of θ; `left` are the statements that are not listed."""
    number = len(left)
    unlisted = np.array([math.log(n) if n > 0 else -math.inf for n in left])
    components = []
    for component in theta.components:
        if not component.classes.is_trivial:
            components.append(component.events(Groups(of)))
            continue
        if len(component.lumps) > 1:
            raise ValueError("nobody knows in which events the statements of a lump are")
        top = float(component.log_alpha.max())
        with np.errstate(divide="ignore"):
            listed = np.bincount(of, np.exp(component.log_alpha - top), minlength=number)
            log_alpha = top + np.log(listed)
        for each, _ in component.lumps:
            log_alpha = np.logaddexp(log_alpha, each + unlisted)
        components.append(Component.listed(log_alpha))
    counts = np.stack([np.bincount(of, row, minlength=number) for row in theta.counts])
    return Mixture(
        components=tuple(components), counts=counts, weight=theta.weight, states=theta.states
    )


def _by_draws(c: Comparison, asked: EventsAsked, mass: float) -> pd.DataFrame:
    """The same of draws of θ, where sums have no closed form."""
    tree = c.answer.tree
    if tree is None and "draws" in dir(c):
        tree = c.draws(_DRAWS, chains=1, rng=0)
    posterior = {} if tree is None else tree["posterior"].to_dataset()
    if "theta" not in posterior or posterior["theta"].dims[-1] != "statement":
        raise QuantityNotAvailableError(
            f"events: an answer by {c.method.name!r} has no shares of statements to be summed; ask "
            "'dirichlet' or 'network'."
        )
    labels = [str(label) for label in posterior["statement"].values.tolist()]
    if OTHER in labels:
        raise BayescompareError(
            f"events: draws of {c.method.name!r} list at most {DENSE} statements, and there are "
            "more: ask 'dirichlet', or about fewer algorithms or measures."
        )
    theta = posterior["theta"].values.reshape(-1, len(labels))
    statements = Statements.without_data(
        c.results.algorithms, {name: c.results[name].rope for name in c.results.measures}
    )
    order = [labels.index(label) for label in statements.labels]
    if asked == UNDOMINATED:
        names, indicator = list(statements.algorithms), _undominated(statements).T * 1.0
    else:
        names, of, _ = _partition(statements, asked)
        indicator = (of[:, None] == np.arange(len(names))) * 1.0
    sums = theta[:, order] @ indicator
    leads = np.nan if asked == UNDOMINATED else sole_leader(sums).mean(axis=0)
    ends = np.quantile(sums, [(1.0 - mass) / 2.0, (1.0 + mass) / 2.0], axis=0)
    return _frame(names, leads, sums.mean(axis=0), *ends, (sums > 0.5).mean(axis=0), exact=False)


# projection -------------------------------------------------------------------------------------


def project(c: Comparison, algorithms: Sequence[str]) -> Comparison:
    """Return the same posterior of some algorithms; see `Comparison.project`."""
    names = check_selection("algorithms", algorithms, c.results.algorithms)
    if len(names) < 2:
        raise BayescompareError(f"project: {names!r}: name at least two different algorithms.")
    theta, method = getattr(c.posterior, "theta", None), cast("Any", c.method)
    if (
        not isinstance(theta, DirichletMixture)
        or len(theta.components) > 1
        or len(theta.evidence.uncounted)
        or not {"prior", "strength"} <= set(method.options())
    ):
        raise BayescompareError(
            f"project: this answer by {c.method.name!r} is no single Dirichlet over statements "
            "that were all seen; ask compare() about these algorithms."
        )
    component = theta.prior.components[0]
    alike = np.ptp(component.log_alpha) < 1e-12 and all(
        abs(each - component.log_alpha[0]) < 1e-12 for each, _ in component.lumps
    )
    if not alike:
        raise BayescompareError(
            "project: the prior weighs some statements more than others, and of a projection only "
            "an even one is known: use prior='symmetric', or events()."
        )
    # The weight of the whole prior is kept, so α of a projected statement is the sum of its own.
    results = c.results.sel(algorithms=names)
    test = replace(method, prior="symmetric", strength=component.total).for_table(results)
    from bayescompare.outcome.comparison import comparison_of

    return comparison_of(results, test, test.answer(results, Sampling(np.random.default_rng(0))))
