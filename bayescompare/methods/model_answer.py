"""From a model's posterior to statements: which leads, by θ, by strengths or by who beats whom."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError
from bayescompare.methods.base import Answer
from bayescompare.methods.nuts import monte_carlo_error
from bayescompare.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["read_probability", "read_quantity"]

FloatArray = NDArray[np.float64]

#: Statements listed; of more those that the draws support most.
_MOST = 256


def read_quantity(results: Results, values: xr.DataArray) -> Answer:
    """Read the answer off draws of a quantity, by its dims."""
    if "statement" in values.dims:
        return _by_theta(results, values)
    if "opponent" in values.dims:
        return _by_strength(results, _wins(values))
    return _by_strength(results, values)


def read_probability(results: Results, found: Any) -> Answer:
    """Take the statements' probabilities as a model file's own function gave them."""
    if getattr(found, "dims", None) != ("statement",) or "statement" not in found.coords:
        raise BayescompareError(
            "probability() must return a DataArray over 'statement', with its labels."
        )
    labels = [str(label) for label in found["statement"].values.tolist()]
    p = np.asarray(found.values, dtype=np.float64)
    # Its Monte Carlo error is not known here; that of as many independent draws is no less honest.
    return _answer(results, labels, p, np.sqrt(np.clip(p * (1.0 - p), 1e-6, None) / 1000.0))


def _by_theta(results: Results, theta: xr.DataArray) -> Answer:
    """P(each statement's θ is the largest)."""
    drawn = theta.transpose("chain", "draw", "statement")
    values = drawn.values
    each = (values == values.max(axis=-1, keepdims=True)).astype(np.float64)
    labels = [str(label) for label in drawn["statement"].values.tolist()]
    mean = values.mean(axis=(0, 1))
    low, high = np.quantile(values.reshape(-1, len(labels)), (0.025, 0.975), axis=0)
    extra = {"theta_mean": mean, "theta_lower": low, "theta_upper": high}
    return _answer(results, labels, each.mean(axis=(0, 1)), monte_carlo_error(each), extra)


def _wins(better: xr.DataArray) -> xr.DataArray:
    """Strength of each algorithm as the mean probability of beating the others."""
    import xarray as xr

    names = better["algorithm"].values
    same = xr.DataArray(
        np.eye(len(names), dtype=bool),
        {"algorithm": names, "opponent": better["opponent"].values},
        ("algorithm", "opponent"),
    )
    return better.where(~same).mean("opponent")


def _by_strength(results: Results, strength: xr.DataArray) -> Answer:
    """P(each ordering by strength): the share of draws that have it, measure by measure."""
    over = ("measure",) if "measure" in strength.dims else ()
    names = [str(name) for name in strength["algorithm"].values.tolist()]
    values = strength.transpose("chain", "draw", *over, "algorithm").values
    order = np.argsort(-values, axis=-1, kind="stable")
    flat = order.reshape(*order.shape[:2], -1)
    seen, place = np.unique(flat.reshape(-1, flat.shape[-1]), axis=0, return_inverse=True)
    labels = [_label(row, names) for row in seen]
    each = np.zeros((place.size, len(labels)))
    each[np.arange(place.size), place.ravel()] = 1.0
    each = each.reshape(*flat.shape[:2], -1)
    if len(names) == 2 and 2 ** (flat.shape[-1] // 2) <= _MOST:
        labels, each = _every(labels, each, names, flat.shape[-1] // 2)
    kept = np.argsort(-each.mean(axis=(0, 1)), kind="stable")[:_MOST]
    each, labels = each[..., kept], [labels[k] for k in kept]
    return _answer(results, labels, each.mean(axis=(0, 1)), monte_carlo_error(each))


def _label(row: NDArray[np.int64], names: list[str]) -> str:
    parts = row.reshape(-1, len(names))
    return "|".join(">".join(names[k] for k in part) for part in parts)


def _every(
    labels: list[str], each: FloatArray, names: list[str], measures: int
) -> tuple[list[str], FloatArray]:
    """List the statements of two algorithms that no draw has, too."""
    states = (f"{names[0]}>{names[1]}", f"{names[1]}>{names[0]}")
    whole = ["|".join(parts) for parts in itertools.product(states, repeat=measures)]
    made = np.zeros((*each.shape[:2], len(whole)))
    for k, label in enumerate(labels):
        made[..., whole.index(label)] = each[..., k]
    return whole, made


def _answer(
    results: Results,
    labels: list[str],
    probability: FloatArray,
    mcse: FloatArray,
    extra: dict[str, FloatArray] | None = None,
) -> Answer:
    counts = _counts(results, labels)
    parts = [label.split("|") for label in labels]
    by_measure = all(len(part) == len(results.measures) for part in parts)
    states = tuple(zip(*parts, strict=True)) if by_measure else ()
    return Answer(
        labels=tuple(labels),
        states=states,
        counts=counts,
        size=len(labels),
        n_observed=int((counts > 0).sum()),
        probability=probability,
        mcse=mcse,
        extra=extra or {},
    )


def _counts(results: Results, labels: list[str]) -> FloatArray:
    """Weight of the datasets for each statement, where they are the usual ones; 0 elsewhere."""
    from bayescompare.statements import Statements

    if results.n_replicates is not None or any(">" not in label for label in labels):
        return np.zeros(len(labels))
    try:
        found = Statements.from_results(results)
    except BayescompareError:
        # Too many, or none, by the rules of statements; the model had its own.
        return np.zeros(len(labels))
    known = dict(zip(found.labels, found.table.counts, strict=True))
    return np.array([float(known.get(label, 0.0)) for label in labels])
