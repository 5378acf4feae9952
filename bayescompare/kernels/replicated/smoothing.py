r"""What all datasets together say about each one.

`smoothed` goes back over the recursion: with :math:`B_i(c)` the probability of the datasets after
the i-th given the counts c of the first i,

.. math:: B_{i-1}(c) = \sum_s \ell_i(s)\,\frac{\alpha_s + c_s}{A + i - 1}\, B_i(c + e_s), \qquad
          \Pr(z_i = s \mid \text{all}) \propto \ell_i(s) \sum_c V_{i-1}(c)\,
          \frac{\alpha_s + c_s}{A + i - 1}\, B_i(c + e_s) .
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.quadrature import quadrature_of_urn
from bayescompare.kernels.replicated.recursion import (
    RecursionLevel,
    RecursionUrn,
)
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["smoothed"]


#: Versions that are smoothed together, which bounds the memory.
_AT_ONCE = 4
#: Datasets up to which every level is kept; beyond, those of a stretch are computed again.
_KEPT = 64


def smoothed(
    rows: EvidenceRows, versions: IntArray | None = None, each: FloatArray | None = None
) -> FloatArray:
    """P(z_i = s | all datasets) in some of the versions, or in all, (n, K, R).

    Only where `recursion.recursion_for_counts` has an answer, which may have found `each` already.

    Examples
    --------
    A dataset that knows nothing is told by the other, which is certain:

    >>> rows = EvidenceRows.from_logs(np.log([[1.0, 1e-99], [0.5, 0.5]]), np.full(2, 0.5))
    >>> smoothed(rows)[:, :, 0].round(6).tolist()
    [[1.0, 0.0], [0.75, 0.25]]
    """
    versions = np.arange(len(rows.value)) if versions is None else versions
    if each is None:
        urn = RecursionUrn.of(rows, joint=True)
        assert urn is not None, "asked only where the recursion is exact"
        each = _smoothing_of_uncertain(urn, versions)
    out = np.repeat(rows.support[:, :, None].astype(np.float64), len(versions), axis=2)
    uncertain = np.flatnonzero(rows.uncertain)
    out[uncertain] = 0.0
    out[np.ix_(uncertain, rows.tracked)] = each
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _smoothing_of_uncertain(urn: RecursionUrn, versions: IntArray) -> FloatArray:
    """P(z_i = s | all) for the uncertain datasets and tracked statements, (n, t, R)."""
    if urn.has_room:
        each = urn.versions(versions).simplex(each=True).each
        assert each is not None, "asked for"
        return np.asarray(each)
    found = quadrature_of_urn(urn.versions(versions)) if urn.joint else None
    if found is not None:
        shown = found.share.transpose(1, 2, 0) * urn.value[:, versions].transpose(0, 2, 1)
        return np.asarray(shown / shown.sum(axis=1, keepdims=True))
    starts = range(0, len(versions), _AT_ONCE)
    some = [_smoothing_of_versions(urn.versions(versions[k : k + _AT_ONCE])) for k in starts]
    return np.concatenate(some, axis=2)


def _smoothing_of_versions(urn: RecursionUrn) -> FloatArray:
    """P(z_i = s | all) for the uncertain datasets and tracked statements, (n, t, R)."""
    n, versions = urn.value.shape[:2]
    stretch = max(n, 1) if n <= _KEPT else math.isqrt(n) + 1
    starts = [urn.start] if n <= _KEPT else _smoothing_starts(urn, stretch)
    out = np.zeros((n, len(urn.prior), versions))
    back: FloatArray | None = None
    for first in reversed(range(0, n, stretch)):
        datasets = range(first, min(first + stretch, n))
        levels = _smoothing_levels(urn, starts[first // stretch], datasets)
        for i in reversed(datasets):
            options, level = urn.lattice.options[i], levels[i - first]
            growth = urn.lattice.after(i, level.codes)
            back = np.ones((len(growth.codes), versions)) if back is None else back
            # B is scaled to sum to one, lest it underflows over many datasets.
            back, out[i, options] = _smoothing_retreat(
                level.codes, level.weight, back, growth.target, urn.lattice.shifts[options],
                urn.lattice.masks[options], urn.factors(i, i) / np.einsum("mr->r", back),
            )  # fmt: skip
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _smoothing_levels(
    urn: RecursionUrn, level: RecursionLevel, datasets: range
) -> list[RecursionLevel]:
    """Return the level before each of the datasets."""
    levels = [level]
    for i in datasets[:-1]:
        level, _ = urn.follow(level, i)
        levels.append(level)
    return levels


def _smoothing_starts(urn: RecursionUrn, stretch: int) -> list[RecursionLevel]:
    """Return the level before each stretch of datasets, forgetting those between."""
    level, starts = urn.start, []
    for i in range(len(urn.value)):
        if i % stretch == 0:
            starts.append(level)
        level, _ = urn.follow(level, i)
    return starts


@jit()
def _smoothing_retreat(
    codes: IntArray,
    weight: FloatArray,
    back: FloatArray,
    target: IntArray,
    shifts: IntArray,
    masks: IntArray,
    factors: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """B_{i−1} at `codes` from B_i, and the unnormalised P(z_i = s | all)."""
    versions = weight.shape[1]
    before = np.zeros((len(codes), versions))
    each = np.zeros((len(shifts), versions))
    if versions == 1:
        for j in range(len(shifts)):
            total = 0.0
            for p in range(len(codes)):
                count = codes[p] >> shifts[j] & masks[j]
                term = factors[j, count, 0] * back[target[p, j], 0]
                before[p, 0] += term
                total += weight[p, 0] * term
            each[j, 0] = total
        return before, each
    for p in range(len(codes)):
        for j in range(len(shifts)):
            m, count = target[p, j], codes[p] >> shifts[j] & masks[j]
            for r in range(versions):
                term = factors[j, count, r] * back[m, r]
                before[p, r] += term
                each[j, r] += weight[p, r] * term
    return before, each
