"""Datasets with weights: a power likelihood, exactly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.table.results import Results

#: Statements of six datasets (0: A better, 1: B better, 2: tied), and their weights.
STATES, WEIGHTS = [0, 0, 1, 0, 2, 1], [1.0, 2.0, 4.0, 1.0, 0.5, 3.0]


def table(weights: list[float] | None = None) -> Results:
    values = [{0: (1.0, 0.0), 1: (0.0, 1.0), 2: (1.0, 1.0)}[state] for state in STATES]
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(6)], 2),
            "algorithm": ["A", "B"] * 6,
            "score": np.ravel(values),
            "w": np.repeat(weights or [1.0] * 6, 2),
        }
    )
    weight = None if weights is None else "w"
    return bc.Results.from_frame(frame, measures={"score": "max"}, weight=weight)


def test_counts_are_weighted_and_p_is_exact() -> None:
    v = np.array(WEIGHTS)
    v = v * v.sum() / (v**2).sum()
    first = v[[0, 1, 3]].sum() + v[4] / 2
    counts = np.array([first, v.sum() - first])
    c = bc.compare(table(WEIGHTS))
    np.testing.assert_allclose(c.answer.counts, counts)
    known = p_max(np.log([0.5, 0.5]), counts[None])[0, :-1]
    np.testing.assert_allclose(c.probability, known, atol=1e-12)
    assert c.exact
    theta = c.draws(4000, rng=0)["posterior"]["theta"].mean(("chain", "draw")).values
    np.testing.assert_allclose(theta, (0.5 + counts) / (1.0 + counts.sum()), atol=0.01)
    assert "power likelihood" in c.explain()
    assert "counts the same" not in c.explain()


def test_equal_weights_change_nothing() -> None:
    plain, equal = bc.compare(table()), bc.compare(table([7.0] * 6))
    np.testing.assert_array_equal(plain.probability, equal.probability)
    assert plain.log_evidence == equal.log_evidence


def test_the_model_has_the_powers() -> None:
    c = bc.compare(table(WEIGHTS))
    import pymc as pm

    model = c.model()
    outcome = model["outcome"]
    logp = pm.logp(outcome, model.rvs_to_values[outcome])
    theta = np.array([0.3, 0.7])
    seen = logp.eval({model["theta"]: theta}, mode="FAST_COMPILE")
    v = np.array(WEIGHTS) * sum(WEIGHTS) / sum(w * w for w in WEIGHTS)
    each = {0: np.log(0.3), 1: np.log(0.7), 2: 0.5 * np.log(0.21)}
    np.testing.assert_allclose(seen, v * [each[state] for state in STATES])


def test_what_a_power_likelihood_lacks() -> None:
    c = bc.compare(table(WEIGHTS))
    with pytest.raises(bc.BayescompareError, match="raised to a power"):
        _ = c.log_evidence
    with pytest.raises(bc.BayescompareError, match="loo: with weight="):
        c.loo()
    with pytest.raises(bc.BayescompareError, match="raised to a power"):
        c.estimate_evidence()
    with pytest.raises(bc.BayescompareError, match="prior='learned' weighs pairs"):
        bc.compare(table(WEIGHTS), method=bc.methods.Dirichlet(prior="learned"))


def test_pairs_with_weights_learn_nothing() -> None:
    frame = table(WEIGHTS).to_frame()
    more = frame[frame["algorithm"] == "A"].assign(algorithm="C", score=0.5)
    whole = pd.concat([frame, more]).assign(w=lambda f: f["dataset"].str[1:].astype(int) + 1.0)
    results = bc.Results.from_frame(whole, measures={"score": "max"}, weight="w")
    p = bc.pairwise(results, n_jobs=1)
    assert p.learned is None
    assert "Nothing was learned" in p.explain()
