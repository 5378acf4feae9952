"""The table of a study: every case, or mean and standard error of each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, BoolArray
from bayescompare.studies.engine.blocks import StudyBlock
from bayescompare.studies.engine.moments import StudyMoments
from bayescompare.studies.engine.work import StudyYield, refuse_unlike_study_outputs

__all__ = ["StudyTable", "without_failed_cases"]

Yields = Iterable[tuple[StudyBlock, StudyYield]]


@dataclass(frozen=True)
class StudyTable:
    """Names of dims and coordinates, by which blocks become a Dataset."""

    axes: Mapping[str, Sequence[Any]]
    replications: int
    dims: Mapping[str, Sequence[str]]
    coords: Mapping[str, Sequence[Any]]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values on each axis."""
        return tuple(len(labels) for labels in self.axes.values())

    def of_cases(self, yields: Yields) -> xr.Dataset:
        """Return one entry per case; NaN where a case failed."""
        kept = _StudyArrays((*self.shape, self.replications))
        errors = np.full((*self.shape, self.replications), "", dtype=object)
        for block, result in yields:
            kept.put((*block.scenario.index, block.start + result.succeeded), result.outputs)
            for k, message in result.errors.items():
                errors[*block.scenario.index, block.start + k] = message
        failed = errors != ""
        coords = {"replication": np.arange(self.replications)}
        return self._dataset(kept.without(failed), {"errors": errors}, coords, int(failed.sum()))

    def of_summaries(self, yields: Yields) -> xr.Dataset:
        """Return mean, standard error of the mean and number of cases of each scenario."""
        moments: dict[tuple[int, ...], dict[str, StudyMoments]] = {}
        failed = np.zeros(self.shape, dtype=np.int64)
        for block, result in yields:
            index = block.scenario.index
            failed[index] += len(result.errors)
            new = {name: StudyMoments.of(array) for name, array in result.outputs.items()}
            old = moments.get(index, {})
            moments[index] = {k: old[k].add(v) if k in old else v for k, v in new.items()} or old
        kept = _StudyArrays((*self.shape, 3))
        empty = np.ones((*self.shape, 3), dtype=bool)
        for index, own in moments.items():
            if own:
                kept.put((*index, slice(None)), {name: m.statistics() for name, m in own.items()})
                empty[index] = False
        coords = {"statistic": ["mean", "mcse", "n"]}
        return self._dataset(kept.without(empty), {"failed": failed}, coords, int(failed.sum()))

    def _dataset(
        self,
        outputs: Mapping[str, AnyArray],
        further: Mapping[str, AnyArray],
        last: Mapping[str, Any],
        failed: int,
    ) -> xr.Dataset:
        outer = (*self.axes, *last)
        data = {name: (self._dims(name, array, outer), array) for name, array in outputs.items()}
        data |= {name: (outer[: array.ndim], array) for name, array in further.items()}
        used = {dim for dims, _ in data.values() for dim in dims}
        own = {dim: list(values) for dim, values in self.coords.items() if dim in used}
        axes = {axis: (axis, _study_coordinate(labels)) for axis, labels in self.axes.items()}
        try:
            table = xr.Dataset(data, {**axes, **last, **own})
        except ValueError as error:
            raise BayescompareError(f"coords do not fit the outputs: {error}") from None
        return table.assign_attrs(failed=failed)

    def _dims(self, name: str, array: AnyArray, outer: tuple[str, ...]) -> tuple[str, ...]:
        extra = array.ndim - len(outer)
        named = tuple(self.dims.get(name, tuple(f"{name}_dim{k}" for k in range(extra))))
        if len(named) != extra:
            raise BayescompareError(
                f"dims={dict(self.dims)!r}: output {name!r} has {extra} dimensions of its own."
            )
        return (*outer, *named)


def without_failed_cases(table: xr.Dataset) -> xr.Dataset:
    """Return the table of a study in which no case may fail, or say which did."""
    failed = table["errors"].to_numpy().ravel()
    messages = failed[failed != ""]
    if len(messages):
        raise BayescompareError(
            f"{len(messages)} of {failed.size} cases failed; the first: {messages[0]}"
        )
    return table


def _study_coordinate(labels: Sequence[Any]) -> AnyArray:
    """Return the labels as an array that keeps them apart: [1, "a"] is not ["1", "a"]."""
    array = np.array(labels)
    if len({type(label) for label in labels}) > 1 and array.dtype.kind in "USO":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
    return array


class _StudyArrays:
    """Arrays that are made when the first block tells their names, shapes and types."""

    def __init__(self, outer: tuple[int, ...]) -> None:
        self.outer = outer
        self.arrays: dict[str, AnyArray] = {}

    def put(self, place: tuple[Any, ...], outputs: Mapping[str, AnyArray]) -> None:
        """Write values (n, ...) to a place of n cases."""
        if not outputs:
            return
        inner = {name: value.shape[1:] for name, value in outputs.items()}
        if not self.arrays:
            self.arrays = {
                k: np.zeros((*self.outer, *inner[k]), v.dtype) for k, v in outputs.items()
            }
        have = {name: array.shape[len(self.outer) :] for name, array in self.arrays.items()}
        if have != inner:
            refuse_unlike_study_outputs(have, inner)
        for name, value in outputs.items():
            kind = np.result_type(self.arrays[name].dtype, value.dtype)
            self.arrays[name] = self.arrays[name].astype(kind, copy=False)
            self.arrays[name][place] = value

    def without(self, failed: BoolArray) -> dict[str, AnyArray]:
        """Return the arrays, NaN where `failed`."""
        if not failed.any():
            return self.arrays
        for name, array in self.arrays.items():
            if array.dtype.kind != "f":
                self.arrays[name] = array.astype(np.float64)
            self.arrays[name][failed] = np.nan
        return self.arrays
