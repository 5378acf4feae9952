"""The report as Markdown, for a repository or a chat, with GitHub's tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from bayescompare.report.html import html_template
from bayescompare.report.page import Page

__all__ = ["escaped_for_markdown", "markdown"]

#: Characters that Markdown would read as marks or HTML.
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def markdown(page: Page, figures: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the page as text; `figures` are the paths of its pictures, by name."""
    text = str(
        html_template("report.md.j2").render(
            page=page, figures=figures, md=escaped_for_markdown, url=quote
        )
    )
    return text.rstrip() + "\n"


def escaped_for_markdown(text: str) -> str:
    r"""Write a text so that it is shown literally, in one line.

    Examples
    --------
    >>> print(escaped_for_markdown("B>A|A_1"))
    B\>A\|A\_1
    """
    line = _MARKS.sub(r"\\\1", " ".join(str(text).split()))
    # Characters that would start a list.
    return re.sub(r"^(\d+)([.)])(?= )", r"\1\\\2", re.sub(r"^([-+])(?= )", r"\\\1", line))
