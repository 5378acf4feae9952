"""ArviZ on sampled model files: power scaling, and the bundled model against its integral."""

from __future__ import annotations

import math

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytest

import bayescompare as bc
from bayescompare.modelling import observe_statements, statement_table
from tests.methods.model_file.own import QUICK
from tests.tables import table

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


@pytest.fixture(scope="module")
def hyper(results: bc.Results) -> bc.Comparison:
    return bc.compare(results, method="dirichlet_hyperprior", rng=1, sampler=QUICK)


@pytest.mark.slow
def test_power_scaling_is_drawn_of_a_bundled_model(hyper: bc.Comparison) -> None:
    """ArviZ has a dimension called alpha of its own: a variable of that name collides with it."""
    az.plot_psense_dist(hyper.tree, var_names=["theta"])
    plt.close("all")


@pytest.mark.slow
def test_the_bundled_model_is_its_integral(hyper: bc.Comparison, results: bc.Results) -> None:
    """P(max) and elpd by integrating over α, against NUTS and PSIS."""
    from scipy.special import gammaln, logsumexp
    from scipy.stats import gamma

    from bayescompare.kernels.dirichlet.pmax import p_max

    x, w = np.polynomial.legendre.leggauss(120)
    x, w = 12.0 * (x + 1), 12.0 * w
    prior_weight = np.log(w) + gamma.logpdf(x, 2)

    def log_evidence(n: np.ndarray) -> float:
        each = gammaln(x[:, None] + n) - gammaln(x[:, None])
        return float(
            logsumexp(prior_weight + each.sum(axis=1) + gammaln(4 * x) - gammaln(4 * x + n.sum()))
        )

    n = np.array([1.0, 2.0, 3.0, 6.0])
    each = (gammaln(x[:, None] + n) - gammaln(x[:, None])).sum(axis=1)
    weight = prior_weight + each + gammaln(4 * x) - gammaln(4 * x + 12)
    posterior = np.exp(weight - logsumexp(weight))
    expected = sum(
        p * p_max(np.full(4, math.log(a)), n[None])[0, :-1]
        for a, p in zip(x, posterior, strict=True)
    )
    np.testing.assert_allclose(hyper.probability.values, expected, atol=0.15)
    elpd = sum(n[k] * (log_evidence(n) - log_evidence(n - np.eye(4)[k])) for k in range(4))
    assert float(hyper.loo().elpd) == pytest.approx(elpd, abs=0.6)
    both = bc.compare_models([bc.compare(results), hyper], names=["exact", "nuts"]).table
    assert both["how"].to_dict() == {"exact": "exact", "nuts": "PSIS"}
    assert both.loc["nuts", "khat"] == pytest.approx(float(hyper.loo().pareto_k.max()))
    assert math.isnan(both.loc["exact", "khat"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Your data appears to have a single value")
def test_every_variable_of_plackett_luce_is_drawn() -> None:
    """The diagonal of a correlation matrix is one, not one but for rounding."""
    results = bc.load_example("jansen-uci").sel(algorithms=["GBM", "RF", "EN"])
    c = bc.compare(results, method="plackett_luce", rng=1, sampler=QUICK)
    for draw in (az.plot_dist, az.plot_trace_dist, az.plot_prior_posterior):
        draw(c.tree)
        plt.close("all")


def test_statements_of_an_own_model_are_seen_as_those_of_the_package() -> None:
    """Ties included: the same statistics, the same data, and pictures that take the tree."""
    results = table(np.random.default_rng(1).integers(0, 3, (8, 2, 2)).astype(float))
    exact = bc.compare(results)

    def build(results: bc.Results) -> pm.Model:
        seen = statement_table(results)
        with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
            theta = pm.Dirichlet("theta", np.full(4, 0.25), dims="statement")
            observe_statements(theta, seen)
        return model

    c = bc.compare(results, method=build, rng=1, sampler=QUICK)
    assert c.check(rng=1).index.tolist() == exact.check(rng=1).index.tolist()
    both = [tree["constant_data"] for tree in (c.tree, exact.draws(5, rng=1))]
    for name in ("count", "split"):
        np.testing.assert_allclose(both[0][name], both[1][name])
    assert len(bc.compare_models([exact, c]).table) == 2
    az.plot_ppc_rootogram(c.tree)
    plt.close("all")
