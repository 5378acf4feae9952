"""Notes on the tables behind all pairs: how many datasets each has, and who a note is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bayescompare.table.results import Results
from bayescompare.table.words import INCOMPLETE, dropped_words
from bayescompare.text.numbers import plural

__all__ = [
    "Judged",
    "PairTable",
    "notes_words",
    "pairwise_notes_of_tables",
    "pairwise_notes_on_spread",
]

#: Notes on some of the pairs that a paragraph holds, and pairs that such a note names.
_MOST_NOTES, _MOST_PAIRS = 8, 3


class Judged(Protocol):
    """A table that was judged: `Results`, or what the words need to know of them."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms."""
        ...

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the table, in words."""
        ...


class PairTable(NamedTuple):
    """Names and notes of a table, without its numbers."""

    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    notes: tuple[str, ...]


def pairwise_notes_of_tables(results: Results, pairs: Sequence[tuple[str, str]]) -> list[PairTable]:
    """Name the datasets that have all cells of each pair, with the notes of its table.

    Examples
    --------
    >>> import bayescompare as bc
    >>> (pair,) = pairwise_notes_of_tables(bc.load_example("jansen-uci"), [("CART", "GBM")])
    >>> len(pair.datasets)
    16
    """
    gaps = results.absent().any(axis=2)
    place = {name: k for k, name in enumerate(results.algorithms)}
    # Pairs that lack the same datasets share their names and their note.
    known: dict[bytes, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    tables = []
    for first, second in pairs:
        gone = gaps[:, place[first]] | gaps[:, place[second]]
        key = gone.tobytes()
        if key not in known:
            kept = tuple(name for name, out in zip(results.datasets, gone, strict=True) if not out)
            left = [name for name, out in zip(results.datasets, gone, strict=True) if out]
            note = (dropped_words(left, INCOMPLETE),) if left else ()
            known[key] = kept, (*results.notes, *note)
        tables.append(PairTable((first, second), *known[key]))
    return tables


def notes_words(tables: Sequence[Judged]) -> list[str]:
    """Say on which datasets the pairs were compared, where these differ, and give their notes.

    Equal notes become one, which names its pairs unless it is about all of them.
    """
    sentences = []
    datasets = pairwise_notes_on_spread(tables)
    if datasets:
        sentences.append(
            f"The pairs use different datasets, {datasets} each: those on which both algorithms of "
            "the pair were measured."
        )
    everyone = [table.algorithms for table in tables]
    about: dict[str, list[tuple[str, ...]]] = {}
    for pair, table in zip(everyone, tables, strict=True):
        for note in dict.fromkeys(table.notes):
            about.setdefault(note, []).append(pair)
    everywhere = [note for note, pairs in about.items() if len(pairs) == len(tables)]
    sentences += [f"Note: {note}." for note in everywhere]
    # Those about most pairs come first; of very many notes, the rest is only counted.
    some = [note for note, pairs in about.items() if len(pairs) < len(tables)]
    some.sort(key=lambda note: -len(about[note]))
    sentences += [
        f"Note on {_pairs_in_pairwise_notes(about[note], everyone)}: {note}."
        for note in some[:_MOST_NOTES]
    ]
    rest = len(some) - _MOST_NOTES
    if rest > 0:
        sentences.append(
            f"{plural(rest, 'further note')} on some pairs: see results.notes of each."
        )
    return sentences


def pairwise_notes_on_spread(tables: Sequence[Judged]) -> str:
    """Say how many datasets the pairs have, where these are not the same ones for all.

    Examples
    --------
    >>> import bayescompare as bc
    >>> table = bc.load_example("jansen-uci")
    >>> pairwise_notes_on_spread([table, table])
    ''
    >>> pairwise_notes_on_spread([table, table.sel(datasets=table.datasets[:9])])
    '9 to 16'
    """
    different = {table.datasets for table in tables}
    if len(different) < 2:
        return ""
    least, most = min(map(len, different)), max(map(len, different))
    return str(least) if least == most else f"{least} to {most}"


def _pairs_in_pairwise_notes(
    pairs: Sequence[tuple[str, ...]], everyone: Sequence[tuple[str, ...]]
) -> str:
    """Name the pairs that a note is about: all with one algorithm, or the first few."""
    if len(pairs) > 1:
        (*shared,) = set(pairs[0]).intersection(*pairs[1:])
        if len(shared) == 1 and len(pairs) == sum(shared[0] in pair for pair in everyone):
            return f"the {len(pairs)} pairs with {shared[0]}"
    shown = [" against ".join(pair) for pair in pairs[:_MOST_PAIRS]]
    rest = len(pairs) - len(shown)
    names = ", ".join(shown) + (f" and {rest} more" if rest else "")
    return names if len(pairs) == 1 else f"{len(pairs)} of {len(everyone)} pairs ({names})"
