"""The simulation study of dominance: the paper's design, and what is refused."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.methods import GSD
from reproduction.dominance import DOMINANCES, false_alarms, simulated_classifiers
from tests.methods.gsd.cases import ask


def test_the_papers_design() -> None:
    assert len(DOMINANCES) == 10
    results = simulated_classifiers(eta=0.2, datasets=15, noise=0.001, rng=1)
    c = ask(results, GSD(delta=0))
    names = results.algorithms
    held = {
        (a, b)
        for a, b in itertools.permutations(names, 2)
        if c.relation.sel(algorithm=a, opponent=b)
    }
    assert held == set(DOMINANCES)


def test_studies_refuse_nonsense() -> None:
    with pytest.raises(bc.BayescompareError, match="noise=0"):
        simulated_classifiers(noise=0)
    with pytest.raises(bc.BayescompareError, match="dataset"):
        simulated_classifiers(datasets=0)


@pytest.mark.parametrize("choices", [{"datasets": -1}, {"datasets": 2.5}, {"eta": "x"}])
def test_a_study_names_the_argument(choices: dict[str, Any]) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(choices))):
        simulated_classifiers(**choices)


@pytest.mark.parametrize("simulations", [0, -1])
def test_a_study_of_no_simulations_is_refused(simulations: int) -> None:
    with pytest.raises(bc.BayescompareError, match="simulations="):
        false_alarms(simulations=simulations)
