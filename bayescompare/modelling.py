"""What a model file needs of this package: its data as arrays, and a place for a prior.

A model file is plain PyMC, ``build(results, **priors) -> pm.Model``. It may import these few
functions, or nothing of ours at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._checks import check_flag, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.methods._shared.new_datasets import table_of_ranks
from bayescompare.methods._shared.priors import (
    check_placed_prior,
    check_priors,
    constant_over,
    place_prior,
)
from bayescompare.outcome.method import Parameter
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    import xarray as xr

__all__ = [
    "StatementTable",
    "joint_probability",
    "lkj_cholesky",
    "observe_statements",
    "prior",
    "ranks",
    "statement_table",
    "table_of_ranks",
]


def prior(
    name: str,
    value: Any,
    dims: str | Sequence[str] = (),
    *,
    shared: bool = False,
    positive: bool | None = None,
    within: tuple[float, float] | None = None,
) -> Any:
    """Place a prior in the model at hand: whatever ``priors={name: value}`` takes.

    Parameters
    ----------
    name : str
        Of the variable.
    value : number, distribution, object or callable
        A number, an unregistered PyMC distribution (``pm.Gamma.dist(2, 1)``), a pymc-extras or
        PreliZ prior, or a function ``f(name, dims)``.
    dims : str or sequence of str
        The variable's dims, from the coords of the model. A distribution becomes one variable for
        each element, as ``dims=`` does in PyMC, and a number is repeated. A function decides for
        itself.
    shared : bool
        Whether a number, or a distribution of fewer dimensions, stays one that all elements share.
    positive : bool, optional
        Whether it lies above zero, as scales and rates do: then a number or a distribution that
        does not is refused. A location need not (``positive=False``). By default numbers must be
        above zero, and distributions are taken as they are.
    within : tuple of two numbers, optional
        Where it lies, for other ranges: ``within=(0, 1)`` for a share or a correlation.

    Examples
    --------
    >>> import pymc as pm
    >>> with pm.Model() as model:
    ...     alpha = prior("alpha", pm.Gamma.dist(2, 1))
    >>> [rv.name for rv in model.free_RVs]
    ['alpha']
    >>> with pm.Model(coords={"measure": ["accuracy", "time"]}):
    ...     each = prior("sigma", pm.HalfNormal.dist(1), "measure")
    ...     one = prior("tau", pm.HalfNormal.dist(1), "measure", shared=True)
    ...     known = prior("nu", 4, "measure")
    >>> each.ndim, one.ndim, known.eval().tolist()
    (1, 0, [4.0, 4.0])
    """
    _check_modelling_prior(name, dims, shared, positive, within)
    dims = (dims,) if isinstance(dims, str) else tuple(dims)
    low, high = within or (-math.inf if positive is False else 0.0, math.inf)
    parameter = Parameter(name, dims, "", "", low=low, high=high)
    check_priors({name: value}, [parameter])
    if is_number(value) and (shared or not dims):
        return constant_over(name, value, ())
    _check_modelling_context(name)
    if is_number(value):
        return constant_over(name, value, dims)
    placed = place_prior(name, value, dims, each=not shared)
    if positive or within:
        check_placed_prior(parameter, placed)
    return placed


def _check_modelling_prior(
    name: object, dims: object, shared: object, positive: object, within: Any
) -> None:
    """Check what `prior` is called with."""
    if not (isinstance(name, str) and name):
        raise BayescompareError(f"name={name!r}: give the name of the variable.")
    if not (isinstance(dims, (str, tuple, list)) and all(isinstance(d, str) for d in dims)):
        raise BayescompareError(f"dims={dims!r}: give the name of a dim, or several.")
    check_flag(shared=shared)
    if positive is not None:
        check_flag(positive=positive)
    pair = isinstance(within, (tuple, list)) and len(within) == 2 and all(map(is_number, within))
    if within is not None and not (pair and within[0] < within[1]):
        raise BayescompareError(f"within={within!r}: give two numbers, the lower one first.")


def _check_modelling_context(name: str) -> None:
    """Refuse to place a prior where there is no model."""
    import pymc as pm

    try:
        pm.modelcontext(None)
    except TypeError:
        raise BayescompareError(
            f"prior({name!r}, ...): there is no model to place it in; call it inside "
            "`with pm.Model() as model:`."
        ) from None


def lkj_cholesky(eta: Any, dim: str = "measure", other: str = "other_measure") -> Any:
    r"""Place an LKJ prior on correlations in the model at hand; return its Cholesky factor.

    The density of the correlation matrix Ω of m measures is proportional to
    :math:`|\Omega|^{\eta - 1}`: uniform for η = 1, and closer to no correlation for larger η. It is
    built from independent partial correlations,

    .. math:: \rho_{ij;1 \ldots j-1} \sim 2\,\mathrm{Beta}(b_j, b_j) - 1, \qquad
              b_j = \eta + \tfrac12 (m - 1 - j), \qquad 1 \le j < i \le m.

    So the prior is normalised for every η, as it must be where η is learned or evidence is
    computed. `pymc.LKJCorr` is so from PyMC 6.4 on; 6.3 adds the logarithm of its normalising
    constant instead of subtracting it.

    Parameters
    ----------
    eta : number or tensor
        η, above 0; with a prior of its own by `prior`.
    dim, other : str
        Dims of the matrix; the model has coords for both.

    Returns
    -------
    tensor
        L, lower triangular, with :math:`\Omega = L L^\top`. The model gets the free variable
        "partial" (shares between 0 and 1, one for each pair) and "omega", which is Ω.

    References
    ----------
    Lewandowski, Kurowicka & Joe (2009), Generating random correlation matrices based on vines and
    extended onion method. Journal of Multivariate Analysis 100, 1989-2001.

    Examples
    --------
    >>> import pymc as pm
    >>> coords = {"measure": ["accuracy", "time"], "other_measure": ["accuracy", "time"]}
    >>> with pm.Model(coords=coords) as model:
    ...     factor = lkj_cholesky(2.0)
    >>> [v.name for v in (*model.free_RVs, *model.deterministics)]
    ['partial', 'omega']
    """
    import pymc as pm
    import pytensor.tensor as pt

    m = len(pm.modelcontext(None).coords[dim])
    later, earlier = (index.tolist() for index in np.tril_indices(m, -1))
    partial: Any = []
    if m > 1:
        b = eta + 0.5 * (m - 2 - np.array(earlier))
        partial = 2.0 * pm.Beta("partial", b, b, shape=len(earlier)) - 1.0
    factor = [[pt.zeros(())] * m for _ in range(m)]
    left = [pt.ones(())] * m  # of the unit variance, what earlier measures do not explain
    for k, (i, j) in enumerate(zip(later, earlier, strict=True)):
        factor[i][j] = partial[k] * pt.sqrt(left[i])
        left[i] = left[i] * (1.0 - partial[k] ** 2)
    for k, variance in enumerate(left):
        factor[k][k] = pt.sqrt(variance)
    found = pt.stack([pt.stack(row) for row in factor])
    pm.Deterministic("omega", found @ found.T, dims=(dim, other))
    return found


@dataclass(frozen=True)
class StatementTable:
    """Which statement each dataset supports.

    Attributes
    ----------
    labels : tuple of str
        The statements, "A>B|B>A".
    weights : array (n, K)
        Each dataset's weight in every statement; ties are split, rows sum to one.
    states : array (K, m)
        The state of every measure in each statement, as a number: for two algorithms 0 is "first
        better".
    """

    labels: tuple[str, ...]
    weights: FloatArray
    states: IntArray


def statement_table(results: Results) -> StatementTable:
    """Return the statements of results that have at most 256 of them.

    Examples
    --------
    >>> import bayescompare as bc
    >>> table = statement_table(bc.load_example("benavoli-example1"))
    >>> table.labels, table.weights.sum(axis=0).tolist()
    (('A>B|A>B', 'A>B|B>A', 'B>A|A>B', 'B>A|B>A'), [1.0, 2.0, 3.0, 6.0])
    """
    from bayescompare._errors import BayescompareError

    statements = Statements.from_results(results)
    if statements.n_listed != statements.size:
        raise BayescompareError(
            f"statement_table: there are {count(statements.size)} statements, too many to list; "
            "compare fewer algorithms or measures."
        )
    table = statements.table
    weights = np.zeros((len(results.datasets), statements.n_listed))
    np.add.at(weights, (table.dataset, table.statement), table.weight)
    return StatementTable(statements.labels, weights, np.asarray(table.states, dtype=np.int64))


def observe_statements(theta: Any, table: StatementTable) -> None:
    r"""Observe which statement each dataset supports, as "outcome" of the model at hand.

    What is observed is one number for each dataset, the data "seen": the place of its statement. A
    dataset whose ties are split has weights w, which no ``pm.Multinomial`` takes (rounded down they
    vanish): its number is a further row of the data "split", and its log likelihood
    :math:`\sum_k w_k \log \theta_k`. A new dataset is drawn as one statement.

    Parameters
    ----------
    theta : tensor
        Probability of every statement; the model has the coords "statement" and "dataset".
    table : StatementTable
        From `statement_table`.

    Examples
    --------
    >>> import pymc as pm, bayescompare as bc
    >>> results = bc.load_example("pnn")
    >>> table = statement_table(results)
    >>> with pm.Model(coords={"statement": table.labels, "dataset": results.datasets}) as model:
    ...     theta = pm.Dirichlet("theta", [0.25] * 4, dims="statement")
    ...     observe_statements(theta, table)
    >>> model.named_vars_to_dims["outcome"], model["seen"].get_value().tolist()
    (('dataset',), [0, 1, 0, 0])
    """
    import pymc as pm
    import pytensor.tensor as pt

    from bayescompare.methods._shared.lumped import Shown
    from bayescompare.methods._shared.simplex import split_categorical

    shown = Shown.of(table.weights, None)
    seen, split = pm.Data("seen", shown.place, dims="dataset"), shown.rows[:, 0]
    if len(split) > len(table.labels):
        ties = [f"tie {k + 1}" for k in range(len(split) - len(table.labels))]
        pm.modelcontext(None).add_coord("pattern", [*table.labels, *ties])
        split = pm.Data("split", split, dims=("pattern", "statement"))
    # A θ too small for a float must not make 0 log 0 of a statement without weight.
    split_categorical(OUTCOME, pt.maximum(theta, 1e-300), split, seen)


def joint_probability(
    log_rows: FloatArray, results: Results, *, strength: float = 1.0
) -> xr.DataArray:
    """P(each joint statement is the most probable one), of datasets that are unsure of theirs.

    Parameters
    ----------
    log_rows : array (n, K) or (R, n, K)
        Log likelihood of every dataset under each statement, in the order of `statement_table`; up
        to a constant for each dataset. Perhaps in R versions, equally probable before.
    results : Results
        Whose statements they are.
    strength : float
        Of the symmetric prior of θ, in datasets.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("pnn").sel(measures=["complexity"])
    >>> rows = np.log([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.7, 0.3]])
    >>> joint_probability(rows, results).round(3).values.tolist()
    [0.904, 0.096]
    """
    import xarray as xr

    from bayescompare.evidence import Evidence
    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.prior import DirichletPrior

    statements = Statements.of(results.average())
    rows = np.asarray(log_rows, dtype=np.float64)
    wanted = len(results.datasets), statements.n_listed
    if (
        rows.ndim not in (2, 3)
        or rows.shape[-2:] != wanted
        or statements.n_listed != statements.size
    ):
        raise BayescompareError(
            f"log_rows has the shape {rows.shape}: give a row for each dataset with a number for "
            f"each of at most 256 statements, {wanted}."
        )
    prior_of = DirichletPrior.symmetric(strength / statements.size, statements.size)
    found = DirichletMixture.of(Evidence.from_rows(statements, rows), prior_of).p_max()[:-1]
    return xr.DataArray(found, {"statement": list(statements.labels)}, dims="statement")


def ranks(results: Results) -> FloatArray:
    """Return ranks by dataset, algorithm and measure: 1 is best, ties share their mean rank.

    Examples
    --------
    >>> import bayescompare as bc
    >>> ranks(bc.load_example("pnn"))[0].tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(-results.oriented(), axis=1))
