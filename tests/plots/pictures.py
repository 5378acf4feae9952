"""The pictures that tests/images keeps, how they are rendered, and how two are compared.

Every `plot_*` has a case: how it is drawn, and how it is drawn wrongly. The wrong ones must be told
from the right one, or the comparison is worth nothing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter, uniform_filter

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, Dirichlet, Elicitation
from bayescompare.methods.replicated.comparison import ReplicatedDetails
from bayescompare.plots.boards import order_pen
from bayescompare.studies import success_errors

FOLDER = Path(__file__).parents[1] / "images"

Draw = Callable[[Axes], object]
Pixels = NDArray[np.floating[Any]]

#: Pixels of a tile, and of the blur before tiles are compared.
TILE, BLUR = 12, 1.0

#: The largest difference of a tile, in grey levels, that is still the same picture. What moves by
#: less than a pixel, noise and softer edges stay below 5; the least change of substance, a figure
#: in small print, is above 11 (test_images.py holds both to it).
SAME = 8.0


@dataclass(frozen=True)
class Case:
    """One picture: how to draw it, how large, and ways to get it wrong."""

    draw: Draw
    size: tuple[float, float]
    wrong: Mapping[str, Draw]


# rendering and comparing -------------------------------------------------------------------------


def render(draw: Draw, size: tuple[float, float], **settings: Any) -> Pixels:
    """Draw under fixed settings: an array (height, width, 3) of 0 to 255."""
    told = {"font.family": "DejaVu Sans", "text.hinting": "no_hinting", "figure.dpi": 72}
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({**told, **settings})
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        written = io.BytesIO()
        figure.savefig(written, format="png")
    return np.asarray(Image.open(written).convert("RGB"), dtype=np.float64)


def difference(one: Pixels, other: Pixels) -> float:
    """Say how much the most different tile of two pictures differs, in grey levels.

    Each tile may be a pixel off in any direction, and then half a pixel more, which changes a
    picture by as much as it slopes: what moves a little says the same.
    """
    if np.abs(np.subtract(one.shape, other.shape)).max() > 2:
        return float("inf")
    high, wide = np.minimum(one.shape[:2], other.shape[:2])
    # A white margin, for what moves over the edge.
    margin = ((TILE, TILE), (TILE, TILE), (0, 0))
    framed = (np.pad(x[:high, :wide], margin, constant_values=255.0) for x in (one, other))
    first, second = (gaussian_filter(x.astype(np.float32), (BLUR, BLUR, 0)) for x in framed)
    slope = np.abs(np.gradient(first, axis=0)) + np.abs(np.gradient(first, axis=1))
    steps = (-1, 0, 1)
    gaps = (
        np.abs(first - np.roll(second, (dy, dx), (0, 1))) - slope / 2
        for dy in steps
        for dx in steps
    )
    tiles = [uniform_filter((np.maximum(gap, 0.0) ** 2).mean(axis=2), TILE) for gap in gaps]
    return float(np.sqrt(max(0.0, np.min(tiles, axis=0).max())))


def kept(name: str) -> Pixels:
    """Read a picture from tests/images."""
    return np.asarray(Image.open(FOLDER / f"{name}.png").convert("RGB"), dtype=np.float64)


# what is drawn -----------------------------------------------------------------------------------


@cache
def uci() -> bc.Results:
    return bc.load_example("jansen-uci").sel(algorithms=["GBM", "RF", "GLM", "EN", "CART"])


def renamed(results: bc.Results, one: str, other: str) -> bc.Results:
    """The same table with two algorithms' names swapped."""
    names = {one: other, other: one}
    data = results.data.assign_coords(
        algorithm=[names.get(str(n), str(n)) for n in results.data["algorithm"].values]
    )
    return bc.Results(data, results.spec)


@cache
def example() -> bc.Comparison:
    frame = bc.load_example("benavoli-example1").to_frame()
    frame["algorithm"] = frame["algorithm"].map({"A": "forest", "B": "svm"})
    return bc.compare(bc.Results.from_frame(frame, measures={"accuracy": "max", "time": "min"}))


def shifted(c: bc.Comparison, k: int, step: float) -> bc.Comparison:
    """A comparison with one statement's probability changed."""
    assert c.answer.probability is not None
    p = c.answer.probability.copy()
    p[k] += step
    return replace(c, answer=replace(c.answer, probability=p))


def relabelled(c: bc.Comparison, one: int, other: int) -> bc.Comparison:
    """A comparison with two statements' labels swapped."""
    labels = list(c.answer.labels)
    labels[one], labels[other] = labels[other], labels[one]
    return replace(c, answer=replace(c.answer, labels=tuple(labels)))


@cache
def uncertain(own: float = 0.0, after: float = 0.0) -> bc.Comparison:
    """Replicates that leave datasets unsure; a figure of the first dataset may be changed."""
    rng = np.random.default_rng(2)
    rows = [
        (f"d{d}", a, f, 0.02 * (a == "svm") + rng.normal(0, 0.03), rng.normal(0, 0.03))
        for d in range(7)
        for a in ("forest", "svm")
        for f in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc", "time"])
    results = bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max", "time": "min"})
    c = bc.compare(results, method="replicated")
    details = ReplicatedDetails.of(c.answer)
    change = {
        name: ((rows[0][0] + step, *rows[0][1:]), *rows[1:])
        for name, rows, step in (
            ("evidence", details.evidence, own),
            ("per_dataset", details.per_dataset, after),
        )
    }
    return replace(c, answer=replace(c.answer, facts=replace(details, **change)))  # type: ignore[arg-type]


@cache
def pairs() -> bc.Pairwise:
    return bc.pairwise(uci(), n_jobs=1)


@cache
def swapped_pairs() -> bc.Pairwise:
    return bc.pairwise(renamed(uci(), "RF", "EN"), n_jobs=1)


def mixed() -> bc.Results:
    """Two measures that disagree on some pairs."""
    names = ["EN", "GBM", "CART", "GLM", "RF"]
    return bc.load_example("jansen-uci").sel(algorithms=names, measures=["auc", "brier"])


@cache
def mixed_pairs() -> bc.Pairwise:
    """Under the papers' prior, with which one pair's leading statement is a trade-off."""
    return bc.pairwise(mixed(), method=Dirichlet(prior="symmetric"), n_jobs=1)


def swapped_mixed_pairs() -> bc.Pairwise:
    swapped = renamed(mixed(), "RF", "EN")
    return bc.pairwise(swapped, method=Dirichlet(prior="symmetric"), n_jobs=1)


@cache
def all_pairs() -> bc.Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)


def pair_shifted(whole: bc.Pairwise, first: str, second: str, step: float) -> bc.Pairwise:
    """All pairs, with the probability of one pair's best statement changed."""
    made = []
    for c in whole.comparisons:
        same = set(c.results.algorithms) == {first, second}
        made.append(shifted(c, c.answer.labels.index(c.best), step) if same else c)
    # Read off the comparisons, and no longer off what all pairs gave at once.
    return replace(whole, comparisons=tuple(made), found=None)


@cache
def simplex() -> bc.Comparison:
    difference = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, -3.0, -3.0]
    rows = [(f"d{i}", a, v if a == "A" else 0.0) for a in "AB" for i, v in enumerate(difference)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    measures = {"score": bc.Measure("max", rope=1.0)}
    return bc.compare(bc.Results.from_frame(frame, measures=measures))


@cache
def network() -> Any:
    return bc.compare(
        bc.load_example("jansen-uci"), algorithms=["GBM", "CART"], method="network", rng=1
    )


def turned_network() -> Any:
    """The same network with its first arrow the other way round."""
    c = network()
    (parent, child), *others = c.answer.facts.edges
    details = replace(c.answer.facts, edges=((child, parent), *others))
    return replace(c, answer=replace(c.answer, facts=details))


def friedman_of(results: bc.Results) -> Any:
    return bc.compare(results, measures=["auc"], method="friedman")


def counts(*, swap: bool = False, more: int = 0) -> Any:
    """Eight datasets' errors by the hierarchical test."""
    names = ["iris", "wine", "sonar", "glass", "adult", "mushrooms", "heart", "vowel"]
    first = np.array([1, 3, 8, 4, 9, 2, 12, 5]) + more * (np.arange(8) == 3)
    if swap:
        names[0], names[5] = names[5], names[0]
    frame = pd.DataFrame({"dataset": names, "a": first, "b": [7, 6, 4, 9, 9, 14, 6, 11]})
    found = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
    return bc.compare(found, method="hierarchical")


def sensitivity() -> pd.DataFrame:
    return example().sensitivity([0.1, 0.3, 1.0, 3.0, 10.0])


def plan(step: float = 0.0) -> pd.DataFrame:
    settled = [0.2, 0.35 + step, 0.6, 0.9]
    figures = {"settled": settled, "settled_on_best": [0.15, 0.3, 0.5, 0.8], "mcse": [0.02] * 4}
    return pd.DataFrame(figures, index=pd.Index([5, 10, 20, 50], name="more"))


def moved_sensitivity(column: str, step: float) -> pd.DataFrame:
    table = sensitivity()
    table.iloc[2, list(table.columns).index(column)] += step
    return table


def renamed_sensitivity() -> pd.DataFrame:
    table = sensitivity()
    attrs = dict(table.attrs)
    table.columns = table.columns[[0, 2, 1, 3]]
    table.attrs.update(attrs)
    return table


def gsd(results: bc.Results | None = None) -> Any:
    return bc.compare(results or uci(), method=GSD(delta=0))


def relation_without_an_edge(ax: Axes) -> None:
    graph = gsd().order()
    graph.remove_edge(*next(iter(graph.edges)))
    order_pen(graph, "order").onto(ax)
    plots._drawing.set_title(
        ax, plots.plot_relation(gsd(), ax=Figure().subplots()).get_title("left")
    )


@cache
def gsd_pair() -> Any:
    pair = bc.load_example("jansen-uci").sel(algorithms=["GBM", "CART"])
    return bc.compare(pair, method=GSD(permutations=200), rng=1)


class Corrupted:
    """A comparison whose curve of robustness is off by some."""

    def __init__(self, step: float) -> None:
        self.step = step

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return bc.Comparison

    def __getattr__(self, name: str) -> Any:
        return getattr(gsd_pair(), name)

    def robustness(self, *, rng: Any = None) -> pd.DataFrame:
        found: pd.DataFrame = gsd_pair().robustness(rng=rng)
        attrs = dict(found.attrs)
        found["pvalue"] = (found["pvalue"] + self.step).clip(upper=1.0)
        found.attrs.update(attrs)
        return found


def curves(*, swap: bool = False, step: float = 0.0) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(3)
    right = rng.random(400) < 0.7
    made = {}
    for name, power in (("poisson-binomial", 2.2), ("sign", 1.0), ("wilcoxon", 0.0)):
        sure = rng.random(400) ** np.where(right, 1.0 / (1.0 + power), 1.0)
        made[name] = success_errors(np.round(sure, 2), right)
    if swap:
        made["sign"], made["wilcoxon"] = made["wilcoxon"], made["sign"]
    bent = made["sign"]["success"]
    made["sign"]["success"] = bent + step * 4 * bent * (1 - bent)
    return made


def belief(p: float = 0.7, weight: float = 5) -> Elicitation:
    """A prior of two algorithms on two measures."""
    prior = {"accuracy": {"B>A": p}, "weight": weight}
    return bc.methods.elicit(prior, algorithms=["A", "B"], measures=["accuracy", "time"])


@cache
def ranking(one: str = "GBM", other: str = "GBM", *, level: float = 0.95) -> bc.Ranking:
    results = bc.load_example("jansen-uci")
    results = results if one == other else renamed(results, one, other)
    return bc.rank(results, level=level, rng=0)


def gate(rope: float = 0.02, candidate: str = "RF") -> bc.Gate:
    frame = bc.load_example("jansen-uci").to_frame()
    measures = {"auc": bc.Measure("max", rope=rope), "accuracy": "max", "brier": "min"}
    results = bc.Results.from_frame(frame, measures=measures)  # type: ignore[arg-type]
    return bc.gate(results, candidate=candidate, baseline="BDS")


def traded(more: float = 0.0, *, swap: bool = False) -> bc.Ranking:
    """Three measures, each with a leader, and an algorithm that is second on all."""
    base = np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0], [2.8 + more] * 3])
    noise = np.random.default_rng(0).normal(0.0, 0.1, (8, 4, 3))
    names = ["fast", "exact", "small", "balanced"]
    names = [names[1], names[0], *names[2:]] if swap else names
    measures = ["speed", "accuracy", "size"]
    frame = pd.DataFrame((base + noise).reshape(-1, 3), columns=measures)
    frame = frame.assign(dataset=np.repeat(range(8), 4), algorithm=names * 8)
    results = bc.Results.from_frame(frame, measures=dict.fromkeys(measures, "max"))
    return bc.rank(results, by="value", utility="unknown", draws=200, rng=0)


def of(kind: str, thing: Any, **options: Any) -> Draw:
    """Return what draws a thing by its `plot_...`; a function makes it first, when it is drawn."""
    draw = getattr(plots, f"plot_{kind}")
    return lambda ax: draw(thing() if callable(thing) else thing, ax=ax, **options)


@cache
def cases() -> dict[str, Case]:
    """Every picture by the name of its function."""
    whole = bc.load_example("jansen-uci")
    bars, triangle = partial(of, "statements"), partial(of, "simplex", draws=400)
    order, dominance = partial(of, "order", fdr=0.1), partial(of, "dominance", fdr=0.1)
    front = partial(of, "front", measures=["brier", "auc"])
    critical = partial(of, "critical", measure="auc", fdr=0.05)
    few = ["GBM", "RF", "GLM", "CART"]
    return {
        "statements": Case(
            bars(example),
            (6.5, 3.4),
            {
                "a probability": bars(lambda: shifted(example(), 1, 0.2)),
                "two labels": bars(lambda: relabelled(example(), 1, 2)),
                "a bar": bars(example, most=2),
            },
        ),
        "simplex": Case(
            triangle(simplex),
            (5.0, 4.6),
            {
                "a probability": triangle(lambda: shifted(simplex(), 0, 0.2)),
                "the points": triangle(simplex, draws=40),
                "two labels": triangle(lambda: relabelled(simplex(), 0, 2)),
            },
        ),
        "matrix": Case(
            of("matrix", pairs),
            (4.6, 4.2),
            {
                "a probability": of("matrix", lambda: pair_shifted(pairs(), "GBM", "GLM", -0.2)),
                "two labels": of("matrix", swapped_pairs),
            },
        ),
        "order": Case(
            order(pairs),
            (5.5, 3.6),
            {
                "an edge": order(lambda: pair_shifted(pairs(), "GBM", "CART", -0.6)),
                "two labels": order(swapped_pairs),
            },
        ),
        "network": Case(
            of("network", network),
            (5.0, 4.4),
            {
                "an arrow": of("network", turned_network),
                "a link": of("network", network, least=0.9),
            },
        ),
        "ranks": Case(
            of("ranks", lambda: friedman_of(whole)),
            (6.0, 2.6),
            {
                "two labels": of("ranks", lambda: friedman_of(renamed(whole, "RF", "EN"))),
                "an algorithm": of("ranks", lambda: friedman_of(uci())),
            },
        ),
        "shrinkage": Case(
            of("shrinkage", counts),
            (5.5, 3.8),
            {
                "a share": of("shrinkage", lambda: counts(more=8)),
                "two labels": of("shrinkage", lambda: counts(swap=True)),
            },
        ),
        "shrinkage-columns": Case(
            of("shrinkage", uncertain),
            (6.5, 3.4),
            {
                "a dataset": of("shrinkage", lambda: uncertain(own=0.2)),
                "what the others add": of("shrinkage", lambda: uncertain(after=0.2)),
                "two labels": of("shrinkage", lambda: relabelled(uncertain(), 0, 3)),
            },
        ),
        "sensitivity": Case(
            of("sensitivity", sensitivity),
            (5.5, 3.6),
            {
                "a probability": of(
                    "sensitivity", lambda: moved_sensitivity("svm>forest|forest>svm", 0.2)
                ),
                "two labels": of("sensitivity", renamed_sensitivity),
                "a line": of("sensitivity", lambda: sensitivity().iloc[:, :3]),
            },
        ),
        "plan": Case(
            of("plan", plan()),
            (5.5, 3.2),
            {"a probability": of("plan", plan(0.2)), "a number": of("plan", plan().iloc[:3])},
        ),
        "prior": Case(
            of("prior", belief),
            (6.0, 2.8),
            {
                "a probability": of("prior", lambda: belief(p=0.5)),
                "the weight": of("prior", lambda: belief(weight=40)),
            },
        ),
        "beliefs": Case(
            of("beliefs", belief),
            (5.0, 3.4),
            {
                "a probability": of("beliefs", lambda: belief(p=0.55)),
                "the weight": of("beliefs", lambda: belief(weight=9)),
            },
        ),
        "prior_predictive": Case(
            of("prior_predictive", belief, n=12),
            (6.0, 2.8),
            {
                "a probability": of("prior_predictive", lambda: belief(p=0.55), n=12),
                "the datasets": of("prior_predictive", belief, n=14),
            },
        ),
        "relation": Case(
            of("relation", gsd),
            (5.0, 4.0),
            {
                "an edge": relation_without_an_edge,
                "two labels": of("relation", lambda: gsd(renamed(uci(), "RF", "EN"))),
            },
        ),
        "growth": Case(
            of("growth", gsd),
            (5.5, 3.4),
            {
                "an algorithm": of("growth", lambda: gsd(uci().sel(algorithms=few))),
                "two labels": of("growth", lambda: gsd(renamed(uci(), "GLM", "EN"))),
            },
        ),
        "robustness": Case(
            of("robustness", gsd_pair),
            (5.0, 3.2),
            {"a p-value": of("robustness", lambda: Corrupted(0.2))},
        ),
        "dominance": Case(
            dominance(mixed_pairs),
            (4.6, 3.8),
            {
                "a probability": dominance(lambda: pair_shifted(mixed_pairs(), "EN", "GLM", 0.2)),
                "a verdict": dominance(mixed_pairs, fdr=0.05),
                "two labels": dominance(swapped_mixed_pairs),
            },
        ),
        "critical": Case(
            critical(all_pairs),
            (6.5, 3.6),
            {
                "a bar": critical(lambda: pair_shifted(all_pairs(), "GBM", "CART", -0.6)),
                "two labels": critical(lambda: bc.pairwise(renamed(whole, "RF", "EN"), n_jobs=1)),
                "another measure": critical(all_pairs, measure="brier"),
            },
        ),
        "places": Case(
            of("places", ranking),
            (5.5, 3.4),
            {
                "two labels": of("places", lambda: ranking("RF", "EN")),
                "an interval": of("places", lambda: ranking(level=0.6)),
            },
        ),
        "gate": Case(
            of("gate", gate),
            (5.8, 2.6),
            {
                "a rope": of("gate", lambda: gate(0.015)),
                "a candidate": of("gate", lambda: gate(candidate="CART")),
            },
        ),
        "front": Case(
            front(ranking),
            (5.8, 4.0),
            {
                "two labels": front(lambda: ranking("GBM", "CART")),
                "the measures": front(ranking, measures=["auc", "brier"]),
            },
        ),
        "weights": Case(
            of("weights", traded),
            (5.8, 3.6),
            {
                "the shares": of("weights", lambda: traded(0.5)),
                "two labels": of("weights", lambda: traded(swap=True)),
            },
        ),
        "success": Case(
            of("success", curves),
            (4.4, 4.2),
            {
                "two labels": of("success", lambda: curves(swap=True)),
                "a curve": of("success", lambda: curves(step=0.1)),
            },
        ),
    }
