r"""PyMC pieces shared by all methods with a probability vector: its prior, and its data.

There are two forms of the same prior. The textbook's is ``pm.Dirichlet``: θ is a variable of the
model, so that PyMC's own tools (``pm.do``, predictive draws, SMC) work on it; but with α = 1/2^m
it puts hundreds of divergences into NUTS. The form for NUTS has, with
:math:`G \sim \mathrm{Gamma}(\alpha+1)` and :math:`E \sim \mathrm{Exp}(1)`,

.. math:: x = \log G - E/\alpha, \qquad
          \theta = \mathrm{softmax}(x) \sim \mathrm{Dirichlet}(\alpha),

and the total :math:`T = \sum e^x \sim \mathrm{Gamma}(A)` is ancillary: independent of θ and of the
data. The Potential :math:`N \log T - \log \mathrm{E}[T^N]` re-priors only that total and cancels
the likelihood's coupling, so that the posterior factorises over cells.

The learned prior of a pair (SPEC 8) has both forms too,

.. math:: h \sim \mathrm{Categorical}(w), \quad \mathrm{same} \sim \mathrm{Bernoulli}(q_h), \quad
          f \sim \mathrm{Dirichlet}(A_h\,\varphi), \qquad
          \theta_s = f_s \quad\text{or, if same,}\quad
          \theta_s = (f_s + f_{\mathrm{rev}(s)})/2 .

In the textbook form A has three values, and where the two algorithms are the same, a
statement and its reverse have what they have together in equal halves. NUTS moves no discrete
variable, and under the sum over components, those values with and without a difference, it hardly
goes from one strength to another. Its form therefore has latents whose posterior is nearly the same
for every component. With :math:`\alpha = A\varphi`, counts n (where the two are the same, the means
of n over a statement and its reverse) and :math:`s = \alpha + n + 1`,

.. math:: \log G = \psi(s) + \sqrt{\psi'(s)}\, z, \qquad E = \frac{\alpha}{\alpha + n}\, e, \qquad
          f = \mathrm{softmax}(\log G - E/\alpha),

where G and E are those of `place_dirichlet`. Given a component and counts, e is a standard
exponential and z a logarithm of a gamma variable with mean 0 and variance 1. Their density is
summed over the components, and a uniform variable picks one given z and e. Where the likelihood of
the data is not that of these counts but near it, the ratio of the two is a factor within the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.gammas import TINY, log_rising_gamma
from bayescompare.learned import LearnedPrior
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import Priors, constant_dirichlet, place_prior
from bayescompare.outcome.method import Form
from bayescompare.statements import DENSE, OUTCOME

#: Prefixes of the latents; trees show none of them. In front, where no name that a user gives can
#: make one.
LATENTS = ("latent_gamma_", "latent_exponential_")

#: The scale of effects, and its number among the values it may have.
SCALE, SCALE_INDEX = "scale", "scale_index"

Likelihood = Callable[[Any], Any] | None

#: Below this Σα PyMC's draws of a Dirichlet, gamma draws divided by their sum, may all underflow
#: (with a probability of about e^(−709 Σα)) and give NaN.
_LEAST_TOTAL = 0.1

#: From here on Stirling's series, cut after 1/(12 a), has an error below 1e-14.
_LARGE = 1e4


def place_alpha(priors: Priors, listing: LumpedStatements) -> Any:
    """Each cell's α: fixed, or random by the user's prior on alpha or strength."""
    import pytensor.tensor as pt

    if "strength" in priors:
        log_share = listing.log_multiplicity - np.logaddexp.reduce(listing.log_multiplicity)
        return place_prior("strength", priors["strength"], ()) * np.exp(log_share)
    if "alpha" in priors:
        alpha = pt.as_tensor_variable(place_prior("alpha", priors["alpha"], ("statement",)))
        if alpha.ndim and listing.has_other:
            raise BayescompareError(
                f"priors['alpha'] is a vector, but beyond {DENSE} statements α must be one number "
                "for all: give a scalar prior."
            )
        return alpha * np.exp(listing.log_multiplicity)
    return np.exp(listing.log_alpha)


def place_dirichlet(form: Form, name: str, alpha: Any, total: Any, dims: tuple[str, ...]) -> Any:
    """Add θ ~ Dirichlet(α) along the last dim to the model in context; return log θ.

    Parameters
    ----------
    form : {"textbook", "nuts"}
    name : str
        Of θ: a free variable in the textbook form, else a Deterministic.
    alpha : array or tensor
        Of θ's shape; a tensor is random.
    total : float, array or tensor
        Data weight N that will be observed on each probability vector.
    dims : tuple of str
        Dims of θ.
    """
    import pytensor.tensor as pt

    if form == "nuts":
        return _for_nuts(name, alpha, total, dims)
    return pt.log(textbook_dirichlet(name, alpha, dims))


def textbook_dirichlet(name: str, alpha: Any, dims: tuple[str, ...]) -> Any:
    """Add θ ~ Dirichlet(α): ``pm.Dirichlet``, unless its draws could underflow."""
    import pymc as pm
    import pytensor.tensor as pt

    tensor = pt.maximum(pt.as_tensor_variable(alpha), TINY)
    # The shape by number too: by dims alone PyTensor cannot compile a single row of two cells.
    shape = None if None in tensor.type.shape else tensor.type.shape
    if isinstance(alpha, np.ndarray) and alpha.sum(axis=-1).min() >= _LEAST_TOTAL:
        return pm.Dirichlet(name, tensor, shape=shape, dims=dims)
    # The same distribution, but drawn so that no vector underflows.
    return pm.CustomDist(
        name,
        tensor,
        logp=lambda value, a: pm.logp(pm.Dirichlet.dist(a), value),
        dist=_draw_in_logs,
        support_point=lambda rv, size, a: a / a.sum(axis=-1, keepdims=True),
        transform=pm.distributions.transforms.simplex,
        class_name="Dirichlet",
        signature="(s)->(s)",
        shape=shape,
        dims=dims,
    )


def _draw_in_logs(alpha: Any, size: Any) -> Any:
    """Draw from a Dirichlet in logarithms."""
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.shape_utils import rv_size_is_none

    shape = None if rv_size_is_none(size) else pm.math.concatenate([size, alpha.shape[-1:]])
    gamma = pm.Gamma.dist(alpha + 1.0, 1.0, size=shape)
    exponential = pm.Exponential.dist(0.0 * alpha + 1.0, size=shape)
    return pm.math.softmax(pt.log(gamma) - exponential / alpha, axis=-1)


def _for_nuts(name: str, alpha: Any, total: Any, dims: tuple[str, ...]) -> Any:
    import pymc as pm
    import pytensor.tensor as pt

    alpha = pt.maximum(pt.as_tensor_variable(alpha), TINY)
    gamma = pm.Gamma(f"{LATENTS[0]}{name}", alpha + 1.0, 1.0, dims=dims)
    exponential = pm.Exponential(f"{LATENTS[1]}{name}", 1.0, dims=dims)
    x = pt.log(gamma) - exponential / alpha
    log_total = pm.math.logsumexp(x, axis=-1, keepdims=True)
    # E[T^N] depends on α: left out, it would bias a prior of α, and the evidence.
    log_mean = _log_rising(alpha.sum(axis=-1), total)
    pm.Potential(f"ancillary_{name}", total * log_total[..., 0] - log_mean)
    pm.Deterministic(name, pt.exp(x - log_total), dims=dims)
    return x - log_total


def _log_rising(a: Any, n: Any) -> Any:
    """log Γ(a + n)/Γ(a); by Stirling where a is large and the difference would lose digits."""
    import pytensor.tensor as pt

    large = pt.maximum(a, _LARGE)
    stirling = (large + n - 0.5) * pt.log1p(n / large) + n * (pt.log(large) - 1.0)
    stirling = stirling - n / (12.0 * large * (large + n))
    small = pt.minimum(a, _LARGE)
    return pt.switch(a > _LARGE, stirling, pt.gammaln(small + n) - pt.gammaln(small))


def observe_weights(
    log_theta: Any,
    weights: Any,
    *,
    name: str = OUTCOME,
    dims: tuple[str, str] = ("dataset", "statement"),
) -> None:
    r"""Observe each dataset's weights: log p(w_i | θ) = Σ_k w_ik log θ_k.

    A tied dataset has fractional weights, so this is no multinomial; a new dataset is drawn as
    one statement. The log likelihood comes out per dataset.

    Parameters
    ----------
    log_theta : tensor (S,)
    weights : array or data of the model (n, S)
    name : str
        Of the observed variable.
    dims : tuple of str
        Its dims.
    """
    import pymc as pm
    import pytensor.tensor as pt

    def dist(log_p: Any, size: Any) -> Any:
        # The dtype is the observed variable's: integers would silently truncate tied weights.
        return pm.Multinomial.dist(1, pt.exp(log_p), size=size).astype("float64")

    pm.CustomDist(
        name,
        log_theta,
        logp=weighted_logs,
        dist=dist,
        observed=weights,
        dims=dims,
        class_name="SplitMultinomial",
        signature="(s)->(s)",
    )


def split_categorical(name: str, p: Any, split: Any, observed: Any) -> None:
    r"""Observe states of datasets, ties split: :math:`\log p(k) = \sum_s w_{ks} \log p_s`.

    k is a row w_k of `split` (t, s), whose first rows are the identity, so that k is a state; any
    further row is a tie. No draw is tied.

    Parameters
    ----------
    name : str
    p : tensor (s,) or (n, s)
    split : tensor (t, s)
    observed : data of the model (n,)
    """
    import pymc as pm
    import pytensor.tensor as pt

    pm.CustomDist(
        name,
        p,
        split,
        logp=lambda value, p, split: weighted_logs(split[value], pt.log(p)),
        dist=lambda p, split, size: pm.Categorical.dist(p / p.sum(-1, keepdims=True), size=size),
        observed=observed,
        dims="dataset",
        class_name="SplitCategorical",
        signature="(s),(t,s)->()",
        dtype="int64",
    )


class ShownData(NamedTuple):
    """What datasets show, as data of a model: ``pm.set_data`` puts other datasets there.

    Attributes
    ----------
    seen : data (n,)
        The row of each dataset.
    rows : data (P, S) or (P, R, S), optional
        What a row says, where some are no statement; at each of R scales of effects, if several.
    tied : data (P,), optional
        Which rows are weights, where some are likelihoods.
    level : data (P,), optional
        The logarithms of what those were divided by.
    power : data (P,), optional
        What they are raised to, where datasets have weights.
    scales : array (R,), optional
    """

    seen: Any
    rows: Any = None
    tied: Any = None
    level: Any = None
    power: Any = None
    scales: FloatArray | None = None

    @classmethod
    def place(cls, listing: LumpedStatements) -> ShownData:
        """Add it to the model in context."""
        import pymc as pm

        shown, scales, model = listing.shown, listing.scales, pm.modelcontext(None)
        number, versions, size = shown.rows.shape
        seen = pm.Data("seen", shown.place, dims="dataset")
        if number == size:
            return cls(seen)
        kinds = ["tie" if tied else "gap" for tied in shown.tied[size:].tolist()]
        if scales is not None:
            kinds = ["replicates"] * len(kinds)
        further = [f"{kind} {k + 1}" for k, kind in enumerate(kinds)]
        model.add_coord("pattern", [*map(str, model.coords["statement"]), *further])
        # What PyMC finds under the name of data in a tree it takes for these data.
        name = "split" if scales is None else "rows"
        if versions > 1:
            model.add_coord("effect_scale", scales)
            rows = pm.Data(name, shown.rows, dims=("pattern", "effect_scale", "statement"))
        else:
            rows = pm.Data(name, shown.rows[:, 0], dims=("pattern", "statement"))
        if shown.tied.all():
            return cls(seen, rows)
        tied = pm.Data("tied", shown.tied.astype(np.int64), dims="pattern")
        level, power = pm.Data("level", shown.level, dims="pattern"), None
        if listing.evidence is not None and listing.evidence.powers is not None:
            power = pm.Data("power", shown.power, dims="pattern")
        return cls(seen, rows, tied, level, power, scales)

    @property
    def total(self) -> Any:
        """What all datasets weigh together."""
        counted = self.rows is not None and self.tied is None
        return self.rows[self.seen].sum() if counted else self.seen.shape[0]

    def log_likelihood(self, logs: Any) -> Any:
        """Log likelihood of datasets, none of them tied, the scale summed out: (A, S) to (A,)."""
        import pymc as pm

        each = self._at_scales(logs)
        whole = pm.math.logsumexp(each, axis=1, keepdims=False)
        return whole - pm.math.log(each.shape[1])

    def _at_scales(self, logs: Any) -> Any:
        """Log likelihood of all datasets for each log θ and each scale: (A, S) to (A, R)."""
        import pymc as pm
        import pytensor.tensor as pt

        rows = self.rows[self.seen].T if self.rows.ndim == 3 else self.rows[self.seen].T[:, None]
        both = logs[:, :, None, None] + pt.log(pt.maximum(rows, TINY))
        each = pm.math.logsumexp(both, axis=1, keepdims=False) + self.level[self.seen]
        return (each if self.power is None else self.power[self.seen] * each).sum(axis=-1)

    def _at_scale(self, logs: Any, form: Form) -> Any:
        """Add the scale of effects; return the rows at it.

        NUTS moves no discrete variable: in its form the scale is summed out, and then picked.
        """
        import pymc as pm

        assert self.scales is not None
        if form == "textbook":
            number = len(self.scales)
            index = pm.Categorical(SCALE_INDEX, np.full(number, 1.0 / number))
        else:
            each = self._at_scales(logs[None])[0]
            index = pick_by_weight("latent_scale", each)
            pm.Potential("summed_scale", self.log_likelihood(logs[None])[0] - each[index])
        pm.Deterministic(SCALE, pick(self.scales, index))
        return pick(self.rows.swapaxes(0, 1), index)

    def observe(self, log_theta: Any, form: Form = "textbook") -> None:
        r"""Observe each dataset, from log θ (S,) or (n, S): "outcome", one number for each.

        A tie counts in part for each statement it allows,
        :math:`\log p = \sum_s w_s \log \theta_s`; of a gap or of replicates
        :math:`\log p = \log \sum_s \theta_s \ell_s`. A new dataset is one statement.
        """
        import pymc as pm
        import pytensor.tensor as pt

        def logp(value: Any, log_p: Any, rows: Any, *rest: Any) -> Any:
            row = rows[value]
            together = weighted_logs(row, log_p)
            if not rest:
                return together
            tied, level, *power = (each[value] for each in rest)
            some = log_p + pt.log(pt.maximum(row, TINY))
            some = level + pm.math.logsumexp(some, axis=-1, keepdims=False)
            return pt.switch(tied, together, power[0] * some if power else some)

        def dist(log_p: Any, *rest: Any) -> Any:
            return pm.Categorical.dist(logit_p=log_p, size=rest[-1])

        statements = pm.modelcontext(None).coords["statement"]
        rows = np.eye(len(statements)) if self.rows is None else self.rows
        if self.rows is not None and self.rows.ndim == 3:
            rows = self._at_scale(log_theta, form)
        rest = [each for each in (self.tied, self.level, self.power) if each is not None]
        names = ("SplitCategorical", "PartlySeen", "UncertainStatement")
        pm.CustomDist(
            OUTCOME,
            log_theta,
            rows,
            *rest,
            logp=logp,
            dist=dist,
            observed=self.seen,
            dims="dataset",
            class_name=names[bool(rest) + (self.scales is not None)],
            signature=",".join(["(s)", "(t,s)", *["(t)"] * len(rest)]) + "->()",
            dtype="int64",
        )


def weighted_logs(weights: Any, logs: Any) -> Any:
    """Σ w log p, in which a cell without weight counts nothing even where its p is 0."""
    import pytensor.tensor as pt

    return pt.switch(pt.eq(weights, 0.0), 0.0, weights * logs).sum(axis=-1)


# the prior that other pairs teach -----------------------------
def place_learned_dirichlet(
    form: Form, listing: LumpedStatements, learned: LearnedPrior, likelihood: Likelihood = None
) -> Any:
    """Add θ, under the learned prior, to the model in context; return log θ.

    The log likelihood of all data, as a function from log θ (A, statement) to (A,), is that of the
    counts, where no other is given.
    """
    import pymc as pm

    if form == "nuts":
        return _learned_for_nuts(listing, learned, likelihood)
    theta = place_learned_shares(learned, np.exp(listing.log_alpha))
    if learned.folds:
        theta = pm.Deterministic("theta", theta, dims="statement")
    return pm.math.log(theta)


def place_learned_shares(learned: LearnedPrior, base: FloatArray) -> Any:
    """Add what was learned to the model in context, as a textbook has it; return θ.

    Nothing that depends on a discrete variable is kept under a name, so that
    ``pymc_extras.marginalize`` can sum that out.
    """
    import pymc as pm
    import pytensor.tensor as pt

    both = np.reshape(learned.weights, (-1, len(learned.values)))
    h = pm.Categorical("h", p=both.sum(axis=0))
    alpha = pick(np.array(learned.values), h) * base
    if not learned.folds:
        return textbook_dirichlet("theta", alpha, ("statement",))
    same = pm.Bernoulli("same", p=pick(both[1] / np.maximum(both.sum(axis=0), TINY), h))
    f = pm.Dirichlet("f", alpha, dims="statement")
    return pt.switch(pt.eq(same, 1), (f + f[::-1]) / 2.0, f)


def _learned_for_nuts(
    listing: LumpedStatements, learned: LearnedPrior, likelihood: Likelihood
) -> Any:
    """Latents shared by all components, of density Σ p(component, z, e, data); see the module."""
    import pymc as pm
    import pytensor.tensor as pt

    number = len(learned.values)
    kinds = len(learned.weights) // number
    counts = np.stack([listing.counts, (listing.counts + listing.counts[::-1]) / 2.0][:kinds])
    counts = np.repeat(counts, number, axis=0)
    values = np.tile(learned.values, kinds)
    alpha = np.maximum(values[:, None] * np.exp(listing.log_alpha), TINY)
    # Of log G given a component and the data; and all of the joint density without z and e.
    shape = alpha + counts + 1.0
    mean, deviation, rate = digamma(shape), np.sqrt(polygamma(1, shape)), alpha + counts
    each_weight = np.log(deviation) + np.log(alpha / rate) - gammaln(alpha + 1.0)
    total = log_rising_gamma(np.log(alpha.sum(axis=1)), counts.sum(axis=1))
    log_weight = np.log(learned.weights) + each_weight.sum(axis=1) - total

    def by_counts(log_theta: Any) -> Any:
        return weighted_logs(listing.counts, log_theta)

    z = pm.Normal(f"{LATENTS[0]}theta", 0.0, 1.0, dims="statement")
    e = pm.Exponential(f"{LATENTS[1]}theta", 1.0, dims="statement")
    log_gamma = mean + deviation * z
    densities = log_weight + (shape * log_gamma - pt.exp(log_gamma)).sum(axis=1)
    x = log_gamma - e / rate
    free = x - pm.math.logsumexp(x, axis=1, keepdims=True)
    each = free
    if learned.folds:
        same = pm.math.logaddexp(free[number:], free[number:, ::-1]) - np.log(2.0)
        each = pm.math.concatenate([free[:number], same])
    if learned.folds or likelihood is not None:
        # Within the sum over A: θ differs between strengths, and the density has to be smooth.
        near = weighted_logs(counts, free)
        densities = densities + (likelihood or by_counts)(each) - near
    # P(component | z, e, data) is what the uniform variable picks from.
    index = pick_by_weight("latent_strength", densities)
    pm.Deterministic("h", index % number)
    log_theta = each[index]
    pm.Deterministic("theta", pt.exp(log_theta), dims="statement")
    if learned.folds:
        pm.Deterministic("same", index // number)
        pm.Deterministic("f", pt.exp(free[index]), dims="statement")
    # The joint density has the data in it, and z's own density is none of it.
    data = by_counts(log_theta) if likelihood is None else likelihood(log_theta[None])[0]
    twice = data + pm.logp(pm.Normal.dist(), z).sum()
    pm.Potential("learned_theta", pm.math.logsumexp(densities) - twice)
    return log_theta


# one of several values by a random number -----------------------------
def pick(values: Any, index: Any) -> Any:
    """Return ``values[index]`` along the first axis; an index beyond the end takes the last one.

    Sequential Monte Carlo evaluates the likelihood also where the prior is zero, and a plain index
    would raise there.
    """
    import pytensor.tensor as pt

    tensor = pt.as_tensor_variable(values)
    return tensor[pt.clip(index, 0, tensor.shape[0] - 1)]


def pick_by_weight(name: str, log_weight: Any) -> Any:
    """Add a uniform variable to the model in context; return the index that it picks.

    The indices have probabilities in proportion to their weights. Where the density of the model
    is summed over them, this draws one given all the rest, without a discrete variable.
    """
    import pymc as pm
    import pytensor.tensor as pt

    share = pt.exp(log_weight - pm.math.logsumexp(log_weight)).cumsum()
    return (pm.Uniform(name) >= share[:-1]).sum()


# weights of datasets, as the Bayesian bootstrap has them -----------------------------
#: The names of the weights, and of which dataset was drawn.
WEIGHT, DRAWN = "weight", "drawn"


def place_weights(prior: Any, alpha: FloatArray, dim: str, improper: str) -> Any:
    """Add the weights along `dim` to the model in context.

    Parameters
    ----------
    prior : distribution, object, callable or None
        The user's; without one it is Dirichlet(alpha).
    alpha : array (n,)
        Zero, or below, where nothing is known beforehand.
    dim : str
    improper : str
        What to say where draws from an improper prior are asked for.
    """
    import pymc as pm
    import pytensor.tensor as pt
    from pymc.distributions.transforms import simplex

    n = len(alpha)
    if prior is not None:
        return _checked_weight(place_prior(WEIGHT, prior, (dim,)), n, dim)
    if (alpha > 0.0).all():
        return pm.Dirichlet(WEIGHT, alpha, dims=dim)

    def refuse(*_: Any, rng: np.random.Generator | None = None, size: Any = None) -> FloatArray:
        raise BayescompareError(improper)

    return pm.CustomDist(
        WEIGHT,
        alpha,
        logp=lambda value, a: ((a - 1.0) * pt.log(value)).sum(axis=-1),
        random=refuse,
        support_point=lambda rv, size, a: pt.full_like(a, 1.0 / n),
        transform=simplex,
        signature="(n)->(n)",
        class_name="Haldane" if not alpha.any() else "ImproperDirichlet",
        dims=dim,
    )


def weights_alpha(prior: Any, n: int, dim: str) -> FloatArray:
    """Parameters of a Dirichlet prior of the weights, one for each."""
    alpha = constant_dirichlet(prior)
    assert alpha is not None
    if alpha.shape != (n,):
        raise BayescompareError(
            f"priors['weight'] is a Dirichlet of shape {alpha.shape}, and there are {n} {dim}s: "
            "give one parameter for each."
        )
    return alpha


def _checked_weight(weight: Any, n: int, dim: str) -> Any:
    length = weight.type.shape[-1] if weight.ndim == 1 else None
    if weight.ndim != 1 or (length is not None and length != n):
        raise BayescompareError(
            f"priors['weight'] must be a vector over the {n} {dim}s; its shape is "
            f"{weight.type.shape}."
        )
    return weight
