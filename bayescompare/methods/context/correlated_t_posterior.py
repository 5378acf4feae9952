"""The correlated t-test as draws: shares of datasets, every mean advantage and spread.

Trees from exact draws and from NUTS are made the same way: shares first, then what each dataset is
given them. The flat prior of means and spreads has no draws, so that the group `prior` holds the
shares alone, and predicts statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.context.correlated_t import (
    draw_correlated_t_differences,
    draw_correlated_t_means,
    draw_correlated_t_spreads,
    draw_correlated_t_within,
    draw_statements,
)
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.priors import check_prior_support
from bayescompare.methods._shared.trees import (
    add_constants,
    make_tree,
    shrink_predictions,
    statement_each,
)
from bayescompare.methods.context.correlated_t_model import (
    ADVANTAGE,
    DIFFERENCE,
    SIGMA,
    build_correlated_t_evidence,
)
from bayescompare.methods.context.replicates import Replicates
from bayescompare.methods.context.scalars import RateScalars
from bayescompare.methods.context.share_draws import (
    SHARE_DIMS,
    drawn_shares,
    log_prior_by_name,
    log_prior_of_shares,
    with_learned_log_prior,
    with_log_prior,
)
from bayescompare.methods.context.shares import SharePosterior
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import theta_columns
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import Sampling
from bayescompare.outcome.of_posterior import grown_by_resemblance, resembling
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = ["CorrelatedTPosterior", "finish_correlated_t", "sampled_answer"]

_SAMPLE = ("chain", "draw")
_DIMS = {
    ADVANTAGE: ("dataset",),
    OUTCOME: ("dataset", "statement"),
}


class CorrelatedTPosterior(SharePosterior):
    """Shares of datasets after the data, and the mean and spread of each dataset."""

    method: CorrelatedT

    def exact_draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw the shares, every mean advantage and every spread, independently."""
        return correlated_t_exact_tree(self, draws, chains, rng)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Draw every mean, spread and new replicate back, given NUTS's shares."""
        return finish_correlated_t(self.method, self.results, tree, rng)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets that resemble those seen, statement by statement."""
        method = self.method
        if method.needs_mcmc:
            raise BayescompareError("plan() needs the exact answer, and this prior needs NUTS.")
        if self.theta is not None:
            return grown_by_resemblance(self.theta)
        wins, rows = method.rate_after(self.results).joint.wins, method.evidence(self.results).rows
        given_all, shares = np.stack([wins, 1.0 - wins], axis=1), method.share_draws(self.results)

        def simulate(more: int, rng: np.random.Generator) -> FloatArray:
            new = resembling(rows, given_all, shares(1, rng)[0], more, rng)
            return self.least_of(np.concatenate([rows, new], axis=1), rng)

        return simulate

    def level_given(self, decision: Decision) -> None:
        """Nothing: how sure further datasets would be is not known."""
        return

    def statistics(
        self, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Compare how many datasets make each statement true, and the replicates' shape."""
        from bayescompare.methods.context.correlated_t_check import check_statistics

        return check_statistics(self.method.each(self.results), tree, rng, prior=prior)


def correlated_t_exact_tree(
    asked: CorrelatedTPosterior, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw independently from the posterior, and the shares from their prior."""
    method, results = asked.method, asked.results
    each, shape = method.each(results), (chains, draws)
    shares = drawn_shares(asked, shape, rng)
    posterior, log_prior = shares.posterior, shares.log_prior
    if not method.joint:
        # The cut: every mean by its own replicates, then the shares given the statements.
        theta, advantage = _correlated_t_test_cut_shares(method, each, chains * draws, rng)
        posterior = {"theta": theta.reshape(*shape, -1), ADVANTAGE: advantage.reshape(*shape, -1)}
        if theta.shape[1] == 2:
            posterior["r"] = posterior["theta"][..., 0]
        log_prior = log_prior_by_name(method, posterior)
    theta, before = posterior["theta"], shares.prior["theta"]
    n = len(results.datasets)
    groups: dict[str, dict[str, AnyArray]] = {
        "posterior": posterior,
        "prior": shares.prior,
        "posterior_predictive": {OUTCOME: statement_each(theta, n, rng)},
        "prior_predictive": {OUTCOME: statement_each(before, n, rng)},
        "log_likelihood": {OUTCOME: np.log(theta @ each.evidence.T)},
        "observed_data": {OUTCOME: each.evidence},
    }
    coords = {"statement": each.labels, "dataset": list(results.datasets)}
    tree = make_tree(groups, {**SHARE_DIMS, **_DIMS}, coords)
    tree = with_log_prior(tree, log_prior)
    return finish_correlated_t(method, results, tree, rng)


def _correlated_t_test_cut_shares(
    method: CorrelatedT, each: Replicates, total: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw θ of the cut model, given how many datasets make each statement true, and their means.

    Returns
    -------
    array (total, S), array (total, N)
    """
    advantage = draw_correlated_t_means(each.dof, each.location, each.scale, total, rng)
    b, rope, n = method.weight, each.rope, advantage.shape[1]
    better, worse = (advantage > rope).sum(axis=1), (advantage < -rope).sum(axis=1)
    if rope:
        gammas = rng.standard_gamma(b + np.stack([better, n - better - worse, worse], axis=-1))
        return np.asarray(gammas / gammas.sum(axis=-1, keepdims=True)), advantage
    # A mean difference of exactly 0 favours either alike.
    better = better + rng.binomial(n - better - worse, 0.5)
    r = rng.beta(b + better, b + n - better)
    return np.stack([r, 1.0 - r], axis=-1), advantage


def sampled_answer(method: CorrelatedT, results: Results, sampling: Sampling) -> Answer:
    """Answer from NUTS, with its Monte Carlo standard error."""
    each, model = method.each(results), build_correlated_t_evidence(method, results)
    check_prior_support(method.priors or {}, method.parameters, model)
    tree = finish_correlated_t(
        method, results, nuts.sample_nuts_as_asked(sampling, model), sampling.rng
    )
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
    leads = sole_leader(theta).astype(np.float64)
    # Given the shares every dataset is known exactly.
    within = theta[..., None, :] * each.evidence
    given_all = (within / within.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
    low, high = np.quantile(theta, (0.025, 0.975), axis=(0, 1))
    mean = theta.mean(axis=(0, 1))
    rate = RateScalars(
        rate_mean=float(mean[0]),
        rate_sd=None if each.rope else float(theta[..., 0].std()),
        rate_lower=float(low[0]),
        rate_upper=float(high[0]),
    )
    return method.finished(
        results,
        each,
        given_all,
        probability=leads.mean(axis=(0, 1)),
        mcse=nuts.nuts_monte_carlo_error(leads),
        none_leads=1.0 - float(leads.any(axis=-1).mean()),
        per_statement=theta_columns(mean, low, high) if each.rope else rate.both,
        scalars=rate,
        tree=tree,
        seed=sampling.seed,
    )


# what each dataset is, given the shares -----------------------------------------------------------


def finish_correlated_t(
    method: CorrelatedT, results: Results, tree: xr.DataTree, rng: np.random.Generator
) -> xr.DataTree:
    """Draw every mean, spread and new replicate back, exactly given the shares.

    A tree of the textbook's form has means and spreads already.
    """
    import xarray as xr

    each = method.each(results)
    posterior = tree["posterior"].to_dataset().assign_coords(dataset=list(results.datasets))
    theta = posterior["theta"].transpose(*_SAMPLE, "statement").values
    if ADVANTAGE not in posterior:
        advantage = _correlated_t_test_means_given(theta.reshape(-1, theta.shape[-1]), each, rng)
        posterior[ADVANTAGE] = ((*_SAMPLE, "dataset"), advantage.reshape(*theta.shape[:2], -1))
    means = posterior[ADVANTAGE].transpose(*_SAMPLE, "dataset").values
    if SIGMA not in posterior:
        sigma = draw_correlated_t_spreads(means, each.dof, each.location, each.scale, each.rho, rng)
        posterior[SIGMA] = ((*_SAMPLE, "dataset"), sigma)
    tree["posterior"] = xr.DataTree(posterior)
    _predict_correlated_t_test(tree, results, each, rng)
    tree["observed_data"] = xr.DataTree(_correlated_t_test_observed(results, each))
    # Of a flat prior there is no density to scale by a power.
    log_prior = tree["log_prior"].to_dataset()
    log_prior = log_prior.drop_vars([ADVANTAGE, SIGMA], errors="ignore")
    tree["log_prior"] = xr.DataTree(log_prior)
    tree = with_learned_log_prior(method, tree)
    facts = {
        "mean_difference": each.location,
        "scale": each.scale,
        "replicates": each.count,
        "rho": each.rho,
    }
    tree = shrink_predictions(log_prior_of_shares(tree))
    return add_constants(tree, facts, results.datasets)


def _correlated_t_test_means_given(
    theta: FloatArray, each: Replicates, rng: np.random.Generator
) -> FloatArray:
    """Draw the statement of every dataset given the shares, and its mean advantage within that."""
    statement = draw_statements(each.evidence, theta, rng)
    # Statements begin with the first better, regions with the left.
    region = 2 - statement if each.rope else 2 * (1 - statement)
    return draw_correlated_t_within(each.dof, each.location, each.scale, region, each.rope, rng)


def _predict_correlated_t_test(
    tree: xr.DataTree, results: Results, each: Replicates, rng: np.random.Generator
) -> None:
    """Add replicates again on the same datasets, and statements on new ones, where not there."""
    import xarray as xr

    posterior = tree["posterior"].to_dataset()
    key = "posterior_predictive"
    predicted = tree[key].to_dataset() if key in tree else xr.Dataset()
    if OUTCOME not in predicted:
        theta = posterior["theta"].transpose(*_SAMPLE, "statement")
        drawn = statement_each(theta.values, len(results.datasets), rng)
        dims = (*_SAMPLE, "dataset", "statement")
        predicted = predicted.assign(
            {
                OUTCOME: xr.DataArray(
                    drawn,
                    {**theta.coords, "dataset": _correlated_t_test_dataset_names(results)},
                    dims,
                )
            }
        )
    if DIFFERENCE not in predicted:
        means, spreads = (
            posterior[name].transpose(*_SAMPLE, "dataset").values for name in (ADVANTAGE, SIGMA)
        )
        again = draw_correlated_t_differences(means, spreads, each.rho, len(each.names), rng)
        # Half the memory: a hundred replicates of each dataset are many.
        predicted[DIFFERENCE] = ((*_SAMPLE, "dataset", "replicate"), again.astype(np.float32))
    predicted = predicted.assign_coords(
        replicate=list(each.names), dataset=_correlated_t_test_dataset_names(results)
    )
    present = xr.DataArray(each.present, dims=("dataset", "replicate"))
    predicted[DIFFERENCE] = predicted[DIFFERENCE].where(present)
    tree[key] = xr.DataTree(predicted[[OUTCOME, DIFFERENCE]])


def _correlated_t_test_observed(results: Results, each: Replicates) -> xr.Dataset:
    """What was seen: the differences, and what they say for every statement."""
    import xarray as xr

    return xr.Dataset(
        {
            OUTCOME: (("dataset", "statement"), each.evidence),
            DIFFERENCE: (("dataset", "replicate"), each.differences),
        },
        {
            "dataset": _correlated_t_test_dataset_names(results),
            "statement": list(each.labels),
            "replicate": list(each.names),
        },
        attrs={"sample_dims": []},
    )


def _correlated_t_test_dataset_names(results: Results) -> list[str]:
    return list(results.datasets)
