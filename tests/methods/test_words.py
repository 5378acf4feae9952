"""What every method says: its verdict, what that is not, and what would change it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import methods
from bayescompare.outcome.words import datasets_needed, datasets_undoing, say
from bayescompare.table.results import Results
from tests.cases import few_quick
from tests.tables import normal_table, table

UCI, LACOSTE = "jansen-uci", "lacoste-svm-parzen"
SOURCE = Path(bc.__file__).parent


def pairs_of(example: str) -> bc.Results:
    return bc.load_example(example)


def asked(name: str) -> list[bc.Comparison]:
    """Comparisons by one method, settled and not."""
    made: Any = methods.get(name)(**({"resamples": 300} if name == "gsd-bootstrap" else {}))
    if made.accepts.judges == "counts":
        return [bc.compare(bc.load_example(LACOSTE), method=made)]
    if made.accepts.judges == "replicates":
        rng = np.random.default_rng(0)
        rows = [
            (f"d{i}", a, k, rng.normal(0.1 * (a == "A"), 0.05))
            for i in range(8)
            for a in "AB"
            for k in range(5)
        ]
        frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])
        results = bc.Results.from_frame(frame, replicate="fold", measures={"accuracy": "max"})
        return [bc.compare(results, method=made)]
    one = {"measures": ["auc"]} if made.scope.measure else {}
    if made.scope.algorithms > 2 or name == "friedman":
        return [bc.compare(bc.load_example(UCI), method=made, **one)]
    return [
        bc.compare(bc.load_example(UCI), method=made, algorithms=list(pair), rng=0, **one)
        for pair in (("GBM", "CART"), ("GBM", "RF"), ("CART", "EN"))
    ]


_SURE = (
    r"settles it|is rejected (at|in favour)|(?<!Neither algorithm )is significantly better on"
    r"|calls \S+ better"
)


@pytest.mark.parametrize("name", few_quick(methods.names(), 9))
def test_every_method_says_all_four_things(name):
    for c in asked(name):
        said = c.explain()
        assert said.count("What would change it: ") == 1
        figure = c.decision.level
        assert f"{figure:.3f}"[:4] in said or f"{figure:.3g}" in said or "over 0.999" in said
        assert re.search(r"\bnot\b|\bonly\b|[Oo]nly|takes", said)  # what it does not say
        assert c.best.split("|")[0].split(">")[0] in said
        sure = re.search(_SURE, said)
        assert bool(sure) == (c.decision.verdict == "settled"), said


def wins(pattern: list[tuple[int, ...]]) -> bc.Results:
    """Datasets on which A is better (+1) or worse (−1), measure by measure."""
    signs = np.array(pattern, dtype=float)
    return table(np.stack([signs, np.zeros_like(signs)], axis=1))


def is_settled(results: bc.Results, method: str) -> bool:
    c = bc.compare(results, method=method)
    return c.best.split("|")[0] == "A>B" and c.decision.settled


CASES = [
    ([(1, 1)] * 6 + [(1, -1)] * 3 + [(-1, -1)] * 2, "dirichlet"),
    ([(1, 1)] * 3 + [(1, -1)] * 2, "dirichlet"),
    ([(1, 1)] * 6 + [(1, -1)] * 4, "glrt"),
    ([(1,)] * 7 + [(-1,)] * 4, "sign"),
    ([(1,)] * 3 + [(-1,)] * 1, "glrt"),
]


@pytest.mark.parametrize(("pattern", "method"), CASES)
def test_so_many_more_datasets_would_settle_it(pattern, method):
    c = bc.compare(wins(pattern), method=method)
    assert c.decision.verdict != "settled"
    k = datasets_needed(c)
    assert k is not None
    named = {
        "k": k,
        "favoured": "favoured A",
        "settled": "significant" if c.decision.pvalue else "settled",
    }
    assert say("more1" if k == 1 else "more", **named) in c.explain()
    leading = (1,) * len(pattern[0])
    assert is_settled(wins([*pattern, *[leading] * k]), method)
    assert not is_settled(wins([*pattern, *[leading] * (k - 1)]), method)


SETTLED_CASES = [
    ([(1, 1)] * 14 + [(1, -1)] * 2, "dirichlet"),
    ([(1, 1)] * 20 + [(-1, -1)] * 1 + [(1, -1)] * 2, "glrt"),
    ([(1,)] * 15 + [(-1,)] * 2, "sign"),
    ([(1,)] * 30 + [(-1,)] * 2, "dirichlet"),
]


@pytest.mark.parametrize(("pattern", "method"), SETTLED_CASES)
def test_so_many_datasets_gone_elsewhere_would_unsettle_it(pattern, method):
    c = bc.compare(wins(pattern), method=method)
    assert c.decision.verdict == "settled"
    k = datasets_undoing(c)
    assert k is not None
    assert say("sturdy" if k > 2 else f"fragile{k}", k=k) in c.explain()
    assert c.decision.runner_up is not None
    label, _ = c.decision.runner_up
    rival = tuple(1 if state == "A>B" else -1 for state in label.split("|"))
    leading = (1,) * len(rival)

    def moved(number: int) -> bc.Results:
        rest = list(pattern)
        for _ in range(number):
            rest.remove(leading)
        return wins([*rest, *[rival] * number])

    assert not is_settled(moved(k), method)
    assert is_settled(moved(k - 1), method)


def test_ties_are_broken_by_one_dataset():
    c = bc.compare(wins([(1,)] * 3 + [(-1,)] * 3))
    assert c.decision.verdict == "tied"
    assert say("tiebreak") in c.explain()


@pytest.mark.parametrize("joint", [False, True])
def test_sure_datasets_would_settle_a_context(joint):
    frame = pd.DataFrame(
        {"dataset": list("abcdefg"), "A": [3, 4, 9, 2, 5, 1, 6], "B": [8, 5, 7, 6, 4, 5, 9]}
    )
    method = bc.methods.PoissonBinomial(joint=joint)

    def ask(more: int) -> bc.Comparison:
        extra = pd.DataFrame({"dataset": [f"m{i}" for i in range(more)], "A": 0, "B": 10**4})
        counts = bc.ErrorCounts.from_frame(
            pd.concat([frame, extra]), dataset="dataset", first_wrong="A", second_wrong="B"
        )
        return bc.compare(counts, method=method)

    assert ask(0).decision.verdict != "settled"
    k = datasets_needed(ask(0))
    assert k is not None
    assert ask(k).decision.verdict == "settled"
    assert ask(k - 1).decision.verdict != "settled"


def test_the_glossary_has_the_words_that_are_used():
    text = (SOURCE.parent / "docs" / "glossary.md").read_text("utf-8").lower()
    for word in (
        "statement",
        "rope",
        "settled",
        "likely",
        "open",
        "tied",
        "mcse",
        "dominates",
        "asserted",
        "verdict",
        "learned prior",
        "level",
        "alone",
        "context",
        "evidence",
        "p-value",
        "replicate",
        "incomparable",
    ):
        assert f"\n{word}" in text, word


def test_with_a_rope_the_size_of_a_difference_counts():
    c = bc.compare(normal_table(["A", "B"], rope=0.1))
    assert "Only the direction of each difference counts, not its size" not in c.explain()


def test_headline_of_a_tie_has_no_plural_in_brackets():
    frame = pd.DataFrame(
        {"dataset": f"d{k}", "algorithm": a, "acc": float((a == "A") == (k % 2 == 0))}
        for k in range(4)
        for a in "AB"
    )
    c = bc.compare(Results.from_frame(frame, measures={"acc": "max"}))
    assert "other(s)" not in c.headline()
