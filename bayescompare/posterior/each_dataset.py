r"""What one component of the prior makes of each uncertain dataset: given the others, given all.

Under a component the statements of a class C have equal shares, so that rows may be summed,

.. math:: L_i(C) = \sum_{s \in C} \ell_i(s) / |C|, \qquad
          \Pr(z_i = s \mid \text{all}) = \Pr(z_i \in C \mid \text{all})\,
          \ell_i(s) / \sum_{s' \in C} \ell_i(s') ,

and the classes have a Dirichlet prior, which datasets that were counted have updated already.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.gammas import log_sum
from bayescompare.posterior.component import Component
from bayescompare.posterior.partition import Partition

__all__ = ["left_out", "statement_given_all"]

#: Versions of less weight cannot change a figure.
_LEAST_WEIGHT = 1e-14


def statement_given_all(
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


def left_out(component: Component, counted: FloatArray, rows: FloatArray) -> FloatArray:
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
    """Whether θ is one share with a symmetric Beta prior, for which there is a quadrature."""
    return len(shape) == 2 and len(rows) == 1 and bool(shape[0] == shape[1])


def _rate(logs: FloatArray, shape: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(z_i is the first | all), and log p(x_i | the others): linear in the number of datasets."""
    from bayescompare.kernels.context.poisson_binomial import joint

    found = joint(softmax(logs, axis=1)[:, 0], float(shape[0]))
    return found.wins, found.log_predictive + log_sum(logs, axis=1)
