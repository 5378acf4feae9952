"""`LumpedStatements`: the at most 256 cells that draws and PyMC models see of a statement space.

Beyond 256 statements the 255 of largest count stay and the rest is one cell, ``"(other)"``, which
is their exact Dirichlet aggregate. P(max) never comes from that aggregate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.draws import dirichlet_log_theta, draw_dirichlet_latents
from bayescompare.kernels.numerics.gammas import TINY
from bayescompare.posterior.component import Component
from bayescompare.statements import DENSE, OTHER, Statements

#: Beyond e^690 a cell outweighs all data; kept there, nothing overflows.
MOST_LOG_ALPHA = 690.0


@dataclass(frozen=True)
class LumpedStatements:
    """Cells, counts and weights as draws and models use them.

    Attributes
    ----------
    labels : tuple of str
        Statement labels; the last may be ``"(other)"``.
    log_alpha, counts : arrays (S,)
        Prior parameters (logarithms) and counts.
    log_multiplicity : array (S,)
        Logarithm of how many statements each cell stands for: 0 but for ``"(other)"``.
    weights : array (n, S)
        Each dataset's weights.
    wins : array (S, m) or (S, m, l)
        Whether the first of two algorithms is better on each measure in each cell; with more
        algorithms, which one is ranked first. The row of ``"(other)"`` is zero.
    other : pair of arrays (m, 2) or (m, l), optional
        Prior Dirichlet parameters (logarithms) and counts of the same within ``"(other)"``.
    """

    labels: tuple[str, ...]
    log_alpha: FloatArray
    counts: FloatArray
    log_multiplicity: FloatArray
    weights: FloatArray
    wins: FloatArray
    other: tuple[FloatArray, FloatArray] | None

    @property
    def has_other(self) -> bool:
        """Whether the last cell is the aggregate ``"(other)"``."""
        return self.other is not None

    @classmethod
    def from_cells(
        cls, statements: Statements, cells: Component, leading: FloatArray | None = None
    ) -> LumpedStatements:
        """List all statements, or the leading ones and ``"(other)"``.

        `leading`, where the statements that are not listed are not all alike, is the prior mass
        (m, 2) or (m, l) of who leads each measure, over all statements.
        """
        n, table = len(statements.datasets), statements.table
        if statements.size <= DENSE:
            weights = np.zeros((n, statements.n_listed))
            weights[table.dataset, table.statement] = table.weight
            nothing = np.zeros(statements.n_listed)
            wins = _lumped_statement_wins(statements, np.arange(statements.n_listed))
            return cls(
                statements.labels, cells.log_alpha, table.counts, nothing, weights, wins, None
            )
        keep = statements.leading(DENSE - 1)
        rest = np.setdiff1d(np.arange(statements.n_listed), keep)
        column = np.full(statements.n_listed, len(keep))
        column[keep] = np.arange(len(keep))
        weights = np.zeros((n, len(keep) + 1))
        np.add.at(weights, (table.dataset, column[table.statement]), table.weight)
        in_rest = np.logaddexp.reduce([*cells.log_alpha[rest], cells.log_rest])
        size = statements.size - len(keep)
        wins = _lumped_statement_wins(statements, keep)
        return cls(
            labels=(*(statements.labels[k] for k in keep), OTHER),
            log_alpha=np.append(cells.log_alpha[keep], min(in_rest, MOST_LOG_ALPHA)),
            counts=np.append(table.counts[keep], table.counts[rest].sum()),
            log_multiplicity=np.append(np.zeros(len(keep)), math.log(size)),
            weights=weights,
            wins=np.concatenate([wins, np.zeros_like(wins[:1])]),
            other=_leaders_in_lumped_rest(statements, cells, rest, leading),
        )

    def marginal(
        self,
        theta: FloatArray,
        rng: np.random.Generator,
        *,
        prior: bool = False,
        strength: FloatArray | None = None,
    ) -> FloatArray:
        """Per measure: P(the first is better), or P(each is ranked first) for l > 2.

        Within ``"(other)"`` the share of wins on each measure is a Beta (Dirichlet) of its own;
        every measure's marginal is exact, their dependence within that cell is not kept.
        `strength`, one for each draw, is what α is multiplied by.
        """
        shares_won = np.asarray(np.tensordot(theta, self.wins, axes=1))
        if self.other is None:
            return shares_won
        log_alpha, counts = self.other
        for j, (own, seen) in enumerate(zip(log_alpha, counts, strict=True)):
            seen = np.zeros_like(seen) if prior else seen
            own = own if strength is None else own + np.log(strength)[..., None]
            shares = np.exp(
                dirichlet_log_theta(own, *draw_dirichlet_latents(own, seen, theta.shape[:-1], rng))
            )
            shares *= theta[..., -1:]
            if shares_won.ndim == theta.ndim:
                shares_won[..., j] += shares[..., 0]
            else:
                shares_won[..., j, :] += shares
        return shares_won


def _lumped_statement_wins(statements: Statements, keep: IntArray) -> FloatArray:
    """Which algorithm leads each measure in the statements kept."""
    l = len(statements.algorithms)
    columns = zip(statements.levels, statements.table.states[keep].T, strict=True)
    leaders = np.stack([level[column, 0] for level, column in columns], axis=1)
    leads: FloatArray = (leaders[:, :, None] == np.arange(l)).astype(np.float64)
    return leads[:, :, 0] if l == 2 else leads


def _leaders_in_lumped_rest(
    statements: Statements, cells: Component, rest: IntArray, leading: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Prior parameters (logarithms) and counts of who leads each measure within the rest."""
    l = len(statements.algorithms)
    every, within = (
        _lumped_statement_wins(statements, np.arange(statements.n_listed)),
        _lumped_statement_wins(statements, rest),
    )
    if l == 2:
        every, within = (np.stack([w, 1.0 - w], axis=-1) for w in (every, within))
    counts = np.einsum("s,smc->mc", statements.table.counts[rest], within)
    if leading is not None:
        kept = np.setdiff1d(np.arange(statements.n_listed), rest)
        masses = leading - np.einsum("s,smc->mc", cells.alpha[kept], every[kept])
        # Rounding may leave less than nothing where the kept ones have it all.
        return np.log(np.maximum(masses, TINY)), counts
    log_alpha = np.empty_like(counts)
    log_each = cells.lumps[0][0] if cells.lumps else -math.inf
    for j, arity in enumerate(statements.arities):
        for c in range(counts.shape[1]):
            # A measure's states lead equally often over all K statements; with a rope the second
            # class is "not better", two of its three states.
            share = (1 if c == 0 else arity - 1) if l == 2 else arity // l
            unlisted = statements.size * share // arity - round(float(every[:, j, c].sum()))
            logs = [log_each + math.log(unlisted)] if unlisted > 0 else []
            listed = cells.log_alpha[rest][within[:, j, c] > 0]
            log_alpha[j, c] = np.logaddexp.reduce([*logs, *listed], initial=-math.inf)
    return np.minimum(log_alpha, MOST_LOG_ALPHA), counts
