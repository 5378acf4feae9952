"""The table of a study: every case, or mean and standard error of each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.studies.blocks import Block, Result, refuse_unlike, shapes_of

__all__ = ["Layout", "without_failed_cases"]

Results = Iterable[tuple[Block, Result]]

#: Number, mean and sum of squared deviations of some cases; one that is NaN does not count.
_Moments = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class Layout:
    """Names of dims and coordinates, by which blocks, in their order, become a Dataset."""

    axes: Mapping[str, Sequence[Any]]
    replications: int
    dims: Mapping[str, Sequence[str]]
    coords: Mapping[str, Sequence[Any]]

    def of_cases(self, results: Results) -> xr.Dataset:
        """Return one entry per case; NaN where a case failed."""
        parts, messages = [], []
        for block, (outputs, errors) in results:
            parts.append((block.size, outputs))
            messages += [errors.get(k, "") for k in range(block.size)]
        table = self._dataset(parts, {"replication": range(self.replications)})
        said = np.array(messages, dtype=object).reshape(*self.shape, self.replications)
        table["errors"] = ((*self.axes, "replication"), said)
        return table.assign_attrs(failed=sum(message != "" for message in messages))

    def of_summaries(self, results: Results) -> xr.Dataset:
        """Return mean, standard error of the mean and number of cases of each scenario.

        Block by block, so that no case need be kept.
        """
        parts, failed = [], []
        for _, blocks in groupby(results, key=lambda result: id(result[0].scenario)):
            moments: dict[str, _Moments] = {}
            failed.append(0)
            for _, (outputs, errors) in blocks:
                failed[-1] += len(errors)
                for name, cases in outputs.items():
                    new = _moments(cases)
                    moments[name] = _together(moments[name], new) if name in moments else new
            parts.append((3, {name: _statistics(*own) for name, own in moments.items()}))
        table = self._dataset(parts, {"statistic": ["mean", "mcse", "n"]})
        table["failed"] = (tuple(self.axes), np.array(failed).reshape(self.shape))
        return table.assign_attrs(failed=sum(failed))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values on each axis."""
        return tuple(len(labels) for labels in self.axes.values())

    def _dataset(
        self, parts: Sequence[tuple[int, Mapping[str, AnyArray]]], last: Mapping[str, Sequence[Any]]
    ) -> xr.Dataset:
        outer = {axis: _coordinate(labels) for axis, labels in self.axes.items()} | dict(last)
        size = [len(labels) for labels in outer.values()]
        data = {}
        for name, array in _joined(parts).items():
            whole = array.reshape(*size, *array.shape[1:])
            data[name] = (self._dims(name, whole, tuple(outer)), whole)
        used = {dim for dims, _ in data.values() for dim in dims}
        own = {dim: list(values) for dim, values in self.coords.items() if dim in used}
        try:
            return xr.Dataset(data, {**outer, **own})
        except ValueError as error:
            raise BayescompareError(f"coords do not fit the outputs: {error}") from None

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


def _joined(parts: Sequence[tuple[int, Mapping[str, AnyArray]]]) -> dict[str, AnyArray]:
    """Join arrays (n, ...) of all parts; NaN where a part has none."""
    shapes = next((shapes_of(outputs, skip=1) for _, outputs in parts if outputs), {})
    for _, outputs in parts:
        if outputs:
            refuse_unlike(shapes, shapes_of(outputs, skip=1))
    return {
        name: np.concatenate(
            [own[name] if own else np.full((n, *shape), np.nan) for n, own in parts]
        )
        for name, shape in shapes.items()
    }


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
