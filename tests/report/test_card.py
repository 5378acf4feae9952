"""The verdict block says the same in the terminal, in Markdown and as the card of a notebook."""

from __future__ import annotations

import html as html_module
import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.cli.process import ASCII
from bayescompare.report.card import block_of, card_html, card_markdown, card_text

THINGS = ("comparison", "three", "pairs", "ranking", "gate")


@cache
def thing(name: str) -> Any:
    uci = bc.load_example("jansen-uci")
    return {
        "comparison": lambda: bc.compare(bc.load_example("benavoli-example1")),
        "three": lambda: bc.compare(uci, algorithms=["GBM", "RF", "CART"], measures=["auc"]),
        "pairs": lambda: bc.pairwise(uci, n_jobs=1),
        "ranking": lambda: bc.rank(uci, draws=200, rng=0),
        "gate": lambda: bc.gate(uci, candidate="GBM", baseline="RF"),
    }[name]()


def flat(text: str) -> str:
    return " ".join(text.replace("\u200b", "").replace("\N{NO-BREAK SPACE}", " ").split())


@pytest.mark.parametrize("name", THINGS)
def test_every_format_says_every_sentence(name: str) -> None:
    block = block_of(thing(name))
    shown = html_module.unescape(re.sub(r"<[^>]*>", " ", card_html(block)))
    for text in (card_text(block), shown, card_markdown(block).replace("\\", "")):
        for sentence in block.sentences:
            assert sentence in flat(text)
        for row in block.rows:
            for cell in (row.text, row.counts, row.figure):
                assert cell in flat(text)


@pytest.mark.parametrize("name", THINGS)
def test_the_card_of_a_notebook(name: str) -> None:
    card = thing(name)._repr_html_()
    assert card == card_html(block_of(thing(name)))
    assert "<script" not in card
    assert "http" not in card
    # The colours of the page around it, on light and on dark.
    assert not re.search(r"(?<!-)\b(color|background):\s*(black|white|#000|#fff)", card)
    assert len(re.findall(r"<(section|table|tr|td|p|div)\b", card)) == len(
        re.findall(r"</(section|table|tr|td|p|div)>", card)
    )


def test_results_have_a_sheet_in_a_notebook() -> None:
    results = bc.load_example("benavoli-example1")
    sheet = results._repr_html_()
    assert html_module.unescape(re.sub(r"<[^>]*>", "", sheet)) == repr(results)


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_terminal_of_any_width(name: str, width: int) -> None:
    text = card_text(block_of(thing(name)), width=width)
    text.translate(ASCII).encode("ascii")
    if width >= 80:
        assert max(map(len, text.splitlines())) <= min(width, 100)
    coloured = card_text(block_of(thing(name)), width=width, colour=True)
    assert re.sub(r"\033\[\d+m", "", coloured) == card_text(block_of(thing(name)), width=width)


NAMES = ["<b&\"'", "a_c*[x](y)", "$x_1$", "שלום", "n" * 200]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_as_they_are(name: str) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (f"d{i}", a, rng.normal() + k) for i in range(12) for k, a in enumerate([name, "other"])
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    block = block_of(bc.compare(frame, measures={"m": "max"}))
    card = card_html(block).replace("\u200b", "")
    assert name in html_module.unescape(card)
    assert "<b&" not in card
    for line in card_markdown(block).splitlines():
        assert "<b&" not in line.replace("\\<", "")
    assert flat(name)[:30] in flat(card_text(block))


def test_other_things_have_no_verdict() -> None:
    with pytest.raises(bc.BayescompareError, match=r"DataFrame has no verdict.*compare\(\)"):
        block_of(pd.DataFrame())
