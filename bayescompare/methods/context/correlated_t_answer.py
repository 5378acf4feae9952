"""Answers of the correlated t-test: two outcomes or three, cut or joint, exactly or from NUTS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import theta_columns
from bayescompare.comparison.method import BetaMixture, Sampling
from bayescompare.kernels.context.poisson_binomial import (
    context,
    poisson_binomial_interval,
    poisson_binomial_masses,
)
from bayescompare.kernels.context.poisson_binomial_joint import joint, poisson_binomial_counts
from bayescompare.kernels.context.poisson_multinomial import (
    context_regions,
    context_regions_by_draws,
)
from bayescompare.kernels.context.poisson_multinomial_joint import (
    poisson_multinomial_joint_regions,
    poisson_multinomial_margins,
)
from bayescompare.kernels.context.rate_quadrature import rate_posterior
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.pair_answer import pair_answer, shared_pair_leanings
from bayescompare.methods._shared.priors import check_shared_prior_support
from bayescompare.methods.context.correlated_t_model import build_correlated_t_evidence
from bayescompare.methods.context.correlated_t_posterior import finish_correlated_t
from bayescompare.methods.context.details import CorrelatedTDetails, OfReplicates
from bayescompare.methods.context.learned_rate import learned_rate
from bayescompare.methods.context.poisson_binomial import poisson_binomial_cut_rate
from bayescompare.methods.context.replicates import Replicates
from bayescompare.methods.context.scalars import (
    RateScalars,
    context_betas_of_both,
    context_rate_betas,
    rate_scalars,
)
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.methods.context.correlated_t import CorrelatedT

__all__ = [
    "MOST_EXACT",
    "correlated_t_share_betas",
    "correlated_t_three_outcomes",
    "correlated_t_two_outcomes",
    "sampled_answer",
]

#: Datasets up to which three regions are summed exactly; O(N³).
MOST_EXACT = 1000
_DRAWS = 20_000


def correlated_t_two_outcomes(method: CorrelatedT, results: Results, each: Replicates) -> Answer:
    """P(r > ½) and P(r < ½), without a rope."""
    second, _, first = each.regions.T
    alone: dict[str, FloatArray] = {}
    mixture = method.mixture(first)
    if mixture is not None:
        both, figures, alone = learned_rate(mixture)
        better = mixture.joint.wins
    elif method.rate_prior is not None:
        custom = rate_posterior(first, method.rate_prior)
        found = custom.joint
        figures = rate_scalars(found.mean, found.sd, *custom.interval())
        both, better = [found.first, found.second], found.wins
    elif method.joint:
        posterior = joint(first, method.weight)
        low, high = poisson_binomial_interval(
            poisson_binomial_counts(first, method.weight)[0], method.weight
        )
        figures = rate_scalars(posterior.mean, posterior.sd, low, high)
        both, better = [posterior.first, posterior.second], posterior.wins
    else:
        both, better = [context(first, method.weight), context(second, method.weight)], first
        figures = poisson_binomial_cut_rate(poisson_binomial_masses(first), method.weight)
    columns = {"alone": first} if method.joint else {}
    return pair_answer(
        results,
        shared_pair_leanings(first),
        probability=np.array(both),
        scalars=figures,
        per_statement={**alone, **figures.both},
        details=_correlated_t_answer_details(each, {**columns, "probability": better}),
    )


def correlated_t_three_outcomes(
    method: CorrelatedT, results: Results, each: Replicates, sampling: Sampling
) -> Answer:
    """P(each region is the most frequent), with a rope; joint up to `MOST_EXACT` datasets."""
    triples, b, mcse = each.regions, method.weight, None
    if method.joint:
        posterior = poisson_multinomial_joint_regions(triples, b)
        probability, mean, after = posterior.probability, posterior.mean, posterior.each
        margins = poisson_multinomial_margins(posterior.counts)
    else:
        mean, after = (b + triples.sum(axis=0)) / (3.0 * b + len(triples)), triples
        # One region's count is Poisson-binomial.
        margins = np.stack([poisson_binomial_masses(p) for p in triples.T])
        if len(triples) <= MOST_EXACT:
            probability = context_regions(triples, (b, b, b))
        else:
            probability, mcse = context_regions_by_draws(triples, _DRAWS, sampling.rng, (b, b, b))
    # One share of a Dirichlet is a Beta.
    low, high = np.array([poisson_binomial_interval(counts, b, 2.0 * b) for counts in margins]).T
    # Left, rope and right are the second better, equivalent, the first better.
    return _correlated_t_answer_with_rope(
        method,
        results,
        each,
        after,
        (mean[::-1], low[::-1], high[::-1]),
        probability=probability[::-1],
        mcse=None if mcse is None else mcse[::-1],
        seed=None if mcse is None else sampling.seed,
    )


def correlated_t_share_betas(method: CorrelatedT, each: Replicates) -> list[BetaMixture] | None:
    """The mixture of Betas of every statement's share; None where the prior leaves none."""
    b = method.weight
    if not each.rope:
        first = each.regions[:, 2]
        if method.rate_prior is not None or method.mixture(first) is not None:
            return None
        return context_betas_of_both(
            poisson_binomial_counts(first, b)[0]
            if method.joint
            else poisson_binomial_masses(first),
            b,
        )
    if len(each.regions) > MOST_EXACT and method.joint:
        return None
    margins = (
        poisson_multinomial_margins(poisson_multinomial_joint_regions(each.regions, b).counts)
        if method.joint
        else [poisson_binomial_masses(p) for p in each.regions.T]
    )
    return [context_rate_betas(counts, b, 2.0 * b) for counts in margins[::-1]]


def _correlated_t_answer_with_rope(
    method: CorrelatedT,
    results: Results,
    each: Replicates,
    after: FloatArray,
    shares: tuple[FloatArray, FloatArray, FloatArray],
    **more: Any,
) -> Answer:
    """Put figures about three statements, and about every dataset's regions, into an answer."""
    triples, (mean, low, high) = each.regions, shares
    largest = triples == triples.max(axis=1, keepdims=True)
    support = (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
    columns = dict(zip(("second_better", "equivalent", "probability"), after.T, strict=True))
    if method.joint:
        columns["alone"] = triples[:, 2]
    return pair_answer(
        results,
        support[::-1],
        per_statement=theta_columns(mean, low, high),
        scalars=RateScalars(
            rate_mean=float(mean[0]), rate_lower=float(low[0]), rate_upper=float(high[0])
        ),
        details=_correlated_t_answer_details(each, columns),
        **more,
    )


def sampled_answer(method: CorrelatedT, results: Results, sampling: Sampling) -> Answer:
    """Answer from NUTS, with its Monte Carlo standard error."""
    each, model = method.each(results), build_correlated_t_evidence(method, results)
    check_shared_prior_support(method.priors or {}, method.parameters, model)
    tree = finish_correlated_t(
        method, results, nuts.sample_nuts_as_asked(sampling, model), sampling.rng
    )
    theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
    leads = sole_leader(theta).astype(np.float64)
    figures: dict[str, Any] = {
        "probability": leads.mean(axis=(0, 1)),
        "mcse": nuts.nuts_monte_carlo_error(leads),
        "none_leads": 1.0 - float(leads.any(axis=-1).mean()),
        "tree": tree,
        "seed": sampling.seed,
    }
    # Given the shares every dataset is known exactly.
    within = theta[..., None, :] * each.evidence
    after = (within / within.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
    low, high = np.quantile(theta, (0.025, 0.975), axis=(0, 1))
    mean = theta.mean(axis=(0, 1))
    if each.rope:
        return _correlated_t_answer_with_rope(
            method, results, each, after[:, ::-1], (mean, low, high), **figures
        )
    scalars = rate_scalars(mean[0], theta[..., 0].std(), low[0], high[0])
    first = each.regions[:, 2]
    return pair_answer(
        results,
        shared_pair_leanings(first),
        scalars=scalars,
        per_statement=scalars.both,
        details=_correlated_t_answer_details(each, {"alone": first, "probability": after[:, 0]}),
        **figures,
    )


def _correlated_t_answer_details(
    each: Replicates, columns: dict[str, FloatArray]
) -> CorrelatedTDetails:
    table = OfReplicates.from_arrays(
        advantage=each.location,
        scale=each.scale,
        replicates=each.count,
        rho=each.rho,
        **columns,
    )
    return CorrelatedTDetails(table)
