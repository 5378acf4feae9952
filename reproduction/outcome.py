"""How a table or figure is declared, what it is given when it runs, and what it found.

A `Reproduction` names a table or figure and the function that computes it again; the function takes
a `Run` and returns an `Outcome`: figures beside the published ones, claims, curves, remarks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare import BayescompareError
from bayescompare.studies import Study

__all__ = [
    "AGREE",
    "CURVE_COLUMNS",
    "PAPERS",
    "TELLING",
    "Claim",
    "Figure",
    "Outcome",
    "Reproduction",
    "Run",
    "figures_table",
    "read_published",
]

#: Standard errors by which a published and an obtained figure may differ.
AGREE = 3.0

#: A Monte Carlo error so large that `AGREE` of them exceed this cannot tell whether a share agrees.
TELLING = 0.03

#: Columns of an outcome's curves; ``low`` and ``high`` are a band, NaN where there is none.
CURVE_COLUMNS = ("panel", "line", "x", "y", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number: where it stands, what the paper says, and what came out here.

    Attributes
    ----------
    case, quantity : str
        The row and the column of the paper's table, or words like them.
    obtained : float
    mcse : float
        Its Monte Carlo standard error; 0 if exact.
    published : float, optional
        None where the paper gives no number.
    rounding : float
        Half a unit of the last digit that the paper prints.
    published_mcse : float
        Standard error of the published number, where it was simulated too.
    inputs : float
        How far the rounding of the printed data can move the number obtained from them.
    target : bool
        Whether the published number can be had at all.
    """

    case: str
    quantity: str
    obtained: float
    mcse: float = 0.0
    published: float | None = None
    rounding: float = 0.0
    published_mcse: float = 0.0
    inputs: float = 0.0
    target: bool = True

    @property
    def verdict(self) -> str:
        """What the comparison says, or nothing where nothing was published.

        ``agrees``, ``differs``, ``inconclusive`` where so few replications would agree with other
        figures too, ``inputs rounded`` where it agrees with some of the data that round to those
        printed but not with these, or ``no target``.
        """
        if self.published is None:
            return ""
        if not self.target:
            return "no target"
        error = AGREE * math.hypot(self.mcse, self.published_mcse)
        # Rounding of decimals in binary is no difference.
        beyond = abs(self.obtained - self.published) - self.rounding - error - 1e-12
        if beyond <= 0.0:
            return "inconclusive" if error > TELLING else "agrees"
        return "inputs rounded" if beyond <= self.inputs else "differs"


@dataclass(frozen=True)
class Claim:
    """A statement of the paper in words, whether it holds here, and by what.

    ``holds`` is None where the Monte Carlo error is too large to tell.
    """

    text: str
    holds: bool | None
    seen: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All that a reproduction returns.

    Attributes
    ----------
    figures : sequence of Figure
    claims : sequence of Claim
    notes : sequence of str
        How it was done where the paper leaves it open, and why figures differ.
    curves : DataFrame, optional
        With the columns `CURVE_COLUMNS`.
    axes : (str, str)
        What the curves' axes are.
    """

    figures: Sequence[Figure]
    claims: Sequence[Claim] = ()
    notes: Sequence[str] = ()
    curves: pd.DataFrame | None = None
    axes: tuple[str, str] = ("", "")


def figures_table(figures: Sequence[Figure]) -> pd.DataFrame:
    """Put figures into a table, one row each.

    Examples
    --------
    >>> one = Figure(case="n=10", quantity="AUC", obtained=0.69, mcse=0.01, published=0.7)
    >>> figures_table([one])[["published", "obtained", "verdict"]].values.tolist()
    [[0.7, 0.69, 'agrees']]
    """
    rows = [
        {
            "case": f.case,
            "quantity": f.quantity,
            "published": math.nan if f.published is None else f.published,
            "obtained": f.obtained,
            "mcse": f.mcse,
            "verdict": f.verdict,
        }
        for f in figures
    ]
    columns = ["case", "quantity", "published", "obtained", "mcse", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def read_published(name: str) -> pd.DataFrame:
    """Read one of the tables typed in from the papers."""
    return pd.read_csv(Path(__file__).parent / "data" / f"{name}.csv")


#: The papers by the first part of their keys.
PAPERS = {
    "benavoli-2015": "Benavoli & de Campos (2015)",
    "benavoli-2016": "de Campos & Benavoli (2016)",
    "lacoste-2012": "Lacoste, Laviolette & Marchand (2012)",
    "jansen-2022": "Jansen, Nalenz, Schollmeyer & Augustin (2022)",
}


@dataclass(frozen=True)
class Run:
    """One run of a reproduction: how many replications, from which seed, where and how.

    Attributes
    ----------
    key : str
        Of the reproduction; it names the studies in the store.
    replications : int
        What the reproduction counts: simulated cases, resamples or runs; see its declaration.
    seed : int
    n_jobs : int
    store : Path, optional
        Folder in which finished blocks are kept.
    progress : bool
    table : Path, optional
        The results themselves, where the paper prints them rounded.
    """

    key: str
    replications: int
    seed: int
    n_jobs: int = 1
    store: Path | None = None
    progress: bool = False
    table: Path | None = None

    @property
    def folder(self) -> Path | None:
        """The study's own folder in the store."""
        return None if self.store is None else self.store / self.key

    def simulate(self, grid: Mapping[str, Any], **study: Any) -> xr.Dataset:
        """Run a study of so many replications in every scenario of the grid.

        Parameters
        ----------
        grid : mapping
        **study
            ``case`` or ``block``, and the other options of `Study`.
        """
        study_of_run = Study(name=self.key, grid=grid, replications=self.replications, **study)
        table = study_of_run.run(
            rng=self.seed, n_jobs=self.n_jobs, store=self.folder, progress=self.progress
        )
        failed = [str(text) for text in np.unique(table["errors"].values) if text]
        if failed:
            raise BayescompareError(
                f"{self.key}: some simulated cases failed, so there is no honest figure; the "
                f"first error: {failed[0]}"
            )
        return table


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A table or figure of a paper, and the function that computes it again.

    Attributes
    ----------
    key : str
        Its name, which begins with that of the paper.
    what : str
        One line: what the table or figure shows.
    published : str
        What the paper gives to compare with: numbers, or statements in words.
    function : callable
        Takes a `Run` and returns an `Outcome`.
    unit : str
        What `replications` counts; empty where nothing is simulated.
    replications, quick : int
        How many by default, and with ``quick=True``.
    seconds : float
        CPU time of the default on one core of 2024, roughly.
    also : tuple of str
        Other keys of the same table.
    takes_table : bool
        Whether it can start from results that the paper prints rounded.
    """

    key: str
    what: str
    published: str
    function: Callable[[Run], Outcome]
    unit: str = ""
    replications: int = 1
    quick: int = 1
    seconds: float = 1.0
    also: tuple[str, ...] = ()
    takes_table: bool = False

    @property
    def paper(self) -> str:
        """The paper, short."""
        return PAPERS["-".join(self.key.split("-")[:2])]
