"""The study itself: what is simulated, and how it is run, resumed and collected."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import xarray as xr

from bayescompare._checks import check_count, is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._version import __version__
from bayescompare.studies.engine.blocks import (
    StudyBlock,
    StudyScenario,
    StudySeed,
    study_scenarios,
)
from bayescompare.studies.engine.design import check_study_function, check_study_name, study_axes
from bayescompare.studies.engine.identity import (
    digest_of_study_part,
    study_function_source,
    study_value_text,
)
from bayescompare.studies.engine.store import (
    DamagedStudyBlock,
    StudyStore,
    compute_and_save_study_block,
    open_study_store,
    read_study_manifest,
)
from bayescompare.studies.engine.table import StudyTable, Yields
from bayescompare.studies.engine.work import StudyWork, StudyYield, compute_study_block

__all__ = ["Study"]

#: A study by cases has about so many blocks, but no block of more cases than the second number.
_BLOCKS, _MOST_CASES = 200, 100
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
    [0.5, 5.0]
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
            _check_study_part(part, store)
        if store is None:
            work = self._work(_study_seed(rng))
            blocks = list(self._blocks(self._size_of_blocks(None)))
            return self._table(self._run_in_memory(work, blocks, n_jobs, progress), summary)
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
        place, _ = self._open(store, None, new=False)
        blocks = list(self._blocks(int(place.identity["block_size"])))
        missing = sum(not place.path(block).exists() for block in blocks)
        if missing:
            raise BayescompareError(
                f"store={str(store)!r}: {missing} of {len(blocks)} blocks are missing: run the "
                "study with this store to compute them."
            )
        try:
            return self._table(((block, place.load(block)) for block in blocks), summary)
        except DamagedStudyBlock as error:
            raise BayescompareError(
                f"store: the block {error} is damaged: run the study with this store to compute "
                "it again."
            ) from None

    def _run_in_memory(
        self, work: StudyWork, blocks: Sequence[StudyBlock], n_jobs: int | None, progress: bool
    ) -> Yields:
        tasks = ((work, block) for block in blocks)
        results: Iterator[StudyYield] = run_in_parallel(
            compute_study_block,
            tasks,
            n_jobs=n_jobs,
            progress=progress,
            label=self.name,
            total=len(blocks),
        )
        return zip(blocks, results, strict=True)

    def _fill(
        self,
        place: StudyStore,
        work: StudyWork,
        blocks: Sequence[StudyBlock],
        n_jobs: int | None,
        progress: bool,
    ) -> None:
        """Compute the blocks that are missing or damaged; wait for those of other processes."""
        left = [block for block in blocks if not _is_whole_study_block(place, block)]
        while left:
            done = run_in_parallel(
                compute_and_save_study_block,
                ((work, place, block) for block in left),
                n_jobs=n_jobs,
                progress=progress,
                label=self.name,
                total=len(left),
            )
            left = [block for block, there in zip(left, done, strict=True) if not there]
            if left:
                time.sleep(_PATIENCE)

    # what it is ----------------------------------------------------------------------------------

    @cached_property
    def _axes(self) -> dict[str, dict[Any, Any]]:
        return study_axes(self.grid)

    @cached_property
    def _scenarios(self) -> list[StudyScenario]:
        texts = {
            axis: [study_value_text(value, axis) for value in values.values()]
            for axis, values in self._axes.items()
        }
        return list(study_scenarios(self._axes, texts))

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

    def _table(self, yields: Yields, summary: bool) -> xr.Dataset:
        axes = {axis: list(values) for axis, values in self._axes.items()}
        table = StudyTable(axes, self.replications, self.dims, self.coords)
        made = table.of_summaries(yields) if summary else table.of_cases(yields)
        return made.assign_attrs(study=self.name, version=__version__)

    def _open(
        self, folder: str | Path, rng: Rng, *, new: bool = True
    ) -> tuple[StudyStore, StudyWork]:
        """Open the store, and take from it what the caller left open."""
        path, there = read_study_manifest(folder)
        if there is None and not new:
            raise BayescompareError(f"store={str(folder)!r}: there is no study in this folder.")
        saved = None if there is None else there.get("seed")
        seed = StudySeed(*saved) if rng is None and saved else _study_seed(rng)
        size = self._size_of_blocks(None if there is None else there.get("block_size"))
        function = self.case if self.block is None else self.block
        assert function is not None
        identity = {
            "name": self.name,
            "version": __version__,
            "function": digest_of_study_part(study_function_source(function)),
            "grid": {
                axis: [study_value_text(value, axis) for value in values.values()]
                for axis, values in self._axes.items()
            },
            "constants": {k: study_value_text(v, k) for k, v in self.constants.items()},
            "block_size": size,
            "seed": [seed.entropy, list(seed.spawn_key)],
        }
        return open_study_store(path, identity, there), self._work(seed)


def _study_seed(rng: Rng) -> StudySeed:
    """Return the root of all streams; of a generator a child, so that two studies differ."""
    generator, seed = as_rng(rng)
    if seed is not None:
        return StudySeed(seed)
    sequence: Any = generator.bit_generator.seed_seq
    (child,) = sequence.spawn(1)
    return StudySeed(int(child.entropy), tuple(int(k) for k in child.spawn_key))


def _check_study_part(part: object, store: object) -> None:
    if not (isinstance(part, tuple) and len(part) == 2 and all(map(is_whole, part))):
        raise BayescompareError(
            f"part={show_checked_value_briefly(part)}: give (i, n), with i from 0 to n - 1."
        )
    if not 0 <= part[0] < part[1]:
        raise BayescompareError(f"part={part!r}: i must lie from 0 to n - 1.")
    if store is None:
        raise BayescompareError(f"part={part!r}: needs a store, which all parts share.")


def _is_whole_study_block(place: StudyStore, block: StudyBlock) -> bool:
    """Whether a block is there and can be read; one that cannot is removed and said so."""
    try:
        place.load(block)
    except FileNotFoundError:
        return False
    except DamagedStudyBlock as error:
        warnings.warn(
            f"The block {error} is damaged; it is computed again.", UserWarning, stacklevel=4
        )
        Path(str(error)).unlink(missing_ok=True)
        return False
    return True
