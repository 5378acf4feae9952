"""Compare the hierarchical t-test with the figures that its authors published on 54 datasets.

The table is public and is not kept here: 10 × 10-fold cross-validated accuracies of five
classifiers on 54 datasets, in ``Julia/Data`` of https://github.com/BayesianTestsML/tutorial. The
published figures are from two spreadsheets of June 2016 in the same repository, below
``hierarchical/results/rope-001`` at commit 2868901. Their priors were those of "benavoli2017".

Usage: ``python tools/tutorial54.py FOLDER docs/tutorial54.csv`` fits all ten pairs and writes the
table of the documentation, in about half an hour. Pairs named after that, such as ``nbc-hnb``, are
fitted alone.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import bayescompare as bc

#: Differences in accuracy up to this are equivalent.
ROPE = 0.01
PRIORS = {"folds": 10, "priors_of": "benavoli2017"}
SAMPLER = {"draws": 2000, "chains": 4, "cores": 1, "progressbar": False}


class Published(NamedTuple):
    """Figures by region: the first is better, practically equivalent, the second is better.

    `probability` is that the region is the most probable one of the next dataset (from
    ``uciResults_StdUpper-1000-samplingType-student.xls``), `following` the probability of the next
    dataset itself (from ``inferenceDelta0/comparison-Gaussian-Student.xls``).
    """

    probability: tuple[float, float, float]
    following: tuple[float, float, float]


PUBLISHED = {
    "nbc-aode": Published((0.0000, 0.2797, 0.7202), (0.1225, 0.3925, 0.4850)),
    "nbc-hnb": Published((0.0000, 0.0036, 0.9964), (0.1801, 0.2344, 0.5855)),
    "nbc-j48": Published((0.2006, 0.0106, 0.7887), (0.3396, 0.2249, 0.4355)),
    "nbc-j48gr": Published((0.1462, 0.0110, 0.8427), (0.3165, 0.2339, 0.4496)),
    "aode-hnb": Published((0.0000, 0.9999, 0.0001), (0.1195, 0.7655, 0.1150)),
    "aode-j48": Published((0.4646, 0.5059, 0.0295), (0.3656, 0.3961, 0.2382)),
    "aode-j48gr": Published((0.4109, 0.5556, 0.0335), (0.3604, 0.3951, 0.2445)),
    "hnb-j48": Published((0.9074, 0.0655, 0.0271), (0.4816, 0.2475, 0.2709)),
    "hnb-j48gr": Published((0.9165, 0.0537, 0.0297), (0.4889, 0.2492, 0.2619)),
    "j48-j48gr": Published((0.0000, 1.0000, 0.0000), (0.0008, 0.9990, 0.0003)),
}


def read_table(folder: Path) -> bc.Results:
    """Read the five files of the public table; two datasets are both called "credit" there."""
    names = ("ClassifierID", "ClassifierNames", "DatasetID", "DatasetNames", "Percent_correct")
    column = {
        name: np.array((folder / f"{name}.dat").read_text(encoding="utf-8").split())
        for name in names
    }
    frame = pd.DataFrame(
        {
            "dataset": _distinct(column["DatasetNames"])[column["DatasetID"].astype(int) - 1],
            "algorithm": column["ClassifierNames"][column["ClassifierID"].astype(int) - 1],
            "accuracy": column["Percent_correct"].astype(float) / 100.0,
        }
    )
    frame["fold"] = frame.groupby(["dataset", "algorithm"]).cumcount()
    measures = {"accuracy": bc.Measure("max", rope=ROPE)}
    return bc.Results.from_frame(frame, replicate="fold", measures=measures)


def _distinct(names: np.ndarray) -> np.ndarray:
    """Number the names that occur again."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names.tolist():
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return np.array(distinct)


def row_of(results: bc.Results, pair: str) -> dict[str, str]:
    """Sample the model of a pair and write its figures beside the published ones."""
    first, second = pair.split("-")
    method = bc.methods.ModelFile("hierarchical_t", priors=PRIORS)
    c = bc.compare(results, method=method, algorithms=[first, second], rng=1, sampler=SAMPLER)
    figures = c.diagnose().figures
    assert figures["divergences"] == 0
    assert figures["greatest R-hat"] < 1.01
    regions = [f"{first}>{second}", f"{first}={second}", f"{second}>{first}"]
    summary, published = c.summary().loc[regions], PUBLISHED[pair]
    return {
        "pair": pair.replace("-", "–"),
        "published": three(published.probability),
        "obtained": three(summary["probability"]),
        "MCSE": f"{summary['mcse'].max():.4f}",
        "next dataset, published": three(published.following),
        "next dataset, obtained": three(summary["theta_mean"]),
        "R-hat": f"{figures['greatest R-hat']:.3f}",
    }


def three(values: Iterable[float]) -> str:
    """Write the figures of the three regions."""
    return " / ".join(f"{value:.3f}" for value in values)


def main(folder: str, out: str, pairs: Sequence[str]) -> None:
    """Write the table, and each row when it is there."""
    results, rows = read_table(Path(folder)), []
    for pair in pairs or PUBLISHED:
        rows.append(row_of(results, pair))
        print(*rows[-1].values(), sep=" | ", flush=True)
        pd.DataFrame(rows).to_csv(out, index=False)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
