"""Bars and triangles of statements: what is drawn is what stands in the comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD
from bayescompare.plots._drawing import BLUE, clip_statement
from tests.methods.gsd.cases import ask
from tests.plots.drawn import (
    fresh,
    inside,
    leading_without_a_dataset,
    legend,
    results_of,
    segments,
    texts,
    ticks,
    title,
)
from tests.tables import table

P_BARS, THETA = (
    "P(it is the most probable statement)",
    "θ: how often it holds (mean, 95 % interval)",
)


def widths(ax: Axes) -> list[float]:
    return [bar.get_width() for bar in ax.patches]  # type: ignore[attr-defined]


def fills(ax: Axes) -> dict[str, str]:
    bars = ax.containers[0].patches  # type: ignore[attr-defined]
    return dict(zip(ticks(ax), (to_hex(bar.get_facecolor()) for bar in bars), strict=True))


@pytest.fixture(scope="module")
def joint(uci: bc.Results) -> bc.Comparison:
    return bc.compare(uci)


def test_bars_are_the_probabilities_best_on_top(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, ax=fresh())
    table = example1.summary()
    assert ticks(ax) == list(table.index)
    np.testing.assert_allclose(widths(ax), table["probability"])
    middles = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]  # type: ignore[attr-defined]
    on_screen = ax.transData.transform([(0.0, y) for y in middles])[:, 1]
    assert list(on_screen) == sorted(on_screen, reverse=True)
    assert title(ax) == example1.headline()
    assert legend(ax) == [P_BARS, THETA]
    # Every row prints probability and count, outside the bars.
    sure = ["P = 0.798", "P = 0.138", "P = 0.052", "P = 0.012"]
    assert texts(ax)[::2] == sure
    assert texts(ax)[1::2] == ["n = 6", "n = 3", "n = 2", "n = 1"]
    right = ax.get_window_extent().x1
    for k, text in enumerate(ax.texts):
        assert text.get_position()[1] == k // 2
        assert text.get_window_extent().x0 > right


def test_theta_is_at_mean_and_interval(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, ax=fresh())
    table = example1.summary()
    assert len(ax.collections) == 1  # an exact answer has no whiskers
    np.testing.assert_allclose(segments(ax, 0), table[["theta_lower", "theta_upper"]])
    (dots,) = (line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(dots.get_xdata(), table["theta_mean"])
    for y, bar in zip(dots.get_ydata(), ax.patches, strict=True):  # type: ignore[arg-type]
        assert bar.get_y() + bar.get_height() < y < bar.get_y() + 1  # type: ignore[attr-defined]


def test_imprecise_bounds_are_whiskers() -> None:
    c = bc.compare(bc.load_example("pnn"), method=bc.methods.Dirichlet(prior="imprecise"))
    ax = plots.plot_statements(c, ax=fresh())
    bounds = c.summary()[["lower", "upper"]].to_numpy()
    np.testing.assert_allclose(segments(ax, 0), bounds, atol=1e-12)
    assert "bounds over all prior means" in legend(ax)


def test_monte_carlo_errors_are_whiskers(example1: bc.Comparison) -> None:
    answer = replace(example1.answer, mcse=np.array([0.001, 0.002, 0.003, 0.02]))
    ax = plots.plot_statements(replace(example1, answer=answer), ax=fresh())
    best = 0.798213587235
    np.testing.assert_allclose(segments(ax, 0)[0], [best - 0.04, best + 0.04])
    assert "± 2 Monte Carlo standard errors" in legend(ax)


def test_frequentist_bars_are_counts_and_the_title_has_p(results: bc.Results) -> None:
    ax = plots.plot_statements(bc.compare(results, method="glrt"), ax=fresh())
    assert widths(ax) == [6, 3, 2, 1]
    assert texts(ax) == ["n = 6", "n = 3", "n = 2", "n = 1"]
    assert "p = 0.313" in title(ax)
    assert ax.get_xlabel() == "number of datasets"
    assert legend(ax) == []


def test_most_leaves_the_rest_in_one_bar(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, most=2, ax=fresh())
    assert ticks(ax) == ["B>A|B>A", "B>A|A>B", "2 others"]
    probability = example1.summary()["probability"].to_numpy()
    np.testing.assert_allclose(widths(ax), [*probability[:2], probability[2:].sum()])
    assert texts(ax)[-1] == "n = 3"
    # A single other one is named.
    assert ticks(plots.plot_statements(example1, most=3, ax=fresh()))[-1] == "A>B|A>B"
    for most in (0, -1, 2.0, True, "all"):
        with pytest.raises(bc.BayescompareError, match="most="):
            plots.plot_statements(example1, most=most, ax=fresh())  # type: ignore[arg-type]


def test_negligible_statements_share_a_bar() -> None:
    c = bc.compare(results_of({"A": [1.0] * 30, "B": [2.0] * 30}, rope=0.1))
    ax = plots.plot_statements(c, ax=fresh())
    assert ticks(ax) == ["B>A", "2 others"]
    assert texts(ax) == ["P > 0.999", "n = 30", "P < 0.001", "n = 0"]


def test_bars_of_very_many_statements(joint: bc.Comparison) -> None:
    ax = plots.plot_statements(joint, ax=fresh())
    shown = ticks(ax)
    assert len(ax.patches) == 22
    assert shown[-2] == "41,452 others"
    assert shown[-1].startswith("never observed")
    np.testing.assert_allclose(sum(widths(ax)), 1.0, atol=1e-6)
    np.testing.assert_allclose(widths(ax)[-1], joint.unobserved)
    # The best is on top though it is tied, in a colour of its own.
    assert shown[0].replace("\n", "") == joint.best
    blue = [bar.get_facecolor() == to_rgba(BLUE) for bar in ax.patches]
    assert blue == [True, *[False] * 21]
    # Long labels are broken after a measure.
    for lines in (label.split("\n") for label in shown[:20]):
        assert len(lines) == 3
        assert all(len(line) <= 41 for line in lines)
        assert all(line.endswith("|") for line in lines[:-1])


def test_nothing_is_cut_off(example1: bc.Comparison, joint: bc.Comparison) -> None:
    assert inside(example1.plot())
    assert inside(joint.plot())


def test_a_mean_outside_its_interval_is_drawn(example1: bc.Comparison) -> None:
    """A skewed θ has its mean above the 97.5 % point, and one that never moves beside it."""
    extra = {
        "theta_mean": np.array([0.1, 0.2, 0.3, 0.4]),
        "theta_lower": np.array([0.0, 0.2 + 1e-16, 0.1, 0.1]),
        "theta_upper": np.array([0.05, 0.2 - 1e-16, 0.5, 0.6]),
    }
    skewed = replace(example1, answer=replace(example1.answer, per_statement=extra))
    assert THETA in legend(skewed.plot("statements", ax=fresh()))


def test_a_clipped_statement_still_says_who_is_better() -> None:
    first, second = "first-" + "x" * 40, "second-" + "y" * 40
    whole = (f"{first}>{second}", f"{second}>{first}", f"{first}={second}")
    said = {clip_statement(s, 30) for s in whole}
    assert len(said) == 3
    assert all(len(label) <= 30 for label in said)
    assert sorted(label.count(">") for label in said) == [0, 1, 1]
    c = bc.compare(table(np.random.default_rng(0).random((9, 2, 3)), names=[first, second]))
    shown = title(plots.plot_statements(c, ax=fresh()))
    assert shown.count("is the most probable statement") == 1
    assert shown.count("first-") + shown.count("firs") <= 6


def test_the_bar_of_the_verdict_stands_out(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=50), algorithms=["CART", "GBM"], rng=1)
    ax = c.plot(ax=fresh())
    assert fills(ax)["GBM>CART"] == to_hex(BLUE)
    assert title(ax).startswith("GBM dominates CART in these data (two-sided p = ")
    # Even without a dataset that is all its own, and where every dataset is mixed.
    c = leading_without_a_dataset()
    assert c.best == "A>B"
    shown = fills(c.plot(ax=fresh()))
    assert shown["A>B"] == to_hex(BLUE)
    assert shown["B>A"] != to_hex(BLUE)
    cells = np.random.default_rng(0).random((6, 2, 2))
    cells[:, 0] = cells[:, 1] + [0.2, -0.1]
    c = ask(table(cells))
    assert c.best in fills(c.plot(ax=fresh()))


def test_bootstrap_bars_are_the_probabilities(bootstrapped: bc.Pairwise) -> None:
    c = bootstrapped["BDS", "RF"]
    ax = c.plot(ax=fresh())
    assert ticks(ax)[0] == c.best == "BDS~RF"
    expected = [float(c.probability.sel(statement=label)) for label in ticks(ax)]
    np.testing.assert_allclose(widths(ax), expected)


# three statements ---------------------------------------------------------------------------------


def test_points_of_a_triangle_lie_in_the_regions_of_their_corners(
    three_states: bc.Comparison,
) -> None:
    ax = plots.plot_simplex(three_states, draws=4000, ax=fresh())
    corners = np.array([text.xy for text in ax.texts])  # type: ignore[attr-defined]
    for k, (label, found) in enumerate(zip(("A>B", "B>A", "A=B"), ax.collections, strict=True)):
        drawn: Any = np.asarray(found.get_offsets())
        assert (drawn[:, 1] >= -1e-9).all()
        edge = 2 * np.sqrt(0.75) * np.minimum(drawn[:, 0], 1 - drawn[:, 0])
        assert (drawn[:, 1] <= edge + 1e-9).all()
        distance = np.linalg.norm(drawn[:, None] - corners[None], axis=2)
        assert (distance.argmin(axis=1) == k).all()
        # The share of points in a region is about the probability that is printed at its corner.
        p = float(three_states.probability.sel(statement=label))
        assert len(drawn) / 4000 == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000))
        assert f"{label}\nP = {p:.3f}" in texts(ax)


def test_a_triangle_uses_the_posterior_that_the_answer_came_from(
    three_states: bc.Comparison,
) -> None:
    tree = three_states.draws(50, chains=2, rng=3)
    sampled = replace(three_states, answer=replace(three_states.answer, tree=tree))
    for draws, expected in ((2000, 100), (40, 40)):
        ax = plots.plot_simplex(sampled, draws=draws, ax=fresh())
        assert sum(len(found.get_offsets()) for found in ax.collections) == expected  # type: ignore[arg-type]
    one, other = (plots.plot_simplex(three_states, draws=50, ax=fresh()) for _ in range(2))
    for first, second in zip(one.collections, other.collections, strict=True):
        np.testing.assert_array_equal(first.get_offsets(), second.get_offsets())


def test_a_triangle_needs_three_statements_and_draws(
    example1: bc.Comparison, three_states: bc.Comparison
) -> None:
    with pytest.raises(bc.BayescompareError, match=r"exactly three .* there are 4"):
        example1.plot("simplex")
    with pytest.raises(bc.BayescompareError, match="dirichlet"):
        bc.compare(three_states.results, method="glrt").plot("simplex", ax=fresh())
