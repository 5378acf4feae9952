"""The prior that `pairwise` learns from replicated results of all pairs."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.comparison.compose import comparison_of
from bayescompare.comparison.method import Sampling
from bayescompare.kernels.dirichlet.learned import STRENGTHS
from bayescompare.kernels.replicated.strengths import replicated_evidence
from bayescompare.methods import Replicated
from bayescompare.methods._shared.learned_prior import learn_prior
from bayescompare.statements import Statements
from tests.cases import few_quick
from tests.methods.replicated.test_replicated import constant, folds
from tests.oracles import replicated as oracle


@pytest.fixture(scope="module")
def many() -> bc.Results:
    return folds(algorithms=("A", "B", "C"), n=7)


@pytest.fixture(scope="module")
def pairs(many: bc.Results) -> bc.Pairwise:
    return bc.pairwise(many, method="replicated", n_jobs=1)


@pytest.mark.parametrize("size", few_quick([2, 3, 4], 2))
def test_the_evidence_of_each_strength_is_the_sum_over_all_statements(size: int) -> None:
    rng = np.random.default_rng(size)
    logs = rng.normal(0.0, 2.0, size=(2, 5, size))
    base = rng.dirichlet(np.ones(size))
    found = replicated_evidence(logs, base)
    assert found is not None
    for strength, log in zip(STRENGTHS, found, strict=True):
        each = [
            oracle.enumerate_statements(np.exp(row), strength * base).log_evidence for row in logs
        ]
        assert log == pytest.approx(np.logaddexp(*each) - math.log(2.0), abs=1e-10)


def test_certain_datasets_learn_what_dirichlet_learns() -> None:
    """Replicates that never differ leave nothing uncertain: base, strengths and P are the same."""
    table = constant(np.random.default_rng(3).normal(size=(9, 3, 2)))
    ours = bc.pairwise(table, method="replicated", n_jobs=1)
    theirs = bc.pairwise(table.average(), method="dirichlet", n_jobs=1)
    assert ours.learned is not None
    whole = learn_prior([Statements.of(c.results) for c in theirs])
    assert ours.learned.base.to_numpy() == pytest.approx(whole.base.to_numpy(), abs=1e-12)
    assert ours.learned.weights == pytest.approx(whole.weights, abs=1e-9)
    assert ours.decide().alone.to_numpy() == pytest.approx(
        theirs.decide().alone.to_numpy(), abs=1e-9
    )
    one, asked = ours["A", "B"], theirs["A", "B"].results
    method = bc.methods.Dirichlet(prior="learned", learned=whole)
    answer = method.answer(asked, Sampling(np.random.default_rng(0)))
    other = comparison_of(asked, method, answer)
    assert one.probability.values == pytest.approx(other.probability.values, abs=1e-9)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-9)
    assert one.loo().elpd == pytest.approx(other.loo().elpd, abs=1e-8)
    assert one.questions.to_numpy() == pytest.approx(other.questions.to_numpy(), abs=1e-9)


def test_it_is_the_default_of_many_pairs_and_can_be_turned_off(
    many: bc.Results, pairs: bc.Pairwise
) -> None:
    own = bc.pairwise(many, method=Replicated(prior="symmetric"), n_jobs=1)
    asked = bc.pairwise(many, method=Replicated(prior="learned"), n_jobs=1)
    assert own.learned is None
    assert pairs.learned is not None
    assert asked.matrix.equals(pairs.matrix)
    table = pairs.decide()
    alone = own.decide().set_index(["first", "second"]).probability
    for row in table.itertuples():
        assert row.alone == pytest.approx(alone[row.first, row.second], abs=1e-12)
    assert "learned from all 3 pairs" in pairs.explain()
    assert "nothing was learned" in own.explain()


def test_swapping_names_mirrors_what_is_learned(many: bc.Results, pairs: bc.Pairwise) -> None:
    turned = bc.pairwise(many.sel(algorithms=["C", "B", "A"]), method="replicated", n_jobs=1)
    for a, b in itertools.permutations("ABC", 2):
        assert float(turned.matrix.sel(algorithm=a, opponent=b)) == pytest.approx(
            float(pairs.matrix.sel(algorithm=a, opponent=b)), abs=1e-9
        )


def test_draws_agree_with_the_exact_figures(pairs: bc.Pairwise) -> None:
    c = pairs["A", "B"]
    tree = c.draws(4000, chains=2, rng=1)
    theta = tree["posterior"]["theta"]
    best = int(c.probability.values.argmax())
    share = float((theta.argmax("statement") == best).mean())
    p = float(c.probability[best])
    assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 8000) + 1e-3)
    mean = theta.mean(("chain", "draw")).values
    assert mean[best] == pytest.approx(float(c.questions["expected"]), abs=0.02)
    assert set(np.unique(tree["posterior"]["strength"])) <= set(STRENGTHS)
    assert tree["log_prior"]["theta"].dims == ("chain", "draw")


@pytest.mark.slow
def test_saved_planned_checked_and_reported(pairs: bc.Pairwise, tmp_path: Path) -> None:
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
    from bayescompare.methods.replicated import learned

    monkeypatch.setattr(learned, "exact_counts", lambda *_, **__: None)
    p = bc.pairwise(many, method="replicated", n_jobs=1)
    assert p.learned is None
    assert "nothing was learned" in p.explain()


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
    tree = c.sample(draws=1500, chains=4, rng=1, progressbar=False, cores=1)
    diagnosis = c.diagnose(tree)
    assert diagnosis.figures["divergences"] == 0
    theta = tree["posterior"]["theta"]
    import arviz as az

    assert float(az.rhat(tree, var_names=["theta"])["theta"].max()) < 1.01
    error = az.mcse(theta, method="mean").values
    mean = c.summary()["theta_mean"].reindex(theta["statement"].values).to_numpy()
    np.testing.assert_array_less(np.abs(theta.mean(("chain", "draw")).values - mean), 4 * error)
    lead = (theta.argmax("statement") == int(c.probability.values.argmax())).astype(float)
    mcse = float(az.mcse(lead.to_dataset(name="lead"))["lead"])
    assert float(lead.mean()) == pytest.approx(float(c.probability.max()), abs=4 * mcse + 1e-4)
