"""The one route by which a user's own prior enters a built-in model: ``priors={name: value}``.

A value is a number, an unregistered PyMC distribution (``pm.Gamma.dist(2, 1)``), an object with
``create_variable(name)`` (pymc-extras) or ``to_pymc(name)`` (PreliZ), or a callable
``f(name, dims)`` that is run inside the model; where a parameter says so also a vector of numbers,
or a mapping by statement. Methods call `check_priors` once, `place_shared_prior` for each of their
parameters, and `check_shared_prior_ranges` or `check_shared_prior_support` before they answer;
nothing but `prior_values` looks at what a value is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._checks import MOST_WEIGHT, check_positive, is_number
from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare._typing import FloatArray
from bayescompare.methods._shared.prior_values import (
    describe_prior,
    is_shared_distribution,
    is_shared_prior_fixed,
    is_shared_prior_valid,
    register_shared_prior_copy,
    shared_constant_dirichlet,
    shared_distribution_name,
    shared_fixed_vector,
    shared_prior_placer,
)
from bayescompare.outcome.method import Parameter
from bayescompare.text.numbers import setting_number_text, statistic_number_text

if TYPE_CHECKING:
    import pymc as pm

__all__ = [
    "Priors",
    "check_placed_shared_prior",
    "check_priors",
    "check_shared_prior_ranges",
    "check_shared_prior_support",
    "describe_prior",
    "draw_prior",
    "is_number",
    "is_shared_prior_fixed",
    "place_shared_prior",
    "prior_options",
    "shared_constant_dirichlet",
    "shared_fixed_vector",
]

Priors = Mapping[str, Any]

#: Draws by which a prior's support is checked: of a scalar, of a vector.
_DRAWS = 4000
_VECTOR_DRAWS = 1000
#: A probability vector sums to one within this.
_SUM = 1e-6
#: Distributions known to be on a range, whatever their parameters; they need no draws.
_ABOVE_ZERO = {"Beta", "Exponential", "Gamma", "HalfCauchy", "HalfNormal", "InverseGamma"}
_ON_SIMPLEX = {"Dirichlet", "StickBreakingWeights"}


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
                f"{did_you_mean(str(name), known)}"
            )
        _check_shared_prior_value(name, value, next(p for p in parameters if p.name == name))


def _check_shared_prior_value(name: str, value: Any, parameter: Parameter) -> None:
    if is_number(value) and parameter.simplex:
        raise BayescompareError(
            f"priors[{name!r}] is a number ({value!r}): it must be a probability vector; give a "
            "distribution such as pm.Dirichlet.dist([1, 1])."
        )
    if is_number(value):
        if not (math.isfinite(value) and parameter.low < value < parameter.high):
            above = (
                "" if math.isinf(parameter.low) else f" and > {setting_number_text(parameter.low)}"
            )
            below = (
                ""
                if math.isinf(parameter.high)
                else f" and < {setting_number_text(parameter.high)}"
            )
            raise BayescompareError(f"priors[{name!r}]={value!r}: must be finite{above}{below}.")
        if value > MOST_WEIGHT:
            check_positive(**{f"priors[{name!r}]": value})
    elif is_shared_prior_fixed(value):
        _check_shared_prior_fixed(name, value, parameter)
    elif isinstance(value, type):
        raise BayescompareError(
            f"priors[{name!r}] is the class {value.__name__}: give a distribution with its "
            "parameters, such as pm.Gamma.dist(2, 1)."
        )
    elif shared_prior_placer(value) is None:
        raise BayescompareError(
            f"priors[{name!r}]={value!r}: give a number, an unregistered PyMC distribution "
            "such as pm.Gamma.dist(2, 1), a pymc-extras Prior, a PreliZ distribution, or a "
            "function f(name, dims)."
        )


def _check_shared_prior_fixed(name: str, value: Any, parameter: Parameter) -> None:
    """Check a vector or a mapping, where the parameter takes one."""
    if not parameter.fixed_vector:
        raise BayescompareError(
            f"priors[{name!r}]={value!r}: a vector or mapping of numbers does not say what is to "
            "be learned; give one number, a distribution or a function f(name, dims)."
        )
    named = value if isinstance(value, Mapping) else dict(enumerate(value))
    if not named:
        raise BayescompareError(f"priors[{name!r}]={value!r}: it is empty.")
    for key, each in named.items():
        if not (is_number(each) and math.isfinite(each) and each > parameter.low):
            raise BayescompareError(
                f"priors[{name!r}][{key!r}]={each!r}: must be finite and > "
                f"{setting_number_text(parameter.low)}."
            )


def place_shared_prior(name: str, value: Any, dims: tuple[str, ...], *, each: bool = False) -> Any:
    """Register a prior's value as the variable `name` of the model in context.

    Parameters
    ----------
    name : str
    value : number, distribution, object or callable
        As described above.
    dims : tuple of str
        The parameter's dims; a value with fewer dimensions is left to broadcast.
    each : bool
        Whether such a value rather becomes one variable per element.

    Returns
    -------
    tensor
        A PyTensor variable, or a float for a number.
    """
    import pymc as pm

    if is_number(value):
        return float(value)
    model = pm.modelcontext(None)
    variable = _put_shared_prior(name, value, dims, each=each)
    if name in model.named_vars:
        _check_shared_prior_lengths(name, model.named_vars[name], dims)
        return model.named_vars[name]
    if getattr(variable, "owner", None) is None:
        raise BayescompareError(
            f"priors[{name!r}]: the function registered no variable {name!r} and returned "
            f"{variable!r}; call e.g. pm.Gamma(name, 2, 1, dims=dims) in it and return that."
        )
    if getattr(variable, "name", None) in model.named_vars:
        raise BayescompareError(
            f"priors[{name!r}]: the function registered {variable.name!r}; it must use the "
            f"name that it receives, {name!r}."
        )
    if is_shared_distribution(variable):
        return register_shared_prior_copy(variable, name, dims, each=each)
    return pm.Deterministic(name, variable, dims=dims if variable.ndim == len(dims) else None)


def _put_shared_prior(name: str, value: Any, dims: tuple[str, ...], *, each: bool) -> Any:
    """Let a value make its variable, and say in one line why it does not."""
    put = shared_prior_placer(value, each=each)
    assert put is not None, "check_priors() runs before place()"
    try:
        return put(name, dims)
    except BayescompareError:
        raise
    except Exception as error:
        kind = "the function" if callable(value) else f"{describe_prior(value)}"
        raise BayescompareError(
            f"priors[{name!r}]: {kind} failed as f(name={name!r}, dims={dims!r}) in the model: "
            f"{error_in_one_line(error)}"
        ) from error


def _check_shared_prior_lengths(name: str, placed: Any, dims: tuple[str, ...]) -> None:
    """Reject a variable whose length is not that of its dim."""
    import pymc as pm

    coords = pm.modelcontext(None).coords
    shape = placed.type.shape
    if len(shape) != len(dims):
        return
    for dim, length in zip(dims, shape, strict=True):
        labels = coords.get(dim)
        if labels is not None and length is not None and length != len(labels):
            raise BayescompareError(
                f"priors[{name!r}] has shape {shape}: it must have one element for each of the "
                f"{len(labels)} {dim}s; leave the shape out, or give {len(labels)}."
            )


def check_shared_prior_ranges(priors: Priors | None, parameters: Sequence[Parameter]) -> None:
    """Reject priors that leave their parameters' ranges, each placed in a model of its own."""
    import pymc as pm

    for parameter in parameters:
        value = (priors or {}).get(parameter.name)
        if value is None or is_shared_prior_fixed(value):
            continue
        with pm.Model():
            check_placed_shared_prior(parameter, place_shared_prior(parameter.name, value, ()))


def check_shared_prior_support(
    priors: Priors, parameters: Sequence[Parameter], model: pm.Model
) -> None:
    """Reject priors that leave their parameters' ranges, as they stand in the model built."""
    for parameter in parameters:
        if parameter.name in priors and not is_shared_prior_fixed(priors[parameter.name]):
            check_placed_shared_prior(parameter, model[parameter.name])


def check_placed_shared_prior(parameter: Parameter, placed: Any) -> None:
    """Reject a placed prior that is not where its parameter lies, by drawing from it."""
    _check_shared_prior_parameters(parameter.name, placed)
    if parameter.simplex and not placed.ndim:
        raise BayescompareError(
            f"priors[{parameter.name!r}] is one number at a time: it must be a probability vector; "
            "give a distribution such as pm.Dirichlet.dist([1, 1])."
        )
    unbounded = math.isinf(parameter.low) and math.isinf(parameter.high)
    if unbounded or _shared_prior_keeps_range(parameter, placed):
        return
    drawn = draw_prior(parameter.name, placed, _VECTOR_DRAWS if placed.ndim else _DRAWS)
    _check_shared_prior_draws(parameter, drawn)


def _check_shared_prior_parameters(name: str, placed: Any) -> None:
    """Reject a distribution above zero with parameters below it; drawing from it may not fail."""
    if not is_shared_distribution(placed):
        return
    known = shared_distribution_name(placed) in _ABOVE_ZERO | _ON_SIMPLEX
    if known and not is_shared_prior_valid(placed):
        raise BayescompareError(
            f"priors[{name!r}] is {describe_prior(placed)}: its parameters must be finite and "
            "above 0."
        )


def draw_prior(name: str, placed: Any, draws: int) -> FloatArray:
    """Draw from a placed prior, the same numbers at every call."""
    import pymc as pm

    try:
        with warnings.catch_warnings():
            # A distribution that numba has no code for is drawn by numpy.
            warnings.filterwarnings("ignore", message="Numba will use object mode")
            return np.asarray(pm.draw(placed, draws, random_seed=0), dtype=np.float64)
    except NotImplementedError:
        raise BayescompareError(
            f"priors[{name!r}] cannot be drawn from, as an improper prior cannot: give a "
            "proper one."
        ) from None
    except Exception as error:
        raise BayescompareError(
            f"priors[{name!r}] cannot be drawn from; check its parameters: "
            f"{error_in_one_line(error)}"
        ) from error


def _shared_prior_keeps_range(parameter: Parameter, placed: Any) -> bool:
    """Whether the kind of distribution says that it keeps to the range."""
    if not is_shared_distribution(placed):
        return False
    name = shared_distribution_name(placed)
    if parameter.simplex:
        return name in _ON_SIMPLEX
    if parameter.low != 0.0:
        return False
    return name == "Beta" or (math.isinf(parameter.high) and name in _ABOVE_ZERO)


def _check_shared_prior_draws(parameter: Parameter, drawn: FloatArray) -> None:
    name, low, high = parameter.name, parameter.low, parameter.high
    # Written so that NaN is outside.
    outside = float(1.0 - ((drawn >= low) & (drawn <= high)).mean())
    if outside:
        where = (
            f"above {setting_number_text(low)}"
            if math.isinf(high)
            else f"between {setting_number_text(low)} and {setting_number_text(high)}"
        )
        such = "pm.Gamma.dist(2, 1)" if math.isinf(high) else "pm.Beta.dist(2, 2)"
        if parameter.simplex:
            such = "pm.Dirichlet.dist(np.ones(4))"
        raise BayescompareError(
            f"priors[{name!r}] has about {statistic_number_text(outside, significant=2)} of its "
            "mass outside "
            f"the range: {name} lies {where}; give a distribution there, such as {such} or a "
            "truncated one."
        )
    if parameter.simplex and not (np.abs(drawn.sum(axis=-1) - 1.0) < _SUM).all():
        total = float(drawn.sum(axis=-1).mean())
        raise BayescompareError(
            f"priors[{name!r}] is not a probability vector: its sum is about "
            f"{statistic_number_text(total, significant=3)}, not 1; give one such as "
            "pm.Dirichlet.dist(np.ones(4)), or divide by the sum in a function f(name, dims)."
        )


def prior_options(priors: Priors | None) -> dict[str, Any] | None:
    """Name the priors given, for attributes and files; numbers stay numbers."""
    if not priors:
        return None
    return {name: _shared_prior_option(value) for name, value in priors.items()}


def _shared_prior_option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _shared_prior_option(each) for key, each in value.items()}
    vector = shared_fixed_vector(value)
    if vector is not None:
        return vector.tolist()
    return value if is_number(value) else describe_prior(value)
