"""The multinomial-Dirichlet test as users see it: figures, priors, subsets, symmetry, words."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.comparisons import DirichletComparison
from bayescompare.methods import Dirichlet
from bayescompare.results.results import Results
from tests.oracles import dirichlet as oracles
from tests.oracles.dirichlet import first_of_two, largest
from tests.oracles.statements import every_label, statement_counts
from tests.tables import table

EXAMPLE = [0.012363334853, 0.051922986073, 0.137500091839, 0.798213587235]


def ask(results: Results, **choices: Any) -> DirichletComparison:
    c = bc.compare(results, method=Dirichlet(**choices))
    assert isinstance(c, DirichletComparison)
    return c


def example_1() -> Results:
    return bc.load_example("benavoli-example1")


def arrays(
    l: int = 2, m: int | st.SearchStrategy[int] = 2, least: int = 2, most: int = 6
) -> st.SearchStrategy[np.ndarray]:
    """Tables of small integers, ties and all, without a constant measure."""
    measures = st.just(m) if isinstance(m, int) else m
    shape = st.tuples(st.integers(least, most), st.just(l), measures)
    made = shape.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, 3).map(float)))
    return made.filter(lambda v: bool(np.all(np.ptp(v, axis=(0, 1)) > 0)))


def sample_table(n: int, l: int, m: int, seed: int = 0, *, ties: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, l, m)).astype(float) if ties else rng.random((n, l, m))


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


def test_pnn() -> None:
    c = ask(bc.load_example("pnn"))
    assert c.best == "New>State of art|New>State of art"
    assert c.probability.sel(statement=c.best) == pytest.approx(
        largest([3.25, 1.25, 0.25, 0.25])[0], abs=1e-10
    )


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


def test_the_repr_tells_the_verdict() -> None:
    said = repr(ask(example_1()))
    assert "B>A|B>A is the most probable statement with P = 0.798 (exact)" in said


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


# ------------------------------------------------------------------------------------------ priors


@pytest.mark.parametrize(
    ("prior", "alpha"),
    [("symmetric", 0.25), ("jeffreys", 0.5), ("uniform", 1.0), (0.125, 0.125), (2, 2.0)],
)
def test_priors(prior: Any, alpha: float) -> None:
    c = ask(example_1(), prior=prior)
    shapes = [n + alpha for n in (1, 2, 3, 6)]
    np.testing.assert_allclose(c.probability, largest(shapes), atol=1e-10)
    assert c.questions["expected"] == pytest.approx(shapes[3] / sum(shapes), abs=1e-12)
    assert c.questions["beats opposite"] == pytest.approx(
        first_of_two(shapes[3], shapes[0]), abs=1e-11
    )
    assert c.log_evidence == pytest.approx(
        oracles.log_dirichlet_moment([alpha] * 4, [1, 2, 3, 6]), abs=1e-10
    )


def test_strength() -> None:
    c = ask(example_1(), strength=4.0)
    np.testing.assert_allclose(c.probability, ask(example_1(), prior="uniform").probability)
    with pytest.raises(BayescompareError, match="strength"):
        Dirichlet(prior="uniform", strength=2.0)


def test_a_mapping_of_all_labels_is_a_number() -> None:
    labels = every_label("AB", 2)
    number = ask(example_1(), prior=0.7)
    for prior in (dict.fromkeys(labels, 0.7), {"*": 0.7}, {labels[2]: 0.7, "*": 0.7}):
        same = ask(example_1(), prior=prior)
        np.testing.assert_allclose(same.probability, number.probability, atol=1e-13)
        assert same.log_evidence == pytest.approx(number.log_evidence, abs=1e-12)
        assert same.questions.tolist() == pytest.approx(number.questions.tolist())


def test_a_mapping_gives_each_label_its_own_alpha() -> None:
    c = ask(example_1(), prior={"A>B|A>B": 5.0, "B>A|A>B": 0.1, "*": 0.3})
    np.testing.assert_allclose(c.probability, largest([6.0, 2.3, 3.1, 6.3]), atol=1e-10)


@pytest.mark.parametrize(
    "prior",
    [np.int64(1), np.float32(0.5), np.float64(0.5), True],
    ids=["int64", "float32", "float64", "bool"],
)
def test_numbers_of_numpys_are_numbers(prior: Any) -> None:
    if prior is True:
        with pytest.raises(BayescompareError, match="prior=True"):
            Dirichlet(prior=prior)
        return
    c = ask(example_1(), prior=prior)
    np.testing.assert_allclose(c.probability, ask(example_1(), prior=float(prior)).probability)
    assert c.method.options()["prior"] == float(prior)


def test_a_mapping_beyond_256_statements() -> None:
    values = sample_table(5, 2, 9)
    seen = ask(table(values)).best
    unseen = next(
        label for label in every_label("AB", 9) if label not in statement_counts(values, ["A", "B"])
    )
    c = ask(table(values), prior={seen: 0.9, unseen: 0.8, "*": 0.01})
    shapes = np.full(512, 0.01)
    labels = every_label("AB", 9)
    for label, count in statement_counts(values, ["A", "B"]).items():
        shapes[labels.index(label)] += float(count)
    shapes[labels.index(seen)] += 0.89
    shapes[labels.index(unseen)] += 0.79
    logs = oracles.log_dirichlet_draws(shapes, 20_000, np.random.default_rng(0))
    won = np.bincount(logs.argmax(axis=1), minlength=512) / 20_000
    for label, p in zip(c.probability["statement"].values, c.probability.values, strict=True):
        assert won[labels.index(label)] == pytest.approx(p, abs=4 * math.sqrt(p / 20_000))
    # What the prior names is listed, and is among the unobserved all the same.
    assert unseen in c.probability["statement"].values
    observed = float(c.probability.where(c.probability["count"] > 0, 0.0).sum())
    assert observed + c.unobserved == pytest.approx(1.0, abs=1e-11)
    assert c.unobserved > float(c.probability.sel(statement=unseen))


def test_questions_are_about_the_best_whatever_the_prior_names() -> None:
    # A statement that only the prior knows has most of the posterior; it is not listed here.
    values = sample_table(5, 2, 9)
    labels = every_label("AB", 9)
    unseen = next(k for k in labels if k not in statement_counts(values, ["A", "B"]))
    c = ask(table(values), prior={unseen: 50.0, "*": 1 / 512})
    p = dict(zip(c.probability["statement"].values, c.probability.values, strict=True))
    assert c.questions["most probable"] == pytest.approx(p.get(c.best, math.nan), abs=1e-12)


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ("jefreys", "Did you mean 'jeffreys'"),
        (-1, "prior=-1"),
        (0, "prior=0"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ({}, "at least one"),
        ({"A>B|A>B": -2.0, "*": 1.0}, "prior['A>B|A>B']=-2.0"),
        ([1.0, 2.0], "prior="),
    ],
)
def test_priors_that_cannot_be(prior: Any, said: str) -> None:
    with pytest.raises(BayescompareError) as caught:
        Dirichlet(prior=prior)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ({"A>B|A>B": 1.0}, "missing A>B|B>A"),
        ({"A>B|A>C": 1.0, "*": 1.0}, "not an ordering"),
        ({"A>B": 1.0, "*": 1.0}, "2 measures"),
    ],
)
def test_mappings_that_do_not_fit_the_data(prior: Any, said: str) -> None:
    with pytest.raises(BayescompareError) as caught:
        ask(example_1(), prior=prior)
    assert said in str(caught.value)


@pytest.mark.parametrize("strength", [0, -1.0, math.nan, math.inf, "1", True])
def test_strengths_that_cannot_be(strength: Any) -> None:
    with pytest.raises(BayescompareError, match="strength"):
        Dirichlet(strength=strength)


def test_a_very_weak_prior_leaves_every_figure_finite() -> None:
    c = ask(example_1(), strength=1e-310)
    assert np.isfinite(c.summary().to_numpy()).all()
    assert np.isfinite(c.questions).all()
    # By hand: θ ~ Dirichlet(1, 2, 3, 6).
    np.testing.assert_allclose(c.probability, largest([1.0, 2.0, 3.0, 6.0]), atol=1e-10)


def test_a_very_weak_prior_with_unseen_statements() -> None:
    c = ask(table([[[1.0, 1.0], [0.0, 2.0]], [[1.0, 2.0], [0.0, 1.0]]]), strength=1e-310)
    assert np.isfinite(c.summary().to_numpy()).all()
    assert c.unobserved == pytest.approx(0.0, abs=1e-300)


# --------------------------------------------------------------------------------- imprecise priors


def test_imprecise_bounds() -> None:
    c = ask(example_1(), prior="imprecise", strength=1.0)
    assert c.bounds.dims == ("statement", "bound")
    assert c.bounds["bound"].values.tolist() == ["lower", "upper"]
    np.testing.assert_allclose(c.probability, ask(example_1()).probability, atol=1e-14)
    n = [1.0, 2.0, 3.0, 6.0]
    vertices = np.array([largest([a + (k == v) for k, a in enumerate(n)]) for v in range(4)])
    np.testing.assert_allclose(c.bounds.sel(bound="lower"), vertices.min(axis=0), atol=1e-10)
    np.testing.assert_allclose(c.bounds.sel(bound="upper"), vertices.max(axis=0), atol=1e-10)
    for b in ("lower", "upper"):
        assert b in c.summary()


def test_imprecise_beyond_256_has_an_unseen_vertex() -> None:
    values = np.tile(sample_table(1, 2, 9), (4, 1, 1))
    values[3] = sample_table(1, 2, 9, seed=1)
    c = ask(table(values), prior="imprecise")
    by_count = {float(x["count"]): x for x in c.bounds}
    # Gamma(3) against Gamma(1 + 1) in the worst case, Gamma(4) against Gamma(1) in the best.
    assert float(by_count[3.0].sel(bound="lower")) == pytest.approx(first_of_two(3, 2), abs=1e-10)
    assert float(by_count[3.0].sel(bound="upper")) == pytest.approx(first_of_two(4, 1), abs=1e-10)


def test_without_imprecise_the_error_says_which_prior_has_bounds() -> None:
    with pytest.raises(BayescompareError, match="imprecise") as caught:
        _ = ask(example_1()).bounds
    assert isinstance(caught.value, AttributeError)


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
    ["symmetric", "jeffreys", "uniform", 0.3, {"A>B|A>B|B>A": 4.0, "B>A|A>B|A>B": 0.2, "*": 0.1}],
    ids=["symmetric", "jeffreys", "uniform", "number", "mapping"],
)
@pytest.mark.parametrize("keep", [[0], [2, 1]])
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


# ---------------------------------------------------------------------------------------- symmetry


def mirror(label: str, swap: dict[str, str]) -> str:
    """The label after the algorithms trade names; equivalence is written in listing order."""
    if "=" in label:
        return label
    return ">".join(swap[name] for name in label.split(">"))


def figures(c: DirichletComparison) -> dict[str, Any]:
    """Every figure by label, so that two listings can be compared."""
    s = c.summary()
    return {
        "statements": {k: row.to_dict() for k, row in s.iterrows()},
        "best": c.best,
        "unobserved": c.unobserved,
        "questions": c.questions.to_dict(),
        "log_evidence": c.log_evidence,
        "loo": c.loo().elpd_i.values.tolist(),
        "elpd": c.loo().elpd,
        "p": c.loo().p,
    }


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            same(found[key], expected[key])
    elif isinstance(expected, str):
        assert found == expected
    else:
        assert found == pytest.approx(expected, abs=1e-10, nan_ok=True)


CHOICES: list[dict[str, Any]] = [
    {},
    {"prior": "jeffreys"},
    {"prior": "uniform"},
    {"prior": 0.2},
    {"prior": "imprecise", "strength": 2.0},
    {"prior": {"*": 0.1}},
]


@pytest.mark.parametrize("choices", CHOICES, ids=lambda c: str(c.get("prior", "symmetric")))
@given(values=arrays(l=2, m=2))
@settings(max_examples=15)
def test_listing_the_algorithms_the_other_way_round_changes_no_figure(
    choices: dict[str, Any], values: np.ndarray
) -> None:
    results = table(values)
    same(
        figures(ask(results.sel(algorithms=["B", "A"]), **choices)),
        figures(ask(results, **choices)),
    )


@pytest.mark.parametrize("choices", CHOICES, ids=lambda c: str(c.get("prior", "symmetric")))
@given(values=arrays(l=2, m=2))
@settings(max_examples=15)
def test_swapping_the_algorithms_data_mirrors_every_figure(
    choices: dict[str, Any], values: np.ndarray
) -> None:
    straight = ask(table(values), **choices)
    swapped = ask(table(values[:, ::-1]), **choices)
    swap = {"A": "B", "B": "A"}

    def turned(label: str) -> str:
        return "|".join(mirror(state, swap) for state in label.split("|"))

    expected, found = figures(straight), figures(swapped)
    expected["statements"] = {turned(k): v for k, v in expected["statements"].items()}
    if straight.decision.verdict == "tied":
        # Which of the tied ones is named first is a matter of their names.
        for key in ("best", "questions"):
            expected.pop(key)
            found.pop(key)
    else:
        expected["best"] = turned(expected["best"])
    same(found, expected)


@given(values=arrays(l=2, m=2, most=4))
@example(values=np.array([[[1.0, 1.0], [1.0, 0.0]], [[2.0, 2.0], [1.0, 1.0]]]))
@example(values=np.array([[[1.0], [1.0]], [[2.0], [1.0]]]))
def test_swapping_mirrors_with_a_rope_too(values: np.ndarray) -> None:
    results = table(values, rope=0.0)
    straight = figures(ask(results))
    found = figures(ask(results.sel(algorithms=["B", "A"])))
    renamed = {k.replace("A=B", "B=A"): v for k, v in straight["statements"].items()}
    straight.update(statements=renamed, best=straight["best"].replace("A=B", "B=A"))
    same(found, straight)


@given(arrays(l=3, m=1), st.permutations(["A", "B", "C"]))
@settings(max_examples=25)
def test_relisting_three_algorithms_changes_no_figure(values: np.ndarray, order: list[str]) -> None:
    results = table(values)
    same(figures(ask(results.sel(algorithms=order))), figures(ask(results)))


@given(arrays(l=2, m=2), st.randoms(use_true_random=False), st.floats(0.1, 50.0))
@settings(max_examples=30)
def test_what_must_not_matter_does_not(values: np.ndarray, random: Any, factor: float) -> None:
    straight = figures(ask(table(values)))
    order = list(range(len(values)))
    random.shuffle(order)
    permuted = figures(ask(table(values[order])))
    permuted["loo"] = [permuted["loo"][order.index(i)] for i in range(len(order))]
    same(permuted, straight)
    scaled = values.copy()
    scaled[:, :, 0] *= factor
    scaled[:, :, 1] = np.exp(scaled[:, :, 1])
    same(figures(ask(table(scaled))), straight)
    upside_down = table(-values, measures={"m0": "min", "m1": "min"})
    same(figures(ask(upside_down)), straight)


def test_replicates_are_averaged_and_it_is_said() -> None:
    frame = table(sample_table(4, 2, 1)).to_frame()
    frame = frame.loc[frame.index.repeat(2)].assign(fold=[1, 2] * len(frame))
    results = Results.from_frame(frame, replicate="fold", measures={"m0": "max"})
    c = ask(results)
    same(figures(c), figures(ask(table(sample_table(4, 2, 1)))))
    assert "mean of 2 replicates" in c.explain()


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
    from bayescompare.kernels.dirichlet.cells import Cells
    from bayescompare.kernels.dirichlet.maximum import probability_of_maximum

    listed, _ = probability_of_maximum(Cells(np.full(512, -math.log(512)), full))
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


def test_k_beyond_float_range(wide: Results) -> None:
    c = ask(wide)
    exact, unseen = oracles.largest_with_countless([1.0] * 4, 1.0)
    np.testing.assert_allclose(c.probability, exact, atol=1e-10)
    assert c.unobserved == pytest.approx(unseen, abs=1e-10)
    assert c.log_evidence == pytest.approx(-4 * 1200 * math.log(2) - math.log(24), rel=1e-12)
    assert np.isfinite(c.summary().to_numpy()).all()
    # Each dataset is alone in its statement: leaving it out makes it a first visit again.
    np.testing.assert_allclose(c.loo().elpd_i, -1200 * math.log(2) - math.log(4), rtol=1e-12)


@pytest.mark.parametrize("prior", ["jeffreys", "uniform"])
def test_k_beyond_float_range_with_a_fixed_alpha(wide: Results, prior: str) -> None:
    c = ask(wide, prior=prior)
    assert c.unobserved == pytest.approx(1.0, abs=1e-11)
    assert float(c.probability.sum()) + c.unobserved == pytest.approx(1.0, abs=1e-11)
    assert c.questions["expected"] == pytest.approx(0.0, abs=1e-300)
    # Each dataset is then one of K equally likely statements.
    assert c.log_evidence == pytest.approx(-4 * 1200 * math.log(2), rel=1e-9)


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


def test_a_misspelt_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="probability"):
        _ = ask(example_1()).probabilty


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
    assert loos["symmetric"].kind == "loo"
    assert loos["symmetric"].p == pytest.approx((np.log(shape / 13) - exact).sum(), abs=1e-11)
    table_ = az.compare(loos)
    better = max(models, key=lambda name: loos[name].elpd)
    assert table_.index[0] == better


# ------------------------------------------------------------------------------------------- words

NUMBER = re.compile(
    r"The probability that it is the most probable one is ((?:over |under )?[0-9.]+) \(exact\)"
)


def check_share(text: str, p: float) -> None:
    """The number in the words is the number in the table."""
    if text.startswith("over "):
        assert p > float(text.removeprefix("over "))
    elif text.startswith("under "):
        assert p < float(text.removeprefix("under "))
    else:
        assert 0.0 < float(text) < 1.0
        assert float(text) == pytest.approx(p, abs=5.0001e-4)


def check_words(c: DirichletComparison) -> None:
    said, p = c.explain(), float(c.probability.sel(statement=c.best))
    assert p == pytest.approx(float(c.probability.max()), abs=1e-8)
    if c.decision.verdict == "tied":
        assert "no single statement leads" in said
        number = re.search(r"\(((?:over |under )?[0-9.]+) each\)", said)
        ties = np.sum(np.abs(c.probability.values - p) < 1e-9)
        assert ties > 1
    else:
        assert f"the most probable statement is {c.best}:" in said
        number = NUMBER.search(said)
        expects = re.search(r"expected to hold with probability ((?:over |under )?[0-9.]+)\.", said)
        assert expects is not None
        check_share(expects.group(1), c.questions["expected"])
    assert number is not None
    check_share(number.group(1), p)
    verdict, _, _ = said.partition("What would change it:")
    positive = verdict.replace("not settled", "").replace("no prior mean settles it", "")
    positive = positive.replace("some prior means settle it", "")
    if p < 0.95 or c.decision.verdict == "tied":
        assert "settle" not in positive
        assert ": settled" not in repr(c)
    else:
        assert "which settles it" in said
        assert ": settled" in repr(c)


@given(arrays(l=2, m=st.integers(1, 3), most=12), st.sampled_from(["symmetric", "uniform"]))
@settings(max_examples=60)
def test_words_say_what_the_numbers_say(values: np.ndarray, prior: str) -> None:
    check_words(ask(table(values), prior=prior))


@given(st.integers(0, 80), st.integers(0, 40), st.sampled_from(["symmetric", "imprecise"]))
@settings(max_examples=80)
def test_words_from_open_to_settled(wins: int, losses: int, prior: str) -> None:
    assume(wins + losses >= 2)
    values = np.array([[[1.0], [0.0]]] * wins + [[[0.0], [1.0]]] * losses)
    check_words(ask(table(values), prior=prior))


@given(arrays(l=3, m=1, most=8))
@settings(max_examples=20)
def test_words_for_three_algorithms(values: np.ndarray) -> None:
    c = ask(table(values))
    check_words(c)
    said = c.explain()
    assert "joint test over whole orderings of 3 algorithms" in said
    assert "pairwise()" in said


@pytest.mark.parametrize("p", [0.9495, 0.9499, 0.94999, 0.95])
def test_a_figure_just_short_of_settled_does_not_read_as_settled(p: float) -> None:
    # "P is 0.950: likely, but short of 0.95" contradicts itself.
    from dataclasses import replace

    c = ask(table([[[1.0], [0.0]]] * 3))
    answer = replace(c.answer, probability=np.array([p, 1 - p]))
    moved = replace(c, answer=answer)
    number = NUMBER.search(moved.explain())
    assert number is not None
    shown = float(number.group(1))
    assert (shown >= 0.95) == (p >= 0.95)
    headline = re.search(r"P = ([0-9.]+)", repr(moved))
    assert headline is not None
    assert (float(headline.group(1)) >= 0.95) == (p >= 0.95)


def test_nearly_tied_is_not_tied() -> None:
    values = [[[1.0], [0.0]]] * 3 + [[[0.0], [1.0]]] * 3
    tied = ask(table(values))
    assert tied.decision.verdict == "tied"
    c = ask(table(values), prior={"A>B": 0.5, "B>A": 0.5001})
    assert 0.5 < float(c.probability.sel(statement="B>A")) < 0.501
    assert c.best == "B>A"
    assert c.decision.verdict == "open"
    assert "no single statement leads" not in c.explain()


@pytest.mark.parametrize("n", [4, 14, 40, 400])
def test_nothing_reads_as_certain(n: int) -> None:
    c = ask(table([[[1.0], [0.0]]] * n))
    p = float(c.probability.max())
    assert p < 1.0 or n == 400
    for text in (c.explain(), repr(c)):
        assert "1.000" not in text
        assert "100%" not in text


@pytest.mark.parametrize("p", [0.9994, 0.9995, 0.99951, 0.0005, 0.00049, 0.0])
def test_share_never_reads_as_certainty(p: float) -> None:
    from bayescompare.text.numbers import probability_words

    assert probability_words(p) not in ("1.000", "0.000")


def test_sparse_data_are_warned_about() -> None:
    assert "Caution" in ask(table(sample_table(4, 2, 6))).explain()
    assert "Caution" not in ask(example_1()).explain()


def test_imprecise_words() -> None:
    said = ask(example_1(), prior="imprecise").explain()
    numbers = re.search(r"lies between ([0-9.]+) and ([0-9.]+),", said)
    assert numbers is not None
    b = ask(example_1(), prior="imprecise").bounds.sel(statement="B>A|B>A").values
    assert [float(x) for x in numbers.groups()] == pytest.approx(b.tolist(), abs=5.1e-4)
    assert "no prior mean settles it" in said or "some prior means settle it" in said


def test_every_statement_is_said_in_words() -> None:
    for a, b in itertools.permutations(["A", "B"]):
        values = [[[float(a == "A")], [float(b == "A")]]] * 5
        said = ask(table(values)).explain()
        assert f"{a} is better than {b} on m0" in said


# -------------------------------------------------------------------- priors that stay conjugate


@pytest.mark.parametrize(
    ("priors", "choices"),
    [({"alpha": 0.5}, {"prior": 0.5}), ({"strength": 2.0}, {"strength": 2.0})],
)
def test_priors_that_are_numbers_stay_exact(priors: Any, choices: Any) -> None:
    c = ask(example_1(), priors=priors)
    assert c.exact
    same(figures(c), figures(ask(example_1(), **choices)))
    same(figures(c.on(["time"])), figures(ask(example_1(), **choices).on(["time"])))


def test_a_fixed_dirichlet_is_the_mapping_of_its_parameters() -> None:
    import pymc as pm

    alpha = [0.5, 1.0, 2.0, 0.25]
    c = ask(example_1(), priors={"theta": pm.Dirichlet.dist(alpha)})
    assert c.exact
    mapping = dict(zip(every_label("AB", 2), alpha, strict=True))
    same(figures(c), figures(ask(example_1(), prior=mapping)))
    same(figures(c.on(["time"])), figures(ask(example_1(), prior=mapping).on(["time"])))


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"priors": {"alpha": 1.0, "strength": 1.0}}, "give one of them"),
        ({"priors": {"alpha": 1.0}, "prior": "uniform"}, "one or the other"),
        ({"priors": {"theta": 1.0}}, "probability vector"),
        ({"priors": {"alfa": 1.0}}, "Did you mean 'alpha'"),
        ({"priors": {"alpha": -1.0}}, "priors['alpha']=-1.0"),
        ({"priors": {"alpha": object()}}, "give a number"),
        ({"priors": 3}, "mapping"),
    ],
)
def test_priors_that_contradict_each_other(choices: Any, said: str) -> None:
    with pytest.raises(BayescompareError) as caught:
        Dirichlet(**choices)
    assert said in str(caught.value)
