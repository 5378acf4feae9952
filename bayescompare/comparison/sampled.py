"""What the draws of a sampled answer say, one by one."""

from __future__ import annotations

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.answer import Answer
from bayescompare.kernels.leading import sole_leader

__all__ = ["comparison_theta_leads"]


def comparison_theta_leads(answer: Answer) -> FloatArray:
    """Whether each statement's θ is the largest, in each draw: (chain, draw, statement)."""
    assert answer.tree is not None, "only a sampled answer has draws"
    posterior = answer.tree["posterior"].to_dataset()
    if "theta" not in posterior or "statement" not in posterior["theta"].dims:
        raise BayescompareError(
            "the draws of this answer have no 'theta' over 'statement' from which to read who "
            "leads."
        )
    theta = posterior["theta"].transpose("chain", "draw", "statement")
    leads = sole_leader(theta.values).astype(np.float64)
    place = {str(label): k for k, label in enumerate(theta["statement"].values.tolist())}
    return np.asarray(leads[..., [place[label] for label in answer.labels]])
