"""Judged items: the model by its formula, rows by their integrals, and judges who turn verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import integrate, stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from bayescompare.modelling import joint_probability
from tests.methods.model_file.test_bundled import function_of
from tests.tables import table

Judged = tuple[bc.Results, pd.DataFrame]
INDEX = ["dataset", "algorithm", "item"]


def judged(
    right: dict[str, float],
    s: dict[str, float],
    t: dict[str, float],
    *,
    datasets: int = 6,
    items: int = 80,
    share: float = 0.4,
    seed: int = 0,
    rope: float | None = None,
) -> Judged:
    """Items that are right so often, a judge of each algorithm, and labels of a share of them."""
    rng = np.random.default_rng(seed)
    rows, gold = [], []
    for d in range(datasets):
        for name, p in right.items():
            true = rng.random(items) < p
            passed = np.where(true, rng.random(items) < s[name], rng.random(items) >= t[name])
            for k in range(items):
                rows.append((f"d{d}", name, f"i{k}", float(passed[k])))
                if rng.random() < share:
                    gold.append((f"d{d}", name, f"i{k}", float(true[k])))
    frame = pd.DataFrame(rows, columns=[*INDEX, "ok"])
    measures = {"ok": bc.Measure("max", rope=rope)}
    results = bc.Results.from_frame(frame, replicate="item", replicates="items", measures=measures)
    return results, pd.DataFrame(gold, columns=[*INDEX, "ok"])


SAME = {"A": 0.85, "B": 0.85}, {"A": 0.75, "B": 0.75}


def few(rope: float | None = None) -> Judged:
    return judged({"A": 0.7, "B": 0.5}, *SAME, datasets=2, items=40, rope=rope)


def draws_of(s: float, t: float) -> xr.Dataset:
    dims = ("chain", "draw", "judge", "measure")
    both = {"sensitivity": s, "specificity": t}
    return xr.Dataset({name: (dims, np.full((1, 1, 1, 1), x)) for name, x in both.items()})


def test_judged_items_is_its_formula() -> None:
    results, gold = few()
    model = ModelFile("judged_items", priors={"gold": gold}).model(results)
    s, t, p = 0.8, 0.7, 0.6
    point = {name: np.full(np.shape(x), 0.0) for name, x in model.initial_point().items()}
    # On the scales that PyMC samples: the logit of s, of what t has of its range, and of π.
    logit = {"sensitivity": s, "above": (t - 1 + s) / s, "right": p}
    for name in point:
        value = next(x for key, x in logit.items() if name.startswith(key))
        point[name] = np.full(point[name].shape, np.log(value / (1 - value)))
    terms = model.compile_logp(vars=model.observed_RVs, sum=False)(point)
    passed, number, labelled = function_of("judged_items", "counts")(results, gold)
    q = (1 - t) + (s + t - 1) * p
    cells = [p * s, p * (1 - s), (1 - p) * (1 - t), (1 - p) * t]
    free = number - labelled.sum(axis=-1)
    np.testing.assert_allclose(terms[0], stats.binom.logpmf(passed, free, q))
    expected = stats.multinomial.logpmf(labelled, labelled.sum(axis=-1), cells)
    np.testing.assert_allclose(terms[1], expected)
    assert number.sum() == 160
    assert 0 < labelled.sum() == len(gold)


@pytest.mark.parametrize("rope", [None, 0.1])
def test_rows_are_masses_of_the_posterior_of_each_dataset(rope: float | None) -> None:
    results, gold = few(rope)
    s, t = 0.8, 0.7
    rows = function_of("judged_items", "statement_rows")(draws_of(s, t), results, gold)
    passed, number, labelled = function_of("judged_items", "counts")(results, gold)
    free = number - labelled.sum(axis=-1)

    def density(i: int, a: int, p: float) -> float:
        q = (1 - t) + (s + t - 1) * p
        cells = [p * s, p * (1 - s), (1 - p) * (1 - t), (1 - p) * t]
        found = stats.binom.pmf(passed[i, a, 0], free[i, a, 0], q)
        known = labelled[i, a, 0]
        return float(found * stats.multinomial.pmf(known, known.sum(), cells))

    edge = rope or 0.0

    def ahead(i: int, a: int) -> float:
        whole = [integrate.quad(lambda p, b=b: density(i, b, p), 0, 1)[0] for b in (0, 1)]
        both = integrate.dblquad(
            lambda y, x: density(i, a, x) * density(i, 1 - a, y), edge, 1, 0, lambda x: x - edge
        )[0]
        return float(both / (whole[0] * whole[1]))

    for i in range(2):
        mass = (1 - edge) ** 2 / 2
        first, second = ahead(i, 0) / mass, ahead(i, 1) / mass
        expected = [first, second]
        if rope:
            expected.insert(1, (1 - (first + second) * mass) / (1 - 2 * mass))
        np.testing.assert_allclose(np.exp(rows[0, i]), expected, rtol=0.02, atol=1e-3)


def test_a_dataset_is_left_out_with_its_own_rate() -> None:
    results, gold = few()
    found = function_of("judged_items", "log_likelihood")(draws_of(0.8, 0.7), results, gold)
    assert found.dims == ("chain", "draw", "dataset")
    log = function_of("judged_items", "densities")(
        *[x[0].values for x in draws_of(0.8, 0.7).transpose("chain", ...).data_vars.values()],
        function_of("judged_items", "counts")(results, gold),
    )
    np.testing.assert_allclose(
        found.values.ravel(), np.log(np.exp(log).mean(axis=-1)).sum(axis=(-2, -1)).ravel()
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gold": None}, "gold is missing"),
        ({"gold": pd.DataFrame({"dataset": []})}, "no column 'algorithm'"),
        ({"judges": "both"}, "say 'same' or 'each'"),
    ],
)
def test_what_judged_items_refuses(change: dict[str, Any], words: str) -> None:
    results, gold = few()
    with pytest.raises(bc.BayescompareError, match=words):
        ModelFile("judged_items", priors={"gold": gold, **change}).model(results)


def test_labels_that_do_not_show_a_judge_better_than_chance_are_refused() -> None:
    results, gold = judged({"A": 0.5, "B": 0.5}, {"A": 0.5, "B": 0.5}, {"A": 0.5, "B": 0.5})
    with pytest.raises(bc.BayescompareError, match="no better than chance"):
        ModelFile("judged_items", priors={"gold": gold}).model(results)
    # A few labels of a good judge say as little.
    results, gold = few()
    with pytest.raises(bc.BayescompareError, match="label more items"):
        ModelFile("judged_items", priors={"gold": gold[:2]}).model(results)


def test_certain_rows_are_the_dirichlet_test() -> None:
    rng = np.random.default_rng(3)
    results = table(rng.normal(size=(7, 2, 2)))
    plain = bc.compare(results).probability
    shown = np.full((7, 4), -1e9)
    for i, (a, b) in enumerate(results.oriented().transpose(0, 2, 1).argmax(axis=2)):
        shown[i, 2 * a + b] = 0.0
    np.testing.assert_allclose(joint_probability(shown, results), plain, atol=1e-9)
    with pytest.raises(bc.BayescompareError, match="log_rows has the shape"):
        joint_probability(shown[:3], results)


QUICK = {"draws": 300, "tune": 400, "chains": 2, "cores": 1, "progressbar": False}


@pytest.mark.slow
def test_a_judge_who_favours_one_turns_a_verdict_and_labels_turn_it_back() -> None:
    s, t = {"A": 0.6, "B": 0.95}, {"A": 0.9, "B": 0.6}
    results, gold = judged({"A": 0.7, "B": 0.55}, s, t, datasets=8, items=150, share=0.4)
    believed = bc.compare(results, method="replicated")
    assert believed.best == "B>A"
    assert believed.decision.settled
    method = ModelFile("judged_items", priors={"gold": gold, "judges": "each"})
    c = bc.compare(results, method=method, rng=1, sampler=QUICK)
    assert c.best == "A>B"
    posterior = c.tree["posterior"].to_dataset()
    for name, true in (("sensitivity", s), ("specificity", t)):
        drawn = posterior[name].isel(measure=0)
        far = (drawn.mean(("chain", "draw")) - [true["A"], true["B"]]) / drawn.std(
            ("chain", "draw")
        )
        assert float(abs(far).max()) < 4
    strength = posterior["strength"].mean(("chain", "draw")).values[:, 0]
    np.testing.assert_allclose(strength, [0.7, 0.55], atol=0.06)


@pytest.mark.slow
def test_ranks_of_judged_items() -> None:
    results, gold = judged({"A": 0.7, "B": 0.5}, *SAME, datasets=3, items=40)
    found = bc.studies.sbc(
        ModelFile("judged_items", priors={"gold": gold}),
        results,
        simulations=80,
        draws=49,
        tune=300,
        thin=3,
        rng=1,
    )
    assert found.ok, found
