"""The papers' areas under the ROC curve: GLRT, Bayesian test, Bayesian test with a network."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._typing import FloatArray
from bayescompare.kernels.success import area_under_roc
from reproduction.auc_cases import TESTS, AucScenario, auc_cases
from reproduction.declaration import Reproduction, Run
from reproduction.outcome import CURVE_COLUMNS, Claim, Figure, Outcome
from reproduction.published import read_published

__all__ = ["REPRODUCTIONS"]

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
    rows = read_published("published_auc")
    own = rows[rows["algorithms"] == algorithms]
    scenarios = (AucScenario(*row) for row in own.iloc[:, 1:5].itertuples(index=False))
    return {scenario.label: scenario for scenario in scenarios}


def _reproduce_auc(run: Run, algorithms: int) -> Outcome:
    """Simulate every scenario and compare the areas."""
    scenarios = _auc_scenarios(algorithms)
    grid = {"scenario": scenarios, "differ": [False, True]}
    scores = run.simulate(grid, block=auc_cases)
    rows = read_published("published_auc")
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
        claims=_auc_claims(figures),
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
