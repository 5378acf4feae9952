"""Criticism of an answer: predictive checks, and how it changes with prior and rope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError
from bayescompare.methods.base import Method, Sampling
from bayescompare.methods.decision import decide
from bayescompare.methods.simplex import OUTCOME

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.comparison import Comparison

__all__ = ["predictive_check", "prior_sensitivity", "rope_sensitivity"]

FloatArray = NDArray[np.float64]

#: The option of each method that weighs its prior.
_WEIGHT = {"dirichlet": "strength", "network": "ess", "poisson-binomial": "b", "correlated-t": "b"}

Statistic = Callable[[FloatArray], NDArray[Any]]


def predictive_check(c: Comparison, tree: xr.DataTree, *, prior: bool = False) -> pd.DataFrame:
    """Compare statistics of the data with those of data that the model predicts."""
    group = "prior_predictive" if prior else "posterior_predictive"
    if group not in tree or "observed_data" not in tree:
        raise BayescompareError(
            f"check: the tree has no {group}: give that of draws() or sample()."
        )
    drawn, seen = tree[group].to_dataset(), tree["observed_data"].to_dataset()
    (name, *_) = map(str, seen.data_vars)
    if name == OUTCOME:
        found = _statement_statistics(c, drawn[name], seen[name])
    else:
        found = _count_statistics(tree, drawn[name], seen[name])
    rows = {}
    for label, (predicted, observed) in found.items():
        low, high = np.quantile(predicted, (0.025, 0.975))
        above = float((predicted > observed).mean() + 0.5 * (predicted == observed).mean())
        rows[label] = (observed, float(predicted.mean()), float(low), float(high), above)
    heads = ["observed", "predicted", "lower", "upper", "p"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=heads).rename_axis("statistic")


def _statement_statistics(
    c: Comparison, drawn: xr.DataArray, seen: xr.DataArray
) -> dict[str, tuple[FloatArray, float]]:
    """Number of distinct statements, and wins of the first algorithm on each measure."""
    order = ("dataset", "statement")
    predicted = drawn.transpose("chain", "draw", *order).values.astype(np.float64)
    observed = np.asarray(seen.transpose(*order).values, dtype=np.float64)
    labels = [str(label) for label in seen["statement"].values.tolist()]
    found = {
        "distinct statements": (
            (predicted.sum(axis=2) > 0).sum(axis=-1).ravel().astype(np.float64),
            float((observed.sum(axis=0) > 0).sum()),
        ),
        "largest count": (predicted.sum(axis=2).max(axis=-1).ravel(), observed.sum(axis=0).max()),
    }
    first = c.results.algorithms[0]
    for j, measure in enumerate(c.results.measures):
        leads = np.array([_leads(label, j, first) for label in labels], dtype=np.float64)
        found[f"{first} best on {measure}"] = (
            (predicted.sum(axis=2) @ leads).ravel(),
            float(observed.sum(axis=0) @ leads),
        )
    return {name: (values, float(own)) for name, (values, own) in found.items()}


def _leads(label: str, measure: int, algorithm: str) -> bool:
    states = label.split("|")
    return len(states) > measure and states[measure].split(">")[0] == algorithm


def _count_statistics(
    tree: xr.DataTree, drawn: xr.DataArray, seen: xr.DataArray
) -> dict[str, tuple[FloatArray, float]]:
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


def prior_sensitivity(c: Comparison, values: Sequence[float] | None = None) -> pd.DataFrame:
    """Ask again with the prior weighing less and more; statements as columns."""
    option = _WEIGHT.get(c.method.name)
    if option is None or c.method.samples:
        raise BayescompareError(
            f"sensitivity: method {c.method.name!r} has no weight of its prior to vary exactly "
            f"(methods with one: {', '.join(_WEIGHT)})."
        )
    if c.method.name == "network" and "network" not in c.method.provides:
        raise BayescompareError(
            "sensitivity: this answer was summed from a network by on(); ask the whole one."
        )
    chosen = np.geomspace(0.1, 10.0, 21) if values is None else np.asarray(values, dtype=float)
    if chosen.ndim != 1 or not len(chosen) or not (np.isfinite(chosen) & (chosen > 0)).all():
        raise BayescompareError(f"values={values!r}: give finite numbers > 0.")
    rows = [_probabilities(c, replace(c.method, **{option: float(v)})) for v in chosen]
    table = pd.DataFrame(rows, index=pd.Index(chosen, name=option)).fillna(0.0)
    if c.method.name == "dirichlet":
        bounds = [_bounds(c, float(v)) for v in chosen]
        table.attrs["lower"], table.attrs["upper"] = (
            list(end) for end in zip(*bounds, strict=True)
        )
    return table


def rope_sensitivity(
    c: Comparison, measure: str, ropes: Sequence[float] | None = None
) -> pd.DataFrame:
    """Ask again with other ropes on a measure; statements as columns."""
    spec = dict(c.results.spec)
    if measure not in spec:
        _ = c.results[measure]  # refuses, and says which there are
    if len(c.results.algorithms) != 2:
        raise BayescompareError("rope_sensitivity: a rope is about two algorithms.")
    if c.method.samples:
        raise BayescompareError("rope_sensitivity: the answer must not need NUTS.")
    values = np.asarray(c.results.data[measure].values, dtype=float)
    if ropes is None:
        gaps = np.abs(values[:, 0] - values[:, 1]) if values.ndim == 2 else np.ptp(values)
        ropes = np.linspace(0.0, float(np.max(gaps)) or 1.0, 21).tolist()
    rows = []
    for rope in ropes:
        changed = c.results._with(spec={**spec, measure: replace(spec[measure], rope=float(rope))})
        answer = c.method.answer(changed, Sampling(np.random.default_rng(0), 0))
        assert answer.probability is not None
        rows.append(dict(zip(answer.labels, answer.probability, strict=True)))
    return pd.DataFrame(rows, index=pd.Index(list(ropes), name="rope")).fillna(0.0)


def _probabilities(c: Comparison, method: Method) -> dict[str, float]:
    answer = method.answer(c.results, Sampling(np.random.default_rng(0), 0))
    assert answer.probability is not None
    return dict(zip(answer.labels, map(float, answer.probability), strict=True))


def _bounds(c: Comparison, strength: float) -> tuple[float, float]:
    """Lower and upper P of the leading statement over all prior means of this strength."""
    from bayescompare.methods.dirichlet import Dirichlet

    answer: Any = Dirichlet(prior="imprecise", strength=strength).answer(
        c.results, Sampling(np.random.default_rng(0), 0)
    )
    k = answer.labels.index(decide(c.answer).statement)
    return float(answer.extra["lower"][k]), float(answer.extra["upper"][k])
