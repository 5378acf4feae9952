"""Exact ties in a draw lead nobody: probabilities sum to at most one, and what is left is told."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy.special import betainc, betaln

import bayescompare as bc
from bayescompare.methods.model_file.answer import read_quantity
from bayescompare.modelling import statement_table
from bayescompare.outcome.decision import decide
from tests.cases import few_quick
from tests.tables import table

QUIET = {"draws": 600, "tune": 400, "chains": 2, "cores": 1, "progressbar": False}


def spiked(l: int, m: int, seed: int = 0, share: float = 0.6, draws: int = 400) -> xr.DataArray:
    """Strengths of which a share of the draws are equal for all algorithms."""
    rng = np.random.default_rng(seed)
    values = np.linspace(1, 0, l)[:, None] + rng.normal(size=(2, draws, l, m))
    same = rng.random((2, draws)) < share
    values[same] = values[same].mean(axis=-2, keepdims=True)
    coords = {"algorithm": [f"a{k}" for k in range(l)], "measure": [f"m{j}" for j in range(m)]}
    return xr.DataArray(values, coords, ("chain", "draw", "algorithm", "measure"))


def results_of(l: int, m: int, n: int = 6, names: list[str] | None = None) -> bc.Results:
    values = np.random.default_rng(1).normal(size=(n, l, m))
    return table(values, names=names or [f"a{k}" for k in range(l)])


def plainly(values: xr.DataArray) -> tuple[dict[str, float], float]:
    """Share of the draws with each strict ordering, and of those with none, one by one."""
    names = values["algorithm"].values.tolist()
    rows = values.transpose("chain", "draw", "measure", "algorithm").values
    rows = rows.reshape(-1, *rows.shape[2:])
    found: dict[str, float] = {}
    none = 0.0
    for row in rows:
        if any(len(set(one.tolist())) < len(names) for one in row):
            none += 1 / len(rows)
            continue
        label = "|".join(
            ">".join(names[k] for k in sorted(range(len(names)), key=lambda k: -one[k]))
            for one in row
        )
        found[label] = found.get(label, 0.0) + 1 / len(rows)
    return found, none


@pytest.mark.parametrize(("l", "m"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_equal_strengths_lead_nobody(l, m):
    strength = spiked(l, m)
    answer = read_quantity(results_of(l, m), strength)
    expected, none = plainly(strength)
    assert none > 0.5
    assert answer.none_leads == pytest.approx(none)
    found = {k: v for k, v in zip(answer.labels, answer.probability, strict=True) if v}
    assert found == pytest.approx(expected)
    assert answer.probability.sum() + answer.none_leads == pytest.approx(1.0)


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
def test_the_verdict_does_not_depend_on_the_listing(seed):
    strength = spiked(2, 1, seed, share=0.9)
    names = ["a0", "a1"]
    straight = read_quantity(results_of(2, 1), strength)
    turned = read_quantity(results_of(2, 1, names=names[::-1]), strength.sel(algorithm=names[::-1]))
    one, other = (dict(zip(a.labels, a.probability, strict=True)) for a in (straight, turned))
    assert one == other
    assert max(one.values()) < 0.2
    assert straight.none_leads == turned.none_leads
    assert decide(straight).verdict == decide(turned).verdict == "open"


def test_a_tie_behind_the_first_matters_only_where_the_whole_order_is_told():
    values = np.zeros((2, 50, 5, 2))
    values[:, :, 0] = 1.0  # a0 leads alone, the others tie behind it
    coords = {"algorithm": [f"a{k}" for k in range(5)], "measure": ["m0", "m1"]}
    strength = xr.DataArray(values, coords, ("chain", "draw", "algorithm", "measure"))
    answer = read_quantity(results_of(5, 2), strength)
    assert answer.labels == ("a0>others|a0>others",)
    assert (answer.probability.tolist(), answer.none_leads) == ([1.0], 0.0)
    three = read_quantity(
        results_of(3, 1, names=["a0", "a1", "a2"]),
        strength.isel(measure=[0], algorithm=[0, 1, 2]),
    )
    assert three.none_leads == 1.0
    assert not three.probability.any()
    assert len(three.labels) == 6
    everywhere = read_quantity(results_of(5, 2), 0.0 * strength)
    assert everywhere.none_leads == 1.0
    assert not everywhere.probability.any()
    assert (decide(everywhere).verdict, decide(everywhere).rivals) == ("open", ())


def test_equal_thetas_lead_nobody_and_rounding_makes_no_leader():
    rng = np.random.default_rng(3)
    theta = rng.dirichlet(np.ones(4), size=(2, 300))
    theta[:, :200] = 0.25
    theta[:, 200:210] = [0.1 + 0.2, 0.3, 0.2, 0.2]  # equal but for rounding
    labels = ["a0>a1|a0>a1", "a0>a1|a1>a0", "a1>a0|a0>a1", "a1>a0|a1>a0"]
    drawn = xr.DataArray(theta, {"statement": labels}, ("chain", "draw", "statement"))
    answer = read_quantity(results_of(2, 2), drawn)
    assert answer.none_leads == pytest.approx(0.7)
    free = theta[:, 210:].reshape(-1, 4).argmax(axis=1)
    assert answer.probability == pytest.approx(np.bincount(free, minlength=4) / 600)


def test_who_beats_whom_by_half_leads_nobody():
    better = np.full((2, 40, 2, 2), 0.5)
    better[:, 30:, 0, 1], better[:, 30:, 1, 0] = 0.7, 0.3
    names = ["a0", "a1"]
    drawn = xr.DataArray(
        better, {"algorithm": names, "opponent": names}, ("chain", "draw", "algorithm", "opponent")
    )
    answer = read_quantity(results_of(2, 1), drawn)
    assert dict(zip(answer.labels, answer.probability, strict=True)) == {"a0>a1": 0.25, "a1>a0": 0}
    assert answer.none_leads == 0.75
    assert answer.facts.ahead == ((0.0, 0.25), (0.0, 0.0))


# models with a spike ------------------------------------------------------------------------------


def spike(results: bc.Results) -> pm.Model:
    """Half of the prior says that all statements are equally probable."""
    seen = statement_table(results)
    k = len(seen.labels)
    with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
        same = pm.Bernoulli("same", 0.5)
        free = pm.Dirichlet("free", np.ones(k), dims="statement")
        even = np.full(k, 1 / k)
        theta = pm.Deterministic("theta", pm.math.switch(same, even, free), dims="statement")
        weights = np.rint(seen.weights).astype(int)
        pm.Multinomial("outcome", 1, theta, observed=weights, dims=("dataset", "statement"))
    return model


def won(first: int, second: int, names: str = "AB") -> bc.Results:
    """Two algorithms of which the first is better on so many datasets."""
    values = np.array([[1.0, 0.0]] * first + [[0.0, 1.0]] * second)[:, :, None]
    return table(values, names=names)


def spike_posterior(first: int, second: int) -> tuple[float, float]:
    """P(the first leads) and P(none leads) under the spike's model, in closed form."""
    even, free = (first + second) * np.log(0.5), betaln(1 + first, 1 + second)
    same = 1 / (1 + np.exp(free - even))
    return (1 - same) * (1 - betainc(1 + first, 1 + second, 0.5)), same


@pytest.fixture(scope="module")
def told() -> bc.Comparison:
    return bc.compare(won(7, 3), method=spike, rng=1, sampler=QUIET)


@pytest.mark.slow
def test_a_model_file_with_a_spike_has_its_closed_answer(told):
    lead, none = spike_posterior(7, 3)
    error = 4 * float(told.mcse.max())
    assert float(told.probability.sel(statement="A>B")) == pytest.approx(lead, abs=error)
    assert told.none_leads == pytest.approx(none, abs=error)
    assert float(told.probability.sum()) + told.none_leads == pytest.approx(1.0)
    turned = bc.compare(won(7, 3).sel(algorithms=["B", "A"]), method=spike, rng=1, sampler=QUIET)
    assert turned.decision.verdict == told.decision.verdict == "open"
    assert turned.best == told.best == "A>B"


@pytest.mark.slow
def test_what_leads_nobody_is_told_everywhere(told, tmp_path):
    assert told.none_leads > told.decision.level
    assert told.headline().startswith("no statement leads with P = 0.")
    claim = told.posterior.claim("A>B")
    assert claim.startswith("A is better than B on ")
    assert f"next, “{claim}” is the most probable statement with P = 0." in told.headline()
    assert "no statement leads" in told.explain()
    summary = told.summary()
    assert summary.loc["(none leads)", "probability"] == told.none_leads
    assert summary["probability"].sum() == pytest.approx(1.0)
    assert json.loads(told.to_json())["none_leads"] == told.none_leads
    told.report(tmp_path / "c.html")
    told.report(tmp_path / "c.md")
    assert "(none leads)" in (tmp_path / "c.md").read_text()
    for name in ("c.json", "c.nc"):
        (told.to_json if name.endswith("json") else told.to_netcdf)(tmp_path / name)
        assert bc.load_comparison(tmp_path / name).none_leads == told.none_leads


def test_a_file_written_before_there_was_such_a_mass_is_read(tmp_path):
    document = json.loads(bc.compare(bc.load_example("pnn")).to_json())
    del document["none_leads"]
    (tmp_path / "old.json").write_text(json.dumps(document))
    assert bc.load_comparison(tmp_path / "old.json").none_leads == 0.0


def test_continuous_answers_leave_nothing_to_none():
    c = bc.compare(bc.load_example("benavoli-example1"))
    assert c.none_leads == 0.0
    assert "none leads" not in c.headline() + c.explain()
    assert "(none leads)" not in c.summary().index
    with pytest.raises(bc.BayescompareError, match="none_leads"):
        _ = bc.compare(bc.load_example("pnn"), method="sign", measures=["accuracy"]).none_leads


def switched(centre: float, free: Any) -> Any:
    """A prior with half of its mass at a point."""

    def place(name: str, dims: tuple[str, ...]) -> Any:
        same = pm.Bernoulli("same", 0.5)
        return pm.Deterministic(name, pm.math.switch(same, centre, free("free")), dims=dims or None)

    return place


@pytest.mark.slow
def test_a_spike_in_the_dirichlet_tests_own_prior():
    even = np.array([0.5, 0.5])
    prior = switched(even, lambda name: pm.Dirichlet(name, np.ones(2)))
    method = bc.methods.Dirichlet(priors={"theta": prior})
    c = bc.compare(won(7, 3), method=method, rng=1, sampler=QUIET)
    lead, none = spike_posterior(7, 3)
    error = 4 * float(c.mcse.max())
    assert float(c.probability.sel(statement="A>B")) == pytest.approx(lead, abs=error)
    assert c.none_leads == pytest.approx(none, abs=error)
    assert float(c.probability.sum()) + c.none_leads == pytest.approx(1.0)
    assert c.unobserved == 0.0
    few = bc.compare(won(10, 0), method=method, rng=1, sampler=QUIET)
    assert few.none_leads < few.decision.level
    assert few.headline().endswith(f"; none leads with P = {few.none_leads:.3f}")


@pytest.mark.slow
@pytest.mark.parametrize(("method", "name"), [("PoissonBinomial", "r"), ("Hierarchical", "mu")])
def test_a_spike_in_the_middle_of_a_context(method, name):
    counts = bc.load_example("lacoste-svm-parzen")
    prior = switched(0.5, lambda inner: pm.Beta(inner, 1, 1))
    options = {"joint": True} if method == "PoissonBinomial" else {}
    chosen = getattr(bc.methods, method)(priors={name: prior}, **options)
    c = bc.compare(counts, method=chosen, rng=1, sampler=QUIET)
    drawn = c.tree["posterior"][name].values
    assert c.none_leads == pytest.approx(np.mean(drawn == 0.5))
    assert 0.0 < c.none_leads < 1.0
    assert float(c.probability.sum()) + c.none_leads == pytest.approx(1.0)
    assert "no statement leads" in c.explain()


def test_a_tie_for_the_second_place_does_not_depend_on_the_listing():
    """The runner-up of equal probability is the one with more datasets, then by name."""
    prior = {"a0>a1|a0>a1": 9.0, "*": 1.0}
    runners = set()
    for names in itertools.permutations(["a0", "a1"]):
        results = won(5, 0, "AB")
        values = np.repeat(results.oriented(), 2, axis=2)
        both = table(values, names=["a0", "a1"]).sel(algorithms=list(names))
        decision = bc.compare(both, method=bc.methods.Dirichlet(prior=prior)).decision
        assert decision.statement == "a0>a1|a0>a1"
        assert decision.runner_up is not None
        runners.add(decision.runner_up[0])
    assert len(runners) == 1
