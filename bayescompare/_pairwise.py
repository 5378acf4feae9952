"""`pairwise()`, the door for many questions: every pair of a table, or each against one."""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np

from bayescompare._checks import check_flag, check_jobs
from bayescompare._compare import checked_sampler, checked_table, method_of, prepared
from bayescompare._errors import BayescompareError, TooFewDatasets, did_you_mean
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.comparison import Comparison, comparison_of
from bayescompare.outcome.family import Guard
from bayescompare.outcome.method import Method, Sampling, is_bayesian
from bayescompare.outcome.nuts import announced_nuts
from bayescompare.outcome.pair_figures import LazyComparisons, tables_of_pairs
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.table.cells import Missing
from bayescompare.table.given import FrameOptions, Measures, given_table
from bayescompare.table.results import Results
from bayescompare.text.names import whole_name
from bayescompare.text.numbers import count

Pair = tuple[str, str]

#: From so many pairs on, all are answered at once, and the comparison of one when it is asked for.
_MANY = 20

#: Pairs that are answered: a thousand algorithms take minutes, and no one reads more.
_MOST = 500_000


def pairwise(
    results: Any,
    *,
    method: str | os.PathLike[str] | Method | type[Method] | Callable[..., Any] = "dirichlet",
    reference: str | None = None,
    algorithms: Sequence[str] | None = None,
    measures: Measures | None = None,
    missing: Missing = "raise",
    rng: Rng = None,
    sampler: Mapping[str, Any] | None = None,
    n_jobs: int = -1,
    progress: bool = False,
    guard: bool = True,
    **frame: Unpack[FrameOptions],
) -> Pairwise:
    """Compare every pair of algorithms, or each against a reference.

    Each pair is judged over the datasets that have its cells, so that an added algorithm changes
    no pair's answer. A model file with a strength for every algorithm is fitted once, to all of
    them over the datasets that have every cell, and each pair is read off that posterior.

    Parameters
    ----------
    results, method, algorithms, measures, missing, rng, sampler, **frame
        As for `compare`; `results` may be a frame, or an array for each algorithm.
    reference : str, optional
        Compare the others with this algorithm only.
    n_jobs : int
        For joblib; the answer is the same for any. Scale out by
        ``joblib.parallel_config(backend="dask")``.
    progress : bool
        Show a progress bar on standard error; of NUTS as for `compare`.
    guard : bool
        Whether verdicts of a Bayesian method that learns nothing from the other pairs (not where
        you gave its prior) also need the Dirichlet test with the prior learned from all pairs, on
        the same datasets: both must name the same statement. Without a guard some of many pairs
        look sure by chance: of tables of noise .45 got a verdict by ``"signed-rank"``, and with it
        .025.

    Examples
    --------
    >>> import bayescompare as bc
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), n_jobs=1)
    >>> round(float(p.matrix.sel(algorithm="GBM", opponent="CART")), 3)
    0.999
    """
    check_flag(guard=guard)
    check_jobs(n_jobs)
    asked_method = test = method_of(method)
    table, names = given_table(results, measures, algorithms, frame)
    whole = checked_table(table, test, names).sel(algorithms=algorithms)
    # Averaged once here, not for every pair, unless pairs differ in the folds that both have.
    if test.accepts.judges == "cells" and whole.averages_alike():
        whole = whole.average()
    reference = whole_name(reference, whole.algorithms)
    _refuse_very_many_pairs(whole, test, reference)
    pairs = _pairs(whole, reference)
    generator, seed = as_rng(rng, default=0)
    options = checked_sampler(sampler)
    # A method that can answer every pair from one model of all algorithms, or None, has this.
    answer_pairs = getattr(test, "answer_pairs", None)
    if len(whole.algorithms) > 2 and answer_pairs is not None:
        everyone = prepared(whole, test, None, missing)
        with announced_nuts(test, everyone, options, progress=progress) as own:
            sampling = Sampling(generator, seed=seed, options=own)
            together: list[Answer] | None = answer_pairs(everyone, pairs, sampling)
        if together is not None:
            read = zip(pairs, together, strict=True)
            comparisons = tuple(comparison_of(everyone.sel(algorithms=p), test, a) for p, a in read)
            law = _guard_of(whole, test, reference, missing) if guard else None
            return Pairwise(whole, test, comparisons, reference, guard=law)
    at_once = _in_one_pass(whole, test, pairs, reference, missing)
    if at_once is not None:
        return at_once
    asked, skipped = _prepared_pairs(whole, test, pairs, missing)
    if test.learns_from_pairs and not (whole.groups or whole.weights):
        # With a reference too, what is learned is learned from all pairs of the table.
        every = asked
        if reference is not None:
            every, _ = _prepared_pairs(whole, test, _pairs(whole, None), missing)
        test = test.learn(list(every.values()))
    tests = {pair: test.for_table(whole, pair).for_table(asked[pair]) for pair in asked}
    # One that needs NUTS, if any does.
    slow = max(asked, key=lambda pair: tests[pair].needs_mcmc)
    if tests[slow].needs_mcmc and len(asked) > 1:
        progress = bool(options.get("progressbar", progress or sys.stderr.isatty()))
    with announced_nuts(
        tests[slow], asked[slow], options, progress=progress, alone=len(asked) == 1
    ) as options:
        sampling = Sampling(generator, seed=seed, options=options)
        answers = _answers(tests, asked, sampling, n_jobs, progress)
    comparisons = tuple(comparison_of(asked[p], tests[p], answer) for p, answer in answers.items())
    taught = getattr(test, "taught", None)
    law = _guard_of(whole, asked_method, reference, missing) if guard else None
    return Pairwise(whole, asked_method, comparisons, reference, skipped, taught=taught, guard=law)


#: Options by which a user gives a prior.
_PRIORS = frozenset({"prior", "priors", "strength", "a", "b"})


def _guard_of(
    results: Results, method: Method, reference: str | None, missing: Missing
) -> Guard | None:
    """Ask the Dirichlet test, where the method learns nothing from pairs and the test would."""
    from bayescompare.methods.dirichlet import Dirichlet
    from bayescompare.methods.replicated import Replicated

    own = isinstance(method, Dirichlet | Replicated) or method.learns_from_pairs
    made: object = method  # one of your own need not be a dataclass
    options = fields(made) if is_dataclass(made) else ()
    given = any(f.name in _PRIORS and getattr(method, f.name) != f.default for f in options)
    learns = len(results.algorithms) > 2 and not (results.groups or results.weights)
    if own or given or not learns or not is_bayesian(method):
        return None
    law = pairwise(
        results.average(), method=Dirichlet(), reference=reference, missing=missing, n_jobs=1
    )
    return Guard.of(law)


def _in_one_pass(
    results: Results, method: Method, pairs: Sequence[Pair], reference: str | None, missing: Missing
) -> Pairwise | None:
    """Answer very many pairs from one pass over the table; None where the method cannot."""
    from bayescompare.methods.dirichlet import Dirichlet

    if len(pairs) < _MANY or results.n_replicates is not None:
        return None
    # A derived test may have an answer of its own.
    if not isinstance(method, Dirichlet) or type(method).answer is not Dirichlet.answer:
        return None
    gaps = results.absent().any(axis=2)
    place = {name: k for k, name in enumerate(results.algorithms)}
    wanted = np.array([[place[name] for name in pair] for pair in pairs])
    if missing == "raise" and gaps.any():
        first = int(gaps[:, wanted].any(axis=(0, 2)).argmax())
        _prepared_pairs(results, method, pairs[first : first + 1], missing)
    whole = (~gaps).astype(np.int64)
    common = whole.T @ whole
    enough = common[*wanted.T] >= method.scope.datasets
    if (missing != "drop" and gaps.any()) or not enough.any():
        return None  # which is then said in words
    every = np.array(list(itertools.combinations(range(len(place)), 2)))
    every = every[common[*every.T] >= method.scope.datasets]
    # Both are in the order of combinations.
    size = len(place)
    positions = np.searchsorted(every @ [size, 1], wanted[enough] @ [size, 1])

    from bayescompare.methods.dirichlet.at_once import dirichlet_at_once

    answered = dirichlet_at_once(method, results, every, positions)
    if answered is None:
        return None
    test, figures = answered

    def make(place: int) -> Comparison:
        asked = prepared(results, test, figures.pairs[place], missing)
        own = test.for_table(results, figures.pairs[place])
        # An exact answer draws nothing.
        return comparison_of(asked, own, own.answer(asked, Sampling(np.random.default_rng(0))))

    tables = partial(tables_of_pairs, results, figures.pairs)
    comparisons = LazyComparisons(make, tables, len(figures))
    few = [(*pairs[k], int(common[*wanted[k]])) for k in np.flatnonzero(~enough).tolist()]
    taught = getattr(test, "taught", None)
    return Pairwise(
        results, method, comparisons, reference, tuple(few), found=figures, taught=taught
    )


def _prepared_pairs(
    results: Results, method: Method, pairs: Sequence[Pair], missing: Missing
) -> tuple[dict[Pair, Results], tuple[tuple[str, str, int], ...]]:
    """Prepare every pair, and name it when that fails; apart those with too few datasets."""
    asked: dict[Pair, Results] = {}
    skipped = []
    for pair in pairs:
        try:
            asked[pair] = prepared(results, method, pair, missing)
        except BayescompareError as error:
            few = isinstance(error, TooFewDatasets) and missing != "raise"
            if not few or (pair == pairs[-1] and not asked):
                raise BayescompareError(f"{pair[0]} against {pair[1]}: {error}") from None
            skipped.append((*pair, getattr(error, "left", 0)))
    return asked, tuple(skipped)


def _answers(
    tests: Mapping[Pair, Method],
    asked: Mapping[Pair, Results],
    sampling: Sampling,
    n_jobs: int,
    progress: bool,
) -> dict[Pair, Answer]:
    """Answer every pair, one by one in parallel."""
    # One stream per pair, spawned before any work: the same answer for any number of jobs.
    streams = sampling.rng.spawn(len(asked))
    tasks = [
        (tests[pair], asked[pair], replace(sampling, rng=stream))
        for pair, stream in zip(asked, streams, strict=True)
    ]
    if len(tasks) == 1:
        # A single pair may share out its own work.
        test, results, own = tasks[0]
        alone = test.answer(results, replace(own, n_jobs=n_jobs, progress=progress))
        return dict.fromkeys(asked, alone)
    # Exact answers take a millisecond each, so they want threads.
    prefer: Literal["processes", "threads"] = "processes" if tasks[0][0].needs_mcmc else "threads"
    answers: Iterable[Answer] = run_in_parallel(
        _answer,
        tasks,
        n_jobs=n_jobs,
        prefer=prefer,
        progress=progress,
        label="comparing pairs",
    )
    return dict(zip(asked, answers, strict=True))


def _answer(method: Method, results: Results, sampling: Sampling) -> Answer:
    return method.answer(results, sampling)


def _refuse_very_many_pairs(results: Results, method: Method, reference: str | None) -> None:
    """Refuse what would take very long, and say how to ask for less."""
    pairs = math.comb(len(results.algorithms), 2)
    # With a reference too, what is learned is learned from all pairs of the table.
    if pairs > _MOST and (reference is None or method.learns_from_pairs):
        raise BayescompareError(
            f"{count(len(results.algorithms))} algorithms make {count(pairs)} pairs, and pairwise "
            f"takes up to {count(_MOST)}: choose fewer by algorithms=, ask rank, which takes them "
            "together, or name one by reference= with a method that learns nothing from the other "
            "pairs, such as 'glrt'."
        )


def _pairs(results: Results, reference: str | None) -> list[Pair]:
    names = results.algorithms
    if len(names) < 2:
        raise BayescompareError(f"algorithms={list(names)}: a comparison needs at least two.")
    if reference is not None and reference not in names:
        raise BayescompareError(
            f"reference={reference!r} is not an algorithm of these results "
            f"({', '.join(names[:12])}).{did_you_mean(str(reference), names)}"
        )
    every = itertools.combinations(names, 2)
    return [pair for pair in every if reference is None or reference in pair]
