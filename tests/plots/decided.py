"""All pairs with given decisions, as no data would give them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import bayescompare as bc

Pair = tuple[str, str]


def made(names: Sequence[str], said: Mapping[Pair, tuple[float, float, float]]) -> bc.Pairwise:
    """All pairs on one measure with these P(first better), P(equivalent), P(second better)."""
    rows = [(f"d{i}", n, float(k + i)) for k, n in enumerate(names) for i in range(3)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    whole = bc.Results.from_frame(frame, measures={"score": bc.Measure("max", rope=0.5)})
    one = bc.compare(whole, algorithms=list(names[:2]))
    found = []
    for a, b in itertools.combinations(names, 2):
        if (a, b) not in said:
            continue
        labels = (f"{a}>{b}", f"{a}={b}", f"{b}>{a}")
        p = np.array(said[a, b])
        answer = replace(
            one.answer, labels=labels, states=(labels,), counts=np.zeros(3), probability=p
        )
        found.append(replace(one, results=whole.sel(algorithms=[a, b]), answer=answer))
    return bc.Pairwise(whole, one.method, tuple(found))


def random_pairs(l: int, seed: int, *, sure: float = 0.5, same: float = 0.0) -> bc.Pairwise:
    """Random decisions, as wild as no data would give: no order, no transitivity."""
    rng = np.random.default_rng(seed)
    names = [f"a{k:02d}" for k in range(l)]
    said = {}
    for pair in itertools.combinations(names, 2):
        high = 0.999 if rng.random() < sure else rng.uniform(0.4, 0.5)
        rest = 1.0 - high
        kind = 1 if rng.random() < same else int(rng.choice([0, 2]))
        p = [rest / 2] * 3
        p[kind] = high
        said[pair] = (p[0], p[1], p[2])
    return made(names, said)


def written(ax: Axes) -> dict[str, tuple[float, str]]:
    """Rank and letters that stand beside each name."""
    found = {}
    for text in ax.texts:
        name, _, rest = text.get_text().partition(" ")
        if rest:
            rank, _, letters = rest.partition(" ")
            found[name] = float(rank), letters.strip("()").replace(", ", "")
    return found
