"""The tasks by pgmpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = "pgmpy"


def best_graph(case: dict[str, Any]) -> Callable[[], Any]:
    """The parents of each measure by hill climbing under BDeu, row by row."""
    import pandas as pd
    from pgmpy.causal_discovery import HillClimbSearch
    from pgmpy.structure_score import BDeu

    wins = np.array(case["wins"])
    names = [f"m{j}" for j in range(wins.shape[1])]
    frame = pd.DataFrame(wins, columns=names).astype("category")

    def call() -> Any:
        finder = HillClimbSearch(
            scoring_method=BDeu(frame, equivalent_sample_size=1),
            max_indegree=case["parents"],
            return_type="dag",
            show_progress=False,
        )
        finder.fit(frame)
        adjacency = np.zeros((len(names), len(names)))
        for parent, child in finder.causal_graph_.edges():
            adjacency[names.index(parent), names.index(child)] = 1.0
        return adjacency.ravel()

    return call
