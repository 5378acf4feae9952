"""Sign, Wilcoxon, all-test and one-test against other packages, by hand, and turned about."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.descriptivestats import sign_test

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods.classic.hypotheses import PairDetails, Sign, Wilcoxon
from bayescompare.methods.classic.per_measure import AllTest, OneTest, PerMeasure
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.method import Method
from bayescompare.table.measure import Measure
from tests.methods.classic.cases import EVERY, RULES, SINGLE, arrays, ask, either, pair
from tests.tables import table

# ------------------------------------------------------------------------------ independent oracles


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=30).filter(any))
def test_sign_as_statsmodels_and_by_hand(differences: list[int]) -> None:
    c = ask(pair([float(d) for d in differences]), Sign)
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    n = wins + losses
    tail = Fraction(sum(math.comb(n, k) for k in range(min(wins, losses) + 1)), 2**n)
    assert c.pvalue == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-12)
    assert c.pvalue == pytest.approx(sign_test(np.array(differences, dtype=float))[1], rel=1e-12)
    assert c.statistic == wins
    assert c.summary()["count"].to_dict() == {"A>B": wins, "B>A": losses}
    assert c.answer.facts == PairDetails(wins=(wins, losses), ties=len(differences) - n)


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
@settings(max_examples=30)
def test_wilcoxon_as_scipy_permutes(differences: list[int]) -> None:
    kept = np.array([d for d in differences if d], dtype=float)
    assume(len(kept) > 1)
    c = ask(pair([float(d) for d in differences]), Wilcoxon)
    expected = stats.wilcoxon(kept, method=stats.PermutationMethod(n_resamples=np.inf))
    assert c.pvalue == pytest.approx(expected.pvalue, abs=1e-14)
    ranks = stats.rankdata(np.abs(kept))
    assert c.statistic == ranks[kept > 0].sum()
    assert c.answer.facts.rank_sums == (ranks[kept > 0].sum(), ranks[kept < 0].sum())
    assert c.answer.facts.ties == len(differences) - len(kept)
    if c.pvalue < 1:
        side = "greater" if ranks[kept > 0].sum() > ranks[kept < 0].sum() else "less"
        way = stats.PermutationMethod(n_resamples=np.inf)
        expected = stats.wilcoxon(kept, alternative=side, method=way)
        assert c.one_sided == pytest.approx(expected.pvalue, abs=1e-14)


@given(either.filter(lambda given: given[1].shape[2] == 3), st.sampled_from(["sign", "wilcoxon"]))
def test_rules_by_their_definition(case: tuple[type[PerMeasure], np.ndarray], test: str) -> None:
    rule, values = case
    results = table(values)
    single = Sign if test == "sign" else Wilcoxon
    parts = [ask(results.sel(measures=[m]), single) for m in results.measures]
    c = ask(results, rule(test=test))  # type: ignore[arg-type]
    favoured = [_favoured(part) for part in parts]
    rows = c.answer.facts.per_measure
    assert [(r.measure, r.statistic, r.pvalue, r.better) for r in rows] == [
        (m, part.statistic, part.pvalue, name)
        for m, part, name in zip(results.measures, parts, favoured, strict=True)
    ]
    # Jansen et al. 2022, Section 4.3, at two levels; the one-test's own is 0.05.
    for name, other in ("AB", "BA"):
        says = f"{name}>{other}"
        led = c.best == (says if rule is OneTest else "|".join([says] * 3))
        if rule is AllTest:
            for level in (0.05, 0.4):
                called = all(
                    part.pvalue <= level and f == name
                    for part, f in zip(parts, favoured, strict=True)
                )
                assert called == (led and c.pvalue <= level)
        else:
            significant = {
                f for part, f in zip(parts, favoured, strict=True) if part.pvalue <= 0.05
            }
            assert (significant == {name}) == (led and c.pvalue <= 0.05)


def _favoured(c: Comparison) -> str | None:
    details = c.answer.facts
    sums = details.wins if details.rank_sums is None else details.rank_sums
    return None if sums[0] == sums[1] else "A" if sums[0] > sums[1] else "B"


@given(arrays(1), st.sampled_from(RULES), st.sampled_from(["sign", "wilcoxon"]))
def test_on_one_measure_a_rule_is_its_test(
    values: np.ndarray, rule: type[PerMeasure], test: str
) -> None:
    results = table(values)
    c = ask(results, rule(test=test))  # type: ignore[arg-type]
    single = ask(results, Sign if test == "sign" else Wilcoxon)
    assert c.pvalue == single.pvalue
    if single.pvalue < 1:
        assert c.best == single.best


def test_one_test_is_silent_where_each_has_a_significant_measure() -> None:
    values = np.zeros((10, 2, 2))
    values[:, 0, 0] = values[:, 1, 1] = np.arange(1.0, 11.0)
    c = ask(table(values), OneTest)
    assert c.pvalue == 1.0
    assert "neither is called better: p = 1" in c.explain()
    # Below both p-values nothing is significant, and the smallest p-value is the answer.
    strict = ask(table(values), OneTest(alpha=0.001))
    assert strict.pvalue == 2**-9


# -------------------------------------------------------------------------------------- invariances


@given(either)
@settings(max_examples=80)
def test_relisting_changes_nothing_and_swapping_mirrors(
    case: tuple[type[Method], np.ndarray],
) -> None:
    method, values = case
    straight = ask(table(values), method)
    relisted = ask(table(values).sel(algorithms=["B", "A"]), method)
    swapped = ask(table(values[:, ::-1]), method)
    # Equal and incomparable are said in the order of the listing.
    assert _unlisted(relisted.best) == _unlisted(straight.best)
    for other in (relisted, swapped):
        assert other.pvalue == straight.pvalue
        assert other.decision.verdict == straight.decision.verdict
        assert sorted(other.answer.counts) == sorted(straight.answer.counts)
    assert 0.0 < straight.pvalue <= 1.0
    if straight.pvalue < 1 and not _balanced(straight):
        assert swapped.best == straight.best.translate(str.maketrans("AB", "BA"))


def _unlisted(label: str) -> str:
    return label.replace("B=A", "A=B").replace("B~A", "A~B")


def _balanced(c: Comparison) -> bool:
    """Whether the measures favour each equally often and equally strongly: the name decides."""
    rows = getattr(c.answer.facts, "per_measure", ())
    first, second = ([r.pvalue for r in rows if r.better == name] for name in "AB")
    return len(first) == len(second) > 0 and min(first) == min(second)


@given(either, st.randoms(use_true_random=False), st.floats(0.01, 100.0))
@settings(max_examples=40)
def test_what_must_not_matter_does_not(
    case: tuple[type[Method], np.ndarray], random: object, factor: float
) -> None:
    method, values = case
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = ask(table(values), method)
    changed = ask(table(values[order] * factor, names="XY"), method)
    assert changed.pvalue == straight.pvalue
    assert changed.statistic == straight.statistic
    assert changed.best == straight.best.translate(str.maketrans("AB", "XY"))
    flipped = {f"m{j}": "min" for j in range(values.shape[2])}
    assert ask(table(-values, measures=flipped), method).answer.tested == straight.answer.tested


def test_tied_verdict_where_nothing_leads() -> None:
    for method in SINGLE:
        c = ask(pair([1.0, -1.0, 0.0]), method)
        assert c.pvalue == 1.0
        assert c.decision.verdict == "tied"
        assert "does not show that they are equal" in c.explain()


def test_wilcoxon_may_lead_against_the_wins() -> None:
    c = ask(pair([9.0, 8.0, -1.0, -2.0, -3.0]), Wilcoxon)
    assert c.best == "A>B"
    assert c.summary()["count"].to_dict() == {"B>A": 3.0, "A>B": 2.0}
    assert "The reverse holds on more datasets" in c.explain()


# ----------------------------------------------------------------------------- ties, rope, extremes


@pytest.mark.parametrize("method", SINGLE)
def test_rope_drops_what_lies_within(method: type[Method]) -> None:
    differences = [0.05, -0.1, 0.1, 0.5, 0.7, -0.9]
    roped = ask(pair(differences, rope=0.1), method)
    kept = ask(pair([0.5, 0.7, -0.9]), method)
    assert roped.answer.facts.ties == 3
    assert (roped.pvalue, roped.statistic) == (kept.pvalue, kept.statistic)
    assert "3 datasets are ties and left out" in roped.explain()


@pytest.mark.parametrize("method", EVERY)
def test_all_tied_has_p_1(method: type[Method]) -> None:
    values = np.tile(np.arange(4.0)[:, None, None], (1, 2, 1 if method in SINGLE else 2))
    c = ask(table(values), method)
    assert c.pvalue == 1.0
    assert c.decision.verdict in ("tied", "open")
    assert "equal" in c.explain()


def test_many_datasets() -> None:
    rng = np.random.default_rng(3)
    exact = ask(pair(rng.normal(0.1, 1.0, 1000).tolist()), Wilcoxon)
    assert exact.answer.facts.exact is True
    assert "The p-value is exact" in exact.explain()
    assert not exact.posterior.approximate
    near = ask(pair(rng.normal(0.1, 1.0, 1001).tolist()), Wilcoxon)
    assert near.posterior.approximate
    assert near.answer.facts.exact is False
    assert "not exact: above 1000 differences" in near.explain()
    for method in SINGLE:
        assert 0.0 < ask(pair([1.0 + k for k in range(3000)]), method).pvalue < 1e-300


@pytest.mark.parametrize("leader", [1.0, -1.0], ids=["first", "second"])
def test_sign_knows_the_p_value_of_other_wins(leader: float) -> None:
    won, lost = 7, 3
    results = pair([leader] * won + [-leader] * lost + [0.0])
    c = ask(results, Sign)
    level = c.posterior.level_given(c.decision)
    assert level is not None
    assert level(0, 0) == pytest.approx(c.pvalue)
    for more in range(4):
        for moved in range(won + 1):
            wins, losses = won + more - moved, lost + moved
            tail = sum(math.comb(wins + losses, k) for k in range(losses + 1))
            # Where the leader is no longer ahead, its lead cannot be significant.
            exact = 2 * tail / 2 ** (wins + losses) if wins > losses else 1.0
            assert level(more, moved) == pytest.approx(min(exact, 1.0))


def test_error_counts_are_results_too() -> None:
    frame = pd.DataFrame({"task": list("abcd"), "svm": [1, 2, 0, 3], "nn": [4, 3, 0, 1]})
    counts = bc.ErrorCounts.from_frame(
        frame, dataset="task", first_wrong="svm", second_wrong="nn", algorithms=("svm", "nn")
    )
    assert ask(counts, Sign).answer.facts.wins == (2, 1)
    # Differences 3, 1, 0, -2.
    assert ask(counts, Wilcoxon).answer.facts.rank_sums == (4.0, 2.0)
    assert "The sizes of the test sets are not known here" in ask(counts, Wilcoxon).explain()


# -------------------------------------------------------------------- beside the joint statement


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_separate_tests_stand_beside_the_joint_statement(test: str) -> None:
    """A wins most datasets on both measures; on m1 its losses are larger than its wins."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 3, 2))
    values[:, 1] = values[:, 0] - 0.5
    values[8:, 1, 1] += np.array([6.0, 7.0, 8.0, 9.0])
    results = table(values)
    p = bc.pairwise(results, n_jobs=1)
    found = p.separate(test=test)
    assert found.index.names == ["first", "second", "measure"]
    assert len(found) == 6
    for first, second, measure in found.index:
        row = found.loc[(first, second, measure)]
        single = Wilcoxon if test == "wilcoxon" else Sign
        c = ask(results.sel(algorithms=[first, second], measures=[measure]), single)
        assert row["pvalue"] == c.pvalue
        if row["ahead"]:
            assert row["one_sided"] == c.pvalue / 2
        assert row["ahead"] in (c.best[0], "")
    joint = found.loc[("A", "B", "m1")]
    assert joint["joint"] == "A"
    assert joint["probability"] == float(p["A", "B"].probability.max())
    assert joint["contradicts"] == (test == "wilcoxon")
    with pytest.raises(BayescompareError, match=r"about one measure.*separate\(test='wilcoxon'\)"):
        bc.pairwise(results, method=test)
    with pytest.raises(BayescompareError, match="test='t'"):
        p.separate(test="t")


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 2, math.nan, math.inf, True, "0.05", None])
def test_bad_alpha(rule: type[PerMeasure], alpha: object) -> None:
    with pytest.raises(BayescompareError, match=r"alpha=.*between 0 and 1"):
        rule(alpha=alpha)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", RULES)
def test_bad_test(rule: type[PerMeasure]) -> None:
    with pytest.raises(BayescompareError, match=r"test='wilcoxn'.*Did you mean 'wilcoxon'"):
        rule(test="wilcoxn")  # type: ignore[arg-type]
    with pytest.raises(BayescompareError, match="test=None"):
        rule(test=None)  # type: ignore[arg-type]


def test_ordinal_measures_have_no_differences() -> None:
    values = [[[3.0], [1.0]], [[2.0], [1.0]]]
    grades = table(values, measures={"grade": Measure("max", scale="ordinal")})
    assert ask(grades, Sign).pvalue == 0.5
    for method in (Wilcoxon(), AllTest(), OneTest()):
        with pytest.raises(BayescompareError, match=r"'grade' is ordinal.*sign"):
            ask(grades, method)
    assert ask(grades, OneTest(test="sign")).pvalue == 0.5


# ------------------------------------------------------------------------ ranks among all (SPEC 14)


@pytest.mark.parametrize(
    ("rule", "options", "pairs"),
    [
        (AllTest, {}, 3),
        (OneTest, {}, 15),
        (AllTest, {"test": "ranks"}, 4),
        (OneTest, {"test": "ranks"}, 19),
        (AllTest, {"test": "ranks", "correction": "bonferroni"}, 3),
        (OneTest, {"test": "ranks", "correction": "bonferroni"}, 12),
    ],
)
def test_rules_on_mean_ranks_give_the_papers_pairs(
    rule: type[PerMeasure], options: dict[str, str], pairs: int, tmp_path: Path
) -> None:
    uci = bc.load_example("jansen-uci")
    p = bc.pairwise(uci, method=rule(**options), n_jobs=1)  # type: ignore[arg-type]
    found = p.decide()
    # They hold for all pairs at once, or are not to be corrected: no Holm.
    assert (found["adjusted"] == found["pvalue"]).all()
    assert (found["adjusted"] <= 0.05).sum() == pairs
    if rule is AllTest and pairs == 3:
        named = set(found.loc[found["adjusted"] <= 0.05, "statement"])
        assert named == {"|".join([f"{name}>CART"] * 3) for name in ("BDS", "GBM", "RF")}
    assert "(" in p[0].method.methods_text(p[0].answer)
    p[0].to_json(tmp_path / "c.json")
    again = bc.load_comparison(tmp_path / "c.json")
    assert again.explain() == p[0].explain()
    assert again.posterior.test.pvalue == p[0].pvalue  # type: ignore[attr-defined]


def test_two_algorithms_have_no_ranks_and_are_tested_alone() -> None:
    example = bc.load_example("benavoli-example1")
    usual, alone = ask(example, AllTest), ask(example, AllTest(test="wilcoxon"))
    assert usual.pvalue == alone.pvalue
    assert "Ranks among two algorithms say too little" in usual.explain()
    with pytest.raises(BayescompareError, match="only with test='ranks'"):
        AllTest(correction="bonferroni")
    with pytest.raises(BayescompareError, match="among: no ranks on accuracy and time"):
        ask(example, AllTest(among=()))
    roped = table(np.random.default_rng(0).normal(size=(6, 3, 2)), rope=0.1)
    with pytest.raises(BayescompareError, match="equivalence is not transitive"):
        bc.pairwise(roped, method="all-test", n_jobs=1)
