"""Checks of a saved comparison: types, ranges, and figures that agree with one another.

A file can hold anything. Whatever a method could not have computed is refused when it is read,
with the name of the field, rather than shown to somebody as an answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from bayescompare._checks import is_number, is_whole, show_checked_value_briefly
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import FloatArray
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.columns import (
    ALONE,
    LOWER,
    LOWEST,
    PROBABILITY,
    PVALUE,
    SHARES,
    THETA_LOWER,
    THETA_UPPER,
    UPPER,
)
from bayescompare.outcome.method import Method
from bayescompare.statements import OTHERS, State, Statement
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison

__all__ = [
    "check_comparison",
    "check_fields",
    "naming_comparison_part",
    "read_comparison_count",
    "read_comparison_number",
    "read_comparison_numbers",
    "read_comparison_size",
    "read_comparison_states",
]


#: Rounding that probabilities may show, one by one and in their sum.
_ROUNDING = 1e-6

#: Digits of K that are read; more take a time of their square.
_MOST_DIGITS = 100_000


@contextmanager
def naming_comparison_part(name: str) -> Iterator[None]:
    """Name the part of the file in any error about it."""
    try:
        yield
    except BayescompareError as error:
        raise BayescompareError(f"{name}: {error}") from None
    except KeyError as error:
        raise BayescompareError(f"{name}: {error} is missing.") from None
    except Exception as error:
        raise BayescompareError(
            f"{name} is not what bayescompare writes ({error_in_one_line(error)})."
        ) from None


# values as they stand in a file ------------------------------------------------------------------


def read_comparison_numbers(name: str, values: Any) -> FloatArray:
    """Return numbers as an array; null stands for what is not a finite number."""
    with naming_comparison_part(name):
        array = np.asarray(values)
        if array.dtype == object:
            for value in array.flat:
                if not (value is None or is_number(value)):
                    raise BayescompareError(f"{show_checked_value_briefly(value)} is not a number.")
        elif array.dtype.kind not in "iuf":
            raise BayescompareError(
                f"{show_checked_value_briefly(values)} holds {array.dtype}, not numbers."
            )
        return array.astype(float)


def read_comparison_number(name: str, value: Any) -> float:
    """Return one number; null stands for what is not a finite one."""
    array = read_comparison_numbers(name, value)
    if array.ndim:
        raise BayescompareError(
            f"{name} is {show_checked_value_briefly(value)}: it must be one number."
        )
    return float(array)


def read_comparison_states(rows: Any) -> tuple[tuple[str, ...], ...]:
    """Return the orderings by measure, from those by statement."""
    if len({len(row) if isinstance(row, list) else -1 for row in rows} - {-1}) != 1 and rows:
        raise BayescompareError("states must list one ordering per measure in every statement.")
    return tuple(zip(*rows, strict=True))


def read_comparison_count(name: str, value: Any) -> int:
    """Return a whole number from 0."""
    if not (is_whole(value) and value >= 0):
        raise BayescompareError(
            f"{name} is {show_checked_value_briefly(value)}: it must be a whole number from 0."
        )
    return int(value)


def read_comparison_size(name: str, value: Any) -> int:
    """Return K, which is written as a string of digits because of its size."""
    digits = str(value) if is_whole(value) else value
    if not (isinstance(digits, str) and digits.isascii() and digits.isdecimal()):
        raise BayescompareError(
            f"{name} is {show_checked_value_briefly(value)}: it must be digits in a string."
        )
    if len(digits) > _MOST_DIGITS:
        raise BayescompareError(
            f"{name} has {len(digits)} digits; at most {_MOST_DIGITS} are read."
        )
    # In pieces: Python refuses to read more than a few thousand digits at once.
    size, step = 0, 4000
    for start in range(0, len(digits), step):
        piece = digits[start : start + step]
        size = size * 10 ** len(piece) + int(piece)
    return size


# an answer as a whole ----------------------------------------------------------------------------


def check_comparison(c: Comparison) -> None:
    """Reject an answer that its method could not have given to its results."""
    results, method, answer = c.results, c.method, c.answer
    check_fields(results, method, answer)
    with naming_comparison_part("the answer"):
        # What a person is shown of it needs every other field of the method.
        _ = [
            *method.sentences(Found(results, answer, c.decision)),
            c.headline(),
            c.summary(),
            c.tables,
        ]


def check_fields(results: Results, method: Method, answer: Answer) -> None:
    """Reject fields with impossible shapes, ranges or sums."""
    _check_labels(results, answer)
    _check_kind(method, answer)
    _check_columns(results, answer)
    _check_scalars(answer)
    _check_named("figures", answer.scalars.to_dict())
    _check_named("details", answer.details.to_dict())
    if answer.tree is not None:
        _check_tree(answer.tree)


def _check_labels(results: Results, answer: Answer) -> None:
    labels = answer.labels
    if not labels:
        raise BayescompareError("statements: there are none.")
    if len(set(labels)) != len(labels):
        raise BayescompareError("statements: a label occurs twice.")
    for label in labels:
        if not (_is_statement_of_comparison(label, results) or label in answer.details.own_labels):
            raise BayescompareError(
                f"statements: label {show_checked_value_briefly(label)} is no statement about "
                f"{', '.join(results.algorithms)} on {len(results.measures)} measure(s)."
            )
    states = answer.states
    if states and len(states) != len(results.measures):
        raise BayescompareError(
            f"statements: states are of {len(states)} measures, and there are "
            f"{len(results.measures)}."
        )
    for label, *orders in zip(labels, *states, strict=True):
        if orders and list(map(str, orders)) != list(map(str, Statement.parse(label).states)):
            raise BayescompareError(
                f"statements: states {show_checked_value_briefly(orders)} are not {label!r}."
            )


def _is_statement_of_comparison(label: object, results: Results) -> bool:
    """Whether a label names one ordering, or one for every measure."""
    if not isinstance(label, str):
        return False
    states = Statement.parse(label, results.algorithms).states
    return len(states) in (1, len(results.measures)) and all(
        _is_state_of_comparison(state, results.algorithms) for state in set(states)
    )


def _is_state_of_comparison(state: State, algorithms: tuple[str, ...]) -> bool:
    names = state.names
    if state.relation != ">":
        return names == algorithms
    return 2 <= len(names) == len(set(names)) and {*algorithms, OTHERS}.issuperset(names)


#: The figures that parts of statements may have.
_PARTS = (PROBABILITY, ALONE, LOWEST, PVALUE)


def _check_kind(method: Method, answer: Answer) -> None:
    """Reject a probability where there can be none, and none where there must be one."""
    has = answer.probability is not None
    if has != ("probability" in method.provides):
        raise BayescompareError(
            f"statements: probability is {'given' if has else 'missing'}, and method "
            f"{method.name!r} gives {'none' if has else 'one for every statement'}."
        )
    if answer.pvalue is not None and "pvalue" not in method.provides:
        raise BayescompareError(f"pvalue is given, and method {method.name!r} has none.")
    if answer.tested is not None and answer.pvalue is None:
        raise BayescompareError("lead is given without the pvalue that it is about.")


def _check_columns(results: Results, answer: Answer) -> None:
    columns = {"count": answer.counts, "probability": answer.probability, "mcse": answer.mcse}
    for name, values in {**columns, **answer.per_statement}.items():
        if values is not None and values.shape != (len(answer.labels),):
            raise BayescompareError(
                f"statements: {name} has the shape {values.shape} for {len(answer.labels)} labels."
            )
    n = len(results.datasets)
    _check_range("statements: count", answer.counts, n)
    _check_sum("statements: count", answer.counts, n)
    if answer.probability is not None:
        _check_range("statements: probability", answer.probability, 1.0)
        _check_sum("statements: probability", answer.probability, 1.0)
    if answer.mcse is not None:
        known = answer.mcse[~np.isnan(answer.mcse)]  # of a model's own figures there may be none
        _check_range("statements: mcse", known, 1.0)
    _check_named("statements", answer.per_statement)
    for name, values in answer.parts.items():
        if name not in _PARTS or values.shape != (len(answer.labels), len(results.measures)):
            raise BayescompareError(
                f"statements: part_{name} is not a figure of every statement and measure."
            )
        # Of a model's own figures there may be none.
        _check_range(f"statements: part_{name}", values[~np.isnan(values)], 1.0)
    for low, high in ((THETA_LOWER, THETA_UPPER), (LOWER, UPPER)):
        below, above = answer.per_statement.get(low), answer.per_statement.get(high)
        if below is not None and above is not None and (below > above + _ROUNDING).any():
            raise BayescompareError(f"statements: {low} is above {high}.")


def _check_scalars(answer: Answer) -> None:
    for name in ("unobserved", "pvalue", "none_leads"):
        value = getattr(answer, name)
        if value is not None:
            _check_range(name, np.asarray(read_comparison_number(name, value)), 1.0)
    for name in ("statistic", "log_evidence"):
        value = getattr(answer, name)
        if value is not None and (not is_number(value) or math.isnan(value)):
            raise BayescompareError(
                f"{name} is {show_checked_value_briefly(value)}: it must be a number."
            )
    for name, value in {"seed": answer.seed, "lead": answer.tested}.items():
        if value is not None:
            read_comparison_count(name, value)
    if answer.tested is not None and answer.tested >= len(answer.labels):
        raise BayescompareError(
            f"lead is {answer.tested}, and there are {len(answer.labels)} statements, from 0."
        )
    if not isinstance(answer.resampled_pvalue, bool):
        raise BayescompareError(
            f"sampled is {show_checked_value_briefly(answer.resampled_pvalue)}: it must be true "
            "or false."
        )
    if answer.n_statements < len(answer.labels) or answer.n_observed > answer.n_statements:
        raise BayescompareError(
            f"n_statements is less than the {len(answer.labels)} statements listed, or than "
            f"n_observed, which is {answer.n_observed}."
        )


def _check_tree(tree: xr.DataTree) -> None:
    """Reject a posterior that cannot be diagnosed: every group of draws has the same ones."""
    with naming_comparison_part("posterior"):
        sizes = tree["posterior"].to_dataset().sizes
        draws = {dim: sizes[dim] for dim in ("chain", "draw")}
    for group in ("posterior", "sample_stats", "log_likelihood"):
        variables = tree[group].to_dataset().data_vars if group in tree else {}
        for name, values in variables.items():
            of = {dim: values.sizes.get(dim) for dim in draws}
            if of != draws or values.dtype.kind not in "iufb" or not values.size:
                raise BayescompareError(
                    f"{group}: {name} has {values.dtype} over {dict(values.sizes)}: it must be "
                    f"numbers for each of {draws}."
                )


def _check_range(name: str, values: Any, most: float) -> None:
    """Reject what is not a number from 0 to `most`."""
    wrong = ~((values >= -_ROUNDING) & (values <= most + _ROUNDING))
    if np.any(wrong):
        seen = float(np.asarray(values)[wrong].flat[0])
        raise BayescompareError(
            f"{name} is {setting_number_text(seen)}: it must lie between 0 and "
            f"{setting_number_text(most)}."
        )


def _check_sum(name: str, values: FloatArray, most: float) -> None:
    total = float(values.sum())
    if total > most * (1.0 + _ROUNDING):
        raise BayescompareError(
            f"{name} sums to {setting_number_text(total)}, more than {setting_number_text(most)}."
        )


def _check_named(where: str, facts: Any) -> None:
    """Reject a share or p-value outside 0 to 1, wherever it stands among a method's own facts."""
    if isinstance(facts, Mapping):
        for name, value in facts.items():
            if name in SHARES:
                known = read_comparison_numbers(f"{where}: {name}", value)
                _check_range(f"{where}: {name}", known[~np.isnan(known)], 1.0)
            else:
                _check_named(f"{where}: {name}", value)
    elif isinstance(facts, (list, tuple)):
        for value in facts:
            _check_named(where, value)
