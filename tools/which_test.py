"""Simulate what docs/which-test.md shows: ``python tools/which_test.py STORE [TABLES SLOW]``.

TABLES of each kind for the quick methods (400) and SLOW for the slow ones (100) take about 20
minutes of one core. A run that was stopped goes on where it ended, and more tables may be asked
for later. The summary and the time that each method takes go to docs/data.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from bayescompare import pairwise
from bayescompare.studies import which_test_study, which_test_summary
from bayescompare.studies.which_test import KINDS, which_test_results
from bayescompare.studies.which_test_methods import METHODS

DATA = Path(__file__).parents[1] / "docs" / "data"
SEED = 2026
#: Tables of two algorithms and 20 datasets, on which methods are timed.
TIMED = ("1 measure, n=20", "2 measures, n=20", "10 folds, much noise", "counts of errors")


def seconds(name: str) -> tuple[str, float]:
    """The kind of table on which a method is timed, and the median time of five answers."""
    contender = METHODS[name]
    label = next(k for k in (*TIMED, *KINDS) if contender.applies_to(KINDS[k]))
    kind = KINDS[label]
    rng = np.random.default_rng(SEED)
    strength = rng.normal(0.0, 0.5, (kind.algorithms, kind.measures))
    tables = [which_test_results(kind, strength, rng) for _ in range(6)]
    spent = []
    for table in tables:
        start = time.process_time()
        pairwise(table, method=contender.method, missing=contender.missing, rng=1, n_jobs=1)
        spent.append(time.process_time() - start)
    # The first one compiles.
    return label, float(np.median(spent[1:]))


def main(store: Path, tables: int, slow: int) -> None:
    """Run the study, or what is missing of it, and write the summaries."""
    store.mkdir(parents=True, exist_ok=True)
    parts = []
    for name, few, number in (("quick", False, tables), ("slow", True, slow)):
        study = which_test_study(replications=number, slow=few)
        table = study.run(rng=SEED, store=store / name, progress=sys.stderr.isatty())
        print(f"{name}: {table.attrs['failed']} cases failed")
        parts.append(which_test_summary(table))
    pd.concat(parts).round(4).to_csv(DATA / "which-test.csv", index=False)
    rows = [(name, *seconds(name)) for name in METHODS]
    costs = pd.DataFrame(rows, columns=["method", "kind", "seconds"])
    costs.round(4).to_csv(DATA / "which-test-seconds.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(map(int, sys.argv[2:] or (400, 100))))
