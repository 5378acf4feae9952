"""`tools/call_trace.py` counts calls, files and changes of file, of code whose calls are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools import call_trace


def function(file: str, body: str, **known: Any) -> Callable[[], Any]:
    """A function that lies in a file of that name."""
    exec(compile(f"def named():\n    {body}", file, "exec"), known)
    made: Callable[[], Any] = known["named"]
    return made


@pytest.fixture(autouse=True)
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_trace, "PACKAGE", "/package/")


def test_calls_files_and_changes() -> None:
    leaf = function("/package/b.py", "return 1")
    outside = function("/elsewhere/c.py", "return leaf()", leaf=leaf)
    again = function("/package/a.py", "pass")
    known = {"leaf": leaf, "again": again, "outside": outside}
    run = function("/package/a.py", "leaf(); again(); leaf(); outside(); leaf()", **known)
    # a, b, a, b, b (from outside), b.
    assert call_trace.traced(run) == (6, 2, 3)


def test_no_other_name_is_asked(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="'repot' is not one of compare"):
        call_trace.question("repot", tmp_path)
