"""Weka: the results of an experiment that the Experimenter wrote as CSV or ARFF."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Format
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    check_distinct,
    find_files,
    labelled_run,
    naming,
    number_or_text,
    read_text,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names

#: The fields of Weka 3.9's split evaluators whose direction does not depend on the question; times
#: and sizes also have a unit. Counts, entropies of the prior and the additional measures of a
#: scheme (measureTreeSize) have no direction.
_FIELDS = records.directed(
    "Percent_correct Number_correct Kappa_statistic Correlation_coefficient SF_entropy_gain "
    "SF_mean_entropy_gain KB_information KB_mean_information KB_relative_information "
    "True_positive_rate True_negative_rate IR_precision IR_recall F_measure Matthews_correlation "
    "Area_under_ROC Area_under_PRC Weighted_avg_true_positive_rate Weighted_avg_true_negative_rate "
    "Weighted_avg_IR_precision Weighted_avg_IR_recall Weighted_avg_F_measure "
    "Weighted_avg_matthews_correlation Weighted_avg_area_under_ROC Weighted_avg_area_under_PRC "
    "Unweighted_macro_avg_F_measure Unweighted_micro_avg_F_measure",
    "Percent_incorrect Percent_unclassified Number_incorrect Number_unclassified "
    "Mean_absolute_error Root_mean_squared_error Relative_absolute_error "
    "Root_relative_squared_error SF_scheme_entropy SF_mean_scheme_entropy False_positive_rate "
    "False_negative_rate Weighted_avg_false_positive_rate Weighted_avg_false_negative_rate",
) | (
    records.costs("Elapsed_Time_training Elapsed_Time_testing", "s")
    | records.costs("UserCPU_Time_training UserCPU_Time_testing", "s")
    | records.costs("UserCPU_Time_millis_training UserCPU_Time_millis_testing", "ms")
    | records.costs("Serialized_Model_Size", "bytes")
)
_OWN = ("Key_Dataset", "Key_Run", "Key_Scheme")
#: The fields that Weka's own Analyse panel shows first.
_FIRST = ("Percent_correct", "Root_relative_squared_error")

# The quantifiers are possessive (``*+``), so that each character is read a bounded number of
# times; with backtracking, a row of blanks before a quote took cubic time.
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.|"")*+\""""
_CELL = re.compile(rf"""\s*+({_QUOTED}|[^,'"]*+)\s*+(,|$)""")
_ATTRIBUTE = re.compile(rf"@attribute\s++({_QUOTED}|\S++)\s++\S", re.IGNORECASE)
_RELATION = re.compile(r"^[^\S\n]*+@relation\b", re.IGNORECASE | re.MULTILINE)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def read_weka(path: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read the results files of Weka experiments.

    Parameters
    ----------
    path : path, iterable of paths, or mapping of str to those
        Files that the Experimenter's CSVResultListener or InstancesResultListener wrote, with
        the columns ``Key_Dataset``, ``Key_Run``, ``Key_Fold``, ``Key_Scheme``, ...
    measures : mapping or iterable of str, optional
        Weka's names; which way is better is known for those that Weka's evaluators report. By
        default the one that Weka's own analysis starts with: ``"Percent_correct"``, or for
        regression ``"Root_relative_squared_error"``.

    Returns
    -------
    Results
        Schemes are the algorithms, named by their class (``J48``), and by their options too if a
        class was run with several; each fold of each run is a replicate, called ``"run.fold"``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "experiment.csv"
    >>> _ = path.write_text(
    ...     "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Percent_correct\n"
    ...     "iris,1,1,weka.classifiers.trees.J48,'-C 0.25 -M 2',94.0\n"
    ...     "iris,1,1,weka.classifiers.rules.ZeroR,'',33.3\n"
    ... )
    >>> read_weka(path).algorithms
    ('J48', 'ZeroR')
    """
    files, source = find_files(path, "*.arff", "*.csv")
    tables, known = [], dict[str, Measure | None]()
    for file, name in files:
        with naming(file):
            table = _table(read_text(file))
            for key in _OWN:
                if key not in table:
                    raise BayescompareError(
                        f"no column {key!r}, so this is not a result of Weka's Experimenter; the "
                        f"columns are {quoted_names([str(column) for column in table.columns], 6)}."
                    )
            fields = [str(each) for each in table.columns if not str(each).startswith("Key_")]
            known |= {each: _FIELDS.get(each) for each in fields}
            tables.append((file, name, table))
    with naming(Path(source)):
        spec = records.select(measures, known, [name for name in _FIRST if name in known][:1])
    whole = pd.concat([table for *_, table in tables], ignore_index=len(tables) > 1)
    labels = _labels(_schemes(whole))
    parts = []
    for file, name, table in tables:
        cells = table.reindex(columns=list(spec))
        values = cells.map(lambda cell: math.nan if cell == "?" else number_or_text(cell))
        parts.append((file, _keys(table, labels, name).join(values)))
    frame = pd.concat([part for _, part in parts], ignore_index=len(parts) > 1)
    return records.results_of_frame(frame, parts, source, replicate="replicate", measures=spec)


# -------------------------------------------------------------------------------------------- cells


def _table(text: str) -> pd.DataFrame:
    """Return the cells as text, quoted ones without their quotes, each row labelled by line."""
    lines = _lines(text)
    header = _attributes(lines) if _RELATION.search(text) else _split(*next(lines, (1, "")))
    check_distinct(header)
    rows = {number: _split(number, line) for number, line in lines}
    for number, row in rows.items():
        if len(row) != len(header):
            raise BayescompareError(
                f"line {number} has {len(row)} cells, but the header has {len(header)}."
            )
    if not rows:
        raise BayescompareError("the file has a header but no rows.")
    index = pd.Index(list(rows), name="line")
    return pd.DataFrame(list(rows.values()), columns=header, index=index, dtype=object)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither blank nor comments, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("%"):
            yield number, line.strip()


def _attributes(lines: Iterator[tuple[int, str]]) -> list[str]:
    """Read the header of an ARFF file, up to ``@data``."""
    names: list[str] = []
    for number, line in lines:
        if line.lower().startswith("@data"):
            return names
        if match := _ATTRIBUTE.match(line):
            names.append(_unquoted(match[1]))
        elif not line.lower().startswith("@relation"):
            raise BayescompareError(f"line {number} is not ARFF: {line[:40]!r}.")
    raise BayescompareError("this ARFF file has no @data.")


def _split(number: int, line: str) -> list[str]:
    r"""Split a line at the commas that are not in quotes.

    Examples
    --------
    >>> _split(1, r"iris,'-K 3 -A \"a, b\"',?")
    ['iris', '-K 3 -A "a, b"', '?']
    """
    cells, place = [], 0
    while True:
        match = _CELL.match(line, place)
        if match is None:
            raise BayescompareError(
                f"malformed at line {number}: {line[place : place + 30]!r} is not a cell."
            )
        cells.append(_unquoted(match[1].rstrip()))
        place = match.end()
        if not match[2]:
            return cells


def _unquoted(cell: str) -> str:
    if cell[:1] in ("'", '"') and len(cell) > 1:
        inner = cell[1:-1].replace('""', '"') if cell[0] == '"' else cell[1:-1]
        return _unescaped(inner)
    return cell


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)


# --------------------------------------------------------------------------------------------- keys


def _schemes(table: pd.DataFrame) -> pd.DataFrame:
    options = table.get("Key_Scheme_options", "")
    return pd.DataFrame({"scheme": table["Key_Scheme"], "options": options})


def _keys(
    table: pd.DataFrame, labels: Mapping[tuple[str, str], str], name: str | None
) -> pd.DataFrame:
    own = [labels[pair] for pair in _schemes(table).itertuples(index=False, name=None)]
    if name is not None:
        own = [labelled_run(name, each, alone=len(set(own)) == 1) for each in own]
    # An average over folds has a run and no fold.
    folds = "." + table["Key_Fold"] if "Key_Fold" in table else ""
    return pd.DataFrame(
        {
            # Weka escapes a relation's name before it quotes the cell.
            "dataset": table["Key_Dataset"].map(_unescaped),
            "algorithm": own,
            "replicate": table["Key_Run"] + folds,
        }
    )


def _labels(schemes: pd.DataFrame) -> Mapping[tuple[str, str], str]:
    """Label each scheme by its class, and by its options only where that is ambiguous."""
    pairs = list(dict.fromkeys(schemes.itertuples(index=False, name=None)))
    runs = Counter(scheme for scheme, _ in pairs)
    short = {scheme: scheme.rpartition(".")[2] for scheme in runs}
    times = Counter(short.values())
    called = {scheme: name if times[name] == 1 else scheme for scheme, name in short.items()}
    return {
        (scheme, options): algorithm_label(
            f"{called[scheme]} {options}".strip() if runs[scheme] > 1 else called[scheme]
        )
        for scheme, options in pairs
    }


FORMATS = {
    "weka": Format("an experiment of Weka", read_weka, suffixes=(".arff",), columns=frozenset(_OWN))
}
