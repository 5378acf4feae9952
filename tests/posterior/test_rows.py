"""θ given datasets whose statements are uncertain: every assignment written out, and draws."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from bayescompare.evidence import Evidence
from bayescompare.posterior import drawn
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import DirichletPrior
from bayescompare.statements import Statements

#: Statements, versions of the evidence, and datasets.
CASES = {
    "two": (2, 1, 5),
    "two, versions": (2, 3, 5),
    "a rope": (3, 1, 5),
    "two measures": (4, 2, 4),
    "two measures, one sure": (4, 1, 4),
}


def evidence_of(logs: Any) -> Evidence:
    """Rows of log ℓ, (n, K) or (R, n, K), over statements about so many measures."""
    size = logs.shape[-1]
    rope = (
        {"m0": 0.1} if size == 3 else dict.fromkeys(f"m{j}" for j in range(size.bit_length() - 1))
    )
    names = tuple(f"d{i}" for i in range(logs.shape[-2]))
    statements = Statements.without_data(["A", "B"], rope)
    return Evidence.from_rows(replace(statements, datasets=names), logs)


@cache
def posed(name: str) -> DirichletMixture:
    size, versions, datasets = CASES[name]
    rng = np.random.default_rng(size * versions)
    ell = rng.dirichlet(np.full(size, 0.7), (versions, datasets)) * rng.uniform(0.2, 2.0)
    if "sure" in name:
        ell[:, 0] = np.eye(size)[1]
    base = rng.dirichlet(np.full(size, 5.0))
    equal = DirichletPrior.of_pairs((base + base[::-1]) / 2)
    prior = DirichletPrior(equal.components, np.log(rng.dirichlet(np.ones(6))))
    with np.errstate(divide="ignore"):
        return DirichletMixture.of(evidence_of(np.log(ell)), prior)


def log_urn(a: Component, counts: Any) -> float:
    """log of ∫ Dir(f; α) Π (f_c/size_c)^n."""
    alpha, of = np.exp(a.log_alpha), a.classes.of
    n = np.bincount(of, counts)
    each = gammaln(alpha + n) - gammaln(alpha) - n * np.log(np.bincount(of))
    return float(each.sum() + gammaln(alpha.sum()) - gammaln(alpha.sum() + n.sum()))


def enumerated(posterior: DirichletMixture, rows: Any) -> tuple[float, Any, Any]:
    """The log evidence, P(version), and P(z_i = s | all), over all K^n assignments."""
    versions, n, size = rows.shape
    prior, weight = posterior.prior, np.zeros(versions)
    each = np.zeros((n, size))
    for z in itertools.product(range(size), repeat=n):
        counts = np.bincount(z, minlength=size)
        log_g = [
            log_urn(a, counts) + w for a, w in zip(prior.components, prior.log_weight, strict=True)
        ]
        own = np.exp(rows[:, np.arange(n), z].sum(axis=1) + logsumexp(log_g)) / versions
        weight += own
        each[np.arange(n), z] += own.sum()
    return math.log(weight.sum()), weight / weight.sum(), each / weight.sum()


@pytest.mark.parametrize("name", CASES)
def test_each_dataset_under_a_folded_prior(name: str) -> None:
    posterior = posed(name)
    rows = posterior.evidence.rows
    log_evidence, version, each = enumerated(posterior, rows)
    assert posterior.log_evidence == pytest.approx(log_evidence, abs=1e-11)
    assert posterior.version == pytest.approx(version, abs=1e-11)
    assert posterior.per_dataset() == pytest.approx(each, abs=1e-11)
    without, _ = posterior.leave_one_out()
    for i in range(rows.shape[1]):
        rest, _, _ = enumerated(posterior, np.delete(rows, i, axis=1))
        assert without[i] == pytest.approx(log_evidence - rest, abs=1e-10)


@pytest.mark.parametrize("name", ["a rope", "two measures"])
def test_the_cut_hears_no_other_dataset(name: str) -> None:
    posterior = posed(name)
    evidence, (versions, n, size) = posterior.evidence, posterior.evidence.rows.shape
    cut = DirichletMixture.of(evidence, posterior.prior, joint=False)
    assert cut.version == pytest.approx(posterior.version, abs=1e-12)
    rows = np.exp(evidence.rows - logsumexp(evidence.rows, axis=2, keepdims=True))
    alone = np.einsum("r,ris->is", posterior.version, rows)
    assert cut.per_dataset() == pytest.approx(alone, abs=1e-12)
    assert cut.log_evidence is None
    mean = np.zeros(size)
    for a, log_weight in zip(cut.components, posterior.prior.log_weight, strict=True):
        total = np.exp(a.log_alpha).sum()
        shape = np.exp(a.log_alpha) + a.classes.total(alone.sum(axis=0))
        mean += np.exp(log_weight) * a.classes.share(shape) / (total + n)
    assert cut.mean() == pytest.approx(mean, abs=1e-11)
    assert versions == len(cut.log_paths)


def test_versions_are_drawn_with_the_vectors() -> None:
    posterior, rng = posed("two measures"), np.random.default_rng(1)
    _, vector = posterior.draw_place(40_000, rng)
    version = posterior.draw_version(vector, rng)
    share = np.bincount(version, minlength=2) / len(version)
    assert share == pytest.approx(posterior.version, abs=4 * 0.5 / math.sqrt(len(version)))


@pytest.mark.slow
@pytest.mark.parametrize("joint", [True, False])
def test_drawn_vectors_agree_with_all_vectors(joint: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    evidence = evidence_of(np.log(rng.dirichlet(np.ones(4), (2, 10))))
    prior = DirichletPrior.symmetric(0.25, 4)
    exact = DirichletMixture.of(evidence, prior, joint=joint)
    first = DrawnMixture.sampled(evidence, prior, rng, joint=joint)
    mcse = first.mcse()
    assert mcse is not None
    assert first.log_evidence is None
    assert (np.abs(first.p_max() - exact.p_max()) < 4.0 * mcse + 1e-6).all()
    assert first.version == pytest.approx(exact.version, abs=0.06)
    assert first.per_dataset() == pytest.approx(exact.per_dataset(), abs=0.03)
    known, error = first.leader_known()
    assert known == pytest.approx(exact.leader_known()[0], abs=4.0 * error)
    more = np.array([0.0, 3.0, 0.0, 1.0])
    grown = np.abs(first.with_more(more).p_max() - exact.with_more(more).p_max())
    assert (grown < 0.03).all()
    if joint:
        better = first.refined(rng)
        found = better.mcse()
        assert found is not None
        assert found.max() < 0.6 * mcse.max()
        assert (np.abs(better.p_max() - exact.p_max()) < 4.0 * found + 1e-6).all()
    monkeypatch.setattr(drawn, "_MOST_WORK", 1.0)
    assert first.refined(rng) is first
