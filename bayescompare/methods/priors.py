"""The one route by which a user's own prior enters a built-in model: ``priors={name: value}``.

A value is a number, an unregistered PyMC distribution (``pm.Gamma.dist(2, 1)``), an object with
``create_variable(name)`` (pymc-extras) or ``to_pymc(name)`` (PreliZ), or a callable
``f(name, dims)`` that is run inside the model. Methods call `check_priors` once and `place` for
each of their parameters; nothing else in the package looks at what a value is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError, closest
from bayescompare.methods.base import Parameter

__all__ = [
    "Priors",
    "SavedPrior",
    "check_priors",
    "check_range",
    "constant_dirichlet",
    "describe_prior",
    "is_number",
    "place",
    "prior_options",
]

FloatArray = NDArray[np.float64]
Priors = Mapping[str, Any]


@dataclass(frozen=True)
class SavedPrior:
    """A prior read back from a file, which holds its name but cannot hold the object."""

    text: str

    def __str__(self) -> str:
        return self.text

    def to_pymc(self, name: str) -> Any:
        """Refuse: the model must be given its prior again."""
        raise BayescompareError(
            f"priors[{name!r}] was saved by name only ({self.text}): to build the model again, "
            "call compare() on the loaded results with the prior itself."
        )


def check_priors(priors: Priors | None, parameters: Sequence[Parameter]) -> None:
    """Check names and kinds of values before anything is built."""
    if priors is None:
        return
    if not isinstance(priors, Mapping):
        raise BayescompareError(
            f"priors={priors!r}: give a mapping {{name: value}}; names here: "
            f"{', '.join(p.name for p in parameters)}."
        )
    known = [p.name for p in parameters]
    for name, value in priors.items():
        if name not in known:
            raise BayescompareError(
                f"priors[{name!r}]: no such parameter; names here: {', '.join(known)}."
                f"{closest(str(name), known)}"
            )
        if is_number(value):
            if not (math.isfinite(value) and value > 0):
                raise BayescompareError(f"priors[{name!r}]={value!r}: must be finite and > 0.")
        elif _placer(value) is None:
            raise BayescompareError(
                f"priors[{name!r}]={value!r}: give a number, an unregistered PyMC distribution "
                "such as pm.Gamma.dist(2, 1), a pymc-extras Prior, a PreliZ distribution, or a "
                "function f(name, dims)."
            )


def place(name: str, value: Any, dims: tuple[str, ...]) -> Any:
    """Register a prior's value as the variable `name` of the model in context.

    Parameters
    ----------
    name : str
    value : number, distribution, object or callable
        As described above.
    dims : tuple of str
        The parameter's dims; a value with fewer dimensions is left to broadcast.

    Returns
    -------
    tensor
        A PyTensor variable, or a float for a number.
    """
    import pymc as pm

    if is_number(value):
        return float(value)
    placer = _placer(value)
    assert placer is not None, "check_priors() runs before place()"
    model = pm.modelcontext(None)
    made = placer(name, dims)
    if name in model.named_vars:
        return model.named_vars[name]
    if getattr(made, "owner", None) is None:
        raise BayescompareError(
            f"priors[{name!r}]: the function registered no variable {name!r} and returned "
            f"{made!r}; call e.g. pm.Gamma(name, 2, 1, dims=dims) in it and return that."
        )
    if getattr(made, "name", None) in model.named_vars:
        raise BayescompareError(
            f"priors[{name!r}]: the function registered {made.name!r}; it must use the name it is "
            f"given, {name!r}."
        )
    if _is_distribution(made):
        return _register(made, name, dims)
    return pm.Deterministic(name, made, dims=dims if made.ndim == len(dims) else None)


def check_range(name: str, value: Any, low: float, high: float) -> None:
    """Refuse a prior that is not on a parameter's range, by drawing from it."""
    import pymc as pm

    with pm.Model():
        placed = place(name, value, ())
        drawn = np.asarray(pm.draw(placed, 4000, random_seed=0))
    outside = float(((drawn < low) | (drawn > high)).mean())
    if outside:
        where = f"above {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise BayescompareError(
            f"priors[{name!r}] has about {outside:.2g} of its mass outside the range: {name} lies "
            f"{where}; give a distribution there, such as pm.Beta.dist(2, 2) or a truncated one."
        )


def constant_dirichlet(value: Any) -> FloatArray | None:
    """Return the parameters of ``pm.Dirichlet.dist(a)`` with fixed a, which stays conjugate."""
    if not _is_distribution(value) or _op_name(value) != "Dirichlet":
        return None
    (alpha,) = _parameters(value)
    return None if alpha is None else np.asarray(alpha, dtype=np.float64)


def describe_prior(value: Any) -> str:
    """Name a prior's value for attributes and saved files, where the object cannot go.

    Examples
    --------
    >>> describe_prior(2)
    '2'
    """
    if is_number(value):
        return f"{value:g}"
    if _is_distribution(value):
        kept = _as_written(_op_name(value), _parameters(value))
        return f"{_op_name(value)}({', '.join(map(_shown, kept))})"
    return str(getattr(value, "__qualname__", value))


def prior_options(priors: Priors | None) -> dict[str, Any] | None:
    """Name the priors given, for attributes and files; numbers stay numbers."""
    if not priors:
        return None
    return {
        name: value if is_number(value) else describe_prior(value) for name, value in priors.items()
    }


def _is_distribution(value: Any) -> bool:
    """Whether this is a PyMC random variable; asking must not import PyMC."""
    return hasattr(getattr(getattr(value, "owner", None), "op", None), "dist_params")


def _op_name(rv: Any) -> str:
    return str(getattr(rv.owner.op, "_print_name", (type(rv.owner.op).__name__,))[0])


def _parameters(rv: Any) -> list[NDArray[Any] | None]:
    """Values of a distribution's parameters, None where they are random themselves."""
    from pymc.pytensorf import constant_fold

    folded = constant_fold(rv.owner.op.dist_params(rv.owner), raise_not_constant=False)
    return [value if isinstance(value, np.ndarray) else None for value in folded]


def _as_written(name: str, parameters: list[NDArray[Any] | None]) -> list[NDArray[Any] | None]:
    """The parameters as users give them: PyMC keeps a scale for a rate, and a location of none."""
    if name in ("Gamma", "Exponential") and parameters[-1] is not None:
        rate = np.asarray(1.0 / parameters[-1])
        # Turned over twice, a decimal is a decimal but for its last digit.
        return [*parameters[:-1], np.asarray(np.round(rate, 12))]
    first = parameters[0]
    if name in ("HalfNormal", "HalfCauchy") and first is not None and not first.any():
        return parameters[1:]
    return parameters


def _shown(parameter: NDArray[Any] | None) -> str:
    return "…" if parameter is None or parameter.size > 8 else f"{parameter.tolist()}"


def _placer(value: object) -> Callable[[str, tuple[str, ...]], Any] | None:
    """Find how this kind of value becomes a variable; None when it is of no known kind."""
    if _is_distribution(value):
        return lambda name, dims: _register(value, name, dims)
    if hasattr(value, "create_variable"):
        return lambda name, dims: value.create_variable(name)
    if hasattr(value, "to_pymc"):
        return lambda name, dims: value.to_pymc(name)
    if callable(value):
        return lambda name, dims: value(name, dims)
    return None


def _check_not_nested(rv: Any, name: str) -> None:
    """Refuse a distribution inside another, which no model would know of."""
    from pytensor.graph.traversal import ancestors

    inner = [v for v in ancestors([rv]) if v is not rv and _is_distribution(v)]
    if inner:
        raise BayescompareError(
            f"priors[{name!r}] is {_op_name(rv)} with another distribution ({_op_name(inner[0])}) "
            "inside: register both in a function f(name, dims)."
        )


def _register(rv: Any, name: str, dims: tuple[str, ...]) -> Any:
    """Register a copy of an unregistered distribution; registering names and marks the original.

    The original stays free for the next model, so one `priors` mapping serves many comparisons.
    """
    import pymc as pm
    from pytensor.graph.replace import clone_replace

    if rv.ndim > len(dims):
        raise BayescompareError(
            f"priors[{name!r}] has {rv.ndim} dimension(s), but {name!r} has dims {dims}."
        )
    _check_not_nested(rv, name)
    # Parameters typed as 2 or 0.5 would be taken for single precision, and their logs too.
    parameters = rv.owner.op.dist_params(rv.owner) if rv.dtype.startswith("float") else ()
    doubled = {p: p.astype("float64") for p in parameters if str(p.dtype) != "float64"}
    copy = clone_replace([rv], replace=doubled or None, rebuild_strict=False)[0]
    model = pm.modelcontext(None)
    return model.register_rv(copy, name, dims=dims if rv.ndim == len(dims) and dims else None)
