"""The table of models under PyMC's and ArviZ's tools compares numbers, and tells what differs."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from benchmarks import tools


@pytest.fixture(scope="module")
def case() -> tools.Case:
    return tools.Case("dirichlet, ties")


@pytest.mark.parametrize("name", ["posterior", "do", "set_data", "compute_log_likelihood", "graph"])
def test_a_cell_is_a_number_that_was_compared(case: tools.Case, name: str) -> None:
    assert np.isfinite(tools.TOOLS[name](case))


def test_what_differs_is_told(case: tools.Case) -> None:
    other = tools.Case("dirichlet, ties")
    likelihood = other.tree["log_likelihood"].to_dataset()
    other.tree["log_likelihood"] = xr.DataTree(likelihood + 0.1)
    with pytest.raises(AssertionError, match=r"off by 0\.1"):
        tools.compute_log_likelihood(other)
    with pytest.raises(tools.Refused, match="no discrete variable"):
        tools.marginalize(case)
