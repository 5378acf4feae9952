"""Successes against errors: shares above each threshold, ties in one step, and the area."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.studies import auc, success_errors


def by_hand(confidence: list[float], correct: list[bool], tau: float) -> tuple[int, int]:
    passed = [right for sure, right in zip(confidence, correct, strict=True) if sure > tau]
    return sum(passed), len(passed) - sum(passed)


answers = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9, 1.0]), st.booleans()), min_size=1
)


@given(answers)
def test_shares_are_counts_above_the_threshold(given_answers: list[tuple[float, bool]]) -> None:
    confidence, correct = [a for a, _ in given_answers], [b for _, b in given_answers]
    right, wrong = by_hand(confidence, correct, 0.0)
    if not (right and wrong):
        with pytest.raises(bc.BayescompareError, match="simulate more"):
            success_errors(confidence, correct)
        return
    curve = success_errors(confidence, correct)
    assert curve.attrs == {"successes": right, "errors": wrong}
    assert curve["threshold"].is_monotonic_decreasing
    assert set(curve["threshold"]) == {0.0, *confidence}
    for row in curve.itertuples():
        assert (row.success * right, row.error * wrong) == pytest.approx(
            by_hand(confidence, correct, row.threshold)
        )


@given(answers, st.randoms())
def test_ties_do_not_depend_on_their_listing(
    given_answers: list[tuple[float, bool]], random: Any
) -> None:
    shuffled = random.sample(given_answers, len(given_answers))
    if len({right for sure, right in given_answers if sure > 0}) < 2:
        return
    one, other = (success_errors(*zip(*a, strict=True)) for a in (given_answers, shuffled))
    pd.testing.assert_frame_equal(one, other)


@given(answers)
def test_the_area_is_the_chance_that_a_success_is_the_surer(
    given_answers: list[tuple[float, bool]],
) -> None:
    right = [sure for sure, good in given_answers if good and sure > 0]
    wrong = [sure for sure, good in given_answers if not good and sure > 0]
    if not (right and wrong):
        return
    # Mann and Whitney's, ties counting half.
    above = sum((r > w) + (r == w) / 2 for r in right for w in wrong) / len(right) / len(wrong)
    assert auc(success_errors(*zip(*given_answers, strict=True))) == pytest.approx(above)


def test_one_tied_block_is_one_step() -> None:
    curve = success_errors([0.8] * 6, [True, False, True, True, False, True])
    assert curve[["success", "error"]].to_numpy().tolist() == [[0, 0], [1, 1]]
    assert auc(curve) == 0.5


def test_right_and_wrong_exchanged_mirror_the_area() -> None:
    rng = np.random.default_rng(0)
    sure, right = np.round(rng.uniform(0.01, 1, 300), 2), rng.random(300) < 0.6
    assert auc(success_errors(sure, ~right)) == pytest.approx(1 - auc(success_errors(sure, right)))


BAD = {
    "nan": ([0.5, float("nan")], [True, False], "nan at place 1"),
    "above one": ([0.5, 1.5], [True, False], "1.5 at place 1"),
    "below zero": ([-0.1, 0.5], [True, False], "place 0"),
    "lengths": ([0.5, 0.6], [True], "shapes"),
    "empty": ([], [], "shapes"),
    "matrix": ([[0.5]], [[True]], "shapes"),
    "words": (["sure"], [True], "numbers"),
    "not truth": ([0.5, 0.6], [0.3, 1.0], "booleans"),
}


@pytest.mark.parametrize(("confidence", "correct", "message"), BAD.values(), ids=BAD)
def test_bad_answers_are_refused(confidence: Any, correct: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        success_errors(confidence, correct)


def test_zeros_and_ones_are_truth_values() -> None:
    one, other = (success_errors([0.5, 0.6], right) for right in ([0, 1], [False, True]))
    pd.testing.assert_frame_equal(one, other)
