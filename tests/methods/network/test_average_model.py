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
from bayescompare.methods import Network
from bayescompare.methods.network.average_model import _every_network_average_graph
from tests.cases import few_quick
from tests.methods.network.cases import ask
from tests.oracles import network as no
from tests.tables import table


def point_of(c: Any, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, float, float]]:
    """A point of every table, with its prior and its posterior density there."""
    families = c.method.families(c.results)
    graphs = _every_network_average_graph(families)
    found = {}
    for j in range(len(c.results.measures)):
        for mask in {graph[j] for graph in graphs}:
            family = families.family(j, mask)
            rows = rng.dirichlet(np.full(family.arity, 3.0), size=len(family.alpha))
            densities = [
                sum(stats.dirichlet.logpdf(row, a) for row, a in zip(rows, alpha, strict=True))
                for alpha in (family.alpha, family.alpha + family.counts)
            ]
            found[j, mask] = (family.name, rows, *densities)
    return found  # type: ignore[return-value]


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
    graphs = _every_network_average_graph(c.method.families(c.results))
    scores = c.method.scores(c.results)
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
    asked: list[Callable[[], object]] = [
        lambda: few.model(form="nuts"),
        lambda: few.estimate_evidence(by="bridge"),
        lambda: few.loo(few.draws(100, rng=0), refit=True),
    ]
    for ask_for in asked:
        with pytest.raises(BayescompareError, match=r"^average=True: .* are exact.*average=False"):
            ask_for()


@pytest.mark.slow
@pytest.mark.parametrize("lumped", [False, True])
def test_the_summed_model_is_the_sum_over_graphs(lumped: bool) -> None:
    if lumped:
        results = table(no.linked(9, 4, l=3, seed=2))
        c: Any = ask(results, average=True, mcse=0.05, ess=2.0, max_parents=1)
    else:
        c = ask(table(no.linked(15, 2, seed=4)), average=True, mcse=0.05, ess=2.0)
    whole, summed = (
        remove_value_transforms(model).compile_logp(jacobian=False, mode="FAST_COMPILE")
        for model in (c.model(), c.method.evidence_model(c.results))
    )
    point = {name: rows for name, rows, _, _ in point_of(c, np.random.default_rng(0)).values()}
    graphs = _every_network_average_graph(c.method.families(c.results))
    each = [float(whole({**point, "graph": np.array(g)})) for g in range(len(graphs))]
    assert float(summed(point)) == pytest.approx(logsumexp(each), abs=1e-7)


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


@pytest.mark.slow
def test_smc_gives_the_averaged_evidence() -> None:
    """Two measures, three graphs; α of at least ½. With the graph, and with it summed out."""
    results = bc.load_example("benavoli-example1")
    c = bc.compare(results, method=Network(average=True, ess=2.0), rng=0)
    options: dict[str, Any] = {"cores": 1, "progressbar": False}
    summed = c.estimate_evidence(by="smc", rng=3, **options)
    with c.model():
        tree = pm.sample_smc(
            2000, chains=8, random_seed=4, compute_convergence_checks=False, **options
        )
    last = np.array(
        [
            float(np.hstack([np.ravel(stage) for stage in np.ravel(chain)])[-1])
            for chain in tree["sample_stats"]["log_marginal_likelihood"].values
        ]
    )
    mean = float(logsumexp(last) - math.log(8))
    error = float(np.exp(last - mean).std(ddof=1)) / math.sqrt(8)
    print(f"closed {c.log_evidence:.4f}, {summed}, with the graph {mean:.4f} ± {error:.4f}")
    for found, se in (summed, (mean, error)):
        assert se < 0.1
        assert abs(found - c.log_evidence) < 4 * se


@pytest.mark.slow
def test_smc_with_three_measures() -> None:
    c = ask(table(no.linked(20, 3, seed=1)), average=True, mcse=0.05, ess=4.0, max_parents=1)
    found = c.estimate_evidence(by="smc", rng=5, cores=1, progressbar=False)
    print(f"closed {c.log_evidence:.4f}, {found}")
    assert found.se < 0.2
    assert abs(found.log_evidence - c.log_evidence) < 4 * found.se


@pytest.mark.slow
def test_an_edited_model_gives_a_tree_of_the_same_shape() -> None:
    c: Any = bc.compare(bc.load_example("benavoli-example1"), method=Network(average=True), rng=0)
    tree = c.sample(50, chains=2, tune=50, rng=1, model=c.model(), cores=1, progressbar=False)
    own = c.draws(50, chains=2, rng=0)
    for group in ("posterior", "prior"):
        assert set(own[group].data_vars) <= set(tree[group].data_vars)
    assert tree.attrs["model"] == "edited"
