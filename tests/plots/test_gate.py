"""The picture of a gate: the figures of its table, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.plots import plot_gate
from tests.tables import table


def gated(n: int = 12) -> bc.Gate:
    advantage = np.random.default_rng(0).normal([0.0, 3.0, -3.0], 1.0, (n, 3))
    values = np.stack([advantage, np.zeros_like(advantage)], axis=1)
    measures: dict[str, Any] = {"a": bc.Measure("max", rope=1.0), "b": "max", "$c_1$": "max"}
    return bc.gate(
        table(values, names=["new", "old"], measures=measures), candidate="new", baseline="old"
    )


def test_lines_are_the_bounds_each_on_a_scale_of_its_own() -> None:
    g = gated()
    ax = g.plot(ax=Figure().subplots())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b", "$c_1$"]
    lines = [c.get_segments()[0][:, 0] for c in ax.collections if hasattr(c, "get_segments")]
    for line, (name, row) in zip(lines, g.table.iterrows(), strict=True):
        bounds = row[["lower", "upper"]].to_numpy(dtype=float)
        rope = g.results[str(name)].rope or 0.0
        np.testing.assert_allclose(line, bounds / max(*np.abs(bounds), rope))
    said = [t.get_text() for t in ax.texts]
    assert said[1::2] == g.table["verdict"].tolist() == ["not worse", "superior", "worse"]
    (band,) = ax.patches  # of the one rope there is
    assert band.get_x() + band.get_width() == pytest.approx(0.0)


def test_too_few_datasets_have_no_lines() -> None:
    ax = gated(3).plot(ax=Figure().subplots())
    assert not any(hasattr(c, "get_segments") for c in ax.collections)
    assert "too few" in ax.get_title(loc="left")


def test_what_is_no_gate_is_refused() -> None:
    with pytest.raises(BayescompareError, match="g is a dict: this plot shows the result of gate"):
        plot_gate({})  # type: ignore[arg-type]
