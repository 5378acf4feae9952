"""Tables in files, for the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import long_text
from tests.readers.written import DATA

ERRORS = (
    "task,svm_only,nn_only,both,n\niris,1,4,2,50\nwine,2,10,0,60\nzoo,0,0,1,40\nsonar,3,1,4,70\n"
)
#: Of 12 examples A misses 0 and 6, B 0, 3, 6, 9, C 0, 4, 8.
PREDICTIONS = "dataset,example,algorithm,correct,y,guess\n" + "".join(
    f"{task},{k},{name},{'true' if right else 'false'},1,{int(right)}\n"
    for task in ("iris", "wine", "zoo")
    for k in range(12)
    for name, right in (("A", k % 6 != 0), ("B", k % 3 != 0), ("C", k % 4 != 0))
)
FOLDS = "dataset,algorithm,fold,auc\n" + "".join(
    f"d{d},{a},{f},{0.8 + 0.03 * (a == 'B') + 0.01 * ((7 * d + 3 * f) % 5)}\n"
    for d in range(4)
    for a in "AB"
    for f in range(5)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands run, with tables in it."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "results.csv": long_text(),
        "counts.csv": ERRORS,
        "predictions.csv": PREDICTIONS,
        "folds.csv": FOLDS,
        "taken.nc": "mine",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tools").symlink_to(DATA)
    return tmp_path


@pytest.fixture
def table(folder: Path) -> Path:
    return folder / "results.csv"
