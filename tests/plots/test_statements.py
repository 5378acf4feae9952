"""Bars of statements: what stands on the Axes is what stands in the comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.plots import _drawing
from bayescompare.plots._drawing import BLUE, clip_statement
from tests.methods.gsd.cases import ask
from tests.plots.dominated import leading_without_a_dataset
from tests.plots.drawn import fresh, results_of, texts, ticks, title
from tests.tables import table


def widths(ax: Axes) -> list[float]:
    return [bar.get_width() for bar in ax.patches]


def segments(ax: Axes, which: int) -> np.ndarray[Any, Any]:
    """Ends (n, 2) on x of the error bars drawn first, second, ..."""
    lines = ax.collections[which].get_segments()
    return np.array([line[:, 0] for line in lines])


@pytest.fixture(scope="module")
def joint() -> bc.Comparison:
    return bc.compare(bc.load_example("jansen-uci"))


def test_bars_are_the_probabilities_best_on_top(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, ax=fresh())
    table = example1.summary()
    assert ticks(ax) == list(table.index)
    np.testing.assert_allclose(widths(ax), table["probability"])
    middles = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    on_screen = ax.transData.transform([(0.0, y) for y in middles])[:, 1]
    assert list(on_screen) == sorted(on_screen, reverse=True)


def test_every_row_prints_probability_and_count(example1: bc.Comparison) -> None:
    shown = texts(plots.plot_statements(example1, ax=fresh()))
    assert shown[:4] == ["P = 0.798", "n = 6", "P = 0.138", "n = 3"]
    assert shown[4:] == ["P = 0.052", "n = 2", "P = 0.012", "n = 1"]


def test_figures_stand_in_their_own_row_outside_the_bars(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, ax=fresh())
    right = ax.get_window_extent().x1
    for k, text in enumerate(ax.texts):
        assert text.get_position()[1] == k // 2
        assert text.get_window_extent().x0 > right


def test_theta_is_at_mean_and_interval(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, ax=fresh())
    table = example1.summary()
    np.testing.assert_allclose(segments(ax, 0), table[["theta_lower", "theta_upper"]])
    (dots,) = (line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(dots.get_xdata(), table["theta_mean"])
    for y, bar in zip(dots.get_ydata(), ax.patches, strict=True):
        assert bar.get_y() + bar.get_height() < y < bar.get_y() + 1


def test_title_is_the_verdict(example1: bc.Comparison) -> None:
    title = plots.plot_statements(example1, ax=fresh()).get_title(loc="left")
    assert title.replace("\n", " ") == example1.headline()


def test_legend_tells_which_is_which(example1: bc.Comparison) -> None:
    legend = plots.plot_statements(example1, ax=fresh()).get_legend()
    assert legend is not None
    words = [text.get_text() for text in legend.get_texts()]
    assert words == [
        "P(it is the most probable statement)",
        "θ: how often it holds (mean, 95 % interval)",
    ]


def test_imprecise_bounds_are_whiskers() -> None:
    method = bc.methods.Dirichlet(prior="imprecise")
    c = bc.compare(bc.load_example("pnn"), method=method)
    ax = plots.plot_statements(c, ax=fresh())
    np.testing.assert_allclose(
        segments(ax, 0), c.summary()[["lower", "upper"]].to_numpy(), atol=1e-12
    )
    legend = ax.get_legend()
    assert legend is not None
    assert "bounds over all prior means" in [text.get_text() for text in legend.get_texts()]


def test_monte_carlo_errors_are_whiskers(example1: bc.Comparison) -> None:
    answer = replace(example1.answer, mcse=np.array([0.001, 0.002, 0.003, 0.02]))
    ax = plots.plot_statements(replace(example1, answer=answer), ax=fresh())
    best = 0.798213587235
    np.testing.assert_allclose(segments(ax, 0)[0], [best - 0.04, best + 0.04])
    legend = ax.get_legend()
    assert legend is not None
    assert "± 2 Monte Carlo standard errors" in [text.get_text() for text in legend.get_texts()]


def test_exact_answers_have_no_whiskers(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, ax=fresh())
    assert len(ax.collections) == 1  # the intervals of θ


def test_frequentist_bars_are_counts_and_the_title_has_p() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"), method="glrt")
    ax = plots.plot_statements(c, ax=fresh())
    assert widths(ax) == [6, 3, 2, 1]
    assert texts(ax) == ["n = 6", "n = 3", "n = 2", "n = 1"]
    assert "p = 0.313" in ax.get_title(loc="left").replace("\n", " ")
    assert ax.get_xlabel() == "number of datasets"
    assert ax.get_legend() is None


def test_most_leaves_the_rest_in_one_bar(example1: bc.Comparison) -> None:
    ax = plots.plot_statements(example1, most=2, ax=fresh())
    assert ticks(ax) == ["B>A|B>A", "B>A|A>B", "2 others"]
    probability = example1.summary()["probability"].to_numpy()
    np.testing.assert_allclose(widths(ax), [*probability[:2], probability[2:].sum()])
    assert texts(ax)[-1] == "n = 3"


def test_a_single_other_is_named(example1: bc.Comparison) -> None:
    assert ticks(plots.plot_statements(example1, most=3, ax=fresh()))[-1] == "A>B|A>B"


def test_negligible_statements_share_a_bar() -> None:
    c = bc.compare(results_of({"A": [1.0] * 30, "B": [2.0] * 30}, rope=0.1))
    ax = plots.plot_statements(c, ax=fresh())
    assert ticks(ax) == ["B>A", "2 others"]
    assert texts(ax) == ["P > 0.999", "n = 30", "P < 0.001", "n = 0"]


def test_bars_of_all_statements_add_up_to_one(joint: bc.Comparison) -> None:
    ax = plots.plot_statements(joint, ax=fresh())
    assert len(ax.patches) == 22
    assert ticks(ax)[-2] == "41,452 others"
    assert ticks(ax)[-1].startswith("never observed")
    np.testing.assert_allclose(sum(widths(ax)), 1.0, atol=1e-6)
    np.testing.assert_allclose(widths(ax)[-1], joint.unobserved)


def test_best_is_on_top_when_tied(joint: bc.Comparison) -> None:
    ax = plots.plot_statements(joint, ax=fresh())
    assert ticks(ax)[0].replace("\n", "") == joint.best
    assert ax.patches[0].get_facecolor() == to_rgba(_drawing.BLUE)
    assert all(bar.get_facecolor() != to_rgba(_drawing.BLUE) for bar in ax.patches[1:])


def test_long_labels_are_broken_after_a_measure(joint: bc.Comparison) -> None:
    for label in ticks(plots.plot_statements(joint, ax=fresh()))[:20]:
        lines = label.split("\n")
        assert len(lines) == 3
        assert all(len(line) <= 41 for line in lines)
        assert all(line.endswith("|") for line in lines[:-1])


@pytest.mark.parametrize("algorithms", [["GBM", "RF"], ["GBM", "RF", "BDS"], None])
def test_nothing_is_cut_off(algorithms: list[str] | None) -> None:
    c = bc.compare(bc.load_example("jansen-uci"), algorithms=algorithms)
    ax = c.plot()
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    inside = figure.bbox.padded(1.0)
    box = ax.get_tightbbox()
    assert box is not None
    assert inside.x0 <= box.x0
    assert box.x1 <= inside.x1
    assert inside.y0 <= box.y0
    assert box.y1 <= inside.y1
    plt.close(figure)


@pytest.mark.parametrize("most", [0, -1, 2.0, True, "all"])
def test_most_is_checked(example1: bc.Comparison, most: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="most="):
        plots.plot_statements(example1, most=most, ax=fresh())


def test_a_mean_outside_its_interval_is_drawn(results: bc.Results) -> None:
    """A skewed θ has its mean above the 97.5 % point, and one that never moves beside it."""
    c = bc.compare(results)
    extra = {
        "theta_mean": np.array([0.1, 0.2, 0.3, 0.4]),
        "theta_lower": np.array([0.0, 0.2 + 1e-16, 0.1, 0.1]),
        "theta_upper": np.array([0.05, 0.2 - 1e-16, 0.5, 0.6]),
    }
    skewed = replace(c, answer=replace(c.answer, per_statement=extra))
    skewed.plot("statements", ax=Figure().subplots())


def test_a_clipped_statement_still_says_who_is_better() -> None:
    first, second = "first-" + "x" * 40, "second-" + "y" * 40
    said = {
        clip_statement(s, 30)
        for s in (f"{first}>{second}", f"{second}>{first}", f"{first}={second}")
    }
    assert len(said) == 3
    assert all(len(label) <= 30 for label in said)
    assert sorted(label.count(">") for label in said) == [0, 1, 1]


def test_long_names_do_not_double_the_title_of_the_bars() -> None:
    names = ["first-" + "x" * 40, "second-" + "y" * 40]
    values = np.random.default_rng(0).random((9, 2, 3))
    data = table(values).data.assign_coords(algorithm=names)
    results = bc.Results(data, dict.fromkeys(table(values).measures, "max"))
    shown = title(plots.plot_statements(bc.compare(results), ax=fresh(9, 7)))
    assert shown.count("is the most probable statement") == 1
    assert shown.count("first-") + shown.count("firs") <= 6


def bars(ax: Axes) -> dict[str, str]:
    labels = [label.get_text() for label in ax.get_yticklabels()]
    return dict(
        zip(labels, (to_hex(b.get_facecolor()) for b in ax.containers[0].patches), strict=True)  # type: ignore[attr-defined]
    )


def test_the_bar_of_the_verdict_stands_out(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=50), algorithms=["CART", "GBM"], rng=1)
    ax = c.plot(ax=fresh())
    assert bars(ax)["GBM>CART"] == to_hex(BLUE)
    assert title(ax).startswith("GBM dominates CART in these data (two-sided p = ")


def test_the_verdict_stands_out_even_without_a_dataset_that_is_all_its_own() -> None:
    c = leading_without_a_dataset()
    assert c.best == "A>B"
    shown = bars(c.plot(ax=fresh()))
    assert shown["A>B"] == to_hex(BLUE)
    assert shown["B>A"] != to_hex(BLUE)


def test_the_verdict_is_listed_even_if_every_dataset_is_mixed() -> None:
    cells = np.random.default_rng(0).random((6, 2, 2))
    cells[:, 0] = cells[:, 1] + [0.2, -0.1]
    c = ask(table(cells))
    assert c.best in bars(c.plot(ax=fresh()))


def test_bootstrap_bars_are_the_probabilities(uci: bc.Results) -> None:
    c = ask(uci, GSDBootstrap(delta=0, resamples=150), algorithms=["BDS", "RF"], rng=1)
    ax = c.plot(ax=fresh())
    labels = [label.get_text() for label in ax.get_yticklabels()]
    widths = [bar.get_width() for bar in ax.containers[0].patches]  # type: ignore[attr-defined]
    expected = [float(c.probability.sel(statement=label)) for label in labels]
    np.testing.assert_allclose(widths, expected)
    assert labels[0] == c.best == "BDS~RF"
