r"""Prior parameters of the cells of conditional tables.

BDeu gives each cell :math:`\alpha = \mathrm{ESS}/(q\,r)`, with q rows and r states. Then graphs
that express the same independences have the same score and the same distribution of θ. With
:math:`\alpha_{jk}` of measure j and state k, the same in every row, this need not be so.

References
----------
Heckerman, Geiger & Chickering (1995), Learning Bayesian networks, on likelihood equivalence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayescompare._typing import FloatArray

__all__ = ["CellPrior"]


@dataclass(frozen=True)
class CellPrior:
    """α of every cell of every table.

    Attributes
    ----------
    ess : float
        Equivalent sample size: α = ESS/(q r).
    alpha : tuple of tuple of float, optional
        α by measure and state, the same in every row; then the ESS has no part in it.

    Examples
    --------
    A table of two rows and two states:

    >>> CellPrior(1.0).cells(0, 2, 2).tolist()
    [0.25, 0.25, 0.25, 0.25]
    >>> CellPrior(alpha=((2.0, 1.0),)).cells(0, 2, 2).tolist()
    [2.0, 1.0, 2.0, 1.0]
    """

    ess: float = 1.0
    alpha: tuple[tuple[float, ...], ...] | None = None

    @classmethod
    def of(cls, prior: float | CellPrior) -> CellPrior:
        """Read a number as the ESS of BDeu."""
        return prior if isinstance(prior, CellPrior) else cls(float(prior))

    @property
    def equivalent(self) -> bool:
        """Whether graphs that express the same independences have the same score."""
        return self.alpha is None

    def cells(self, measure: int, rows: int, arity: int) -> FloatArray:
        """Return α of the cells of a measure's table, row after row."""
        if self.alpha is None:
            return np.full(rows * arity, self.ess / (rows * arity))
        return np.tile(np.array(self.alpha[measure]), rows)
