"""The command in a process of its own: pipes, terminals, encodings and exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import OPTIONS, long_text, one_line

ANSI = "\x1b["
FEW = ("--example", "jansen-uci", "--algorithms", "GBM,RF,EN,CART", "--only", "auc,brier")


def shell(*args: object, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does."""
    # What would colour a pipe, or let it be taken for a terminal of another width.
    drop = {"FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS", "TTY_COMPATIBLE"}
    env = {key: value for key, value in os.environ.items() if key not in drop}
    return subprocess.run(
        [sys.executable, "-m", "bayescompare.cli.app", *(str(arg) for arg in args)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **{"env": env, **kwargs},
    )


# --------------------------------------------------------------------------------- the real command


def test_a_pipe_gets_no_colour_and_100_columns() -> None:
    done = shell("pairwise", "--example", "jansen-uci")
    assert (done.returncode, done.stderr) == (0, "")
    assert ANSI not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "Statements by pair, * a verdict" in done.stdout


@pytest.mark.slow
def test_a_pipe_is_as_wide_as_it_is_told() -> None:
    env = {**os.environ, "COLUMNS": "80"}
    done = shell("pairwise", *FEW, env=env)
    assert done.returncode == 0
    assert 70 < max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_gets_colour_and_its_own_width() -> None:
    import pty

    drop = {"NO_COLOR", "TERM", "COLUMNS", "LINES"}
    env = {key: value for key, value in os.environ.items() if key not in drop}
    env |= {"TERM": "xterm-256color", "COLUMNS": "70"}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bayescompare.cli.app", "pairwise", *FEW]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=env) as process:
        os.close(theirs)
        chunks = []
        try:
            while chunk := os.read(ours, 65536):
                chunks.append(chunk)
        except OSError:  # the other end was closed
            pass
        assert process.wait(timeout=120) == 0
    os.close(ours)
    printed = b"".join(chunks).decode()
    assert ANSI in printed
    plain = re.sub(r"\x1b\[[0-9;]*m", "", printed)
    assert max(map(len, plain.splitlines())) <= 70


def test_the_real_command_fails_in_one_line(tmp_path: Path) -> None:
    done = shell("compare", tmp_path / "no.csv", *OPTIONS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in one_line(done.stderr)


def test_json_survives_a_narrow_encoding(tmp_path: Path) -> None:
    path = tmp_path / "greek.csv"
    path.write_text(long_text().replace(",A,", ",α,"), encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = shell("compare", path, *OPTIONS, "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"]["algorithms"] == ["α", "B"]
    assert shell("compare", path, *OPTIONS, env=env).returncode == 0
