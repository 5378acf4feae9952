r"""opt as a function of the datasets' weights that a PyMC model can hold.

opt is a minimum of functions linear in the weights p, one for each utility. With u the utility that
attains it, :math:`\mathrm{opt}(p) = \sum_l p_l (u(x_l) - u(y_l))`, and these differences are also
its derivative: so the utility is found outside the graph, and the sum is in it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_grad
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from bayescompare.methods.gsd.problem import DominanceProblem

__all__ = ["optimum_of"]


def optimum_of(problem: DominanceProblem, weight: Any) -> Any:
    """Both optima under these weights of the datasets, a tensor (2,)."""
    gains: Any = _GsdWorstGains(problem)(weight)
    return disconnected_grad(gains) @ weight  # type: ignore[no-untyped-call]


class _GsdWorstGains(Op):
    """Gains u(x_l) − u(y_l) on every dataset, by the utility worst for whose gains they are.

    The first row has those of the first algorithm, the second row those of the second.
    """

    gufunc_signature = "(n)->(d,n)"

    def __init__(self, problem: DominanceProblem) -> None:
        self.problem = problem

    def make_node(self, *inputs: Any) -> Apply[Any]:
        vector = pt.as_tensor_variable(inputs[0])
        return Apply(self, [vector], [pt.tensor(dtype="float64", shape=(2, vector.type.shape[-1]))])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        problem = self.problem
        objective = problem.weighted(np.asarray(inputs[0], dtype=np.float64))
        system, delta = problem.system, problem.used_delta
        rows = []
        for sign in (1.0, -1.0):
            u = problem.solver.optimum(sign * objective, delta).u
            rows.append(sign * (u[system.x] - u[system.y]))
        output_storage[0][0] = np.array(rows)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the solver behind, which another process builds anew."""
        return {"problem": replace(self.problem)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.problem = state["problem"]
