"""The bundled tables are those of the papers."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare._errors import BayescompareError
from bayescompare.table.examples import Example, examples, load_example
from bayescompare.table.measure import Measure

EVERY = pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)


def wins(name: str) -> list[int]:
    """Count the datasets by (first better?, second better?) for two algorithms."""
    values = load_example(name).oriented()
    second = values[:, 1] > values[:, 0]
    return [int((second == state).all(axis=1).sum()) for state in np.ndindex(2, 2)]


@EVERY
def test_every_example_loads_whole(example: Example) -> None:
    results = load_example(example.name)
    assert results.complete() is results
    assert results.source == example.source
    assert dict(results.spec) == dict(example.measures)


@EVERY
def test_every_example_describes_itself_in_one_line(example: Example) -> None:
    assert example.description
    assert "\n" not in example.description
    assert str(len(load_example(example.name).datasets)) in example.description
    assert str(len(load_example(example.name).algorithms)) in example.description


def test_jansen_uci() -> None:
    results = load_example("jansen-uci")
    rate = (0.0, 1.0)
    assert (len(results.datasets), len(results.algorithms)) == (16, 8)
    assert dict(results.spec) == {
        "auc": Measure("max", bounds=rate),
        "accuracy": Measure("max", bounds=rate),
        "brier": Measure("min", bounds=rate),
    }
    cell = results.sel(datasets=["australian"], algorithms=["BDS"]).values()
    np.testing.assert_array_equal(cell.ravel(), [0.937, 0.865, 0.095])
    assert "Tables 4-6" in (results.source or "")


def test_benavoli_example_1_has_the_counts_of_the_paper() -> None:
    assert wins("benavoli-example1") == [1, 2, 3, 6]
    assert load_example("benavoli-example1")["time"] == Measure("min", unit="s")


def test_pnn_has_complexity_better_when_lower() -> None:
    results = load_example("pnn")
    assert results["complexity"].direction == "min"
    # Listed the other way round, the new method wins three times on both.
    swapped = results.sel(algorithms=["State of art", "New"]).oriented()
    better = swapped[:, 1] > swapped[:, 0]
    assert better.tolist() == [[True, True], [True, False], [True, True], [True, True]]


def test_an_unknown_example_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BayescompareError, match=r"'jansen'.*jansen-uci.*pnn.*mean 'jansen-uci'"):
        load_example("jansen")
