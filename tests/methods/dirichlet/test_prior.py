"""Priors of the multinomial-Dirichlet test: by name, by number, by statement, imprecise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bayescompare._errors import BayescompareError
from bayescompare.methods import Dirichlet
from tests.methods.dirichlet.cases import ask, example_1, figures, same, sample_table
from tests.oracles import dirichlet as oracles
from tests.oracles.dirichlet import first_of_two, largest
from tests.oracles.statements import every_label, statement_counts
from tests.tables import table

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
    logs = oracles.log_dirichlet_draws(shapes, 8_000, np.random.default_rng(0))
    won = np.bincount(logs.argmax(axis=1), minlength=512) / 8_000
    for label, p in zip(c.probability["statement"].values, c.probability.values, strict=True):
        assert won[labels.index(label)] == pytest.approx(p, abs=4 * math.sqrt(p / 8_000))
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
        ({"A>B|A>B": 1.0}, "leaves 3 of 4 statements without α"),
        ({"A>B|A>C": 1.0, "*": 1.0}, "'C' is not one of the algorithms"),
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
