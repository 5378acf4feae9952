"""One way to read ``rng=``."""

from __future__ import annotations

import numpy as np

from bayescompare._checks import show_checked_value
from bayescompare._errors import BayescompareError

Rng = int | np.random.Generator | None


def as_rng(rng: Rng, *, default: int | None = None) -> tuple[np.random.Generator, int | None]:
    """Return a Generator, and the seed to record (None if the caller passed a Generator).

    Without a seed `default` is taken. Answers have the default 0, so that one question has one
    answer; draws, predictions and studies have none, and get a fresh seed, which is returned.

    Examples
    --------
    >>> as_rng(7)[1], as_rng(None, default=0)[1]
    (7, 0)
    """
    if isinstance(rng, np.random.Generator):
        return rng, None
    rng = default if rng is None else rng
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    seed: object = rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BayescompareError(
            f"rng={show_checked_value(rng)}: give None, an integer >= 0 or a "
            "numpy.random.Generator."
        )
    return np.random.default_rng(int(seed)), int(seed)
