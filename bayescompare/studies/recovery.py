"""Does a criterion find the model that made the data? Simulate from each, and fit all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bayescompare._checks import check_count
from bayescompare._compare import compare
from bayescompare._compare_models import compare_models
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.scores import By
from bayescompare.studies.simulated import as_simulated, simulated_table
from bayescompare.studies.study import Study, without_failed_cases
from bayescompare.table.results import Results

#: Criterion → the column of `compare_models` whose largest value names its choice.
CRITERIA = {"evidence": "log_evidence", "loo": "elpd", "stacking": "weight"}


def recovery(
    models: Sequence[Any],
    results: Results,
    *,
    simulations: int = 100,
    names: Sequence[str] | None = None,
    evidence: By | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Return how often evidence, leave-one-out and stacking choose the model that made the data.

    Parameters
    ----------
    models : sequence
        Two or more of what `compare` takes as a method; each can simulate, and has a predictive
        density.
    results : Results
        The simulated tables have its sizes and names.
    simulations : int
        Tables from each model.
    names : sequence of str, optional
        Of the models; by default those of their methods.
    evidence : {"bridge"}, optional
        How to estimate the evidence of models that have no closed one; not at all by default.
    rng : None, int or Generator
    n_jobs : int, optional
        For joblib, whose backend may be Dask (`use_dask`); the table is the same for any.
    progress : bool

    Returns
    -------
    DataFrame
        Indexed by criterion and by the model that made the data (``truth``), a column for each
        model: the share of tables for which it was chosen. "right" is that of the truth, with its
        standard error "se". Evidence is left out where no two models have one.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("benavoli-example1")
    >>> one, other = bc.methods.Dirichlet(prior="jeffreys"), bc.methods.Dirichlet(strength=0.2)
    >>> found = recovery([one, other], results, simulations=10, names=["even", "sparse"], rng=1)
    >>> found.index.get_level_values("criterion").unique().tolist()
    ['evidence', 'loo', 'stacking']
    """
    check_count(simulations=simulations)
    asked = [as_simulated(compare(results, method=model, rng=0)) for model in models]
    if len(asked) < 2:
        raise BayescompareError("models: give a list of at least two.")
    labels = list(names) if names is not None else _labels(asked)
    if len(labels) != len(asked) or len(set(labels)) != len(labels):
        raise BayescompareError(f"names={labels!r}: give one name for each model, all different.")
    study = Study(
        name="recovery",
        grid={"truth": dict(zip(labels, range(len(labels)), strict=True))},
        replications=simulations,
        case=_choices,
        constants={"asked": asked, "evidence": evidence},
    )
    table = without_failed_cases(study.run(rng=rng, n_jobs=n_jobs, progress=progress))
    rows = {}
    for criterion in CRITERIA:
        chosen = table[criterion].transpose("truth", "replication").values
        if np.isnan(chosen).any():
            continue
        for k, label in enumerate(labels):
            shares = [float((chosen[k] == j).mean()) for j in range(len(labels))]
            error = np.sqrt(shares[k] * (1.0 - shares[k]) / simulations)
            rows[criterion, label] = [*shares, shares[k], float(error)]
    index = pd.MultiIndex.from_tuples(rows, names=["criterion", "truth"])
    found = pd.DataFrame(list(rows.values()), index, [*labels, "right", "se"])
    found.attrs["seed"] = table.attrs["seed"]
    return found


def _labels(asked: Sequence[Comparison]) -> list[str]:
    named = [getattr(c.answer.facts, "model", c.method.name) for c in asked]
    return [f"{name} {k + 1}" if named.count(name) > 1 else name for k, name in enumerate(named)]


def _choices(
    rng: np.random.Generator, *, truth: int, asked: Sequence[Comparison], evidence: By | None
) -> dict[str, float]:
    """Which model each criterion chooses for one table from one of them; NaN without figures."""
    table = simulated_table(asked[truth], rng)._with(truth=None)
    seeds = rng.integers(2**31 - 1, size=len(asked) + 1).tolist()
    fitted = [
        compare(
            table,
            method=c.method,
            rng=seed,
            sampler={"progressbar": False} if c.method.needs_mcmc else {},
        )
        for c, seed in zip(asked, seeds[1:], strict=True)
    ]
    places = [str(k) for k in range(len(asked))]
    found = compare_models(fitted, names=places, evidence=evidence, rng=seeds[0]).table
    return {
        criterion: float("nan")
        if found[column].isna().any()
        else float(str(found[column].idxmax()))
        for criterion, column in CRITERIA.items()
    }
