"""The captions below the plot of a network: the answer of each group, and the key."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayescompare.plots._drawing import (
    BLUE,
    GLUE,
    GREEN,
    INK,
    LITERAL,
    ORANGE,
    SKY,
    VERMILION,
    clip_drawn_text,
    moved_in_drawing,
)
from bayescompare.plots.network_layout import NetworkPicture, plotted_network_details
from bayescompare.statements import Statement
from bayescompare.text.numbers import probability_equation, setting_number_text, standard_error_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.methods.network.details import Component

__all__ = ["CAPTION_LINE", "FILLS", "Caption", "captions_of", "draw_captions", "height_of_captions"]

#: Okabe & Ito's colours; neighbours differ, and the eighth group starts over.
FILLS = (ORANGE, SKY, GREEN, "#F0E442", BLUE, "#CC79A7", VERMILION)

#: Inches per line and per character of a caption, and the longest name in one.
CAPTION_LINE, _CHARACTER, _NAME = 0.165, 0.072, 18

#: Up to this many groups the captions form one column.
_ONE_COLUMN = 6


@dataclass(frozen=True)
class Caption:
    """Lines of small print, with the colour of their group."""

    lines: Sequence[str]
    fill: str | None
    column: int
    row: int


def captions_of(
    c: Comparison, picture: NetworkPicture, least: float, width: float
) -> list[Caption]:
    """Return the answer of each group, in one column or two, and the key below them."""
    groups = plotted_network_details(c).components
    columns = 1 if len(groups) <= _ONE_COLUMN else 2
    each = max(24, int((width / columns - 0.3) / _CHARACTER))
    captions: list[Caption] = []
    rows, fills = [0] * columns, itertools.cycle(FILLS)
    for k, (group, fill) in enumerate(zip(groups, fills, strict=False)):
        column = k * columns // len(groups)
        wrapped = textwrap.wrap(_network_caption_of_answer(group), each, subsequent_indent="   ")
        lines = [line.replace(GLUE, " ") for line in wrapped]
        captions.append(Caption(lines, fill, column, rows[column]))
        rows[column] += len(lines)
    key = textwrap.wrap(_network_caption_key(picture, least), max(24, int(width / _CHARACTER)))
    return [*captions, Caption(key, None, 0, max(rows))]


def height_of_captions(captions: Iterable[Caption]) -> int:
    """Return the number of lines of the captions."""
    return max(caption.row + len(caption.lines) for caption in captions)


def _network_caption_of_answer(group: Component) -> str:
    held = Statement.parse(group.best).abridged().by_state(group.measures)
    words = "; ".join(
        f"{state} on {join_names([clip_drawn_text(name, _NAME) for name in names])}"
        for state, names in held.items()
    )
    drawn = "" if group.exact else " (Monte Carlo)"
    sure = probability_equation(group.probability).replace(" ", GLUE)
    return f"{sure}{drawn}: {words}"


def _network_caption_key(picture: NetworkPicture, least: float) -> str:
    if picture.probability is None:
        return "No probabilities: too many measures to sum over all graphs; c.edges samples them."
    sentences = []
    if picture.edges:
        sentences.append("On arrows: P(this arrow) / P(a link either way), over all graphs.")
    if picture.others:
        sentences.append(f"Dashed: not in the graph, but P(a link) ≥ {setting_number_text(least)}.")
    sentences = sentences or [f"No link has P ≥ {setting_number_text(least)} over all graphs."]
    if not picture.probability.attrs["exact"]:
        most = standard_error_text(picture.probability.attrs["mcse"])
        sentences.append(f"Graphs were sampled: standard errors are at most {most}.")
    return " ".join(sentences)


def draw_captions(ax: Axes, captions: Sequence[Caption]) -> None:
    """Print the captions, the last line at the lower edge of the Axes."""
    height = height_of_captions(captions)
    columns = max(caption.column for caption in captions) + 1
    for caption in captions:
        x = caption.column / columns
        up = 72 * CAPTION_LINE * (height - caption.row)
        indent = 0 if caption.fill is None else 14
        where = moved_in_drawing(ax, ax.transAxes, indent, up)
        if caption.fill is not None:
            dot = moved_in_drawing(ax, ax.transAxes, 5, up - 4.5)
            ax.plot(
                x,
                0.0,
                marker="o",
                markersize=7,
                markerfacecolor=caption.fill,
                markeredgecolor=INK,
                markeredgewidth=0.7,
                transform=dot,
                clip_on=False,
            )
        ax.text(
            x,
            0.0,
            "\n".join(caption.lines),
            transform=where,
            ha="left",
            va="top",
            fontsize="small",
            linespacing=1.2,
            color=INK if caption.fill is not None else "0.35",
            **LITERAL,
        )
