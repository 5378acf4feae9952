"""How tests run a command, in this process or in one of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import Any

from typer.testing import CliRunner

from bayescompare.cli.app import app

OPTIONS = ("--measure", "accuracy:max", "--measure", "time:min")

# Six datasets on which B is more accurate but slower, but for one each.
ROWS = [
    ("iris", "A", 0.91, 1.0),
    ("iris", "B", 0.93, 2.0),
    ("wine", "A", 0.88, 1.5),
    ("wine", "B", 0.90, 2.5),
    ("glass", "A", 0.71, 3.0),
    ("glass", "B", 0.70, 3.5),
    ("heart", "A", 0.80, 1.0),
    ("heart", "B", 0.84, 0.5),
    ("sonar", "A", 0.77, 2.0),
    ("sonar", "B", 0.79, 4.0),
    ("zoo", "A", 0.95, 0.1),
    ("zoo", "B", 0.96, 0.2),
]


def long_text(separator: str = ",") -> str:
    rows = [("dataset", "algorithm", "accuracy", "time"), *ROWS]
    return "".join(f"{separator.join(map(str, row))}\n" for row in rows)


def run(*args: object, code: int = 0, piped: bytes | None = None) -> Any:
    """Run a command in this process; what it printed and how it ended.

    A single text is split as a shell would.
    """
    words = shlex.split(str(args[0])) if len(args) == 1 else [str(arg) for arg in args]
    result = CliRunner().invoke(app, words, input=piped)
    assert result.exit_code == code, result.output
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def flat(*args: object, **how: Any) -> str:
    """What a command prints, without line breaks and columns."""
    return " ".join(run(*args, **how).stdout.split())


def found(*args: object, **how: Any) -> Any:
    """The JSON that a command prints."""
    return json.loads(run(*args, "--json", **how).stdout)


def refused(*args: object, **how: Any) -> str:
    """The error message of a command: exactly one line, and nothing else."""
    result = run(*args, code=2, **how)
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    message = str(line.removeprefix("error: "))
    if result.stdout:  # a program reads it
        assert json.loads(result.stdout) == {"error": message}
    return message


def shell(*args: object, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, as a user does."""
    # What would colour a pipe, or let it be taken for a terminal of another width.
    drop = {"FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "COLUMNS", "TTY_COMPATIBLE"}
    env = {key: value for key, value in os.environ.items() if key not in drop}
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    return subprocess.run(
        [sys.executable, "-m", "bayescompare", *map(str, args)],
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        **{**given, "env": env | how.get("env", {})},
    )
