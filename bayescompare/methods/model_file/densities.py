"""Log densities of a model: of any data by dataset, at many draws; and of its prior.

A file may give the log likelihood of each dataset itself, ``log_likelihood(posterior, results)``;
that of other data is compiled from the model, for plans and to check a ``DATA_SCALE``.

The prior is read on the scale that powers act on. A uniform share and a flat Dirichlet have no
density to raise to a power. That of the share's logit and of the vector's log ratios has one, and
to the power γ it means Beta(a, b) → Beta(γa, γb) and Dirichlet(α) → Dirichlet(γα), as in the trees
of the package's own methods.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.methods._shared.trees import ratio_prior
from bayescompare.methods.model_file.source import Source
from bayescompare.outcome.nuts import nuts_starts_put_aside, quiet_nuts_warnings
from bayescompare.statements import Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.model_file import ModelFile


_DIMS = ("chain", "draw", "dataset")
#: Statements up to which all are tried for a scale; each takes a model to be built.
MOST_TRIED = 64
#: Draws at which they are.
_DRAWS = 3
#: A sum may miss one by this, as quadrature in a likelihood does.
_ROUNDING = 1e-4


def hooked_likelihood(
    source: Source, results: Results, priors: Mapping[str, Any]
) -> Callable[[xr.Dataset], xr.DataArray]:
    """Return a file's function as one of the posterior alone.

    It is called with the posterior, the results and those of the priors that it names.
    """
    hook = source.log_likelihood
    assert hook is not None
    named = inspect.signature(hook).parameters
    given = {name: value for name, value in priors.items() if name in named}

    def likelihood(posterior: xr.Dataset) -> xr.DataArray:
        with source.named("log_likelihood() failed"):
            array = hook(posterior, results, **given)
        return _checked_likelihood(array, source.where, results)

    return likelihood


def _checked_likelihood(array: Any, where: str, results: Results) -> xr.DataArray:
    dims = set(getattr(array, "dims", ()))
    if dims != set(_DIMS) or array.sizes["dataset"] != len(results.datasets):
        raise BayescompareError(
            f"{where}: log_likelihood() must return a DataArray over 'chain', 'draw' and the "
            f"{len(results.datasets)} datasets; it has {tuple(sorted(map(str, dims))) or 'none'}."
        )
    if not bool(np.isfinite(array).all()):
        raise BayescompareError(
            f"{where}: log_likelihood() gave values that are not finite; a log density is."
        )
    ordered: xr.DataArray = array.transpose(*_DIMS).assign_coords(dataset=list(results.datasets))
    return ordered


def batched_likelihood(model: pm.Model) -> Any:
    """Compile the log likelihood (draw, dataset) of the free variables' draws and of any data.

    The function takes the free variables, each with draws in front, then the data of each observed
    variable.
    """
    import pytensor.tensor as pt
    from pymc.model.transform.conditioning import remove_value_transforms
    from pymc.pytensorf import compile as compile_
    from pytensor.compile.mode import Mode
    from pytensor.graph.replace import graph_replace, vectorize_graph

    with nuts_starts_put_aside(model):
        plain = remove_value_transforms(model)
    # The copy may have its variables in another order.
    observed, free = (
        [plain[str(rv.name)] for rv in rvs] for rvs in (model.observed_RVs, model.free_RVs)
    )
    values = [plain.rvs_to_values[rv] for rv in observed]
    data = [pt.tensor(dtype=v.dtype, shape=(None,) * v.ndim) for v in values]
    with plain:
        terms = plain.logp(observed, sum=False)
    total: Any = sum(map(_term_by_dataset, [plain] * len(terms), observed, terms))
    replaced = graph_replace([total], dict(zip(values, data, strict=True)), strict=False)[0]
    places = [plain.rvs_to_values[rv] for rv in free]
    drawn = [pt.tensor(dtype=v.dtype, shape=(None, *v.type.shape)) for v in places]
    with quiet_nuts_warnings():
        every = vectorize_graph(replaced, dict(zip(places, drawn, strict=True)))
        # Numba would compile for many seconds, and fails on selections that are empty.
        mode = Mode("cvm", "fast_run")
        return compile_([*drawn, *data], every, on_unused_input="ignore", mode=mode)


def _term_by_dataset(model: pm.Model, rv: Any, term: Any) -> Any:
    dims = list(model.named_vars_to_dims.get(rv.name) or ())
    if "dataset" not in dims or dims.index("dataset") >= term.ndim:
        raise BayescompareError(
            f"the likelihood {rv.name!r} is not one for each dataset; give it the dim 'dataset'."
        )
    axis = dims.index("dataset")
    return term.sum(axis=[k for k in range(term.ndim) if k != axis])


def flat_draws(model: pm.Model, posterior: xr.Dataset) -> list[AnyArray]:
    """Draws of every free variable, (chain · draw, …)."""
    drawn = []
    for rv in model.free_RVs:
        values = posterior[str(rv.name)].transpose("chain", "draw", ...).values
        drawn.append(values.reshape(-1, *values.shape[2:]).astype(rv.dtype))
    return drawn


def observed_values(model: pm.Model) -> list[AnyArray]:
    """The data of every observed variable."""
    values = [model.rvs_to_values[rv] for rv in model.observed_RVs]
    return [_value_of(v) for v in values]


def _value_of(value: Any) -> AnyArray:
    """A constant, shared data, or shared data that PyMC has cast to the variable's type."""
    if hasattr(value, "data"):
        return np.asarray(value.data)
    if hasattr(value, "get_value"):
        return np.asarray(value.get_value())
    return np.asarray(value.eval(mode="FAST_COMPILE"))


# -------------------------------------------------------- likelihoods of statements sum to one


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
            f"likelihoods of all statements of a dataset sum to {statistic_number_text(worst)}, "
            "not 1; other "
            "models of statements cannot be compared with it."
        )


def statement_totals(method: ModelFile, results: Results, posterior: xr.Dataset) -> FloatArray:
    """Sum the likelihoods of every statement (draw, dataset) at a few draws of the posterior."""
    model = method.model(results)
    likelihood, drawn = batched_likelihood(model), flat_draws(model, posterior)
    step = max(1, len(drawn[0]) // _DRAWS)
    few = [values[::step][:_DRAWS] for values in drawn]
    every = (
        method.model(_table_showing(label, results)) for label in Statements.of(results).labels
    )
    return np.asarray(sum(np.exp(likelihood(*few, *observed_values(one))) for one in every))


def _table_showing(label: str, results: Results) -> Results:
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


# --------------------------------------------------------------------------------- the log prior


def bounded_prior(tree: xr.DataTree, model: pm.Model) -> xr.DataTree:
    """Take the log prior of what has two bounds as that of its logit, and of vectors as of ratios.

    Only priors at the top of the hierarchy, which are those that are scaled; a half-bounded
    parameter keeps the density that was written.
    """
    from pymc.logprob.transforms import SimplexTransform

    vectors = []
    for name in np.atleast_1d(tree["log_prior"].attrs["top_level"]).tolist():
        # An edited model may have other variables.
        if name not in model.named_vars:
            continue
        rv = model[name]
        transform = model.rvs_to_transforms.get(rv)
        if isinstance(transform, SimplexTransform):
            vectors.append(name)
        elif (bounds := _bounds(rv, transform)) is not None:
            tree = _logit_scaled(tree, name, *bounds)
    return ratio_prior(tree, vectors)


def _bounds(rv: Any, transform: Any) -> tuple[Any, Any] | None:
    """Both ends of where a variable lies; None where it has no two."""
    from pymc.logprob.transforms import IntervalTransform, LogOddsTransform

    if isinstance(transform, LogOddsTransform):
        return 0.0, 1.0
    if not isinstance(transform, IntervalTransform):
        return None
    low, high = transform.args_fn(*rv.owner.inputs)
    if low is None or high is None:
        return None
    # A variable at the top has bounds that are no random variables.
    return low.eval(), high.eval()


def _logit_scaled(tree: xr.DataTree, name: str, low: Any, high: Any) -> xr.DataTree:
    import xarray as xr

    prior, value = tree["log_prior"].to_dataset(), tree["posterior"][name]
    prior[name] = prior[name] + np.log(value - low) + np.log(high - value)
    tree["log_prior"] = xr.DataTree(prior)
    return tree
