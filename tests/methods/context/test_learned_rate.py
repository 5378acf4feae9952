"""``b="learned"``: the weight of r's prior learned from all pairs, against enumeration."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import CorrelatedT, PoissonBinomial
from bayescompare.posterior.dirichlet import DirichletMixture
from tests.cases import few_quick
from tests.oracles.neighbours import learned_from


def counts(seed: int = 0, l: int = 4, n: int = 8) -> bc.ErrorCounts:
    """Predictions of several algorithms on several datasets, the later ones better."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", e, "ABCDEF"[a], bool(rng.random() < 0.6 + 0.08 * a))
        for d in range(n)
        for e in range(40)
        for a in range(l)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "example", "algorithm", "correct"])
    return bc.ErrorCounts.from_predictions(
        frame, dataset="dataset", example="example", algorithm="algorithm", correct="correct"
    )


def folds(seed: int = 0, l: int = 4, n: int = 7) -> bc.Results:
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", "ABCDEF"[a], f, rng.normal(0.02 * a, 0.05))
        for d in range(n)
        for a in range(l)
        for f in range(10)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    return bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max"})


TESTS = {
    "poisson-binomial": (counts, PoissonBinomial(joint=True, b="learned")),
    "correlated-t": (folds, CorrelatedT(joint=True, b="learned")),
}


@pytest.mark.parametrize("name", TESTS)
def test_pairs_learn_as_spec_8_says(name: str) -> None:
    """Every assignment of who is better is written out; leanings are the datasets' own P."""
    make, method = TESTS[name]
    table = make(n=6)
    p: Any = bc.pairwise(table, method=method, n_jobs=1)
    vectors, records, found = [], [], []
    for c in p:
        (rows,) = c.method.evidence(c.results).rows
        n, size = rows.shape
        ways = np.array(list(itertools.product(range(size), repeat=n)))
        counts = (ways[:, :, None] == np.arange(size)).sum(axis=1).astype(float)
        with np.errstate(invalid="ignore"):
            logs = rows[np.arange(n), ways].sum(axis=1)
        vectors.append((counts, logs))
        records.append(np.exp(rows - logsumexp(rows, axis=1, keepdims=True)).sum(axis=0))
        found.append(c.probability.values)
    expected = learned_from(vectors, np.array(records), 4)
    np.testing.assert_allclose(np.array(found), expected, atol=1e-9)
    assert p.learned is not None
    assert p.learned.pairs == 6
    decided = p.decide()
    own = type(method)(joint=True)
    for row in decided.to_dict("records"):
        c = bc.compare(table, method=own, algorithms=[row["first"], row["second"]])
        assert row["alone"] == pytest.approx(
            float(c.probability.sel(statement=row["statement"])), abs=1e-10
        )
    assert "learned from" in p.explain()
    assert "learned from" in p[0].explain()
    some = bc.pairwise(table, method=method, reference="A", n_jobs=1)
    assert some.learned is not None
    assert some.learned.options()["base"] == p.learned.options()["base"]


@pytest.mark.parametrize(
    ("name", "suffix"),
    few_quick(
        [*zip(TESTS, ("json", "nc"), strict=True), *zip(TESTS, ("nc", "json"), strict=True)],
        2,
        several=True,
    ),
)
def test_what_was_learned_is_saved(name: str, suffix: str, tmp_path: Path) -> None:
    make, method = TESTS[name]
    c = bc.pairwise(make(), method=method, n_jobs=1)[1]
    path = tmp_path / f"c.{suffix}"
    (c.to_json if suffix == "json" else c.to_netcdf)(path)
    again = bc.load_comparison(path)
    assert again.method == c.method
    assert again.explain() == c.explain()
    tree = again.draws(500, chains=2, rng=0)
    share = float((tree["posterior"]["r"] > 0.5).mean())
    assert share == pytest.approx(float(c.probability[0]), abs=0.08)


def test_sensitivity_varies_the_pairs_own_weight() -> None:
    c = bc.pairwise(counts(), method=PoissonBinomial(joint=True, b="learned"), n_jobs=1)[0]
    found = c.sensitivity([1.0, 2.0])
    np.testing.assert_allclose(found.loc[1.0], c.answer.per_statement["alone"], atol=1e-10)


@pytest.mark.parametrize("name", TESTS)
def test_leave_one_out_plan_and_draws_of_a_learned_pair(name: str) -> None:
    make, method = TESTS[name]
    c: Any = bc.pairwise(make(), method=method, n_jobs=1)[0]
    theta, evidence = c.method.posterior(c.results), c.method.evidence(c.results)
    found = c.loo().elpd_i.values
    for i in range(len(found)):
        rows = np.delete(evidence.rows, i, axis=1)
        fewer = replace(evidence, rows=rows, uncounted=np.arange(rows.shape[1]))
        rest = DirichletMixture.of(fewer, theta.prior)
        assert found[i] == pytest.approx(theta.log_evidence - rest.log_evidence, abs=1e-9)
    assert 0 <= c.plan([5], simulations=10, rng=0).loc[5, "settled"] <= 1
    tree = c.draws(4000, chains=2, rng=0)
    posterior = tree["posterior"]
    null = float(posterior["same"].mean())
    assert null == pytest.approx(theta.weight[3:].sum(), abs=0.03)
    lead = (posterior["r"] > 0.5) + 0.5 * (posterior["r"] == 0.5)
    assert float(lead.mean()) == pytest.approx(float(c.probability[0]), abs=0.03)
    assert tree["log_prior"]["f"].dims == ("chain", "draw")
    assert c.predict(3, rng=0).shape[-1] == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_nuts_agrees_with_a_learned_pair(name: str) -> None:
    make, method = TESTS[name]
    c: Any = bc.pairwise(make(), method=method, n_jobs=1)[0]
    tree = c.sample(2000, chains=4, rng=1, progressbar=False, cores=1)
    exact = c.draws(2000, chains=4, rng=1)
    assert set(tree["posterior"].data_vars) == set(exact["posterior"].data_vars)
    assert set(tree["log_prior"].data_vars) == set(exact["log_prior"].data_vars)
    r = tree["posterior"]["r"]
    lead = ((r > 0.5) + 0.5 * (r == 0.5)).astype(float)
    error = max(float(az.mcse(lead)), 2e-3)
    assert float(lead.mean()) == pytest.approx(float(c.probability[0]), abs=4.0 * error)


@pytest.mark.parametrize("kind", [PoissonBinomial, CorrelatedT])
def test_weights_that_cannot_be_learned(kind: type) -> None:
    with pytest.raises(BayescompareError, match="joint=True"):
        kind(b="learned")
    with pytest.raises(BayescompareError, match="'learned'"):
        kind(joint=True, b="guessed")
    make = counts if kind is PoissonBinomial else folds
    for ask in (bc.compare, bc.pairwise):
        with pytest.raises(BayescompareError, match="at least three"):
            ask(make(l=2), method=kind(joint=True, b="learned"))


def test_a_rope_learns_too() -> None:
    table = folds()
    roped = bc.Results.from_frame(
        table.to_frame(), replicate="replicate", measures={"auc": bc.Measure("max", rope=0.01)}
    )
    p: Any = bc.pairwise(roped, method=CorrelatedT(joint=True, b="learned"), n_jobs=1)
    flat = bc.methods.Replicated(effects="flat", prior="learned")
    same: Any = bc.pairwise(roped, method=flat, n_jobs=1)
    assert list(p.learned.base.index) == [">", "=", "<"]
    # The pair's own prior weighs 3 here and 1 there; what others teach does not depend on it.
    for c, d in zip(p, same, strict=True):
        np.testing.assert_allclose(c.probability, d.probability, atol=1e-9)
