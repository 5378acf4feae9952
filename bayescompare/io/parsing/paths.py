"""Which files the paths given mean, and errors that name the file they are about."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bayescompare._checks import check_path, shown
from bayescompare._errors import BayescompareError
from bayescompare.results.text import first

__all__ = ["Named", "Paths", "as_path", "find_files", "naming"]

type OnePath = str | os.PathLike[str]
type Paths = OnePath | Iterable[OnePath] | Mapping[str, OnePath | Iterable[OnePath]]
#: A file, and the algorithm it was said to be of.
type Named = tuple[Path, str | None]


def find_files(paths: Paths, pattern: str) -> tuple[list[Named], str]:
    """Return the files that are named, or that fit a pattern somewhere below a directory named.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Keys are the names of algorithms.
    pattern : str
        What a file found in a directory is called, as in ``"results_*.json"``.

    Returns
    -------
    files : list of (Path, str or None)
        Each with the name of its algorithm, where that was given.
    source : str
        The paths as given, in words.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "stats.json").write_text("[]")
    >>> files, source = find_files({"A": folder}, "stats.json")
    >>> [(file.name, name) for file, name in files]
    [('stats.json', 'A')]
    """
    groups: Iterable[tuple[object, str | None]] = [(paths, None)]
    if isinstance(paths, Mapping):
        groups = [(group, str(name)) for name, group in paths.items()]
    given = [(path, name) for group, name in groups for path in _listed(group)]
    if not given:
        raise BayescompareError("paths is empty: name at least one file or directory.")
    found = [(file, name) for path, name in given for file in _below(path, pattern)]
    # The same file by way of two paths is one file.
    files = list({(file.resolve(), name): (file, name) for file, name in found}.values())
    return files, first([str(path) for path, _ in given], 3)


def _listed(paths: object) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        return [as_path(paths)]
    if not isinstance(paths, Iterable) or isinstance(paths, (bytes, Mapping)):
        raise BayescompareError(
            f"paths has a {type(paths).__name__}: give a path, a list of paths, or a mapping of "
            "algorithms to paths."
        )
    return [as_path(path) for path in paths]


def as_path(path: object) -> Path:
    """Check a single path."""
    return check_path(path, shown(path))


def _below(path: Path, pattern: str) -> list[Path]:
    if not path.is_dir():
        if not path.exists():
            raise BayescompareError(f"{path}: no such file or directory.")
        return [path]
    found = sorted(path.rglob(pattern))
    if not found:
        raise BayescompareError(f"{path}: no {pattern} in this directory, nor below it.")
    return found


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name before what is wrong with it: with several, it matters most."""
    try:
        yield
    except BayescompareError as error:
        raise BayescompareError(f"{path}: {error}") from None
