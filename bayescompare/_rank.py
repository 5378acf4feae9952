"""The doors for places and means: `rank()`, who is best, and `gate()`, may one replace another?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from bayescompare._checks import check_word, is_number, show_checked_value
from bayescompare._compare import compare_gaps_as_failed
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._rng import Rng, as_rng
from bayescompare.ranking.answer import answer_of
from bayescompare.ranking.gate import Gate, gate_answer
from bayescompare.ranking.options import RankOptions, as_utility
from bayescompare.ranking.ranking import Ranking
from bayescompare.table.cells import MISSING, refuse_values_without_means
from bayescompare.table.given import FrameOptions, Measures, given_table
from bayescompare.table.results import Results
from bayescompare.text.names import whole_name
from bayescompare.text.phrases import join_names

__all__ = ["gate", "rank"]


def rank(
    results: Any,
    *,
    by: Literal["rank", "value", "strength"] = "rank",
    utility: Mapping[str, float | tuple[float, float]] | Literal["unknown"] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    algorithms: Sequence[str] | None = None,
    measures: Measures | None = None,
    missing: Literal["raise", "drop", "worst"] = "raise",
    rng: Rng = None,
    **frame: Unpack[FrameOptions],
) -> Ranking:
    r"""Rank the algorithms: who is best, in what place, on the front, and how sure are we?

    The datasets are resampled by the widened Bayesian bootstrap. A draw gives them, and one dataset
    more, the weights w ~ Dirichlet(a, …, a), a = (n − 4)/n, and each algorithm the score

    .. math:: S_{aj} = \sum_i w_i f_{ij}(a)

    on measure j, with f its rank on dataset i (ties share) or its value. The dataset that is added
    is one drawn at random whose algorithms are shuffled: the next may be unlike all that were seen.
    The places, the best, the Pareto front and the utilities :math:`\sum_j \lambda_j S_{aj}` of all
    draws are counted. n is the number of datasets on which not all tie (of several measures the
    least). With a = 1 and none added, Rubin's bootstrap, intervals from few datasets would be too
    narrow. Four datasets or fewer give places without intervals and no verdicts.

    Parameters
    ----------
    results : Results, frame, or arrays
        As for `compare`: a frame, or an array for each algorithm, takes `measures` as a mapping
        with directions, and the options of `Results.from_frame` (`**frame`).
    by : {"rank", "value", "strength"}
        What is averaged: the ranks on each dataset, which need no common scale but depend on who
        else is in the table, or the values themselves. "strength" is another engine: instead of
        resampling, the Plackett-Luce model of the ranks, each measure by itself, with the prior of
        the bundled model ``plackett_luce``, by importance sampling around the posterior's mode.
    utility : mapping of str to float or (float, float), or "unknown", optional
        The weight of each measure, or the bounds of its weight, or "unknown" for all weights. For
        ranks, weights are shares >= 0 that are made to sum to one. For values, a weight is what
        one unit of the measure is worth, so that a "min" measure takes a negative one.
    level : float
        Of the intervals, of the top set and of the verdicts on the front.
    draws : int
        Number of draws; every probability has its Monte Carlo standard error.
    algorithms, measures : sequence of str, optional
        What to rank; all by default.
    missing : {"raise", "drop", "worst"}
        What to do with datasets that lack a cell of any of the algorithms: refuse them, leave them
        out, or take the missing cell for a failed run, which comes behind every value (not with
        ``by="value"``, since it has no number).
    rng : None, int or Generator
        Seeds the draws; None is the seed 0, so that the same table has the same ranking.

    Returns
    -------
    Ranking

    References
    ----------
    Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9.

    Examples
    --------
    >>> import bayescompare as bc
    >>> r = bc.rank(bc.load_example("jansen-uci"), measures=["auc"], rng=0)
    >>> r.overall.index[0], r.top[:3], "CART" in r.top
    ('GBM', ('GBM', 'RF', 'GLM'), False)
    """
    whole, names = given_table(results, measures, algorithms, frame)
    table = _table_to_rank(whole, algorithms, names, missing, by)
    generator, seed = as_rng(rng, default=0)
    if seed is None:
        # Kept, so that the draws can be made again.
        seed = int(generator.integers(2**32))
    options = RankOptions(by=by, level=level, draws=draws, seed=seed)
    _refuse_what_cannot_be_scored(table, by)
    options = replace(options, utility=as_utility(utility, table, by))
    return Ranking(table, options, answer_of(table, options))


def _table_to_rank(
    results: Results,
    algorithms: Sequence[str] | None,
    measures: Sequence[str] | None,
    missing: Literal["raise", "drop", "worst"],
    by: str,
) -> Results:
    """Select what is ranked, and settle replicates and missing cells."""
    table = results.sel(algorithms=algorithms, measures=measures)
    if len(table.algorithms) < 2:
        raise BayescompareError(
            f"algorithms={list(table.algorithms)}: a ranking needs at least two."
        )
    word: object = missing  # anything at run time
    check_word("missing", word, MISSING)
    if word in ("ignore", "bounds"):
        raise BayescompareError(
            f"missing={word!r}: a dataset ranks all algorithms or none, so a ranking cannot use "
            "part of one; use missing='drop' or 'worst', or ask pairwise(), where each pair counts "
            "the datasets that it has."
        )
    independent = table.replicates in ("items", "seeds")
    single = len(table.datasets) == 1 and (table.n_replicates or 1) > 1 and independent
    if missing != "worst":
        whole = table.paired if single else table.average().complete
        return whole(missing=missing)
    if table.absent().any() and by == "value":
        raise BayescompareError(
            "missing='worst' with by='value': a failed run has no value to average; use by='rank', "
            "or leave such datasets out by missing='drop'."
        )
    if table.absent().any() and single:
        raise BayescompareError(
            "missing='worst': an algorithm has no value on the one dataset there is; leave it out "
            "by algorithms=[...]."
        )
    return table.paired() if single else compare_gaps_as_failed(table.average())


def _refuse_what_cannot_be_scored(table: Results, by: str) -> None:
    """Refuse a model of whole datasets where there is one, and means of what has none."""
    if by == "strength" and table.n_replicates is not None:
        raise BayescompareError(
            "by='strength' is a model of the ranks on datasets, and there is a single dataset: use "
            "by='rank' or by='value', which resample its items."
        )
    if by == "strength" and (table.groups is not None or table.weights is not None):
        raise BayescompareError(
            "by='strength' takes every dataset alike, and this table has domains or weights: use "
            "by='rank' or by='value'."
        )
    if by != "value":
        return
    ordinal = [name for name in table.measures if table[name].scale == "ordinal"]
    if ordinal:
        raise BayescompareError(
            f"by='value': {join_names(ordinal)} has only an order (scale='ordinal'), so its values "
            "have no mean: use by='rank'."
        )
    refuse_values_without_means(table)


def gate(
    results: Any,
    *,
    candidate: str,
    baseline: str,
    measures: Measures | None = None,
    level: float = 0.95,
    over: Literal["datasets", "items"] = "datasets",
    missing: Literal["raise", "drop"] = "raise",
    rng: Rng = None,
    **frame: Unpack[FrameOptions],
) -> Gate:
    r"""Ask whether a candidate may replace a baseline, measure by measure.

    With :math:`d_{ij}` the candidate's advantage on dataset i and measure j (replicates averaged,
    turned so that positive is better), the mean advantage has under the widened Bayesian bootstrap
    the law of

    .. math:: \Delta_j = \sum_i w_i d_{ij}, \qquad
              w \sim \mathrm{Dirichlet}(a, \dots, a), \quad a = (n - 4)/n .

    The verdict on a measure is the first that holds:

    - superior: P(Δ > 0) ≥ level;
    - not worse: P(Δ ≥ −rope) ≥ level, where the measure has a rope;
    - worse: P(Δ < −rope) ≥ level;
    - undecided.

    Probabilities and bounds are exact (by one-dimensional integrals) up to 500 datasets.

    With ``over="items"`` the datasets are fixed benchmarks of equal weight, and the items of each
    are resampled by such weights,

    .. math:: \Delta_j = \frac1B \sum_{b=1}^{B} \sum_i w_{bi} d_{bij},

    with n the number of items of the benchmark. The verdict is about these benchmarks, and nothing
    follows for others.

    Parameters
    ----------
    results : Results, frame, or arrays
        As for `compare`: a frame, or an array for each of the two, takes `measures` as a mapping
        with directions, and the options of `Results.from_frame` (`**frame`).
    candidate, baseline : str
        Two algorithms of the table.
    measures : sequence of str, optional
        The measures that count; all by default.
    level : float
        The probability that a verdict needs, between 0.5 and 1.
    over : {"datasets", "items"}
        What is resampled: the datasets, each by the mean of its replicates; or the items (or
        seeds) of each dataset, which both algorithms must have, in clusters where the table has
        these, and at least five of a dataset. A single dataset that has items or seeds is always
        judged over those. Over items the candidate is superior or worse only if the two differ on
        at least ten items of the measure: of fewer such verdicts are wrong more often than stated.
        Where the table has domains (`group`), these count alike; where it has
        weights, datasets count by them.
    missing : {"raise", "drop"}
        What to do with datasets that lack a cell of the two.
    rng : None, int or Generator
        For the draws where there are more than 500 datasets or items, or several benchmarks whose
        items are resampled; None is the seed 0.

    Returns
    -------
    Gate
        `passed` is True if every measure is superior or not worse, False if any is worse, and None
        otherwise. Fewer than five datasets decide nothing. The bounds of `table` are one-sided.

    Examples
    --------
    >>> import bayescompare as bc
    >>> frame = bc.load_example("jansen-uci").to_frame()
    >>> results = bc.Results.from_frame(
    ...     frame, measures={"auc": bc.Measure("max", rope=0.02), "brier": "min"}
    ... )
    >>> g = bc.gate(results, candidate="RF", baseline="BDS")
    >>> g.table["verdict"].to_dict(), g.passed
    ({'auc': 'not worse', 'brier': 'undecided'}, None)
    """
    if not (is_number(level) and 0.5 < level < 1.0):
        raise BayescompareError(
            f"level={show_checked_value(level)}: must be a number between 0.5 and 1."
        )
    whole, names = given_table(results, measures, [candidate, baseline], frame)
    candidate, baseline = (whole_name(name, whole.algorithms) for name in (candidate, baseline))
    table = _table_for_gate(whole, candidate, baseline, names, missing, over)
    generator, seed = as_rng(rng, default=0)
    return Gate(table, float(level), gate_answer(table, float(level), generator), seed=seed)


def _table_for_gate(
    results: Results,
    candidate: str,
    baseline: str,
    measures: Sequence[str] | None,
    missing: Literal["raise", "drop"],
    over: Literal["datasets", "items"],
) -> Results:
    """Select the two, and settle replicates and missing cells."""
    word: object = missing  # anything at run time
    if word == "worst":
        raise BayescompareError(
            "missing='worst': a failed run has no number to subtract; leave such datasets out by "
            "missing='drop', or give them the worst possible value yourself."
        )
    check_word("missing", missing, ("raise", "drop"))
    check_word("over", over, ("datasets", "items"))
    sides: dict[str, object] = {"candidate": candidate, "baseline": baseline}
    for argument, name in sides.items():
        if not isinstance(name, str) or name not in results.algorithms:
            hint = did_you_mean(str(name), results.algorithms)
            raise BayescompareError(
                f"{argument}={show_checked_value(name)}: there is no such algorithm; the table has "
                f"{join_names(results.algorithms)}.{hint}"
            )
    if candidate == baseline:
        raise BayescompareError(
            f"candidate={candidate!r} is the baseline too: name two different algorithms."
        )
    table = results.sel(algorithms=[candidate, baseline], measures=measures)
    refuse_values_without_means(table)
    ordinal = [name for name in table.measures if table[name].scale == "ordinal"]
    if ordinal:
        raise BayescompareError(
            f"{join_names(ordinal)} has only an order (scale='ordinal'), so there is no mean "
            "difference to judge: leave it out by measures=[...]."
        )
    several = (table.n_replicates or 1) > 1
    if over == "items":
        _check_items(table, several)
    single = len(table.datasets) == 1 and table.replicates in ("items", "seeds")
    whole = table.paired if over == "items" or (single and several) else table.average().complete
    return whole(missing=missing)


def _check_items(table: Results, several: bool) -> None:
    """Refuse to resample items where there are none, or folds, which share their data."""
    if table.has_statistics:
        why = "these results keep only statistics of the items: read the table with keep_items=True"
    elif not several:
        why = (
            "the table has one value in each cell: name the column of the items by replicate=, "
            "with replicates='items'"
        )
    elif table.replicates == "folds":
        why = (
            "the replicates are folds, which share training data and so are not independent: say "
            "replicates='items' or replicates='seeds' if they are that"
        )
    else:
        return
    raise BayescompareError(f"over='items': {why}.")
