"""Figures 3 to 5 of Lacoste et al. and their bimodal context: areas under the ROC curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._typing import FloatArray
from bayescompare.kernels.success import area_under_roc
from bayescompare.studies.success import success_study
from bayescompare.text.numbers import (
    difference_decimals_text,
    share_number_text,
    standard_error_text,
)
from reproduction.declaration import Reproduction, Run
from reproduction.outcome import AGREE, CURVE_COLUMNS, Claim, Figure, Outcome
from reproduction.published import read_published

__all__ = ["REPRODUCTIONS", "Context", "success_block"]

TESTS = ("poisson-binomial", "sign", "wilcoxon")

#: Simulations behind a published area.
_PUBLISHED_SIMULATIONS = 100_000


@dataclass(frozen=True)
class Context:
    """A mixture of Dirichlet distributions of (only first wrong, only second wrong, rest)."""

    shapes: tuple[tuple[float, float, float], ...]
    weights: tuple[float, ...] | None = None


_EXAMPLES, _DATASETS = (1001,), (5, 9, 13, 17, 21, 25)

SINGLE = Context(((100.0, 110.0, 790.0),))
BIMODAL = Context(((100.0, 140.0, 9760.0), (1400.0, 1000.0, 7600.0)), (2.0 / 3.0, 1.0 / 3.0))


def svm_parzen_context() -> Context:
    """Table 5 as printed: the parameters of 22 equally likely Dirichlet distributions."""
    table = read_published("lacoste_table5").to_numpy(dtype=np.float64)
    return Context(tuple((float(h), float(g), float(rest)) for h, g, rest in table))


def success_block(
    rng: np.random.Generator, size: int, *, context: Context, examples: int, datasets: int
) -> dict[str, FloatArray]:
    """Simulate a context; return every test's confidence and whether it was right.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> success_block(rng, 2, context=SINGLE, examples=101, datasets=5)["correct"].shape
    (2, 3)
    """
    study = success_study(
        shapes=context.shapes,
        weights=context.weights,
        examples=examples,
        datasets=datasets,
        simulations=size,
        rng=rng,
    )
    columns = ("confidence", "correct")
    return {name: study[name].to_numpy(dtype=np.float64).reshape(size, -1) for name in columns}


def _simulate_contexts(
    run: Run, context: Context, examples: Sequence[int], datasets: Sequence[int]
) -> xr.Dataset:
    return run.simulate(
        {"examples": list(examples), "datasets": list(datasets)},
        block=success_block,
        constants={"context": context},
        dims={"confidence": ("test",), "correct": ("test",)},
        coords={"test": list(TESTS)},
    )


def _areas(table: xr.Dataset, test: str) -> tuple[float, float]:
    """Area under the curve of one test in one scenario, and its error; no answer, no point."""
    own = table.sel(test=test)
    sure, right = own["confidence"].values, own["correct"].values > 0
    return area_under_roc(sure[right & (sure > 0)], sure[~right & (sure > 0)])


def _reproduce_context_figure(
    run: Run, context: Context, examples: Sequence[int], datasets: Sequence[int], axis: str
) -> tuple[list[Figure], pd.DataFrame]:
    """Areas along one axis, ``examples`` or ``datasets``."""
    table = _simulate_contexts(run, context, examples, datasets)
    other = "datasets" if axis == "examples" else "examples"
    symbol = {"datasets": "N", "examples": "n"}[axis]
    figures, curves = [], []
    for value in table[axis].values:
        for test in TESTS:
            area, error = _areas(table.sel({axis: value}).isel({other: 0}), test)
            case = f"{symbol}={int(value)}"
            figures.append(Figure(case=case, quantity=f"AUC, {test}", obtained=area, mcse=error))
            curves.append(("", test, float(value), area, area - 2 * error, area + 2 * error))
    return figures, pd.DataFrame(curves, columns=list(CURVE_COLUMNS))


def _above_claim(figures: Sequence[Figure], text: str, worse: str) -> Claim:
    """Whether the Poisson-binomial test is above another one, nowhere below beyond doubt."""
    better = [f for f in figures if f.quantity == "AUC, poisson-binomial"]
    other = [f for f in figures if f.quantity == f"AUC, {worse}"]
    gains = np.array([a.obtained - b.obtained for a, b in zip(better, other, strict=True)])
    errors = np.array([math.hypot(a.mcse, b.mcse) for a, b in zip(better, other, strict=True)])
    if np.isnan(gains).any():
        return Claim(text, False, _no_area_words(gains))
    holds = bool((gains > -AGREE * errors).all() and gains.mean() > 0)
    low, high = (difference_decimals_text(x, digits=3) for x in (gains.min(), gains.max()))
    return Claim(
        text,
        holds,
        f"above at {(gains > 0).sum()} of {len(gains)} points, by {low} to {high} "
        f"(MCSE at most {standard_error_text(errors.max())})",
    )


def _no_area_words(gaps: FloatArray) -> str:
    """Say that a test was always right, or never, so that its curve has no area."""
    return f"no area at {np.isnan(gaps).sum()} of {len(gaps)} points: too few simulations"


_NO_NUMBERS = (
    "The figure is a picture without numbers, and where its points lie on the axis is not in the "
    "text: only what the text says of it can be checked."
)


def _reproduce_figure3(run: Run) -> Outcome:
    figures, curves = _reproduce_context_figure(run, SINGLE, _EXAMPLES, _DATASETS, "datasets")
    areas = np.array([f.obtained for f in figures]).reshape(-1, len(TESTS))
    sign, wilcoxon = (np.abs(areas[:, 0] - areas[:, k]) for k in (1, 2))
    apart = [share_number_text(gap.max()) for gap in (wilcoxon, sign)]
    seen = f"its area differs by at most {apart[0]}, that of the sign test by up to {apart[1]}"
    return Outcome(
        figures=figures,
        claims=[
            _above_claim(
                figures, "The Poisson binomial test constantly outperforms the sign test.", "sign"
            ),
            Claim(
                "The signed-rank test performs similarly to it.",
                bool((wilcoxon < sign).all()),
                _no_area_words(sign + wilcoxon) if np.isnan(sign + wilcoxon).any() else seen,
            ),
        ],
        notes=(_NO_NUMBERS,),
        curves=curves,
        axes=("number of datasets N", "area under the curve"),
    )


def _reproduce_svm_parzen(
    run: Run, examples: Sequence[int], datasets: Sequence[int], axis: str, label: str
) -> Outcome:
    context = svm_parzen_context()
    figures, curves = _reproduce_context_figure(run, context, examples, datasets, axis)
    text = "The Poisson binomial test is more appropriate than the {} test."
    return Outcome(
        figures=figures,
        claims=[
            _above_claim(figures, text.format(name), test)
            for name, test in (("sign", "sign"), ("signed-rank", "wilcoxon"))
        ],
        notes=(_NO_NUMBERS, "The Dirichlet parameters are those printed in Table 5."),
        curves=curves,
        axes=(label, "area under the curve"),
    )


def _reproduce_figure4(run: Run) -> Outcome:
    label = "number of datasets N"
    return _reproduce_svm_parzen(run, _EXAMPLES, _DATASETS, "datasets", label)


def _reproduce_figure5(run: Run) -> Outcome:
    sizes = [51, 101, 301, 1001, 3001, 10_001]
    return _reproduce_svm_parzen(run, sizes, [21], "examples", "examples of each test set n")


def _reproduce_bimodal(run: Run) -> Outcome:
    """Section 6.4: the text gives one area, and a bound for the other two."""
    table = _simulate_contexts(run, BIMODAL, [100_001], [14]).isel(examples=0, datasets=0)
    areas = {test: _areas(table, test) for test in TESTS}
    written = {test: share_number_text(area) or "none" for test, (area, _) in areas.items()}
    figures = [
        Figure(
            case="n=100001, N=14",
            quantity=f"AUC, {test}",
            obtained=area,
            mcse=error,
            published=0.334 if test == "wilcoxon" else None,
            rounding=0.0005,
            published_mcse=error * (run.replications / _PUBLISHED_SIMULATIONS) ** 0.5,
        )
        for test, (area, error) in areas.items()
    ]
    return Outcome(
        figures=figures,
        claims=[
            Claim(
                "The sign test and the Poisson binomial test have an area above 0.8.",
                min(areas["sign"][0], areas["poisson-binomial"][0]) > 0.8,
                f"{written['sign']} and {written['poisson-binomial']}",
            ),
            Claim(
                "The signed-rank test is worse than random.",
                areas["wilcoxon"][0] < 0.5,
                written["wilcoxon"],
            ),
        ],
        notes=("A test that gives no answer (confidence 0) is no point of the curve.",),
    )


REPRODUCTIONS = (
    Reproduction(
        key="lacoste-2012-figure3",
        what="AUC by number of datasets, one Dirichlet context.",
        published="a picture and statements in words",
        function=_reproduce_figure3,
        unit="simulations at each point",
        replications=10_000,
        quick=1000,
        seconds=15.0,
    ),
    Reproduction(
        key="lacoste-2012-figure4",
        what="AUC by number of datasets, 22 Dirichlet contexts of svm against parzen.",
        published="a picture and statements in words",
        function=_reproduce_figure4,
        unit="simulations at each point",
        replications=10_000,
        quick=1000,
        seconds=15.0,
    ),
    Reproduction(
        key="lacoste-2012-figure5",
        what="AUC by size of the test sets, 22 Dirichlet contexts of svm against parzen.",
        published="a picture and statements in words",
        function=_reproduce_figure5,
        unit="simulations at each point",
        replications=10_000,
        quick=1000,
        seconds=15.0,
    ),
    Reproduction(
        key="lacoste-2012-bimodal",
        what="AUC in the bimodal context of Section 6.4.",
        published="one area, bounds for two",
        function=_reproduce_bimodal,
        unit="simulations",
        replications=40_000,
        quick=2000,
        seconds=8.0,
    ),
)
