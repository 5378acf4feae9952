"""The critical-difference diagram shows ranks, and joins what the decision leaves open."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from scipy.stats import rankdata

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots.critical import critical_pen, joined_ranks
from bayescompare.plots.pen import NARROW, WIDE, Pen
from bayescompare.report import page_of
from tests.cases import few_quick
from tests.plots.drawn import fresh, made, random_pairs, title


def critical(p: bc.Pairwise, **options: Any) -> Axes:
    return plots.plot_critical(p, ax=fresh(), **options)


def written(pen: Pen) -> dict[str, tuple[float, str]]:
    """Rank and letters that stand beside each name."""
    found = {}
    for kind, v in pen.items:
        if kind == "text" and v["tip"]:
            rank, _, letters = v["words"].removeprefix(v["tip"]).strip().partition(" ")
            found[v["tip"]] = float(rank), letters.strip("()").replace(", ", "")
    return found


def bars(pen: Pen, colour: str = "a") -> list[Any]:
    """Ends of the bars on x."""
    lines = [v for kind, v in pen.items if kind == "line" and v["stroke"] == colour]
    return [(v["points"][0][0], v["points"][1][0], v["sw"]) for v in lines]


def joined_by(pen: Pen) -> list[set[str]]:
    """Who is joined: read off the letters where there are any, else off the bars."""
    told = written(pen)
    letters = sorted({letter for _, within in told.values() for letter in within})
    if letters:
        return [{name for name, (_, within) in told.items() if s in within} for s in letters]
    stems = {v["points"][1]: v["points"][0][0] for kind, v in pen.items
             if kind == "line" and v["stroke"] == "gray" and len(v["points"]) == 3}  # fmt: skip
    at = sorted(stems.values())
    names = sorted(told, key=lambda name: told[name][0])
    return [
        {name for name, x in zip(names, at, strict=True) if low <= x <= high}
        for low, high, _ in bars(pen)
    ]


def exact_ranks(p: bc.Pairwise, measure: str | None = None) -> dict[str, float]:
    """1 + Σ P(opponent ahead on the measure by itself); of one question, over its statements."""
    found = dict.fromkeys(p.results.algorithms, 1.0)
    place = 0 if measure is None else p.results.measures.index(measure)
    for c in p.comparisons:
        first, second = c.results.algorithms
        alone = measure is not None and len(c.decision.parts) > 1
        chances = (c.on([measure]) if alone and measure else c).probability.to_series()
        for label, chance in chances.items():
            state = str(label) if alone else str(label).split("|")[place]
            ahead = {f"{first}>{second}": 1.0, f"{second}>{first}": 0.0}.get(state, 0.5)
            found[second] += ahead * chance
            found[first] += (1.0 - ahead) * chance
    return found


@pytest.mark.parametrize("which", ["pairs", "mixed"])
def test_ranks_are_expected_ranks(which: str, request: pytest.FixtureRequest) -> None:
    p: bc.Pairwise = request.getfixturevalue(which)
    seen = []
    for measure in p.results.measures[:2]:
        ax = critical(p, measure=measure)
        told, exact = written(critical_pen(p, measure=measure)), exact_ranks(p, measure)
        assert {name: rank for name, (rank, _) in told.items()} == pytest.approx(exact, abs=0.0051)
        assert sum(exact.values()) == pytest.approx(8 * 9 / 2)
        assert f"rank by P on {measure}" in title(ax)
        assert f"about all {len(p.results.measures)} measures" in title(ax)
        seen.append(exact)
    # The measures differ, so that each picture is its own.
    assert seen[0] != seen[1]


def test_frequentist_ranks_are_mean_ranks(tested: bc.Pairwise, uci: bc.Results) -> None:
    for j, measure in enumerate(uci.measures):
        ax = critical(tested, measure=measure)
        told = written(critical_pen(tested, measure=measure))
        means = rankdata(-uci.oriented(), axis=1).mean(axis=0)[:, j]
        for name, mean in zip(uci.algorithms, means, strict=True):
            assert told[name][0] == pytest.approx(mean, abs=0.0051)
        assert f"mean rank on {measure}" in title(ax)
        friedman = bc.compare(uci, measures=[measure], method="friedman")
        assert friedman.ranks.to_numpy() == pytest.approx(means)


def test_ranks_of_several_measures_are_not_averaged(pairs: bc.Pairwise) -> None:
    one_of = r"measure= is missing: .*one of auc, accuracy, brier, as in plot\('critical', measure="
    for draw in (pairs.plot, lambda *_, **options: plots.plot_critical(pairs, ax=options["ax"])):
        with pytest.raises(bc.BayescompareError, match=one_of):
            draw("critical", ax=fresh())
    with pytest.raises(bc.BayescompareError, match=r"measure='acc'.*accuracy"):
        pairs.plot("critical", measure="acc", ax=fresh())
    for kind in ("matrix", "dominance"):
        with pytest.raises(bc.BayescompareError, match=r"measure='auc': only the plots 'critical'"):
            pairs.plot(kind, measure="auc", ax=fresh())
    figures = next(s for s in page_of(pairs).sections if s.title == "Orders and ranks")
    shown = [picture.title for picture in figures.pictures]
    assert sum(title.startswith("Ranks on ") for title in shown) == len(pairs.results.measures)


def test_one_question_about_all_measures_has_one_rank(bootstrapped: bc.Pairwise) -> None:
    ax = critical(bootstrapped)
    assert "rank by P by dominance" in title(ax)
    told = {name: rank for name, (rank, _) in written(critical_pen(bootstrapped)).items()}
    assert told == pytest.approx(exact_ranks(bootstrapped), abs=0.0051)
    with pytest.raises(bc.BayescompareError, match="one question about all measures"):
        critical(bootstrapped, measure="auc")


def open_pairs(p: bc.Pairwise, fdr: float | None = None) -> set[frozenset[str]]:
    decided = p.decide() if fdr is None else p.decide(fdr=fdr)
    left = decided.loc[~decided["asserted"], ["first", "second"]]
    return {frozenset(pair) for pair in left.itertuples(index=False)}


def joined(found: list[set[str]]) -> set[frozenset[str]]:
    return {frozenset(q) for group in found for q in itertools.combinations(group, 2)}


@pytest.mark.parametrize("w", [WIDE, NARROW])
@pytest.mark.parametrize("seed", few_quick(range(12), 3))
@pytest.mark.parametrize("sure", [0.4, 0.7, 0.95])
def test_bars_join_exactly_the_open_pairs(seed: int, sure: float, w: float) -> None:
    p = random_pairs(6, seed, sure=sure)
    pen = critical_pen(p, w)
    found, left = joined_by(pen), open_pairs(p)
    assert joined(found) == left
    # None lies within another.
    assert not any(a < b for a, b in itertools.permutations(found, 2))
    # Thin bars have dots at their members.
    thin = [bar for bar in bars(pen) if bar[2] < 2]
    assert bool(thin) == any(kind == "dot" for kind, _ in pen.items)
    assert all(0 <= x <= w for low, high, _ in bars(pen) for x in (low, high))


SURE, OPEN = (0.999, 0.0, 0.001), (0.5, 0.0, 0.4999)


def test_a_group_that_leaves_out_one_between_has_dots_and_letters() -> None:
    p = made(["A", "B", "C"], {("A", "B"): SURE, ("A", "C"): OPEN, ("B", "C"): SURE})
    pen = critical_pen(p)
    ((_, _, wide),) = bars(pen)
    assert wide < 2
    assert sum(kind == "dot" for kind, _ in pen.items) == 2
    assert {n: letters for n, (_, letters) in written(pen).items()} == {"A": "a", "B": "", "C": "a"}


def test_found_equivalence_is_a_double_line_and_no_bar() -> None:
    said = {("A", "B"): (0.0, 0.999, 0.0), ("A", "C"): SURE, ("B", "C"): SURE}
    p = made(["A", "B", "C"], said)
    assert not bars(critical_pen(p))
    assert "1 pair found equivalent (double lines)" in title(critical(p))


def test_verdicts_without_a_winner_are_counted(bootstrapped: bc.Pairwise) -> None:
    mixed = len(bootstrapped.order(fdr=0.3).graph["mixed"])
    assert mixed
    wanted = "1 verdict names" if mixed == 1 else f"{mixed} verdicts name"
    assert f"{wanted} no winner on every measure" in title(critical(bootstrapped, fdr=0.3))


def marks(pen: Pen) -> set[tuple[int, float]]:
    """Row and place of every mark of a pair that is open."""
    lines = [v["points"] for kind, v in pen.items if kind == "line" and v["stroke"] == "ink"]
    rows = sorted({round((a[1] + b[1]) / 2, 3) for a, b in lines})
    return {(rows.index(round((a[1] + b[1]) / 2, 3)), round(a[0], 6)) for a, b in lines}


@pytest.mark.parametrize(("l", "seed", "sure"), [(60, 1, 0.9), (18, 3, 0.5)])
def test_very_many_algorithms_or_groups_have_a_row_each(l: int, seed: int, sure: float) -> None:
    p = random_pairs(l, seed, sure=sure)
    pen, exact = critical_pen(p), exact_ranks(p)
    dots = {v["tip"].split(":")[0]: v for kind, v in pen.items if kind == "dot"}
    assert list(dots) == sorted(exact, key=exact.__getitem__)
    x = [dots[name]["x"] for name in exact]
    assert np.corrcoef(x, list(exact.values()))[0, 1] == pytest.approx(1.0)
    assert len(marks(pen)) == 2 * len(open_pairs(p))
    assert "marks: pairs without a verdict" in title(critical(p))


def test_against_a_reference_ranks_are_of_two(against_glm: bc.Pairwise) -> None:
    pen, exact = critical_pen(against_glm, measure="accuracy"), exact_ranks(against_glm, "accuracy")
    dots = {
        v["tip"].split(": ")[0]: float(v["tip"].split(": ")[1]) for _, v in pen.items if "r" in v
    }
    assert dots.pop("GLM") == 1.5
    assert dots == pytest.approx({name: exact[name] for name in dots}, abs=0.0051)
    # A mark on the reference's row for each that is open, and none between two others.
    left = open_pairs(against_glm)
    assert all("GLM" in pair for pair in left)
    assert len(marks(pen)) == 2 * len(left)
    assert any("against GLM" in str(v.get("words")) for _, v in pen.items)


# Friedman's test ----------------------------------------------------------------------------------


def test_the_diagram_of_mean_ranks(uci: bc.Results) -> None:
    c = bc.compare(uci, measures=["auc"], method="friedman")
    shown = [text.get_text() for text in c.plot(ax=fresh()).texts]
    for name, rank in c.ranks.items():
        assert f"{name} {rank:.2f}" in shown
    assert f"critical difference {c.critical_difference:.2f}" in shown


@pytest.mark.parametrize("seed", few_quick(range(20), 5))
def test_bars_join_exactly_the_pairs_that_do_not_differ(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks, apart = np.sort(rng.uniform(1, 9, 9)), float(rng.uniform(0.2, 5))
    found = joined_ranks(ranks, apart)
    for i, j in itertools.combinations(range(9), 2):
        together = any(start <= i and j <= stop for start, stop in found)
        assert together == (ranks[j] - ranks[i] < apart)
