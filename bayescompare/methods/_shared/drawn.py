"""What draws of θ say of each statement, for every method about θ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.dirichlet.parts import parts_of_draws
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.columns import PROBABILITY, theta_columns
from bayescompare.outcome.decision import decide
from bayescompare.outcome.questions import FourQuestions
from bayescompare.statements import Statements

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["drawn_parts", "drawn_theta_summary", "shared_sampled_questions"]


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


def shared_sampled_questions(
    theta: xr.DataArray, statements: Statements, answer: Answer
) -> FourQuestions:
    """The four questions about the best statement, from draws of θ."""
    best = decide(answer).statement
    opposite = statements.opposite(best)
    assert answer.probability is not None
    most_probable = float(answer.probability[answer.labels.index(best)])
    known = set(theta["statement"].values.tolist())
    if best not in known:
        return FourQuestions(most_probable, None, None, None)
    mine = theta.sel(statement=best)
    # An opposite that is not listed was never observed and hides in the aggregate.
    beats = None
    if opposite in known and opposite != best:
        beats = float((mine > theta.sel(statement=opposite)).mean())
    majority = float((mine > 0.5).mean())
    return FourQuestions(most_probable, beats, majority, float(mine.mean()))
