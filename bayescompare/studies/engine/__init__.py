"""A study: a grid of scenarios, replications of each, and a pure function of one case.

The same study runs in one process, on all cores, on a Dask cluster or on Ray, and gives the same
table, bit for bit. With a store it can be killed at any time and resumed, and many processes can
work on it together.
"""

from __future__ import annotations

from bayescompare.studies.engine.study import Study
from bayescompare.studies.engine.table import without_failed_cases

__all__ = ["Study", "without_failed_cases"]
