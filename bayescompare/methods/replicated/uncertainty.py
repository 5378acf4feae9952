r"""How much of the uncertainty comes from too few replicates, and how much from too few datasets.

P(max) is an average over the counts c of statements that the datasets may show,
:math:`P_j = \sum_c p(c) P_j(c)`. With endless independent replicates every dataset's statement,
and so c, would be known, and what would remain on average is

.. math:: U_{\text{datasets}} = E_c\bigl[1 - \max_j P_j(c)\bigr],

which only more datasets reduce. The rest of :math:`U = 1 - \max_j P_j` comes from the replicates;
it is never negative, for the largest of averages is at most the average of the largest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.decision import SETTLED, Decision
from bayescompare.kernels.replicated.count_maximum import expected_count_maximum
from bayescompare.kernels.replicated.count_posterior import CountPosterior
from bayescompare.methods.replicated.details import ReplicatedDetails, UncertaintySplit
from bayescompare.methods.replicated.mixed import MixedCounts
from bayescompare.table.results import Results
from bayescompare.text.numbers import format_probability

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.answer import Answer

__all__ = [
    "uncertainty_split_of_counts",
    "uncertainty_split_of_one",
    "uncertainty_split_series",
    "uncertainty_split_words",
]


def uncertainty_split_of_counts(posterior: CountPosterior | MixedCounts) -> UncertaintySplit | None:
    """Split 1 − max P; None where the prior's strength is uncertain, too."""
    if isinstance(posterior, MixedCounts):
        return None
    largest, error = posterior.expected_largest or (_replicated_uncertainty_largest(posterior), 0.0)
    total = 1.0 - float(posterior.probability.max())
    # Rounding aside, the datasets' part is at most the whole.
    datasets = min(max(1.0 - largest, 0.0), total)
    return UncertaintySplit(total=total, replicates=total - datasets, datasets=datasets, mcse=error)


def uncertainty_split_of_one(evidence: FloatArray) -> UncertaintySplit:
    """One dataset is asked about itself, so only its replicates are too few."""
    total = 1.0 - float(evidence.max())
    return UncertaintySplit(total=total, replicates=total, datasets=0.0, mcse=0.0)


def _replicated_uncertainty_largest(posterior: CountPosterior) -> float:
    """Return the expectation of the largest P(max) given the counts."""
    vectors = posterior.vectors.astype(np.int64)
    tracked = np.flatnonzero(vectors.min(axis=0) != vectors.max(axis=0))
    fixed = vectors[0].astype(np.float64)
    fixed[tracked] = 0.0
    return expected_count_maximum(
        posterior.alpha, fixed, tracked, vectors[:, tracked], posterior.average
    )


def uncertainty_split_series(answer: Answer) -> pd.Series[float]:
    """Return the parts by name."""
    import pandas as pd

    split = ReplicatedDetails.of(answer).uncertainty
    if split is None:
        raise BayescompareError(
            "uncertainty: this answer was saved by a version that did not split it; compare() "
            "again."
        )
    parts = {"total": split.total, "replicates": split.replicates, "datasets": split.datasets}
    series = pd.Series(parts, name="uncertainty", dtype=np.float64)
    series.attrs["mcse"] = split.mcse
    return series


def uncertainty_split_words(
    results: Results, details: ReplicatedDetails, decision: Decision
) -> str:
    """Say what the remaining uncertainty comes from, and so what to collect next."""
    split = details.uncertainty
    if split is None or decision.level >= SETTLED or len(results.datasets) == 1:
        return ""
    parts = split.total, split.replicates, split.datasets
    total, replicates, datasets = map(format_probability, parts)
    start = (
        f"Of the uncertainty that is left ({total}), {replicates} comes from too few replicates, "
        f"which leave datasets unsure of their statement, and {datasets} from too few datasets: "
    )
    if split.replicates <= split.datasets:
        advice = "most of it would remain with endless replicates, so collect more datasets"
    elif max(details.rho) == 0.0:
        advice = "most of it would go with endless replicates, so collect more of them first"
    else:
        # More of them approach ρ/(1 − ρ), not certainty: the datasets can be the better buy.
        advice = (
            "most of it would go with endless independent replicates, but those of one "
            "cross-validation share their data, so collect independent ones or more datasets"
        )
    return f"{start}{advice}; plan() says how many of either would settle it."
