"""α by statement with wildcards, against every label written out."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare._errors import BayescompareError
from tests.methods.dirichlet.cases import ask, example_1, figures, same, sample_table
from tests.oracles.context import near
from tests.oracles.statements import every_label
from tests.tables import normal_table, table


def written_out(prior: dict[str, float], labels: list[str]) -> dict[str, float]:
    """α of every label: named singly, else by the wildcard that matches it, else the rest."""
    wild = {key: alpha for key, alpha in prior.items() if "*" in key and key != "*"}
    alpha = {label: prior[label] for label in labels if label in prior}
    for key, a in wild.items():
        parts = key.split("|")
        matched = [
            label
            for label in labels
            if label not in prior
            and all(p in ("*", s) for p, s in zip(parts, label.split("|"), strict=True))
        ]
        alpha |= {label: a / len(matched) for label in matched}
    return {label: alpha.get(label, prior.get("*", math.nan)) for label in labels}


@pytest.mark.parametrize(
    "prior",
    [
        {"B>A|*": 3.0, "*": 0.5},
        {"B>A|*": 3.0, "A>B|*": 1.0},
        {"B>A|*": 3.0, "B>A|B>A": 2.0, "*": 0.5},
        {"*|*": 2.0},
        {"*|B>A": 0.3, "A>B|A>B": 7.0, "B>A|A>B": 0.2},
    ],
)
def test_a_wildcard_shares_its_alpha_evenly(prior: dict[str, float]) -> None:
    full = written_out(prior, every_label("AB", 2))
    found = ask(example_1(), prior=prior)
    same(figures(found), figures(ask(example_1(), prior=full)))
    for measure in ("accuracy", "time"):
        one, other = (c.on([measure]) for c in (found, ask(example_1(), prior=full)))
        same(figures(one), figures(other))


def test_as_alpha_among_the_priors() -> None:
    given = {"alpha": {"B>A|*": 3.0, "*": 0.5}}
    same(
        figures(ask(example_1(), priors=given)),
        figures(ask(example_1(), prior=given["alpha"])),
    )


@settings(max_examples=5)
@given(
    st.lists(st.sampled_from(["A>B", "B>A", "*"]), min_size=9, max_size=9).filter(
        lambda parts: "*" in parts and len(set(parts)) > 1
    ),
    st.floats(0.01, 30.0),
    st.floats(0.001, 0.5),
    st.integers(0, 4),
)
def test_beyond_256_statements(parts: list[str], alpha: float, rest: float, seed: int) -> None:
    results = table(sample_table(4, 2, 9, seed=seed))
    observed = ask(results).answer.labels
    prior = {"|".join(parts): alpha, observed[0]: 2.5, "*": rest}
    found = ask(results, prior=prior)
    known = ask(results, prior=written_out(prior, every_label("AB", 9)))
    listed = known.probability.sel(statement=found.probability["statement"])
    np.testing.assert_allclose(found.probability, listed, atol=1e-10)
    assert found.unobserved == pytest.approx(known.unobserved, abs=1e-10)
    assert found.log_evidence == pytest.approx(known.log_evidence, abs=1e-9)
    if found.best == known.best:  # a strong prior may have an unlisted one lead
        assert found.questions.to_dict() == pytest.approx(known.questions.to_dict(), abs=1e-10)
    same(figures(found.on(["m0", "m3"])), figures(known.on(["m0", "m3"])))


def test_draws_beyond_256_statements() -> None:
    """Of 2^12 statements: A is better on the first measure in three of four datasets."""
    results = normal_table("AB", [f"m{j}" for j in range(12)], datasets=4)
    wild = ["|".join([first, *["*"] * 11]) for first in ("A>B", "B>A")]
    c = ask(results, prior=dict(zip(wild, (3.0, 1.0), strict=True)))
    marginal = c.draws(4000, chains=1, rng=2)["prior"]["marginal"]
    assert near(marginal.sel(measure="m0").values, 0.75)
    assert near(marginal.sel(measure="m5").values, 0.5)


def test_parts_of_orders_and_three_algorithms() -> None:
    results = table(sample_table(6, 3, 1, seed=3))
    found = ask(results, prior={"A>B": 2.0, "B>A>C": 0.7, "*": 0.1})
    full = {
        ">".join(order): 2.0 / 3 if order.index("A") < order.index("B") else 0.1
        for order in itertools.permutations("ABC")
    } | {"B>A>C": 0.7}
    same(figures(found), figures(ask(results, prior=full)))


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
def test_what_is_refused(prior: dict[str, Any], words: str) -> None:
    with pytest.raises(BayescompareError, match=words):
        ask(example_1(), prior=prior)
