"""What names begin with, and texts with shorter ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.text.names import common_prefix, rename_in, short_names, spelled
from tests.tables import table

WORDS = st.text("ab/-1", min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=2, max_size=6, unique=True), st.sampled_from(["", "org/model-"]))
def test_short_names_stay_distinct_and_are_ends_of_the_names(ends, start):
    names = [start + end for end in ends]
    short = short_names(names)
    prefix = common_prefix(names)
    assert len(set(short.values())) == len(names)
    for name, own in short.items():
        assert own.strip()
        assert prefix + own == name
    if start and not all(own.isdigit() for own in ends):
        assert prefix.startswith("org/")


@given(st.lists(WORDS, min_size=2, max_size=6, unique=True))
def test_every_name_in_a_text_is_renamed(ends):
    names = [f"org/model-{end}" for end in ends]
    short = short_names(names)
    text = "; ".join(f"«{name}»" for name in names)
    assert rename_in(text, short) == "; ".join(f"«{short[name]}»" for name in names)


def test_words_that_are_no_names_stay():
    names = ["model-a", "model-b"]
    assert common_prefix(names) == "model-"
    text = "model-a beats model-b (model-based)"
    assert rename_in(text, short_names(["model-ba", "model-bc"])) == text.replace("model-ba", "ba")
    assert rename_in("model-a", {"model-a": "model-a"}) == "model-a"


def test_short_beginnings_and_numbers_stay():
    assert common_prefix(["v1-a", "v1-b"]) == ""
    assert common_prefix(["only/one"]) == ""
    assert common_prefix(["model-", "model-a"]) == ""
    assert [spelled(n) for n in (0, 3, 10, 11, 1234)] == ["no", "three", "ten", "11", "1,234"]


def test_names_are_taken_in_the_form_in_which_they_are_shown() -> None:
    names = ["lab/net-a", "lab/net-b", "lab/net-c"]
    results = table(np.random.default_rng(0).normal(size=(8, 3, 1)), names=names)
    c = bc.compare(results, algorithms=["a", "lab/net-b"])
    assert c.results.algorithms == ("lab/net-a", "lab/net-b")
    p = bc.pairwise(results, reference="c", n_jobs=1)
    assert p.reference == "lab/net-c"
    assert p["a", "c"] is p["lab/net-c", "lab/net-a"]
    g = bc.gate(results, candidate="a", baseline="b")
    assert (g.candidate, g.baseline) == ("lab/net-a", "lab/net-b")
    assert bc.compare(results).project(["b", "c"]).results.algorithms == ("lab/net-b", "lab/net-c")
    with pytest.raises(bc.BayescompareError, match="no algorithm called 'net-a'"):
        bc.compare(results, algorithms=["net-a", "b"])
