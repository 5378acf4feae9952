"""Simulations in which the truth is known."""

from __future__ import annotations

from bayescompare._parallel import use_dask
from bayescompare.studies.recovery import recovery
from bayescompare.studies.sbc import SBC, calibrated_by_sbc, sbc
from bayescompare.studies.sbc_nuts import sbc_model
from bayescompare.studies.study import Study
from bayescompare.studies.success import auc, success_curves, success_errors

__all__ = [
    "CALIBRATED",
    "SBC",
    "Study",
    "auc",
    "recovery",
    "sbc",
    "sbc_model",
    "success_curves",
    "success_errors",
    "use_dask",
]


def __getattr__(name: str) -> tuple[str, ...]:
    """Return ``CALIBRATED``, the methods that `sbc` calibrates without a table."""
    if name == "CALIBRATED":
        return tuple(calibrated_by_sbc())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
