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
from numbers import Real
from typing import Any

from bayescompare._errors import BayescompareError, closest
from bayescompare.methods.base import Parameter

__all__ = ["Priors", "SavedPrior", "check_priors", "describe_prior", "is_number", "place"]

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


def is_number(value: object) -> bool:
    """Whether a prior's value is a plain number, which leaves the model conjugate."""
    return isinstance(value, Real) and not isinstance(value, bool)


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
    if model.named_vars.get(name) is None:
        if made is None or not hasattr(made, "owner"):
            raise BayescompareError(
                f"priors[{name!r}]: the function registered no variable {name!r} and returned "
                f"{made!r}; call e.g. pm.Gamma(name, 2, 1, dims=dims) in it and return that."
            )
        return pm.Deterministic(name, made, dims=dims[: made.ndim] or None)
    return model.named_vars[name]


def describe_prior(value: Any) -> str:
    """Name a prior's value for attributes and saved files, where the object cannot go.

    Examples
    --------
    >>> describe_prior(2)
    '2'
    """
    if is_number(value):
        return f"{value:g}"
    owner = getattr(value, "owner", None)
    if owner is not None:
        name = getattr(owner.op, "_print_name", (type(owner.op).__name__,))[0]
        parameters = (_constant(v) for v in owner.op.dist_params(owner))
        return f"{name}({', '.join(parameters)})"
    return str(getattr(value, "__qualname__", value))


def _constant(variable: Any) -> str:
    data = getattr(variable, "data", None)
    return "…" if data is None or data.size > 4 else str(data.tolist())


def _placer(value: object) -> Callable[[str, tuple[str, ...]], Any] | None:
    """Find how this kind of value becomes a variable; None when it is of no known kind."""
    if hasattr(value, "owner") and hasattr(value, "eval"):
        return lambda name, dims: _register(value, name, dims)
    if hasattr(value, "create_variable"):
        return lambda name, dims: value.create_variable(name)
    if hasattr(value, "to_pymc"):
        return lambda name, dims: value.to_pymc(name)
    if callable(value):
        return lambda name, dims: value(name, dims)
    return None


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
    copy = clone_replace([rv], rebuild_strict=False)[0]
    model = pm.modelcontext(None)
    return model.register_rv(copy, name, dims=dims if rv.ndim == len(dims) and dims else None)
