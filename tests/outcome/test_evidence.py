"""Evidence by bridge sampling, against closed forms and integrals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pymc as pm
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln

import bayescompare as bc
from bayescompare.comparisons import ModelComparison
from bayescompare.methods import Dirichlet, Hierarchical, Network, PoissonBinomial
from bayescompare.methods.model_file.answer import ModelDetails
from bayescompare.outcome.scores import EvidenceEstimate
from bayescompare.table.results import Results
from tests.oracles import network as no
from tests.tables import table

QUIET: dict[str, Any] = {"progressbar": False, "cores": 1}


def noisy(measures: int, n: int, *, digits: int = 1) -> Results:
    """Two algorithms of which the second is better by half a standard deviation."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(n, 2, measures)) + np.array([[[0.0], [0.5]]])
    return table(np.round(values, digits))


def three_algorithms() -> Results:
    return table(np.random.default_rng(3).integers(0, 3, (10, 3, 1)))


def with_rope() -> Results:
    return table(np.random.default_rng(3).random((15, 2, 2)), rope=0.2)


def example() -> Results:
    return bc.load_example("benavoli-example1")


def errors() -> Results:
    return bc.load_example("lacoste-svm-parzen")


Case = tuple[Callable[[], Results], Any]

#: Small α and many statements first, then every method with a model and a closed evidence.
CASES: dict[str, Case] = {
    "dirichlet α = 1/16, K = 16, ties": (lambda: noisy(4, 16), Dirichlet()),
    "network chain of three, ESS 1": (
        lambda: table(no.linked(40, 3, seed=1)),
        Network(search=no.CHAIN, mcse=0.05),
    ),
    "dirichlet α = ½, K = 9, rope": (with_rope, Dirichlet(prior="jeffreys")),
    "poisson-binomial, joint": (errors, PoissonBinomial(joint=True)),
    "hierarchical": (errors, Hierarchical()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_evidence_is_the_closed_one(name: str) -> None:
    made, method = CASES[name]
    c = bc.compare(made(), method=method, rng=0)
    found = c.estimate_evidence(rng=7, **QUIET)
    z = (found.log_evidence - c.log_evidence) / found.se
    print(
        f"{name:42} closed {c.log_evidence:9.4f}  found {found.log_evidence:9.4f} "
        f"± {found.se:.4f}  z {z:5.2f}  {found.note}"
    )
    assert abs(z) < 4.0
    assert found.se < 0.1
    assert not found.note


def closed(alpha: np.ndarray, counts: np.ndarray) -> float:
    cells = (gammaln(alpha + counts) - gammaln(alpha)).sum()
    total = alpha.sum()
    return float(cells - gammaln(total + counts.sum()) + gammaln(total))


@pytest.mark.slow
def test_a_prior_of_ones_own_by_an_integral() -> None:
    """Without a closed form: the strength is integrated by quadrature."""
    method = Dirichlet(priors={"strength": pm.Gamma.dist(2.0, 1.0)})
    c = bc.compare(example(), method=method, rng=1, sampler={**QUIET, "draws": 100, "chains": 2})
    counts = c.answer.counts

    def integrand(s: float) -> float:
        return float(stats.gamma.pdf(s, 2.0)) * math.exp(closed(np.full(4, s / 4), counts))

    exact = math.log(quad(integrand, 0.0, 60.0, limit=200)[0])
    found = c.estimate_evidence(rng=2, **QUIET)
    print(f"integral {exact:.4f}, bridge {found.log_evidence:.4f} ± {found.se:.4f}")
    assert abs(found.log_evidence - exact) < 4.0 * found.se
    assert found.se < 0.02


@pytest.mark.slow
def test_a_model_file_by_its_closed_twin() -> None:
    """The hyperprior of the bundled file, integrated over its closed evidence given α."""
    c = bc.compare(example(), method="dirichlet_hyperprior", rng=1, sampler={**QUIET, "draws": 100})
    counts = bc.compare(example()).answer.counts

    def integrand(a: float) -> float:
        return float(stats.gamma.pdf(a, 2.0)) * math.exp(closed(np.full(4, a), counts))

    exact = math.log(quad(integrand, 0.0, 60.0, limit=200)[0])
    found = c.estimate_evidence(rng=2, **QUIET)
    assert abs(found.log_evidence - exact) < 4.0 * found.se
    assert found.se < 0.02


@pytest.mark.slow
def test_a_learned_prior_by_its_closed_mixture() -> None:
    results = bc.load_example("jansen-uci").sel(measures=["auc", "brier"])
    c = bc.pairwise(results, n_jobs=1)["CART", "GLM"]
    found = c.estimate_evidence(rng=3, **QUIET)
    assert abs(found.log_evidence - c.log_evidence) < 4.0 * found.se
    assert found.se < 0.05


@pytest.mark.slow
def test_an_edited_model_has_the_evidence_of_the_edit() -> None:
    """Half of the likelihood: every dataset counts half, so the counts are halved."""
    c = bc.compare(example(), method=Dirichlet(prior="uniform"))
    edited = c.model(form="textbook")
    weights = c.method.listing(c.results).weights  # type: ignore[attr-defined]
    with edited:
        pm.Potential("less", -0.5 * (weights * pm.math.log(edited["theta"])).sum())
    counts = c.answer.counts / 2
    found = c.estimate_evidence(model=edited, rng=3, **QUIET)
    assert abs(found.log_evidence - closed(np.ones(4), counts)) < 4.0 * found.se


# ---------------------------------------------------------------------------------- what it returns


def test_an_estimate_is_a_pair_that_says_how_it_was_made() -> None:
    found = EvidenceEstimate(-12.345678, 0.01234, "bridge sampling")
    log_evidence, se = found
    assert (log_evidence, se) == (found.log_evidence, found.se) == (-12.345678, 0.01234)
    assert "−12.35" in repr(found)
    assert "0.012" in repr(found)
    assert "caution" not in repr(found)
    wary = EvidenceEstimate(0.0, 1.0, "bridge sampling", "3 divergent transitions")
    assert "caution: 3 divergent transitions" in repr(wary)


# ---------------------------------------------------------------------------------------- refusals


def unsampled(build: Callable[..., Any]) -> bc.Comparison:
    """A comparison by a model, none of which was sampled."""
    exact = bc.compare(example())
    answer = replace(exact.answer, facts=ModelDetails(model="mine", title="A model of mine."))
    return ModelComparison(exact.results, bc.methods.ModelFile(build), answer)


def flat(results: Results) -> pm.Model:
    with pm.Model(coords={"algorithm": results.algorithms, "dataset": results.datasets}) as model:
        strength = pm.Flat("strength", dims="algorithm")
        pm.Normal("y", strength[0], 1.0, observed=np.zeros(12), dims="dataset")
    return model


def discrete(results: Results) -> pm.Model:
    with pm.Model(coords={"algorithm": results.algorithms, "dataset": results.datasets}) as model:
        which = pm.Bernoulli("which", 0.5)
        strength = pm.Normal("strength", which, 1.0, dims="algorithm")
        pm.Normal("y", strength[0], 1.0, observed=np.zeros(12), dims="dataset")
    return model


REFUSED: dict[str, tuple[Callable[[], bc.Comparison], dict[str, Any], str]] = {
    "no model": (
        lambda: bc.compare(example(), method="glrt"),
        {},
        "'estimate_evidence' is not something that method 'glrt' has; .*dirichlet.*frequentist",
    ),
    "a cut model": (
        lambda: bc.compare(errors(), method="poisson-binomial"),
        {},
        "estimate_evidence: .*joint=True",
    ),
    "all graphs": (
        lambda: bc.compare(example(), method=Network(average=True)),
        {},
        "known exactly, see log_evidence",
    ),
    "another way": (lambda: bc.compare(example()), {"by": "smc"}, "by='smc': must be"),
    "no draws": (lambda: bc.compare(example()), {"draws": 0}, "draws=0"),
    "few draws": (lambda: bc.compare(example()), {"draws": 50}, "draws=50: .*at least 100"),
    "chains": (lambda: bc.compare(example()), {"chains": 1.5}, "chains=1.5"),
    "a seed elsewhere": (lambda: bc.compare(example()), {"random_seed": 1}, "random_seed: .*rng="),
    "our options": (lambda: bc.compare(example()), {"var_names": ["theta"]}, "var_names: "),
    "another sampler": (
        lambda: bc.compare(example()),
        {"nuts_sampler": "nutpie"},
        "nuts_sampler='nutpie': bridge",
    ),
    "a bad seed": (lambda: bc.compare(example()), {"rng": -1}, "rng=-1"),
    "an improper prior": (lambda: unsampled(flat), {}, "prior of strength is improper"),
    "a discrete variable": (lambda: unsampled(discrete), {}, "which is discrete"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_the_argument_and_the_way_out(name: str) -> None:
    made, asked, why = REFUSED[name]
    with pytest.raises(bc.BayescompareError, match=why) as caught:
        made().estimate_evidence(**asked)
    assert "\n" not in str(caught.value)


def test_a_model_file_that_was_saved_is_not_run(own: bc.Comparison, tmp_path: Path) -> None:
    own.to_json(tmp_path / "own.json")
    loaded = bc.load_comparison(tmp_path / "own.json")
    with pytest.raises(bc.BayescompareError, match=r"read from a file.*name it yourself"):
        loaded.estimate_evidence()


def test_what_has_no_model_does_not_list_it() -> None:
    assert "estimate_evidence" in dir(bc.compare(example()))
    assert "estimate_evidence" not in dir(bc.compare(example(), method="glrt"))
    assert "estimate_evidence" not in dir(bc.compare(errors(), method="poisson-binomial"))


def test_chains_without_overlap_are_refused() -> None:
    """A proposal that misses the posterior gives an error, not a figure."""
    from bayescompare.kernels.numerics.bridge import Bridge
    from bayescompare.outcome import scores

    for bad in (Bridge(-3.0, 2.0, 0.5), Bridge(-3.0, 0.1, 1e-4), Bridge(-3.0, math.nan, 0.5)):
        with pytest.raises(bc.BayescompareError, match=r"too little overlap.*more draws="):
            scores._check_overlap([Bridge(-3.0, 0.1, 0.9), bad])
