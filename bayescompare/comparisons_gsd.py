"""The name under which `GsdComparison` was once found; `bayescompare.comparisons` has all types."""

from __future__ import annotations

from bayescompare.comparisons import GsdComparison

__all__ = ["GsdComparison"]
