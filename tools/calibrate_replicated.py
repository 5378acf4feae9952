"""Simulate what docs/calibration.md shows: ``python tools/calibrate_replicated.py FOLDER``.

Takes about twenty minutes of one core. Every kind of table is kept in FOLDER when it is done, so a
run that was stopped goes on where it ended; the summary goes to docs/data.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from bayescompare.studies import NoisyTables, replicated_study

SUMMARY = Path(__file__).parents[1] / "docs" / "data" / "calibration-replicated.csv"
SEED, TABLES = 2026, 2000
#: Bins of the stated probability; 0.9 is an edge.
EDGES = np.array([0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0 + 1e-9])
KINDS = [
    NoisyTables(noise=noise, tails=tails, decades=decades, alpha=alpha)
    for alpha, noise, tails, decades in product(
        (None, 3.0), (0.5, 2.0, 5.0), ("normal", "heavy"), (0.0, 2.0)
    )
]
# Heavy noise with more replicates.
KINDS.append(NoisyTables(noise=5.0, replicates=20))
KEYS = ["alpha", "noise", "tails", "decades", "datasets", "replicates", "test"]


def simulated(folder: Path, k: int) -> pd.DataFrame:
    """The tables of one kind, from the folder if they are there."""
    path = folder / f"{k}.csv"
    if not path.exists():
        rng = np.random.default_rng([SEED, k])
        study = replicated_study([KINDS[k]], tables=TABLES, rng=rng)
        study.to_csv(path.with_suffix(".part"), index=False)
        path.with_suffix(".part").rename(path)
        print(path, flush=True)
    return pd.read_csv(path)


def binned(study: pd.DataFrame) -> pd.DataFrame:
    """Tables, mean stated probability and number of right answers in every bin."""
    study = study.assign(bin=np.digitize(study["stated"], EDGES) - 1)
    grouped = study.groupby([*KEYS, "bin"], sort=False)
    table = grouped.agg(
        tables=("right", "size"), stated=("stated", "mean"), right=("right", "sum")
    ).reset_index()
    return table.sort_values([*KEYS, "bin"]).astype({"right": int}).round({"stated": 5})


def main() -> None:
    """Simulate what is missing, and write the summary."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parts = [binned(simulated(folder, k)) for k in range(len(KINDS))]
    SUMMARY.parent.mkdir(exist_ok=True)
    pd.concat(parts, ignore_index=True).to_csv(SUMMARY, index=False)


if __name__ == "__main__":
    main()
