"""Which sampler runs: PyMC's own, or one that the user asks for and has."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numba.core.errors import NumbaPerformanceWarning
from pymc.exceptions import SamplingError

import bayescompare as bc
from bayescompare.outcome import nuts
from bayescompare.outcome.nuts import SAMPLERS, quiet_nuts_warnings

MISSING = [name for name in SAMPLERS if name != "pymc" and find_spec(name) is None]


@pytest.mark.usefixtures("compiled")
def test_a_model_is_compiled_and_sampled_as_users_have_it() -> None:
    """The one test of `make test` in which PyTensor compiles; `make test-all` compiles all."""
    import pymc as pm

    with pm.Model() as model:
        mean = pm.Normal("mean", 0.0, 1.0)
        pm.Normal("seen", mean, 1.0, observed=[0.5, 1.5])
    few = {"tune": 100, "cores": 1, "progressbar": False}
    tree = nuts.run_nuts(model, draws=200, chains=1, seed=1, options=few)
    # Two observations and the prior weigh alike: Normal(2/3, 1/√3).
    assert abs(float(tree["posterior"]["mean"].mean()) - 2 / 3) < 0.3


@pytest.mark.parametrize("name", MISSING)
def test_a_sampler_that_is_not_installed_is_named(example1: bc.Comparison, name: str) -> None:
    with pytest.raises(bc.BayescompareError, match=rf"nuts_sampler='{name}': .*pip install {name}"):
        example1.sample(10, nuts_sampler=name)


@pytest.mark.parametrize("name", ["stan", None, 3])
def test_an_unknown_sampler_is_refused(example1: bc.Comparison, name: Any) -> None:
    with pytest.raises(bc.BayescompareError, match=r"nuts_sampler=.*must be one of pymc, nutpie"):
        example1.sample(10, nuts_sampler=name)


def test_by_default_it_is_pymcs_own(
    example1: bc.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pymc as pm

    class AskedError(Exception):
        """Instead of sampling."""

    def asked(*args: Any, **options: Any) -> None:
        raise AskedError(options["nuts_sampler"])

    monkeypatch.setattr(pm, "sample", asked)
    with pytest.raises(AskedError, match="pymc"):
        example1.sample(10)
    monkeypatch.setattr(nuts, "find_spec", lambda name: name)
    with pytest.raises(AskedError, match="nutpie"):
        example1.sample(10, nuts_sampler="nutpie")


def test_a_density_is_summed_as_it_is_written(
    example1: bc.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else one seed gives other draws once PyTensor has compiled something before."""
    import pymc as pm
    import pytensor

    seen = []

    def asked(*args: Any, **options: Any) -> None:
        seen.append(pytensor.config.numba__fastmath)
        raise KeyboardInterrupt

    before = pytensor.config.numba__fastmath
    monkeypatch.setattr(pm, "sample", asked)
    with pytest.raises(KeyboardInterrupt):
        example1.sample(10)
    assert seen == [False]
    assert pytensor.config.numba__fastmath == before


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SAMPLERS if name not in MISSING])
def test_samplers_that_are_installed_agree(example1: bc.Comparison, name: str) -> None:
    tree = example1.sample(1000, chains=4, rng=1, nuts_sampler=name, progressbar=False)
    theta = tree["posterior"]["theta"]
    expected = example1.summary()["theta_mean"].reindex(theta["statement"].values)
    np.testing.assert_allclose(theta.mean(("chain", "draw")), expected.to_numpy(), atol=0.02)
    assert {"log_likelihood", "posterior_predictive", "prior", "log_prior"} <= set(tree.children)


def test_a_density_that_is_nowhere_finite_is_told_in_one_line() -> None:
    import pymc as pm

    with pm.Model(coords={"dataset": ["a"]}) as model:
        mean = pm.Normal("mean")
        pm.Uniform("seen", 5.0 + mean**2, 9.0 + mean**2, observed=[0.0], dims="dataset")
    with pytest.raises(
        bc.BayescompareError, match=r"^NUTS cannot start.*priors and the likelihood"
    ):
        nuts.run_nuts(model, draws=5, chains=1, seed=1, options={"tune": 5, "cores": 1})


def test_a_warning_about_the_layout_of_arrays_is_silenced_and_no_other() -> None:
    layout = "np.dot() is faster on contiguous arrays, called on (Array(float64, 2, 'A'),)"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with quiet_nuts_warnings():
            warnings.warn(NumbaPerformanceWarning(layout), stacklevel=1)
            with pytest.raises(NumbaPerformanceWarning):
                warnings.warn(NumbaPerformanceWarning("the loop runs in one thread"), stacklevel=1)


# ---------------------------------------------------------------------------- what is said of it


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let NUTS take three steps and stop; what counts its steps, of each time that it starts."""
    started: list[Any] = []

    def sample(*_: object, callback: Any = None, **options: Any) -> None:
        started.append((callback, options["progressbar"]))
        for _step in range(3 if callback else 0):
            callback(None, None)
        raise SamplingError("stopped")

    monkeypatch.setattr("pymc.sample", sample)
    return started


def rows(replicates: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"dataset": f"d{i}", "algorithm": a, "fold": f, "g": f"g{i % 2}", "w": 1 + i % 3,
         "acc": rng.normal()}
        for i in range(6) for a in "AB" for f in range(replicates)
    )  # fmt: skip


def gamma_strength() -> bc.methods.Dirichlet:
    import pymc as pm

    return bc.methods.Dirichlet(priors={"strength": pm.Gamma.dist(2.0, 1.0)})


SAMPLED: dict[str, tuple[dict[str, Any], str]] = {
    "domains": ({"group": "g"}, "leave out group= (--group; of MTEB use domains=False"),
    "weights": (
        {"weight": "w", "method": "replicated", "replicate": "fold"},
        "leave out weight= (--weight), or use method='dirichlet' (--method dirichlet)",
    ),
    "priors": ({"method": gamma_strength}, "the prior is not conjugate, so that the answer is"),
    "a model": ({"method": "bradley_terry"}, "model: the answer is sampled by NUTS"),
}


@pytest.mark.parametrize("door", [bc.compare, bc.pairwise])
@pytest.mark.parametrize("case", SAMPLED)
def test_nuts_says_that_it_samples_and_what_is_quicker(
    case: str, door: Any, steps: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    options, words = SAMPLED[case]
    method = options.get("method", "dirichlet")
    asked = {**options, "method": method() if method is gamma_strength else method}
    table = rows(3 if "replicate" in asked else 1).drop_duplicates()
    with pytest.raises(bc.BayescompareError, match="NUTS cannot start"):
        door(table, measures={"acc": "max"}, **asked)
    err = capsys.readouterr().err
    assert words in err
    assert "sampled by NUTS" in err
    assert err.count("\n") == 1
    assert steps[0][1] is False  # PyMC's own bar goes to standard output
    with pytest.raises(bc.BayescompareError, match="NUTS cannot start"):
        door(table, measures={"acc": "max"}, **asked, sampler={"progressbar": False})
    assert capsys.readouterr().err == ""


def test_steps_of_nuts_are_counted(
    steps: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes standard error for a terminal
    with pytest.raises(bc.BayescompareError, match="NUTS cannot start"):
        bc.compare(rows(), measures={"acc": "max"}, group="g", progress=True)
    out, err = capsys.readouterr()
    assert "sampling" in err
    assert out == ""
    assert steps[0][0] is not None


def test_what_is_exact_says_nothing(steps: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    for options in ({}, {"weight": "w"}):
        bc.compare(rows(), measures={"acc": "max"}, **options)
    bc.rank(rows(), measures={"acc": "max"}, group="g")
    assert (*capsys.readouterr(), steps) == ("", "", [])
