"""The curve of an answer's sensitivity shows what the table says."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import bayescompare as bc


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
