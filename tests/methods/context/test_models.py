"""Every model of a context holds its data: others take their place, and decide its density."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymc as pm
import pymc_extras as pmx
import pytensor.tensor as pt
import pytest
from scipy import stats

import bayescompare as bc
from bayescompare.methods import Hierarchical, PoissonBinomial
from tests.methods.context.folds import ask as ask_folds
from tests.methods.context.folds import scores
from tests.oracles.context import PAIRS, better, counts_of, log_split

QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}
MORE = [(3, 1), (0, 4), (7, 2), (5, 5), (1, 8), (2, 2), (9, 0), (4, 6)]


def asked(name: str, rope: float | None, more: bool) -> Any:
    if name == "correlated-t":
        return ask_folds(scores(8 if more else 5, 6, seed=2 + more), rope=rope, joint=True)
    method = Hierarchical() if name == "hierarchical" else PoissonBinomial(joint=True, a=1.5)
    return bc.compare(counts_of(MORE if more else PAIRS), method=method)


@pytest.mark.parametrize("form", ["textbook", "nuts"])
@pytest.mark.parametrize(
    ("name", "rope"),
    [
        ("poisson-binomial", None),
        ("hierarchical", None),
        ("correlated-t", None),
        ("correlated-t", 0.01),
    ],
)
def test_data_that_are_set_are_a_new_comparison(name: str, rope: float | None, form: str) -> None:
    model, other = (asked(name, rope, more).model(form=form) for more in (False, True))
    before = model.compile_logp(vars=model.observed_RVs, **QUICK)(model.initial_point())
    data = {v.name: v.get_value() for v in other.data_vars}
    pm.set_data(data, model=model, coords={"dataset": list(other.coords["dataset"])})
    rng, start = np.random.default_rng(0), other.initial_point()
    point = {
        k: v + 0.1 * rng.normal(size=v.shape) * (v.dtype.kind == "f") for k, v in start.items()
    }
    expected = float(other.compile_logp(vars=other.observed_RVs, **QUICK)(point))
    # Bounds of means follow the data, so that the same mean is at another place between them.
    for rv in model.free_RVs:
        at, to = (m.rvs_to_transforms[m[rv.name]] for m in (other, model))
        value = model.rvs_to_values[rv].name
        if rv.name == "advantage":
            mean = at.backward(pt.as_tensor(point[value]), *other[rv.name].owner.inputs)
            point[value] = to.forward(mean, *rv.owner.inputs).eval(**QUICK)
    found = float(model.compile_logp(vars=model.observed_RVs, **QUICK)(point))
    assert found == pytest.approx(expected, abs=1e-9)
    assert found != pytest.approx(float(before), abs=1e-3)


def test_the_textbook_has_what_the_draws_have() -> None:
    for name, free in (
        ("poisson-binomial", {"r", "d", "h"}),
        ("hierarchical", {"mu", "rho", "z"}),
        ("correlated-t", {"r", "advantage", "sigma"}),
    ):
        c = asked(name, None, more=False)
        model = c.model()
        assert {v.name for v in model.free_RVs} == free
        tree = c.draws(50, chains=2, rng=1)
        assert free <= set(tree["posterior"].data_vars)
        again = pm.sample_posterior_predictive(
            tree, model=model, random_seed=2, progressbar=False, compile_kwargs=QUICK
        )
        assert np.isfinite(again["posterior_predictive"].to_dataset().to_dataarray()).all()


def test_the_sides_summed_out_are_the_textbook() -> None:
    """log p by d and h on a grid of h, against the form for NUTS and the closed formula."""
    c = asked("poisson-binomial", None, more=False)
    model = c.model(form="nuts")
    r, a = 0.3, 1.5
    point = {"r_logodds__": np.array(np.log(r / (1 - r)))}
    found = float(model.compile_logp(vars=model.observed_RVs, **QUICK)(point))
    h = (np.arange(20_000) + 0.5) / 40_000
    density = 2 * stats.beta.pdf(h, a, a) / 40_000
    closed = summed = 0.0
    for first, second in PAIRS:
        p = better(first, second, a)
        closed += np.log(2) + log_split(first, second, a) + np.log(r * p + (1 - r) * (1 - p))
        n = first + second
        sides = [stats.binom.pmf(first, n, h), stats.binom.pmf(first, n, 1 - h)]
        summed += np.log(density @ (r * sides[0] + (1 - r) * sides[1]))
    assert found == pytest.approx(closed, abs=1e-9)
    assert summed == pytest.approx(closed, abs=1e-6)


def test_new_datasets_of_the_summed_form_are_those_of_the_textbook() -> None:
    c = asked("poisson-binomial", None, more=True)
    both = []
    for form in ("textbook", "nuts"):
        model = pm.do(c.model(form=form), {"r": 0.8})
        both.append(pm.draw(model["first_wrong"], 3000, random_seed=3, **QUICK))
    for i in range(len(MORE)):
        if sum(MORE[i]):
            table = [np.bincount(drawn[:, i], minlength=sum(MORE[i]) + 1) for drawn in both]
            assert stats.chi2_contingency(np.array(table) + 1).pvalue > 1e-4


def test_the_better_algorithm_can_be_summed_out() -> None:
    """pymc-extras sums d out of the textbook: r on one side and 1 − r on the other."""
    model = pmx.marginalize(asked("poisson-binomial", None, more=False).model(), ["d"])
    r, a, h = 0.3, 1.5, np.linspace(0.1, 0.45, len(PAIRS))
    point = {}
    for rv in model.free_RVs:
        value = pt.as_tensor(r if rv.name == "r" else h)
        value = model.rvs_to_transforms[rv].forward(value, *rv.owner.inputs).eval(**QUICK)
        point[model.rvs_to_values[rv].name] = value
    found = float(model.compile_logp(jacobian=False, **QUICK)(point))
    k, n = np.array(PAIRS)[:, 0], np.sum(PAIRS, axis=1)
    sides = r * stats.binom.pmf(k, n, h) + (1 - r) * stats.binom.pmf(k, n, 1 - h)
    expected = np.log(2 * stats.beta.pdf(h, a, a) * sides).sum()
    assert found == pytest.approx(float(expected), abs=1e-8)
