"""The tests have the tree of the package, and files that can be read in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

import bayescompare

PACKAGE = Path(bayescompare.__file__).parent
TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("test_*.py"))
#: One table of cases is the longest there is.
LONGEST = 700


@pytest.mark.parametrize(
    "folder",
    sorted({file.parent for file in FILES} - {TESTS}),
    ids=lambda folder: folder.relative_to(TESTS).as_posix(),
)
def test_a_folder_of_tests_is_a_folder_of_the_package(folder: Path) -> None:
    assert (PACKAGE / folder.relative_to(TESTS)).is_dir()


def test_every_family_has_tests() -> None:
    families = [
        folder.relative_to(PACKAGE)
        for room in ("kernels", "methods")
        for folder in (PACKAGE / room).iterdir()
        if (folder / "__init__.py").exists()
    ]
    assert len(families) > 8
    assert [str(name) for name in families if not list((TESTS / name).glob("test_*.py"))] == []


def test_no_file_is_too_long_to_read() -> None:
    long = {file.name: len(file.read_text("utf-8").splitlines()) for file in FILES}
    assert {name: lines for name, lines in long.items() if lines > LONGEST} == {}
