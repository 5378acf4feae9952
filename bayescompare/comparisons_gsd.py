"""The name under which `GsdComparison` was once found; `bayescompare.comparisons` has all types."""

from __future__ import annotations

from bayescompare.methods.gsd.comparison import GsdComparison

__all__ = ["GsdComparison"]
