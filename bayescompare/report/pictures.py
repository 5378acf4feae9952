"""Plots as SVG that can stand inside a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from bayescompare.report.tooltips import told_fields

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["svg"]

#: Text stays text, so that it can be searched and any script or emoji shows; ids do not vary.
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "bayescompare"}

_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))

_ID = re.compile(r'(\sid="|url\(#|href="#)')


def svg(
    draw: Callable[[Axes], object], size: tuple[float, float], *, name: str, words: str
) -> Markup:
    """Draw a figure of its own and return it as an ``<svg>`` element that scales.

    Parameters
    ----------
    draw : callable
        Takes the Axes to draw on.
    size : tuple of float
        Width and height in inches.
    name : str
        Begins every id, so that several pictures can share a page.
    words : str
        What a screen reader says.

    Examples
    --------
    >>> picture = svg(lambda ax: ax.plot([1, 2]), (2, 1), name="line", words="a < b")
    >>> picture.startswith('<svg class="plot" role="img" aria-label="a &lt; b"')
    True
    """
    from matplotlib import style
    from matplotlib.figure import Figure

    written = io.StringIO()
    # The page does not depend on the reader's matplotlib settings, and does not change them.
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # The browser has the glyphs that matplotlib's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        told = {}
        for k, (field, text) in enumerate(told_fields(figure)):
            field.set_gid(f"tip-{k}")
            told[f'<g id="tip-{k}">'] = f'<g class="tip"><title>{escape(text)}</title>'
        figure.savefig(written, format="svg", metadata=_NO_METADATA)
    document = re.sub(r'<g id="tip-\d+">', lambda tag: told[tag[0]], written.getvalue())
    return _embedded(document, size, name, words)


def _embedded(document: str, size: tuple[float, float], name: str, words: str) -> Markup:
    """Take the element out of the document: no prolog, no comments, scalable, ids of its own."""
    element = document[document.index("<svg") :]
    element = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # "<" and ">" are escaped in text and attributes alike, so that this finds tags only.
    element = re.sub(r"<[^>]+>", lambda tag: _ID.sub(rf"\g<1>{name}-", tag[0]), element)
    box = re.search(r'viewBox="[^"]*"', element)
    assert box is not None
    head = (
        f'<svg class="plot" role="img" aria-label="{escape(words)}" {box[0]} '
        f'style="--wanted:{size[0]:.3g}in" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return Markup(re.sub(r"^<svg[^>]*>", lambda _: head, element).rstrip())
