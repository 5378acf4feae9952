"""The Poisson-binomial test as draws and as a PyMC model, with every d marginalised."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import beta

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, BoolArray, FloatArray, IntArray
from bayescompare.kernels.context.error_rates import (
    draw_error_rate_outcomes,
    draw_error_rate_shares,
    error_rate_log_marginal,
    first_error_rate_better,
)
from bayescompare.kernels.context.poisson_binomial import draw_poisson_binomial_wins
from bayescompare.methods._shared.pair_answer import WRONG, pair_counts
from bayescompare.methods._shared.priors import place_prior
from bayescompare.methods._shared.trees import add_constants, make_tree
from bayescompare.methods.context.scalars import rate_scalars
from bayescompare.methods.context.share_draws import (
    SHARE_DIMS,
    drawn_shares,
    log_prior_of_shares,
    with_learned_log_prior,
    with_log_prior,
)
from bayescompare.methods.context.shares import SharePosterior
from bayescompare.methods.dirichlet.learned_model import place_learned_shares
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import Sampling
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.context.poisson_binomial import PoissonBinomial

__all__ = ["PoissonBinomialPosterior", "build", "poisson_binomial_by_nuts"]


_DIMS = {
    "d": ("dataset",),
    "z": ("dataset",),
    "p": ("dataset", "outcome"),
    WRONG: ("dataset",),
}


class PoissonBinomialPosterior(SharePosterior):
    """r after the data, every d and the error probabilities of each dataset."""

    method: PoissonBinomial

    def exact_draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw r, every d and every error probability, independently."""
        return poisson_binomial_tree(self, draws, chains, rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Draw d and the error probabilities back, given NUTS's r."""
        return finish_poisson_binomial(self.method, self.results, tree, rng)

    def leads(self) -> FloatArray:
        """Whether r is above ½, and whether below, in each draw."""
        assert self.answer.tree is not None
        return poisson_binomial_rate_leads(self.answer.tree)

    def simulate(self, rng: np.random.Generator) -> Results:
        """Draw r from the prior, and errors on each dataset."""
        from bayescompare.methods.context.prediction import simulated

        if self.method.needs_mcmc:
            tree = nuts.draw_prior_as_nuts(self.method.model(self.results), rng)
            return simulated(self.results, tree)
        return simulated(self.results, self.draws(1, 1, rng))

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets with as many discordant examples as those seen, one like another."""
        method = self.method
        if method.needs_mcmc:
            raise BayescompareError("plan() needs the exact answer, and this prior needs NUTS.")
        seen = np.add(*pair_counts(self.results))
        rows, draw = method.evidence(self.results).rows, method.share_draws(self.results)

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            rate = draw(1, rng)[0, 0]
            n = rng.choice(seen, size=number).astype(np.int64)
            share = _poisson_binomial_test_shares(rng.random(number) < rate, method.a, rng)
            wrong = rng.binomial(n, share)
            first = first_error_rate_better(wrong, n - wrong, method.a)
            second = first_error_rate_better(n - wrong, wrong, method.a)
            with np.errstate(divide="ignore"):
                new = np.log(np.stack([first, second], axis=1))
            return self.least_of(np.concatenate([rows, new[None]], axis=1), rng)

        return simulate

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """P of the leading statement with more sure datasets, or its surest ones turned round."""
        if self.method.needs_mcmc:
            return None
        place = self.answer.labels.index(decision.statement)
        (rows,) = self.method.evidence(self.results).rows
        # From the surest for it to the surest against it.
        rows = rows[np.argsort(rows[:, 1 - place] - rows[:, place], kind="stable")]
        sure = np.full((1, 2), -np.inf)
        sure[0, place] = 0.0

        def level(more: int, moved: int) -> float:
            turned = [rows[:moved, ::-1], rows[moved:], np.repeat(sure, more, axis=0)]
            least = self.least_of(np.concatenate(turned)[None], np.random.default_rng(0))
            return float(least[place])

        return level


def build(method: PoissonBinomial, results: Results) -> pm.Model:
    """Build the model: r, and each dataset's errors given r."""
    import pymc as pm

    k_h, k_g = pair_counts(results)
    priors = method.priors or {}
    with pm.Model(coords={"dataset": list(results.datasets)}) as model:
        if "r" in priors:
            r = place_prior("r", priors["r"], ())
        elif method.learned is not None:
            statements = method.evidence(results).statements
            model.add_coord("statement", list(statements.labels))
            base = np.exp(method.log_base(statements))
            r = pm.Deterministic("r", place_learned_shares(method.learned, base)[0])
        else:
            b = (
                place_prior("b", priors["b"], ())
                if method.needs_mcmc
                else np.float64(method.weight)
            )
            r = pm.Beta("r", b, b)
        pm.CustomDist(
            WRONG,
            r,
            (k_h + k_g).astype(np.int64),
            # As a plain 0.5 it would be taken for single precision.
            np.float64(method.a),
            logp=_poisson_binomial_test_logp,
            random=_poisson_binomial_test_random,
            signature="(),(),()->()",
            dtype="int64",
            observed=k_h.astype(np.int64),
            dims="dataset",
        )
    return model


def _poisson_binomial_test_logp(value: Any, r: Any, n: Any, a: Any) -> Any:
    """Log of 2 m (r p + (1 − r)(1 − p)), with m the chance of the split and p = P(d = 1 | k)."""
    import pytensor.tensor as pt

    first, second = a + value, a + n - value
    log_beta = pt.gammaln(first) + pt.gammaln(second) - pt.gammaln(first + second)
    splits = pt.gammaln(n + 1) - pt.gammaln(value + 1) - pt.gammaln(n - value + 1)
    scale = 2 * pt.gammaln(a) - pt.gammaln(2 * a)
    better, worse = pt.betainc(first, second, 0.5), pt.betainc(second, first, 0.5)
    return math.log(2.0) + splits + log_beta - scale + pt.log(r * better + (1 - r) * worse)


def _poisson_binomial_test_random(
    r: Any, n: Any, a: Any, rng: np.random.Generator | None = None, size: Any = None
) -> IntArray:
    """Draw errors on new datasets with as many discordant examples: d, then z on d's side."""
    assert rng is not None
    shape = np.broadcast_shapes(np.shape(r), np.shape(n), np.shape(a)) if size is None else size
    z = _poisson_binomial_test_shares(rng.random(shape) < r, float(np.ravel(a)[0]), rng)
    return np.asarray(rng.binomial(n, z, size=shape), dtype=np.int64)


def _poisson_binomial_test_shares(
    better: BoolArray, a: float, rng: np.random.Generator
) -> FloatArray:
    z = rng.beta(a, a, size=better.shape)
    low = np.minimum(z, 1.0 - z)
    return np.where(better, low, 1.0 - low)


def poisson_binomial_tree(
    asked: PoissonBinomialPosterior, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw independently: κ, r, d and the error probabilities, all from known distributions."""
    method, results = asked.method, asked.results
    p, shape = method.alone(results), (chains, draws)
    shares = drawn_shares(asked, shape, rng)
    rate, before = shares.posterior["r"], shares.prior["r"]
    if method.joint:
        d = draw_poisson_binomial_wins(p, rate.ravel(), rng)
    else:
        # The cut: d by each dataset's own counts, then r given how many there are.
        d = rng.random((rate.size, len(p))) < p
        wins = d.sum(axis=1)
        rate = rng.beta(method.weight + wins, method.weight + len(p) - wins).reshape(shape)
        shares.posterior["r"] = rate
        shares.log_prior["r"] = beta.logpdf(rate, method.weight, method.weight)
    d = d.reshape(*shape, len(p))
    groups = {
        "posterior": {
            **shares.posterior,
            **_poisson_binomial_test_details(method, results, d, rng),
        },
        "prior": {
            **shares.prior,
            **_poisson_binomial_prior_details(method, results, before, rng),
        },
        "posterior_predictive": {
            WRONG: _poisson_binomial_test_predicted(method, results, rate, rng)
        },
        "prior_predictive": {WRONG: _poisson_binomial_test_predicted(method, results, before, rng)},
        "log_likelihood": {WRONG: _poisson_binomial_test_likelihood(method, results, rate)},
        "observed_data": {WRONG: pair_counts(results)[0].astype(np.int64)},
    }
    for group in ("posterior", "prior"):
        # Of two statements the first has the share r.
        groups[group].pop("theta")
    labels = method.evidence(results).statements.labels
    coords = {**_poisson_binomial_test_coords(results), "statement": list(labels)}
    tree = make_tree(groups, {**SHARE_DIMS, **_DIMS}, coords)
    tree = with_log_prior(tree, shares.log_prior)
    return _finish_poisson_binomial_tree(method, results, tree)


def finish_poisson_binomial(
    method: PoissonBinomial, results: Results, tree: xr.DataTree, rng: np.random.Generator
) -> xr.DataTree:
    """Draw d and the error probabilities back, exactly given r."""
    import xarray as xr

    p = method.alone(results)
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        r = data["r"].transpose("chain", "draw").values
        if group == "posterior":
            d = draw_poisson_binomial_wins(p, r.ravel(), rng).reshape(*r.shape, len(p))
            more = _poisson_binomial_test_details(method, results, d, rng)
        else:
            more = _poisson_binomial_prior_details(method, results, r, rng)
        data = data.assign_coords(
            {k: v for k, v in _poisson_binomial_test_coords(results).items() if k == "dataset"}
        )
        for name, values in more.items():
            data[name] = (("chain", "draw", *_DIMS[name]), values)
        if "p" in data:
            data = data.assign_coords(outcome=_poisson_binomial_test_coords(results)["outcome"])
        tree[group] = xr.DataTree(data)
    return _finish_poisson_binomial_tree(method, results, with_learned_log_prior(method, tree))


def poisson_binomial_by_nuts(
    method: PoissonBinomial, results: Results, sampling: Sampling
) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    tree = nuts.sample_nuts_as_asked(sampling, method.model(results))
    tree = finish_poisson_binomial(method, results, tree, sampling.rng)
    r = tree["posterior"]["r"].transpose("chain", "draw").values
    each = poisson_binomial_rate_leads(tree)
    p = method.alone(results)
    first = r[..., None] * p
    wins = (first / (first + (1.0 - r[..., None]) * (1.0 - p))).mean(axis=(0, 1))
    low, high = np.quantile(r, (0.025, 0.975))
    figures = rate_scalars(r.mean(), r.std(), low, high)
    return method.finished(
        results,
        wins,
        probability=each.mean(axis=(0, 1)),
        scalars=figures,
        per_statement=figures.both,
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=float((r == 0.5).mean()),
        tree=tree,
        seed=sampling.seed,
    )


def poisson_binomial_rate_leads(tree: xr.DataTree) -> FloatArray:
    """Whether r is above ½, and whether below, in each draw."""
    r = tree["posterior"]["r"].transpose("chain", "draw").values
    return np.stack([r > 0.5, r < 0.5], axis=-1).astype(np.float64)


# pieces ------------------------------------------------------------------------------------------


def _poisson_binomial_test_coords(results: Results) -> dict[str, list[str]]:
    first, second = results.algorithms
    outcomes = [f"only {first} wrong", f"only {second} wrong", "neither alone"]
    return {"dataset": list(results.datasets), "outcome": outcomes}


def _poisson_binomial_test_details(
    method: PoissonBinomial, results: Results, d: BoolArray, rng: np.random.Generator
) -> dict[str, AnyArray]:
    """Draw z = p_h/(p_h + p_g) given d and, where the sizes are known, all of p."""
    k_h, k_g = pair_counts(results)
    z = draw_error_rate_shares(k_h, k_g, d, rng, method.a)
    draws_by_name: dict[str, AnyArray] = {"d": d.astype(np.int8), "z": z}
    n = _poisson_binomial_test_sizes(results)
    if n is not None:
        draws_by_name["p"] = draw_error_rate_outcomes(z, k_h + k_g, n - k_h - k_g, rng, method.a)
    return draws_by_name


def _poisson_binomial_prior_details(
    method: PoissonBinomial, results: Results, r: FloatArray, rng: np.random.Generator
) -> dict[str, AnyArray]:
    d = rng.random((*r.shape, len(results.datasets))) < r[..., None]
    z = _poisson_binomial_test_shares(d, method.a, rng)
    draws_by_name: dict[str, AnyArray] = {"d": d.astype(np.int8), "z": z}
    if _poisson_binomial_test_sizes(results) is not None:
        nothing = np.zeros(len(results.datasets))
        draws_by_name["p"] = draw_error_rate_outcomes(z, nothing, nothing, rng, method.a)
    return draws_by_name


def _poisson_binomial_test_sizes(results: Results) -> FloatArray | None:
    assert isinstance(results, ErrorCounts)
    n: FloatArray = results.counts["n"].values
    return None if np.isnan(n).any() else n


def _poisson_binomial_test_predicted(
    method: PoissonBinomial, results: Results, r: FloatArray, rng: np.random.Generator
) -> IntArray:
    k_h, k_g = pair_counts(results)
    size = (*r.shape, len(k_h))
    return _poisson_binomial_test_random(
        r[..., None], (k_h + k_g).astype(np.int64), method.a, rng, size
    )


def _poisson_binomial_test_likelihood(
    method: PoissonBinomial, results: Results, r: FloatArray
) -> FloatArray:
    p, rate = method.alone(results), r[..., None]
    each = math.log(2.0) + error_rate_log_marginal(*pair_counts(results), method.a)
    return np.asarray(each + np.log(rate * p + (1.0 - rate) * (1.0 - p)))


def _finish_poisson_binomial_tree(
    method: PoissonBinomial, results: Results, tree: xr.DataTree
) -> xr.DataTree:
    k_h, k_g = pair_counts(results)
    facts = {"discordant": k_h + k_g, "alone": method.alone(results)}
    return add_constants(log_prior_of_shares(tree), facts, results.datasets)
