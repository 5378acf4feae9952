"""The table of a study: every case, or mean and standard error of each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, BoolArray, FloatArray
from bayescompare.studies.blocks import Block, Result, refuse_unlike

__all__ = ["Layout", "without_failed_cases"]

Results = Iterable[tuple[Block, Result]]

#: Number, mean and sum of squared deviations of some cases; one that is NaN does not count.
_Moments = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class Layout:
    """Names of dims and coordinates, by which blocks become a Dataset."""

    axes: Mapping[str, Sequence[Any]]
    replications: int
    dims: Mapping[str, Sequence[str]]
    coords: Mapping[str, Sequence[Any]]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values on each axis."""
        return tuple(len(labels) for labels in self.axes.values())

    def of_cases(self, results: Results) -> xr.Dataset:
        """Return one entry per case; NaN where a case failed."""
        kept = _Arrays((*self.shape, self.replications))
        messages = np.full(kept.outer, "", dtype=object)
        for block, (outputs, errors) in results:
            there = np.setdiff1d(np.arange(block.size), list(errors))
            kept.put((*block.scenario.index, block.start + there), outputs)
            for k, message in errors.items():
                messages[*block.scenario.index, block.start + k] = message
        failed = messages != ""
        last = {"replication": np.arange(self.replications)}
        return self._dataset(kept.without(failed), {"errors": messages}, last, int(failed.sum()))

    def of_summaries(self, results: Results) -> xr.Dataset:
        """Return mean, standard error of the mean and number of cases of each scenario.

        Block by block, so that no case need be kept.
        """
        kept = _Arrays((*self.shape, 3))
        empty = np.ones(kept.outer, dtype=bool)
        failed = np.zeros(self.shape, dtype=np.int64)
        for index, blocks in groupby(results, key=lambda result: result[0].scenario.index):
            moments: dict[str, _Moments] = {}
            for _, (outputs, errors) in blocks:
                failed[index] += len(errors)
                for name, cases in outputs.items():
                    new = _moments(cases)
                    moments[name] = _together(moments[name], new) if name in moments else new
            if moments:
                statistics = {name: _statistics(*own) for name, own in moments.items()}
                kept.put((*index, slice(None)), statistics)
                empty[index] = False
        last = {"statistic": ["mean", "mcse", "n"]}
        return self._dataset(kept.without(empty), {"failed": failed}, last, int(failed.sum()))

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
        axes = {axis: (axis, _coordinate(labels)) for axis, labels in self.axes.items()}
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
    messages = [str(text) for text in table["errors"].to_numpy().ravel() if text]
    if messages:
        raise BayescompareError(
            f"{len(messages)} of {table['errors'].size} cases failed; the first: {messages[0]}"
        )
    return table.drop_vars("errors")


def _coordinate(labels: Sequence[Any]) -> AnyArray:
    """Return the labels as an array that keeps them apart: [1, "a"] is not ["1", "a"]."""
    array = np.array(labels)
    if len({type(label) for label in labels}) > 1 and array.dtype.kind in "USO":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
    return array


class _Arrays:
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
            made = {k: np.zeros((*self.outer, *inner[k]), v.dtype) for k, v in outputs.items()}
            self.arrays = made
        have = {name: array.shape[len(self.outer) :] for name, array in self.arrays.items()}
        if have != inner:
            refuse_unlike(have, inner)
        for name, value in outputs.items():
            kind = np.result_type(self.arrays[name].dtype, value.dtype)
            self.arrays[name] = self.arrays[name].astype(kind, copy=False)
            self.arrays[name][place] = value

    def without(self, failed: BoolArray) -> dict[str, AnyArray]:
        """Return the arrays, NaN where `failed`."""
        if failed.any():
            for name, array in self.arrays.items():
                kind = array.dtype if array.dtype.kind == "f" else np.float64
                self.arrays[name] = array.astype(kind)
                self.arrays[name][failed] = np.nan
        return self.arrays


# moments -----------------------------------------------------------------------------------------


def _moments(cases: AnyArray) -> _Moments:
    """Moments of an array (case, ...)."""
    values = np.asarray(cases, dtype=np.float64)
    seen = ~np.isnan(values)
    n = seen.sum(axis=0).astype(np.float64)
    mean = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(n, 1.0)
    return n, mean, (np.where(seen, values - mean, 0.0) ** 2).sum(axis=0)


def _together(one: _Moments, other: _Moments) -> _Moments:
    """Moments of both together (Chan, Golub & LeVeque 1979)."""
    n = one[0] + other[0]
    total, gap = np.maximum(n, 1.0), other[1] - one[1]
    squares = one[2] + other[2] + gap**2 * one[0] * other[0] / total
    return n, one[1] + gap * other[0] / total, squares


def _statistics(n: FloatArray, mean: FloatArray, squares: FloatArray) -> FloatArray:
    """Mean, standard error of the mean and number: array (3, ...)."""
    some = np.maximum(n, 1.0)
    mcse = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1.0, 1.0) / some), np.nan)
    return np.stack([np.where(n > 0, mean, np.nan), mcse, n])
