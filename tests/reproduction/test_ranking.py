"""Coverage of the intervals and top sets of `rank`, stated against realised."""

from __future__ import annotations

import pytest

from bayescompare._errors import BayescompareError
from reproduction.intervals import ranking_study
from reproduction.verdicts import Scenario


def test_the_same_seed_gives_the_same_study_for_any_number_of_jobs() -> None:
    scenarios = [Scenario(effect=1.0, datasets=6)]
    one = ranking_study(scenarios, tables=60, draws=100, rng=3)
    two = ranking_study(scenarios, tables=60, draws=100, rng=3, n_jobs=2)
    assert one.equals(two)
    assert one["bootstrap"].tolist() == ["Rubin", "widened"]


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
