"""The pictures that tests/images keeps, how they are rendered, and how two are compared."""

from __future__ import annotations

import io
from collections.abc import Callable
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


def uci(*algorithms: str) -> bc.Results:
    return bc.load_example("jansen-uci").sel(algorithms=list(algorithms))


def example() -> bc.Comparison:
    frame = bc.load_example("benavoli-example1").to_frame()
    frame["algorithm"] = frame["algorithm"].map({"A": "forest", "B": "svm"})
    return bc.compare(bc.Results.from_frame(frame, measures={"accuracy": "max", "time": "min"}))


def uncertain() -> bc.Comparison:
    """Replicates that leave datasets unsure."""
    rng = np.random.default_rng(2)
    rows = [
        (f"d{d}", a, f, 0.02 * (a == "svm") + rng.normal(0, 0.03), rng.normal(0, 0.03))
        for d in range(7)
        for a in ("forest", "svm")
        for f in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc", "time"])
    results = bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max", "time": "min"})
    return bc.compare(results, method="replicated")


def simplex() -> bc.Comparison:
    difference = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, -3.0, -3.0]
    rows = [(f"d{i}", a, v if a == "A" else 0.0) for a in "AB" for i, v in enumerate(difference)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    measures = {"score": bc.Measure("max", rope=1.0)}
    return bc.compare(bc.Results.from_frame(frame, measures=measures))


def counts() -> Any:
    """Eight datasets' errors by the hierarchical test."""
    names = ["iris", "wine", "sonar", "glass", "adult", "mushrooms", "heart", "vowel"]
    first, second = [1, 3, 8, 4, 9, 2, 12, 5], [7, 6, 4, 9, 9, 14, 6, 11]
    frame = pd.DataFrame({"dataset": names, "a": first, "b": second})
    found = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
    return bc.compare(found, method="hierarchical")


def plan() -> pd.DataFrame:
    settled, on_best = [0.2, 0.35, 0.6, 0.9], [0.15, 0.3, 0.5, 0.8]
    figures = {"settled": settled, "settled_on_best": on_best, "mcse": [0.02] * 4}
    return pd.DataFrame(figures, index=pd.Index([5, 10, 20, 50], name="more"))


def curves() -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(3)
    right = rng.random(400) < 0.7
    made = {}
    for name, power in (("poisson-binomial", 2.2), ("sign", 1.0), ("wilcoxon", 0.0)):
        sure = rng.random(400) ** np.where(right, 1.0 / (1.0 + power), 1.0)
        made[name] = success_errors(np.round(sure, 2), right)
    return made


def belief() -> Elicitation:
    """A prior of two algorithms on two measures."""
    prior = {"accuracy": {"B>A": 0.7}, "weight": 5}
    return bc.methods.elicit(prior, algorithms=["A", "B"], measures=["accuracy", "time"])


def ranking() -> bc.Ranking:
    return bc.rank(bc.load_example("jansen-uci"), rng=0)


def gate() -> bc.Gate:
    frame = bc.load_example("jansen-uci").to_frame()
    measures: Any = {"auc": bc.Measure("max", rope=0.02), "accuracy": "max", "brier": "min"}
    results = bc.Results.from_frame(frame, measures=measures)
    return bc.gate(results, candidate="RF", baseline="BDS")


def traded() -> bc.Ranking:
    """Three measures, each with a leader, and an algorithm that is second on all."""
    base = np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0], [2.8] * 3])
    noise = np.random.default_rng(0).normal(0.0, 0.1, (8, 4, 3))
    measures = ["speed", "accuracy", "size"]
    frame = pd.DataFrame((base + noise).reshape(-1, 3), columns=measures)
    names = ["fast", "exact", "small", "balanced"] * 8
    frame = frame.assign(dataset=np.repeat(range(8), 4), algorithm=names)
    results = bc.Results.from_frame(frame, measures=dict.fromkeys(measures, "max"))
    return bc.rank(results, by="value", utility="unknown", draws=200, rng=0)


def of(kind: str, make: Callable[[], Any], **options: Any) -> Draw:
    """Return what draws a thing by its `plot_...`; it is made when it is drawn first."""
    made = cache(make)
    return lambda ax: getattr(plots, f"plot_{kind}")(made(), ax=ax, **options)


@cache
def cases() -> dict[str, tuple[Draw, tuple[float, float]]]:
    """How every picture is drawn, and its size, by the name of its function."""
    whole, five = bc.load_example("jansen-uci"), uci("GBM", "RF", "GLM", "EN", "CART")
    # Under the papers' prior one pair's leading statement is a trade-off.
    mixed = uci("EN", "GBM", "CART", "GLM", "RF").sel(measures=["auc", "brier"])
    papers = Dirichlet(prior="symmetric")
    pair = uci("GBM", "CART")
    pairs = cache(lambda: bc.pairwise(five, n_jobs=1))
    friedman = partial(bc.compare, whole, measures=["auc"], method="friedman")
    gsd, tested = partial(bc.compare, five, method=GSD(delta=0)), GSD(permutations=200)
    sensitivity = example().sensitivity([0.1, 0.3, 1.0, 3.0, 10.0])
    trade_offs = partial(bc.pairwise, mixed, method=papers, n_jobs=1)
    all_pairs, ranked = partial(bc.pairwise, whole, n_jobs=1), cache(ranking)
    network = partial(bc.compare, pair, method="network", rng=1)
    return {
        "statements": (of("statements", example), (6.5, 3.4)),
        "simplex": (of("simplex", simplex, draws=400), (5.0, 4.6)),
        "matrix": (of("matrix", pairs), (4.6, 4.2)),
        "order": (of("order", pairs, fdr=0.1), (5.5, 3.6)),
        "network": (of("network", network), (6.0, 2.6)),
        "ranks": (of("ranks", friedman), (6.0, 2.6)),
        "shrinkage": (of("shrinkage", counts), (5.5, 3.8)),
        "shrinkage-columns": (of("shrinkage", uncertain), (6.5, 3.4)),
        "sensitivity": (of("sensitivity", lambda: sensitivity), (5.5, 3.6)),
        "plan": (of("plan", plan), (5.5, 3.2)),
        "prior": (of("prior", belief), (6.0, 2.8)),
        "beliefs": (of("beliefs", belief), (5.0, 3.4)),
        "prior_predictive": (of("prior_predictive", belief, n=12), (6.0, 2.8)),
        "relation": (of("relation", gsd), (5.0, 4.0)),
        "growth": (of("growth", gsd), (5.5, 3.4)),
        "robustness": (
            of("robustness", partial(bc.compare, pair, method=tested, rng=1)),
            (5.0, 3.2),
        ),
        "dominance": (of("dominance", trade_offs, fdr=0.1), (4.6, 3.8)),
        "critical": (of("critical", all_pairs, measure="auc", fdr=0.05), (6.5, 3.6)),
        "places": (of("places", ranked), (5.5, 3.4)),
        "gate": (of("gate", gate), (5.8, 2.6)),
        "front": (of("front", ranked, measures=["brier", "auc"]), (5.8, 4.0)),
        "weights": (of("weights", traded), (5.8, 3.6)),
        "success": (of("success", curves), (4.4, 4.2)),
    }


def spoilt(draw: Draw, what: str) -> Draw:
    """Return what draws the same with its longest words backwards, or without every second mark."""

    def wrong(ax: Axes) -> None:
        draw(ax)
        if what == "words":
            written = [text for text in (*ax.texts, ax._left_title) if text.get_text()]
            longest = max(written, key=lambda text: len(text.get_text()))
            longest.set_text(longest.get_text()[::-1])
        else:
            for mark in [*ax.images, *ax.lines, *ax.patches, *ax.collections][::2]:
                mark.set_visible(False)

    return wrong
