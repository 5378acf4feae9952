"""The critical-difference diagram shows ranks, and joins what the decision leaves open."""

from __future__ import annotations

import itertools
import string
from functools import partial
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from scipy.stats import rankdata

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSDBootstrap
from bayescompare.plots._drawing import BLUE, INK
from bayescompare.plots.critical import Bar, _draw_line
from bayescompare.report import page_of
from tests.cases import few_quick
from tests.plots.decided import made, random_pairs, written
from tests.plots.drawn import fresh, title


def bars(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if line.get_color() == BLUE]


def groups(ax: Axes, p: bc.Pairwise, measure: str | None = None) -> list[set[str]]:
    """Who is joined: read off the letters where there are any, else off where bars begin and end.

    A bar without letters covers whoever stands under it, as a reader sees it.
    """
    told = written(ax)
    letters = sorted({letter for _, within in told.values() for letter in within})
    if letters:
        return [
            {name for name, (_, within) in told.items() if letter in within} for letter in letters
        ]
    exact = exact_ranks(p, measure)
    found = []
    for bar in bars(ax):
        x = np.asarray(bar.get_xdata())
        found.append({name for name, rank in exact.items() if x.min() <= rank <= x.max()})
    return found


def exact_ranks(p: bc.Pairwise, measure: str | None = None) -> dict[str, float]:
    """1 + Σ P(opponent ahead on the measure by itself); of one question, over its statements."""
    found = dict.fromkeys(p.results.algorithms, 1.0)
    place = 0 if measure is None else p.results.measures.index(measure)
    for c in p.comparisons:
        first, second = c.results.algorithms
        if measure is not None and len(c.decision.parts) > 1:
            for label, chance in c.on([measure]).probability.to_series().items():
                who = {f"{first}>{second}": (0, 1), f"{second}>{first}": (1, 0)}
                one, other = who.get(label, (0.5, 0.5))
                found[first] += one * chance
                found[second] += other * chance
            continue
        for label in c.answer.labels:
            state = label.split("|")[place]
            chance = float(c.probability.sel(statement=label))
            if state == f"{first}>{second}":
                found[second] += chance
            elif state == f"{second}>{first}":
                found[first] += chance
            else:
                found[first] += chance / 2
                found[second] += chance / 2
    return found


@pytest.mark.parametrize("which", ["pairs", "mixed"])
def test_ranks_are_expected_ranks(which: str, request: pytest.FixtureRequest) -> None:
    p: bc.Pairwise = request.getfixturevalue(which)
    assert len(p.results.measures) > 1
    seen = []
    for measure in p.results.measures[:2]:
        ax = plots.plot_critical(p, measure=measure, ax=fresh(9, 7))
        told, exact = written(ax), exact_ranks(p, measure)
        assert set(told) == set(exact)
        for name, (rank, _) in told.items():
            assert rank == pytest.approx(exact[name], abs=0.0051)
        assert sum(exact.values()) == pytest.approx(8 * 9 / 2)
        assert f"rank by P on {measure}" in title(ax)
        assert f"about all {len(p.results.measures)} measures" in title(ax)
        seen.append(exact)
    # The measures differ, so that each picture is its own.
    assert any(one != seen[0] for one in seen[1:])


def test_frequentist_ranks_are_mean_ranks(tested: bc.Pairwise, uci: bc.Results) -> None:
    for j, measure in enumerate(uci.measures):
        ax = plots.plot_critical(tested, measure=measure, ax=fresh(9, 7))
        told, means = written(ax), rankdata(-uci.oriented(), axis=1).mean(axis=0)[:, j]
        for name, mean in zip(uci.algorithms, means, strict=True):
            assert told[name][0] == pytest.approx(mean, abs=0.0051)
        assert f"mean rank on {measure}" in title(ax)


def test_ranks_of_several_measures_are_not_averaged(pairs: bc.Pairwise) -> None:
    one_of = r"measure= is missing: .*one of auc, accuracy, brier, as in plot\('critical', measure="
    for draw in (pairs.plot, partial(plots.plot_pairwise, pairs)):
        with pytest.raises(bc.BayescompareError, match=one_of):
            draw(kind="critical", ax=fresh(9, 7))
    with pytest.raises(bc.BayescompareError, match=one_of):
        plots.plot_critical(pairs, ax=fresh(9, 7))
    with pytest.raises(bc.BayescompareError, match=r"measure='acc'.*accuracy"):
        pairs.plot("critical", measure="acc", ax=fresh(9, 7))
    for kind in ("matrix", "order", "dominance"):
        with pytest.raises(bc.BayescompareError, match=r"measure='auc': only the plot 'critical'"):
            pairs.plot(kind, measure="auc", ax=fresh(9, 7))
    told = written(pairs.plot("critical", measure="brier", ax=fresh(9, 7)))
    assert told == written(plots.plot_critical(pairs, measure="brier", ax=fresh(9, 7)))


def test_one_question_about_all_measures_has_one_rank(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSDBootstrap(resamples=60), algorithms=["GBM", "RF", "CART"], rng=1, n_jobs=1
    )
    ax = plots.plot_critical(p, ax=fresh(9, 7))
    assert "rank by P by dominance" in title(ax)
    exact = exact_ranks(p)
    for name, (rank, _) in written(ax).items():
        assert rank == pytest.approx(exact[name], abs=0.0051)
    with pytest.raises(bc.BayescompareError, match="one question about all measures"):
        plots.plot_critical(p, measure="auc", ax=fresh(9, 7))


def test_the_report_has_a_picture_of_ranks_for_each_measure(pairs: bc.Pairwise) -> None:
    figures = next(s for s in page_of(pairs).sections if s.title == "Figures")
    shown = [picture.title for picture in figures.pictures]
    for measure in pairs.results.measures:
        assert f"Ranks and groups on {measure}" in shown
    assert "Ranks and groups" not in shown


def test_ranks_on_one_measure_are_friedman_s(uci: bc.Results) -> None:
    p = bc.pairwise(uci, measures=["auc"], method="wilcoxon", n_jobs=1)
    friedman = bc.compare(uci, measures=["auc"], method="friedman")
    told = written(plots.plot_critical(p, ax=fresh(9, 7)))
    for name, rank in friedman.ranks.items():
        assert told[str(name)][0] == pytest.approx(rank, abs=0.0051)


def open_pairs(p: bc.Pairwise, fdr: float | None = None) -> set[frozenset[str]]:
    decided = p.decide() if fdr is None else p.decide(fdr=fdr)
    left = decided.loc[~decided["asserted"], ["first", "second"]]
    return {frozenset(pair) for pair in left.itertuples(index=False)}


@pytest.mark.parametrize("seed", few_quick(range(12), 3))
@pytest.mark.parametrize("sure", [0.4, 0.7, 0.95])
def test_bars_join_exactly_the_open_pairs(seed: int, sure: float) -> None:
    p = random_pairs(6, seed, sure=sure)
    ax = plots.plot_critical(p, ax=fresh(9, 7))
    joined = {frozenset(q) for g in groups(ax, p) for q in itertools.combinations(sorted(g), 2)}
    assert joined == open_pairs(p)
    # None lies within another.
    found = groups(ax, p)
    assert not any(a < b for a, b in itertools.permutations(found, 2))


@pytest.mark.parametrize("fdr", [0.01, 0.05, 0.2])
def test_bars_of_real_pairs(pairs: bc.Pairwise, fdr: float) -> None:
    ax = plots.plot_critical(pairs, measure="auc", fdr=fdr, ax=fresh(9, 7))
    found = groups(ax, pairs, "auc")
    joined = {frozenset(q) for g in found for q in itertools.combinations(g, 2)}
    assert joined == open_pairs(pairs, fdr)
    assert f"a verdict for {28 - len(joined)} of 28 pairs" in title(ax)


@pytest.mark.parametrize("seed", few_quick(range(12), 4))
def test_a_thick_bar_covers_its_members_only(seed: int) -> None:
    p = random_pairs(6, seed, sure=0.6)
    ax = plots.plot_critical(p, ax=fresh(9, 7))
    exact, left = exact_ranks(p), open_pairs(p)
    for bar in bars(ax):
        x = np.asarray(bar.get_xdata())
        if bar.get_linewidth() > 2:
            under = {name for name, rank in exact.items() if x.min() <= rank <= x.max()}
        else:
            # Dots at the members, and nowhere else.
            assert bar.get_marker() == "o"
            under = {n for n, rank in exact.items() if np.isclose(rank, x).any()}
            assert len(under) >= len(x) > 1
            if len(under) > len(x):
                continue  # equal ranks: the letters tell them apart
        assert all(frozenset(q) in left for q in itertools.combinations(under, 2))


def test_a_group_that_leaves_out_one_between_has_dots_and_letters() -> None:
    said = {
        ("A", "B"): (0.999, 0.0, 0.001),
        ("A", "C"): (0.5, 0.0, 0.4999),
        ("B", "C"): (0.999, 0, 0),
    }
    p = made(["A", "B", "C"], said)
    ax = plots.plot_critical(p, ax=fresh(9, 7))
    (bar,) = bars(ax)
    assert bar.get_marker() == "o"
    assert bar.get_linewidth() < 2
    assert len(bar.get_xdata()) == 2
    assert {n: letters for n, (_, letters) in written(ax).items()} == {"A": "a", "B": "", "C": "a"}


def test_what_stands_in_order_has_a_plain_bar_without_letters() -> None:
    said = {("A", "B"): (0.5, 0, 0.5), ("A", "C"): (0.999, 0, 0), ("B", "C"): (0.999, 0, 0)}
    ax = plots.plot_critical(made(["A", "B", "C"], said), ax=fresh(9, 7))
    (bar,) = bars(ax)
    assert bar.get_linewidth() > 2
    assert all(letters == "" for _, letters in written(ax).values())


def test_found_equivalence_is_a_double_line_and_no_bar() -> None:
    said = {("A", "B"): (0, 0.999, 0), ("A", "C"): (0.999, 0, 0), ("B", "C"): (0.999, 0, 0)}
    ax = plots.plot_critical(made(["A", "B", "C"], said), ax=fresh(9, 7))
    assert not bars(ax)
    ink, white = (
        [line for line in ax.lines if line.get_color() == c and line.get_linewidth() > 2]
        for c in (INK, "white")
    )
    assert len(ink) == len(white) == 1
    assert "1 pair found equivalent (double lines)" in title(ax)


def test_verdicts_without_a_winner_are_counted(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSDBootstrap(delta=0, resamples=60), algorithms=["BDS", "RF", "EN"], rng=1,
        n_jobs=1,
    )  # fmt: skip
    mixed = len(p.order(fdr=0.3).graph["mixed"])
    assert mixed
    ax = plots.plot_critical(p, fdr=0.3, ax=fresh(9, 7))
    wanted = "1 verdict names" if mixed == 1 else f"{mixed} verdicts name"
    assert f"{wanted} no winner on every measure" in title(ax)
    assert f"{wanted} no winner on every measure" in title(
        plots.plot_order(p, fdr=0.3, ax=fresh(9, 7))
    )


def test_the_listing_of_the_algorithms_does_not_matter(uci: bc.Results) -> None:
    one = bc.pairwise(uci, n_jobs=1)
    other = bc.pairwise(uci, algorithms=list(uci.algorithms)[::-1], n_jobs=1)
    first, second = (
        written(plots.plot_critical(p, measure="brier", ax=fresh(9, 7))) for p in (one, other)
    )
    assert first == second


def marks(ax: Axes) -> set[tuple[int, float]]:
    """Row and place of every mark of the picture with rows."""
    (found,) = (c for c in ax.collections if c.get_label() == "left open")
    return {(int(y), round(float(x), 9)) for x, y in np.asarray(found.get_offsets())}


@pytest.mark.slow
def test_very_many_have_a_row_each() -> None:
    p = random_pairs(60, 1, sure=0.9)
    ax = plots.plot_critical(p)
    exact = exact_ranks(p)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == sorted(exact, key=exact.__getitem__)
    (dots,) = (c for c in ax.collections if c.get_label() == "rank")
    np.testing.assert_allclose(np.asarray(dots.get_offsets())[:, 0], [exact[n] for n in names])
    wanted = set()
    for a, b in open_pairs(p):
        wanted |= {(names.index(a), round(exact[b], 9)), (names.index(b), round(exact[a], 9))}
    assert marks(ax) == wanted
    assert ax.figure.get_size_inches()[1] < 20


def test_more_groups_than_letters_have_rows_too() -> None:
    p = random_pairs(18, 3, sure=0.5)
    ax = plots.plot_critical(p, ax=fresh(9, 7))
    assert len(ax.get_yticklabels()) == 18
    assert "marks: pairs without a verdict" in title(ax)


def test_against_a_reference_ranks_are_of_two(uci: bc.Results) -> None:
    p = bc.pairwise(uci, reference="GLM", n_jobs=1)
    ax = plots.plot_critical(p, measure="accuracy", ax=fresh(9, 7))
    names = [label.get_text() for label in ax.get_yticklabels()]
    (dots,) = (c for c in ax.collections if c.get_label() == "rank")
    ranks = dict(zip(names, np.asarray(dots.get_offsets())[:, 0], strict=True))
    exact = exact_ranks(p, "accuracy")
    assert ranks["GLM"] == 1.5
    for name in set(names) - {"GLM"}:
        assert ranks[name] == pytest.approx(exact[name])
    # A mark on the reference's row for each that is open, and none between two others.
    left = open_pairs(p)
    assert all("GLM" in pair for pair in left)
    assert len(marks(ax)) == 2 * len(left)
    assert "against GLM" in ax.get_xlabel()


def test_letters_do_not_run_out() -> None:
    ranks = np.linspace(1.0, 40.0, 40)
    many = [Bar((k, k + 2)) for k in range(30)]
    ax = fresh(9, 7)
    _draw_line(ax, ranks, [f"n{k}" for k in range(40)], many, top=1.0)
    assert not any(text.get_text() in string.ascii_lowercase for text in ax.texts)
