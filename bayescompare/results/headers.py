"""The algorithm and the measure of each column of a wide table, read from its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.results.text import quoted_names_in_results

__all__ = ["SEPARATORS", "Pairs", "pair_up_headers"]

type Pairs = dict[str, tuple[str, str]]

SEPARATORS = (" ", "_", ".", ":", "/", "|", "-")


class _HeaderConvention(NamedTuple):
    """One way to join the names of an algorithm and a measure to the name of a column."""

    separator: str
    measure_first: bool

    def column(self, algorithm: str, measure: str) -> str:
        pair = (measure, algorithm) if self.measure_first else (algorithm, measure)
        return self.separator.join(pair)

    def parts(self, column: str, length: int) -> tuple[str, str] | None:
        """Split a column's name into an algorithm and a measure of that length, if possible."""
        if len(column) <= length + 1:
            return None
        if self.measure_first:
            measure, mark, algorithm = column[:length], column[length], column[length + 1 :]
        else:
            measure, mark, algorithm = column[-length:], column[-length - 1], column[: -length - 1]
        return (algorithm, measure) if mark == self.separator else None

    def read(self, columns: Sequence[str], measures: Sequence[str]) -> Pairs:
        """Return the algorithm and the measure of each column that follows the convention."""
        known = set(measures)
        # The longest first: in svm_macro_f1 the measure is macro_f1, if there is one, not f1.
        # Trying lengths is faster than trying measures: there may be as many as columns.
        lengths = sorted({len(measure) for measure in measures}, reverse=True)
        pairs: Pairs = {}
        for column in columns:
            ways = (self.parts(column, length) for length in lengths)
            pair = next((pair for pair in ways if pair is not None and pair[1] in known), None)
            if pair is not None:
                pairs[column] = pair
        return pairs


_CONVENTIONS = [_HeaderConvention(sep, first) for sep in SEPARATORS for first in (False, True)]


def pair_up_headers(columns: Sequence[str], measures: Sequence[str], algorithm: str) -> Pairs:
    """Return the algorithm and the measure of each column.

    With one measure every column is an algorithm; with several it is a pair, by the one
    convention that fits. `algorithm` is the column that a long table would have.

    Examples
    --------
    >>> pair_up_headers(["svm", "nb"], ["auc"], "algorithm")
    {'svm': ('svm', 'auc'), 'nb': ('nb', 'auc')}
    >>> pair_up_headers(["time svm", "auc svm"], ["auc", "time"], "algorithm")
    {'time svm': ('svm', 'time'), 'auc svm': ('svm', 'auc')}
    """
    if len(measures) == 1:
        _check_headers_of_measure(columns, measures[0])
        return {column: (column, measures[0]) for column in columns}
    readings = [convention.read(columns, measures) for convention in _CONVENTIONS]
    whole = [
        pairs
        for pairs in readings
        if len(pairs) == len(columns) and {m for _, m in pairs.values()} == set(measures)
    ]
    # Prefer readings in which every algorithm has every measure.
    balanced = [p for p in whole if len(p) == len({a for a, _ in p.values()}) * len(measures)]
    fitting = balanced or whole
    if not fitting:
        raise BayescompareError(
            _unexplained_headers(max(readings, key=len), columns, measures, algorithm)
        )
    for column in columns:
        ways = dict.fromkeys(f"{m!r} of {a!r}" for a, m in (pairs[column] for pairs in fitting))
        if len(ways) > 1:
            raise BayescompareError(
                f"the columns can be read in more than one way, {column!r} as "
                f"{' or '.join(ways)}: rename the columns, or give a long table."
            )
    return fitting[0]


def _unexplained_headers(
    best: Pairs, columns: Sequence[str], measures: Sequence[str], algorithm: str
) -> str:
    left = [column for column in columns if column not in best]
    if left:
        return (
            "these columns do not name an algorithm and one of the measures "
            f"{quoted_names_in_results(measures)}, "
            f"as in {'svm_' + measures[0]!r}: {quoted_names_in_results(left)}. If the table is "
            "long, algorithm="
            f"{algorithm!r} is not one of its columns.{did_you_mean(algorithm, columns)}"
        )
    named = {measure for _, measure in best.values()}
    absent = [m for m in measures if m not in named]
    return f"no column for the measure {quoted_names_in_results(absent)}."


def _check_headers_of_measure(columns: Sequence[str], measure: str) -> None:
    """Refuse svm_time beside svm_accuracy if only accuracy was declared.

    With one measure every column is an algorithm, so the times would be taken for accuracies.
    """
    near = [column for column in columns if measure in column]
    for convention in _CONVENTIONS:
        own = convention.read(near, [measure])
        algorithms = [algorithm for algorithm, _ in own.values()]
        if len(algorithms) < 2:
            continue
        rest = dict.fromkeys(column for column in columns if column not in own)
        swapped = _HeaderConvention(convention.separator, not convention.measure_first)
        for column in rest:
            # Read the other way round, to find what stands beside the first algorithm's name.
            pair = swapped.parts(column, len(algorithms[0]))
            other = pair[0] if pair is not None and pair[1] == algorithms[0] else None
            if other and all(convention.column(a, other) in rest for a in algorithms):
                raise BayescompareError(
                    f"the columns name the measures {measure!r} and {other!r}, but measures= has "
                    f"only {measure!r}: add the other one, or remove its columns."
                )
