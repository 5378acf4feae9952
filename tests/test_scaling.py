"""Work that grows no faster than what is read or written: counted, not timed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome.comparison import Comparison
from bayescompare.table.layouts import pair_up, stack
from tests.tables import table

#: Twice the size may take this many times the work: 2, and a little for what is fixed.
TWICE = 2.2


def calls(run: Callable[[], object]) -> int:
    """How many functions were called, Python's and C's."""
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


class Name(str):
    """A name that counts how often it was compared or written."""

    looked_at = 0

    def __eq__(self, other: object) -> bool:
        Name.looked_at += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __str__(self) -> str:
        Name.looked_at += 1
        return super().__str__()


def looks(run: Callable[[], object]) -> int:
    """How often a `Name` was compared or written, and one."""
    Name.looked_at = 1
    run()
    return Name.looked_at


class Items(tuple[str, ...]):
    """A tuple that counts how many of its items were looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[str]:
        for item in super().__iter__():
            Items.looked_at += 1
            yield item

    def __getitem__(self, place: Any) -> Any:
        Items.looked_at += 1
        return super().__getitem__(place)


# wide headers -------------------------------------------------------------------------------------


def one_measure(n: int) -> tuple[list[str], list[str]]:
    """Half of the columns are the measure's, and half begin like those of another measure."""
    own = [f"a{k}_auc" for k in range(n)]
    return own + [f"a0_x{k}" for k in range(n)], ["auc"]


def two_measures(n: int) -> tuple[list[str], list[str]]:
    return [f"a{k}_{m}" for k in range(n) for m in ("auc", "time")], ["auc", "time"]


def many_measures(n: int) -> tuple[list[str], list[str]]:
    measures = [f"m{k:05}" for k in range(n)]
    return [f"{a}_{m}" for a in ("svm", "nb") for m in measures], measures


@pytest.mark.parametrize("header", [one_measure, two_measures, many_measures])
def test_a_header_is_read_in_the_time_of_its_length(
    header: Callable[[int], tuple[list[str], list[str]]],
) -> None:
    def work(n: int) -> int:
        columns, measures = header(n)
        names = [Name(column) for column in columns]
        return calls(lambda: pair_up(names, measures, "algorithm"))

    assert work(400) < TWICE * work(200)


def test_a_wide_table_is_stacked_in_the_time_of_its_width() -> None:
    def work(n: int) -> int:
        wide = pd.DataFrame(np.ones((2, n)), columns=[f"a{k}" for k in range(n)])
        wide["dataset"] = ["iris", "wine"]
        pairs = {f"a{k}": (Name(f"a{k}"), "auc") for k in range(n)}
        roles = {"dataset": "dataset", "algorithm": "algorithm"}
        return looks(lambda: stack(wide, roles, pairs))

    assert work(400) < TWICE * work(200)


# Weka ---------------------------------------------------------------------------------------------

_HEAD = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Percent_correct\n"
_SLOW = {
    "blanks before a quote": _HEAD + "iris" + " " * 300_000 + "'x',1,1,J48,94\n",
    "quotes between blanks": _HEAD + " ' " * 100_000 + "\n",
    "escapes without an end": _HEAD + "'iris" + "\\'" * 100_000 + ",1,1,J48,94\n",
    "blank lines": "\n" * 300_000 + "%\n",
}

_READ = """
import sys, bayescompare as bc
for file in sys.argv[1:]:
    try:
        bc.io.read_weka(file)
    except bc.BayescompareError as error:
        print(error)
"""


def test_what_is_no_weka_is_refused_before_anyone_grows_old(tmp_path: Path) -> None:
    """A regular expression that goes back takes years for these, so that another process tries."""
    files = [tmp_path / f"{name}.csv" for name in _SLOW]
    for file, text in zip(files, _SLOW.values(), strict=True):
        file.write_text(text)
    run = [sys.executable, "-c", _READ, *map(str, files)]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=120)
    assert len(done.stdout.splitlines()) == len(_SLOW)
    assert done.stdout.count("is not a cell") == 3


# JSON ---------------------------------------------------------------------------------------------


def counted(n: int) -> Comparison:
    """A comparison with nearly `n` observed statements, whose labels and states are counted."""
    c = bc.compare(table(np.random.default_rng(0).random((n, 4, 4))), method="glrt")
    states = tuple(Items(of) for of in c.answer.states)
    return replace(c, answer=replace(c.answer, labels=Items(c.answer.labels), states=states))


def test_every_statement_is_written_once() -> None:
    looked_at = {}
    for n in (150, 300):
        c = counted(n)
        Items.looked_at = 0
        c.to_json()
        looked_at[n] = Items.looked_at
    assert looked_at[300] < TWICE * looked_at[150]
