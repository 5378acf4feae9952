"""Recovery studies: the criteria find the model that made the data as often as they are counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.studies import recovery
from tests.methods.model_file.own import by_measure

EVEN = bc.methods.Dirichlet(prior="uniform")
SPARSE = bc.methods.Dirichlet(strength=0.1)


def test_two_priors_far_apart_are_told_apart(results: bc.Results) -> None:
    found = recovery([EVEN, SPARSE], results, simulations=25, names=["even", "sparse"], rng=1)
    assert found.columns.tolist() == ["even", "sparse", "right", "se"]
    np.testing.assert_allclose(found[["even", "sparse"]].sum(axis=1), 1.0)
    evidence = found.loc["evidence"]
    assert (evidence["right"] > 0.7).all()
    # By Bayes' rule no criterion finds the truth more often than the evidence does, on average.
    mean = found["right"].groupby("criterion").mean()
    assert mean["evidence"] >= mean["loo"] - 2 * evidence["se"].max()
    again = recovery(
        [EVEN, SPARSE], results, simulations=25, names=["even", "sparse"], rng=1, n_jobs=2
    )
    pd.testing.assert_frame_equal(found, again)


def test_what_cannot_be_recovered_is_refused(results: bc.Results) -> None:
    with pytest.raises(bc.BayescompareError, match="at least two"):
        recovery([EVEN], results)
    with pytest.raises(bc.BayescompareError, match="one name for each"):
        recovery([EVEN, SPARSE], results, names=["a", "a"])
    with pytest.raises(bc.BayescompareError, match="glrt"):
        recovery([EVEN, "glrt"], results)


@pytest.mark.slow
def test_a_model_file_is_recovered_beside_a_method(results: bc.Results) -> None:
    found = recovery([by_measure, by_measure], results, simulations=2, rng=1)
    assert set(found.index.get_level_values("criterion")) == {"loo", "stacking"}
