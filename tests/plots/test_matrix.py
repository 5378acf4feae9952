"""The heat map of all pairs shows the matrix, and only the pairs that were compared."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.plots._drawing import readable_on
from bayescompare.report import render
from bayescompare.text import numbers
from tests.plots.dominated import arrows
from tests.plots.drawn import fresh, results_of, ticks, title


def test_heat_map_is_the_matrix(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=fresh())
    shown = ax.images[0].get_array()
    assert shown is not None
    np.testing.assert_array_equal(np.ma.filled(shown, np.nan), pairs.matrix.values)
    assert ticks(ax) == list(pairs.results.algorithms)
    assert [label.get_text() for label in ax.get_xticklabels()] == ticks(ax)
    assert ax.images[0].get_clim() == (0.0, 1.0)


def test_heat_map_prints_its_values(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=fresh())
    found = {text.get_position(): text.get_text() for text in ax.texts}
    assert len(found) == 8 * 7
    for (i, j), value in np.ndenumerate(pairs.matrix.values):
        if i != j:
            assert found[j, i] == numbers.narrow_probability(value)


def test_heat_map_of_p_values_differs(pairs: bc.Pairwise, tested: bc.Pairwise) -> None:
    bayesian, classical = fresh(), fresh()
    plots.plot_matrix(pairs, ax=bayesian)
    plots.plot_matrix(tested, ax=classical)
    labels = []
    for ax in (bayesian, classical):
        figure = ax.get_figure()
        assert figure is not None
        labels.append(figure.axes[1].get_ylabel())
    assert labels == ["P(row better than column)", "p-value"]

    def darkness(ax: Axes, value: float) -> float:
        return 1 - float(np.mean(ax.images[0].to_rgba(np.array([value]))[0][:3]))

    assert darkness(bayesian, 1.0) > darkness(bayesian, 0.0)
    assert darkness(classical, 0.0) > darkness(classical, 1.0)


def test_pairs_not_compared_are_grey() -> None:
    p = bc.pairwise(bc.load_example("jansen-uci"), reference="CART", n_jobs=1)
    ax = plots.plot_matrix(p, ax=fresh())
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


def large(n: int) -> bc.Pairwise:
    """A pairwise of n algorithms without the work: every pair shares the answer of one."""
    names = [f"algorithm {k:03d}" for k in range(n)]
    values = {name: [float(k), float(k), float(n - k)] for k, name in enumerate(names)}
    whole = results_of(values)
    first = bc.compare(whole, algorithms=names[:2])
    comparisons = tuple(
        replace(first, results=whole.sel(algorithms=[a, b]), answer=_renamed(first, names, a, b))
        for a, b in itertools.combinations(names, 2)
    )
    return bc.Pairwise(whole, first.method, comparisons)


def _renamed(c: bc.Comparison, names: list[str], a: str, b: str) -> Any:
    new = {names[0]: a, names[1]: b}
    labels = tuple(">".join(new[x] for x in label.split(">")) for label in c.answer.labels)
    return replace(c.answer, labels=labels, states=(labels,))


@pytest.mark.slow
def test_large_heat_map_has_no_cell_text_and_few_ticks() -> None:
    p = large(100)
    ax = plots.plot_matrix(p)
    assert len(ax.texts) == 0
    assert ticks(ax) == list(p.results.algorithms[::2])
    assert max(ax.figure.get_size_inches()) < 20


def test_cell_text_fits_a_small_axes(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=Figure(figsize=(3, 3)).subplots())
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


def test_the_heat_map_is_directed(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=499), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    ax = p.plot(ax=fresh())
    image = np.ma.filled(ax.images[0].get_array(), np.nan)
    np.testing.assert_array_equal(image, p.matrix.values)
    ax = p.plot("order", ax=fresh())
    assert arrows(ax) == {"GBM>CART", "RF>CART"}


def test_the_heat_map_of_the_bootstrap_says_dominance(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSDBootstrap(resamples=50), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    # To dominate is not to be better on all three measures.
    assert "better than column on all" not in title(p.plot(ax=fresh()))
    assert "better than column on every measure" not in render(p, "markdown")
