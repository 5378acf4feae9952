"""What the answer of a model file can be asked: who leads in a draw, new datasets, tables.

What a model predicts is read by name and dims. ``theta`` over "statement" and ``better`` of two
algorithms are probabilities of statements. Of the algorithms on a dataset, over ("dataset",
"algorithm"[, "measure"]), ``rank`` are ranks, 1 the best, and ``score`` numbers of which higher is
better; over ("dataset"[, "measure"]) ``gap`` is by how much the first of two is better, and ``win``
whether it is, 1 or 0. Anything over ("dataset", "statement") is the statement of each dataset, and
so is a categorical over "dataset" in a model of statements. A file's own
``table(predicted, results)`` makes a table of anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, StrArray
from bayescompare.methods._shared.new_datasets import (
    categorical_labels,
    sampled_posterior,
    table_of_ranks,
    table_of_statements,
    thinned_draws,
    truth_in_tree,
)
from bayescompare.methods.model_file.answer import ModelDetails, hooked_leads, leading
from bayescompare.methods.model_file.densities import (
    batched_likelihood,
    bounded_prior,
    check_statements,
    flat_draws,
    observed_values,
)
from bayescompare.methods.model_file.source import MODEL_QUANTITIES
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Facts
from bayescompare.outcome.method import STATEMENTS
from bayescompare.outcome.posterior import Lack, Posterior
from bayescompare.statements import OUTCOME, State, Statement
from bayescompare.table.results import Results
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.model_file import ModelFile

#: Predictions that order the algorithms: over which dims besides "dataset" and "measure".
_ORDERS: Mapping[str, tuple[str, ...]] = {
    "rank": ("algorithm",),
    "score": ("algorithm",),
    "gap": (),
    "win": (),
}
_SAMPLES = ("chain", "draw")


class ModelPosterior(Posterior):
    """The draws of a model, read as the model says."""

    facts_type: ClassVar[type[Facts]] = ModelDetails

    method: ModelFile

    lacks: ClassVar[Mapping[str, Lack]] = {
        "draws": Lack(
            "Its posterior is known only through NUTS; the draws of its answer are in c.tree."
        )
    }

    def under_other_priors(self, values: FloatArray | None) -> None:
        """Have the draws weighed: there is no other way."""

    @property
    def data_scale(self) -> str | None:
        """What the file declares as ``DATA_SCALE``."""
        return self.method.data_scale

    def check_scale(self) -> None:
        """Refuse likelihoods of statements that do not sum to one."""
        tree = self.answer.tree
        if self.data_scale == STATEMENTS and tree is not None:
            check_statements(self.method, self.results, tree["posterior"].to_dataset())

    def pointwise(self) -> Callable[[xr.Dataset], xr.DataArray] | None:
        """Return what the file says of leaving a dataset out."""
        return self.method.pointwise(self.results)

    @property
    def undeclared(self) -> list[str]:
        """Latents of each dataset without a ``log_likelihood`` that integrates them out."""
        method = self.method
        if method.saved or method.code.log_likelihood is not None:
            return []
        return method.code.latents_of_datasets(method.model(self.results))

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Leave the tree as the model made it, but for the scale of the log prior."""
        model = self.method.model(self.results)
        return with_data(bounded_prior(tree, model), model, self.answer.counts)

    def leads(self) -> FloatArray:
        """Read each draw as the answer was read off all of them."""
        method, answer, names = self.method, self.answer, list(self.results.algorithms)
        assert answer.tree is not None
        posterior = answer.tree["posterior"].to_dataset()
        if not method.saved and (hook := method.hook(self.results)) is not None:
            return hooked_leads(hook, posterior, answer.labels)
        known = [name for name in MODEL_QUANTITIES if name in posterior] if method.saved else []
        quantity = known[0] if known else method.code.quantity_of(method.model(self.results))
        values = posterior[quantity]
        # One model of all algorithms answers every pair.
        pair = {dim: names for dim in ("algorithm", "opponent") if dim in values.dims}
        return leading(values.sel(pair)).of(answer.labels)

    def why_not(self, quantity: str) -> str:
        """Say that an answer may be about other things than strengths."""
        details = ModelDetails.of(self.answer)
        if quantity == "ahead" and (details.ahead is None or details.together is not None):
            return (
                "ahead: this answer is not about strengths of algorithms; models with 'strength' "
                "or 'better' have it."
            )
        return super().why_not(quantity)

    @property
    def ahead(self) -> xr.DataArray:
        """P(algorithm is ahead of opponent on every measure), by the model's strengths."""
        values = np.array(ModelDetails.of(self.answer).ahead, dtype=float)
        np.fill_diagonal(values, np.nan)
        names = list(self.results.algorithms)
        coords = {"algorithm": names, "opponent": names}
        return xr.DataArray(values, coords, list(coords), name="ahead", attrs=self.attrs)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Who is ahead of whom, of more than two algorithms, headed to be printed."""
        if ModelDetails.of(self.answer).ahead is None or len(self.results.algorithms) < 3:
            return {}
        names = pd.Index(self.results.algorithms, name="algorithm")
        heads = [f"P (ahead of {name})" for name in names]
        everywhere = " on every measure" if len(self.results.measures) > 1 else ""
        return {f"Who is ahead{everywhere}": pd.DataFrame(self.ahead.values, names, heads)}

    # new datasets ---------------------------------------------------------------------------------

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw the statements of new datasets by what the model has: theta, better or rank."""
        results, posterior = self.results, sampled_posterior(self.answer)
        if "theta" in posterior and posterior["theta"].dims[2:] == ("statement",):
            theta = thinned_draws(posterior["theta"], draws, rng)
            labels = [str(label) for label in posterior["statement"].values.tolist()]
            return categorical_labels(theta, labels, number, rng)
        if "better" not in posterior or len(results.algorithms) != 2:
            return _labels_of_ranks(self._ranks(number, draws, rng), results, rng)
        # Who is better on a new dataset; what is left of the probability is a tie.
        a, b = results.algorithms
        both = posterior["better"].sel(algorithm=[a, b], opponent=[a, b])
        better = thinned_draws(both, draws, rng)
        wins = np.stack([better[:, 0, 1], better[:, 1, 0]], axis=1)
        theta = np.insert(wins, 1, np.maximum(1.0 - wins.sum(axis=1), 0.0), axis=1)
        states = (State.order(a, b), State.equal(a, b), State.order(b, a))
        return categorical_labels(theta, [str(state) for state in states], number, rng)

    def _ranks(self, number: int, draws: int, rng: np.random.Generator) -> FloatArray:
        """Ranks on new datasets like those seen: (draws, number, algorithm, measure)."""
        results, tree = self.results, self.answer.tree
        assert tree is not None
        there = "posterior_predictive" in tree
        seen = tree["posterior_predictive"].to_dataset() if there else xr.Dataset()
        name = _ordered_by(seen, results)
        if name is None:
            raise BayescompareError(
                "predict: this model has no probability of each statement ('theta'), none that one "
                "of two algorithms is better ('better'), and predicts no 'rank' or 'score' of the "
                "algorithms on a dataset and no 'gap' of two; give it one of these (docs: model "
                "files)."
            )
        n = seen.sizes["dataset"]
        if number <= n:
            rank = thinned_draws(_ranks_of(seen[name], results), draws, rng)
            return rank[:, rng.choice(n, size=number, replace=False)]
        # More datasets than were seen: predicted anew, table by table, from one draw after another.
        model = self.method.model(results)
        drawn = flat_draws(model, tree["posterior"].to_dataset())
        known = len(drawn[0])
        predict = compiled_predictor(model, int(rng.integers(2**31 - 1)))
        place = [str(rv.name) for rv in model.observed_RVs].index(name)
        more = [
            np.concatenate([predict(*(v[k] for v in drawn))[place] for _ in range(0, number, n)])
            for k in rng.choice(known, size=draws, replace=draws > known)
        ]
        wide = xr.DataArray(np.stack(more)[None], dims=(*_SAMPLES, *seen[name].dims[2:]), name=name)
        named = {d: seen[d] for d in wide.dims if d in seen.coords and d not in ("dataset", "draw")}
        return _ranks_of(wide.assign_coords(named), results).isel(chain=0).values[:, :number]

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw once from the model's prior, and make a table of what it predicts."""
        results, code = self.results, self.method.code
        tree = nuts.draw_prior_as_nuts(self.method.model(results), rng)
        if "prior_predictive" not in tree:
            raise BayescompareError(f"simulate: {code.where}: the model predicts nothing.")
        truth = truth_in_tree(tree)
        data = tree["prior_predictive"].to_dataset().isel(chain=[0], draw=[0])
        if code.table is not None:
            with code.named("table() failed"):
                table: Any = code.table(data.isel(chain=0, draw=0, drop=True), results)
            if not isinstance(table, Results):
                raise BayescompareError(
                    f"{code.where}: table() returned a {type(table).__name__}, not Results."
                )
            return table._with(truth=truth)
        labels = _statements_in(data, truth)
        if labels is not None:
            return table_of_statements(results, labels, truth)
        name = _ordered_by(data, results)
        if name in ("score", "gap"):
            return _table_of_values(data[name].isel(chain=0, draw=0, drop=True), results, truth)
        if name is not None and results.n_replicates is None:
            rank = _ranks_of(data[name], results).isel(chain=0, draw=0).values
            return table_of_ranks(rank, results, truth=truth)
        names = ", ".join(f"{name!r} over {data[name].dims[2:]}" for name in data.data_vars)
        raise BayescompareError(
            f"simulate: {code.where} predicts {names}, from which no table follows; give the "
            "file a function table(predicted, results) that returns the Results (docs: model "
            "files)."
        )

    def likelihood_of_more(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Return a function that predicts so many datasets from one draw, and weighs every draw.

        It returns the log likelihood of those datasets at every draw (chain, draw). A new dataset
        is like one of those seen, covariates included.
        """
        tree, method, n = self.answer.tree, self.method, len(self.results.datasets)
        assert tree is not None
        together = ModelDetails.of(self.answer).together
        if together is not None:
            raise BayescompareError(
                f"plan: this pair was read off one model of {join_names(together, most=4)}; "
                "compare() the two by themselves."
            )
        nuts.check_compiler_for_nuts()
        code, model = method.code, method.model(self.results)
        if own := code.latents_of_datasets(model):
            raise BayescompareError(
                f"plan: {code.where}: each dataset has its own {join_names(own)}, which the "
                "draws do not know for new datasets; integrate it out of the likelihood (docs: "
                "model files), or compare() a table to which datasets of simulate() were added."
            )
        drawn = flat_draws(model, tree["posterior"].to_dataset())
        kinds = [x.dtype for x in observed_values(model)]
        with code.named("its likelihood of new data cannot be compiled", asked="plan: "):
            likelihood = batched_likelihood(model)
        shape = tree["posterior"].sizes["chain"], tree["posterior"].sizes["draw"]
        predictors: list[Callable[..., list[AnyArray]]] = []

        def weigh(number: int, rng: np.random.Generator) -> FloatArray:
            k = int(rng.integers(shape[0] * shape[1]))
            one = [values[k] for values in drawn]
            if not predictors:
                seed = int(rng.integers(2**31 - 1))
                cannot = (
                    "it does not predict new data; a likelihood without random= is the usual reason"
                )
                with code.named(cannot, asked="plan: "), nuts.quiet_nuts_warnings():
                    predictors.append(compiled_predictor(model, seed))
                    predictors[0](*one)
            logs = np.zeros(shape[0] * shape[1])
            for start in range(0, number, n):
                rows = rng.permutation(n)[: number - start]
                more = predictors[0](*one)
                data = [x.astype(kind) for x, kind in zip(more, kinds, strict=True)]
                with (
                    code.named("its likelihood of new data fails", asked="plan: "),
                    np.errstate(all="ignore"),
                ):
                    logs += np.asarray(likelihood(*drawn, *data))[:, rows].sum(axis=1)
            return logs.reshape(shape)

        return weigh


def with_data(tree: xr.DataTree, model: Any, counts: FloatArray) -> xr.DataTree:
    """Keep the model's data in the tree, and how many datasets show each statement it observes."""
    data: dict[str, Any] = {}
    for each in model.data_vars:
        values = each.get_value()
        own = [f"{each.name}_dim_{k}" for k in range(values.ndim)]
        data[str(each.name)] = (list(model.named_vars_to_dims.get(each.name) or own), values)
    outcome, labels = model.named_vars.get(OUTCOME), model.coords.get("statement") or ()
    if outcome is not None and outcome.ndim == 1 and len(labels) == len(counts):
        data["count"] = (["statement"], counts)
    used = {dim for dims, _ in data.values() for dim in dims}
    coords = {dim: list(model.coords[dim]) for dim in used if model.coords.get(dim) is not None}
    tree["constant_data"] = xr.DataTree(xr.Dataset(data, coords))
    return tree


def compiled_predictor(model: Any, seed: int) -> Callable[..., list[AnyArray]]:
    """Compile what draws the observed variables given the free ones."""
    from pymc.pytensorf import compile as compile_

    found: Callable[..., list[AnyArray]] = compile_(
        list(model.free_RVs),
        list(model.observed_RVs),
        random_seed=seed,
        on_unused_input="ignore",
    )
    return found


def _ordered_by(predicted: xr.Dataset, results: Results) -> str | None:
    """Name of what a model predicts, if that orders the algorithms."""
    for name, dims in _ORDERS.items():
        if name in predicted and (dims or len(results.algorithms) == 2):
            there = set(predicted[name].dims) - {*_SAMPLES, "measure"}
            if there == {"dataset", *dims}:
                return name
    return None


def _ranks_of(values: xr.DataArray, results: Results) -> xr.DataArray:
    """Ranks over dataset, algorithm and measure, in the order of the results.

    From ranks, a score, or who of two is better and by how much, with ties within the rope.
    """
    measures = list(results.measures)
    if "measure" not in values.dims:
        values = values.expand_dims(measure=measures)
    values = values.sel(measure=measures)
    if values.name == "score":
        axis = values.get_axis_num("algorithm")
        values = values.copy(data=rankdata(-values.values, axis=axis))
    elif values.name in ("gap", "win"):
        rope = [results[name].rope or 0.0 for name in measures]
        edge = xr.DataArray(rope, {"measure": values["measure"]}, ("measure",))
        values = values if values.name == "gap" else (2.0 * values - 1.0) * (2.0 * edge + 1.0)
        first = 1.5 - 0.5 * (values > edge) + 0.5 * (values < -edge)
        values = xr.concat([first, 3.0 - first], dim="algorithm")
        values = values.assign_coords(algorithm=list(results.algorithms))
    ordered = values.sel(algorithm=list(results.algorithms))
    return ordered.transpose(*_SAMPLES, "dataset", "algorithm", "measure")


def _labels_of_ranks(rank: FloatArray, results: Results, rng: np.random.Generator) -> StrArray:
    """Statements that ranks show; a tie is broken by chance where the measure has no rope."""
    names = results.algorithms
    roped = np.array([results[name].rope is not None for name in results.measures])
    split = np.where(roped, 0.0, 0.25 * rng.random(rank.shape))
    place = np.asarray((rank + split).argsort(axis=-2))
    tied = roped & (np.ptp(rank, axis=-2) == 0.0)
    rows = np.where(tied[..., None, :], -1, place).reshape(-1, *rank.shape[-2:])
    distinct, where = np.unique(rows, axis=0, return_inverse=True)

    def state(order: list[int]) -> State:
        return State.equal(*names) if order[0] < 0 else State.order(*(names[k] for k in order))

    labels = [str(Statement.of(*map(state, orders.T.tolist()))) for orders in distinct]
    return np.array(labels, dtype=np.str_)[where.ravel()].reshape(rank.shape[:2])


def _statements_in(predicted: xr.Dataset, truth: xr.Dataset) -> list[str] | None:
    """The statement of each dataset, where a model predicts that: as a row of ones and noughts.

    Or as its number, where the model has θ.
    """
    for drawn in predicted.data_vars.values():
        one = drawn.isel(chain=0, draw=0)
        if set(one.dims) == {"dataset", "statement"}:
            labels = one["statement"].values.tolist()
            picked = one.transpose("dataset", "statement").values.argmax(axis=1)
            return [str(labels[k]) for k in picked]
        theta = truth.get("theta")
        if one.dims == ("dataset",) and one.dtype.kind in "iu" and theta is not None:
            labels = theta["statement"].values.tolist() if "statement" in theta.dims else []
            if one.min() >= 0 and one.max() < len(labels):
                return [str(labels[k]) for k in one.values.tolist()]
    return None


def _table_of_values(predicted: xr.DataArray, results: Results, truth: xr.Dataset) -> Results:
    """Scores as values; of a gap values as those seen, moved for the first so that it is this gap.

    Without bounds, for a prior in units of the differences knows of none.
    """
    wide = predicted if "measure" in predicted.dims else predicted.expand_dims("measure", axis=-1)
    spec = {name: replace(results[name], bounds=None) for name in results.measures}
    data: dict[str, Any] = {}
    for j, (name, measure) in enumerate(spec.items()):
        values = measure.sign * wide.isel(measure=j, drop=True)
        if predicted.name == "score":
            data[name] = values.transpose("dataset", "algorithm")
            continue
        cells = results.data[name].transpose("dataset", "algorithm", ...)
        moved = cells.values.copy()
        seen = np.nanmean((moved[:, 0] - moved[:, 1]).reshape(len(moved), -1), axis=1)
        moved[:, 0] = (moved[:, 0].T + values.values - seen).T
        data[name] = (cells.dims, moved)
    kind = results.replicates if predicted.name == "gap" else "folds"
    return Results(results.data.assign(data), spec, replicates=kind)._with(truth=truth)
