"""Simulations and reproductions of the papers: what the tests do when the truth is known."""

from __future__ import annotations

from bayescompare.studies.context import calibration, calibration_curve
from bayescompare.studies.dominance import DOMINANCES, false_alarms, simulated_classifiers
from bayescompare.studies.sbc import SBC, sbc
from bayescompare.studies.sbc_nuts import sbc_model

__all__ = [
    "DOMINANCES",
    "SBC",
    "calibration",
    "calibration_curve",
    "false_alarms",
    "sbc",
    "sbc_model",
    "simulated_classifiers",
]
