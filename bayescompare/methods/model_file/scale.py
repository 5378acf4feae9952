"""Whether a model that says it predicts statements does: their probabilities sum to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.comparison.nuts import quiet
from bayescompare.results.results import Results
from bayescompare.statements import Statement, Statements
from bayescompare.text.numbers import statistic

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.methods.model_file import ModelFile

__all__ = ["check_statements", "statement_totals"]

#: Statements up to which they are all tried; each takes a model to be built.
MOST_TRIED = 64
#: Draws at which they are.
_DRAWS = 3
#: A sum may miss one by this, as quadrature in a likelihood does.
_ROUNDING = 1e-4


def check_statements(method: ModelFile, results: Results, posterior: xr.Dataset) -> None:
    """Refuse a model whose likelihoods of all statements do not sum to one on some dataset."""
    if Statements.of(results).size > MOST_TRIED:
        return
    totals = statement_totals(method, results, posterior)
    worst = float(totals.ravel()[np.abs(totals - 1.0).argmax()])
    # Written so that NaN is refused.
    if not abs(worst - 1.0) <= _ROUNDING:
        raise BayescompareError(
            f"{method.code.where}: DATA_SCALE says that it predicts statements, but its "
            f"likelihoods of all statements of a dataset sum to {statistic(worst)}, not 1; other "
            "models of statements cannot be compared with it."
        )


def statement_totals(method: ModelFile, results: Results, posterior: xr.Dataset) -> FloatArray:
    """Sum the likelihoods of every statement (draw, dataset) at a few draws of the posterior."""
    model = method.model(results)
    likelihood, names = _likelihood(model)
    flat = posterior.stack(sample=("chain", "draw")).transpose("sample", ...)
    step = max(1, flat.sizes["sample"] // _DRAWS)
    each: list[FloatArray] = []
    for label in Statements.of(results).labels:
        seen = _observed(method.model(_showing(label, results)))
        rows = [
            likelihood(*(flat[name].values[k] for name in names), *seen)
            for k in range(0, flat.sizes["sample"], step)[:_DRAWS]
        ]
        each.append(np.exp(np.array(rows)))
    return np.asarray(sum(each))


def _showing(label: str, results: Results) -> Results:
    """A table like this one in which every dataset shows the same statement."""
    data = results.data.copy()
    for name, state in zip(results.measures, Statement.parse(label).states, strict=True):
        measure = results[name]
        # The best has place 0; equivalent algorithms share one.
        place = {a: k if state.relation == ">" else 0 for k, a in enumerate(state.names)}
        apart = measure.sign * max(1.0, 3.0 * (measure.rope or 0.0))
        values = np.array([-apart * place[a] for a in results.algorithms])
        shape = (len(results.datasets), len(values))
        data[name] = (("dataset", "algorithm"), np.broadcast_to(values, shape).copy())
    return results._with(data=data)


def _observed(model: pm.Model) -> list[AnyArray]:
    """The data of every observed variable."""
    values = [model.rvs_to_values[rv] for rv in model.observed_RVs]
    return [v.data if hasattr(v, "data") else v.get_value() for v in values]


def _likelihood(model: pm.Model) -> tuple[Any, list[str]]:
    """Compile the log likelihood by dataset, of the free variables named and of any data."""
    import pytensor.tensor as pt
    from pymc.model.transform.conditioning import remove_value_transforms
    from pymc.pytensorf import compile as compile_
    from pytensor.graph.replace import graph_replace

    plain = remove_value_transforms(model)
    values = [plain.rvs_to_values[rv] for rv in plain.observed_RVs]
    data = [pt.tensor(dtype=v.dtype, shape=(None,) * v.ndim) for v in values]
    with plain:
        terms = plain.logp(list(plain.observed_RVs), sum=False)
    total: Any = 0.0
    for rv, term in zip(plain.observed_RVs, terms, strict=True):
        axis = list(plain.named_vars_to_dims[rv.name]).index("dataset")
        total = total + term.sum(axis=[k for k in range(term.ndim) if k != axis])
    replaced = graph_replace([total], dict(zip(values, data, strict=True)), strict=False)[0]
    free = [plain.rvs_to_values[rv] for rv in plain.free_RVs]
    with quiet():
        function = compile_([*free, *data], replaced, on_unused_input="ignore")
    return function, [str(rv.name) for rv in plain.free_RVs]
