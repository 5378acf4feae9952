"""One way to read ``rng=``."""

from __future__ import annotations

import numpy as np

from bayescompare._checks import shown
from bayescompare._errors import BayescompareError

__all__ = ["Rng", "as_rng"]

Rng = int | np.random.Generator | None


def as_rng(rng: Rng) -> tuple[np.random.Generator, int | None]:
    """Return a Generator, and the seed to record (None for a Generator of the caller's).

    Without a seed a fresh one is drawn and returned, so that every answer can be had again.

    Examples
    --------
    >>> as_rng(7)[1]
    7
    """
    if isinstance(rng, np.random.Generator):
        return rng, None
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    given: object = rng
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
        raise BayescompareError(
            f"rng={shown(rng)}: give None, an integer >= 0 or a numpy.random.Generator."
        )
    return np.random.default_rng(int(given)), int(given)
