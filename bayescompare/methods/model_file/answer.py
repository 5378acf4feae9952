"""From a model's posterior to statements: which leads, by θ, by strengths or by who beats whom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.leading import (
    exceeds_to_lead,
    parts_of_draws,
    parts_of_orders,
    sole_leader,
    strict_order,
)
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import PROBABILITY, theta_columns
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.nuts import nuts_monte_carlo_error
from bayescompare.statements import OTHERS, State, Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    import xarray as xr


#: Statements listed; of more those that the draws support most.
_MOST = 256
#: Probabilities may miss 0, 1 and their sum by this.
ROUNDING = 1e-9
_SAMPLES = ("chain", "draw")

Hook = Callable[["xr.Dataset"], Any]


@dataclass(frozen=True, kw_only=True)
class StrengthDetails(Facts):
    """P(each algorithm is ahead of each on every measure), where the model has strengths."""

    ahead: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ModelDetails(StrengthDetails):
    """The model, and all algorithms that it was of where a pair was read from it."""

    model: str
    title: str
    together: tuple[str, ...] | None = None


def read_quantity(results: Results, values: xr.DataArray) -> Answer:
    """Read the answer off draws of a quantity, by its dims."""
    _check_draws(values)
    if "statement" in values.dims:
        return _by_theta(results, values)
    if "opponent" in values.dims:
        turned = values.rename(algorithm="opponent", opponent="algorithm")
        return _by_strength(
            results,
            _strength_by_wins(values),
            _exceeds(values, turned),
        )
    return _by_strength(results, values, _exceeds(values, values.rename(algorithm="opponent")))


def _exceeds(values: xr.DataArray, others: xr.DataArray) -> xr.DataArray:
    import xarray as xr

    beats: xr.DataArray = xr.apply_ufunc(exceeds_to_lead, values, others)
    return beats


def _check_draws(values: xr.DataArray) -> None:
    """Reject draws of θ that are not probability vectors, and of `better` outside 0 to 1."""
    if values.name == "theta":
        total = values.sum("statement")
        if not bool((values >= -ROUNDING).all() and (abs(total - 1.0) < 1e-6).all()):
            least, mean = (
                statistic_number_text(float(v), significant=3) for v in (values.min(), total.mean())
            )
            raise BayescompareError(
                "theta is off the simplex: in every draw the statements' probabilities must be at "
                f"least 0 and sum to 1 (least {least}, mean sum {mean}); divide by their sum."
            )
    if values.name == "better":
        # The diagonal compares nobody with anybody.
        others = values.where(values["algorithm"] != values["opponent"], 0.5)
        if not bool(((others >= -ROUNDING) & (others <= 1.0 + ROUNDING)).all()):
            raise BayescompareError(
                "better has values outside [0, 1]: it is the probability that one algorithm beats "
                "another; numbers that only order the algorithms are a 'strength'."
            )


def read_probability(results: Results, hook: Hook, posterior: xr.Dataset) -> Answer:
    """Take the statements' probabilities as a model file's own function gives them."""
    labels, probability, mcse = hooked_probability(hook, posterior)
    answer = _answer(results, labels, probability, mcse)
    left = 1.0 - float(probability.sum())
    return replace(answer, none_leads=left if left > ROUNDING else 0.0)


def _by_theta(results: Results, theta: xr.DataArray) -> Answer:
    """P(each statement's θ is the largest)."""
    drawn = theta.transpose("chain", "draw", "statement")
    values = drawn.values
    each = sole_leader(values).astype(np.float64)
    labels = [str(label) for label in drawn["statement"].values.tolist()]
    mean = values.mean(axis=(0, 1))
    low, high = np.quantile(values.reshape(-1, len(labels)), (0.025, 0.975), axis=0)
    extra = theta_columns(mean, low, high)
    answer = _answer(results, labels, each.mean(axis=(0, 1)), nuts_monte_carlo_error(each), extra)
    parts = {}
    if len(answer.states) > 1:
        parts[PROBABILITY] = parts_of_draws(values, _states(answer))
    return replace(answer, parts=parts, none_leads=float(1.0 - each.any(axis=-1).mean()))


def _states(answer: Answer) -> IntArray:
    """The states of each statement as numbers, (S, m)."""
    return np.stack([np.unique(names, return_inverse=True)[1] for names in answer.states], axis=1)


def _strength_by_wins(better: xr.DataArray) -> xr.DataArray:
    """Strength of each algorithm as the mean probability of beating the others."""
    import xarray as xr

    names = better["algorithm"].values
    same = xr.DataArray(
        np.eye(len(names), dtype=bool),
        {"algorithm": names, "opponent": better["opponent"].values},
        ("algorithm", "opponent"),
    )
    return better.where(~same).mean("opponent")


def _by_strength(results: Results, strength: xr.DataArray, beats: xr.DataArray) -> Answer:
    """P(each ordering by strength), measure by measure; of too many, P(who is first on each).

    A draw in which two algorithms share a listed place has no ordering, and counts for none.
    Either way the matrix of who is ahead of whom on every measure goes with it.
    """
    over = ("measure",) if "measure" in strength.dims else ()
    labels, each, strict, whole = _orderings(strength)
    counts = None if whole else _first_counts(results, labels)
    answer = _answer(
        results, labels, each.mean(axis=(0, 1)), nuts_monte_carlo_error(each), None, counts
    )
    parts = {}
    if len(answer.states) > 1:
        parts[PROBABILITY] = parts_of_orders(each.mean(axis=(0, 1)), _states(answer))
    ahead = beats.all(over).mean(("chain", "draw")).transpose("algorithm", "opponent")
    who = tuple(tuple(row) for row in ahead.values.tolist())
    none = float(1.0 - strict.mean())
    return replace(answer, parts=parts, facts=StrengthDetails(ahead=who), none_leads=none)


def _orderings(strength: xr.DataArray) -> tuple[list[str], FloatArray, BoolArray, bool]:
    """Statements, which draw has which, which draws have one, and whether they are whole orders."""
    over = ("measure",) if "measure" in strength.dims else ()
    names = [str(name) for name in strength["algorithm"].values.tolist()]
    values = strength.transpose("chain", "draw", *over, "algorithm").values
    values = values.reshape(*values.shape[:2], -1, len(names))
    measures = values.shape[2]
    whole = math.factorial(len(names)) ** measures <= _MOST
    places = len(names) if whole else 1
    order, alone = strict_order(values, places)
    strict = alone.all(axis=-1)
    labels, each = _ordering_shares(order[..., :places], strict, names)
    if whole and (len(names) == 2 or not labels):
        labels, each = _every_ordering(labels, each, names, measures)
    elif not labels:
        first = (State.order(name, OTHERS) for name in names[:_MOST])
        labels = [str(Statement.of(state, measures=measures)) for state in first]
        each = np.zeros((*strict.shape, len(labels)))
    return labels, each, strict, whole


def quantity_leads(values: xr.DataArray, labels: Sequence[str]) -> FloatArray:
    """Which of these statements each draw of a quantity has: (chain, draw, statement)."""
    if "statement" in values.dims:
        drawn = values.transpose("chain", "draw", "statement")
        each = sole_leader(drawn.values).astype(np.float64)
        known = [str(label) for label in drawn["statement"].values.tolist()]
    else:
        strength = _strength_by_wins(values) if "opponent" in values.dims else values
        known, each, _, _ = _orderings(strength)
    place = {label: k for k, label in enumerate(known)}
    out = np.zeros((*each.shape[:2], len(labels)))
    for k, label in enumerate(labels):
        if label in place:
            out[..., k] = each[..., place[label]]
    return out


def _ordering_shares(
    seen: NDArray[np.intp], strict: BoolArray, names: list[str]
) -> tuple[list[str], FloatArray]:
    """The statements that strict draws support, the most frequent 256, and which draw has which."""
    flat = seen[strict].reshape(-1, seen.shape[-2] * seen.shape[-1])
    rows, place, counts = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    kept = np.argsort(-counts, kind="stable")[:_MOST]
    each = np.zeros((*strict.shape, len(kept)))
    each[strict] = place.reshape(-1, 1) == kept
    labels = [_ordering_label(rows[k].reshape(seen.shape[-2:]), names) for k in kept]
    return labels, each


def _ordering_label(rows: NDArray[np.intp], names: list[str]) -> str:
    rest = [] if rows.shape[-1] > 1 else [OTHERS]
    return str(Statement.of(*(State.order(*(names[k] for k in row), *rest) for row in rows)))


def _every_ordering(
    labels: list[str], each: FloatArray, names: list[str], measures: int
) -> tuple[list[str], FloatArray]:
    """List the statements that no draw has, too."""
    states = [State.order(*order) for order in itertools.permutations(names)]
    whole = [str(Statement.of(*each)) for each in itertools.product(states, repeat=measures)]
    wider = np.zeros((*each.shape[:2], len(whole)))
    for k, label in enumerate(labels):
        wider[..., whole.index(label)] = each[..., k]
    return whole, wider


def _first_counts(results: Results, labels: Sequence[str]) -> FloatArray | None:
    """Weight of the datasets on which these are first; who tie for it share it."""
    parsed = [Statement.parse(label) for label in labels]
    if results.n_replicates is not None or len(parsed[0].states) != len(results.measures):
        return None
    values = results.oriented()
    first = values == values.max(axis=1, keepdims=True)
    weight = first / first.sum(axis=1, keepdims=True)
    place = {name: k for k, name in enumerate(results.algorithms)}
    leaders = [[place[str(name)] for name in statement.leaders] for statement in parsed]
    columns = range(len(results.measures))
    return np.array([weight[:, row, columns].prod(axis=-1).sum() for row in leaders])


def _answer(
    results: Results,
    labels: list[str],
    probability: FloatArray,
    mcse: FloatArray,
    extra: dict[str, FloatArray] | None = None,
    counts: FloatArray | None = None,
) -> Answer:
    counts = _counts(results, labels) if counts is None else counts
    parts = [tuple(map(str, Statement.parse(label).states)) for label in labels]
    by_measure = all(len(part) == len(results.measures) for part in parts)
    states = tuple(zip(*parts, strict=True)) if by_measure else ()
    return Answer(
        labels=tuple(labels),
        states=states,
        counts=counts,
        n_statements=len(labels),
        n_observed=int((counts > 0).sum()),
        probability=probability,
        mcse=mcse,
        per_statement=extra or {},
        facts=StrengthDetails(),
    )


def _counts(results: Results, labels: list[str]) -> FloatArray:
    """Weight of the datasets for each statement, where they are the usual ones; 0 elsewhere."""
    if results.n_replicates is not None or any(
        ">" not in Statement.parse(label).relations for label in labels
    ):
        return np.zeros(len(labels))
    try:
        statements = Statements.of(results)
    except BayescompareError:
        # `Statements` refuses such a table; the model follows other rules.
        return np.zeros(len(labels))
    known = dict(zip(statements.labels, statements.table.counts, strict=True))
    return np.array([float(known.get(label, 0.0)) for label in labels])


# ------------------------------------------------------------------- the file's own probability()


def hooked_probability(
    hook: Hook, posterior: xr.Dataset
) -> tuple[list[str], FloatArray, FloatArray]:
    """Labels, probabilities and their Monte Carlo standard errors, as a hook gives them.

    A hook returns an array over "statement", or over "chain", "draw" and "statement": one for the
    statement that holds in a draw, or shares. The error of the second kind is that of its mean;
    of the first it comes from batches: the hook is asked again of √n draws at a time.
    """
    array = _ask(hook, posterior)
    labels = _labels(array)
    if set(_SAMPLES) <= set(array.dims):
        each = _probabilities(array.transpose(*_SAMPLES, "statement").values)
        return labels, each.mean(axis=(0, 1)), nuts_monte_carlo_error(each)
    probability = _probabilities(array.values)
    return labels, probability, _batch_error(hook, posterior, labels, probability)


def hooked_leads(hook: Hook, posterior: xr.Dataset, labels: Sequence[str]) -> FloatArray:
    """What a hook says of each draw; one that speaks of all draws together says nothing of each."""
    array = _ask(hook, posterior)
    if not set(_SAMPLES) <= set(array.dims):
        raise BayescompareError(
            "probability() returns one figure for all draws; let it return one for each chain and "
            "draw, so that draws can be weighted."
        )
    each = array.transpose(*_SAMPLES, "statement").reindex(statement=list(labels), fill_value=0.0)
    return _probabilities(each.values)


def _ask(hook: Hook, posterior: xr.Dataset) -> xr.DataArray:
    try:
        array = hook(posterior)
    except Exception as error:
        raise BayescompareError(f"probability() failed: {error_in_one_line(error)}") from error
    dims = set(getattr(array, "dims", ()))
    if dims not in ({"statement"}, {*_SAMPLES, "statement"}) or "statement" not in array.coords:
        raise BayescompareError(
            "probability() must return a DataArray over 'statement', or over 'chain', 'draw' and "
            "'statement', with the statements' labels."
        )
    checked: xr.DataArray = array
    return checked


def _labels(array: xr.DataArray) -> list[str]:
    labels = [str(label) for label in array["statement"].values.tolist()]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice or not labels:
        raise BayescompareError(
            f"probability() names {', '.join(twice)} twice: name each once."
            if twice
            else "probability() names no statement."
        )
    return labels


def _probabilities(values: Any) -> FloatArray:
    """Reject what are no probabilities of statements that exclude each other."""
    p = np.asarray(values, dtype=np.float64)
    rows = p.reshape(-1, p.shape[-1])
    good = np.isfinite(rows) & (rows >= -ROUNDING) & (rows <= 1.0 + ROUNDING)
    if not good.all():
        row = rows[~good.all(axis=1)][0]
        gave = ", ".join(statistic_number_text(float(v), significant=3) or "nan" for v in row[:6])
        raise BayescompareError(f"probability() gave {gave}: each must lie between 0 and 1.")
    most = float(rows.sum(axis=1).max())
    if most > 1.0 + 1e-6:
        raise BayescompareError(
            f"probability() gave probabilities that sum to {statistic_number_text(most)}: "
            "statements exclude "
            "each other, so that they sum to at most 1."
        )
    return np.clip(p, 0.0, 1.0)


def _batch_error(
    hook: Hook, posterior: xr.Dataset, labels: list[str], probability: FloatArray
) -> FloatArray:
    """Standard error by batch means: batches of √n draws are nearly independent of each other."""
    chains, draws = (posterior.sizes[dim] for dim in _SAMPLES)
    length = math.isqrt(draws)
    batches = [
        posterior.isel(chain=[chain], draw=slice(start, start + length))
        for chain in range(chains)
        for start in range(0, draws - length + 1, length)
    ]
    try:
        arrays = [_ask(hook, part).reindex(statement=labels, fill_value=0.0) for part in batches]
    except BayescompareError as error:
        raise BayescompareError(
            f"{error} That was on some of the draws, by which its Monte Carlo error is computed; "
            "it may also return one value for each chain and draw."
        ) from None
    values = np.stack([part.values for part in arrays])
    spread = values.std(axis=0, ddof=1) if len(batches) > 1 else np.zeros(len(labels))
    # Where no batch differs from another the error is not zero but unknown: Laplace's rule.
    n = chains * draws
    safe = (probability * n + 1.0) / (n + 2.0)
    unknown = np.sqrt(safe * (1.0 - safe) / n)
    return np.where(spread > 0, spread / math.sqrt(len(batches)), unknown)
