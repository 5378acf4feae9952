"""Every table and figure of the papers that can be had, and the door to them."""

from __future__ import annotations

import math
import time
from pathlib import Path

from bayescompare._checks import check_count, check_flag, check_jobs, check_path
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._rng import Rng, as_rng
from reproduction import benavoli, jansen, lacoste
from reproduction.outcome import Reproduction, Run
from reproduction.reproduced import Reproduced

__all__ = ["find_reproduction", "reproduce", "reproductions"]

_ALL = (*benavoli.REPRODUCTIONS, *lacoste.REPRODUCTIONS, *jansen.REPRODUCTIONS)


def reproductions() -> tuple[Reproduction, ...]:
    """Return every table and figure that can be reproduced.

    Examples
    --------
    >>> [r.key for r in reproductions()][:2]
    ['benavoli-2016-examples', 'benavoli-2016-theorem2']
    """
    return _ALL


def find_reproduction(table: object) -> Reproduction:
    """Find a reproduction by its key, or by another name of the same table.

    Examples
    --------
    >>> find_reproduction("benavoli-2016-table3").key
    'benavoli-2015-table2'
    """
    by_name = {name: r for r in _ALL for name in (r.key, *r.also)}
    if isinstance(table, str) and table in by_name:
        return by_name[table]
    hint = did_you_mean(str(table), by_name)
    raise BayescompareError(
        f"table={table!r}: no such table.{hint or f' Known are: {", ".join(by_name)}.'}"
    )


def reproduce(
    table: str,
    *,
    quick: bool = False,
    replications: int | None = None,
    rng: Rng = None,
    n_jobs: int = 1,
    store: str | Path | None = None,
    progress: bool = False,
    file: str | Path | None = None,
) -> Reproduced:
    """Compute a table or figure of one of the papers again, beside what was published.

    Parameters
    ----------
    table : str
        One of the keys of `reproductions`.
    quick : bool
        Fewer replications, and so larger Monte Carlo errors.
    replications : int, optional
        How many instead; what is counted is the reproduction's ``unit``.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the answer is the same for any.
    store : path, optional
        A folder in which finished blocks of the simulations are kept, so that a run that was
        stopped resumes. Every reproduction has a folder of its own in it.
    progress : bool
        Show a bar on standard error.
    file : path, optional
        The results of Jansen et al. as they were before rounding, fold by fold: a CSV file with
        the columns dataset, algorithm, fold, auc, accuracy, brier.

    Returns
    -------
    Reproduced

    Examples
    --------
    >>> done = reproduce("benavoli-2016-examples")
    >>> done.table.loc[done.table["case"] == "Example 3", ["published", "obtained"]].round(4)
       published  obtained
    6      0.013    0.0124
    7      0.051    0.0519
    8      0.136    0.1375
    9      0.800    0.7982
    """
    reproduction = find_reproduction(table)
    check_flag(quick=quick, progress=progress)
    check_jobs(n_jobs)
    count = reproduction.quick if quick else reproduction.replications
    if replications is not None:
        check_count(replications=replications)
        if quick:
            raise BayescompareError(f"replications={replications!r}: leave out quick=, or this.")
        # Exact tables have nothing to replicate.
        count = replications if reproduction.unit else count
    if file is not None and not reproduction.takes_table:
        able = ", ".join(r.key for r in _ALL if r.takes_table)
        raise BayescompareError(f"file={str(file)!r}: {reproduction.key} takes none; {able} do.")
    generator, seed = as_rng(rng)
    run = Run(
        key=reproduction.key,
        replications=count,
        seed=int(generator.integers(2**32)) if seed is None else seed,
        n_jobs=n_jobs,
        store=None if store is None else check_path(store, "store"),
        progress=progress,
        table=None if file is None else check_path(file, "file"),
    )
    whole = n_jobs == 1 and not (run.folder and run.folder.exists())
    begin = time.process_time()
    outcome = reproduction.function(run)
    spent = time.process_time() - begin if whole else math.nan
    return Reproduced(
        reproduction=reproduction,
        outcome=outcome,
        replications=count,
        seed=run.seed,
        cpu_seconds=spent,
    )
