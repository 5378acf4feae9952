"""Pairs that rest on different datasets: their n, whom a note is about, what means are over."""

from __future__ import annotations

import io
import itertools
import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console

import bayescompare as bc
from bayescompare.cli.printing import print_pairwise
from bayescompare.outcome.pair_figures import datasets_spread, notes_said
from bayescompare.outcome.verdicts import Rule
from bayescompare.outcome.words import say
from bayescompare.report import page_of, render
from bayescompare.report.blocks import data_section
from bayescompare.table.results import Results
from tests.table.test_replicates import replicated, ten_folds
from tests.tables import table

NAN = float("nan")


def with_gaps(gaps: list[tuple[int, int]], n: int = 8, l: int = 4, m: int = 1) -> Results:
    """Random results of A, B, C, … on d0, d1, … that lack some (dataset, algorithm)."""
    values = np.random.default_rng(3).normal(size=(n, l, m))
    for at in gaps:
        values[at] = NAN
    return table(values)


def every_pair(results: Results, **options: Any) -> bc.Pairwise:
    return bc.pairwise(results, missing="drop", n_jobs=1, **options)


@cache
def with_and_without_gaps() -> tuple[bc.Pairwise, bc.Pairwise]:
    return every_pair(with_gaps([(0, 2), (1, 2)])), every_pair(with_gaps([]))


# ------------------------------------------------------------------------------------------- notes


def test_a_note_names_the_pair_that_it_is_about() -> None:
    results = with_gaps([(0, 0), (1, 1)], l=3)
    names, sets = results.algorithms, results.datasets
    said = every_pair(results).explain()
    assert (
        f"Note on {names[0]} against {names[1]}: 2 datasets with missing cells dropped: "
        f"{sets[0]}, {sets[1]}." in said
    )
    assert (
        f"Note on {names[1]} against {names[2]}: 1 dataset with missing cells dropped: {sets[1]}."
        in said
    )


def test_a_note_on_all_pairs_of_one_algorithm_names_that_algorithm() -> None:
    results = with_gaps([(0, 2)])
    said = every_pair(results).explain()
    name, lost = results.algorithms[2], results.datasets[0]
    assert f"Note on the 3 pairs with {name}: 1 dataset with missing cells dropped: {lost}." in said
    assert said.count("dropped") == 1


def test_a_note_on_every_pair_names_none() -> None:
    said = bc.pairwise(replicated(ten_folds()), n_jobs=1).explain()
    assert "Note: each cell is the mean of 10 replicates." in said
    assert "Note on" not in said


def test_equal_notes_on_many_pairs_are_one_and_count_them() -> None:
    whole = with_gaps([], l=6)
    pairs = [(a, b) for i, a in enumerate(whole.algorithms) for b in whole.algorithms[i + 1 :]]
    tables = [whole.sel(algorithms=pair) for pair in pairs]
    some = {0, 5, 9, 12}  # A-B, B-C, C-D, D-E: no algorithm in common
    tables = [
        replace(one, notes=("looked at twice",)) if k in some else one
        for k, one in enumerate(tables)
    ]
    a, b, c, d = whole.algorithms[:4]
    assert [say(name, **values) for name, values in notes_said(tables)] == [
        f"Note on 4 of 15 pairs ({a} against {b}, {b} against {c}, {c} against {d} and 1 more): "
        "looked at twice."
    ]


def test_failed_folds_are_told_of_the_pairs_that_lack_them() -> None:
    scores = ten_folds(algorithms=4)
    scores[2, 3, 7] = NAN
    said = bc.pairwise(replicated(scores), n_jobs=1).explain()
    assert (
        "Note on the 3 pairs with D: 1 replicate that some algorithm lacks is left out for all: "
        "1 of 10 on d2." in said
    )


# ---------------------------------------------------------------------------------- n of each pair


def test_words_say_how_many_datasets_pairs_rest_on() -> None:
    assert "The pairs use different datasets, 6 to 8 each" in (
        every_pair(with_gaps([(0, 0), (1, 1)])).explain()
    )
    assert "different datasets" not in every_pair(with_gaps([])).explain()
    # A gap on one dataset for all: fewer datasets, but the same ones.
    assert "different datasets" not in every_pair(with_gaps([(0, k) for k in range(4)])).explain()


def test_as_many_datasets_may_still_be_different_ones() -> None:
    whole = with_gaps([])
    first, second = whole.sel(datasets=whole.datasets[1:]), whole.sel(datasets=whole.datasets[:-1])
    assert datasets_spread([first, second]) == "7"


METHODS = ["dirichlet", "glrt"]


@pytest.mark.parametrize("method", METHODS)
def test_decisions_and_summary_say_n(method: str) -> None:
    results = with_gaps([(0, 2), (1, 2)])
    p = every_pair(results, method=method)
    lacking = results.algorithms[2]
    for column in (
        p.decide().set_index(["first", "second"])["n"],
        p.summary().set_index(["first", "second"])["datasets"],
    ):
        assert {pair: int(n) for pair, n in column.items()} == {
            pair: 6 if lacking in pair else 8
            for pair in itertools.combinations(results.algorithms, 2)
        }


@pytest.mark.parametrize("method", METHODS)
def test_the_terminal_says_n(method: str) -> None:
    results = with_gaps([(0, 2), (1, 2)])
    out = Console(width=100, record=True, file=io.StringIO(), markup=False)
    print_pairwise(out, every_pair(results, method=method), Rule())
    printed = out.export_text()
    assert "8 datasets (6 to 8 for each pair)" in printed
    first, second, third, _ = results.algorithms
    listed = printed.partition("Decisions")[2].partition("* a verdict")[0].splitlines()
    rows = {(*sorted(line.split()[:3:2]), line.split()[5]) for line in listed if " over " in line}
    assert (*sorted([first, second]), "8") in rows
    assert (*sorted([first, third]), "6") in rows


@pytest.mark.parametrize("method", METHODS)
def test_the_report_says_n(method: str) -> None:
    results = with_gaps([(0, 2), (1, 2)])
    p = every_pair(results, method=method)
    (decisions,) = [
        one for s in page_of(p).sections for one in s.tables if one.title.startswith("Decisions")
    ]
    at = list(decisions.heads).index("datasets")
    lacking = results.algorithms[2]
    decided = p.decide()
    pairs = list(zip(decided["first"], decided["second"], strict=True))
    assert set(pairs) == set(itertools.combinations(results.algorithms, 2))
    for pair, row in zip(pairs, decisions.rows, strict=True):
        assert row[at] == ("6" if lacking in pair else "8")
        assert all(name in row[0] for name in pair)
    told = json.loads(p.to_json())["decided"]
    assert {(row["first"], row["second"]): row["n"] for row in told} == {
        pair: 6 if lacking in pair else 8 for pair in itertools.combinations(results.algorithms, 2)
    }


def title(p: bc.Pairwise, kind: Any) -> str:
    ax = p.plot(kind, ax=Figure().subplots())
    return " ".join(ax.get_title(loc="left").split() or ax.get_title().split())


@pytest.mark.parametrize("kind", ["matrix", "order", "dominance", "critical"])
def test_pictures_say_that_pairs_rest_on_different_datasets(kind: Any) -> None:
    gaps, none = with_and_without_gaps()
    assert "on different datasets, 6 to 8 each" in title(gaps, kind)
    assert "different datasets" not in title(none, kind)


@pytest.mark.parametrize("kind", ["order", "dominance", "critical"])
def test_pictures_count_the_pairs_that_could_not_be_compared(kind: Any) -> None:
    p = every_pair(with_gaps([(k, 3) for k in range(7)]))
    assert len(p.skipped) == 3
    assert f"{p.decide()['asserted'].sum()} of 6 pairs" in title(p, kind)
    assert "of 6 pairs" in p.explain()


def test_an_algorithm_without_common_datasets_is_left_out_of_the_ranks() -> None:
    results = with_gaps([(k, 3) for k in range(7)])
    p = every_pair(results)
    assert p.decide()["n"].tolist() == [8, 8, 8, 1, 1, 1]
    ax = p.plot("critical", ax=Figure().subplots())
    drawn = {text.get_text().split()[0] for text in ax.texts}
    assert set(results.algorithms[:3]) <= drawn
    assert results.algorithms[3] not in drawn
    assert "fewer than two datasets in common" in render(p, "markdown")


# ------------------------------------------------------------------------------------------- means


def means_of(results: Results) -> Any:
    """The table of means in a report's section on the data."""
    (*_, means) = data_section(results).tables
    return means


def test_means_are_over_the_datasets_that_every_algorithm_has() -> None:
    """A has a bad day on d0, where B has no cell: over its own datasets A would look worse."""
    values = np.array([[0.1, NAN], [0.9, 0.8], [0.9, 0.8]])[..., None]
    means = means_of(table(values))
    assert [row[1:] for row in means.rows] == [["0.9", "2", "2"], ["0.8", "2", "0"]]
    assert list(means.heads)[2] == "n"
    assert "every algorithm has" in means.title


def test_means_over_different_datasets_have_their_n() -> None:
    values = np.array([[0.1, NAN], [NAN, 0.7], [0.8, NAN], [0.9, 0.5]])[..., None]
    means = means_of(table(values))
    assert [row[1:] for row in means.rows] == [["0.6", "3", "3"], ["0.6", "2", "1"]]
    assert "differ between algorithms" in means.title


def test_means_of_failed_folds_are_over_those_there() -> None:
    scores = ten_folds(datasets=3, algorithms=3)
    for k in range(3):  # each lacks another fold, and no cell is missing
        scores[0, k, 4 * k : 4 * k + 4] = NAN
    section = data_section(replicated(scores))
    assert "missing" not in section.facts
    assert "of which some algorithms lack some" in section.facts["replicates"]
    assert "n" not in section.tables[-1].heads
    shown = [float(row[1]) for row in section.tables[-1].rows]
    assert shown == pytest.approx(np.nanmean(scores, axis=-1).mean(axis=0), rel=1e-3)


def test_the_matrix_tells_of_each_pair_on_how_many_datasets_it_rests() -> None:
    results = with_gaps([(0, 2), (1, 2)])
    table = page_of(every_pair(results)).table
    assert table is not None
    told = {str(row[0]): int(row[3]) for row in table.rows}
    a, b, c = results.algorithms[:3]
    for first, second, number in ((a, b, 8), (a, c, 6)):
        (shown,) = [n for text, n in told.items() if first in text and second in text]
        assert shown == number
