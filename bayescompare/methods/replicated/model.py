r"""The test from replicates in PyMC, and its answer under priors that only NUTS can take.

.. math:: \theta \sim \mathrm{Dirichlet}(\alpha), \quad t \sim \mathrm{Uniform}, \quad
          z_i \sim \mathrm{Categorical}(\theta), \quad
          p(\text{replicates}_i \mid z_i, t) = \ell_{ti}(z_i) .

For NUTS every z is summed out, :math:`\sum_s \theta_s\, \ell_{ti}(s)`, and so it is where datasets
have weights, for a sum has powers and one statement has none.

What the model calls known is known in its simulations too: the correlation of the noise, the
degrees of freedom of the deviations that means are divided by, and the typical size of the effects.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import logsumexp

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.leading import sole_leader
from bayescompare.kernels.numerics.gammas import parted
from bayescompare.kernels.replicated.domains import DomainCounts, uncertain_domain_counts
from bayescompare.methods._shared.domains import (
    DomainDetails,
    DomainSample,
    GroupedMethod,
    GroupedPosterior,
    domain_codes,
    domain_details,
    domain_words,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import check_prior_support, place_prior
from bayescompare.methods._shared.simplex import pick, pick_by_weight
from bayescompare.methods._shared.trees import (
    drawn_parts,
    drawn_questions,
    drawn_theta_summary,
    finish_tree,
    marginal_dims,
    statement_coords,
)
from bayescompare.methods.replicated import Replicated
from bayescompare.methods.replicated.comparison import (
    ReplicatedDetails,
    SeenDatasets,
    assumption_words,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.method import Form, Sampling
from bayescompare.outcome.posterior import Posterior
from bayescompare.statements import OUTCOME
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.methods.replicated import Replicated

#: The scale of effects, its number among the values it may have, and what picks it for NUTS.
SCALE, INDEX, UNIFORM = "scale", "scale_index", "latent_scale"
#: The statement of each dataset.
STATEMENT = "z"
#: No smaller likelihood of a statement, against the most probable one, has a logarithm.
_TINY = 1e-304
#: Draws over which each dataset's statements are averaged in domains.
_AVERAGED = 500


def build(method: Replicated, results: Results, form: Form) -> pm.Model:
    """Build the model: θ, every z, the scale of effects if it is learned, and the evidence."""
    import pymc as pm
    import pytensor.tensor as pt

    listing, priors = method.listing(results), method.nonconjugate_priors
    table = method.table_evidence(results)
    evidence = method.evidence_of(table, results)
    with pm.Model(coords=statement_coords(results, listing)) as model:
        seen = SeenRows.place(evidence, table.evidence.scales)
        if "theta" in priors:
            logs = pt.log(place_prior("theta", priors["theta"], ("statement",)))
        else:
            # Latents centre on what each dataset says by itself.
            expected = replace(listing, counts=evidence.leanings(_even(evidence)))
            logs = method.place_theta(form, expected, len(results.datasets), seen.log_likelihood)
        marginal = (model["theta"] * np.moveaxis(listing.wins, 0, -1)).sum(axis=-1)
        pm.Deterministic("marginal", marginal, dims=marginal_dims(results))
        if form == "textbook" and evidence.powers is None:
            z = pm.Categorical(STATEMENT, model["theta"], dims="dataset")
            logs = pt.log(pt.eq(z[:, None], np.arange(len(listing.labels))))
        seen.observe(logs, form)
    return model


class SeenRows(NamedTuple):
    """What each dataset says, as data of a model: ``pm.set_data`` puts other datasets there.

    Attributes
    ----------
    rows : tensor (n, K) or (n, R, K)
        ℓ over its largest value on the dataset, at each of R scales of effects where there are
        several.
    level : tensor (n,)
        The logarithm of that value.
    scales : array (R,)
    powers : array (n,), optional
        The weights of the datasets.
    """

    rows: Any
    level: Any
    scales: FloatArray
    powers: FloatArray | None

    @classmethod
    def place(cls, evidence: Evidence, scales: FloatArray) -> SeenRows:
        """Add the data to the model in context."""
        import pymc as pm

        model, level = pm.modelcontext(None), evidence.rows.max(axis=(0, 2))
        rows = np.exp(evidence.rows - level[:, None])
        if len(rows) > 1:
            model.add_coord("effect_scale", scales)
        dims: tuple[str, ...] = ("dataset", "effect_scale", "statement")
        values = np.moveaxis(rows, 0, 1)
        if len(rows) == 1:
            dims, values = ("dataset", "statement"), rows[0]
        placed = pm.Data("rows", values, dims=dims), pm.Data("level", level, dims="dataset")
        return cls(*placed, scales, evidence.powers)

    def log_likelihood(self, logs: Any) -> Any:
        """Log likelihood of all datasets, the scale summed out: log θ (A, K) to (A,)."""
        import pymc as pm

        whole = pm.math.logsumexp(self._at_scales(logs), axis=1, keepdims=False)
        return whole - math.log(len(self.scales))

    def _at_scales(self, logs: Any) -> Any:
        """Log likelihood of all datasets for each log θ and each scale: (A, K) to (A, R)."""
        import pymc as pm
        import pytensor.tensor as pt

        rows = self.rows if self.rows.ndim == 3 else self.rows[:, None]
        log_rows = pt.log(pt.maximum(rows, _TINY))
        each = pm.math.logsumexp(logs[:, None, None, :] + log_rows, axis=-1, keepdims=False)
        each = each + self.level[:, None]
        return (each if self.powers is None else self.powers[:, None] * each).sum(axis=1)

    def observe(self, logs: Any, form: Form) -> None:
        """Add the scale of effects if it is learned, and the likelihood: log Σ_s θ_s ℓ_i(s).

        `logs` is log θ, (K,) or one for each dataset (n, K). NUTS moves no discrete variable: in
        its form the scale is summed out, and then picked. A new dataset is one statement.
        """
        import pymc as pm
        import pytensor.tensor as pt

        number, index = len(self.scales), pt.as_tensor_variable(0)
        if number > 1:
            if form == "textbook":
                index = pm.Categorical(INDEX, np.full(number, 1.0 / number))
            else:
                each = self._at_scales(logs[None])[0]
                index = pick_by_weight(UNIFORM, each)
                pm.Potential("summed_scale", self.log_likelihood(logs[None])[0] - each[index])
            pm.Deterministic(SCALE, pick(self.scales, index))

        def logp(value: Any, log_p: Any, index: Any, level: Any, power: Any) -> Any:
            at = pt.clip(index, 0, number - 1)
            row = value if number == 1 else value[..., at, :]
            log_row = pt.log(pt.maximum(row, _TINY))
            return power * (level + pm.math.logsumexp(log_p + log_row, axis=-1, keepdims=False))

        def dist(log_p: Any, index: Any, level: Any, power: Any, size: Any) -> Any:
            shares = pt.exp(log_p) + 0.0 * (index + level + power)[..., None]
            drawn = pm.Multinomial.dist(1, shares, size=size).astype("float64")
            return drawn if number == 1 else pt.repeat(drawn[..., None, :], number, axis=-2)

        pm.CustomDist(
            OUTCOME,
            logs,
            index,
            self.level,
            np.float64(1.0) if self.powers is None else self.powers,
            logp=logp,
            dist=dist,
            observed=self.rows,
            dims=("dataset", *(["effect_scale"] if number > 1 else []), "statement"),
            signature="(s),(),(),()->(s)" if number == 1 else "(s),(),(),()->(r,s)",
            class_name="UncertainStatement",
        )


def _even(evidence: Evidence) -> FloatArray:
    """The prior weights of the scales."""
    return np.full(len(evidence.rows), 1.0 / len(evidence.rows))


def finish_replicated_tree(
    tree: xr.DataTree, method: Replicated, results: Results, rng: np.random.Generator
) -> xr.DataTree:
    """Bring a tree into the shape that `draws` gives."""
    import xarray as xr

    evidence, listing = method.evidence(results), method.listing(results)
    for group in list(tree.children):
        data = tree[group].to_dataset().drop_vars(UNIFORM, errors="ignore")
        if "effect_scale" in data.dims:
            # A new dataset is one statement at every scale.
            data = data.isel(effect_scale=0, drop=True)
        if group == "observed_data":
            data[OUTCOME] = ("dataset", "statement"), evidence.each_alone(_even(evidence))
        tree[group] = xr.DataTree(data)
    return with_statements(finish_tree(tree, results, listing, rng), method, results, rng)


def with_statements(
    tree: xr.DataTree, method: Replicated, results: Results, rng: np.random.Generator
) -> xr.DataTree:
    """Draw the statement of every dataset, which are independent given θ and the scale."""
    import xarray as xr

    table = method.table_evidence(results)
    evidence, scales = method.evidence_of(table, results), table.evidence.scales
    if evidence.powers is not None:
        return tree
    rows = parted(evidence.rows)[0]
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        theta = data["theta"].transpose("chain", "draw", "statement").values
        version = np.zeros(theta.shape[:2], dtype=np.int64)
        if len(scales) > 1:
            version = np.abs(data[SCALE].values[..., None] - scales).argmin(axis=-1)
            data[INDEX] = ("chain", "draw"), version
        if STATEMENT not in data:
            z = np.empty((*version.shape, rows.shape[1]), dtype=np.int64)
            for i, own in enumerate(rows.swapaxes(0, 1)):
                edges = np.cumsum(theta * own[version] if group == "posterior" else theta, axis=-1)
                at = rng.random(version.shape) * edges[..., -1]
                z[..., i] = (at[..., None] >= edges[..., :-1]).sum(axis=-1)
            data[STATEMENT] = ("chain", "draw", "dataset"), z
            data = data.assign_coords(dataset=list(results.datasets))
        tree[group] = xr.DataTree(data)
    return tree


def sampled_answer(method: Replicated, results: Results, sampling: Sampling) -> Answer:
    """Answer from NUTS under a prior of the user's, with its Monte Carlo standard error."""
    model = method.model(results)
    check_prior_support(method.nonconjugate_priors, method.parameters, model)
    tree = nuts.sample(sampling, method.model(results, "nuts"), through=model)
    statements, _ = method.cells(results)
    tree = finish_replicated_tree(tree, method, results, sampling.rng)
    theta = tree["posterior"].to_dataset()["theta"].transpose("chain", "draw", "statement")
    each = sole_leader(theta.values).astype(np.float64)
    table = method.table_evidence(results)
    version = _share_of_scales(tree, table.evidence.scales)
    alone = method.evidence_of(table, results).each_alone(version)
    given = _given_theta(theta.values, alone)
    answer = Answer.over(
        statements,
        probability=each.mean(axis=(0, 1)),
        mcse=nuts.nuts_monte_carlo_error(each),
        none_leads=1.0 - float(each.any(axis=-1).mean()),
        per_statement=drawn_theta_summary(theta, statements),
        parts=drawn_parts(theta, statements),
        tree=tree,
        seed=sampling.seed,
        facts=ReplicatedDetails.of_table(results, table, alone, given, version, how="nuts"),
    )
    return replace(answer, facts=answer.facts.told(drawn_questions(theta, statements, answer)))


def _share_of_scales(tree: xr.DataTree, scales: FloatArray) -> FloatArray:
    """Share of the draws at each scale."""
    if len(scales) == 1:
        return np.ones(1)
    drawn = tree["posterior"].to_dataset()[SCALE].values.ravel()
    share = np.array([(np.isclose(drawn, scale)).mean() for scale in scales])
    return np.asarray(share / share.sum())


def _given_theta(theta: FloatArray, evidence: FloatArray) -> FloatArray:
    """P(z_i = s | all), averaged over draws of θ."""
    flat = theta.reshape(-1, theta.shape[-1])
    # p(dataset i | θ) of each draw, (draws, n), is what its weights sum to.
    return np.asarray(evidence * (flat.T @ (1.0 / (flat @ evidence.T)) / len(flat)).T)


@dataclass(frozen=True, kw_only=True)
class GroupedReplicatedDetails(DomainDetails, ReplicatedDetails):
    """What is known of each dataset, and of each domain."""


class GroupedReplicatedPosterior(GroupedPosterior, SeenDatasets):
    """What is known of the domains and of every dataset."""

    facts_type: ClassVar[type[Facts]] = GroupedReplicatedDetails

    tables = SeenDatasets.tables


@dataclass(frozen=True, kw_only=True)
class GroupedReplicated(GroupedMethod, Replicated):
    """`Replicated` of a table whose datasets come from several domains."""

    posterior_type: ClassVar[type[Posterior]] = GroupedReplicatedPosterior

    def counts(self, results: Results) -> DomainCounts:
        """Return the count vectors of every domain, and how well each fits."""
        logs = self.table_evidence(results).evidence.log
        counts = uncertain_domain_counts(logs, domain_codes(results)[1])
        if counts is None:
            raise BayescompareError(
                "group=: a domain has too many datasets or statements to sum over what each may "
                "show; choose fewer measures by measures=[...], or make the table without group=."
            )
        return counts

    def log_likelihood(self, results: Results, logs: FloatArray, version: IntArray) -> FloatArray:
        """log Σ_s θ_s ℓ_i(s), at the scale of effects of each draw."""
        rows = self.table_evidence(results).evidence.log
        return np.asarray(logsumexp(logs + rows[version], axis=-1))

    def observe_domains(self, results: Results, logs: Any) -> None:
        """Add the evidence of every dataset to the model."""
        scales = self.table_evidence(results).evidence.scales
        SeenRows.place(self.evidence(results), scales).observe(logs, "textbook")

    def sample_listing(self, results: Results) -> LumpedStatements:
        """Return the statements; of every dataset the tree shows its evidence."""
        evidence = self.evidence(results)
        versions = len(evidence.rows)
        shown = evidence.each_alone(np.full(versions, 1.0 / versions))
        return replace(self.listing(results), weights=shown)

    def sample_details(self, results: Results, sample: DomainSample) -> GroupedReplicatedDetails:
        """Return what is known of each dataset and of each domain."""
        table = self.table_evidence(results)
        versions = len(table.evidence.log)
        version = np.bincount(sample.version.ravel(), minlength=versions) / sample.version.size
        evidence = self.evidence_of(table, results).each_alone(version)
        _, codes = domain_codes(results)
        theta = sample.theta.reshape(-1, *sample.theta.shape[2:])[:, codes]
        some = theta[:: max(1, len(theta) // _AVERAGED)] * evidence
        after = (some / some.sum(axis=-1, keepdims=True)).mean(axis=0)
        own = ReplicatedDetails.of_table(results, table, evidence, after, version, how="nuts")
        known = {f.name: getattr(own, f.name) for f in fields(own)}
        return GroupedReplicatedDetails(**known, **domain_details(results, sample))

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict on the average domain, on the old ones, and on a new one."""
        results, answer, decision = found
        return [
            *domain_words(results, answer, decision),
            *assumption_words(self, results, ReplicatedDetails.of(answer)),
        ]


def grouped_replicated(method: Replicated, results: Results) -> GroupedReplicated:
    """Return the test with the same prior for a table with domains."""
    if method.prior == "learned" or method.priors or not method.joint:
        raise BayescompareError(
            "group=: the prior of the average domain is 'symmetric', 'jeffreys', 'uniform', a "
            "number or a mapping; prior='learned', priors= and joint=False are for tables without "
            "group=."
        )
    if results.weights is not None:
        raise BayescompareError(
            "group= and weight= together are for method='dirichlet' only: make the table with one "
            "of them."
        )
    options = {f.name: getattr(method, f.name) for f in fields(method) if f.init}
    return GroupedReplicated(**options)
