"""Print how many calls, files and changes of file it takes to answer, with everything warm.

A call is a named function of the package being entered (a generator each time it is resumed);
comprehensions, lambdas and generator expressions do not count. A change of file is a call that
lies in another file of the package than the call before it. What is asked runs once before it is
counted, so that imports and compilation do not count, and on one thread, so that all of it does.

Usage: ``python tools/call_trace.py compare|pairwise|report|pairwise-report``
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import bayescompare as bc

PACKAGE = str(Path(bc.__file__).parent)


class Trace(NamedTuple):
    """What a run took."""

    calls: int
    files: int
    changes: int


def traced(run: Callable[[], object]) -> Trace:
    """Run twice and count the second time."""
    run()
    visited: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name[0] != "<":
            visited.append(code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    changes = sum(a != b for a, b in pairwise(visited))
    return Trace(len(visited), len(set(visited)), changes)


def question(name: str, folder: Path) -> Callable[[], object]:
    """Return what to run: the data, and for a report the answer, are there already."""
    example, uci = bc.load_example("benavoli-example1"), bc.load_example("jansen-uci")
    page = folder / "report.html"
    if name == "compare":
        return lambda: bc.compare(example)
    if name == "pairwise":
        return lambda: bc.pairwise(uci, n_jobs=1)
    if name == "report":
        c = bc.compare(example)
        return lambda: c.report(page, overwrite=True)
    if name == "pairwise-report":
        p = bc.pairwise(uci, n_jobs=1)
        return lambda: p.report(page, overwrite=True)
    raise SystemExit(f"{name!r} is not one of compare, pairwise, report, pairwise-report.")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("give one or more of compare, pairwise, report, pairwise-report.")
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:]:
            calls, files, changes = traced(question(name, Path(folder)))
            print(f"{name}: {calls} calls, {files} files, {changes} changes of file")
