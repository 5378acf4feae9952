"""What is promised of `rank`'s intervals and of the gate, against what is realised."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from reproduction.intervals import gate_study, judge_candidates, ranking_study
from reproduction.verdicts import Scenario


@pytest.mark.parametrize("scenario", [Scenario(), Scenario(effect=1.0, datasets=4)])
def test_what_has_no_truth_is_refused(scenario: Scenario) -> None:
    with pytest.raises(BayescompareError, match="needs one measure"):
        ranking_study([scenario], tables=1)


@pytest.mark.slow
def test_the_widened_bootstrap_holds_its_level_and_rubins_does_not() -> None:
    """2,000 tables each; the specification's figures are .92, .95 and .95 against .81, .90, .93."""
    scenarios = [Scenario(effect=0.5, datasets=n) for n in (5, 10, 20)]
    study = ranking_study(scenarios, rng=0).set_index(["bootstrap", "datasets"])
    for n, rubin, widened in ((5, 0.81, 0.92), (10, 0.90, 0.95), (20, 0.93, 0.95)):
        assert study["mean"].loc[("Rubin", n)] == pytest.approx(rubin, abs=0.02)
        assert study["mean"].loc[("widened", n)] == pytest.approx(widened, abs=0.02)
        assert study["place"].loc[("widened", n)] > study["place"].loc[("Rubin", n)]
    assert (study["place"].loc["widened"] > 0.93).all()
    assert study["top"].loc[("widened", 10)] > 0.93
    assert study["top"].loc[("widened", 20)] > 0.93


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
