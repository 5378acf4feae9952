"""Models by NUTS where their answer is a closed form or an integral in one dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.methods.model_file.test_bundled import function_of
from tests.methods.model_file.test_spike_and_slab import SLEEP, of_differences
from tests.oracles import models as oracle

pytestmark = pytest.mark.slow

QUIET = {"progressbar": False, "cores": 2}
#: Nine wins of twelve, and a tie, which is half a win.
WINS = np.array([1.0, 1.2, 0.4, -0.3, 0.8, 0.9, -1.1, 2.0, 0.2, 0.5, -0.6, 0.0])


def compared(name: str, results: bc.Results, **priors: Any) -> bc.Comparison:
    c = bc.compare(results, method=ModelFile(name, priors=priors), rng=3, sampler=QUIET)
    assert c.diagnose().ok, str(c.diagnose())
    return c


def check(c: bc.Comparison, statement: str, expected: float) -> None:
    found = float(c.probability.sel(statement=statement))
    error = float(c.mcse[list(c.probability["statement"].values).index(statement)])
    assert found == pytest.approx(expected, abs=4 * error)
    assert error < 0.02, "the test must be able to fail"


def test_thurstone_of_two_is_a_sign_test_with_a_uniform_prior():
    """Φ of a standard normal is uniform: the Dirichlet test with one pseudo-count each."""
    results = of_differences(WINS)
    exact = bc.compare(results, method=bc.methods.Dirichlet(prior="uniform"))
    expected = float(exact.probability.sel(statement="A>B"))
    assert expected == pytest.approx(stats.beta.sf(0.5, 9.5, 4.5))
    check(compared("thurstone", results), "A>B", expected)


def test_item_response_of_two_is_a_probit_of_one_parameter():
    results, tau = of_differences(WINS[:-1]), 0.6
    z = np.linspace(-6, 6, 241)
    weight = stats.norm.pdf(z) / stats.norm.pdf(z).sum()

    def density(w: float) -> float:
        p = float(weight @ stats.norm.cdf(np.exp(tau * z) * w))
        return float(stats.norm.pdf(w)) * p**8 * (1 - p) ** 3

    ahead, behind = (integrate.quad(density, *side)[0] for side in ((0, 8), (-8, 0)))
    check(compared("item_response", results, tau=tau), "A>B", ahead / (ahead + behind))


def test_multivariate_normal_of_one_measure_is_conjugate():
    """With known σ the mean is normal, and so is what the next dataset's θ is read from."""
    d = np.array([0.5, -0.2, 0.4, 0.9, -0.6, 0.3])
    unit, sigma = math.sqrt((d**2).mean()), 0.9
    precision = 1 / 2**2 + len(d) / sigma**2
    mean = d.sum() / unit / sigma**2 / precision
    c = compared("multivariate_normal", of_differences(d), sigma=sigma)
    check(c, "A>B", stats.norm.cdf(mean * math.sqrt(precision)))


@pytest.mark.parametrize("rope", [None, 0.5])
def test_spike_and_slab_has_the_probability_of_equality(rope: float | None):
    results = of_differences(SLEEP, rope)
    rms = math.log(math.sqrt((SLEEP**2).mean()))
    factor = oracle.same_factor(SLEEP, rope or 0.0, lambda log_sd: -0.5 * (log_sd - rms) ** 2)
    c = compared("spike_and_slab", results)
    check(c, "A=B", factor / (1 + factor))
    found = function_of("spike_and_slab", "bayes_factor")(c.tree["posterior"].to_dataset(), results)
    assert float(found[0]) == pytest.approx(factor, rel=0.1)
