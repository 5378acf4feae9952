"""Simulation-based calibration: ranks are uniform, and a wrong posterior is found."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.modelling import statement_table
from bayescompare.studies import sbc_model
from bayescompare.studies.sbc import SBC, sbc
from tests.methods.model_file.own import multinomial


@pytest.mark.parametrize(
    ("model", "simulations"), [("dirichlet", 1500), ("poisson-binomial", 1500)]
)
def test_ranks_are_uniform(model: str, simulations: int) -> None:
    found = sbc(model, simulations=simulations, rng=3)
    assert found.ok, found
    assert ((found.ranks >= 0) & (found.ranks <= 99)).all().all()


def test_ranks_of_network_and_pooled_models_are_uniform() -> None:
    assert sbc("network", simulations=600, rng=3).ok
    assert sbc("hierarchical", simulations=60, rng=3).ok


def test_a_wrong_posterior_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too narrow a posterior must not pass."""

    def narrow(simulations: int, draws: int, rng: np.random.Generator):
        for _ in range(simulations):
            truth = rng.normal()
            seen = truth + rng.normal()
            yield {"mean": (truth, rng.normal(seen / 2, 0.5 * math.sqrt(0.5), draws))}

    monkeypatch.setattr(bc.methods.Dirichlet, "calibration", classmethod(lambda cls: narrow))
    assert not sbc("dirichlet", simulations=800, rng=0).ok


def test_the_picture_of_ranks() -> None:
    found = SBC("model", pd.DataFrame({"x": np.arange(100)}), 99)
    ax = found.plot(ax=Figure().subplots())
    (line,) = ax.get_lines()
    assert np.abs(line.get_ydata()).max() < 0.011
    with pytest.raises(bc.BayescompareError, match="model='nothing': must be one of dirichlet"):
        sbc("nothing")
    with pytest.raises(bc.BayescompareError, match="simulations=0"):
        sbc("dirichlet", simulations=0)


@pytest.mark.parametrize("draws", [9, 30, 50])
def test_any_number_of_draws_calibrates(draws: int) -> None:
    """31 ranks do not fill 20 bins evenly, and ten ranks are no continuum."""
    found = sbc("dirichlet", simulations=1500, draws=draws, rng=1)
    assert found.ok, found


def test_many_simulations_calibrate() -> None:
    """Ranks that are exactly uniform, of very many simulations, are uniform."""
    from bayescompare.studies.sbc import SBC

    for draws in (9, 99):
        even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 200_000 // (draws + 1))})
        assert SBC("model", even, draws).ok


def test_equal_values_do_not_spoil_the_ranks() -> None:
    """Under a sparse prior θ is 0 or 1 to the last digit, in truth and draws alike."""
    assert sbc("dirichlet", simulations=800, alpha=0.01, rng=1).ok


@pytest.mark.parametrize("factor", [1.5, 3.0])
def test_a_posterior_of_another_prior_strength_is_found(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayescompare.methods.dirichlet import calibration as dirichlet
    from bayescompare.methods.network import calibration as network

    latents, log_theta = dirichlet.latents, dirichlet.log_theta

    def other(log_alpha: Any, counted: Any, size: Any, rng: Any) -> Any:
        return latents(log_alpha + (math.log(factor) if counted.any() else 0), counted, size, rng)

    def other_theta(log_alpha: Any, gamma: Any, exponential: Any) -> Any:
        many = gamma.shape[0] > 1
        return log_theta(log_alpha + (math.log(factor) if many else 0), gamma, exponential)

    for module in (dirichlet, network):
        monkeypatch.setattr(module, "latents", other)
        monkeypatch.setattr(module, "log_theta", other_theta)
    assert not sbc("dirichlet", simulations=1000, rng=1).ok
    assert not sbc("network", simulations=500, rng=1).ok


@pytest.mark.parametrize(
    "options", [{"statement": 3}, {"alpha": -1.0}, {"datasets": -1}, {"statements": 0}]
)
def test_bad_sizes_of_a_calibration(options: dict[str, Any]) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(options))):
        sbc("dirichlet", simulations=5, **options)


@pytest.mark.parametrize("given", [{"simulations": 0}, {"simulations": 2.5}, {"draws": 0}])
def test_bad_numbers_for_the_calibration_of_a_model_file(
    results: bc.Results, given: dict[str, Any]
) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(given))):
        sbc_model(multinomial, results, **{"simulations": 1, "draws": 3, **given})


@pytest.mark.slow
def test_ranks_of_a_model_file_by_nuts(results: bc.Results) -> None:
    """A right model passes; one that counts every dataset three times does not."""

    def thrice(results: bc.Results) -> pm.Model:
        seen = statement_table(results)
        with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
            theta = pm.Dirichlet("theta", np.ones(4), dims="statement")
            pm.CustomDist(
                "outcome",
                theta,
                logp=lambda value, theta: 3 * (value * pm.math.log(theta)).sum(axis=-1),
                random=lambda theta, rng=None, size=None: rng.multinomial(
                    1, theta, size=size
                ).astype(float),
                signature="(k)->(k)",
                observed=seen.weights,
                dims=("dataset", "statement"),
            )
        return model

    right = sbc_model(multinomial, results, simulations=80, rng=1)
    assert right.ok, right
    assert 0.35 < float(right.table["mean"].min()) <= float(right.table["mean"].max()) < 0.65
    assert not sbc_model(thrice, results, simulations=80, rng=1).ok


@pytest.mark.parametrize("draws", [9, 99])
def test_the_picture_of_ranks_agrees_with_the_verdict(draws: int) -> None:
    """Ranks that are exactly uniform stay in the band, however few there can be."""
    from bayescompare.studies.sbc import SBC

    even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 2000 // (draws + 1))})
    found = SBC("model", even, draws)
    ax = found.plot(ax=Figure().subplots())
    (line,), (band,) = ax.get_lines(), ax.collections
    assert found.ok
    assert np.abs(line.get_ydata()).max() <= band.get_paths()[0].vertices[:, 1].max()
