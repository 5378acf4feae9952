"""Replicated evidence of several domains, and of datasets with weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare.methods.replicated.grouped import GroupedReplicated
from bayescompare.results.results import Results

OPTIONS = {"draws": 1000, "chains": 2, "cores": 1, "progressbar": False}


def table(**roles: str) -> Results:
    rng = np.random.default_rng(0)
    domains = np.repeat(["vision", "text", "audio", "speech"], 3)
    rows = [
        (f"d{d}", a, f, rng.normal(0.8 + 0.02 * (a == "B"), 0.03), domains[d], 1.0 + d % 3)
        for d in range(12)
        for a in "AB"
        for f in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc", "field", "w"])
    return bc.Results.from_frame(frame, measures={"auc": "max"}, replicate="fold", **roles)


@pytest.mark.slow
def test_domains_are_sampled() -> None:
    c = bc.compare(table(group="field"), method="replicated", rng=1, sampler=OPTIONS)
    plain = bc.compare(table(), method="replicated")
    assert c.diagnose().ok
    assert c.best == plain.best
    # The average domain is less certain than datasets that are all of one kind.
    assert float(c.probability.max()) < float(plain.probability.max())
    assert c.domains.shape == (6, 3)
    assert c.per_dataset.shape == (12, 3)
    assert "A new dataset of an old domain" in c.explain()


@pytest.mark.slow
def test_weights_are_powers() -> None:
    c = bc.compare(table(weight="w"), method="replicated", rng=1, sampler=OPTIONS)
    assert c.diagnose().ok
    assert not c.exact
    assert "power likelihood" in c.explain()
    with pytest.raises(bc.BayescompareError, match="loo: with weight="):
        c.loo()


def test_the_sampled_model_has_the_domains_integrated_out() -> None:
    results = table(group="field").paired()
    method = bc.methods.Replicated().for_table(results)
    assert isinstance(method, GroupedReplicated)
    counts, listing = method.counts(results), method.listing(results)
    model = method.nuts_model(results)
    outcome = model["outcome"]
    gamma, exponential = np.array([1.2, 2.3]), np.array([0.1, 0.4])
    point = {
        model["latent_gamma_phi"]: gamma,
        model["latent_exponential_phi"]: exponential,
        model["kappa"]: 7.0,
    }
    found = pm.logp(outcome, model.rvs_to_values[outcome]).eval(point, mode="FAST_COMPILE")
    x = np.log(gamma) - exponential / np.exp(listing.log_alpha)
    around = 7.0 * np.exp(x - logsumexp(x))
    each = counts.log_evidence(around).sum(axis=1)
    assert len(each) == 12
    assert float(found) == pytest.approx(logsumexp(each) - np.log(len(each)), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "roles", "words"),
    [
        ({"joint": False}, {"group": "field"}, "joint=False are for tables without group="),
        ({"joint": False}, {"weight": "w"}, "joint=False are for tables without weights"),
        ({}, {"group": "field", "weight": "w"}, "for method='dirichlet' only"),
    ],
)
def test_what_is_refused(options: dict[str, bool], roles: dict[str, str], words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(table(**roles), method=bc.methods.Replicated(**options))
