"""Replicated evidence of several domains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from scipy.special import logsumexp
from scipy.stats import gamma

import bayescompare as bc
from bayescompare.kernels.replicated.domains import DomainCounts
from bayescompare.methods._shared.domains import domain_counts_of
from bayescompare.table.results import Results

OPTIONS = {"draws": 1000, "chains": 2, "cores": 1, "progressbar": False}


def table(**roles: str) -> Results:
    rng = np.random.default_rng(0)
    domains = np.repeat(["vision", "text", "audio", "speech"], 3)
    rows = [
        (f"d{d}", a, f, rng.normal(0.8 + 0.01 * (a == "B"), 0.03), domains[d], 1.0 + d % 3)
        for d in range(12)
        for a in "AB"
        for f in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc", "field", "w"])
    return bc.Results.from_frame(frame, measures={"auc": "max"}, replicate="fold", **roles)


def average_domain(counts: DomainCounts) -> float:
    """P(φ of the second statement > ½) of two statements, by quadrature over φ and κ."""
    # φ ~ Dirichlet(½, ½) is sin² of a uniform angle.
    angle = (np.arange(200) + 0.5) / 200 * np.pi / 2.0
    kappa = gamma(2.0, scale=10.0).ppf((np.arange(60) + 0.5) / 60)
    logs = np.empty((len(angle), len(kappa)))
    for i, j in np.ndindex(*logs.shape):
        phi = np.sin(angle[i]) ** 2
        alpha = kappa[j] * np.array([1.0 - phi, phi])
        logs[i, j] = logsumexp(counts.log_evidence(alpha).sum(axis=1))
    weight = np.exp(logs - logs.max()).sum(axis=1)
    return float(weight[angle > np.pi / 4.0].sum() / weight.sum())


@pytest.mark.slow
def test_domains_are_sampled() -> None:
    results = table(group="field")
    c: Any = bc.compare(results, method="replicated", rng=1, sampler=OPTIONS)
    assert c.diagnose().ok
    method = c.method.for_table(c.results)
    known = average_domain(domain_counts_of(c.results, method.listing(c.results)))
    assert 0.7 < known < 0.97
    found = float(c.probability.sel(statement="B>A"))
    assert abs(found - known) < 4.0 * float(c.answer.mcse.max())
    assert c.domains.shape == (6, 3)
    assert c.per_dataset.shape == (12, 3)
    assert "A new dataset of an old domain" in c.explain()


def test_few_draws_hold_every_free_variable_of_the_model() -> None:
    few = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "progressbar": False}
    c: Any = bc.compare(table(group="field"), method="replicated", rng=1, sampler=few)
    free = {rv.name for rv in c.model().free_RVs}
    assert free <= set(c.tree["posterior"].data_vars)
    assert free <= set(c.tree["prior"].data_vars)


def test_the_sampled_model_has_the_domains_integrated_out() -> None:
    results = table(group="field").paired()
    method = bc.methods.Replicated().for_table(results)
    listing = method.listing(results)
    counts = domain_counts_of(results, listing)
    model = method.model(results, "nuts")
    outcome = model["outcome"]
    latent, exponential = np.array([1.2, 2.3]), np.array([0.1, 0.4])
    point = {
        model["latent_gamma_phi"]: latent,
        model["latent_exponential_phi"]: exponential,
        model["kappa"]: 7.0,
    }
    found = pm.logp(outcome, model.rvs_to_values[outcome]).eval(point, mode="FAST_COMPILE")
    x = np.log(latent) - exponential / np.exp(listing.log_alpha)
    around = 7.0 * np.exp(x - logsumexp(x))
    each = counts.log_evidence(around).sum(axis=1)
    assert len(each) == 12
    assert float(found) == pytest.approx(logsumexp(each) - np.log(len(each)), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "roles", "words"),
    [
        ({"joint": False}, {"group": "field"}, "joint=False is for tables without group="),
        ({}, {"group": "field", "weight": "w"}, "for method='dirichlet' only"),
    ],
)
def test_what_is_refused(options: dict[str, bool], roles: dict[str, str], words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(table(**roles), method=bc.methods.Replicated(**options))
