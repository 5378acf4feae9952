"""The files that paths refer to, errors that name their file, and the names of runs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescompare._checks import (
    check_path,
    is_whole,
    show_checked_value,
    show_checked_value_briefly,
)
from bayescompare._errors import UNPRINTABLE, BayescompareError
from bayescompare.text.names import first_words

if TYPE_CHECKING:
    import pandas as pd


type OnePath = str | os.PathLike[str]
type Paths = OnePath | Iterable[OnePath] | Mapping[str, OnePath | Iterable[OnePath]]
#: A file, and the name of its algorithm if the caller gave one.
type Named = tuple[Path, str | None]


def find_files(paths: Paths, *patterns: str) -> tuple[list[Named], str]:
    """Return the named files, and those that match a pattern anywhere below a named directory.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Keys are the names of algorithms.
    *patterns : str
        The names of the files to look for in a directory, as in ``"results_*.json"``; the second
        if no file has the first, and so on.

    Returns
    -------
    files : list of (Path, str or None)
        Each with the name of its algorithm, if the caller gave one.
    source : str
        The paths as the caller gave them, joined for a label.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "stats.json").write_text("[]")
    >>> files, source = find_files({"A": folder}, "stats.json")
    >>> [(file.name, name) for file, name in files]
    [('stats.json', 'A')]
    """
    named, source = list_paths(paths)
    matches = [(file, name) for path, name in named for file in _below(path, patterns)]
    # A file that two paths lead to is read once.
    files = list({(file.resolve(), name): (file, name) for file, name in matches}.values())
    return files, source


def repeatable_paths(paths: Paths) -> Paths:
    """Return paths that can be gone through twice, which those of a generator cannot.

    Examples
    --------
    >>> repeatable_paths(name for name in ("a.csv", "b.csv"))
    ['a.csv', 'b.csv']
    """
    if isinstance(paths, Mapping):
        return {name: repeatable_paths(group) for name, group in paths.items()}
    if isinstance(paths, (str, bytes, os.PathLike)) or not isinstance(paths, Iterable):
        return paths
    return list(paths)


def list_paths(paths: Paths) -> tuple[list[Named], str]:
    """Return each path with the name of its algorithm, if one was given, and a label for all.

    A pattern such as ``"runs/*.csv"`` stands for the files that match it, in alphabetical order.

    Examples
    --------
    >>> list_paths({"A": "a.csv", "B": "b.csv"})[1]
    'a.csv, b.csv'
    """
    groups: Iterable[tuple[object, str | None]] = [(paths, None)]
    if isinstance(paths, Mapping):
        # The command line has paths without a name under the key None.
        groups = [(group, name if name is None else str(name)) for name, group in paths.items()]
    asked = [(path, name) for group, name in groups for path in _listed(group)]
    if not asked:
        raise BayescompareError("paths is empty: name at least one file or directory.")
    named = [(file, name) for path, name in asked for file in _matches(path)]
    return named, first_words([str(path) for path, _ in asked], 3)


def _listed(paths: object) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        return [as_path(paths)]
    if not isinstance(paths, Iterable) or isinstance(paths, (bytes, Mapping)):
        raise BayescompareError(
            f"paths contains a {type(paths).__name__}: give a path, a list of paths, or a mapping "
            "of algorithms to paths."
        )
    return [as_path(path) for path in paths]


def _matches(path: Path) -> list[Path]:
    """Return the files that match a pattern; what exists, or has no wildcard, is itself."""
    text = str(path)
    if not any(mark in text for mark in "*?[") or path.exists():
        return [path]
    matches = [Path(match) for match in sorted(glob.glob(text, recursive=True))]
    if not matches:
        raise BayescompareError(f"{path}: no such file, and no file matches this as a pattern.")
    return matches


def as_path(path: object) -> Path:
    """Check a single path."""
    return check_path(path, show_checked_value(path))


def _below(path: Path, patterns: Sequence[str]) -> list[Path]:
    if not path.is_dir():
        if not path.exists():
            raise BayescompareError(f"{path}: no such file or directory.")
        return [path]
    for pattern in patterns:
        files = sorted(file for file in path.rglob(pattern) if not file.is_dir())
        if files:
            return files
    raise BayescompareError(f"{path}: no {' or '.join(patterns)} in or below this directory.")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of an error, because it matters most if there are several."""
    try:
        yield
    except BayescompareError as error:
        raise BayescompareError(f"{path}: {error}") from None
    except RecursionError:
        raise BayescompareError(f"{path}: a value is nested too deeply.") from None


def parsed_name(value: object, where: str) -> str:
    """Return a name, which is text or a whole number.

    Examples
    --------
    >>> parsed_name("gpt2", "model"), parsed_name(3, "samples[0].id")
    ('gpt2', '3')
    >>> parsed_name(None, "samples[0].id")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: samples[0].id is None, not a name.
    """
    if isinstance(value, str) and value.strip() and not UNPRINTABLE.search(value):
        return value
    if is_whole(value) and abs(value) < 2**63:
        return str(value)
    raise BayescompareError(f"{where} is {show_checked_value_briefly(value)}, not a name.")


def labelled_run(name: str | None, own: str, *, alone: bool) -> str:
    """Return the name that the caller gave, with the file's own if it has several.

    Examples
    --------
    >>> (
    ...     labelled_run("today", "forest", alone=True),
    ...     labelled_run("today", "forest", alone=False),
    ... )
    ('today', 'today forest')
    """
    if name is None:
        return own
    return name if alone else f"{name} {own}"


_PLAIN = str.maketrans({"=": ":", "|": "/", ">": "/"})


def algorithm_labels(names: pd.Series[Any]) -> pd.Series[Any]:
    """Turn a column of names into labels, and refuse two names with the same label."""
    labels = names.map(lambda name: name.translate(_PLAIN))
    before: dict[str, str] = {}
    for name, label in zip(names, labels, strict=True):
        if before.setdefault(label, name) != name:
            raise BayescompareError(
                f"the algorithms {before[label]!r} and {name!r} would both be called {label!r}, "
                "because '=', '|' and '>' have a meaning in statements: rename one."
            )
    return labels


def algorithm_label(name: str) -> str:
    """Write a name without the characters that have a meaning in statements.

    Examples
    --------
    >>> algorithm_label("Pipeline(scaler=StandardScaler)")
    'Pipeline(scaler:StandardScaler)'
    """
    # Half a character, as in a label from the command line, is no text for pandas.
    return parsed_name(name, "the name of an algorithm").translate(_PLAIN)
