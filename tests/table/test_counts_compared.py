"""What the methods make of counts of errors, and which counts they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats

import bayescompare as bc
from bayescompare import ErrorCounts
from tests.oracles.context import counts_of
from tests.table.made_counts import P, refusal


@pytest.mark.parametrize("method", ["poisson-binomial", "hierarchical", "sign", "wilcoxon", "glrt"])
def test_datasets_without_discordant_examples_do_no_harm(method: str) -> None:
    c = bc.compare(counts_of([(0, 0), (2, 5), (0, 3), (0, 0), (1, 4)]), method=method)
    assert c.best == "A>B"
    c.explain()
    c.summary()


@pytest.mark.parametrize("joint", [False, True])
def test_nothing_discordant_at_all_is_even_odds(joint: bool) -> None:
    c: Any = bc.compare(counts_of([(0, 0)] * 3), method=bc.methods.PoissonBinomial(joint=joint))
    assert c.probability.values.tolist() == pytest.approx([0.5, 0.5], abs=1e-12)
    assert c.decision.verdict == "tied"
    assert "neither" in c.explain()
    h: Any = bc.compare(counts_of([(0, 0)] * 3), method="hierarchical")
    assert h.probability.values.tolist() == pytest.approx([0.5, 0.5], abs=1e-12)
    assert h.log_evidence == pytest.approx(0.0, abs=1e-10)
    # The prior: μ and ρ are uniform, q is symmetric about ½.
    assert h.rate["mean"] == pytest.approx(0.5, abs=1e-9)
    assert h.pooling["mean"].tolist() == pytest.approx([0.5, 0.5], abs=1e-6)


def test_other_methods_judge_the_errors() -> None:
    counts = counts_of([(1, 4), (2, 5), (3, 3), (6, 2), (0, 1), (2, 7)])
    k_h, k_g = counts.pair("A", "B")
    difference = k_g - k_h
    sign = bc.compare(counts, method="sign")
    assert sign.best == "A>B"
    assert sign.pvalue == pytest.approx(stats.binomtest(4, 5).pvalue)
    wilcoxon = bc.compare(counts, method="wilcoxon")
    moved = difference[difference != 0]
    oracle = stats.wilcoxon(moved, method=stats.PermutationMethod())
    assert wilcoxon.pvalue == pytest.approx(oracle.pvalue)
    dirichlet = bc.compare(counts, method="dirichlet")
    assert dirichlet.probability["count"].values.tolist() == [4.5, 1.5]
    assert float(dirichlet.probability[0]) == pytest.approx(stats.beta.sf(0.5, 5, 2), abs=1e-12)
    assert bc.compare(counts, method="glrt").best == "A>B"


def test_many_algorithms_go_to_friedman(four: ErrorCounts) -> None:
    c: Any = bc.compare(four, method="friedman")
    ranks = four.data["error"].transpose("dataset", "algorithm").values
    expected = stats.rankdata(ranks, axis=1).mean(axis=0)
    assert c.ranks.loc[list(four.algorithms)].tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize("method", ["poisson-binomial", "hierarchical"])
def test_what_cannot_be_compared_is_refused(method: str, four: ErrorCounts) -> None:
    assert "two algorithms" in refusal(lambda: bc.compare(four, method=method))
    assert "two" in refusal(lambda: bc.compare(four.sel(algorithms=["A"]), method=method))
    one = four.sel(datasets=["d1"])
    assert "'d1'" in refusal(lambda: bc.compare(one, method=method, algorithms=["A", "B"]))
    assert "ErrorCounts" in refusal(
        lambda: bc.compare(bc.load_example("jansen-uci"), method=method, measures=["auc"])
    )
    assert "ErrorCounts" in refusal(lambda: bc.compare(P, method=method))  # type: ignore[arg-type]


def test_counts_have_no_replicates(four: ErrorCounts) -> None:
    said = refusal(lambda: bc.compare(four, method="correlated-t", algorithms=["A", "B"]))
    assert "replicate" in said
