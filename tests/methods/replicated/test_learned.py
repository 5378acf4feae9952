"""The prior that `pairwise` learns from replicated results of all pairs."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Replicated
from tests.methods.replicated.test_replicated import constant, folds
from tests.oracles.neighbours import learned_from, log_evidence


@pytest.fixture(scope="module")
def many() -> bc.Results:
    return folds(algorithms=("A", "B", "C"), n=7)


@pytest.fixture(scope="module")
def pairs(many: bc.Results) -> Any:
    return bc.pairwise(many, method="replicated", n_jobs=1)


def test_certain_datasets_learn_what_dirichlet_learns() -> None:
    """Replicates that never differ leave nothing uncertain: all that is learned is the same."""
    table = constant(np.random.default_rng(3).normal(size=(9, 3, 2)))
    ours: Any = bc.pairwise(table, method="replicated", n_jobs=1)
    theirs: Any = bc.pairwise(table.average(), method="dirichlet", n_jobs=1)
    assert ours.learned is not None
    assert ours.learned.base.to_numpy() == pytest.approx(theirs.learned.base.to_numpy(), abs=1e-12)
    for name in ("weights", "null", "lenders"):
        one, other = (getattr(p.learned, name).to_numpy() for p in (ours, theirs))
        assert one == pytest.approx(other, abs=1e-9)
    one, other = ours.decide(), theirs.decide()
    assert one.alone.to_numpy() == pytest.approx(other.alone.to_numpy(), abs=1e-9)
    assert one.parts.to_numpy() == pytest.approx(other.parts.to_numpy(), abs=1e-9)
    c, d = ours["A", "B"], theirs["A", "B"]
    assert c.probability.values == pytest.approx(d.probability.values, abs=1e-9)
    assert c.log_evidence == pytest.approx(d.log_evidence, abs=1e-9)
    assert c.loo().elpd == pytest.approx(d.loo().elpd, abs=1e-8)
    assert c.questions.to_numpy() == pytest.approx(d.questions.to_numpy(), abs=1e-9)


@pytest.mark.parametrize("ropes", [(None,), (0.02,), (None, None)])
def test_leanings_teach_as_spec_8_says(ropes: tuple[float | None, ...]) -> None:
    """Every assignment of statements is written out, at every scale of effects."""
    m = len(ropes)
    table = folds(algorithms=("A", "B", "C"), n=4, m=m, noise=0.06, ropes=(*ropes, None, None))
    p: Any = bc.pairwise(table, method="replicated", n_jobs=1)
    vectors, records, found = [], [], []
    for c in p:
        rows = c.method.table_evidence(c.results).evidence.log
        versions, n, size = rows.shape
        assert versions == 12
        ways = np.array(list(itertools.product(range(size), repeat=n)))
        counts = (ways[:, :, None] == np.arange(size)).sum(axis=1).astype(float)
        logs = rows[:, np.arange(n), ways].sum(axis=2)
        vectors.append((counts, logsumexp(logs, axis=0) - np.log(versions)))
        # Versions weigh by the pair's own prior.
        own = logsumexp(logs + log_evidence(counts, np.full(size, 1.0 / size)), axis=1)
        each = np.exp(rows - logsumexp(rows, axis=2, keepdims=True)).sum(axis=1)
        records.append(np.exp(own - logsumexp(own)) @ each)
        found.append(c.probability.values)
    expected = learned_from(vectors, np.array(records), 3)
    assert np.array(found) == pytest.approx(expected, abs=1e-9)


def test_draws_agree_with_the_exact_figures(pairs: Any) -> None:
    c = pairs["A", "B"]
    tree = c.draws(4000, chains=2, rng=1)
    theta = tree["posterior"]["theta"]
    best = int(c.probability.values.argmax())
    # Those that are equal share the lead.
    lead = (theta >= theta.max("statement") - 1e-12) * 1.0
    share = float((lead / lead.sum("statement")).isel(statement=best).mean())
    p = float(c.probability[best])
    assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 8000) + 1e-3)
    mean = theta.mean(("chain", "draw")).values
    assert mean[best] == pytest.approx(float(c.questions["expected"]), abs=0.02)
    assert set(np.unique(tree["posterior"]["strength"])) <= {2.0, 8.0, 32.0}
    null = float(tree["posterior"]["same"].mean())
    assert null == pytest.approx(pairs.learned.null["A", "B"], abs=0.03)
    assert tree["log_prior"]["f"].dims == ("chain", "draw")


@pytest.mark.slow
def test_saved_planned_checked_and_reported(pairs: Any, tmp_path: Path) -> None:
    c: Any = pairs["A", "C"]
    c.to_netcdf(tmp_path / "c.nc")
    loaded: Any = bc.load_comparison(tmp_path / "c.nc")
    assert loaded.method.learned == c.method.learned
    assert loaded.probability.equals(c.probability)
    assert loaded.evidence.equals(c.evidence)
    plan = c.plan([3], simulations=4, rng=0)
    assert 0.0 <= plan.settled.item() <= 1.0
    assert len(c.sensitivity())
    assert "learned from all 3 pairs" in c.explain()
    pairs.report(tmp_path / "p.html")
    assert "learned from all 3 pairs" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_too_many_vectors_learn_nothing(many: bc.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion.MOST_STATES", 3)
    p = bc.pairwise(many, method="replicated", n_jobs=1, guard=False)
    assert p.learned is None
    assert "Nothing was learned" in p.explain()


def test_refusals(many: bc.Results) -> None:
    with pytest.raises(BayescompareError, match=r"prior='learned'.*pairwise\(\)"):
        bc.compare(many, algorithms=["A", "B"], method=Replicated(prior="learned"))
    with pytest.raises(BayescompareError, match=r"prior='learned'.*joint=False"):
        Replicated(prior="learned", joint=False)


@pytest.mark.slow
def test_nuts_agrees_with_the_exact_answer() -> None:
    """On datasets that mostly know their statement; else θ has modes that NUTS seldom leaves."""
    table = folds(algorithms=("A", "B", "C"), n=7, noise=0.01)
    c = bc.pairwise(table, method="replicated", n_jobs=1)["A", "B"]
    tree = c.sample(draws=1000, chains=4, rng=1, progressbar=False, cores=1)
    diagnosis = c.diagnose(tree)
    assert diagnosis.figures["divergences"] == 0
    theta = tree["posterior"]["theta"]
    import arviz as az

    assert float(az.rhat(tree, var_names=["theta"])["theta"].max()) < 1.01
    error = az.mcse(theta, method="mean").values
    mean = c.summary()["theta_mean"].reindex(theta["statement"].values).to_numpy()
    np.testing.assert_array_less(np.abs(theta.mean(("chain", "draw")).values - mean), 4 * error)
    # Without a difference a statement and its reverse are equally frequent: both lead, by half.
    leads = theta >= theta.max("statement") - 1e-9
    lead = (leads / leads.sum("statement")).isel(statement=int(c.probability.values.argmax()))
    mcse = float(az.mcse(lead.to_dataset(name="lead"))["lead"])
    assert float(lead.mean()) == pytest.approx(float(c.probability.max()), abs=4 * mcse + 1e-4)
