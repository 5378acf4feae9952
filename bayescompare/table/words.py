"""The words of `Results`: its spec sheet, and how messages list names and cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._typing import FloatArray
from bayescompare.table.cells import cell_means
from bayescompare.table.items import expected_item_replicates, items_words
from bayescompare.table.measure import Measure
from bayescompare.text.names import first_words
from bayescompare.text.numbers import (
    count,
    percent,
    plural,
    setting_number_text,
    statistic_number_text,
)

if TYPE_CHECKING:
    from bayescompare.table.counts import ErrorCounts
    from bayescompare.table.results import Results


#: Why datasets are left out under ``missing="drop"``, after their number.
INCOMPLETE = "with missing cells"

#: How the note ends that counts results on training data.
_LEAK = "trained on that very dataset"

#: Cells that two algorithms must share to be called near copies.
_FEWEST_ALIKE = 5

_MEASURES_SHOWN = 5
_WIDTH = 96


def caveats_of(results: Results, notes: Iterable[str] | None = None) -> tuple[str, ...]:
    """Say what could turn an answer about these results, a sentence each, the gravest first.

    Parameters
    ----------
    results : Results
    notes : iterable of str, optional
        What was done to the table, in place of its own notes.

    Examples
    --------
    >>> import bayescompare as bc
    >>> names = [f"mmlu_{k}" for k in range(7)] + ["arc", "hellaswag"]
    >>> frame = pd.DataFrame({"dataset": names, "algorithm": "A", "acc": 0.5})
    >>> caveats_of(bc.Results.from_frame(frame, measures={"acc": "max"}))
    ('7 of 9 datasets belong to one benchmark by their names, mmlu.',)
    """
    # How a file was recognised turns nothing.
    said = [
        note
        for note in (results.notes if notes is None else notes)
        if not (note.startswith("read as ") or note.endswith(_LEAK))
    ]
    if (found := largest_benchmark(results)) is not None:
        told = "" if results.benchmark_of else " by their names"
        n = len(results.datasets)
        said.insert(0, f"{found[1]} of {n} datasets belong to one benchmark{told}, {found[0]}")
    # Those of single pairs differ.
    leaks = [note for note in results.notes if note.endswith(_LEAK)]
    return tuple(f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in (*leaks, *said))


def number_trained_on(results: Results) -> int:
    """Count the results of algorithms that were trained on the dataset, as far as is known."""
    known, names = results.trained_on or {}, set(results.algorithms)
    return sum(len(names.intersection(known.get(name, ()))) for name in results.datasets)


def with_leaks_noted(results: Results) -> Results:
    """Return results with a note that counts those of algorithms trained on the dataset."""
    number = number_trained_on(results)
    verb = "comes from a model" if number == 1 else "come from models"
    leak = (f"{plural(number, 'result')} {verb} {_LEAK}",) if number else ()
    kept = [note for note in results.notes if not note.endswith(_LEAK)]
    return results._with(notes=(*kept, *leak))


def largest_benchmark(results: Results) -> tuple[str, int] | None:
    """Return the benchmark that most datasets belong to, and how many do; None if there is none.

    What they belong to the reader knows, or their names begin alike.

    Examples
    --------
    >>> import bayescompare as bc
    >>> names = [f"mmlu_{k}" for k in range(7)] + ["arc", "hellaswag"]
    >>> frame = pd.DataFrame({"dataset": names, "algorithm": "A", "acc": 0.5})
    >>> largest_benchmark(bc.Results.from_frame(frame, measures={"acc": "max"}))
    ('mmlu', 7)
    """
    n = len(results.datasets)
    if results.groups is not None:
        return None  # domains count alike, however many datasets they have
    known = results.benchmark_of
    begins = Counter(
        re.split(r"[/:_\- ]", name, maxsplit=1)[0] if known is None else known.get(name, name)
        for name in results.datasets
    )
    (name, number), *_ = begins.most_common(1)
    return (name, number) if 2 * number > n and 5 <= number < n else None


def near_copies(results: Results, share: float = 0.95) -> list[tuple[str, str, float]]:
    """Return the pairs of algorithms that have the same value in most cells, and in which share.

    Two versions of one algorithm in a table count twice wherever places among all are asked for.

    Examples
    --------
    >>> import bayescompare as bc
    >>> uci = bc.load_example("jansen-uci")
    >>> near_copies(uci)
    []
    >>> twice = uci.to_frame().query("algorithm == 'GBM'").assign(algorithm="GBM, again")
    >>> both = pd.concat([uci.to_frame(), twice])
    >>> near_copies(bc.Results.from_frame(both, measures=uci.spec))
    [('GBM', 'GBM, again', 1.0)]
    """
    cells = cell_means(results)
    copies = []
    for a, name in enumerate(results.algorithms):
        own, others = cells[:, a : a + 1], cells[:, a + 1 :]
        there = (~np.isnan(own) & ~np.isnan(others)).sum(axis=(0, 2))
        # Files may have been written with other digits.
        with np.errstate(over="ignore"):  # values near the largest float
            alike = np.isclose(own, others, rtol=1e-9, atol=0.0).sum(axis=(0, 2))
        shares = alike / np.maximum(there, 1)
        for b in np.flatnonzero((shares >= share) & (there >= _FEWEST_ALIKE)).tolist():
            copies.append((name, results.algorithms[a + 1 + b], float(shares[b])))
    return copies


def table_figures(results: Results, *, judges_cells: bool = False) -> dict[str, Any]:
    """Return what of a table could turn a verdict, as numbers; the caveats say it in words.

    Near copies; the benchmark that most datasets belong to; how many results come from models that
    were trained on the dataset; and the replicates that each cell is the mean of, or is to be where
    single cells are judged.

    Examples
    --------
    >>> import bayescompare as bc
    >>> uci = bc.load_example("jansen-uci")
    >>> marked = uci._with(trained_on={uci.datasets[0]: ["GBM", "RF"]})
    >>> table_figures(marked)["results_on_training_data"]
    2
    """
    averaged = (results.average() if judges_cells else results).averaged
    return {
        "near_copies": near_copies(results) if len(results.algorithms) > 2 else [],
        "largest_benchmark": largest_benchmark(results),
        "results_on_training_data": number_trained_on(results),
        "averaged": averaged,
    }


def cell_words(cell: Mapping[Any, str]) -> str:
    """Name a cell by its dataset, algorithm, measure and, if it has one, replicate."""
    replicate = f" in replicate {cell['replicate']!r}" if "replicate" in cell else ""
    return f"{cell['measure']} of {cell['algorithm']!r} on {cell['dataset']!r}{replicate}"


def missing_words(cells: pd.DataFrame, why: Iterable[str] = ()) -> str:
    """Say which cells are missing, perhaps why, and what to do about them."""
    words = [cell_words(cell) for cell in cells.to_dict("records")]
    reasons = "".join(f" ({note})" for note in why)
    return (
        f"{plural(len(words), 'missing cell')}: {first_words(words)}{reasons}. Fill them in, or "
        "use missing='drop' to leave out every dataset with a missing cell, 'ignore' to count what "
        "was seen beside it, or 'worst' if it is a failed run."
    )


def dropped_words(datasets: Sequence[str], why: str) -> str:
    """Say which datasets were left out.

    Examples
    --------
    >>> dropped_words(["wine"], INCOMPLETE)
    '1 dataset with missing cells dropped: wine'
    """
    return f"{plural(len(datasets), 'dataset')} {why} dropped: {first_words(datasets, 12)}"


def nothing_left_words(coverage: pd.DataFrame) -> str:
    """Say that every dataset has a missing cell, and where the gaps are."""
    words = [f"{name} {percent(share)}" for name, share in coverage.mean(axis=0).items()]
    return (
        "missing='drop' leaves no dataset: each has a missing cell. Share of cells present by "
        f"algorithm: {first_words(words)}. Leave out the algorithms or measures that have gaps."
    )


# --------------------------------------------------------------------------------- the spec sheet


def describe(results: Results) -> str:
    """Return the spec sheet, which stays short and narrow however large the table is."""
    cells = results._cells()
    notes = results.notes
    if len(notes) > 2:
        notes = (notes[0], f"... and {len(notes) - 1} more in results.notes")
    lines = [
        ("datasets", _listing(results.datasets)),
        ("algorithms", _listing(results.algorithms)),
        ("replicates", _replicates_words(results)),
        *_measure_lines(results),
        ("missing", _absent_words(cells, results)),
        ("source", results.source or "not given"),
        *(("note", note) for note in notes),
    ]
    sizes = map(plural, cells.shape, ("dataset", "algorithm", "measure"))
    return _sheet(f"Results: {', '.join(sizes)}", lines)


def _sheet(title: str, lines: Sequence[tuple[str, str]]) -> str:
    width = max(len(head) for head, _ in lines) + 2
    return "\n".join([title, *(_clip(f"  {head:<{width}}{text}") for head, text in lines)])


def _replicates_words(results: Results) -> str:
    if results.item_data is not None and results.has_statistics:
        return items_words(results.item_data)
    if results.n_replicates is None:
        return "none"
    what = "" if results.replicates == "folds" else f" {results.replicates}"
    each = (~np.isnan(results._cells())).any(axis=(1, 2)).sum(axis=-1)
    numbers = " to ".join(dict.fromkeys(map(str, (each.min(), each.max()))))
    return f"{numbers}{what}{'' if results.item_data is None else ' in clusters'}"


def _absent_words(cells: FloatArray, results: Results) -> str:
    """Count the missing cells, and the missing replicates of the others."""
    absent = np.isnan(cells)
    if cells.ndim == 3:
        return f"{int(absent.sum())} of {plural(cells.size, 'cell')}"
    gone = absent.all(axis=-1)
    absent &= expected_item_replicates(absent, results.replicates)
    failed = int(absent[~gone].sum())
    words = f"{int(gone.sum())} of {plural(gone.size, 'cell')}"
    return words + (f", and {plural(failed, results._noun)} of the others" if failed else "")


def describe_counts(counts: ErrorCounts) -> str:
    """Return the spec sheet of error counts."""
    sizes, only = counts.counts["n"].values, counts.counts["wrong_only"].values
    known = "not given" if np.isnan(sizes).any() else count(float(sizes.sum()))
    pairs = np.triu_indices(len(counts.algorithms), 1)
    differ = (only + only.transpose(0, 2, 1))[:, *pairs]
    discordant: list[tuple[str, str]] = []
    if differ.size:
        span = f"{count(differ.min())} to {count(differ.max())} per pair"
        without = int((differ.max(axis=1) == 0).sum())
        discordant = [("discordant", span)]
        discordant += [("none in", plural(without, "dataset"))] if without else []
    lines = [
        ("datasets", _listing(counts.datasets)),
        ("algorithms", _listing(counts.algorithms)),
        ("examples", known),
        *discordant,
        ("source", counts.source or "not given"),
        *(("note", note) for note in counts.notes),
    ]
    names = (counts.datasets, counts.algorithms)
    title = ", ".join(map(plural, map(len, names), ("dataset", "algorithm")))
    return _sheet(f"ErrorCounts: {title}", lines)


def _measure_lines(results: Results) -> list[tuple[str, str]]:
    """Return a table of the measures, its columns laid out at equal widths."""
    shown, rest = results.measures[:_MEASURES_SHOWN], results.measures[_MEASURES_SHOWN:]
    heads = ["measure", *(_clip(name, 24) for name in shown)]
    rows = [
        ("direction", "rope", "scale", "bounds", "unit", "observed"),
        *(_measure_row(results[name], results.data[name].values) for name in shown),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    more = [("...", f"and {len(rest)} more: {_listing(rest)}")] if rest else []
    return [*zip(heads, texts, strict=True), *more]


def _measure_row(measure: Measure, cells: FloatArray) -> tuple[str, ...]:
    present = cells[~np.isnan(cells)]
    ends = ["" if end is None else setting_number_text(end) for end in measure.bounds or ()]
    return (
        measure.direction,
        "none" if measure.rope is None else setting_number_text(measure.rope),
        measure.scale,
        "..".join(ends) or "none",
        measure.unit or "none",
        f"{_six_digits(present.min())} to {_six_digits(present.max())}"
        if present.size
        else "nothing",
    )


def _listing(names: Sequence[str], width: int = 60) -> str:
    """Join as many names as fit, and count the rest."""
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join([*shown, name])) > width:
            break
        shown.append(_clip(name, width))
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f", ... ({rest} more)" if rest else "")


def _clip(text: str, width: int = _WIDTH) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _six_digits(value: float) -> str:
    return statistic_number_text(value, significant=6)
