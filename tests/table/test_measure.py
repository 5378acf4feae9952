"""`Measure` and the ``measures=`` argument."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayescompare._errors import BayescompareError
from bayescompare.table.measure import Measure, as_measures

# A machine shared with others is slow at times; that is no failure.
UNHURRIED = settings(deadline=None, max_examples=60)
numbers = st.floats(allow_nan=False, allow_infinity=False)
bounds = st.none() | st.tuples(st.none() | numbers, st.none() | numbers).filter(
    lambda b: None in b or b[0] < b[1]
)
measures = st.builds(
    Measure,
    st.sampled_from(["max", "min"]),
    rope=st.none() | st.floats(0, 1e9),
    scale=st.sampled_from(["metric", "ordinal"]),
    bounds=bounds,
    unit=st.none() | st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs"))),
)


@UNHURRIED
@given(measures)
def test_a_measure_survives_json(measure: Measure) -> None:
    assert Measure.from_dict(json.loads(json.dumps(measure.to_dict()))) == measure


def test_a_measure_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Measure("max").rope = 1.0  # type: ignore[misc]


def test_numbers_become_floats() -> None:
    measure = Measure("max", rope=0, bounds=(0, 1))
    assert [type(v) for v in (measure.rope, *measure.bounds)] == [float] * 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"direction": "maximum"}, r"direction='maximum': must be 'max' or 'min'"),
        ({"direction": None}, "direction=None"),
        ({"scale": "metrical"}, r"scale='metrical'.*Did you mean 'metric'"),
        ({"rope": -0.1}, r"rope=-0.1: .*>= 0"),
        ({"rope": float("nan")}, "rope=nan"),
        ({"rope": float("inf")}, "rope=inf"),
        ({"rope": "0.1"}, "rope='0.1': must be a number"),
        ({"rope": True}, "rope=True: must be a number"),
        ({"bounds": (1, 0)}, "the lowest must be below the highest"),
        ({"bounds": (1, 1)}, "the lowest must be below the highest"),
        ({"bounds": (0, float("nan"))}, "must not be NaN"),
        ({"bounds": 1}, r"bounds=1: give \(lowest, highest\)"),
        ({"bounds": (0, 1, 2)}, r"give \(lowest, highest\)"),
        ({"bounds": ("0", 1)}, "bounds='0': must be a number"),
    ],
)
def test_what_cannot_be_a_measure_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        Measure(**{"direction": "max", **arguments})


def test_as_measures_keeps_order_and_measures() -> None:
    time = Measure("min", unit="s")
    assert list(as_measures({"time": time, "auc": "max"}).items()) == [
        ("time", time),
        ("auc", Measure("max")),
    ]


@pytest.mark.parametrize(
    ("given_measures", "message"),
    [
        (["accuracy"], "each measure needs a direction"),
        ("accuracy", "each measure needs a direction"),
        ({}, "name at least one measure"),
        ({"accuracy": None}, r"measures\['accuracy'\] has no direction"),
        ({"accuracy": "hi"}, r"measures\['accuracy'\]: direction='hi'"),
    ],
)
def test_measures_that_say_too_little_are_refused(given_measures: Any, message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        as_measures(given_measures)
