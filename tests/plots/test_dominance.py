"""The dominance matrix shows what the decision says."""

from __future__ import annotations

import itertools
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSDBootstrap
from bayescompare.plots import matrices
from bayescompare.text.numbers import narrow_probability, narrow_pvalue
from tests.plots.decided import made, random_pairs
from tests.plots.drawn import fresh, title
from tests.tables import table


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
    ax = plots.plot_dominance(p, fdr=fdr, ax=fresh(9, 7))
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
    ax = plots.plot_dominance(mixed, fdr=0.2, ax=fresh(9, 7))
    asserted = int(mixed.decide(fdr=0.2)["asserted"].sum())
    assert "top to bottom auc and brier" in title(ax)
    assert f"a verdict for {asserted} of 28 pairs" in title(ax)


def test_listing_the_algorithms_backwards_turns_every_sign(uci: bc.Results) -> None:
    turned = {"≻": "≺", "≺": "≻", "=": "=", "\n": "\n"}
    names = list(uci.algorithms)
    one = bc.pairwise(uci, measures=["auc", "brier"], n_jobs=1)
    other = bc.pairwise(uci, measures=["auc", "brier"], algorithms=names[::-1], n_jobs=1)
    first, second = (cells(plots.plot_dominance(p, ax=fresh(9, 7))) for p in (one, other))
    assert len(first) == len(second) == 28
    for (row, column), (stack, figure) in first.items():
        mirrored, same = second[column, row]
        assert same.get_text() == figure.get_text()
        assert mirrored.get_text() == "".join(turned[sign] for sign in stack.get_text())


def test_fills_follow_what_is_said_and_how_surely(mixed: bc.Pairwise) -> None:
    ax = plots.plot_dominance(mixed, fdr=0.2, ax=fresh(9, 7))
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
    grey = {k: np.dot(to_rgb(v), [0.299, 0.587, 0.114]) for k, v in matrices._FILLS.items()}
    shades = sorted(grey.values())
    assert min(np.diff(shades)) > 0.12
    # The darkest of the pale ones is lighter than the lightest of the full ones.
    assert 1 - 0.35 * (1 - shades[0]) > shades[-1] + 0.05


def test_against_a_reference_there_is_one_row(uci: bc.Results) -> None:
    p = bc.pairwise(uci, reference="GLM", n_jobs=1)
    ax = plots.plot_dominance(p, ax=fresh(9, 7))
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
    drawn = cells(plots.plot_dominance(p, ax=fresh(9, 7)))
    assert drawn["A", "B"][0].get_text() == "="
    assert drawn["A", "C"][0].get_text() == "≻"
    assert ("B", "C") not in drawn
    p = bc.pairwise(
        uci, method=GSDBootstrap(delta=0, resamples=60), algorithms=["BDS", "RF"], rng=1, n_jobs=1
    )
    assert p.comparisons[0].best == "BDS~RF"
    ax = plots.plot_dominance(p, ax=fresh(9, 7))
    assert cells(ax)["BDS", "RF"][0].get_text() == "~"
    assert "top to bottom" not in title(ax)


def test_many_measures_are_counted() -> None:
    values = np.random.default_rng(0).random((20, 2, 8))
    values[:, 0] += 0.3 * np.array([1, 1, 1, 1, 1, -1, -1, 1])
    p = bc.pairwise(table(values), n_jobs=1)
    (stack, _), *_ = cells(plots.plot_dominance(p, ax=fresh(9, 7))).values()
    best = p.comparisons[0].best.split("|")
    first, second = p.results.algorithms
    wins = best.count(f"{first}>{second}")
    assert stack.get_text() == f"{wins} ≻\n{8 - wins} ≺"


@pytest.mark.slow
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


def test_a_tiny_axes_has_no_unreadable_text(pairs: bc.Pairwise) -> None:
    assert not plots.plot_dominance(pairs, ax=fresh(1.5, 1.5)).texts
