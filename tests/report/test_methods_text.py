"""The paragraph for a paper's methods section states the options that were really used."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import methods
from bayescompare.methods._shared.option_tables import options_table
from bayescompare.report import page_of
from bayescompare.report.blocks import method_text
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text, statistic_number_text
from tests.tables import normal_table

TWO = bc.load_example("benavoli-example1")
UCI = bc.load_example("jansen-uci")

#: An option with another value than its default, and what the text then says.
OPTIONS = [
    ("dirichlet", {"strength": 2.5}, "strength s = 2.5"),
    ("dirichlet", {"prior": "imprecise", "strength": 0.5}, "lower and upper bounds"),
    ("dirichlet", {"prior": "imprecise", "strength": 0.5}, "strength s = 0.5"),
    ("dirichlet", {"prior": "jeffreys"}, "α = 1/2"),
    ("dirichlet", {"prior": "uniform"}, "α = 1, uniform"),
    ("dirichlet", {"prior": 0.7}, "α = 0.7"),
    ("dirichlet", {"prior": "learned"}, "prior learned from all pairs"),
    ("network", {"ess": 4.0}, "equivalent sample size 4"),
    ("network", {"max_parents": 3}, "at most 3 parents each"),
    ("network", {"search": "hill-climb"}, "hill-climb search"),
    ("network", {"search": [("accuracy", "time")]}, "of a graph given by the user"),
    ("network", {"average": True}, "averaged over all graphs"),
    ("network", {"mcse": 0.0002}, "standard error of 0.0002"),
    ("poisson-binomial", {"joint": True}, "jointly with the share of datasets"),
    ("poisson-binomial", {"a": 0.5}, "a = 0.5"),
    ("poisson-binomial", {"b": 2.0}, "b = 2"),
    ("poisson-binomial", {"joint": True, "b": "learned"}, "(b learned from all pairs)"),
    ("replicated", {"strength": 2.5}, "strength s = 2.5"),
    ("replicated", {"prior": "jeffreys"}, "α = 1/2"),
    ("replicated", {"effects": "flat"}, "a flat prior on the mean differences"),
    ("replicated", {"joint": False}, "judged by itself"),
    ("replicated", {"rho": 0.123}, "ρ = 0.123"),
    ("replicated", {"folds": 7}, "ρ = 1/7"),
    ("correlated-t", {"rho": 0.123}, "ρ = 0.123"),
    ("correlated-t", {"folds": 7}, "ρ = 1/7"),
    ("correlated-t", {"joint": True}, "joint model"),
    ("correlated-t", {"b": 3.5}, "b = 3.5"),
    ("correlated-t", {"joint": True, "b": "learned"}, "with b learned from all pairs;"),
    ("correlated-t", {"priors": {"b": 4.5}}, "b = 4.5"),
    ("gsd", {"delta": 0.03}, "δ = 0.03"),
    ("gsd", {"delta": 0}, "δ = 0"),
    ("gsd", {"epsilon": 0.4}, "ε = 0.4"),
    ("gsd", {"rule": "jansen2022"}, "jansen2022"),
    ("gsd", {"permutations": 234}, "234 resamples"),
    ("gsd", {"scheme": "pooled"}, "pooled"),
    ("gsd", {"stop_after": 17}, "until 17 of them"),
    ("gsd", {"alternative": "first"}, "one-sided"),
    *[
        (name, options, said)
        for name in ("gsd", "gsd-bootstrap")
        for options, said in (
            ({"system": "all"}, "over the vectors of all algorithms"),
            ({"prefers": lambda first, second: True}, "preferences given by the user"),
            ({"prefers_more": lambda *four: True}, "also between gains"),
        )
    ],
    ("network", {"required": [("accuracy", "time")]}, "edges required accuracy–time"),
    ("network", {"forbidden": [("accuracy", "time")]}, "edges forbidden accuracy–time"),
    ("gsd-bootstrap", {"delta": 0.03}, "δ = 0.03"),
    ("gsd-bootstrap", {"epsilon": 0.4}, "ε = 0.4"),
    ("gsd-bootstrap", {"rule": "jansen2022"}, "jansen2022"),
    ("gsd-bootstrap", {"resamples": 345}, "345 draws"),
    ("gsd-bootstrap", {"concentration": 0.75}, "every parameter 0.75"),
    ("signed-rank", {"strength": 2.5}, "strength 2.5"),
    ("signed-rank", {"draws": 345}, "345 draws"),
    ("signed-rank", {"prior": "imprecise"}, "lower and upper probabilities"),
    ("friedman", {"alpha": 0.01}, "level 0.01"),
    ("all-test", {"alpha": 0.01}, "level 0.01"),
    ("all-test", {"test": "sign"}, "by the sign test"),
    ("one-test", {"alpha": 0.01}, "level 0.01"),
    ("one-test", {"test": "sign"}, "by the sign test"),
    *(
        (rule, {"test": "ranks", "correction": "bonferroni"}, "Bonferroni's correction")
        for rule in ("all-test", "one-test")
    ),
    ("poisson-binomial", {"independent": True}, "on a test set of its own"),
]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    OPTIONS,
    ids=lambda x: " ".join(x) if isinstance(x, dict) else str(x),
)
def test_an_option_is_stated(name: str, options: dict[str, object], said: str) -> None:
    cls = methods.get(name)
    text = method_text(cls(**options), TWO, None)
    assert said in text
    assert said not in method_text(cls(), TWO, None)


def test_every_option_of_every_method_is_tried() -> None:
    # priors= of the others needs PyMC; the test below has one.
    tried = {(name, option) for name, options, _ in OPTIONS for option in options}
    tables = {name: options_table(methods.get(name)) for name in methods.names()}
    there = {(name, str(option)) for name, table in tables.items() for option in table.index}
    assert {(name, option) for name, option in there - tried if option != "priors"} == set()


@pytest.mark.parametrize("name", methods.names())
def test_every_option_that_is_listed_has_a_meaning_and_can_be_given(name: str) -> None:
    cls = methods.get(name)
    table = options_table(cls)
    assert (table["meaning"] != "").all(), table[table["meaning"] == ""]
    assert {str(option) for option in table.index} <= set(signature(cls).parameters)


@pytest.mark.parametrize(
    ("name", "priors"),
    [
        ("dirichlet", "alpha"),
        ("network", "ess"),
        ("poisson-binomial", "b"),
        ("hierarchical", "mu"),
    ],
)
def test_a_prior_of_one_s_own_is_stated(name: str, priors: str) -> None:
    import pymc as pm

    law = pm.Beta.dist(2, 3) if priors == "mu" else pm.Gamma.dist(2, 3)
    options = {"joint": True} if name == "poisson-binomial" else {}
    made = methods.get(name)(priors={priors: law}, **options)
    text = method_text(made, TWO, None)
    assert "given by the user" in text
    assert f"{priors} {'Beta' if priors == 'mu' else 'Gamma'}(" in text
    assert ("NUTS" in text) == made.needs_mcmc


@pytest.mark.parametrize("name", ["gsd", "gsd-bootstrap"])
def test_delta_is_the_one_that_was_used(name: str) -> None:
    def ask(**options: float) -> bc.Comparison:
        size = {"permutations": 40} if name == "gsd" else {"resamples": 40}
        method = methods.get(name)(**size, **options)
        return bc.compare(UCI, method=method, algorithms=["GBM", "CART"], rng=0)

    c = ask(epsilon=0.5)
    text = method_text(c.method, c.results, c.answer)
    used = c.answer.facts.delta
    assert used == pytest.approx(0.5 * c.answer.facts.delta_max)
    assert "1e-05" not in text
    assert "ε = 0.5" in text
    assert f"(δ = {statistic_number_text(used, significant=3)})" in text
    large = ask(delta=0.99)
    text = method_text(large.method, large.results, large.answer)
    assert large.answer.facts.delta < 0.99
    assert (
        f"cut to the largest that the pair allows, {statistic_number_text(used * 2, significant=3)}"
        in text
    )
    plain = method_text(ask().method, c.results, ask().answer)
    assert f"at δ = {setting_number_text(1e-5)}" in plain
    assert "cut" not in plain
    assert "ε" not in plain


def method_words(thing) -> str:
    return " ".join(next(s for s in page_of(thing).sections if s.title == "Method").words)


def test_methods_text_of_enumerated_gsd_claims_no_resamples():
    gsd = methods.get("gsd")(permutations=100_000)
    c = bc.compare(bc.load_example("benavoli-example1"), method=gsd, rng=1)
    assert c.answer.facts.enumerated
    assert "100000 resamples" not in method_words(c)


def test_methods_text_against_a_reference_is_not_over_all_pairs():
    p = bc.pairwise(normal_table(["A", "B", "C"]), reference="A", n_jobs=1)
    assert "Over all pairs" not in method_words(p)


def test_methods_text_of_pairs_that_lost_datasets_does_not_claim_them_all():
    frame = pd.DataFrame(
        {"dataset": f"d{k}", "algorithm": a, "acc": np.nan if a == "B" and k == 2 else k + ord(a)}
        for k in range(6)
        for a in "ABC"
    )
    results = Results.from_frame(frame, measures={"acc": "max"})
    p = bc.pairwise(results, missing="drop", n_jobs=1)
    text = method_words(p)
    assert "over 6 datasets" not in text or "5 datasets" in text or "missing" in text
