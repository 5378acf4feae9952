"""The critical-difference diagram shows ranks, and joins what the decision leaves open."""

from __future__ import annotations

import itertools
import string
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from scipy.stats import rankdata

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots._drawing import BLUE, INK
from bayescompare.plots.critical import Bar, _draw_line, joined_ranks
from bayescompare.report import page_of
from tests.cases import few_quick
from tests.plots.drawn import fresh, made, random_pairs, ticks, title


def critical(p: bc.Pairwise, **options: Any) -> Axes:
    return plots.plot_critical(p, ax=fresh(), **options)


def written(ax: Axes) -> dict[str, tuple[float, str]]:
    """Rank and letters that stand beside each name."""
    found = {}
    for text in ax.texts:
        name, _, rest = text.get_text().partition(" ")
        if rest:
            rank, _, letters = rest.partition(" ")
            found[name] = float(rank), letters.strip("()").replace(", ", "")
    return found


def bars(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if line.get_color() == BLUE]


def under(bar: Any, exact: dict[str, float]) -> set[str]:
    """Who stands under a bar, as a reader sees it."""
    x = np.asarray(bar.get_xdata())
    return {name for name, rank in exact.items() if x.min() <= rank <= x.max()}


def groups(ax: Axes, p: bc.Pairwise, measure: str | None = None) -> list[set[str]]:
    """Who is joined: read off the letters where there are any, else off the bars."""
    told = written(ax)
    letters = sorted({letter for _, within in told.values() for letter in within})
    if letters:
        return [{name for name, (_, within) in told.items() if s in within} for s in letters]
    exact = exact_ranks(p, measure)
    return [under(bar, exact) for bar in bars(ax)]


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
        told, exact = written(ax), exact_ranks(p, measure)
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
        told, means = written(ax), rankdata(-uci.oriented(), axis=1).mean(axis=0)[:, j]
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
    assert all(f"Ranks and groups on {measure}" in shown for measure in pairs.results.measures)
    assert "Ranks and groups" not in shown


def test_one_question_about_all_measures_has_one_rank(bootstrapped: bc.Pairwise) -> None:
    ax = critical(bootstrapped)
    assert "rank by P by dominance" in title(ax)
    told = {name: rank for name, (rank, _) in written(ax).items()}
    assert told == pytest.approx(exact_ranks(bootstrapped), abs=0.0051)
    with pytest.raises(bc.BayescompareError, match="one question about all measures"):
        critical(bootstrapped, measure="auc")


def open_pairs(p: bc.Pairwise, fdr: float | None = None) -> set[frozenset[str]]:
    decided = p.decide() if fdr is None else p.decide(fdr=fdr)
    left = decided.loc[~decided["asserted"], ["first", "second"]]
    return {frozenset(pair) for pair in left.itertuples(index=False)}


def joined(found: list[set[str]]) -> set[frozenset[str]]:
    return {frozenset(q) for group in found for q in itertools.combinations(group, 2)}


@pytest.mark.parametrize("seed", few_quick(range(12), 3))
@pytest.mark.parametrize("sure", [0.4, 0.7, 0.95])
def test_bars_join_exactly_the_open_pairs(seed: int, sure: float) -> None:
    p = random_pairs(6, seed, sure=sure)
    ax = critical(p)
    found, left, exact = groups(ax, p), open_pairs(p), exact_ranks(p)
    assert joined(found) == left
    # None lies within another.
    assert not any(a < b for a, b in itertools.permutations(found, 2))
    # A thick bar covers its members only; a thin one has dots at the members, and nowhere else.
    for bar in bars(ax):
        covered = under(bar, exact)
        if bar.get_linewidth() <= 2:
            x = np.asarray(bar.get_xdata())
            assert bar.get_marker() == "o"
            covered = {n for n, rank in exact.items() if np.isclose(rank, x).any()}
            assert len(covered) >= len(x) > 1
            if len(covered) > len(x):
                continue  # equal ranks: the letters tell them apart
        assert joined([covered]) <= left


@pytest.mark.parametrize("fdr", [0.01, 0.2])
def test_bars_of_real_pairs(pairs: bc.Pairwise, fdr: float) -> None:
    ax = critical(pairs, measure="auc", fdr=fdr)
    found = joined(groups(ax, pairs, "auc"))
    assert found == open_pairs(pairs, fdr)
    assert f"a verdict for {28 - len(found)} of 28 pairs" in title(ax)


SURE, OPEN = (0.999, 0.0, 0.001), (0.5, 0.0, 0.4999)


def test_a_group_that_leaves_out_one_between_has_dots_and_letters() -> None:
    p = made(["A", "B", "C"], {("A", "B"): SURE, ("A", "C"): OPEN, ("B", "C"): SURE})
    ax = critical(p)
    (bar,) = bars(ax)
    assert (bar.get_marker(), len(bar.get_xdata())) == ("o", 2)
    assert bar.get_linewidth() < 2
    assert {n: letters for n, (_, letters) in written(ax).items()} == {"A": "a", "B": "", "C": "a"}


def test_what_stands_in_order_has_a_plain_bar_without_letters() -> None:
    p = made(["A", "B", "C"], {("A", "B"): OPEN, ("A", "C"): SURE, ("B", "C"): SURE})
    ax = critical(p)
    (bar,) = bars(ax)
    assert bar.get_linewidth() > 2
    assert all(letters == "" for _, letters in written(ax).values())


def test_found_equivalence_is_a_double_line_and_no_bar() -> None:
    said = {("A", "B"): (0.0, 0.999, 0.0), ("A", "C"): SURE, ("B", "C"): SURE}
    ax = critical(made(["A", "B", "C"], said))
    assert not bars(ax)
    for colour in (INK, "white"):
        thick = [x for x in ax.lines if x.get_color() == colour and x.get_linewidth() > 2]
        assert len(thick) == 1
    assert "1 pair found equivalent (double lines)" in title(ax)


def test_verdicts_without_a_winner_are_counted(bootstrapped: bc.Pairwise) -> None:
    mixed = len(bootstrapped.order(fdr=0.3).graph["mixed"])
    assert mixed
    wanted = "1 verdict names" if mixed == 1 else f"{mixed} verdicts name"
    assert f"{wanted} no winner on every measure" in title(critical(bootstrapped, fdr=0.3))


def test_the_listing_of_the_algorithms_does_not_matter(mixed: bc.Pairwise) -> None:
    other = bc.pairwise(mixed.results, algorithms=mixed.results.algorithms[::-1], n_jobs=1)
    first, second = (written(critical(p, measure="brier")) for p in (mixed, other))
    assert first == second


def marks(ax: Axes) -> set[tuple[int, float]]:
    """Row and place of every mark of a pair that is open."""
    (found,) = (c for c in ax.collections if c.get_label() == "left open")
    return {(int(y), round(float(x), 9)) for x, y in np.asarray(found.get_offsets())}


def places(ax: Axes) -> dict[str, float]:
    (dots,) = (c for c in ax.collections if c.get_label() == "rank")
    return dict(zip(ticks(ax), np.asarray(dots.get_offsets())[:, 0].tolist(), strict=True))


@pytest.mark.slow
def test_very_many_have_a_row_each() -> None:
    p = random_pairs(60, 1, sure=0.9)
    ax = plots.plot_critical(p)
    exact, found = exact_ranks(p), places(ax)
    names = list(found)
    assert names == sorted(exact, key=exact.__getitem__)
    assert found == pytest.approx(exact)
    wanted = set()
    for a, b in open_pairs(p):
        wanted |= {(names.index(a), round(exact[b], 9)), (names.index(b), round(exact[a], 9))}
    assert marks(ax) == wanted
    assert ax.figure.get_size_inches()[1] < 20


def test_more_groups_than_letters_have_rows_too() -> None:
    ax = critical(random_pairs(18, 3, sure=0.5))
    assert len(ax.get_yticklabels()) == 18
    assert "marks: pairs without a verdict" in title(ax)


def test_against_a_reference_ranks_are_of_two(against_glm: bc.Pairwise) -> None:
    ax = critical(against_glm, measure="accuracy")
    ranks, exact = places(ax), exact_ranks(against_glm, "accuracy")
    assert ranks.pop("GLM") == 1.5
    assert ranks == pytest.approx({name: exact[name] for name in ranks})
    # A mark on the reference's row for each that is open, and none between two others.
    left = open_pairs(against_glm)
    assert all("GLM" in pair for pair in left)
    assert len(marks(ax)) == 2 * len(left)
    assert "against GLM" in ax.get_xlabel()


def test_letters_do_not_run_out() -> None:
    many, names = [Bar((k, k + 2)) for k in range(30)], [f"n{k}" for k in range(40)]
    ax = _draw_line(fresh(), np.linspace(1.0, 40.0, 40), names, many, top=1.0)
    assert not any(text.get_text() in string.ascii_lowercase for text in ax.texts)


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
