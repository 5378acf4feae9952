"""A study: a grid of scenarios, replications of each, and a pure function of one case.

The same study runs in one process, on all cores, on a Dask cluster or on Ray, and gives the same
table, bit for bit. With a store it can be killed at any time and resumed, and many processes can
fill one store.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any, overload

import xarray as xr

from bayescompare._checks import check_count, is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._version import __version__
from bayescompare.studies.blocks import (
    Block,
    Result,
    Scenario,
    Work,
    compute,
    digest,
    scenarios_of,
    source_of,
    text_of,
)
from bayescompare.studies.store import (
    DamagedBlock,
    Store,
    create_manifest,
    read_manifest,
    refuse_other_study,
)
from bayescompare.studies.table import Layout

__all__ = ["Study"]

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
        if part is not None:
            _check_part(part, store)
        if store is None:
            entropy = _entropy_of(rng)
            blocks = list(self._blocks(self._size_of_blocks()))
            results = self._parallel(
                partial(compute, self._work(entropy)), blocks, n_jobs, progress
            )
            return self._table(zip(blocks, results, strict=True), summary, entropy)
        place, work = self._open(store, rng)
        blocks = list(self._blocks(int(place.identity["block_size"])))
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
        place, work = self._open(store, None, new=False)
        blocks = list(self._blocks(int(place.identity["block_size"])))
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
    def _texts(self) -> dict[str, list[str]]:
        """What a store and the seeds know the values of every axis by."""
        axes = self._axes.items()
        return {axis: [text_of(v, axis) for v in values.values()] for axis, values in axes}

    @cached_property
    def _scenarios(self) -> list[Scenario]:
        return list(scenarios_of(self._axes, self._texts))

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

    def _size_of_blocks(self, saved: int | None = None) -> int:
        if self.block_size is not None:
            return self.block_size
        if saved is not None:
            return saved
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

    def _table(
        self, results: Iterator[tuple[Block, Result]], summary: bool, entropy: int
    ) -> xr.Dataset:
        axes = {axis: list(values) for axis, values in self._axes.items()}
        layout = Layout(axes, self.replications, self.dims, self.coords)
        made = layout.of_summaries(results) if summary else layout.of_cases(results)
        # In words: a netCDF file has no whole number as large as an entropy may be.
        return made.assign_attrs(study=self.name, version=__version__, seed=str(entropy))

    def _open(self, folder: str | Path, rng: Rng, *, new: bool = True) -> tuple[Store, Work]:
        """Open the store, and take from it what the caller left open."""
        path, there = read_manifest(folder)
        if there is None:
            if not new:
                raise BayescompareError(f"store={str(folder)!r}: there is no study in this folder.")
            there = create_manifest(path, self._identity(_entropy_of(rng), None))
        saved = there.get("seed")
        entropy = saved[0] if rng is None and saved else _entropy_of(rng)
        identity = self._identity(entropy, there.get("block_size"))
        refuse_other_study(path, identity, there)
        return Store(path, identity), self._work(entropy)

    def _identity(self, entropy: int, block_size: int | None) -> dict[str, Any]:
        """Say what a store must agree with; the number of replications may grow."""
        constants = {name: text_of(value, name) for name, value in self.constants.items()}
        return {
            "name": self.name,
            "version": __version__,
            "function": digest(source_of(self._work(entropy).function)),
            "grid": self._texts,
            "constants": {k: t if len(t) <= _LONG else digest(t) for k, t in constants.items()},
            "block_size": self._size_of_blocks(block_size),
            "seed": [entropy],
        }


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
