"""How the tests of pictures make Axes, and what they read off them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayescompare as bc


def fresh(width: float = 8, height: float = 6) -> Axes:
    return Figure(figsize=(width, height)).subplots()


def title(ax: Axes) -> str:
    return " ".join(ax.get_title(loc="left").split())


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def ticks(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def results_of(values: dict[str, list[float]], **measure: Any) -> bc.Results:
    """One measure, higher is better; `values` by algorithm."""
    rows = [(f"d{i}", name, v) for name, vs in values.items() for i, v in enumerate(vs)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    return bc.Results.from_frame(frame, measures={"score": bc.Measure("max", **measure)})


def arrows(ax: Axes) -> set[tuple[str, ...]]:
    labels = {str(text.get_label()) for text in ax.texts}
    return {tuple(label.split(">")) for label in labels if label}


def nodes(ax: Axes) -> dict[str, tuple[float, float]]:
    return {t.get_text(): t.get_position() for t in ax.texts if t.get_bbox_patch() is not None}


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


def links(ax: Axes, sign: str) -> dict[tuple[str, ...], Any]:
    """The arrows ("→") or the dashed lines ("–"), by their ends."""
    found = {str(text.get_label()): text.arrow_patch for text in ax.texts if text.get_label()}
    return {tuple(label.split(sign)): arrow for label, arrow in found.items() if sign in label}


def dots(ax: Axes, c: Any) -> dict[str, tuple[float, float]]:
    """Where each measure's node is: its name is written from there."""
    names = {text.get_text(): text.get_position() for text in ax.texts}
    return {name: names[name] for name in c.results.measures}
