"""The documentation's pages: all reachable, all of one form, all figures computed, no dead link."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

import bayescompare as bc

TESTS = Path(__file__).parent
ROOT = TESTS.parent
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
    if not {"_build", "generated"} & set(path.relative_to(DOCS).parts)
}
# A draft for a journal, in its form; tests/test_publishing.py looks at it.
PAGES.pop("publishing/paper")
METHODS = {name: text for name, text in PAGES.items() if name.startswith("methods/")}


def headings(text: str, level: int = 2) -> list[str]:
    outside = re.sub(r"^(`{3,}|:{3,}).*?^\1", "", text, flags=re.M | re.S)
    return re.findall(rf"^{'#' * level} (.+)$", outside, flags=re.M)


def included(text: str) -> list[tuple[str, str]]:
    """The files that a page shows, with the options of each."""
    return re.findall(r"^```\{literalinclude\} (\S+)\n(.*?)^```", text, flags=re.M | re.S)


def cells(text: str) -> list[str]:
    return re.findall(r"^```\{code-cell\}\n(.*?)^```", text, flags=re.M | re.S)


def method_page(name: str) -> str:
    """The page in whose title the method's name stands."""
    (page,) = (text for text in METHODS.values() if f"`{name}`" in headings(text, 1)[0])
    return page


# pages and links ----------------------------------------------------------------------------------


def test_every_page_is_in_a_toctree():
    listed = {"index"}
    for name, text in PAGES.items():
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", text, flags=re.M | re.S):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            for entry in entries:
                target = re.sub(r".*<(.+)>", r"\1", entry)
                listed.add((Path(name).parent / target).as_posix())
    assert listed == set(PAGES)


def anchors(name: str) -> set[str]:
    text = PAGES[name]
    found = (heading for level in (1, 2, 3) for heading in headings(text, level))
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in found}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    text = re.sub(r"^```\{code-cell\}\n.*?^```", "", PAGES[name], flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        assert "://" not in target, f"{target}: pages are read without a network"
        page, _, anchor = target.partition("#")
        path = (DOCS / name).parent / page if page else DOCS / f"{name}.md"
        assert path.exists(), target
        if anchor:
            here = path.resolve().relative_to(DOCS).with_suffix("").as_posix()
            assert anchor in anchors(here), target


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_includes_is_there(name):
    for file, options in included(PAGES[name]):
        shown = ((DOCS / name).parent / file).read_text(encoding="utf-8")
        assert shown.strip(), f"{file} is empty"
        for mark in re.findall(r"^:(?:start-after|end-before): \"(.+)\"$", options, flags=re.M):
            assert shown.count(mark) == 1, f"{file}: {mark}"


def test_pictures_of_the_pages_are_there():
    for name, text in PAGES.items():
        for file in re.findall(r"^```\{image\} (\S+)$", text, flags=re.M):
            assert ((DOCS / name).parent / file).is_file(), file
            assert ":alt:" in text
    assert "{image}" in PAGES["index"], "the landing page has a picture"


def test_links_of_the_readme_lead_somewhere():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", readme):
        assert "://" in target or (ROOT / target).exists(), target


def test_no_host_is_named():
    """Formulas are MathML and nothing is loaded from elsewhere."""
    mine = [DOCS / "conf.py", *DOCS.glob("_ext/*.py"), *DOCS.glob("_static/*"), *DOCS.rglob("*.md")]
    for path in mine:
        if not {"_build", "generated"} & set(path.relative_to(DOCS).parts):
            assert "://" not in path.read_text(encoding="utf-8"), path


# one page per method ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"methods/index"}))
def test_a_method_page_shows_and_names_what_it_should(name):
    text = METHODS[name]
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S))
    assert ".plot(" in sections["Example"]
    assert "$" in sections["Formula"] or name == "methods/model-files"
    rows = dict(re.findall(r"^\| (paper|code|tests|API) \| (.+) \|$", sections["Reference"], re.M))
    assert list(rows) == ["paper", "code", "tests", "API"]
    for row in ("code", "tests"):
        files = re.findall(r"`([\w/]+\.py)`", rows[row])
        assert files
        for file in files:
            assert (ROOT / file).is_file(), file
    if "Priors" in sections:
        assert "bc.methods.describe(" in sections["Priors"]


def test_the_two_overviews_name_every_method():
    for page in ("choosing", "methods/index"):
        for name in bc.methods.names():
            assert f"`{name}`" in PAGES[page], f"{name} on {page}"


# figures are computed -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_pages_that_show_figures_are_executed(name):
    text = PAGES[name]
    if cells(text):
        assert text.startswith("---\nfile_format: mystnb\n"), "its cells would not be run"
    prose = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.M | re.S)
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]+\$|`[^`]*`", "", prose, flags=re.S)
    for line in prose.splitlines():
        # Three decimals are a result. Those typed in are a paper's, and the line says so.
        if re.search(r"\b0\.\d{3,}\b|\b[Pp] ?[=≈] ?0\.\d", line):
            assert re.search(r"published|rope of", line, re.I), line


def test_the_gallery_shows_everything_that_is_drawn():
    dispatchers = {"plot_comparison", "plot_pairwise", "plot_ranking"}
    shown = set(re.findall(r"`(plot_\w+)`", PAGES["gallery"]))
    assert shown == set(bc.plots.__all__) - dispatchers
    # One picture for each, drawn by the last line of its cell; no NUTS.
    drawn = [cell.rstrip().splitlines()[-1] for cell in cells(PAGES["gallery"])[1:]]
    assert len(drawn) == len(shown)
    assert all(re.search(r"\.plot\(.*\);$|^plot_\w+\(.*\);$", line) for line in drawn), drawn
    assert "sample(" not in PAGES["gallery"]


def test_every_recipe_gives_the_same_results(monkeypatch):
    """All of them start from the same runs, by whichever tool."""
    monkeypatch.chdir(DOCS)
    text = PAGES["recipes"]
    tools = ["Weights & Biases", "MLflow", "Optuna", "Ray Tune", "skore", "DVC"]
    assert headings(text) == tools
    first, *others = cells(text)
    assert len(others) == len(tools)
    for tool, cell in zip(tools, others, strict=True):
        names: dict[str, object] = {}
        exec(compile(first + cell, f"recipes.md: {tool}", "exec"), names)
        results = names["results"]
        assert isinstance(results, bc.Results), tool
        assert results.algorithms == ("boost", "linear"), tool
        assert results.datasets == ("adult", "credit", "sonar", "wine"), tool
        quality, seconds = results.measures
        assert (results[quality].direction, results[seconds].direction) == ("max", "min"), tool
        accuracy = results.data[quality].transpose("dataset", "algorithm", "replicate").values
        assert accuracy[:, 0, 0] == pytest.approx([0.834, 0.854, 0.844, 0.894]), tool
        assert accuracy[:, 1, 1] == pytest.approx([0.808, 0.828, 0.848, 0.868]), tool
        assert bc.compare(results).best == "boost>linear|linear>boost", tool


# the API reference --------------------------------------------------------------------------------

API = PAGES["api"]
LISTED = {
    line.strip()
    # Pictures are listed where they are shown.
    for block in re.findall(r"\.\. autosummary::\n(.*?)```", API + PAGES["gallery"], flags=re.S)
    for line in block.splitlines()
    if line.strip() and not line.strip().startswith(":")
}


@pytest.mark.parametrize("module", ["", "methods", "plots", "io", "studies", "modelling", "report"])
def test_everything_public_is_in_the_reference(module):
    owner = importlib.import_module(f"bayescompare.{module}".rstrip("."))
    for name in owner.__all__:
        value, dotted = getattr(owner, name), f"{module}.{name}".lstrip(".")
        if isinstance(value, ModuleType):
            continue
        # `bc.io.read_results` is `bc.read_results`; constants are in the text.
        also = name if getattr(bc, name, None) is value else None
        constant = not callable(value) and re.search(rf"`(bc\.)?{re.escape(dotted)}`", API)
        assert {dotted, also} & LISTED or constant, dotted


def test_the_reference_lists_only_what_there_is():
    for dotted in LISTED:
        module, _, name = f"bayescompare.{dotted}".rpartition(".")
        assert hasattr(importlib.import_module(module), name), dotted


def test_public_attributes_have_docstrings():
    """They are what the reference shows of a class."""
    for cls in (bc.Results, bc.ErrorCounts, bc.Measure, bc.Comparison, bc.Pairwise):
        fields = getattr(cls, "__dataclass_fields__", {})
        for name in vars(cls):
            if not name.startswith("_") and name not in fields:
                assert getattr(cls, name).__doc__, f"{cls.__name__}.{name}"


def test_every_line_about_the_papers_names_its_test_and_what_became_of_it():
    lines = [
        [cell.strip() for cell in line.strip("| \n").split(" | ")]
        for line in (DOCS / "papers.md").read_text("utf-8").partition("\n## ")[2].splitlines()
        if line.startswith("| ") and not line.startswith("| where")
    ]
    assert len(lines) > 120
    tests = "".join(path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    outcomes = {"right", "corrected", "fails", "partly", "cannot be had"}
    for line in lines:
        assert len(line) == 5, line
        assert line[-1] in outcomes, line
        named = re.findall(r"`(test_\w+)`", line[3])
        assert named or line[-1] in ("cannot be had", "partly"), line
        assert [name for name in named if f"def {name}(" not in tests] == []
