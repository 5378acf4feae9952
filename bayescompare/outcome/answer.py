"""`Answer`: what a method found, as plain arrays and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.outcome.columns import SHARES
from bayescompare.outcome.details import Details, Scalars

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.statements import Statements

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """The result of a method, as arrays over the listed statements.

    Attributes
    ----------
    labels : tuple of str
        The statements, ``"A>B|B>A"``.
    states : tuple of tuple of str
        For every measure, the ordering in each statement.
    counts : array (S,)
        Weight of the datasets that support each statement.
    n_statements : int
        Number K of possible statements.
    n_observed : int
        Number of statements that some dataset supports.
    probability : array (S,), optional
        P(the statement is the most probable one).
    unobserved : float, optional
        The same for all statements never observed, together.
    mcse : array (S,), optional
        Monte Carlo standard error of `probability`; None when it is exact.
    none_leads : float
        P(no statement leads, because two or more are exactly equal): 0 unless a prior or a model
        gives equality mass. With `probability` and what is not listed it sums to one.
    pvalue, statistic : float, optional
        Of a frequentist method.
    log_evidence : float, optional
        Where it is closed.
    per_statement : mapping of str to array (S,)
        Fields of one method only, per statement.
    parts : mapping of str to array (S, m)
        How sure what each statement says of each measure by itself is: "probability", and where
        there are such figures "alone" and "lowest", or "pvalue". Empty for one measure, where
        part and whole are the same, and for questions about all measures at once.
    scalars : Scalars
        Numbers of one method only, about the whole.
    details : Details
        What one method alone has to tell, such as the edges of a learned graph.
    posterior : DirichletMixture, optional
        θ after the data, which the figures were read off. Files do not hold it
        (`Comparison.posterior`).
    tree : DataTree, optional
        The posterior, where the answer came from draws.
    seed : int, optional
        What the sampling was seeded with.
    tested : int, optional
        Which statement a p-value is about, where it need not be that of the largest count.
    resampled_pvalue : bool
        Whether the p-value comes from random resamples.
    """

    labels: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    counts: FloatArray
    n_statements: int
    n_observed: int
    _: KW_ONLY
    probability: FloatArray | None = None
    unobserved: float | None = None
    mcse: FloatArray | None = None
    none_leads: float = 0.0
    pvalue: float | None = None
    statistic: float | None = None
    log_evidence: float | None = None
    per_statement: Mapping[str, FloatArray] = field(default_factory=dict)
    parts: Mapping[str, FloatArray] = field(default_factory=dict)
    scalars: Scalars = field(default_factory=Scalars)
    details: Details = field(default_factory=Details)
    posterior: DirichletMixture | None = None
    tree: xr.DataTree | None = None
    seed: int | None = None
    tested: int | None = None
    resampled_pvalue: bool = False

    @property
    def exact(self) -> bool:
        """Whether the figures carry no Monte Carlo error."""
        return self.mcse is None and not self.resampled_pvalue

    def bounded(self, *, foreign: bool) -> Answer:
        """Return the same with every probability within [0, 1]; see `as_probability`."""
        columns = {
            name: as_probability(values, foreign=foreign) if name in SHARES else values
            for name, values in self.per_statement.items()
        }
        found = {
            name: as_probability(value, foreign=foreign)
            for name in ("probability", "unobserved", "none_leads", "pvalue")
            # A file may hold anything here, and its own checks say so.
            if isinstance(value := getattr(self, name), float | np.ndarray)
        }
        whole: Any = {k: v if v.ndim else float(v) for k, v in found.items()}
        parts = {k: as_probability(values, foreign=foreign) for k, values in self.parts.items()}
        scalars = self.scalars.bounded(foreign)
        return replace(self, per_statement=columns, parts=parts, scalars=scalars, **whole)

    def column_at(self, column: str, statement: str) -> float:
        """Return what a column of `per_statement` has for a statement."""
        return float(self.per_statement[column][self.labels.index(statement)])

    @classmethod
    def over(cls, statements: Statements, **figures: Any) -> Answer:
        """Build an answer over all the listed statements."""
        return cls(
            labels=statements.labels,
            states=statements.states,
            counts=statements.table.counts,
            n_statements=statements.size,
            n_observed=statements.n_observed,
            **figures,
        )
