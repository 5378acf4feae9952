"""Replicates of datasets with weights: exactly where every dataset is certain, else by NUTS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Dirichlet, Replicated

WEIGHTS = (1.0, 2.0, 4.0, 1.0, 0.5, 3.0, 2.0)


def table(noise: float, weights: tuple[float, ...] | None = WEIGHTS) -> bc.Results:
    rng = np.random.default_rng(4)
    effect = rng.normal(size=(7, 2))
    rows = [
        (f"d{d}", a, f, *(effect[d] * (a == "B") + noise * rng.normal(size=2)), weight)
        for d, weight in enumerate(weights or (1.0,) * 7)
        for a in "AB"
        for f in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", "auc", "speed", "w"])
    return bc.Results.from_frame(
        frame,
        replicate="seed",
        replicates="seeds",
        measures={"auc": "max", "speed": "max"},
        weight="w" if weights else None,
    )


@pytest.mark.parametrize("effects", ["flat", "learned"])
def test_certain_datasets_are_the_weighted_dirichlet_test(effects: Any) -> None:
    certain = table(0.0)
    c: Any = bc.compare(certain, method=Replicated(effects=effects))
    d: Any = bc.compare(certain.average(), method=Dirichlet())
    assert c.exact
    np.testing.assert_allclose(c.probability, d.probability, atol=1e-12)
    np.testing.assert_allclose(c.summary()["theta_mean"], d.summary()["theta_mean"], atol=1e-12)
    np.testing.assert_allclose(c.summary()["theta_upper"], d.summary()["theta_upper"], atol=1e-8)
    np.testing.assert_allclose(c.questions, d.questions, atol=1e-10)
    assert "power likelihood" in c.explain()
    # Replicates could tell nothing more.
    assert c.uncertainty["replicates"] == pytest.approx(0.0, abs=1e-12)


def test_nearly_certain_datasets_are_exact_too() -> None:
    results = table(1e-9)
    assert not Replicated().for_table(results.paired()).needs_mcmc
    c = bc.compare(results, method="replicated")
    d = bc.compare(results.average())
    np.testing.assert_allclose(c.probability, d.probability, atol=1e-10)


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_what_weights_leave_out(noise: float) -> None:
    results = table(noise).paired()
    method = Replicated().for_table(results)
    asked = method.posterior_type(method, results, None)  # type: ignore[arg-type]
    for quantity, words in (("loo", "scores nothing"), ("plan", "would weigh")):
        assert words in asked.why_not(quantity)
    assert "no probability of the data" in asked.why_not("evidence")
    assert ("NUTS" in asked.why_not("draws")) == (noise > 0.0)


def test_the_model_has_the_powers() -> None:
    results = table(0.5).paired()
    method = Replicated(effects="flat").for_table(results)
    model = method.model(results)
    outcome = model["outcome"]
    theta = np.array([0.1, 0.2, 0.3, 0.4])
    found = pm.logp(outcome, model.rvs_to_values[outcome]).eval(
        {model["theta"]: theta}, mode="FAST_COMPILE"
    )
    rows = method.table_evidence(results).evidence.log[0]  # type: ignore[attr-defined]
    power = np.array(WEIGHTS) * sum(WEIGHTS) / sum(v**2 for v in WEIGHTS)
    np.testing.assert_allclose(found, power * logsumexp(np.log(theta) + rows, axis=1), atol=1e-9)


@pytest.mark.parametrize("options", [{"joint": False}, {"prior": "learned"}])
def test_what_weights_refuse(options: dict[str, Any]) -> None:
    with pytest.raises(BayescompareError, match="weight=: prior='learned' and joint=False"):
        bc.compare(table(0.0), method=Replicated(**options))


@pytest.mark.slow
def test_nuts_against_quadrature() -> None:
    # One measure: θ is one number, and the power likelihood can be integrated.
    c: Any = bc.compare(
        table(1.0),
        measures=["auc"],
        method=Replicated(strength=2.0),
        rng=1,
        sampler={"draws": 1000, "chains": 4, "cores": 1, "progressbar": False},
    )
    assert c.diagnose().ok
    assert not c.exact
    rows = np.exp(c.method.for_table(c.results).table_evidence(c.results).evidence.log)
    power = np.array(WEIGHTS) * sum(WEIGHTS) / sum(v**2 for v in WEIGHTS)

    def density(theta: float) -> float:
        each = theta * rows[:, :, 0] + (1.0 - theta) * rows[:, :, 1]
        return float(np.prod(each**power, axis=1).sum())

    below, above = quad(density, 0.0, 0.5)[0], quad(density, 0.5, 1.0)[0]
    known = above / (below + above)
    assert 0.05 < known < 0.95
    assert abs(float(c.probability[0]) - known) < 4.0 * float(c.answer.mcse.max())
