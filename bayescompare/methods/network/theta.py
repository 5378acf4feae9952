"""Mean and interval of each θ under one graph or several, and the four questions about the best."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import theta_columns
from bayescompare.comparison.decision import decide
from bayescompare.comparison.questions import FourQuestions
from bayescompare.methods.network.posterior import NetworkLayout
from bayescompare.statements import Statements

__all__ = ["MOST_DRAWN", "drawn_theta"]


#: Draws behind intervals of θ and the questions that have no closed form under a network, and
#: how many cells of tables may be drawn for them: very wide tables get fewer draws.
_DRAWS = 20_000
MOST_DRAWN = 200_000_000
_BLOCK = 4_000_000


def drawn_theta(
    statements: Statements,
    layouts: Sequence[NetworkLayout],
    weights: FloatArray,
    answer: Answer,
) -> tuple[dict[str, FloatArray], FourQuestions]:
    """The mean exactly, given the graphs; intervals and two of the questions are drawn.

    Draws have a seed of their own: they are the same at every call.
    """
    fixed = np.random.default_rng(0)
    rows = statements.table.states
    best = answer.labels.index(decide(answer).statement)
    opposite = statements.opposite_states(best)
    asked = rows[[best]] if opposite is None else np.stack([rows[best], opposite])
    mean, drawn, two = np.zeros(len(rows)), [], []
    for layout, weight in zip(layouts, weights, strict=True):
        tables = layout.tables
        mean += weight * np.exp(tables.log_mean()[tables.cells(rows)].sum(axis=-1))
        listed, pair = _theta_draws(layout, weight, asked, fixed)
        drawn.append(listed)
        two.append(pair)
    low, high = np.quantile(np.concatenate(drawn), [0.025, 0.975], axis=0)
    place = {label: k for k, label in enumerate(layouts[0].listing.labels)}
    columns = np.array([place.get(label, -1) for label in answer.labels])
    pair = np.concatenate(two)
    assert answer.probability is not None
    beats = float((pair[:, 0] > pair[:, -1]).mean()) if len(asked) > 1 else None
    figures = FourQuestions(
        most_probable=float(answer.probability[best]),
        beats_opposite=beats,
        majority=float((pair[:, 0] > 0.5).mean()),
        expected=float(mean[best]),
    )
    ends = (np.where(columns >= 0, end[columns], math.nan) for end in (low, high))
    return theta_columns(mean, *ends), figures


def _theta_draws(
    layout: NetworkLayout, weight: float, asked: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw θ of the listed statements and of those asked about.

    In blocks that stay small however wide the tables are.
    """
    tables = layout.tables
    draws = max(1, round(weight * min(_DRAWS, max(1000, MOST_DRAWN // len(tables.alpha)))))
    step = max(1, _BLOCK // len(tables.alpha))
    listed, two = [], []
    for start in range(0, draws, step):
        logs = tables.log_draws(min(step, draws - start), rng)
        listed.append(layout.theta(logs))
        two.append(logs[:, tables.cells(asked)].sum(axis=-1))
    return np.concatenate(listed), np.exp(np.concatenate(two))
