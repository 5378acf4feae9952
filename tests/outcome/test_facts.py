"""Typed fields of one method's answer: to the JSON of a file, and back or refused by name."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.outcome.answer import Answer, Facts, check_facts_type
from bayescompare.outcome.registry import get, names


@dataclass(frozen=True)
class Part(Facts):
    label: str
    share: float


@dataclass(frozen=True, kw_only=True)
class Everything(Facts):
    number: float
    whole: int
    flag: bool
    word: str
    maybe: float | None
    renamed: float = field(metadata={"name": "another name"})
    two: tuple[int, str]
    square: tuple[tuple[float | None, ...], ...]
    columns: Mapping[str, tuple[float, ...]]
    parts: tuple[Part, ...]
    extra: tuple[str, ...] | None = None
    setting: int = 3


FULL = Everything(
    number=0.5,
    whole=2,
    flag=True,
    word="x",
    maybe=None,
    renamed=1.5,
    two=(1, "a"),
    square=((None, 0.25), (0.75, None)),
    columns={"rho": (0.1, 0.2)},
    parts=(Part("A>B", 0.9), Part("B>A", 0.1)),
)
DOCUMENT = {
    "number": 0.5,
    "whole": 2,
    "flag": True,
    "word": "x",
    "maybe": None,
    "another name": 1.5,
    "two": [1, "a"],
    "square": [[None, 0.25], [0.75, None]],
    "columns": {"rho": [0.1, 0.2]},
    "parts": [{"label": "A>B", "share": 0.9}, {"label": "B>A", "share": 0.1}],
    "setting": 3,
}


def test_to_a_document_and_back() -> None:
    assert FULL.to_dict() == DOCUMENT
    assert list(FULL.to_dict()) == list(DOCUMENT)
    assert Everything.from_dict(json.loads(json.dumps(DOCUMENT))) == FULL


def test_a_field_with_a_default_may_be_missing_and_an_unknown_one_is_ignored() -> None:
    short = {name: value for name, value in DOCUMENT.items() if name != "setting"}
    assert Everything.from_dict({**short, "new": 1}) == FULL


@given(st.text(), st.lists(st.floats(allow_nan=False, allow_infinity=False)), st.integers())
def test_any_values_come_back(word: str, numbers: list[float], whole: int) -> None:
    @dataclass(frozen=True)
    class Some(Facts):
        word: str
        numbers: tuple[float, ...]
        whole: int

    some = Some(word, tuple(numbers), whole)
    assert Some.from_dict(json.loads(json.dumps(some.to_dict()))) == some


WRONG: dict[str, tuple[Any, str]] = {
    "number": ("0.5", r"figures and details: number is '0.5': it must be a number\."),
    "whole": (0.5, r"figures and details: whole is 0.5: it must be a whole number\."),
    "flag": (1, r"figures and details: flag is 1: it must be true or false\."),
    "word": (None, r"figures and details: word is None: it must be text\."),
    "maybe": ([], r"figures and details: maybe is \[\]: it must be a number\."),
    "another name": (math.inf, r"figures and details: another name is inf: it must be a number\."),
    "two": ([1], r"figures and details: two is \[1\]: it must be a list of 2\."),
    "square": ([0.5], r"figures and details: square is 0.5: it must be a list\."),
    "columns": ([], r"figures and details: columns is \[\]: it must be an object\."),
    "parts": ([{"label": "x"}], r"figures and details: parts: 'share' is missing\."),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_of_another_type_is_refused_by_name(name: str) -> None:
    value, told = WRONG[name]
    with pytest.raises(bc.BayescompareError, match=f"^{told}$"):
        Everything.from_dict({**DOCUMENT, name: value})


@pytest.mark.parametrize("name", [name for name in DOCUMENT if name != "setting"])
def test_what_is_missing_is_refused_by_name(name: str) -> None:
    short = {key: value for key, value in DOCUMENT.items() if key != name}
    told = f"^figures and details: '{name}' is missing\\.$"
    with pytest.raises(bc.BayescompareError, match=told):
        Everything.from_dict(short)


def test_a_number_that_is_not_finite_is_null_where_none_is_allowed() -> None:
    assert Everything.from_dict({**DOCUMENT, "maybe": math.nan}).maybe is None
    with pytest.raises(bc.BayescompareError, match="number is nan"):
        Everything.from_dict({**DOCUMENT, "number": math.nan})


def test_an_answer_has_none_unless_its_method_tells_some() -> None:
    answer = Answer(("A>B",), (), np.ones(1), 1, 1)
    assert Facts.of(answer) == Facts()
    assert Facts().figures() == {}
    with pytest.raises(bc.BayescompareError, match="facts are of type Facts, and not Part"):
        Part.of(answer)


@pytest.mark.parametrize("declared", [list[float], Any, dict[str, int], int | str, complex])
def test_a_type_that_a_file_cannot_hold(declared: Any) -> None:
    kind = type("Odd", (Facts,), {"__annotations__": {"x": declared}, "__module__": __name__})
    with pytest.raises(bc.BayescompareError, match=r"Odd\.x is declared as .* cannot hold"):
        check_facts_type(dataclass(frozen=True)(kind))


def test_every_method_declares_what_a_file_can_hold() -> None:
    for name in names():
        check_facts_type(get(name).posterior_type.facts_type)
    check_facts_type(bc.methods.ModelFile.posterior_type.facts_type)
