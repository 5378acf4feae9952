"""What is promised of `rank`'s intervals and of the gate, against what is realised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from reproduction.intervals import (
    DESIGNS,
    RankingDesign,
    gate_study,
    judge_candidates,
    ranking_study,
)


@pytest.mark.parametrize("choices", [{"effect": 0.0}, {"datasets": 4}])
def test_what_has_no_truth_is_refused(choices: dict[str, Any]) -> None:
    with pytest.raises(BayescompareError, match="needs an effect above 0 and at least 5"):
        RankingDesign(**choices)


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_places_and_top_sets_hold_what_they_state(design: RankingDesign) -> None:
    """SPEC 11, in every design but heavy tails by value; Rubin's and 0.1.0's sets are smaller."""
    study = ranking_study([design], tables=500, draws=1000, rng=0).set_index("bootstrap")
    now = study.loc["now"]
    assert now["place"] > 0.95
    assert now["top"] > 0.95 - 3 * now["mcse"]
    assert study["size"].is_monotonic_increasing
    assert (study["place"].drop("now") < now["place"]).all()


def test_a_ranking_study_has_its_shape() -> None:
    study = ranking_study(DESIGNS[:2], tables=4, draws=100, rng=0)
    assert study["bootstrap"].tolist() == ["Rubin", "0.1.0", "now"] * 2
    assert study[["place", "top", "best", "mcse"]].stack().between(0, 1).all()


def test_a_small_study_has_its_shape() -> None:
    study = gate_study([6, 9], laws=["normal"], tables=5, rng=0)
    assert study.index.names == ["differences", "datasets"]
    assert study.shape == (2, 5)
    assert study.drop(columns="mcse").stack().between(0, 1).all()


def verdict(advantage: np.ndarray, rope: float | None) -> str:
    """What the public door says of these differences."""
    n = len(advantage)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat(np.arange(n).astype(str), 2),
            "algorithm": ["new", "old"] * n,
            "score": np.stack([advantage, np.zeros(n)], axis=1).ravel(),
        }
    )
    results = bc.Results.from_frame(frame, measures={"score": bc.Measure("max", rope=rope)})
    return str(bc.gate(results, candidate="new", baseline="old", level=0.8).table["verdict"].item())


def test_the_study_judges_as_the_gate_does() -> None:
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(12):
        noise, other = rng.standard_normal((2, 6))
        errors = judge_candidates(noise, other, 0.5, 0.8)
        equal, passes = verdict(noise, None), ("superior", "not worse")
        expected = (
            equal == "superior",
            verdict(other - 0.5, 0.5) in passes,
            equal == "worse",
            verdict(other + 1.0, 0.5) in passes,
        )
        assert errors == expected
        seen |= {(k, error) for k, error in enumerate(errors)}
    assert len(seen) >= 7  # the cases show both answers to nearly every question


@pytest.mark.slow
def test_symmetric_differences_keep_the_stated_rate() -> None:
    study = gate_study([5, 10, 20], laws=["normal"], tables=2000, rng=1)
    wrong = study[["false_superior", "false_not_worse", "false_worse"]]
    assert (wrong <= 0.05 + 4 * study["mcse"].max()).all(axis=None)
    # And are not so cautious that nothing is ever found.
    assert study.loc[("normal", 20), "passed"] > 0.95
