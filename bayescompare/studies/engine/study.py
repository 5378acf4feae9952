"""The study itself: what is simulated, and how it is run, resumed and collected."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, overload

import xarray as xr

from bayescompare._checks import check_count
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng
from bayescompare._version import __version__
from bayescompare.studies.engine.blocks import (
    StudyBlock,
    StudyScenario,
    StudySeed,
    study_scenarios,
    study_seed_of,
)
from bayescompare.studies.engine.design import (
    check_study_function,
    check_study_name,
    check_study_part,
    study_axes,
)
from bayescompare.studies.engine.identity import (
    digest_of_study_part,
    shorten_study_text,
    study_function_source,
    study_value_text,
)
from bayescompare.studies.engine.store import (
    DamagedStudyBlock,
    StudyStore,
    compute_and_save_study_block,
    is_whole_study_block,
    make_study_store,
    read_study_manifest,
    refuse_other_study,
)
from bayescompare.studies.engine.table import StudyTable, Yields
from bayescompare.studies.engine.work import StudyWork, compute_study_block

__all__ = ["Study"]

#: A study by cases has about so many blocks, but no block of more cases than the second number.
_BLOCKS, _MOST_CASES = 100, 100
#: Replications in a block of a batched function, unless the study says so.
_BATCH = 500
#: Seconds between two looks at blocks that other processes have in hand.
_PATIENCE = 0.5


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
        check_study_name(self.name)
        check_count(replications=self.replications)
        if self.block_size is not None:
            check_count(block_size=self.block_size)
        both = sorted({*self._axes} & {*self.constants})
        if both:
            raise BayescompareError(f"constants: {', '.join(both)} is an axis of the grid too.")
        check_study_function(self.case, self.block, [*self._axes, *self.constants])

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
            check_study_part(part, store)
        if store is None:
            work = self._work(study_seed_of(rng))
            blocks = list(self._blocks(self._size_of_blocks(None)))
            results = self._parallel(partial(compute_study_block, work), blocks, n_jobs, progress)
            return self._table(zip(blocks, results, strict=True), summary, work.seed)
        place, work = self._open(store, rng)
        blocks = list(self._blocks(int(place.identity["block_size"])))
        mine = blocks if part is None else blocks[part[0] :: part[1]]
        self._fill(place, work, mine, n_jobs, progress)
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
            return self._table(loaded, summary, work.seed)
        except DamagedStudyBlock as error:
            raise BayescompareError(
                f"store: the block {error} is damaged: run the study with this store to compute "
                "it again."
            ) from None

    def _fill(
        self,
        place: StudyStore,
        work: StudyWork,
        blocks: Sequence[StudyBlock],
        n_jobs: int | None,
        progress: bool,
    ) -> None:
        """Compute the blocks that are missing or damaged; wait for those of other processes."""
        left = [block for block in blocks if not is_whole_study_block(place, block)]
        compute = partial(compute_and_save_study_block, work, place)
        while left:
            done = self._parallel(compute, left, n_jobs, progress)
            left = [block for block, there in zip(left, done, strict=True) if not there]
            if left:
                time.sleep(_PATIENCE)

    def _parallel(
        self,
        compute: Callable[[StudyBlock], Any],
        blocks: Sequence[StudyBlock],
        n_jobs: int | None,
        progress: bool,
    ) -> Iterator[Any]:
        return run_in_parallel(
            compute,
            ((block,) for block in blocks),
            n_jobs=n_jobs,
            progress=progress,
            label=self.name,
            total=len(blocks),
        )

    # what it is ----------------------------------------------------------------------------------

    @cached_property
    def _axes(self) -> dict[str, dict[Any, Any]]:
        return study_axes(self.grid)

    @cached_property
    def _scenarios(self) -> list[StudyScenario]:
        return list(study_scenarios(self._axes, self._texts))

    @cached_property
    def _texts(self) -> dict[str, list[str]]:
        """What a store and the seeds know the values of every axis by."""
        return {
            axis: [study_value_text(value, axis) for value in values.values()]
            for axis, values in self._axes.items()
        }

    def _size_of_blocks(self, saved: int | None) -> int:
        if self.block_size is not None:
            return self.block_size
        if saved is not None:
            return saved
        if self.block is not None:
            return _BATCH
        cases = len(self._scenarios) * self.replications
        return max(1, min(_MOST_CASES, cases // _BLOCKS))

    def _blocks(self, size: int) -> Iterator[StudyBlock]:
        for scenario in self._scenarios:
            for number, start in enumerate(range(0, self.replications, size)):
                yield StudyBlock(scenario, number, start, min(size, self.replications - start))

    def _work(self, seed: StudySeed) -> StudyWork:
        function = self.case if self.block is None else self.block
        assert function is not None
        return StudyWork(function, self.constants, self.block is not None, seed)

    def _table(self, yields: Yields, summary: bool, seed: StudySeed) -> xr.Dataset:
        axes = {axis: list(values) for axis, values in self._axes.items()}
        table = StudyTable(axes, self.replications, self.dims, self.coords)
        made = table.of_summaries(yields) if summary else table.of_cases(yields)
        # In words: a netCDF file has no whole number as large as an entropy may be.
        return made.assign_attrs(study=self.name, version=__version__, seed=str(seed.entropy))

    def _open(
        self, folder: str | Path, rng: Rng, *, new: bool = True
    ) -> tuple[StudyStore, StudyWork]:
        """Open the store, and take from it what the caller left open."""
        path, there = read_study_manifest(folder)
        if there is None:
            if not new:
                raise BayescompareError(f"store={str(folder)!r}: there is no study in this folder.")
            there = make_study_store(path, self._identity(study_seed_of(rng), None))
        saved = there.get("seed")
        seed = StudySeed(*saved) if rng is None and saved else study_seed_of(rng)
        identity = self._identity(seed, there.get("block_size"))
        refuse_other_study(path, identity, there)
        return StudyStore(path, identity), self._work(seed)

    def _identity(self, seed: StudySeed, block_size: int | None) -> dict[str, Any]:
        """Say what a store must agree with; the number of replications may grow."""
        function = study_function_source(self._work(seed).function)
        constants = {k: study_value_text(v, k) for k, v in self.constants.items()}
        return {
            "name": self.name,
            "version": __version__,
            "function": digest_of_study_part(function),
            "grid": self._texts,
            "constants": {k: shorten_study_text(text) for k, text in constants.items()},
            "block_size": self._size_of_blocks(block_size),
            "seed": [seed.entropy],
        }
