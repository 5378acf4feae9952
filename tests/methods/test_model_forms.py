"""The two forms of a model: PyMC's own tools work on the one, NUTS samples the other.

Both have the closed evidence at every point: log p(x, data) − log p(x | data), with the posterior
density known in closed form, is the log evidence whatever x is. What is left out of a density, a
constant or a factor that depends on α, shows there without any sampling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
import xarray as xr
from pymc.model.transform.conditioning import remove_value_transforms
from scipy import stats
from scipy.special import gammaln, logsumexp

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import Dirichlet, Hierarchical, Network, PoissonBinomial
from bayescompare.table.results import Results
from tests.cases import few_quick
from tests.oracles import network as no
from tests.tables import table

FORMS = pytest.mark.parametrize("form", ["textbook", "nuts"])
QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}


def statements(kind: str) -> Results:
    """Two algorithms with ties, a rope, three algorithms, or more than 256 statements."""
    rng = np.random.default_rng(3)
    if kind == "rope":
        return table(rng.random((15, 2, 2)), rope=0.2)
    if kind == "three algorithms":
        return table(rng.integers(0, 3, (10, 3, 1)))
    if kind == "beyond 256":
        return table(np.round(rng.normal(size=(20, 2, 9)) + np.array([[[0.0], [0.8]]]), 1))
    return table(rng.integers(0, 4, (12, 2, 2)))


KINDS = ["ties", "rope", "three algorithms", "beyond 256"]


def log_density_of(model: pm.Model) -> Callable[[dict[str, Any]], float]:
    """Log density of a model at a point given in its own variables, not in transformed ones."""
    # Term by term: PyTensor's Python mode cannot add more than 32 at once.
    terms = remove_value_transforms(model).compile_logp(jacobian=False, sum=False, **QUICK)
    return lambda point: float(sum(term.sum() for term in terms(point)))


def latent_point(
    name: str, alpha: np.ndarray, counts: np.ndarray, rng: np.random.Generator
) -> tuple[dict[str, Any], float]:
    """Any point of the latents, and their posterior density there: they are independent."""
    g, e = rng.gamma(2.0, size=alpha.shape), rng.exponential(size=alpha.shape)
    rate = 1.0 + counts / alpha
    density = stats.gamma.logpdf(g, alpha + counts + 1.0).sum() + (np.log(rate) - rate * e).sum()
    return {f"latent_gamma_{name}": g, f"latent_exponential_{name}": e}, float(density)


def vector_point(
    name: str, alpha: np.ndarray, counts: np.ndarray, rng: np.random.Generator
) -> tuple[dict[str, Any], float]:
    """Any point of probability vectors along the last axis, and its posterior density."""
    theta = rng.dirichlet(np.ones(alpha.shape[-1]), size=alpha.shape[:-1])
    a = alpha + counts
    density = (gammaln(a.sum(-1)) + ((a - 1.0) * np.log(theta) - gammaln(a)).sum(-1)).sum()
    return {name: theta}, float(density)


def any_point(form: str, *given: Any) -> tuple[dict[str, Any], float]:
    return (latent_point if form == "nuts" else vector_point)(*given)


def closed(alpha: np.ndarray, counts: np.ndarray) -> float:
    """Log evidence of independent Dirichlets along the last axis."""
    cells = (gammaln(alpha + counts) - gammaln(alpha)).sum()
    total, n = alpha.sum(-1), counts.sum(-1)
    return float(cells - (gammaln(total + n) - gammaln(total)).sum())


# ---------------------------------------------------------------------------- evidence, both forms


@FORMS
@pytest.mark.parametrize("prior", few_quick(["symmetric", 2.0, "jeffreys"], 1))
@pytest.mark.parametrize("kind", KINDS)
def test_the_models_evidence_is_the_closed_one(kind: str, prior: Any, form: Any) -> None:
    c = bc.compare(statements(kind), method=Dirichlet(prior=prior))
    assert isinstance(c.method, Dirichlet)
    listing = c.method.listing(c.results)
    alpha, rng = np.exp(listing.log_alpha), np.random.default_rng(1)
    log_density = log_density_of(c.model(form=form))
    expected = closed(alpha, listing.counts)
    if kind != "beyond 256":
        assert expected == pytest.approx(c.log_evidence, abs=1e-9)
    for _ in range(2):
        point, density = any_point(form, "theta", alpha, listing.counts, rng)
        assert log_density(point) - density == pytest.approx(expected, abs=1e-7)


@pytest.mark.slow
@FORMS
@pytest.mark.parametrize("name", ["strength", "alpha"])
def test_a_hyperprior_weighs_by_the_closed_evidence(name: str, form: Any) -> None:
    """Without its norm the Potential would favour some α over others whatever the data say."""
    method = Dirichlet(priors={name: pm.Gamma.dist(2.0, 1.0)})
    results = statements("ties")
    counts = bc.compare(results).answer.counts
    model = method.model(results, form)
    log_density, rng = log_density_of(model), np.random.default_rng(2)
    for value in (0.03, 0.4, 2.0, 30.0):
        alpha = np.full(4, value / 4 if name == "strength" else value)
        point, density = any_point(form, "theta", alpha, counts, rng)
        found = log_density({**point, name: np.array(value)}) - density
        expected = stats.gamma.logpdf(value, 2.0) + closed(alpha, counts)
        assert found == pytest.approx(expected, abs=1e-7)


def test_a_learned_prior_weighs_by_the_closed_evidence() -> None:
    """A pair under what all pairs taught: the strength is a variable of the textbook's model.

    The form for NUTS has it summed out: tests/methods/dirichlet/test_learned_model.py.
    """
    form = "textbook"
    results = bc.load_example("jansen-uci").sel(measures=["auc", "brier"])
    c: Any = bc.pairwise(results, n_jobs=1)["CART", "GLM"]
    learned, counts = c.method.learned, c.answer.counts
    base = np.exp(c.method.listing(c.results).log_alpha)
    log_density, rng = log_density_of(c.model(form=form)), np.random.default_rng(8)
    logs = []
    even = base + base[::-1], counts + counts[::-1]
    for k, (a, g) in enumerate(zip([*learned.values] * 2, learned.weights, strict=True)):
        if k < 3:
            at = {"h": np.array(k), "same": np.array(0)}
            logs.append(math.log(g) + closed(a * base, counts))
            point, density = any_point(form, "f", a * base, counts, rng)
            found = log_density({**point, **at}) - density
            assert found == pytest.approx(logs[-1], abs=1e-7)
        else:
            # A statement and its reverse share what they have together.
            half = closed(a * even[0][:2], even[1][:2]) - counts.sum() * math.log(2.0)
            logs.append(math.log(g) + half)
    assert logsumexp(logs) == pytest.approx(c.log_evidence, abs=1e-9)


@pytest.mark.slow
def test_a_learned_prior_under_nuts() -> None:
    results = bc.load_example("jansen-uci").sel(measures=["auc", "brier"])
    c: Any = bc.pairwise(results, n_jobs=1)["CART", "GLM"]
    tree = c.sample(1000, chains=4, rng=1, progressbar=False, cores=1)
    exact = c.draws(4000, chains=4, rng=2)
    assert set(tree["posterior"].data_vars) == set(exact["posterior"].data_vars)
    assert set(tree["prior"].data_vars) == set(exact["prior"].data_vars)
    assert set(tree["log_prior"].data_vars) == set(exact["log_prior"].data_vars)
    for of in (lambda x: x["theta"], lambda x: np.log(x["strength"])):
        mine, theirs = (of(t["posterior"].to_dataset()) for t in (tree, exact))
        error = np.hypot(*(az.mcse(x, method="mean").values for x in (mine, theirs)))
        gap = (mine.mean(("chain", "draw")) - theirs.mean(("chain", "draw"))).values
        np.testing.assert_array_less(np.abs(gap), 4 * error)
    after = pm.sample_posterior_predictive(exact, model=c.model(), random_seed=2, progressbar=False)
    agree(shares(after, "posterior_predictive", 4), c.answer.per_statement["theta_mean"])


def network_point(
    form: str, c: Any, ess: float, rng: np.random.Generator
) -> tuple[dict[str, Any], float]:
    """A point of all tables of a network, with their posterior density."""
    layout, graph = c.method.layout(c.results)
    whole: dict[str, Any] = {}
    density = 0.0
    tables = layout.scores.tables(graph)
    for k, j in enumerate(tables.members):
        alpha, seen = tables.rows(tables.alpha, k), tables.rows(tables.counts, k)
        made = any_point(form, layout.names[j], alpha / c.method.ess * ess, seen, rng)
        whole, density = {**whole, **made[0]}, density + made[1]
    return whole, density


@pytest.mark.slow
@FORMS
@pytest.mark.parametrize("kind", KINDS)
def test_a_networks_evidence_is_its_score(kind: str, form: Any) -> None:
    """Beyond 256 statements too: the ones not listed are observed through their cells."""
    results = table(no.linked(12, 2, l=3)) if kind == "three algorithms" else statements(kind)
    c: Any = bc.compare(results, method=Network(mcse=0.05, ess=2.0), rng=0)
    rng = np.random.default_rng(4)
    point, density = network_point(form, c, 2.0, rng)
    found = log_density_of(c.model(form=form))(point) - density
    assert found == pytest.approx(c.log_evidence, abs=1e-7)


@FORMS
def test_a_prior_of_ess_weighs_by_the_score(form: Any) -> None:
    values = no.linked(24, 3, seed=5)
    results = table(values)
    method = Network(search=no.CHAIN, priors={"ess": pm.Gamma.dist(2.0, 0.5)})
    model = method.model(results, form)
    counts, graph = no.counts_of(values, results), no.masks(no.CHAIN, results.measures)
    states, rng = no.joint_states([2] * 3), np.random.default_rng(6)
    fixed = bc.compare(results, method=Network(search=no.CHAIN, mcse=0.05), rng=0)
    log_density = log_density_of(model)
    for ess in (0.1, 1.0, 20.0):
        point, density = network_point(form, fixed, ess, rng)
        found = log_density({**point, "ess": np.array(ess)}) - density
        score = sum(
            no.textbook_bdeu(states, counts, [2] * 3, ess, j, mask) for j, mask in enumerate(graph)
        )
        assert found == pytest.approx(stats.gamma.logpdf(ess, 2.0, scale=2.0) + score, abs=1e-7)


def test_the_norm_keeps_its_digits_beyond_1e12_statements() -> None:
    """Γ(A + N)/Γ(A) as a difference of two logarithms near 1e13 would be off by 0.01."""
    from bayescompare.methods._shared.simplex import _log_rising

    for a in (0.3, 9_999.0, 10_001.0, 1e9, 1e13, 1e200):
        found = float(_log_rising(pt.as_tensor(np.float64(a)), 3.0).eval(**QUICK))
        exact = math.log(a) + math.log(a + 1.0) + math.log(a + 2.0)
        assert found == pytest.approx(exact, rel=1e-14, abs=5e-11)


# ---------------------------------------------------------------------------- PyMC's tools on them


def shares(predicted: xr.DataTree, group: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean share of each statement over draws and datasets, with its standard error.

    Datasets of one draw hang together through θ, draws do not.
    """
    each = shown(predicted[group]["outcome"], size).mean("dataset").stack(sample=("chain", "draw"))
    each = each.transpose("sample", "statement").values.astype(float)
    return each.mean(axis=0), each.std(axis=0) / math.sqrt(len(each))


def shown(outcome: xr.DataArray, size: int) -> xr.DataArray:
    """Which of the statements each dataset has: a network's trees say it of each statement."""
    if "statement" in outcome.dims:
        return outcome == 1
    return outcome == xr.DataArray(np.arange(size), dims="statement")


def agree(found: tuple[np.ndarray, np.ndarray], expected: np.ndarray) -> None:
    mean, error = found
    np.testing.assert_array_less(np.abs(mean - expected), 4.5 * error + 1e-9)


ASKED = {
    "dirichlet": Dirichlet(prior="jeffreys"),
    "weak dirichlet": Dirichlet(strength=0.01),
    "network": Network(ess=0.5, mcse=0.05),
}


def asked(method: str, kind: str) -> Any:
    results = table(no.linked(40, 3, seed=7)) if kind == "linked" else statements(kind)
    return bc.compare(results, method=ASKED[method], rng=0)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("dirichlet", "ties"),
        pytest.param("dirichlet", "rope", marks=pytest.mark.slow),
        pytest.param("dirichlet", "three algorithms", marks=pytest.mark.slow),
        pytest.param("dirichlet", "beyond 256", marks=pytest.mark.slow),
        pytest.param("weak dirichlet", "ties", marks=pytest.mark.slow),
    ],
)
def test_predictions_by_pymc_from_exact_draws(method: str, kind: str) -> None:
    """The tree holds θ, or the tables, and no latents: predictions must be its, not the prior's."""
    c = asked(method, kind)
    tree, model = c.draws(1000, chains=2, rng=1), c.model()
    after = pm.sample_posterior_predictive(tree, model=model, random_seed=2, progressbar=False)
    own = tree["posterior_predictive"]["outcome"]
    made = after["posterior_predictive"]["outcome"]
    assert made.sizes == own.sizes
    size = tree["posterior"].sizes["statement"]
    found = shares(after, "posterior_predictive", size)
    agree(found, tree["posterior"]["theta"].mean(("chain", "draw")))
    # Draw by draw: the statement that a draw says is certain is the one it predicts.
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
    counted = shown(made, size).sum("dataset").transpose("chain", "draw", "statement").values
    assert np.corrcoef(theta.ravel(), counted.ravel())[0, 1] > 0.5
    before = pm.sample_prior_predictive(1000, model=model, random_seed=3)
    assert np.isfinite(before["prior_predictive"]["outcome"].values).all()
    found = shares(before, "prior_predictive", size)
    agree(found, tree["prior"]["theta"].mean(("chain", "draw")).values)


@pytest.mark.parametrize("kind", ["ties", "beyond 256"])
def test_theta_can_be_set(kind: str) -> None:
    c = bc.compare(statements(kind))
    model = c.model()
    theta = np.zeros(len(model.coords["statement"]))
    theta[[0, -1]] = 0.8, 0.2
    drawn = pm.draw(pm.do(model, {"theta": theta})["outcome"], 500, random_seed=1, **QUICK)
    share = np.bincount(drawn.ravel(), minlength=len(theta)) / drawn.size
    np.testing.assert_allclose(share, theta, atol=0.03)


def test_the_tables_of_a_network_can_be_set() -> None:
    """θ of a joint statement is the product of what the tables were set to."""
    c: Any = bc.compare(
        table(no.linked(30, 2, seed=1)), method=Network(search=[("m0", "m1")]), rng=0
    )
    tables = {"cpt_m0": [[0.9, 0.1]], "cpt_m1": [[0.3, 0.7], [0.5, 0.5]]}
    model = pm.do(c.model(), {name: np.array(rows) for name, rows in tables.items()})
    one, two = pm.draw([model["x_m0"], model["x_m1"]], 1000, random_seed=1, **QUICK)
    joint = [((one == i) & (two == j)).mean() for i in (0, 1) for j in (0, 1)]
    np.testing.assert_allclose(joint, [0.27, 0.63, 0.05, 0.05], atol=0.02)
    # What is done to a parent reaches its child.
    done = pm.do(model, {"x_m0": np.ones(30, dtype=int)})
    child = pm.draw(done["x_m1"], 1000, random_seed=1, **QUICK)
    assert child.mean() == pytest.approx(0.5, abs=0.02)


def test_prior_draws_of_a_weak_row_do_not_underflow() -> None:
    """PyMC's own draws of a Dirichlet with Σα = 0.01 are NaN once in a thousand."""
    theta = pm.draw(asked("weak dirichlet", "ties").model()["theta"], 4000, random_seed=1)
    np.testing.assert_allclose(theta.sum(axis=-1), 1.0, atol=1e-12)
    # Nearly all mass is on one statement, each as often as another.
    assert (theta.max(axis=-1) > 0.99).mean() > 0.9
    np.testing.assert_allclose(theta.mean(axis=0), 0.25, atol=0.035)


# ----------------------------------------------------------------------------------- asking by form


def test_the_two_forms_have_what_they_say() -> None:
    for method in (Dirichlet(), Network()):
        c = bc.compare(statements("ties"), method=method, rng=0)
        free = [[v.name for v in c.model(form=form).free_RVs] for form in c.method.accepts.forms]
        assert not any(name.startswith("latent") for name in free[0])
        assert all(name.startswith("latent") for name in free[1])
        assert [v.name for v in c.model().free_RVs] == free[0]
        assert not c.model().potentials
        for form in c.method.accepts.forms:
            model = c.model(form=form)
            for seen in model.observed_RVs:
                assert model.named_vars_to_dims[seen.name][0] == "dataset"


@pytest.mark.parametrize("form", ["plain", "NUTS", None, 3])
def test_an_unknown_form_is_refused(form: Any) -> None:
    with pytest.raises(BayescompareError, match="textbook"):
        bc.compare(statements("ties")).model(form=form)


def test_a_method_with_one_form_names_it() -> None:
    c = bc.compare(table(np.random.default_rng(0).normal(size=(6, 2, 1))), method="signed-rank")
    assert c.model(form="textbook").free_RVs
    with pytest.raises(BayescompareError, match="has one form, 'textbook'"):
        c.model(form="nuts")


# ------------------------------------------------------------------------------------ power scaling


def reweighed(tree: xr.DataTree, power: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean of θ under prior^power, by weighing the draws as ArviZ does, with its standard error."""
    logs = sum(
        values.sum([d for d in values.dims if d not in ("chain", "draw")])
        for values in tree["log_prior"].to_dataset().data_vars.values()
    )
    assert float(logs.std()) > 0.1, "a constant log prior says that no prior matters"
    weight = np.exp((power - 1.0) * (logs - logs.max()).values.ravel())
    weight /= weight.sum()
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
    theta = theta.reshape(len(weight), -1)
    mean = weight @ theta
    return mean, np.sqrt(weight**2 @ (theta - mean) ** 2)


@FORMS
@pytest.mark.parametrize("power", few_quick([0.8, 1.25], 1))
def test_raising_the_log_prior_to_a_power_scales_the_strength(power: float, form: Any) -> None:
    """Of the latents, and of an edited textbook model's θ; under α = 1 its density is constant."""
    results = bc.load_example("benavoli-example1")
    c = bc.compare(results, method=Dirichlet(prior="uniform"))
    tree = c.draws(8_000, chains=1, rng=1)
    if form == "textbook":
        del tree["log_prior"]
        pm.stats.compute_log_prior(tree, model=c.model(), progressbar=False)
        tree = c.posterior.from_nuts(tree, np.random.default_rng(0))
    mean, error = reweighed(tree, power)
    scaled = bc.compare(results, method=Dirichlet(prior=power)).summary()["theta_mean"]
    expected = scaled.reindex(list(c.answer.labels)).to_numpy()
    np.testing.assert_array_less(np.abs(mean - expected), 4 * error)
    assert np.abs(expected - c.summary()["theta_mean"].reindex(list(c.answer.labels))).max() > 0.005


# ------------------------------------------------------------------------------ NUTS on either form


@pytest.mark.slow
@FORMS
@pytest.mark.parametrize("method", [Dirichlet(prior="uniform"), Network(ess=4.0)])
def test_an_edited_model_of_either_form_is_sampled_and_predicts(method: Any, form: Any) -> None:
    """An edit that decides: the first statement has about 0.7, whatever the data say."""
    c = bc.compare(bc.load_example("benavoli-example1"), method=method, rng=0)
    edited = c.model(form=form)
    with edited:
        pm.Potential("edit", pm.logp(pm.Normal.dist(0.7, 0.03), edited["theta"][0]))
    quick: dict[str, Any] = {"progressbar": False, "cores": 1, "target_accept": 0.95}
    tree = c.sample(300, chains=2, tune=500, model=edited, rng=1, **quick)
    theta = tree["posterior"]["theta"].mean(("chain", "draw")).values
    assert 0.6 < theta[0] < 0.75
    assert not any(str(name).startswith("latent") for name in tree["posterior"].data_vars)
    predicted, _ = shares(tree, "posterior_predictive", len(theta))
    np.testing.assert_allclose(predicted, theta, atol=0.03)
    assert all(np.isfinite(v).all() for v in tree["log_prior"].to_dataset().data_vars.values())


@pytest.mark.parametrize("kind", ["linked", pytest.param("beyond 256", marks=pytest.mark.slow)])
def test_states_of_a_network_by_pymc_from_exact_draws(kind: str) -> None:
    """By measure: P(the first is better) is the mean of `marginal`, before the data and after."""
    c = asked("network", kind)
    tree, model = c.draws(300, chains=2, rng=1), c.model()
    after = pm.sample_posterior_predictive(tree, model=model, random_seed=2, progressbar=False)
    before = pm.sample_prior_predictive(600, model=model, random_seed=3)
    for made, group, own in (
        (after, "posterior_predictive", "posterior"),
        (before, "prior_predictive", "prior"),
    ):
        for name in c.results.measures:
            drawn = (made[group][f"x_{name}"] == 0).mean("dataset").values.ravel()
            truth = float(tree[own]["marginal"].sel(measure=name).mean())
            assert abs(drawn.mean() - truth) < 5 * drawn.std() / math.sqrt(len(drawn)) + 0.03


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ties", "beyond 256"])
def test_predictions_by_pymc_from_nuts(kind: str) -> None:
    """sample() samples one form and predicts through the other; so may the user."""
    c = asked("dirichlet", kind)
    tree = c.sample(300, chains=2, tune=500, rng=1, progressbar=False, cores=1)
    theta = tree["posterior"]["theta"].mean(("chain", "draw")).values
    again = pm.sample_posterior_predictive(tree, model=c.model(), random_seed=2, progressbar=False)
    for made in (tree, again):
        agree(shares(made, "posterior_predictive", len(theta)), theta)
    exact = c.draws(2000, chains=2, rng=3)["posterior"]["theta"]
    error = np.sqrt(exact.var(("chain", "draw")).values / 200)
    expected = exact.mean(("chain", "draw")).values
    np.testing.assert_array_less(np.abs(theta - expected), 4 * error + 1e-9)


@pytest.mark.parametrize(
    "method",
    few_quick(
        [
            Dirichlet(priors={"strength": pm.Gamma.dist(2.0, 1.0)}),
            Dirichlet(
                priors={"theta": lambda name, dims: pm.Dirichlet(name, np.ones(4), dims=dims)}
            ),
            Network(priors={"ess": pm.Gamma.dist(2.0, 1.0)}),
            Dirichlet(priors={"alpha": pm.HalfNormal.dist(1.0)}),
            Dirichlet(strength=0.01),
        ],
        3,
    ),
)
def test_both_forms_start_and_predict_under_priors_of_ones_own(method: Any) -> None:
    results = statements("ties")
    for model in (method.model(results), method.model(results, "nuts")):
        assert np.isfinite(model.compile_logp(**QUICK)(model.initial_point()))
        for seen in model.observed_RVs:
            drawn = pm.draw(seen, 20, random_seed=1, **QUICK)
            np.testing.assert_array_equal(drawn.sum(axis=-1) if drawn.ndim > 2 else 1.0, 1.0)
            assert (drawn >= 0).all()


# ---------------------------------------------------------------------------------- evidence by SMC


def four_measures() -> Results:
    rng = np.random.default_rng(3)
    return table(np.round(rng.normal(size=(16, 2, 4)) + np.array([[[0.0], [0.5]]]), 1))


#: Every method with a model and a closed evidence, where α ≥ ¼ and there are at most 16 statements.
EVIDENCE: dict[str, tuple[Any, Any]] = {
    "dirichlet α = ¼, K = 4": ("benavoli-example1", Dirichlet()),
    "dirichlet α = ½, K = 4": ("benavoli-example1", Dirichlet(prior="jeffreys")),
    "dirichlet α = 1, K = 4": ("benavoli-example1", Dirichlet(prior="uniform")),
    "dirichlet α = ½, K = 6, three algorithms": ("three algorithms", Dirichlet(prior="jeffreys")),
    "dirichlet α = ½, K = 9, rope": ("rope", Dirichlet(prior="jeffreys")),
    "dirichlet α = ½, K = 16, ties": (four_measures, Dirichlet(prior="jeffreys")),
    "dirichlet α = 1, K = 16, ties": (four_measures, Dirichlet(prior="uniform")),
    "network m0 → m1, ESS 4": (
        lambda: table(no.linked(20, 2, seed=1)),
        Network(search=[("m0", "m1")], ess=4.0),
    ),
    "network chain of three, ESS 4": (
        lambda: table(no.linked(20, 3, seed=1)),
        Network(search=no.CHAIN, ess=4.0, mcse=0.05),
    ),
    "poisson-binomial, joint": ("lacoste-svm-parzen", PoissonBinomial(joint=True)),
    "hierarchical": ("lacoste-svm-parzen", Hierarchical()),
}


def judged(given: Any) -> Results:
    if callable(given):
        made: Results = given()
        return made
    return statements(given) if given in KINDS else bc.load_example(given)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(EVIDENCE))
def test_evidence_by_smc_is_the_closed_one(name: str) -> None:
    given, method = EVIDENCE[name]
    c: Any = bc.compare(judged(given), method=method, rng=0)
    found = pm.sample_smc(
        2000,
        model=c.model(),
        chains=4,
        cores=1,
        progressbar=False,
        random_seed=7,
        compute_convergence_checks=False,
    )
    # One figure for each chain, at its last stage; chains may differ in how many they have.
    stages = found["sample_stats"]["log_marginal_likelihood"].values
    logs = np.array([np.nanmax(np.hstack(list(np.ravel(chain))).astype(float)) for chain in stages])
    mean = float(logsumexp(logs) - math.log(len(logs)))
    error = float(logs.std(ddof=1) / math.sqrt(len(logs)))
    print(f"{name:42} closed {c.log_evidence:9.4f}  SMC {mean:9.4f} ± {error:.4f}")
    assert error < 0.1
    assert abs(mean - c.log_evidence) < 4 * error
