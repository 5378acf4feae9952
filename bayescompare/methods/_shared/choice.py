"""One of several values by a random number, in the PyMC models."""

from __future__ import annotations

from typing import Any

__all__ = ["pick_shared_by_weight", "pick_shared_choice"]


def pick_shared_choice(values: Any, index: Any) -> Any:
    """Return ``values[index]`` along the first axis; an index beyond the end takes the last one.

    Sequential Monte Carlo evaluates the likelihood also where the prior is zero, and a plain index
    would raise there.
    """
    import pytensor.tensor as pt

    tensor = pt.as_tensor_variable(values)
    return tensor[pt.clip(index, 0, tensor.shape[0] - 1)]


def pick_shared_by_weight(name: str, log_weight: Any) -> Any:
    """Add a uniform variable to the model in context; return the index that it picks.

    The indices have probabilities in proportion to their weights. Where the density of the model
    is summed over them, this draws one given all the rest, without a discrete variable.
    """
    import pymc as pm
    import pytensor.tensor as pt

    share = pt.exp(log_weight - pm.math.logsumexp(log_weight)).cumsum()
    return (pm.Uniform(name) >= share[:-1]).sum()
