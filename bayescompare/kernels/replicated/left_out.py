r"""How well the other datasets predict each one: the evidence without it.

Where nearly every statement is possible, θ on exact nodes tells (`quadrature`). Elsewhere the count
recursion does: it adds one half of the datasets to the urn and turns to the other half, again and
again, so that n log n additions serve all n.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import logsumexp

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.replicated.quadrature import quadrature_of_urn
from bayescompare.kernels.replicated.recursion import (
    RecursionCounts,
    RecursionLevel,
    RecursionUrn,
    log_of_fixed_recursion,
    recursion_for_counts,
)
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["left_out_of_rows"]


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
    urn, log_fixed = RecursionUrn.of(rows, joint=True), log_of_fixed_recursion(rows, joint=True)
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
