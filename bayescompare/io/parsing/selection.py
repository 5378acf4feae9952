"""The choice among the measures that a tool reports, and the labels of its algorithms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bayescompare._errors import BayescompareError
from bayescompare.io.parsing.columns import meant_name
from bayescompare.io.parsing.fields import parsed_name
from bayescompare.results.checks import check_selection, check_spec
from bayescompare.results.measure import Direction, Measure
from bayescompare.results.text import quoted_names_in_results

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Chosen",
    "directed_measure_selection",
    "parsed_algorithm_label",
    "parsed_algorithm_labels",
    "select_parsed_measures",
]

#: Names with their directions, or names alone if their directions are known from elsewhere.
type Chosen = Mapping[str, Direction | Measure] | Iterable[str]

#: Characters that labels of statements, such as A>B|B>A, are made of.
_PLAIN = str.maketrans({"=": ":", "|": "/", ">": "/"})


def select_parsed_measures(
    measures: Chosen | None,
    known: Mapping[str, Measure | None],
    default: Collection[str] = (),
) -> dict[str, Measure]:
    """Return the measures to read, each with its direction.

    Parameters
    ----------
    measures : mapping or iterable of str, optional
        The measures asked for, with directions or by name alone; in any case, and as far as the
        beginning tells them apart.
    known : mapping of str to Measure or None
        All measures there are; None if it is not known which way is better.
    default : collection of str
        The measures to read if none are asked for.

    Examples
    --------
    >>> list(select_parsed_measures(["AU"], {"auc": Measure("max"), "time": None}))
    ['auc']
    """
    if isinstance(measures, Mapping):
        spec = check_spec(_meant_measures(measures, known))
        check_selection("measures", spec, known)
        return spec
    if measures is not None and not isinstance(measures, str) and isinstance(measures, Iterable):
        measures = list(measures)
        if all(isinstance(name, str) for name in measures):
            measures = list(_meant_measures(dict.fromkeys(measures, ""), known)) or measures
    if measures is None and not default:
        clear = next((name for name, kind in known.items() if kind), next(iter(known), "accuracy"))
        raise BayescompareError(
            f"measures=None: name the measures to read, as in measures=[{clear!r}]; choose from "
            f"{quoted_names_in_results(known)}."
        )
    names = default if measures is None else check_selection("measures", measures, known)
    chosen = {name: measure for name in names if (measure := known[name]) is not None}
    unclear = [name for name in names if name not in chosen]
    if unclear:
        raise BayescompareError(
            f"it is not known which way {quoted_names_in_results(unclear)} is better: use "
            f"measures={{{unclear[0]!r}: 'max'}} (higher is better) or 'min'."
        )
    return check_spec(chosen)


def _meant_measures[V](measures: Mapping[Any, V], known: Collection[str]) -> dict[str, V]:
    """Return the measures under the names that the tool has for them."""
    meant: dict[str, V] = {}
    for name, value in measures.items():
        own = meant_name(name, known) if isinstance(name, str) else name
        if own in meant:
            raise BayescompareError(f"measure {own!r} is given twice, once as {name!r}.")
        meant[own] = value
    return meant


def directed_measure_selection(maximal: str, minimal: str) -> dict[str, Measure]:
    """Make a table of measures from two lists of names, better when higher and when lower.

    Examples
    --------
    >>> directed_measure_selection("accuracy f1", "error")["error"].direction
    'min'
    """
    return dict.fromkeys(maximal.split(), Measure("max")) | dict.fromkeys(
        minimal.split(), Measure("min")
    )


def parsed_algorithm_labels(names: pd.Series[Any]) -> pd.Series[Any]:
    """Turn a column of names into labels, and refuse two names with the same label."""
    labels = names.map(lambda name: name.translate(_PLAIN))
    before: dict[str, str] = {}
    for name, label in zip(names, labels, strict=True):
        if before.setdefault(label, name) != name:
            raise BayescompareError(
                f"the algorithms {before[label]!r} and {name!r} would both be called {label!r}, "
                "because '=', '|' and '>' have a meaning in statements: rename one."
            )
    return labels


def parsed_algorithm_label(name: str) -> str:
    """Write a name without the characters that have a meaning in statements.

    Examples
    --------
    >>> parsed_algorithm_label("Pipeline(scaler=StandardScaler)")
    'Pipeline(scaler:StandardScaler)'
    """
    # Half a character, as in a label from the command line, is no text for pandas.
    return parsed_name(name, "the name of an algorithm").translate(_PLAIN)
