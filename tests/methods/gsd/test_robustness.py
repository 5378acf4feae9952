"""GSD's p-value under contaminated samples, against brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.methods import GSD
from tests.methods.gsd.cases import Naive, ask, made


@pytest.mark.slow
def test_more_contamination_a_larger_p_value(uci: bc.Results) -> None:
    c = ask(uci, GSD(epsilon=0.5, permutations=300), algorithms=["GBM", "CART"], rng=1)
    curve = c.robustness(rng=1)
    assert curve.columns.tolist() == ["gamma", "pvalue", "corrupted"]
    assert curve["gamma"].is_monotonic_increasing
    assert curve["pvalue"].is_monotonic_increasing
    assert curve["pvalue"].iloc[0] == c.pvalue
    assert curve["pvalue"].iloc[-1] > 0.05
    held = curve.loc[curve["pvalue"] <= 0.05, "gamma"]
    assert 0 < curve.attrs["robust_up_to"] == held.max()
    np.testing.assert_allclose(curve["corrupted"], 16 * curve["gamma"])
    nothing = ask(uci, GSD(permutations=100), algorithms=["BDS", "RF"], rng=1).robustness(rng=1)
    assert nothing.attrs["robust_up_to"] is None


@pytest.mark.parametrize("scheme", ["paired", "pooled"])
def test_contamination_by_brute_force(scheme: Any) -> None:
    gammas = np.array([0.0, 0.013, 0.061, 0.117, 0.23, 0.61])
    for seed in range(3):
        results = made("metric", 50 + seed, datasets=4 if scheme == "paired" else 3)
        naive = Naive(results, "A", "B")
        c = ask(results, GSD(delta=0, scheme=scheme))
        optima = naive.resampled(scheme, 0.0)
        observed = naive.both(0.0)[0 if c.best == "A>B" else 1]
        for gamma, p in c.robustness(gammas)[["gamma", "pvalue"]].to_numpy():
            # The worst case of both: (1 − γ) opt − γ against (1 − γ) opt_I + γ.
            reached = (1 - gamma) * optima + gamma >= (1 - gamma) * observed - gamma - 1e-8
            assert p == pytest.approx(min(1.0, 2 * reached.mean()), abs=1e-12)


def test_gammas_are_checked(uci: bc.Results) -> None:
    c = ask(made("metric", 0))
    for bad in ([], [1.0], [-0.1], [math.nan], 0.1, ["a"]):
        with pytest.raises(bc.BayescompareError, match="gammas="):
            c.robustness(bad)  # type: ignore[arg-type]
