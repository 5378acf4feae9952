"""Witnesses for the network test, written from the definitions and sharing no code with it.

A graph is a row of parents' bit masks. All graphs are enumerated, BDeu is the textbook double
product over configurations and states, and θ is drawn table by table and multiplied out over
every joint state.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray
from scipy.special import beta as beta_function
from scipy.special import betainc, roots_jacobi

from bayescompare.table.results import Results
from tests.oracles.dirichlet import log_dirichlet_draws
from tests.oracles.statements import statement_counts, statement_weights
from tests.tables import table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

CHAIN = [("m0", "m1"), ("m1", "m2")]
FORK = [("m1", "m0"), ("m1", "m2")]
COLLIDER = [("m0", "m1"), ("m2", "m1")]

# ------------------------------------------------------------------------------------------ graphs


def bits(mask: int) -> list[int]:
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


@cache
def every_dag(m: int) -> IntArray:
    """All DAGs on m nodes, (D, m): every choice of parents whose roots can be peeled to nothing."""
    own = [[p for p in range(1 << m) if not p >> j & 1] for j in range(m)]
    grid = np.stack(np.meshgrid(*own, indexing="ij"), axis=-1).reshape(-1, m)
    left = np.full(len(grid), (1 << m) - 1)
    for _ in range(m):
        gone = np.zeros_like(left)
        for j in range(m):
            gone |= np.where(grid[:, j] & left, 0, 1 << j)
        left &= ~gone
    return grid[left == 0]


def dags_up_to(m: int, most: int) -> IntArray:
    """Those with at most so many parents each."""
    dags = every_dag(m)
    sizes = np.array([p.bit_count() for p in range(1 << m)])
    return dags[(sizes[dags] <= most).all(axis=1)]


def markov_class(graph: Sequence[int]) -> tuple[Any, Any]:
    """Verma & Pearl: skeleton and unshielded colliders."""
    edges = {(i, int(j)) for j, mask in enumerate(graph) for i in bits(int(mask))}
    joined = {frozenset(e) for e in edges}
    colliders = {
        (frozenset((a, b)), j)
        for a, j in edges
        for b, k in edges
        if j == k and a != b and frozenset((a, b)) not in joined
    }
    return frozenset(joined), frozenset(colliders)


def masks(edges: Sequence[tuple[str, str]], names: Sequence[str]) -> tuple[int, ...]:
    """Bit masks of edges (parent, child) by name."""
    made = [0] * len(names)
    for parent, child in edges:
        made[names.index(child)] |= 1 << names.index(parent)
    return tuple(made)


# ------------------------------------------------------------------------------------------- BDeu


def textbook_bdeu(
    states: IntArray,
    counts: FloatArray,
    arities: Sequence[int],
    ess: float,
    child: int,
    parents: int,
    *,
    digits: int = 0,
) -> float:
    """Heckerman, Geiger & Chickering (1995), eq. 28 with N'_ijk = N'/(r q), every row written out.

    With `digits` in mpmath of that precision.
    """
    lgamma: Any = mp.loggamma if digits else math.lgamma
    number: Any = mp.mpf if digits else float
    above = bits(parents)
    q, r = math.prod(arities[i] for i in above), arities[child]
    with mp.workdps(digits or 15):
        row, cell = number(ess) / q, number(ess) / (q * r)
        found = number(0)
        for configuration in itertools.product(*(range(arities[i]) for i in above)):
            here = np.ones(len(states), dtype=bool)
            for i, state in zip(above, configuration, strict=True):
                here &= states[:, i] == state
            seen = [float(counts[here & (states[:, child] == k)].sum()) for k in range(r)]
            found += lgamma(row) - lgamma(row + sum(seen))
            for n in seen:
                found += lgamma(cell + n) - lgamma(cell)
        return float(found)


def textbook_bd(
    states: IntArray,
    counts: FloatArray,
    alpha: Sequence[float],
    arities: Sequence[int],
    child: int,
    parents: int,
) -> float:
    """The same, eq. 24, with N'_ijk = α_k in every row; as a product of urns, dataset by dataset.

    Fractional counts have no urn, so these are ratios of gammas row by row.
    """
    found = 0.0
    for configuration in itertools.product(*(range(arities[i]) for i in bits(parents))):
        here = (states[:, bits(parents)] == np.array(configuration, dtype=np.int64)).all(axis=1)
        total = math.fsum(alpha)
        found += math.lgamma(total) - math.lgamma(total + counts[here].sum())
        for k, a in enumerate(alpha):
            seen = counts[here & (states[:, child] == k)].sum()
            found += math.lgamma(a + seen) - math.lgamma(a)
    return found


def local_table(
    states: IntArray, counts: FloatArray, arities: Sequence[int], ess: float, most: int
) -> FloatArray:
    """Textbook score of every (child, parents' mask), −inf where it may not be."""
    m = len(arities)
    made = np.full((m, 1 << m), -np.inf)
    for child in range(m):
        for parents in range(1 << m):
            if not parents >> child & 1 and parents.bit_count() <= most:
                made[child, parents] = textbook_bdeu(states, counts, arities, ess, child, parents)
    return made


def dag_scores(local: FloatArray, dags: IntArray) -> FloatArray:
    """Score of every graph."""
    return np.sum([local[j, dags[:, j]] for j in range(len(local))], axis=0)


def random_table(
    rng: np.random.Generator, arities: Sequence[int], n: int, strength: float
) -> tuple[IntArray, FloatArray]:
    """Distinct statements with halves, quarters and unobserved states; later measures copy earlier.

    `strength` is the probability of copying: 0 is independence, 1 a function of the first.
    """
    m = len(arities)
    rows = np.empty((n, m), dtype=np.int64)
    for j in range(m):
        # The last state of an arity above two is never seen.
        rows[:, j] = rng.integers(0, max(2, arities[j] - 1), n)
        if j:
            copied = rows[:, rng.integers(j)] % arities[j]
            rows[:, j] = np.where(rng.random(n) < strength, copied, rows[:, j])
    states, place = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(place.ravel(), weights=rng.choice([0.25, 0.5, 1.0], n))
    return states.astype(np.int64), counts


def squeezed(local: FloatArray) -> FloatArray:
    """Drop each child's own bit from its parents' mask, as the kernel indexes them."""
    m = len(local)
    return np.stack(
        [local[j, [p for p in range(1 << m) if not p >> j & 1]] for j in range(m)], axis=0
    )


# --------------------------------------------------------------------------------------- θ by hand


def joint_states(arities: Sequence[int]) -> IntArray:
    return np.array(list(itertools.product(*(range(r) for r in arities))), dtype=np.int64)


def log_theta_draws(
    counts: FloatArray,
    arities: Sequence[int],
    graph: Sequence[int],
    ess: float,
    size: int,
    rng: np.random.Generator,
    alpha: Sequence[Sequence[float]] | None = None,
) -> FloatArray:
    """Draw log θ of all joint states, (size, K); `counts` over all joint states, first slowest.

    `alpha` by measure and state replaces ess/(q r).
    """
    states = joint_states(arities)
    found = np.zeros((size, len(states)))
    for child, mask in enumerate(graph):
        above, r = bits(int(mask)), arities[child]
        q = math.prod(arities[i] for i in above)
        for configuration in itertools.product(*(range(arities[i]) for i in above)):
            here = (states[:, above] == np.array(configuration, dtype=np.int64)).all(axis=1)
            own = [here & (states[:, child] == k) for k in range(r)]
            prior = [ess / (q * r)] * r if alpha is None else alpha[child]
            shapes = np.array([a + counts[c].sum() for a, c in zip(prior, own, strict=True)])
            x = log_dirichlet_draws(shapes, size, rng)
            x -= np.logaddexp.reduce(x, axis=1, keepdims=True)
            for k, cells in enumerate(own):
                found[:, cells] += x[:, [k]]
    return found


def leading_shares(
    counts: FloatArray,
    arities: Sequence[int],
    graph: Sequence[int],
    *,
    ess: float = 1.0,
    size: int = 1_000_000,
    seed: int = 0,
    alpha: Sequence[Sequence[float]] | None = None,
) -> FloatArray:
    """How often each joint state has the largest θ."""
    rng = np.random.default_rng(seed)
    hits, step = np.zeros(math.prod(arities)), 100_000
    for start in range(0, size, step):
        draws = log_theta_draws(counts, arities, graph, ess, min(step, size - start), rng, alpha)
        hits += np.bincount(draws.argmax(axis=1), minlength=len(hits))
    return hits / size


def mean_theta(
    counts: FloatArray,
    arities: Sequence[int],
    graph: Sequence[int],
    ess: float = 1.0,
    alpha: Sequence[Sequence[float]] | None = None,
) -> FloatArray:
    """E θ of all joint states: the product of the tables' means, which are independent."""
    states = joint_states(arities)
    found = np.ones(len(states))
    for child, mask in enumerate(graph):
        above = bits(int(mask))
        q = math.prod(arities[i] for i in above)
        for k, state in enumerate(states):
            same = (states[:, above] == state[above]).all(axis=1)
            own = same & (states[:, child] == state[child])
            prior = [ess / (q * arities[child])] * arities[child] if alpha is None else alpha[child]
            shape = counts[own].sum() + prior[state[child]]
            found[k] *= shape / (counts[same].sum() + sum(prior))
    return found


# ---------------------------------------------------------------------------------------- results


def linked(
    n: int, m: int, seed: int = 0, *, link: float = 1.0, l: int = 2, gain: float = 0.3
) -> FloatArray:
    """Values (n, l, m) whose differences walk from measure to measure; one digit makes ties."""
    rng = np.random.default_rng(seed)
    walk = np.cumsum(rng.normal(size=(n, l, m)), axis=2) * link
    made = walk + rng.normal(size=(n, l, m))
    made[:, 0] += gain
    return np.round(made, 1)


def counts_of(values: FloatArray, results: Results) -> FloatArray:
    """Weight of every joint state, first measure most significant, by trying all orders."""
    from tests.oracles.statements import every_label

    seen = statement_counts(values, results.algorithms)
    labels = every_label(results.algorithms, values.shape[2])
    return np.array([float(seen.get(label, 0)) for label in labels])


def weights_of(values: FloatArray, results: Results) -> FloatArray:
    """The same per dataset, (n, K)."""
    from tests.oracles.statements import every_label

    labels = every_label(results.algorithms, values.shape[2])
    rows = statement_weights(values, results.algorithms)
    return np.array([[float(row.get(label, 0)) for label in labels] for row in rows])


def from_states(states: NDArray[Any]) -> Results:
    """Two algorithms; state 0 of a measure is A better, 1 is B better."""
    b = np.asarray(states, dtype=float)
    return table(np.stack([1.0 - b, b], axis=1))


# --------------------------------------------------------------------- P(max) by tensor quadrature


def _truncated_beta(
    a: float, b: float, low: FloatArray, nodes: int
) -> tuple[FloatArray, FloatArray]:
    """Gauss–Jacobi nodes and weights of Beta(a, b) above each of `low`: (…, nodes).

    The weight function takes the singularity at 1, so that tiny b are no trouble.
    """
    x, w = roots_jacobi(nodes, b - 1.0, 0.0)
    half = 0.5 * (1.0 - low)[..., None]
    p = low[..., None] + half * (1.0 + x)
    return p, w * half**b * p ** (a - 1.0) / beta_function(a, b)


def _subtree(
    v: int, x: int, statement: Sequence[int], parent: Sequence[int], shapes: Any, nodes: int
) -> tuple[FloatArray, FloatArray]:
    """Values and weights of M_v(x) − M_v(1 − x) where s leads the subtree given x; none are merged.

    Every point of the children's tensor grid gets its own rule in both rows of the table.
    """
    total, weight = _children(v, statement, parent, shapes, nodes)
    s = statement[v]
    tie = 1.0 / (1.0 + np.exp(total))
    own, free = shapes[v][x], shapes[v][1 - x]
    p, wp = _truncated_beta(own[s], own[1 - s], tie, nodes)
    q, wq = _truncated_beta(free[s], free[1 - s], tie, nodes)
    other, wo = _truncated_beta(free[1 - s], free[s], 1.0 - tie, nodes)
    rival = np.concatenate([np.log(q), np.log(other) - total[:, None]], axis=1)
    value = np.log(p)[:, :, None] - rival[:, None, :]
    weights = weight[:, None, None] * wp[:, :, None] * np.concatenate([wq, wo], axis=1)[:, None, :]
    return value.ravel(), weights.ravel()


def _children(
    v: int, statement: Sequence[int], parent: Sequence[int], shapes: Any, nodes: int
) -> tuple[FloatArray, FloatArray]:
    total, weight = np.zeros(1), np.ones(1)
    for c in (c for c, above in enumerate(parent) if above == v):
        value, w = _subtree(c, statement[v], statement, parent, shapes, nodes)
        total = (total[:, None] + value).ravel()
        weight = (weight[:, None] * w).ravel()
    return total, weight


def leading_by_quadrature(
    parent: Sequence[int], shapes: Any, statement: Sequence[int], nodes: int
) -> float:
    """P(a statement has the largest θ) under a tree of Betas, by brute force.

    `parent` has −1 for the root; `shapes` the Betas' parameters, (rows, 2) for each node. The cost
    is (2·nodes²) to the power of the number of measures below the root.
    """
    root = list(parent).index(-1)
    total, weight = _children(root, statement, parent, shapes, nodes)
    own = shapes[root][0]
    s = statement[root]
    return float(weight @ betainc(own[1 - s], own[s], 1.0 / (1.0 + np.exp(-total))))


def tree_shapes(
    counts: FloatArray, parent: Sequence[int], ess: float = 1.0
) -> list[list[list[float]]]:
    """Posterior parameters of a tree's tables; `counts` over all joint states, first slowest."""
    states = joint_states([2] * len(parent))
    made = []
    for v, above in enumerate(parent):
        rows = [np.ones(len(states), dtype=bool)]
        if above >= 0:
            rows = [states[:, above] == x for x in (0, 1)]
        alpha = ess / (2 * len(rows))
        made.append(
            [
                [alpha + float(counts[row & (states[:, v] == y)].sum()) for y in (0, 1)]
                for row in rows
            ]
        )
    return made
