"""Figures 3 and 4 of Jansen et al.: F-scores of orders and tests on simulated classifiers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._typing import FloatArray
from bayescompare.kernels.gsd.permutation import Scheme
from bayescompare.text.numbers import percent, setting_number_text, share_number_text
from reproduction.declaration import Reproduction, Run
from reproduction.jansen_runs import (
    ALPHA,
    DELTAS,
    ORDERS,
    SCHEMES,
    TESTED,
    order_scores,
    significance_scores,
)
from reproduction.outcome import CURVE_COLUMNS, Claim, Figure, Outcome

__all__ = ["REPRODUCTIONS"]

ETAS = (0.01, 0.05, 0.1)
DATASETS = (7, 10, 15, 18)

_NOTES = (
    "The figures are pictures without numbers, and the paper gives neither the noise nor the "
    "number of resamples, so only its statements in words can be checked. Noise here: standard "
    "deviation 0.05.",
)


def _simulate_runs(
    run: Run, case: Callable[..., dict[str, FloatArray]], methods: list[str]
) -> xr.Dataset:
    grid = {"eta": list(ETAS), "datasets": list(DATASETS)}
    dims = {"f": ("test",), "false": ("test",)}
    return run.simulate(grid, case=case, block_size=1, dims=dims, coords={"test": methods})


def _score_figures(scores: xr.DataArray) -> tuple[list[Figure], pd.DataFrame]:
    """Mean F-scores with their errors, and curves with their quartiles."""
    figures, curves = [], []
    for eta, n, name in itertools.product(ETAS, DATASETS, scores["test"].values):
        runs = scores.sel(eta=eta, datasets=n, test=name).values
        mean = float(runs.mean())
        panel = f"eta={setting_number_text(eta)}"
        figures.append(
            Figure(
                case=f"{panel}, s={n}",
                quantity=f"F, {name}",
                obtained=mean,
                mcse=float(_run_errors(runs)),
            )
        )
        low, high = np.quantile(runs, [0.25, 0.75])
        curves.append((panel, str(name), n, mean, low, high))
    return figures, pd.DataFrame(curves, columns=list(CURVE_COLUMNS))


def _better_claim(text: str, gains: list[xr.DataArray]) -> Claim:
    """Whether mean gains in F are nowhere negative by more than three standard errors."""
    every = np.concatenate(
        [g.transpose(..., "replication").values.reshape(-1, g.sizes["replication"]) for g in gains]
    )
    each = every.mean(axis=1)
    right = int((each >= -1e-9).sum())
    worse = int((each < -3.0 * _run_errors(every) - 1e-9).sum())
    seen = f"in {right} of {len(each)} comparisons, and worse by more than three standard errors"
    return Claim(text, worse == 0, f"{seen} in {worse}")


def _run_errors(runs: FloatArray) -> FloatArray:
    """Standard errors of means over the last axis; of one run, as wide as an F-score can be."""
    n = runs.shape[-1]
    if n == 1:
        return np.full(runs.shape[:-1], 0.5)
    return np.asarray(runs.std(axis=-1, ddof=1) / math.sqrt(n))


def _growth_claim(scores: xr.DataArray) -> Claim:
    """The F-score grows with separation and with datasets."""
    mean = scores.mean("replication")
    by_axis = {"eta": mean.mean("datasets"), "datasets": mean.mean("eta")}
    rises = np.concatenate(
        [(m.isel({axis: -1}) > m.isel({axis: 0})).values for axis, m in by_axis.items()]
    )
    text = "The F-score tends to improve with the separation and with the number of datasets."
    seen = f"{int(rises.sum())} of {len(rises)} averaged curves end higher than they begin"
    return Claim(text, bool(rises.all()), seen)


def _reproduce_figure3(run: Run) -> Outcome:
    scores = _simulate_runs(run, order_scores, ORDERS)["f"]
    figures, curves = _score_figures(scores)
    means = scores.mean(("eta", "datasets", "replication"))
    spread = float(means.max() - means.min())
    seen = ", ".join(
        f"{name} {share_number_text(float(means.sel(test=name)), digits=2)}" for name in ORDERS
    )
    text = "All methods reproduce the order about equally well."
    return Outcome(
        figures=figures,
        claims=[
            Claim(text, spread < 0.1, f"mean F over all scenarios: {seen}"),
            _growth_claim(scores),
        ],
        notes=_NOTES,
        curves=curves,
        axes=("number of datasets", "F-score"),
    )


def _scheme_claims(scores: xr.DataArray, scheme: Scheme) -> list[Claim]:
    """What the paper says of its two tests, for one kind of resamples."""
    gsd, regular, every, one = (
        scores.sel(test=name)
        for name in (*(f"{name} {scheme}" for name in DELTAS), "all-test", "one-test")
    )
    large = {"eta": list(ETAS[1:]), "datasets": [15, 18]}
    return [
        _better_claim(
            f"Both dominance tests do at least as well as the all-test ({scheme} resamples).",
            [gsd - every, regular - every],
        ),
        _better_claim(
            f"Both outperform the one-test from eta 0.05 and 15 datasets on ({scheme}).",
            [(gsd - one).sel(large), (regular - one).sel(large)],
        ),
        _better_claim(
            f"A delta of 1e-5 does at least as well as delta 0 ({scheme}).", [regular - gsd]
        ),
    ]


def _reproduce_figure4(run: Run) -> Outcome:
    table = _simulate_runs(run, significance_scores, TESTED)
    scores = table["f"]
    figures, curves = _score_figures(scores)
    claims = [_growth_claim(scores)]
    for scheme in SCHEMES:
        claims += _scheme_claims(scores, scheme)
    wrong = (table["false"].sel(test="one-test") > 0).mean("replication")
    claims.append(
        Claim(
            "The one-test exceeds the level of 0.05.",
            float(wrong.max()) > ALPHA,
            f"runs with a false dominance: up to {percent(float(wrong.max()))} in a scenario",
        )
    )
    notes = (
        *_NOTES,
        "1,000 resamples (all where there are fewer), p = (b + 1)/(N + 1), level 0.05/42. Swapping "
        "within 7 datasets has 128 outcomes, so the paired test can find nothing at that level; "
        "the paper's steps describe pooled resamples, of which there are 3,432.",
        "all-test and one-test are Demšar's mean ranks, measure by measure, with Bonferroni's "
        "correction; on the UCI table this finds the three pairs that the paper names.",
    )
    return Outcome(
        figures=figures,
        claims=claims,
        notes=notes,
        curves=curves,
        axes=("number of datasets", "F-score"),
    )


REPRODUCTIONS = (
    Reproduction(
        key="jansen-2022-figure3",
        what="F-scores of the orders in the sample, seven simulated classifiers, 12 scenarios.",
        published="a picture and statements in words",
        function=_reproduce_figure3,
        unit="runs in each scenario",
        replications=25,
        quick=2,
        seconds=120.0,
    ),
    Reproduction(
        key="jansen-2022-figure4",
        what="F-scores of four significance tests, seven simulated classifiers, 12 scenarios.",
        published="a picture and statements in words",
        function=_reproduce_figure4,
        unit="runs in each scenario",
        replications=25,
        quick=2,
        seconds=700.0,
    ),
)
