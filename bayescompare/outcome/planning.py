"""Would more datasets settle it, or more replicates? Simulated, and answered exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import (
    MOST_COUNT,
    MOST_DRAWS,
    check_count,
    is_number,
    is_whole,
    show_checked_value,
)
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare._version import __version__
from bayescompare.outcome.criticism import (
    LEAST_EFFECTIVE,
    leads_for_reweighting,
    smoothed_reweighting,
)
from bayescompare.outcome.diagnosis import MOST_KHAT
from bayescompare.text.numbers import count, plural, whole_number_text

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.table.results import Results


#: From so many simulated datasets (or times as many replicates) to P of every statement.
Simulate = Callable[[Any, np.random.Generator], FloatArray]


def check_plan(more: object, threshold: object, simulations: object) -> list[int]:
    """Check the arguments of ``plan``; return the numbers of further datasets."""
    wanted = "numbers of further datasets, each"
    numbers = _numbers_to_plan("more", more, wanted, lambda each: is_whole(each) and each >= 1)
    if not (is_number(threshold) and 0.5 < threshold < 1.0):
        raise BayescompareError(f"threshold={threshold!r}: must lie between 0.5 and 1.")
    check_count(simulations=simulations)
    return [int(number) for number in numbers]


def check_planning_factors(more: object, replicates: object) -> list[float]:
    """Check the factors by which ``plan`` multiplies replicates."""
    if more is not None:
        raise BayescompareError(
            f"more={show_checked_value(more)} and replicates={show_checked_value(replicates)}: "
            "plan more datasets or more replicates, one at a time."
        )
    wanted = "factors by which to multiply the replicates of every dataset, each"
    return _numbers_to_plan("replicates", replicates, wanted, lambda each: each >= 1.0)


def _numbers_to_plan(
    name: str, given: object, wanted: str, holds: Callable[[float], bool]
) -> list[float]:
    listed = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str)
    numbers: list[Any] = list(given) if listed else [given]  # type: ignore[call-overload]
    if not numbers:
        raise BayescompareError(f"{name}=[]: give at least one number.")
    if not all(is_number(each) and holds(each) and each <= MOST_COUNT for each in numbers):
        raise BayescompareError(
            f"{name}={show_checked_value(given)}: give {wanted} >= 1 and at most "
            f"{whole_number_text(MOST_COUNT)}."
        )
    return [float(each) for each in numbers]


def plan_table(
    simulate: Simulate,
    best: int,
    more: Sequence[float],
    threshold: float,
    simulations: int,
    rng: np.random.Generator,
    *,
    name: str = "more",
) -> pd.DataFrame:
    """Tabulate how often so many further datasets, or replicates, settle the question.

    Parameters
    ----------
    simulate : callable
        Adds so many datasets to those seen and returns every statement's P.
    best : int
        Which statement leads now.
    more, threshold, simulations, rng
        As for `Comparison.plan`.
    name : str
        What the numbers are called.
    """
    rows = []
    for number in more:
        reached = np.empty((simulations, 2))
        for k, stream in enumerate(rng.spawn(simulations)):
            p = simulate(number, stream)
            reached[k] = p.max() >= threshold, p[best] >= threshold
        settled, on_best = reached.mean(axis=0)
        # Laplace's rule keeps the error of 0 and 1 from being none.
        smooth = (settled * simulations + 1.0) / (simulations + 2.0)
        error = math.sqrt(smooth * (1.0 - smooth) / simulations)
        rows.append((number, settled, on_best, error))
    heads = [name, "settled", "settled_on_best", "mcse"]
    return pd.DataFrame(rows, columns=heads).set_index(name)


#: The share of simulations whose weights may fail; it counts as error.
_MOST_FAILED = 0.05


def reweighted_plan(
    c: Comparison,
    best: int,
    more: Sequence[int],
    threshold: float,
    simulations: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Tabulate how often so many further datasets settle the question; see `Comparison.plan`.

    Predicted datasets are added by weights; it gives up where too many of these fail.
    """
    posterior: Any = c.posterior
    weigh, each = posterior.likelihood_of_more(), leads_for_reweighting(c, "plan")
    effective: list[float] = []
    failed = 0

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        nonlocal failed
        weights = smoothed_reweighting(weigh(number, rng))
        effective.append(weights.effective)
        failed += not weights.hold
        if failed > max(1.0, _MOST_FAILED * simulations):
            held = more[: len(parts)]
            fine = f" (here {max(held)} is fine)" if held else ""
            raise BayescompareError(
                f"plan: {plural(number, 'more dataset')} would move the posterior too far for its "
                f"{count(each[..., 0].size)} draws to be reweighted: in "
                f"{plural(failed, 'simulation')} of the first {count(len(effective))}, k-hat is "
                f"above {MOST_KHAT} or fewer than {LEAST_EFFECTIVE} draws are left. Ask for fewer "
                f"datasets{fine}, or sample more draws (sampler={{'draws': ...}})."
            )
        return weights.mean(each)

    parts, shares, ess = [], [], []
    for number in more:
        effective.clear()
        failed = 0
        parts.append(plan_table(simulate, best, [number], threshold, simulations, rng))
        shares.append(failed / simulations)
        ess.append(float(np.median(effective)))
    table = pd.concat(parts)
    table["mcse"] = np.hypot(table["mcse"], shares)
    table.attrs.update(how="reweighted draws", failed=shares, ess=ess)
    return table


def predict_for_comparison(c: Comparison, n: int, draws: int, rng: Rng) -> xr.DataArray:
    """Draw the statements of n new datasets, with how they were drawn as attributes."""
    check_count(n=n, draws=draws)
    assert is_whole(n)
    if n * draws > MOST_DRAWS:
        raise BayescompareError(
            f"n={n} for draws={draws}: at most {whole_number_text(MOST_DRAWS)} predictions in "
            "total."
        )
    generator, seed = as_rng(rng)
    posterior: Any = c.posterior
    labels = posterior.predict(int(n), int(draws), generator)
    attrs = {
        "method": c.method.name,
        "options": str(c.method.options()),
        "sampler": c.posterior.draws_are if c.answer.tree is None else "nuts",
        "seed": "a Generator" if seed is None else seed,
        "version": __version__,
    }
    coords = {"sample": np.arange(draws), "dataset": np.arange(n)}
    return xr.DataArray(labels, coords, ("sample", "dataset"), name="statement", attrs=attrs)


def simulate_for_comparison(c: Comparison, rng: Rng) -> Results:
    """Draw a table from the prior of an answer's method, and note how."""
    generator, seed = as_rng(rng)
    posterior: Any = c.posterior
    table: Results = posterior.simulate(generator)
    how = "" if seed is None else f", rng={seed}"
    return table._with(source=f"simulated from the prior of {c.method.name!r}{how}")
