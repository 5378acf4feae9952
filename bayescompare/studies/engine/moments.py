"""Mean and standard error, block by block, so that no case need be kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescompare._typing import AnyArray, FloatArray

__all__ = ["StudyMoments"]


@dataclass(frozen=True)
class StudyMoments:
    """Number, mean and sum of squared deviations; a case that is NaN does not count.

    Examples
    --------
    >>> both = StudyMoments.of(np.array([1.0, 2.0])).add(StudyMoments.of(np.array([6.0, np.nan])))
    >>> both.statistics().round(3).tolist()
    [3.0, 1.528, 3.0]
    """

    n: FloatArray
    mean: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, cases: AnyArray) -> StudyMoments:
        """Return the moments of an array (case, ...)."""
        values = np.asarray(cases, dtype=np.float64)
        seen = ~np.isnan(values)
        n = seen.sum(axis=0).astype(np.float64)
        mean = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(n, 1.0)
        squares = (np.where(seen, values - mean, 0.0) ** 2).sum(axis=0)
        return cls(n, mean, squares)

    def add(self, other: StudyMoments) -> StudyMoments:
        """Return the moments of both together (Chan, Golub & LeVeque 1979)."""
        n = self.n + other.n
        total = np.maximum(n, 1.0)
        gap = other.mean - self.mean
        squares = self.squares + other.squares + gap**2 * self.n * other.n / total
        return StudyMoments(n, self.mean + gap * other.n / total, squares)

    def statistics(self) -> FloatArray:
        """Return mean, standard error of the mean and number: array (3, ...)."""
        mean = np.where(self.n > 0, self.mean, np.nan)
        variance = self.squares / np.maximum(self.n - 1.0, 1.0)
        mcse = np.where(self.n > 1, np.sqrt(variance / np.maximum(self.n, 1.0)), np.nan)
        return np.stack([mean, mcse, self.n])
