"""One way to read ``rng=``."""

from __future__ import annotations

import numpy as np

from bayescompare._checks import show_checked_value
from bayescompare._errors import BayescompareError

__all__ = ["Rng", "as_rng"]

Rng = int | np.random.Generator | None


def as_rng(rng: Rng) -> tuple[np.random.Generator, int | None]:
    """Return a Generator, and the seed to record (None if the caller passed a Generator).

    Without a seed a fresh one is drawn and returned, so that every answer can be reproduced.

    Examples
    --------
    >>> as_rng(7)[1]
    7
    """
    if isinstance(rng, np.random.Generator):
        return rng, None
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    seed: object = rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BayescompareError(
            f"rng={show_checked_value(rng)}: give None, an integer >= 0 or a "
            "numpy.random.Generator."
        )
    return np.random.default_rng(int(seed)), int(seed)
