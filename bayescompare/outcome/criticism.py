"""Criticism of an answer: predictive checks, and how it changes with prior and rope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._checks import check_flag
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.outcome import registry
from bayescompare.outcome.abilities import has_ability
from bayescompare.outcome.method import Sampling, is_bayesian
from bayescompare.outcome.of_posterior import FACTORS
from bayescompare.outcome.tree import check_tree
from bayescompare.statements import OTHER, OUTCOME, Statement

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.outcome.comparison import Comparison


Statistic = Callable[[FloatArray], AnyArray]
#: A statistic's name → its values in predicted data and in those seen (there one for each
#: prediction where ties are broken by chance).
Statistics = Mapping[str, Sequence[Any]]


def predictive_check(
    c: Comparison, tree: xr.DataTree, *, prior: bool = False, rng: Rng = None
) -> pd.DataFrame:
    """Compare statistics of the data with those of data that the model predicts."""
    check_flag(prior=prior)
    generator, _ = as_rng(rng)
    group = "prior_predictive" if prior else "posterior_predictive"
    check_tree(tree, group)
    check_tree(tree, "observed_data")
    statistics = getattr(c.posterior, "statistics", None)
    own = None if statistics is None else statistics(tree, generator, prior=prior)
    statistics = _usual_criticism_statistics(c, tree, group, generator) if own is None else own
    rows = {}
    for label, (predicted, observed) in statistics.items():
        low, high = np.quantile(predicted, (0.025, 0.975))
        above = float(np.mean(predicted > observed) + 0.5 * np.mean(predicted == observed))
        rows[label] = (np.mean(observed), predicted.mean(), low, high, above)
    heads = ["observed", "predicted", "lower", "upper", "p"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=heads).rename_axis("statistic")


def _usual_criticism_statistics(
    c: Comparison, tree: xr.DataTree, group: str, rng: np.random.Generator
) -> Statistics:
    """Statistics that suit what was observed: statements, counts of errors, or anything."""
    drawn, seen = tree[group].to_dataset(), tree["observed_data"].to_dataset()
    (name, *_) = map(str, seen.data_vars)
    if name == OUTCOME and "statement" in seen[name].dims:
        prior = group == "prior_predictive"
        return _statement_criticism_statistics(c, drawn[name], seen[name], rng, prior=prior)
    if "constant_data" in tree and "discordant" in tree["constant_data"]:
        return _count_criticism_statistics(tree, drawn[name], seen[name])
    return _any_criticism_statistics(drawn, seen)


def _statement_criticism_statistics(
    c: Comparison,
    drawn: xr.DataArray,
    seen: xr.DataArray,
    rng: np.random.Generator,
    *,
    prior: bool,
) -> Statistics:
    """Number of distinct statements, and wins of the first algorithm on each measure."""
    order = ("dataset", "statement")
    predicted = drawn.transpose("chain", "draw", *order).values.astype(np.float64)
    observed = np.asarray(seen.transpose(*order).values, dtype=np.float64)
    labels = [str(label) for label in seen["statement"].values.tolist()]
    seen_each = _untie_observed_for_criticism(
        observed, predicted.shape[0] * predicted.shape[1], rng
    )
    counts = predicted.sum(axis=2).reshape(len(seen_each), -1), seen_each.sum(axis=1)
    if OTHER in labels:
        # Lumped statements cannot be distinguished: neither who wins nor how many there are.
        kept = [k for k, label in enumerate(labels) if label != OTHER]
        if prior:
            raise BayescompareError(
                "check: beyond 256 statements the prior predicts mostly statements that are not "
                "listed, so there is no statistic to compare; use fewer algorithms or measures."
            )
        return {"largest count of a listed statement": [n[:, kept].max(axis=1) for n in counts]}
    statistics: dict[str, Sequence[Any]] = {
        "distinct statements": [(n > 0).sum(axis=1).astype(np.float64) for n in counts],
        "largest count": [n.max(axis=1) for n in counts],
    }
    first = c.results.algorithms[0]
    for j, measure in enumerate(c.results.measures):
        leads = np.array(
            [_leads_for_criticism(label, j, first) for label in labels], dtype=np.float64
        )
        statistics[f"{first} best on {measure}"] = [n @ leads for n in counts]
    return statistics


def _untie_observed_for_criticism(
    observed: FloatArray, size: int, rng: np.random.Generator
) -> FloatArray:
    """Draw, for each prediction, which statement every dataset shows; ties are broken by chance.

    Predictions hold one statement each: a tie split over several is not what they are like.
    """
    ends = np.cumsum(observed, axis=1)
    at = rng.random((size, len(observed), 1)) * ends[:, -1:]
    chosen = (at >= ends).sum(axis=-1)
    return np.eye(observed.shape[1])[chosen]


def _any_criticism_statistics(drawn: xr.Dataset, seen: xr.Dataset) -> Statistics:
    """Statistics of what the user's model observes: mean, spread and extremes."""
    figures: dict[str, Sequence[Any]] = {}
    statistics: dict[str, Callable[..., Any]] = {
        "mean": np.mean,
        "standard deviation": np.std,
        "least": np.min,
        "greatest": np.max,
    }
    for name in map(str, seen.data_vars):
        order = seen[name].dims
        predicted = drawn[name].transpose("chain", "draw", *order).values.astype(np.float64)
        predicted = predicted.reshape(-1, int(np.prod(predicted.shape[2:])))
        observed = np.asarray(seen[name].values, dtype=np.float64)
        for label, of in statistics.items():
            figures[f"{label} of {name}"] = (of(predicted, axis=1), float(of(observed)))
    return figures


def _leads_for_criticism(label: str, measure: int, algorithm: str) -> bool:
    leaders = Statement.parse(label).leaders
    return len(leaders) > measure and leaders[measure] == algorithm


def _count_criticism_statistics(
    tree: xr.DataTree, drawn: xr.DataArray, seen: xr.DataArray
) -> Statistics:
    """Of counts of errors: datasets won, the overall share, and how much the shares vary."""
    n = np.asarray(tree["constant_data"].to_dataset()["discordant"].values, dtype=np.float64)
    predicted = drawn.transpose("chain", "draw", "dataset").values.astype(np.float64)
    observed = seen.values.astype(np.float64)
    some = np.maximum(n, 1.0)
    statistics: dict[str, Statistic] = {
        "datasets with fewer errors of the first": lambda k: (2.0 * k < n).sum(axis=-1),
        "share of errors that are the first's": lambda k: k.sum(axis=-1) / max(n.sum(), 1.0),
        "spread of that share over datasets": lambda k: (k / some).std(axis=-1),
    }
    return {
        name: (np.ravel(of(predicted)).astype(np.float64), float(of(observed)))
        for name, of in statistics.items()
    }


def prior_sensitivity_criticism(
    c: Comparison, values: Sequence[float] | None = None
) -> pd.DataFrame:
    """Repeat the comparison with weaker and stronger priors; statements are columns."""
    if reason := no_prior_weight_criticism(c):
        raise BayescompareError(f"sensitivity: {reason}")
    chosen = None if values is None else _numbers_for_criticism("values", values)
    if chosen is not None and not (chosen > 0).all():
        raise BayescompareError(f"values={values!r}: give finite numbers > 0.")
    other_priors = getattr(c.posterior, "under_other_priors", None)
    varied: pd.DataFrame | None = None if other_priors is None else other_priors(chosen)
    if varied is not None:
        return varied
    varied = _under_other_options(c, FACTORS if chosen is None else chosen)
    if varied is not None:
        return varied
    from bayescompare.outcome.reweighting import power_scaled

    return power_scaled(c, None if chosen is None else chosen.tolist())


def _under_other_options(c: Comparison, values: FloatArray) -> pd.DataFrame | None:
    """Answer again with other values of the option that weighs the prior, where there is one."""
    method: Any = c.method
    option = c.posterior.weighed_by
    if option is None or method.needs_mcmc or c.answer.tree is not None:
        return None
    rest = {k: v for k, v in (getattr(method, "priors", None) or {}).items() if k != option}
    rows = []
    for value in values.tolist():
        try:
            weighed = replace(method, **{option: value}, priors=rest or None)
        except BayescompareError as error:
            raise BayescompareError(
                f"sensitivity: the weight of this prior cannot be varied by {option}: {error}"
            ) from None
        found = weighed.answer(c.results, Sampling(np.random.default_rng(0), seed=0))
        rows.append(dict(zip(found.labels, map(float, found.probability), strict=True)))
    return pd.DataFrame(rows, index=pd.Index(values, name=option)).fillna(0.0)


def no_prior_weight_criticism(c: Comparison) -> str:
    """Why the weight of a method's prior cannot be varied; nothing where it can."""
    method = c.method
    if not has_ability(type(method), "sensitivity"):
        named = [
            name for name in registry.names() if has_ability(registry.get(name), "sensitivity")
        ]
        return (
            f"method {method.name!r} has no weight of its prior to vary (methods with one: "
            f"{', '.join(named)})."
        )
    return c.posterior.why_not("sensitivity")


def no_rope_criticism(c: Comparison) -> str:
    """Why the rope of an answer cannot be varied; nothing where it can."""
    if len(c.results.algorithms) != 2:
        return "a rope is about two algorithms."
    if c.method.needs_mcmc:
        return "the answer must not need NUTS."
    if not is_bayesian(c.method) or c.method.accepts.judges == "counts" or c.method.scope.question:
        return (
            f"method {c.method.name!r} has no probability of equivalence for a rope to change; "
            "ask 'dirichlet', 'network' or 'correlated-t'."
        )
    return c.posterior.why_not("rope_sensitivity")


def rope_sensitivity_criticism(
    c: Comparison, measure: str, ropes: Sequence[float] | None = None
) -> pd.DataFrame:
    """Repeat the comparison with other ropes on a measure; statements are columns."""
    spec = dict(c.results.spec)
    if measure not in c.results:
        _ = c.results[measure]  # refuses, and says which there are
    if reason := no_rope_criticism(c):
        raise BayescompareError(f"rope_sensitivity: {reason}")
    chosen = (
        _usual_ropes_for_criticism(c, measure)
        if ropes is None
        else _numbers_for_criticism("ropes", ropes)
    )
    if not (chosen >= 0).all():
        raise BayescompareError(f"ropes={ropes!r}: a rope is a number >= 0.")
    rows = []
    for rope in chosen.tolist():
        changed = c.results._with(spec={**spec, measure: replace(spec[measure], rope=float(rope))})
        # What was learned knows the states of the measures as they were.
        answer = c.method.learn(()).answer(changed, Sampling(np.random.default_rng(0), seed=0))
        assert answer.probability is not None
        rows.append(dict(zip(answer.labels, answer.probability, strict=True)))
    return pd.DataFrame(rows, index=pd.Index(chosen.tolist(), name="rope")).fillna(0.0)


def _usual_ropes_for_criticism(c: Comparison, measure: str) -> FloatArray:
    """From none to the largest difference on a dataset (of replicates: of their pairs)."""
    values = c.results.data[measure].transpose("dataset", "algorithm", ...).values
    gap = float(np.nanmax(np.abs(values[:, 0] - values[:, 1])))
    return np.linspace(0.0, gap or 1.0, 21)


def _numbers_for_criticism(name: str, value: object) -> FloatArray:
    """Read a list of finite numbers."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if (
        isinstance(value, str)
        or numbers.ndim != 1
        or not len(numbers)
        or not np.isfinite(numbers).all()
    ):
        raise BayescompareError(f"{name}={value!r}: give a list of finite numbers.")
    return numbers
