"""The shades of a matrix of figures between 0 and 1."""

from __future__ import annotations

import numpy as np

from bayescompare.plots._drawing import readable_on
from bayescompare.plots.matrices import COLOURS

__all__ = ["SHADES", "shade_colours"]

#: Steps between white and the full colour.
SHADES = 10


def shade_colours(*, bayesian: bool) -> list[tuple[str, str]]:
    """Return the background and text colour of every shade, as in the heat map.

    Examples
    --------
    >>> shade_colours(bayesian=True)[-1]
    ('#08306b', 'white')
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    colours = colormaps[COLOURS[bayesian]](np.linspace(0.0, 1.0, SHADES + 1))
    return [(to_hex(rgba), readable_on(np.asarray(rgba))) for rgba in colours]
