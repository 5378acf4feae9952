"""Simulations in which the truth is known."""

from __future__ import annotations

from bayescompare._parallel import use_dask
from bayescompare.studies.context import calibration, calibration_curve
from bayescompare.studies.decisions import Scenario, decision_study, simulate_table
from bayescompare.studies.dominance import DOMINANCES, false_alarms, simulated_classifiers
from bayescompare.studies.engine import Study
from bayescompare.studies.gates import gate_study
from bayescompare.studies.noise import noise_study
from bayescompare.studies.ranking import ranking_study
from bayescompare.studies.replicated import NoisyTables, claim_rates, replicated_study
from bayescompare.studies.sbc import SBC, calibrated_by_sbc, sbc
from bayescompare.studies.sbc_nuts import sbc_model
from bayescompare.studies.success import auc, success_curves, success_errors, success_study
from bayescompare.studies.which_test import which_test_study, which_test_summary

__all__ = [
    "CALIBRATED",
    "DOMINANCES",
    "SBC",
    "NoisyTables",
    "Scenario",
    "Study",
    "auc",
    "calibration",
    "calibration_curve",
    "claim_rates",
    "decision_study",
    "false_alarms",
    "gate_study",
    "noise_study",
    "ranking_study",
    "replicated_study",
    "sbc",
    "sbc_model",
    "simulate_table",
    "simulated_classifiers",
    "success_curves",
    "success_errors",
    "success_study",
    "use_dask",
    "which_test_study",
    "which_test_summary",
]


def __getattr__(name: str) -> tuple[str, ...]:
    """Return ``CALIBRATED``, the currently registered methods that can be calibrated."""
    if name == "CALIBRATED":
        return tuple(calibrated_by_sbc())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
