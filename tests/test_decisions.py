"""Which pairs get a verdict: the rules of `decide` against counting wins and trying every set."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import bayescompare as bc
from tests.cases import few_quick
from tests.tables import table

#: No prior is learned, so that P of a pair follows from its own wins and losses.
OWN = bc.methods.Dirichlet(prior="symmetric")


def sure(wins: float, losses: float) -> float:
    """P(the first wins more often), with half a win and half a loss before anything is seen."""
    return float(stats.beta.sf(0.5, wins + 0.5, losses + 0.5))


def wins_of(values: np.ndarray, first: int, second: int) -> tuple[float, float]:
    """How often either is the higher one, a tie being half a win of each."""
    ties = (values[:, first] == values[:, second]).sum() / 2
    higher = (values[:, first] > values[:, second]).sum()
    return float(higher + ties), float(len(values) - higher - ties)


def by_hand(values: np.ndarray) -> dict[tuple[str, str], float]:
    """P of the more probable winner of every pair of A, B, C, … on one measure."""
    pairs = itertools.combinations(range(values.shape[1]), 2)
    wins = {("ABCDEF"[i], "ABCDEF"[j]): wins_of(values, i, j) for i, j in pairs}
    return {pair: max(sure(w, l), sure(l, w)) for pair, (w, l) in wins.items()}


def noisy(n: int, l: int, seed: int, digits: int = 6) -> np.ndarray:
    """Algorithms that get better along the alphabet, on one measure."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(n, l)) + 0.5 * np.arange(l), digits)


def pairs_of(values: np.ndarray, **options: object) -> bc.Pairwise:
    return bc.pairwise(table(values[:, :, None]), method=OWN, n_jobs=1, **options)  # type: ignore[arg-type]


def asserted(decided: pd.DataFrame) -> set[tuple[str, str]]:
    rows = decided[decided["asserted"]]
    return set(zip(rows["first"], rows["second"], strict=True))


def largest_set(p: dict[tuple[str, str], float], fdr: float, floor: float) -> int:
    """The size of the largest set with mean(1 - P) at most `fdr`, by trying all of them."""
    allowed = [1.0 - value for value in p.values() if value >= floor]
    sets = (
        chosen for k in range(len(allowed) + 1) for chosen in itertools.combinations(allowed, k)
    )
    return max(len(chosen) for chosen in sets if sum(chosen) <= fdr * len(chosen) + 1e-12)


# ------------------------------------------------------------------------------------------- level


@pytest.mark.parametrize("seed", range(4))
def test_a_level_is_reached_by_what_equals_it(seed: int) -> None:
    values = noisy(11, 4, seed)
    expected, p = by_hand(values), pairs_of(values)
    found = p.decide().set_index(["first", "second"])["probability"]
    assert found.to_dict() == pytest.approx(expected)
    assert (np.diff(found.to_numpy()) <= 0.0).all(), "the surest comes first"
    for level in found[(found > 0.5) & (found < 1.0)]:
        reached = {pair for pair, value in found.items() if value >= level}
        assert asserted(p.decide(level=level)) == reached
        over = float(np.nextafter(level, 1.0))
        assert asserted(p.decide(level=over)) == {a for a in reached if found[a] > level}


def test_a_pvalue_that_equals_the_error_rate_is_significant() -> None:
    """Five wins of five: p = 2/32 in the sign test, and one less 0.9375 is that."""
    values = np.arange(10.0).reshape(5, 2)
    p = bc.pairwise(table(values[:, :, None]), method="sign", n_jobs=1)
    assert p.decide(level=0.9375)["pvalue"].tolist() == [0.0625]
    assert p.decide(level=0.9375)["asserted"].tolist() == [True]
    assert p.decide(fdr=0.0625)["asserted"].tolist() == [True]
    assert p.decide(level=0.94)["asserted"].tolist() == [False]
    assert p.decide(fdr=0.0624)["asserted"].tolist() == [False]


@pytest.mark.parametrize("seed", range(3))
def test_holm_goes_down_the_sorted_pvalues(seed: int) -> None:
    """A pair that cannot be compared is no test, and corrects nobody."""
    values = noisy(9, 4, seed)
    values[1:, 3] = np.nan
    p = bc.pairwise(table(values[:, :, None]), method="sign", missing="drop", n_jobs=1)
    decided = p.decide().set_index(["first", "second"])
    assert decided["pvalue"].isna().sum() == 3
    assert not decided["asserted"][decided["pvalue"].isna()].any()
    assert "sided" not in p.explain(), "its p-values are not of a direction"
    raw, corrected = [], 0.0
    for first, second in itertools.combinations("ABC", 2):
        wins, losses = wins_of(values, "ABC".index(first), "ABC".index(second))
        raw.append((stats.binomtest(int(wins), int(wins + losses)).pvalue, (first, second)))
    for rank, (pvalue, pair) in enumerate(sorted(raw)):
        corrected = max(corrected, min(1.0, pvalue * (len(raw) - rank)))
        assert decided.loc[pair, "pvalue"] == pytest.approx(pvalue)
        assert decided.loc[pair, "adjusted"] == pytest.approx(corrected)
        assert decided.loc[pair, "asserted"] == (corrected <= 0.05)
    told = decided.dropna(subset="pvalue")
    expected = multipletests(told["pvalue"], method="holm")[1]
    np.testing.assert_allclose(told["adjusted"], expected, atol=1e-12)


# ----------------------------------------------------------------------------------------- the set


@pytest.mark.parametrize("floor", [0.5, 0.75, 0.9])
@pytest.mark.parametrize("fdr", few_quick([0.01, 0.1, 0.05, 0.2], 2))
def test_the_set_is_the_largest_that_is_allowed(fdr: float, floor: float) -> None:
    for seed in range(3):
        values = noisy(11, 4, seed)
        expected, decided = by_hand(values), pairs_of(values).decide(fdr=fdr, floor=floor)
        chosen = asserted(decided)
        assert len(chosen) == largest_set(expected, fdr, floor)
        assert all(expected[pair] >= floor for pair in chosen)
        # The surest are in it.
        left = [value for pair, value in expected.items() if pair not in chosen]
        assert min((expected[pair] for pair in chosen), default=1.0) >= max(left, default=0.0)
        errors = np.sort([1.0 - value for value in expected.values()])
        means = np.cumsum(errors) / np.arange(1, len(errors) + 1)
        np.testing.assert_allclose(decided["running_fdr"], means, atol=1e-12)


def test_a_set_that_just_has_the_rate_or_the_floor_is_allowed() -> None:
    p = pairs_of(noisy(11, 4, 0))
    first = p.decide(fdr=0.2, floor=0.5)
    assert first["asserted"].sum() > 2
    for k, row in first[first["asserted"] & (first["running_fdr"] > 0.0)].iterrows():
        rate, floor = float(row["running_fdr"]), float(row["probability"])
        assert p.decide(fdr=rate, floor=0.5)["asserted"].iloc[k]
        assert p.decide(fdr=0.2, floor=floor)["asserted"].iloc[k]
        assert not p.decide(fdr=0.2, floor=float(np.nextafter(floor, 1.0)))["asserted"].iloc[k]


def test_pairs_with_the_same_p_enter_one_after_the_other() -> None:
    """Six datasets on which A beats B and C beats D alike; the other pairs are even."""
    even = np.array([[3, 2, 3, 2]] * 3 + [[3, 2, 1, 0]] + [[1, 0, 3, 2]] * 2, dtype=float)
    even[:, 0] += 0.5  # no ties of A and C
    p, expected = pairs_of(even), by_hand(even)
    assert expected["A", "B"] == expected["C", "D"] == max(expected.values())
    one, both = 1.0 - expected["A", "B"], asserted(p.decide(fdr=1.0 - expected["A", "B"] + 1e-12))
    assert {("A", "B"), ("C", "D")} <= both
    assert asserted(p.decide(fdr=one - 1e-9)) == set()


def test_the_set_goes_by_the_least_favourable_values_of_missing_cells() -> None:
    """A pair with gaps may have the larger P and the smaller lowest one: it comes later."""
    values = np.zeros((8, 3))
    values[:, 0], values[:, 1] = 2.0, 1.0
    values[:2, 2] = np.nan  # C loses to A and B wherever it was seen
    values[7, 1] = 3.0  # and A loses once to B
    p = pairs_of(values, missing="bounds")
    lowest = {("A", "B"): sure(7, 1), ("A", "C"): sure(6, 2), ("B", "C"): sure(6, 2)}
    decided = p.decide(fdr=0.05)
    assert dict(
        zip(zip(decided["first"], decided["second"], strict=True), decided["lowest"], strict=True)
    ) == pytest.approx(lowest)
    assert decided["probability"].iloc[0] < decided["probability"].iloc[1]
    for fdr in (0.012, 0.03, 0.05, 0.1):
        assert len(asserted(p.decide(fdr=fdr))) == largest_set(lowest, fdr, 0.75)
    assert asserted(p.decide(level=0.93)) == {("A", "B")}


# -------------------------------------------------------------------------------------- the bounds


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"level": 0.5}, r"level=0\.5: must be a number between 0\.5 and 1"),
        ({"level": 1.0}, r"level=1\.0: must be a number between 0\.5 and 1"),
        ({"fdr": 0.0}, r"fdr=0\.0: must be a number between 0 and 1"),
        ({"fdr": 1.0}, r"fdr=1\.0: must be a number between 0 and 1"),
        ({"fdr": 0.1, "floor": 0.49}, r"floor=0\.49: must be a number from 0\.5 to below 1"),
        ({"fdr": 0.1, "floor": 1.0}, r"floor=1\.0: must be a number from 0\.5 to below 1"),
        ({"floor": 0.8}, r"floor=0\.8 applies only to fdr="),
        ({"level": 0.9, "fdr": 0.1}, r"level=0\.9 and fdr=0\.1 are two rules"),
    ],
)
def test_what_is_no_rule_is_refused(options: dict[str, float], why: str) -> None:
    p = pairs_of(noisy(6, 3, 0))
    with pytest.raises(bc.BayescompareError, match=why):
        p.decide(**options)


def test_what_is_just_a_rule_is_one() -> None:
    p = pairs_of(noisy(7, 3, 0))
    barely = float(np.nextafter(0.5, 1.0))
    assert p.decide(level=barely)["asserted"].all()
    assert p.decide(fdr=0.5, floor=0.5)["asserted"].all()
    assert not p.decide(level=float(np.nextafter(1.0, 0.0)))["asserted"].any()


def test_words_advise_no_rule_that_is_refused() -> None:
    """Twice the error rate of 0.75 is 0.5, and twice 50 % is everything: neither is a rule."""
    p = pairs_of(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]] * 3))
    assert not p.decide(level=0.75)["asserted"].all()
    assert not p.decide(fdr=0.5)["asserted"].all()
    assert not re.search(r"at least 0\.5\b", p.explain(level=0.75))
    assert not re.search(r"\b100 %", p.explain(fdr=0.5))


# ---------------------------------------------------------------------------------------- coverage


@pytest.mark.parametrize("missing", ["drop", "ignore"])
def test_one_missing_cell_is_in_the_coverage(missing: str) -> None:
    values = np.random.default_rng(0).normal(size=(4, 3, 2))
    whole = bc.pairwise(table(values), method=OWN, n_jobs=1)
    assert "coverage" not in whole.decide()
    values[1, 2, 0] = np.nan
    p = bc.pairwise(table(values), method=OWN, missing=missing, n_jobs=1)  # type: ignore[arg-type]
    coverage = p.decide().set_index(["first", "second"])["coverage"]
    assert coverage.to_dict() == {("A", "B"): 1.0, ("A", "C"): 7 / 8, ("B", "C"): 7 / 8}


def test_the_order_has_an_edge_for_each_winner_and_no_other() -> None:
    values = noisy(11, 5, 3)
    p, expected = pairs_of(values), by_hand(values)
    for level in (0.6, 0.8, 0.95):
        edges = set()
        for (first, second), value in expected.items():
            wins, losses = wins_of(values, "ABCDE".index(first), "ABCDE".index(second))
            if value >= level:
                edges.add((first, second) if wins > losses else (second, first))
        assert set(p.order(level=level).edges) == edges
