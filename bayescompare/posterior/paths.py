r"""The count vectors that stand behind rows of evidence, and the weight of each.

.. math:: W(c) = \sum_{z\ \text{with counts}\ c}\ \prod_i \ell_i(z_i)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.numerics.gammas import log_rising_gamma, parted, sum_log_rising_gamma


class Paths(NamedTuple):
    """What stands behind rows.

    Attributes
    ----------
    vectors : array (M, S)
        Count vectors, in lexicographic order.
    log_w : array (R, M)
        log W of each.
    each : array (u, S, R), optional
        P(z_i = s | all rows) under the urn that was carried.
    """

    vectors: FloatArray
    log_w: FloatArray
    each: FloatArray | None = None


def paths_behind(
    evidence: Evidence, shape: FloatArray, *, joint: bool = True, each: bool = False
) -> Paths:
    """Return the count vectors (M, S) behind the rows, and log W of each, (R, M).

    Pólya's urn is carried through the recursion and divided out again, because W alone leaves
    the float range long before the product does. Any `shape` (S,) of the urn gives the same W;
    it should be no stronger than the weakest prior. `each` asks for P of every dataset under
    this urn, which is given where it comes cheap. Where datasets do not inform each other W is
    all that is wanted, and no urn is carried.
    """
    versions, datasets, cells = evidence.rows.shape
    if not datasets:
        return Paths(np.zeros((1, cells)), np.zeros((1, 1)))
    if evidence.powers is not None:
        # Certain ones: θ_z ℓ to a power counts so many times. No sum has powers.
        if not evidence.is_certain(shape):
            raise TooManyVectors
        shown = np.eye(cells)[evidence.rows.sum(axis=0).argmax(axis=1)]
        log_w = (evidence.rows.max(axis=2) @ evidence.powers)[:, None]
        return Paths((evidence.powers @ shown)[None], log_w)
    if cells == 2 and versions == 1:
        found = _paths_of_two(evidence.rows[0], *shape.tolist(), joint=joint)
    else:
        found = _paths_of_many(evidence.rows, shape, joint=joint, each=each)
    if not joint:
        return found
    urn = sum_log_rising_gamma(np.log(shape), found.vectors)
    urn -= log_rising_gamma(np.log(shape.sum()), float(datasets))
    return found._replace(log_w=found.log_w - urn)


def _paths_of_two(rows: FloatArray, b: float, other: float, *, joint: bool) -> Paths:
    """Two statements: the urn of a Poisson binomial, which is fast for very many datasets."""
    # Compiled kernels load when there are rows: numba takes longer than a small table.
    from bayescompare.kernels.context.poisson_binomial import (
        poisson_binomial_counts,
        poisson_binomial_masses,
    )

    shares, log_totals = parted(rows)
    first = shares[:, 0]
    found = poisson_binomial_masses(first), 0.0
    if joint:
        found = poisson_binomial_counts(first, b, other)
    wins = np.arange(len(rows) + 1.0)
    with np.errstate(divide="ignore"):
        log_w = np.log(found[0]) + found[1] + log_totals.sum()
    return Paths(np.stack([wins, len(rows) - wins], axis=1), log_w[None])


def _paths_of_many(rows: FloatArray, shape: FloatArray, *, joint: bool, each: bool) -> Paths:
    from bayescompare.kernels.replicated.each_dataset import smoothed
    from bayescompare.kernels.replicated.recursion import EvidenceRows, recursion_for_counts

    kept = EvidenceRows.from_logs(rows, shape)
    found = recursion_for_counts(kept, joint=joint, each=each)
    if found is None:
        raise TooManyVectors
    given_all = None if found.each is None else smoothed(kept, found.each)
    with np.errstate(divide="ignore"):
        log_w = (np.log(found.weight) + found.log_evidence).T
    return Paths(found.vectors, log_w, given_all)
