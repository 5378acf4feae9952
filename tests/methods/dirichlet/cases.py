"""How the tests of the multinomial-Dirichlet test ask it, and tables that they draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bayescompare as bc
from bayescompare.comparisons import DirichletComparison
from bayescompare.methods import Dirichlet
from bayescompare.table.results import Results


def ask(results: Results, **choices: Any) -> DirichletComparison:
    c = bc.compare(results, method=Dirichlet(**choices))
    assert isinstance(c, DirichletComparison)
    return c


def example_1() -> Results:
    return bc.load_example("benavoli-example1")


def arrays(
    l: int = 2, m: int | st.SearchStrategy[int] = 2, least: int = 2, most: int = 6
) -> st.SearchStrategy[np.ndarray]:
    """Tables of small integers, ties and all, without a constant measure."""
    measures = st.just(m) if isinstance(m, int) else m
    shape = st.tuples(st.integers(least, most), st.just(l), measures)
    made = shape.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, 3).map(float)))
    return made.filter(lambda v: bool(np.all(np.ptp(v, axis=(0, 1)) > 0)))


def sample_table(n: int, l: int, m: int, seed: int = 0, *, ties: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, l, m)).astype(float) if ties else rng.random((n, l, m))


def figures(c: DirichletComparison) -> dict[str, Any]:
    """Every figure by label, so that two listings can be compared."""
    s = c.summary()
    return {
        "statements": {k: row.to_dict() for k, row in s.iterrows()},
        "best": c.best,
        "unobserved": c.unobserved,
        "questions": c.questions.to_dict(),
        "log_evidence": c.log_evidence,
        "loo": c.loo().elpd_i.values.tolist(),
        "elpd": c.loo().elpd,
        "p": c.loo().p,
    }


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            same(found[key], expected[key])
    elif isinstance(expected, str):
        assert found == expected
    else:
        assert found == pytest.approx(expected, abs=1e-10, nan_ok=True)
