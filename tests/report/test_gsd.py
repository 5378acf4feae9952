"""Reports of generalised stochastic dominance."""

from __future__ import annotations

import re

from markupsafe import escape

import bayescompare as bc
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.report import render
from tests.methods.gsd.cases import ask
from tests.plots.drawn import leading_without_a_dataset, with_a_twin


def test_every_kind_has_a_report(uci: bc.Results) -> None:
    pair = ["RF", "BDS"]
    asked = [
        ask(uci, GSD(permutations=50), algorithms=pair, rng=1),
        ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]),
        ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=pair, rng=1),
        with_a_twin(),
        leading_without_a_dataset(),
    ]
    pages = [render(c) for c in asked]
    for c, page in zip(asked, pages, strict=True):
        assert str(escape(c.headline())) in page
        assert str(escape(c.explain())) in page
        assert all(str(escape(label)) in page for label in c.summary().index)
        assert "nan" not in re.sub(r"<[^>]*>", " ", page).lower().split()
    for words in ("Who dominates whom", "Growth", "RF dominates EN"):
        assert words in pages[1]


def test_a_report_calls_a_sampled_p_value_sampled(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=50), algorithms=["RF", "BDS"], rng=1)
    assert "carry no Monte Carlo error" not in render(c, "markdown")
    p = bc.pairwise(uci, method=GSD(permutations=50), algorithms=["RF", "BDS"], rng=1, n_jobs=1)
    assert "carry no Monte Carlo error" not in render(p, "markdown")


def test_a_page_of_pairs_says_which_p_values_are_one_sided(uci: bc.Results) -> None:
    p = bc.pairwise(
        uci, method=GSD(permutations=50), algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1
    )
    page = render(p)
    assert str(escape(p.explain())) in page
    assert "GBM over CART" in page
    assert "one-sided p-value of “row dominates column”" in page
    assert (
        "GBM against CART: one-sided p = 0.020; leading: GBM is better than CART (p = 0.039)"
        in page
    )
