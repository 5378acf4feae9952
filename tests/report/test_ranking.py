"""The report of a ranking, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bayescompare as bc
from bayescompare.report import page_of, render
from tests.report.parsed import Page
from tests.tables import normal_table


@pytest.fixture(scope="module")
def uci() -> bc.Ranking:
    return bc.rank(bc.load_example("jansen-uci"), draws=500, rng=0)


def test_the_first_screen_says_who_is_best(uci: bc.Ranking) -> None:
    html = render(uci)
    page = Page(html)
    order = [
        uci.headline(),
        "8 algorithms · 16 datasets",
        "Tier 1 on auc",
        "Places",
        "How to read this",
        uci.explain(),
        "The front",
        "Method",
    ]
    found = [page.text.index(words) for words in order]
    assert found == sorted(found)
    assert page.count("svg") == 3  # places in two widths, front
    assert "95 % interval" in page.text


def test_its_figures_are_those_of_the_ranking(uci: bc.Ranking) -> None:
    sections = {section.title: section for section in page_of(uci).sections}
    for measure, table in zip(uci.results.measures, sections["Places"].tables, strict=True):
        own = uci.places.loc[measure]
        assert [row[0] for row in table.rows] == list(own.index)
        assert [row[1].value for row in table.rows] == own["place"].tolist()  # type: ignore[attr-defined]
        assert [row[3].value for row in table.rows] == own["p_best"].tolist()  # type: ignore[attr-defined]
    front = sections["The front"].tables[0]
    assert [row[0] for row in front.rows] == list(uci.front.index)


@pytest.mark.parametrize("suffix", ["html", "md", "tex", "json"])
def test_every_format_is_written_once(uci: bc.Ranking, suffix: str, tmp_path: Path) -> None:
    path = uci.report(tmp_path / f"r.{suffix}")
    text = path.read_text("utf-8")
    if suffix == "json":
        assert json.loads(text) == json.loads(uci.to_json())
    else:
        assert "GBM has the best place on all three measures" in text
        assert "rubin1981bootstrap" in text
    with pytest.raises(bc.BayescompareError, match="exists"):
        uci.report(path)
    assert uci.report(path, overwrite=True).read_text("utf-8") == text


def test_one_measure_has_a_best_and_no_front() -> None:
    r = bc.rank(bc.load_example("jansen-uci"), measures=["auc"], draws=500, rng=0)
    page = page_of(r)
    titles = [section.title for section in page.sections]
    assert "The front" not in titles
    assert page.block.rows[0].note.startswith("Tier 1 on auc: GBM, ")
    assert "CART" not in page.block.rows[0].note


def test_open_weights_have_a_picture() -> None:
    r = bc.rank(bc.load_example("jansen-uci"), utility="unknown", draws=500, rng=0)
    titles = [section.title for section in page_of(r).sections]
    assert "Weights" in titles
    assert "under weights of the measures that are unknown" in render(r, "markdown")
    given = bc.rank(bc.load_example("jansen-uci"), utility={"auc": 1}, draws=500, rng=0)
    assert "Weights" not in [section.title for section in page_of(given).sections]


def test_few_datasets_have_no_verdict() -> None:
    r = bc.rank(normal_table(["A", "B"], ("m", "t")).sel(datasets=["d0", "d1", "d2"]), rng=0)
    assert "next" not in page_of(r).block.slots
    assert "nan" not in render(r, "markdown").lower()


def test_strengths_cite_their_own_model() -> None:
    r = bc.rank(bc.load_example("jansen-uci"), by="strength", draws=500, rng=0)
    text = render(r, "markdown")
    assert "Plackett–Luce" in text
    assert "rubin1981bootstrap" not in text


def test_a_gate_has_a_report(tmp_path: Path) -> None:
    g = bc.gate(bc.load_example("jansen-uci"), candidate="GBM", baseline="CART")
    for suffix in ("html", "md", "tex"):
        text = g.report(tmp_path / f"g.{suffix}").read_text("utf-8")
        assert "Pass: GBM is better than CART on all three measures." in text
        assert "rubin1981bootstrap" in text
    document = json.loads(g.report(tmp_path / "g.json").read_text("utf-8"))
    assert document["passed"] is True
    with pytest.raises(bc.BayescompareError, match="exists"):
        g.report(tmp_path / "g.md")
