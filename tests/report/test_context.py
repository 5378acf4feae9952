"""Reports of the tests about a context, and of the classical tests."""

from __future__ import annotations

from markupsafe import escape

import bayescompare as bc
from bayescompare.report import render
from tests.plots.drawn import folds, fresh


def test_every_method_has_a_report_with_its_tables(counts: bc.ErrorCounts) -> None:
    results = bc.load_example("jansen-uci")
    asked = [
        bc.compare(counts, method="poisson-binomial"),
        bc.compare(counts.sel(datasets=list(counts.datasets[:6])), method="hierarchical"),
        bc.compare(folds(0.01), method="correlated-t"),
        bc.compare(counts, method="wilcoxon"),
        bc.compare(results, method="friedman", measures=["brier"]),
        bc.compare(results, method="all-test", algorithms=["GBM", "CART"]),
    ]
    for c in asked:
        page = render(c)
        assert str(escape(c.headline())) in page
        for title, table in c.tables.items():
            assert str(escape(title)) in page
            assert all(str(escape(label)) in page for label in table.index)


def test_pairwise_reports_name_the_question(counts: bc.ErrorCounts) -> None:
    p = bc.pairwise(counts, method="poisson-binomial")
    assert "P(row better than column on most datasets)" in render(p)
    ax = p.plot(ax=fresh())
    assert "holds on most datasets" in ax.get_title(loc="left").replace("\n", " ")
