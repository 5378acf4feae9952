"""Tables 2 to 4 of Lacoste et al.: four classifiers on 22 datasets, by three tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd

from bayescompare._compare import compare
from bayescompare._typing import FloatArray
from bayescompare.io import load_example
from bayescompare.kernels.classic.wilcoxon import doubled_wilcoxon_ranks, wilcoxon_signed_rank_test
from bayescompare.kernels.context.poisson_binomial import context
from bayescompare.kernels.success import sign_success_confidence
from bayescompare.text.numbers import share_number_text
from reproduction.declaration import Reproduction, Run
from reproduction.outcome import Figure, Outcome
from reproduction.published import read_published

__all__ = ["REPRODUCTIONS"]

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
    table = read_published("published_lacoste_pairwise")
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
            counts = load_example("lacoste-svm-parzen")
            answer = compare(counts, method="poisson-binomial")
            found, slack = float(answer.probability.values[0]), 0.0
        else:
            continue
        figures.append(
            Figure(
                case=_versus(row, column),
                quantity="Pr(row better)",
                obtained=found,
                published=value,
                rounding=_PRINTED + slack,
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
    sure = sign_success_confidence(len(risks))
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
                rounding=_PRINTED + slack,
            )
        )
    notes = (
        "From the risks of Table 6, which have three digits. Where two are equal, the P of the "
        "pair says which was smaller. svm against adaBoost has no P's: its two equal risks are "
        "left out, and one more win for svm would give the published 0.92.",
    )
    return Outcome(figures=figures, notes=notes)


def _signed_rank_confidence(gap: FloatArray) -> float:
    test = wilcoxon_signed_rank_test(doubled_wilcoxon_ranks(gap, np.ones(len(gap))))
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


REPRODUCTIONS = (
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
)
