"""The `alpha` of the network test: from the user's words to the parameters of the tables' rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bayescompare._checks import MOST_WEIGHT, is_number, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.methods._shared.priors import fixed_vector
from bayescompare.statements import Statements
from bayescompare.text.numbers import setting_number_text

#: Key of a mapping that stands for every measure, or state, that it does not name.
REST = "*"

_NAME = "priors['alpha']"
#: Names that a message lists.
_SHOWN = 8


def cell_alpha(alpha: object, statements: Statements) -> tuple[tuple[float, ...], ...]:
    """Give every state of every measure its α.

    Parameters
    ----------
    alpha : number, vector or mapping
        One number for all; one for each measure, in their order; or by measure, with numbers or
        mappings by state such as ``{"A>B": 2, "B>A": 1}``; ``"*"`` stands for the rest.
    statements : Statements

    Examples
    --------
    >>> import bayescompare as bc
    >>> statements = Statements.of(bc.load_example("benavoli-example1"))
    >>> cell_alpha({"accuracy": {"B>A": 2.0, "*": 1.0}, "time": 0.5}, statements)
    ((1.0, 2.0), (0.5, 0.5))
    """
    measures = statements.measures
    vector = fixed_vector(alpha)
    if vector is not None:
        if vector.shape != (len(measures),):
            raise BayescompareError(
                f"{_NAME} has {vector.size} number(s) for {len(measures)} measures "
                f"({', '.join(measures)}): give one for each, one for all, or a mapping."
            )
        alpha = dict(zip(measures, vector.tolist(), strict=True))
    by_measure = alpha if isinstance(alpha, Mapping) else {REST: alpha}
    values = _named(_NAME, "measure", by_measure, measures)
    return tuple(
        _row(f"{_NAME}[{measure!r}]", value, statements.state_names(j), statements.arities[j])
        for j, (measure, value) in enumerate(zip(measures, values, strict=True))
    )


def _row(where: str, value: Any, states: Sequence[str], arity: int) -> tuple[float, ...]:
    """α of every state; beyond six algorithms only observed ones have names, and come first."""
    by_state = value if isinstance(value, Mapping) else {REST: value}
    named = _named(where, "state", by_state, states)
    if len(states) < arity and REST not in by_state:
        raise BayescompareError(f"{where}: give '*' for the states that were not observed.")
    rest = [by_state[REST]] * (arity - len(states)) if len(states) < arity else []
    for each in [*named, *rest]:
        if not (is_number(each) and math.isfinite(each) and 0.0 < each <= MOST_WEIGHT):
            raise BayescompareError(
                f"{where}={show_checked_value(value)}: α must be a finite number > 0, at most "
                f"{setting_number_text(MOST_WEIGHT)}."
            )
    return tuple(float(each) for each in [*named, *rest])


def _named(where: str, kind: str, values: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    """The value of every name, or of the rest."""
    for name in values:
        if name != REST and name not in names:
            listed = ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")
            raise BayescompareError(
                f"{where} names {kind} {name!r}; there are {listed}."
                f"{did_you_mean(str(name), names)}"
            )
    missing = [name for name in names if name not in values]
    if missing and REST not in values:
        raise BayescompareError(
            f"{where} lacks {kind} {', '.join(missing[:_SHOWN])}: name it too, or give '*' for the "
            "rest."
        )
    return [values.get(name, values.get(REST)) for name in names]
