"""The guard of methods that learn nothing: both must name the same; who is guarded; files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.methods import (
    GSDBootstrap,
    Network,
    SignedRank,
    Wilcoxon,
)
from tests.tables import table

QUICK = SignedRank(draws=2000)


def board(m: int = 1, *, seed: int = 0, n: int = 20, l: int = 5) -> bc.Results:
    rng = np.random.default_rng(seed)
    return table(rng.normal(size=(n, l, m)) - 0.5 * np.arange(l)[:, None])


@pytest.mark.parametrize(("method", "m"), [(QUICK, 1), (Network(), 2)])
def test_a_verdict_needs_the_same_statement_from_the_learned_test(method: Any, m: int) -> None:
    results = board(m)
    keys = ["first", "second"]
    plain = bc.pairwise(results, method=method, guard=False, n_jobs=1).decide().set_index(keys)
    law = bc.pairwise(results, n_jobs=1).decide().set_index(keys).loc[plain.index]
    both = plain["asserted"] & law["asserted"] & (plain["statement"] == law["statement"])
    p = bc.pairwise(results, method=method, n_jobs=1)
    found = p.decide().set_index(keys).loc[plain.index]
    pd.testing.assert_series_equal(found["asserted"], both, check_names=False)
    assert (found.loc[plain["asserted"] & ~both, "decision"] == "open").all()
    assert both.any()
    same = plain["statement"] == law["statement"]
    least = law[["probability", "alone", "parts"]].min(axis=1)
    pd.testing.assert_series_equal(found["guard"], least.where(same), check_names=False)
    # What is said of each measure is held as well.
    word, other = p.parts["word"], bc.pairwise(results, n_jobs=1).parts["word"]
    assert set(other[word == "better"]) == {"better"}
    assert "needs the Dirichlet test" in p.explain()
    assert (
        "some may reach a high P"
        in bc.pairwise(results, method=method, guard=False, n_jobs=1).explain()
    )


def test_a_dominance_is_better_on_every_measure_and_incomparable_is_never_asserted() -> None:
    results = board(2, n=12)
    decided = bc.pairwise(results, method=GSDBootstrap(resamples=400), n_jobs=1, rng=1).decide()
    law = bc.pairwise(results, n_jobs=1)
    for row in decided[decided["asserted"]].to_dict("records"):
        winner = row["statement"][0]
        assert law[row["first"], row["second"]].best == "|".join([row["statement"]] * 2)
        assert winner in (row["first"], row["second"])
    assert decided["asserted"].any()
    assert not decided.loc[decided["statement"].str.contains("~"), "asserted"].any()


@pytest.mark.parametrize(
    ("method", "algorithms"),
    [
        ("dirichlet", None),
        (bc.methods.Dirichlet(prior="symmetric"), None),
        (SignedRank(strength=1.0, draws=500), None),
        (Wilcoxon(), None),
        (QUICK, ["A", "B"]),
    ],
)
def test_who_is_not_guarded(method: Any, algorithms: Any) -> None:
    p = bc.pairwise(board(), method=method, algorithms=algorithms, n_jobs=1)
    assert p.guard is None
    assert "guard" not in p.decide()


def test_counts_of_errors_are_guarded_by_who_errs_less() -> None:
    rng = np.random.default_rng(0)
    right = rng.random((12, 4, 60)) < np.array([0.9, 0.8, 0.7, 0.7])[:, None]
    index = pd.MultiIndex.from_product(
        [range(12), list("ABCD"), range(60)], names=["dataset", "algorithm", "example"]
    )
    frame = pd.DataFrame({"correct": right.ravel()}, index).reset_index().astype({"dataset": str})
    counts = bc.ErrorCounts.from_predictions(frame, correct="correct")
    p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1)
    assert p.guard is not None
    assert p.guard.pairs == tuple(p.figures.pairs)
    assert bc.pairwise(counts, method="poisson-binomial", n_jobs=1, reference="A").guard is not None


def test_noise_names_a_winner_in_few_tables_only() -> None:
    """The docs page has .45 without a guard and .025 with it; 25 tables here."""
    plain = guarded = 0
    for seed in range(25):
        results = table(np.random.default_rng(seed).normal(size=(20, 5, 1)))
        p = bc.pairwise(results, method=QUICK, n_jobs=1)
        guarded += p.decide()["asserted"].any()
        free = bc.pairwise(results, method=QUICK, n_jobs=1, guard=False)
        plain += free.decide()["asserted"].any()
    assert plain > 6
    assert guarded <= 3


def test_files_keep_the_guard_and_older_ones_have_none(tmp_path: Path) -> None:
    p = bc.pairwise(board(), method=QUICK, n_jobs=1)
    path = tmp_path / "p.json"
    document = json.loads(p.to_json(path))
    again = bc.load_pairwise(path)
    assert again.guard == p.guard
    pd.testing.assert_frame_equal(again.decide(), p.decide())
    pd.testing.assert_frame_equal(again.parts, p.parts)
    del document["guard"]
    path.write_text(json.dumps(document))
    assert bc.load_pairwise(path).guard is None


def test_what_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="guard='yes'"):
        bc.pairwise(board(), guard="yes")  # type: ignore[arg-type]
