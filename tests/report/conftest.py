"""Pages that several tests read, rendered once."""

from __future__ import annotations

import pytest

import bayescompare as bc
from bayescompare.report import render


@pytest.fixture(scope="session")
def example1_html(example1: bc.Comparison) -> str:
    return render(example1)


@pytest.fixture(scope="session")
def pairs_html(pairs: bc.Pairwise) -> str:
    return render(pairs)
