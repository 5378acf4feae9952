"""From a model's posterior to statements: which leads, by θ, by strengths or by who beats whom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError
from bayescompare.methods.base import Answer
from bayescompare.methods.nuts import monte_carlo_error
from bayescompare.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["OTHERS", "read_probability", "read_quantity"]

FloatArray = NDArray[np.float64]

#: Statements listed; of more those that the draws support most.
_MOST = 256
#: Who comes after the first, where the whole order would be one of too many.
OTHERS = "others"


def read_quantity(results: Results, values: xr.DataArray) -> Answer:
    """Read the answer off draws of a quantity, by its dims."""
    if "statement" in values.dims:
        return _by_theta(results, values)
    if "opponent" in values.dims:
        beats = values > values.rename(algorithm="opponent", opponent="algorithm")
        return _by_strength(results, _wins(values), beats)
    beats = values > values.rename(algorithm="opponent")
    return _by_strength(results, values, beats)


def read_probability(results: Results, found: Any) -> Answer:
    """Take the statements' probabilities as a model file's own function gave them."""
    if getattr(found, "dims", None) != ("statement",) or "statement" not in found.coords:
        raise BayescompareError(
            "probability() must return a DataArray over 'statement', with its labels."
        )
    labels = [str(label) for label in found["statement"].values.tolist()]
    p = np.asarray(found.values, dtype=np.float64)
    if not (np.isfinite(p) & (p > -1e-9) & (p < 1.0 + 1e-9)).all():
        raise BayescompareError(
            f"probability() gave {', '.join(f'{v:.3g}' for v in p[:6])}: each must lie between 0 "
            "and 1."
        )
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


def _by_strength(results: Results, strength: xr.DataArray, beats: xr.DataArray) -> Answer:
    """P(each ordering by strength), measure by measure; of too many, P(who is first on each).

    Either way the matrix of who is ahead of whom on every measure goes with it.
    """
    over = ("measure",) if "measure" in strength.dims else ()
    names = [str(name) for name in strength["algorithm"].values.tolist()]
    values = strength.transpose("chain", "draw", *over, "algorithm").values
    order = np.argsort(-values, axis=-1, kind="stable").reshape(*values.shape[:2], -1, len(names))
    measures = order.shape[2]
    whole = math.factorial(len(names)) ** measures <= _MOST
    seen = order if whole else order[..., :1]
    labels, each = _shares(seen, names)
    if len(names) == 2 and whole:
        labels, each = _every(labels, each, names, measures)
    counts = None if whole else _first_counts(results, labels)
    answer = _answer(results, labels, each.mean(axis=(0, 1)), monte_carlo_error(each), None, counts)
    ahead = beats.all(over).mean(("chain", "draw")).transpose("algorithm", "opponent")
    return replace(answer, details={"ahead": ahead.values.tolist()})


def _shares(seen: NDArray[np.intp], names: list[str]) -> tuple[list[str], FloatArray]:
    """The statements that draws support, the most frequent 256, and which draw has which."""
    flat = seen.reshape(-1, seen.shape[-2] * seen.shape[-1])
    rows, place, counts = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    kept = np.argsort(-counts, kind="stable")[:_MOST]
    each = (place.reshape(-1, 1) == kept).astype(np.float64)
    labels = [_label(rows[k].reshape(seen.shape[-2:]), names) for k in kept]
    return labels, each.reshape(*seen.shape[:2], -1)


def _label(rows: NDArray[np.intp], names: list[str]) -> str:
    rest = [] if rows.shape[-1] > 1 else [OTHERS]
    return "|".join(">".join([*(names[k] for k in row), *rest]) for row in rows)


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


def _first_counts(results: Results, labels: Sequence[str]) -> FloatArray | None:
    """Weight of the datasets on which these are first; who tie for it share it."""
    parts = [label.split("|") for label in labels]
    if results.n_replicates is not None or len(parts[0]) != len(results.measures):
        return None
    values = results.oriented()
    first = values == values.max(axis=1, keepdims=True)
    weight = first / first.sum(axis=1, keepdims=True)
    place = {f"{name}>{OTHERS}": k for k, name in enumerate(results.algorithms)}
    leaders = [[place[state] for state in part] for part in parts]
    columns = range(len(results.measures))
    return np.array([weight[:, row, columns].prod(axis=-1).sum() for row in leaders])


def _answer(
    results: Results,
    labels: list[str],
    probability: FloatArray,
    mcse: FloatArray,
    extra: dict[str, FloatArray] | None = None,
    counts: FloatArray | None = None,
) -> Answer:
    counts = _counts(results, labels) if counts is None else counts
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
