"""What all plots share: axes, colours, legends, titles, and names shown literally."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.statements import Statement
from bayescompare.text.names import common_prefix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

#: Okabe & Ito's colours: distinct for every kind of colour vision and, as chosen here, in grey.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
INK, GREY = "#222222", "#BBBBBB"

#: Line styles that differ in colour and also in dashes and markers.
LINES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": VERMILION, "linestyle": (0, (5, 2)), "marker": "s"},
    {"color": GREEN, "linestyle": (0, (1, 1.2)), "marker": "^"},
    {"color": ORANGE, "linestyle": (0, (6, 2, 1, 2)), "marker": "D"},
    {"color": "#CC79A7", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "v"},
    {"color": INK, "linestyle": (0, (8, 3)), "marker": "x"},
)

#: For every text with a name in it: "$", "_" and "\" are shown literally.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}

#: Holds words together on one line.
GLUE = "\N{NO-BREAK SPACE}"


# axes ---------------------------------------------------------------------------------------------


def new_axes(ax: Any, size: tuple[float, float]) -> Axes:
    """Return `ax`, or the Axes of a new pyplot figure of this size in inches.

    A Figure instead of Axes, as the report gives, is made as large as that and gets one Axes.
    """
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if ax is None:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=size, layout="constrained")[1]
    if isinstance(ax, Figure):
        ax.set_size_inches(size)
        ax = ax.subplots()
    if not isinstance(ax, Axes):
        raise BayescompareError(
            f"ax is a {type(ax).__name__}: give a matplotlib Axes, or None for a new figure."
        )
    return ax


def figure_of(ax: Axes) -> Figure | SubFigure:
    """Return the figure that holds the Axes."""
    figure = ax.get_figure()
    assert figure is not None
    return figure


def inches_of(ax: Axes) -> tuple[float, float]:
    """Return the width and height of the Axes in inches, before the figure is laid out."""
    box, dpi = ax.get_window_extent(), figure_of(ax).dpi
    return box.width / dpi, box.height / dpi


def finish(ax: Axes, *title: str, bare: str = "top right", most: float = math.inf) -> Axes:
    """Set the title, hide the spines of `bare` sides, and show every name as it is.

    Where the left spine is hidden, the rows of the Axes have names instead of ticks.
    """
    from matplotlib.ticker import FuncFormatter

    sides = bare.split()
    ax.spines[sides].set_visible(False)
    if "left" in sides:
        ax.tick_params(axis="y", length=0)
    named = [ax.xaxis.label, ax.yaxis.label, *ax.texts]
    for axis in (ax.xaxis, ax.yaxis):
        # Names that were given; the numbers of a logarithmic axis are mathematics.
        if isinstance(axis.get_major_formatter(), FuncFormatter):
            named += axis.get_ticklabels()
    for text in named:
        text.set(**LITERAL)
    if title:
        set_title(ax, *title, most=most)
    return ax


def set_title(ax: Axes, *parts: str, most: float = math.inf) -> None:
    """Set the title, each part on a new line, wrapped to the Axes' width or `most` inches."""
    width = max(24, int(min(inches_of(ax)[0], most) / 0.088))
    # "P = 0.8" and "p < 0.001" stay on one line.
    glued = (re.sub(r" ([=<>]) ", rf"{GLUE}\1{GLUE}", part) for part in parts)
    lines = [line for part in glued for line in _balanced(part, width)]
    text = re.sub(f"{GLUE}([=<>]){GLUE}", r" \1 ", "\n".join(lines))
    ax.set_title(text, loc="left", fontsize="medium", **LITERAL)


def _balanced(text: str, width: int) -> list[str]:
    """Wrap to as few lines as `width` allows, of similar length."""
    lines = textwrap.wrap(text, width)
    for narrower in range(width - 1, 0, -1):
        tried = textwrap.wrap(text, narrower)
        if len(tried) > len(lines):
            break
        lines = tried
    return lines


# words beside what is drawn -----------------------------------------------------------------------


def note(ax: Axes, words: str, at: Sequence[float], x: float, y: float, **style: Any) -> None:
    """Write beside a point of the data, moved by x and y points."""
    place = {"textcoords": "offset points", "fontsize": "small", **style}
    ax.annotate(words, (float(at[0]), float(at[1])), (x, y), **place, **LITERAL)


def add_legend(ax: Axes, **options: Any) -> None:
    """Add a legend without a frame, whose texts are shown literally."""
    legend = ax.legend(**{"frameon": False, "fontsize": "small", **options})
    for text in (*legend.get_texts(), legend.get_title()):
        text.set(**LITERAL)


def legend_beside(ax: Axes, title: str | None = None, **options: Any) -> None:
    """Add a legend on the right of the Axes, where it covers no curve."""
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    # Without a title it names lines: long enough to show the dashes, and level with the Axes.
    lines = {"handlelength": 3.6, "borderaxespad": 0.0}
    titled = {"title": title, "title_fontsize": "small"}
    add_legend(ax, **place, **({**lines, **options} if title is None else {**titled, **options}))


def readable_on(rgba: FloatArray) -> str:
    """Return black or white, whichever has more contrast with a colour (WCAG 2)."""
    rgb = rgba[:3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if luminance > 0.179 else "white"


# names and statements -----------------------------------------------------------------------------


def clip(text: str, width: int) -> str:
    """Shorten a text in its middle.

    Examples
    --------
    >>> clip("a-very-long-name", 9)
    'a-ve…name'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def prefix_words(names: Sequence[str]) -> list[str]:
    """Say for a title what all names begin with, if that is left out.

    Examples
    --------
    >>> prefix_words(["lab/net-small", "lab/net-large"]), prefix_words(["A", "B"])
    (['names without “lab/net-”'], [])
    """
    prefix = common_prefix(names)
    return [f"names without “{prefix}”"] if prefix else []


def statement_words(label: str, width: int) -> str:
    """Say in a legend whom a statement favours, measure by measure, without a code.

    Examples
    --------
    >>> statement_words("B>A|A>B", 30), statement_words("A=B", 30), statement_words("A>B>C", 30)
    ('B better · A better', 'equal', 'A > B > C')
    """
    states = Statement.parse(label).states
    if any(len(state.names) > 2 for state in states):
        return clip(" · ".join(state.spaced() for state in states), width)
    signs = {"=": "equal", "~": "incomparable"}
    words = [f"{s.leader} better" if s.leader else signs.get(s.relation, "") for s in states]
    return clip(words[0] if len(set(words)) == 1 else " · ".join(words), width)
