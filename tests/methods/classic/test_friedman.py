"""Friedman's test as users see it: published example, direct formulas, words about mean ranks."""

from __future__ import annotations

import itertools
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, stats

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods.classic.friedman import Friedman
from bayescompare.outcome.comparison import Comparison
from bayescompare.table.results import Results
from bayescompare.text.numbers import pvalue_equation
from tests.cases import few_quick
from tests.tables import table

# Demšar (2006), Table 6: AUC of C4.5, with m, with cf, with both.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
VOTING = 12


def ask(results: Results, **options: float) -> Comparison:
    return bc.compare(results, method=Friedman(**options))


def one_measure(values: object, **options: object) -> Results:
    return table(np.asarray(values, dtype=float)[:, :, None], **options)  # type: ignore[arg-type]


def arrays(l: int | None = None, top: int = 4) -> st.SearchStrategy[np.ndarray]:
    sizes = st.integers(3, 5) if l is None else st.just(l)
    shape = st.tuples(st.integers(2, 7), sizes)
    made = shape.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, top).map(float)))
    return made.filter(lambda v: bool(np.ptp(v) > 0))


def fractions_of(values: np.ndarray) -> tuple[list[Fraction], Fraction | None]:
    """Rank sums and tie-corrected χ² from the definitions, in fractions; None where all tie."""
    n, l = values.shape
    rows = [
        [Fraction(1 + sum(b > a for b in row) + sum(b >= a for b in row), 2) for a in row]
        for row in values.tolist()
    ]
    sums = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
    middle = Fraction(l + 1, 2)
    within = sum(((r - middle) ** 2 for row in rows for r in row), Fraction(0))
    between = sum(((s - n * middle) ** 2 for s in sums), Fraction(0))
    return sums, (between * (l - 1) / within if within else None)


# --------------------------------------------------------------------------- published: Demšar 2006


def test_demsars_mean_ranks_and_critical_differences() -> None:
    # The paper ranks cf before both on voting, where three digits show a tie.
    auc = DEMSAR.copy()
    auc[VOTING, 2] += 1e-4
    c = ask(one_measure(auc))
    mean = c.answer.facts.ranks
    assert mean.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    assert round(c.answer.facts.critical_difference, 2) == 1.25
    assert round(ask(one_measure(auc), alpha=0.1).answer.facts.critical_difference, 2) == 1.12
    assert c.answer.facts.degrees_of_freedom == (3, 39)
    assert c.best == "D>B>C>A"
    # The paper's χ² and F know no ties; scipy's χ² does, and its F is larger.
    n, l = auc.shape
    untied = 12 * n / (l * (l + 1)) * ((mean**2).sum() - l * (l + 1) ** 2 / 4)
    assert round(untied, 2) == 9.28
    assert round((n - 1) * untied / (n * (l - 1) - untied), 2) == 3.69
    assert round(c.answer.facts.chi2, 2) == 10.23
    assert round(c.statistic, 2) == 4.19
    # At 0.1 the paper finds C4.5 worse than both variants with m.
    named = re.search(r"apart: (.*?)\.", ask(one_measure(auc), alpha=0.1).explain())
    assert named is not None
    assert named.group(1) == "B over A and D over A"


def test_as_printed_the_tie_counts_as_one() -> None:
    mean = ask(one_measure(DEMSAR)).answer.facts.ranks
    assert mean.round(3).tolist() == [3.143, 2.000, 2.929, 1.929]


# ------------------------------------------------------------------------------ independent oracles


@given(arrays())
@settings(max_examples=80)
def test_by_the_definitions_in_fractions(values: np.ndarray) -> None:
    n, l = values.shape
    c = ask(one_measure(values))
    details = c.answer.facts
    sums, chi2 = fractions_of(values)
    assert details.mean_ranks == pytest.approx([float(s / n) for s in sums], rel=1e-14)
    names = sorted(range(l), key=lambda i: sums[i])
    assert c.best == ">".join("ABCDE"[i] for i in names)
    if chi2 is None:
        assert (c.statistic, c.pvalue, details.chi2) == (0.0, 1.0, 0.0)
        return
    assert details.chi2 == pytest.approx(float(chi2), rel=1e-10, abs=1e-10)
    assert details.chi2_pvalue == pytest.approx(stats.chi2.sf(float(chi2), l - 1), abs=1e-10)
    if chi2 == n * (l - 1):
        assert (c.statistic, details.f_statistic) == (math.inf, None)
        # All datasets agree; how often they would is counted, and F's tail is not asked.
        orderings = len(set(itertools.permutations(values[0].tolist())))
        assert c.pvalue == pytest.approx(orderings ** -(n - 1.0), rel=1e-12)
        return
    f = (n - 1) * chi2 / (n * (l - 1) - chi2)
    assert c.statistic == pytest.approx(float(f), rel=1e-9, abs=1e-10)
    # The F tail is a regularised incomplete beta.
    d1, d2 = l - 1, (l - 1) * (n - 1)
    tail = stats.beta.sf(float(d1 * f / (d1 * f + d2)), d1 / 2, d2 / 2)
    assert c.pvalue == pytest.approx(tail, rel=1e-8)
    assert 0.0 < c.pvalue <= 1.0


def range_tail(q: float, l: int) -> float:
    """P(range of l standard normals > q), from its definition."""

    def below(z: float) -> float:
        return l * stats.norm.pdf(z) * (stats.norm.cdf(z) - stats.norm.cdf(z - q)) ** (l - 1)

    return 1.0 - float(integrate.quad(below, -9, 9 + q, epsabs=1e-12)[0])


@pytest.mark.parametrize("l", few_quick([3, 4, 7], 2))
def test_nemenyi_by_the_range_of_normals(l: int) -> None:
    values = np.random.default_rng(l).normal(size=(12, l)) + np.arange(l) * 0.5
    details = ask(one_measure(values), alpha=0.1).answer.facts
    mean, found = details.ranks, details.nemenyi
    error = math.sqrt(l * (l + 1) / (6 * 12))
    for a, b in itertools.combinations(mean.index, 2):
        expected = range_tail(math.sqrt(2) * abs(mean[a] - mean[b]) / error, l)
        assert found.loc[a, b] == pytest.approx(expected, abs=1e-8)
        assert found.loc[b, a] == found.loc[a, b]
        further = abs(mean[a] - mean[b]) >= details.critical_difference
        assert further == (found.loc[a, b] <= 0.1)
    assert np.isnan(np.diag(found)).all()
    assert range_tail(details.critical_difference * math.sqrt(2) / error, l) == pytest.approx(
        0.1, abs=1e-8
    )


def test_published_values_of_the_studentised_range() -> None:
    # Demšar (2006), Table 5(a): q/√2 for 3, …, 10 algorithms at 0.05.
    published = [2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for l, expected in zip(range(3, 11), published, strict=True):
        values = np.random.default_rng(l).normal(size=(6, l))
        cd = ask(one_measure(values)).answer.facts.critical_difference
        assert cd / math.sqrt(l * (l + 1) / 36) == pytest.approx(expected, abs=1e-3)


# ------------------------------------------------------------------------- ranks and their ordering


def test_count_is_of_datasets_that_show_the_ordering() -> None:
    c = ask(one_measure([[3.0, 2, 1], [3, 2, 1], [3, 1, 2], [1, 1, 0]]))
    assert c.best == "A>B>C"
    assert c.summary()["count"].tolist() == [2.0]
    assert (c.answer.n_statements, c.answer.n_observed, c.answer.states) == (6, 1, (("A>B>C",),))
    # One dataset that shows it is enough for it to be observed.
    one = ask(one_measure([[3.0, 2, 1], [3, 1, 2], [2, 3, 1]]))
    assert (one.best, one.answer.counts.tolist(), one.answer.n_observed) == ("A>B>C", [1.0], 1)
    # The order of the mean ranks need not be that of any dataset.
    none = ask(one_measure([[2.0, 3, 4, 1], [4, 1, 3, 2], [3, 4, 2, 1]]))
    assert none.best == "A>C>B>D"
    assert none.answer.counts.tolist() == [0.0]
    assert none.answer.n_observed == 0


def test_equal_mean_ranks_stay_in_listing_order() -> None:
    results = one_measure([[1.0, 2, 3], [3, 2, 1]])
    assert ask(results).best == "A>B>C"
    assert ask(results.sel(algorithms=["C", "A", "B"])).best == "C>A>B"


# -------------------------------------------------------------------------------------- invariances


@given(arrays(), st.randoms(use_true_random=False), st.floats(0.01, 100.0))
@settings(max_examples=40)
def test_what_must_not_matter_does_not(values: np.ndarray, random: object, factor: float) -> None:
    n, l = values.shape
    rows, columns = list(range(n)), list(range(l))
    random.shuffle(rows)  # type: ignore[attr-defined]
    random.shuffle(columns)  # type: ignore[attr-defined]
    straight = ask(one_measure(values))
    names = ["ABCDE"[k] for k in columns]
    changed = ask(one_measure(np.exp(values[rows][:, columns] * 0.1) * factor, names=names))
    assert changed.pvalue == pytest.approx(straight.pvalue, rel=1e-9)
    mine, theirs = straight.answer.facts, changed.answer.facts
    assert theirs.ranks.sort_index().tolist() == mine.ranks.tolist()
    order = list("ABCDE"[:l])
    np.testing.assert_array_equal(theirs.nemenyi.loc[order, order], mine.nemenyi)
    assert theirs.critical_difference == mine.critical_difference


@given(arrays())
@settings(max_examples=30)
def test_turning_the_measure_turns_the_ranks(values: np.ndarray) -> None:
    l = values.shape[1]
    up, down = ask(one_measure(values)), ask(one_measure(-values))
    assert down.pvalue == pytest.approx(up.pvalue, rel=1e-9)
    turned = [l + 1 - r for r in up.answer.facts.mean_ranks]
    assert down.answer.facts.mean_ranks == pytest.approx(turned)


# ----------------------------------------------------------------------------------------- extremes


def agreeing(n: int, row: list[float]) -> Comparison:
    return ask(one_measure(np.array(row) + np.arange(n)[:, None]))


@pytest.mark.parametrize(
    ("n", "row", "orderings"),
    [(2, [3.0, 1, 2], 6), (3, [3.0, 1, 2], 6), (4, [1.0, 1, 2, 2], 6), (40, [1.0, 2, 3, 4], 24)],
)
def test_perfect_agreement(n: int, row: list[float], orderings: int) -> None:
    c = agreeing(n, row)
    details = c.answer.facts
    assert (c.statistic, details.f_statistic) == (math.inf, None)
    assert details.chi2 == n * (len(row) - 1)
    # F's tail would be 0; exactly, datasets after the first must repeat its ranks.
    assert c.pvalue == pytest.approx(float(orderings) ** -(n - 1), rel=1e-12)
    read = json.loads(c.to_json())
    assert read["statistic"] is None
    assert "All datasets agree" in c.explain()


def test_agreement_by_enumeration() -> None:
    # Three algorithms on three datasets: χ² reaches its maximum 6 times in 6³.
    every = itertools.product(itertools.permutations((1.0, 2, 3)), repeat=3)
    chi2 = [fractions_of(np.array(rows))[1] for rows in every]
    assert Fraction(sum(x == 6 for x in chi2), len(chi2)) == Fraction(1, 36)
    assert agreeing(3, [3.0, 1, 2]).pvalue == pytest.approx(1 / 36)


def test_many_algorithms_and_a_tail_beyond_floats() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3000, 30)) + np.arange(30.0)
    c = ask(one_measure(values, names=[f"a{k}" for k in range(30)]))
    assert 0.0 < c.pvalue < 1e-300
    assert c.answer.n_statements == math.factorial(30)
    assert c.best.startswith("a29>a28>")
    json.loads(c.to_json())


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 2, math.nan, True, "0.05", None])
def test_bad_alpha(alpha: object) -> None:
    with pytest.raises(BayescompareError, match=r"alpha=.*between 0 and 1"):
        Friedman(alpha=alpha)  # type: ignore[arg-type]


def test_two_algorithms_have_tests_of_their_own() -> None:
    with pytest.raises(BayescompareError, match=r"3 or more.*'wilcoxon' or 'sign'"):
        ask(one_measure([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("rope", [0.0, 0.1])
def test_a_rope_cannot_rank(rope: float) -> None:
    with pytest.raises(BayescompareError, match=r"rope on 'm0'.*pairwise"):
        ask(one_measure([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]], rope=rope))


# -------------------------------------------------------------------------------------------- words


@given(arrays(top=40))
@settings(max_examples=60)
def test_words_say_what_the_numbers_say(values: np.ndarray) -> None:
    c = ask(one_measure(values))
    said, details = c.explain(), c.answer.facts
    assert f"({pvalue_equation(c.pvalue)})" in said
    assert ("is rejected" in said) == (c.pvalue <= 0.05)
    assert ("not evidence that it is true" in said) == (c.pvalue > 0.05)
    differ = "differ" if c.pvalue <= 0.05 else "do not differ significantly"
    assert c.headline().startswith(f"The algorithms {differ}, {pvalue_equation(c.pvalue)}; ")
    assert ">" not in c.headline().replace("p > 0.999", "")
    assert "not whether this is their order" in said
    assert "depends on which other algorithms are compared" in said
    mean, found = details.ranks, details.nemenyi
    for a, b in itertools.permutations(mean.index, 2):
        apart = mean[a] < mean[b] and found.loc[a, b] <= 0.05
        assert (f"{a} over {b}" in said) == (apart and c.pvalue <= 0.05)
    claims = said.replace("a p-value is not the probability of a hypothesis", "")
    claims = claims.replace("'dirichlet' for a probability", "")
    assert "probab" not in claims
