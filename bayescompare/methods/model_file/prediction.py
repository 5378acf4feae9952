"""A model file's statements of new datasets, and tables from its prior.

What a model predicts is read by name and dims: ``theta`` over "statement" and ``better`` of two
algorithms are probabilities of statements, ``rank`` over ("dataset", "algorithm"[, "measure"]) are
predicted ranks, ``score`` over the same dims orders the algorithms (higher is better), and ``gap``
over ("dataset"[, "measure"]) is by how much the first of two is better. A table is made from a
predicted ``outcome`` over ("dataset", "statement"), from ``rank``, or by the file's own function
``table(predicted, results)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import AnyArray, FloatArray, IntArray, StrArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.methods._shared.prediction import (
    shared_categorical_labels,
    shared_sampled_posterior,
    thinned_shared_draws,
)
from bayescompare.methods._shared.simulated import (
    shared_drawn_labels,
    shared_table_of_statements,
    shared_truth_in_tree,
    table_of_ranks,
)
from bayescompare.methods.model_file.answer import ModelDetails
from bayescompare.methods.model_file.densities import (
    batched_likelihood,
    flat_draws,
    observed_values,
)
from bayescompare.statements import OUTCOME, State, Statement
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.model_file import ModelFile

__all__ = ["predict", "simulated"]

#: Predicted ranks, 1 is best, as `modelling.ranks` gives those seen.
RANK = "rank"
#: Predicted numbers that order the algorithms, and by how much the first of two is better.
SCORE, GAP = "score", "gap"


def predict(
    method: ModelFile,
    results: Results,
    answer: Answer,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Draw the statements of new datasets by what the model has: theta, better or rank."""
    posterior = shared_sampled_posterior(answer)
    assert answer.tree is not None
    if "theta" in posterior and posterior["theta"].dims[2:] == ("statement",):
        theta = posterior["theta"]
        labels = [str(label) for label in theta["statement"].values.tolist()]
        return shared_categorical_labels(
            thinned_shared_draws(theta, draws, rng), labels, number, rng
        )
    if "better" in posterior and len(results.algorithms) == 2:
        return _by_better(posterior["better"], results, number, draws, rng)
    rank = _ranks(method, answer.tree, results, number, draws, rng)
    return _labels_of_ranks(rank, results, rng)


def _by_better(
    better: xr.DataArray,
    results: Results,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> StrArray:
    """Who is better on a new dataset; what is left of the probability is a tie."""
    a, b = results.algorithms
    both = thinned_shared_draws(better.sel(algorithm=[a, b], opponent=[a, b]), draws, rng)
    wins = np.stack([both[:, 0, 1], both[:, 1, 0]], axis=1)
    theta = np.insert(wins, 1, np.maximum(1.0 - wins.sum(axis=1), 0.0), axis=1)
    order = State.order(a, b)
    states = (order, State.equal(a, b), order.reversed())
    return shared_categorical_labels(theta, [str(state) for state in states], number, rng)


def _ranks(
    method: ModelFile,
    tree: xr.DataTree,
    results: Results,
    number: int,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Ranks on new datasets like those seen: (draws, number, algorithm, measure)."""
    name = _predicted_name(tree, results)
    seen_too = tree["posterior_predictive"].to_dataset()[name]
    rank = thinned_shared_draws(
        _ordered(_ranks_of(seen_too, results), results),
        draws,
        rng,
    )
    seen = rank.shape[1]
    if number <= seen:
        return rank[:, rng.choice(seen, size=number, replace=False)]
    import xarray as xr

    few = tree["posterior"].to_dataset().stack(sample=("chain", "draw"))
    taken = rng.choice(few.sizes["sample"], size=draws, replace=draws > few.sizes["sample"])
    drawn = few.isel(sample=taken).drop_vars(["sample", "chain", "draw"])
    posterior = drawn.rename(sample="draw").expand_dims("chain").assign_coords(draw=range(draws))
    more: list[AnyArray] = []
    while sum(part.shape[1] for part in more) < number:
        again = nuts.predict_again_from_nuts(
            method.model(results), xr.DataTree(posterior), name, rng
        )
        more.append(_ordered(_ranks_of(again, results), results).isel(chain=0).values)
    return np.concatenate(more, axis=1)[:, :number]


def _predicted_name(tree: xr.DataTree, results: Results) -> str:
    """Name of what the model predicts, if that orders the algorithms."""
    there = tree["posterior_predictive"].data_vars if "posterior_predictive" in tree else {}
    for name in (RANK, SCORE):
        if name in there and "algorithm" in there[name].dims:
            return name
    if GAP in there and "dataset" in there[GAP].dims and len(results.algorithms) == 2:
        return GAP
    raise BayescompareError(
        "predict: this model has no probability of each statement ('theta'), none that one of "
        f"two algorithms is better ('better'), and predicts no {RANK!r} or {SCORE!r} of the "
        f"algorithms on a dataset and no {GAP!r} of two; give it one of these (docs: model files)."
    )


def _ranks_of(values: xr.DataArray, results: Results) -> xr.DataArray:
    """Ranks, from a score or from the gap between two algorithms, with ties within the rope."""
    import xarray as xr
    from scipy.stats import rankdata

    if values.name == SCORE:
        axis = values.get_axis_num("algorithm")
        return values.copy(data=rankdata(-values.values, axis=axis))
    if values.name == GAP:
        if "measure" not in values.dims:
            values = values.expand_dims(measure=list(results.measures))
        values = values.sel(measure=list(results.measures))
        rope = [results[name].rope or 0.0 for name in results.measures]
        edge = xr.DataArray(rope, {"measure": values["measure"]}, ("measure",))
        first = 1.5 - 0.5 * (values > edge) + 0.5 * (values < -edge)
        both = xr.concat([first, 3.0 - first], dim="algorithm")
        return both.assign_coords(algorithm=list(results.algorithms))
    return values


def _ordered(rank: xr.DataArray, results: Results) -> xr.DataArray:
    """Ranks over dataset, algorithm and measure, in the order of the results."""
    if "measure" not in rank.dims:
        rank = rank.expand_dims(measure=list(results.measures))
    rank = rank.sel(algorithm=list(results.algorithms), measure=list(results.measures))
    return rank.transpose("chain", "draw", "dataset", "algorithm", "measure")


def _labels_of_ranks(rank: FloatArray, results: Results, rng: np.random.Generator) -> StrArray:
    """Statements that ranks show; a tie is broken by chance where the measure has no rope."""
    roped = np.array([results[name].rope is not None for name in results.measures])
    split = np.where(roped, 0.0, 0.25 * rng.random(rank.shape))
    place = np.asarray((rank + split).argsort(axis=-2))
    tied = roped & (np.ptp(rank, axis=-2) == 0.0)
    rows = np.where(tied[..., None, :], -1, place).reshape(-1, *rank.shape[-2:])
    distinct, where = np.unique(rows, axis=0, return_inverse=True)
    labels = np.array([_label(row, results) for row in distinct], dtype=np.str_)
    return labels[where.ravel()].reshape(rank.shape[:2])


def _label(orders: IntArray, results: Results) -> str:
    """Label of one statement, from the order of the algorithms on each measure."""
    names = results.algorithms
    states = (
        State.equal(*names) if order[0] < 0 else State.order(*(names[k] for k in order))
        for order in orders.T.tolist()
    )
    return str(Statement.of(*states))


def simulated(method: ModelFile, results: Results, rng: np.random.Generator) -> Results:
    """Draw once from the model's prior, and make a table of what it predicts."""
    tree = nuts.draw_prior_as_nuts(method.model(results), rng)
    if "prior_predictive" not in tree:
        raise BayescompareError(f"simulate: {method.code.where}: the model predicts nothing.")
    data, truth = tree["prior_predictive"].to_dataset(), shared_truth_in_tree(tree)
    if method.code.table is not None:
        return _table_by_hook(method, data.isel(chain=0, draw=0, drop=True), results, truth)
    if OUTCOME in data and {"dataset", "statement"} <= set(data[OUTCOME].dims):
        return shared_table_of_statements(results, shared_drawn_labels(tree), truth)
    if RANK in data and "algorithm" in data[RANK].dims and results.n_replicates is None:
        rank = _ordered(data[RANK], results).isel(chain=0, draw=0).values
        return table_of_ranks(rank, results, truth=truth)
    names = ", ".join(f"{name!r} over {data[name].dims[2:]}" for name in data.data_vars)
    raise BayescompareError(
        f"simulate: {method.code.where} predicts {names}, from which no table follows; give the "
        "file a function table(predicted, results) that returns the Results (docs: model files)."
    )


def _table_by_hook(
    method: ModelFile, predicted: xr.Dataset, results: Results, truth: xr.Dataset
) -> Results:
    """Let the file's own function make the table."""
    assert method.code.table is not None
    try:
        table: Any = method.code.table(predicted, results)
    except Exception as error:
        raise BayescompareError(
            f"{method.code.where}: table() failed: {error_in_one_line(error)}"
        ) from error
    if not isinstance(table, Results):
        raise BayescompareError(
            f"{method.code.where}: table() returned a {type(table).__name__}, not Results."
        )
    return table._with(truth=truth)


# ------------------------------------------------------------------ what more datasets would say


def weigh_more(
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
    nuts.check_compiler_for_nuts()
    model, posterior = method.model(results), answer.tree["posterior"].to_dataset()
    _refuse_latents(method, model)
    drawn, likelihood = (
        flat_draws(model, posterior),
        _likelihood_of_more(method, model),
    )
    shape, n = (posterior.sizes["chain"], posterior.sizes["draw"]), len(results.datasets)
    predictors: list[Callable[..., list[AnyArray]]] = []

    def weigh(number: int, rng: np.random.Generator) -> FloatArray:
        k = int(rng.integers(shape[0] * shape[1]))
        one = [values[k] for values in drawn]
        if not predictors:
            predictors.append(_predictor(method, model, one, int(rng.integers(2**31 - 1))))
        logs = np.zeros(shape[0] * shape[1])
        for start in range(0, number, n):
            rows = rng.permutation(n)[: number - start]
            logs += likelihood(*drawn, *predictors[0](*one))[:, rows].sum(axis=1)
        return logs.reshape(shape)

    return weigh


def _refuse_latents(method: ModelFile, model: pm.Model) -> None:
    """Refuse a model in which every dataset has a variable of its own, as a new one would."""
    dims = model.named_vars_to_dims
    own = [str(rv.name) for rv in model.free_RVs if "dataset" in (dims.get(str(rv.name)) or ())]
    if own:
        raise BayescompareError(
            f"plan: {method.code.where}: each dataset has its own {join_names(own)}, which the "
            "draws do not know for new datasets; integrate it out of the likelihood (docs: model "
            "files), or compare() a table to which datasets of simulate() were added."
        )


def _likelihood_of_more(method: ModelFile, model: pm.Model) -> Callable[..., FloatArray]:
    """Compile the log likelihood of any data at every draw."""
    dtypes = [values.dtype for values in observed_values(model)]
    number = len(model.free_RVs)
    with _named_errors(method, "its likelihood of new data cannot be compiled"):
        compiled = batched_likelihood(model)

    def likelihood(*values: AnyArray) -> FloatArray:
        data = [x.astype(kind) for x, kind in zip(values[number:], dtypes, strict=True)]
        with (
            _named_errors(method, "its likelihood of new data fails"),
            np.errstate(all="ignore"),
        ):
            return np.asarray(compiled(*values[:number], *data))

    return likelihood


@contextmanager
def _named_errors(method: ModelFile, what: str) -> Iterator[None]:
    """Turn whatever PyMC raises into one line that names the model."""
    try:
        yield
    except Exception as error:
        raise BayescompareError(
            f"plan: {method.code.where}: {what}: {error_in_one_line(error)}"
        ) from error


def _predictor(
    method: ModelFile, model: pm.Model, one: list[AnyArray], seed: int
) -> Callable[..., list[AnyArray]]:
    """Compile what draws the observed variables given the free ones, and try it on one draw."""
    from pymc.pytensorf import compile as compile_

    cannot = "it does not predict new data; a likelihood without random= is the usual reason"
    with _named_errors(method, cannot), nuts.quiet_nuts_warnings():
        function: Any = compile_(
            list(model.free_RVs),
            list(model.observed_RVs),
            random_seed=seed,
            on_unused_input="ignore",
        )
        function(*one)
    predictor: Callable[..., list[AnyArray]] = function
    return predictor
