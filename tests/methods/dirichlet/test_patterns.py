"""Priors by pattern, beliefs and wildcards alike, against every label written out."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import Dirichlet
from tests.methods.dirichlet.cases import ask, example_1, figures, same, sample_table
from tests.oracles.context import near
from tests.tables import normal_table, table


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("A>Bx", r"'Bx' is not one of the algorithms compared \(A, B, C\)"),
        ("A", "'A' is not an order of algorithms such as 'A>B'"),
        ("A>B>A", "is not an order"),
        ("A=B", "'=' needs a rope"),
        ("A~B", "is not an order"),
    ],
)
def test_what_is_no_pattern_is_refused(prior: str, words: str) -> None:
    results = table(np.random.default_rng(0).random((3, 3, 1)))
    for each in ({prior: 1.0, "*": 1.0}, {"m0": {prior: 0.5}}):
        with pytest.raises(BayescompareError, match=words):
            ask(results, prior=each)


def test_predictions_and_tables_beyond_256_statements() -> None:
    results = normal_table("AB", [f"m{j}" for j in range(12)], datasets=4)
    prior = {"m3": {"A>B": 0.8}, "weight": 400}
    c = bc.compare(results, method=Dirichlet(prior=prior))
    new = c.predict(3, draws=300, rng=1)
    first = np.vectorize(lambda label: label.split("|")[3] == "A>B")(new.values)
    expected = (320 + _wins(c)) / 404
    assert abs(first.mean() - expected) < 0.06
    table = c.simulate(rng=2)
    again = bc.compare(table, method=c.method)
    assert again.method == c.method
    marginal = float(table.truth["marginal"].sel(measure="m3"))
    assert 0.6 < marginal < 0.95
    assert near(c.draws(2000, chains=1, rng=3)["prior"]["marginal"].sel(measure="m3").values, 0.8)


def _wins(c: bc.Comparison) -> float:
    return sum(
        float(n)
        for label, n in zip(c.answer.labels, c.answer.counts, strict=True)
        if label.split("|")[3] == "A>B"
    )


# α of every statement -----------------------------------------------------------------------------


def written_out(
    prior: dict[str, Any], algorithms: str, measures: list[str], roped: frozenset[str] = frozenset()
) -> dict[str, float]:
    """α of every statement, by listing all of them: nothing of the package is used."""
    names = []
    for measure in measures:
        orders = [">".join(order) for order in itertools.permutations(algorithms)]
        names.append([orders[0], "=".join(algorithms), *orders[1:]] if measure in roped else orders)
    labels = ["|".join(states) for states in itertools.product(*names)]
    if any(isinstance(value, dict) for value in prior.values()):
        shares = []
        for measure, states in zip(measures, names, strict=True):
            belief = prior.get(measure, {})
            matched = {text: [n for n in states if _holds(text, n)] for text in belief}
            rest = [n for n in states if not any(n in found for found in matched.values())]
            share = dict.fromkeys(rest, (1 - sum(belief.values())) / max(len(rest), 1))
            share |= {n: p / len(matched[t]) for t, p in belief.items() for n in matched[t]}
            shares.append(share)
        parts = {label: zip(shares, label.split("|"), strict=True) for label in labels}
        weight = prior.get("weight", 1.0)
        return {k: weight * math.prod(each[s] for each, s in own) for k, own in parts.items()}
    alpha = {label: prior[label] for label in labels if label in prior}
    for key in prior.keys() - alpha.keys() - {"*"}:
        matches = [
            label
            for label in labels
            if label not in prior
            and all(_holds(p, s) for p, s in zip(key.split("|"), label.split("|"), strict=True))
        ]
        alpha |= dict.fromkeys(matches, prior[key] / len(matches))
    return {label: alpha.get(label, prior.get("*", math.nan)) for label in labels}


def _holds(pattern: str, name: str) -> bool:
    if pattern == "*" or "=" in pattern or "=" in name:
        return pattern in ("*", name)
    places = [name.split(">").index(a) for a in pattern.split(">")]
    return places == sorted(places)


BOTH = frozenset({"m0", "m1"})
PRIORS: list[tuple[str, int, frozenset[str], dict[str, Any]]] = [
    ("AB", 2, frozenset(), {"m0": {"B>A": 0.7}, "weight": 5}),
    ("AB", 2, BOTH, {"m1": {"A=B": 0.5, "B>A": 0.4}, "weight": 4}),
    ("ABC", 2, frozenset(), {"m0": {"B>A": 0.6, "A>C>B": 0.1}, "weight": 3.0}),
    ("ABC", 2, frozenset(), {"m0": {"A>B": 0.4}, "m1": {"C>B>A": 0.3}}),
    ("ABC", 2, frozenset(), {"m1": {"C>A": 0.5, "A>C": 0.5}, "weight": 0.25}),
    ("AB", 2, frozenset(), {"B>A|*": 3.0, "*": 0.5}),
    ("AB", 2, frozenset(), {"B>A|*": 3.0, "A>B|*": 1.0}),
    ("AB", 2, frozenset(), {"B>A|*": 3.0, "B>A|B>A": 2.0, "*": 0.5}),
    ("AB", 2, frozenset(), {"*|*": 2.0}),
    ("AB", 2, frozenset(), {"*|B>A": 0.3, "A>B|A>B": 7.0, "B>A|A>B": 0.2}),
    ("ABC", 1, frozenset(), {"A>B": 2.0, "B>A>C": 0.7, "*": 0.1}),
]


@pytest.mark.parametrize(("algorithms", "measures", "roped", "prior"), PRIORS)
def test_a_prior_by_pattern_is_every_label_written_out(
    algorithms: str, measures: int, roped: frozenset[str], prior: dict[str, Any]
) -> None:
    names = [f"m{j}" for j in range(measures)]
    values = sample_table(6, len(algorithms), measures, seed=3, ties=not roped)
    results = table(values, rope=0.2 if roped else None)
    full = written_out(prior, algorithms, names, roped)
    found, known = ask(results, prior=prior), ask(results, prior=full)
    assert found.exact
    same(figures(found), figures(known))
    for measure in names:
        same(figures(found.on([measure])), figures(known.on([measure])))


@st.composite
def wide_priors(draw: Any) -> dict[str, Any]:
    """Beliefs about some of nine measures, or a wildcard, a single statement and the rest."""
    if draw(st.booleans()):
        measures = st.sampled_from([f"m{j}" for j in range(9)])
        beliefs = draw(st.dictionaries(measures, st.sampled_from([0.1, 0.3, 0.5, 0.8]), min_size=1))
        prior: dict[str, Any] = {m: {"B>A": p} for m, p in beliefs.items()}
        return {**prior, "weight": draw(st.floats(0.1, 50.0))}
    parts = draw(
        st.lists(st.sampled_from(["A>B", "B>A", "*"]), min_size=9, max_size=9).filter(
            lambda parts: "*" in parts and len(set(parts)) > 1
        )
    )
    single = "|".join(draw(st.lists(st.sampled_from(["A>B", "B>A"]), min_size=9, max_size=9)))
    rest = draw(st.floats(0.001, 0.5))
    return {"|".join(parts): draw(st.floats(0.01, 30.0)), single: 2.5, "*": rest}


@settings(max_examples=10)
@given(wide_priors(), st.integers(0, 5))
def test_beyond_256_statements_nothing_is_listed_and_all_is_as_if(
    prior: dict[str, Any], seed: int
) -> None:
    """512 statements: by groups of equal α, and with every α given by label."""
    results, measures = table(sample_table(5, 2, 9, seed=seed)), [f"m{j}" for j in range(9)]
    found, known = (
        ask(results, prior=each) for each in (prior, written_out(prior, "AB", measures))
    )
    assert len(found.answer.labels) < 10
    listed = known.probability.sel(statement=found.probability["statement"])
    np.testing.assert_allclose(found.probability, listed, atol=1e-10)
    assert found.unobserved == pytest.approx(known.unobserved, abs=1e-10)
    assert found.log_evidence == pytest.approx(known.log_evidence, abs=1e-9)
    if found.best == known.best:  # a strong prior may have an unlisted one lead
        assert found.questions.to_dict() == pytest.approx(known.questions.to_dict(), abs=1e-10)
    np.testing.assert_allclose(found.loo().elpd_i, known.loo().elpd_i, atol=1e-9)
    same(figures(found.on(["m0", "m3"])), figures(known.on(["m0", "m3"])))


def test_wildcards_as_alpha_among_the_priors() -> None:
    given = {"alpha": {"B>A|*": 3.0, "*": 0.5}}
    one, other = ask(example_1(), priors=given), ask(example_1(), prior=given["alpha"])
    same(figures(one), figures(other))


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"B>A|*": 1.0}, "leaves 2 of 4 statements without α"),
        ({"B>A|*": 1.0, "*|B>A": 1.0, "*": 1.0}, "match some statements in common"),
        ({"B>A|*|*": 1.0, "*": 1.0}, r"has 3 part\(s\), but there are 2 measures"),
        ({"C>A|*": 1.0, "*": 1.0}, "'C' is not one of the algorithms"),
        ({"B>A|*": 0.0, "*": 1.0}, r"prior\['B>A\|\*'\]=0\.0: α must be"),
        ({"B>A|*": 1.0, "B>A|A>B": 1.0, "B>A|B>A": 1.0, "*": 1.0}, "adds nothing"),
        ({"B>A|*": 1.0, "junk": 1.0, "*": 1.0}, "part"),
    ],
)
def test_wildcards_that_are_refused(prior: dict[str, Any], words: str) -> None:
    with pytest.raises(BayescompareError, match=words):
        ask(example_1(), prior=prior)
