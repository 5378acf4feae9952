"""What a model file gets from this package: ranks, the table of statements, places for priors."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pandas as pd
import preliz as pz
import pymc as pm
import pytest
from pymc_extras.prior import Prior
from pytensor.compile.mode import Mode
from scipy import stats
from scipy.special import betaln

import bayescompare as bc
from bayescompare.modelling import lkj_cholesky, prior, ranks, statement_table

#: Nothing is worth compiling for one draw.
PLAIN = Mode(linker="py", optimizer="fast_compile")
COORDS = {"algorithm": ["A", "B", "C"], "measure": ["accuracy", "time"]}


def test_ranks_share_ties() -> None:
    frame = pd.DataFrame(
        {"dataset": "d", "algorithm": list("ABC"), "time": [2.0, 1.0, 2.0], "auc": [0.1, 0.2, 0.3]}
    )
    both = bc.Results.from_frame(frame, measures={"time": "min", "auc": "max"})
    assert ranks(both)[0].tolist() == [[2.5, 3.0], [1.0, 2.0], [2.5, 1.0]]


def test_the_statement_table_is_that_of_the_test() -> None:
    table = statement_table(bc.load_example("pnn"))
    assert table.weights.sum(axis=0).tolist() == [3.0, 1.0, 0.0, 0.0]
    np.testing.assert_allclose(table.weights.sum(axis=1), 1.0)
    assert [tuple(s) for s in table.states] == list(itertools.product((0, 1), repeat=2))
    with pytest.raises(bc.BayescompareError, match="too many"):
        statement_table(bc.load_example("jansen-uci"))


# priors -------------------------------------------------------------------------------------------


class WithDims:
    """Something of another package's that takes dims."""

    def to_pymc(self, name: str, dims: tuple[str, ...] | None = None) -> Any:
        return pm.HalfNormal(name, 2.0, dims=dims)


HALF_NORMALS = [
    pm.HalfNormal.dist(2.0),
    pz.HalfNormal(2.0),
    Prior("HalfNormal", sigma=2.0),
    WithDims(),
    lambda name, dims: pm.HalfNormal(name, 2.0, dims=dims),
    lambda name, dims: pm.HalfNormal.dist(2.0),
]


@pytest.mark.parametrize("dims", [(), "measure", ("algorithm", "measure")])
@pytest.mark.parametrize("value", HALF_NORMALS, ids=lambda v: type(v).__name__)
def test_a_prior_has_one_variable_per_element(value: Any, dims: str | tuple[str, ...]) -> None:
    with pm.Model(coords=COORDS) as model:
        placed = prior("sigma", value, dims, positive=True)
    wanted = (dims,) if isinstance(dims, str) else dims
    shape = tuple(len(COORDS[dim]) for dim in wanted)
    assert tuple(model.named_vars_to_dims.get("sigma", ())) == wanted
    assert [rv.name for rv in model.free_RVs] == ["sigma"]
    drawn = pm.draw(placed, random_seed=1, mode=PLAIN)
    assert drawn.shape == shape
    assert len(np.unique(drawn)) == drawn.size
    at = np.arange(1.0, 1.0 + drawn.size).reshape(shape)
    expected = stats.halfnorm.logpdf(at, scale=2.0)
    np.testing.assert_allclose(pm.logp(placed, at).eval(mode=PLAIN), expected, rtol=1e-6)


@pytest.mark.parametrize("value", HALF_NORMALS[:4], ids=lambda v: type(v).__name__)
def test_it_is_shared_only_on_request(value: Any) -> None:
    with pm.Model(coords=COORDS) as model:
        assert prior("sigma", value, "measure", shared=True).ndim == 0
    assert not model.named_vars_to_dims.get("sigma")
    with pytest.raises(bc.BayescompareError, match="shared"), pm.Model():
        prior("sigma", value, shared="yes")  # type: ignore[arg-type]


def test_a_number_serves_wherever_a_variable_does() -> None:
    with pm.Model(coords=COORDS) as model:
        each = prior("tau", 2, ("algorithm", "measure"))
        one = prior("nu", 0.5, "measure", shared=True)
        plain = prior("delta", np.float32(-1.5), positive=False)
        pm.Deterministic("twice", 2 * plain)
    np.testing.assert_array_equal(each.eval(mode=PLAIN), np.full((3, 2), 2.0))
    assert (one.eval(mode=PLAIN).tolist(), plain.eval(mode=PLAIN).tolist()) == (0.5, -1.5)
    assert {each.dtype, one.dtype, plain.dtype} == {"float64"}
    assert not model.free_RVs
    with pytest.raises(bc.BayescompareError, match=r"no group: add it to coords="), pm.Model():
        prior("tau", 2, "group")


OWN_DIMS = [
    (Prior("HalfNormal", sigma=2.0, dims="measure"), ("measure",)),
    (pm.HalfNormal.dist(2.0, shape=2), ("algorithm", "measure")),
    (Prior("Normal", mu=Prior("Normal"), sigma=1.0), ("algorithm", "measure")),
    (pz.Truncated(pz.Normal(0, 1), 0), ("algorithm", "measure")),
    (pm.Truncated.dist(pm.Normal.dist(0.0, 1.0), lower=0.0), ("algorithm", "measure")),
    (
        pm.Mixture.dist([0.5, 0.5], [pm.HalfNormal.dist(1.0), pm.HalfNormal.dist(9.0)]),
        ("algorithm", "measure"),
    ),
]


@pytest.mark.parametrize(("value", "dims"), OWN_DIMS, ids=lambda v: type(v).__name__)
def test_priors_made_of_others_and_with_dims_of_their_own(value: Any, dims: Any) -> None:
    with pm.Model(coords=COORDS) as model:
        placed = prior("sigma", value, ("algorithm", "measure"), positive=False)
    assert tuple(model.named_vars_to_dims["sigma"]) == dims
    drawn = pm.draw(placed, random_seed=1, mode=PLAIN)
    assert drawn.shape == tuple(len(COORDS[dim]) for dim in dims)
    assert len(np.unique(drawn)) == drawn.size


def test_a_vector_is_repeated_over_the_dims_it_lacks() -> None:
    with pm.Model(coords=COORDS) as model:
        prior("p", pm.Dirichlet.dist([1.0, 2.0]), ("algorithm", "measure"), within=(0, 1))
    assert model.named_vars_to_dims["p"] == ("algorithm", "measure")
    rows = pm.draw(model["p"], random_seed=1, mode=PLAIN)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert len(np.unique(rows[:, 0])) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": 3}, "name=3: give the name"),
        ({"name": ""}, "name='': give the name"),
        ({"dims": 2}, "dims=2: give the name of a dim"),
        ({"positive": "yes"}, "positive='yes': must be True or False"),
        ({"within": 3}, "within=3: give two numbers"),
        ({"within": (1, 0)}, "within=(1, 0): give two numbers, the lower one first"),
        ({"within": ("a", 1)}, "within=('a', 1): give two numbers"),
    ],
)
def test_bad_arguments_are_named(given: dict[str, Any], words: str) -> None:
    with pm.Model(), pytest.raises(bc.BayescompareError, match=re.escape(words)):
        prior(**{"name": "s", "value": pm.HalfNormal.dist(1.0), **given})


def test_a_prior_needs_a_model() -> None:
    with pytest.raises(bc.BayescompareError, match=r"prior\('s', \.\.\.\): there is no model"):
        prior("s", pm.HalfNormal.dist(1.0))


def test_a_number_outside_its_range_is_refused() -> None:
    for value in (0.0, 1.0, 1.5):
        with pytest.raises(bc.BayescompareError, match="and > 0 and < 1"), pm.Model():
            prior("share", value, within=(0, 1))


def correlated(m: int, eta: float) -> pm.Model:
    names = [f"m{j}" for j in range(m)]
    with pm.Model(coords={"measure": names, "other_measure": names}) as model:
        factor = lkj_cholesky(eta)
        pm.Deterministic("factor", factor)
    return model


@pytest.mark.parametrize("eta", [0.7, 1.0, 3.0])
def test_lkj_has_its_density_with_its_constant(eta: float) -> None:
    """By the Jacobian from partial to plain correlations, and the constant of the paper."""
    model = correlated(3, eta)
    share = np.array([0.3, 0.8, 0.65])  # of (2, 1), (3, 1), (3, 2)
    (omega,) = model.replace_rvs_by_values([model["omega"]])
    value = model.rvs_to_values[model["partial"]]
    free = np.log(share / (1 - share))
    matrix = omega.eval({value: free}, mode=PLAIN)
    p = 2 * share - 1
    assert [matrix[1, 0], matrix[2, 0]] == pytest.approx(p[:2].tolist())
    slope = math.sqrt((1 - p[0] ** 2) * (1 - p[1] ** 2))
    assert (matrix[2, 1] - p[0] * p[1]) / slope == pytest.approx(p[2])
    # Σ_k log c_k of Lewandowski et al. (2009), equation 17, for three measures.
    constant = sum(
        (2 * eta - 2 + 3 - k) * (3 - k) * math.log(2)
        + (3 - k) * betaln(eta + (3 - k - 1) / 2, eta + (3 - k - 1) / 2)
        for k in (1, 2)
    )
    expected = (eta - 1) * np.linalg.slogdet(matrix)[1] - constant
    (log_p,) = model.logp(jacobian=False, sum=False)
    found = float(log_p.sum().eval({value: free}, mode=PLAIN))
    assert found - 3 * math.log(2) == pytest.approx(expected + math.log(slope))


@pytest.mark.parametrize(("m", "eta"), [(2, 1.0), (4, 2.0)])
def test_lkj_correlations_are_alike_and_beta(m: int, eta: float) -> None:
    model = correlated(m, eta)
    omega, factor = pm.draw([model["omega"], model["factor"]], 1000, random_seed=2, mode=PLAIN)
    np.testing.assert_allclose(factor @ factor.mT, omega)
    np.testing.assert_allclose(np.diagonal(omega, axis1=1, axis2=2), 1.0)
    assert (np.triu(factor, 1) == 0).all()
    margin = stats.beta(eta - 1 + m / 2, eta - 1 + m / 2, loc=-1, scale=2)
    for i, j in zip(*np.tril_indices(m, -1), strict=True):
        assert stats.kstest(omega[:, i, j], margin.cdf).pvalue > 0.001


def test_one_measure_has_no_correlation() -> None:
    model = correlated(1, 2.0)
    assert model.free_RVs == []
    assert model["omega"].eval().tolist() == [[1.0]]
