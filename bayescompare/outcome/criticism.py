"""Criticism of an answer: predictive checks, and what other priors, ropes and more data make of it.

A sampled answer under another prior, or with more data, is read off its own draws, reweighted:
Pareto-smoothed weights and their errors (Vehtari, Simpson, Gelman, Yao & Gabry 2024, JMLR 25(72)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from bayescompare._checks import (
    MOST_COUNT,
    check_count,
    check_flag,
    is_number,
    is_whole,
    show_checked_value,
)
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.outcome import registry
from bayescompare.outcome.diagnosis import MOST_KHAT, check_tree, shown_in_tree
from bayescompare.outcome.method import Sampling, is_bayesian
from bayescompare.outcome.posterior import FACTORS
from bayescompare.outcome.registry import has_ability
from bayescompare.prior import POWER
from bayescompare.statements import OTHER, OUTCOME, Statement
from bayescompare.text.numbers import (
    count,
    plural,
    setting_number_text,
    statistic_number_text,
    whole_number_text,
)

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.outcome.comparison import Comparison


# predictive checks --------------------------------------------------------------------------------

#: A statistic's name → its values in predicted data and in those seen (there one for each
#: prediction where ties are broken by chance).
Statistics = Mapping[str, Sequence[Any]]


def predictive_check(
    c: Comparison, tree: xr.DataTree, *, prior: bool = False, rng: Rng = None
) -> pd.DataFrame:
    """Compare statistics of the data with those of data that the model predicts."""
    check_flag(prior=prior)
    generator, _ = as_rng(rng)
    group = "prior_predictive" if prior else "posterior_predictive"
    lack = c.posterior.lacks.get(group)
    check_tree(tree, group, why="" if lack is None else f"check: {lack.why}")
    check_tree(tree, "observed_data")
    own = getattr(c.posterior, "statistics", None)
    statistics = None if own is None else own(tree, generator, prior=prior)
    if statistics is None:
        statistics = _usual_statistics(c, tree, group, generator)
    rows = {}
    for label, (predicted, observed) in statistics.items():
        low, high = np.quantile(predicted, (0.025, 0.975))
        above = float(np.mean(predicted > observed) + 0.5 * np.mean(predicted == observed))
        rows[label] = (np.mean(observed), predicted.mean(), low, high, above)
    heads = ["observed", "predicted", "lower", "upper", "p"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=heads).rename_axis("statistic")


def _usual_statistics(
    c: Comparison, tree: xr.DataTree, group: str, rng: np.random.Generator
) -> Statistics:
    """Statistics that suit what was observed: statements, counts of errors, or anything."""
    drawn, seen = tree[group].to_dataset(), tree["observed_data"].to_dataset()
    (first, *_) = map(str, seen.data_vars)
    shown, shown_drawn = (shown_in_tree(tree, each) for each in ("observed_data", group))
    if first == OUTCOME and shown is not None and shown_drawn is not None:
        return _of_statements(c, shown_drawn, shown, rng, prior=group == "prior_predictive")
    if "constant_data" in tree and "discordant" in tree["constant_data"]:
        n = np.asarray(tree["constant_data"].to_dataset()["discordant"].values, dtype=np.float64)
        return _of_counts(n, *_values(drawn[first], seen[first]))
    found = {}
    for name in map(str, seen.data_vars):
        predicted, observed = _values(drawn[name], seen[name])
        predicted = predicted.reshape(len(predicted), -1)
        for label, of in _OF_ANYTHING.items():
            found[f"{label} of {name}"] = (of(predicted, axis=1), float(of(observed)))
    return found


#: Of what the user's model observes: mean, spread and extremes.
_OF_ANYTHING: Mapping[str, Callable[..., Any]] = {
    "mean": np.mean,
    "standard deviation": np.std,
    "least": np.min,
    "greatest": np.max,
}


def _values(drawn: xr.DataArray, seen: xr.DataArray) -> tuple[FloatArray, FloatArray]:
    """What was predicted, a row for each draw, and what was observed."""
    predicted = drawn.transpose("chain", "draw", *seen.dims).values.astype(np.float64)
    return predicted.reshape(-1, *predicted.shape[2:]), seen.values.astype(np.float64)


def _of_statements(
    c: Comparison,
    drawn: xr.DataArray,
    seen: xr.DataArray,
    rng: np.random.Generator,
    *,
    prior: bool,
) -> Statistics:
    """Number of distinct statements, and wins of the first algorithm on each measure."""
    predicted, observed = _values(drawn, seen.transpose("dataset", "statement"))
    labels = [str(label) for label in seen["statement"].values.tolist()]
    # Predictions hold one statement each, and a tie split over several is not what they are like:
    # for each of them, chance says which statement every dataset shows.
    ends = np.cumsum(observed, axis=1)
    at = rng.random((len(predicted), len(observed), 1)) * ends[:, -1:]
    shown = np.eye(observed.shape[1])[(at >= ends).sum(axis=-1)]
    counts = predicted.sum(axis=1), shown.sum(axis=1)
    if OTHER in labels:
        # Lumped statements cannot be distinguished: neither who wins nor how many there are.
        kept = [k for k, label in enumerate(labels) if label != OTHER]
        if prior:
            raise BayescompareError(
                "check: beyond 256 statements the prior predicts mostly statements that are not "
                "listed, so there is no statistic to compare; use fewer algorithms or measures."
            )
        return {"largest count of a listed statement": [n[:, kept].max(axis=1) for n in counts]}
    statistics: dict[str, Sequence[Any]] = {
        "distinct statements": [(n > 0).sum(axis=1).astype(np.float64) for n in counts],
        "largest count": [n.max(axis=1) for n in counts],
    }
    first, leaders = c.results.algorithms[0], [Statement.parse(label).leaders for label in labels]
    for j, measure in enumerate(c.results.measures):
        leads = np.array([len(each) > j and each[j] == first for each in leaders], dtype=np.float64)
        statistics[f"{first} best on {measure}"] = [n @ leads for n in counts]
    return statistics


def _of_counts(n: FloatArray, predicted: FloatArray, observed: FloatArray) -> Statistics:
    """Of counts of errors: datasets won, the overall share, and how much the shares vary."""
    some = np.maximum(n, 1.0)
    statistics: dict[str, Callable[[FloatArray], Any]] = {
        "datasets with fewer errors of the first": lambda k: (2.0 * k < n).sum(axis=-1),
        "share of errors that are the first's": lambda k: k.sum(axis=-1) / max(n.sum(), 1.0),
        "spread of that share over datasets": lambda k: (k / some).std(axis=-1),
    }
    return {
        name: (np.ravel(of(predicted)).astype(np.float64), float(of(observed)))
        for name, of in statistics.items()
    }


# other priors -------------------------------------------------------------------------------------


def prior_sensitivity(c: Comparison, values: Sequence[float] | None = None) -> pd.DataFrame:
    """Repeat the comparison with weaker and stronger priors; statements are columns."""
    if reason := no_prior_weight(c):
        raise BayescompareError(f"sensitivity: {reason}")
    chosen = None if values is None else _numbers("values", values)
    if chosen is not None and not (chosen > 0).all():
        raise BayescompareError(f"values={values!r}: give finite numbers > 0.")
    other_priors = getattr(c.posterior, "under_other_priors", None)
    varied: pd.DataFrame | None = None if other_priors is None else other_priors(chosen)
    if varied is None and _has_weight_option(c):
        return _under_other_options(c, FACTORS if chosen is None else chosen)
    return _power_scaled(c, chosen) if varied is None else varied


def no_prior_weight(c: Comparison) -> str:
    """Why the weight of a method's prior cannot be varied; nothing where it can."""
    if has_ability(type(c.method), "sensitivity"):
        return c.posterior.why_not("sensitivity")
    known = registry.names()
    able = ", ".join(name for name in known if has_ability(registry.get(name), "sensitivity"))
    return (
        f"method {c.method.name!r} has no weight of its prior to vary (methods with one: {able})."
    )


def _has_weight_option(c: Comparison) -> bool:
    exact = not c.method.needs_mcmc and c.answer.tree is None
    return exact and c.posterior.weighed_by is not None


def _under_other_options(c: Comparison, values: FloatArray) -> pd.DataFrame:
    """Answer again with other values of the option that weighs the prior."""
    method: Any = c.method
    option = str(c.posterior.weighed_by)
    rest = {k: v for k, v in (getattr(method, "priors", None) or {}).items() if k != option}
    rows = []
    for value in values.tolist():
        try:
            weighed = replace(method, **{option: value}, priors=rest or None)
        except BayescompareError as error:
            raise BayescompareError(
                f"sensitivity: the weight of this prior cannot be varied by {option}: {error}"
            ) from None
        found = weighed.answer(c.results, Sampling(np.random.default_rng(0), seed=0))
        rows.append(dict(zip(found.labels, map(float, found.probability), strict=True)))
    return pd.DataFrame(rows, index=pd.Index(values, name=option)).fillna(0.0)


#: What the attribute "how" of a table of powers says.
POWER_SCALING = "power scaling"
#: Powers that are tried unless others are asked for; those whose weights fail are left out.
_USUAL_POWERS = np.geomspace(0.5, 2.0, 9)


def _power_scaled(c: Comparison, values: FloatArray | None) -> pd.DataFrame:
    """Tabulate every statement's P by the power of the prior.

    The attributes of the table hold, for each row, k-hat of the weights, how many draws they are
    worth (ess), and the largest Monte Carlo standard error of the statements (mcse).
    """
    log_prior = _log_prior(c._kept("sensitivity"))
    each = leads_for_reweighting(c, "sensitivity")
    rows, kept, left_out = {}, [], {}
    for power in (_USUAL_POWERS if values is None else values).tolist():
        weights = smoothed_reweighting((power - 1.0) * log_prior)
        if not weights.hold:
            left_out[power] = weights
            continue
        rows[power] = weights.mean(each)
        kept.append((weights.khat, weights.effective, float(weights.error(each).max())))
    if left_out and (values is not None or not rows):
        power, weights = next(iter(left_out.items()))
        raise BayescompareError(
            f"sensitivity: the draws cannot be reweighted to power {setting_number_text(power)} of "
            f"the prior: k-hat is {statistic_number_text(weights.khat, significant=2) or 'unknown'}"
            f" (at most {MOST_KHAT}), and the weights are worth {count(round(weights.effective))} "
            f"of {count(weights.values.size)} draws (at least {LEAST_EFFECTIVE}). Ask for values "
            "nearer to 1, sample more draws, or compare() with another prior."
        )
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(c.answer.labels))
    table.index.name = POWER
    figures = map(list, zip(*kept, strict=True))
    table.attrs = dict(zip(("khat", "ess", "mcse"), figures, strict=True))
    table.attrs.update(how=POWER_SCALING, left_out=list(left_out))
    return table


def _log_prior(tree: xr.DataTree | None) -> FloatArray:
    """Log density of all priors at the top of the hierarchy, (chain, draw)."""
    if tree is None or "log_prior" not in tree:
        raise BayescompareError(
            "sensitivity: the tree of this answer has no group log_prior to scale; compare() again."
        )
    densities = tree["log_prior"].to_dataset()
    top = densities.attrs.get("top_level", list(densities.data_vars))
    names = [name for name in np.atleast_1d(top).tolist() if name in densities.data_vars]
    if not names:
        raise BayescompareError(
            "sensitivity: no parameter of this model has a prior density to scale."
        )
    each = (densities[name] for name in names)
    summed = [d.sum([dim for dim in d.dims if dim not in ("chain", "draw")]) for d in each]
    return np.asarray(sum(d.transpose("chain", "draw").values for d in summed))


# other ropes --------------------------------------------------------------------------------------


def rope_sensitivity(
    c: Comparison, measure: str, ropes: Sequence[float] | None = None
) -> pd.DataFrame:
    """Repeat the comparison with other ropes on a measure; statements are columns."""
    spec = c.results[measure]  # refuses an unknown one, and says which there are
    if reason := no_rope(c):
        raise BayescompareError(f"rope_sensitivity: {reason}")
    if ropes is None:
        # From none to the largest difference on a dataset (of replicates: of their pairs).
        values = c.results.data[measure].transpose("dataset", "algorithm", ...).values
        gap = float(np.nanmax(np.abs(values[:, 0] - values[:, 1])))
        chosen = np.linspace(0.0, gap or 1.0, 21)
    else:
        chosen = _numbers("ropes", ropes)
    if not (chosen >= 0).all():
        raise BayescompareError(f"ropes={ropes!r}: a rope is a number >= 0.")
    # What was learned knows the states of the measures as they were.
    method, rows = c.method.learn(()), []
    for rope in chosen.tolist():
        changed = {**c.results.spec, measure: replace(spec, rope=rope)}
        table = c.results._with(spec=changed)
        answer = method.answer(table, Sampling(np.random.default_rng(0), seed=0))
        assert answer.probability is not None
        rows.append(dict(zip(answer.labels, answer.probability, strict=True)))
    return pd.DataFrame(rows, index=pd.Index(chosen.tolist(), name="rope")).fillna(0.0)


def no_rope(c: Comparison) -> str:
    """Why the rope of an answer cannot be varied; nothing where it can."""
    if len(c.results.algorithms) != 2:
        return "a rope is about two algorithms."
    if c.method.needs_mcmc:
        return "the answer must not need NUTS."
    if not is_bayesian(c.method) or c.method.accepts.judges == "counts" or c.method.scope.question:
        return (
            f"method {c.method.name!r} has no probability of equivalence for a rope to change; "
            "ask 'dirichlet', 'network' or 'correlated-t'."
        )
    return c.posterior.why_not("rope_sensitivity")


def _numbers(name: str, value: object) -> FloatArray:
    """Read a list of finite numbers."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    listed = not isinstance(value, str) and numbers.ndim == 1
    if not listed or not len(numbers) or not np.isfinite(numbers).all():
        raise BayescompareError(f"{name}={value!r}: give a list of finite numbers.")
    return numbers


# draws, reweighted --------------------------------------------------------------------------------

#: Draws that weights must be worth.
LEAST_EFFECTIVE = 50
#: Weights that vary less, in logarithms, are all equal; fewer draws have no tail to be fitted; and
#: a draw under which the data are impossible has this log weight, and so none that counts.
_CONSTANT, _FEWEST, _IMPOSSIBLE = 1e-12, 25, -1e4


class ReweightingWeights(NamedTuple):
    """Smoothed weights of draws.

    Attributes
    ----------
    values : array (chain, draw)
        They sum to one.
    khat : float
        Shape of their tail; above 0.7 the weights fail.
    effective : float
        How many equally weighted draws they are worth.
    """

    values: FloatArray
    khat: float
    effective: float

    @property
    def hold(self) -> bool:
        """Whether what is averaged by them can be trusted."""
        return self.khat <= MOST_KHAT and self.effective >= LEAST_EFFECTIVE

    def mean(self, each: FloatArray) -> FloatArray:
        """Average (chain, draw, statement) over the draws."""
        return np.asarray(np.einsum("cd,cds->s", self.values, each))

    def error(self, each: FloatArray) -> FloatArray:
        """Monte Carlo standard error of `mean`, the draws' autocorrelation included.

        Where no draw differs from another the error is not zero but unknown; Laplace's rule for as
        many draws as the weights are worth bounds it.
        """
        import arviz as az
        import xarray as xr

        mean, n = self.mean(each), self.values.size
        terms = n * self.values[..., None] * (each - mean)
        mcse = az.mcse(xr.DataArray(terms, dims=("chain", "draw", "statement")), method="mean")
        found = np.asarray(mcse.values)
        p = (mean * self.effective + 1.0) / (self.effective + 2.0)
        unknown = np.sqrt(np.maximum(p * (1.0 - p), 0.0) / self.effective)
        return np.where(np.isfinite(found) & (found > 0), found, unknown)


def smoothed_reweighting(log_weights: FloatArray) -> ReweightingWeights:
    """Smooth the largest weights by a generalised Pareto distribution; equal ones stay as they are.

    Examples
    --------
    >>> weights = smoothed_reweighting(np.zeros((2, 50)))
    >>> float(weights.values.sum().round(12)), weights.khat, round(weights.effective)
    (1.0, 0.0, 100)
    """
    # What does the work in arviz-stats is not declared as public to type checkers.
    array_stats: Any = import_module("arviz_stats.base").array_stats
    known = np.where(np.isnan(log_weights), -np.inf, log_weights)
    logs = np.maximum(known, known.max() + _IMPOSSIBLE)
    if float(np.ptp(logs)) < _CONSTANT:
        return ReweightingWeights(np.full(logs.shape, 1.0 / logs.size), 0.0, float(logs.size))
    relative = float(array_stats.ess(logs, method="tail", relative=True, prob=(0.05, 0.95)))
    # Beyond 1, as of draws that alternate, fewer draws would make the tail than can be fitted.
    independent = min(relative, 1.0) if np.isfinite(relative) else 1.0
    smooth, khat = logs.ravel(), np.inf
    if logs.size >= _FEWEST:
        try:
            # ArviZ takes the negative, as of a log likelihood.
            smooth, khat = array_stats.psislw(-smooth, r_eff=independent)
        except ValueError:
            # All draws of the tail have the same weight: it ends there, and needs no smoothing.
            khat = 0.0
    weights = np.exp(smooth - smooth.max())
    weights = (weights / weights.sum()).reshape(logs.shape)
    return ReweightingWeights(weights, float(khat), 1.0 / float((weights**2).sum()))


def leads_for_reweighting(c: Comparison, asked: str) -> FloatArray:
    """P(each statement leads) given each draw, which averages to the answer."""
    each = c.posterior.leads()
    assert c.answer.probability is not None
    if not np.allclose(each.mean(axis=(0, 1)), c.answer.probability, atol=1e-6):
        raise BayescompareError(
            f"{asked}: the draws kept with this answer do not say what it says, so they cannot be "
            "reweighted; compare() again."
        )
    return each


# more data ----------------------------------------------------------------------------------------

#: From so many simulated datasets (or times as many replicates) to P of every statement.
Simulate = Callable[[Any, np.random.Generator], FloatArray]


def check_plan(more: object, threshold: object, simulations: object) -> list[int]:
    """Check the arguments of ``plan``; return the numbers of further datasets."""
    wanted = "numbers of further datasets, each"
    numbers = _numbers_to_plan("more", more, wanted, lambda each: is_whole(each) and each >= 1)
    if not (is_number(threshold) and 0.5 < threshold < 1.0):
        raise BayescompareError(f"threshold={threshold!r}: must lie between 0.5 and 1.")
    check_count(simulations=simulations)
    return [int(number) for number in numbers]


def check_planning_factors(more: object, replicates: object) -> list[float]:
    """Check the factors by which ``plan`` multiplies replicates."""
    if more is not None:
        raise BayescompareError(
            f"more={show_checked_value(more)} and replicates={show_checked_value(replicates)}: "
            "plan more datasets or more replicates, one at a time."
        )
    wanted = "factors by which to multiply the replicates of every dataset, each"
    return _numbers_to_plan("replicates", replicates, wanted, lambda each: each >= 1.0)


def _numbers_to_plan(
    name: str, given: object, wanted: str, holds: Callable[[float], bool]
) -> list[float]:
    listed = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str)
    numbers: list[Any] = list(given) if listed else [given]  # type: ignore[call-overload]
    if not numbers:
        raise BayescompareError(f"{name}=[]: give at least one number.")
    if not all(is_number(each) and holds(each) and each <= MOST_COUNT for each in numbers):
        raise BayescompareError(
            f"{name}={show_checked_value(given)}: give {wanted} >= 1 and at most "
            f"{whole_number_text(MOST_COUNT)}."
        )
    return [float(each) for each in numbers]


def plan_table(
    simulate: Simulate,
    best: int,
    more: Sequence[float],
    threshold: float,
    simulations: int,
    rng: np.random.Generator,
    *,
    name: str = "more",
) -> pd.DataFrame:
    """Tabulate how often so many further datasets, or replicates, settle the question.

    Parameters
    ----------
    simulate : callable
        Adds so many datasets to those seen and returns every statement's P.
    best : int
        Which statement leads now.
    more, threshold, simulations, rng
        As for `Comparison.plan`.
    name : str
        What the numbers are called.
    """
    rows = []
    for number in more:
        reached = np.empty((simulations, 2))
        for k, stream in enumerate(rng.spawn(simulations)):
            p = simulate(number, stream)
            reached[k] = p.max() >= threshold, p[best] >= threshold
        settled, on_best = reached.mean(axis=0)
        # Laplace's rule keeps the error of 0 and 1 from being none.
        smooth = (settled * simulations + 1.0) / (simulations + 2.0)
        error = math.sqrt(smooth * (1.0 - smooth) / simulations)
        rows.append((number, settled, on_best, error))
    heads = [name, "settled", "settled_on_best", "mcse"]
    return pd.DataFrame(rows, columns=heads).set_index(name)


#: The share of simulations whose weights may fail; it counts as error.
_MOST_FAILED = 0.05


def reweighted_plan(
    c: Comparison,
    best: int,
    more: Sequence[int],
    threshold: float,
    simulations: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Tabulate how often so many further datasets settle the question; see `Comparison.plan`.

    Predicted datasets are added by weights; it gives up where too many of these fail.
    """
    posterior: Any = c.posterior
    weigh, each = posterior.likelihood_of_more(), leads_for_reweighting(c, "plan")
    effective: list[float] = []
    failed = 0

    def simulate(number: int, rng: np.random.Generator) -> FloatArray:
        nonlocal failed
        weights = smoothed_reweighting(weigh(number, rng))
        effective.append(weights.effective)
        failed += not weights.hold
        if failed > max(1.0, _MOST_FAILED * simulations):
            held = more[: len(parts)]
            fine = f" (here {max(held)} is fine)" if held else ""
            raise BayescompareError(
                f"plan: {plural(number, 'more dataset')} would move the posterior too far for its "
                f"{count(each[..., 0].size)} draws to be reweighted: in "
                f"{plural(failed, 'simulation')} of the first {count(len(effective))}, k-hat is "
                f"above {MOST_KHAT} or fewer than {LEAST_EFFECTIVE} draws are left. Ask for fewer "
                f"datasets{fine}, or sample more draws (sampler={{'draws': ...}})."
            )
        return weights.mean(each)

    parts, shares, ess = [], [], []
    for number in more:
        effective.clear()
        failed = 0
        parts.append(plan_table(simulate, best, [number], threshold, simulations, rng))
        shares.append(failed / simulations)
        ess.append(float(np.median(effective)))
    table = pd.concat(parts)
    table["mcse"] = np.hypot(table["mcse"], shares)
    table.attrs.update(how="reweighted draws", failed=shares, ess=ess)
    return table
