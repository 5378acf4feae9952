"""What all plots share: the Axes, names as they are, kinds, and settings left untouched."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots import _drawing
from tests.plots.drawn import arrows, fresh, links, network_of, nodes, results_of, texts, ticks


def as_network(c: bc.Comparison) -> Any:
    """The same results on two measures, one of them with an odd name."""
    frame = c.results.to_frame()
    measure = c.results.measures[0]
    frame["$again_1"] = frame[measure]
    results = bc.Results.from_frame(frame, measures={measure: "max", "$again_1": "max"})
    return bc.compare(results, method="network")


EVERY = {
    "network": lambda c, p, ax: plots.plot_network(as_network(c), ax=ax),
    "statements": lambda c, p, ax: plots.plot_statements(c, ax=ax),
    "simplex": lambda c, p, ax: plots.plot_simplex(c, draws=50, ax=ax),
    "matrix": lambda c, p, ax: plots.plot_matrix(p, ax=ax),
    "order": lambda c, p, ax: plots.plot_order(p, ax=ax),
    "comparison": lambda c, p, ax: c.plot(ax=ax),
    "pairwise": lambda c, p, ax: p.plot(ax=ax),
}

every = pytest.mark.parametrize("draw", EVERY.values(), ids=EVERY)


@every
def test_the_axes_given_are_used_and_no_figure_is_opened(
    draw: Any, three_states: bc.Comparison, pairs: bc.Pairwise
) -> None:
    before = plt.get_fignums()
    ax = fresh()
    assert draw(three_states, pairs, ax) is ax
    assert plt.get_fignums() == before


@every
def test_without_axes_one_figure_is_opened(
    draw: Any, three_states: bc.Comparison, pairs: bc.Pairwise
) -> None:
    before = plt.get_fignums()
    ax = draw(three_states, pairs, None)
    opened = set(plt.get_fignums()) - set(before)
    assert len(opened) == 1
    assert ax.get_figure().number in opened
    plt.close(ax.get_figure())


@every
def test_settings_are_untouched(draw: Any, three_states: bc.Comparison, pairs: bc.Pairwise) -> None:
    before = dict(mpl.rcParams)
    plt.close(draw(three_states, pairs, None).get_figure())
    assert dict(mpl.rcParams) == before


@every
def test_axes_of_a_subfigure_will_do(
    draw: Any, three_states: bc.Comparison, pairs: bc.Pairwise
) -> None:
    figure = Figure(figsize=(9, 5), layout="constrained")
    left, _ = figure.subfigures(1, 2)
    ax = left.subplots()
    assert draw(three_states, pairs, ax) is ax
    figure.canvas.draw()


def test_emoji_names_can_be_drawn_where_a_font_has_them() -> None:
    c = bc.compare(results_of({"🦊": [1.0, 2.0, 3.0], "算法": [0.0, 1.0, 2.0]}))
    ax = c.plot(ax=fresh())
    assert ticks(ax)[0] == "🦊>算法"


def test_long_names_are_clipped() -> None:
    names = {("x" * 80) + str(k): [float(k), float(k)] for k in range(3)}
    p = bc.pairwise(results_of(names), n_jobs=1)
    # Beside a matrix there is room for 40 letters, in a box of the order for two lines of 26, and
    # in the network's narrow boxes for 24.
    assert {len(label) for label in ticks(plots.plot_matrix(p, ax=fresh()))} == {40}
    boxes = [name.split("\n") for name in nodes(plots.plot_order(p, ax=fresh()))]
    assert {len("".join(lines)) for lines in boxes} == {40}
    assert all(len(line) <= 26 for lines in boxes for line in lines)
    c = network_of(2, 1, names=[("y" * 80) + str(k) for k in range(3)])
    assert (
        sum(len(text) <= 24 and "y" in text for text in texts(c.plot("network", ax=fresh()))) == 3
    )


def test_kind_chooses(three_states: bc.Comparison, pairs: bc.Pairwise) -> None:
    assert three_states.plot("statements", ax=fresh()).get_xlabel() == "probability"
    assert len(three_states.plot("simplex", ax=fresh()).collections) == 3
    assert len(pairs.plot("matrix", ax=fresh()).images) == 1
    assert arrows(pairs.plot("order", ax=fresh()))
    assert links(as_network(three_states).plot("network", ax=fresh()), "→")


def test_the_error_rate_reaches_the_order(pairs: bc.Pairwise) -> None:
    drawn = arrows(plots.plot_pairwise(pairs, kind="order", fdr=0.2, ax=fresh()))
    assert drawn == arrows(plots.plot_order(pairs, fdr=0.2, ax=fresh()))
    assert drawn != arrows(pairs.plot("order", ax=fresh()))
    assert len(plots.plot_pairwise(pairs, kind="matrix", fdr=0.2, ax=fresh()).images) == 1


def test_unknown_kinds_are_refused(example1: bc.Comparison, pairs: bc.Pairwise) -> None:
    with pytest.raises(
        bc.BayescompareError, match=r"Unknown plot 'simplx': set kind= .*Did you mean 'simplex'"
    ):
        plots.plot_comparison(example1, kind="simplx")
    with pytest.raises(bc.BayescompareError, match=r"Unknown plot 'heat': set kind= .*matrix"):
        plots.plot_pairwise(pairs, kind="heat")


@pytest.mark.parametrize("sign", ["=", "<", ">"])
def test_a_title_does_not_break_within_a_figure(sign: str) -> None:
    for words in range(3, 30):
        ax = Figure(figsize=(2.0, 2.0)).subplots()
        _drawing.set_title(ax, f"{'it ' * words}has P {sign} 0.999 here", inches=2.2)
        assert f"P {sign} 0.999" in ax.get_title(loc="left")
