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
from bayescompare._compare import (
    check_sampler_to_compare,
    method_to_compare_by,
    prepare_to_compare,
    validate_compared_table,
)
from bayescompare._errors import BayescompareError, TooFewDatasets, did_you_mean
from bayescompare._parallel import run_in_parallel, track_parallel_work
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import IntArray
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.family import Guard
from bayescompare.outcome.method import AnswersPairs, Method, Sampling, is_bayesian
from bayescompare.outcome.method_checks import comparison_of
from bayescompare.outcome.nuts import announced_nuts
from bayescompare.outcome.pair_figures import LazyComparisons, PairFigures, tables_of_pairs
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.table.cells import Missing
from bayescompare.table.given import FrameOptions, Measures, given_table
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

__all__ = ["pairwise"]

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
    asked_method = test = method_to_compare_by(method)
    # Averaged once here, not for every pair.
    table, names = given_table(results, measures, algorithms, frame)
    whole = validate_compared_table(table, test, names).sel(algorithms=algorithms)
    # Averaged once here, not for every pair, unless pairs differ in the folds that both have.
    if test.accepts.judges == "cells" and whole.averages_alike():
        whole = whole.average()
    _refuse_very_many_pairs(whole, test, reference)
    pairs = _pairs_for_pairwise(whole, reference)
    generator, seed = as_rng(rng, default=0)
    options = check_sampler_to_compare(sampler)
    if len(whole.algorithms) > 2 and isinstance(test, AnswersPairs):
        everyone = prepare_to_compare(whole, test, None, missing)
        with announced_nuts(test, everyone, options, progress=progress) as own:
            sampling = Sampling(generator, seed=seed, options=own)
            together = test.answer_pairs(everyone, pairs, sampling)
        if together is not None:
            read = zip(pairs, together, strict=True)
            comparisons = tuple(comparison_of(everyone.sel(algorithms=p), test, a) for p, a in read)
            law = _guard_of(whole, test, reference, missing) if guard else None
            return Pairwise(whole, test, comparisons, reference, guard=law)
    check_jobs(n_jobs)
    at_once = _pairwise_in_one_pass(whole, test, pairs, reference, missing)
    if at_once is not None:
        return at_once
    asked, skipped = _prepare_pairs_for_pairwise(whole, test, pairs, missing)
    if test.learns_from_pairs and not (whole.groups or whole.weights):
        # With a reference too, what is learned is learned from all pairs of the table.
        every = (
            asked
            if reference is None
            else _prepare_pairs_for_pairwise(
                whole, test, _pairs_for_pairwise(whole, None), missing
            )[0]
        )
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
        answers = _answer_pairwise(tests, asked, sampling, n_jobs, progress)
    comparisons = tuple(
        comparison_of(asked[pair], tests[pair], answer) for pair, answer in answers.items()
    )
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


def _pairwise_in_one_pass(
    results: Results,
    method: Method,
    pairs: Sequence[Pair],
    reference: str | None,
    missing: Missing,
) -> Pairwise | None:
    """Answer very many pairs from one pass over the table; None where the method cannot."""
    gaps = results.absent().any(axis=2)
    at_once = getattr(method, "answer_at_once", None)
    cells = method.accepts.judges == "cells" and results.n_replicates is None
    if len(pairs) < _MANY or not cells or at_once is None:
        return None
    place = {name: k for k, name in enumerate(results.algorithms)}
    wanted = np.array([[place[name] for name in pair] for pair in pairs])
    if missing == "raise" and gaps.any():
        first = int(gaps[:, wanted].any(axis=(0, 2)).argmax())
        _prepare_pairs_for_pairwise(results, method, pairs[first : first + 1], missing)
    if missing != "drop" and gaps.any():
        return None
    whole = (~gaps).astype(np.int64)
    common = whole.T @ whole
    enough = common[*wanted.T] >= method.scope.datasets
    every = np.array(list(itertools.combinations(range(len(place)), 2)))
    every = every[common[*every.T] >= method.scope.datasets]
    if not enough.any():
        return None  # which is then said in words
    answered = at_once(results, every, _positions_of_pairwise(every, wanted[enough]))
    if answered is None:
        return None
    skipped = [
        (*pair, int(common[*at]))
        for pair, at, kept in zip(pairs, wanted, enough, strict=True)
        if not kept
    ]
    test, figures = answered
    comparisons = _pairwise_when_asked_for(results, test, figures, missing)
    taught = getattr(test, "taught", None)
    return Pairwise(
        results, method, comparisons, reference, tuple(skipped), found=figures, taught=taught
    )


def _positions_of_pairwise(pairs: IntArray, wanted: IntArray) -> IntArray:
    """Where the wanted pairs stand; both are in the order of combinations."""
    size = int(pairs.max()) + 1
    return np.searchsorted(pairs @ [size, 1], wanted @ [size, 1])


def _pairwise_when_asked_for(
    results: Results, method: Method, figures: PairFigures, missing: Missing
) -> LazyComparisons:
    """Return the comparisons of all pairs, each made when it is asked for, as `compare` does."""

    def make(place: int) -> Comparison:
        asked = prepare_to_compare(results, method, figures.pairs[place], missing)
        test = method.for_table(results, figures.pairs[place])
        # An exact answer draws nothing.
        answer = test.answer(asked, Sampling(np.random.default_rng(0)))
        return comparison_of(asked, test, answer)

    return LazyComparisons(make, partial(tables_of_pairs, results, figures.pairs), len(figures))


def _prepare_pairs_for_pairwise(
    results: Results, method: Method, pairs: Sequence[Pair], missing: Missing
) -> tuple[dict[Pair, Results], tuple[tuple[str, str, int], ...]]:
    """Prepare every pair, and name it when that fails; apart those with too few datasets."""
    asked: dict[Pair, Results] = {}
    skipped, last = [], None
    for pair in pairs:
        try:
            asked[pair] = prepare_to_compare(results, method, pair, missing)
        except TooFewDatasets as error:
            if missing == "raise":
                raise _pairwise_error_about_pair(pair, error) from None
            skipped.append((*pair, error.left))
            last = error
        except BayescompareError as error:
            raise _pairwise_error_about_pair(pair, error) from None
    if last is not None and not asked:
        raise _pairwise_error_about_pair(pairs[-1], last)
    return asked, tuple(skipped)


def _pairwise_error_about_pair(pair: Pair, error: BayescompareError) -> BayescompareError:
    return BayescompareError(f"{pair[0]} against {pair[1]}: {error}")


def _answer_pairwise(
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
    every: Iterable[Answer] = run_in_parallel(
        _answer_pairwise_one, tasks, n_jobs=n_jobs, prefer=prefer
    )
    if progress:
        every = track_parallel_work(every, "comparing pairs", len(asked))
    return dict(zip(asked, every, strict=True))


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


def _pairs_for_pairwise(results: Results, reference: str | None) -> list[tuple[str, str]]:
    names = results.algorithms
    if len(names) < 2:
        raise BayescompareError(f"algorithms={list(names)}: a comparison needs at least two.")
    if reference is None:
        return list(itertools.combinations(names, 2))
    if reference not in names:
        raise BayescompareError(
            f"reference={reference!r} is not an algorithm of these results "
            f"({', '.join(names[:12])}).{did_you_mean(str(reference), names)}"
        )
    return [pair for pair in itertools.combinations(names, 2) if reference in pair]


def _answer_pairwise_one(method: Method, results: Results, sampling: Sampling) -> Answer:
    return method.answer(results, sampling)
