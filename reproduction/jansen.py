"""Jansen et al. (2022): the UCI table (Table 3, Figures 5, 6) and simulations (Figures 3, 4)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import bayescompare as bc
from bayescompare._typing import FloatArray
from bayescompare.comparisons import GsdComparison
from bayescompare.kernels.classic.pvalues import holm
from bayescompare.kernels.gsd.permutation import Scheme
from bayescompare.outcome.answer import SHARE_BELOW
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
    AGREE,
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
_PUBLISHED_RUNS = 25

_ROUNDED = (
    "The printed results have three digits; the paper used unrounded ones, and its largest "
    "possible delta is 0.0077, ours 0.0066."
)
_UNROUNDED = "From unrounded results, fold by fold, averaged over the folds."


def _read_results(run: Run) -> bc.Results:
    """The printed table, or the file that was given instead, averaged over its folds."""
    printed = bc.load_example("jansen-uci")
    return printed if run.table is None else _read_folds(run.table, printed).average()


def _read_folds(path: Path, printed: bc.Results) -> bc.Results:
    measures = {name: printed[name] for name in printed.measures}
    return bc.read_results(path, measures=measures, replicate="fold")


def _source(run: Run) -> str:
    return _ROUNDED if run.table is None else _UNROUNDED


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
    results = _read_results(run)
    shares = _shares_below(results, _DELTA, run)
    at_zero = {pair for pair, x in _shares_below(results, 0.0, run).items() if x >= _SHOWN}
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
    if run.table is not None:
        figures += _folds_figures(_read_folds(run.table, results), listed)
    notes = (
        _source(run),
        "Labels are swapped within datasets (paired), which gives the published table; the paper's "
        "Steps 1 to 5 describe pooled resamples.",
        f"Of the {len(published)} cells at or above 0.95, {len(published) - len(missing)} come out "
        f"at or above it; not: {_words(missing)}. In addition: {_words(extra)}.",
    )
    claims = [
        *_table3_claims(found),
        _corrected_claim(shares, run.replications),
        Claim(
            "At delta 0 only the test of GBM over BDS is significant at 0.05.",
            at_zero == {("GBM", "BDS")},
            _words(sorted(at_zero)),
        ),
        _all_test_claim(results),
    ]
    return Outcome(figures=figures, claims=claims, notes=notes)


def _shares_below(results: bc.Results, delta: float, run: Run) -> dict[tuple[str, str], float]:
    """Share of resamples below the observed statistic, of every algorithm over every other."""
    method = bc.methods.GSD(delta=delta, permutations=run.replications)
    p = bc.pairwise(results, method=method, rng=run.seed, n_jobs=run.n_jobs, progress=run.progress)
    shares = {}
    for first, second in itertools.combinations(results.algorithms, 2):
        both = p[first, second].answer.per_statement[SHARE_BELOW]
        shares[first, second], shares[second, first] = (float(share) for share in both)
    return shares


def _corrected_claim(shares: Mapping[tuple[str, str], float], resamples: int) -> Claim:
    """Which of the shares at or above 0.95 are gone after Holm's correction."""
    fall = {("BDS", "LASSO"), ("BDS", "RIDGE"), ("RF", "EN")}
    # The least p-value that so many resamples can give is 1/(N + 1).
    pvalues = np.array([(resamples * (1.0 - x) + 1.0) / (resamples + 1.0) for x in shares.values()])
    corrected = holm(pvalues)
    left = {pair for pair, p in zip(shares, corrected, strict=True) if p <= 1.0 - _SHOWN}
    return Claim(
        "After a correction BDS over LASSO, BDS over RIDGE and RF over EN are not significant.",
        not fall & left,
        f"Holm's correction over {len(shares)} tests leaves {_words(sorted(left))}",
    )


def _folds_figures(results: bc.Results, pairs: Iterable[tuple[str, str]]) -> list[Figure]:
    """What tests of the folds themselves say of the pairs of Table 3."""
    asked = {
        "P (replicated, three measures)": bc.pairwise(results, method="replicated"),
        "P (correlated-t, accuracy)": bc.pairwise(
            results, method="correlated-t", measures=["accuracy"]
        ),
    }
    return [
        Figure(
            case=f"{winner} over {loser}",
            quantity=quantity,
            obtained=float(p.matrix.sel(algorithm=winner, opponent=loser)),
        )
        for quantity, p in asked.items()
        for winner, loser in pairs
    ]


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
    level = ALPHA / math.comb(len(results.algorithms), 2)
    wins = rank_wins(results.oriented(), level).all(axis=-1)
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
    order = _gsd_order(_read_results(run))
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
    apart = (order.relation_at(0.0) != order.relation_at(_DELTA)).values.sum()
    claims.append(
        Claim(
            "The orders at delta 0 and 1e-5 coincide.",
            apart == 0,
            f"they differ in {apart} of 56 ordered pairs",
        )
    )
    notes = (
        _source(run),
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
    if math.isinf(at):
        return f"{first} and {second} stay incomparable"
    most = order.delta_max
    assert isinstance(most, xr.DataArray)  # a number only for two algorithms
    share = at / float(most.sel(algorithm=first, opponent=second))
    return f"{first} and {second} become comparable at {percent(share, digits=1)} of theirs"


def _reproduce_figure6(run: Run) -> Outcome:
    """The same with all measures ordinal: classical stochastic dominance at δ = 0."""
    results = _read_results(run)
    ordinal = {
        name: bc.Measure(results[name].direction, scale="ordinal", bounds=results[name].bounds)
        for name in results.measures
    }
    order = _gsd_order(bc.Results(results.data, ordinal))
    figures, comparable = [], []
    for delta in (0.0, 0.03, 0.04, 0.05, 0.055, 0.06, 0.07, 0.08):
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
    # Above its own largest δ a pair keeps the order it has there.
    most = {delta: _incomparable(order.relation_at(delta)) for delta in (0.07, 0.08)}
    more = [delta for delta, pairs in most.items() if pairs < last]
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
        Claim(
            "No delta orders more pairs than 0.06.",
            not more,
            "all that 0.06 orders and others are ordered at "
            + (" and ".join(map(setting_number_text, more)) or "none of 0.07 and 0.08"),
        ),
    ]
    return Outcome(figures=figures, claims=claims, notes=(_source(run),))


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
    dims = dict.fromkeys(("f", "false", "missed", "f_alone"), ("test",))
    return run.simulate(grid, case=case, block_size=1, dims=dims, coords={"test": methods})


def _score_figures(
    scores: xr.DataArray, quantity: str = "F", panel: str = ""
) -> tuple[list[Figure], pd.DataFrame]:
    """Means over the runs with their errors, and curves with their quartiles."""
    figures, curves = [], []
    for eta, n, name in itertools.product(ETAS, DATASETS, scores["test"].values):
        runs = scores.sel(eta=eta, datasets=n, test=name).values
        mean = float(runs.mean())
        case = f"eta={setting_number_text(eta)}"
        figures.append(
            Figure(
                case=f"{case}, s={n}",
                quantity=f"{quantity}, {name}",
                obtained=mean,
                mcse=float(_run_errors(runs)),
            )
        )
        low, high = np.quantile(runs, [0.25, 0.75])
        curves.append((case + panel, str(name), n, mean, low, high))
    return figures, pd.DataFrame(curves, columns=list(CURVE_COLUMNS))


def _better_claim(text: str, gains: list[xr.DataArray]) -> Claim:
    """Whether mean gains in F are nowhere negative by more than three standard errors."""
    every = np.concatenate(
        [g.transpose(..., "replication").values.reshape(-1, g.sizes["replication"]) for g in gains]
    )
    each = every.mean(axis=1)
    right = int((each >= -1e-9).sum())
    worse = int((each < -AGREE * _run_errors(every) - 1e-9).sum())
    seen = f"in {right} of {len(each)} comparisons, and worse by more than three standard errors"
    # Fewer runs than the paper's own cannot tell.
    told = worse > 0 or every.shape[1] >= _PUBLISHED_RUNS
    return Claim(text, worse == 0 if told else None, f"{seen} in {worse}")


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
    scores, alone = table["f"], table["f_alone"]
    figures, curves = _score_figures(scores)
    for name, quantity in (("false", "false positives"), ("missed", "false negatives")):
        figures += _score_figures(table[name], quantity)[0]
    more = _score_figures(alone, "F uncorrected", ", uncorrected")
    figures += more[0]
    curves = pd.concat([curves, more[1]], ignore_index=True)
    claims = [_growth_claim(scores)]
    for scheme in SCHEMES:
        claims += _scheme_claims(scores, scheme)
        dominance = [alone.sel(test=f"{name} {scheme}") for name in DELTAS]
        claims += [
            _better_claim(
                "Without a correction both dominance tests do at least as well as the one-test "
                f"({scheme}).",
                [test - alone.sel(test="one-test") for test in dominance],
            ),
            _better_claim(
                f"Without a correction both do at least as well as with one ({scheme}).",
                [
                    test - scores.sel(test=f"{name} {scheme}")
                    for name, test in zip(DELTAS, dominance, strict=True)
                ],
            ),
        ]
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
        "Figures 7 and 8 are the false positives and the false negatives of the same runs, Figure "
        "9 their F-scores where each test is made at 0.05.",
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
        takes_table=True,
    ),
    Reproduction(
        key="jansen-2022-figure5",
        what="The order of the eight classifiers at three thresholds delta.",
        published="incomparable pairs, in the text",
        function=_reproduce_figure5,
        seconds=2.0,
        takes_table=True,
    ),
    Reproduction(
        key="jansen-2022-figure6",
        what="The same with all measures ordinal, at six thresholds.",
        published="two pairs at delta 0, and statements in words",
        function=_reproduce_figure6,
        seconds=2.0,
        takes_table=True,
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
        also=("jansen-2022-figure7", "jansen-2022-figure8", "jansen-2022-figure9"),
        what="F-scores and errors of four significance tests, seven simulated classifiers, 12 "
        "scenarios, with a correction and without.",
        published="a picture and statements in words",
        function=_reproduce_figure4,
        unit="runs in each scenario",
        replications=25,
        quick=2,
        seconds=1700.0,
    ),
)
