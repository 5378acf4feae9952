"""The comparison type of the test from replicates, and what its answers tell of each dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.methods._shared.domains import Domains
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.details import Details
from bayescompare.outcome.questions import Questions
from bayescompare.table.results import Results
from bayescompare.text.numbers import setting_number_text

if TYPE_CHECKING:
    from bayescompare.posterior.dirichlet import DirichletMixture

__all__ = ["ReplicatedComparison", "ReplicatedDetails", "UncertaintySplit"]

#: A row for every dataset, a number in it for every statement.
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class UncertaintySplit(Details):
    r"""How much of 1 − max P comes from too few replicates, and how much from too few datasets.

    P(max) is an average over the counts c of statements that the datasets may show,
    :math:`P_j = \sum_c p(c) P_j(c)`. With endless independent replicates every dataset's statement,
    and so c, would be known, and what would remain on average is

    .. math:: U_{\text{datasets}} = E_c\bigl[1 - \max_j P_j(c)\bigr],

    which only more datasets reduce. The rest of :math:`U = 1 - \max_j P_j` comes from the
    replicates; it is never negative, for the largest of averages is at most the average of the
    largest.

    Attributes
    ----------
    total : float
        1 − max P.
    replicates, datasets : float
        Its parts: what would be gone if every dataset's statement were known, and what would not.
    mcse : float
        Standard error of the parts; zero where they are exact.
    """

    total: float
    replicates: float
    datasets: float
    mcse: float

    @classmethod
    def of_posterior(cls, posterior: DirichletMixture) -> Self:
        """Split it, where no prior was learned."""
        known, error = posterior.leader_known()
        total = 1.0 - float(posterior.p_max()[:-1].max())
        # Rounding aside, the datasets' part is at most the whole.
        datasets = min(max(1.0 - known, 0.0), total)
        return cls(total=total, replicates=total - datasets, datasets=datasets, mcse=error)

    @classmethod
    def of_one(cls, probability: FloatArray) -> Self:
        """One dataset is asked about itself, so only its replicates are too few."""
        total = 1.0 - float(probability.max())
        return cls(total=total, replicates=total, datasets=0.0, mcse=0.0)


@dataclass(frozen=True, kw_only=True)
class ReplicatedDetails(Details):
    """Every dataset by itself and given the others, and how its replicates were read.

    Attributes
    ----------
    evidence : rows
        What each dataset's own replicates say, every row summing to one.
    per_dataset : rows
        The same given all datasets.
    replicates : tuple of float
        Replicates (or clusters) of each dataset.
    rho : tuple of float
        Their correlation.
    effects : str
        "flat" or "learned", as it was used; "counts" where every dataset was judged by counts of
        right and wrong items.
    scales, scale_weights : tuples of float
        Values of the scale of effects, and their posterior weights; empty where it is not learned.
    few : tuple of str
        Datasets with no more replicates than measures, judged measure by measure.
    error : float
        Largest standard error of a probability of a dataset's own.
    counted : tuple of str, optional
        Datasets judged by counts of right and wrong items; None where there are none.
    how : str
        "exact", or "gibbs" where the counts were sampled.
    uncertainty : UncertaintySplit, optional
        None where the answer is NUTS's or the prior was learned from pairs.
    """

    evidence: Rows
    per_dataset: Rows
    replicates: tuple[float, ...]
    rho: tuple[float, ...]
    effects: str
    scales: tuple[float, ...]
    scale_weights: tuple[float, ...]
    few: tuple[str, ...]
    error: float
    how: str
    counted: tuple[str, ...] | None = None
    uncertainty: UncertaintySplit | None = None

    @classmethod
    def of_table(
        cls,
        results: Results,
        table: TableEvidence,
        evidence: FloatArray,
        per_dataset: FloatArray,
        version: FloatArray,
        *,
        how: str,
        uncertainty: UncertaintySplit | None = None,
    ) -> Self:
        """Collect them: rows (n, K) alone and given all, and the weights of the versions."""
        learned = table.effects == "learned" and len(version) > 1
        measures = len(results.measures)
        counted = np.zeros(len(table.rho), bool) if table.counted is None else table.counted
        dof = table.moments.dof
        few = (dof < measures) & ~counted & (table.effects == "flat") & (measures > 1)
        names = np.array(results.datasets)
        return cls(
            evidence=_rows(evidence),
            per_dataset=_rows(per_dataset),
            replicates=tuple((dof + 1.0).tolist()),
            rho=tuple(table.rho.tolist()),
            effects=table.effects,
            scales=tuple(table.evidence.scales.tolist()) if learned else (),
            scale_weights=tuple(version.tolist()) if learned else (),
            few=tuple(names[few].tolist()),
            error=table.evidence.error,
            how=how,
            counted=tuple(names[counted].tolist()) or None,
            uncertainty=uncertainty,
        )


def _rows(matrix: FloatArray) -> Rows:
    return tuple(tuple(row) for row in matrix.tolist())


#: Statements from which a printed table leaves out those that are improbable on every dataset.
_MANY, _LEAST_SHOWN = 4, 0.01


@dataclass(frozen=True, eq=False, repr=False)
class ReplicatedComparison(Domains, Questions, Comparison):
    """A comparison whose datasets are themselves uncertain."""

    @property
    def evidence(self) -> xr.DataArray:
        """What each dataset's own replicates say, over "dataset" and "statement"; rows sum to 1."""
        details = ReplicatedDetails.of(self.answer)
        return xr.DataArray(
            np.array(details.evidence),
            {"dataset": list(self.results.datasets), "statement": list(self.answer.labels)},
            dims=("dataset", "statement"),
            name="evidence",
            attrs={**self.attrs, "effects": details.effects, "error": details.error},
        )

    @property
    def per_dataset(self) -> pd.DataFrame:
        """P of every statement on each dataset after hearing the others, and its replicates."""
        details = ReplicatedDetails.of(self.answer)
        index = pd.Index(self.results.datasets, name="dataset")
        table = pd.DataFrame(
            np.array(details.per_dataset), index=index, columns=list(self.answer.labels)
        )
        table["replicates"] = np.array(details.replicates, dtype=int)
        return table

    @property
    def uncertainty(self) -> pd.Series[float]:
        """What 1 − P of the leading statement comes from: its "total", and two parts of it.

        "replicates" is what would be gone on average if endless independent replicates showed
        every dataset's statement; "datasets" is what would remain. ``attrs["mcse"]`` is the error
        of the parts, zero where they are exact.
        """
        self._require("uncertainty")
        split = ReplicatedDetails.of(self.answer).uncertainty
        if split is None:
            raise BayescompareError(
                "uncertainty: this answer was saved by a version that did not split it; compare() "
                "again."
            )
        parts = {"total": split.total, "replicates": split.replicates, "datasets": split.datasets}
        series = pd.Series(parts, name="uncertainty", dtype=np.float64)
        series.attrs["mcse"] = split.mcse
        return series

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every dataset, and what the uncertainty comes from, headed to be printed."""
        table = self.per_dataset
        tables = {"Datasets": table}
        if len(self.answer.labels) > _MANY:
            # A column for each of many statements is more than a page is wide.
            shown = table.loc[:, table.max() >= _LEAST_SHOWN]
            tables = {
                f"Datasets (statements below {setting_number_text(_LEAST_SHOWN)} left out)": shown
            }
        if self.results.groups is not None:
            tables = {"Domains": self.domains, **tables}
        if ReplicatedDetails.of(self.answer).uncertainty is not None:
            tables["What the uncertainty comes from"] = self.uncertainty.to_frame().rename_axis(
                "part"
            )
        return tables

    def _lacking(self) -> set[str]:
        """Leave out the split that an answer saved earlier does not have."""
        split = ReplicatedDetails.of(self.answer).uncertainty
        without = set() if self.results.groups is not None else {"domains"}
        lacking = super()._lacking() | without | ({"uncertainty"} if split is None else set())
        # What each dataset says is there, even where all of them have no evidence of a model.
        return lacking - {"evidence"}
