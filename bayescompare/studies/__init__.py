"""Simulations and reproductions of the papers: what the tests do when the truth is known."""

from __future__ import annotations

from bayescompare.studies.context import calibration, calibration_curve

__all__ = ["calibration", "calibration_curve"]
