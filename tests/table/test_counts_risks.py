"""Risks of one dataset alone: the paper's theorem, Beta posteriors and bounds."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import bayescompare as bc
from bayescompare import ErrorCounts
from tests.oracles.context import better, better_by_two_integrals, counts_of
from tests.table.made_counts import FRAME, NAMES, P, from_frame, refusal


def test_first_better_is_theorem_4_1() -> None:
    counts = counts_of([(1, 4), (0, 0), (3, 2)], n=9)
    table = bc.first_better(counts)
    assert table.columns.tolist() == ["first_wrong", "second_wrong", "probability"]
    assert table.index.tolist() == list(counts.datasets)
    for (h, g), p in zip([(1, 4), (0, 0), (3, 2)], table["probability"], strict=True):
        assert p == pytest.approx(better(h, g), abs=1e-14)
        assert p == pytest.approx(better_by_two_integrals(h, g, 9 - h - g), abs=1e-8)
    swapped = bc.first_better(counts, algorithms=("B", "A"))
    np.testing.assert_allclose(table["probability"] + swapped["probability"], 1.0)
    halved = bc.first_better(counts, a=0.5)["probability"].tolist()
    assert halved == pytest.approx([better(1, 4, 0.5), 0.5, better(3, 2, 0.5)], abs=1e-13)


def test_first_better_of_one_dataset_and_of_named_pairs(four: ErrorCounts) -> None:
    one = four.sel(datasets=["d1"])
    assert len(bc.first_better(one)) == 1
    named = bc.first_better(four, algorithms=("C", "A"))
    assert named["first_wrong"].tolist() == four.pair("C", "A")[0].tolist()
    assert "two" in refusal(lambda: bc.first_better(four, algorithms=("C",)))  # type: ignore[arg-type]
    assert "'Z'" in refusal(lambda: bc.first_better(four, algorithms=("C", "Z")))
    assert "a=0" in refusal(lambda: bc.first_better(four, a=0))
    assert "ErrorCounts" in refusal(lambda: bc.first_better(P))  # type: ignore[arg-type]


def test_risks_are_beta_posteriors_with_their_bounds() -> None:
    counts = from_frame(both_wrong="both", n="n")
    table = bc.risks(counts, delta=0.1, prior=(2.0, 3.0))
    assert table.index.names == ["dataset", "algorithm"]
    wrong = {"a": (2, 4), "b": (6, 4), "c": (2, 2)}
    for (dataset, algorithm), row in table.iterrows():
        k = wrong[dataset][NAMES.index(algorithm)]
        n = int(FRAME.set_index("dataset").loc[dataset, "n"])
        posterior = stats.beta(2 + k, 3 + n - k)
        assert (row["wrong"], row["n"]) == (k, n)
        assert row["mean"] == pytest.approx(posterior.mean())
        assert row["sd"] == pytest.approx(posterior.std())
        assert row["bound"] == pytest.approx(posterior.ppf(0.9), rel=1e-9)
        # Langford: the largest risk under which k errors or fewer are still δ-probable.
        assert stats.binom.cdf(k, n, row["langford"]) == pytest.approx(0.1, rel=1e-6)


def test_all_wrong_bounds_nothing() -> None:
    counts = counts_of([(0, 0), (0, 0)], n=5, both=5)
    assert bc.risks(counts)["langford"].tolist() == [1.0] * 4


def test_langford_by_mpmath() -> None:
    row = bc.risks(counts_of([(3, 0), (1, 1)], n=40, both=2)).loc[("d0", "A")]
    with mp.workdps(30):
        inside = mp.betainc(6, 35, 0, mp.mpf(row["langford"]), regularized=True)
    assert float(inside) == pytest.approx(0.95, abs=1e-10)


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        ({"delta": 0}, "delta=0"),
        ({"delta": 1.0}, "delta=1"),
        ({"delta": "a"}, "delta='a'"),
        ({"delta": None}, "delta=None"),
        ({"delta": float("nan")}, "delta=nan"),
        ({"prior": (1, 0)}, "prior"),
        ({"prior": (1,)}, "prior"),
        ({"prior": 1}, "prior"),
        ({"prior": ("a", 1)}, "prior"),
    ],
)
def test_bad_choices_about_risks(options: dict[str, Any], needed: str) -> None:
    counts = from_frame(both_wrong="both", n="n")
    assert needed in refusal(lambda: bc.risks(counts, **options))


def test_without_errors_of_both_risks_are_of_erring_alone() -> None:
    every, alone = (bc.risks(from_frame(n="n", **both)) for both in ({"both_wrong": "both"}, {}))
    assert (every.attrs["errors"], alone.attrs["errors"]) == ("all", "alone")
    gap = [t["wrong"].unstack("algorithm", sort=False).diff(axis=1) for t in (every, alone)]
    assert gap[0].equals(gap[1])
    example = bc.risks(bc.load_example("lacoste-svm-parzen"))
    assert example.loc[("1", "svm")][["wrong", "n"]].tolist() == [1, 1208]


def test_risks_need_sizes() -> None:
    for options in ({}, {"both_wrong": "both"}):
        said = refusal(lambda options=options: bc.risks(from_frame(**options)))  # type: ignore[misc]
        assert "both_wrong=" in said
        assert "n=" in said
