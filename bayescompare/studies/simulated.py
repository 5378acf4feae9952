"""Tables like one that was asked about, drawn from the prior of the method that was asked.

Statements, ropes, gaps and counts of errors come from the method itself (`Posterior.simulate`).
Replicates are made here: the statement of a dataset is drawn by `replicated`'s prior, its effects
are normal with a scale of the grid, given that they show the statement, and the replicates scatter
about them as those of the table do, folds with their correlation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from bayescompare._compare import compare
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.replicated.learned_effects import SCALES
from bayescompare.methods._shared.correlation import replicate_correlation
from bayescompare.outcome import registry
from bayescompare.outcome.comparison import Comparison
from bayescompare.statements import Statements
from bayescompare.table.results import Results

#: Draws of an effect until one lies in the region of its state.
_TRIES = 1000


def as_simulated(asked: Comparison) -> Comparison:
    """The question as it is asked of simulated tables: a graph that data chose is held."""
    method: Any = asked.method
    if method.name == "replicated" and asked.results.n_replicates is not None:
        return asked
    if not registry.has_quantity(type(method), "simulate"):
        raise registry.unavailable(method, "simulate")
    if reason := asked.posterior.why_not("simulate"):
        raise BayescompareError(f"simulate: {reason}")
    # A graph that was given is held already.
    if method.name != "network" or method.average or not isinstance(method.search, str):
        return asked
    measures, chosen = asked.results.measures, set(_edges(asked))
    every = [(a, b) for a in measures for b in measures if a != b]
    held = replace(
        method,
        required=[edge for edge in every if edge in chosen],
        forbidden=[edge for edge in every if edge not in chosen],
    )
    return compare(asked.results, method=held)


def _edges(asked: Comparison) -> list[tuple[str, str]]:
    facts: Any = asked.answer.facts
    return [(str(a), str(b)) for a, b in facts.edges]


def simulated_table(asked: Comparison, rng: np.random.Generator) -> Results:
    """Draw the parameters from the prior, and a table given them; they are its `truth`."""
    if asked.method.name == "replicated":
        return _replicates(asked, rng)
    made: Any = asked.posterior
    table: Results = made.simulate(rng)
    return table


def with_again(results: Results, more: xr.Dataset) -> Results:
    """The table with as many datasets again, whose names say so; bounds are left behind."""
    again = more.assign_coords(dataset=[f"{name} again" for name in results.datasets])
    spec = {name: replace(results[name], bounds=None) for name in results.measures}
    both = xr.concat([results.data, again], dim="dataset")
    return Results(both, spec, replicates=results.replicates)


def _replicates(asked: Comparison, rng: np.random.Generator) -> Results:
    """Draw replicates by which a pair's statements are seen through noise."""
    method: Any = asked.method
    results, names = asked.results, asked.results.measures
    dirichlet: Any = registry.get("dirichlet")
    plain = dirichlet(prior=method.prior, strength=method.strength)
    means: Any = compare(results.average(), method=plain).posterior
    shown: Results = means.simulate(rng)
    # 1 where the first is better, -1 where the second is, 0 within the rope.
    table = Statements.of(shown).table
    equal = {2: [1, -1], 3: [1, 0, -1]}
    sides = np.array(
        [
            [
                equal[2 if results[name].rope is None else 3][table.states[s, j]]
                for j, name in enumerate(names)
            ]
            for s in table.statement[np.argsort(table.dataset)]
        ]
    )
    cells = [
        results.data[name].transpose("dataset", "algorithm", "replicate").values for name in names
    ]
    gaps = np.stack([c[:, 0] - c[:, 1] for c in cells], axis=-1)
    gaps = gaps * np.array([results[name].sign for name in names])
    number = np.isfinite(gaps[..., 0]).sum(axis=1)
    apart = gaps - np.nanmean(gaps, axis=1, keepdims=True)
    noise = (
        np.einsum("irj,irk->jk", np.nan_to_num(apart), np.nan_to_num(apart)) / (number - 1).sum()
    )
    rho = replicate_correlation(results, number.astype(np.float64), method.rho, method.folds)
    typical = np.sqrt(np.nanmean(np.nanmean(gaps, axis=1) ** 2, axis=0))
    effects = _effects(sides, float(rng.choice(SCALES)) * typical, results, rng)
    root = np.linalg.cholesky(noise + 1e-12 * np.trace(noise) * np.eye(len(names)))
    shape = gaps.shape
    shared = rng.normal(size=(shape[0], 1, shape[2])) * np.sqrt(rho)[:, None, None]
    own = rng.normal(size=shape) * np.sqrt(1.0 - rho)[:, None, None]
    wanted = effects[:, None] + (shared + own) @ root.T
    data = {}
    for j, name in enumerate(names):
        moved = cells[j].copy()
        moved[:, 0] = moved[:, 1] + results[name].sign * wanted[..., j]
        data[name] = (("dataset", "algorithm", "replicate"), moved)
    spec = {name: replace(results[name], bounds=None) for name in names}
    made = Results(results.data.assign(data), spec, replicates=results.replicates)
    return made._with(truth=shown.truth)


def _effects(
    sides: FloatArray, scale: FloatArray, results: Results, rng: np.random.Generator
) -> FloatArray:
    """Normal effects of these scales, each in the region of its state (dataset, measure)."""
    ropes = np.array([results[name].rope or 0.0 for name in results.measures])
    out = np.zeros(sides.shape)
    left = np.ones(sides.shape, dtype=bool)
    for _ in range(_TRIES):
        drawn = scale * rng.normal(size=sides.shape)
        fits = np.where(sides == 0, np.abs(drawn) <= ropes, sides * drawn > ropes)
        out = np.where(left & fits, drawn, out)
        left &= ~fits
        if not left.any():
            return out
    # Regions far out in the tails: at their edge.
    return np.asarray(np.where(left, sides * ropes * (1.0 + 1e-9), out))
