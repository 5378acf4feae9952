"""Pictures: what stands on the Axes must be what stands in the result."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.plots import _drawing
from bayescompare.plots.matrix import readable
from bayescompare.text import numbers


def fresh() -> Axes:
    return Figure(figsize=(8, 6)).subplots()


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def ticks(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def widths(ax: Axes) -> list[float]:
    return [bar.get_width() for bar in ax.patches]


def segments(ax: Axes, which: int) -> np.ndarray[Any, Any]:
    """Ends (n, 2) on x of the error bars drawn first, second, ..."""
    lines = ax.collections[which].get_segments()
    return np.array([line[:, 0] for line in lines])


def results_of(values: dict[str, list[float]], **measure: Any) -> bc.Results:
    """One measure, higher is better; `values` by algorithm."""
    rows = [(f"d{i}", name, v) for name, vs in values.items() for i, v in enumerate(vs)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    return bc.Results.from_frame(frame, measures={"score": bc.Measure("max", **measure)})


@pytest.fixture(scope="module")
def example1() -> bc.Comparison:
    return bc.compare(bc.load_example("benavoli-example1"))


@pytest.fixture(scope="module")
def three_states() -> bc.Comparison:
    difference = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, -3.0, -3.0]
    return bc.compare(results_of({"A": difference, "B": [0.0] * 10}, rope=1.0))


@pytest.fixture(scope="module")
def joint() -> bc.Comparison:
    return bc.compare(bc.load_example("jansen-uci"))


@pytest.fixture(scope="module")
def pairs() -> bc.Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)


@pytest.fixture(scope="module")
def tested_pairs() -> bc.Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), method="glrt", n_jobs=1)


# ----------------------------------------------------------------------------------- statement bars


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


# ------------------------------------------------------------------------------------------ simplex


def test_simplex_points_lie_in_the_triangle(three_states: bc.Comparison) -> None:
    ax = plots.plot_simplex(three_states, draws=1500, ax=fresh())
    points = np.vstack([np.asarray(found.get_offsets()) for found in ax.collections])
    assert points.shape == (1500, 2)
    height = np.sqrt(0.75)
    assert (points[:, 1] >= -1e-9).all()
    assert (points[:, 1] <= 2 * height * np.minimum(points[:, 0], 1 - points[:, 0]) + 1e-9).all()


def test_simplex_regions_agree_with_the_probabilities(three_states: bc.Comparison) -> None:
    ax = plots.plot_simplex(three_states, draws=4000, ax=fresh())
    shares = [len(found.get_offsets()) / 4000 for found in ax.collections]
    by_label = dict(zip(["A>B", "B>A", "A=B"], shares, strict=True))
    for label, share in by_label.items():
        p = float(three_states.probability.sel(statement=label))
        assert share == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000))
        assert f"{label}\nP = {p:.3f}" in texts(ax)


def test_simplex_points_are_nearest_to_the_corner_of_their_region(
    three_states: bc.Comparison,
) -> None:
    ax = plots.plot_simplex(three_states, draws=500, ax=fresh())
    corners = np.array([text.xy for text in ax.texts])
    for k, found in enumerate(ax.collections):
        points = np.asarray(found.get_offsets())
        distance = np.linalg.norm(points[:, None] - corners[None], axis=2)
        assert (distance.argmin(axis=1) == k).all()


def test_simplex_uses_the_posterior_that_the_answer_came_from(
    three_states: bc.Comparison,
) -> None:
    tree = three_states.draws(50, chains=2, rng=3)
    sampled = replace(three_states, answer=replace(three_states.answer, tree=tree))
    ax = plots.plot_simplex(sampled, ax=fresh())
    assert sum(len(found.get_offsets()) for found in ax.collections) == 100
    again = plots.plot_simplex(sampled, draws=40, ax=fresh())
    assert sum(len(found.get_offsets()) for found in again.collections) == 40


def test_simplex_is_reproducible(three_states: bc.Comparison) -> None:
    one, other = (plots.plot_simplex(three_states, draws=50, ax=fresh()) for _ in range(2))
    for first, second in zip(one.collections, other.collections, strict=True):
        np.testing.assert_array_equal(first.get_offsets(), second.get_offsets())


def test_simplex_needs_three_statements(example1: bc.Comparison) -> None:
    with pytest.raises(bc.BayescompareError, match=r"exactly three .* here are 4"):
        example1.plot("simplex")


def test_simplex_needs_draws(three_states: bc.Comparison) -> None:
    c = bc.compare(three_states.results, method="glrt")
    with pytest.raises(bc.BayescompareError, match="dirichlet"):
        c.plot("simplex", ax=fresh())


# --------------------------------------------------------------------------------------- heat map


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


def test_heat_map_of_p_values_differs(pairs: bc.Pairwise, tested_pairs: bc.Pairwise) -> None:
    bayesian, tested = fresh(), fresh()
    plots.plot_matrix(pairs, ax=bayesian)
    plots.plot_matrix(tested_pairs, ax=tested)
    labels = []
    for ax in (bayesian, tested):
        figure = ax.get_figure()
        assert figure is not None
        labels.append(figure.axes[1].get_ylabel())
    assert labels == ["P(row better than column)", "p-value"]

    def darkness(ax: Axes, value: float) -> float:
        return 1 - float(np.mean(ax.images[0].to_rgba(np.array([value]))[0][:3]))

    assert darkness(bayesian, 1.0) > darkness(bayesian, 0.0)
    assert darkness(tested, 0.0) > darkness(tested, 1.0)


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
            ink = 0.0 if readable(rgb) == "black" else 1.0
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


def test_large_heat_map_has_no_cell_text_and_few_ticks() -> None:
    p = large(60)
    ax = plots.plot_matrix(p, ax=fresh())
    assert len(ax.texts) == 0
    assert ticks(ax) == list(p.results.algorithms[::2])
    width, height = plots.matrix.matrix_size(p)
    assert max(width, height) < 20


# ------------------------------------------------------------------------------------------ order


def arrows(ax: Axes) -> set[tuple[str, ...]]:
    labels = {str(text.get_label()) for text in ax.texts}
    return {tuple(label.split(">")) for label in labels if label}


def nodes(ax: Axes) -> dict[str, tuple[float, float]]:
    return {t.get_text(): t.get_position() for t in ax.texts if t.get_bbox_patch() is not None}


@pytest.mark.parametrize("fdr", [0.001, 0.05, 0.2, 0.5])
def test_order_draws_the_transitive_reduction(pairs: bc.Pairwise, fdr: float) -> None:
    ax = plots.plot_order(pairs, fdr=fdr, ax=fresh())
    graph = pairs.order(fdr=fdr)
    assert nx.is_directed_acyclic_graph(graph)
    assert arrows(ax) == set(nx.transitive_reduction(graph).edges)
    assert set(nodes(ax)) == set(pairs.results.algorithms)


def test_order_arrows_lead_from_winner_down_to_loser(pairs: bc.Pairwise) -> None:
    ax = plots.plot_order(pairs, fdr=0.2, ax=fresh())
    place = nodes(ax)
    for winner, loser in arrows(ax):
        pieces = [text for text in ax.texts if text.get_label() == f"{winner}>{loser}"]
        # A long arrow passes a row in pieces, each beginning where the last one ended.
        assert pieces[0].get_position() == place[winner]
        assert pieces[-1].xy == place[loser]
        for one, other in itertools.pairwise(pieces):
            assert one.xy == other.get_position()
        assert place[winner][1] > place[loser][1]


def test_order_rows_are_longest_paths(pairs: bc.Pairwise) -> None:
    place = nodes(plots.plot_order(pairs, fdr=0.2, ax=fresh()))
    graph = pairs.order(fdr=0.2)
    for name in graph:
        above = [nx.subgraph(graph, {*nx.ancestors(graph, name), name})]
        assert -place[name][1] == nx.dag_longest_path_length(above[0], weight=None)


def test_nodes_do_not_overlap(pairs: bc.Pairwise) -> None:
    for fdr in (0.001, 0.05, 0.2):
        ax = plots.plot_order(pairs, fdr=fdr)
        figure = ax.get_figure()
        assert isinstance(figure, Figure)
        figure.canvas.draw()
        boxes = [
            patch.get_window_extent() for t in ax.texts if (patch := t.get_bbox_patch()) is not None
        ]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
        plt.close(figure)


def test_algorithms_that_nothing_orders_have_their_own_row(tested_pairs: bc.Pairwise) -> None:
    ax = plots.plot_order(tested_pairs, ax=fresh())
    loose = [name for name, degree in tested_pairs.order().degree if not degree]
    place = nodes(ax)
    assert loose
    assert "not ordered" in texts(ax)
    assert len({place[name][1] for name in loose}) == 1
    assert max(place[name][1] for name in loose) < min(
        place[name][1] for name in place if name not in loose
    )


def test_no_order_at_all() -> None:
    p = bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    ax = plots.plot_order(p, ax=fresh())
    assert arrows(ax) == set()
    assert "0 of 1 pair " in ax.get_title(loc="left").replace("\n", " ")


def test_cycles_are_drawn(pairs: bc.Pairwise, monkeypatch: pytest.MonkeyPatch) -> None:
    # B, C and D beat each other in a circle; A beats them all, and they beat E.
    edges = [("B", "C"), ("C", "D"), ("D", "B"), ("A", "B"), ("A", "E"), ("D", "E"), ("A", "D")]
    graph: nx.DiGraph[str] = nx.DiGraph(edges, mixed=[])
    monkeypatch.setattr(type(pairs), "ordered", lambda self, rule: graph)
    ax = plots.plot_order(pairs, ax=fresh())
    assert arrows(ax) == {*edges} - {("A", "E")}  # follows from the others
    assert "cycle" in ax.get_title(loc="left")
    place = nodes(ax)
    assert place["A"][1] > place["B"][1] == place["C"][1] == place["D"][1] > place["E"][1]


# ---------------------------------------------------------------------------------------- network


def grouped(*sizes: int, n: int = 60, agree: float = 0.9, names: Any = None) -> bc.Results:
    """Measures that copy the one before them within a group, and nothing across groups."""
    rng = np.random.default_rng(sum(sizes))
    wins = []
    for size in sizes:
        wins.append(rng.random(n) < 0.7)
        for _ in range(size - 1):
            wins.append(np.where(rng.random(n) < agree, wins[-1], ~wins[-1]))
    names = names or [f"q{j}" for j in range(sum(sizes))]
    values = dict(zip(names, wins, strict=True))
    rows = [
        {"dataset": f"d{i}", "algorithm": a, **{q: float(w[i] == s) for q, w in values.items()}}
        for i in range(n)
        for a, s in (("A", False), ("B", True))
    ]
    return bc.Results.from_frame(pd.DataFrame(rows), measures=dict.fromkeys(names, "max"))


def network_of(*sizes: int, names: Any = None, **options: Any) -> Any:
    method = bc.methods.Network(**{"mcse": 0.02, **options})
    return bc.compare(grouped(*sizes, names=names), method=method, rng=1)


@pytest.fixture(scope="module")
def network() -> Any:
    c = network_of(4, 3, 1)
    assert sorted(len(part) for part in c.components["measures"]) == [1, 3, 4]
    return c


SOLID = ("-", "solid")


def links(ax: Axes, sign: str) -> dict[tuple[str, ...], Any]:
    """The arrows ("→") or the dashed lines ("–"), by their ends."""
    found = {str(text.get_label()): text.arrow_patch for text in ax.texts if text.get_label()}
    return {tuple(label.split(sign)): arrow for label, arrow in found.items() if sign in label}


def dots(ax: Axes, c: Any) -> dict[str, tuple[float, float]]:
    """Where each measure's node is: its name is written from there."""
    names = {text.get_text(): text.get_position() for text in ax.texts}
    return {name: names[name] for name in c.results.measures}


def linked(c: Any, a: str, b: str) -> float:
    return float(c.edges.sel(parent=a, child=b) + c.edges.sel(parent=b, child=a))


def test_arrows_are_the_graph_s(network: Any) -> None:
    ax = network.plot("network", ax=fresh())
    edges = {(a, b) for a, b in network.answer.details["edges"]}
    drawn = links(ax, "→")
    assert set(drawn) == edges
    place = dots(ax, network)
    for (parent, child), arrow in drawn.items():
        assert arrow.get_linestyle() in SOLID
        (text,) = (text for text in ax.texts if text.get_label() == f"{parent}→{child}")
        assert (text.get_position(), text.xy) == (place[parent], place[child])


@pytest.mark.parametrize("least", [0.0, 0.05, 0.3, 1.0])
def test_dashed_lines_are_probable_links_outside_the_graph(network: Any, least: float) -> None:
    ax = plots.plot_network(network, least=least, ax=fresh())
    edges = {frozenset(edge) for edge in network.answer.details["edges"]}
    pairs = set(itertools.combinations(network.results.measures, 2))
    wanted = {pair for pair in pairs if linked(network, *pair) >= least} - {
        pair for pair in pairs if frozenset(pair) in edges
    }
    drawn = links(ax, "–")
    assert set(drawn) == wanted
    assert all(line.get_linestyle() not in SOLID for line in drawn.values())


def test_widths_follow_the_probability(network: Any) -> None:
    ax = plots.plot_network(network, least=0.0, ax=fresh())
    for sign in "→–":
        drawn = sorted((linked(network, *pair), arrow) for pair, arrow in links(ax, sign).items())
        thickness = [arrow.get_linewidth() for _, arrow in drawn]
        assert thickness == sorted(thickness)
        assert thickness[0] < thickness[-1]
    thinnest = min(arrow.get_linewidth() for arrow in links(ax, "→").values())
    assert max(line.get_linewidth() for line in links(ax, "–").values()) < thinnest


def test_figures_are_the_edges_probabilities(network: Any) -> None:
    ax = plots.plot_network(network, ax=fresh())
    boxed = [text for text in ax.texts if text.get_bbox_patch() is not None]
    place = dots(ax, network)
    for parent, child in network.answer.details["edges"]:
        one = numbers.narrow_probability(float(network.edges.sel(parent=parent, child=child)))
        both = numbers.narrow_probability(linked(network, parent, child))
        (x, y), (u, v) = place[parent], place[child]
        on_it = []
        for text in boxed:
            a, b = text.get_position()
            if abs((u - x) * (b - y) - (v - y) * (a - x)) < 1e-9:
                on_it.append(text.get_text())
        assert f"{one} / {both}" in on_it


def test_groups_have_colours_of_their_own_and_stand_apart(network: Any) -> None:
    ax = plots.plot_network(network, ax=fresh())
    place = dots(ax, network)
    fills = {}
    for points in ax.collections:
        fill = tuple(points.get_facecolor()[0])
        for x, y in np.asarray(points.get_offsets()):
            (name,) = (q for q, at in place.items() if np.allclose(at, (x, y)))
            fills[name] = fill
    groups = [tuple(part) for part in network.components["measures"]]
    assert {frozenset(q for q in fills if fills[q] == fill) for fill in set(fills.values())} == {
        frozenset(group) for group in groups
    }
    # On the circle neighbours in a group are nearer than neighbours of different groups.
    around = sorted(place, key=lambda q: np.arctan2(place[q][1], place[q][0]))
    within, across = [], []
    for a, b in itertools.pairwise([*around, around[0]]):
        gap = np.linalg.norm(np.subtract(place[a], place[b]))
        (within if fills[a] == fills[b] else across).append(gap)
    assert len(across) == len(groups)
    assert max(within) < min(across)


def test_captions_are_the_components_answers(network: Any) -> None:
    shown = [" ".join(text.split()) for text in texts(plots.plot_network(network, ax=fresh()))]
    for part in network.components.to_dict("records"):
        sure = numbers.probability_equation(part["probability"])
        (caption,) = (
            text
            for text in shown
            if text.startswith("P ") and all(name in text for name in part["measures"])
        )
        assert caption.startswith(sure)
        assert ("Monte Carlo" in caption) == (not part["exact"])
        assert "B>A on " in caption


def test_mixed_statements_are_told_by_measure() -> None:
    results = grouped(2)
    frame = results.to_frame()
    frame["q1"] = -frame["q1"]
    turned = bc.Results.from_frame(frame, measures={"q0": "max", "q1": "max"})
    ax = bc.compare(turned, method="network").plot("network", ax=fresh())
    assert any(text.endswith("B>A on q0; A>B on q1") for text in texts(ax))


@pytest.mark.parametrize("sizes", [(2,), (1, 1), (3,), (1,) * 9, (6, 4, 2), (12,), (6, 5, 3)])
def test_names_and_figures_have_room(sizes: tuple[int, ...]) -> None:
    c = network_of(*sizes)
    ax = c.plot("network")
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    plain = [text for text in ax.texts if not text.get_label()]
    named = [text.get_window_extent() for text in plain if text.get_text() in c.results.measures]
    printed = [text.get_window_extent() for text in plain if text.get_text().startswith("P ")]
    assert len(named) == sum(sizes)
    for a, b in itertools.combinations([*named, *printed], 2):
        assert not a.overlaps(b)
    discs = [ax.transData.transform(at) for at in dots(ax, c).values()]
    for text in plain:
        if text.get_bbox_patch() is not None:
            box = text.get_window_extent()
            assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in discs)
        inside = figure.bbox.padded(1.0)
        box = text.get_window_extent()
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1
    plt.close(figure)


def test_a_tree_is_drawn_without_crossings() -> None:
    rng = np.random.default_rng(0)
    names = [f"q{j}" for j in range(12)]
    tree = [(names[rng.integers(j)], names[j]) for j in range(1, 12)]
    c = network_of(12, search=tree)
    place = dots(plots.plot_network(c, ax=fresh()), c)
    turn = {q: np.arctan2(y, x) for q, (x, y) in place.items()}
    for (a, b), (u, v) in itertools.combinations(tree, 2):
        low, high = sorted((turn[a], turn[b]))
        apart = {a, b}.isdisjoint({u, v})
        assert not (apart and (low < turn[u] < high) != (low < turn[v] < high))


def test_beyond_sixteen_measures_the_graph_is_drawn_alone() -> None:
    c = network_of(10, 10, max_parents=1)
    with pytest.raises(bc.BayescompareError, match="20 measures"):
        _ = c.edges
    ax = plots.plot_network(c, ax=fresh())
    assert set(links(ax, "→")) == {(a, b) for a, b in c.answer.details["edges"]}
    assert links(ax, "–") == {}
    assert not any(text.get_bbox_patch() for text in ax.texts)
    assert any("No probabilities" in text for text in texts(ax))


def test_no_links_at_all() -> None:
    c = network_of(1, 1, 1, max_parents=0)
    ax = plots.plot_network(c, ax=fresh())
    assert (links(ax, "→"), links(ax, "–")) == ({}, {})
    assert "no arrows, 3 independent groups" in ax.get_title(loc="left").replace("\n", " ")
    assert any("No link has P ≥ 0.05" in text for text in texts(ax))


def test_title_says_what_graph_it_is() -> None:
    def title(**options: Any) -> str:
        ax = network_of(3, **options).plot("network", ax=fresh())
        return str(ax.get_title(loc="left").replace("\n", " "))

    learned = title(max_parents=2)
    assert learned.startswith("learned graph: 2 arrows, all measures linked")
    assert "at most 2 parents each, log BDeu = −" in learned
    assert title(search=[("q0", "q1")]).startswith("graph given: 1 arrow, 2 independent groups")
    assert title(average=True).startswith("best graph: ")


def test_a_saved_network_gives_the_same_picture(network: Any, tmp_path: Path) -> None:
    for name in ("c.json", "c.nc"):
        path = tmp_path / name
        (network.to_json if name.endswith("json") else network.to_netcdf)(path)
        again = bc.load_comparison(path).plot("network", ax=fresh())
        assert texts(again) == texts(network.plot("network", ax=fresh()))


def test_a_network_is_drawn_of_networks_only(example1: bc.Comparison) -> None:
    with pytest.raises(bc.BayescompareError, match=r"'dirichlet' has; methods with it: network"):
        example1.plot("network", ax=fresh())


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan"), "all", None, True])
def test_least_is_checked(network: Any, least: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="least="):
        plots.plot_network(network, least=least, ax=fresh())


# ------------------------------------------------------------------------------- every plot alike


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


ODD = ["$x_1$", "a & <script", "\\frac{1}{2}_b", "naïve Größe 40 %", "$unbalanced"]


@every
def test_names_are_shown_as_they_are(draw: Any) -> None:
    values = {name: [k + 0.1 * i for i in range(6)] for k, name in enumerate(ODD)}
    c = bc.compare(results_of(values, rope=0.5).sel(algorithms=ODD[:2]))
    p = bc.pairwise(results_of(values), n_jobs=1)
    ax = draw(c, p, fresh())
    shown = [*ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels(), ax.yaxis.label]
    named = [text for text in shown if any(sign in text.get_text() for sign in "$\\_&")]
    assert named
    assert not any(text.get_parse_math() for text in named)
    ax.get_figure().canvas.draw()  # mathtext would fail on an unbalanced "$"


def test_emoji_names_can_be_drawn_where_a_font_has_them() -> None:
    c = bc.compare(results_of({"🦊": [1.0, 2.0, 3.0], "算法": [0.0, 1.0, 2.0]}))
    ax = c.plot(ax=fresh())
    assert ticks(ax)[0] == "🦊>算法"


def test_long_names_are_clipped() -> None:
    names = {("x" * 80) + str(k): [float(k), float(k)] for k in range(3)}
    p = bc.pairwise(results_of(names), n_jobs=1)
    assert all(len(label) <= 24 for label in ticks(plots.plot_matrix(p, ax=fresh())))
    assert all(len(name) <= 24 for name in nodes(plots.plot_order(p, ax=fresh())))
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
    with pytest.raises(bc.BayescompareError, match=r"kind='simplx'.*Did you mean 'simplex'"):
        plots.plot_comparison(example1, kind="simplx")
    with pytest.raises(bc.BayescompareError, match=r"kind='heat'.*matrix, order"):
        plots.plot_pairwise(pairs, kind="heat")


def test_cell_text_fits_a_small_axes(pairs: bc.Pairwise) -> None:
    ax = plots.plot_matrix(pairs, ax=Figure(figsize=(3, 3)).subplots())
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("sign", ["=", "<", ">"])
def test_a_title_does_not_break_within_a_figure(sign: str) -> None:
    for words in range(3, 30):
        ax = Figure(figsize=(2.0, 2.0)).subplots()
        _drawing.set_title(ax, f"{'it ' * words}has P {sign} 0.999 here", inches=2.2)
        assert f"P {sign} 0.999" in ax.get_title(loc="left")


def test_a_mean_outside_its_interval_is_drawn(results: bc.Results) -> None:
    """A skewed θ has its mean above the 97.5 % point, and one that never moves beside it."""
    c = bc.compare(results)
    extra = {
        "theta_mean": np.array([0.1, 0.2, 0.3, 0.4]),
        "theta_lower": np.array([0.0, 0.2 + 1e-16, 0.1, 0.1]),
        "theta_upper": np.array([0.05, 0.2 - 1e-16, 0.5, 0.6]),
    }
    skewed = replace(c, answer=replace(c.answer, extra=extra))
    skewed.plot("statements", ax=Figure().subplots())
