"""Values as large as floats go: what needs only their order is answered, the rest is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from tests.tables import table

LARGEST = sys.float_info.max
#: A is better than B on all datasets but one, and both are better than C.
VALUES = np.tile(np.array([LARGEST, LARGEST / 2, -LARGEST])[None, :, None], (8, 1, 2))
VALUES[0, 1] = LARGEST


@pytest.mark.parametrize("method", ["glrt", "dirichlet", "network", "gsd", "gsd-bootstrap"])
def test_two_algorithms_are_compared(method: str) -> None:
    c = bc.compare(table(VALUES), algorithms=["A", "C"], method=method, rng=0)
    assert c.best in ("A>C|A>C", "A>C")
    effects = json.loads(c.to_json())["effects"]
    assert [row["mean"] for row in effects] == [LARGEST, LARGEST]


@pytest.mark.parametrize("method", ["sign", "signed-rank", "wilcoxon", "all-test", "one-test"])
def test_two_algorithms_are_compared_on_a_measure(method: str) -> None:
    c = bc.compare(table(VALUES[:, :, :1]), algorithms=["A", "B"], method=method, rng=0)
    assert c.best == "A>B"
    assert c.effects.loc["m0", "mean"] == 7 / 8 * (LARGEST / 2)
    assert c.effects.loc["m0", "won"] == 7 / 8


@pytest.mark.parametrize("method", ["dirichlet", "gsd"])
def test_pairs_are_compared(method: str) -> None:
    p = bc.pairwise(table(VALUES), method=method, n_jobs=1, rng=0)
    best = {c.results.algorithms: c.best for c in p.comparisons}
    assert best["A", "C"] in ("A>C|A>C", "A>C")
    assert np.isfinite(p.effects["mean"]).all()


def test_places_are_ranked_and_reported(tmp_path: Path) -> None:
    r = bc.rank(table(VALUES[:, :, :1]), draws=100, rng=0)
    assert list(r.overall.index) == ["A", "B", "C"]
    assert "1.798e+308" in r.report(tmp_path / "r.md").read_text("utf-8")


def folds(measures: int) -> bc.Results:
    names = [f"m{j}" for j in range(measures)]
    frame = table(VALUES).to_frame().merge(pd.DataFrame({"fold": range(3)}), how="cross")
    return bc.Results.from_frame(frame, replicate="fold", measures=dict.fromkeys(names, "max"))


ASKED: dict[str, Callable[[], object]] = {
    "rank": lambda: bc.rank(table(VALUES), by="value", rng=0),
    "gate": lambda: bc.gate(table(VALUES), candidate="A", baseline="B"),
    "replicated": lambda: bc.compare(folds(2), algorithms=["A", "B"], method="replicated"),
    "correlated-t": lambda: bc.compare(folds(1), algorithms=["A", "B"], method="correlated-t"),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_means_are_refused(ask: Callable[[], object]) -> None:
    with pytest.raises(bc.BayescompareError, match=r"measure 'm0' has values up to ±1.8e\+308"):
        ask()


def test_the_mean_of_folds_is_one_of_them() -> None:
    np.testing.assert_array_equal(folds(2).average().values(), VALUES)
