"""What a table says of whole datasets: the domain that each belongs to, and its weight."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.table.frames import find_column, numbers_in, row_names
from bayescompare.text.names import first_words

__all__ = [
    "check_groups",
    "check_weights",
    "domain_facts",
    "effective_weights",
]


def domain_facts(
    df: pd.DataFrame, dataset: str, *, group: str | None, weight: str | None
) -> dict[str, Any]:
    """Return the domain and the weight of every dataset, from columns of a table.

    Examples
    --------
    >>> frame = pd.DataFrame({"dataset": ["a", "a", "b"], "field": ["x", "x", "y"], "w": [1, 1, 2]})
    >>> domain_facts(frame, "dataset", group="field", weight="w")
    {'group_of': {'a': 'x', 'b': 'y'}, 'weight_of': {'a': 1.0, 'b': 2.0}}
    """
    facts: dict[str, Any] = {}
    if group is None and weight is None:
        return facts
    names = row_names(df[find_column(df, f"dataset={dataset!r}", dataset)], "dataset")
    if group is not None:
        column = df[find_column(df, f"group={group!r}", group)]
        facts["group_of"] = _one_results_domain_each("group", names, row_names(column, "group"))
    if weight is not None:
        column = df[find_column(df, f"weight={weight!r}", weight)]
        weights = _one_results_domain_each("weight", names, numbers_in(column, "weight=").tolist())
        facts["weight_of"] = check_weights(weights)
    return facts


def _one_results_domain_each(
    argument: str, names: Iterable[str], values: Iterable[Any]
) -> dict[str, Any]:
    """Return one value for each dataset; the rows of a dataset must agree."""
    pairs = pd.DataFrame({"dataset": list(names), "value": list(values)})
    distinct = pairs.drop_duplicates()
    twice = distinct[distinct["dataset"].duplicated(keep=False)]
    if len(twice):
        name = twice["dataset"].iloc[0]
        two = twice.loc[twice["dataset"] == name, "value"].tolist()[:2]
        raise BayescompareError(
            f"{argument}=: dataset {name!r} has both {two[0]!r} and {two[1]!r}; every row of a "
            f"dataset must have the same {argument}."
        )
    return dict(zip(distinct["dataset"].tolist(), distinct["value"].tolist(), strict=True))


def check_weights(weights: object, datasets: Sequence[str] = ()) -> dict[str, float] | None:
    """Check the ``weight_of=`` argument: a number above zero for each dataset."""
    if weights is None:
        return None
    if not isinstance(weights, Mapping):
        raise BayescompareError(
            f"weight_of is a {type(weights).__name__}: give a mapping of datasets to numbers."
        )
    _check_every_results_domain("weight", weights, datasets)
    wrong = {
        name: value
        for name, value in weights.items()
        if not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0.0
    }
    if wrong:
        shown = first_words([f"{value!r} of {name!r}" for name, value in wrong.items()], 3)
        raise BayescompareError(
            f"weight=: {shown}; a weight is a finite number above 0. Leave out datasets that are "
            "not to count."
        )
    return {str(name): float(value) for name, value in weights.items()}


def check_groups(groups: object, datasets: Sequence[str] = ()) -> dict[str, str] | None:
    """Check the ``group_of=`` argument: a name for each dataset."""
    if groups is None:
        return None
    if not isinstance(groups, Mapping):
        raise BayescompareError(
            f"group_of is a {type(groups).__name__}: give a mapping of datasets to names."
        )
    _check_every_results_domain("group", groups, datasets)
    blank = [name for name, group in groups.items() if not str(group).strip()]
    if blank:
        raise BayescompareError(f"group=: dataset {blank[0]!r} has none; name the group of each.")
    return {str(name): str(group) for name, group in groups.items()}


def _check_every_results_domain(
    argument: str, facts: Mapping[Any, Any], datasets: Sequence[str]
) -> None:
    absent = [name for name in datasets if name not in facts]
    if absent:
        raise BayescompareError(
            f"{argument}_of lacks dataset {absent[0]!r}: every one needs a value."
        )


def effective_weights(weights: tuple[float, ...]) -> list[float]:
    """Scale weights so that they sum to the effective number of datasets, (Σv)²/Σv².

    Examples
    --------
    >>> [round(v, 6) for v in effective_weights((1.0, 1.0, 2.0))]
    [0.666667, 0.666667, 1.333333]
    """
    total, squares = math.fsum(weights), math.fsum(v * v for v in weights)
    return [v * total / squares for v in weights]
