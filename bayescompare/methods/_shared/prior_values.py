"""What a prior's value is, and how it becomes a variable of a PyMC model.

The one file that knows the kinds: numbers and fixed vectors, PyMC's unregistered distributions,
pymc-extras, PreliZ, functions.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.text.numbers import setting_number_text

__all__ = [
    "describe_prior",
    "is_shared_distribution",
    "is_shared_prior_fixed",
    "is_shared_prior_valid",
    "register_shared_prior_copy",
    "shared_constant_beta",
    "shared_constant_dirichlet",
    "shared_constant_prior",
    "shared_distribution_name",
    "shared_fixed_vector",
    "shared_prior_placer",
]


#: Distributions made of others, and where among their parameters those stand.
_COMPOSED = {"Mixture": slice(1, None), "Censored": slice(0, 1)}


# numbers and vectors ------------------------------------------------------------------------------


def shared_fixed_vector(value: object) -> FloatArray | None:
    """Return a list, tuple or array of numbers as an array; None for all else.

    Examples
    --------
    >>> shared_fixed_vector([1, 2.5]).tolist(), shared_fixed_vector("ab"), shared_fixed_vector(3)
    ([1.0, 2.5], None, None)
    """
    if isinstance(value, np.ndarray):
        return value.astype(np.float64) if value.ndim and value.dtype.kind in "iuf" else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return np.array(value, dtype=np.float64) if all(map(is_number, value)) else None
    return None


def is_shared_prior_fixed(value: object) -> bool:
    """Whether a prior is known numbers: one, a vector of them, or one by statement."""
    return is_number(value) or isinstance(value, Mapping) or shared_fixed_vector(value) is not None


# distributions ------------------------------------------------------------------------------------


def is_shared_distribution(value: Any) -> bool:
    """Whether this is a PyMC random variable; asking must not import PyMC."""
    return hasattr(getattr(getattr(value, "owner", None), "op", None), "dist_params")


def shared_distribution_name(rv: Any) -> str:
    """Name of a distribution as PyMC prints it."""
    return str(getattr(rv.owner.op, "_print_name", (type(rv.owner.op).__name__,))[0])


def is_shared_prior_valid(rv: Any) -> bool:
    """Whether the fixed parameters of a distribution above zero are finite and above zero."""
    parameters = _prior_value_as_written(shared_distribution_name(rv), _values(rv))
    known = [value for value in parameters if value is not None]
    return all(bool((np.isfinite(value) & (value > 0)).all()) for value in known)


def shared_constant_dirichlet(value: Any) -> FloatArray | None:
    """Return the parameters of a Dirichlet with fixed ones, which stays conjugate.

    That is ``pm.Dirichlet.dist(a)``, or PreliZ's ``Dirichlet(a)``.
    """
    if _is_preliz_prior_value(value) and type(value).__name__ == "Dirichlet":
        concentration = getattr(value, "alpha", None)
        return None if concentration is None else np.asarray(concentration, dtype=np.float64)
    if not is_shared_distribution(value) or shared_distribution_name(value) != "Dirichlet":
        return None
    (alpha,) = _values(value)
    return None if alpha is None else np.asarray(alpha, dtype=np.float64)


def shared_constant_beta(value: Any) -> tuple[float, float] | None:
    """Return the parameters of a Beta with fixed ones: ``pm.Beta.dist(a, b)``, or PreliZ's."""
    if _is_preliz_prior_value(value) and type(value).__name__ == "Beta":
        first, second = getattr(value, "alpha", None), getattr(value, "beta", None)
        return None if first is None or second is None else (float(first), float(second))
    if not is_shared_distribution(value) or shared_distribution_name(value) != "Beta" or value.ndim:
        return None
    given = _values(value)
    return None if given[0] is None or given[1] is None else (float(given[0]), float(given[1]))


def describe_prior(value: Any) -> str:
    """Name a prior's value for attributes and saved files, where the object cannot go.

    Examples
    --------
    >>> describe_prior(2)
    '2'
    """
    if is_number(value):
        return setting_number_text(value)
    if is_shared_distribution(value):
        kept = _prior_value_as_written(shared_distribution_name(value), _values(value))
        parameters = ", ".join(map(_prior_value_parameter_text, kept))
        return f"{shared_distribution_name(value)}({parameters})"
    if _is_preliz_prior_value(value):
        # Its own text has codes for bold type.
        params = getattr(value, "params", None) or ()
        texts = (_prior_value_parameter_text(np.asarray(v)) for v in params)
        return f"{type(value).__name__}({', '.join(texts)})"
    return str(getattr(value, "__qualname__", value))


def _is_preliz_prior_value(value: object) -> bool:
    return type(value).__module__.startswith("preliz.") and hasattr(value, "param_names")


def _prior_value_parameters(rv: Any) -> Sequence[Any]:
    """A distribution's parameters; some, such as Truncated, do not tell theirs."""
    try:
        params: Sequence[Any] = rv.owner.op.dist_params(rv.owner)
    except ValueError:
        return ()
    return params


def _values(rv: Any) -> list[AnyArray | None]:
    """Values of a distribution's parameters, None where they are random themselves."""
    from pymc.pytensorf import constant_fold

    folded = constant_fold(_prior_value_parameters(rv), raise_not_constant=False)
    return [value if isinstance(value, np.ndarray) else None for value in folded]


def _prior_value_as_written(name: str, parameters: list[AnyArray | None]) -> list[AnyArray | None]:
    """The parameters as users give them: PyMC keeps a scale for a rate, and a location of none."""
    if name in ("Gamma", "Exponential") and parameters[-1] is not None:
        rate = np.asarray(1.0 / parameters[-1])
        # Inverting a decimal twice may change its last digit.
        return [*parameters[:-1], np.asarray(np.round(rate, 12))]
    first = parameters[0] if parameters else None
    if name in ("HalfNormal", "HalfCauchy") and first is not None and not first.any():
        return parameters[1:]
    return parameters


def _prior_value_parameter_text(parameter: AnyArray | None) -> str:
    return "…" if parameter is None or parameter.size > 8 else f"{parameter.tolist()}"


# placing ------------------------------------------------------------------------------------------


def shared_prior_placer(
    value: object, *, each: bool = False
) -> Callable[[str, tuple[str, ...]], Any] | None:
    """Find how this kind of value becomes a variable; None when it is of no known kind.

    With `each` a value of fewer dimensions becomes one variable per element of the dims; a function
    always decides for itself.
    """
    if is_shared_distribution(value):
        return lambda name, dims: register_shared_prior_copy(value, name, dims, each=each)
    if _is_preliz_prior_value(value):
        return lambda name, dims: _place_preliz_prior_value(value, name, dims, each=each)
    if hasattr(value, "create_variable"):
        return lambda name, dims: _prior_value_over_dims(
            value, dims if each else ()
        ).create_variable(name)
    if hasattr(value, "to_pymc"):
        return lambda name, dims: value.to_pymc(
            name, **_prior_value_dims_taken(value, dims if each else ())
        )
    if callable(value):
        return lambda name, dims: value(name, dims)
    return None


def _prior_value_over_dims(value: Any, dims: tuple[str, ...]) -> Any:
    """A pymc-extras prior over these dims, if it has none of its own; the original is kept."""
    if not dims or not hasattr(value, "dims") or value.dims:
        return value
    spread = copy.deepcopy(value)
    spread.dims = dims
    return spread


def _prior_value_dims_taken(value: Any, dims: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The dims as an argument of ``to_pymc``, where it takes them."""
    taken = inspect.signature(value.to_pymc).parameters.values()
    takes = any(p.name == "dims" or p.kind == p.VAR_KEYWORD for p in taken)
    return {"dims": dims} if dims and takes else {}


def _place_preliz_prior_value(value: Any, name: str, dims: tuple[str, ...], *, each: bool) -> Any:
    """Place a PreliZ distribution; of those of vectors only the Dirichlet has PyMC's parameters."""
    if getattr(value, "params", None) is None:
        raise BayescompareError(
            f"priors[{name!r}] is PreliZ's {type(value).__name__} without parameters: give them, "
            "or fit it first (pz.maxent)."
        )
    if hasattr(value, "to_pymc"):
        return value.to_pymc(name, **_prior_value_dims_taken(value, dims if each else ()))
    alpha = shared_constant_dirichlet(value)
    if alpha is None:
        raise BayescompareError(
            f"priors[{name!r}] is PreliZ's {type(value).__name__}, which has no way into PyMC: "
            "give the PyMC distribution of that name."
        )
    import pymc as pm

    return register_shared_prior_copy(pm.Dirichlet.dist(alpha), name, dims, each=each)


def register_shared_prior_copy(
    rv: Any, name: str, dims: tuple[str, ...], *, each: bool = False
) -> Any:
    """Register a copy of an unregistered distribution; registering names and marks the original.

    The original stays free for the next model, so one `priors` mapping serves many comparisons.
    With `each`, a distribution of fewer dimensions is repeated over the first dims.
    """
    import pymc as pm

    if rv.ndim > len(dims):
        raise BayescompareError(
            f"priors[{name!r}] has {rv.ndim} dimension(s), but {name!r} has dims {dims}."
        )
    _check_prior_value_not_nested(rv, name)
    model = pm.modelcontext(None)
    copied = _copy_prior_value(rv)
    if each and rv.ndim < len(dims):
        copied = _repeat_prior_value(copied, name, dims)
    full = bool(dims) and copied.ndim == len(dims)
    return model.register_rv(copied, name, dims=dims if full else None)


def _repeat_prior_value(rv: Any, name: str, dims: tuple[str, ...]) -> Any:
    """Make a distribution one per element of the dims that it lacks, as ``dims=`` does in PyMC."""
    from pymc.distributions.shape_utils import change_dist_size

    lengths = _prior_value_dim_lengths(name, dims)
    return change_dist_size(rv, lengths[: len(dims) - rv.ndim], expand=True)


def shared_constant_prior(name: str, value: float, dims: tuple[str, ...]) -> Any:
    """Make a number a tensor over dims, so that it serves wherever a variable does."""
    import pytensor.tensor as pt

    number = pt.constant(float(value), dtype="float64")
    return pt.broadcast_to(number, _prior_value_dim_lengths(name, dims)) if dims else number


def _prior_value_dim_lengths(name: str, dims: tuple[str, ...]) -> tuple[Any, ...]:
    """The lengths of dims in the model at hand."""
    import pymc as pm

    lengths = pm.modelcontext(None).dim_lengths
    unknown = [dim for dim in dims if dim not in lengths]
    if unknown:
        raise BayescompareError(
            f"priors[{name!r}] has dims {dims}, but the model has no {', '.join(unknown)}: add it "
            "to coords= of pm.Model."
        )
    return tuple(lengths[dim] for dim in dims)


def _copy_prior_value(rv: Any) -> Any:
    """Copy a distribution, with its parameters in double precision where it takes them so."""
    from pytensor.graph.replace import clone_replace

    # Parameters typed as 2 or 0.5 would be taken for single precision, and their logs too.
    parameters = _all_prior_value_parameters(rv) if rv.dtype.startswith("float") else []
    doubled = {p: p.astype("float64") for p in parameters if str(p.dtype) != "float64"}
    try:
        return clone_replace([rv], replace=doubled or None, rebuild_strict=False)[0]
    except TypeError:
        # Some have whole numbers among them, or an inner graph of one type only.
        return clone_replace([rv])[0]


def _all_prior_value_parameters(rv: Any) -> list[Any]:
    """A distribution's parameters, and those of what it is made of."""
    parts = _prior_value_components(rv)
    own = [p for p in _prior_value_parameters(rv) if not any(p is part for part in parts)]
    return own + [p for part in parts for p in _all_prior_value_parameters(part)]


def _prior_value_components(rv: Any) -> list[Any]:
    """The distributions that one is made of, as a mixture is."""
    where = _COMPOSED.get(shared_distribution_name(rv), slice(0, 0))
    return [p for p in _prior_value_parameters(rv)[where] if is_shared_distribution(p)]


def _check_prior_value_not_nested(rv: Any, name: str) -> None:
    """Reject a distribution as the parameter of another, which no model would know of."""
    inner = _random_prior_value_parameter(rv)
    if inner is not None:
        raise BayescompareError(
            f"priors[{name!r}] is {shared_distribution_name(rv)} with another distribution "
            f"({shared_distribution_name(inner)}) inside: register both in a function f(name, "
            "dims)."
        )


def _random_prior_value_parameter(rv: Any) -> Any:
    """Find a distribution among a distribution's parameters; what a mixture is made of is none.

    Sizes are left out: a mixture's components may have theirs from each other.
    """
    from pytensor.graph.traversal import ancestors

    parameters = _prior_value_parameters(rv) or rv.owner.inputs
    parts = _prior_value_components(rv)
    for parameter in parameters:
        if any(parameter is part for part in parts):
            random = _random_prior_value_parameter(parameter)
        else:
            random = next((v for v in ancestors([parameter]) if is_shared_distribution(v)), None)
        if random is not None:
            return random
    return None
