"""One reader of records under all readers: fields, measures, what may occur once, and the table.

The reader of a tool turns its files into records, each with the values that an algorithm reached on
a dataset and the place where they are written, and says which way its measures are better.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.table.checks import check_selection, check_spec
from bayescompare.table.input import naming, parsed_name
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.results import Results
from bayescompare.text.names import meant_name, quoted_names
from bayescompare.text.numbers import setting_number_text

#: Names with their directions, or names alone if their directions are known from elsewhere.
type Chosen = Mapping[str, Direction | Measure] | Iterable[str]


def fits_nothing(_: Any) -> bool:
    """Return False: what a tool does not write is not recognised as its."""
    return False


class Format(NamedTuple):
    """What a tool writes, how that is recognised, and the function that reads it.

    Attributes
    ----------
    title : str
        What was read, in words.
    read : callable
        ``read_...`` takes paths, ``from_...`` a frame.
    suffixes : tuple of str
        Ends of the names of its files; with `heads`, of those that begin so.
    columns : frozenset of str
        Columns by which a table is recognised.
    json, line : callable
        Whether the content of a JSON file, or an object in a line of one, is the tool's.
    heads : tuple of str
        How the first line may begin, in small letters: of any table as text, if it has no
        `suffixes`.
    mark : str
        The name of a file that tells a directory.
    """

    title: str
    read: Callable[..., Results]
    suffixes: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    json: Callable[[Any], bool] = fits_nothing
    line: Callable[[Mapping[str, Any]], bool] = fits_nothing
    heads: tuple[str, ...] = ()
    mark: str = ""

    @property
    def takes_frame(self) -> bool:
        """Whether the reader takes a frame and not paths."""
        return self.read.__name__.startswith("from_")

    @property
    def options(self) -> dict[str, type[str] | type[bool]]:
        """The arguments of the reader that are words or switches, for ``--reader NAME=VALUE``."""
        parameters = list(inspect.signature(self.read).parameters.values())[1:]
        return {
            one.name: bool if "bool" in str(one.annotation) else str
            for one in parameters
            if one.name not in ("measures", "source")
        }


class Record(NamedTuple):
    """What an algorithm reached on a dataset, and where that is written.

    Attributes
    ----------
    file : Path
    dataset, algorithm : str
    values : mapping of str to objects
        By measure; None is a missing value.
    place : str
        Where in the file, for errors about values.
    replicate, epoch : str, optional
        The fold, seed or item, and which run of the item.
    group : str, optional
        The domain of the dataset.
    benchmark : str, optional
        What the dataset belongs to, which only words use.
    """

    file: Path
    dataset: str
    algorithm: str
    values: Mapping[str, Any]
    place: str = ""
    replicate: str | None = None
    epoch: str | None = None
    group: str | None = None
    benchmark: str | None = None


# ------------------------------------------------------------------------------------------ fields


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a JSON file, and where it is; what lies below is a field, too.

    Examples
    --------
    >>> log = Field({"model": {"id": "small"}, "scores": [0.5, "high"]})
    >>> log["model"]["id"].name(), log["model"]["size"].number()
    ('small', nan)
    >>> [score.number() for score in log["scores"].each()]
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: scores[1] is 'high', not a number.
    """

    value: Any
    where: str = ""

    def __getitem__(self, key: object) -> Field:
        """Return what lies below a key, None where there is nothing or no object."""
        dot = "." if self.where and not self.where.endswith(": ") else ""
        below = self.value.get(key) if isinstance(self.value, dict) else None
        return Field(below, f"{self.where}{dot}{key}")

    def each(self) -> Iterator[Field]:
        """Yield what a list has."""
        for k, value in enumerate(self.value):
            yield Field(value, f"{self.where}[{k}]")

    def name(self) -> str:
        """Return a name, which is text or a whole number."""
        return parsed_name(self.value, self.where)

    def number(self, *, least: float | None = None) -> float:
        """Return a finite number, or NaN for a value that is missing; `least` is the smallest."""
        return number_at(self.value, self.where, least=least)

    def mapping(self) -> Mapping[str, Any]:
        """Return an object with keys, empty for one that is missing."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            raise self.wrong("an object with keys")
        return self.value

    def truth(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def wrong(self, wanted: str) -> BayescompareError:
        """Return the error that this is not what it should be."""
        return _wrong(self.value, self.where, wanted)


def _wrong(value: object, where: str, wanted: str) -> BayescompareError:
    return BayescompareError(f"{where} is {show_checked_value_briefly(value)}, not {wanted}.")


def number_at(value: object, where: str, *, least: float | None = None) -> float:
    """Return a finite number, or NaN for a value that is missing; `least` is the smallest.

    Examples
    --------
    >>> number_at(1, "score"), number_at(None, "score")
    (1.0, nan)
    """
    if value is None:
        return math.nan
    if not is_number(value):
        raise _wrong(value, where, "a number")
    if math.isinf(value):
        raise BayescompareError(f"{where} is infinite: leave out what has no value.")
    if least is not None and value < least:
        raise BayescompareError(
            f"{where} is {show_checked_value_briefly(value)}, less than "
            f"{setting_number_text(least)}."
        )
    return float(value)


def part(data: Any, *keys: str) -> Any:
    """Return what lies below some keys, None where there is nothing or no object.

    Examples
    --------
    >>> part({"best": {"y": 3}}, "best", "y"), part({"best": [3]}, "best", "y")
    (3, None)
    """
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


# ---------------------------------------------------------------------------------------- measures


def directed(maximal: str, minimal: str) -> dict[str, Measure]:
    """Make a table of measures from two lists of names, better when higher and when lower.

    Examples
    --------
    >>> directed("accuracy f1", "error")["error"].direction
    'min'
    """
    ways = ((maximal, Measure("max")), (minimal, Measure("min")))
    return {name: measure for names, measure in ways for name in names.split()}


def costs(names: str, unit: str | None = None) -> dict[str, Measure]:
    """Make a table of measures that are at least 0, and better when lower.

    Examples
    --------
    >>> costs("fit_time score_time", "s")["fit_time"].unit
    's'
    """
    return dict.fromkeys(names.split(), Measure("min", bounds=(0, None), unit=unit))


def common_to(
    by_dataset: Mapping[str, Collection[str]],
    measures: Chosen | None,
    none: str,
    *,
    clear: Collection[str] | None = None,
    more: str = ".",
) -> list[str]:
    """Return the measures that every dataset has; without one, some must have been asked for.

    Of these only the `clear` ones, if they are given. The error says `none`, and `more` at its end.

    Examples
    --------
    >>> common_to({"boolq": ["acc", "f1"], "squad": ["f1"]}, None, "no metric is common")
    ['f1']
    """
    names = dict.fromkeys(name for own in by_dataset.values() for name in own)
    common = [
        name
        for name in names
        if (clear is None or name in clear) and all(name in own for own in by_dataset.values())
    ]
    if not common and measures is None:
        words = [
            f"{name!r} has {quoted_names(own, 3) or 'none'}" for name, own in by_dataset.items()
        ]
        raise BayescompareError(f"{none}: {'; '.join(words[:4])}. Name some by measures={more}")
    return common


def select(
    measures: Chosen | None, known: Mapping[str, Measure | None], default: Collection[str] = ()
) -> dict[str, Measure]:
    """Return the measures to read, each with its direction.

    Parameters
    ----------
    measures : mapping or iterable of str, optional
        The measures asked for, with directions or by name alone; in any case, and as far as the
        beginning tells them apart.
    known : mapping of str to Measure or None
        All measures there are; None if it is not known which way is better.
    default : collection of str
        The measures to read if none are asked for.

    Examples
    --------
    >>> list(select(["AU"], {"auc": Measure("max"), "time": None}))
    ['auc']
    """
    if isinstance(measures, Mapping):
        spec = check_spec(_meant(measures, known))
        check_selection("measures", spec, known)
        return spec
    if measures is not None and not isinstance(measures, str) and isinstance(measures, Iterable):
        measures = list(measures)
        if all(isinstance(name, str) for name in measures):
            measures = list(_meant(dict.fromkeys(measures, ""), known)) or measures
    if measures is None and not default:
        # A quality, if there is one, before a cost.
        told = sorted((kind.direction, name) for name, kind in known.items() if kind)
        clear = told[0][1] if told else next(iter(known), "accuracy")
        raise BayescompareError(
            f"measures=None: name the measures to read, as in measures=[{clear!r}]; choose from "
            f"{quoted_names(known)}."
        )
    names = default if measures is None else check_selection("measures", measures, known)
    chosen = {name: measure for name in names if (measure := known[name]) is not None}
    unclear = [name for name in names if name not in chosen]
    if unclear:
        raise BayescompareError(
            f"it is not known which way {quoted_names(unclear)} is better: use "
            f"measures={{{unclear[0]!r}: 'max'}} (higher is better) or 'min'."
        )
    return check_spec(chosen)


def _meant[V](measures: Mapping[Any, V], known: Collection[str]) -> dict[str, V]:
    """Return the measures under the names that the tool has for them."""
    meant: dict[str, V] = {}
    for name, value in measures.items():
        own = meant_name(name, known) if isinstance(name, str) else name
        if own in meant:
            raise BayescompareError(f"measure {own!r} is given twice, once as {name!r}.")
        meant[own] = value
    return meant


# ------------------------------------------------------------------------- what may occur only once


def once[K: Hashable](places: Iterable[tuple[K, str]], words: Callable[[K], str]) -> None:
    """Refuse two places that have the same; each comes with a key, which `words` puts in words.

    Examples
    --------
    >>> runs = [(("boolq", "small"), "a.json"), (("boolq", "small"), "b.json")]
    >>> once(runs, lambda key: f"{key[0]!r} by {key[1]!r}")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: a.json and b.json both have 'boolq' by 'small': leave \
out one, or give them different names, as in {'first': ..., 'second': ...}.
    """
    seen: dict[K, str] = {}
    for key, place in places:
        other = seen.setdefault(key, place)
        if other != place:
            raise BayescompareError(
                f"{other} and {place} both have {words(key)}: leave out one, or give them "
                "different names, as in {'first': ..., 'second': ...}."
            )


def one_file_each(records: Iterable[Record]) -> None:
    """Refuse two files with a run of one algorithm on one dataset."""
    files = (((one.dataset, one.algorithm), str(one.file)) for one in records)
    once(files, lambda key: f"{key[0]!r} by {key[1]!r}")


def one_place_each(records: Iterable[Record]) -> None:
    """Refuse an item, or an epoch of it, that occurs twice.

    Examples
    --------
    >>> run = Record(Path("a.jsonl"), "boolq", "small", {}, "line 3", "7")
    >>> one_place_each([run, run._replace(place="line 9")])
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: a.jsonl: line 3 and line 9 are both item '7' of ...
    """
    seen: dict[tuple[str | None, ...], Record] = {}
    for one in records:
        other = seen.setdefault((one.dataset, one.algorithm, one.replicate, one.epoch), one)
        if other is one:
            continue
        again = "" if one.epoch is None else f" in epoch {one.epoch}"
        where = "" if other.file == one.file else f" of {other.file}"
        raise BayescompareError(
            f"{one.file}: {other.place}{where} and {one.place} are both item {one.replicate!r} of "
            f"{one.algorithm!r} on {one.dataset!r}{again}: leave out one."
        )


def one_metric_each(table: pd.DataFrame, dataset: str, value: str) -> None:
    """Refuse a dataset whose values are of two metrics, which the column ``metric`` names.

    Examples
    --------
    >>> one_metric_each(
    ...     pd.DataFrame({"task": ["iris", "iris"], "metric": ["auc", "acc"]}), "task", "score"
    ... )
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: column 'score' of 'iris' is of several metrics, ...
    """
    if "metric" not in table:
        return
    named = table[table["metric"].notna() & (table["metric"].astype(str).str.strip() != "")]
    for name, own in named.groupby(dataset, sort=False)["metric"].unique().items():
        if len(own) > 1:
            raise BayescompareError(
                f"column {value!r} of {name!r} is of several metrics, "
                f"{quoted_names([str(metric) for metric in own])}: keep the rows of one."
            )


def several(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the names that come with several values.

    Examples
    --------
    >>> several([("boolq", "1"), ("squad", "1"), ("boolq", "2")])
    ['boolq']
    """
    values: dict[str, set[str]] = {}
    for name, value in pairs:
        values.setdefault(name, set()).add(value)
    return [name for name, own in values.items() if len(own) > 1]


# --------------------------------------------------------------------------------------- the table


def joined(records: Iterable[Record]) -> list[Record]:
    """Put together the records of a cell that have different measures."""
    cells: dict[tuple[str, str, str | None], Record] = {}
    for one in records:
        key = (one.dataset, one.algorithm, one.replicate)
        whole = cells.get(key, one)
        cells[key] = whole._replace(values={**whole.values, **one.values})
    return list(cells.values())


def results_of(
    records: Sequence[Record],
    source: str,
    spec: Mapping[str, Measure],
    *,
    number: Callable[[Any, str], float] = number_at,
    notes: Iterable[str] = (),
    **options: Any,
) -> Results:
    """Build results from records; an error names the file that it is about.

    Parameters
    ----------
    records : sequence of Record
        Whether they have replicates, epochs and domains is taken from the first.
    source : str
    spec : mapping of str to Measure
        The measures to read; a record may lack some.
    number : callable
        Reads a value, given the words for its place.
    notes : iterable of str
        What else there is to say; what is empty is not said.
    **options
        Of `Results.from_frame`.

    Examples
    --------
    >>> record = Record(Path("a.json"), "boolq", "small", {"acc": float("inf")})
    >>> results_of([record], "a.json", {"acc": Measure("max")})
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: a.json: 'acc' is infinite: leave out what has no value.
    """
    if not records:
        raise BayescompareError(f"{source}: no results.")
    parts: dict[str, Any] = {
        "dataset": [one.dataset for one in records],
        "algorithm": [one.algorithm for one in records],
    }
    for role in ("replicate", "epoch", "group"):
        cells = [getattr(one, role) for one in records]
        # One run of each item is no repetition.
        if cells[0] is not None and (role != "epoch" or len(set(cells)) > 1):
            parts[role] = cells
            options[role] = role
    for name, measure in spec.items():
        least = (measure.bounds or (None,))[0]
        parts[name] = [_value(one, name, number, least) for one in records]
    table = pd.DataFrame(parts)
    files = pd.Series([one.file for one in records])
    own = (rows for _, rows in table.groupby(files.to_numpy(), sort=False))
    results = results_of_frame(
        table, zip(files.unique(), own, strict=True), source, measures=spec, **options
    )
    belongs = {one.dataset: one.benchmark for one in records if one.benchmark is not None}
    said = (*results.notes, *filter(None, notes))
    return results._with(notes=said, benchmark_of=belongs or None)


def _value(
    record: Record, name: str, number: Callable[[Any, str], float], least: float | None
) -> float:
    value = record.values.get(name)
    if isinstance(value, float) and (-math.inf if least is None else least) <= value < math.inf:
        return value
    where = f"{record.place}: {name!r}" if record.place else repr(name)
    with naming(record.file):
        return number_at(number(value, where), where, least=least)


def results_of_frame(
    whole: pd.DataFrame, parts: Iterable[tuple[Path, pd.DataFrame]], source: str, **options: Any
) -> Results:
    """Build results from a table; its parts are those of each file, which an error names."""

    def make(table: pd.DataFrame) -> Results:
        return Results.from_frame(table, source=source, **options)

    return named_by_file(whole, parts, source, make)


def named_by_file[T](
    whole: pd.DataFrame,
    parts: Iterable[tuple[Path, pd.DataFrame]],
    source: str,
    make: Callable[[pd.DataFrame], T],
) -> T:
    """Make something of a table; an error names the file whose part it is about."""
    try:
        return make(whole)
    except BayescompareError as error:
        for file, own in parts:
            with naming(file):
                make(own)
        raise BayescompareError(f"{source}: {error}") from None
