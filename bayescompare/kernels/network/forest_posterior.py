r"""Edge probabilities over all graphs with at most one parent each, for any number of measures.

Such graphs are forests. Fix a child j. Given that j has no parent, Wilson's algorithm builds the
rest by random walks, each from a measure to a parent, in proportion to its weight, until "no
parent" or j is met. With :math:`h_i` the probability that the walk from i ends without meeting j,
i may become the parent of j without closing a cycle, so

.. math:: P(i \to j) = \frac{w_{ij} h_i}{1 + \sum_k w_{kj} h_k}, \qquad
          w_{ij} = e^{score(j, \{i\}) - score(j, \emptyset)} .

The :math:`h_i` come from eliminating one measure after the other with additions, products and
quotients only: nothing cancels, however far the scores are apart. It costs m⁴.

References
----------
Wilson (1996), Generating random spanning trees more quickly than the cover time; Grassmann,
Taksar & Heyman (1985), Regenerative analysis and steady state distributions for Markov chains.
"""

from __future__ import annotations

import math

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.network.dag_posterior import _dag_logaddexp
from bayescompare.kernels.numerics.jit import jit

__all__ = ["forest_edge_probabilities"]


def forest_edge_probabilities(log_weight: FloatArray) -> FloatArray:
    """P(i → j) over all forests.

    Parameters
    ----------
    log_weight : array (m, m)
        Log weight of the edge i → j relative to "j has no parent"; the diagonal is not read.

    Returns
    -------
    array (m, m)

    Examples
    --------
    Two measures without data: three graphs, of which one has each edge.

    >>> forest_edge_probabilities(np.zeros((2, 2))).round(9)
    array([[0.        , 0.33333333],
           [0.33333333, 0.        ]])
    """
    return _forest_edges_from_steps(np.ascontiguousarray(log_weight.T))


@jit()
def _forest_edges_from_steps(step: FloatArray) -> FloatArray:
    """All in logarithms: `step[v, u]` from v to its parent u, 0 to none."""
    m = len(step)
    out = np.zeros((m, m))
    for child in range(m):
        free = _forest_walk_ends_elsewhere(step, child)
        total = 0.0
        for i in range(m):
            if i != child:
                total = _dag_logaddexp(total, step[child, i] + free[i])
        for i in range(m):
            if i != child:
                out[i, child] = math.exp(step[child, i] + free[i] - total)
    return out


@jit()
def _forest_walk_ends_elsewhere(step: FloatArray, child: int) -> FloatArray:
    """Log probability that a walk from each measure ends without meeting `child`."""
    m = len(step)
    rate, end, total = step.copy(), np.zeros(m), np.zeros(m)
    for v in range(m - 1, -1, -1):
        if v == child:
            continue
        # What is left: the measures before v, the child, and the end.
        total[v] = _dag_logaddexp(end[v], rate[v, child])
        for u in range(v):
            if u != child:
                total[v] = _dag_logaddexp(total[v], rate[v, u])
        for u in range(v):
            if u == child:
                continue
            share = rate[u, v] - total[v]
            end[u] = _dag_logaddexp(end[u], share + end[v])
            rate[u, child] = _dag_logaddexp(rate[u, child], share + rate[v, child])
            for x in range(v):
                if x not in (u, child):
                    rate[u, x] = _dag_logaddexp(rate[u, x], share + rate[v, x])
    free = np.zeros(m)
    for v in range(m):
        if v != child:
            free[v] = end[v]
            for u in range(v):
                if u != child:
                    free[v] = _dag_logaddexp(free[v], rate[v, u] + free[u])
            free[v] -= total[v]
    return free
