"""The one route by which a user's own prior enters a built-in model: ``priors={name: value}``.

A value is a number, an unregistered PyMC distribution (``pm.Gamma.dist(2, 1)``), an object with
``create_variable(name)`` (pymc-extras) or ``to_pymc(name)`` (PreliZ), or a callable
``f(name, dims)`` that is run inside the model; where a parameter says so also a vector of numbers,
or a mapping by statement. Methods call `check_priors` once, `place_prior` for each of their
parameters, and `check_prior_ranges` or `check_prior_support` before they answer;
nothing but `prior_values` looks at what a value is.
"""

from __future__ import annotations

import copy
import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._checks import MOST_WEIGHT, check_positive, is_number
from bayescompare._errors import BayescompareError, did_you_mean, error_in_one_line
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.outcome.method import Parameter
from bayescompare.text.numbers import setting_number_text, statistic_number_text

if TYPE_CHECKING:
    import pymc as pm

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
    known = {p.name: p for p in parameters}
    if not isinstance(priors, Mapping):
        raise BayescompareError(
            f"priors={priors!r}: give a mapping {{name: value}}; names here: {', '.join(known)}."
        )
    for name, value in priors.items():
        if name not in known:
            raise BayescompareError(
                f"priors[{name!r}]: no such parameter; names here: {', '.join(known)}."
                f"{did_you_mean(str(name), list(known))}"
            )
        _check_value(name, value, known[name])


def _check_value(name: str, value: Any, parameter: Parameter) -> None:
    where = f"priors[{name!r}]"
    if is_number(value):
        if parameter.simplex:
            raise BayescompareError(
                f"{where} is a number ({value!r}): it must be a probability vector; give a "
                "distribution such as pm.Dirichlet.dist([1, 1])."
            )
        _check_number(where, value, parameter)
        if value > MOST_WEIGHT:
            check_positive(**{where: value})
    elif is_fixed_prior(value):
        if not parameter.fixed_vector:
            raise BayescompareError(
                f"{where}={value!r}: a vector or mapping of numbers does not say what is to be "
                "learned; give one number, a distribution or a function f(name, dims)."
            )
        named = value if isinstance(value, Mapping) else dict(enumerate(value))
        if not named:
            raise BayescompareError(f"{where}={value!r}: it is empty.")
        for key, each in named.items():
            _check_number(f"{where}[{key!r}]", each, parameter)
    elif isinstance(value, type):
        raise BayescompareError(
            f"{where} is the class {value.__name__}: give a distribution with its parameters, such "
            "as pm.Gamma.dist(2, 1)."
        )
    elif placer_of(value) is None:
        raise BayescompareError(
            f"{where}={value!r}: give a number, an unregistered PyMC distribution such as "
            "pm.Gamma.dist(2, 1), a pymc-extras Prior, a PreliZ distribution, or a function "
            "f(name, dims)."
        )


def _check_number(where: str, value: Any, parameter: Parameter) -> None:
    low, high = parameter.low, parameter.high
    if is_number(value) and math.isfinite(value) and low < value < high:
        return
    above = "" if math.isinf(low) else f" and > {setting_number_text(low)}"
    below = "" if math.isinf(high) else f" and < {setting_number_text(high)}"
    raise BayescompareError(f"{where}={value!r}: must be finite{above}{below}.")


def place_prior(name: str, value: Any, dims: tuple[str, ...], *, each: bool = False) -> Any:
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
    variable = _put(name, value, dims, each=each)
    if name in model.named_vars:
        _check_lengths(name, model.named_vars[name], dims)
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
    if is_distribution(variable):
        return register_copy(variable, name, dims, each=each)
    return pm.Deterministic(name, variable, dims=dims if variable.ndim == len(dims) else None)


def _put(name: str, value: Any, dims: tuple[str, ...], *, each: bool) -> Any:
    """Let a value make its variable, and say in one line why it does not."""
    put = placer_of(value, each=each)
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


def _check_lengths(name: str, placed: Any, dims: tuple[str, ...]) -> None:
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


def check_prior_ranges(priors: Priors | None, parameters: Sequence[Parameter]) -> None:
    """Reject priors that leave their parameters' ranges, each placed in a model of its own."""
    for parameter in parameters:
        value = (priors or {}).get(parameter.name)
        if value is None or is_fixed_prior(value):
            continue
        import pymc as pm

        with pm.Model():
            check_placed_prior(parameter, place_prior(parameter.name, value, ()))


def check_prior_support(priors: Priors, parameters: Sequence[Parameter], model: pm.Model) -> None:
    """Reject priors that leave their parameters' ranges, as they stand in the model built."""
    for parameter in parameters:
        if parameter.name in priors and not is_fixed_prior(priors[parameter.name]):
            check_placed_prior(parameter, model[parameter.name])


def check_placed_prior(parameter: Parameter, placed: Any) -> None:
    """Reject a placed prior that is not where its parameter lies, by drawing from it."""
    name, low, high = parameter.name, parameter.low, parameter.high
    kind = distribution_name(placed) if is_distribution(placed) else ""
    # Drawing from a distribution above zero with parameters below it may not fail.
    if kind in _ABOVE_ZERO | _ON_SIMPLEX and not has_valid_parameters(placed):
        raise BayescompareError(
            f"priors[{name!r}] is {describe_prior(placed)}: its parameters must be finite and "
            "above 0."
        )
    if parameter.simplex and not placed.ndim:
        raise BayescompareError(
            f"priors[{name!r}] is one number at a time: it must be a probability vector; give a "
            "distribution such as pm.Dirichlet.dist([1, 1])."
        )
    # What is known to keep to the range needs no draws.
    keeps = kind in _ON_SIMPLEX if parameter.simplex else low == 0.0 and kind in _ABOVE_ZERO
    if keeps and not parameter.simplex:
        keeps = kind == "Beta" or math.isinf(high)
    if keeps or (math.isinf(low) and math.isinf(high)):
        return
    drawn = draw_prior(name, placed, _VECTOR_DRAWS if placed.ndim else _DRAWS)
    # Written so that NaN is outside.
    outside = float(1.0 - ((drawn >= low) & (drawn <= high)).mean())
    such = "pm.Gamma.dist(2, 1)" if math.isinf(high) else "pm.Beta.dist(2, 2)"
    such = "pm.Dirichlet.dist(np.ones(4))" if parameter.simplex else such
    if outside:
        ends = f"between {setting_number_text(low)} and {setting_number_text(high)}"
        where = f"above {setting_number_text(low)}" if math.isinf(high) else ends
        raise BayescompareError(
            f"priors[{name!r}] has about {statistic_number_text(outside, significant=2)} of its "
            f"mass outside the range: {name} lies {where}; give a distribution there, such as "
            f"{such} or a truncated one."
        )
    if parameter.simplex and not (np.abs(drawn.sum(axis=-1) - 1.0) < _SUM).all():
        total = statistic_number_text(float(drawn.sum(axis=-1).mean()), significant=3)
        raise BayescompareError(
            f"priors[{name!r}] is not a probability vector: its sum is about {total}, not 1; give "
            f"one such as {such}, or divide by the sum in a function f(name, dims)."
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
        why = ", as an improper prior cannot: give a proper one."
        raise BayescompareError(f"priors[{name!r}] cannot be drawn from{why}") from None
    except Exception as error:
        raise BayescompareError(
            f"priors[{name!r}] cannot be drawn from; check its parameters: "
            f"{error_in_one_line(error)}"
        ) from error


def prior_options(priors: Priors | None) -> dict[str, Any] | None:
    """Name the priors given, for attributes and files; numbers stay numbers."""
    if not priors:
        return None
    return {name: _option(value) for name, value in priors.items()}


def _option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _option(each) for key, each in value.items()}
    vector = fixed_vector(value)
    if vector is not None:
        return vector.tolist()
    return value if is_number(value) else describe_prior(value)


# what a value is -----------------------------
#: Distributions made of others, and where among their parameters those stand.
_COMPOSED = {"Mixture": slice(1, None), "Hurdle": slice(1, None), "Censored": slice(0, 1)}


# numbers and vectors -----------------------------


def fixed_vector(value: object) -> FloatArray | None:
    """Return a list, tuple or array of numbers as an array; None for all else.

    Examples
    --------
    >>> fixed_vector([1, 2.5]).tolist(), fixed_vector("ab"), fixed_vector(3)
    ([1.0, 2.5], None, None)
    """
    if isinstance(value, np.ndarray):
        return value.astype(np.float64) if value.ndim and value.dtype.kind in "iuf" else None
    if isinstance(value, Sequence) and not isinstance(value, str):
        return np.array(value, dtype=np.float64) if all(map(is_number, value)) else None
    return None


def is_fixed_prior(value: object) -> bool:
    """Whether a prior is known numbers: one, a vector of them, or one by statement."""
    return is_number(value) or isinstance(value, Mapping) or fixed_vector(value) is not None


# distributions -----------------------------


def is_distribution(value: Any) -> bool:
    """Whether this is a PyMC random variable; asking must not import PyMC."""
    return hasattr(getattr(getattr(value, "owner", None), "op", None), "dist_params")


def distribution_name(rv: Any) -> str:
    """Name of a distribution as PyMC prints it."""
    return str(getattr(rv.owner.op, "_print_name", (type(rv.owner.op).__name__,))[0])


def has_valid_parameters(rv: Any) -> bool:
    """Whether the fixed parameters of a distribution above zero are finite and above zero."""
    parameters = _as_written(distribution_name(rv), _values(rv))
    known = [value for value in parameters if value is not None]
    return all(bool((np.isfinite(value) & (value > 0)).all()) for value in known)


def constant_dirichlet(value: Any) -> FloatArray | None:
    """Return the parameters of a Dirichlet with fixed ones, which stays conjugate.

    That is ``pm.Dirichlet.dist(a)``, or PreliZ's ``Dirichlet(a)``.
    """
    (alpha,) = _constants(value, "Dirichlet", ("alpha",)) or (None,)
    return alpha


def constant_beta(value: Any) -> tuple[float, float] | None:
    """Return the parameters of a Beta with fixed ones: ``pm.Beta.dist(a, b)``, or PreliZ's."""
    both = _constants(value, "Beta", ("alpha", "beta"))
    if both is None or any(each.ndim for each in both):
        return None
    return float(both[0]), float(both[1])


def _constants(value: Any, kind: str, names: tuple[str, ...]) -> list[FloatArray] | None:
    """The first parameters of a distribution of this kind; None where one of them is random."""
    if _is_preliz(value) and type(value).__name__ == kind:
        found = [getattr(value, name, None) for name in names]
    elif is_distribution(value) and distribution_name(value) == kind:
        found = list(_values(value)[: len(names)])
    else:
        return None
    if any(each is None for each in found):
        return None
    return [np.asarray(each, dtype=np.float64) for each in found]


def describe_prior(value: Any) -> str:
    """Name a prior's value for attributes and saved files, where the object cannot go.

    Examples
    --------
    >>> describe_prior(2)
    '2'
    """
    if is_number(value):
        return setting_number_text(value)
    if is_distribution(value):
        kept = _as_written(distribution_name(value), _values(value))
        parameters = ", ".join(map(_parameter_text, kept))
        return f"{distribution_name(value)}({parameters})"
    if _is_preliz(value):
        # Its own text has codes for bold type.
        params = getattr(value, "params", None) or ()
        texts = (_parameter_text(np.asarray(v)) for v in params)
        return f"{type(value).__name__}({', '.join(texts)})"
    return str(getattr(value, "__qualname__", value))


def _is_preliz(value: object) -> bool:
    return type(value).__module__.startswith("preliz.") and hasattr(value, "param_names")


def _parameters(rv: Any) -> Sequence[Any]:
    """A distribution's parameters; some, such as Truncated, do not tell theirs."""
    try:
        params: Sequence[Any] = rv.owner.op.dist_params(rv.owner)
    except ValueError:
        return ()
    return params


def _values(rv: Any) -> list[AnyArray | None]:
    """Values of a distribution's parameters, None where they are random themselves."""
    from pymc.pytensorf import constant_fold

    folded = constant_fold(_parameters(rv), raise_not_constant=False)
    return [value if isinstance(value, np.ndarray) else None for value in folded]


def _as_written(name: str, parameters: list[AnyArray | None]) -> list[AnyArray | None]:
    """The parameters as users give them: PyMC keeps a scale for a rate, and a location of none."""
    if name in ("Gamma", "Exponential") and parameters[-1] is not None:
        rate = np.asarray(1.0 / parameters[-1])
        # Inverting a decimal twice may change its last digit.
        return [*parameters[:-1], np.asarray(np.round(rate, 12))]
    first = parameters[0] if parameters else None
    if name in ("HalfNormal", "HalfCauchy") and first is not None and not first.any():
        return parameters[1:]
    return parameters


def _parameter_text(parameter: AnyArray | None) -> str:
    return "…" if parameter is None or parameter.size > 8 else f"{parameter.tolist()}"


# placing -----------------------------


def placer_of(value: object, *, each: bool = False) -> Callable[[str, tuple[str, ...]], Any] | None:
    """Find how this kind of value becomes a variable; None when it is of no known kind.

    With `each` a value of fewer dimensions becomes one variable per element of the dims; a function
    always decides for itself.
    """
    if is_distribution(value):
        return lambda name, dims: register_copy(value, name, dims, each=each)
    if _is_preliz(value):
        return lambda name, dims: _place_preliz(value, name, dims, each=each)
    if hasattr(value, "create_variable"):
        return lambda name, dims: _over_dims(value, dims if each else ()).create_variable(name)
    if hasattr(value, "to_pymc"):
        return lambda name, dims: value.to_pymc(name, **_dims_taken(value, dims if each else ()))
    if callable(value):
        return lambda name, dims: value(name, dims)
    return None


def _over_dims(value: Any, dims: tuple[str, ...]) -> Any:
    """A pymc-extras prior over these dims, if it has none of its own; the original is kept."""
    if not dims or not hasattr(value, "dims") or value.dims:
        return value
    spread = copy.deepcopy(value)
    spread.dims = dims
    return spread


def _dims_taken(value: Any, dims: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The dims as an argument of ``to_pymc``, where it takes them."""
    taken = inspect.signature(value.to_pymc).parameters.values()
    takes = any(p.name == "dims" or p.kind == p.VAR_KEYWORD for p in taken)
    return {"dims": dims} if dims and takes else {}


def _place_preliz(value: Any, name: str, dims: tuple[str, ...], *, each: bool) -> Any:
    """Place a PreliZ distribution; of those of vectors only the Dirichlet has PyMC's parameters."""
    if getattr(value, "params", None) is None:
        raise BayescompareError(
            f"priors[{name!r}] is PreliZ's {type(value).__name__} without parameters: give them, "
            "or fit it first (pz.maxent)."
        )
    if hasattr(value, "to_pymc"):
        return value.to_pymc(name, **_dims_taken(value, dims if each else ()))
    alpha = constant_dirichlet(value)
    if alpha is None:
        raise BayescompareError(
            f"priors[{name!r}] is PreliZ's {type(value).__name__}, which has no way into PyMC: "
            "give the PyMC distribution of that name."
        )
    import pymc as pm

    return register_copy(pm.Dirichlet.dist(alpha), name, dims, each=each)


def register_copy(rv: Any, name: str, dims: tuple[str, ...], *, each: bool = False) -> Any:
    """Register a copy of an unregistered distribution; registering names and marks the original.

    The original stays free for the next model, so one `priors` mapping serves many comparisons.
    With `each`, a distribution of fewer dimensions is repeated over the first dims.
    """
    import pymc as pm

    if rv.ndim > len(dims):
        raise BayescompareError(
            f"priors[{name!r}] has {rv.ndim} dimension(s), but {name!r} has dims {dims}."
        )
    _check_not_nested(rv, name)
    model = pm.modelcontext(None)
    copied = _copy(rv)
    if each and rv.ndim < len(dims):
        copied = _repeat(copied, name, dims)
    full = bool(dims) and copied.ndim == len(dims)
    return model.register_rv(copied, name, dims=dims if full else None)


def _repeat(rv: Any, name: str, dims: tuple[str, ...]) -> Any:
    """Make a distribution one per element of the dims that it lacks, as ``dims=`` does in PyMC."""
    from pymc.distributions.shape_utils import change_dist_size

    lengths = _lengths_of(name, dims)
    return change_dist_size(rv, lengths[: len(dims) - rv.ndim], expand=True)


def constant_over(name: str, value: float, dims: tuple[str, ...]) -> Any:
    """Make a number a tensor over dims, so that it serves wherever a variable does."""
    import pytensor.tensor as pt

    number = pt.constant(float(value), dtype="float64")
    return pt.broadcast_to(number, _lengths_of(name, dims)) if dims else number


def _lengths_of(name: str, dims: tuple[str, ...]) -> tuple[Any, ...]:
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


def _copy(rv: Any) -> Any:
    """Copy a distribution, with its parameters in double precision where it takes them so."""
    from pytensor.graph.replace import clone_replace

    # Parameters typed as 2 or 0.5 would be taken for single precision, and their logs too.
    parameters = _all_parameters(rv) if rv.dtype.startswith("float") else []
    doubled = {p: p.astype("float64") for p in parameters if str(p.dtype) != "float64"}
    try:
        return clone_replace([rv], replace=doubled or None, rebuild_strict=False)[0]
    except TypeError:
        # Some have whole numbers among them, or an inner graph of one type only.
        return clone_replace([rv])[0]


def _all_parameters(rv: Any) -> list[Any]:
    """A distribution's parameters, and those of what it is made of."""
    parts = _parts_of(rv)
    own = [p for p in _parameters(rv) if not any(p is part for part in parts)]
    return own + [p for part in parts for p in _all_parameters(part)]


def _parts_of(rv: Any) -> list[Any]:
    """The distributions that one is made of, as a mixture is."""
    where = _COMPOSED.get(distribution_name(rv), slice(0, 0))
    return [p for p in _parameters(rv)[where] if is_distribution(p)]


def _check_not_nested(rv: Any, name: str) -> None:
    """Reject a distribution as the parameter of another, which no model would know of.

    And one with mass at a single value: NUTS never steps there, so that the mass would be lost.
    """
    if any(distribution_name(part) == "DiracDelta" for part in _parts_of(rv)):
        raise BayescompareError(
            f"priors[{name!r}] is {describe_prior(rv)}: part of its mass is at a single value, "
            "where NUTS never is; give a continuous distribution, such as pm.Gamma.dist(2, 1)."
        )
    inner = _random_parameter(rv)
    if inner is not None:
        raise BayescompareError(
            f"priors[{name!r}] is {distribution_name(rv)} with another distribution "
            f"({distribution_name(inner)}) inside: register both in a function f(name, "
            "dims)."
        )


def _random_parameter(rv: Any) -> Any:
    """Find a distribution among a distribution's parameters; what a mixture is made of is none.

    Sizes are left out: a mixture's components may have theirs from each other.
    """
    from pytensor.graph.traversal import ancestors

    parameters = _parameters(rv) or rv.owner.inputs
    parts = _parts_of(rv)
    for parameter in parameters:
        if any(parameter is part for part in parts):
            random = _random_parameter(parameter)
        else:
            random = next((v for v in ancestors([parameter]) if is_distribution(v)), None)
        if random is not None:
            return random
    return None


# one density, for quadrature -----------------------------
def log_density_of(name: str, value: Any) -> Callable[[FloatArray], FloatArray] | None:
    """Compile the log density of a scalar prior; None where it is not one continuous density."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.pytensorf import compile as compile_

    try:
        with pm.Model() as model:
            placed = place_prior(name, value, ())
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


def draws_of_prior(name: str, value: Any, draws: int) -> FloatArray:
    """Draw from a scalar prior, the same numbers at every call."""
    import pymc as pm

    with pm.Model():
        return draw_prior(name, place_prior(name, value, ()), draws)
