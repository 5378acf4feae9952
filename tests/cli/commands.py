"""How tests run a command, in this process or in one of its own."""

from __future__ import annotations

import csv
import io
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
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(["dataset", "algorithm", "accuracy", "time"])
    writer.writerows(ROWS)
    return out.getvalue()


def run(*args: object, code: int = 0) -> Any:
    """Run a command in this process; what it printed and how it ended."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def one_line(text: str) -> str:
    """The error message: exactly one line."""
    (line,) = text.splitlines()
    assert line.startswith("error: ")
    return line
