"""A model file's statements of new datasets, and tables from its prior.

What a model predicts is read by name and dims: ``theta`` over "statement" and ``better`` of two
algorithms are probabilities of statements, ``rank`` over ("dataset", "algorithm"[, "measure"]) are
predicted ranks, ``score`` over the same dims orders the algorithms (higher is better), and ``gap``
over ("dataset"[, "measure"]) is by how much the first of two is better. A table is made from a
predicted ``outcome`` over ("dataset", "statement"), from ``rank``, or by the file's own function
``table(predicted, results)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray, StrArray
from bayescompare.methods._shared.new_datasets import (
    categorical_labels,
    drawn_labels,
    sampled_posterior,
    table_of_ranks,
    table_of_statements,
    thinned_draws,
    truth_in_tree,
)
from bayescompare.methods.model_file.answer import ModelDetails
from bayescompare.methods.model_file.densities import (
    batched_likelihood,
    flat_draws,
    observed_values,
)
from bayescompare.outcome import nuts
from bayescompare.statements import OUTCOME, State, Statement
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.model_file import ModelFile, ModelPosterior
    from bayescompare.methods.model_file.source import Source


#: Predicted ranks, 1 is best, as `modelling.ranks` gives those seen.
RANK = "rank"
#: Predicted numbers that order the algorithms, and by how much the first of two is better.
SCORE, GAP = "score", "gap"


def predict(asked: ModelPosterior, number: int, draws: int, rng: np.random.Generator) -> StrArray:
    """Draw the statements of new datasets by what the model has: theta, better or rank."""
    results, posterior = asked.results, sampled_posterior(asked.answer)
    if "theta" in posterior and posterior["theta"].dims[2:] == ("statement",):
        theta = thinned_draws(posterior["theta"], draws, rng)
        labels = [str(label) for label in posterior["statement"].values.tolist()]
        return categorical_labels(theta, labels, number, rng)
    if "better" not in posterior or len(results.algorithms) != 2:
        return _labels_of_ranks(_ranks(asked, number, draws, rng), results, rng)
    # Who is better on a new dataset; what is left of the probability is a tie.
    a, b = results.algorithms
    both = posterior["better"].sel(algorithm=[a, b], opponent=[a, b])
    better = thinned_draws(both, draws, rng)
    wins = np.stack([better[:, 0, 1], better[:, 1, 0]], axis=1)
    theta = np.insert(wins, 1, np.maximum(1.0 - wins.sum(axis=1), 0.0), axis=1)
    order = State.order(a, b)
    states = (order, State.equal(a, b), order.reversed())
    return categorical_labels(theta, [str(state) for state in states], number, rng)


def _ranks(asked: ModelPosterior, number: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """Ranks on new datasets like those seen: (draws, number, algorithm, measure)."""
    import xarray as xr

    results, tree = asked.results, asked.answer.tree
    assert tree is not None
    name = _predicted_name(tree, results)
    seen = tree["posterior_predictive"].to_dataset()[name]
    rank = thinned_draws(_ranks_of(seen, results), draws, rng)
    if number <= rank.shape[1]:
        return rank[:, rng.choice(rank.shape[1], size=number, replace=False)]
    few = tree["posterior"].to_dataset().stack(sample=("chain", "draw"))
    taken = rng.choice(few.sizes["sample"], size=draws, replace=draws > few.sizes["sample"])
    drawn = few.isel(sample=taken).drop_vars(["sample", "chain", "draw"])
    posterior = xr.DataTree(
        drawn.rename(sample="draw").expand_dims("chain").assign_coords(draw=range(draws))
    )
    model, more = asked.method.model(results), list[AnyArray]()
    while sum(part.shape[1] for part in more) < number:
        again = nuts.predict_again_from_nuts(model, posterior, name, rng)
        more.append(_ranks_of(again, results).isel(chain=0).values)
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
    """Ranks over dataset, algorithm and measure, in the order of the results.

    From ranks, a score, or the gap between two algorithms, with ties within the rope.
    """
    import xarray as xr
    from scipy.stats import rankdata

    measures = list(results.measures)
    if "measure" not in values.dims:
        values = values.expand_dims(measure=measures)
    values = values.sel(measure=measures)
    if values.name == SCORE:
        axis = values.get_axis_num("algorithm")
        values = values.copy(data=rankdata(-values.values, axis=axis))
    elif values.name == GAP:
        rope = [results[name].rope or 0.0 for name in measures]
        edge = xr.DataArray(rope, {"measure": values["measure"]}, ("measure",))
        first = 1.5 - 0.5 * (values > edge) + 0.5 * (values < -edge)
        values = xr.concat([first, 3.0 - first], dim="algorithm")
        values = values.assign_coords(algorithm=list(results.algorithms))
    ordered = values.sel(algorithm=list(results.algorithms))
    return ordered.transpose("chain", "draw", "dataset", "algorithm", "measure")


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
    code = method.code
    tree = nuts.draw_prior_as_nuts(method.model(results), rng)
    if "prior_predictive" not in tree:
        raise BayescompareError(f"simulate: {code.where}: the model predicts nothing.")
    data, truth = tree["prior_predictive"].to_dataset(), truth_in_tree(tree)
    if code.table is not None:
        with code.named("table() failed"):
            table: Any = code.table(data.isel(chain=0, draw=0, drop=True), results)
        if not isinstance(table, Results):
            raise BayescompareError(
                f"{code.where}: table() returned a {type(table).__name__}, not Results."
            )
        return table._with(truth=truth)
    if OUTCOME in data and {"dataset", "statement"} <= set(data[OUTCOME].dims):
        return table_of_statements(results, drawn_labels(tree), truth)
    if RANK in data and "algorithm" in data[RANK].dims and results.n_replicates is None:
        rank = _ranks_of(data[RANK], results).isel(chain=0, draw=0).values
        return table_of_ranks(rank, results, truth=truth)
    names = ", ".join(f"{name!r} over {data[name].dims[2:]}" for name in data.data_vars)
    raise BayescompareError(
        f"simulate: {code.where} predicts {names}, from which no table follows; give the "
        "file a function table(predicted, results) that returns the Results (docs: model files)."
    )


# ------------------------------------------------------------------ what more datasets would say


def weigh_more(asked: ModelPosterior) -> Callable[[int, np.random.Generator], FloatArray]:
    """Return a function that predicts so many datasets from one draw, and weighs every draw.

    It returns the log likelihood of those datasets at every draw (chain, draw). A new dataset is
    like one of those seen, covariates included.
    """
    tree, method, n = asked.answer.tree, asked.method, len(asked.results.datasets)
    assert tree is not None
    together = ModelDetails.of(asked.answer).together
    if together is not None:
        raise BayescompareError(
            f"plan: this pair was read off one model of {join_names(together, most=4)}; compare() "
            "the two by themselves."
        )
    nuts.check_compiler_for_nuts()
    model, posterior = method.model(asked.results), tree["posterior"].to_dataset()
    dims = model.named_vars_to_dims
    own = [str(rv.name) for rv in model.free_RVs if "dataset" in (dims.get(str(rv.name)) or ())]
    if own:
        raise BayescompareError(
            f"plan: {method.code.where}: each dataset has its own {join_names(own)}, which the "
            "draws do not know for new datasets; integrate it out of the likelihood (docs: model "
            "files), or compare() a table to which datasets of simulate() were added."
        )
    drawn, kinds = flat_draws(model, posterior), [x.dtype for x in observed_values(model)]
    with method.code.named("its likelihood of new data cannot be compiled", asked="plan: "):
        likelihood = batched_likelihood(model)
    shape = posterior.sizes["chain"], posterior.sizes["draw"]
    predictors: list[Callable[..., list[AnyArray]]] = []

    def weigh(number: int, rng: np.random.Generator) -> FloatArray:
        k = int(rng.integers(shape[0] * shape[1]))
        one = [values[k] for values in drawn]
        if not predictors:
            predictors.append(_predictor(method.code, model, one, int(rng.integers(2**31 - 1))))
        logs = np.zeros(shape[0] * shape[1])
        for start in range(0, number, n):
            rows = rng.permutation(n)[: number - start]
            more = predictors[0](*one)
            data = [x.astype(kind) for x, kind in zip(more, kinds, strict=True)]
            with (
                method.code.named("its likelihood of new data fails", asked="plan: "),
                np.errstate(all="ignore"),
            ):
                logs += np.asarray(likelihood(*drawn, *data))[:, rows].sum(axis=1)
        return logs.reshape(shape)

    return weigh


def _predictor(
    code: Source, model: pm.Model, one: list[AnyArray], seed: int
) -> Callable[..., list[AnyArray]]:
    """Compile what draws the observed variables given the free ones, and try it on one draw."""
    from pymc.pytensorf import compile as compile_

    cannot = "it does not predict new data; a likelihood without random= is the usual reason"
    with code.named(cannot, asked="plan: "), nuts.quiet_nuts_warnings():
        predictor: Callable[..., list[AnyArray]] = compile_(
            list(model.free_RVs),
            list(model.observed_RVs),
            random_seed=seed,
            on_unused_input="ignore",
        )
        predictor(*one)
    return predictor
