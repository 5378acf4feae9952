"""Posterior intervals by ``ci_prob`` and ``ci_kind``: of every method that has them."""

from __future__ import annotations

from functools import cache
from typing import Any

import arviz as az
import numpy as np
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import CorrelatedT, Dirichlet, Network, PoissonBinomial, Replicated
from tests.cases import few_quick
from tests.methods.replicated.test_replicated import folds
from tests.tables import table


@cache
def example() -> bc.Results:
    return bc.load_example("benavoli-example1")


@cache
def errors() -> bc.ErrorCounts:
    return bc.load_example("lacoste-svm-parzen")


def gaps() -> bc.Results:
    values = np.random.default_rng(1).normal(size=(9, 2, 2))
    values[[1, 4], 0, 1] = np.nan
    return table(values)


@cache
def one(name: str) -> Any:
    uci = bc.load_example("jansen-uci").sel(measures=["auc", "brier"])
    wide = folds(ropes=(0.01, None, None), m=1)
    made: dict[str, Any] = {
        "dirichlet": lambda: bc.compare(example()),
        "imprecise": lambda: bc.compare(example(), method=Dirichlet(prior="imprecise")),
        "learned": lambda: bc.pairwise(uci, n_jobs=1)["CART", "GLM"],
        "missing": lambda: bc.compare(gaps(), missing="ignore"),
        "network": lambda: bc.compare(example(), method=Network(average=True), rng=0),
        "complete network": lambda: bc.compare(example(), method="network", rng=0),
        "replicated": lambda: bc.compare(folds(), method="replicated"),
        "replicated, flat": lambda: bc.compare(folds(), method=Replicated(effects="flat")),
        "replicated, learned": lambda: bc.pairwise(
            folds(algorithms=("A", "B", "C"), n=7), method="replicated", n_jobs=1
        )["A", "B"],
        "poisson-binomial": lambda: bc.compare(errors(), method="poisson-binomial"),
        "joint": lambda: bc.compare(errors(), method=PoissonBinomial(joint=True)),
        "hierarchical": lambda: bc.compare(errors(), method="hierarchical"),
        "correlated-t": lambda: bc.compare(folds(m=1), method=CorrelatedT(joint=True)),
        "correlated-t, rope": lambda: bc.compare(wide, method=CorrelatedT(joint=True)),
        "correlated-t, cut": lambda: bc.compare(wide, method="correlated-t"),
        "signed-rank": lambda: bc.compare(
            example().sel(measures=["accuracy"]), method="signed-rank", rng=0
        ),
    }
    return made[name]()


EXACT = [
    *("dirichlet", "imprecise", "learned", "missing"),
    *("replicated", "replicated, flat", "replicated, learned"),
    *("poisson-binomial", "joint", "correlated-t", "correlated-t, rope", "correlated-t, cut"),
]
DRAWN = ["network", "complete network", "hierarchical", "signed-rank"]


@pytest.mark.parametrize("name", few_quick([*EXACT, *DRAWN], 9))
def test_the_stored_interval_is_the_equal_tailed_one_of_95_percent(name: str) -> None:
    c = one(name)
    found = c.intervals(ci_prob=0.95, ci_kind="eti").reindex(list(c.answer.labels))
    stored = c.answer.per_statement
    assert found.attrs == {"ci_prob": 0.95, "ci_kind": "eti", "exact": name in EXACT}
    tolerance = 1e-8 if name in EXACT else 0.015
    for column, end in (("theta_mean", "mean"), ("theta_lower", "lower"), ("theta_upper", "upper")):
        np.testing.assert_allclose(found[end], stored[column], atol=tolerance, err_msg=end)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["dirichlet", "learned", "replicated", "joint", "correlated-t, rope", "hierarchical"]
)
def test_the_shortest_interval_is_that_of_the_draws(name: str) -> None:
    """Exact ends against the draws' own: the same share of draws lies inside."""
    c = one(name)
    found = c.intervals(ci_prob=0.8, ci_kind="hdi")
    wide = c.intervals(ci_prob=0.8, ci_kind="eti")
    assert ((found.upper - found.lower) <= (wide.upper - wide.lower) + 1e-9).all()
    posterior = c.draws(4000, chains=2, rng=3)["posterior"].to_dataset()
    label = found.index[0]
    if "theta" in posterior:
        drawn = posterior["theta"].sel(statement=label).values
    else:
        rate = posterior["r" if "r" in posterior else "q"].values
        drawn = rate if label == c.answer.labels[0] else 1.0 - rate
    low, high = found.loc[label, ["lower", "upper"]]
    assert ((drawn >= low) & (drawn <= high)).mean() == pytest.approx(0.8, abs=0.025)


def test_swapping_the_algorithms_mirrors_them() -> None:
    c, turned = (
        bc.compare(errors().sel(algorithms=names), method="poisson-binomial")
        for names in (errors().algorithms, errors().algorithms[::-1])
    )
    for kind in ("eti", "hdi"):
        one, other = (x.intervals(ci_prob=0.7, ci_kind=kind) for x in (c, turned))
        np.testing.assert_allclose(one, other.loc[one.index], atol=1e-7)


def test_defaults_are_those_of_arviz() -> None:
    c = one("dirichlet")
    assert c.intervals().attrs == {"ci_prob": 0.89, "ci_kind": "eti", "exact": True}
    with az.rc_context({"stats.ci_prob": 0.6, "stats.ci_kind": "hdi"}):
        found = c.intervals()
        assert found.attrs == {"ci_prob": 0.6, "ci_kind": "hdi", "exact": True}
        np.testing.assert_allclose(found, c.intervals(ci_prob=0.6, ci_kind="hdi"))
        assert c.intervals(ci_kind="eti").attrs["ci_prob"] == 0.6


def test_the_summary_shows_the_interval_that_was_asked_for() -> None:
    c = one("dirichlet")
    plain, asked = c.summary(), c.summary(ci_prob=0.5, ci_kind="hdi")
    assert plain.attrs == {"ci_prob": 0.95, "ci_kind": "eti"}
    assert asked.attrs == {"ci_prob": 0.5, "ci_kind": "hdi"}
    own = c.intervals(ci_prob=0.5, ci_kind="hdi").loc[asked.index]
    np.testing.assert_allclose(asked[["theta_lower", "theta_upper"]], own[["lower", "upper"]])
    assert asked.drop(columns=["theta_lower", "theta_upper"]).equals(
        plain.drop(columns=["theta_lower", "theta_upper"])
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"ci_prob": 1.0}, "ci_prob=1.0: give the probability inside the interval"),
        ({"ci_prob": 95}, "ci_prob=95: .* between 0 and 1"),
        ({"ci_prob": "0.9"}, "ci_prob='0.9'"),
        ({"ci_prob": float("nan")}, "ci_prob=nan"),
        ({"ci_kind": "hpd"}, "ci_kind='hpd'.*eti.*hdi"),
    ],
)
def test_refusals(asked: dict[str, Any], words: str) -> None:
    for ask in (one("dirichlet").intervals, one("dirichlet").summary):
        with pytest.raises(BayescompareError, match=words):
            ask(**asked)


def test_what_has_no_intervals() -> None:
    for method in ("glrt", "all-test"):
        c = bc.compare(example(), method=method, rng=0)
        assert "intervals" not in dir(c)
        for ask in (c.intervals, c.summary):
            with pytest.raises(BayescompareError, match=rf"intervals: .*{method}.* has no share"):
                ask(ci_prob=0.9)
