"""Jansen et al. (2022): the UCI table (Table 3, Figures 5, 6) and simulations (Figures 3, 4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import xarray as xr

import bayescompare as bc
from bayescompare._typing import FloatArray
from bayescompare.comparisons_gsd import GsdComparison
from bayescompare.kernels.gsd.permutation import Scheme
from bayescompare.outcome.columns import SHARE_BELOW
from bayescompare.text.numbers import percent, setting_number_text, share_number_text
from reproduction.jansen_runs import (
    ALPHA,
    DELTAS,
    ORDERS,
    SCHEMES,
    TESTED,
    order_scores,
    rank_wins,
    significance_scores,
)
from reproduction.outcome import (
    CURVE_COLUMNS,
    Claim,
    Figure,
    Outcome,
    Reproduction,
    Run,
    read_published,
)

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
    results = bc.load_example("jansen-uci")
    method = bc.methods.GSD(delta=_DELTA, permutations=run.replications)
    p = bc.pairwise(results, method=method, rng=run.seed, n_jobs=run.n_jobs, progress=run.progress)
    shares = {}
    for first, second in itertools.combinations(results.algorithms, 2):
        both = p[first, second].answer.per_statement[SHARE_BELOW]
        shares[first, second], shares[second, first] = (float(share) for share in both)
    table = read_published("jansen_table3")
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


def _all_test_claim(results: bc.Results) -> Claim:
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


def _gsd_order(results: bc.Results) -> GsdComparison:
    answer = bc.compare(results, method=bc.methods.GSD(delta=0.0))
    assert isinstance(answer, GsdComparison)
    return answer


def _reproduce_figure5(run: Run) -> Outcome:
    """Which pairs are incomparable at three thresholds."""
    order = _gsd_order(bc.load_example("jansen-uci"))
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
    results = bc.load_example("jansen-uci")
    ordinal = {
        name: bc.Measure(results[name].direction, scale="ordinal", bounds=results[name].bounds)
        for name in results.measures
    }
    order = _gsd_order(bc.Results(results.data, ordinal))
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


ETAS = (0.01, 0.05, 0.1)
DATASETS = (7, 10, 15, 18)

_NOTES = (
    "The figures are pictures without numbers, and the paper gives neither the noise nor the "
    "number of resamples, so only its statements in words can be checked. Noise here: standard "
    "deviation 0.05.",
)


def _simulate_runs(
    run: Run, case: Callable[..., dict[str, FloatArray]], methods: list[str]
) -> xr.Dataset:
    grid = {"eta": list(ETAS), "datasets": list(DATASETS)}
    dims = {"f": ("test",), "false": ("test",)}
    return run.simulate(grid, case=case, block_size=1, dims=dims, coords={"test": methods})


def _score_figures(scores: xr.DataArray) -> tuple[list[Figure], pd.DataFrame]:
    """Mean F-scores with their errors, and curves with their quartiles."""
    figures, curves = [], []
    for eta, n, name in itertools.product(ETAS, DATASETS, scores["test"].values):
        runs = scores.sel(eta=eta, datasets=n, test=name).values
        mean = float(runs.mean())
        panel = f"eta={setting_number_text(eta)}"
        figures.append(
            Figure(
                case=f"{panel}, s={n}",
                quantity=f"F, {name}",
                obtained=mean,
                mcse=float(_run_errors(runs)),
            )
        )
        low, high = np.quantile(runs, [0.25, 0.75])
        curves.append((panel, str(name), n, mean, low, high))
    return figures, pd.DataFrame(curves, columns=list(CURVE_COLUMNS))


def _better_claim(text: str, gains: list[xr.DataArray]) -> Claim:
    """Whether mean gains in F are nowhere negative by more than three standard errors."""
    every = np.concatenate(
        [g.transpose(..., "replication").values.reshape(-1, g.sizes["replication"]) for g in gains]
    )
    each = every.mean(axis=1)
    right = int((each >= -1e-9).sum())
    worse = int((each < -3.0 * _run_errors(every) - 1e-9).sum())
    seen = f"in {right} of {len(each)} comparisons, and worse by more than three standard errors"
    return Claim(text, worse == 0, f"{seen} in {worse}")


def _run_errors(runs: FloatArray) -> FloatArray:
    """Standard errors of means over the last axis; of one run, as wide as an F-score can be."""
    n = runs.shape[-1]
    if n == 1:
        return np.full(runs.shape[:-1], 0.5)
    return np.asarray(runs.std(axis=-1, ddof=1) / math.sqrt(n))


def _growth_claim(scores: xr.DataArray) -> Claim:
    """The F-score grows with separation and with datasets."""
    mean = scores.mean("replication")
    by_axis = {"eta": mean.mean("datasets"), "datasets": mean.mean("eta")}
    rises = np.concatenate(
        [(m.isel({axis: -1}) > m.isel({axis: 0})).values for axis, m in by_axis.items()]
    )
    text = "The F-score tends to improve with the separation and with the number of datasets."
    seen = f"{int(rises.sum())} of {len(rises)} averaged curves end higher than they begin"
    return Claim(text, bool(rises.all()), seen)


def _reproduce_figure3(run: Run) -> Outcome:
    scores = _simulate_runs(run, order_scores, ORDERS)["f"]
    figures, curves = _score_figures(scores)
    means = scores.mean(("eta", "datasets", "replication"))
    spread = float(means.max() - means.min())
    seen = ", ".join(
        f"{name} {share_number_text(float(means.sel(test=name)), digits=2)}" for name in ORDERS
    )
    text = "All methods reproduce the order about equally well."
    return Outcome(
        figures=figures,
        claims=[
            Claim(text, spread < 0.1, f"mean F over all scenarios: {seen}"),
            _growth_claim(scores),
        ],
        notes=_NOTES,
        curves=curves,
        axes=("number of datasets", "F-score"),
    )


def _scheme_claims(scores: xr.DataArray, scheme: Scheme) -> list[Claim]:
    """What the paper says of its two tests, for one kind of resamples."""
    gsd, regular, every, one = (
        scores.sel(test=name)
        for name in (*(f"{name} {scheme}" for name in DELTAS), "all-test", "one-test")
    )
    large = {"eta": list(ETAS[1:]), "datasets": [15, 18]}
    return [
        _better_claim(
            f"Both dominance tests do at least as well as the all-test ({scheme} resamples).",
            [gsd - every, regular - every],
        ),
        _better_claim(
            f"Both outperform the one-test from eta 0.05 and 15 datasets on ({scheme}).",
            [(gsd - one).sel(large), (regular - one).sel(large)],
        ),
        _better_claim(
            f"A delta of 1e-5 does at least as well as delta 0 ({scheme}).", [regular - gsd]
        ),
    ]


def _reproduce_figure4(run: Run) -> Outcome:
    table = _simulate_runs(run, significance_scores, TESTED)
    scores = table["f"]
    figures, curves = _score_figures(scores)
    claims = [_growth_claim(scores)]
    for scheme in SCHEMES:
        claims += _scheme_claims(scores, scheme)
    wrong = (table["false"].sel(test="one-test") > 0).mean("replication")
    claims.append(
        Claim(
            "The one-test exceeds the level of 0.05.",
            float(wrong.max()) > ALPHA,
            f"runs with a false dominance: up to {percent(float(wrong.max()))} in a scenario",
        )
    )
    notes = (
        *_NOTES,
        "1,000 resamples (all where there are fewer), p = (b + 1)/(N + 1), level 0.05/42. Swapping "
        "within 7 datasets has 128 outcomes, so the paired test can find nothing at that level; "
        "the paper's steps describe pooled resamples, of which there are 3,432.",
        "all-test and one-test are Demšar's mean ranks, measure by measure, with Bonferroni's "
        "correction; on the UCI table this finds the three pairs that the paper names.",
    )
    return Outcome(
        figures=figures,
        claims=claims,
        notes=notes,
        curves=curves,
        axes=("number of datasets", "F-score"),
    )


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
    Reproduction(
        key="jansen-2022-figure3",
        what="F-scores of the orders in the sample, seven simulated classifiers, 12 scenarios.",
        published="a picture and statements in words",
        function=_reproduce_figure3,
        unit="runs in each scenario",
        replications=25,
        quick=2,
        seconds=120.0,
    ),
    Reproduction(
        key="jansen-2022-figure4",
        what="F-scores of four significance tests, seven simulated classifiers, 12 scenarios.",
        published="a picture and statements in words",
        function=_reproduce_figure4,
        unit="runs in each scenario",
        replications=25,
        quick=2,
        seconds=700.0,
    ),
)
