r"""The simulated cases behind the papers' tables of areas under the ROC curve.

A case is a probability vector θ over the :math:`(l!)^m` statements and n datasets drawn from it.
It is *positive* where the largest entry of θ exceeds the second by more than 0.001. In *negative*
cases the two differ by at most 0.001 and are then both set to their mean. θ is uniform on the
simplex (``full``), or a product of uniform vectors, one for each measure (``indep``). The score of
a test is how sure it is that its leading statement is the most probable.

Many cases are answered at once: P(max) of all of them comes from one table of distribution
functions, and components of the networks that are plain multinomials are pooled likewise.

References
----------
Benavoli & de Campos (2015), Section 6.4; de Campos & Benavoli (2016), Section 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.pvalues import glrt
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.kernels.network.graphs import best_dag, components, is_complete
from bayescompare.kernels.network.scores import CellPrior, local_scores
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.kernels.network.trees import is_binary_tree, tree_maximum

__all__ = ["TESTS", "AucScenario", "auc_cases", "auc_dirichlet_scores", "auc_glrt_scores"]

#: The tests, as they are called in the tables.
TESTS = ("glrt", "bayes", "bayes_network")

#: Two largest probabilities that differ by no more than this are made equal.
_EQUAL = 1e-3
#: Probability vectors drawn at a time in search of cases, and their entries.
_MOST_ENTRIES = 1 << 18
#: Draws of the tables of a network component that has no exact form.
_DRAWS = 4000


@dataclass(frozen=True)
class AucScenario:
    """One row of the tables: numbers of algorithms, measures and datasets, and how θ is drawn."""

    algorithms: int
    measures: int
    datasets: int
    type: Literal["indep", "full"]

    @property
    def arity(self) -> int:
        """Orderings of the algorithms by one measure."""
        return math.factorial(self.algorithms)

    @property
    def statements(self) -> int:
        """Number of joint statements."""
        return int(self.arity**self.measures)

    @property
    def label(self) -> str:
        """Short name, as in ``l=2 m=3 n=10 indep``."""
        return f"l={self.algorithms} m={self.measures} n={self.datasets} {self.type}"


def auc_cases(
    rng: np.random.Generator, size: int, *, scenario: AucScenario, differ: bool
) -> dict[str, FloatArray]:
    """Simulate cases, positive if `differ`, and return every test's scores.

    Examples
    --------
    >>> scenario = AucScenario(2, 2, 10, "indep")
    >>> scores = auc_cases(np.random.default_rng(1), 3, scenario=scenario, differ=True)
    >>> {test: len(score) for test, score in scores.items()}
    {'glrt': 3, 'bayes': 3, 'bayes_network': 3}
    """
    theta = _auc_case_probabilities(rng, size, scenario, differ)
    counts = rng.multinomial(scenario.datasets, theta)
    return {
        "glrt": auc_glrt_scores(counts),
        "bayes": auc_dirichlet_scores(counts),
        "bayes_network": _auc_network_scores(counts, scenario, rng),
    }


# the cases ----------------------------------------------------------------------------------------


def _auc_case_probabilities(
    rng: np.random.Generator, size: int, scenario: AucScenario, differ: bool
) -> FloatArray:
    """Draw probability vectors until there are enough of the kind asked for: (size, K)."""
    kept: list[FloatArray] = []
    missing = size
    step = max(16, _MOST_ENTRIES // scenario.statements)
    while missing > 0:
        theta = _draw_auc_probabilities(rng, min(step, 2 * size) if differ else step, scenario)
        top = np.partition(theta, (-2, -1), axis=1)[:, -2:]
        chosen = (top[:, 1] - top[:, 0] > _EQUAL) == differ
        kept.append(theta[chosen][:missing])
        missing -= len(kept[-1])
    found = np.concatenate(kept)
    if not differ:
        two = np.argpartition(found, -2, axis=1)[:, -2:]
        mean = np.take_along_axis(found, two, axis=1).mean(axis=1, keepdims=True)
        np.put_along_axis(found, two, mean, axis=1)
    # A multinomial wants probabilities that do not exceed one by rounding.
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _draw_auc_probabilities(
    rng: np.random.Generator, size: int, scenario: AucScenario
) -> FloatArray:
    if scenario.type == "full":
        drawn = rng.standard_exponential((size, scenario.statements))
        return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))
    theta = np.ones((size, 1))
    for _ in range(scenario.measures):
        drawn = rng.standard_exponential((size, scenario.arity))
        drawn /= drawn.sum(axis=1, keepdims=True)
        theta = (theta[:, :, None] * drawn[:, None, :]).reshape(size, -1)
    return theta


# the tests ----------------------------------------------------------------------------------------


def auc_glrt_scores(counts: IntArray) -> FloatArray:
    """One minus the p-value; equal pairs of counts are tested once."""
    top = np.partition(counts, (-2, -1), axis=1)[:, -2:]
    pairs, place = np.unique(top, axis=0, return_inverse=True)
    sure = np.array([1.0 - glrt(float(a), float(b))[1] for b, a in pairs])
    return np.asarray(sure[place.ravel()])


def auc_dirichlet_scores(counts: IntArray) -> FloatArray:
    """P(the leading statement is the most probable), under α = 1/K."""
    k = counts.shape[1]
    each = p_max(np.full(k, -math.log(k)), counts.astype(np.float64))
    return np.asarray(each[:, :-1].max(axis=1))


def _auc_network_scores(
    counts: IntArray, scenario: AucScenario, rng: np.random.Generator
) -> FloatArray:
    """The same under the best network of each case; its components multiply."""
    arity, m = scenario.arity, scenario.measures
    score, prior = np.ones(len(counts)), CellPrior()
    complete: dict[int, list[tuple[int, IntArray]]] = {}
    cube = counts.reshape(-1, *(arity,) * m)
    for case, own in enumerate(cube):
        states = np.argwhere(own)
        weights = own[own > 0].astype(np.float64)
        graph = best_dag(local_scores(states, weights, [arity] * m, prior, m - 1), m - 1)
        for members in components(graph):
            if is_complete(graph, members):
                others = tuple(j for j in range(m) if j not in members)
                margin = own.sum(axis=others).ravel()
                complete.setdefault(len(members), []).append((case, margin))
            else:
                tables = NetworkTables.count(states, weights, [arity] * m, graph, members, prior)
                score[case] *= _auc_component_score(tables, rng)
    for parts in complete.values():
        lead = auc_dirichlet_scores(np.stack([margin for _, margin in parts]))
        np.multiply.at(score, [case for case, _ in parts], lead)
    return score


def _auc_component_score(tables: NetworkTables, rng: np.random.Generator) -> float:
    """P(the leading statement) of one component: trees exactly, others by draws."""
    if is_binary_tree(tables):
        every = np.argwhere(np.ones(tuple(tables.arities), dtype=np.bool_))
        exact = tree_maximum(tables, every)
        if exact is not None:
            return float(exact.max())
    leaders = tables.largest(tables.log_draws(_DRAWS, rng))
    number = np.ravel_multi_index(tuple(leaders.T), tuple(tables.arities.tolist()))
    return float(np.bincount(number).max()) / _DRAWS


def area_under_roc(positive: FloatArray, negative: FloatArray) -> tuple[float, float]:
    r"""Area under the ROC curve of two samples of scores, and its standard error.

    .. math:: \hat A = \overline{I(x > y) + \tfrac12 I(x = y)}, \qquad
              \hat\sigma^2 = s_{10}/n_x + s_{01}/n_y

    with :math:`s_{10}` the variance over x of the mean over y, and :math:`s_{01}` the reverse.
    Without scores of either kind both are NaN.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated
    receiver operating characteristic curves.

    Examples
    --------
    >>> area, error = area_under_roc(np.array([0.9, 0.8, 0.3]), np.array([0.1, 0.8]))
    >>> round(area, 6), round(error, 6)
    (0.75, 0.288675)
    """
    if not (len(positive) and len(negative)):
        return math.nan, math.nan
    wins = _shares_below(np.sort(negative), positive)
    losses = 1.0 - _shares_below(np.sort(positive), negative)
    variance = sum(
        float(share.var(ddof=1)) / len(share) if len(share) > 1 else 0.25
        for share in (wins, losses)
    )
    return float(wins.mean()), math.sqrt(variance)


def _shares_below(ranked: FloatArray, values: FloatArray) -> FloatArray:
    """Share of the ranked numbers that are below each value, equal ones counted half."""
    below, reached = (np.searchsorted(ranked, values, side=side) for side in ("left", "right"))
    return np.asarray((below + reached) / (2.0 * len(ranked)))
