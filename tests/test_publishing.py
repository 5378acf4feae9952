"""Name, version, licence and dependencies agree in all files that a publication needs."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.report.blocks import bibliography

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "publishing"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CODEMETA: dict[str, Any] = json.loads((FOLDER / "codemeta.json").read_text("utf-8"))
CITATION = (ROOT / "CITATION.cff").read_text("utf-8").partition("\nreferences:\n")[0]
RECIPE = (FOLDER / "recipe.yaml").read_text("utf-8")
PAPER = (FOLDER / "paper.md").read_text("utf-8")
BIBLIOGRAPHY = (FOLDER / "paper.bib").read_text("utf-8")

#: Packages that conda-forge calls otherwise.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


def cited(name: str) -> str:
    (value,) = re.findall(rf"^{name}: \"?(.*?)\"?$", CITATION, flags=re.M)
    return str(value)


def recipe(name: str) -> str:
    (value,) = re.findall(rf"^  {name}: \"?([^$\n]*?)\"?$", RECIPE, flags=re.M)
    return str(value)


def section(name: str) -> list[str]:
    """The items of a list of the recipe's requirements."""
    (block,) = re.findall(rf"^  {name}:\n((?:    - .*\n)+)", RECIPE, flags=re.M)
    return re.findall(r"^    - (.*)$", block, flags=re.M)


# the metadata -----------------------------------------------------------------------------------


def test_version_name_licence_and_description_are_one():
    assert PROJECT["version"] == bc.__version__
    assert {CODEMETA["version"], cited("version"), recipe("version")} == {PROJECT["version"]}
    assert {CODEMETA["name"], cited("title"), recipe("name")} == {PROJECT["name"]}
    assert CODEMETA["license"].rpartition("/")[2] == PROJECT["license"]
    assert {cited("license"), recipe("license")} == {PROJECT["license"]}
    assert "Apache License" in (ROOT / PROJECT["license-files"][0]).read_text("utf-8")
    told = {CODEMETA["description"], cited("abstract").rstrip("."), recipe("summary")}
    assert told == {PROJECT["description"]}


def test_authors_and_keywords_agree():
    names = [author["name"] for author in PROJECT["authors"]]
    assert [author["name"] for author in CODEMETA["author"]] == names
    assert re.findall(r"^  - name: \"(.*)\"$", CITATION, flags=re.M) == names
    assert CODEMETA["keywords"] == PROJECT["keywords"]


def test_the_dependencies_agree():
    assert CODEMETA["softwareRequirements"] == PROJECT["dependencies"]
    wanted = [re.sub(r"(?=[<>=])", " ", need, count=1) for need in PROJECT["dependencies"]]
    wanted = [f"{CONDA_NAMES.get(n, n)} {bound}" for n, bound in map(str.split, wanted)]
    python, *others = section("run")
    assert others == wanted
    assert python == "python >=${{ python_min }}"
    assert f">={recipe('python_min')}" == PROJECT["requires-python"]
    assert CODEMETA["runtimePlatform"] == f"Python {PROJECT['requires-python']}"
    (script,) = re.findall(r"^      - bayescompare = (.*)$", RECIPE, flags=re.M)
    assert script == PROJECT["scripts"]["bayescompare"]


def test_extras_and_addresses():
    extras = PROJECT["optional-dependencies"]
    assert {"parquet", "polars", "zst", "distributed"} <= set(extras)
    assert extras["dev"][0] == "bayescompare[test,docs,dist]"
    # There is no public home yet; releasing.md says what to fill in then.
    assert "urls" not in PROJECT
    assert "[project.urls]" in (ROOT / "docs" / "releasing.md").read_text("utf-8")


def test_python_classifiers_begin_with_the_lowest():
    prefix = "Programming Language :: Python :: 3."
    minors = [int(c.removeprefix(prefix)) for c in PROJECT["classifiers"] if c.startswith(prefix)]
    assert f">=3.{min(minors)}" == PROJECT["requires-python"]
    assert minors == sorted(set(minors))
    # By PEP 639 the licence is an expression, and no classifier repeats it.
    assert not [c for c in PROJECT["classifiers"] if c.startswith("License")]


# the paper --------------------------------------------------------------------------------------


def entries() -> dict[str, str]:
    found = re.findall(r"^(@\w+\{([^,]+),.*?\n\})", BIBLIOGRAPHY, flags=re.S | re.M)
    return {key: entry for entry, key in found}


def test_the_paper_has_the_journal_s_form():
    _, front, body = PAPER.split("---\n", 2)
    assert re.findall(r"^(\w+):", front, flags=re.M) == [
        *("title", "tags", "authors", "affiliations", "date", "bibliography")
    ]
    heads = re.findall(r"^# (.+)$", body, flags=re.M)
    needed = ["Summary", "Statement of need", "State of the field", "Benchmarks", "References"]
    assert [head for head in heads if head in needed] == needed
    assert 250 <= len(body.split()) <= 1750, "the journal's limits"


def test_the_paper_cites_what_its_bibliography_holds():
    keys = set(re.findall(r"@(\w+)", PAPER.split("---\n", 2)[2]))
    assert keys == set(entries())


@pytest.mark.parametrize("key", sorted(set(entries()) & set(bibliography())))
def test_papers_of_the_methods_have_one_entry(key):
    assert entries()[key] == bibliography()[key].strip()


def test_the_paper_s_table_is_the_kept_benchmark():
    spec = importlib.util.spec_from_file_location("bench_table", FOLDER / "bench_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bench = json.loads((ROOT / "docs" / "data" / "bench.json").read_text("utf-8"))
    wanted = module.table(bench)
    assert module.in_paper(PAPER) == wanted, "run python docs/publishing/bench_table.py"
    # Where others are faster or more exact, the table says so too.
    last = {row["task"]: row["size"] for row in bench["rows"]}
    others = [r for r in bench["rows"] if r["size"] == last[r["task"]] and r["status"] == "ok"]
    others = [r for r in others if r["package"] != "bayescompare"]
    assert wanted.count("\n") == 2 + len(others)
