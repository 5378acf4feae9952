"""A sample of the golden file: answers are what they were. ``make golden`` asks all questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from golden.__main__ import answered, stored
from golden.figures import differences
from golden.questions import questions

#: Every so manieth question is asked here.
EVERY = 9
QUESTIONS = list(questions())
STORED = stored()


def test_every_question_is_stored_and_named_once() -> None:
    names = [name for name, _ in QUESTIONS]
    assert len(set(names)) == len(names)
    assert set(names) == set(STORED)


@pytest.mark.parametrize(
    ("name", "ask"), QUESTIONS[::EVERY], ids=[n for n, _ in QUESTIONS[::EVERY]]
)
def test_the_answer_is_what_it_was(name: str, ask: Callable[[], Any]) -> None:
    _, now = answered(name, ask)
    assert differences(now, STORED[name]) == {}
