"""Answers read off the draws of a model: strengths, and who beats whom."""

from __future__ import annotations

import numpy as np
import pymc as pm
import pytest

import bayescompare as bc
from tests.methods.model_file.own import QUICK
from tests.tables import table

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


def test_strengths_of_unknown_algorithms_are_refused(results: bc.Results) -> None:
    """An answer about x and y is none about A and B."""

    def build(results: bc.Results) -> pm.Model:
        coords = {"algorithm": ["x", "y"], "dataset": results.datasets}
        with pm.Model(coords=coords) as model:
            s = pm.Normal("strength", 0, 1, dims="algorithm")
            pm.Normal("gap", s[0] - s[1], 1, observed=np.ones(12), dims="dataset")
        return model

    with pytest.raises(bc.BayescompareError, match="algorithm"):
        bc.compare(results, method=build, rng=1, sampler=QUICK)


def test_strengths_are_read_off_the_draws(own: bc.Comparison) -> None:
    """Higher is better, measure by measure: by the draws themselves."""
    s = own.tree["posterior"]["s"].transpose(..., "measure").values
    for label, signs in {
        "A>B|A>B": (1, 1),
        "A>B|B>A": (1, -1),
        "B>A|A>B": (-1, 1),
        "B>A|B>A": (-1, -1),
    }.items():
        share = (np.sign(s) == signs).all(axis=-1).mean()
        assert float(own.probability.sel(statement=label)) == pytest.approx(share)
    assert own.best == "B>A|B>A"
    assert own.probability["count"].sel(statement="B>A|B>A") == 6


@pytest.mark.slow
def test_who_beats_whom_is_read_by_rows() -> None:
    """better[a, b] is P(a beats b): the mean over the opponents orders the algorithms."""
    results = table(np.array([[[3.0], [1.0], [2.0]]] * 8))

    def build(results: bc.Results) -> pm.Model:
        names = results.algorithms
        coords = {"algorithm": names, "opponent": names, "dataset": results.datasets}
        with pm.Model(coords=coords) as model:
            p = pm.Beta("p", 1.0, 1.0)
            # The first beats everyone, the last beats the second.
            better = pm.math.stack([[0.5, p, p], [1 - p, 0.5, 1 - p], [1 - p, p, 0.5]])
            pm.Deterministic("better", better, dims=("algorithm", "opponent"))
            pm.Bernoulli("won", p, observed=np.ones(8, dtype=int), dims="dataset")
        return model

    c = bc.compare(results, method=build, rng=1, sampler=QUICK)
    a, b, last = results.algorithms
    assert c.best == f"{a}>{last}>{b}"
    assert float(c.probability.max()) > 0.9
