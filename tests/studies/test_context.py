"""The study of calibration in a context."""

from __future__ import annotations

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.studies import calibration, calibration_curve


def test_the_full_model_is_calibrated_and_the_formula_cautious() -> None:
    simulated = calibration(simulations=4000, datasets=15, discordant=8, rng=5)
    joint = calibration_curve(simulated["joint"], simulated["truth"], bins=5)
    spread = np.sqrt(joint["stated"] * (1 - joint["stated"]) / joint["n"])
    assert (abs(joint["true"] - joint["stated"]) < 4 * spread).all()
    cut = calibration_curve(simulated["cut"], simulated["truth"], bins=5)
    # Surely more often true than stated above ½, and less often below.
    assert cut["true"].iloc[-2] > cut["stated"].iloc[-2] + 2 * spread.iloc[-2]
    assert cut["true"].iloc[1] < cut["stated"].iloc[1] - 2 * spread.iloc[1]


def test_a_study_of_nothing_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="datasets=0"):
        calibration(datasets=0)
