r"""Datasets whose statement is uncertain: what stands behind their rows, and each by itself.

Behind rows of evidence stand count vectors, each of the weight

.. math:: W(c) = \sum_{z\ \text{with counts}\ c}\ \prod_i \ell_i(z_i) .

Under a component of the prior the statements of a class C have equal shares, so that rows may be
summed,

.. math:: L_i(C) = \sum_{s \in C} \ell_i(s) / |C|, \qquad
          \Pr(z_i = s \mid \text{all}) = \Pr(z_i \in C \mid \text{all})\,
          \ell_i(s) / \sum_{s' \in C} \ell_i(s') ,

and the classes have a Dirichlet prior, which datasets that were counted have updated already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.numerics.gammas import (
    log_rising_gamma,
    log_sum,
    parted,
    sum_log_rising_gamma,
)
from bayescompare.posterior.component import Component
from bayescompare.posterior.partition import Partition

if TYPE_CHECKING:
    from bayescompare.posterior.dirichlet import DirichletMixture


#: Versions of less weight cannot change a figure.
_LEAST_WEIGHT = 1e-14
#: Datasets up to which the recursion over counts is short.
_MANY = 300


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


# each dataset -------------------------------------------------------------------------------------


def given_all(posterior: DirichletMixture) -> FloatArray:
    """P of every statement on each dataset that was not counted, given all of them, (u, S)."""
    evidence = posterior.evidence
    if posterior.given_all is not None:
        return posterior.given_all @ posterior.version
    if not posterior.joint or evidence.powers is not None:
        return evidence.each_alone(posterior.version)
    out = np.zeros(evidence.rows.shape[1:])
    for a, component in enumerate(posterior.components):
        weight = float(posterior.weight[a].sum())
        if weight > _LEAST_WEIGHT:
            version = posterior.version
            if len(posterior.components) > 1 and len(version) > 1:
                log_v = log_sum(posterior.log_paths + posterior.log_urn[a], axis=1)
                version = np.exp(log_v - log_sum(log_v))
            each = _statement_given_all(component, evidence.counts, evidence.rows, version)
            out += weight * each
    return out / out.sum(axis=1, keepdims=True)


def left_out(posterior: DirichletMixture) -> tuple[FloatArray, FloatArray]:
    """Log predictive density of each dataset given the others, and given all, (n,) each."""
    evidence, table = posterior.evidence, posterior.evidence.statements.table
    whole = float(log_sum(posterior.log_evidences + posterior.prior.log_weight))
    number, both = len(evidence.statements.datasets), []
    if len(table.dataset):
        log_weight = (posterior.log_joint + posterior.prior.log_weight[:, None])[:, :, None]
        entries = table.dataset, table.statement, table.weight
        for sign in (-1.0, 1.0):
            change = [
                log_urn_change(a, posterior.counts, *entries, sign, number)
                for a in posterior.components
            ]
            other = log_sum(log_weight + np.stack(change), axis=(0, 1))
            both.append(sign * (other - whole))
    without, within = both or np.zeros((2, number))
    if len(evidence.uncounted):
        own = (posterior.log_evidences + posterior.prior.log_weight)[:, None]
        each = [_left_out_of_rows(a, evidence.counts, evidence.rows) for a in posterior.components]
        without[evidence.uncounted] = whole - log_sum(own - np.stack(each), axis=0)
        log_share = np.log(posterior.mean()) + np.log(posterior.version)[:, None, None]
        within[evidence.uncounted] = log_sum(evidence.rows + log_share, axis=(0, 2))
    return without, within


def predicted_alone(posterior: DirichletMixture) -> tuple[FloatArray, FloatArray]:
    """Log predictive density of each dataset in the cut, of one version."""
    (rows,), each = posterior.evidence.rows, posterior.evidence.each_alone(np.ones(1))
    both = []
    for rest in (each.sum(axis=0) - each, each.sum(axis=0)[None]):
        mean = np.zeros_like(rest)
        for a, weight in zip(posterior.components, np.exp(posterior.prior.log_weight), strict=True):
            shape = a.alpha + a.classes.share(a.classes.total(rest))
            mean += weight * shape / shape.sum(axis=1, keepdims=True)
        both.append(log_sum(rows + np.log(mean), axis=1))
    return both[0], both[1]


def log_urn_change(
    component: Component,
    counts: FloatArray,
    dataset: IntArray,
    statement: IntArray,
    weight: FloatArray,
    sign: float,
    number: int,
) -> FloatArray:
    """What `log_urn` of counts (M, S) gains with each dataset once more or less: (M, n).

    The datasets, so many in `number`, are a sparse matrix of weights; `sign` is +1 or −1.
    """
    size = len(component.log_alpha)
    keys = dataset * size + component.classes.of[statement]
    keys, entry = np.unique(keys, return_inverse=True)
    weight = sign * np.bincount(entry.ravel(), weight)
    where, own = np.divmod(keys, size)
    now = component.classes.total(counts)[:, own]
    # Counts that a left-out dataset empties must be exactly zero: log Γ(α) amplifies noise.
    after = np.where(now + weight < 1e-9, 0.0, now + weight)
    log_alpha = component.log_alpha[own]
    gain = log_rising_gamma(log_alpha, after) - log_rising_gamma(log_alpha, now)
    gain -= weight * np.log(component.classes.size[own])
    place = where, np.arange(len(where))
    into = csr_array((np.ones(len(where)), place), shape=(number, len(where)))
    total = counts.sum(axis=1)[:, None]
    grown = total + np.bincount(where, weight, minlength=number)
    both = (log_rising_gamma(component.log_total, each) for each in (grown, total))
    return (into @ gain.T).T - np.subtract(*both)


def _statement_given_all(
    component: Component, counted: FloatArray, rows: FloatArray, version: FloatArray
) -> FloatArray:
    """P(z_i = s | all datasets) of the uncertain ones, (u, S), versions weighed.

    Parameters
    ----------
    component : Component
    counted : array (S,)
        Counts of the other datasets.
    rows : array (R, u, S)
        log ℓ in each version.
    version : array (R,)
        P(version | all datasets) under this component.
    """
    from bayescompare.kernels.replicated.each_dataset import smoothed
    from bayescompare.kernels.replicated.recursion import EvidenceRows

    classes, shape = component.classes, _shape(component, counted)
    kept = np.flatnonzero(version > _LEAST_WEIGHT)
    folded = _folded(rows[kept], classes)
    if len(shape) == 1:
        each = np.ones((*folded.shape[1:], len(kept)))
    elif _is_rate(shape, rows):
        wins = _rate(folded[0], shape)[0]
        each = np.stack([wins, 1.0 - wins], axis=1)[:, :, None]
    else:
        each = smoothed(EvidenceRows.from_logs(folded, shape))
    if classes.is_trivial:
        return np.asarray(each @ version[kept])
    own = folded[:, :, classes.of]
    within = np.exp(rows[kept] - np.where(np.isfinite(own), own, 0.0)) / classes.size[classes.of]
    return np.asarray(np.einsum("r,isr,ris->is", version[kept], each[:, classes.of], within))


def _left_out_of_rows(component: Component, counted: FloatArray, rows: FloatArray) -> FloatArray:
    """Log p(x_i | all other datasets) of the uncertain ones, (u,)."""
    from bayescompare.kernels.replicated.each_dataset import left_out_of_rows
    from bayescompare.kernels.replicated.recursion import EvidenceRows

    shape = _shape(component, counted)
    folded = _folded(rows, component.classes)
    if len(shape) == 1:
        whole = folded.sum(axis=1)
        return np.asarray(log_sum(whole) - log_sum(whole - folded[:, :, 0], axis=0))
    if _is_rate(shape, rows):
        return _rate(folded[0], shape)[1]
    return left_out_of_rows(EvidenceRows.from_logs(folded, shape))


def _shape(component: Component, counted: FloatArray) -> FloatArray:
    """α of every class, the datasets that were counted included."""
    return np.asarray(np.exp(component.log_alpha) + component.classes.total(counted))


def _folded(rows: FloatArray, classes: Partition) -> FloatArray:
    """log L of every class, (R, u, C)."""
    if classes.is_trivial:
        return rows
    top = rows.max(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(classes.total(np.exp(rows - top)) / classes.size))


def _is_rate(shape: FloatArray, rows: FloatArray) -> bool:
    """Whether θ is one share, and the evidence of one version."""
    return len(shape) == 2 and len(rows) == 1


def _rate(logs: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(z_i is the first | all), and log p(x_i | the others).

    Without one factor they are integrals of polynomials, for which so many nodes are exact; of very
    many datasets a quadrature that is linear in them is shorter.
    """
    from bayescompare.kernels.context.poisson_binomial import RatePosterior, RatePrior
    from bayescompare.kernels.replicated.each_dataset import beta_nodes

    shares, totals = parted(logs)
    if len(logs) > _MANY:
        found = RatePosterior.of(shares[:, 0], RatePrior.beta(*shape.tolist()))
        return found.wins, found.log_predictive + totals
    node, log_mass = beta_nodes(*shape.tolist(), len(logs) // 2 + 1)
    factors = np.stack([node, 1.0 - node], axis=1).clip(0.0, 1.0) @ shares.T
    with np.errstate(divide="ignore"):
        log_mass = log_mass + np.log(factors).sum(axis=1)
    kept = np.isfinite(log_mass)
    mass = np.exp(log_mass[kept] - log_sum(log_mass[kept]))
    without = 1.0 / factors[kept]
    return (mass * node[kept]) @ without * shares[:, 0], totals - np.log(mass @ without)
