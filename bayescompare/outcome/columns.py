"""Names of the columns that `summary()` has for some methods only: `Answer.per_statement`."""

from __future__ import annotations

from bayescompare._typing import FloatArray

#: Posterior mean of θ, and its central 95 % interval.
THETA_MEAN, THETA_LOWER, THETA_UPPER = "theta_mean", "theta_lower", "theta_upper"

#: P itself, among the figures of a statement's parts (`Answer.parts`).
PROBABILITY = "probability"

#: P under the pair's own prior, where the prior was learned from all pairs.
ALONE = "alone"

#: P over all prior means.
LOWER, UPPER = "lower", "upper"

#: P over all values that missing cells might have had, and its least under the pair's own prior.
LOWEST, HIGHEST, ALONE_LOWEST = "lowest", "highest", "alone_lowest"

#: Of each direction: the statistic, the share of resamples below it, the one-sided p-value.
OPT, SHARE_BELOW, PVALUE = "opt", "share_below", "pvalue"

#: Names of probabilities and shares, which lie between 0 and 1, in answers and their files.
SHARES = frozenset(
    {
        *(THETA_MEAN, THETA_LOWER, THETA_UPPER, LOWER, UPPER, SHARE_BELOW, PVALUE, ALONE),
        *(LOWEST, HIGHEST, ALONE_LOWEST),
        *("probability", "chi2_pvalue", "nemenyi", "equivalent", "ahead"),
        *("most probable", "beats opposite", "majority", "expected", "second_better"),
        *("rate_mean", "rate_lower", "rate_upper"),
    }
)


def theta_columns(mean: FloatArray, lower: FloatArray, upper: FloatArray) -> dict[str, FloatArray]:
    """Return the three columns about θ."""
    return {THETA_MEAN: mean, THETA_LOWER: lower, THETA_UPPER: upper}
