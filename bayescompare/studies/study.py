"""A study: a grid of scenarios, many replications of each, and one labelled table.

`Study` is the engine of all simulations in this package, and of your own. With a store it can be
killed at any time and resumed, and many processes can fill one store.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any, overload

import numpy as np
import xarray as xr

from bayescompare._checks import check_count, check_path, is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray
from bayescompare._version import __version__
from bayescompare.studies.blocks import (
    Block,
    DamagedBlock,
    Result,
    Scenario,
    Store,
    Work,
    create_manifest,
    digest,
    joined,
    read_manifest,
    refuse_other_study,
    source_of,
    text_of,
)

#: A study by cases has about so many blocks, but no block of more cases than the second number.
_BLOCKS, _MOST_CASES = 100, 100
#: Replications in a block of a batched function, unless the study says so.
_BATCH = 500
#: What a long text is shortened to its digest from.
_LONG = 200

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._, -]{0,99}")
#: Names that the table or the function uses itself.
_OWN = frozenset({"replication", "statistic", "errors", "failed", "rng", "size"})


@dataclass(frozen=True, kw_only=True)
class Study:
    """A grid of scenarios, replications of each, and a pure function of one case.

    The random numbers of a case depend on the seed, on what its scenario is and on its number, and
    on nothing else. So the table is the same, bit for bit, for any number of jobs, any backend of
    joblib, any order, and whether or not the study was killed and resumed.

    Parameters
    ----------
    name : str
    grid : mapping
        Axes and their values (numbers, strings, booleans), of which all combinations are run; an
        axis may also map labels to objects, which the function then gets.
    replications : int
        Cases of each scenario.
    case : callable, optional
        ``case(rng, **scenario)`` returns a mapping of numbers or small arrays, the same names and
        shapes in every case.
    block : callable, optional
        Instead of `case`, for cheap cases: ``block(rng, size, **scenario)`` returns arrays
        (size, ...).
    block_size : int, optional
        Replications that are computed and saved together. For `case` the table is the same for
        any; for `block`, whose cases share a stream, it is part of the design, by default 500.
    constants : mapping, optional
        Further arguments of the function, the same in all scenarios.
    dims : mapping, optional
        Names of the dimensions of outputs that are arrays.
    coords : mapping, optional
        Coordinates of these dimensions.

    Examples
    --------
    >>> def toss(rng, *, coins):
    ...     return {"heads": int(rng.integers(2, size=coins).sum())}
    >>> study = Study(name="coins", grid={"coins": [1, 10]}, replications=400, case=toss)
    >>> study.run(rng=1)["heads"].mean("replication").round(1).values.tolist()
    [0.5, 5.2]
    """

    name: str
    grid: Mapping[str, Sequence[Any] | Mapping[Any, Any]]
    replications: int
    case: Callable[..., Mapping[str, Any]] | None = None
    block: Callable[..., Mapping[str, Any]] | None = None
    block_size: int | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        name: object = self.name
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise BayescompareError(
                f"name={show_checked_value_briefly(name)}: give letters, digits, spaces, '-', "
                "'_', ',' and '.', beginning with a letter or a digit."
            )
        check_count(replications=self.replications)
        if self.block_size is not None:
            check_count(block_size=self.block_size)
        both = sorted({*self._axes} & {*self.constants})
        if both:
            raise BayescompareError(f"constants: {', '.join(both)} is an axis of the grid too.")
        self._check_function()

    # running -------------------------------------------------------------------------------------

    @overload
    def run(
        self,
        *,
        rng: Rng = ...,
        n_jobs: int | None = ...,
        store: str | Path | None = ...,
        progress: bool = ...,
        summary: bool = ...,
        part: None = ...,
    ) -> xr.Dataset: ...

    @overload
    def run(
        self,
        *,
        rng: Rng = ...,
        n_jobs: int | None = ...,
        store: str | Path | None = ...,
        progress: bool = ...,
        summary: bool = ...,
        part: tuple[int, int],
    ) -> None: ...

    def run(
        self,
        *,
        rng: Rng = None,
        n_jobs: int | None = None,
        store: str | Path | None = None,
        progress: bool = False,
        summary: bool = False,
        part: tuple[int, int] | None = None,
    ) -> xr.Dataset | None:
        """Run every case that is not in the store yet, and return the table.

        Parameters
        ----------
        rng : None, int or Generator
            With a store and None, the seed of the store.
        n_jobs : int, optional
            For joblib; None is what ``joblib.parallel_config`` says, else 1.
        store : path, optional
            A folder for one file per finished block. A study that was killed resumes there, and
            several processes can work on it at the same time.
        progress : bool
            Show a bar with the time left on standard error.
        summary : bool
            Keep only mean, Monte Carlo standard error and number of the cases of each scenario
            (dimension ``statistic``). Memory then does not grow with the replications.
        part : (int, int), optional
            ``(i, n)`` with i from 0 to n − 1 computes every n-th block, for the i-th of n jobs
            that share a store; `collect` returns the table when all are done.

        Returns
        -------
        Dataset or None
            With a dimension for each axis and ``replication``; one variable for each output, and
            ``errors``, which has the message of a case that failed and whose outputs are NaN.
            None for a part.
        """
        if store is None and part is None:
            entropy = _entropy_of(rng)
            blocks = list(self._blocks(self._size_of_blocks()))
            results = self._parallel(self._work(entropy).compute, blocks, n_jobs, progress)
            return self._table(zip(blocks, results, strict=True), summary, entropy)
        if part is not None:
            _check_part(part, store)
        assert store is not None
        place, work, blocks = self._open(store, rng)
        mine = blocks if part is None else blocks[part[0] :: part[1]]
        missing = [block for block in mine if not place.has(block)]
        # In an order of its own, so that processes which share the folder seldom meet at a block.
        Random().shuffle(missing)
        for _ in self._parallel(partial(place.fill, work), missing, n_jobs, progress):
            pass
        return None if part is not None else self.collect(store, summary=summary)

    def collect(self, store: str | Path, *, summary: bool = False) -> xr.Dataset:
        """Return the table of a store in which every block is finished.

        Parameters
        ----------
        store : path
        summary : bool
            As for `run`.
        """
        place, work, blocks = self._open(store, None, new=False)
        missing = sum(not place.path(block).exists() for block in blocks)
        if missing:
            raise BayescompareError(
                f"store={str(store)!r}: {missing} of {len(blocks)} blocks are missing: run the "
                "study with this store to compute them."
            )
        try:
            loaded = ((block, place.load(block)) for block in blocks)
            return self._table(loaded, summary, work.entropy)
        except DamagedBlock as error:
            raise BayescompareError(
                f"store: the block {error} is damaged: run the study with this store to compute "
                "it again."
            ) from None

    def _parallel[T](
        self,
        function: Callable[[Block], T],
        blocks: Sequence[Block],
        n_jobs: int | None,
        progress: bool,
    ) -> Iterator[T]:
        options: Any = {"progress": progress, "label": self.name, "total": len(blocks)}
        return run_in_parallel(function, ((block,) for block in blocks), n_jobs=n_jobs, **options)

    # what it is ----------------------------------------------------------------------------------

    @cached_property
    def _axes(self) -> dict[str, dict[Any, Any]]:
        """For each axis its labels and the values that they stand for."""
        if not isinstance(self.grid, Mapping):
            raise BayescompareError(
                f"grid={show_checked_value_briefly(self.grid)}: give a mapping."
            )
        return {_axis_name(axis): _axis_values(axis, v) for axis, v in self.grid.items()}

    @cached_property
    def _scenarios(self) -> list[Scenario]:
        """The cells of the grid, the last axis fastest."""
        cells = itertools.product(*(values.values() for values in self._axes.values()))
        return [Scenario(dict(zip(self._axes, cell, strict=True))) for cell in cells]

    def _check_function(self) -> None:
        """Refuse anything but one function that takes the axes and the constants by name."""
        if (self.case is None) == (self.block is None):
            raise BayescompareError("case, block: give one of the two, a function.")
        batched, given = self.case is None, [*self._axes, *self.constants]
        name, function = ("block", self.block) if batched else ("case", self.case)
        if not callable(function):
            raise BayescompareError(
                f"{name}={show_checked_value_briefly(function)}: give a function."
            )
        first = (None, 1) if batched else (None,)
        try:
            inspect.signature(function).bind(*first, **dict.fromkeys(given))
        except TypeError as error:
            wanted = ", ".join(["rng", *(["size"] if batched else []), *(f"{k}=" for k in given)])
            raise BayescompareError(
                f"{name}: the function cannot be called with ({wanted}): {error}."
            ) from None
        except ValueError:
            return  # a builtin, of which nothing is known

    def _size_of_blocks(self) -> int:
        if self.block_size is not None:
            return self.block_size
        if self.block is not None:
            return _BATCH
        cases = len(self._scenarios) * self.replications
        return max(1, min(_MOST_CASES, cases // _BLOCKS))

    def _blocks(self, size: int) -> Iterator[Block]:
        for scenario in self._scenarios:
            for number, start in enumerate(range(0, self.replications, size)):
                yield Block(scenario, number, start, min(size, self.replications - start))

    def _work(self, entropy: int) -> Work:
        function = self.case or self.block
        assert function is not None
        return Work(function, self.constants, self.block is not None, entropy)

    def _open(
        self, store: str | Path, rng: Rng, *, new: bool = True
    ) -> tuple[Store, Work, list[Block]]:
        """Open the store, and take from it what the caller left open."""
        folder = check_path(store, "store")
        there = read_manifest(folder)
        if there is None:
            if not new:
                raise BayescompareError(f"store={str(store)!r}: there is no study in this folder.")
            there = create_manifest(folder, self._identity(_entropy_of(rng), None))
        saved = there.get("seed")
        entropy = saved[0] if rng is None and saved else _entropy_of(rng)
        identity = self._identity(entropy, there.get("block_size"))
        refuse_other_study(folder, identity, there)
        blocks = list(self._blocks(int(identity["block_size"])))
        return Store(folder, identity), self._work(entropy), blocks

    def _identity(self, entropy: int, block_size: int | None) -> dict[str, Any]:
        """Say what a store must agree with; the number of replications may grow."""
        if self.block_size is not None or block_size is None:
            block_size = self._size_of_blocks()
        known: dict[str, Any] = {
            "name": self.name,
            "version": __version__,
            "function": digest(source_of(self._work(entropy).function)),
            "block_size": block_size,
            "seed": [entropy],
        }
        for axis, values in self._axes.items():
            known[f"grid: {axis}"] = [text_of(v, axis) for v in values.values()]
        for name, value in self.constants.items():
            text = text_of(value, name)
            known[f"constants: {name}"] = text if len(text) <= _LONG else digest(text)
        return known

    # the table -----------------------------------------------------------------------------------

    def _table(
        self, results: Iterable[tuple[Block, Result]], summary: bool, entropy: int
    ) -> xr.Dataset:
        axes = [list(labels) for labels in self._axes.values()]
        shape = tuple(map(len, axes))
        if summary:
            parts, failed = _summaries(results)
            table = self._dataset(parts, {"statistic": ["mean", "mcse", "n"]})
            table["failed"] = (tuple(self._axes), np.array(failed).reshape(shape))
            table.attrs["failed"] = sum(failed)
        else:
            found = list(results)
            parts = [(block.size, outputs) for block, (outputs, _) in found]
            said = [message for _, (_, errors) in found for message in errors]
            table = self._dataset(parts, {"replication": range(self.replications)})
            messages = np.array(said, dtype=object).reshape(*shape, self.replications)
            table["errors"] = ((*self._axes, "replication"), messages)
            table.attrs["failed"] = sum(message != "" for message in said)
        # In words: a netCDF file has no whole number as large as an entropy may be.
        return table.assign_attrs(study=self.name, version=__version__, seed=str(entropy))

    def _dataset(
        self,
        parts: list[tuple[int, Mapping[str, AnyArray] | None]],
        last: Mapping[str, Sequence[Any]],
    ) -> xr.Dataset:
        outer = {axis: _coordinate(list(values)) for axis, values in self._axes.items()}
        outer |= {name: np.asarray(labels) for name, labels in last.items()}
        data = {}
        for name, array in joined(parts).items():
            whole = array.reshape(*map(len, outer.values()), *array.shape[1:])
            data[name] = ((*outer, *self._own_dims(name, array.ndim - 1)), whole)
        used = {dim for dims, _ in data.values() for dim in dims}
        own = {dim: list(values) for dim, values in self.coords.items() if dim in used}
        try:
            return xr.Dataset(data, {**outer, **own})
        except ValueError as error:
            raise BayescompareError(f"coords do not fit the outputs: {error}") from None

    def _own_dims(self, name: str, extra: int) -> tuple[str, ...]:
        named = tuple(self.dims.get(name, tuple(f"{name}_dim{k}" for k in range(extra))))
        if len(named) != extra:
            raise BayescompareError(
                f"dims={dict(self.dims)!r}: output {name!r} has {extra} dimensions of its own."
            )
        return named


def without_failed_cases(table: xr.Dataset) -> xr.Dataset:
    """Return the table of a study in which no case may fail, or say which did."""
    messages = [str(text) for text in table["errors"].to_numpy().ravel() if text]
    if messages:
        raise BayescompareError(
            f"{len(messages)} of {table['errors'].size} cases failed; the first: {messages[0]}"
        )
    return table.drop_vars("errors")


def _summaries(
    results: Iterable[tuple[Block, Result]],
) -> tuple[list[tuple[int, Mapping[str, AnyArray] | None]], list[int]]:
    """Return mean, standard error of the mean and number of cases of each scenario.

    Block by block, so that no case need be kept; a case that is NaN does not count. With them the
    number of cases that failed.
    """
    parts: list[tuple[int, Mapping[str, AnyArray] | None]] = []
    failed = []
    for _, blocks in itertools.groupby(results, key=lambda result: id(result[0].scenario)):
        moments: dict[str, AnyArray] = {}
        failed.append(0)
        for _, (outputs, errors) in blocks:
            failed[-1] += sum(map(bool, errors))
            for name, cases in outputs.items():
                moments[name] = _added(moments.get(name, 0.0), cases)
        statistics: dict[str, AnyArray] = {}
        for name, (n, mean, squares) in moments.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                mcse = np.sqrt(squares / (n - 1.0) / n)
            parts_of = [np.where(n > 0, mean, np.nan), np.where(n > 1, mcse, np.nan), n]
            statistics[name] = np.stack(parts_of)
        parts.append((3, statistics))
    return parts, failed


def _added(before: AnyArray | float, cases: AnyArray) -> AnyArray:
    """Number, mean and sum of squared deviations (3, ...) with some cases more.

    By Chan, Golub & LeVeque (1979).
    """
    values = np.asarray(cases, dtype=np.float64)
    seen = ~np.isnan(values)
    n = seen.sum(axis=0).astype(np.float64)
    mean = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(n, 1.0)
    squares = (np.where(seen, values - mean, 0.0) ** 2).sum(axis=0)
    n0, mean0, squares0 = np.broadcast_to(before, (3, *n.shape))
    total = np.maximum(n0 + n, 1.0)
    gap = mean - mean0
    squares = squares0 + squares + gap**2 * n0 * n / total
    return np.stack([n0 + n, mean0 + gap * n / total, squares])


def _coordinate(labels: Sequence[Any]) -> AnyArray:
    """Return the labels as an array that keeps them apart: [1, "a"] is not ["1", "a"]."""
    array = np.array(labels)
    if len({type(label) for label in labels}) > 1 and array.dtype.kind in "USO":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
    return array


def _axis_name(axis: object) -> str:
    if not (isinstance(axis, str) and axis.isidentifier()) or axis in _OWN:
        raise BayescompareError(
            f"grid: {show_checked_value_briefly(axis)} cannot be the name of an axis: give a name "
            f"that the function can take, other than {', '.join(sorted(_OWN))}."
        )
    return axis


def _axis_values(axis: str, values: object) -> dict[Any, Any]:
    if isinstance(values, Mapping):
        labelled = dict(values)
    elif isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise BayescompareError(
            f"grid: {axis}={show_checked_value_briefly(values)}: give a list of values, or a "
            "mapping of labels to objects."
        )
    else:
        listed = [v.item() if hasattr(v, "item") and not v.ndim else v for v in values]
        for value in listed:
            if not isinstance(value, str | int | float):
                raise BayescompareError(
                    f"grid: {axis} has {show_checked_value_briefly(value)}: give numbers, strings "
                    "and booleans, or a mapping of labels to objects."
                )
        labelled = {value: value for value in listed}
        if len(labelled) != len(listed):
            raise BayescompareError(f"grid: {axis}={listed!r}: every value may occur once only.")
    if not labelled:
        raise BayescompareError(f"grid: {axis} has no values.")
    return labelled


def _check_part(part: object, store: object) -> None:
    """Refuse anything but (i, n) with a store."""
    if not (isinstance(part, tuple) and len(part) == 2 and all(map(is_whole, part))):
        raise BayescompareError(
            f"part={show_checked_value_briefly(part)}: give (i, n), with i from 0 to n - 1."
        )
    if not 0 <= part[0] < part[1]:
        raise BayescompareError(f"part={part!r}: i must lie from 0 to n - 1.")
    if store is None:
        raise BayescompareError(f"part={part!r}: needs a store, which all parts share.")


def _entropy_of(rng: Rng) -> int:
    """Return the root of all streams; of a generator a child, so that two studies differ."""
    generator, seed = as_rng(rng)
    if seed is not None:
        return seed
    sequence: Any = generator.bit_generator.seed_seq
    (child,) = sequence.spawn(1)
    return int.from_bytes(child.generate_state(4).tobytes(), "little")
