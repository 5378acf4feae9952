r"""The permutation test of generalised stochastic dominance, both directions at once.

The statistic is opt_xy (large values speak for x over y). Under the null hypothesis that labels do
not matter the two labels are swapped within datasets (``paired``, the scheme behind the published
Table 3), or s of the 2s vectors are given to x (``pooled``, the paper's Steps 1 to 5).

Swapping every label turns the objective w into −w, and a resample and its mirror image are equally
likely. The mirror image of resample n gives opt_yx the value that n gives opt_xy: one set of
resampled optima serves both directions, each with its own observed statistic.

The optimum is superadditive, :math:`\mathrm{opt}(v + w) \ge \mathrm{opt}(v) + \mathrm{opt}(w)`:
bounds for the sign patterns of small blocks of datasets add up to a bound for every resample. With
few datasets it settles most resamples that are not below.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022), Section 4.2.
Besag & Clifford (1991), Sequential Monte Carlo p-values.
Phipson & Smyth (2010), Permutation p-values should never be zero.
"""

from __future__ import annotations

import itertools
import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.gsd.optimum import Solver
from bayescompare.kernels.gsd.system import PreferenceSystem
from bayescompare.kernels.gsd.verdicts import Spread, Verdicts, one_after_the_other

Scheme = Literal["paired", "pooled"]

#: Resamples between two checks whether a sequential test may stop, and resamples held at once.
_BATCH, _PART = 64, 16_384
#: Datasets in a block, and resamples for each block's pattern from which blocks are worth it.
_BLOCK, _WORTH = 4, 12


class PermutationTest(NamedTuple):
    """The test of x over y (first entry) and of y over x (second entry).

    Attributes
    ----------
    statistic : array (2,)
        opt_xy and opt_yx of the observed data.
    below : array (2,)
        Resamples whose optimum is strictly below the observed one.
    resamples : array (2,)
        Resamples looked at.
    pvalue : array (2,)
        Valid p-values.
    exact : bool
        Whether every resample there is was looked at.
    """

    statistic: FloatArray
    below: IntArray
    resamples: IntArray
    pvalue: FloatArray
    exact: bool

    @property
    def share_below(self) -> FloatArray:
        """Share of the resamples that are strictly below: Table 3 of the paper."""
        return np.asarray(self.below / self.resamples)


def permutation_test(
    solver: Solver,
    delta: float,
    rng: np.random.Generator,
    *,
    permutations: int = 1000,
    scheme: Scheme = "paired",
    stop_after: int | None = None,
    spread: Spread = one_after_the_other,
) -> PermutationTest:
    r"""Test dominance of x over y, and of y over x.

    With b of N resamples at or above the observed statistic, :math:`p = (b + 1)/(N + 1)`, or
    :math:`b/N` when all resamples were enumerated (the data themselves being one of them).

    Parameters
    ----------
    solver : Solver
        The solver of the pair's system.
    delta : float
    rng : numpy.random.Generator
        Not used when all resamples are enumerated.
    permutations : int
        Number of resamples N; all there are if these are not more.
    scheme : {"paired", "pooled"}
    stop_after : int, optional
        Besag and Clifford's h: a direction stops at the resample n at which h were at or above the
        observed statistic, with :math:`p = h/n`, which is valid too. Directions that are far from
        significant stop after a few resamples. Not used when all resamples are enumerated.
    spread : callable, optional
        How chunks of resamples are judged, in order or at the same time; the answer is the same.

    Examples
    --------
    Better on all three datasets: one of eight swaps is as good.

    >>> from bayescompare.kernels.gsd.system import build_system
    >>> system = build_system([[0.9], [0.8], [0.7]], [[0.6], [0.5], [0.3]], [0], [1], [True])
    >>> test = permutation_test(Solver(system), 0.0, np.random.default_rng(0))
    >>> test.exact, test.pvalue.tolist(), test.below.tolist()
    (True, [0.125, 1.0], [7, 0])
    """
    w = solver.system.objective()
    observed = [solver.optimum(w, delta), solver.optimum(-w, delta)]
    statistic = np.array([optimum.value for optimum in observed])
    verdicts = Verdicts(solver, delta, np.stack([optimum.u for optimum in observed]))
    signs, exact = _signs(solver.system, scheme, permutations, rng)
    if exact or stop_after is None:
        below = _judged(verdicts, signs, statistic, spread)
        return _counted(statistic, below, exact)
    return _sequential(verdicts, signs, statistic, stop_after)


def permuted_objectives(
    system: PreferenceSystem,
    rng: np.random.Generator,
    *,
    permutations: int = 1000,
    scheme: Scheme = "paired",
) -> tuple[FloatArray, bool]:
    """Return the objective of every resample, and whether these are all possible resamples.

    For methods that need the resampled optima themselves, such as contamination curves; they
    serve both directions (see above).
    """
    signs, exact = _signs(system, scheme, permutations, rng)
    return _objectives(system, signs), exact


# ------------------------------------------------------------------------------------ the resamples


def _signs(
    system: PreferenceSystem, scheme: Scheme, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int8], bool]:
    """+1 where an observation goes to x, −1 where it goes to y: (resamples, 2s), x's first."""
    s = len(system.x)
    if scheme == "paired":
        # Swapping changes nothing on a dataset on which both have the same vector.
        differ = np.flatnonzero(system.x != system.y)
        exact = 2.0 ** len(differ) <= count
        swaps = np.ones((2 ** len(differ) if exact else count, s), dtype=np.int8)
        if exact:
            numbers = np.arange(len(swaps))[:, None]
            swaps[:, differ] = 1 - 2 * (numbers >> np.arange(len(differ)) & 1)
        else:
            swaps = (2 * rng.integers(2, size=(count, s), dtype=np.int8) - 1).astype(np.int8)
        return np.hstack([swaps, -swaps]), exact
    exact = math.comb(2 * s, s) <= count
    if exact:
        chosen = np.array(list(itertools.combinations(range(2 * s), s)))
        signs = np.full((len(chosen), 2 * s), -1, dtype=np.int8)
        np.put_along_axis(signs, chosen, 1, axis=1)
    else:
        half = np.repeat(np.array([1, -1], dtype=np.int8), s)
        signs = rng.permuted(np.tile(half, (count, 1)), axis=1)
    return signs, exact


def _objectives(system: PreferenceSystem, signs: NDArray[np.int8]) -> FloatArray:
    points, weights = np.concatenate([system.x, system.y]), np.tile(system.weights, 2)
    w = np.zeros((system.size, len(signs)))
    for column, point, weight in zip(signs.T, points, weights, strict=True):
        w[point] += weight * column
    return np.ascontiguousarray(w.T)


def _judged(
    verdicts: Verdicts,
    signs: NDArray[np.int8],
    statistic: FloatArray,
    spread: Spread = one_after_the_other,
) -> BoolArray:
    """Return the verdict on every resample, in parts to save memory, equal ones once."""
    system, parts = verdicts.solver.system, []
    for start in range(0, len(signs), _PART):
        part = signs[start : start + _PART]
        w = _objectives(system, part)
        # Equal up to rounding: counts over s where all datasets weigh alike.
        key = np.rint(w * (len(system.x) << 16)).astype(np.int32)
        _, first, back = np.unique(key, axis=0, return_index=True, return_inverse=True)
        floors = _floors(verdicts, part[first])
        below = verdicts.below(w[first], statistic, floors, spread=spread)
        parts.append(below[back.ravel()])
    return np.concatenate(parts)


def _floors(verdicts: Verdicts, signs: NDArray[np.int8]) -> FloatArray | None:
    """Bound the optima of paired resamples by blocks, if there are enough resamples for it."""
    system = verdicts.solver.system
    s = len(system.x)
    blocks = -(-s // _BLOCK)
    patterns = np.array(list(itertools.product((-1, 1), repeat=_BLOCK)), dtype=np.int8)
    paired = bool((signs[:, :s] == -signs[:, s:]).all())
    if not paired or len(signs) < _WORTH * blocks * len(patterns):
        return None
    # Blocks of datasets at similar heights give tighter bounds.
    height = system.ranks[system.x].sum(axis=1) + system.ranks[system.y].sum(axis=1)
    floors = np.zeros(len(signs))
    for block in np.array_split(np.argsort(height, kind="stable"), blocks):
        weights = np.zeros((1 << len(block), s))
        weights[:, block] = patterns[: len(weights), -len(block) :] * system.weights[block]
        bounds = [verdicts.bound(w) for w in system.objective(weights)]
        number = (signs[:, block] > 0) @ (1 << np.arange(len(block))[::-1])
        floors += np.array(bounds)[number]
    return floors


# ---------------------------------------------------------------------------------------- p-values


def _counted(statistic: FloatArray, below: BoolArray, exact: bool) -> PermutationTest:
    total = len(below)
    count = below.sum(axis=0)
    reached = total - count
    pvalue = reached / total if exact else (reached + 1) / (total + 1)
    resamples = np.full(2, total)
    return PermutationTest(statistic, count, resamples, pvalue, exact)


def _sequential(
    verdicts: Verdicts,
    signs: NDArray[np.int8],
    statistic: FloatArray,
    stop_after: int,
) -> PermutationTest:
    """Go through the resamples in order, in batches, until both directions have stopped."""
    parts: list[BoolArray] = []
    for start in range(0, len(signs), _BATCH):
        parts.append(_judged(verdicts, signs[start : start + _BATCH], statistic))
        if (~np.concatenate(parts)).sum(axis=0).min() >= stop_after:
            break
    below = np.concatenate(parts)
    reached = np.cumsum(~below, axis=0)
    results = [_stopped(reached[:, i], stop_after, len(signs)) for i in range(2)]
    resamples = np.array([n for n, _ in results])
    count = np.array([int(below[:n, i].sum()) for i, n in enumerate(resamples)])
    return PermutationTest(statistic, count, resamples, np.array([p for _, p in results]), False)


def _stopped(reached: IntArray, stop_after: int, most: int) -> tuple[int, float]:
    """Return the number of resamples used, and the p-value, from the running count `reached`."""
    if reached[-1] >= stop_after:
        n = int(np.searchsorted(reached, stop_after)) + 1
        return n, stop_after / n
    return most, (int(reached[-1]) + 1) / (most + 1)
