"""Pictures and reports of generalised stochastic dominance show what the numbers say."""

from __future__ import annotations

import re

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.methods.gsd.comparison import GsdComparison
from bayescompare.plots._drawing import BLUE
from bayescompare.report import render
from tests.tables import table


def fresh() -> Axes:
    return Figure(figsize=(8, 6)).subplots()


def title(ax: Axes) -> str:
    return " ".join(ax.get_title(loc="left").split())


def arrows(ax: Axes) -> set[str]:
    return {str(text.get_label()) for text in ax.texts if text.get_label()}


def ask(results: bc.Results, method: object = "gsd", **how: object) -> GsdComparison:
    c = bc.compare(results, method=method, **how)  # type: ignore[arg-type]
    assert isinstance(c, GsdComparison)
    return c


@pytest.fixture(scope="module")
def whole(uci: bc.Results) -> GsdComparison:
    return ask(uci, GSD(delta=0))


def with_a_twin() -> GsdComparison:
    """A and B identical, C below both."""
    cells = np.random.default_rng(0).integers(3, 9, (5, 3, 2))
    cells[:, 1] = cells[:, 0]
    cells[:, 2] = cells[:, 0] - 1
    measures = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    return ask(table(cells, measures=measures), GSD(delta=0))


# ------------------------------------------------------------------------------- Hasse diagram


def test_the_hasse_diagram_has_the_edges_of_the_order(whole: GsdComparison) -> None:
    ax = whole.plot(ax=fresh())
    assert arrows(ax) == {f"{a}>{b}" for a, b in whole.order().edges}
    shown = [text.get_text() for text in ax.texts if text.get_text()]
    assert set(whole.results.algorithms) <= set(shown)
    assert whole.headline() in title(ax)
    for a, b in whole.incomparable:
        assert f"{a} and {b}" in title(ax)
    again = plots.plot_relation(whole, ax=fresh())
    assert arrows(again) == arrows(ax)


def test_better_ones_stand_higher(whole: GsdComparison) -> None:
    ax = whole.plot(ax=fresh())
    height = {
        t.get_text(): t.get_position()[1]
        for t in ax.texts
        if t.get_text() in whole.results.algorithms
    }
    for a, b in whole.order().edges:
        assert height[a] > height[b]


def test_the_diagram_of_an_order_without_order() -> None:
    cells = np.array([[[9, 1], [1, 9], [5, 5]], [[8, 1], [1, 8], [5, 4]]], dtype=float)
    measures = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    c = ask(table(cells, measures=measures), GSD(delta=0))
    ax = c.plot(ax=fresh())
    assert arrows(ax) == set()
    assert "no algorithm is dominated by another" in title(ax)


def test_pairs_can_be_drawn_as_a_diagram_too(uci: bc.Results) -> None:
    c = ask(uci, GSD(delta=0, permutations=1), algorithms=["GBM", "CART"])
    assert arrows(c.plot("relation", ax=fresh())) == {"GBM>CART"}


# -------------------------------------------------------------------------------------- growth


def test_growth_counts_the_ordered_pairs(whole: GsdComparison) -> None:
    ax = whole.plot("growth", ax=fresh())
    found = whole.thresholds.values
    least = np.fmin(found, found.T)[np.triu_indices(8, 1)]
    line = ax.lines[0]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    for delta, count in zip(x, y, strict=True):
        assert count == (least <= delta).sum()
    shown = [text.get_text() for text in ax.texts]
    assert shown[0] == "21 at δ = 0"
    names = whole.results.algorithms
    steps = [
        f"{names[i]}>{names[j]}" for i, j in np.argwhere((found > 0) & np.isfinite(found)).tolist()
    ]
    assert sorted(shown[1:]) == sorted(steps)
    at_last = int(np.isfinite(least).sum())
    assert title(ax) == f"{at_last} of 28 pairs are ordered at some δ, {28 - at_last} at none"


def test_growth_does_not_call_equivalent_pairs_ordered() -> None:
    c = with_a_twin()
    assert c.summary().loc["A, B", "relation"] == "equivalent"
    assert "2 of 3 pairs of algorithms are ordered" in c.explain()
    ax = c.plot("growth", ax=fresh())
    assert "3 of 3 pairs are ordered" not in title(ax)
    assert ax.texts[0].get_text() == "2 at δ = 0"


def test_growth_of_a_pair(uci: bc.Results) -> None:
    c = ask(uci, GSD(delta=0, permutations=1), algorithms=["BDS", "RF"])
    ax = c.plot("growth", ax=fresh())
    assert [text.get_text() for text in ax.texts] == ["0 at δ = 0", "RF>BDS"]


# ---------------------------------------------------------------------------------- robustness


def test_the_robustness_curve_is_that_of_the_table(uci: bc.Results) -> None:
    c = ask(uci, GSD(epsilon=0.5, permutations=200), algorithms=["GBM", "CART"], rng=1)
    ax = plots.plot_robustness(c, rng=3, ax=fresh())
    curve = c.robustness(rng=3)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), curve["gamma"])
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve["pvalue"])
    assert f"significant up to γ = {curve.attrs['robust_up_to']:.3g}" in title(ax)
    assert title(ax).startswith("GBM>CART")


def test_the_robustness_curve_begins_at_the_p_value(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=150), algorithms=["BDS", "EN"], rng=1)
    ax = c.plot("robustness", ax=fresh())
    # Another seed gives another p-value, and perhaps another verdict, than the words beside it.
    assert float(np.asarray(ax.lines[0].get_ydata())[0]) == c.pvalue


def test_a_curve_of_what_was_never_significant(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=100), algorithms=["BDS", "RF"], rng=1)
    assert "not significant even without corruption" in title(c.plot("robustness", ax=fresh()))


def test_pictures_that_are_not_there(uci: bc.Results, whole: GsdComparison) -> None:
    with pytest.raises(bc.BayescompareError, match="two"):
        whole.plot("robustness", ax=fresh())
    other = bc.compare(bc.load_example("pnn"))
    for kind in ("relation", "growth", "robustness"):
        with pytest.raises(bc.BayescompareError, match="gsd"):
            other.plot(kind, ax=fresh())  # type: ignore[arg-type]
    boot = ask(uci, GSDBootstrap(resamples=10), algorithms=["BDS", "RF"], rng=1)
    with pytest.raises(bc.BayescompareError, match="robustness"):
        boot.plot("robustness", ax=fresh())


# ---------------------------------------------------------------------------------- statements


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


def leading_without_a_dataset() -> GsdComparison:
    """A is far better on the one and hardly worse on the other; one dataset is B's altogether."""
    cells = np.array(
        [[[9, 4], [1, 5]], [[9, 4], [1, 5]], [[8, 4], [1, 5]], [[8, 3], [2, 4]], [[3, 3], [4, 4]]]
    )
    measures = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    return ask(table(cells, measures=measures), GSD(epsilon=0.9))


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


# ----------------------------------------------------------------------------------- all pairs


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
    assert "better than column on every measure" not in render(p)


# ------------------------------------------------------------------------------------- reports


def test_every_kind_has_a_report(uci: bc.Results) -> None:
    pair = ["RF", "BDS"]
    asked = [
        ask(uci, GSD(permutations=50), algorithms=pair, rng=1),
        ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]),
        ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=pair, rng=1),
        with_a_twin(),
        leading_without_a_dataset(),
    ]
    for c in asked:
        page = render(c)
        assert str(escape(c.headline())) in page
        assert str(escape(c.explain())) in page
        assert all(str(escape(label)) in page for label in c.summary().index)
        assert "nan" not in re.sub(r"<[^>]*>", " ", page).lower().split()


def test_reports_of_many_show_order_and_growth(uci: bc.Results) -> None:
    page = render(ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]))
    assert "Who dominates whom" in page
    assert "Growth" in page
    assert "RF dominates EN" in page


def test_a_report_calls_a_sampled_p_value_sampled(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=50), algorithms=["RF", "BDS"], rng=1)
    assert "carry no Monte Carlo error" not in render(c)
    p = bc.pairwise(uci, method=GSD(permutations=50), algorithms=["RF", "BDS"], rng=1, n_jobs=1)
    assert "carry no Monte Carlo error" not in render(p)


def test_reports_of_all_pairs(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=99), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    page = render(p)
    assert str(escape(p.explain())) in page
    assert "GBM&gt;CART" in page


def test_a_page_of_pairs_says_which_p_values_are_one_sided(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=50), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    page = render(p)
    assert "one-sided p-value of “row dominates column”" in page
    assert "GBM against CART: one-sided p = 0.020; leading is GBM&gt;CART (p = 0.039)" in page
