"""The log density of a prior that is one distribution and nothing else, for quadrature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.methods._shared.priors import draw_prior, place_shared_prior

__all__ = ["drawn_from_shared_prior", "shared_log_density_of"]


def shared_log_density_of(name: str, value: Any) -> Callable[[FloatArray], FloatArray] | None:
    """Compile the log density of a scalar prior; None where it is not one continuous density."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.pytensorf import compile as compile_

    try:
        with pm.Model() as model:
            placed = place_shared_prior(name, value, ())
    except BayescompareError:
        # Not one density; the model will say what is wrong, if anything is.
        return None
    if model.free_RVs != [placed] or placed.ndim or model.potentials:
        return None
    if not placed.dtype.startswith("float"):
        return None
    x = pt.vector("x")
    # A density may refuse a value that another density of the same family takes.
    compiled: Callable[[FloatArray], FloatArray] = compile_([x], pm.logp(placed, x))

    def log_density(points: FloatArray) -> FloatArray:
        flat = np.asarray(points, dtype=np.float64)
        return np.asarray(compiled(flat.ravel())).reshape(flat.shape)

    return log_density


def drawn_from_shared_prior(name: str, value: Any, draws: int) -> FloatArray:
    """Draw from a scalar prior, the same numbers at every call."""
    import pymc as pm

    with pm.Model():
        return draw_prior(name, place_shared_prior(name, value, ()), draws)
