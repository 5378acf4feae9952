"""Very many pairs at once: the figures are those of every pair by itself, made when asked for."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare import _pairwise
from bayescompare._errors import BayescompareError
from bayescompare.learned import Learned
from bayescompare.plots.critical import expected_ranks
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from tests.cases import few_quick
from tests.tables import table

MANY = "bayescompare._pairwise._MANY"


def both(results: Results, **options: Any) -> tuple[bc.Pairwise, bc.Pairwise]:
    """The pairs one by one, and at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MANY, 10**9)
        apart = bc.pairwise(results, n_jobs=1, **options)
        patch.setattr(MANY, 2)
        together = bc.pairwise(results, n_jobs=1, **options)
    assert apart.found is None
    assert together.found is not None
    return apart, together


def by_pair(p: bc.Pairwise) -> pd.DataFrame:
    return p.decide().set_index(["first", "second"]).sort_index()


def check_alike(apart: bc.Pairwise, together: bc.Pairwise) -> None:
    for name in ("matrix", "best_probability"):
        np.testing.assert_allclose(getattr(together, name), getattr(apart, name), atol=1e-12)
    np.testing.assert_array_equal(together.best, apart.best)
    pd.testing.assert_frame_equal(by_pair(together), by_pair(apart), rtol=0.0, atol=1e-12)
    # Of pairs that are equally sure rounding may list either first.
    running = [p.decide(fdr=0.1)["running_fdr"] for p in (together, apart)]
    np.testing.assert_allclose(*running, atol=1e-12)
    pd.testing.assert_frame_equal(together.summary(), apart.summary(), rtol=0.0, atol=1e-12)
    assert (together.learned is None) == (apart.learned is None)
    if isinstance(together.learned, Learned) and isinstance(apart.learned, Learned):
        for name in ("weights", "null", "lenders"):
            both = (getattr(p.learned, name).sort_index() for p in (together, apart))
            np.testing.assert_allclose(*both, atol=1e-11)
    assert together.skipped == apart.skipped
    assert together.reference == apart.reference


def noise(n: int, l: int, m: int, seed: int = 0) -> np.ndarray:
    lead = np.linspace(0.0, 1.5, l)[None, :, None]
    return np.random.default_rng(seed).normal(size=(n, l, m)).round(1) + lead.round(1)


def with_gaps(values: np.ndarray, share: float, seed: int = 0) -> np.ndarray:
    values[np.random.default_rng(seed).random(values.shape[:2]) < share] = np.nan
    return values


# ------------------------------------------------------------------------------ at once and apart


@pytest.mark.parametrize(
    ("m", "rope"),
    few_quick([(1, None), (3, None), (2, 0.2), (3, 0.2), (2, None), (1, 0.2)], 4, several=True),
)
def test_tables_with_ties_and_ropes(m: int, rope: float | None) -> None:
    """One measure to eight statements, 27 with a rope."""
    check_alike(*both(table(noise(8, 5, m, seed=m), rope=rope)))


def test_a_rope_on_some_of_the_measures() -> None:
    measures: dict[str, Any] = {"a": Measure("max", rope=0.2), "b": "min", "c": "max"}
    check_alike(*both(table(noise(8, 5, 3), measures=measures)))


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_each_pair_over_the_datasets_that_have_it(share: float) -> None:
    results = table(with_gaps(noise(6, 6, 2), share))
    apart, together = both(results, missing="drop")
    assert (together.summary()["datasets"] < 6).any()
    assert bool(apart.skipped) == (share > 0.5)
    check_alike(apart, together)


@pytest.mark.parametrize(
    "method",
    [
        bc.methods.Dirichlet(prior="symmetric"),
        bc.methods.Dirichlet(prior="jeffreys"),
        bc.methods.Dirichlet(prior=0.3),
        bc.methods.Dirichlet(priors={"strength": 3.0}),
    ],
    ids=lambda method: str(method.prior),
)
def test_every_prior_that_names_no_algorithm(method: Any) -> None:
    check_alike(*both(table(noise(7, 5, 2)), method=method))


def test_against_a_reference() -> None:
    apart, together = both(table(noise(9, 6, 2)), reference="C")
    assert len(together) == 5
    check_alike(apart, together)


@given(
    st.integers(0, 2**32),
    st.integers(2, 9),
    st.integers(3, 6),
    st.integers(1, 3),
    st.sampled_from([None, 0.0, 0.3]),
)
@settings(max_examples=6, deadline=None)
def test_any_small_table(seed: int, n: int, l: int, m: int, rope: float | None) -> None:
    values = np.random.default_rng(seed).normal(size=(n, l, m)).round(1)
    check_alike(*both(table(values, rope=rope)))


# ------------------------------------------------------------------------------- single comparisons


def test_a_comparison_asked_for_is_that_of_compare() -> None:
    results = table(with_gaps(noise(9, 4, 2), 0.1), rope=0.1)
    _, p = both(results, missing="drop")
    for pair in itertools.combinations(results.algorithms, 2):
        c = p[pair]
        again = bc.compare(results, method=c.method, algorithms=pair, missing="drop")
        assert c.results == again.results
        np.testing.assert_array_equal(c.probability, again.probability)
        assert c.decision == again.decision
        assert c.answer.log_evidence == again.answer.log_evidence


def test_pairs_are_a_sequence_and_each_is_one_object() -> None:
    apart, p = both(table(noise(6, 5, 2)))
    assert len(p) == len(list(p)) == 10
    assert p[0] is p.comparisons[0] is p["B", "A"]
    assert p[-1] is p[np.int64(9)] is p["D", "E"]
    assert [c.results for c in p.comparisons[2:4]] == [c.results for c in apart.comparisons[2:4]]
    assert p["A", "C"] in p
    assert ("C", "A") in p
    assert apart[0] not in p
    with pytest.raises(BayescompareError, match="no comparison at position 10: there are 10"):
        _ = p[10]
    with pytest.raises(IndexError):
        _ = p.comparisons[10]
    with pytest.raises(BayescompareError, match="no comparison of"):
        _ = p["A", "A"]


def test_no_comparison_is_made_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    results = table(noise(8, 7, 2))
    monkeypatch.setattr(MANY, 2)
    made: list[tuple[str, ...]] = []
    prepare = _pairwise.prepared

    def counted(*arguments: Any) -> Results:
        made.append(tuple(arguments[2]))
        return prepare(*arguments)

    monkeypatch.setattr(_pairwise, "prepared", counted)
    p = bc.pairwise(results)
    for read in (p.decide, p.summary, p.order, lambda: p.matrix, lambda: p.best, lambda: p.effects):
        read()
    p.decide(fdr=0.1)
    assert made == []
    _ = p["A", "D"]
    assert made == [("A", "D")]


def test_words_and_effects_are_those_of_single_comparisons() -> None:
    for gaps in (0.0, 0.1):
        apart, together = both(table(with_gaps(noise(8, 6, 2), gaps)), missing="drop")
        assert together.explain() == apart.explain()
        assert repr(together) == repr(apart)
        pd.testing.assert_frame_equal(together.effects, apart.effects)
        assert [tuple(t.notes) for t in together.tables] == [t.notes for t in apart.tables]


def test_ranks_in_pictures_are_those_of_single_comparisons() -> None:
    apart, together = both(table(noise(8, 5, 2), rope=0.2))
    for measure in apart.results.measures:
        np.testing.assert_allclose(
            expected_ranks(together, measure),
            expected_ranks(apart, measure),
            atol=1e-12,
        )


# --------------------------------------------------------------------------------- when it is not


def test_what_must_be_settled_pair_by_pair_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MANY, 2)
    values = noise(6, 4, 2)
    named = bc.methods.Dirichlet(prior={"B>A|*": 1.0, "*": 0.2})
    assert bc.pairwise(table(values), method=named, n_jobs=1).found is None
    assert bc.pairwise(table(values), method="glrt", n_jobs=1).found is None
    assert bc.pairwise(table(noise(5, 3, 9)), n_jobs=1).found is None  # 512 statements
    gaps = table(with_gaps(values, 0.1))
    assert bc.pairwise(gaps, missing="ignore", n_jobs=1).found is None


def test_missing_cells_are_refused_for_the_first_pair_that_has_any() -> None:
    values = noise(6, 5, 1)
    values[2, 3] = np.nan
    said = []
    for many in (10**9, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(MANY, many)
            with pytest.raises(BayescompareError, match="A against D") as error:
                bc.pairwise(table(values), n_jobs=1)
            said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.slow
def test_the_page_of_very_many_algorithms_is_small(tmp_path: Path) -> None:
    values = noise(6, 110, 1, seed=5)
    p = bc.pairwise(table(values, names=[f"a{k}" for k in range(110)]), n_jobs=1)
    assert p.found is not None
    page = p.report(tmp_path / "p.html").read_text(encoding="utf-8")
    assert len(page) < 2_000_000
    assert "Ranks and groups" not in page
    # None of the 5,995 comparisons was made, but those that the page shows.
    assert p.comparisons._made.cache_info().currsize < 60  # type: ignore[attr-defined]
