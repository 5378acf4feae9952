r"""The Bayesian bootstrap in PyMC: every dataset seen is one draw from a population of their kinds.

.. math:: p \sim \mathrm{Dirichlet}(c - 1, \dots, c - 1), \qquad
          l_i \sim \mathrm{Categorical}(p), \quad l_i = i ,

so that the posterior is Dirichlet(c, …, c). With c = 1, Rubin's bootstrap, the prior is Haldane's,
:math:`\prod_l p_l^{-1}`: it is improper, and there are no draws from it.

opt is a minimum of functions linear in p, one for each utility. With u the utility that attains it,
:math:`\mathrm{opt}(p) = \sum_l p_l (u(x_l) - u(y_l))`, and these differences are also its
derivative: so the utility is found outside the graph, and the sum is in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.gradient import disconnected_grad
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from bayescompare.methods._shared.simplex import DRAWN, WEIGHT, place_weights
from bayescompare.methods.gsd.comparison import OPTIMUM
from bayescompare.methods.gsd.problem import DominanceProblem
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.gsd.bootstrap import GSDBootstrap


_IMPROPER = (
    "the prior of weight, Haldane's, is improper at concentration <= 1, and there are no draws "
    "from it: predict from a posterior, set weight by pm.do, or give a larger concentration."
)


def build_bootstrap(method: GSDBootstrap, results: Results, *, optimum: bool) -> pm.Model:
    """Build the model; `optimum` says whether opt is in it, at two linear programmes a draw."""
    n, pair = len(results.datasets), method.pair(results)
    coords = {"dataset": list(results.datasets), "direction": pair.directions}
    with pm.Model(coords=coords) as model:
        prior = (method.priors or {}).get(WEIGHT)
        alpha = np.full(n, method.concentration - 1.0)
        weight = place_weights(prior, alpha, "dataset", _IMPROPER)
        if optimum:
            pm.Deterministic(OPTIMUM, optimum_of(pair, weight), dims="direction")
        seen = pm.Data("seen", np.arange(n), dims="dataset")
        pm.Categorical(DRAWN, p=weight, observed=seen, dims="dataset")
    return model


def optimum_of(problem: DominanceProblem, weight: Any) -> Any:
    """Both optima under these weights of the datasets, a tensor (2,)."""
    gains: Any = WorstGains(problem)(weight)
    return disconnected_grad(gains) @ weight  # type: ignore[no-untyped-call]


class WorstGains(Op):
    """Gains u(x_l) − u(y_l) on every dataset, by the utility worst for whose gains they are.

    The first row has those of the first algorithm, the second row those of the second.
    """

    gufunc_signature = "(n)->(d,n)"

    def __init__(self, problem: DominanceProblem) -> None:
        self.problem = problem

    def make_node(self, *inputs: Any) -> Apply[Any]:
        """Make the node of both optima, (2, …)."""
        vector = pt.as_tensor_variable(inputs[0])
        return Apply(self, [vector], [pt.tensor(dtype="float64", shape=(2, vector.type.shape[-1]))])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Solve both programmes."""
        problem = self.problem
        objective = problem.system.objective(np.asarray(inputs[0], dtype=np.float64))
        system, delta = problem.system, problem.used_delta
        rows = []
        for sign in (1.0, -1.0):
            u = problem.solver.optimum(sign * objective, delta).u
            rows.append(sign * (u[system.x] - u[system.y]))
        output_storage[0][0] = np.array(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the solver behind, which another process builds anew."""
        return type(self), (replace(self.problem),)
