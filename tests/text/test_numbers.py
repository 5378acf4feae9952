"""`bayescompare.text.numbers`: figures never contradict the value, nor a verdict read off it."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayescompare.outcome.decision import LIKELY, SETTLED
from bayescompare.text import numbers

UNIT = st.floats(0.0, 1.0)
LEVEL = st.one_of(st.sampled_from([0.9, 0.8, 0.999, 0.9999, 1 - 1e-6, 0.1, 0.2]), UNIT)


def near(levels: st.SearchStrategy[float]) -> st.SearchStrategy[float]:
    """Values at a level, a unit of the last place beside it, and closer than any rounding."""
    gaps = st.one_of(
        st.sampled_from([0.0, 1e-15, 1e-9, 1e-7, 1e-5, 1e-4, 4e-4, 5e-4, 6e-4, 1e-3]),
        st.floats(0.0, 0.01),
    )
    moved = st.builds(lambda t, gap, sign: t + sign * gap, levels, gaps, st.sampled_from([-1, 1]))
    beside = st.builds(math.nextafter, levels, st.sampled_from([0.0, 1.0]))
    return st.one_of(UNIT, levels, beside, moved).map(lambda v: min(1.0, max(0.0, v)))


def read(text: str) -> tuple[str, float]:
    """The sign before a figure, and the figure."""
    found = re.fullmatch(r"([<>]?)(\d\.\d+)", text)
    assert found is not None, text
    return found[1], float(found[2])


def holds(text: str, value: float) -> bool:
    """Whether what is written is true of the value, to the digits that are written."""
    sign, shown = read(text)
    if sign:
        return value < shown if sign == "<" else value > shown
    digits = len(text.partition(".")[2])
    return abs(shown - value) <= 1.0001 * 10.0**-digits


@given(near(st.sampled_from(numbers.LEVELS)), st.sampled_from([2, 3]))
def test_a_probability_stays_on_its_side_of_every_level(p: float, digits: int) -> None:
    text = numbers.format_probability(p, digits=digits)
    assert holds(text, p)
    _, shown = read(text)
    for level in (t for t in numbers.LEVELS if t > 0.5):
        assert (shown >= level) == (p >= level), text
    for level in (t for t in numbers.LEVELS if t < 0.5):
        assert (shown <= level) == (p <= level), text
    if abs(p - 0.5) > 1e-9:
        assert (shown > 0.5, shown < 0.5) == (p > 0.5, p < 0.5), text
    assert 0.0 < shown < 1.0


@given(LEVEL.flatmap(lambda t: st.tuples(st.just(t), near(st.just(t)))))
def test_a_probability_stays_on_its_side_of_a_level_given(given: tuple[float, float]) -> None:
    level, p = given
    sign, shown = read(numbers.format_probability(p, levels=[level]))
    if not sign and abs(p - 0.5) > 1e-9:
        assert (shown >= level) == (p >= level)


@given(LEVEL.flatmap(lambda t: st.tuples(st.just(t), near(st.just(t)))))
def test_a_pvalue_stays_on_its_side_of_a_level(given: tuple[float, float]) -> None:
    level, p = given
    for write in (numbers.format_pvalue, numbers.error_rate_text):
        text = write(p, levels=[level])
        sign, shown = read(text)
        assert holds(text, p) or p in (0.0, 1.0)
        if not sign and abs(p - 0.5) > 1e-9:
            assert (shown <= level) == (p <= level)
            assert (shown <= 0.05) == (p <= 0.05)


@given(near(st.sampled_from([0.0, 0.0005, 0.005, 0.995, 0.9995, 1.0])))
def test_only_what_is_exactly_so_reads_as_certain(value: float) -> None:
    assert numbers.format_probability(value) not in ("0.000", "1.000")
    assert numbers.format_pvalue(value) != "0.000"
    assert (numbers.format_pvalue(value) == "1.000") == (value == 1.0)
    assert (numbers.share_number_text(value) in ("0.000", "1.000")) == (value in (0.0, 1.0))
    assert (numbers.percent(value) in ("0 %", "100 %")) == (value in (0.0, 1.0))
    assert holds(numbers.share_number_text(value), value)


@given(near(st.just(0.5)))
def test_a_percentage_of_more_than_half_reads_so(value: float) -> None:
    shown = float(numbers.percent(value).removeprefix("under ").removeprefix("over ")[:-2])
    if abs(value - 0.5) > 1e-9:
        assert (shown > 50, shown < 50) == (value > 0.5, value < 0.5)


@given(UNIT)
def test_sentences_and_cells_have_the_same_digits(p: float) -> None:
    cell = numbers.format_probability(p)
    digits = cell.lstrip("<>")
    assert numbers.probability_words(p).split()[-1] == digits
    assert numbers.probability_equation(p).replace(" ", "").removeprefix("P").strip("=") == cell
    assert numbers.pvalue_equation(p).split()[-1] in (numbers.format_pvalue(p).lstrip("<>"), "1")


@given(st.floats(0.9, 1.2), st.sampled_from([1.01, 1.0, 0.97]))
def test_a_statistic_stays_on_its_side_of_a_limit(value: float, limit: float) -> None:
    shown = float(numbers.statistic_number_text(value, significant=3, levels=[limit]))
    assert (shown > limit, shown < limit) == (value > limit, value < limit)


def test_the_levels_of_verdicts_are_levels() -> None:
    assert {LIKELY, SETTLED, round(1 - SETTLED, 12), 0.5} <= set(numbers.LEVELS)


@pytest.mark.parametrize(
    "write",
    [
        numbers.format_probability,
        numbers.format_pvalue,
        numbers.error_rate_text,
        numbers.share_number_text,
        numbers.percent,
        numbers.count,
        numbers.statistic_number_text,
        numbers.difference_number_text,
        numbers.standard_error_text,
        numbers.log_evidence_text,
        numbers.memory_size_text,
        numbers.duration_text,
    ],
)
def test_what_is_missing_is_an_empty_cell(write) -> None:
    assert write(math.nan) == ""


def test_what_is_missing_has_words() -> None:
    assert numbers.probability_words(math.nan) == "not known"
    assert numbers.probability_equation(math.nan) == "P not known"
    assert numbers.pvalue_equation(math.nan) == "p not known"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12.0, "12"),
        (2.5, "2.5"),
        (1 / 3, "0.333"),
        (999.7, "999.7"),
        (1234.5, "1,234.5"),
        (9_999_999, "9,999,999"),
        (10_000_000, "about 1.0e7"),
        (99_960_000, "about 1.0e8"),
        (8**90, "about 1.9e81"),
        (10**400, "about 1.0e400"),
    ],
)
def test_counts(value: float, text: str) -> None:
    assert numbers.count(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 µs"),
        (9.994e-4, "999 µs"),
        (9.996e-4, "1 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1 s"),
        (99.4, "99 s"),
        (99.6, "1.7 min"),
        (160.0, "2.7 min"),
        (5969.0, "99 min"),
        (5971.0, "1.7 h"),
        (1e6, "278 h"),
    ],
)
def test_times(seconds: float, text: str) -> None:
    assert numbers.duration_text(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 MB"), (4096, "0.0041 MB"), (123e6, "123 MB"), (999.4e6, "999 MB"), (999.6e6, "1 GB")],
)
def test_sizes_of_memory(size: float, text: str) -> None:
    assert numbers.memory_size_text(size) == text


@given(near(st.sampled_from([0.0, 0.0005, 0.5, 0.9995, 1.0])), st.sampled_from([0, 1, 2]))
def test_a_percentage_has_its_digits_and_is_true(value: float, digits: int) -> None:
    text = numbers.percent(value, digits=digits)
    word, _, number = text.removesuffix(" %").rpartition(" ")
    shown = float(number)
    assert (text in ("0 %", "100 %")) == (value in (0.0, 1.0))
    if word:
        assert 100 * value < shown if word == "under" else 100 * value > shown
    else:
        assert abs(shown - 100 * value) <= 0.5001 * 10.0**-digits or abs(value - 0.5) < 0.01


def test_minus_is_a_minus_and_nothing_has_none() -> None:
    assert numbers.difference_number_text(-0.25, "s") == "−0.25 s"
    assert numbers.statistic_number_text(-math.inf) == "−∞"
    assert numbers.log_evidence_text(-0.001) == "0.00"
    assert numbers.statistic_number_text(-1.5e-7) == "−1.5e-07"
    assert numbers.setting_number_text(-0.0) == "0"
