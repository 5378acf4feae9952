"""Simulation-based calibration: ranks are uniform, and a wrong posterior is found."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.modelling import statement_table
from bayescompare.studies import sbc_model, sbc_nuts
from bayescompare.studies.sbc import SBC, sbc
from tests.cases import few_quick
from tests.methods.model_file import simulated
from tests.methods.model_file.own import multinomial
from tests.tables import table


@pytest.mark.parametrize(
    ("model", "simulations"), [("dirichlet", 1500), ("poisson-binomial", 1500)]
)
def test_ranks_are_uniform(model: str, simulations: int) -> None:
    found = sbc(model, simulations=simulations, rng=3)
    assert found.ok, found
    assert ((found.ranks >= 0) & (found.ranks <= 99)).all().all()


@pytest.mark.slow
def test_ranks_of_network_and_pooled_models_are_uniform() -> None:
    assert sbc("network", simulations=600, rng=3).ok
    assert sbc("hierarchical", simulations=60, rng=3).ok


@pytest.mark.slow
def test_ranks_of_replicated_evidence_are_uniform() -> None:
    found = sbc("replicated", simulations=250, rng=3)
    assert found.ok, found
    assert {"theta", "count", "scale"} <= set(found.ranks)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [{}, {"noise": 2.0}, {"measures": 1, "strength": 2.0}])
def test_ranks_of_replicated_evidence_are_uniform_at_length(sizes: dict[str, Any]) -> None:
    found = sbc("replicated", simulations=4000, rng=4, **sizes)
    assert found.ok, found


@pytest.mark.slow
def test_evidence_that_overlooks_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the noise's standard deviation, and the posterior of θ is too narrow."""
    from bayescompare.methods.replicated import model as calibration

    known = calibration.effects_at_scales

    def sure(y: Any, noise: Any, *others: Any, **options: Any) -> Any:
        return known(y, noise / 4.0, *others, **options)

    monkeypatch.setattr(calibration, "effects_at_scales", sure)
    assert not sbc("replicated", simulations=250, noise=1.0, rng=3).ok


def test_a_wrong_posterior_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too narrow a posterior must not pass."""

    def narrow(simulations: int, draws: int, rng: np.random.Generator):
        for _ in range(simulations):
            truth = rng.normal()
            seen = truth + rng.normal()
            yield {"mean": (truth, rng.normal(seen / 2, 0.5 * math.sqrt(0.5), draws))}

    monkeypatch.setattr(bc.methods.Dirichlet, "calibration", classmethod(lambda cls: narrow))
    assert not sbc("dirichlet", simulations=800, rng=0).ok


def test_the_picture_of_ranks() -> None:
    found = SBC("model", pd.DataFrame({"x": np.arange(100)}), 99)
    ax = found.plot(ax=Figure().subplots())
    (line,) = ax.get_lines()
    assert np.abs(line.get_ydata()).max() < 0.011
    with pytest.raises(bc.BayescompareError, match="model='nothing': must be one of dirichlet"):
        sbc("nothing")
    with pytest.raises(bc.BayescompareError, match="simulations=0"):
        sbc("dirichlet", simulations=0)


@pytest.mark.parametrize("draws", few_quick([9, 30, 50], 2))
def test_any_number_of_draws_calibrates(draws: int) -> None:
    """31 ranks do not fill 20 bins evenly, and ten ranks are no continuum."""
    found = sbc("dirichlet", simulations=800, draws=draws, rng=1)
    assert found.ok, found


def test_many_simulations_calibrate() -> None:
    """Ranks that are exactly uniform, of very many simulations, are uniform."""
    for draws in (9, 99):
        even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 200_000 // (draws + 1))})
        assert SBC("model", even, draws).ok


def test_equal_values_do_not_spoil_the_ranks() -> None:
    """Under a sparse prior θ is 0 or 1 to the last digit, in truth and draws alike."""
    assert sbc("dirichlet", simulations=800, alpha=0.01, rng=1).ok


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1.5, 3.0])
def test_a_posterior_of_another_prior_strength_is_found(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayescompare.kernels.network import tables
    from bayescompare.methods.dirichlet import calibration as dirichlet

    latents, log_theta = dirichlet.draw_dirichlet_latents, dirichlet.dirichlet_log_theta

    def other(log_alpha: Any, counted: Any, size: Any, rng: Any) -> Any:
        return latents(log_alpha + (math.log(factor) if counted.any() else 0), counted, size, rng)

    def other_theta(log_alpha: Any, gamma: Any, exponential: Any) -> Any:
        many = gamma.shape[0] > 1
        return log_theta(log_alpha + (math.log(factor) if many else 0), gamma, exponential)

    def other_rows(log_alpha: Any, counted: Any, size: Any, rng: Any) -> Any:
        gamma, exponential = other(log_alpha, counted, size, rng)
        return gamma, exponential / (factor if counted.any() else 1)

    monkeypatch.setattr(dirichlet, "draw_dirichlet_latents", other)
    monkeypatch.setattr(dirichlet, "dirichlet_log_theta", other_theta)
    monkeypatch.setattr(tables, "draw_dirichlet_latents", other_rows)
    assert not sbc("dirichlet", simulations=1000, rng=1).ok
    assert not sbc("network", simulations=500, rng=1).ok


@pytest.mark.parametrize(
    "options", [{"statement": 3}, {"alpha": -1.0}, {"datasets": -1}, {"statements": 0}]
)
def test_bad_sizes_of_a_calibration(options: dict[str, Any]) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(options))):
        sbc("dirichlet", simulations=5, **options)


@pytest.mark.parametrize("given", [{"simulations": 0}, {"simulations": 2.5}, {"draws": 0}])
def test_bad_numbers_for_the_calibration_of_a_model_file(
    results: bc.Results, given: dict[str, Any]
) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(given))):
        sbc_model(multinomial, results, **{"simulations": 1, "draws": 3, **given})


def conjugate(study: Any, seed: int) -> dict[str, np.ndarray]:
    """In place of NUTS: exact draws from the posterior of `multinomial`."""
    (seen,) = (study.model.rvs_to_values[rv].get_value() for rv in study.model.observed_RVs)
    rng = np.random.default_rng(seed)
    return {"theta": rng.dirichlet(1.0 + seen.sum(axis=0), size=study.draws)}


def unmoved(study: Any, seed: int) -> dict[str, np.ndarray]:
    """Draws from the prior, whatever the data say."""
    return {"theta": np.random.default_rng(seed).dirichlet(np.ones(4), size=study.draws)}


@pytest.mark.slow
def test_what_the_answer_is_read_from_is_ranked(
    results: bc.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statement's θ and the log likelihood, under exact draws in place of those of NUTS."""
    monkeypatch.setattr(sbc_nuts._Study, "_sampled", conjugate)
    found = sbc(multinomial, results, simulations=200, draws=30, rng=1)
    labels = statement_table(results).labels
    assert found.ranks.columns.tolist() == [*(f"theta[{s}]" for s in labels), "log likelihood"]
    assert found.ok, found
    # A posterior that ignores the data has uniform ranks of θ, but not of the log likelihood.
    monkeypatch.setattr(sbc_nuts._Study, "_sampled", unmoved)
    blind = sbc(multinomial, results, simulations=200, draws=30, rng=1)
    assert not blind.ok
    assert blind.table["pvalue"].drop("log likelihood").min() > 0.01
    assert blind.table.loc["log likelihood", "pvalue"] < 1e-6


def entries(model: pm.Model, quantity: str) -> list[str]:
    return [label for label, *_ in sbc_nuts._Study(model, quantity, "", 3, 1, 1).entries]


def test_the_entries_that_are_ranked() -> None:
    coords = {
        "algorithm": list("ABC"),
        "opponent": list("ABC"),
        "measure": ["m", "n"],
        "statement": [f"s{k}" for k in range(64)],
    }
    with pm.Model(coords=coords) as model:
        pm.Normal("z", dims=("algorithm", "measure"))
        pm.Normal("one", shape=(1, 1))
        pm.Normal("sigma")
        pm.Deterministic("strength", model["z"] + 1, dims=("algorithm", "measure"))
        pm.Deterministic("better", pm.math.zeros((3, 3)), dims=("algorithm", "opponent"))
        pm.Deterministic("many", pm.math.zeros((64,)), dims="statement")
    free = ["z[0]", "z[-1]", "one", "sigma"]
    named = [f"strength[{a}, {m}]" for a in "ABC" for m in "mn"]
    assert entries(model, "strength") == named + free
    assert entries(model, "better") == [f"better[{p}]" for p in ("A, B", "A, C", "B, C")] + free
    many = entries(model, "many")[:-4]
    assert (len(many), many[0], many[-1]) == (16, "many[s0]", "many[s63]")
    assert entries(model, "sigma") == ["sigma", "z[0]", "z[-1]", "one"]


def test_a_model_that_cannot_be_calibrated_is_told(results: bc.Results) -> None:
    def weighed(results: bc.Results) -> pm.Model:
        model = multinomial(results)
        with model:
            pm.Potential("doubt", -model["theta"][0])
        return model

    with pytest.raises(bc.BayescompareError, match=r"weighed: the model has the potential doubt"):
        sbc(weighed, results)
    with pytest.raises(bc.BayescompareError, match="results is missing"):
        sbc(multinomial)
    with pytest.raises(bc.BayescompareError, match="takes no results; leave it out"):
        sbc("dirichlet", results)
    with pytest.raises(bc.BayescompareError, match="takes no priors; leave it out"):
        sbc("dirichlet", priors={"alpha": 1.0})
    with pytest.raises(bc.BayescompareError, match=r"tunes=5: a model file has no such option"):
        sbc(multinomial, results, tunes=5)
    with pytest.raises(bc.BayescompareError, match=r"missing\.py: no such model file"):
        sbc("missing.py", results)
    with pytest.raises(bc.BayescompareError, match="takes no such argument"):
        sbc("dirichlet_hyperprior", results, priors={"sigma": 1.0})


OWN = """
import pymc as pm

def build(results, *, scale=1.0):
    values = results.oriented()[:, :, 0]
    coords = {"algorithm": results.algorithms, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        strength = pm.ZeroSumNormal("strength", sigma=scale, dims="algorithm")
        noise = pm.HalfNormal("noise", 1.0)
        pm.Normal("value", strength, noise, observed=values, dims=("dataset", "algorithm"))
    return model
"""


@pytest.mark.slow
def test_ranks_of_a_bundled_model_and_of_a_file(uci: bc.Results, tmp_path: Path) -> None:
    """Both by name and by path, with what their answers are read from."""
    few = uci.sel(algorithms=["GBM", "RF", "GLM"], measures=["auc"])
    bundled = sbc("plackett_luce", few, simulations=100, rng=2, **SHORT)
    assert bundled.ok, bundled
    strengths = [f"strength[{name}, auc]" for name in ("GBM", "RF", "GLM")]
    assert bundled.ranks.columns.tolist()[:3] == strengths
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    mine = sbc(path, few, simulations=100, priors={"scale": 2.0}, rng=2, **SHORT)
    assert mine.ok, mine
    assert mine.ranks.columns.tolist() == [
        *(f"strength[{name}]" for name in ("GBM", "RF", "GLM")),
        "noise",
        "log likelihood",
    ]


def normals(n: int, l: int, m: int) -> bc.Results:
    return table(np.random.default_rng(0).normal(size=(n, l, m)))


#: Small tables, few steps: calibration holds for any size, and every draw costs many integrals.
TABLES = {
    "item_response": lambda: normals(5, 3, 2),
    "multivariate_normal": lambda: simulated.gaps(np.zeros(2), np.eye(2), 6, 0, k=4, rope=0.3),
    "spike_and_slab": lambda: normals(8, 2, 2),
    "thurstone": lambda: normals(5, 3, 2),
}
SHORT = {"draws": 49, "tune": 300, "thin": 3}
#: The two whose densities cost most.
SIMULATIONS = {"item_response": 60, "thurstone": 60}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_ranks_of_the_models_of_correlated_measures(name: str) -> None:
    found = sbc(name, TABLES[name](), simulations=SIMULATIONS.get(name, 100), rng=5, **SHORT)
    assert found.ok, found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "corani2017"])
def test_ranks_of_the_hierarchical_t(name: str) -> None:
    """What is simulated are means; spreads of folds are those of the table."""
    delta = 0.02 * np.random.default_rng(1).standard_t(4, size=12)
    results = simulated.folds(delta, 5, 0.02, 2, rope=0.01)
    priors = {} if name == "default" else {"priors_of": name}
    found = sbc("hierarchical_t", results, simulations=100, priors=priors, rng=4, **SHORT)
    assert found.ok, found
    assert {"theta[A>B]", "theta[A=B]", "theta[B>A]"} < set(found.ranks.columns)


@pytest.mark.slow
def test_ranks_of_a_model_file_by_nuts(results: bc.Results) -> None:
    """A right model passes; one that counts every dataset three times does not."""

    def thrice(results: bc.Results) -> pm.Model:
        seen = statement_table(results)
        with pm.Model(coords={"statement": seen.labels, "dataset": results.datasets}) as model:
            theta = pm.Dirichlet("theta", np.ones(4), dims="statement")
            pm.CustomDist(
                "outcome",
                theta,
                logp=lambda value, theta: 3 * (value * pm.math.log(theta)).sum(axis=-1),
                random=lambda theta, rng=None, size=None: rng.multinomial(
                    1, theta, size=size
                ).astype(float),
                signature="(k)->(k)",
                observed=seen.weights,
                dims=("dataset", "statement"),
            )
        return model

    right = sbc_model(multinomial, results, simulations=80, rng=1)
    assert right.ok, right
    assert 0.35 < float(right.table["mean"].min()) <= float(right.table["mean"].max()) < 0.65
    assert not sbc_model(thrice, results, simulations=80, rng=1).ok


@pytest.mark.parametrize("draws", [9, 99])
def test_the_picture_of_ranks_agrees_with_the_verdict(draws: int) -> None:
    """Ranks that are exactly uniform stay in the band, however few there can be."""
    even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 2000 // (draws + 1))})
    found = SBC("model", even, draws)
    ax = found.plot(ax=Figure().subplots())
    (line,), (band,) = ax.get_lines(), ax.collections
    assert found.ok
    assert np.abs(line.get_ydata()).max() <= band.get_paths()[0].vertices[:, 1].max()
