"""The heat map shows the matrix, and the signs of every pair say what was decided."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD
from bayescompare.plots import matrices
from bayescompare.plots._drawing import readable_on
from bayescompare.report import render
from bayescompare.text.numbers import narrow_probability, narrow_pvalue
from tests.plots.drawn import (
    apart,
    arrows,
    fresh,
    inside,
    laid_out,
    made,
    random_pairs,
    results_of,
    ticks,
    title,
)
from tests.tables import table


def test_the_heat_map_is_the_matrix(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=fresh())
    shown = np.ma.filled(ax.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(shown, pairs.matrix.values)
    assert ticks(ax) == list(pairs.results.algorithms)
    assert [label.get_text() for label in ax.get_xticklabels()] == ticks(ax)
    assert ax.images[0].get_clim() == (0.0, 1.0)
    found = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(found) == 8 * 7
    for (i, j), value in np.ndenumerate(pairs.matrix.values):
        assert i == j or found[j, i] == narrow_probability(value)


def test_the_heat_map_of_p_values_differs(pairs: bc.Pairwise, tested: bc.Pairwise) -> None:
    bayesian, classical = (plots.plot_matrix(p, ax=fresh()) for p in (pairs, tested))
    labels = [ax.get_figure().axes[1].get_ylabel() for ax in (bayesian, classical)]  # type: ignore[union-attr]
    assert labels == ["P(row better than column)", "p-value"]

    def darkness(ax: Axes, value: float) -> float:
        return 1 - float(np.mean(ax.images[0].to_rgba(np.array([value]))[0][:3]))

    assert darkness(bayesian, 1.0) > darkness(bayesian, 0.0)
    assert darkness(classical, 0.0) > darkness(classical, 1.0)


def test_pairs_not_compared_are_grey(against_glm: bc.Pairwise) -> None:
    ax = plots.plot_matrix(against_glm, ax=fresh())
    assert len(ax.texts) == 14
    bad = ax.images[0].cmap(np.ma.masked_all(1))[0]
    np.testing.assert_allclose(bad, [0.85, 0.85, 0.85, 1.0])


def test_cell_text_has_contrast() -> None:
    for value in np.linspace(0, 1, 11):
        for cmap in ("Blues", "Oranges_r"):
            rgb = np.array(mpl.colormaps[cmap](value))
            linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
            luminance = linear[:3] @ [0.2126, 0.7152, 0.0722]
            ink = 0.0 if readable_on(rgb) == "black" else 1.0
            light, dark = max(ink, luminance), min(ink, luminance)
            assert (light + 0.05) / (dark + 0.05) > 4.5


@pytest.mark.slow
def test_a_large_heat_map_has_no_cell_text_and_few_ticks() -> None:
    """Every pair of a hundred shares the answer of one."""
    names = [f"algorithm {k:03d}" for k in range(100)]
    everything = results_of({n: [float(k), float(k), -float(k)] for k, n in enumerate(names)})
    first = bc.compare(everything, algorithms=names[:2])

    def renamed(a: str, b: str) -> Any:
        new = {names[0]: a, names[1]: b}
        labels = tuple(">".join(new[x] for x in s.split(">")) for s in first.answer.labels)
        return replace(first.answer, labels=labels, states=(labels,))

    comparisons = tuple(
        replace(first, results=everything.sel(algorithms=[a, b]), answer=renamed(a, b))
        for a, b in itertools.combinations(names, 2)
    )
    ax = plots.plot_matrix(bc.Pairwise(everything, first.method, comparisons))
    assert len(ax.texts) == 0
    assert ticks(ax) == names[::2]
    assert max(ax.figure.get_size_inches()) < 20


def test_cell_text_fits_small_axes(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=fresh(3, 3))
    assert apart([text.get_window_extent() for text in ax.texts])
    assert not plots.plot_dominance(pairs, ax=fresh(1.5, 1.5)).texts  # it would be unreadable


def test_the_heat_map_is_directed(uci: bc.Results) -> None:
    method, names = GSD(permutations=199), ["GBM", "CART", "RF"]
    p = bc.pairwise(uci, method=method, algorithms=names, rng=1, n_jobs=1)
    image = np.ma.filled(p.plot(ax=fresh()).images[0].get_array(), np.nan)
    np.testing.assert_array_equal(image, p.matrix.values)
    assert arrows(p.plot("order", ax=fresh())) == {("GBM", "CART"), ("RF", "CART")}


def test_to_dominate_is_not_to_be_better_on_all_measures(bootstrapped: bc.Pairwise) -> None:
    assert "better than column on all" not in title(bootstrapped.plot(ax=fresh()))
    assert "better than column on every measure" not in render(bootstrapped, "markdown")


# the signs of every pair --------------------------------------------------------------------------


def cells(ax: Axes) -> dict[tuple[str, str], list[Any]]:
    """The texts of each cell, signs and figure, by the names of its row and column."""
    rows, columns = ticks(ax), [label.get_text() for label in ax.get_xticklabels()]
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
@pytest.mark.parametrize("fdr", [0.01, 0.3])
def test_cells_say_what_was_decided(which: str, fdr: float, request: pytest.FixtureRequest) -> None:
    p: bc.Pairwise = request.getfixturevalue(which)
    ax = plots.plot_dominance(p, fdr=fdr, ax=fresh())
    drawn, decided, names = cells(ax), p.decide(fdr=fdr), p.results.algorithms
    assert len(drawn) == len(decided) == 28
    wanted = set()
    for row in decided.to_dict("records"):
        first, second = row["first"], row["second"]
        stack, figure = drawn[first, second]
        wins = {f"{first}>{second}": "≻", f"{second}>{first}": "≺"}
        assert stack.get_text() == "\n".join(wins[s] for s in row["statement"].split("|"))
        sure = (
            narrow_probability(row["probability"]) if p.bayesian else narrow_pvalue(row["pvalue"])
        )
        assert figure.get_text() == sure
        weight = "bold" if row["asserted"] else "normal"
        assert {stack.get_fontweight(), figure.get_fontweight()} == {weight}
        if row["asserted"]:
            wanted.add((names.index(first), names.index(second) - 1))
    assert framed(ax) == wanted
    assert f"a verdict for {len(wanted)} of 28 pairs" in title(ax)
    several = {"mixed": "auc and brier"}.get(which, "auc, accuracy and brier")
    assert f"top to bottom {several}" in title(ax)


def test_listing_the_algorithms_backwards_turns_every_sign(mixed: bc.Pairwise) -> None:
    turned = {"≻": "≺", "≺": "≻", "=": "=", "\n": "\n"}
    names = mixed.results.algorithms[::-1]
    other = bc.pairwise(mixed.results, algorithms=names, n_jobs=1)
    first, second = (cells(plots.plot_dominance(p, ax=fresh())) for p in (mixed, other))
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
        kind = "trade-off"
        if len(states) == 1:
            kind = "better" if states == {f"{row['first']}>{row['second']}"} else "worse"
        full = np.array(to_rgb(matrices._FILLS[kind]))
        strength = (1 - image[i, j]).sum() / (1 - full).sum()
        np.testing.assert_allclose(image[i, j], 1 - strength * (1 - full))
        assert strength == pytest.approx(1.0) if row["asserted"] else strength < 0.4
    # Nothing below the diagonal.
    assert (image[np.tril_indices(7, -1)] == 1.0).all()


def test_fills_are_told_apart_in_grey() -> None:
    shades = sorted(np.dot(to_rgb(v), [0.299, 0.587, 0.114]) for v in matrices._FILLS.values())
    assert min(np.diff(shades)) > 0.12
    # The darkest of the pale ones is lighter than the lightest of the full ones.
    assert 1 - 0.35 * (1 - shades[0]) > shades[-1] + 0.05


def test_against_a_reference_there_is_one_row(against_glm: bc.Pairwise, pairs: bc.Pairwise) -> None:
    drawn = cells(plots.plot_dominance(against_glm, ax=fresh()))
    assert {row for row, _ in drawn} == {"GLM"}
    assert {column for _, column in drawn} == set(pairs.results.algorithms) - {"GLM"}
    # Seen from the reference, also where the table lists the other one first.
    assert drawn["GLM", "CART"][0].get_text() == "≻\n≻\n≻"
    best = str(pairs.best.sel(algorithm="BDS", opponent="GLM").item())
    assert best == "BDS>GLM|BDS>GLM|BDS>GLM"
    assert drawn["GLM", "BDS"][0].get_text() == "≺\n≺\n≺"


def test_equivalent_and_incomparable_have_their_signs(bootstrapped: bc.Pairwise) -> None:
    p = made(["A", "B", "C"], {("A", "B"): (0.1, 0.8, 0.1), ("A", "C"): (0.9, 0.1, 0.0)})
    drawn = cells(plots.plot_dominance(p, ax=fresh()))
    assert drawn["A", "B"][0].get_text() == "="
    assert drawn["A", "C"][0].get_text() == "≻"
    assert ("B", "C") not in drawn
    assert bootstrapped["BDS", "RF"].best == "BDS~RF"
    ax = plots.plot_dominance(bootstrapped, ax=fresh())
    assert cells(ax)["BDS", "RF"][0].get_text() == "~"
    assert "top to bottom" not in title(ax)


def test_many_measures_are_counted() -> None:
    values = np.random.default_rng(0).random((20, 2, 8))
    values[:, 0] += 0.3 * np.array([1, 1, 1, 1, 1, -1, -1, 1])
    p = bc.pairwise(table(values), n_jobs=1)
    (stack, _), *_ = cells(plots.plot_dominance(p, ax=fresh())).values()
    first, second = p.results.algorithms
    wins = p.comparisons[0].best.split("|").count(f"{first}>{second}")
    assert stack.get_text() == f"{wins} ≻\n{8 - wins} ≺"


@pytest.mark.slow
@pytest.mark.parametrize("measures", [1, 2, 6, 9])
@pytest.mark.parametrize("algorithms", [2, 7])
def test_text_stays_in_its_cell(measures: int, algorithms: int) -> None:
    values = np.random.default_rng(1).random((12, algorithms, measures))
    ax = plots.plot_dominance(bc.pairwise(table(values), n_jobs=1))
    laid_out(ax)
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


@pytest.mark.slow
def test_very_many_keep_colours_and_lose_text() -> None:
    p = random_pairs(60, 0)
    ax = plots.plot_dominance(p)
    assert not ax.texts
    assert not framed(ax)
    image = np.asarray(ax.images[0].get_array())
    names = p.results.algorithms
    for row in p.decide().to_dict("records"):
        i, j = names.index(row["first"]), names.index(row["second"]) - 1
        winner = row["statement"].split(">")[0]
        full = matrices._FILLS["better" if winner == row["first"] else "worse"]
        assert (to_hex(image[i, j]) == full.lower()) == row["asserted"]
    assert len(ax.get_yticklabels()) <= matrices._MOST_TICKS
    assert max(ax.figure.get_size_inches()) < 20


@pytest.mark.parametrize("kind", ["dominance", "critical"])
@pytest.mark.parametrize("which", ["pairs", "tested"])
def test_nothing_is_cut_off(kind: Any, which: str, request: pytest.FixtureRequest) -> None:
    options: Any = {"measure": "auc"} if kind == "critical" else {}
    assert inside(request.getfixturevalue(which).plot(kind, **options), 2.0)
