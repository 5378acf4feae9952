"""Small studies that the tests run, in this process and in others."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bayescompare.studies import Study


def case(rng: np.random.Generator, *, n: int, effect: float) -> dict[str, Any]:
    """A sample's mean, whether it is positive, and its first two values; one in twenty fails."""
    if rng.random() < 0.05:
        raise RuntimeError("unlucky")
    x = rng.normal(effect, 1.0, n)
    return {"mean": x.mean(), "positive": bool(x.mean() > 0), "ends": x[:2]}


def block(rng: np.random.Generator, size: int, *, n: int, effect: float) -> dict[str, Any]:
    """The same means, many at once."""
    return {"mean": rng.normal(effect, 1.0, (size, n)).mean(axis=1)}


def slow(rng: np.random.Generator, *, axis: int, log: str, wait: float) -> dict[str, Any]:
    """A number, with a note of which process computed it."""
    time.sleep(wait)
    draw = float(rng.random())
    with open(Path(log) / f"{os.getpid()}.txt", "a", encoding="utf-8") as file:
        file.write(f"{axis} {draw!r}\n")
    return {"draw": draw}


# Workers cannot import the tests, so functions travel to them by value, as those of a script do.
for function in (case, block, slow):
    function.__module__ = "__main__"

GRID = {"n": [2, 5], "effect": [0.0, 0.5, 1.0]}


def cases(**choices: Any) -> Study:
    given: dict[str, Any] = {"name": "means", "grid": GRID, "replications": 30, "case": case}
    return Study(**{**given, "block_size": 10, **choices})


def notes(log: Path, wait: float, replications: int = 6) -> Study:
    return Study(
        name="notes",
        grid={"axis": [1, 2, 3]},
        replications=replications,
        case=slow,
        block_size=2,
        constants={"log": str(log), "wait": wait},
    )


if __name__ == "__main__":
    store, log, wait = sys.argv[1:4]
    notes(Path(log), float(wait)).run(rng=7, store=store)
