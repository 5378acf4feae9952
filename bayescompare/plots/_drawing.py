"""What all plots share: axes, colours, and names shown literally."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bayescompare._errors import BayescompareError
from bayescompare.statements import BAR, Statement
from bayescompare.text.names import common_prefix, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.transforms import Transform

__all__ = [
    "BLUE",
    "GLUE",
    "GREEN",
    "GREY",
    "INK",
    "LINES",
    "LITERAL",
    "ORANGE",
    "PURPLE",
    "SKY",
    "VERMILION",
    "add_legend",
    "clip_drawn_label",
    "clip_drawn_text",
    "figure_of",
    "legend_beside",
    "moved_in_drawing",
    "new_axes",
    "prefix_words",
    "set_title",
    "shown_names",
    "wrap_label",
]

#: Okabe & Ito's colours: distinct for every kind of colour vision and, as chosen here, in grey.
BLUE, SKY, ORANGE, GREEN, VERMILION = "#0072B2", "#56B4E9", "#E69F00", "#009E73", "#D55E00"
INK, GREY = "#222222", "#BBBBBB"

#: Trade-offs have a colour of their own, which differs from the others in grey too.
PURPLE = "#B05A90"

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


def new_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return `ax`, or the Axes of a new pyplot figure of this size in inches."""
    if ax is not None:
        from matplotlib.axes import Axes

        argument: object = ax
        if not isinstance(argument, Axes):
            raise BayescompareError(
                f"ax is a {type(argument).__name__}: give a matplotlib Axes, or None for a new "
                "figure."
            )
        return ax
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=size, layout="constrained")
    return axes


def figure_of(ax: Axes) -> Figure | SubFigure:
    """Return the figure that holds the Axes."""
    figure = ax.get_figure()
    assert figure is not None
    return figure


def moved_in_drawing(ax: Axes, transform: Transform, x: float, y: float) -> Transform:
    """Return the transform moved by x and y points, whatever the size of the figure."""
    from matplotlib.transforms import ScaledTranslation

    return transform + ScaledTranslation(x / 72, y / 72, figure_of(ax).dpi_scale_trans)


def set_title(
    ax: Axes,
    *parts: str,
    most: float = math.inf,
    inches: float | None = None,
    pad: float | None = None,
) -> None:
    """Set the title, each part on a new line, wrapped to the Axes' width or `most` inches.

    A new figure is not laid out yet; a caller that knows its final width passes it as `inches`.
    `pad` is the room between the title and the Axes, in points.
    """
    if inches is None:
        inches = min(ax.get_window_extent().width / figure_of(ax).dpi, most)
    width = max(24, int(inches / 0.088))
    # "P = 0.8" and "p < 0.001" stay on one line.
    glued = (re.sub(r" ([=<>]) ", rf"{GLUE}\1{GLUE}", part) for part in parts)
    lines = [line for part in glued for line in _balanced_plot_lines(part, width)]
    text = re.sub(f"{GLUE}([=<>]){GLUE}", r" \1 ", "\n".join(lines))
    ax.set_title(text, loc="left", fontsize="medium", pad=pad, **LITERAL)


def _balanced_plot_lines(text: str, width: int) -> list[str]:
    """Wrap to as few lines as `width` allows, of similar length."""
    lines = textwrap.wrap(text, width)
    for narrower in range(width - 1, 0, -1):
        tried = textwrap.wrap(text, narrower)
        if len(tried) > len(lines):
            break
        lines = tried
    return lines


def add_legend(ax: Axes, **options: Any) -> None:
    """Add a legend without a frame, whose texts are shown literally."""
    legend = ax.legend(**{"frameon": False, "fontsize": "small", **options})
    for text in (*legend.get_texts(), legend.get_title()):
        text.set(**LITERAL)


def legend_beside(ax: Axes, **options: Any) -> None:
    """Add a legend on the right of the Axes, or where `options` say; it covers no curve."""
    # Long enough to show the dashes.
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "handlelength": 3.6}
    add_legend(ax, borderaxespad=0.0, **{**place, **options})


def clip_drawn_text(text: str, width: int) -> str:
    """Shorten a text in its middle.

    Examples
    --------
    >>> clip_drawn_text("a-very-long-name", 9)
    'a-ve…name'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def shown_names(names: Sequence[str], width: int) -> dict[str, str]:
    """Return each name without what all begin with, shortened in its middle.

    Examples
    --------
    >>> shown_names(["lab/net-small", "lab/net-extra-large"], 9)
    {'lab/net-small': 'small', 'lab/net-extra-large': 'extr…arge'}
    """
    return {name: clip_drawn_text(own, width) for name, own in short_names(names).items()}


def prefix_words(names: Sequence[str]) -> list[str]:
    """Say for a title what all names begin with, if that is left out.

    Examples
    --------
    >>> prefix_words(["lab/net-small", "lab/net-large"]), prefix_words(["A", "B"])
    (['names without “lab/net-”'], [])
    """
    prefix = common_prefix(names)
    return [f"names without “{prefix}”"] if prefix else []


def clip_drawn_label(label: str, width: int) -> str:
    """Shorten the names in a statement about two algorithms, and keep its meaning.

    Longer orderings keep both ends.

    Examples
    --------
    >>> clip_drawn_label("a-very-long-name>another-long-name", 18)
    'a-ve…ame>anot…ame'
    >>> clip_drawn_label("A>B>C>D>E>F>G", 9)
    'A>B>…>F>G'
    """
    if len(label) <= width:
        return label
    statement = Statement.parse(label)
    names = [name for state in statement.states for name in state.names]
    # A sign stands between any two names.
    room = width - len(names) + 1
    pairs = all(len(state.names) == 2 for state in statement.states)
    if not pairs or room < 3 * len(names):
        return clip_drawn_text(label, width)
    # Short names leave room for the others.
    each = max(k for k in range(room) if sum(min(len(name), k) for name in names) <= room)
    return str(statement.renamed(lambda name: clip_drawn_text(name, each)))


def wrap_label(label: str, *, width: int = 40, most: int = 4) -> list[str]:
    """Break a statement at its bars into lines of about `width` characters.

    Examples
    --------
    >>> wrap_label("B>A|A>B")
    ['B>A|A>B']
    >>> wrap_label("A>B>C>D|B>A>C>D|D>C>B>A", width=16)
    ['A>B>C>D|B>A>C>D|', 'D>C>B>A']
    """
    lines = [""]
    for part in _plot_label_parts(label, width):
        if lines[-1] and len(lines[-1]) + len(part.rstrip(BAR)) > width:
            lines.append("")
        lines[-1] += part
    return lines if len(lines) <= most else [*lines[: most - 1], "…" + lines[-1]]


def _plot_label_parts(label: str, width: int) -> Iterable[str]:
    *states, last = (clip_drawn_label(str(state), width) for state in Statement.parse(label).states)
    return [*(state + BAR for state in states), last]
