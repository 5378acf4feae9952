"""Simulation-based calibration: ranks are uniform, and a wrong posterior is found."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from matplotlib.figure import Figure

import bayescompare as bc
from bayescompare.modelling import statement_table
from bayescompare.studies import sbc_model, sbc_nuts
from bayescompare.studies import simulated as simulating
from bayescompare.studies.sbc import SBC, sbc
from tests.methods.model_file import simulated
from tests.methods.model_file.own import multinomial
from tests.tables import table

#: The module, of which the package shows the function of the same name.
sbc_module = importlib.import_module("bayescompare.studies.sbc")


def roped() -> bc.Results:
    """An equivalence on one measure, and a missing cell."""
    return bc.Results.from_frame(
        bc.load_example("benavoli-example1").to_frame(),
        measures={"accuracy": bc.Measure("max", rope=0.01), "time": "min"},
    )


def replicated(k: int = 10, n: int = 12) -> bc.Results:
    rng = np.random.default_rng(0)
    rows = [
        (f"d{d}", name, fold, *rng.normal(mean, 1.0, 2))
        for d in range(n)
        for name, mean in (("A", 0.5), ("B", 0.0))
        for fold in range(k)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "x", "y"])
    return bc.Results.from_frame(frame, replicate="fold", measures={"x": "max", "y": "min"})


@pytest.mark.parametrize(
    ("method", "table", "simulations"),
    [
        ("dirichlet", None, 80),
        (bc.methods.Dirichlet(prior="jeffreys"), roped, 60),
        ("poisson-binomial", None, 40),
        pytest.param("network", None, 300, marks=pytest.mark.slow),
        pytest.param(bc.methods.Network(average=True), None, 300, marks=pytest.mark.slow),
        pytest.param("hierarchical", None, 60, marks=pytest.mark.slow),
        pytest.param("replicated", replicated, 300, marks=pytest.mark.slow),
        pytest.param(
            bc.methods.Dirichlet(priors={"alpha": pm.Gamma.dist(4.0, 4.0)}),
            None,
            20,
            marks=pytest.mark.slow,
        ),
    ],
    # Addresses of functions would differ between processes of xdist.
    ids=lambda x: x.__name__ if callable(x) else str(x),
)
def test_ranks_of_a_method_are_uniform(method: Any, table: Any, simulations: int) -> None:
    """Tables of its own prior, through compare(): ropes and replicates are simulated, too."""
    found = sbc(method, table and table(), simulations=simulations, rng=4)
    assert found.ok, found
    assert ((found.ranks >= 0) & (found.ranks <= 99)).all().all()


def test_posterior_calibration_of_a_method() -> None:
    found = sbc("dirichlet", posterior=True, simulations=60, rng=3)
    assert found.ok, found
    with pytest.raises(bc.BayescompareError, match="posterior=True"):
        sbc("poisson-binomial", posterior=True)


@pytest.mark.slow
def test_evidence_that_overlooks_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folds taken for independent are too sure: half of the noise."""
    results = replicated(k=4, n=30)
    honest = bc.methods.Replicated()
    sure = bc.methods.Replicated(rho=0.0)
    assert sbc(honest, results, simulations=200, rng=3).ok
    made = simulating.simulated_table

    def with_folds(asked: bc.Comparison, rng: np.random.Generator) -> bc.Results:
        return made(bc.compare(results, method=bc.methods.Replicated(rho=0.8)), rng)

    monkeypatch.setattr(sbc_module, "simulated_table", with_folds)
    assert not sbc(sure, results, simulations=200, rng=3).ok


@pytest.mark.parametrize("wrong", ["prior", "data"])
def test_a_wrong_posterior_is_found(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another prior in the answer, and draws that do not know the data."""
    made, others = simulating.simulated_table, bc.methods.Dirichlet(strength=8.0)
    template = bc.compare(bc.load_example("benavoli-example1"), method=others)

    def blind(c: bc.Comparison, draws: int, rng: np.random.Generator | None = None) -> Any:
        tree = template.draws(draws, chains=1, rng=rng)
        return tree["prior"].to_dataset().isel(chain=0, drop=True)

    if wrong == "prior":
        monkeypatch.setattr(sbc_module, "simulated_table", lambda asked, rng: made(template, rng))
        assert not sbc("dirichlet", simulations=150, rng=0).ok
    else:
        monkeypatch.setattr(sbc_module, "_drawn", blind)
        found = sbc(others, simulations=150, rng=0)
        assert found.table["pvalue"].drop("log likelihood").min() > 0.001
        assert found.table.loc["log likelihood", "pvalue"] < 1e-6


@pytest.mark.parametrize("draws", [9, 99])
def test_the_picture_of_ranks_agrees_with_the_verdict(draws: int) -> None:
    """Ranks that are exactly uniform stay in the band, however few there can be."""
    even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 2000 // (draws + 1))})
    found = SBC("model", even, draws)
    ax = found.plot(ax=Figure().subplots())
    (line,), (band,) = ax.get_lines(), ax.collections
    assert found.ok
    assert np.abs(line.get_ydata()).max() <= band.get_paths()[0].vertices[:, 1].max()


def test_what_is_no_calibration_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="model='nothing': must be one of dirichlet"):
        sbc("nothing")
    with pytest.raises(bc.BayescompareError, match="simulations=0"):
        sbc("dirichlet", simulations=0)


def test_many_simulations_calibrate() -> None:
    """Ranks that are exactly uniform, of very many simulations, are uniform."""
    for draws in (9, 99):
        even = pd.DataFrame({"x": np.tile(np.arange(draws + 1), 200_000 // (draws + 1))})
        assert SBC("model", even, draws).ok


def test_equal_values_do_not_spoil_the_ranks() -> None:
    """Under a sparse prior θ is 0 or 1 to the last digit, in truth and draws alike."""
    assert sbc(bc.methods.Dirichlet(strength=0.02), simulations=60, draws=30, rng=1).ok


@pytest.mark.slow
@pytest.mark.parametrize("posterior", [False, True])
def test_a_conjugate_model_by_nuts(results: bc.Results, posterior: bool) -> None:
    """Prior and posterior SBC of a model file, compiled once."""
    found = sbc(multinomial, results, simulations=60, posterior=posterior, rng=1, **SHORT)
    assert found.ok, found


@pytest.mark.slow
def test_simuk_agrees(results: bc.Results) -> None:
    """The same model by simuk: both find the ranks uniform, with the same mean rank."""
    simuk = pytest.importorskip("simuk")

    seen = statement_table(results).weights.astype(int)
    with pm.Model() as model:
        theta = pm.Dirichlet("theta", np.ones(4))
        data = pm.Data("seen", seen)
        pm.Multinomial("outcome", 1, theta, observed=data)
    how = {"draws": 100, "tune": 300, "chains": 1, "progressbar": False, "cores": 1}
    how["nuts_sampler"] = "pymc"  # otherwise nutpie, where that is installed
    theirs = simuk.SBC(model, num_simulations=60, sample_kwargs=how, seed=1)
    theirs.run_simulations()
    ranks = np.asarray(theirs.simulations["prior_sbc"]["theta"]).reshape(60, 4)
    ours = sbc(multinomial, results, simulations=60, rng=1, **SHORT)
    mean = ranks.mean(axis=0) / 100
    table = ours.table.drop("log likelihood")
    assert SBC("simuk", pd.DataFrame(ranks), 100).ok
    assert ours.ok
    np.testing.assert_array_less(np.abs(table["mean"] - mean), 4 * np.sqrt(2 / 12 / 60))


@pytest.mark.parametrize("given", [{"simulations": 0}, {"simulations": 2.5}, {"draws": 0}])
def test_bad_numbers_for_the_calibration_of_a_model_file(
    results: bc.Results, given: dict[str, Any]
) -> None:
    with pytest.raises(bc.BayescompareError, match=next(iter(given))):
        sbc_model(multinomial, results, **{"simulations": 1, "draws": 3, **given})


def drawn_theta(asked: Any, seed: int, alpha: np.ndarray) -> xr.Dataset:
    theta = np.random.default_rng(seed).dirichlet(alpha, size=asked.question.draws)
    labels = list(asked.model.coords["statement"])
    return xr.Dataset({"theta": (("draw", "statement"), theta)}, {"statement": labels})


def conjugate(asked: Any, data: Any, seed: int) -> xr.Dataset:
    """In place of NUTS: exact draws from the posterior of `multinomial`."""
    return drawn_theta(asked, seed, 1.0 + data["outcome"].sum(axis=0))


def unmoved(asked: Any, data: Any, seed: int) -> xr.Dataset:
    """Draws from the prior, whatever the data say."""
    return drawn_theta(asked, seed, np.ones(4))


@pytest.mark.slow
def test_what_the_answer_is_read_from_is_ranked(
    results: bc.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statement's θ and the log likelihood, under exact draws in place of those of NUTS."""
    monkeypatch.setattr(sbc_nuts._Compiled, "sampled", conjugate)
    found = sbc(multinomial, results, simulations=200, draws=30, rng=1)
    labels = statement_table(results).labels
    assert found.ranks.columns.tolist() == [*(f"theta[{s}]" for s in labels), "log likelihood"]
    assert found.ok, found
    # A posterior that ignores the data has uniform ranks of θ, but not of the log likelihood.
    monkeypatch.setattr(sbc_nuts._Compiled, "sampled", unmoved)
    blind = sbc(multinomial, results, simulations=200, draws=30, rng=1)
    assert not blind.ok
    assert blind.table["pvalue"].drop("log likelihood").min() > 0.01
    assert blind.table.loc["log likelihood", "pvalue"] < 1e-6


def test_the_entries_that_are_ranked() -> None:
    """By their coords, or by number; of many, sixteen; what only one of the two has is left out."""
    coords = {"algorithm": list("ABC"), "statement": [f"s{k}" for k in range(64)]}
    shapes = {"z": ("algorithm", "axis"), "sigma": (), "many": ("statement",)}
    sizes = {"algorithm": 3, "axis": 2, "statement": 64}
    truth = xr.Dataset({name: (d, np.zeros([sizes[k] for k in d])) for name, d in shapes.items()})
    drawn = truth.expand_dims(draw=5).assign_coords(coords).drop_vars("sigma").assign(other=1.0)
    labels = [label for label, _ in sbc_module.entries(truth, drawn)]
    assert labels[:6] == [f"z[{a}, {k}]" for a in "ABC" for k in range(2)]
    assert (len(labels), labels[6], labels[-1]) == (22, "many[s0]", "many[s63]")


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
    with pytest.raises(bc.BayescompareError, match="'replicated', results"):
        sbc("replicated")
    with pytest.raises(bc.BayescompareError, match=r"priors=.*dirichlet has no such option"):
        sbc("dirichlet", priors={"alpha": 1.0})
    with pytest.raises(bc.BayescompareError, match="'simulate' is not something"):
        sbc(bc.methods.SignedRank(), results.sel(measures=["time"]))
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


#: Small tables, few steps: calibration holds for any size.
TABLES = {
    "multivariate_normal": lambda: simulated.gaps(np.zeros(2), np.eye(2), 6, 0, k=4, rope=0.3),
    "spike_and_slab": lambda: normals(8, 2, 2),
}
SHORT = {"draws": 49, "tune": 300, "thin": 3}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_ranks_of_the_models_of_correlated_measures(name: str) -> None:
    found = sbc(name, TABLES[name](), simulations=80, rng=5, **SHORT)
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
