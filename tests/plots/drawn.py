"""What the tests of pictures draw, and what they read off the Axes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.plots.pen import Pen
from tests.tables import table

Pair = tuple[str, str]


def fresh(width: float = 9, height: float = 7) -> Axes:
    return Figure(figsize=(width, height)).subplots()


def words(pen: Pen) -> list[str]:
    return [v["words"] for kind, v in pen.items if kind == "text"]


def title(ax: Axes) -> str:
    return " ".join(ax.get_title(loc="left").split())


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def ticks(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def laid_out(ax: Axes) -> Any:
    """Lay out a new figure, so that what is drawn has its size."""
    figure: Any = ax.get_figure()
    figure.canvas.draw()
    return figure


def apart(found: Sequence[Any]) -> bool:
    """Whether no two boxes overlap."""
    edges = np.array([box.extents for box in found])
    x0, y0, x1, y1 = edges.T
    clear = (x1[:, None] < x0) | (x1 < x0[:, None]) | (y1[:, None] < y0) | (y1 < y0[:, None])
    return bool(clear[~np.eye(len(found), dtype=bool)].all())


# tables -------------------------------------------------------------------------------------------


def results_of(values: dict[str, list[float]], **measure: Any) -> bc.Results:
    """One measure, higher is better; `values` by algorithm."""
    rows = [(f"d{i}", name, v) for name, vs in values.items() for i, v in enumerate(vs)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    return bc.Results.from_frame(frame, measures={"score": bc.Measure("max", **measure)})


def folds(rope: float | None = None) -> bc.Results:
    """Two algorithms on five datasets of six folds."""
    rng = np.random.default_rng(2)
    rows = [
        (f"d{d}", a, f, 0.8 + 0.02 * (a == "B") + rng.normal(0, 0.02))
        for d in range(5)
        for a in "AB"
        for f in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    measure = bc.Measure("max", rope=rope)
    return bc.Results.from_frame(frame, replicate="fold", measures={"auc": measure})


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
    method = bc.methods.Network(**{"mcse": 0.05, **options})
    return bc.compare(grouped(*sizes, names=names), method=method, rng=1)


def seeds(n: int = 6, m: int = 2, name: str = "d{}") -> bc.Results:
    """Noisy replicates of two algorithms on some measures."""
    rng = np.random.default_rng(5)
    rows = [
        (name.format(d), a, k, *(0.02 * (a == "B") + 0.03 * rng.normal(size=m)))
        for d in range(n)
        for a in "AB"
        for k in range(5)
    ]
    measures = [f"q{j}" for j in range(m)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", *measures])
    options = {"replicate": "seed", "replicates": "seeds"}
    return bc.Results.from_frame(frame, measures=dict.fromkeys(measures, "max"), **options)  # type: ignore[arg-type]


# many algorithms ----------------------------------------------------------------------------------


@cache
def board(l: int, long: bool = False, n: int = 12, measures: int = 2) -> bc.Results:
    rng = np.random.default_rng(l)
    level = np.linspace(4.0, 0.0, l)[:, None] * np.array([1.0, 0.6, -0.4])[:measures]
    values = rng.normal(size=(n, l, measures)) + level
    names = [
        f"{'a-very-long-laboratory/encoder-' * long}{k:03d}{'x' * 16 * long}" for k in range(l)
    ]
    return table(values, names=names)


@cache
def pairs_of(l: int, long: bool = False) -> bc.Pairwise:
    return bc.pairwise(board(l, long), n_jobs=1)


@cache
def ranking_of(l: int, long: bool = False) -> bc.Ranking:
    return bc.rank(board(l, long), draws=200, rng=0)


# all pairs with given decisions, as no data would give them ---------------------------------------


def made(names: Sequence[str], said: Mapping[Pair, tuple[float, float, float]]) -> bc.Pairwise:
    """All pairs on one measure with these P(first better), P(equivalent), P(second better)."""
    rows = [(f"d{i}", n, float(k + i)) for k, n in enumerate(names) for i in range(3)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    whole = bc.Results.from_frame(frame, measures={"score": bc.Measure("max", rope=0.5)})
    one = bc.compare(whole, algorithms=list(names[:2]))
    found = []
    for a, b in itertools.combinations(names, 2):
        if (a, b) in said:
            labels = (f"{a}>{b}", f"{a}={b}", f"{b}>{a}")
            answer = replace(
                one.answer,
                labels=labels,
                states=(labels,),
                counts=np.zeros(3),
                probability=np.array(said[a, b]),
            )
            found.append(replace(one, results=whole.sel(algorithms=[a, b]), answer=answer))
    return bc.Pairwise(whole, one.method, tuple(found))


def random_pairs(l: int, seed: int, *, sure: float = 0.5) -> bc.Pairwise:
    """Random decisions, as wild as no data would give: no order, no transitivity."""
    rng = np.random.default_rng(seed)
    names, said = [f"a{k:02d}" for k in range(l)], {}
    for pair in itertools.combinations(names, 2):
        high = 0.999 if rng.random() < sure else rng.uniform(0.4, 0.5)
        rest = (1.0 - high) / 2
        said[pair] = (high, rest, rest) if rng.random() < 0.5 else (rest, rest, high)
    return made(names, said)


# dominance ----------------------------------------------------------------------------------------


def dominance_of(cells: Any, **options: Any) -> Any:
    """A comparison by dominance on two measures from 0 to 10."""
    from bayescompare.methods import GSD
    from tests.methods.gsd.cases import ask

    measures: Any = {m: bc.Measure("max", bounds=(0, 10)) for m in "pq"}
    return ask(table(cells, measures=measures), GSD(**options))


def with_a_twin() -> Any:
    """A and B identical, C below both."""
    cells = np.random.default_rng(0).integers(3, 9, (5, 3, 2))
    cells[:, 1] = cells[:, 0]
    cells[:, 2] = cells[:, 0] - 1
    return dominance_of(cells, delta=0)


def leading_without_a_dataset() -> Any:
    """A is far better on the one and hardly worse on the other; one dataset is B's altogether."""
    better = [[[9, 4], [1, 5]], [[9, 4], [1, 5]], [[8, 4], [1, 5]], [[8, 3], [2, 4]]]
    return dominance_of(np.array([*better, [[3, 3], [4, 4]]]), epsilon=0.9)
