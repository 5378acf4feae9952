"""Benavoli & de Campos (2015), de Campos & Benavoli (2016): examples, Theorem 2, ROC areas."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import xarray as xr

import bayescompare as bc
from bayescompare._typing import FloatArray
from bayescompare.kernels.classic.pvalues import glrt
from bayescompare.text.numbers import (
    error_rate_text,
    percent_setting,
    setting_number_text,
    share_number_text,
)
from reproduction.auc_cases import TESTS, AucScenario, area_under_roc, auc_cases
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

__all__ = ["REPRODUCTIONS", "glrt_under_null"]

#: Published P(max) of Example 3, by counts.
_EXAMPLE3 = {1: (0.013, 0.0005), 2: (0.051, 0.0005), 3: (0.136, 0.0005), 6: (0.80, 0.005)}
#: The papers do not say how many draws are behind them.
_EXAMPLE3_DRAWS = 10_000

LEVELS = (0.1, 0.05, 0.01)
_SHARES = (1.0, 0.9, 0.7, 0.5)
_DATASETS = (10, 30, 100, 1000, 100_000)


def _reproduce_examples(run: Run) -> Outcome:
    """Compute the examples from their tables of results, without simulation."""
    results = bc.load_example("benavoli-example1")
    bayes = bc.compare(results, method="dirichlet", algorithms=["A", "B"])
    test = bc.compare(results, method="glrt", algorithms=["A", "B"])
    counts = bayes.probability["count"].values
    pnn = bc.compare(bc.load_example("pnn"), method="dirichlet", algorithms=["State of art", "New"])
    seen = pnn.probability["count"].values
    figures = [
        Figure(case="Example 1", quantity=f"count n{k}", obtained=float(n), published=float(said))
        for k, (n, said) in enumerate(zip(counts, (1, 2, 3, 6), strict=True))
    ]
    figures += [
        Figure(
            case="Example 2",
            quantity="likelihood ratio",
            obtained=math.exp(-float(test.statistic) / 2.0),
            published=0.6,
            rounding=0.05,
        ),
        Figure(
            case="Example 2",
            quantity="p-value",
            obtained=float(test.pvalue),
            published=0.313,
            rounding=0.0005,
        ),
    ]
    for k, (n, p) in enumerate(zip(counts, bayes.probability.values, strict=True)):
        said, rounding = _EXAMPLE3[int(n)]
        figures.append(
            Figure(
                case="Example 3",
                quantity=f"P(θ{k} largest)",
                obtained=float(p),
                published=said,
                rounding=rounding,
                published_mcse=math.sqrt(said * (1.0 - said) / _EXAMPLE3_DRAWS),
            )
        )
    figures += [
        Figure(case="Table 1", quantity=f"count n{k}", obtained=float(n))
        for k, n in enumerate(seen)
    ]
    notes = (
        "Everything is exact. The papers' Example 3 is Monte Carlo, by an unknown number of draws; "
        "the verdicts assume 10,000. Their 0.136 is not the exact 0.1375 rounded.",
        "Table 1: complexity is better when lower, whatever the caption says; the counts are "
        "printed nowhere. The state of the art is the first algorithm, the new method the second.",
    )
    return Outcome(figures=figures, notes=notes)


def glrt_under_null(
    rng: np.random.Generator, size: int, *, share: float, datasets: int
) -> dict[str, FloatArray]:
    """Apply the GLRT where two of four statements are equally probable, and the others less.

    Parameters
    ----------
    share : float
        Probability of the two together.

    Returns
    -------
    dict
        ``rejected`` (size, levels): whether the null hypothesis, which is true, was rejected.
    """
    theta = np.array([share, share, 1.0 - share, 1.0 - share]) / 2.0
    top = np.sort(rng.multinomial(datasets, theta, size=size), axis=1)[:, -2:]
    pairs, place = np.unique(top, axis=0, return_inverse=True)
    p = np.array([glrt(float(a), float(b))[1] for b, a in pairs])[place.ravel()]
    return {"rejected": np.asarray(p[:, None] < np.array(LEVELS), dtype=np.float64)}


def _reproduce_theorem2(run: Run) -> Outcome:
    """Estimate the type I error by level, share of the two leaders, and number of datasets."""
    grid = {"share": list(_SHARES), "datasets": list(_DATASETS)}
    study = run.simulate(
        grid,
        block=glrt_under_null,
        block_size=10_000,
        dims={"rejected": ("level",)},
        coords={"level": list(LEVELS)},
    )
    errors = study["rejected"].mean("replication")
    figures, curves = [], []
    for level in LEVELS:
        for share in _SHARES:
            for n in _DATASETS:
                rate = float(errors.sel(level=level, share=share, datasets=n))
                error = math.sqrt(max(rate * (1 - rate), 1 / run.replications) / run.replications)
                limit = share == 1.0 and n == _DATASETS[-1]
                panel, line = _level_words(level), f"leaders {percent_setting(share)}"
                figures.append(
                    Figure(
                        case=f"{panel}, n={n}",
                        quantity=f"type I error, {line}",
                        obtained=rate,
                        mcse=error,
                        published=level if limit else None,
                        # Counts are whole numbers: the level is met to about one of their steps.
                        rounding=0.001,
                    )
                )
                band = (rate - 2 * error, rate + 2 * error)
                curves.append((panel, line, n, rate, *band))
    return Outcome(
        # The other levels are in the curves.
        figures=[f for f in figures if f.published is not None or "level 0.05" in f.case],
        claims=_theorem2_claims(figures),
        notes=(
            "Two of four statements are equally probable and share so much of the probability "
            "between them ('leaders'), so that the null hypothesis is true on its boundary.",
            "The theorem is about large n. With few datasets counts are coarse: of ten datasets "
            "that all support one of two statements, eight against two give p = 0.0496, and that "
            "or more happens with probability 0.109.",
        ),
        curves=pd.DataFrame(curves, columns=list(CURVE_COLUMNS)),
        axes=("number of datasets", "type I error"),
    )


def _level_words(level: float) -> str:
    return f"level {setting_number_text(level)}"


def _theorem2_claims(figures: list[Figure]) -> list[Claim]:
    """Whether the error is the level in the limit, and greatest where two statements have all."""
    by_level = [
        [f for f in figures if f.case.startswith(f"{_level_words(level)},")] for level in LEVELS
    ]
    last = [[f for f in own if f.case.endswith(f"n={_DATASETS[-1]}")] for own in by_level]
    excess = [
        (f.obtained - own[0].obtained) / math.hypot(f.mcse, own[0].mcse)
        for own in last
        for f in own[1:]
    ]
    at_five = by_level[LEVELS.index(0.05)]
    worst = max(at_five, key=lambda f: f.obtained)
    return [
        Claim(
            "The type I error is greatest where the two leading statements have all datasets.",
            max(excess) < AGREE,
            f"at n={_DATASETS[-1]} the largest difference of another share from it is "
            f"{max(excess):+.1f} standard errors",
        ),
        Claim(
            "The test is calibrated for large n.",
            all(own[0].verdict == "agrees" for own in last),
            f"for small n it need not be: at level 0.05 up to {error_rate_text(worst.obtained)} "
            f"({worst.case.removeprefix('level 0.05, ')})",
        ),
    ]


_NAMES = {"glrt": "GLRT", "bayes": "Bayesian test", "bayes_network": "Bayesian test + network"}

#: The papers draw this many cases of either kind.
_PUBLISHED_CASES = 1000

#: Points that a ROC curve is thinned to.
_POINTS = 41

_NOTES = (
    "Protocol as printed: θ uniform on the simplex (or measure by measure), positive where the two "
    "largest entries differ by more than 0.001, negative where they do not, and then both are "
    "their mean. The score is the probability, or 1 - p, of the leading statement.",
    "The published areas cannot be obtained from the protocol as it is printed. In the rows 'full' "
    "ours are mostly larger, in the rows 'indep' with several measures and two algorithms smaller. "
    "Something in the simulation is not in the text; what, we do not know.",
    "The network is the best of all graphs by BDeu with equivalent sample size 1, without a limit "
    "on parents. P(max) is exact but for components that are neither complete nor binary trees: "
    "those take 4,000 draws.",
)


def _auc_scenarios(algorithms: int) -> dict[str, AucScenario]:
    rows = read_published("auc")
    own = rows[rows["algorithms"] == algorithms]
    scenarios = (AucScenario(*row) for row in own.iloc[:, 1:5].itertuples(index=False))
    return {scenario.label: scenario for scenario in scenarios}


def _reproduce_auc(run: Run, algorithms: int) -> Outcome:
    """Simulate every scenario and compare the areas."""
    scenarios = _auc_scenarios(algorithms)
    grid = {"scenario": scenarios, "differ": [False, True]}
    scores = run.simulate(grid, block=auc_cases)
    rows = read_published("auc")
    own = rows[rows["algorithms"] == algorithms].reset_index(drop=True)
    figures: list[Figure] = []
    for place, label in enumerate(scenarios):
        for test in TESTS:
            positive, negative = _auc_scores_of(scores[test], label)
            area, error = area_under_roc(positive, negative)
            figures.append(
                Figure(
                    case=label,
                    quantity=_NAMES[test],
                    obtained=area,
                    mcse=error,
                    published=float(own[test].to_numpy(dtype=np.float64)[place]),
                    rounding=0.0005,
                    published_mcse=error * (run.replications / _PUBLISHED_CASES) ** 0.5,
                )
            )
    return Outcome(
        figures=figures,
        claims=[
            *_auc_claims(figures),
            *(_three_algorithms_claims(figures) if algorithms == 3 else ()),
        ],
        notes=(*_NOTES, _auc_tally(figures)),
        curves=_auc_curves(scores, list(scenarios)),
        axes=("false positives, share", "true positives, share"),
    )


def _auc_scores_of(scores: xr.DataArray, label: str) -> tuple[FloatArray, FloatArray]:
    """Return the scores of the positive and of the negative cases."""
    own = scores.sel(scenario=label)
    return own.sel(differ=True).values, own.sel(differ=False).values


def _auc_tally(figures: list[Figure]) -> str:
    near = sum(abs(f.obtained - (f.published or 0.0)) <= 0.03 for f in figures)
    return f"{near} of {len(figures)} areas are within 0.03 of the published ones."


def _auc_claims(figures: list[Figure]) -> list[Claim]:
    """Who is better than whom, as the papers say of their tables."""
    area = {(f.case, f.quantity): f for f in figures}
    cases = list(dict.fromkeys(f.case for f in figures))
    said = (
        ("GLRT", "Bayesian test", "The GLRT's area is below that of the Bayesian test."),
        ("Bayesian test", "Bayesian test + network", "The network improves the Bayesian test."),
    )
    claims = []
    for worse, better, text in said:
        right = [c for c in cases if area[c, worse].obtained < area[c, better].obtained]
        given = [
            c
            for c in cases
            if (area[c, worse].published or 0.0) < (area[c, better].published or 0.0)
        ]
        seen = f"in {len(right)} of {len(cases)} scenarios (published: {len(given)})"
        claims.append(Claim(text, len(right) == len(cases), seen))
    return claims


def _three_algorithms_claims(figures: list[Figure]) -> list[Claim]:
    """What the paper of 2016 says of its Table 2 beside that."""
    area = {(f.case, f.quantity): f for f in figures}
    cases = list(dict.fromkeys(f.case for f in figures))
    full = [case for case in cases if "full" in case]
    loses = [
        case
        for case in full
        if area[case, "Bayesian test + network"].obtained
        < max(area[case, name].obtained for name in ("GLRT", "Bayesian test"))
    ]
    least = min(figures, key=lambda f: f.obtained)
    independent = [
        area[case, "Bayesian test"].obtained
        for case in cases
        if " m=2 " in case and "indep" in case
    ]
    return [
        Claim(
            "The network loses to another test where measures depend and data are not so few.",
            bool(loses),
            f"in {len(loses)} of {len(full)} scenarios: {', '.join(loses) or 'none'}",
        ),
        Claim(
            "Some curves are barely better than a random guess.",
            least.obtained < 0.55,
            f"the least area is {share_number_text(least.obtained)} ({least.quantity}, "
            f"{least.case})",
        ),
        Claim(
            "With 200 datasets and independent measures the curves improve.",
            independent[-1] > independent[0],
            "areas of the Bayesian test with 50, 100 and 200: "
            + ", ".join(share_number_text(value) for value in independent),
        ),
    ]


def _auc_curves(scores: xr.Dataset, labels: list[str]) -> pd.DataFrame:
    """ROC curves on a grid of false positive rates."""
    share = np.linspace(0.0, 1.0, _POINTS)
    parts = []
    for label in labels:
        for test in TESTS:
            positive, negative = _auc_scores_of(scores[test], label)
            hits = _true_positives(positive, negative, share)
            parts.append(
                pd.DataFrame(
                    {"panel": label, "line": _NAMES[test], "x": share, "y": hits}
                    | {"low": np.nan, "high": np.nan}
                )
            )
    return pd.concat(parts, ignore_index=True)[list(CURVE_COLUMNS)]


def _true_positives(positive: FloatArray, negative: FloatArray, share: FloatArray) -> FloatArray:
    """Interpolate the ROC curve, on which equal scores are one straight step."""
    threshold = np.unique(np.concatenate([positive, negative]))[::-1]
    false, true = (
        np.concatenate([[0.0], 1.0 - np.searchsorted(np.sort(x), threshold) / len(x)])
        for x in (negative, positive)
    )
    return np.asarray(np.interp(share, false, true), dtype=np.float64)


def _reproduce_auc_of_two(run: Run) -> Outcome:
    return _reproduce_auc(run, 2)


def _reproduce_auc_of_three(run: Run) -> Outcome:
    return _reproduce_auc(run, 3)


REPRODUCTIONS = (
    Reproduction(
        key="benavoli-2016-examples",
        also=("benavoli-2015-examples", "benavoli-2015-table1", "benavoli-2016-table1"),
        what="Examples 1 to 3: counts, likelihood ratio, P(max); and the counts of Table 1.",
        published="10 figures",
        function=_reproduce_examples,
    ),
    Reproduction(
        key="benavoli-2016-theorem2",
        also=("benavoli-2015-theorem2",),
        what="Theorem 2: the type I error of the GLRT, for finite n.",
        published="its limit, and where it is greatest",
        function=_reproduce_theorem2,
        unit="tables in each scenario",
        replications=50_000,
        quick=4000,
        seconds=3.0,
    ),
    Reproduction(
        key="benavoli-2015-table2",
        also=("benavoli-2016-table3", "benavoli-2015-figure3", "benavoli-2015-figure4"),
        what="Areas under the ROC curve of three tests, two algorithms, 8 scenarios.",
        published="24 areas",
        function=_reproduce_auc_of_two,
        unit="cases of either kind in each scenario",
        replications=5000,
        quick=200,
        seconds=160.0,
    ),
    Reproduction(
        key="benavoli-2016-table2",
        also=("benavoli-2016-figure1", "benavoli-2016-figure2"),
        what="Areas under the ROC curve of three tests, three algorithms, 10 scenarios.",
        published="30 areas",
        function=_reproduce_auc_of_three,
        unit="cases of either kind in each scenario",
        replications=5000,
        quick=200,
        seconds=35.0,
    ),
)
