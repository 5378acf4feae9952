"""Judged items: who is right more often, when a judge who errs says what is right.

Story: on dataset i algorithm a is right on an item, by measure j, with probability π_iaj. A judge
(a language model, say) passes right items with probability s_j and fails wrong ones with t_j, so
that it passes a share

    q_iaj = (1 − t_j) + (s_j + t_j − 1) π_iaj.

Of some items the truth is known too (`gold`). All of them count in one likelihood:

    judged items without a label     passed ~ Binomial(n, q),
    labelled items (right and passed, right and failed, wrong and passed, wrong and failed)
                                     ~ Multinomial(π s, π (1 − s), (1 − π)(1 − t), (1 − π) t),
    π ~ Uniform(0, 1),   (s, t) uniform on s + t > 1 (else right and wrong could change places).

Labelled items may be chosen by what the judge said of them: a share of them that is not that of all
items does no harm to π, but Beta posteriors of s and t from them alone would be wrong.

If the judge errs alike on both algorithms, π_a − π_b = (q_a − q_b) / (s + t − 1): errors shrink
differences and cannot turn them round. A judge who favours one algorithm can, and
``priors={"judges": "each"}`` gives each algorithm an s and t of its own.

The verdict is that of the joint test: every dataset says how well each statement fits its items,
ℓ_i(s) = P(π_i shows s | items, s, t) / P(π_i shows s), on average over draws of s and t, and θ, how
often each statement holds, follows as in `replicated`. Ropes are differences of π.

Items are replicates of 0 and 1 (``replicate="item", replicates="items"``).
Changed prior, in three lines::

    import pymc as pm, bayescompare as bc
    able = {"gold": gold, "sensitivity": pm.Beta.dist(8, 2)}
    c = bc.compare(results, method=bc.methods.ModelFile("judged_items", priors=able))

Reference: Rogan & Gladen (1978), Estimating prevalence from the results of a screening test.
"""

import itertools

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import xarray as xr

from bayescompare.modelling import joint_probability, prior

REPLICATES = True
#: A right answer of the judge, and a wrong one, by label: the columns of `labelled`.
CELLS = ("right, passed", "right, failed", "wrong, passed", "wrong, failed")
#: Midpoints of π, and draws of s and t over which rows are averaged.
GRID = (np.arange(200) + 0.5) / 200
VERSIONS = 8
#: Labels must leave less than this for a judge who is no better than chance.
MOST_DOUBT = 0.05


def build(results, *, gold=None, judges="same", sensitivity=pm.Beta.dist(2, 1)):
    """Build the model.

    Parameters
    ----------
    gold : DataFrame
        True labels, 0 or 1, of some items: columns "dataset", "algorithm", "item" and one for each
        measure, NaN where an item has none.
    judges : {"same", "each"}
        Whether a judge errs alike on both algorithms, or on each by itself.
    sensitivity : prior over judge, measure
        s, the share of right items that pass; t is uniform above 1 − s.
    """
    if len(results.algorithms) != 2:
        raise ValueError(f"two algorithms are compared here, not {len(results.algorithms)}.")
    if judges not in ("same", "each"):
        raise ValueError(f"judges={judges!r}: say 'same' or 'each'.")
    passed, number, labelled = counts(results, gold)
    who = ["both"] if judges == "same" else list(results.algorithms)
    check_labels(labelled if judges == "each" else labelled.sum(axis=1, keepdims=True), who)
    dims = ("dataset", "algorithm", "measure")
    coords = {
        "dataset": results.datasets,
        "algorithm": results.algorithms,
        "measure": results.measures,
        "judge": who,
        "cell": CELLS,
    }
    with pm.Model(coords=coords) as model:
        s = prior("sensitivity", sensitivity, ("judge", "measure"), within=(0, 1))
        t = pm.Deterministic(
            "specificity",
            1 - s + s * pm.Uniform("above", dims=("judge", "measure")),
            dims=("judge", "measure"),
        )
        right = pm.Uniform("right", dims=dims)
        pm.Deterministic("strength", right.mean(axis=0), dims=("algorithm", "measure"))
        of = [0, 0] if judges == "same" else [0, 1]  # the judge of each algorithm
        passes = s[of], 1 - t[of]
        cells = [right * passes[0], right * (1 - passes[0])]
        cells += [(1 - right) * passes[1], (1 - right) * (1 - passes[1])]
        judged = pm.Data("judged", number - labelled.sum(axis=-1), dims=dims)
        pm.Binomial(
            "passed",
            judged,
            cells[0] + cells[2],
            observed=pm.Data("seen", passed, dims=dims),
            dims=dims,
        )
        known = pm.Data("gold", labelled, dims=(*dims, "cell"))
        pm.Multinomial(
            "labels",
            known.sum(axis=-1),
            pt.stack(cells, axis=-1),
            observed=known,
            dims=(*dims, "cell"),
        )
    return model


def counts(results, gold):
    """Unlabelled items passed, all items, and labelled ones by cell (…, 4)."""
    if not isinstance(gold, pd.DataFrame):
        raise ValueError("gold is missing: a DataFrame of the true labels of some items.")
    index = ["dataset", "algorithm", "item"]
    if absent := [name for name in (*index, *results.measures) if name not in gold.columns]:
        raise ValueError(f"gold has no column {', '.join(map(repr, absent))}.")
    order = ("dataset", "algorithm", "replicate")
    items = [str(name) for name in results.data["replicate"].values.tolist()]
    truth = gold.assign(**{name: gold[name].astype(str) for name in index}).set_index(index)
    every = pd.MultiIndex.from_product([results.datasets, results.algorithms, items])
    shape = len(results.datasets), len(results.algorithms), len(items)
    passed, number, labelled = [], [], []
    for name in results.measures:
        y = results.data[name].transpose(*order).values
        x = truth[name].reindex(every).to_numpy(dtype=float).reshape(shape)
        if (
            not (np.isin(y, [0, 1]) | np.isnan(y)).all()
            or not (np.isin(x, [0, 1]) | np.isnan(x)).all()
        ):
            raise ValueError(f"measure {name!r}: verdicts and labels are 0 or 1, and 1 is better.")
        if results[name].sign < 0:
            raise ValueError(f"measure {name!r} is to be minimised: 1 is a pass, which is better.")
        free = np.isfinite(y) & np.isnan(x)
        passed.append(((y == 1) & free).sum(axis=-1))
        number.append(np.isfinite(y).sum(axis=-1))
        cells = [(x == a) & (y == b) for a, b in itertools.product((1, 0), (1, 0))]
        labelled.append(np.stack([cell.sum(axis=-1) for cell in cells], axis=-1))
    return np.stack(passed, axis=2), np.stack(number, axis=2), np.stack(labelled, axis=2)


def check_labels(labelled, judges):
    """Refuse labels that leave doubt whether a judge is better than chance."""
    rng = np.random.default_rng(0)
    both = labelled.sum(axis=0)  # by judge and measure
    for (k, j), _ in np.ndenumerate(both[..., 0]):
        a, b, c, d = both[k, j]
        s, t = rng.beta(1 + a, 1 + b, 20_000), rng.beta(1 + d, 1 + c, 20_000)
        doubt = float(np.mean(s + t <= 1))
        if doubt > MOST_DOUBT:
            raise ValueError(
                f"the labels leave a probability of {doubt:.2f} that the judge of {judges[k]} is "
                "no better than chance, so that nothing can be learned from its verdicts: label "
                "more items, right and wrong ones."
            )


def densities(s, t, data):
    """Log likelihood of every dataset's items at each π of the grid (…, dataset, a, measure, π)."""
    passed, number, labelled = data
    s, t = (
        np.broadcast_to(x, (*x.shape[:-2], 2, x.shape[-1]))[..., None, :, :, None] for x in (s, t)
    )
    q = (1 - t) + (s + t - 1) * GRID
    cells = [GRID * s, GRID * (1 - s), (1 - GRID) * (1 - t), (1 - GRID) * t]
    unlabelled = number - labelled.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = passed[..., None] * np.log(q) + (unlabelled - passed)[..., None] * np.log1p(-q)
        for k, cell in enumerate(cells):
            found = found + np.where(
                labelled[..., k, None] > 0, labelled[..., k, None] * np.log(cell), 0.0
            )
    return found


def drawn(posterior, most=None):
    """Draws of s and t, (draw, judge, measure); `most` at even distances."""
    both = [
        posterior[name].transpose("chain", "draw", "judge", "measure").values
        for name in ("sensitivity", "specificity")
    ]
    flat = [x.reshape(-1, *x.shape[2:]) for x in both]
    kept = np.linspace(0, len(flat[0]) - 1, min(len(flat[0]), most or len(flat[0]))).astype(int)
    return [x[kept] for x in flat]


def probability(posterior, results, gold=None):
    """P(each statement is the most probable one), by the joint test on what each dataset says."""
    return joint_probability(statement_rows(posterior, results, gold), results)


def statement_rows(posterior, results, gold=None):
    """Log ℓ of every statement, (version, dataset, K): a version for each of some draws."""
    log = densities(*drawn(posterior, VERSIONS), counts(results, gold))
    p = np.exp(log - log.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True)
    first, second = p[:, :, 0], p[:, :, 1]
    found = np.ones((*p.shape[:2], 1))
    for j, name in enumerate(results.measures):
        rope = results[name].rope
        below = np.searchsorted(GRID, GRID - (rope or 0.0) - 1e-12)  # grid points below π − rope
        sums = [
            np.concatenate([np.zeros((*x.shape[:2], 1)), x[:, :, j].cumsum(-1)], axis=-1)
            for x in (second, first)
        ]
        ahead = [
            (x[:, :, j] * total[..., below]).sum(-1)
            for x, total in zip((first, second), sums, strict=True)
        ]
        mass = [below.sum() / GRID.size**2] * 2
        left = 1 - ahead[0] - ahead[1]
        if rope is None:  # equal points of the grid are half of each
            shares = [(side + left / 2) / 0.5 for side in ahead]
        else:
            shares = [ahead[0] / mass[0], left / (1 - 2 * mass[0]), ahead[1] / mass[0]]
        found = (found[..., None] * np.stack(shares, axis=-1)[..., None, :]).reshape(
            *p.shape[:2], -1
        )
    return np.log(np.maximum(found, 1e-300))


def log_likelihood(posterior, results, gold=None):
    """Log likelihood of each dataset with its own π integrated out."""
    log = densities(*drawn(posterior), counts(results, gold))
    most = log.max(axis=-1)
    each = most + np.log(np.exp(log - most[..., None]).mean(axis=-1))
    sizes = posterior.sizes["chain"], posterior.sizes["draw"], -1
    total = each.sum(axis=(-2, -1)).reshape(sizes)
    return xr.DataArray(total, dims=("chain", "draw", "dataset"))
