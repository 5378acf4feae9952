"""Statements of new datasets: labels drawn from a posterior predictive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, StrArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.urn import draw_urn_cells, polya_urn
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.posterior import Posterior
from bayescompare.statements import OTHER, State, Statement, Statements

if TYPE_CHECKING:
    import xarray as xr

__all__ = [
    "share_labels",
    "shared_categorical_labels",
    "shared_sampled_posterior",
    "shared_urn_labels",
    "thinned_shared_draws",
]


def shared_urn_labels(
    statements: Statements,
    cells: DirichletCells,
    size: int,
    number: int,
    rng: np.random.Generator,
    draw: Callable[[np.random.Generator], str] | None = None,
) -> StrArray:
    """Draw the statements of `number` new datasets, `size` times over, θ integrated out.

    A dataset that falls among the statements not listed gets one of them, so every label is a
    statement however many there are. They are alike probable, unless `draw` draws statements in
    proportion to their α.
    """
    cell, source = polya_urn(cells, size, number, rng)
    labels = np.array([*statements.labels, OTHER], dtype=object)[cell]
    # What repeats another takes its label.
    new = (cell == statements.n_listed) & (source == np.arange(number))
    if draw is None:
        labels[new] = _shared_prediction_unlisted(statements, int(new.sum()), rng)
    else:
        labels[new] = [
            _draw_shared_unlisted_prediction(statements, draw, rng) for _ in range(int(new.sum()))
        ]
    return np.take_along_axis(labels, source, axis=1).astype(np.str_)


def _shared_prediction_unlisted(
    statements: Statements, number: int, rng: np.random.Generator
) -> list[str]:
    """Draw statements that are not listed, each alike probable."""
    labels: list[str] = []
    while len(labels) < number:
        wanted = number - len(labels)
        columns = [
            _shared_prediction_states(statements, j, wanted, rng)
            for j in range(len(statements.measures))
        ]
        drawn = (str(Statement(states)) for states in zip(*columns, strict=True))
        labels += [label for label in drawn if statements.find(label) is None]
    return labels


def _draw_shared_unlisted_prediction(
    statements: Statements,
    draw: Callable[[np.random.Generator], str],
    rng: np.random.Generator,
) -> str:
    """Draw until it is a statement that is not listed."""
    while statements.find(label := draw(rng)) is not None:
        pass
    return label


def _shared_prediction_states(
    statements: Statements, measure: int, number: int, rng: np.random.Generator
) -> list[State]:
    """Draw states of a measure, each alike probable."""
    names = statements.algorithms
    if statements.arities[measure] == 3:
        order = State.order(*names)
        states = (order, State.equal(*names), order.reversed())
        return [states[k] for k in rng.integers(3, size=number)]
    places = rng.permuted(np.tile(np.arange(len(names)), (number, 1)), axis=1)
    return [State.order(*(names[k] for k in row)) for row in places.tolist()]


def shared_categorical_labels(
    theta: FloatArray, labels: Sequence[str], number: int, rng: np.random.Generator
) -> StrArray:
    """Draw `number` statements for every draw of their probabilities (draws, statements)."""
    return np.array(labels, dtype=np.str_)[draw_urn_cells(theta, number, rng)]


def share_labels(asked: Posterior, number: int, draws: int, rng: np.random.Generator) -> StrArray:
    """Draw the share of datasets that have each statement, and the statements of new ones from it.

    The shares are `theta` over "statement", or `r` or `q`, that of the first of two statements. The
    draws are exact where the answer is, else those of the answer.
    """
    answer = asked.answer
    if answer.tree is None and not asked.method.needs_mcmc:
        posterior = asked.draws(draws, 1, rng)["posterior"].to_dataset()
    else:
        posterior = shared_sampled_posterior(answer)
    if "theta" in posterior:
        theta = thinned_shared_draws(
            posterior["theta"].sel(statement=list(answer.labels)), draws, rng
        )
    else:
        (name,) = (name for name in ("r", "q") if name in posterior)
        rate = thinned_shared_draws(posterior[name], draws, rng)
        theta = np.stack([rate, 1.0 - rate], axis=1)
    return shared_categorical_labels(theta, answer.labels, number, rng)


def shared_sampled_posterior(answer: Answer) -> xr.Dataset:
    """Return the draws that an answer came from."""
    if answer.tree is None:
        raise BayescompareError(
            "predict: the chains of this answer were not saved (JSON does not hold them, netCDF "
            "does); ask compare() again."
        )
    return answer.tree["posterior"].to_dataset()


def thinned_shared_draws(values: xr.DataArray, draws: int, rng: np.random.Generator) -> AnyArray:
    """Take so many of the draws at random, more than there are only with repetition: draws first.

    The same generator state takes the same draws of every variable.
    """
    stacked = values.stack(sample=("chain", "draw")).transpose("sample", ...)
    there = stacked.sizes["sample"]
    return stacked.values[rng.choice(there, size=draws, replace=draws > there)]
