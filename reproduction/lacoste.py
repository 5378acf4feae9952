"""Lacoste, Laviolette & Marchand (2012): Tables 2 to 4, Figures 3 to 5, and the bimodal context."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr

import bayescompare as bc
from bayescompare._typing import FloatArray
from bayescompare.kernels.classic import wilcoxon
from bayescompare.kernels.context.poisson_binomial import context
from bayescompare.text.numbers import (
    share_number_text,
    standard_error_text,
)
from reproduction.auc_cases import area_under_roc
from reproduction.contexts import sign_confidence, success_study
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

__all__ = ["REPRODUCTIONS", "Context", "success_block"]

#: Half a unit of the last digit of the three tables, of Table 6's P's, and of its risks.
_PRINTED, _INPUT, _RISK = 0.005, 0.005, 0.0005

#: Ways of undoing the rounding of the risks that are tried.
_UNROUNDED = 100

#: Which columns of Table 6 have the per-dataset P of a pair.
_PAIRS = {
    ("svm", "ann"): "p_svm_ann",
    ("ann", "parzen"): "p_ann_parzen",
    ("parzen", "adaBoost"): "p_parzen_adaboost",
}


def _published_pairs(number: int) -> Iterator[tuple[str, str, float]]:
    table = read_published("lacoste_pairwise")
    own = table[table["table"].str.startswith(f"{number} ")]
    yield from own[["row", "column", "value"]].itertuples(index=False, name=None)


def _versus(row: str, column: str) -> str:
    return f"{row} against {column}"


def _reproduce_table2(run: Run) -> Outcome:
    """The Poisson binomial test from the P's of Table 6 and from the counts of Table 5."""
    risks = read_published("lacoste_table6")
    figures = []
    for row, column, value in _published_pairs(2):
        if (row, column) in _PAIRS:
            p = risks[_PAIRS[row, column]].to_numpy(dtype=np.float64)
            # The answer rises with every p, so that the ends of their rounding bound it.
            low, high = (context(np.clip(p + shift, 0.0, 1.0)) for shift in (-_INPUT, _INPUT))
            found, slack = context(p), (high - low) / 2.0
        elif (row, column) == ("svm", "parzen"):
            counts = bc.load_example("lacoste-svm-parzen")
            answer = bc.compare(counts, method="poisson-binomial")
            found, slack = float(answer.probability.values[0]), 0.0
        else:
            continue
        figures.append(
            Figure(
                case=_versus(row, column),
                quantity="Pr(row better)",
                obtained=found,
                published=value,
                rounding=_PRINTED,
                inputs=slack,
            )
        )
    notes = (
        "Exact. Three pairs come from the P's that Table 6 prints with two digits, svm against "
        "parzen from the counts of Table 5, which are printed plus 10.",
        "svm and ann against adaBoost (published 0.95 and 0.87) cannot be had: the paper prints "
        "neither their counts nor their P's.",
    )
    return Outcome(figures=figures, notes=notes)


def _risk_differences(risks: pd.DataFrame, row: str, column: str) -> FloatArray:
    """Risk of the column less that of the row: positive where the row is better.

    Equal risks, rounded as they are printed, are told apart by the P's of the pair where Table 6
    has them.
    """
    gap = (risks[column.lower()] - risks[row.lower()]).to_numpy(dtype=np.float64).round(6)
    printed, sign = _PAIRS.get((row, column)), 1.0
    if printed is None and (column, row) in _PAIRS:
        printed, sign = _PAIRS[column, row], -1.0
    if printed is not None:
        p = risks[printed].to_numpy(dtype=np.float64)
        gap = np.where(gap == 0.0, sign * np.sign(p - 0.5) * _RISK / 100.0, gap)
    return gap


def _reproduce_table3(run: Run) -> Outcome:
    """The sign test from the risks of Table 6."""
    risks = read_published("lacoste_table6")
    sure = sign_confidence(len(risks))
    figures = []
    for row, column, value in _published_pairs(3):
        gap = _risk_differences(risks, row, column)
        wins, losses, ties = (int(x.sum()) for x in (gap > 0, gap < 0, gap == 0))
        # Risks that look equal may differ either way before rounding.
        possible = [
            sure[wins + a, losses + b]
            for a, b in itertools.product(range(ties + 1), repeat=2)
            if a + b <= ties
        ]
        found = float(sure[wins, losses])
        # Where Table 6 has the pair's P's, what is equal there is equal.
        named = (row, column) in _PAIRS or (column, row) in _PAIRS
        slack = 0.0 if named else max(abs(float(x) - found) for x in possible)
        figures.append(
            Figure(
                case=_versus(row, column),
                quantity=f"1 - p ({wins} wins, {losses} losses)",
                obtained=found,
                published=value,
                rounding=_PRINTED,
                inputs=slack,
            )
        )
    notes = (
        "From the risks of Table 6, which have three digits. Where two are equal, the P of the "
        "pair says which was smaller. svm against adaBoost has no P's: its two equal risks are "
        "left out, and one more win for svm would give the published 0.92.",
    )
    return Outcome(figures=figures, notes=notes)


def _signed_rank_confidence(gap: FloatArray) -> float:
    test = wilcoxon.signed_rank_test(wilcoxon.doubled_ranks(gap, np.ones(len(gap))))
    return 1.0 - test.pvalue


def _unrounded_range(gap: FloatArray) -> tuple[float, float]:
    """Least and greatest confidence over differences that round to those printed."""
    rng = np.random.default_rng(0)
    # The difference of two rounding errors, each uniform.
    noise = rng.uniform(-_RISK, _RISK, (2, _UNROUNDED, len(gap)))
    sure = [_signed_rank_confidence(gap + error) for error in noise[0] - noise[1]]
    return min(sure), max(sure)


def _reproduce_table4(run: Run) -> Outcome:
    """The signed-rank test from the risks of Table 6, which is no target."""
    risks = read_published("lacoste_table6")
    figures, ranges = [], []
    for row, column, value in _published_pairs(4):
        gap = _risk_differences(risks, row, column)
        low, high = (share_number_text(p, digits=2) for p in _unrounded_range(gap))
        ranges.append(f"{_versus(row, column)} {low} to {high}")
        figures.append(
            Figure(
                case=_versus(row, column),
                quantity="1 - p",
                obtained=_signed_rank_confidence(gap),
                published=value,
                rounding=_PRINTED,
                target=False,
            )
        )
    notes = (
        "Not a target: the table does not follow from the paper's own text. The recursion printed "
        "in Section 6.2 starts with w_1(0) = w_1(1) = 1, so that its masses sum to 2.",
        f"Undoing the rounding of the risks at random, {_UNROUNDED} times, does not reach the "
        f"published figures either: {'; '.join(ranges)}.",
    )
    return Outcome(figures=figures, notes=notes)


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
    below = bool((gains < -AGREE * errors).any())
    # The mean over the points is sure before each point is.
    sure = gains.mean() > AGREE * np.sqrt((errors**2).sum()) / len(errors)
    holds = False if below or gains.mean() <= 0 else True if sure else None
    low, high = (f"{x:+.3f}" for x in (gains.min(), gains.max()))
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


#: Section 7: the Poisson-binomial test asserts from .85 on, the others from .90 on.
_THRESHOLDS = {"poisson-binomial": 0.85, "sign": 0.90, "wilcoxon": 0.90}


def _reproduce_thresholds(run: Run) -> Outcome:
    """Section 7: how often each test asserts the wrong algorithm at the thresholds of the paper."""
    contexts = {
        "22 contexts, n=1001, N=7": (svm_parzen_context(), 1001, 7),
        "22 contexts, n=1001, N=14": (svm_parzen_context(), 1001, 14),
        "bimodal context, n=100001, N=14": (BIMODAL, 100_001, 14),
        "one Dirichlet, n=1001, N=14": (SINGLE, 1001, 14),
    }
    figures, claims = [], []
    for place, (label, (mixture, examples, datasets)) in enumerate(contexts.items()):
        own = replace(run, key=f"{run.key}-{place + 1}", seed=run.seed + place)
        table = _simulate_contexts(own, mixture, [examples], [datasets])
        table = table.isel(examples=0, datasets=0)
        wrong = {}
        for test, threshold in _THRESHOLDS.items():
            one = table.sel(test=test)
            asserted = one["confidence"].values > threshold
            share = float((asserted & (one["correct"].values == 0)).mean())
            wrong[test] = share
            figures.append(
                Figure(
                    case=label,
                    quantity=f"wrong assertions, {test}",
                    obtained=share,
                    mcse=math.sqrt(max(share * (1.0 - share), 1.0 / run.replications))
                    / math.sqrt(run.replications),
                )
            )
        first, *others = figures[-len(_THRESHOLDS) :]
        rival = min(others, key=lambda figure: figure.obtained)
        gap, error = rival.obtained - first.obtained, math.hypot(rival.mcse, first.mcse)
        claims.append(
            Claim(
                f"{label}: the Poisson binomial test at .85 is wrong less often than the sign test "
                "and the signed-rank test at .90.",
                None if abs(gap) <= AGREE * error else gap > 0.0,
                ", ".join(f"{test} {share_number_text(p, digits=4)}" for test, p in wrong.items()),
            )
        )
    return Outcome(
        figures=figures,
        claims=claims,
        notes=(
            "The paper says this of its synthetic contexts without naming them or giving figures.",
        ),
    )


REPRODUCTIONS = (
    Reproduction(
        key="lacoste-2012-thresholds",
        what="Section 7: wrong assertions at the thresholds .85, .90 and .90.",
        published="a statement in words",
        function=_reproduce_thresholds,
        unit="simulations in each context",
        replications=100_000,
        quick=2000,
        seconds=100.0,
    ),
    Reproduction(
        key="lacoste-2012-table2",
        what="Poisson binomial test of four classifiers, pair by pair.",
        published="6 probabilities, of which 4 can be had",
        function=_reproduce_table2,
    ),
    Reproduction(
        key="lacoste-2012-table3",
        what="Sign test of the same.",
        published="6 confidences",
        function=_reproduce_table3,
    ),
    Reproduction(
        key="lacoste-2012-table4",
        what="Signed-rank test of the same. Not a target: it does not follow from the text.",
        published="5 confidences",
        function=_reproduce_table4,
    ),
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
