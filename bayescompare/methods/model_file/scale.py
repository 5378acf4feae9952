"""Whether a model that says it predicts statements does: their probabilities sum to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.methods.model_file.batched import (
    batched_likelihood,
    model_file_flat_draws,
    model_file_observed_values,
)
from bayescompare.statements import Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    from bayescompare.methods.model_file import ModelFile

__all__ = ["check_model_file_statements", "model_file_statement_totals"]

#: Statements up to which they are all tried; each takes a model to be built.
MOST_TRIED = 64
#: Draws at which they are.
_DRAWS = 3
#: A sum may miss one by this, as quadrature in a likelihood does.
_ROUNDING = 1e-4


def check_model_file_statements(method: ModelFile, results: Results, posterior: xr.Dataset) -> None:
    """Refuse a model whose likelihoods of all statements do not sum to one on some dataset."""
    if Statements.of(results).size > MOST_TRIED:
        return
    totals = model_file_statement_totals(method, results, posterior)
    worst = float(totals.ravel()[np.abs(totals - 1.0).argmax()])
    # Written so that NaN is refused.
    if not abs(worst - 1.0) <= _ROUNDING:
        raise BayescompareError(
            f"{method.code.where}: DATA_SCALE says that it predicts statements, but its "
            f"likelihoods of all statements of a dataset sum to {statistic_number_text(worst)}, "
            "not 1; other "
            "models of statements cannot be compared with it."
        )


def model_file_statement_totals(
    method: ModelFile, results: Results, posterior: xr.Dataset
) -> FloatArray:
    """Sum the likelihoods of every statement (draw, dataset) at a few draws of the posterior."""
    model = method.model(results)
    likelihood, drawn = batched_likelihood(model), model_file_flat_draws(model, posterior)
    step = max(1, len(drawn[0]) // _DRAWS)
    few = [values[::step][:_DRAWS] for values in drawn]
    every = (
        method.model(_model_file_table_showing(label, results))
        for label in Statements.of(results).labels
    )
    return np.asarray(
        sum(np.exp(likelihood(*few, *model_file_observed_values(one))) for one in every)
    )


def _model_file_table_showing(label: str, results: Results) -> Results:
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
