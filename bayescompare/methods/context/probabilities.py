"""One dataset alone, and from probabilities on single datasets to one in their context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._checks import check_flag, check_positive, is_number, show_checked_value
from bayescompare._errors import BayescompareError
from bayescompare.kernels.context.error_rates import (
    error_rate_bound,
    error_rate_posterior,
    first_error_rate_better,
    langford_error_rate_bound,
)
from bayescompare.kernels.context.poisson_binomial import context
from bayescompare.table.counts import ErrorCounts
from bayescompare.text.numbers import setting_number_text

if TYPE_CHECKING:
    import pandas as pd


#: The prior of errors: α' of every kind alike, or of each; or (α', β') of either risk.
type ErrorPrior = (
    float
    | tuple[float, float]
    | tuple[float, float, float]
    | tuple[tuple[float, float], tuple[float, float]]
)


def context_probability(
    p: ArrayLike, *, b: float | tuple[float, float] = 1.0, joint: bool = False
) -> float:
    r"""P(the first is better on most datasets of a context), from P on each dataset.

    The Poisson-binomial test from probabilities alone, wherever they come from.

    .. math:: \sum_\kappa \mathrm{PB}(\kappa; p)\,
              I_{½}(N - \kappa + \hat\beta_B,\; \kappa + \hat\beta_A)

    Parameters
    ----------
    p : sequence of float
        P(the first is better) on each dataset.
    b : float or pair of float
        Parameter of the Beta(b, b) prior of the share r of datasets on which it is better, or
        both, (β̂_A, β̂_B), of a prior that favours one of the two.
    joint : bool
        By the full model, in which the datasets inform each other through r, rather than by the
        paper's formula. It takes every p to be a posterior under even prior odds.

    References
    ----------
    Lacoste, Laviolette & Marchand (2012), Section 5.

    Examples
    --------
    >>> round(context_probability([0.9, 0.8, 0.95, 0.4]), 6)
    0.785469
    >>> round(context_probability([0.9, 0.8, 0.95, 0.4], joint=True), 6)
    0.879953
    """
    try:
        probabilities = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BayescompareError(
            f"p={show_checked_value(p)}: give a sequence of probabilities."
        ) from None
    if probabilities.ndim != 1 or not probabilities.size:
        raise BayescompareError(
            f"p has shape {probabilities.shape}: give one probability per dataset."
        )
    outside = ~((probabilities >= 0.0) & (probabilities <= 1.0))
    if outside.any():
        k = int(np.flatnonzero(outside)[0])
        raise BayescompareError(
            f"p[{k}]={setting_number_text(probabilities[k])}: probabilities lie between 0 and 1."
        )
    shape = check_weight(b)
    check_flag(joint=joint)
    return context(probabilities, *shape, joint=joint)


def check_error_prior(a: object, *, independent: bool = False) -> ErrorPrior:
    """Return the prior of errors as numbers: one, two or three, or two pairs."""
    if is_number(a):
        check_positive(a=a)
        return float(a)
    given = list(a) if isinstance(a, (tuple, list)) else []
    if independent:
        if len(given) != 2 or not all(isinstance(pair, (tuple, list)) for pair in given):
            raise BayescompareError(
                f"a={a!r}: with independent=True give one number, or α' and β' of either risk, as "
                "in a=((1, 1), (1, 9))."
            )
        first, second = (check_weight(pair, "a") for pair in given)
        return first, second
    if len(given) not in (2, 3):
        raise BayescompareError(
            f"a={a!r}: give one number, or α' of errors of the first alone, of the second alone "
            "and, if it is not 1, of examples on which they agree."
        )
    check_positive(**{f"a[{k}]": each for k, each in enumerate(given)})
    return tuple(map(float, given))  # type: ignore[return-value]


def check_weight(b: object, name: str = "b") -> tuple[float, float]:
    """Return both parameters of a Beta prior, from one for both or from a pair."""
    if isinstance(b, (tuple, list)):
        if len(b) != 2:
            raise BayescompareError(f"{name}={b!r}: give one number, or one for each algorithm.")
        check_positive(**{f"{name}[0]": b[0], f"{name}[1]": b[1]})
        return float(b[0]), float(b[1])
    check_positive(**{name: b})
    assert is_number(b)
    return float(b), float(b)


def first_better(
    counts: ErrorCounts,
    *,
    algorithms: tuple[str, str] | None = None,
    a: float | tuple[float, float] = 1.0,
) -> pd.DataFrame:
    r"""P(the first algorithm has the smaller risk) on each dataset by itself.

    .. math:: \Pr(p_h < p_g \mid k) = I_{½}(\alpha'_h + k_h, \alpha'_g + k_g)

    Parameters
    ----------
    counts : ErrorCounts
        One dataset is enough.
    algorithms : pair of str, optional
        Which pair; the first two by default.
    a : float or pair of float
        Parameters α'_h and α'_g of the Dirichlet prior, or one for both; 1 is uniform.

    Returns
    -------
    DataFrame
        Indexed by dataset: first_wrong, second_wrong, probability.

    References
    ----------
    Lacoste, Laviolette & Marchand (2012), Theorem 4.1.

    Examples
    --------
    >>> import bayescompare as bc
    >>> first_better(bc.load_example("lacoste-svm-parzen")).head(2).round(4)
             first_wrong  second_wrong  probability
    dataset
    1                  1             4       0.8906
    2                  2            10       0.9888
    """
    import pandas as pd

    prior = check_weight(a, "a")
    chosen = _checked_context_test_counts(counts).sel(
        algorithms=counts.algorithms[:2] if algorithms is None else algorithms
    )
    if len(chosen.algorithms) != 2:
        raise BayescompareError(f"algorithms={algorithms!r}: name two, the first and the second.")
    k_h, k_g = chosen.pair(*chosen.algorithms)
    return pd.DataFrame(
        {
            "first_wrong": k_h.astype(np.int64),
            "second_wrong": k_g.astype(np.int64),
            "probability": first_error_rate_better(k_h, k_g, *prior),
        },
        index=pd.Index(chosen.datasets, name="dataset"),
    )


def risks(
    counts: ErrorCounts, *, delta: float = 0.05, prior: tuple[float, float] = (1.0, 1.0)
) -> pd.DataFrame:
    r"""Each algorithm's risk on each dataset: its posterior, and bounds from above.

    .. math:: R \mid k \sim \mathrm{Beta}(\alpha + k,\; \beta + n - k)

    Parameters
    ----------
    counts : ErrorCounts
        With the sizes of the test sets. Where it is not known how many examples both got wrong
        (`both_wrong`), the risks are those of being the only one that errs, whose difference is
        that of the risks.
    delta : float
        Probability that a bound is passed.
    prior : pair of float
        α and β of the Beta prior; 1, 1 is uniform.

    Returns
    -------
    DataFrame
        Indexed by dataset and algorithm: wrong, n, mean and sd of the posterior, bound (its
        quantile) and langford (the test-set bound, which holds whatever the prior). Its
        ``attrs["errors"]`` is "all", or "alone".

    References
    ----------
    Lacoste, Laviolette & Marchand (2012), Section 3; Langford (2005).

    Examples
    --------
    >>> import pandas as pd, bayescompare as bc
    >>> frame = pd.DataFrame({"dataset": ["iris"], "a": [1], "b": [4], "both": [2], "n": [50]})
    >>> counts = bc.ErrorCounts.from_frame(
    ...     frame, first_wrong="a", second_wrong="b", both_wrong="both", n="n"
    ... )
    >>> risks(counts).round(3)
                       wrong   n   mean     sd  bound  langford
    dataset algorithm
    iris    first          3  50  0.077  0.037  0.145     0.148
            second         6  50  0.135  0.047  0.219     0.223
    """
    import pandas as pd

    _checked_context_test_counts(counts)
    if not (is_number(delta) and 0.0 < delta < 1.0):
        raise BayescompareError(f"delta={delta!r}: must lie between 0 and 1.")
    pair: object = prior
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise BayescompareError(f"prior={prior!r}: give the two parameters of a Beta.")
    check_positive(**{"prior[0]": pair[0], "prior[1]": pair[1]})
    wrong, n = counts.counts["wrong"].values, counts.counts["n"].values[:, None]
    alone = bool(np.isnan(wrong).any())
    if np.isnan(n).any() or (alone and len(counts.algorithms) != 2):
        raise BayescompareError(
            "risks need the sizes of the test sets, and all errors where there are more than two "
            "algorithms: give n= and both_wrong= to ErrorCounts.from_frame, or use "
            "ErrorCounts.from_predictions."
        )
    if alone:
        wrong = counts.counts["wrong_only"].values.sum(axis=2)
    sizes = np.broadcast_to(n, wrong.shape)
    alpha, beta = error_rate_posterior(wrong, sizes, prior)
    mean = alpha / (alpha + beta)
    columns = {
        "wrong": wrong.astype(np.int64),
        "n": sizes.astype(np.int64),
        "mean": mean,
        "sd": np.sqrt(mean * (1.0 - mean) / (alpha + beta + 1.0)),
        "bound": error_rate_bound(wrong, sizes, delta, prior),
        "langford": langford_error_rate_bound(wrong, sizes, delta),
    }
    names = [list(counts.datasets), list(counts.algorithms)]
    index = pd.MultiIndex.from_product(names, names=["dataset", "algorithm"])
    table = pd.DataFrame({name: values.ravel() for name, values in columns.items()}, index=index)
    table.attrs["errors"] = "alone" if alone else "all"
    return table


def _checked_context_test_counts(counts: object) -> ErrorCounts:
    if not isinstance(counts, ErrorCounts):
        raise BayescompareError(
            f"counts is a {type(counts).__name__}: make it by bc.ErrorCounts.from_frame(...) or "
            ".from_predictions(...)."
        )
    return counts
