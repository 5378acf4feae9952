"""Sampled graphs against sums over all graphs, with the error that ArviZ finds."""

from __future__ import annotations

import arviz as az
import numpy as np
import pytest
import xarray as xr

from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.network.dag_posterior import edge_probabilities_of_dags
from bayescompare.kernels.network.parent_sets import ParentSets
from bayescompare.kernels.network.partition_mcmc import PartitionChain
from tests.oracles import network as no


def sampled(
    sets: ParentSets, draws: int, *, seed: int = 0, table: bool = True
) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, standard error and greatest R-hat of every edge that varies, from four chains."""
    m = len(sets.masks)
    rng = np.random.default_rng(seed)
    sums = sets.subset_sums() if table else np.zeros((m, 0))
    chains = [PartitionChain(sets, sums, rng) for _ in range(4)]
    for chain in chains:
        chain.sample(200, rng)
    kept = np.stack([chain.sample(draws, rng) for chain in chains])
    x = xr.DataArray(kept.reshape(4, draws, m * m), dims=("chain", "draw", "edge"))
    moving = x.std(("chain", "draw")).values > 1e-3
    error, rhat = np.zeros(m * m), float(az.rhat(x[:, :, moving]).max())
    error[moving] = az.mcse(x[:, :, moving], method="mean")
    ess = float(az.ess(x[:, :, moving], method="mean").min())
    return kept.mean(axis=(0, 1)), np.hypot(error, 1 / ess).reshape(m, m), rhat


def scored(
    seed: int, m: int, most: int, *, n: int = 40, strength: float = 0.6
) -> tuple[ParentSets, np.ndarray]:
    """Sets of parents, and P(edge) by adding up all graphs."""
    rng = np.random.default_rng(seed)
    arities = rng.choice([2, 2, 3], m).tolist()
    states, counts = no.random_table(rng, arities, n, strength)
    return summed(ParentSets.score(states, counts, arities, 1.0, most))


def summed(sets: ParentSets) -> tuple[ParentSets, np.ndarray]:
    m = len(sets.masks)
    local = np.full((m, 1 << m), -np.inf)
    np.put_along_axis(local, sets.masks, sets.scores, axis=1)
    return sets, edge_probabilities_of_dags(no.squeezed(local))


@pytest.mark.parametrize(("m", "most", "n"), [(3, 2, 5), (5, 2, 40), (8, 3, 40)])
def test_edges_by_summing_over_all_graphs(m: int, most: int, n: int) -> None:
    sets, expected = scored(m + most, m, most, n=n)
    found, error, rhat = sampled(sets, 1000)
    assert rhat < 1.02
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


def test_without_the_table_of_sums_the_chain_is_the_same() -> None:
    sets, _ = scored(1, 6, 3)
    one, two = (sampled(sets, 200, table=table)[0] for table in (True, False))
    np.testing.assert_allclose(one, two, atol=1e-6)


def test_scores_that_differ_within_a_class() -> None:
    """Under BD turning a covered edge round changes the score."""
    rng = np.random.default_rng(5)
    states, counts = no.random_table(rng, [2] * 5, 30, 0.6)
    prior = CellPrior(alpha=tuple((0.2 + j, 1.0) for j in range(5)))
    sets, expected = summed(ParentSets.score(states, counts, [2] * 5, prior, 2))
    assert np.abs(expected - expected.T).max() > 0.3
    found, error, _ = sampled(sets, 2000)
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


def test_measures_that_copy_each_other() -> None:
    """A thousand datasets: all sets but a few are hundreds of nats below the best."""
    rng = np.random.default_rng(2)
    states = (rng.random((1000, 1)) < 0.5) ^ (rng.random((1000, 6)) < 0.02).cumsum(axis=1) % 2
    rows, place = np.unique(states.astype(np.int64), axis=0, return_inverse=True)
    counts = np.bincount(place.ravel()).astype(float)
    sets, expected = summed(ParentSets.score(rows, counts, [2] * 6, 1.0, 2))
    assert sets.scores[:, 0].max() - sets.scores[:, -1].max() > 300
    found, error, _ = sampled(sets, 1500)
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)


def test_every_sample_is_a_distribution_over_parents() -> None:
    sets, _ = scored(3, 6, 2)
    rng = np.random.default_rng(0)
    edges = PartitionChain(sets, sets.subset_sums(), rng).sample(300, rng)
    assert (edges >= 0).all()
    assert (edges <= 1 + 1e-9).all()
    assert (edges.sum(axis=1) <= 2 + 1e-9).all(), "at most two parents"
    assert (edges[:, np.arange(6), np.arange(6)] == 0).all()
    # A layering allows one direction only.
    assert (np.minimum(edges, edges.transpose(0, 2, 1)) < 1e-12).all()


def test_the_same_seed_gives_the_same_chain() -> None:
    sets, _ = scored(3, 5, 2)
    one, two = (sampled(sets, 50, seed=4)[0] for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "most"), [(10, 3), (12, 2), (12, 4)])
def test_edges_of_twelve_measures(m: int, most: int) -> None:
    sets, expected = scored(m + most, m, most, n=80)
    found, error, rhat = sampled(sets, 8000)
    print(
        f"m = {m}, at most {most} parents: largest difference {np.abs(found - expected).max():.4f},"
        f" standard error at most {error.max():.4f}, R-hat {rhat:.4f}"
    )
    assert rhat < 1.01
    np.testing.assert_array_less(np.abs(found - expected), 4 * error)
