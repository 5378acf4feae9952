"""A pen: a picture is drawn once, and written as SVG for a page or onto matplotlib's Axes.

Places are in pixels of a page, from the upper left. Colours have names, which are CSS variables in
the SVG, so that a page can be light, dark or printed; on Axes they are the light ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from bayescompare.plots._drawing import LITERAL, inches_of, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DARK", "LIGHT", "NARROW", "PHONE", "WIDE", "Pen", "fit", "width", "wrapped"]

#: Width of a picture on a page and on a phone, in pixels, and where the one becomes the other.
WIDE, NARROW, PHONE = 720.0, 358.0, 500.0

LIGHT = {
    "ink": "#1b1f24",
    "mute": "#59626d",
    "line": "#d5dae0",
    "band": "#f3f5f7",
    "paper": "#ffffff",
    "a": "#0b6cb3",
    "asoft": "#a9cfec",
    "b": "#c2570c",
    "bsoft": "#f3c9a4",
    "t": "#8c4a86",
    "gray": "#7d8791",
    "graysoft": "#cdd3da",
}
DARK = {
    "ink": "#e6e9ed",
    "mute": "#a2acb7",
    "line": "#39414b",
    "band": "#1b2027",
    "paper": "#12161b",
    "a": "#5cb3f0",
    "asoft": "#1f527c",
    "b": "#f0974a",
    "bsoft": "#7a4416",
    "t": "#d79bd0",
    "gray": "#8b96a2",
    "graysoft": "#434c57",
}

At = Literal["start", "middle", "end"]
_ALIGNED = {"start": "left", "middle": "center", "end": "right"}

#: Pixels of an inch of a page, and points of a pixel of text: the font of plots is wide.
_PIXELS, _POINTS = 96.0, 0.7


@cache
def width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is in pixels, at most: fonts of pages are narrower than this one."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    # Letters that the font may lack are taken to be wide.
    text = "".join(letter if ord(letter) < 0x250 else "M" for letter in text)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def fit(text: str, size: float, room: float) -> str:
    """Shorten a text in its middle until it fits.

    Examples
    --------
    >>> fit("a-very-long-name", 10, 60)
    'a-ve…ame'
    """
    kept = len(text)
    shown = text
    while width(shown, size) > room and kept > 3:
        kept -= 1
        shown = f"{text[: kept // 2 + 1]}…{text[len(text) - kept // 2 :]}"
    return shown


def wrapped(text: str, size: float, room: float, most: int = 99) -> list[str]:
    """Break a text into lines that fit: after blanks and, within long names, after "-", "_" or "/".

    Examples
    --------
    >>> wrapped("B is better than A", 10, 60)
    ['B is better', 'than A']
    >>> wrapped("a-long_name", 10, 40)
    ['a-long_', 'name']
    """
    lines = [""]
    for word in text.split():
        whole = width(word, size) <= room
        for k, part in enumerate([word] if whole else re.split(r"(?<=[-_/])", word)):
            longer = f"{lines[-1]}{'' if k else ' '}{part}".strip()
            if lines[-1] and width(longer, size) > room:
                lines.append(part)
            else:
                lines[-1] = longer
    if len(lines) > most:
        lines[most - 1 :] = [" ".join(lines[most - 1 :])]
    return [fit(line, size, room) for line in lines]


class Pen:
    """What was drawn so far.

    Parameters
    ----------
    w : float
        Width of the picture in pixels; its height grows with what is drawn.
    label : str
        The picture in words, for screen readers.
    """

    def __init__(self, w: float, label: str) -> None:
        self.w, self.h, self.label = w, 0.0, label
        self.items: list[tuple[str, dict[str, Any]]] = []

    def _add(self, kind: str, bottom: float, **look: Any) -> None:
        self.h = max(self.h, bottom)
        self.items.append((kind, look))

    def rect(
        self, x: float, y: float, w: float, h: float, fill: str = "", stroke: str = "",
        r: float = 0, tip: str = "",
    ) -> None:  # fmt: skip
        """Draw a rectangle with round corners."""
        self._add("rect", y + h, x=x, y=y, w=w, h=h, r=r, fill=fill, stroke=stroke, tip=tip, sw=1.2)

    def shape(
        self, points: Sequence[tuple[float, float]], fill: str = "", stroke: str = "", tip: str = ""
    ) -> None:
        """Draw a closed shape."""
        bottom = max(y for _, y in points)
        self._add("shape", bottom, points=points, fill=fill, stroke=stroke, tip=tip, sw=1.2)

    def dot(
        self, x: float, y: float, r: float, fill: str = "", stroke: str = "", tip: str = ""
    ) -> None:
        """Draw a circle."""
        self._add("dot", y + r, x=x, y=y, r=r, fill=fill, stroke=stroke, tip=tip, sw=1.6)

    def line(
        self,
        *points: tuple[float, float],
        stroke: str = "line",
        sw: float = 1.0,
        curved: bool = False,
    ) -> None:
        """Draw a line from point to point, or Bézier curves whose points come by threes."""
        bottom = max(y for _, y in points)
        self._add("line", bottom, points=points, stroke=stroke, sw=sw, curved=curved)

    def text(
        self, x: float, y: float, words: str, size: float = 12, at: At = "start", fill: str = "ink",
        bold: bool = False, tip: str = "",
    ) -> None:  # fmt: skip
        """Write a line of text on a base line."""
        look = {"at": at, "fill": fill, "bold": bold, "tip": tip}
        self._add("text", y + 0.3 * size, x=x, y=y, words=words, size=size, **look)

    def mark(
        self, x: float, y: float, side: int, r: float, *, settled: bool = True, tip: str = ""
    ) -> None:
        """Draw a circle for the first of two, a square for the second; filled where settled."""
        colour = "ab"[side]
        fill = colour if settled else "paper"
        if side == 0:
            self.dot(x, y, r, fill, colour, tip)
        else:
            self.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r, fill, colour, 1.5, tip)

    # writing it -----------------------------------------------------------------------------------

    def svg(self) -> str:
        """Return it as an SVG element, with names of colours as CSS variables.

        Examples
        --------
        >>> pen = Pen(100, "a dot")
        >>> pen.dot(5, 5, 2, "a")
        >>> pen.svg()
        '<svg class="pen" xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 102 13" role="img" ...
        """
        head = f'viewBox="-1 0 {round(self.w + 2, 1):g} {round(self.h + 6, 1):g}" role="img"'
        return (
            f'<svg class="pen" xmlns="http://www.w3.org/2000/svg" {head} '
            f'aria-label="{escape(self.label)}">{"".join(map(_written, self.items))}</svg>'
        )

    def onto(self, ax: Axes | None) -> Axes:
        """Draw it on Axes, or in a new figure of its size."""
        from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
        from matplotlib.path import Path

        high = self.h + 6
        ax = new_axes(ax, (self.w / _PIXELS, high / _PIXELS))
        wide, tall = inches_of(ax)
        scale = min(wide * _PIXELS / self.w, tall * _PIXELS / high)
        ax.set(xlim=(-1, self.w + 1), ylim=(high, 0), aspect="equal", anchor="NW")
        ax.set_axis_off()
        for order, (kind, v) in enumerate(self.items):
            look: dict[str, Any] = {
                "facecolor": LIGHT.get(v.get("fill", ""), "none"),
                "edgecolor": LIGHT.get(v.get("stroke", ""), "none"),
                "linewidth": 0.75 * scale * v.get("sw", 1.0),
                "zorder": order,
            }
            if kind == "text":
                size, weight = _POINTS * scale * v["size"], "bold" if v["bold"] else "normal"
                look = {"fontsize": size, "weight": weight, "color": LIGHT[v["fill"]], **LITERAL}
                look |= {"ha": _ALIGNED[v["at"]], "va": "baseline", "zorder": order}
                ax.text(v["x"], v["y"], v["words"], **look)
            elif kind == "rect":
                r = v["r"]
                box = (v["x"] + r, v["y"] + r), max(v["w"] - 2 * r, 1e-6), max(v["h"] - 2 * r, 1e-6)
                ax.add_patch(FancyBboxPatch(*box, boxstyle=f"round,pad={r}", **look))
            elif kind == "dot":
                ax.add_patch(Circle((v["x"], v["y"]), v["r"], **look))
            elif kind == "shape":
                ax.add_patch(Polygon(v["points"], **look))
            else:
                step = Path.CURVE4 if v.get("curved") else Path.LINETO
                codes = [Path.MOVETO, *[step] * (len(v["points"]) - 1)]
                ax.add_patch(PathPatch(Path(v["points"], codes), **look))
        return ax


def _written(item: tuple[str, dict[str, Any]]) -> str:
    """Write one thing that was drawn as an SVG element."""
    kind, v = item
    tip = f"<title>{escape(v['tip'])}</title>" if v.get("tip") else ""

    def colour(name: str) -> str:
        return f"var(--{v[name]})" if v.get(name) else "none"

    def at(**names: str) -> str:
        return " ".join(f'{k.replace("_", "-")}="{round(v[a], 1):g}"' for k, a in names.items())

    if kind == "text":
        bold = ' font-weight="600"' if v["bold"] else ""
        look = f'text-anchor="{v["at"]}" fill="{colour("fill")}"{bold}'
        place = at(x="x", y="y", font_size="size")
        return f"<text {place} {look}>{escape(v['words'])}{tip}</text>"
    look = f'fill="{colour("fill")}" stroke="{colour("stroke")}" stroke-width="{v["sw"]}"'
    if kind == "rect":
        return f"<rect {at(x='x', y='y', width='w', height='h', rx='r')} {look}>{tip}</rect>"
    if kind == "dot":
        return f"<circle {at(cx='x', cy='y', r='r')} {look}>{tip}</circle>"
    start, *rest = (f"{round(x, 1):g} {round(y, 1):g}" for x, y in v["points"])
    path = f"M{start}{'C' if v.get('curved') else 'L'}{' '.join(rest)}"
    return f'<path d="{path}{"Z" if kind == "shape" else ""}" {look}>{tip}</path>'
