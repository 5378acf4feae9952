"""Results simulated from the bundled models, with the parameters that made them."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bayescompare as bc
from tests.tables import table


def from_statements(theta: np.ndarray, n: int, seed: int) -> bc.Results:
    """Two algorithms; measure j of a dataset is bit j of a statement drawn from theta."""
    rng = np.random.default_rng(seed)
    m = int(np.log2(len(theta)))
    states = np.array(np.unravel_index(rng.choice(len(theta), size=n, p=theta), (2,) * m)).T
    values = rng.normal(size=(n, 1, m)) + np.stack([1.0 - states, 1.0 * states], axis=1)
    return table(values)


def from_strengths(strength: np.ndarray, n: int, seed: int) -> bc.Results:
    """Algorithms with strengths (algorithm, measure), ranked by them plus Gumbel noise."""
    rng = np.random.default_rng(seed)
    return table(strength + rng.gumbel(size=(n, *strength.shape)))


def with_ties(seed: int = 0, shape: tuple[int, int, int] = (7, 4, 2)) -> bc.Results:
    """Values of so few digits that ties of two, three and four occur."""
    values = np.random.default_rng(seed).integers(0, 3, size=shape).astype(float)
    values[0] = 1.0  # all tied
    values[1, :, :] = [[2.0]] * (shape[1] - 1) + [[0.0]]  # all but the last
    return table(values)


def from_davidson(strength: np.ndarray, nu: float, n: int, seed: int, rope: float) -> bc.Results:
    """Two algorithms on one measure: won, lost or within the rope, as Davidson has it."""
    rng = np.random.default_rng(seed)
    gap = strength[0] - strength[1]
    weight = np.array([np.exp(gap / 2), nu, np.exp(-gap / 2)])
    sign = 1 - rng.choice(3, size=n, p=weight / weight.sum())
    difference = np.where(sign == 0, rng.uniform(-rope, rope, size=n), sign * (rope + 0.1))
    base = rng.normal(size=n)
    return table(np.stack([base + difference, base], axis=1)[..., None], rope=rope)


def folds(
    delta: np.ndarray, k: int, sigma: float, seed: int, *, rope: float | None = None
) -> bc.Results:
    """Cross-validated differences with mean delta[i] on dataset i and correlation 1/k."""
    rng = np.random.default_rng(seed)
    n = len(delta)
    shared, own = rng.normal(size=(n, 1)), rng.normal(size=(n, k))
    noise = sigma * (np.sqrt(1 / k) * shared + np.sqrt(1 - 1 / k) * own)
    base = rng.normal(0.8, 0.05, size=(n, k))
    values = np.stack([base + delta[:, None] + noise, base], axis=1)
    index = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(n)], ["A", "B"], range(k)], names=["dataset", "algorithm", "fold"]
    )
    frame = pd.DataFrame({"accuracy": values.ravel()}, index=index).reset_index()
    measures = {"accuracy": bc.Measure("max", rope=rope)}
    return bc.Results.from_frame(frame, replicate="fold", measures=measures)


def from_covariates(
    alpha: float, beta: np.ndarray, n: int, seed: int
) -> tuple[bc.Results, pd.DataFrame]:
    """Two algorithms, of which the first wins with log-odds alpha + beta·x."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, len(beta)))
    x = (x - x.mean(0)) / x.std(0)
    won = rng.random(n) < 1 / (1 + np.exp(-alpha - x @ beta))
    base = rng.normal(size=n)
    results = table(np.stack([base + np.where(won, 1.0, -1.0), base], axis=1)[..., None])
    names = [f"x{j}" for j in range(len(beta))]
    # In units of their own: the model standardises them.
    return results, pd.DataFrame(3.0 + 10.0 * x, index=list(results.datasets), columns=names)


def from_normal(strength: np.ndarray, n: int, seed: int) -> bc.Results:
    """Algorithms with strengths (algorithm, measure), ranked by them plus normal noise."""
    return table(strength + np.random.default_rng(seed).normal(size=(n, *strength.shape)))


def from_items(strength: np.ndarray, tau: float, n: int, seed: int) -> bc.Results:
    """Abilities (algorithm, measure) on datasets with locations, scales and discriminations."""
    rng = np.random.default_rng(seed)
    cell = (n, 1, strength.shape[1])
    noise = rng.normal(size=(n, *strength.shape)) / np.exp(tau * rng.normal(size=cell))
    return table(5 * rng.normal(size=cell) + np.exp(rng.normal(size=cell)) * (strength + noise))


def gaps(
    mean: np.ndarray,
    root: np.ndarray,
    n: int,
    seed: int,
    *,
    k: int | None = None,
    noise: float = 0.5,
    rope: float | None = None,
) -> bc.Results:
    """Two algorithms whose differences on n datasets are mean + root·normal, in k folds each."""
    rng = np.random.default_rng(seed)
    m = len(mean)
    gap = mean + rng.normal(size=(n, m)) @ root.T
    base = rng.normal(size=(n, m))
    if k is None:
        return table(np.stack([base + gap, base], axis=1), rope=rope)
    shared, own = rng.normal(size=(n, 1, m)), rng.normal(size=(n, k, m))
    fold = noise * (np.sqrt(1 / k) * shared + np.sqrt(1 - 1 / k) * own)
    values = np.stack([base[:, None] + gap[:, None] + fold, base[:, None] + 0 * fold], axis=1)
    index = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(n)], ["A", "B"], range(k)], names=["dataset", "algorithm", "fold"]
    )
    names = [f"m{j}" for j in range(m)]
    frame = pd.DataFrame(values.reshape(-1, m), index, names).reset_index()
    measures = {name: bc.Measure("max", rope=rope) for name in names}
    return bc.Results.from_frame(frame, replicate="fold", measures=measures)
