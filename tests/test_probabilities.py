"""Every probability lies in [0, 1], to the last digit, in every answer and file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bayescompare as bc
from tests.tables import table

#: What a probability is called in files.
NAMES = {
    *("probability", "alone", "lowest", "highest", "lower", "upper", "unobserved", "none_leads"),
    *("theta_mean", "theta_lower", "theta_upper", "front", "ahead", "share"),
    *("most probable", "beats opposite", "majority", "expected"),
    *("p_best", "p_better", "p_not_worse"),
}


def board(algorithms: int = 30, datasets: int = 100, measures: int = 2) -> bc.Results:
    """A table of algorithms that differ by a standard deviation of the noise."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=(algorithms, measures))
    names = [f"a{k}" for k in range(algorithms)]
    return table(level + rng.normal(size=(datasets, algorithms, measures)), names=names)


def probabilities(document: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a document that stand under the name of a probability."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key != "results":
                yield from probabilities(value, str(key))
    elif isinstance(document, list):
        for value in document:
            yield from probabilities(value, name)
    elif isinstance(document, float) and name in NAMES:
        yield name, document


def check(text: str, least: int, besides: tuple[str, ...] = ()) -> None:
    """Check every probability of a document, of which there are some."""
    found = [(name, p) for name, p in probabilities(json.loads(text)) if name not in besides]
    assert len(found) >= least
    assert not [(name, p) for name, p in found if not 0.0 <= p <= 1.0]


@pytest.fixture(scope="module")
def pairs() -> bc.Pairwise:
    return bc.pairwise(board(), n_jobs=1)


def test_all_pairs_of_thirty_algorithms(pairs: bc.Pairwise) -> None:
    decided = pairs.decide()
    assert len(decided) == 435
    surest = pairs.matrix.values[~np.isnan(pairs.matrix.values)]
    for figures in (decided["probability"], decided["alone"], surest, pairs.best_probability):
        p = np.asarray(figures, dtype=float)
        assert ((p[~np.isnan(p)] >= 0.0) & (p[~np.isnan(p)] <= 1.0)).all()
    for first, second in decided[["first", "second"]].head(3).to_numpy().tolist():
        check(pairs[first, second].to_json(), 20)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("dirichlet", {}),
        (bc.methods.Dirichlet(prior="imprecise"), {}),
        (bc.methods.Dirichlet(prior="jeffreys"), {}),
        ("network", {}),
        ("dirichlet", {"missing": "ignore"}),
        ("dirichlet", {"missing": "bounds"}),
        ("dirichlet", {"missing": "worst"}),
    ],
    ids=str,
)
def test_clear_answers_of_two(method: Any, options: Any) -> None:
    rng = np.random.default_rng(1)
    for n, gap in ((20, 5.0), (60, 2.0), (60, 5.0)):
        values = rng.normal(size=(n, 2, 2)) + np.array([[gap], [0.0]])
        if options:
            values[0, 0, 0] = np.nan
        check(bc.compare(table(values), method=method, **options).to_json(), 8)


def test_a_board_and_a_gate() -> None:
    results = board(6, 30)
    ends = ("lower", "upper")  # of places, and of differences
    check(bc.rank(results, utility="unknown", draws=300).to_json(), 48, ends)
    first, second = results.algorithms[:2]
    check(bc.gate(results, candidate=first, baseline=second).to_json(), 2, ends)


@given(
    st.lists(st.floats(-3.0, 3.0).map(lambda x: round(x, 2)), min_size=5, max_size=30),
    st.sampled_from([None, 0.1]),
)
@settings(max_examples=10, deadline=None)
def test_any_differences(differences: list[float], rope: float | None) -> None:
    assume(any(differences))
    values = np.stack([np.array(differences) + 5.0, np.full(len(differences), 5.0)], axis=1)
    results = table(values[:, :, None] + np.zeros(2), rope=rope)
    check(bc.compare(results).to_json(), 4)
    check(bc.gate(results, candidate="A", baseline="B").to_json(), 0, ("lower", "upper"))


def test_rounding_is_clipped_and_more_is_an_error() -> None:
    from bayescompare.kernels.numerics.intervals import as_probability

    p = np.array([-1e-13, 0.3, np.nan, 1.0 + 9e-13])
    np.testing.assert_array_equal(as_probability(p), [0.0, 0.3, np.nan, 1.0])
    for wrong in (1.0 + 2e-12, -2e-12):
        with pytest.raises(ArithmeticError, match=r"outside \[0, 1\] by 2e-12: please report"):
            as_probability(np.array([0.5, wrong]))


def test_a_file_of_the_first_version_is_clipped(tmp_path: Any) -> None:
    document = json.loads(bc.compare(board(2, 40)).to_json())
    top = max(document["statements"], key=lambda row: row["probability"])
    top["probability"] = document["figures"]["most probable"] = 1.0 + 3.3e-15
    for row in document["statements"]:
        row["probability"] = row["probability"] if row is top else 0.0
    (tmp_path / "c.json").write_text(json.dumps(document), encoding="utf-8")
    loaded = bc.load_comparison(tmp_path / "c.json")
    assert float(loaded.probability.max()) == 1.0
    check(loaded.to_json(), 8)
