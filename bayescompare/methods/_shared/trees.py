"""DataTrees of one shape, whether the draws are conjugate or NUTS's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare._version import __version__
from bayescompare.kernels.dirichlet.draws import (
    dirichlet_log_theta,
    draw_dirichlet_latents,
    draw_log_theta,
    draw_urn_cells,
)
from bayescompare.kernels.leading import parts_of_draws
from bayescompare.kernels.numerics.gammas import parted
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import LATENTS, SCALE, SCALE_INDEX
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import PROBABILITY, Answer, FourQuestions, theta_columns
from bayescompare.outcome.decision import decide
from bayescompare.posterior.partition import Partition
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.learned import LearnedPrior
    from bayescompare.posterior.dirichlet import DirichletMixture


#: The statement of each dataset.
STATEMENT = "z"
#: θ below this is this: its logarithm enters a density.
_LEAST = 1e-300


def statement_coords(results: Results, listing: LumpedStatements) -> dict[str, list[str]]:
    """Coords of every statement model; `algorithm` only where a variable has it."""
    coords = {
        "statement": list(listing.labels),
        "dataset": list(results.datasets),
        "measure": list(results.measures),
    }
    if len(results.algorithms) > 2:
        coords["algorithm"] = list(results.algorithms)
    return coords


def posterior_tree(
    results: Results,
    listing: LumpedStatements,
    posterior: DirichletMixture,
    learned: LearnedPrior | None,
    size: tuple[int, int],
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw exactly from prior and posterior, with the latents' log prior as NUTS has it.

    A component and a count vector are drawn first, (chains, draws) of them; given both, θ is a
    Dirichlet over the cells listed, or over classes of them. Given the vector a version of the
    evidence is drawn.
    """
    before = 1, size[1]
    component, vector = posterior.draw_place(size, rng)
    first = np.zeros(before, dtype=np.int64)
    if learned is not None:
        first = rng.choice(len(learned.weights), size=before, p=np.array(learned.weights))
    counts = listing.counts if listing.evidence is None else posterior.counts[vector]
    variables, latents = draw_given_component(listing.log_alpha, learned, component, counts, rng)
    ahead, _ = draw_given_component(
        listing.log_alpha, learned, first, np.zeros_like(listing.counts), rng
    )
    logs, n, scales = variables.pop("log_theta"), len(results.datasets), listing.scales
    del ahead["log_theta"]
    version = posterior.draw_version(vector, rng)
    likelihood = listing.log_likelihood(logs, version)
    if scales is not None and len(scales) > 1:
        variables[SCALE], ahead[SCALE] = scales[version], rng.choice(scales, size=before)
    groups = {
        "posterior": variables,
        "prior": ahead,
        "posterior_predictive": {OUTCOME: one_each(variables["theta"], n, rng)},
        "prior_predictive": {OUTCOME: one_each(ahead["theta"], n, rng)},
        "log_likelihood": {OUTCOME: likelihood},
        "log_prior": latents,
        "observed_data": {OUTCOME: listing.shown.place},
    }
    dims = {
        **dict.fromkeys(("h", "same", SCALE), ()),
        OUTCOME: ("dataset",),
        **dict.fromkeys(("theta", "f", *(f"{prefix}theta" for prefix in LATENTS)), ("statement",)),
    }
    tree = make_tree(groups, dims, statement_coords(results, listing))
    return finish_tree(tree, results, listing, rng, learned)


def draw_given_component(
    log_alpha: FloatArray,
    learned: LearnedPrior | None,
    component: IntArray,
    counts: FloatArray,
    rng: np.random.Generator,
) -> tuple[dict[str, AnyArray], dict[str, FloatArray]]:
    """Draw θ given components and counts; also the log prior of its latents.

    Where two algorithms are the same, θ is the mean of f over a statement and its reverse: only the
    sum of the two is known better after the data; how it is shared is as before.
    """
    size = component.shape
    if learned is None:
        after = draw_dirichlet_latents(log_alpha, counts, size, rng)
        logs = dirichlet_log_theta(log_alpha, *after)
        log_prior = latent_log_prior("theta", np.exp(log_alpha), *after)
        return {"theta": np.exp(logs), "log_theta": logs}, log_prior
    same, h = np.divmod(component, len(learned.values))
    own = log_alpha + np.log(np.array(learned.values)[h])[..., None]
    folded = (same > 0)[..., None]
    counts = np.broadcast_to(counts, (*size, len(log_alpha)))
    # Two draws where they are the same: what is known of the sums, and how these are shared.
    shares = draw_log_theta(own, np.where(folded, 0.0, counts), size, rng)
    variables: dict[str, AnyArray] = {"h": h}
    logs = shares
    if learned.folds:
        mirrored = Partition.mirrored(len(log_alpha))
        classes, number = mirrored.of, mirrored.size
        total, alpha = (mirrored.total(v.reshape(-1, len(classes))) for v in (counts, np.exp(own)))
        shape = (*size, len(number))
        sums = draw_log_theta(np.log(alpha.reshape(shape)), total.reshape(shape), size, rng)
        both = np.logaddexp(shares, shares[..., ::-1])
        both = np.where(number[classes] == 2, both, shares)
        logs = np.where(folded, sums[..., classes] - np.log(number[classes]), shares)
        f = np.where(folded, sums[..., classes] + shares - both, shares)
        variables |= {"same": same, "f": np.exp(f)}
    variables |= {"theta": np.exp(logs), "log_theta": logs}
    # The log prior of a mixture is worked out from θ itself.
    return variables, {f"{LATENTS[0]}theta": np.zeros_like(logs)}


def finish_tree(
    tree: xr.DataTree,
    results: Results,
    listing: LumpedStatements,
    rng: np.random.Generator,
    learned: LearnedPrior | None = None,
) -> xr.DataTree:
    """Drop the sampler's latents, add what follows from the draws, and what made the tree."""
    import xarray as xr

    for group in ("posterior", "prior"):
        data = without_latents(tree[group].to_dataset())
        if "theta" not in data and "same" in data:
            f = data["f"].transpose(..., "statement")
            even = f.copy(data=(f.values + f.values[..., ::-1]) / 2.0)
            data["theta"] = even.where(data["same"] == 1, f).transpose(*f.dims)
        if "marginal" not in data and "theta" in data:
            theta = data["theta"].transpose("chain", "draw", "statement").values
            dims = ("chain", "draw", *marginal_dims(results))
            strength = data["strength"].values if "strength" in data else None
            if learned is not None:
                strength = np.array(learned.values)[data["h"].values.astype(np.int64)]
            marginal = listing.marginal(theta, rng, prior=group == "prior", strength=strength)
            data["marginal"] = (dims, marginal)
            data = data.assign_coords({d: statement_coords(results, listing)[d] for d in dims[2:]})
        tree[group] = xr.DataTree(data)
    tree = sign_tree(ratio_prior(numbered(tree, listing), ["theta"]), listing)
    tree = tree if learned is None else with_log_prior(tree, listing, learned)
    return with_statements(tree, results, listing, rng)


def with_statements(
    tree: xr.DataTree, results: Results, listing: LumpedStatements, rng: np.random.Generator
) -> xr.DataTree:
    """Draw the statement of every dataset of replicates, independent given θ and the scale."""
    import xarray as xr

    evidence, scales = listing.evidence, listing.scales
    if evidence is None or scales is None or evidence.powers is not None:
        return tree
    rows = parted(evidence.rows)[0]
    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        theta = data["theta"].transpose("chain", "draw", "statement").values
        version = np.zeros(theta.shape[:2], dtype=np.int64)
        if len(scales) > 1:
            version = np.abs(data[SCALE].values[..., None] - scales).argmin(axis=-1)
            data[SCALE_INDEX] = ("chain", "draw"), version
        if STATEMENT not in data:
            z = np.empty((*version.shape, rows.shape[1]), dtype=np.int64)
            for i, own in enumerate(rows.swapaxes(0, 1)):
                weight = theta * own[version] if group == "posterior" else theta
                z[..., i] = one_each(weight, 1, rng)[..., 0]
            data[STATEMENT] = ("chain", "draw", "dataset"), z
            data = data.assign_coords(dataset=list(results.datasets))
        tree[group] = xr.DataTree(data)
    return tree


def without_latents(data: xr.Dataset) -> xr.Dataset:
    """What a tree shows of a group: all but the sampler's latents."""
    return data.drop_vars([v for v in data.data_vars if str(v).startswith("latent_")])


def shrink_predictions(tree: xr.DataTree) -> xr.DataTree:
    """Store predictions small: one statement out of many is a byte each, not eight."""
    import xarray as xr

    for group in ("posterior_predictive", "prior_predictive"):
        if group in tree and OUTCOME in tree[group]:
            data = tree[group].to_dataset()
            tree[group] = xr.DataTree(data.assign({OUTCOME: data[OUTCOME].astype(np.int8)}))
    return tree


def numbered(tree: xr.DataTree, listing: LumpedStatements) -> xr.DataTree:
    """Give each dataset the place of its statement, where the tree has a vector over them."""
    import xarray as xr

    for group in ("observed_data", "posterior_predictive", "prior_predictive"):
        if group in tree and OUTCOME in tree[group]:
            data = tree[group].to_dataset()
            outcome = data[OUTCOME]
            if "statement" in outcome.dims:
                outcome = outcome.argmax("statement")
                if group == "observed_data":
                    outcome = outcome.copy(data=listing.shown.place)
            kind = np.int64 if group == "observed_data" else np.int16
            data = data.drop_dims("statement", errors="ignore").assign(
                {OUTCOME: outcome.astype(kind)}
            )
            tree[group] = xr.DataTree(data)
    return tree


def sign_tree(tree: xr.DataTree, listing: LumpedStatements) -> xr.DataTree:
    """Add the counts, what a dataset may show beside a statement, and what made the tree."""
    import xarray as xr

    facts: dict[str, Any] = {"count": (("statement",), listing.counts)}
    seen = tree["observed_data"].to_dataset() if "observed_data" in tree else {}
    indexed = OUTCOME in seen and seen[OUTCOME].dims == ("dataset",)
    if indexed and len(listing.shown.rows) > len(listing.labels):
        split = listing.shown.rows[:, 0].copy()
        if listing.scales is not None:  # P of each statement by the replicates, over all scales
            split[listing.shown.place] = listing.weights
        facts["split"] = (("pattern", "statement"), split)
    data = xr.Dataset(facts, {"statement": list(listing.labels)})
    tree["constant_data"] = xr.DataTree(data)
    tree.attrs.update(inference_package="bayescompare", version=__version__)
    return tree


def add_constants(
    tree: xr.DataTree, facts: Mapping[str, AnyArray], datasets: Sequence[str]
) -> xr.DataTree:
    """Add what is known of each dataset, and what made the tree."""
    import xarray as xr

    variables = {name: ("dataset", values) for name, values in facts.items()}
    tree["constant_data"] = xr.DataTree(xr.Dataset(variables, {"dataset": list(datasets)}))
    tree.attrs.update(inference_package="bayescompare", version=__version__)
    return tree


def ratio_prior(tree: xr.DataTree, names: Sequence[str]) -> xr.DataTree:
    """Take the log prior of shares as that of logits, and of probability vectors of log ratios.

    A uniform prior has no density to scale by a power; that of a logit has, and raising it to γ
    means Beta(b, b) → Beta(γb, γb), and Dirichlet(α) → Dirichlet(γα), as it does for the latents
    of NUTS. What has no log prior, or one of each cell, is left as it is.
    """
    import xarray as xr

    prior, posterior = tree["log_prior"].to_dataset(), tree["posterior"].to_dataset()
    # Under a small b a share may round to 0 or 1.
    tiny = np.finfo(np.float64).tiny
    for name in names:
        if name in prior:
            theta = posterior[name]
            cells = [d for d in theta.dims if d not in prior[name].dims]
            logs = xr.apply_ufunc(np.log, theta.clip(min=tiny))
            if not cells:
                logs = logs + xr.apply_ufunc(np.log, (1.0 - theta).clip(min=tiny))
            prior[name] = prior[name] + logs.sum(cells)
    tree["log_prior"] = xr.DataTree(prior)
    return tree


def marginal_dims(results: Results) -> tuple[str, ...]:
    """Dims of `marginal`: P(first better), or for l > 2 P(each algorithm is ranked first)."""
    return ("measure",) if len(results.algorithms) == 2 else ("measure", "algorithm")


def add_marginal(name: str, results: Results, listing: LumpedStatements) -> None:
    """Add who leads each measure, from probabilities of that name, to the model in context."""
    import pymc as pm

    theta = pm.modelcontext(None)[name]
    # As a sum: numba takes ten seconds and more to compile a dot product.
    won = (theta * np.moveaxis(listing.wins, 0, -1)).sum(axis=-1)
    pm.Deterministic("marginal", won, dims=marginal_dims(results))


def make_tree(
    groups: Mapping[str, Mapping[str, AnyArray]],
    dims: Mapping[str, tuple[str, ...]],
    coords: Mapping[str, Sequence[Any]],
) -> xr.DataTree:
    """Put arrays into a tree: chain and draw first, but for the data observed.

    A log likelihood has only the first dim of the variable it belongs to, the dataset.
    """
    import xarray as xr

    datasets = {}
    for group, variables in groups.items():
        sample = () if group == "observed_data" else ("chain", "draw")
        own = {
            name: dims[name][:1] if group == "log_likelihood" else dims[name] for name in variables
        }
        used = {d for ds in own.values() for d in ds}
        shape = next(iter(variables.values())).shape
        indices = {d: np.arange(k) for d, k in zip(sample, shape, strict=False)}
        datasets[group] = xr.Dataset(
            {name: ((*sample, *own[name]), values) for name, values in variables.items()},
            {**indices, **{d: list(coords[d]) for d in coords if d in used}},
            attrs={"sample_dims": list(sample)},
        )
    return xr.DataTree.from_dict(datasets)


def one_each(theta: FloatArray, n: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """Predict n new datasets per draw: which statement each falls into, by its place."""
    return draw_urn_cells(theta, n, rng).astype(np.int16)


def statement_each(theta: FloatArray, n: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Predict n new datasets per draw, each falling into one statement."""
    drawn = draw_urn_cells(theta, n, rng)[..., None]
    return np.asarray(drawn == np.arange(theta.shape[-1]), dtype=np.int8)


def latent_log_prior(
    name: str, alpha: FloatArray, gamma: FloatArray, exponential: FloatArray
) -> dict[str, FloatArray]:
    """Log density of the latents: raising it to γ means strength s → γ s, as psense assumes."""
    densities = (alpha * np.log(gamma) - gamma - gammaln(alpha + 1.0), -exponential)
    return {f"{prefix}{name}": density for prefix, density in zip(LATENTS, densities, strict=True)}


def with_log_prior(
    tree: xr.DataTree, listing: LumpedStatements, learned: LearnedPrior
) -> xr.DataTree:
    """Let the log prior be that of θ itself, A summed out, however the draws were made.

    Where a pair may have no difference it is that of f, which has a density.
    """
    import xarray as xr

    for group in ("posterior", "prior"):
        data = tree[group].to_dataset()
        strength = np.array(learned.values)[data["h"].values.astype(np.int64)]
        tree[group] = xr.DataTree(data.assign(strength=(("chain", "draw"), strength)))
    name = "f" if learned.folds else "theta"
    theta = tree["posterior"].to_dataset()[name].transpose("chain", "draw", "statement")
    alpha = np.array(learned.values)[:, None] * np.exp(listing.log_alpha)
    constant = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
    logs = constant + np.log(np.maximum(theta.values, _LEAST)) @ (alpha - 1.0).T
    density = logsumexp(logs + np.log(learned.strength_weights), axis=-1)
    coords = {name: theta[name].values for name in ("chain", "draw")}
    tree["log_prior"] = xr.DataTree(xr.Dataset({name: (("chain", "draw"), density)}, coords))
    return tree


# what draws of θ say of each statement -----------------------------
def answer_of_draws(
    statements: Statements, tree: xr.DataTree, name: str, each: FloatArray, **more: Any
) -> Answer:
    """Answer from draws of θ, by its name in a tree.

    `each` (chain, draw, S) is how far each statement leads in each draw; `more` are further fields
    of the answer.
    """
    theta = tree["posterior"].to_dataset()[name]
    answer = Answer.over(
        statements,
        probability=each.mean(axis=(0, 1)),
        mcse=nuts.nuts_monte_carlo_error(each),
        per_statement=drawn_theta_summary(theta, statements),
        parts=drawn_parts(theta, statements),
        tree=tree,
        **more,
    )
    return replace(answer, facts=answer.facts.told(drawn_questions(theta, statements, answer)))


def drawn_theta_summary(theta: xr.DataArray, statements: Statements) -> dict[str, FloatArray]:
    """Posterior mean and central 95 % interval of each listed θ; NaN for those within other."""
    draws = theta.stack(sample=("chain", "draw"))
    known = draws.reindex(statement=list(statements.labels))
    low, high = (known.quantile(q, "sample").values for q in (0.025, 0.975))
    return theta_columns(known.mean("sample").values, low, high)


def drawn_parts(theta: xr.DataArray, statements: Statements) -> dict[str, FloatArray]:
    """How sure the parts of each statement are, from draws of θ; NaN for those within other."""
    if len(statements.measures) == 1:
        return {}
    drawn = theta.transpose("chain", "draw", "statement")
    place = {label: k for k, label in enumerate(statements.labels)}
    known = [place.get(str(label), -1) for label in drawn["statement"].values]
    # What is not listed by itself comes last.
    order = np.argsort(np.array(known) < 0, kind="stable")
    listed = [k for k in known if k >= 0]
    states = statements.table.states
    parts = np.full(states.shape, np.nan)
    parts[listed] = parts_of_draws(drawn.values[..., order], states[listed])
    return {PROBABILITY: parts}


def drawn_questions(theta: xr.DataArray, statements: Statements, answer: Answer) -> FourQuestions:
    """The four questions about the best statement, from draws of θ."""
    best = decide(answer).statement
    opposite = statements.opposite(best)
    assert answer.probability is not None
    most_probable = float(answer.probability[answer.labels.index(best)])
    known = set(theta["statement"].values.tolist())
    if best not in known:
        return FourQuestions(most_probable=most_probable)
    mine = theta.sel(statement=best)
    # An opposite that is not listed was never observed and hides in the aggregate.
    beats = None
    if opposite in known and opposite != best:
        beats = float((mine > theta.sel(statement=opposite)).mean())
    majority = float((mine > 0.5).mean())
    return FourQuestions(
        most_probable=most_probable,
        beats_opposite=beats,
        majority=majority,
        expected=float(mine.mean()),
    )
