"""A table in a file, for the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import long_text


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text(long_text(), encoding="utf-8")
    return path
