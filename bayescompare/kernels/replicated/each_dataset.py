r"""What all datasets together say about each one, and how well the others predict it.

Given θ, the u uncertain datasets are a product of linear factors, so that what is asked of all but
one is an integral of a polynomial,

.. math:: \int \prod_{j \ne i} \Big(\sum_s \theta_s \ell_j(s)\Big)\,
          \theta_s\, \mathrm{Dir}(\theta; \alpha)\, \mathrm{d}\theta .

Broken into shares of what is left, θ is a product of Betas, and ⌊u/2⌋ + 1 Gauss–Jacobi nodes for
each share are *exact*. All u integrals use the same nodes: one factor is divided out.

Where few statements are possible the recursion is shorter. `smoothed` goes back over it: with
:math:`B_i(c)` the probability of the datasets after the i-th given the counts c of the first i,

.. math:: B_{i-1}(c) = \sum_s \ell_i(s)\,\frac{\alpha_s + c_s}{A + i - 1}\, B_i(c + e_s), \qquad
          \Pr(z_i = s \mid \text{all}) \propto \ell_i(s) \sum_c V_{i-1}(c)\,
          \frac{\alpha_s + c_s}{A + i - 1}\, B_i(c + e_s) .

`left_out_of_rows` adds one half of the datasets to the urn and turns to the other half, again and
again, so that n log n additions serve all n.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.recursion import (
    EvidenceRows,
    RecursionCounts,
    RecursionLevel,
    RecursionUrn,
    log_of_certain,
    recursion_for_counts,
)

#: Nodes of θ up to which they are used.
_MOST_NODES = 2_000_000
#: Nodes that are looked at together, and factors multiplied before a logarithm is taken: each is
#: some 1e-12 of the largest at least, and sixteen of them cannot underflow.
_BLOCK, _FACTORS = 4096, 16
#: Nodes that weigh less than this change no figure.
_LEAST = 1e-20


class QuadratureOfUrn(NamedTuple):
    """What θ of all uncertain datasets says of each.

    Attributes
    ----------
    log_evidence : array (R,)
        Of the uncertain datasets in each version.
    share : array (R, u, t)
        E[θ_s / Σ θ ℓ_i | all datasets], of the statements that some of them shows. Times ℓ_i it is
        P(z_i = s | all); its sum over s is p(all others) / p(all).
    """

    log_evidence: FloatArray
    share: FloatArray


def quadrature_of_urn(urn: RecursionUrn) -> QuadratureOfUrn | None:
    """Look at all datasets on shared nodes; None where these are too many, or codes are fewer.

    Examples
    --------
    Two datasets that lean to the first of two statements, under a uniform θ: E[(½θ + ¼)²].

    >>> from bayescompare.kernels.replicated.recursion import EvidenceRows
    >>> rows = EvidenceRows.from_logs(np.log([[0.75, 0.25], [0.75, 0.25]]), np.ones(2))
    >>> found = quadrature_of_urn(RecursionUrn.of(rows, joint=True))
    >>> round(float(np.exp(found.log_evidence[0])), 6)
    0.270833
    """
    datasets, versions, t = urn.value.shape
    if not urn.is_dense or (datasets // 2 + 1) ** (t - 1) > _MOST_NODES:
        return None
    theta, log_weight = _dirichlet_nodes(urn.prior, datasets // 2 + 1)
    log_evidence, share = np.empty(versions), np.empty((versions, datasets, t))
    for r in range(versions):
        size = urn.value[:, r].max(axis=1)
        factors = (urn.value[:, r] / size[:, None]).T
        blocks = [slice(k, k + _BLOCK) for k in range(0, len(theta), _BLOCK)]
        log_density = np.concatenate([_log_product(theta[k] @ factors) for k in blocks])
        log_density += log_weight
        total = logsumexp(log_density)
        log_evidence[r] = total + np.log(size).sum()
        weight = np.exp(log_density - total)
        heavy = np.flatnonzero(weight > _LEAST)
        some = [heavy[k : k + _BLOCK] for k in range(0, len(heavy), _BLOCK)]
        each = [(1.0 / (theta[k] @ factors)).T @ (weight[k, None] * theta[k]) for k in some]
        share[r] = np.sum(each, axis=0) / size[:, None]
    # Statements that no uncertain dataset shows have their share of θ.
    tracked, every = log_rising_gamma(np.log([urn.prior.sum(), urn.before]), datasets)
    log_evidence += tracked - every
    share *= (urn.before + datasets - 1.0) / (urn.prior.sum() + datasets - 1.0)
    return QuadratureOfUrn(log_evidence, share)


def _dirichlet_nodes(alpha: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Nodes of Dirichlet(α), (N, t), and the logarithms of their weights."""
    rest = alpha[::-1].cumsum()[::-1]
    theta, log_weight = np.ones((1, 1)), np.zeros(1)
    for s in range(len(alpha) - 1):
        share, log_share = beta_nodes(alpha[s], rest[s + 1], number)
        broken = theta[:, None, -1:] * np.stack([share, 1.0 - share], axis=1)
        kept = np.repeat(theta[:, None, :-1], number, axis=1)
        theta = np.concatenate([kept, broken], axis=2).reshape(-1, s + 2)
        log_weight = (log_weight[:, None] + log_share).ravel()
    return theta, log_weight


def _log_product(factors: FloatArray) -> FloatArray:
    """Log of the product of every row."""
    starts = np.arange(0, factors.shape[1], _FACTORS)
    return np.asarray(np.log(np.multiply.reduceat(factors, starts, axis=1)).sum(axis=1))


def beta_nodes(a: float, b: float, number: int) -> tuple[FloatArray, FloatArray]:
    """Return the nodes of Gauss–Jacobi for Beta(a, b), and the logarithms of their weights.

    Weights are one over the sum of squares of the orthonormal polynomials, which keeps the digits
    of small ones.

    Examples
    --------
    >>> node, log_weight = beta_nodes(0.5, 1.5, 8)
    >>> round(float(np.exp(log_weight) @ node**2), 12)  # E x² = a (a + 1) / (a + b) (a + b + 1)
    0.125
    """
    k = np.arange(1.0, number)
    mass = a + b
    centre = np.empty(number)
    centre[0] = a / mass
    even = 2.0 * k + mass
    centre[1:] = 0.5 + 0.5 * (a - b) * (mass - 2.0) / ((even - 2.0) * even)
    first = a * b / (mass**2 * (mass + 1.0))
    j = k[1:]
    double = 2.0 * j + mass - 2.0
    later = j * (j + a - 1.0) * (j + b - 1.0) * (j + mass - 2.0)
    later = later / (double**2 * (double + 1.0) * (double - 1.0))
    step = np.sqrt(np.concatenate([[first], later])[: number - 1])
    node = eigvalsh_tridiagonal(centre, step)
    before, now, squares = np.zeros(number), np.ones(number), np.ones(number)
    log_size = np.zeros(number)
    for n in range(number - 1):
        after = (node - centre[n]) * now - (step[n - 1] * before if n else 0.0)
        before, now = now, after / step[n]
        squares += now * now
        large = squares > 1e200
        shrink = np.where(large, 1e-100, 1.0)
        before, now, squares = before * shrink, now * shrink, squares * shrink**2
        log_size += np.where(large, 200.0 * math.log(10.0), 0.0)
    log_weight = -np.log(squares) - log_size
    return node, log_weight - logsumexp(log_weight)


def left_out_of_rows(rows: EvidenceRows) -> FloatArray:
    """Log p(x_i | all other datasets), (n,), from evidences averaged over the versions.

    Only where `recursion.recursion_for_counts` has an answer.

    Examples
    --------
    Of two datasets with one statement each, uniform θ: the second agrees with probability ⅔.

    >>> rows = EvidenceRows.from_logs(np.log([[1.0, 1e-99], [1.0, 1e-99]]), np.ones(2))
    >>> np.exp(left_out_of_rows(rows)).round(6).tolist()
    [0.666667, 0.666667]
    """
    urn, log_fixed = RecursionUrn.of(rows, joint=True), log_of_certain(rows, joint=True)
    assert urn is not None, "asked only where the recursion is exact"
    found = quadrature_of_urn(urn)
    if found is not None and rows.uncertain.all():
        whole = log_fixed + found.log_evidence
        without = np.empty((len(whole), len(rows.uncertain)))
    else:
        counts = recursion_for_counts(rows)
        assert counts is not None, "asked only where the recursion is exact"
        whole, without = counts.log_evidence, _left_out_certain(rows, counts)
    uncertain = np.flatnonzero(rows.uncertain)
    if found is not None:
        without[:, uncertain] = whole[:, None] + np.log(found.share.sum(axis=2))
    elif len(uncertain):
        without[:, uncertain] = _left_out_by_halves(urn, log_fixed)
    without[:, uncertain] -= rows.log_scale[:, uncertain]
    return np.asarray(logsumexp(whole) - logsumexp(without, axis=0))


def _left_out_by_halves(urn: RecursionUrn, log_fixed: FloatArray) -> FloatArray:
    """Log evidence without each uncertain dataset in each version, (R, u)."""
    out = np.empty((urn.value.shape[1], len(urn.value)))

    def visit(
        level: RecursionLevel, log_evidence: FloatArray, datasets: IntArray, drawn: int
    ) -> None:
        if len(datasets) == 1:
            out[:, datasets[0]] = log_evidence
            return
        half = len(datasets) // 2
        for here, there in itertools.permutations((datasets[:half], datasets[half:])):
            grown, log_grown = level, log_evidence
            for k, i in enumerate(there.tolist()):
                grown, log_scale = urn.add(grown, i, drawn + k)
                log_grown = log_grown + log_scale
            visit(grown, log_grown, here, drawn + len(there))

    visit(urn.start, log_fixed, np.arange(len(urn.value)), 0)
    return out


def _left_out_certain(rows: EvidenceRows, counts: RecursionCounts) -> FloatArray:
    """Log evidence without each certain dataset, (R, n): one ball of its colour fewer."""
    versions, n, _ = rows.value.shape
    without = np.zeros((versions, n))
    total = float(rows.alpha.sum()) + n - 1.0
    place = {int(s): k for k, s in enumerate(rows.tracked)}
    for i in np.flatnonzero(~rows.uncertain):
        s = int(np.flatnonzero(rows.support[i])[0])
        balls = float(rows.alpha[s] + rows.fixed[s] - 1.0)
        drawn = counts.digits(place[s]) if s in place else np.zeros(len(counts.codes))
        change = np.log(total * (counts.weight / (balls + drawn)[:, None]).sum(axis=0))
        without[:, i] = counts.log_evidence + change - rows.log_scale[:, i]
    return without


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
        each = _smoothed_uncertain(urn, versions)
    out = np.repeat(rows.support[:, :, None].astype(np.float64), len(versions), axis=2)
    uncertain = np.flatnonzero(rows.uncertain)
    out[uncertain] = 0.0
    out[np.ix_(uncertain, rows.tracked)] = each
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _smoothed_uncertain(urn: RecursionUrn, versions: IntArray) -> FloatArray:
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
    some = [_smoothed_versions(urn.versions(versions[k : k + _AT_ONCE])) for k in starts]
    return np.concatenate(some, axis=2)


def _smoothed_versions(urn: RecursionUrn) -> FloatArray:
    """P(z_i = s | all) for the uncertain datasets and tracked statements, (n, t, R)."""
    n, versions = urn.value.shape[:2]
    stretch = max(n, 1) if n <= _KEPT else math.isqrt(n) + 1
    starts = [urn.start] if n <= _KEPT else _starts_of_stretches(urn, stretch)
    out = np.zeros((n, len(urn.prior), versions))
    back: FloatArray | None = None
    for first in reversed(range(0, n, stretch)):
        datasets = range(first, min(first + stretch, n))
        levels = _levels_before(urn, starts[first // stretch], datasets)
        for i in reversed(datasets):
            options, level = urn.lattice.options[i], levels[i - first]
            growth = urn.lattice.after(i, level.codes)
            back = np.ones((len(growth.codes), versions)) if back is None else back
            # B is scaled to sum to one, lest it underflows over many datasets.
            back, out[i, options] = _retreat(
                level.codes, level.weight, back, growth.target, urn.lattice.shifts[options],
                urn.lattice.masks[options], urn.factors(i, i) / np.einsum("mr->r", back),
            )  # fmt: skip
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _levels_before(
    urn: RecursionUrn, level: RecursionLevel, datasets: range
) -> list[RecursionLevel]:
    """Return the level before each of the datasets."""
    levels = [level]
    for i in datasets[:-1]:
        level, _ = urn.follow(level, i)
        levels.append(level)
    return levels


def _starts_of_stretches(urn: RecursionUrn, stretch: int) -> list[RecursionLevel]:
    """Return the level before each stretch of datasets, forgetting those between."""
    level, starts = urn.start, []
    for i in range(len(urn.value)):
        if i % stretch == 0:
            starts.append(level)
        level, _ = urn.follow(level, i)
    return starts


@jit()
def _retreat(
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
