"""Reports of generalised stochastic dominance."""

from __future__ import annotations

import re

from markupsafe import escape

import bayescompare as bc
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.report import render
from tests.methods.gsd.cases import ask
from tests.plots.dominated import leading_without_a_dataset, with_a_twin


def test_every_kind_has_a_report(uci: bc.Results) -> None:
    pair = ["RF", "BDS"]
    asked = [
        ask(uci, GSD(permutations=50), algorithms=pair, rng=1),
        ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]),
        ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=pair, rng=1),
        with_a_twin(),
        leading_without_a_dataset(),
    ]
    for c in asked:
        page = render(c)
        assert str(escape(c.headline())) in page
        assert str(escape(c.explain())) in page
        assert all(str(escape(label)) in page for label in c.summary().index)
        assert "nan" not in re.sub(r"<[^>]*>", " ", page).lower().split()


def test_reports_of_many_show_order_and_growth(uci: bc.Results) -> None:
    page = render(ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]))
    assert "Who dominates whom" in page
    assert "Growth" in page
    assert "RF dominates EN" in page


def test_a_report_calls_a_sampled_p_value_sampled(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=50), algorithms=["RF", "BDS"], rng=1)
    assert "carry no Monte Carlo error" not in render(c)
    p = bc.pairwise(uci, method=GSD(permutations=50), algorithms=["RF", "BDS"], rng=1, n_jobs=1)
    assert "carry no Monte Carlo error" not in render(p)


def test_reports_of_all_pairs(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=99), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    page = render(p)
    assert str(escape(p.explain())) in page
    assert "GBM over CART" in page


def test_a_page_of_pairs_says_which_p_values_are_one_sided(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=50), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    page = render(p)
    assert "one-sided p-value of “row dominates column”" in page
    assert (
        "GBM against CART: one-sided p = 0.020; leading: GBM is better than CART (p = 0.039)"
        in page
    )
