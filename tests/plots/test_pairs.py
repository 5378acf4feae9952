"""The dominance matrix and the critical-difference diagram show what the decision says."""

from __future__ import annotations

import itertools
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from scipy.stats import rankdata

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.plots import dominance as dominance_file
from bayescompare.plots._drawing import BLUE, INK, clip_label
from bayescompare.plots._line import Bar, draw_line
from bayescompare.report.page import page_of
from bayescompare.text.numbers import narrow_probability, narrow_pvalue
from tests.tables import table

Pair = tuple[str, str]


def fresh(width: float = 9, height: float = 7) -> Axes:
    return Figure(figsize=(width, height)).subplots()


def title(ax: Axes) -> str:
    return " ".join(ax.get_title(loc="left").split())


@pytest.fixture(scope="module")
def pairs(uci: bc.Results) -> bc.Pairwise:
    return bc.pairwise(uci, n_jobs=1)


@pytest.fixture(scope="module")
def mixed(uci: bc.Results) -> bc.Pairwise:
    return bc.pairwise(uci, measures=["auc", "brier"], n_jobs=1)


@pytest.fixture(scope="module")
def tested(uci: bc.Results) -> bc.Pairwise:
    return bc.pairwise(uci, method="glrt", n_jobs=1)


def made(names: Sequence[str], said: Mapping[Pair, tuple[float, float, float]]) -> bc.Pairwise:
    """All pairs on one measure with these P(first better), P(equivalent), P(second better)."""
    rows = [(f"d{i}", n, float(k + i)) for k, n in enumerate(names) for i in range(3)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    whole = bc.Results.from_frame(frame, measures={"score": bc.Measure("max", rope=0.5)})
    one = bc.compare(whole, algorithms=list(names[:2]))
    found = []
    for a, b in itertools.combinations(names, 2):
        if (a, b) not in said:
            continue
        labels = (f"{a}>{b}", f"{a}={b}", f"{b}>{a}")
        p = np.array(said[a, b])
        answer = replace(
            one.answer, labels=labels, states=(labels,), counts=np.zeros(3), probability=p
        )
        found.append(replace(one, results=whole.sel(algorithms=[a, b]), answer=answer))
    return bc.Pairwise(whole, one.method, tuple(found))


def random_pairs(l: int, seed: int, *, sure: float = 0.5, same: float = 0.0) -> bc.Pairwise:
    """Random decisions, as wild as no data would give: no order, no transitivity."""
    rng = np.random.default_rng(seed)
    names = [f"a{k:02d}" for k in range(l)]
    said = {}
    for pair in itertools.combinations(names, 2):
        high = 0.999 if rng.random() < sure else rng.uniform(0.4, 0.5)
        rest = 1.0 - high
        kind = 1 if rng.random() < same else int(rng.choice([0, 2]))
        p = [rest / 2] * 3
        p[kind] = high
        said[pair] = (p[0], p[1], p[2])
    return made(names, said)


# ------------------------------------------------------------------------------- dominance matrix


def cells(ax: Axes) -> dict[tuple[str, str], list[Any]]:
    """The texts of each cell, signs and figure, by the names of its row and column."""
    rows = [label.get_text() for label in ax.get_yticklabels()]
    columns = [label.get_text() for label in ax.get_xticklabels()]
    found: dict[tuple[str, str], list[Any]] = {}
    for text in ax.texts:
        x, y = text.get_position()
        found.setdefault((rows[int(y)], columns[int(x)]), []).append(text)
    return found


def framed(ax: Axes) -> set[tuple[int, int]]:
    """The cells with a thick frame, as (row, column)."""
    return {
        (round(patch.get_y() + 0.5), round(patch.get_x() + 0.5))
        for patch in ax.patches
        if isinstance(patch, Rectangle) and patch.get_linewidth() > 2
    }


@pytest.mark.parametrize("which", ["pairs", "mixed", "tested"])
@pytest.mark.parametrize("fdr", [0.01, 0.05, 0.3])
def test_cells_say_what_was_decided(which: str, fdr: float, request: pytest.FixtureRequest) -> None:
    p: bc.Pairwise = request.getfixturevalue(which)
    ax = plots.plot_dominance(p, fdr=fdr, ax=fresh())
    drawn = cells(ax)
    decided = p.decide(fdr=fdr)
    assert len(drawn) == len(decided) == 28
    for row in decided.to_dict("records"):
        stack, figure = drawn[row["first"], row["second"]]
        wins = {f"{row['first']}>{row['second']}": "≻", f"{row['second']}>{row['first']}": "≺"}
        assert stack.get_text() == "\n".join(wins[s] for s in row["statement"].split("|"))
        written = narrow_probability(row["probability"]) if p.bayesian else None
        assert figure.get_text() == (written or narrow_pvalue(row["pvalue"]))
        weight = "bold" if row["asserted"] else "normal"
        assert {stack.get_fontweight(), figure.get_fontweight()} == {weight}
    names = p.results.algorithms
    wanted = {
        (names.index(a), names.index(b) - 1)
        for a, b in decided.loc[decided["asserted"], ["first", "second"]].itertuples(index=False)
    }
    assert framed(ax) == wanted


def test_the_title_counts_the_verdicts_and_names_the_measures(mixed: bc.Pairwise) -> None:
    ax = plots.plot_dominance(mixed, fdr=0.2, ax=fresh())
    asserted = int(mixed.decide(fdr=0.2)["asserted"].sum())
    assert "top to bottom auc and brier" in title(ax)
    assert f"a verdict for {asserted} of 28 pairs" in title(ax)


def test_listing_the_algorithms_backwards_turns_every_sign(uci: bc.Results) -> None:
    turned = {"≻": "≺", "≺": "≻", "=": "=", "\n": "\n"}
    names = list(uci.algorithms)
    one = bc.pairwise(uci, measures=["auc", "brier"], n_jobs=1)
    other = bc.pairwise(uci, measures=["auc", "brier"], algorithms=names[::-1], n_jobs=1)
    first, second = (cells(plots.plot_dominance(p, ax=fresh())) for p in (one, other))
    assert len(first) == len(second) == 28
    for (row, column), (stack, figure) in first.items():
        mirrored, same = second[column, row]
        assert same.get_text() == figure.get_text()
        assert mirrored.get_text() == "".join(turned[sign] for sign in stack.get_text())


def test_fills_follow_what_is_said_and_how_surely(mixed: bc.Pairwise) -> None:
    ax = plots.plot_dominance(mixed, fdr=0.2, ax=fresh())
    image = np.asarray(ax.images[0].get_array())
    names = mixed.results.algorithms
    for row in mixed.decide(fdr=0.2).to_dict("records"):
        i, j = names.index(row["first"]), names.index(row["second"]) - 1
        states = set(row["statement"].split("|"))
        kind = "neither"
        if len(states) == 1:
            kind = "better" if states == {f"{row['first']}>{row['second']}"} else "worse"
        full = np.array(to_rgb(dominance_file._FILLS[kind]))
        strength = (1 - image[i, j]).sum() / (1 - full).sum()
        np.testing.assert_allclose(image[i, j], 1 - strength * (1 - full))
        assert strength == pytest.approx(1.0) if row["asserted"] else strength < 0.4
    # Nothing below the diagonal.
    assert (image[np.tril_indices(7, -1)] == 1.0).all()


def test_fills_are_told_apart_in_grey() -> None:
    grey = {k: np.dot(to_rgb(v), [0.299, 0.587, 0.114]) for k, v in dominance_file._FILLS.items()}
    shades = sorted(grey.values())
    assert min(np.diff(shades)) > 0.12
    # The darkest of the pale ones is lighter than the lightest of the full ones.
    assert 1 - 0.35 * (1 - shades[0]) > shades[-1] + 0.05


def test_against_a_reference_there_is_one_row(uci: bc.Results) -> None:
    p = bc.pairwise(uci, reference="GLM", n_jobs=1)
    ax = plots.plot_dominance(p, ax=fresh())
    drawn = cells(ax)
    assert {row for row, _ in drawn} == {"GLM"}
    assert [column for _, column in drawn] != []
    assert {column for _, column in drawn} == set(uci.algorithms) - {"GLM"}
    # Seen from the reference, also where the table lists the other one first.
    assert drawn["GLM", "CART"][0].get_text() == "≻\n≻\n≻"
    whole = bc.pairwise(uci, n_jobs=1)
    best = str(whole.best.sel(algorithm="BDS", opponent="GLM").item())
    assert best == "BDS>GLM|BDS>GLM|BDS>GLM"
    assert drawn["GLM", "BDS"][0].get_text() == "≺\n≺\n≺"


def test_equivalent_and_incomparable_have_their_signs(uci: bc.Results) -> None:
    p = made(["A", "B", "C"], {("A", "B"): (0.1, 0.8, 0.1), ("A", "C"): (0.9, 0.1, 0.0)})
    drawn = cells(plots.plot_dominance(p, ax=fresh()))
    assert drawn["A", "B"][0].get_text() == "="
    assert drawn["A", "C"][0].get_text() == "≻"
    assert ("B", "C") not in drawn
    p = bc.pairwise(
        uci, method=GSDBootstrap(delta=0, resamples=60), algorithms=["BDS", "RF"], rng=1, n_jobs=1
    )
    assert p.comparisons[0].best == "BDS~RF"
    ax = plots.plot_dominance(p, ax=fresh())
    assert cells(ax)["BDS", "RF"][0].get_text() == "~"
    assert "top to bottom" not in title(ax)


def test_many_measures_are_counted() -> None:
    values = np.random.default_rng(0).random((20, 2, 8))
    values[:, 0] += 0.3 * np.array([1, 1, 1, 1, 1, -1, -1, 1])
    p = bc.pairwise(table(values), n_jobs=1)
    (stack, _), *_ = cells(plots.plot_dominance(p, ax=fresh())).values()
    best = p.comparisons[0].best.split("|")
    first, second = p.results.algorithms
    wins = best.count(f"{first}>{second}")
    assert stack.get_text() == f"{wins} ≻\n{8 - wins} ≺"


@pytest.mark.parametrize("measures", [1, 2, 6, 9])
@pytest.mark.parametrize("algorithms", [2, 7])
def test_text_stays_in_its_cell(measures: int, algorithms: int) -> None:
    values = np.random.default_rng(1).random((12, algorithms, measures))
    ax = plots.plot_dominance(bc.pairwise(table(values), n_jobs=1))
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    assert ax.texts
    for text in ax.texts:
        column, row = text.get_position()
        corners = [(column - 0.5, row + 0.5), (column + 0.5, row - 0.5)]
        (left, low), (right, top) = ax.transData.transform(corners)
        box = text.get_window_extent()
        assert left - 1 <= box.x0 <= box.x1 <= right + 1
        assert low - 1 <= box.y0 <= box.y1 <= top + 1
    for signs, number in itertools.batched(ax.texts, 2):
        assert not signs.get_window_extent().overlaps(number.get_window_extent())
    plt.close(figure)


def test_very_many_keep_colours_and_lose_text() -> None:
    p = random_pairs(60, 0)
    ax = plots.plot_dominance(p, ax=fresh())
    assert not ax.texts
    assert not framed(ax)
    image = np.asarray(ax.images[0].get_array())
    names = p.results.algorithms
    for row in p.decide().to_dict("records"):
        i, j = names.index(row["first"]), names.index(row["second"]) - 1
        winner = row["statement"].split(">")[0]
        full = dominance_file._FILLS["better" if winner == row["first"] else "worse"]
        assert (to_hex(image[i, j]) == full.lower()) == row["asserted"]
    assert len(ax.get_yticklabels()) <= 50
    assert max(dominance_file.dominance_size(p)) < 20


def test_a_tiny_axes_has_no_unreadable_text(pairs: bc.Pairwise) -> None:
    assert not plots.plot_dominance(pairs, ax=fresh(1.5, 1.5)).texts


# ------------------------------------------------------------------- critical-difference diagram


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
    """1 + Σ P(opponent ahead on the measure), by brute force over the statements."""
    found = dict.fromkeys(p.results.algorithms, 1.0)
    place = 0 if measure is None else p.results.measures.index(measure)
    for c in p.comparisons:
        first, second = c.results.algorithms
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
    for measure in p.results.measures:
        ax = plots.plot_critical(p, measure=measure, ax=fresh())
        told, exact = written(ax), exact_ranks(p, measure)
        assert set(told) == set(exact)
        for name, (rank, _) in told.items():
            assert rank == pytest.approx(exact[name], abs=0.0051)
        assert sum(exact.values()) == pytest.approx(8 * 9 / 2)
        assert f"expected rank on {measure}" in title(ax)
        assert f"about all {len(p.results.measures)} measures" in title(ax)
        seen.append(exact)
    # The measures differ, so that each picture is its own.
    assert any(one != seen[0] for one in seen[1:])


def test_frequentist_ranks_are_mean_ranks(tested: bc.Pairwise, uci: bc.Results) -> None:
    for j, measure in enumerate(uci.measures):
        ax = plots.plot_critical(tested, measure=measure, ax=fresh())
        told, means = written(ax), rankdata(-uci.oriented(), axis=1).mean(axis=0)[:, j]
        for name, mean in zip(uci.algorithms, means, strict=True):
            assert told[name][0] == pytest.approx(mean, abs=0.0051)
        assert f"mean rank on {measure}" in title(ax)


def test_ranks_of_several_measures_are_not_averaged(pairs: bc.Pairwise) -> None:
    one_of = r"measure= is missing: .*one of auc, accuracy, brier, as in plot\('critical', measure="
    for draw in (pairs.plot, partial(plots.plot_pairwise, pairs)):
        with pytest.raises(bc.BayescompareError, match=one_of):
            draw(kind="critical", ax=fresh())
    with pytest.raises(bc.BayescompareError, match=one_of):
        plots.plot_critical(pairs, ax=fresh())
    with pytest.raises(bc.BayescompareError, match=r"measure='acc'.*accuracy"):
        pairs.plot("critical", measure="acc", ax=fresh())
    for kind in ("matrix", "order", "dominance"):
        with pytest.raises(bc.BayescompareError, match=r"measure='auc': only the plot 'critical'"):
            pairs.plot(kind, measure="auc", ax=fresh())
    told = written(pairs.plot("critical", measure="brier", ax=fresh()))
    assert told == written(plots.plot_critical(pairs, measure="brier", ax=fresh()))


def test_one_question_about_all_measures_has_one_rank(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSDBootstrap(resamples=60), algorithms=["GBM", "RF", "CART"], rng=1, n_jobs=1
    )
    ax = plots.plot_critical(p, ax=fresh())
    assert "expected rank by dominance" in title(ax)
    exact = exact_ranks(p)
    for name, (rank, _) in written(ax).items():
        assert rank == pytest.approx(exact[name], abs=0.0051)
    with pytest.raises(bc.BayescompareError, match="one question about all measures"):
        plots.plot_critical(p, measure="auc", ax=fresh())


def test_the_report_has_a_picture_of_ranks_for_each_measure(pairs: bc.Pairwise) -> None:
    figures = next(s for s in page_of(pairs).sections if s.title == "Figures")
    shown = [picture.title for picture in figures.pictures]
    for measure in pairs.results.measures:
        assert f"Ranks and groups on {measure}" in shown
    assert "Ranks and groups" not in shown


def test_ranks_on_one_measure_are_friedman_s(uci: bc.Results) -> None:
    p = bc.pairwise(uci, measures=["auc"], method="wilcoxon", n_jobs=1)
    friedman = bc.compare(uci, measures=["auc"], method="friedman")
    told = written(plots.plot_critical(p, ax=fresh()))
    for name, rank in friedman.ranks.items():
        assert told[str(name)][0] == pytest.approx(rank, abs=0.0051)


def open_pairs(p: bc.Pairwise, fdr: float | None = None) -> set[frozenset[str]]:
    decided = p.decide() if fdr is None else p.decide(fdr=fdr)
    left = decided.loc[~decided["asserted"], ["first", "second"]]
    return {frozenset(pair) for pair in left.itertuples(index=False)}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("sure", [0.4, 0.7, 0.95])
def test_bars_join_exactly_the_open_pairs(seed: int, sure: float) -> None:
    p = random_pairs(6, seed, sure=sure)
    ax = plots.plot_critical(p, ax=fresh())
    joined = {frozenset(q) for g in groups(ax, p) for q in itertools.combinations(sorted(g), 2)}
    assert joined == open_pairs(p)
    # None lies within another.
    found = groups(ax, p)
    assert not any(a < b for a, b in itertools.permutations(found, 2))


@pytest.mark.parametrize("fdr", [0.01, 0.05, 0.2])
def test_bars_of_real_pairs(pairs: bc.Pairwise, fdr: float) -> None:
    ax = plots.plot_critical(pairs, measure="auc", fdr=fdr, ax=fresh())
    found = groups(ax, pairs, "auc")
    joined = {frozenset(q) for g in found for q in itertools.combinations(g, 2)}
    assert joined == open_pairs(pairs, fdr)
    assert f"a verdict for {28 - len(joined)} of 28 pairs" in title(ax)


@pytest.mark.parametrize("seed", range(12))
def test_a_thick_bar_covers_its_members_only(seed: int) -> None:
    p = random_pairs(6, seed, sure=0.6)
    ax = plots.plot_critical(p, ax=fresh())
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
    ax = plots.plot_critical(p, ax=fresh())
    (bar,) = bars(ax)
    assert bar.get_marker() == "o"
    assert bar.get_linewidth() < 2
    assert len(bar.get_xdata()) == 2
    assert {n: letters for n, (_, letters) in written(ax).items()} == {"A": "a", "B": "", "C": "a"}


def test_what_stands_in_order_has_a_plain_bar_without_letters() -> None:
    said = {("A", "B"): (0.5, 0, 0.5), ("A", "C"): (0.999, 0, 0), ("B", "C"): (0.999, 0, 0)}
    ax = plots.plot_critical(made(["A", "B", "C"], said), ax=fresh())
    (bar,) = bars(ax)
    assert bar.get_linewidth() > 2
    assert all(letters == "" for _, letters in written(ax).values())


def test_found_equivalence_is_a_double_line_and_no_bar() -> None:
    said = {("A", "B"): (0, 0.999, 0), ("A", "C"): (0.999, 0, 0), ("B", "C"): (0.999, 0, 0)}
    ax = plots.plot_critical(made(["A", "B", "C"], said), ax=fresh())
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
    ax = plots.plot_critical(p, fdr=0.3, ax=fresh())
    wanted = "1 verdict names" if mixed == 1 else f"{mixed} verdicts name"
    assert f"{wanted} no winner on every measure" in title(ax)
    assert f"{wanted} no winner on every measure" in title(plots.plot_order(p, fdr=0.3, ax=fresh()))


def test_the_listing_of_the_algorithms_does_not_matter(uci: bc.Results) -> None:
    one = bc.pairwise(uci, n_jobs=1)
    other = bc.pairwise(uci, algorithms=list(uci.algorithms)[::-1], n_jobs=1)
    first, second = (
        written(plots.plot_critical(p, measure="brier", ax=fresh())) for p in (one, other)
    )
    assert first == second


def marks(ax: Axes) -> set[tuple[int, float]]:
    """Row and place of every mark of the picture with rows."""
    (found,) = (c for c in ax.collections if c.get_label() == "left open")
    return {(int(y), round(float(x), 9)) for x, y in np.asarray(found.get_offsets())}


def test_very_many_have_a_row_each() -> None:
    p = random_pairs(60, 1, sure=0.9)
    ax = plots.plot_critical(p, ax=fresh())
    exact = exact_ranks(p)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == sorted(exact, key=exact.__getitem__)
    (dots,) = (c for c in ax.collections if c.get_label() == "rank")
    np.testing.assert_allclose(np.asarray(dots.get_offsets())[:, 0], [exact[n] for n in names])
    wanted = set()
    for a, b in open_pairs(p):
        wanted |= {(names.index(a), round(exact[b], 9)), (names.index(b), round(exact[a], 9))}
    assert marks(ax) == wanted
    assert plots.critical.critical_size(p)[1] < 20


def test_more_groups_than_letters_have_rows_too() -> None:
    p = random_pairs(18, 3, sure=0.5)
    ax = plots.plot_critical(p, ax=fresh())
    assert len(ax.get_yticklabels()) == 18
    assert "marks: those that an algorithm is not told apart from" in title(ax)


def test_against_a_reference_ranks_are_of_two(uci: bc.Results) -> None:
    p = bc.pairwise(uci, reference="GLM", n_jobs=1)
    ax = plots.plot_critical(p, measure="accuracy", ax=fresh())
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
    ax = fresh()
    draw_line(ax, ranks, [f"n{k}" for k in range(40)], many)
    assert not any(text.get_text() in string.ascii_lowercase for text in ax.texts)


# ----------------------------------------------------------------------------------- both of them

#: What pairs on several measures need besides.
MORE: dict[str, dict[str, Any]] = {"dominance": {}, "critical": {"measure": "auc"}}
BOTH: dict[str, Any] = {
    "dominance": plots.plot_dominance,
    "critical": partial(plots.plot_critical, **MORE["critical"]),
}
both = pytest.mark.parametrize("kind", list(BOTH))


@both
def test_kinds_and_rates_reach_the_picture(kind: Any, pairs: bc.Pairwise) -> None:
    one = pairs.plot(kind, fdr=0.2, ax=fresh(), **MORE[kind])
    other = BOTH[kind](pairs, fdr=0.2, ax=fresh())
    assert [t.get_text() for t in one.texts] == [t.get_text() for t in other.texts]
    assert title(one) == title(other) != title(pairs.plot(kind, ax=fresh(), **MORE[kind]))


@both
def test_the_axes_given_are_used(kind: Any, pairs: bc.Pairwise) -> None:
    before, settings = plt.get_fignums(), dict(mpl.rcParams)
    ax = fresh()
    assert pairs.plot(kind, ax=ax, **MORE[kind]) is ax
    assert plt.get_fignums() == before
    made_anew = pairs.plot(kind, **MORE[kind])
    assert len(plt.get_fignums()) == len(before) + 1
    assert dict(mpl.rcParams) == settings
    plt.close(made_anew.get_figure())  # type: ignore[arg-type]


@both
@pytest.mark.parametrize("fdr", [0.0, 1.0, -0.1, float("nan"), "0.05", True])
def test_rates_are_checked(kind: Any, fdr: Any, pairs: bc.Pairwise) -> None:
    with pytest.raises(bc.BayescompareError, match="fdr="):
        BOTH[kind](pairs, fdr=fdr, ax=fresh())


@both
@pytest.mark.parametrize("thing", [None, "pairs", 3, [1, 2]])
def test_only_pairs_are_drawn(kind: Any, thing: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="pairwise"):
        BOTH[kind](thing, ax=fresh())
    with pytest.raises(bc.BayescompareError, match="Comparison"):
        BOTH[kind](bc.compare(bc.load_example("pnn")), ax=fresh())


ODD = ["$x_1$", "a & <script", "\\frac{1}{2}_b", "naïve Größe 40 %", "$unbalanced", "y" * 60, "a~b"]


@both
@pytest.mark.parametrize("reference", [None, "$x_1$"])
def test_odd_names_are_shown_as_they_are(kind: Any, reference: str | None) -> None:
    values = np.random.default_rng(0).random((9, 7, 1)) + np.linspace(0, 1, 7)[None, :, None]
    rows = [(f"d{i}", ODD[k], values[i, k, 0]) for i in range(9) for k in range(7)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    results = bc.Results.from_frame(frame, measures={"score": "max"})
    ax = bc.pairwise(results, reference=reference, n_jobs=1).plot(kind, ax=fresh())
    shown = [*ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label]
    named = [text for text in shown if any(sign in text.get_text() for sign in "$\\_&")]
    assert named
    assert not any(text.get_parse_math() for text in named)
    assert not any("y" * 40 in text.get_text() for text in shown)
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()


@both
@pytest.mark.parametrize("which", ["pairs", "tested"])
def test_nothing_is_cut_off(kind: Any, which: str, request: pytest.FixtureRequest) -> None:
    ax = request.getfixturevalue(which).plot(kind, **MORE[kind])
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    box, inside = ax.get_tightbbox(), figure.bbox.padded(2.0)
    assert box is not None
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1
    plt.close(figure)


# ------------------------------------------------------------------- what was hard to read before


def test_growth_labels_do_not_stand_on_the_steps(uci: bc.Results) -> None:
    ax = bc.compare(uci, method=GSD(delta=0)).plot("growth")
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    x, y = ax.transData.transform(ax.lines[0].get_path().interpolated(1).vertices).T
    corners = np.stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]], axis=1)
    path = Path(corners)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 5
    assert not any(path.intersects_bbox(box, filled=False) for box in boxes)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    plt.close(figure)


def test_lines_of_sensitivity_differ_without_colour() -> None:
    table = bc.compare(bc.load_example("benavoli-example1")).sensitivity()
    ax = plots.plot_sensitivity(table, ax=fresh())
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    assert len(lines) == 4
    assert len({str(line._dash_pattern) for line in lines}) == 4
    assert len({line.get_marker() for line in lines}) == 4


def test_incomparable_pairs_begin_a_sentence_of_their_own(uci: bc.Results) -> None:
    c = bc.compare(uci, method=GSD(delta=0))
    shown = c.plot("relation", ax=fresh()).get_title(loc="left")
    # "each of the other 7 is" has its own end.
    assert "\nIncomparable pairs: " in shown


def test_a_clipped_statement_still_says_who_is_better() -> None:
    first, second = "first-" + "x" * 40, "second-" + "y" * 40
    said = {
        clip_label(s, 30) for s in (f"{first}>{second}", f"{second}>{first}", f"{first}={second}")
    }
    assert len(said) == 3
    assert all(len(label) <= 30 for label in said)
    assert sorted(label.count(">") for label in said) == [0, 1, 1]


def test_long_names_do_not_double_the_title_of_the_bars() -> None:
    names = ["first-" + "x" * 40, "second-" + "y" * 40]
    values = np.random.default_rng(0).random((9, 2, 3))
    data = table(values).data.assign_coords(algorithm=names)
    results = bc.Results(data, dict.fromkeys(table(values).measures, "max"))
    shown = title(plots.plot_statements(bc.compare(results), ax=fresh()))
    assert shown.count("is the most probable statement") == 1
    assert shown.count("first-") + shown.count("firs") <= 6


def test_two_hundred_names_of_an_order_do_not_overlap() -> None:
    import networkx as nx

    from bayescompare.plots.order import draw_graph

    names = [f"algorithm {k:03d}" for k in range(200)]
    star: nx.DiGraph[str] = nx.DiGraph((names[0], name) for name in names[1:])
    # A chain of a dozen, and many arrows that pass all its rows.
    chain: nx.DiGraph[str] = nx.DiGraph(itertools.pairwise(names[:12]))
    chain.add_edges_from((names[0], name) for name in names[12:150])
    chain.add_edges_from((name, names[11]) for name in names[12:150])
    chain.add_nodes_from(names)
    for graph in (star, chain):
        ax = draw_graph(graph, None)
        figure = ax.get_figure()
        assert isinstance(figure, Figure)
        assert figure.get_size_inches().max() < 60
        figure.canvas.draw()
        boxes = np.array(
            [
                patch.get_window_extent().extents
                for t in ax.texts
                if (patch := t.get_bbox_patch()) is not None
            ]
        )
        assert len(boxes) == 200
        x0, y0, x1, y1 = (boxes[:, k] for k in range(4))
        apart = (x1[:, None] < x0) | (x1 < x0[:, None]) | (y1[:, None] < y0) | (y1 < y0[:, None])
        assert apart[~np.eye(200, dtype=bool)].all()
        plt.close(figure)
