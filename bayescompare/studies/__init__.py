"""Simulations in which the truth is known."""

from __future__ import annotations

from bayescompare._parallel import use_dask
from bayescompare.studies.contexts import (
    auc,
    calibration,
    calibration_curve,
    success_curves,
    success_errors,
    success_study,
)
from bayescompare.studies.dominance import DOMINANCES, false_alarms, simulated_classifiers
from bayescompare.studies.sbc import SBC, calibrated_by_sbc, sbc
from bayescompare.studies.sbc_nuts import sbc_model
from bayescompare.studies.study import Study

__all__ = [
    "CALIBRATED",
    "DOMINANCES",
    "SBC",
    "Study",
    "auc",
    "calibration",
    "calibration_curve",
    "false_alarms",
    "sbc",
    "sbc_model",
    "simulated_classifiers",
    "success_curves",
    "success_errors",
    "success_study",
    "use_dask",
]


def __getattr__(name: str) -> tuple[str, ...]:
    """Return ``CALIBRATED``, the currently registered methods that can be calibrated."""
    if name == "CALIBRATED":
        return tuple(calibrated_by_sbc())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
