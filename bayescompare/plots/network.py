"""The graph of a network comparison: which measures depend on each other, and how surely."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.plots._drawing import (
    INK,
    LITERAL,
    clip_drawn_text,
    figure_of,
    moved_in_drawing,
    new_axes,
    set_title,
)
from bayescompare.plots.network_captions import (
    CAPTION_LINE,
    FILLS,
    captions_of,
    draw_captions,
    height_of_captions,
)
from bayescompare.plots.network_layout import (
    NAME,
    NAME_CHARACTER,
    NAME_LINE,
    TO_NAME,
    Edge,
    NetworkPicture,
    picture_of_network,
    places_in_network_layout,
    plotted_name_alignment,
    plotted_network_details,
    plotted_network_groups,
    plotted_network_radius,
    wanted_plot_radius,
)
from bayescompare.text.numbers import log_evidence_text, narrow_probability, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayescompare.comparison.comparison import Comparison

__all__ = ["network_size", "plot_network"]


#: Radius of a node in points.
_NODE = 7.0

#: Up to this many links all have their figures; beyond, only those in the graph.
_ALL_FIGURES = 14

#: Inches of a figure that the title takes.
_FOR_TITLE = 0.5

#: Where along a link its figure may stand, the best place first.
_PLACES = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78)


def plot_network(c: Comparison, *, least: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the learned graph: measures on a circle, with gaps between independent groups.

    Solid arrows are in the graph; each is labelled with the probability of that arrow and, after
    the stroke, that of a link in either direction, both over all graphs. A direction is often
    undecided (about half of the link's probability) even if the link itself is sure. Dashed
    lines are links outside the graph. The wider a line, the more probable its link. The answer
    of each group is below the circle.

    Parameters
    ----------
    c : Comparison
        A comparison by the method "network".
    least : float
        Links outside the graph are drawn if they are at least this probable.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Notes
    -----
    Beyond 16 measures there are no probabilities, and only the graph is drawn.

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.load_example("jansen-uci")
    >>> c = bc.compare(r, algorithms=["GBM", "CART"], method="network")
    >>> ax = plot_network(c, ax=Figure().subplots())
    >>> [arrow.get_label() for arrow in ax.texts if arrow.get_label()]
    ['auc→accuracy', 'auc→brier', 'accuracy–brier']
    """
    picture = picture_of_network(c, least)
    existing = ax is not None
    wanted = network_size(c)
    ax = new_axes(ax, wanted)
    width, height = (
        _network_plot_inches(ax) if existing else (wanted[0] - 0.1, wanted[1] - _FOR_TITLE)
    )
    captions = captions_of(c, picture, least, width)
    # The circle keeps a third of the Axes, however small they are.
    below = min(CAPTION_LINE * height_of_captions(captions) + 0.1, height * 2 / 3)
    place = places_in_network_layout(picture.groups)
    radius = plotted_network_radius(place, width, height - below)
    ax.set_xlim(-width / 2 / radius, width / 2 / radius)
    ax.set_ylim(-(height + below) / 2 / radius, (height - below) / 2 / radius)
    ax.set_axis_off()
    _draw_network_plot_groups(ax, picture.groups, place)
    _draw_network_plot_edges(ax, picture, place, radius)
    _draw_network_plot_names(ax, place)
    draw_captions(ax, captions)
    set_title(ax, *_network_plot_title(c, picture))
    return ax


def network_size(c: Comparison) -> tuple[float, float]:
    """Return the width and height in inches that `plot_network` needs."""
    names = c.results.measures
    radius = wanted_plot_radius(len(names))
    widest = NAME_CHARACTER * max(len(clip_drawn_text(name, NAME)) for name in names) + 0.25
    width = max(6.0, 2 * radius + 2 * widest)
    lines = (
        height_of_captions(
            captions_of(c, NetworkPicture(plotted_network_groups(c), [], [], None), 0.0, width)
        )
        + 1
    )
    tall = 0.3 if len(names) == 2 else 2 * radius
    return width, tall + 2 * NAME_LINE + 0.5 + CAPTION_LINE * lines + _FOR_TITLE


def _network_plot_inches(ax: Axes) -> tuple[float, float]:
    box, dpi = ax.get_window_extent(), figure_of(ax).dpi
    return box.width / dpi, box.height / dpi


# drawing -----------------------------------------------------------------------------------------


def _draw_network_plot_groups(
    ax: Axes, groups: Sequence[Sequence[str]], place: Mapping[str, tuple[float, float]]
) -> None:
    """Draw the nodes: each group in one colour and, if there are several groups, on one band."""
    for group, fill in zip(groups, itertools.cycle(FILLS), strict=False):
        points = np.array([place[name] for name in group])
        if len(groups) > 1:
            angles = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
            along = np.linspace(angles[0], angles[-1], 2 + 12 * (len(group) - 1))
            band: dict[str, Any] = {
                "alpha": 0.22,
                "linewidth": 3.2 * _NODE,
                "solid_capstyle": "round",
            }
            ax.plot(np.cos(along), np.sin(along), color=fill, zorder=1, **band)
        x, y = points.T
        ax.scatter(x, y, (2 * _NODE) ** 2, fill, edgecolors=INK, linewidths=1.0, zorder=4)


def _draw_network_plot_edges(
    ax: Axes, picture: NetworkPicture, place: Mapping[str, tuple[float, float]], radius: float
) -> None:
    every = len(picture.edges) + len(picture.others) <= _ALL_FIGURES
    node = _NODE / 72
    taken = [(radius * x, radius * y, node) for x, y in place.values()]
    for inside, links in ((True, picture.edges), (False, picture.others)):
        for parent, child in links:
            both, words = None, ""
            if picture.probability is not None:
                there = float(picture.probability.sel(parent=parent, child=child))
                back = float(picture.probability.sel(parent=child, child=parent))
                both = there + back
                words = narrow_probability(both)
                if inside:
                    words = f"{narrow_probability(there)} / {words}"
            _draw_network_plot_link(ax, (parent, child), place, both, inside=inside)
            if words and (inside or every):
                ends = np.array([place[parent], place[child]])
                _draw_network_plot_figure(ax, words, ends, radius, taken, inside=inside)


def _draw_network_plot_link(
    ax: Axes,
    link: Edge,
    place: Mapping[str, tuple[float, float]],
    probability: float | None,
    *,
    inside: bool,
) -> None:
    share = 0.4 if probability is None else probability
    arrow = ax.annotate(
        "",
        xy=place[link[1]],
        xytext=place[link[0]],
        arrowprops={
            "arrowstyle": "-|>" if inside else "-",
            "linestyle": "solid" if inside else (0, (4, 3)),
            "color": INK if inside else f"{0.8 - 0.4 * share:.2f}",
            "linewidth": 0.8 + 2.0 * share if inside else 0.4 + 1.0 * share,
            "shrinkA": _NODE + 1,
            "shrinkB": _NODE + 1,
            "mutation_scale": 13,
        },
        zorder=3 if inside else 2,
        annotation_clip=False,
    )
    arrow.set_in_layout(False)
    arrow.set_label(("{}→{}" if inside else "{}–{}").format(*link))


def _draw_network_plot_figure(
    ax: Axes,
    words: str,
    ends: FloatArray,
    radius: float,
    taken: list[tuple[float, float, float]],
    *,
    inside: bool,
) -> None:
    """Print a link's figure as near to its middle as the other figures allow."""
    half = 0.036 * len(words)

    def clash(share: float) -> float:
        x, y = (float(v) for v in radius * (ends[0] + share * (ends[1] - ends[0])))
        return sum(
            max(0.0, half + other - abs(x - a)) * max(0.0, 0.17 - abs(y - b))
            for a, b, other in taken
        )

    share = min(_PLACES, key=clash)
    x, y = ends[0] + share * (ends[1] - ends[0])
    taken.append((radius * x, radius * y, half))
    ax.text(
        x,
        y,
        words,
        ha="center",
        va="center",
        fontsize="x-small",
        color=INK if inside else "0.4",
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
        zorder=5,
    )


def _draw_network_plot_names(ax: Axes, place: Mapping[str, tuple[float, float]]) -> None:
    for name, (x, y) in place.items():
        ax.text(
            x,
            y,
            clip_drawn_text(name, NAME),
            transform=moved_in_drawing(ax, ax.transData, TO_NAME * x, TO_NAME * y),
            ha=plotted_name_alignment(x),
            va="bottom" if y > 0.8 else "top" if y < -0.8 else "center",
            color=INK,
            zorder=6,
            **LITERAL,
        )


def _network_plot_title(c: Comparison, picture: NetworkPicture) -> list[str]:
    details, options = plotted_network_details(c), c.method.options()
    fixed = not isinstance(options["search"], str)
    which = "graph given" if fixed else "best graph" if options["average"] else "learned graph"
    groups = "all measures linked"
    if len(picture.groups) > 1:
        groups = f"{len(picture.groups)} independent groups"
    limit = "" if fixed else f"at most {plural(details.max_parents, 'parent')} each, "
    arrows = plural(len(picture.edges), "arrow") if picture.edges else "no arrows"
    return [
        f"{which}: {arrows}, {groups}",
        f"{limit}log BDeu = {log_evidence_text(details.log_bdeu)}",
    ]
