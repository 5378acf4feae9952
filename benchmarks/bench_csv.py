"""Csv files of 12 MB, from the file to `Results`, against what pandas takes to read them."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import bayescompare as bc
from benchmarks.timing import Row, median_seconds


def texts() -> dict[str, str]:
    """The same 300,000 rows, written in several ways."""
    names = [f"algorithm {k}" for k in range(30)]
    values = np.random.default_rng(0).random(300_000).round(6).tolist()
    rows = [(f"dataset-{k // 30}", names[k % 30], value) for k, value in enumerate(values)]

    def written(quoting: int, inner: bool = False) -> str:
        out = io.StringIO()
        table = [(d, a.replace("m 3", 'm "3"') if inner else a, v) for d, a, v in rows]
        csv.writer(out, quoting=quoting, lineterminator="\n").writerows(  # type: ignore[call-overload]
            [("dataset", "algorithm", "accuracy"), *table]
        )
        return out.getvalue()

    plain = written(csv.QUOTE_MINIMAL)
    return {
        "plain": plain,
        "quoted names": written(csv.QUOTE_NONNUMERIC),
        "every cell quoted": written(csv.QUOTE_ALL),
        "quotes in cells": written(csv.QUOTE_MINIMAL, inner=True),
        "spaces after commas": plain.replace(",", ", "),
        "every other line blank": plain.replace("\n", "\n\n"),
    }


def run() -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        for kind, text in texts().items():
            path.write_text(text, encoding="utf-8")
            own = median_seconds(lambda: bc.read_results(path, measures={"accuracy": "max"}))
            theirs = median_seconds(lambda: pd.read_csv(path, skipinitialspace=True))
            met = own <= 3 * theirs
            rows.append(Row(f"csv of 12 MB, {kind}", own, theirs, "≥ 0.33×", met))
    return rows


if __name__ == "__main__":
    for row in run():
        print(row)
