"""`c.network` in pgmpy: a valid model, its inference against sums of mean θ, and its searches."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.comparisons import NetworkComparison
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.methods import Network
from bayescompare.methods.network.to_pgmpy import pgmpy_score
from bayescompare.posterior.graphs import GraphScores
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table

with warnings.catch_warnings():
    # pgmpy 1.1 warns of its own estimators module whenever inference is imported.
    warnings.simplefilter("ignore", FutureWarning)
    from pgmpy.inference import VariableElimination

CASES: dict[str, tuple[Results, dict[str, Any]]] = {
    "collider": (table(no.linked(40, 3, seed=1)), {"search": no.COLLIDER}),
    "chain": (table(no.linked(40, 3, seed=1)), {"search": no.CHAIN, "ess": 4.0}),
    "empty": (table(no.linked(40, 3, seed=1)), {"search": []}),
    "learned": (table(no.linked(60, 4, seed=2, link=2.0)), {}),
    "three algorithms": (table(no.linked(40, 3, seed=3, l=3)), {"search": no.COLLIDER}),
    "rope": (table(no.linked(40, 3, seed=4), rope=0.5), {"search": no.COLLIDER}),
}


@pytest.fixture(scope="module", params=list(CASES))
def case(request: pytest.FixtureRequest) -> NetworkComparison:
    results, choices = CASES[request.param]
    return ask(results, mcse=0.02, **choices)


def means(c: NetworkComparison) -> np.ndarray:
    """E θ of every joint state as an array with one axis per measure."""
    arities = Statements.from_results(c.results).arities
    graph = no.masks(c.answer.facts.edges, c.results.measures)
    assert math.prod(arities) == len(c.answer.counts)
    ess = c.method.ess  # type: ignore[attr-defined]
    return no.mean_theta(c.answer.counts, arities, graph, ess).reshape(arities)


def test_tables_are_posterior_means(case: NetworkComparison) -> None:
    whole, names = means(case), list(case.results.measures)
    for cpd in case.network.get_cpds():
        child, *above = cpd.variables
        family = [names.index(name) for name in (child, *above)]
        joint = np.moveaxis(whole, family, range(len(family)))
        joint = joint.sum(axis=tuple(range(len(family), whole.ndim)))
        np.testing.assert_allclose(cpd.values, joint / joint.sum(axis=0), rtol=1e-10)
        states = {name: case.probability[name].values.tolist() for name in (child, *above)}
        for name, seen in states.items():
            assert cpd.state_names[name] == list(dict.fromkeys(sorted(seen, key=seen.index)))


def test_inference_is_a_sum_of_mean_theta(case: NetworkComparison) -> None:
    whole, names = means(case), list(case.results.measures)
    inference = VariableElimination(case.network)
    for size in (1, 2):
        for asked in itertools.combinations(names, size):
            found = inference.query(list(asked), show_progress=False)
            axes = [names.index(name) for name in found.variables]
            others = tuple(j for j in range(whole.ndim) if j not in axes)
            expected = np.moveaxis(
                whole.sum(axis=others, keepdims=True), axes, range(len(axes))
            ).reshape([whole.shape[j] for j in axes])
            np.testing.assert_allclose(found.values, expected, rtol=1e-9)


def test_inference_given_a_state_by_its_name(case: NetworkComparison) -> None:
    whole, names = means(case), list(case.results.measures)
    inference = VariableElimination(case.network)
    last = case.network.get_cpds(names[-1]).state_names[names[-1]]
    for k, state in enumerate(last):
        found = inference.query([names[0]], evidence={names[-1]: state}, show_progress=False)
        part = whole[..., k].sum(axis=tuple(range(1, whole.ndim - 1)))
        np.testing.assert_allclose(found.values, part / part.sum(), rtol=1e-9)


def test_most_probable_statement_of_the_mean_model(case: NetworkComparison) -> None:
    names, inference = list(case.results.measures), VariableElimination(case.network)
    found, whole = inference.map_query(names, show_progress=False), means(case)
    k = case.answer.labels.index("|".join(found[name] for name in names))
    assert whole.ravel()[k] == pytest.approx(whole.max(), rel=1e-9)
    # Given a state by its name.
    state = case.network.get_cpds(names[-1]).state_names[names[-1]][-1]
    given = inference.query([names[0]], evidence={names[-1]: state}, show_progress=False)
    part = whole[..., -1].sum(axis=tuple(range(1, whole.ndim - 1)))
    np.testing.assert_allclose(given.values, part / part.sum(), rtol=1e-9)


def test_an_averaged_answer_shows_the_best_graph() -> None:
    results = table(no.linked(40, 3, seed=1, link=2.0))
    averaged, best = (
        bc.compare(results, method=Network(average=a, mcse=0.02), rng=0) for a in (True, False)
    )
    assert isinstance(averaged, NetworkComparison)
    assert isinstance(best, NetworkComparison)
    assert sorted(averaged.network.edges()) == sorted(best.network.edges())
    assert averaged.network.check_model()


def test_our_score_in_pgmpy_is_the_textbooks() -> None:
    """Unobserved states, half weights and an equivalent sample size of one: pgmpy's own fails."""
    values = np.array([[[1, 1, 0], [0, 0, 0]], [[1, 0, 1], [0, 1, 1]], [[2, 3, 4], [1, 2, 5]]])
    results = table(values.astype(float))
    statements = Statements.from_results(results)
    score = pgmpy_score(GraphScores(statements, CellPrior(), 2))
    states, counts = no.joint_states([2] * 3), no.counts_of(values.astype(float), results)
    assert (counts == 0).any()
    assert (counts % 1 > 0).any()
    for child, parents in itertools.product(range(3), range(8)):
        if not parents >> child & 1:
            names = tuple(no.bits(parents))
            expected = no.textbook_bdeu(states, counts, [2] * 3, 1.0, child, parents)
            assert score.local_score(child, names) == pytest.approx(expected, abs=1e-10)


def test_names_with_spaces_and_signs() -> None:
    names = ["F1 (macro)", "time/epoch [s]", "größe"]
    results = table(no.linked(30, 3, seed=1), measures=dict.fromkeys(names, "max"))
    edges = [(names[0], names[1]), (names[1], names[2])]
    c = bc.compare(results, method=Network(search=edges, mcse=0.02), rng=0)
    assert isinstance(c, NetworkComparison)
    assert c.network.check_model()
    assert sorted(c.network.edges()) == sorted(edges)
    found = bc.compare(results, method=Network(search="hill-climb", mcse=0.02), rng=0)
    plain = bc.compare(
        table(no.linked(30, 3, seed=1)), method=Network(search="hill-climb", mcse=0.02), rng=0
    )
    place = dict(zip(names, ("m0", "m1", "m2"), strict=True))
    renamed = tuple((place[a], place[b]) for a, b in found.answer.facts.edges)
    assert renamed == plain.answer.facts.edges


# ---------------------------------------------------------------------------------------- searches


@pytest.mark.parametrize("search", ["hill-climb", "ges"])
def test_other_searches_never_beat_the_exact_one(search: str) -> None:
    for seed, m in ((0, 3), (1, 5)):
        results = table(no.linked(40, m, seed=seed))
        exact, other = ask(results, mcse=0.05), ask(results, search=search, mcse=0.05)
        assert other.score <= exact.score + 1e-9
        children = [child for _, child in other.answer.facts.edges]
        assert max(map(children.count, children), default=0) <= exact.answer.facts.max_parents
        graph = no.masks(other.answer.facts.edges, results.measures)
        counts = no.counts_of(no.linked(40, m, seed=seed), results)
        states = no.joint_states([2] * m)
        score = sum(
            no.textbook_bdeu(states, counts, [2] * m, 1.0, j, mask) for j, mask in enumerate(graph)
        )
        assert other.score == pytest.approx(score, abs=1e-9)


@pytest.mark.slow
def test_searches_do_not_depend_on_the_hash_seed() -> None:
    """Strings hash differently in every process; the graph must not know."""
    script = """
import json, numpy as np, bayescompare as bc, pandas as pd
rng = np.random.default_rng(5)
found = []
for names in (["time", "accuracy", "auc", "memory", "brier", "f1"], ["z", "y", "x", "w", "v", "u"]):
    # Copies and coins: many graphs of equal score.
    base = rng.integers(0, 2, (40, 2, 3)).astype(float)
    values = np.concatenate([base, base], axis=2)
    frame = pd.DataFrame(values.reshape(80, 6), columns=names)
    frame.insert(0, "algorithm", ["A", "B"] * 40)
    frame.insert(0, "dataset", np.repeat([f"d{i}" for i in range(40)], 2))
    results = bc.Results.from_frame(frame, measures=dict.fromkeys(names, "max"))
    for search in ("exact", "hill-climb", "ges"):
        c = bc.compare(results, method=bc.methods.Network(search=search, mcse=0.05), rng=0)
        found.append([c.answer.facts.edges, c.score, c.probability.values.tolist()])
print(json.dumps(found))
"""
    runs = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "1")
    ]
    told = [run.communicate(timeout=300)[0] for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert told[0] == told[1]


@pytest.mark.slow
def test_thirty_measures_by_hill_climbing() -> None:
    """What the error about thirty measures advises must work."""
    rng = np.random.default_rng(0)
    z = rng.random((40, 15)) < 0.3
    results = no.from_states(np.repeat(z, 2, axis=1) ^ (rng.random((40, 30)) < 0.02))
    c = ask(results, search="hill-climb", mcse=0.05)
    joined = {frozenset(edge) for edge in c.answer.facts.edges}
    assert {frozenset((f"m{2 * k}", f"m{2 * k + 1}")) for k in range(15)} <= joined
    assert "depend on each other" in c.explain()
