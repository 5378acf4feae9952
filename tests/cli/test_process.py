"""Standard streams that are closed, full or left by their reader: not a word too many."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bayescompare.cli.process import HUNG_UP
from tests.cases import few_quick
from tests.cli.commands import OPTIONS
from tests.cli.commands import run as run_here

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


@pytest.mark.parametrize("name", few_quick(["help", "models show", "compare --json", "compare"], 2))
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


def test_a_request_to_end_is_one_word(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked_to_end(*args: object, **kwargs: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except BaseException as error:
            # As compiled code does with whatever is raised inside it.
            raise SystemError("returned a result with an exception set") from error

    # Without a handler of ours the signal would end the tests.
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("not handled"))
    monkeypatch.setattr("bayescompare.cli.app.bc.compare", asked_to_end)
    try:
        assert run_here("compare", table, *OPTIONS, code=143).stderr == "terminated\n"
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads Linux's list of processes")
def test_a_request_to_end_ends_the_workers_too(tmp_path: Path) -> None:
    page = tmp_path / "obtained.json"
    asked = ["pairwise", "--example", "jansen-uci", "--method", "gsd", "--permutations", "10000000"]
    with subprocess.Popen(
        [*PYTHON, *asked, "--jobs", "2", "--save", str(page)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while process.poll() is None and len(children.read_text().split()) < 2:
                time.sleep(0.1)
            time.sleep(3.0)  # until the workers are at work
            process.terminate()
            # Its streams end when the last worker does: they have them too.
            out, err = process.communicate(timeout=20)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out, err) == (143, "", "terminated\n")
    assert not page.exists()
