"""Every pair at once: the matrix against single comparisons, decisions against brute force."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.methods import Dirichlet, PoissonBinomial
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.table.results import Results
from tests.oracles.context import tournament
from tests.oracles.statements import every_label, statement_counts
from tests.tables import normal_table, table


def results_of(n: int, l: int, m: int, seed: int = 0, **options: Any) -> Results:
    """Random small integers: ties and different winners."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (n, l, m)) + np.arange(l)[None, :, None] * 0.7
    return table(values, **options)


@pytest.fixture(scope="module")
def uci() -> Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)


# ------------------------------------------------------------------------------------- the figures


def test_the_matrix_is_compare_for_every_ordered_pair() -> None:
    results = bc.load_example("jansen-uci")
    # The papers' prior: a learned one is not compare's.
    uci = bc.pairwise(results, method=bc.methods.Dirichlet(prior="symmetric"), n_jobs=1)
    matrix = uci.matrix
    assert matrix.dims == ("algorithm", "opponent")
    for a, b in itertools.permutations(results.algorithms, 2):
        c = bc.compare(results, algorithms=[a, b])
        label = "|".join([f"{a}>{b}"] * 3)
        assert float(matrix.sel(algorithm=a, opponent=b)) == pytest.approx(
            float(c.probability.sel(statement=label)), abs=1e-11
        )
        assert str(uci.best.sel(algorithm=a, opponent=b).item()) == c.best
        assert float(uci.best_probability.sel(algorithm=a, opponent=b)) == pytest.approx(
            float(c.probability.max()), abs=1e-11
        )
    assert np.isnan(np.diag(matrix)).all()
    assert np.isnan(np.diag(uci.best_probability)).all()
    assert set(np.diag(uci.best)) == {""}


def test_the_matrix_of_a_frequentist_method_is_symmetric_pvalues() -> None:
    results = bc.load_example("jansen-uci")
    p = bc.pairwise(results, method="glrt", n_jobs=1)
    np.testing.assert_allclose(p.matrix, p.matrix.T)
    assert np.isnan(np.diag(p.matrix)).all()
    one = bc.compare(results, method="glrt", algorithms=["GBM", "CART"])
    assert float(p.matrix.sel(algorithm="GBM", opponent="CART")) == one.pvalue


@pytest.mark.parametrize(("m", "named"), [(9, None), (12, None), (9, 3.0)])
def test_a_dominance_never_observed_beyond_256_statements(m: int, named: float | None) -> None:
    """Under an even prior, and under one that names it."""
    results, labels = results_of(4, 2, m, seed=1), every_label("AB", m)
    prior = "symmetric" if named is None else {labels[0]: named, "*": 1 / 2**m}
    p = bc.pairwise(results, method=Dirichlet(prior=prior), n_jobs=1)
    counts = statement_counts(results.oriented(), "AB")
    shapes = np.array([float(counts.get(label, 0)) for label in labels])
    assert shapes[0] == 0.0
    alpha = np.full(2**m, 1 / 2**m)
    alpha[0] = named or alpha[0]
    every = p_max(np.log(alpha), shapes[None])[0, :-1]
    assert float(p.matrix[0, 1]) == pytest.approx(every[0], abs=1e-11)
    assert float(p.matrix[1, 0]) == pytest.approx(every[-1], abs=1e-11)


def test_a_dominance_that_the_prior_names_beyond_256_statements() -> None:
    results = results_of(4, 2, 9, seed=1)
    label = "|".join(["A>B"] * 9)
    method = Dirichlet(prior={label: 3.0, "*": 1 / 512})
    assert label not in statement_counts(results.oriented(), "AB")
    counts = statement_counts(results.oriented(), "AB")
    shapes = np.array([float(counts.get(k, 0)) for k in every_label("AB", 9)])
    alpha = np.full(512, 1 / 512)
    alpha[0] = 3.0
    from bayescompare.kernels.dirichlet.pmax import p_max

    every = p_max(np.log(alpha), shapes[None])[0, :-1]
    p = bc.pairwise(results, method=method, n_jobs=1)
    assert float(p.matrix[0, 1]) == pytest.approx(every[0], abs=1e-11)


def test_k_beyond_float_range(wide: Results) -> None:
    p = bc.pairwise(wide, n_jobs=1)
    assert float(p.matrix[0, 1]) == pytest.approx(0.0, abs=1e-300)
    assert p.decide()["probability"].notna().all()


def test_equivalence_is_written_from_each_side() -> None:
    values = [[[1.0], [1.0], [5.0]], [[2.0], [2.0], [5.0]], [[3.0], [3.0], [9.0]]]
    p = bc.pairwise(table(values, rope=0.1), n_jobs=1)
    assert p.best.sel(algorithm="A", opponent="B").item() == "A=B"
    assert p.best.sel(algorithm="B", opponent="A").item() == "B=A"
    for pair in (("A", "C"), ("C", "A")):
        assert p.best.sel(algorithm=pair[0], opponent=pair[1]).item() == "C>A"
    for a, b in (("A", "B"), ("B", "A")):
        own = bc.compare(table(values, rope=0.1), algorithms=[a, b])
        assert p.best.sel(algorithm=a, opponent=b).item() == own.best
    np.testing.assert_allclose(p.best_probability, p.best_probability.T)


def test_a_table_of_verdicts_is_the_callers_own(uci: Pairwise) -> None:
    before = uci.decide()
    changed = uci.decide()
    changed.loc[:, "probability"] = 0.0
    changed.loc[:, "asserted"] = True
    assert uci.decide().equals(before)
    assert not uci.decide(level=0.99).equals(before)


@pytest.mark.parametrize("pair", ["GBM", ("GBM", "X"), (["GBM"], {}), None, 1.5, True])
def test_what_is_no_pair_is_refused(uci: Pairwise, pair: Any) -> None:
    with pytest.raises(BayescompareError, match=r"no comparison of .* name two algorithms"):
        _ = uci[pair]


# ---------------------------------------------------------------------------------------- reference


def test_a_reference_is_compared_with_each_other_algorithm(uci: Pairwise) -> None:
    results = bc.load_example("jansen-uci")
    p = bc.pairwise(results, reference="RF", n_jobs=1)
    assert len(p.comparisons) == 7
    assert all("RF" in c.results.algorithms for c in p.comparisons)
    for name in results.algorithms:
        if name != "RF":
            for a, b in ((name, "RF"), ("RF", name)):
                whole = float(uci.matrix.sel(algorithm=a, opponent=b))
                found = float(p.matrix.sel(algorithm=a, opponent=b))
                assert found == pytest.approx(whole, abs=1e-12)
    assert int(np.isfinite(p.matrix).sum()) == 14
    with pytest.raises(BayescompareError, match="reference='rf'"):
        bc.pairwise(results, reference="rf", n_jobs=1)


# --------------------------------------------------------------------------------- nothing leaks in


@pytest.mark.parametrize("method", ["dirichlet", "glrt"])
def test_the_number_of_jobs_changes_nothing(method: str) -> None:
    results = results_of(6, 5, 2)
    one, two = (bc.pairwise(results, method=method, n_jobs=k) for k in (1, 2))
    np.testing.assert_array_equal(one.matrix, two.matrix)
    assert one.decide().equals(two.decide())
    assert [c.results.algorithms for c in one.comparisons] == [
        c.results.algorithms for c in two.comparisons
    ]


def test_an_added_algorithm_with_gaps_changes_no_other_pair() -> None:
    values = np.random.default_rng(0).integers(0, 4, (6, 4, 2)).astype(float)
    values[[1, 4], 3, 0] = np.nan
    results = table(values)
    own = bc.methods.Dirichlet(prior="symmetric")
    before = bc.pairwise(results.sel(algorithms=["A", "B", "C"]), method=own, n_jobs=1)
    after = bc.pairwise(results, method=own, missing="drop", n_jobs=1)
    inner = after.matrix.sel(algorithm=["A", "B", "C"], opponent=["A", "B", "C"])
    np.testing.assert_array_equal(inner, before.matrix)
    assert len(after["A", "D"].results.datasets) == 4
    assert len(after["A", "B"].results.datasets) == 6
    with pytest.raises(BayescompareError, match=r"A against D.*missing"):
        bc.pairwise(results, n_jobs=1)
    # And naming the others leaves the gaps out of the question.
    assert len(bc.compare(results, algorithms=["A", "B"]).results.datasets) == 6


def test_relisting_the_table_changes_no_figure() -> None:
    results = results_of(6, 4, 2, seed=5)
    order = ["C", "A", "D", "B"]
    one = bc.pairwise(results, n_jobs=1)
    two = bc.pairwise(results, algorithms=order, n_jobs=1)
    again = two.matrix.sel(algorithm=one.matrix["algorithm"], opponent=one.matrix["opponent"])
    np.testing.assert_allclose(again, one.matrix, atol=1e-12)
    # The chosen statements are the same, whoever is listed first.
    chosen = one.best.sel(algorithm=order, opponent=order)
    assert chosen.values.tolist() == two.best.values.tolist()


# -------------------------------------------------------------------------------------------- order


def test_equivalence_and_mixed_statements_order_nothing() -> None:
    values = np.tile([[[1.0, 1.0], [1.0, 1.0], [3.0, 0.0]]], (30, 1, 1))
    values[0] += 1.0
    p = bc.pairwise(table(values, rope=0.1), n_jobs=1)
    assert p.decide()["asserted"].all()
    graph = p.order()
    assert graph.number_of_edges() == 0
    assert sorted(s for _, _, s in graph.graph["mixed"]) == ["A=B|A=B", "C>A|A>C", "C>B|B>C"]
    assert "better on every measure" not in p.explain()


# --------------------------------------------------------------------------------- tables and words


def test_one_question_about_several_measures_is_said_without_them() -> None:
    # A and B are the same everywhere; against C each is better on one of the two measures.
    values = np.random.default_rng(0).normal(size=(8, 1, 2)) + np.array([[0, 0], [0, 0], [-1, 1]])
    p = bc.pairwise(table(values), method="gsd-bootstrap", guard=False)
    assert "A and B are equivalent. A and C are incomparable." in p.explain()


def test_summary_and_words(uci: Pairwise) -> None:
    s = uci.summary()
    assert len(s) == 28
    for row in s.to_dict("records"):
        c = uci[row["first"], row["second"]]
        assert row["statement"] == c.best
        assert row["probability"] == pytest.approx(float(c.probability.max()), abs=1e-12)
        assert row["first better on all"] == float(
            uci.matrix.sel(algorithm=row["first"], opponent=row["second"])
        )
    said, graph = uci.explain(), uci.order()
    asserted = int(uci.decide()["asserted"].sum())
    assert f"{asserted} of 28" in said
    assert "P of at least 0.95, of the whole and of every measure" in said
    assert "under the learned prior and the pair's own" in said
    told = re.findall(r"(\w+) is better than ([^.]*) on all three measures\.", said)
    edges = {(winner, loser) for winner, all_ in told for loser in re.split(", | and ", all_)}
    assert edges == set(graph.edges)
    assert "means not known, not equal" in said


def test_frequentist_words_are_about_errors_not_probabilities_of_statements() -> None:
    p = bc.pairwise(bc.load_example("jansen-uci"), method="glrt", n_jobs=1)
    said = p.explain()
    assert "Holm" in said
    # Its candidates are the most frequent statements; nothing here is probable.
    assert "probably" not in said.lower()
    assert "28 most probable statements" not in said


# ------------------------------------------------------------------------- methods that are sampled


class SampledPairs(PoissonBinomial):
    """Says that it samples, as under a prior of one's own, and answers at once."""

    samples = True  # type: ignore[assignment]

    def answer(self, results: Results, sampling: Any) -> Any:
        return PoissonBinomial(joint=True).answer(results, sampling)


def test_a_sampled_method_about_two_algorithms_is_asked_pair_by_pair() -> None:
    counts = tournament("ABC", lambda a, b: 0.7 if a < b else 0.3, n_datasets=6, size=5)
    p = bc.pairwise(counts, method=SampledPairs(joint=True), n_jobs=1)
    exact = bc.pairwise(counts, method=PoissonBinomial(joint=True), n_jobs=1)
    np.testing.assert_array_equal(p.matrix.values, exact.matrix.values)


def test_an_error_rate_that_would_change_it_is_a_larger_one():
    p = bc.pairwise(normal_table(["A", "B", "C"], ("acc", "auc")), n_jobs=1)
    told = re.search(r"with an error rate of ([\d.]+)%", p.explain(fdr=0.6))
    assert told is None or float(told[1]) > 60
