"""What further datasets would say under a model file: its draws, weighed by predicted datasets.

A new dataset is like one of those seen, covariates included. The model predicts its data at one
draw of the posterior, and their likelihood weighs every draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.nuts import check_compiler_for_nuts, quiet_nuts_warnings
from bayescompare.methods.model_file.batched import (
    batched_likelihood,
    model_file_flat_draws,
    model_file_observed_values,
)
from bayescompare.methods.model_file.details import ModelDetails
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm

    from bayescompare.methods.model_file import ModelFile

__all__ = ["weigh_model_file_plan"]


def weigh_model_file_plan(
    method: ModelFile, results: Results, answer: Answer
) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that predicts so many datasets from one draw, and weighs every draw.

    It returns the log likelihood of those datasets at every draw (chain, draw).
    """
    assert answer.tree is not None
    together = ModelDetails.of(answer).together
    if together is not None:
        raise BayescompareError(
            f"plan: this pair was read off one model of {join_names(together, most=4)}; compare() "
            "the two by themselves."
        )
    check_compiler_for_nuts()
    model, posterior = method.model(results), answer.tree["posterior"].to_dataset()
    _check_model_file_plan_latents(method, model)
    drawn, likelihood = (
        model_file_flat_draws(model, posterior),
        _model_file_plan_likelihood(method, model),
    )
    shape, n = (posterior.sizes["chain"], posterior.sizes["draw"]), len(results.datasets)
    predictors: list[Callable[..., list[AnyArray]]] = []

    def weigh(number: int, rng: np.random.Generator) -> FloatArray:
        k = int(rng.integers(shape[0] * shape[1]))
        one = [values[k] for values in drawn]
        if not predictors:
            predictors.append(
                _model_file_plan_predictor(method, model, one, int(rng.integers(2**31 - 1)))
            )
        logs = np.zeros(shape[0] * shape[1])
        for start in range(0, number, n):
            rows = rng.permutation(n)[: number - start]
            logs += likelihood(*drawn, *predictors[0](*one))[:, rows].sum(axis=1)
        return logs.reshape(shape)

    return weigh


def _check_model_file_plan_latents(method: ModelFile, model: pm.Model) -> None:
    """Refuse a model in which every dataset has a variable of its own, as a new one would."""
    dims = model.named_vars_to_dims
    own = [str(rv.name) for rv in model.free_RVs if "dataset" in (dims.get(str(rv.name)) or ())]
    if own:
        raise BayescompareError(
            f"plan: {method.code.where}: each dataset has its own {join_names(own)}, which the "
            "draws do not know for new datasets; integrate it out of the likelihood (docs: model "
            "files), or compare() a table to which datasets of simulate() were added."
        )


def _model_file_plan_likelihood(method: ModelFile, model: pm.Model) -> Callable[..., FloatArray]:
    """Compile the log likelihood of any data at every draw."""
    dtypes = [values.dtype for values in model_file_observed_values(model)]
    number = len(model.free_RVs)
    with _name_model_file_plan_errors(method, "its likelihood of new data cannot be compiled"):
        compiled = batched_likelihood(model)

    def likelihood(*values: AnyArray) -> FloatArray:
        data = [x.astype(kind) for x, kind in zip(values[number:], dtypes, strict=True)]
        with (
            _name_model_file_plan_errors(method, "its likelihood of new data fails"),
            np.errstate(all="ignore"),
        ):
            return np.asarray(compiled(*values[:number], *data))

    return likelihood


@contextmanager
def _name_model_file_plan_errors(method: ModelFile, what: str) -> Iterator[None]:
    """Turn whatever PyMC raises into one line that names the model."""
    try:
        yield
    except Exception as error:
        raise BayescompareError(
            f"plan: {method.code.where}: {what}: {error_in_one_line(error)}"
        ) from error


def _model_file_plan_predictor(
    method: ModelFile, model: pm.Model, one: list[AnyArray], seed: int
) -> Callable[..., list[AnyArray]]:
    """Compile what draws the observed variables given the free ones, and try it on one draw."""
    from pymc.pytensorf import compile as compile_

    cannot = "it does not predict new data; a likelihood without random= is the usual reason"
    with _name_model_file_plan_errors(method, cannot), quiet_nuts_warnings():
        function: Any = compile_(
            list(model.free_RVs),
            list(model.observed_RVs),
            random_seed=seed,
            on_unused_input="ignore",
        )
        function(*one)
    predictor: Callable[..., list[AnyArray]] = function
    return predictor
