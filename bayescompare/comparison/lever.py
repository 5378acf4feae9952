"""`Lever`: what makes the prior of an answer weaker or stronger, and the answer then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.method import Method, Sampling

if TYPE_CHECKING:
    from bayescompare.comparison.answer import Answer
    from bayescompare.table.results import Results

__all__ = ["POWER", "Lever", "option_lever"]

#: What the density of a prior is raised to, where it has no weight of its own.
POWER = "power"

#: From a tenth of the weight to ten times it.
_FACTORS = np.geomspace(0.1, 10.0, 21)


@dataclass(frozen=True)
class Lever:
    """How the prior of an answer is varied.

    Attributes
    ----------
    name : str
        The option that weighs the prior, or "power".
    probabilities : callable
        From a value of it to P of each statement with that prior.
    usual : array
        The values that are tried unless others are asked for.
    bounded : bool
        Whether its values are weights in datasets, for which `Method.prior_bounds` has bounds.
    """

    name: str
    probabilities: Callable[[float], Mapping[str, float]]
    usual: FloatArray | Sequence[float] = tuple(_FACTORS.tolist())
    bounded: bool = False

    @classmethod
    def of_answers(cls, name: str, answer: Callable[[float], Answer], **more: Any) -> Lever:
        """Make one of a function that gives the whole answer."""

        def probabilities(value: float) -> dict[str, float]:
            found = answer(value)
            assert found.probability is not None
            return dict(zip(found.labels, map(float, found.probability), strict=True))

        return cls(name, probabilities, **more)


def option_lever(method: Method, results: Results) -> Lever | None:
    """Return the lever that is the option `prior_weight` of a method; None where it has none."""
    option = method.prior_weight
    if option is None or method.needs_mcmc:
        return None

    def answer(value: float) -> Answer:
        weighed = _method_weighed_by_lever(method, option, value)
        return weighed.answer(results, Sampling(np.random.default_rng(0), seed=0))

    return Lever.of_answers(option, answer, bounded=True)


def _method_weighed_by_lever(method: Method, option: str, value: float) -> Method:
    """The method with a prior of another weight, whichever way its own was specified."""
    base: Any = method.unlearned()
    rest = {k: v for k, v in (getattr(base, "priors", None) or {}).items() if k != option}
    try:
        weighed: Method = replace(base, **{option: value}, priors=rest or None)
    except BayescompareError as error:
        raise BayescompareError(
            f"sensitivity: the weight of this prior cannot be varied by {option}: {error}"
        ) from None
    return weighed
