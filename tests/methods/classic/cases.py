"""The four classical tests of a pair, and how their tests ask them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bayescompare as bc
from bayescompare.methods.classic.hypotheses import Sign, Wilcoxon
from bayescompare.methods.classic.per_measure import AllTest, OneTest, PerMeasure
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.method import Method
from bayescompare.table.results import Results
from tests.tables import table

SINGLE: tuple[type[Method], ...] = (Sign, Wilcoxon)
RULES: tuple[type[PerMeasure], ...] = (AllTest, OneTest)
EVERY = (*SINGLE, *RULES)


def ask(results: Results, method: Method | type[Method]) -> Comparison:
    return bc.compare(results, method=method)


def arrays(m: int, most: int = 8) -> st.SearchStrategy[np.ndarray]:
    shape = st.tuples(st.integers(2, most), st.just(2), st.just(m))
    made = shape.flatmap(lambda s: hnp.arrays(float, s, elements=st.integers(0, 4).map(float)))
    return made.filter(lambda v: bool(np.all(np.ptp(v, axis=(0, 1)) > 0)))


def pair(differences: list[float], **options: object) -> Results:
    """Two algorithms whose values on one measure differ by these."""
    values = [[[10.0 + d], [10.0]] for d in differences]
    return table(values, **options)  # type: ignore[arg-type]


def measures_of(m: int) -> st.SearchStrategy[tuple[type[Method], np.ndarray]]:
    methods = SINGLE if m == 1 else RULES
    return st.tuples(st.sampled_from(methods), arrays(m))


either = st.one_of(measures_of(1), measures_of(3))
