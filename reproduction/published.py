"""What the papers print, from the files in the package's ``data`` folder."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

__all__ = ["read_published"]


def read_published(name: str) -> pd.DataFrame:
    """Read one of the tables typed in from the papers.

    Examples
    --------
    >>> read_published("published_auc")["glrt"].head(2).tolist()
    [0.686, 0.583]
    """
    with (files("bayescompare") / "data" / f"{name}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)
