"""What the uncertainty comes from: too few replicates, or too few datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.methods import Replicated
from tests.methods.replicated.test_replicated import constant, folds
from tests.oracles.replicated import cut_counts, enumerate_statements


@pytest.fixture(scope="module")
def open_question() -> Any:
    return bc.compare(folds(n=6, noise=0.08), method="replicated")


def remaining(counts: dict[tuple[int, ...], float], alpha: np.ndarray) -> float:
    """What is left on average once the counts are known."""
    each = {c: p_max(np.log(alpha), np.array([c], float))[0, :-1]
            for c in counts}  # fmt: skip
    return sum(w * (1.0 - each[c].max()) for c, w in counts.items())


@pytest.mark.parametrize("joint", [True, False])
def test_the_parts_by_enumeration(joint: bool) -> None:
    results = folds(n=5, noise=0.08)
    c: Any = bc.compare(results, method=Replicated(effects="flat", joint=joint))
    ell, alpha = c.evidence.values, np.full(4, 0.25)
    counts = enumerate_statements(ell, alpha).counts if joint else cut_counts(ell)
    split = c.uncertainty
    assert list(split.index) == ["total", "replicates", "datasets"]
    assert split["total"] == pytest.approx(1.0 - float(c.probability.max()), abs=1e-12)
    assert split["datasets"] == pytest.approx(remaining(counts, alpha), abs=1e-9)
    assert split["replicates"] + split["datasets"] == pytest.approx(split["total"], abs=1e-12)
    assert 0.01 < split["replicates"] < split["total"]


def test_certain_datasets_leave_only_their_number() -> None:
    certain = constant(np.random.default_rng(3).normal(size=(9, 2, 2)))
    c: Any = bc.compare(certain, method="replicated")
    assert c.uncertainty["replicates"] == pytest.approx(0.0, abs=1e-9)
    assert c.uncertainty["datasets"] == pytest.approx(1.0 - float(c.probability.max()), abs=1e-9)


def test_one_dataset_has_too_few_replicates_only() -> None:
    c: Any = bc.compare(folds(n=1), method="replicated")
    assert c.uncertainty["datasets"] == 0.0
    assert c.uncertainty["replicates"] == pytest.approx(1.0 - float(c.probability.max()))
    assert "too few" not in c.explain()


@pytest.mark.slow
def test_gibbs_agrees_within_its_error(monkeypatch: pytest.MonkeyPatch, open_question: Any) -> None:
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion.MOST_STATES", 3)
    sampled: Any = bc.compare(open_question.results, method="replicated", rng=1)
    error = sampled.uncertainty.attrs["mcse"]
    assert 0.0 < error < 0.01
    gap = abs(sampled.uncertainty["datasets"] - open_question.uncertainty["datasets"])
    assert gap < 4.0 * error


def test_words_say_what_to_collect_next(open_question: Any) -> None:
    words = open_question.explain()
    assert "collect independent ones or more datasets" in words
    seeds: Any = bc.compare(open_question.results, method=Replicated(rho=0.0))
    assert seeds.uncertainty["replicates"] > seeds.uncertainty["datasets"]
    assert "so collect more of them first" in seeds.explain()
    few: Any = bc.compare(folds(n=3, noise=0.001), method="replicated")
    assert few.uncertainty["datasets"] > few.uncertainty["replicates"]
    assert "so collect more datasets; plan() says" in few.explain()
    settled: Any = bc.compare(folds(n=14, noise=0.001, seed=2), method="replicated")
    assert ("too few" in settled.explain()) == (settled.decision.level < 0.95)


def test_it_is_saved_reported_and_refused_where_there_is_none(
    open_question: Any, tmp_path: Path
) -> None:
    open_question.to_json(tmp_path / "c.json")
    again: Any = bc.load_comparison(tmp_path / "c.json")
    pd.testing.assert_series_equal(again.uncertainty, open_question.uncertainty)
    report = open_question.report(tmp_path / "r.md").read_text("utf-8")
    assert "What the uncertainty comes from" in report
    assert "uncertainty" in dir(open_question)
    with pytest.raises(bc.BayescompareError, match=r"uncertainty.*replicated"):
        bc.compare(bc.load_example("benavoli-example1")).uncertainty  # noqa: B018
    p = bc.pairwise(folds(algorithms=("A", "B", "C"), n=5), method="replicated", n_jobs=1)
    learned: Any = p["A", "B"]
    assert "uncertainty" not in dir(learned)
    assert "too few" not in learned.explain()
    with pytest.raises(bc.BayescompareError, match="learned from all pairs"):
        learned.uncertainty  # noqa: B018
