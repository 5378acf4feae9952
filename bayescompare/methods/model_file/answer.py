"""From a model's posterior to statements: which leads, by θ, by strengths or by who beats whom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import BoolArray, FloatArray
from bayescompare.kernels.leading import (
    exceeds_to_lead,
    parts_of_draws,
    parts_of_orders,
    sole_leader,
    strict_order,
)
from bayescompare.outcome.answer import PROBABILITY, Answer, Facts, theta_columns
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
class ModelDetails(Facts):
    """The model, and all algorithms that it was of where a pair was read from it.

    And P(each algorithm is ahead of each on every measure), where the model has strengths.
    """

    ahead: tuple[tuple[float, ...], ...] | None = None
    model: str
    title: str
    together: tuple[str, ...] | None = None


#: Where no file is known.
UNKNOWN = ModelDetails(model="", title="")


class Leading(NamedTuple):
    """Which statement leads in each draw: `each` (chain, draw, statement); `none` is of no draw.

    `whole` says that the statements are whole orders, and not who is first of many.
    """

    labels: list[str]
    each: FloatArray
    none: float
    whole: bool = True

    def of(self, labels: Sequence[str]) -> FloatArray:
        """The same of these statements; one that is not listed leads in no draw."""
        out, place = np.zeros((*self.each.shape[:2], len(labels))), list(labels)
        for k, label in enumerate(self.labels):
            if label in place:
                out[..., place.index(label)] = self.each[..., k]
        return out


def leading(values: xr.DataArray) -> Leading:
    """Read who leads off draws of a quantity, by its dims."""
    if "statement" in values.dims:
        drawn = values.transpose(*_SAMPLES, "statement")
        each = sole_leader(drawn.values)
        labels = [str(label) for label in drawn["statement"].values.tolist()]
        return Leading(labels, each.astype(np.float64), float(1.0 - each.any(axis=-1).mean()))
    if "opponent" in values.dims:
        # The strength of each is its mean probability of beating the others.
        values = values.where(values["algorithm"] != values["opponent"]).mean("opponent")
    return _orderings(values)


def _orderings(strength: xr.DataArray) -> Leading:
    """Order by strength, measure by measure; of too many orderings who is first on each.

    A draw in which two algorithms share a listed place has no ordering, and counts for none.
    """
    over = ("measure",) if "measure" in strength.dims else ()
    names = [str(name) for name in strength["algorithm"].values.tolist()]
    values = strength.transpose(*_SAMPLES, *over, "algorithm").values
    values = values.reshape(*values.shape[:2], -1, len(names))
    measures = values.shape[2]
    whole = math.factorial(len(names)) ** measures <= _MOST
    places, rest = (len(names), ()) if whole else (1, (OTHERS,))
    order, alone = strict_order(values, places)
    strict: BoolArray = alone.all(axis=-1)
    seen = order[..., :places][strict].reshape(-1, measures * places)
    rows, place, counts = np.unique(seen, axis=0, return_inverse=True, return_counts=True)
    kept = np.argsort(-counts, kind="stable")[:_MOST]
    each = np.zeros((*strict.shape, len(kept)))
    each[strict] = place.reshape(-1, 1) == kept
    labels = [
        str(Statement.of(*(State.order(*(names[a] for a in orders), *rest) for orders in row)))
        for row in rows[kept].reshape(-1, measures, places).tolist()
    ]
    found = Leading(labels, each, float(1.0 - strict.mean()), whole)
    if labels and not (whole and len(names) == 2):
        return found
    # Those that no draw has are listed, too.
    states = [State.order(*orders, *rest) for orders in itertools.permutations(names, places)]
    every = [
        str(Statement.of(*each))
        for each in (
            itertools.product(states, repeat=measures)
            if whole
            else ((state,) * measures for state in states[:_MOST])
        )
    ]
    return found._replace(labels=every, each=found.of(every))


def read_quantity(
    results: Results, values: xr.DataArray, details: ModelDetails = UNKNOWN
) -> Answer:
    """Read the answer off draws of a quantity, and of strengths who is ahead of whom."""
    import xarray as xr

    _check_draws(values)
    found, columns = leading(values), dict[str, FloatArray]()
    p, mcse = found.each.mean(axis=(0, 1)), nuts_monte_carlo_error(found.each)
    counts = None if found.whole else _first_counts(results, found.labels)
    parsed = _by_measure(results, found.labels)
    states = [np.unique(list(map(str, each)), return_inverse=True)[1] for each in parsed]
    parts = {}
    if "statement" in values.dims:
        theta = values.transpose(*_SAMPLES, "statement").values
        low, high = np.quantile(theta, (0.025, 0.975), axis=(0, 1))
        columns = theta_columns(theta.mean(axis=(0, 1)), low, high)
        if len(states) > 1:
            parts[PROBABILITY] = parts_of_draws(theta, np.stack(states, axis=1))
    else:
        turned = {"algorithm": "opponent", "opponent": "algorithm"}
        others = values.rename({name: turned[name] for name in turned if name in values.dims})
        beats = xr.apply_ufunc(exceeds_to_lead, values, others)
        over = [dim for dim in beats.dims if dim not in ("algorithm", "opponent", *_SAMPLES)]
        matrix = beats.all(over).mean(_SAMPLES).transpose("algorithm", "opponent")
        ahead = tuple(tuple(row) for row in matrix.values.tolist())
        details = replace(details, ahead=ahead)
        if len(states) > 1:
            parts[PROBABILITY] = parts_of_orders(p, np.stack(states, axis=1))
    figures = {"per_statement": columns, "parts": parts, "none_leads": found.none}
    return _answer(results, found.labels, p, mcse, counts, facts=details, **figures)


def read_probability(
    results: Results, hook: Hook, posterior: xr.Dataset, details: ModelDetails = UNKNOWN
) -> Answer:
    """Take the statements' probabilities as a model file's own function gives them."""
    labels, probability, mcse = hooked_probability(hook, posterior)
    left = 1.0 - float(probability.sum())
    left = left if left > ROUNDING else 0.0
    return _answer(results, labels, probability, mcse, facts=details, none_leads=left)


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


def _by_measure(results: Results, labels: Sequence[str]) -> list[tuple[State, ...]]:
    """The state of each measure in every statement; nothing where they name other questions."""
    parsed = [Statement.parse(label).states for label in labels]
    usual = all(len(states) == len(results.measures) for states in parsed)
    return list(zip(*parsed, strict=True)) if usual else []


def _answer(
    results: Results,
    labels: list[str],
    probability: FloatArray,
    mcse: FloatArray,
    counts: FloatArray | None = None,
    **figures: Any,
) -> Answer:
    counts = _counts(results, labels) if counts is None else counts
    return Answer(
        labels=tuple(labels),
        states=tuple(tuple(map(str, states)) for states in _by_measure(results, labels)),
        counts=counts,
        n_statements=len(labels),
        n_observed=int((counts > 0).sum()),
        probability=probability,
        mcse=mcse,
        **figures,
    )


def _first_counts(results: Results, labels: Sequence[str]) -> FloatArray | None:
    """Weight of the datasets on which these are first; who tie for it share it."""
    states = _by_measure(results, labels)
    if results.n_replicates is not None or not states:
        return None
    values = results.oriented()
    first = values == values.max(axis=1, keepdims=True)
    weight = first / first.sum(axis=1, keepdims=True)
    out = np.ones((len(values), len(labels)))
    for j, each in enumerate(states):
        out *= weight[:, [results.algorithms.index(str(state.leader)) for state in each], j]
    return np.asarray(out.sum(axis=0))


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
    labels = [str(label) for label in array["statement"].values.tolist()]
    if "draw" in array.dims:
        return labels, array.values.mean(axis=(0, 1)), nuts_monte_carlo_error(array.values)
    return labels, array.values, _batch_error(hook, posterior, labels, array.values)


def hooked_leads(hook: Hook, posterior: xr.Dataset, labels: Sequence[str]) -> FloatArray:
    """What a hook says of each draw; one that speaks of all draws together says nothing of each."""
    array = _ask(hook, posterior)
    if "draw" not in array.dims:
        raise BayescompareError(
            "probability() returns one figure for all draws; let it return one for each chain and "
            "draw, so that draws can be weighted."
        )
    return np.asarray(array.reindex(statement=list(labels), fill_value=0.0))


def _ask(hook: Hook, posterior: xr.Dataset) -> xr.DataArray:
    """Call a hook, and refuse what are no probabilities of statements that exclude each other."""
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
    labels = [str(label) for label in array["statement"].values.tolist()]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice or not labels:
        raise BayescompareError(
            f"probability() names {', '.join(twice)} twice: name each once."
            if twice
            else "probability() names no statement."
        )
    checked: xr.DataArray = array.transpose(..., "statement").astype(np.float64)
    rows = checked.values.reshape(-1, len(labels))
    good = (rows >= -ROUNDING) & (rows <= 1.0 + ROUNDING)  # NaN is neither
    if not good.all():
        row = rows[~good.all(axis=1)][0]
        gave = ", ".join(statistic_number_text(float(v), significant=3) or "nan" for v in row[:6])
        raise BayescompareError(f"probability() gave {gave}: each must lie between 0 and 1.")
    most = float(rows.sum(axis=1).max())
    if most > 1.0 + 1e-6:
        raise BayescompareError(
            f"probability() gave probabilities that sum to {statistic_number_text(most)}: "
            "statements exclude each other, so that they sum to at most 1."
        )
    return checked.transpose(*(d for d in _SAMPLES if d in dims), "statement").clip(0.0, 1.0)


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
