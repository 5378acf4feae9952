"""Successes against errors: the ROC curve of tests whose answers are known to be right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.success import area_under_success
from bayescompare.plots._drawing import (
    GREY,
    LINES,
    clip_drawn_text,
    legend_beside,
    moved_in_drawing,
    new_axes,
    set_title,
)
from bayescompare.text.numbers import share_number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_success"]


#: Curves with more points than this have no markers.
_FEW = 25


def plot_success(curves: Mapping[str, pd.DataFrame], *, ax: Axes | None = None) -> Axes:
    """Draw the share of successes against that of errors, threshold by threshold.

    A test with informative confidence is above the diagonal. The area under each curve, by the
    trapezoidal rule, is in the legend.

    Parameters
    ----------
    curves : mapping of str to DataFrame
        For each method the output of `studies.success_errors`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    References
    ----------
    Lacoste, Laviolette & Marchand (2012), Section 6.3.

    Examples
    --------
    >>> from bayescompare.studies import success_curves, success_study
    >>> from matplotlib.figure import Figure
    >>> study = success_study(simulations=500, datasets=5, rng=1)
    >>> ax = plot_success(success_curves(study), ax=Figure().subplots())
    >>> ax.get_legend().get_texts()[1].get_text()
    'sign: AUC 0.6...'
    """
    drawn = list(_checked_success_plot_curves(curves))
    ax = new_axes(ax, (5.4, 5.8))
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, zorder=1)
    for (name, under, error, success), line in zip(drawn, cycle(LINES), strict=False):
        style = line if len(error) <= _FEW else {**line, "marker": "none"}
        label = f"{clip_drawn_text(name, 32)}: AUC {share_number_text(under)}"
        ax.plot(error, success, linewidth=1.8, markersize=4.0, label=label, **style)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_xlabel("errors left, share of all")
    ax.set_ylabel("successes left, share of all")
    ax.set_aspect("equal")
    below = moved_in_drawing(ax, ax.transAxes, 0.0, -38.0)
    place = {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": below}
    legend_beside(ax, handlelength=4.0, **place)
    ax.spines[["top", "right"]].set_visible(False)
    set_title(ax, "successes against errors as the least confidence falls")
    return ax


def _checked_success_plot_curves(
    curves: object,
) -> Iterator[tuple[str, float, FloatArray, FloatArray]]:
    """Yield name, area, errors and successes of each curve, once they are checked."""
    if not isinstance(curves, Mapping) or not curves:
        raise BayescompareError(
            "curves: give a mapping with at least one curve, such as the output of "
            "studies.success_curves."
        )
    for name, curve in curves.items():
        if not isinstance(curve, pd.DataFrame) or not {"success", "error"} <= set(curve.columns):
            raise BayescompareError(
                f"curves[{name!r}] has no columns 'success' and 'error': give the output of "
                "studies.success_errors."
            )
        success, error = (curve[c].to_numpy(dtype=np.float64) for c in ("success", "error"))
        whole = np.concatenate([success, error])
        if len(success) < 2 or not ((whole >= 0.0) & (whole <= 1.0)).all():
            raise BayescompareError(
                f"curves[{name!r}]: give at least two shares of successes and errors, from 0 to 1."
            )
        yield str(name), area_under_success(success, error), error, success
