r"""What all datasets together say about each one, and how well the others predict it.

Given θ, the u uncertain datasets are a product of linear factors, so that what is asked of all but
one is an integral of a polynomial,

.. math:: \int \prod_{j \ne i} \Big(\sum_s \theta_s \ell_j(s)\Big)\,
          \theta_s\, \mathrm{Dir}(\theta; \alpha)\, \mathrm{d}\theta .

Broken into shares of what is left, θ is a product of Betas, and ⌊u/2⌋ + 1 Gauss–Jacobi nodes for
each share are *exact*. All u integrals use the same nodes: one factor is divided out.

Where few statements are possible the recursion is shorter. `_by_halves` adds one half of the
datasets to the urn and turns to the other half, again and again, so that n log n additions leave
each one out in turn. `_going_back` finds less, and sooner: with :math:`B_i(c)` the probability of
the datasets after the i-th given the counts c of the first i,

.. math:: B_{i-1}(c) = \sum_s \ell_i(s)\,\frac{\alpha_s + c_s}{A + i - 1}\, B_i(c + e_s), \qquad
          \Pr(z_i = s \mid \text{all}) \propto \ell_i(s) \sum_c V_{i-1}(c)\,
          \frac{\alpha_s + c_s}{A + i - 1}\, B_i(c + e_s) .
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigvalsh_tridiagonal
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.kernels.numerics.jit import jit
from bayescompare.kernels.replicated.recursion import (
    EvidenceRows,
    Level,
    Urn,
    recursion_for_counts,
)

#: Nodes of θ up to which they are used.
_MOST_NODES = 2_000_000
#: Nodes that are looked at together, and factors multiplied before a logarithm is taken: each is
#: some 1e-12 of the largest at least, and sixteen of them cannot underflow.
_BLOCK, _FACTORS = 4096, 16
#: Datasets up to which all levels of counts are kept to go back over them, and versions at once.
_KEPT, _AT_ONCE = 64, 4
#: Nodes that weigh less than this change no figure.
_LEAST = 1e-20


class Shares(NamedTuple):
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

    @classmethod
    def of(cls, rows: EvidenceRows) -> Shares:
        """Look at all uncertain datasets; only where the recursion has an answer.

        Examples
        --------
        Two datasets that lean to the first of two statements, under a uniform θ: E[(½θ + ¼)²].

        >>> rows = EvidenceRows.from_logs(np.log([[0.75, 0.25], [0.75, 0.25]]), np.ones(2))
        >>> round(float(np.exp(Shares.of(rows).log_evidence[0])), 6)
        0.270833
        """
        urn = Urn.of(rows)
        assert urn is not None, "asked only where the recursion is exact"
        return _on_nodes(urn) if _has_nodes(urn) else _by_halves(urn)


def _has_nodes(urn: Urn) -> bool:
    """Whether there are few enough nodes, and codes are not fewer."""
    datasets, _, t = urn.value.shape
    return urn.is_dense and (datasets // 2 + 1) ** (t - 1) <= _MOST_NODES


def _on_nodes(urn: Urn) -> Shares:
    """Look at all datasets on shared nodes of θ."""
    datasets, versions, t = urn.value.shape
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
    return Shares(log_evidence, share)


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


@functools.lru_cache(maxsize=256)
def beta_nodes(a: float, b: float, number: int) -> tuple[FloatArray, FloatArray]:
    """Return the nodes of Gauss–Jacobi for Beta(a, b), and the logarithms of their weights.

    Weights are one over the sum of squares of the orthonormal polynomials, which keeps the digits
    of small ones. They are kept, for all pairs of a table have the same.

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


def _by_halves(urn: Urn) -> Shares:
    """Leave each dataset out in turn: by the counts of the others, what they say of it."""
    datasets, versions, t = urn.value.shape
    without, predicted = np.empty((versions, datasets)), np.empty((versions, datasets, t))
    mass = urn.prior.sum() + datasets - 1.0

    def visit(level: Level, log_evidence: FloatArray, left: IntArray, drawn: int) -> None:
        if len(left) == 1:
            without[:, left[0]] = log_evidence
            mean = (level.weight / level.total).T @ urn.digits(level.codes)
            predicted[:, left[0]] = (urn.prior + mean) / mass
            return
        half = len(left) // 2
        for here, there in itertools.permutations((left[:half], left[half:])):
            grown, log_grown = level, log_evidence
            for k, i in enumerate(there.tolist()):
                grown, log_scale = urn.add(grown, i, drawn + k)
                log_grown = log_grown + log_scale
            visit(grown, log_grown, here, drawn + len(there))

    visit(urn.start, np.zeros(versions), np.arange(datasets), 0)
    # The last one comes back, and its own row with it.
    one = (urn.value[-1] * predicted[:, -1]).sum(axis=1) * mass / (urn.before + datasets - 1.0)
    log_evidence = without[:, -1] + np.log(one)
    return Shares(log_evidence, np.exp(without - log_evidence[:, None])[..., None] * predicted)


def _going_back(urn: Urn) -> FloatArray:
    """P(z_i = s | all), (n, t, R), not normalised, by the counts before and after each."""
    datasets, versions, t = urn.value.shape
    levels, targets = [urn.start], []
    for i in range(datasets):
        merged = urn.merged(levels[-1], i)
        targets.append(merged[1])
        levels.append(urn.add(levels[-1], i, i, merged)[0])
    out, back = np.zeros((datasets, t, versions)), np.ones_like(levels[-1].weight)
    for i in reversed(range(datasets)):
        options, level = urn.options[i], levels[i]
        # B is scaled to sum to one, lest it underflows over many datasets.
        back, out[i, options] = _retreat(
            level.codes, level.weight, back, targets[i], urn.shifts[options],
            urn.masks[options], urn.factors(i, i) / back.sum(axis=0),
        )  # fmt: skip
    return out


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
    before, each = np.zeros((len(codes), versions)), np.zeros((len(shifts), versions))
    for p in range(len(codes)):
        for j in range(len(shifts)):
            m, count = target[p, j], codes[p] >> shifts[j] & masks[j]
            for r in range(versions):
                term = factors[j, count, r] * back[m, r]
                before[p, r] += term
                each[j, r] += weight[p, r] * term
    return before, each


def smoothed(rows: EvidenceRows, each: FloatArray | None = None) -> FloatArray:
    """P(z_i = s | all datasets) in every version, (n, K, R).

    Only where `recursion.recursion_for_counts` has an answer, which may have found `each` already.

    Examples
    --------
    A dataset that knows nothing is told by the other, which is certain:

    >>> rows = EvidenceRows.from_logs(np.log([[1.0, 1e-99], [0.5, 0.5]]), np.full(2, 0.5))
    >>> smoothed(rows)[:, :, 0].round(6).tolist()
    [[1.0, 0.0], [0.75, 0.25]]
    """
    out = np.repeat(rows.support[:, :, None].astype(np.float64), len(rows.value), axis=2)
    uncertain = np.flatnonzero(rows.uncertain)
    if len(uncertain):
        if each is None:
            urn = Urn.of(rows)
            assert urn is not None, "asked only where the recursion is exact"
            if urn.has_room:
                each = urn.simplex(each=True).each
            elif len(uncertain) <= _KEPT and not _has_nodes(urn):
                some = np.split(
                    np.arange(len(rows.value)), range(_AT_ONCE, len(rows.value), _AT_ONCE)
                )
                urns = (replace(urn, value=np.ascontiguousarray(urn.value[:, r])) for r in some)
                each = np.concatenate([_going_back(own) for own in urns], axis=2)
        if each is None:
            each = Shares.of(rows).share.transpose(1, 2, 0)
            each = each * rows.value[:, uncertain][:, :, rows.tracked].transpose(1, 2, 0)
        out[uncertain] = 0.0
        out[np.ix_(uncertain, rows.tracked)] = each
    return np.asarray(out / out.sum(axis=1, keepdims=True))


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
    uncertain, log_fixed = rows.uncertain, rows.log_of_certain(joint=True)
    whole, without = log_fixed, np.empty(rows.log_scale.shape)
    if uncertain.any():
        found = Shares.of(rows)
        whole = log_fixed + found.log_evidence
        without[:, uncertain] = whole[:, None] + np.log(found.share.sum(axis=2))
    if not uncertain.all():
        counts = recursion_for_counts(rows)
        assert counts is not None, "asked only where the recursion is exact"
        # Without a certain dataset there is one ball of its colour fewer.
        shown = rows.support[~uncertain].argmax(axis=1)
        total, balls = rows.alpha.sum() + len(uncertain) - 1.0, rows.alpha + counts.vectors - 1.0
        fewer = {s: np.log(total * (counts.weight.T @ (1.0 / balls[:, s]))) for s in set(shown)}
        without[:, ~uncertain] = whole[:, None] + np.stack([fewer[s] for s in shown], axis=1)
    without = without - rows.log_scale
    return np.asarray(logsumexp(whole) - logsumexp(without, axis=0))
