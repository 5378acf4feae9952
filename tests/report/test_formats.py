"""The report as Markdown, LaTeX and JSON, its methods text, and what all formats share."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import bayescompare as bc
from bayescompare import methods
from bayescompare.outcome.verdicts import Rule
from bayescompare.report import page_of, render
from bayescompare.report.blocks import (
    bibtex,
    citation_keys,
    cited,
    cited_aside,
    method_text,
)
from bayescompare.report.formats import escaped_for_markdown as md
from bayescompare.report.page import Cell
from tests.cases import few_quick
from tests.tables import normal_table

# ----------------------------------------------------------------------------------------- Markdown


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown_has_what_the_page_has(pairs):
    text = render(pairs, "markdown")
    for section in page_of(pairs).sections:
        assert section.only_pictures or f"## {section.title}" in text
    assert md(pairs.explain()) in text
    assert "@inproceedings{benavoli2015joint," in text
    assert "method=bc.methods.Dirichlet()" in text


def test_markdown_tables_are_rectangular(odd):
    lines = render(odd, "markdown").splitlines()
    tables: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("|"):
            tables[-1].append(line)
        elif tables[-1]:
            tables.append([])
    assert len([t for t in tables if t]) >= 4
    for table in filter(None, tables):
        assert len({len(cells(line)) for line in table}) == 1, table
        assert re.fullmatch(r"[|:\- ]+", table[1])


def test_names_are_no_marks_in_markdown(odd):
    text = "\n".join(
        line for line in render(odd, "markdown").splitlines() if not line.startswith("    ")
    )
    assert "<b>" not in text
    assert not re.search(r"(?<!\\)[<>`*_\[\]$]", text.replace("**", ""))


# ------------------------------------------------------------------------------ JSON, and the files


def test_json_is_the_comparison(tmp_path):
    c, pairs = bc.compare(bc.load_example("pnn")), bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    assert json.loads(c.report(tmp_path / "c.json").read_text("utf-8")) == json.loads(c.to_json())
    found = json.loads(pairs.report(tmp_path / "p.json", fdr=0.2).read_text("utf-8"))
    assert found == json.loads(pairs.to_json(fdr=0.2))
    assert bc.load_comparison(tmp_path / "c.json").best == c.best


@pytest.mark.parametrize("suffix", few_quick(["md", "tex", "json", "html"], 3))
def test_nothing_is_overwritten_unasked(suffix, tmp_path):
    c = bc.compare(bc.load_example("pnn"))
    path = tmp_path / f"r.{suffix}"
    path.write_text("mine")
    with pytest.raises(bc.BayescompareError, match="exists"):
        c.report(path)
    assert path.read_text() == "mine"
    assert c.report(path, overwrite=True).read_text("utf-8") != "mine"


@pytest.mark.slow
def test_the_command_is_told(tmp_path):
    path = tmp_path / "a b.html"
    subprocess.run(
        [sys.executable, "-m", "bayescompare", "compare", "--example", "pnn", "--report", path],
        check=True,
        capture_output=True,
    )
    page = path.read_text("utf-8")
    assert f"bayescompare compare --example pnn --report &#39;{path}&#39;" in page


# ------------------------------------------------------------------------------- what is said in it


def test_every_method_has_a_text_and_a_citation():
    two = bc.load_example("benavoli-example1")
    for name in methods.names():
        method = methods.get(name)()
        text = method_text(method, two, None)
        assert "{" not in text
        assert "were compared on accuracy and time over 12 datasets by" in text
        keys = citation_keys(method, rule=Rule(None, 0.05))
        assert len(keys) >= 2
        assert cited(keys[0]) in text or cited_aside(keys[0]) in text
        assert all(f"{{{key}," in bibtex(keys) for key in keys)


@pytest.mark.parametrize("rule", [{"level": 0.9}, {"fdr": 0.1}], ids=str)
@pytest.mark.parametrize("method", ["dirichlet", "glrt"])
def test_a_report_of_pairs_lists_just_what_its_text_cites(method, rule):
    three = bc.load_example("jansen-uci").sel(algorithms=["GBM", "CART", "RF"])
    text = render(bc.pairwise(three, method=method, n_jobs=1), "markdown", **rule)
    for key in ("muller2004optimal", "holm1979simple"):
        assert (f"({cited_aside(key)})" in text) == (f"{{{key}," in text), key
    wanted = "holm1979simple" if method == "glrt" else "muller2004optimal"
    assert (f"{{{wanted}," in text) == (method == "glrt" or "fdr" in rule)


def test_ropes_are_told():
    frame = bc.load_example("benavoli-example1").to_frame()
    measures = {"accuracy": bc.Measure("max", rope=0.5), "time": "min"}
    c = bc.compare(bc.Results.from_frame(frame, measures=measures))
    assert "within a rope count as equivalence (accuracy 0.5)" in render(c, "markdown")


def test_sensitivity_words_are_the_curve_s():
    c = bc.compare(bc.load_example("benavoli-example1"))
    (section,) = [s for s in page_of(c).sections if s.title == "Sensitivity"]
    table = c.sensitivity()
    (words,) = section.words
    assert f"{table[c.best].iloc[0]:.3f}" in words
    assert f"{table[c.best].iloc[-1]:.3f}" in words
    assert "leads throughout and reaches 0.95 nowhere" in words


def test_pairs_by_other_rules(pairs):
    (section,) = [s for s in page_of(pairs, fdr=0.05).sections if s.title == "Other rules"]
    (rates,) = section.tables
    found = {row[0]: row[1] for row in rates.rows}
    for fdr in (0.01, 0.05, 0.1):
        said = f"expected share of false ones at most {100 * fdr:g} %"
        assert found.pop(said) == str(int(pairs.decide(fdr=fdr)["asserted"].sum()))
    for level in (0.8, 0.9, 0.95, 0.99):
        said = f"P at least {level:g}"
        assert found.pop(said) == str(int(pairs.decide(level=level)["asserted"].sum()))
    assert not found
    assert [row[0] for row, own in zip(rates.rows, rates.marked, strict=True) if own] == [
        "expected share of false ones at most 5 %"
    ]


def test_means_and_wins_are_those_of_the_data(pairs):
    (section,) = [s for s in page_of(pairs).sections if s.title == "Data"]
    _, table = section.tables
    results = pairs.results
    best = {row[0]: row for row in table.rows}
    frame = results.to_frame().groupby("algorithm")["auc"].mean()
    for name in results.algorithms:
        cell = best[name][1]
        assert isinstance(cell, Cell)
        assert cell.value == pytest.approx(frame[name])
    total = sum(row[2].value for row in table.rows)  # type: ignore[attr-defined]
    assert total == pytest.approx(len(results.datasets))


@pytest.mark.slow
def test_sampled_answers_are_diagnosed(tmp_path):
    import pymc as pm

    c = bc.compare(
        bc.load_example("pnn"),
        method=bc.methods.Dirichlet(priors={"strength": pm.Gamma.dist(2, 1)}),
        rng=1,
        sampler={"draws": 200, "chains": 2, "progressbar": False},
    )
    (section,) = [s for s in page_of(c).sections if s.title == "Diagnostics"]
    assert section.facts["divergences"] == f"{c.diagnose().figures['divergences']:.4g}"
    assert section.tables
    (section,) = [s for s in page_of(c).sections if s.title == "Sensitivity"]
    assert section.words[0].startswith("With the prior's density to the power from ")
    assert "by power scaling: the draws are reweighted" in section.words[1]
    assert "pymc" in render(c, "markdown")


def test_a_name_like_a_list_makes_no_list_in_markdown():
    text = render(bc.compare(normal_table(["1. a", "b"])), "markdown")
    assert not [line for line in text.splitlines() if re.match(r"\d+[.)] ", line)]
