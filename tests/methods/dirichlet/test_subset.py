"""`on()` and fewer algorithms: the posterior summed, and where that equals asking anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare._errors import BayescompareError
from tests.methods.dirichlet.cases import arrays, ask, example_1, sample_table
from tests.oracles.dirichlet import first_of_two, largest
from tests.oracles.statements import every_label, statement_counts
from tests.tables import table

# --------------------------------------------------------------------------------- subsets, `on()`


@given(arrays(l=2, m=3), st.permutations([0, 1, 2]), st.integers(1, 3))
def test_a_subset_under_the_symmetric_prior_is_a_fresh_comparison(
    values: np.ndarray, order: list[int], size: int
) -> None:
    chosen = [f"m{j}" for j in order[:size]]
    results = table(values)
    asked = ask(results).on(chosen)
    fresh = ask(results.sel(measures=chosen))
    assert asked.probability["statement"].values.tolist() == (
        fresh.probability["statement"].values.tolist()
    )
    np.testing.assert_allclose(asked.probability, fresh.probability, atol=1e-11)
    np.testing.assert_allclose(asked.questions, fresh.questions, atol=1e-10)
    assert asked.log_evidence == pytest.approx(fresh.log_evidence, abs=1e-9)
    assert asked.results.measures == tuple(chosen)


@pytest.mark.parametrize(
    "prior",
    ["symmetric", 0.3, {"A>B|A>B|B>A": 4.0, "B>A|A>B|A>B": 0.2, "*": 0.1}],
    ids=["symmetric", "number", "mapping"],
)
@pytest.mark.parametrize("keep", [[2, 1], [0]])
def test_a_subset_sums_the_posterior(prior: Any, keep: list[int]) -> None:
    values = sample_table(7, 2, 3, seed=4, ties=True)
    labels = every_label("AB", 3)
    fixed = {"symmetric": 1 / 8, "jeffreys": 0.5, "uniform": 1.0}
    if isinstance(prior, dict):
        alpha = {label: prior.get(label, prior["*"]) for label in labels}
    else:
        alpha = dict.fromkeys(labels, fixed.get(prior, prior))
    counts = statement_counts(values, "AB")
    shapes: dict[str, float] = {}
    for label in labels:
        short = "|".join(label.split("|")[j] for j in keep)
        shapes[short] = shapes.get(short, 0.0) + alpha[label] + float(counts.get(label, 0))
    c = ask(table(values), prior=prior).on([f"m{j}" for j in keep])
    asked = c.probability["statement"].values.tolist()
    assert sorted(asked) == sorted(shapes)
    np.testing.assert_allclose(c.probability, largest([shapes[k] for k in asked]), atol=1e-10)
    expected = shapes[c.best] / sum(shapes.values())
    assert c.questions["expected"] == pytest.approx(expected, abs=1e-12)


def test_a_subset_under_jeffreys_is_not_jeffreys_on_the_subset() -> None:
    results = table(sample_table(7, 2, 3, seed=4))
    asked = ask(results, prior="jeffreys").on(["m0"])
    fresh = ask(results.sel(measures=["m0"]), prior="jeffreys")
    assert not np.allclose(asked.probability, fresh.probability, atol=1e-4)


def test_a_subset_of_the_imprecise_keeps_its_bounds() -> None:
    c = ask(example_1(), prior="imprecise").on(["accuracy"])
    assert float(c.bounds.sel(statement="B>A", bound="lower")) == pytest.approx(
        first_of_two(9, 4), abs=1e-10
    )


def test_a_subset_that_is_not_there() -> None:
    with pytest.raises(BayescompareError, match="acuracy"):
        ask(example_1()).on(["acuracy"])
    with pytest.raises(BayescompareError):
        ask(example_1()).on([])


# ------------------------------------------------------------------------ three algorithms to two


@given(arrays(l=3, m=st.integers(1, 2), most=5), st.sampled_from([("A", "B"), ("C", "A")]))
@settings(max_examples=30)
def test_projecting_three_algorithms_to_two_is_exact_under_the_symmetric_prior(
    values: np.ndarray, pair: tuple[str, str]
) -> None:
    joint = bc.compare(table(values), method="dirichlet")
    m = values.shape[2]
    size = 6**m
    shapes = dict.fromkeys(every_label(pair, m), 0.0)
    counts = statement_counts(values, "ABC")
    for label in every_label("ABC", m):
        short = "|".join(
            ">".join(name for name in state.split(">") if name in pair)
            for state in label.split("|")
        )
        shapes[short] += 1 / size + float(counts.get(label, 0))
    assert sum(shapes.values()) == pytest.approx(len(values) + 1)
    own = table(values).sel(algorithms=list(pair))
    assume(all(np.ptp(own.data[name].values) > 0 for name in own.measures))
    two = ask(own)
    labels = two.probability["statement"].values.tolist()
    by_hand = np.array([shapes[k] for k in labels])
    # The pairwise test's own posterior has the same parameters …
    np.testing.assert_allclose(
        two.probability["count"].values + 1 / len(labels), by_hand, atol=1e-10
    )
    # … and so the same figures.
    mean = two.summary().loc[labels, "theta_mean"]
    np.testing.assert_allclose(mean, by_hand / by_hand.sum(), atol=1e-12)
    assert float(joint.probability.sum()) == pytest.approx(1.0, abs=1e-10)


def test_projecting_is_not_exact_under_jeffreys_and_the_words_say_so() -> None:
    c = ask(table(sample_table(6, 3, 1)), prior="jeffreys")
    assert "only for prior='symmetric'" in c.explain()
    assert "only for prior='symmetric'" not in ask(table(sample_table(6, 3, 1))).explain()
