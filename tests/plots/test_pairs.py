"""The heat map shows the matrix, and the signs of every pair say what was decided."""

from __future__ import annotations

from collections import Counter

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD
from bayescompare.plots._drawing import readable_on
from bayescompare.plots.pairs import staircase_pen, states_of_pairs
from bayescompare.report import render
from bayescompare.text.numbers import narrow_probability
from tests.plots.drawn import apart, fresh, laid_out, pairs_of, random_pairs, ticks, title

# the staircase ------------------------------------------------------------------------------------


def test_marks_of_the_staircase_are_the_verdicts() -> None:
    p = pairs_of(8)
    decided, states = p.decide(), states_of_pairs(p, p.decision)
    held = decided[decided["decision"] == "better"]
    wins = {pair for pair, (state, _) in states.items() if state == "wins"}
    assert wins == set(zip(held["first"], held["second"], strict=True))
    for (first, second), (state, side) in states.items():
        rows = p.parts.loc[(first, second)]
        better = set(rows.loc[rows["word"] == "better", "ahead"])
        if state == "wins":
            assert better == {(first, second)[side]}
        assert (state in ("open", "leads", "leadsplit", "tied")) == (not better)


def test_pairs_in_another_order_turn_their_signs() -> None:
    p = pairs_of(8)
    names = list(p.decision.names)

    def directions(order: list[str]) -> Counter[str]:
        items = staircase_pen(p, p.decision, order).items
        return Counter(
            v["fill"] for kind, v in items if kind == "shape" and v["fill"] in "ab" and v["tip"]
        )

    forwards, backwards = directions(names), directions(names[::-1])
    assert forwards.total() == (p.decide()["decision"] == "better").sum()
    assert (forwards["a"], forwards["b"]) == (backwards["b"], backwards["a"])


# the heat map -------------------------------------------------------------------------------------


def test_the_heat_map_is_the_matrix(pairs: bc.Pairwise, uci: bc.Results) -> None:
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
    # A one-sided p-value has a direction.
    method, names = GSD(permutations=199), ["GBM", "CART", "RF"]
    p = bc.pairwise(uci, method=method, algorithms=names, rng=1, n_jobs=1)
    image = np.ma.filled(p.plot(ax=fresh()).images[0].get_array(), np.nan)
    np.testing.assert_array_equal(image, p.matrix.values)


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


def test_a_large_heat_map_has_no_cell_text_and_few_ticks() -> None:
    ax = plots.plot_matrix(random_pairs(90, 0))
    assert len(ax.texts) == 0
    assert len(ticks(ax)) == 45
    assert max(ax.figure.get_size_inches()) < 20


def test_cell_text_fits_small_axes(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=fresh(3, 3))
    laid_out(ax)
    assert apart([text.get_window_extent() for text in ax.texts])


def test_the_heat_map_is_directed(uci: bc.Results) -> None:
    method, names = GSD(permutations=199), ["GBM", "CART", "RF"]
    p = bc.pairwise(uci, method=method, algorithms=names, rng=1, n_jobs=1)
    image = np.ma.filled(p.plot(ax=fresh()).images[0].get_array(), np.nan)
    np.testing.assert_array_equal(image, p.matrix.values)


def test_to_dominate_is_not_to_be_better_on_all_measures(bootstrapped: bc.Pairwise) -> None:
    assert "better than column on all" not in title(bootstrapped.plot(ax=fresh()))
    assert "better than column on every measure" not in render(bootstrapped, "markdown")
