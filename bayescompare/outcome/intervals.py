"""Posterior intervals of how often each statement holds: any mass, equal-tailed or shortest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from bayescompare._checks import check_word, is_number
from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.intervals import (
    Betas,
    IntervalKind,
    draws_interval,
    quantile_interval,
)
from bayescompare.outcome.columns import THETA_MEAN

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.outcome.comparison import Comparison


#: Draws for intervals that have no closed form.
_DRAWS, _CHAINS = 5000, 4


class Interval(NamedTuple):
    """Which interval: its mass, and whether it is equal-tailed or the shortest."""

    ci_prob: float
    ci_kind: IntervalKind


#: The interval that answers store.
STORED = Interval(0.95, "eti")


def interval_choice(ci_prob: object, ci_kind: object) -> Interval:
    """Check the two, and take from ``arviz.rcParams`` what is None, as arviz-stats does."""
    if ci_prob is None or ci_kind is None:
        # Only here: importing this package does not import ArviZ.
        from arviz_base import rcParams

        ci_prob = rcParams["stats.ci_prob"] if ci_prob is None else ci_prob
        ci_kind = rcParams["stats.ci_kind"] if ci_kind is None else ci_kind
    check_word("ci_kind", ci_kind, ("eti", "hdi"))
    if not (is_number(ci_prob) and 0.0 < float(ci_prob) < 1.0):
        raise BayescompareError(
            f"ci_prob={ci_prob!r}: give the probability inside the interval, between 0 and 1."
        )
    return Interval(float(ci_prob), "eti" if ci_kind == "eti" else "hdi")


def statement_intervals(
    c: Comparison, ci_prob: float | None, ci_kind: IntervalKind | None, rng: Rng
) -> pd.DataFrame:
    """Return mean and interval of every statement's share of datasets."""
    asked = interval_choice(ci_prob, ci_kind)
    mean = c.answer.per_statement.get(THETA_MEAN)
    if mean is None:
        raise QuantityNotAvailableError(
            f"intervals: this answer of method {c.method.name!r} has no share of datasets for each "
            "statement; for the parameters of a sampled model see arviz.summary(c.tree, ci_prob=, "
            "ci_kind=)."
        )
    low, high, exact = _comparison_interval_ends(c, asked, rng)
    # A statement that the draws lump together with others has a mean, but no interval.
    columns = {"mean": mean, "lower": low, "upper": high}
    table = pd.DataFrame(columns, index=pd.Index(c.answer.labels, name="statement"))
    by = np.argsort(-np.nan_to_num(np.asarray(mean)), kind="stable")
    table = table.iloc[by]
    table.attrs.update(ci_prob=asked.ci_prob, ci_kind=asked.ci_kind, exact=exact)
    return table


def _comparison_interval_ends(
    c: Comparison, asked: Interval, rng: Rng
) -> tuple[FloatArray, FloatArray, bool]:
    """Both ends for every statement, and whether they are exact."""
    betas = c.posterior.shares()
    if betas is not None:
        both = np.array([_comparison_interval_of_betas(asked, each) for each in betas])
        return both[:, 0], both[:, 1], True
    low, high = draws_interval(_draw_comparison_intervals(c, rng), asked.ci_prob, asked.ci_kind)
    return low, high, False


def _comparison_interval_of_betas(asked: Interval, betas: Betas) -> tuple[float, float]:
    if not (np.isfinite(betas.first).all() and np.isfinite(betas.second).all()):
        # Among infinitely many statements one that is not observed has none of the mass.
        return (0.0, 0.0) if np.isfinite(betas.first).all() else (math.nan, math.nan)
    return quantile_interval(betas.quantile, asked.ci_prob, asked.ci_kind)


def _draw_comparison_intervals(c: Comparison, rng: Rng) -> FloatArray:
    """Draws of every listed statement's share of datasets, (draw, statement)."""
    tree: Any = c.answer.tree
    if tree is None:
        # A seed of its own, so that the same question has the same answer.
        generator, _ = as_rng(rng, default=0)
        tree = c.draws(_DRAWS, chains=_CHAINS, rng=generator)
    posterior: xr.Dataset = tree["posterior"].to_dataset()
    drawn = posterior.stack(sample=("chain", "draw"))
    # Of domains, φ of the average one; of two algorithms alone, the share of the first.
    over = [name for name in ("phi", "theta") if name in drawn and "statement" in drawn[name].dims]
    if not over:
        rate = drawn["r" if "r" in drawn else "q"].values
        return np.stack([rate, 1.0 - rate], axis=1)
    shares = (
        drawn[over[0]].reindex(statement=list(c.answer.labels)).transpose("sample", "statement")
    )
    return np.asarray(shares.values, dtype=np.float64)
