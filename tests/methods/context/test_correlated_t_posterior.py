"""Exact draws of the correlated t-test: moments, and shares of three regions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bayescompare import BayescompareError
from tests.methods.context.folds import ask, scores, triples_of
from tests.oracles.context import near, shares_near


@pytest.mark.parametrize("joint", [False, True])
def test_draws_have_the_exact_moments(joint: bool) -> None:
    c = ask(scores(4, 8), joint=joint)
    tree = c.draws(5000, chains=4, rng=0)
    posterior = tree["posterior"].to_dataset()
    assert posterior["advantage"].dims == ("chain", "draw", "dataset")
    assert posterior["dataset"].values.tolist() == list(c.results.datasets)
    r, advantage = posterior["r"].values, posterior["advantage"].values
    assert shares_near(r > 0.5, float(c.probability[0]))
    assert near(r, c.rate["mean"])
    assert near((r - c.rate["mean"]) ** 2, c.rate["sd"] ** 2)
    for i, (_, row) in enumerate(c.per_dataset.iterrows()):
        assert shares_near(advantage[..., i] > 0, row["probability"])
        t = stats.t(7, row["advantage"], row["scale"])
        for level in (0.1, 0.9):
            x = float(t.ppf(level))
            # Each side keeps the Student-t's shape; the sides weigh as P(d).
            p, alone = row["probability"], float(t.sf(0))
            below = min(t.cdf(x), 1 - alone) / (1 - alone) * (1 - p)
            above = max(t.cdf(x) - (1 - alone), 0.0) / alone * p
            assert shares_near(advantage[..., i] < x, float(below + above))
    assert "prior" not in tree
    np.testing.assert_allclose(tree["observed_data"]["mean_difference"], c.per_dataset["advantage"])


def test_draws_of_three_shares() -> None:
    c = ask(scores(4, 8), rope=0.01)
    tree = c.draws(5000, chains=4, rng=0)
    theta = tree["posterior"]["theta"]
    assert theta["statement"].values.tolist() == ["A>B", "A=B", "B>A"]
    np.testing.assert_allclose(theta.sum("statement"), 1.0, atol=1e-12)
    largest = theta.values.argmax(axis=-1)
    for k, p in enumerate(c.probability.values):
        assert shares_near(largest == k, float(p))
        assert near(theta.values[..., k], c.answer.per_statement["theta_mean"][k])
    advantage = tree["posterior"]["advantage"].values
    for i, triple in enumerate(triples_of(c)):
        assert shares_near(advantage[..., i] > 0.01, triple[0])
        assert shares_near(np.abs(advantage[..., i]) <= 0.01, triple[1])


def test_what_it_does_not_have_is_said() -> None:
    c = ask(scores())
    for name in ("loo", "model", "sample"):
        with pytest.raises(BayescompareError, match=f"{name}.*hierarchical"):
            getattr(c, name)()
    for name in ("log_evidence", "pooling", "questions"):
        with pytest.raises(BayescompareError, match=name):
            getattr(c, name)
    assert "exact" in str(c.diagnose())
