"""How a reproduction is declared, and what it is given when it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayescompare import BayescompareError
from bayescompare.studies import Study
from reproduction.outcome import Outcome

__all__ = ["PAPERS", "Reproduction", "Run"]

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
    """

    key: str
    replications: int
    seed: int
    n_jobs: int = 1
    store: Path | None = None
    progress: bool = False

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

    @property
    def paper(self) -> str:
        """The paper, short."""
        return PAPERS["-".join(self.key.split("-")[:2])]
