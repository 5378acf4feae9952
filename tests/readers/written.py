"""Where the files of other tools are, and how a test says what must be refused."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[1] / "data" / "readers"


def openml_frame(name: str) -> pd.DataFrame:
    """The frame as OpenML's own function returned it: pandas.read_json would guess at dates."""
    rows = json.loads((DATA / f"openml_{name}.json").read_text())
    return pd.DataFrame(rows, columns=list(rows[0]))


def mlflow_frame() -> pd.DataFrame:
    """The frame of mlflow.search_runs, in which parameters are text."""
    return pd.read_csv(DATA / "mlflow_runs.csv", dtype={"params.seed": str, "experiment_id": str})
