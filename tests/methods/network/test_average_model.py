"""The PyMC model of all graphs: its density by enumeration, its prior forwards, its limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc.model.transform.conditioning import remove_value_transforms
from scipy import stats
from scipy.special import logsumexp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.kernels.network.graphs import dags
from bayescompare.methods import Network
from tests.cases import few_quick
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


def graphs_of(c: Any) -> list[tuple[int, ...]]:
    """All graphs, in the order of the model's coordinate."""
    scores = c.method.layout(c.results)[0].scores
    return list(dags(len(c.results.measures), scores.most))


def point_of(c: Any, rng: np.random.Generator) -> dict[tuple[int, int], tuple[Any, ...]]:
    """A point of every table, with its prior and its posterior density there."""
    layout, _ = c.method.layout(c.results)
    found = {}
    for j in range(len(c.results.measures)):
        for mask in {graph[j] for graph in graphs_of(c)}:
            own = layout.table(j, mask, named_by_parents=True)
            rows = rng.dirichlet(np.full(own.alpha.shape[1], 3.0), size=len(own.alpha))
            densities = [
                sum(stats.dirichlet.logpdf(row, a) for row, a in zip(rows, alpha, strict=True))
                for alpha in (own.alpha, own.alpha + own.counts)
            ]
            found[j, mask] = (own.name, rows, *densities)
    return found


@pytest.mark.parametrize("kind", few_quick(["two measures", "three measures", "rope", "lumped"], 3))
def test_every_graphs_density_is_its_evidence(kind: str) -> None:
    """log p(G, tables, data) − log p(tables | G, data) = log p(G) + score; the sum is closed."""
    choices: dict[str, Any] = {"average": True, "mcse": 0.05, "ess": 2.0}
    if kind == "rope":
        results = table(no.linked(12, 2, seed=4), rope=0.5)
    elif kind == "lumped":
        results = table(no.linked(9, 4, l=3, seed=2))
        choices["max_parents"] = 1
    else:
        results = table(no.linked(15, 2 if kind == "two measures" else 3, seed=4))
        choices["max_parents"] = 2
    c: Any = ask(results, **choices)
    model = remove_value_transforms(c.model())
    logp = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    point = point_of(c, np.random.default_rng(0))
    graphs = graphs_of(c)
    scores = c.method.layout(c.results)[0].scores
    tried = graphs if len(graphs) <= 25 else graphs[::13]
    logs = []
    for graph in tried:
        at = {name: rows for name, rows, _, _ in point.values()}
        found = float(logp({**at, "graph": np.array(graphs.index(graph))}))
        for (j, mask), (_, _, before, after) in point.items():
            found -= after if graph[j] == mask else before
        assert found == pytest.approx(scores.graph(graph) - math.log(len(graphs)), abs=1e-7)
        logs.append(found)
    if tried is graphs:
        assert logsumexp(logs) == pytest.approx(c.log_evidence, abs=1e-7)


def forwards(model: pm.Model, draws: int) -> Any:
    quick = {"mode": "FAST_COMPILE"}
    return pm.sample_prior_predictive(draws, model=model, random_seed=1, compile_kwargs=quick)


@pytest.mark.slow
def test_the_prior_forwards_and_a_graph_that_is_set() -> None:
    c = bc.compare(bc.load_example("benavoli-example1"), method=Network(average=True), rng=0)
    model = c.model()
    assert list(model.coords["graphs"]) == ["(no edge)", "accuracy→time", "time→accuracy"]
    prior = forwards(model, 3000)
    share = prior["prior"]["edge"].mean(("chain", "draw")).sel(parent="accuracy", child="time")
    assert float(share) == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / 3000))
    without = pm.do(model, {"graph": np.array(0)})
    theta = forwards(without, 200)["prior"]["theta"].values[0]
    product = theta.reshape(-1, 2, 2).sum(2)[:, :, None] * theta.reshape(-1, 2, 2).sum(1)[:, None]
    np.testing.assert_allclose(product, theta.reshape(-1, 2, 2), atol=1e-10)


def test_what_there_is_no_model_of() -> None:
    many = table(no.linked(30, 5, seed=0))
    with pytest.raises(BayescompareError, match=r"model: .*4 measures, here there are 5.*search="):
        Network(average=True).model(many)
    few = ask(table(no.linked(30, 2, seed=0)), average=True)
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: few.model(form="nuts"), "draw graphs and their tables exactly.*average=False"),
        (lambda: few.sample(10), r"draws\(\) are exact"),
        (lambda: few.estimate_evidence(), "known exactly, see log_evidence"),
        (lambda: few.loo(few.draws(100, rng=0), refit=True), r"loo\(\) are exact"),
    ]
    for ask_for, message in asked:
        with pytest.raises(BayescompareError, match=message):
            ask_for()
    assert {"sample", "estimate_evidence"}.isdisjoint(dir(few))


def test_a_graph_that_does_not_exist_has_no_density() -> None:
    """SMC proposes some: the prior excludes them, and the likelihood does not raise."""
    c = ask(table(no.linked(15, 2, seed=4)), average=True, mcse=0.05, ess=2.0)
    model = c.model()
    point = model.initial_point(0)
    values = [value.name for value in model.value_vars]
    outcome = model.compile_logp(vars=model.observed_RVs, mode="FAST_COMPILE")
    graph = model.compile_logp(vars=[model["graph"]], mode="FAST_COMPILE")
    assert "graph" in values
    for index in (-1, 3):
        asked = {**point, "graph": np.array(index)}
        assert np.isfinite(outcome(asked))
        assert graph(asked) == -math.inf
