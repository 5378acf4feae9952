"""Standard streams that are closed, full or left by their reader: not a word too many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bayescompare.cli.process import HUNG_UP
from tests.cases import few_quick

COMMANDS = {
    "help": ["--help"],
    "a command's help": ["compare", "--help"],
    "examples": ["examples"],
    "methods": ["methods"],
    "models list": ["models", "list"],
    "models show": ["models", "show", "plackett_luce"],
    "compare": ["compare", "--example", "pnn"],
    "compare --json": ["compare", "--example", "pnn", "--json"],
    "pairwise": ["pairwise", "--example", "pnn"],
    "calibrate": ["calibrate", "dirichlet", "--simulations", "20"],
}
PYTHON = [sys.executable, "-m", "bayescompare"]


def run(arguments: list[str], **streams: Any) -> subprocess.CompletedProcess[str]:
    """Run a command with its standard error kept."""
    given = {"stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        [*PYTHON, *arguments],
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=300,
        check=False,
        **given,
    )


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_reader_who_left(arguments: list[str]) -> None:
    """As in ``bayescompare ... | head -1``, at its worst: nothing was read at all."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(arguments, stdout=writing)
    finally:
        os.close(writing)
    assert done.stderr == ""
    assert done.returncode == HUNG_UP


@pytest.mark.parametrize("name", few_quick(["help", "compare --json", "models show", "compare"], 3))
def test_a_closed_output(name: str) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *PYTHON, *COMMANDS[name]]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


def test_a_file_written_with_all_streams_closed_is_the_report_alone(tmp_path: Path) -> None:
    """Else the file would get the number of a standard stream, and what is printed to it."""
    page = tmp_path / "r.md"
    arguments = ["compare", "--example", "pnn", "--report", str(page)]
    command = ["sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", *PYTHON, *arguments]
    done = subprocess.run(command, timeout=300, check=False)
    assert done.returncode == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "wrote" not in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("name", few_quick(["help", "compare", "compare --json"], 2))
def test_a_full_output_is_one_line(name: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = run(COMMANDS[name], stdout=full)
    assert done.returncode == 2
    assert done.stderr == "error: the output cannot be written: No space left on device.\n"


def test_an_error_that_nobody_reads() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(["compare", "nowhere.csv"], stdout=subprocess.PIPE, stderr=writing)
    finally:
        os.close(writing)
    assert done.returncode == 2
    assert done.stdout == ""
