"""The columns of a table before it is read: renamed, left out, and meant by a shorter name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from bayescompare._checks import show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.results.measure import Measure
from bayescompare.results.text import quoted_names_in_results, repeated_name_in_results

__all__ = ["ColumnEdits", "column_edits", "meant_name", "meant_table_measures"]


@dataclass(frozen=True)
class ColumnEdits:
    """What is done to the columns of each file: some renamed, some left out."""

    rename: Mapping[str, str]
    drop: Sequence[str]

    def names_in_file(self, names: Iterable[str]) -> set[str]:
        """Return what the file calls columns that are known by their new names."""
        before = {new: old for old, new in self.rename.items()}
        return {before.get(name, name) for name in names}

    def apply(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table with the columns renamed, and without those that are left out.

        Examples
        --------
        >>> edits = column_edits({"data": "dataset"}, ["rank"])
        >>> edits.apply(pd.DataFrame({"data": ["iris"], "rank": [1], "svm": [0.9]}))
          dataset  svm
        0    iris  0.9
        """
        if not (self.rename or self.drop):
            return table
        names = [str(column) for column in table.columns]
        for argument, wanted in (("rename", self.rename), ("drop_columns", self.drop)):
            for name in wanted:
                if name not in names:
                    raise BayescompareError(
                        f"{argument}= names no column: there is no {name!r}; the columns are "
                        f"{quoted_names_in_results(names)}.{did_you_mean(name, names)}"
                    )
        kept = [name for name in names if name not in self.drop]
        table = table.set_axis(names, axis=1)[kept]
        after = [self.rename.get(name, name) for name in kept]
        twice = repeated_name_in_results(after)
        if twice is not None:
            raise BayescompareError(
                f"rename=: two columns would be called {twice!r}; leave one out by drop_columns=."
            )
        return table.set_axis(after, axis=1)


def column_edits(rename: object, drop: object) -> ColumnEdits:
    """Check the arguments ``rename=`` and ``drop_columns=``."""
    if rename is None:
        rename = {}
    if not isinstance(rename, Mapping) or not all(
        isinstance(name, str) and name for pair in rename.items() for name in pair
    ):
        raise BayescompareError(
            f"rename={show_checked_value(rename)}: give a mapping of columns to their new names, "
            "as in {'acc': 'accuracy'}."
        )
    if isinstance(drop, str):
        drop = [drop]
    if not isinstance(drop, Collection) or not all(isinstance(name, str) for name in drop):
        raise BayescompareError(
            f"drop_columns={show_checked_value(drop)}: give a list of columns, as in ['rank']."
        )
    return ColumnEdits(dict(rename), tuple(drop))


# names that are meant ----------------------------------------------------------------------------


def meant_name(name: str, known: Collection[str]) -> str:
    """Return the known name that is meant: in another case, or the only one that begins so.

    What fits none, or is ambiguous in case alone, is returned as it is.

    Examples
    --------
    >>> meant_name("acc", ["Accuracy", "auc"]), meant_name("AUC", ["auc", "auc_train"])
    ('Accuracy', 'auc')
    """
    if name in known or not name:
        return name
    small = name.casefold()
    same = [one for one in known if one.casefold() == small]
    longer = [one for one in known if one.casefold().startswith(small)]
    if len(same) == 1 or len(longer) == 1:
        return (same or longer)[0]
    if len(longer) > 1 and not same:
        raise BayescompareError(
            f"measure {name!r} could be {quoted_names_in_results(longer, 6)}: write more of it."
        )
    return name


def meant_table_measures(
    spec: Mapping[str, Measure], table: pd.DataFrame, others: Collection[str]
) -> dict[str, Measure]:
    """Return the measures under the names that a long table has for them.

    Parameters
    ----------
    spec : mapping of str to Measure
        As they were typed.
    table : pandas.DataFrame
        Long, or melted, with the columns ``measure`` and ``value``.
    others : collection of str
        The columns of names, which are no measures.
    """
    columns = [str(column) for column in table.columns if str(column) not in others]
    if {"measure", "value"} <= set(columns) and not set(columns) & set(spec):
        columns = table["measure"].astype(str).unique().tolist()
    meant: dict[str, Measure] = {}
    for name, measure in spec.items():
        own = meant_name(name, columns)
        if own in meant:
            raise BayescompareError(f"measure {own!r} is given twice, once as {name!r}.")
        meant[own] = measure
    return meant
