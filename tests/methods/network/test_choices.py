"""The options of the network test, and the graphs and tables that it refuses."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np
import pymc as pm
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.comparisons import NetworkComparison
from bayescompare.methods import Network
from tests.tables import table


def digraph(*edges: tuple[str, str], nodes: str = "") -> nx.DiGraph:
    made = nx.DiGraph(edges)
    made.add_nodes_from(nodes.split())
    return made


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (
            [("m0", "m1"), ("m1", "m2"), ("m2", "m0")],
            ["search", "cycle", "m0 → m1", "m1 → m2", "m2 → m0"],
        ),
        ([("m0", "m1"), ("m1", "m0")], ["search", "cycle"]),
        ([("m1", "m1")], ["search", "cycle", "m1 → m1"]),
        ([("m0", "accuracy")], ["search", "'accuracy'", "m0, m1, m2"]),
        ([("m0", "m11")], ["search", "'m11'", "Did you mean 'm1'?"]),
        (digraph(("m0", "m1")), ["search", "lacks", "m2", "add them as nodes"]),
        (digraph(("m0", "m1"), ("m1", "m0"), nodes="m2"), ["search", "cycle"]),
        (nx.Graph([("m0", "m1"), ("m1", "m2")]), ["search", "undirected", "DiGraph"]),
        ([("m0", "m1", "m2")], ["search", "pairs"]),
        ([1, 2], ["search", "pairs"]),
        ([None], ["search", "pairs"]),
        (5, ["search", "pgmpy DAG", "networkx DiGraph"]),
        (None, ["search", "pgmpy DAG"]),
        (["m0", "m1"], ["search", "pairs"]),
    ],
)
def test_graphs_that_are_none(search: Any, words: list[str]) -> None:
    results = table(np.random.default_rng(0).random((10, 2, 3)))
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method=Network(search=search))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"ess": 0}, ["ess=0", "> 0"]),
        ({"ess": -1.0}, ["ess=-1.0", "> 0"]),
        ({"ess": math.inf}, ["ess=inf"]),
        ({"ess": math.nan}, ["ess=nan"]),
        ({"ess": "one"}, ["ess='one'"]),
        ({"priors": {"ess": -2.0}}, ["ess"]),
        ({"priors": {"ess": 0}}, ["ess"]),
        ({"priors": {"beta": 1.0}}, ["beta", "ess", "alpha"]),
        ({"priors": {"alpha": 0.0}}, ["alpha", "> 0"]),
        ({"priors": {"alpha": 1e13}}, ["alpha", "1e+12"]),
        ({"priors": {"alpha": {}}}, ["alpha", "lacks measure m0, m1"]),
        ({"priors": {"alpha": {"m0": {}}}}, ["alpha", "lacks measure m1"]),
        ({"priors": {"alpha": {"m0": -1.0, "*": 1.0}}}, ["alpha", "'m0'", "> 0"]),
        ({"priors": {"alpha": {"m0": {"A>B": "x", "*": 1}, "*": 1.0}}}, ["'m0'", "'A>B'", "'x'"]),
        ({"priors": {"alpha": {"m0": 1.0}}}, ["alpha", "lacks measure m1", "'*'"]),
        ({"priors": {"alpha": {"m11": 1.0, "*": 1.0}}}, ["'m11'", "m0, m1", "Did you mean"]),
        ({"priors": {"alpha": {"m0": {"A>B": 1.0}, "*": 1.0}}}, ["'m0'", "lacks state B>A"]),
        ({"priors": {"alpha": {"m0": {"A=B": 1.0}, "*": 1.0}}}, ["'m0'", "'A=B'", "A>B, B>A"]),
        ({"priors": {"alpha": [1.0, 2.0, 3.0]}}, ["alpha", "3 number(s) for 2 measures"]),
        ({"priors": {"alpha": [1.0, -2.0]}}, ["alpha", "-2.0"]),
        ({"priors": {"alpha": "flat"}}, ["alpha", "'flat'"]),
        ({"priors": {"alpha": 1.0, "ess": 1.0}}, ["ess and alpha", "give one"]),
        ({"priors": {"alpha": 1.0}, "ess": 2.0}, ["ess=2.0", "alpha"]),
        (
            {"priors": {"alpha": pm.Gamma.dist(2, 1, shape=3)}, "search": []},
            ["alpha", "2 measures", "(3,)"],
        ),
        (
            {"priors": {"alpha": pm.Normal.dist()}, "search": []},
            ["alpha", "outside the range"],
        ),
        (
            {"priors": {"alpha": pm.Gamma.dist(2, 1)}, "average": True},
            ["average=True", "alpha", "average=False"],
        ),
        ({"mcse": 0}, ["mcse=0", "> 0"]),
        ({"max_parents": -1}, ["max_parents=-1", ">= 0"]),
        ({"max_parents": 1.5}, ["max_parents=1.5"]),
        ({"max_parents": True}, ["max_parents=True"]),
        ({"search": "hillclimb"}, ["search='hillclimb'", "hill-climb", "Did you mean"]),
        ({"search": ""}, ["search=''", "exact"]),
        ({"average": True, "search": "ges"}, ["average=True", "search='exact'"]),
        ({"average": True, "search": [("m0", "m1")]}, ["average=True", "search='exact'"]),
        ({"average": True, "search": nx.DiGraph([("m0", "m1")])}, ["average=True"]),
    ],
)
def test_choices_that_are_none(choices: dict[str, Any], words: list[str]) -> None:
    results = table(np.random.default_rng(0).random((10, 2, 2)))
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method=Network(**choices))
    for word in words:
        assert word in str(caught.value)


def test_one_measure_needs_no_network() -> None:
    results = table(np.random.default_rng(0).random((10, 2, 1)))
    with pytest.raises(BayescompareError, match=r"at least two measures.*method='dirichlet'"):
        bc.compare(results, method="network")


def test_thirty_measures_are_too_many_for_the_exact_search() -> None:
    results = table(np.random.default_rng(0).random((10, 2, 30)))
    with pytest.raises(BayescompareError) as caught:
        bc.compare(results, method="network")
    for word in ("30 measures", "22", "GB", "hill-climb"):
        assert word in str(caught.value)


def test_on_names_what_it_does_not_know(chain4: NetworkComparison) -> None:
    with pytest.raises(BayescompareError, match="m9"):
        chain4.on(["m0", "m9"])
    with pytest.raises(BayescompareError):
        chain4.on([])


@pytest.mark.parametrize("edges", [[("m0", "m1"), ("m0", "m2")], [("m0", "m2"), ("m1", "m2")]])
def test_a_prior_too_firm_for_draws_is_told(edges):
    """At ESS = 1e30 the statement listed first had P = 0.997 by rounding alone."""
    results = table(np.random.default_rng(0).normal(size=(12, 2, 3)))
    with pytest.raises(bc.BayescompareError, match=r"ess=1e\+30: must be at most 1e\+12"):
        bc.compare(results, method=bc.methods.Network(ess=1e30, search=edges))
