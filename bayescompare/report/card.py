"""The verdict block as text, Markdown and HTML: the terminal, a comment, a notebook, a report.

Every format writes the same sentences and figures. The HTML has its styles inside, takes the
colours of the page around it, and reads well without any styles.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from bayescompare._errors import BayescompareError
from bayescompare.outcome.words import TITLES, Block, Row
from bayescompare.text.numbers import count

#: The sign of a row, and of the whole by its status.
SIGNS = {"settled": "●", "leads": "○", "level": "·", "equal": "="}
BADGES = {**dict.fromkeys(("settled", "trade-off", "pass", "fail"), "●"), "partly settled": "◐"}

#: Colours of the first algorithm, of the second and of neither, on light and on dark.
TONES = ("#2e86c8", "#d2691e", "#a765a0")
_ANSI = ("34", "33", "35")

#: Letters of a head that has room.
_HEAD = 28


def block_of(thing: object, **rule: Any) -> Block:
    """Return the verdict block of the result of `compare`, `pairwise`, `rank` or `gate`.

    Examples
    --------
    >>> import bayescompare as bc
    >>> block_of(bc.compare(bc.load_example("benavoli-example1"))).headline
    'B is better than A on accuracy; time is open.'
    """
    from bayescompare.outcome.board_words import pairs_block
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import as_rule
    from bayescompare.outcome.words import comparison_block
    from bayescompare.ranking.gate import Gate
    from bayescompare.ranking.ranking import Ranking
    from bayescompare.ranking.words import gate_block, ranking_block

    makers: dict[type, Callable[[Any], Block]] = {
        Comparison: comparison_block,
        Pairwise: lambda p: pairs_block(p, as_rule(**rule)),
        Ranking: ranking_block,
        Gate: gate_block,
    }
    for kind, make in makers.items():
        if isinstance(thing, kind):
            return make(thing)
    raise BayescompareError(
        f"a {type(thing).__name__} has no verdict: give the result of compare(), pairwise(), "
        "rank() or gate()."
    )


def _counts_head(block: Block) -> str:
    """Return the head of the counts; of long names those who are meant."""
    return block.counts if len(block.counts) <= _HEAD else "first : second"


# text ---------------------------------------------------------------------------------------------


def card_text(block: Block, *, width: int = 80, colour: bool = False) -> str:
    """Write a block for a terminal.

    Parameters
    ----------
    block : Block
    width : int
        Columns of the terminal; at most 100 are used.
    colour : bool
        Whether marks and headline have colours; the words say the same without.

    Examples
    --------
    >>> import bayescompare as bc
    >>> block = block_of(bc.compare(bc.load_example("benavoli-example1")))
    >>> print(card_text(block).splitlines()[5])
    accuracy ↑   ● B better                     3 : 9  0.961
    """
    return "\n".join(_lines(block, min(width, 100), colour))


def _lines(block: Block, width: int, colour: bool) -> Iterator[str]:
    def styled(text: str, code: str) -> str:
        return f"\033[{code}m{text}\033[0m" if colour else text

    for line in textwrap.wrap(block.headline, width):
        yield styled(line, "1")
    for line in textwrap.wrap(f"{block.status} · {block.about}; {block.meaning}", width):
        yield styled(line, "2")
    yield ""
    rows = [row for row in block.rows if row.text]
    if rows:
        first = max(len(row.measure) for row in rows)
        above = _counts_head(block)
        counts = max(len(above), *(len(row.counts) for row in rows))
        figure = max(len(block.figure), *(len(row.figure) for row in rows))
        room = max(12, width - first - counts - figure - 8)
        said = min(room, max(len(row.text) for row in rows))
        head = f"{'':{first + 4 + said}}  {above:>{counts}}  {block.figure:>{figure}}"
        yield styled(head, "2")
        for row in rows:
            start, *more = textwrap.wrap(row.text, said) or [""]
            sign = styled(SIGNS[row.mark], _ANSI[row.side])
            figures = f"{row.counts:>{counts}}  {row.figure:>{figure}}"
            yield f"{row.measure:<{first}}  {sign} {start:<{said}}  {figures}".rstrip()
            for line in more:
                yield f"{'':{first + 4}}{line}"
    for row in block.rows:
        yield from (f"  {line}" for line in textwrap.wrap(row.note, width - 2))
    for slot, sentences in block.slots.items():
        yield ""
        title = f"{TITLES[slot]:<11}"
        words = title + " ".join(sentences)
        yield from textwrap.wrap(words, width, subsequent_indent=" " * len(title))


# Markdown -----------------------------------------------------------------------------------------


def card_markdown(block: Block) -> str:
    """Write a block as Markdown, for a comment on a change.

    Examples
    --------
    >>> import bayescompare as bc
    >>> block = block_of(bc.compare(bc.load_example("benavoli-example1")))
    >>> print(card_markdown(block).splitlines()[0])
    **B is better than A on accuracy; time is open.**
    """
    from bayescompare.report.formats import escaped_for_markdown as md

    badge = BADGES.get(block.status, "○")
    lines = [f"**{md(block.headline)}**", "", f"{badge} {md(block.status)} · {md(block.about)}; "]
    lines[-1] += md(block.meaning)
    rows = [row for row in block.rows if row.text]
    if rows:
        lines += ["", f"| Measure | Verdict | {md(_counts_head(block))} | {block.figure} |"]
        lines += ["| :--- | :--- | ---: | ---: |", *(_markdown_row(row, md) for row in rows)]
    notes = [md(row.note) for row in block.rows if row.note]
    lines += ["", *(f"- {note}" for note in notes)] if notes else []
    said = {TITLES[slot]: " ".join(some) for slot, some in block.slots.items()}
    lines += ["", *(f"- **{title}.** {md(text)}" for title, text in said.items())] if said else []
    return "\n".join([*lines, ""])


def _markdown_row(row: Row, md: Callable[[str], str]) -> str:
    cells = [row.measure, f"{SIGNS[row.mark]} {row.text}", row.counts, row.figure]
    return f"| {' | '.join(map(md, cells))} |"


# HTML ---------------------------------------------------------------------------------------------


#: LaTeX is full of braces, so its templates use other marks.
_LATEX_MARKS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


@cache
def template(name: str) -> Any:
    """Return one of the templates beside this file, compiled once."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bayescompare", "report"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=name.endswith(".html.j2"),
        **(_LATEX_MARKS if name.endswith(".tex.j2") else {}),
    )
    environment.globals["count"] = count
    environment.filters["soft"] = _soft
    environment.tests["figure"] = lambda cell: getattr(cell, "value", None) is not None
    environment.tests["explained"] = lambda cell: bool(getattr(cell, "tooltip", ""))
    return environment.get_template(name)


def _soft(text: str) -> str:
    """Let names break after their signs and wherever they are long; figures stay together."""
    text = re.sub(r"([_/])", "\\1\u200b", text)
    text = re.sub(r" (?=[↑↓:]|tied)|(?<=[≥:]) ", "\u00a0", text)
    return re.sub(r"([^\s\u200b-]{20})(?=[^\s\u200b-])", "\\1\u200b", text)


def card_html(block: Block) -> str:
    """Write a block as an HTML element, with its styles inside and without any script.

    Examples
    --------
    >>> import bayescompare as bc
    >>> html = card_html(block_of(bc.compare(bc.load_example("benavoli-example1"))))
    >>> html.startswith("<section"), "<script" in html
    (True, False)
    """
    look = {"titles": TITLES, "tones": TONES, "signs": SIGNS, "counts": _counts_head(block)}
    return str(
        template("card.html.j2").render(b=block, badge=BADGES.get(block.status, "○"), **look)
    )
