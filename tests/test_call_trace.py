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


def test_what_has_no_name_does_not_count() -> None:
    leaf = function("/package/b.py", "return 1")
    body = "return [sum(leaf() for _ in range(3)), (lambda: leaf())()]"
    run = function("/package/a.py", body, leaf=leaf)
    assert call_trace.traced(run) == (5, 2, 1)


def test_the_first_run_does_not_count() -> None:
    body = "ready or (leaf(), ready.append(True))"
    run = function("/package/a.py", body, ready=[], leaf=function("/package/b.py", "pass"))
    assert call_trace.traced(run) == (1, 1, 0)


def test_no_other_name_is_asked(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="'repot' is not one of compare"):
        call_trace.question("repot", tmp_path)
