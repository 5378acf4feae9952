"""The multinomial-Dirichlet test's figures: the published, by mpmath, and of many statements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.table.results import Results
from tests.methods.dirichlet.cases import arrays, ask, example_1, sample_table
from tests.oracles import dirichlet as oracles
from tests.oracles.dirichlet import first_of_two, largest
from tests.oracles.statements import every_label, statement_counts
from tests.tables import table

EXAMPLE = [0.012363334853, 0.051922986073, 0.137500091839, 0.798213587235]


# ----------------------------------------------------------------------------------- the published


def test_example_1_in_ten_digits() -> None:
    c = ask(example_1())
    assert c.probability.values.round(12).tolist() == EXAMPLE
    assert c.best == "B>A|B>A"
    assert c.unobserved == 0.0
    assert c.exact
    assert c.mcse is None


def test_the_four_questions_of_example_1() -> None:
    q = ask(example_1()).questions
    assert q.index.tolist() == ["most probable", "beats opposite", "majority", "expected"]
    assert q.name == "B>A|B>A"
    assert q.round(6).tolist() == [0.798214, 0.979630, 0.443050, 0.480769]
    assert q["beats opposite"] == pytest.approx(first_of_two(6.25, 1.25), abs=1e-12)
    assert q["majority"] == pytest.approx(stats.beta(6.25, 6.75).sf(0.5), abs=1e-12)
    assert q["expected"] == pytest.approx(6.25 / 13, abs=1e-15)


# ---------------------------------------------------------------------------------------- shape


def test_the_probability_array_carries_its_metadata() -> None:
    p = ask(example_1()).probability
    assert p.dims == ("statement",)
    assert p["statement"].values.tolist() == every_label("AB", 2)
    assert p["accuracy"].values.tolist() == ["A>B", "A>B", "B>A", "B>A"]
    assert p["time"].values.tolist() == ["A>B", "B>A", "A>B", "B>A"]
    assert p["count"].values.tolist() == [1, 2, 3, 6]
    assert p.attrs["method"] == "dirichlet"
    assert p.attrs["exactness"] == "exact"


def test_the_summary_is_the_same_numbers_sorted() -> None:
    c = ask(example_1())
    s = c.summary()
    assert s.index.tolist() == ["B>A|B>A", "B>A|A>B", "A>B|B>A", "A>B|A>B"]
    for label in s.index:
        assert s.loc[label, "probability"] == float(c.probability.sel(statement=label))
    beta = stats.beta(6.25, 6.75)
    assert s.loc["B>A|B>A", "theta_mean"] == pytest.approx(beta.mean())
    assert s.loc["B>A|B>A", "theta_lower"] == pytest.approx(beta.ppf(0.025), rel=1e-8)
    assert s.loc["B>A|B>A", "theta_upper"] == pytest.approx(beta.ppf(0.975), rel=1e-8)


@given(arrays(l=2, m=st.integers(1, 3)))
def test_two_algorithms_by_enumeration_and_mpmath_free_sums(values: np.ndarray) -> None:
    results = table(values)
    c = ask(results)
    expected = statement_counts(values, results.algorithms)
    labels = every_label(results.algorithms, values.shape[2])
    counts = np.array([float(expected.get(label, 0)) for label in labels])
    np.testing.assert_allclose(c.probability["count"].values, counts, atol=1e-12)
    assert c.probability["statement"].values.tolist() == labels
    assert float(c.probability.sum()) == pytest.approx(1.0, abs=1e-11)
    unseen = c.probability.values[counts == 0].sum()
    assert c.unobserved == pytest.approx(unseen, abs=1e-12)
    alpha = [1 / len(labels)] * len(labels)
    assert c.log_evidence == pytest.approx(
        oracles.log_dirichlet_moment(alpha, counts.tolist()), abs=1e-9
    )


@pytest.mark.parametrize("l", [2, 3])
def test_the_answer_by_mpmath_and_monte_carlo(l: int) -> None:
    values = sample_table(5, l, 1, seed=l, ties=True)
    c = ask(table(values))
    shapes = c.probability["count"].values + 1 / math.factorial(l)
    np.testing.assert_allclose(c.probability, largest(shapes.tolist()), atol=1e-10)
    logs = oracles.log_dirichlet_draws(shapes, 40_000, np.random.default_rng(0))
    won = np.bincount(logs.argmax(axis=1), minlength=len(shapes)) / 40_000
    p = c.probability.values
    assert np.all(np.abs(won - p) < 4 * np.sqrt(p * (1 - p) / 40_000) + 1 / 40_000)


# ---------------------------------------------------------------------------------- many statements


def test_just_beyond_256_statements_the_same_figures_come_out() -> None:
    # K = 512 by the sparse path, and the same 512 cells listed by hand.
    values = sample_table(9, 2, 9, seed=3)
    values[4] = values[2]
    values[5, :, 0] = 0.5
    c = ask(table(values))
    counts = statement_counts(values, "AB")
    labels = every_label("AB", 9)
    full = np.array([float(counts.get(label, 0)) for label in labels])
    from bayescompare.kernels.dirichlet.pmax import p_max

    listed = p_max(np.full(512, -math.log(512)), full[None])[0, :-1]
    assert c.probability.sizes["statement"] == len(counts)
    for label, p in zip(c.probability["statement"].values, c.probability.values, strict=True):
        assert p == pytest.approx(listed[labels.index(label)], abs=1e-12)
    assert c.unobserved == pytest.approx(listed[full == 0].sum(), abs=1e-12)
    best = float(full[labels.index(c.best)]) + 1 / 512
    assert c.questions["expected"] == pytest.approx(best / 10, abs=1e-12)
    against = float(full[labels.index(opposite(c.best))]) + 1 / 512
    assert c.questions["beats opposite"] == pytest.approx(first_of_two(best, against), abs=1e-11)


def opposite(label: str) -> str:
    return "|".join(">".join(state.split(">")[::-1]) for state in label.split("|"))


def test_k_beyond_float_range(wide_answer: bc.Comparison) -> None:
    c = wide_answer
    exact, unseen = oracles.largest_with_countless([1.0] * 4, 1.0)
    np.testing.assert_allclose(c.probability, exact, atol=1e-10)
    assert c.unobserved == pytest.approx(unseen, abs=1e-10)
    assert c.log_evidence == pytest.approx(-4 * 1200 * math.log(2) - math.log(24), rel=1e-12)
    assert np.isfinite(c.summary().to_numpy()).all()
    # Each dataset is alone in its statement: leaving it out makes it a first visit again.
    np.testing.assert_allclose(c.loo().elpd_i, -1200 * math.log(2) - math.log(4), rtol=1e-12)


def test_k_beyond_float_range_with_a_fixed_alpha(wide: Results) -> None:
    c = ask(wide, prior="jeffreys")
    assert c.unobserved == pytest.approx(1.0, abs=1e-11)
    assert float(c.probability.sum()) + c.unobserved == pytest.approx(1.0, abs=1e-11)
    assert c.questions["expected"] == pytest.approx(0.0, abs=1e-300)
    # Each dataset is then one of K equally likely statements.
    assert c.log_evidence == pytest.approx(-4 * 1200 * math.log(2), rel=1e-9)
    posterior = c.draws(50, rng=0)["posterior"]
    np.testing.assert_allclose(posterior["theta"].sel(statement="(other)"), 1.0, atol=1e-12)
    np.testing.assert_allclose(posterior["marginal"], 0.5, atol=1e-6)


@pytest.mark.parametrize("prior", ["symmetric", "imprecise"])
def test_eight_algorithms_on_six_measures(prior: str) -> None:
    c = ask(table(sample_table(50, 8, 6)), prior=prior)
    assert c.probability.sizes["statement"] == 50
    np.testing.assert_allclose(c.probability, float(c.probability[0]), atol=1e-13)
    assert float(c.probability.sum()) + c.unobserved == pytest.approx(1.0, abs=1e-11)
    assert "4.3e27" in c.explain()


def test_twenty_five_algorithms() -> None:
    c = ask(table(sample_table(3, 25, 2)))
    exact, unseen = oracles.largest_with_countless([1.0] * 3, 1.0)
    np.testing.assert_allclose(c.probability, exact, atol=1e-9)
    assert c.unobserved == pytest.approx(unseen, abs=1e-9)


# ------------------------------------------------------------------------------ what is not there


@pytest.mark.parametrize("quantity", ["pvalue", "statistic"])
def test_what_a_dirichlet_comparison_lacks(quantity: str) -> None:
    c = ask(example_1())
    with pytest.raises(BayescompareError, match="glrt") as caught:
        getattr(c, quantity)
    assert isinstance(caught.value, AttributeError)
    assert not hasattr(c, quantity)


def test_an_exact_answer_has_no_tree_and_says_where_to_get_one() -> None:
    with pytest.raises(BayescompareError, match="not sampled") as caught:
        _ = ask(example_1()).tree
    assert isinstance(caught.value, AttributeError)


# ----------------------------------------------------------------------------------- leave-one-out


def test_loo_is_exact_and_arviz_compares_it() -> None:
    import arviz as az

    models = {
        "symmetric": ask(example_1()),
        "uniform": ask(example_1(), prior="uniform"),
    }
    loos = {name: c.loo() for name, c in models.items()}
    shape = np.array([1.25] * 1 + [2.25] * 2 + [3.25] * 3 + [6.25] * 6)
    exact = np.log((shape - 1) / 12)
    assert loos["symmetric"].elpd == pytest.approx(exact.sum(), abs=1e-11)
    np.testing.assert_allclose(loos["symmetric"].elpd_i, exact, atol=1e-12)
    assert loos["symmetric"].se == pytest.approx(math.sqrt(12 * np.var(exact)))
    assert loos["symmetric"].kind == "loo"
    assert loos["symmetric"].p == pytest.approx((np.log(shape / 13) - exact).sum(), abs=1e-11)
    table_ = az.compare(loos)
    better = max(models, key=lambda name: loos[name].elpd)
    assert table_.index[0] == better
