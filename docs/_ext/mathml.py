"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network.

TeX is turned into MathML Core by math-core when the page is built. The TeX stays in the page as an
annotation, for copying and for screen readers. A formula that math-core does not know is a warning,
and so, in `make docs`, an error.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)
converter = LatexToMathML(annotation=True, fancy_error=False)


def mathml(tex: str, node: nodes.Node, *, display: bool) -> str:
    try:
        return converter.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        logger.warning("formula %r: %s", tex, error, location=node)
        return f"<code>{escape(tex)}</code>"


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), node, display=False))
    raise nodes.SkipNode


def visit_displaymath(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math-block"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})</span>')
    # A blank line begins a new formula, as in Sphinx's own renderers.
    for tex in filter(None, map(str.strip, node.astext().split("\n\n"))):
        self.body.append(mathml(tex, node, display=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
