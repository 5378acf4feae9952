"""``b="learned"``: the weight of r's prior learned from all pairs, against enumeration."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc, betaln, logsumexp
from scipy.stats import beta

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.context.learned_rate import RateMixture, learned_rate_evidence
from bayescompare.kernels.dirichlet.learned import STRENGTHS, learn_weights
from bayescompare.methods import CorrelatedT, PoissonBinomial
from tests.cases import few_quick


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


def enumerated(p: np.ndarray, b: float) -> tuple[np.ndarray, float]:
    """P(κ) and the log evidence, over all 2^N verdicts."""
    n = len(p)
    logs = np.full(n + 1, -np.inf)
    for k in range(2**n):
        d = np.array([(k >> i) & 1 for i in range(n)])
        log_p = np.log(np.where(d == 1, p, 1 - p)).sum() + betaln(b + d.sum(), b + n - d.sum())
        logs[d.sum()] = np.logaddexp(logs[d.sum()], log_p - betaln(b, b))
    return np.exp(logs - logsumexp(logs)), float(logsumexp(logs))


def test_mixture_against_enumeration() -> None:
    p = np.array([0.9, 0.7, 0.95, 0.2, 0.6])
    g = np.random.default_rng(1).dirichlet(np.ones(16))
    mixture = RateMixture(p, STRENGTHS, g)
    each = [enumerated(p, b) for b in STRENGTHS]
    evidence = np.array([e for _, e in each])
    np.testing.assert_allclose(learned_rate_evidence(p, STRENGTHS), evidence, atol=1e-12)
    weights = g * np.exp(evidence)
    assert mixture.log_evidence == pytest.approx(math.log(weights.sum()), abs=1e-12)
    weights /= weights.sum()
    wins = np.arange(6)
    first = sum(
        w * (k @ betainc(5 - wins + b, wins + b, 0.5))
        for w, b, (k, _) in zip(weights, STRENGTHS, each, strict=True)
    )
    mean = sum(
        w * (k @ ((b + wins) / (2 * b + 5)))
        for w, b, (k, _) in zip(weights, STRENGTHS, each, strict=True)
    )
    assert mixture.joint.first == pytest.approx(first, abs=1e-9)
    assert mixture.joint.mean == pytest.approx(mean, abs=1e-9)
    for end, q in zip(mixture.interval(), (0.025, 0.975), strict=True):
        below = sum(
            w * (k @ beta.cdf(end, b + wins, b + 5 - wins))
            for w, b, (k, _) in zip(weights, STRENGTHS, each, strict=True)
        )
        assert below == pytest.approx(q, abs=1e-7)
    for i in range(5):
        rest = [enumerated(np.delete(p, i), b)[1] for b in STRENGTHS]
        without = math.log(float(g @ np.exp(rest)))
        assert mixture.joint.log_predictive[i] == pytest.approx(
            mixture.log_evidence - without, abs=1e-8
        )


def test_draws_are_of_the_mixture() -> None:
    p = np.array([0.9, 0.7, 0.95, 0.6])
    mixture = RateMixture(p, STRENGTHS, np.full(16, 1 / 16))
    r, b = mixture.draw(100_000, np.random.default_rng(0))
    assert (r > 0.5).mean() == pytest.approx(mixture.joint.first, abs=4 * 0.5 / math.sqrt(1e5))
    share = np.array([(b == value).mean() for value in STRENGTHS])
    np.testing.assert_allclose(share, mixture.weights, atol=4 * 0.5 / math.sqrt(1e5))


@pytest.mark.parametrize("name", TESTS)
def test_pairwise_learns_the_weight(name: str) -> None:
    make, method = TESTS[name]
    table = make()
    p = bc.pairwise(table, method=method, n_jobs=1)
    assert p.learned is not None
    assert p.learned.pairs == 6
    evidence = [learned_rate_evidence(method.alone(c.results), STRENGTHS) for c in p]
    np.testing.assert_allclose(p.learned.strengths, learn_weights(np.stack(evidence)), atol=1e-12)
    decided = p.decide()
    own = type(method)(joint=True)
    for row in decided.to_dict("records"):
        c = bc.compare(table, method=own, algorithms=[row["first"], row["second"]])
        assert row["alone"] == pytest.approx(
            float(c.probability.sel(statement=row["statement"])), abs=1e-10
        )
    both = (decided["probability"] >= 0.95) & (decided["alone"] >= 0.95)
    assert decided["asserted"].equals(both.rename("asserted"))
    assert "learned from all 6 pairs" in p.explain()
    assert "learned from all 6 pairs" in p[0].explain()
    some = bc.pairwise(table, method=method, reference="A", n_jobs=1)
    assert some.learned == p.learned


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


def test_leave_one_out_and_plan_of_a_learned_pair() -> None:
    c = bc.pairwise(counts(), method=PoissonBinomial(joint=True, b="learned"), n_jobs=1)[0]
    mixture = c.method.mixture(c.method.alone(c.results))
    assert mixture is not None
    np.testing.assert_allclose(
        np.diff(c.loo().elpd_i.values - mixture.joint.log_predictive),
        np.diff(c.method._each(c.results)),
        atol=1e-10,
    )
    assert 0 <= c.plan([5], simulations=10, rng=0).loc[5, "settled"] <= 1


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


def test_a_rope_learns_nothing() -> None:
    table = folds()
    roped = bc.Results.from_frame(
        table.to_frame(), replicate="replicate", measures={"auc": bc.Measure("max", rope=0.01)}
    )
    with pytest.raises(BayescompareError, match="rope"):
        bc.pairwise(roped, method=CorrelatedT(joint=True, b="learned"), n_jobs=1)


@pytest.mark.parametrize("name", TESTS)
def test_the_report_speaks_of_b(name: str) -> None:
    table, method = TESTS[name]
    p = bc.pairwise(table(), method=method, n_jobs=1)
    text = bc.report.render(p, "markdown")
    assert "b of its prior was learned from all 6 pairs" in text
    assert "Dirichlet(Aφ)" not in text
    assert "expected share of each pattern" not in text
    assert "| b | share of pairs |" in text
    for value in STRENGTHS:
        assert f"| {value:,.0f} |" in text if value >= 100 else f"| {value:.3g} |" in text
    assert "options: joint = True" in text
    assert "learned = {" not in text
