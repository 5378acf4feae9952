"""From draws of strengths to statements and to who is ahead of whom, by counting again."""

from __future__ import annotations

import itertools

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.methods.model_file.answer import read_quantity
from bayescompare.modelling import ranks
from tests.methods.model_file.own import QUICK
from tests.tables import table

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")

QUIET = {"draws": 200, "tune": 300, "chains": 2, "cores": 1, "progressbar": False}


def drawn(l: int, m: int | None, seed: int = 0, draws: int = 150) -> xr.DataArray:
    rng = np.random.default_rng(seed)
    names = [f"a{k}" for k in range(l)]
    shape = (2, draws, l) if m is None else (2, draws, l, m)
    dims = ("chain", "draw", "algorithm") + (() if m is None else ("measure",))
    centre = np.linspace(1, 0, l) if m is None else np.linspace(1, 0, l)[:, None]
    coords = {"algorithm": names} | ({} if m is None else {"measure": [f"m{j}" for j in range(m)]})
    return xr.DataArray(centre + rng.normal(size=shape), coords, dims)


def results_of(l: int, m: int, n: int = 6) -> bc.Results:
    values = np.random.default_rng(1).normal(size=(n, l, m))
    return table(values, names=[f"a{k}" for k in range(l)])


@pytest.mark.parametrize(("l", "m"), [(2, 1), (2, 3), (3, 1), (3, 2), (4, 1)])
def test_few_orderings_are_listed_whole(l, m):
    strength = drawn(l, m)
    answer = read_quantity(results_of(l, m), strength)
    values = strength.values.reshape(-1, l, m)
    expected: dict[str, float] = {}
    for row in values:
        label = "|".join(
            ">".join(f"a{k}" for k in sorted(range(l), key=lambda k: -row[k, j])) for j in range(m)
        )
        expected[label] = expected.get(label, 0.0) + 1 / len(values)
    found = dict(zip(answer.labels, answer.probability, strict=True))
    assert sum(found.values()) == pytest.approx(1.0)
    assert {k: pytest.approx(v) for k, v in found.items() if v} == expected


def test_of_too_many_orderings_the_first_on_each_measure_is_told():
    strength, results = drawn(5, 2), results_of(5, 2, n=7)
    answer = read_quantity(results, strength)
    values = strength.values.reshape(-1, 5, 2)
    first = values.argmax(axis=1)
    assert sum(answer.probability) == pytest.approx(1.0)
    for label, p, count in zip(answer.labels, answer.probability, answer.counts, strict=True):
        a, b = (int(state.removeprefix("a").removesuffix(">others")) for state in label.split("|"))
        assert p == pytest.approx(np.mean((first[:, 0] == a) & (first[:, 1] == b)))
        best = results.oriented().argmax(axis=1)
        assert count == np.sum((best[:, 0] == a) & (best[:, 1] == b))


def test_who_tie_for_the_first_place_share_it():
    values = np.zeros((2, 5, 2))
    values[0, :2, 0] = 1.0  # a0 and a1 tie on the first measure
    values[:, 3, 1] = 1.0
    results = table(values, names=[f"a{k}" for k in range(5)])
    answer = read_quantity(results, drawn(5, 2))
    counts = dict(zip(answer.labels, answer.counts, strict=True))
    assert counts["a0>others|a3>others"] == pytest.approx(0.5 + 1 / 5)
    assert counts["a2>others|a3>others"] == pytest.approx(1 / 5)


@pytest.mark.parametrize("m", [None, 1, 3])
def test_ahead_is_the_share_of_draws_ahead_on_every_measure(m):
    strength = drawn(4, m)
    ahead = np.array(read_quantity(results_of(4, m or 2), strength).facts.ahead)
    values = strength.values.reshape(-1, 4, m or 1)
    for a, b in itertools.permutations(range(4), 2):
        assert ahead[a, b] == pytest.approx(np.mean((values[:, a] > values[:, b]).all(axis=-1)))
    if m in (None, 1):
        assert ahead + ahead.T == pytest.approx(1 - np.eye(4))


def test_ahead_by_who_beats_whom():
    rng = np.random.default_rng(0)
    names = ["a0", "a1", "a2"]
    beats = rng.uniform(size=(2, 100, 3, 3))
    better = xr.DataArray(
        beats,
        {"algorithm": names, "opponent": names},
        ("chain", "draw", "algorithm", "opponent"),
    )
    ahead = np.array(read_quantity(results_of(3, 1), better).facts.ahead)
    flat = beats.reshape(-1, 3, 3)
    for a, b in itertools.permutations(range(3), 2):
        assert ahead[a, b] == pytest.approx(np.mean(flat[:, a, b] > flat[:, b, a]))


def test_who_beats_whom_is_read_by_rows() -> None:
    """better[a, b] is P(a beats b): the mean over the opponents orders the algorithms."""
    p = np.random.default_rng(1).beta(9.0, 1.0, (2, 50))
    # The first beats everyone, the last beats the second.
    rows = [[0.5 + 0 * p, p, p], [1 - p, 0.5 + 0 * p, 1 - p], [1 - p, p, 0.5 + 0 * p]]
    names = ["a0", "a1", "a2"]
    better = xr.DataArray(
        np.moveaxis(np.array(rows), (0, 1), (2, 3)),
        {"algorithm": names, "opponent": names},
        ("chain", "draw", "algorithm", "opponent"),
        name="better",
    )
    answer = read_quantity(results_of(3, 1), better)
    assert answer.labels[int(answer.probability.argmax())] == "a0>a2>a1"
    assert max(answer.probability) > 0.9


def thurstone(results: bc.Results, sigma: float = 1.0) -> pm.Model:
    """Mean ranks, normal: quick to sample, for tests of what is read off it."""
    coords = {
        "algorithm": results.algorithms,
        "measure": results.measures,
        "dataset": results.datasets,
    }
    dims = ("algorithm", "measure")
    with pm.Model(coords=coords) as model:
        strength = pm.Normal("strength", 0, sigma, dims=dims)
        pm.Normal("rank", -strength, 1.0, observed=ranks(results), dims=("dataset", *dims))
    return model


@pytest.fixture(scope="module")
def five() -> bc.Results:
    rng = np.random.default_rng(3)
    values = np.linspace(2, 0, 5)[:, None] + rng.normal(size=(15, 5, 2))
    return table(values, names="VWXYZ")


@pytest.mark.slow
def test_pairs_are_read_off_one_model_of_all_algorithms(five):
    c = bc.compare(five, method=thurstone, rng=5, sampler=QUIET)
    p = bc.pairwise(five, method=thurstone, rng=5, sampler=QUIET)
    # One posterior, not ten: the same seed gives the comparison's own figures.
    np.testing.assert_allclose(p.matrix.values, c.ahead.values)
    assert len({id(one.tree) for one in p.comparisons}) == 1
    assert p.comparisons[0].results.algorithms == ("V", "W")
    assert "one model of 5 algorithms" in p.comparisons[0].explain()
    assert p.order().has_edge("V", "Z")
    assert list(c.tables) == ["Who is ahead on every measure"]
    assert "V is ahead of" in c.explain()
    with pytest.raises(bc.BayescompareError, match="strengths"):
        _ = p.comparisons[0].ahead


def test_a_model_of_two_statements_has_nothing_ahead(five):
    def build(results: bc.Results) -> pm.Model:
        coords = {"statement": ["V>W", "W>V"], "dataset": results.datasets}
        won = (results.oriented()[:, 0, 0] > results.oriented()[:, 1, 0]).astype(int)
        with pm.Model(coords=coords) as model:
            p = pm.Beta("p", 1, 1)
            pm.Deterministic("theta", pm.math.stack([p, 1 - p]), dims="statement")
            pm.Bernoulli("won", p, observed=won, dims="dataset")
        return model

    two = five.sel(algorithms=["V", "W"], measures=[five.measures[0]])
    c = bc.compare(two, method=build, rng=0, sampler=QUICK)
    assert c.tables == {}
    with pytest.raises(bc.BayescompareError, match="strength"):
        _ = c.ahead


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
