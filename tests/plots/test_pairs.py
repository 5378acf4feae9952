"""What the dominance matrix and the critical-difference diagram share."""

from __future__ import annotations

from functools import partial
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare import plots
from tests.plots.drawn import fresh, title

#: What pairs on several measures need besides.
MORE: dict[str, dict[str, Any]] = {"dominance": {}, "critical": {"measure": "auc"}}

BOTH: dict[str, Any] = {
    "dominance": plots.plot_dominance,
    "critical": partial(plots.plot_critical, **MORE["critical"]),
}

both = pytest.mark.parametrize("kind", list(BOTH))


@both
def test_kinds_and_rates_reach_the_picture(kind: Any, pairs: bc.Pairwise) -> None:
    one = pairs.plot(kind, fdr=0.2, ax=fresh(9, 7), **MORE[kind])
    other = BOTH[kind](pairs, fdr=0.2, ax=fresh(9, 7))
    assert [t.get_text() for t in one.texts] == [t.get_text() for t in other.texts]
    assert title(one) == title(other) != title(pairs.plot(kind, ax=fresh(9, 7), **MORE[kind]))


@both
def test_the_axes_given_are_used(kind: Any, pairs: bc.Pairwise) -> None:
    before, settings = plt.get_fignums(), dict(mpl.rcParams)
    ax = fresh(9, 7)
    assert pairs.plot(kind, ax=ax, **MORE[kind]) is ax
    assert plt.get_fignums() == before
    made_anew = pairs.plot(kind, **MORE[kind])
    assert len(plt.get_fignums()) == len(before) + 1
    assert dict(mpl.rcParams) == settings
    plt.close(made_anew.get_figure())  # type: ignore[arg-type]


@both
@pytest.mark.parametrize("fdr", [0.0, 1.0, -0.1, float("nan"), "0.05", True])
def test_rates_are_checked(kind: Any, fdr: Any, pairs: bc.Pairwise) -> None:
    with pytest.raises(bc.BayescompareError, match="fdr="):
        BOTH[kind](pairs, fdr=fdr, ax=fresh(9, 7))


@both
@pytest.mark.parametrize("thing", [None, "pairs", 3, [1, 2]])
def test_only_pairs_are_drawn(kind: Any, thing: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="pairwise"):
        BOTH[kind](thing, ax=fresh(9, 7))
    with pytest.raises(bc.BayescompareError, match="Comparison"):
        BOTH[kind](bc.compare(bc.load_example("pnn")), ax=fresh(9, 7))


ODD = ["$x_1$", "a & <script", "\\frac{1}{2}_b", "naïve Größe 40 %", "$unbalanced", "y" * 60, "a~b"]


@both
@pytest.mark.parametrize("reference", [None, "$x_1$"])
def test_odd_names_are_shown_as_they_are(kind: Any, reference: str | None) -> None:
    values = np.random.default_rng(0).random((9, 7, 1)) + np.linspace(0, 1, 7)[None, :, None]
    rows = [(f"d{i}", ODD[k], values[i, k, 0]) for i in range(9) for k in range(7)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    results = bc.Results.from_frame(frame, measures={"score": "max"})
    ax = bc.pairwise(results, reference=reference, n_jobs=1).plot(kind, ax=fresh(9, 7))
    shown = [*ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label]
    named = [text for text in shown if any(sign in text.get_text() for sign in "$\\_&")]
    assert named
    assert not any(text.get_parse_math() for text in named)
    assert not any("y" * 40 in text.get_text() for text in shown)
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()


@both
@pytest.mark.parametrize("which", ["pairs", "tested"])
def test_nothing_is_cut_off(kind: Any, which: str, request: pytest.FixtureRequest) -> None:
    ax = request.getfixturevalue(which).plot(kind, **MORE[kind])
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    box, inside = ax.get_tightbbox(), figure.bbox.padded(2.0)
    assert box is not None
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1
    plt.close(figure)
