"""The curve of an answer's sensitivity shows what the table says."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from tests.plots.drawn import fresh


def test_the_pictures_of_sensitivity(results: bc.Results) -> None:
    c = bc.compare(results)
    table_ = c.sensitivity()
    assert table_.index.min() == pytest.approx(0.1)
    assert table_.index.max() == pytest.approx(10.0)
    ax = bc.plots.plot_sensitivity(table_, ax=Figure().subplots())
    assert ax.get_xscale() == "log"
    (band,) = ax.collections
    drawn = band.get_paths()[0].vertices[:, 1]
    assert drawn.min() == pytest.approx(min(table_.attrs["lower"]))
    assert drawn.max() == pytest.approx(max(table_.attrs["upper"]))
    ropes = bc.plots.plot_sensitivity(c.rope_sensitivity("time"), ax=Figure().subplots())
    assert ropes.get_xscale() == "linear"


def test_lines_of_sensitivity_differ_without_colour() -> None:
    table = bc.compare(bc.load_example("benavoli-example1")).sensitivity()
    ax = plots.plot_sensitivity(table, ax=fresh(9, 7))
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    assert len(lines) == 4
    assert len({str(line._dash_pattern) for line in lines}) == 4
    assert len({line.get_marker() for line in lines}) == 4
