"""Table 3 and Figures 5 and 6 of Jansen et al.: eight classifiers on 16 UCI datasets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
import xarray as xr

from bayescompare._compare import compare
from bayescompare._pairwise import pairwise
from bayescompare.comparison.columns import SHARE_BELOW
from bayescompare.comparisons_gsd import GsdComparison
from bayescompare.io import load_example
from bayescompare.methods.gsd import GSD
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.numbers import percent, setting_number_text
from reproduction.declaration import Reproduction, Run
from reproduction.jansen_runs import ALPHA, rank_wins
from reproduction.outcome import Claim, Figure, Outcome
from reproduction.published import read_published

__all__ = ["REPRODUCTIONS"]

_DELTA = 1e-5
#: Cells of Table 3 are shown from here on.
_SHOWN = 0.95
_PUBLISHED_RESAMPLES = 1000

_ROUNDED = (
    "The printed results have three digits; the paper used unrounded ones, and its largest "
    "possible delta is 0.0077, ours 0.0066."
)

Pairs = frozenset[frozenset[str]]


def _pairs(*names: str) -> Pairs:
    """Read ``"GLM-EN"`` and others."""
    return frozenset(frozenset(name.split("-")) for name in names)


#: Incomparable pairs by the text of Section 6.2, at each δ of Figure 5.
_INCOMPARABLE: dict[float, Pairs] = {
    0.0: _pairs(
        *("GLM-RIDGE", "GLM-EN", "GLM-LASSO", "RIDGE-LASSO", "RIDGE-EN", "BDS-RF", "EN-LASSO")
    ),
    0.004: _pairs("GLM-RIDGE", "GLM-EN", "GLM-LASSO", "BDS-RF", "EN-LASSO"),
    0.0077: _pairs("BDS-RF", "EN-LASSO"),
}


def _reproduce_table3(run: Run) -> Outcome:
    """Share of resamples strictly below the observed statistic, for every ordered pair."""
    results = load_example("jansen-uci")
    method = GSD(delta=_DELTA, permutations=run.replications)
    p = pairwise(results, method=method, rng=run.seed, n_jobs=run.n_jobs, progress=run.progress)
    shares = {}
    for first, second in itertools.combinations(results.algorithms, 2):
        both = p[first, second].answer.per_statement[SHARE_BELOW]
        shares[first, second], shares[second, first] = (float(share) for share in both)
    table = read_published("published_jansen_table3")
    published = {(w, l): float(x) for w, l, x in table.itertuples(index=False, name=None)}
    listed = sorted(published, key=lambda pair: (pair[0], pair[1]))
    extra = [pair for pair, share in shares.items() if share >= _SHOWN and pair not in published]
    figures = [
        _share_figure(pair, shares[pair], run.replications, published.get(pair))
        for pair in [*listed, *extra]
    ]
    found = {pair for pair, share in shares.items() if share >= _SHOWN}
    missing = sorted(set(published) - found)
    notes = (
        _ROUNDED,
        "Labels are swapped within datasets (paired), which gives the published table; the paper's "
        "Steps 1 to 5 describe pooled resamples.",
        f"Of the {len(published)} cells at or above 0.95, {len(published) - len(missing)} come out "
        f"at or above it; not: {_words(missing)}. In addition: {_words(extra)}.",
    )
    claims = [*_table3_claims(found), _all_test_claim(results)]
    return Outcome(figures=figures, claims=claims, notes=notes)


def _words(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{winner} over {loser}" for winner, loser in pairs) or "none"


def _share_figure(
    pair: tuple[str, str], share: float, resamples: int, published: float | None
) -> Figure:
    def error(p: float, n: int) -> float:
        # By Laplace's rule a share of 1 has an error above 0, too.
        safe = (p * n + 1.0) / (n + 2.0)
        return math.sqrt(safe * (1.0 - safe) / n)

    return Figure(
        case=f"{pair[0]} over {pair[1]}",
        quantity="share below",
        obtained=share,
        mcse=error(share, resamples),
        published=published,
        rounding=0.0005,
        published_mcse=0.0 if published is None else error(published, _PUBLISHED_RESAMPLES),
    )


def _table3_claims(found: set[tuple[str, str]]) -> list[Claim]:
    others = {"BDS", "EN", "GBM", "GLM", "LASSO", "RF", "RIDGE"}
    over_cart = {winner for winner, loser in found if loser == "CART"}
    gbm = {loser for winner, loser in found if winner == "GBM"}
    return [
        Claim(
            "All classifiers dominate CART significantly.",
            over_cart == others,
            f"{len(over_cart)} of 7",
        ),
        Claim(
            "GBM dominates all but GLM and RF significantly.",
            gbm == {"BDS", "CART", "EN", "LASSO", "RIDGE"},
            f"over {', '.join(sorted(gbm))}",
        ),
    ]


def _all_test_claim(results: Results) -> Claim:
    wins = rank_wins(results.oriented(), ALPHA).all(axis=-1)
    names = results.algorithms
    found = {(names[i], names[j]) for i, j in np.argwhere(wins)}
    said = {("BDS", "CART"), ("GBM", "CART"), ("RF", "CART")}
    text = "The all-test finds BDS, GBM and RF over CART, and no other pair."
    return Claim(text, found == said, _words(sorted(found)))


# orders -------------------------------------------------------------------------------------------


def _incomparable(relation: xr.DataArray) -> Pairs:
    names = [str(name) for name in relation["algorithm"].values]
    values = relation.values
    return frozenset(
        frozenset((names[i], names[j]))
        for i, j in itertools.combinations(range(len(names)), 2)
        if not values[i, j] and not values[j, i]
    )


def _named(pairs: Pairs) -> str:
    return ", ".join(sorted(" and ".join(sorted(pair)) for pair in pairs)) or "none"


def _delta_words(delta: float) -> str:
    return f"delta={setting_number_text(delta)}"


def _gsd_order(results: Results) -> GsdComparison:
    answer = compare(results, method=GSD(delta=0.0))
    assert isinstance(answer, GsdComparison)
    return answer


def _reproduce_figure5(run: Run) -> Outcome:
    """Which pairs are incomparable at three thresholds."""
    order = _gsd_order(load_example("jansen-uci"))
    figures, claims = [], []
    for delta, said in _INCOMPARABLE.items():
        found = _incomparable(order.relation_at(delta))
        figures.append(
            Figure(
                case=_delta_words(delta),
                quantity="comparable pairs of 28",
                obtained=28.0 - len(found),
                published=28.0 - len(said),
            )
        )
        seen = "the same" if found == said else f"{_named(found)}"
        claims.append(
            Claim(f"{_delta_words(delta)}: incomparable are {_named(said)}.", found == said, seen)
        )
    front = {str(name) for name in order.front}
    claims.append(
        Claim("GBM is the clear best at delta 0.", front == {"GBM"}, f"front: {', '.join(front)}")
    )
    notes = (
        _ROUNDED,
        "Each pair is judged on its own system, and above the largest delta that this allows it "
        "keeps the order that it has there. Here "
        + " and ".join(_threshold_words(order, *pair) for pair in (("BDS", "RF"), ("EN", "LASSO")))
        + "; so near the end hardly more than one utility is left, and three digits decide.",
    )
    return Outcome(figures=figures, claims=claims, notes=notes)


def _threshold_words(order: GsdComparison, first: str, second: str) -> str:
    """From which share of a pair's largest delta on it is comparable."""
    at = min(
        float(order.thresholds.sel(algorithm=a, opponent=b))
        for a, b in ((first, second), (second, first))
    )
    most = order.delta_max
    assert isinstance(most, xr.DataArray)  # a number only for two algorithms
    share = at / float(most.sel(algorithm=first, opponent=second))
    return f"{first} and {second} become comparable at {percent(share, digits=1)} of theirs"


def _reproduce_figure6(run: Run) -> Outcome:
    """The same with all measures ordinal: classical stochastic dominance at δ = 0."""
    results = load_example("jansen-uci")
    ordinal = {
        name: Measure(results[name].direction, scale="ordinal", bounds=results[name].bounds)
        for name in results.measures
    }
    order = _gsd_order(Results(results.data, ordinal))
    figures, comparable = [], []
    for delta in (0.0, 0.03, 0.04, 0.05, 0.055, 0.06):
        found = _incomparable(order.relation_at(delta))
        comparable.append(28 - len(found))
        figures.append(
            Figure(
                case=_delta_words(delta),
                quantity="comparable pairs of 28",
                obtained=28.0 - len(found),
                published=2.0 if delta == 0.0 else None,
            )
        )
    names = list(results.algorithms)
    at_zero = {
        (names[i], names[j]) for i, j in np.argwhere(order.relation_at(0.0).values) if i != j
    }
    last = _incomparable(order.relation_at(0.06))
    claims = [
        Claim(
            "At delta 0 only BDS and GBM dominate CART.",
            at_zero == {("BDS", "CART"), ("GBM", "CART")},
            _words(sorted(at_zero)),
        ),
        Claim(
            "The higher the threshold, the more pairs are comparable.",
            comparable == sorted(comparable),
            ", ".join(map(str, comparable)),
        ),
        Claim(
            "At delta 0.06 RF and GBM remain incomparable.",
            frozenset({"RF", "GBM"}) in last,
            f"incomparable: {_named(last)}",
        ),
    ]
    return Outcome(figures=figures, claims=claims, notes=(_ROUNDED,))


REPRODUCTIONS = (
    Reproduction(
        key="jansen-2022-table3",
        what="Resample tests of dominance for all pairs of eight classifiers, delta 1e-5.",
        published="15 shares",
        function=_reproduce_table3,
        unit="resamples of each pair",
        replications=1000,
        quick=200,
        seconds=5.0,
    ),
    Reproduction(
        key="jansen-2022-figure5",
        what="The order of the eight classifiers at three thresholds delta.",
        published="incomparable pairs, in the text",
        function=_reproduce_figure5,
        seconds=2.0,
    ),
    Reproduction(
        key="jansen-2022-figure6",
        what="The same with all measures ordinal, at six thresholds.",
        published="two pairs at delta 0, and statements in words",
        function=_reproduce_figure6,
        seconds=2.0,
    ),
)
