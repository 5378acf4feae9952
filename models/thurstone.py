"""Thurstone: strengths by normal noise, from the ranks of any number of algorithms.

Story: on measure j algorithm a has strength s_aj. On each dataset it performs at s_aj plus standard
normal noise, and the dataset shows only who did better than whom (Thurstone's Case V):

    u_a ~ Normal(s_aj, 1),   P(a₁ > a₂ > … > a_l) = P(u_{a₁} > u_{a₂} > … > u_{a_l}).

So a beats b with probability Φ((s_a − s_b)/√2). An algorithm that is strong on one measure tends to
be strong on correlated measures:

    s_a ~ σ MvNormal(0, Ω) over the measures, summing to zero over the algorithms,
    Ω ~ LKJ(2),   σ = 1.

Compared with `plackett_luce`, whose noise is Gumbel, neither end of the ranking counts for more:
turning all ranks around turns the strengths around.

The probability of an order is an integral in l − 1 dimensions, computed as l − 1 integrals in one:
F_k(x), the probability that the algorithms from place k on keep their order and stay below x, is

    F_k(x) = ∫_{−∞}^x φ(y − s_{a_k}) F_{k+1}(y) dy,   F_{l+1} = 1,   P = F_1(∞).

`log_probability` takes them from sums on a grid with the Euler-Maclaurin correction. The error of
log P is about 10⁻⁶ for orders that strengths make at all likely. Each order costs l − 1 integrals:
five algorithms on 60 datasets take minutes, eight with many ties a quarter of an hour.

Ties split a dataset's weight evenly over the orders that they allow, measure by measure. Given the
strengths, the measures of one dataset are independent. Changed prior, so that the spread of the
algorithms is learned too, in three lines::

    import pymc as pm, bayescompare as bc
    learned = bc.methods.ModelFile("thurstone", priors={"sigma": pm.HalfNormal.dist(1)})
    c = bc.compare(results, method=learned)

References: Thurstone (1927), A law of comparative judgment; Böckenholt (1993) for full rankings.
"""

import itertools
import math

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pytensor.gradient import zero_grad
from scipy.linalg import helmert
from scipy.stats import rankdata

from bayescompare.modelling import lkj_cholesky, prior, ranks

#: The grid, from 6.5 below the least strength to 6.5 above the greatest.
NODES = np.linspace(0.0, 1.0, 64)
BEYOND = 6.5
#: Orders that ties may allow, in the whole table.
MOST_ORDERS = 1000
#: Measures that nearly agree leave little room between the strengths: small steps.
SAMPLER = {"target_accept": 0.95}


def build(results, *, sigma=1.0, eta=2.0):
    """Build the model.

    Parameters
    ----------
    sigma : prior over measure
        Spread of the algorithms' strengths, in units of the noise. A number or a distribution is
        shared by all measures; a function f(name, dims) that uses its dims makes one for each.
    eta : prior
        How close to zero the correlations of the measures are; 1 is uniform, larger is closer.
    """
    if any(results[name].rope is not None for name in results.measures):
        raise ValueError("a rope makes no order of many algorithms; see the model bradley_terry.")
    rank = ranks(results)
    tied = orders_of_ties(rank, results)
    l, m = len(results.algorithms), len(results.measures)
    coords = {
        "algorithm": results.algorithms,
        "measure": results.measures,
        "other_measure": results.measures,
        "dataset": results.datasets,
        "axis": range(1, l),
    }
    with pm.Model(coords=coords) as model:
        sigma = prior("sigma", sigma, "measure", shared=True, positive=True)
        factor = lkj_cholesky(prior("eta", eta, positive=True))
        # Centred: the ranks say more about strengths than about their correlation.
        chol = (sigma * pt.ones(m))[:, None] * factor
        contrast = pm.MvNormal("contrast", np.zeros(m), chol=chol, dims=("axis", "measure"))
        basis = helmert(l).T  # orthonormal, each column summing to zero
        strength = pm.Deterministic("strength", basis @ contrast, dims=("algorithm", "measure"))
        pm.CustomDist(
            "rank",
            strength,
            logp=lambda rank, strength: logp(rank, strength, *tied),
            random=draw,
            signature="(l,m)->(l,m)",
            class_name="Thurstone",
            observed=pm.Data("seen", rank, dims=("dataset", "algorithm", "measure")),
            dims=("dataset", "algorithm", "measure"),
        )
    return model


def orders_of_ties(rank, results):
    """Cells with ties (dataset, measure) and the orders they allow, one row for each order."""
    rows, total = [], 0
    for i, j in np.ndindex(rank.shape[0], rank.shape[2]):
        places = np.unique(rank[i, :, j])
        groups = [np.flatnonzero(rank[i, :, j] == place).tolist() for place in places]
        size = math.prod(math.factorial(len(group)) for group in groups)
        if size == 1:
            continue
        total += size
        if total > MOST_ORDERS:
            raise ValueError(
                f"ties allow more than {MOST_ORDERS:,} orders ({size:,} on dataset "
                f"{results.datasets[i]!r} by {results.measures[j]!r}): leave such datasets out, or "
                "use the model plackett_luce, which takes ties of any size."
            )
        for parts in itertools.product(*map(itertools.permutations, groups)):
            rows.append((i, j, 1.0 / size, list(itertools.chain(*parts))))
    dataset, measure, weight, order = zip(*rows, strict=True) if rows else ([], [], [], [])
    order = np.array(order, dtype=int).reshape(len(rows), rank.shape[1])
    return np.array(dataset, dtype=int), np.array(measure, dtype=int), np.array(weight), order


def logp(rank, strength, dataset, measure, weight, order):
    """One number per dataset: the log probability of its ranks, summed over the measures."""
    l = order.shape[1]
    strength, rank = strength.reshape(strength.shape[-2:]), rank.mT  # algorithms last
    n, m = rank.shape[0], rank.shape[1]
    seen = strength[pt.argsort(rank, axis=-1), pt.arange(m)[:, None]]
    found = log_probability(seen.reshape((n * m, l)), l).reshape((n, m))
    # Ties that the table did not have when the model was built are impossible in it.
    tied = pt.full((n, m), -np.inf)
    if len(weight):
        each = weight * log_probability(strength[order, measure[:, None]], l)
        tied = tied[dataset, measure].set(0.0)[dataset, measure].inc(each)
    return pt.where(has_ties(rank), tied, found).sum(axis=-1)


def has_ties(rank):
    """Whether algorithms share a rank."""
    rank = pt.sort(rank, axis=-1)
    return pt.any(pt.eq(rank[..., 1:], rank[..., :-1]), axis=-1)


def log_probability(s, l):
    """Log P of each row's order; a row has the strengths from the best to the worst.

    With f = φ F on a grid of step h, the integral up to x is the trapezoidal sum less
    h²/12 f′(x) plus h⁴/720 f‴(x). Every F is divided by its total, which log P collects.
    """
    low, high = (zero_grad(edge) for edge in (s.min(axis=1) - BEYOND, s.max(axis=1) + BEYOND))
    h = ((high - low) * NODES[1])[:, None]
    x = low[:, None] + (high - low)[:, None] * NODES
    d = x - s[:, -1, None]
    g = pt.exp(-0.5 * d**2) / np.sqrt(2 * np.pi)
    below, g1, g2 = 0.5 * pt.erfc(-d / np.sqrt(2)), -d * g, (d**2 - 1) * g
    found = 0.0
    for k in reversed(range(l - 1)):
        d = x - s[:, k, None]
        phi = pt.exp(-0.5 * d**2) / np.sqrt(2 * np.pi)
        f = phi * below
        total = pt.maximum(h * f.sum(axis=1, keepdims=True), 1e-300)
        found = found + pt.log(total[:, 0])
        # Derivatives of f, by those of F, which are the f of the stage before.
        f1 = phi * (g - d * below)
        f2 = phi * (g1 - 2 * d * g + (d**2 - 1) * below)
        f3 = phi * (g2 - 3 * d * g1 + 3 * (d**2 - 1) * g + (3 * d - d**3) * below)
        integral = h * (pt.cumsum(f, axis=1) - f / 2) - h**2 / 12 * f1 + h**4 / 720 * f3
        below, g, g1, g2 = integral / total, f / total, f1 / total, f2 / total
    return found


def draw(strength, rng=None, size=None):
    """Ranks of new datasets, by strength plus normal noise."""
    shape = strength.shape if size is None else (*size, *strength.shape[-2:])
    return rankdata(-(strength + rng.normal(size=shape)), axis=-2)
