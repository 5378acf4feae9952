"""How often does a method name a winner in pure noise? A study through the public functions.

Every table goes through `pairwise` and `decide` themselves, with the kind of data that the method
takes: single results, replicates, or counts of errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from bayescompare._checks import check_count
from bayescompare._pairwise import pairwise
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.comparison.method import Method
from bayescompare.methods.classic.sign import Sign
from bayescompare.methods.classic.signed_rank import SignedRank
from bayescompare.methods.classic.wilcoxon import Wilcoxon
from bayescompare.methods.context.correlated_t import CorrelatedT
from bayescompare.methods.context.hierarchical import Hierarchical
from bayescompare.methods.context.poisson_binomial import PoissonBinomial
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.gsd.bootstrap import GSDBootstrap
from bayescompare.methods.network import Network
from bayescompare.studies.labelled import LabelledMethod
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.results import Results

__all__ = ["noise_study"]


_ALGORITHMS, _DATASETS, _FOLDS, _EXAMPLES = 5, 20, 10, 100

_ASKED = (
    LabelledMethod(Dirichlet(), "learned"),
    LabelledMethod(Dirichlet(prior="symmetric"), "papers' prior"),
    LabelledMethod(Network()),
    LabelledMethod(PoissonBinomial(joint=True, b="learned"), "b learned"),
    LabelledMethod(PoissonBinomial(joint=True), "joint"),
    LabelledMethod(PoissonBinomial()),
    LabelledMethod(Hierarchical()),
    LabelledMethod(CorrelatedT(joint=True, b="learned"), "b learned"),
    LabelledMethod(CorrelatedT(joint=True), "joint"),
    LabelledMethod(CorrelatedT()),
    LabelledMethod(GSDBootstrap()),
    LabelledMethod(SignedRank(draws=10_000)),
    LabelledMethod(Sign(), "Holm"),
    LabelledMethod(Wilcoxon(), "Holm"),
)
_METHODS: Mapping[str, Method] = {asked.label: asked.method for asked in _ASKED}


def noise_study(
    methods: Mapping[str, Method] = _METHODS,
    *,
    tables: int = 100,
    rng: Rng = None,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """Count tables of pure noise on which a method names any winner, at the default level.

    Parameters
    ----------
    methods : mapping of str to Method
        Methods by the names that the table shows; by default one of each kind.
    tables : int
        Number of simulated tables per method.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        Indexed by method: ``measures``, ``any`` (share of tables with a verdict), ``mcse`` of it
        and ``verdicts`` (mean number per table, of ten pairs).

    Examples
    --------
    >>> study = noise_study({"sign": Sign()}, tables=5, rng=0)
    >>> float(study.loc["sign", "any"]) <= 0.6
    True
    """
    check_count(tables=tables)
    generator, seed = as_rng(rng)
    work = [(name, method) for name, method in methods.items() for _ in range(tables)]
    streams = generator.spawn(len(work))
    tasks = ((method, own) for (_, method), own in zip(work, streams, strict=True))
    verdicts = list(run_in_parallel(_noise_study_verdicts, tasks, n_jobs=n_jobs))
    by_name = pd.Series(verdicts, [name for name, _ in work]).groupby(level=0, sort=False)
    rows = [
        (name, _noise_study_measures(methods[str(name)]), *_count_noise_verdicts(own))
        for name, own in by_name
    ]
    heads = ["method", "measures", "any", "mcse", "verdicts"]
    study = pd.DataFrame(rows, columns=heads).set_index("method")
    study.attrs["seed"] = seed
    return study


def _noise_study_verdicts(method: Method, rng: np.random.Generator) -> int:
    """Return the number of verdicts on one table."""
    table = _MAKERS[method.input_kind](_noise_study_measures(method), rng)
    return int(pairwise(table, method=method, n_jobs=1, rng=rng).decide()["asserted"].sum())


def _noise_study_measures(method: Method) -> int:
    """Return 2 for methods that model the dependence between measures, else 1."""
    return 1 if method.one_measure else 2


def _count_noise_verdicts(verdicts: pd.Series[int]) -> tuple[float, float, float]:
    """Return the share of tables with verdicts, its standard error, and their mean number."""
    tables, share = len(verdicts), float((verdicts > 0).mean())
    smooth = (share * tables + 1.0) / (tables + 2.0)
    return share, math.sqrt(smooth * (1.0 - smooth) / tables), float(verdicts.mean())


def _simulate_noise_cells(measures: int, rng: np.random.Generator) -> Results:
    """Simulate one number for every cell."""
    values = rng.standard_normal((_DATASETS, _ALGORITHMS, measures))
    return _noise_study_results(values[:, :, None], replicate=None)


def _simulate_noise_folds(measures: int, rng: np.random.Generator) -> Results:
    """Simulate ten folds of every cell, around a level that differs between datasets."""
    own = rng.standard_normal((_DATASETS, _ALGORITHMS, 1, measures))
    noise = rng.standard_normal((_DATASETS, _ALGORITHMS, _FOLDS, measures))
    return _noise_study_results(own + noise, replicate="fold")


def _noise_study_results(values: FloatArray, replicate: str | None) -> Results:
    shape = values.shape[:3]
    index = pd.MultiIndex.from_product(
        [map(str, range(size)) for size in shape], names=["dataset", "algorithm", "fold"]
    )
    names = [f"m{j}" for j in range(values.shape[3])]
    frame = pd.DataFrame(values.reshape(-1, len(names)), index, names).reset_index()
    frame = frame if replicate else frame.drop(columns="fold")
    return Results.from_frame(frame, replicate=replicate, measures=dict.fromkeys(names, "max"))


def _simulate_noise_errors(measures: int, rng: np.random.Generator) -> ErrorCounts:
    """Simulate correct and wrong predictions, at rates that differ between datasets."""
    rate = rng.uniform(0.6, 0.9, (_DATASETS, _ALGORITHMS, 1))
    correct = rng.random((_DATASETS, _ALGORITHMS, _EXAMPLES)) < rate
    index = pd.MultiIndex.from_product(
        [map(str, range(size)) for size in correct.shape],
        names=["dataset", "algorithm", "example"],
    )
    frame = pd.DataFrame({"correct": correct.ravel()}, index).reset_index()
    return ErrorCounts.from_predictions(
        frame, dataset="dataset", algorithm="algorithm", example="example", correct="correct"
    )


_MAKERS: Mapping[str, Callable[[int, np.random.Generator], Results]] = {
    "cells": _simulate_noise_cells,
    "replicates": _simulate_noise_folds,
    "either": _simulate_noise_folds,
    "counts": _simulate_noise_errors,
}
