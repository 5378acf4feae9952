"""Plots as SVG elements inside a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from bayescompare.report.tooltips import tooltip_fields

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["svg_report_picture"]

#: Text stays text, so that it can be searched and the browser can show any script; ids are fixed.
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "bayescompare"}

_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))

_ID = re.compile(r'(\sid="|url\(#|href="#)')


def svg_report_picture(draw: Callable[[Figure], object], *, name: str, words: str) -> Markup:
    """Draw a new figure and return it as an ``<svg>`` element that scales.

    Parameters
    ----------
    draw : callable
        Takes the Figure to draw on.
    name : str
        The prefix of every id, so that a page can have several figures.
    words : str
        The text for screen readers.

    Examples
    --------
    >>> def line(figure):
    ...     figure.subplots().plot([1, 2])
    >>> picture = svg_report_picture(line, name="line", words="a < b")
    >>> picture.startswith('<svg class="plot" role="img" aria-label="a &lt; b"')
    True
    """
    from matplotlib import style
    from matplotlib.figure import Figure

    written = io.StringIO()
    # The page neither depends on the user's matplotlib settings nor changes them.
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # The browser has the glyphs that matplotlib's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(layout="constrained")
        draw(figure)
        tips = {}
        for k, (field, text) in enumerate(tooltip_fields(figure)):
            field.set_gid(f"tip-{k}")
            tips[f'<g id="tip-{k}">'] = f'<g class="tip"><title>{escape(text)}</title>'
        figure.savefig(written, format="svg", metadata=_NO_METADATA)
    document = re.sub(r'<g id="tip-\d+">', lambda tag: tips[tag[0]], written.getvalue())
    return _embed_picture_in_page(document, figure.get_figwidth(), name, words)


def _embed_picture_in_page(document: str, width: float, name: str, words: str) -> Markup:
    """Extract the element from the document: no prolog, no comments, scalable, unique ids."""
    element = document[document.index("<svg") :]
    element = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # "<" and ">" are escaped in text and in attributes, so this matches only tags.
    element = re.sub(r"<[^>]+>", lambda tag: _ID.sub(rf"\g<1>{name}-", tag[0]), element)
    box = re.search(r'viewBox="[^"]*"', element)
    assert box is not None
    head = (
        f'<svg class="plot" role="img" aria-label="{escape(words)}" {box[0]} '
        f'style="--wanted:{width:.3g}in" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return Markup(re.sub(r"^<svg[^>]*>", lambda _: head, element).rstrip())
