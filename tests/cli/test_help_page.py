"""--help in a terminal of 80 columns."""

from __future__ import annotations

import shlex

import pytest

from bayescompare.cli.commands import compare, pairwise
from bayescompare.cli.help_page import example_lines
from tests.cli.commands import run

COMMANDS = ("compare", "pairwise", "rank", "sample", "gate", "calibrate", "methods", "examples")


@pytest.mark.parametrize("command", COMMANDS)
def test_it_fits_the_terminal(command: str) -> None:
    text = run(command, "--help").stdout  # which Typer's runner makes 80 columns wide
    assert max(map(len, text.splitlines())) <= 80
    assert "<bool>" not in text
    assert run(command, "-h").stdout == text


def test_topics_and_all_of_the_first_line() -> None:
    text = run("pairwise", "--help").stdout
    topics = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert topics[:4] == ["Arguments:", "The table:", "The question:", topics[3]]
    assert topics[-2:] == ["Options:", "Examples:"]
    assert "--average / --no-average" in text
    whole = run("--help").stdout
    assert "..." not in whole.partition("Commands:")[2]
    assert "for which of them can we name a" in whole


@pytest.mark.parametrize("width", [40, 78])
def test_examples_can_be_pasted(width: int) -> None:
    for examples in (compare.EXAMPLES, pairwise.EXAMPLES):
        for line in filter(None, map(str.strip, examples.splitlines()[1:])):
            lines = example_lines(line, width)
            assert shlex.split("\n".join(lines).replace("\\\n", "")) == shlex.split(line)
