"""The picture of how the order grows with δ."""

from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.path import Path

import bayescompare as bc
from bayescompare.methods import GSD
from bayescompare.methods.gsd.comparison import GsdComparison
from tests.methods.gsd.cases import ask
from tests.plots.dominated import with_a_twin
from tests.plots.drawn import fresh, title


def test_growth_labels_do_not_stand_on_the_steps(whole: GsdComparison) -> None:
    ax = whole.plot("growth")
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    x, y = ax.transData.transform(ax.lines[0].get_path().interpolated(1).vertices).T
    corners = np.stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]], axis=1)
    path = Path(corners)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 5
    assert not any(path.intersects_bbox(box, filled=False) for box in boxes)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    plt.close(figure)


def test_growth_counts_the_ordered_pairs(whole: GsdComparison) -> None:
    ax = whole.plot("growth", ax=fresh())
    found = whole.thresholds.values
    least = np.fmin(found, found.T)[np.triu_indices(8, 1)]
    line = ax.lines[0]
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    for delta, count in zip(x, y, strict=True):
        assert count == (least <= delta).sum()
    shown = [text.get_text() for text in ax.texts]
    assert shown[0] == "21 at δ = 0"
    names = whole.results.algorithms
    steps = [
        f"{names[i]}>{names[j]}" for i, j in np.argwhere((found > 0) & np.isfinite(found)).tolist()
    ]
    assert sorted(shown[1:]) == sorted(steps)
    at_last = int(np.isfinite(least).sum())
    assert title(ax) == f"{at_last} of 28 pairs are ordered at some δ, {28 - at_last} at none"


def test_growth_does_not_call_equivalent_pairs_ordered() -> None:
    c = with_a_twin()
    assert c.summary().loc["A, B", "relation"] == "equivalent"
    assert "2 of 3 pairs of algorithms are ordered" in c.explain()
    ax = c.plot("growth", ax=fresh())
    assert "3 of 3 pairs are ordered" not in title(ax)
    assert ax.texts[0].get_text() == "2 at δ = 0"


def test_growth_of_a_pair(uci: bc.Results) -> None:
    c = ask(uci, GSD(delta=0, permutations=1), algorithms=["BDS", "RF"])
    ax = c.plot("growth", ax=fresh())
    assert [text.get_text() for text in ax.texts] == ["0 at δ = 0", "RF>BDS"]
