"""One key and one form for each paper, wherever it is cited."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bayescompare import methods
from bayescompare.io import examples
from bayescompare.report.blocks import bibliography, citation_keys

ROOT = Path(__file__).resolve().parents[1]

#: A name as it is cited: "Benavoli", "de Campos", "Abril-Pla".
_NAME = r"(?:de )?[A-ZŠ][\wšüçé-]+"
_CITED = re.compile(
    rf"({_NAME}(?:, {_NAME})*(?:,? (?:&|and) {_NAME})?(?: et al\.)?),? \((\d{{4}})\)"
)


def field(entry: str, name: str) -> str:
    found = re.search(rf"\b{name}\s*=\s*\{{(.*)\}}", entry)
    return "" if found is None else found[1]


def plain(text: str) -> str:
    for tex, sign in {"\\v{s}": "š", "\\c{c}": "ç", '\\"{u}': "ü"}.items():
        text = text.replace(tex, sign)
    return text.replace("{", "").replace("}", "")


def families(entry: str) -> tuple[str, ...]:
    return tuple(name.split(",")[0] for name in plain(field(entry, "author")).split(" and "))


PAPERS = {key: (families(entry), field(entry, "year")) for key, entry in bibliography().items()}


def key_of(names: str, year: str) -> str | None:
    """The paper that is cited so; None if it is not one of ours."""
    if names.endswith("et al."):
        first = names.removesuffix(" et al.").strip()
        found = [k for k, (who, when) in PAPERS.items() if who[0] == first and when == year]
        return found[0] if found and len(PAPERS[found[0]][0]) > 2 else None
    said = tuple(re.split(r",? (?:&|and) |, ", names))
    for key, (who, when) in PAPERS.items():
        if sorted(who) == sorted(said) and when == year:
            assert who == said, f"{names} ({year}): the paper has {' & '.join(who)}"
            return key
    return None


def mentions(text: str) -> list[tuple[str, str]]:
    # A citation may be broken over lines, of comments and strings too.
    flat = re.sub(r"\"?\s*\n\s*(?:#:? ?|f?\")?", " ", text)
    return _CITED.findall(flat)


def test_every_paper_has_one_entry() -> None:
    entries = bibliography()
    for name in ("title", "doi"):
        held = Counter(plain(field(entry, name)).lower() for entry in entries.values())
        del held[""]
        assert max(held.values()) == 1, held
    assert max(Counter(PAPERS.values()).values()) == 1


def test_a_key_names_first_author_and_year() -> None:
    for key, (who, year) in PAPERS.items():
        first = re.sub(r"[^a-z]", "", who[0].lower().translate(str.maketrans("šüç", "suc")))
        assert key.startswith((first + year, "pymc" + year)), key


def test_authors_are_named_in_the_paper_s_order() -> None:
    paths = [
        *sorted((ROOT / "bayescompare").rglob("*.py")),
        *sorted((ROOT / "models").glob("*.py")),
        *sorted((ROOT / "docs").rglob("*.md")),
        ROOT / "README.md",
    ]
    wrong = []
    for path in paths:
        for names, year in mentions(path.read_text("utf-8")):
            try:
                key_of(names, year)
            except AssertionError as error:
                wrong.append(f"{path.relative_to(ROOT)}: {error}")
    assert wrong == []


@pytest.mark.parametrize("name", methods.names())
def test_the_reference_of_a_method_is_what_its_report_cites(name: str) -> None:
    cls = methods.get(name)
    keys = [key_of(*cited) for cited in mentions(cls.phrases.reference)]
    assert None not in keys, cls.phrases.reference
    own = citation_keys(cls())
    assert keys, name
    assert keys[0] == own[0], "the methods text names another paper than .phrases.reference"
    assert set(keys) <= set(own)


def test_the_citation_file_agrees_with_the_entries() -> None:
    by_title = {plain(field(entry, "title")): key for key, entry in bibliography().items()}
    text = (ROOT / "CITATION.cff").read_text("utf-8").partition("\nreferences:\n")[2]
    listed = text.split("\n  - type: ")
    assert len(listed) >= 4
    for paper in listed:
        said = dict(re.findall(r"^    (title|year|doi): \"?(.*?)\"?$", paper, flags=re.M))
        (authors,) = re.findall(r"^    authors:\n((?:      .*\n)+)", paper, flags=re.M)
        who = tuple(re.findall(r"family-names: \"?(.*?)\"?$", authors, flags=re.M))
        key = by_title[said["title"]]
        assert (who, said["year"]) == PAPERS[key]
        assert said.get("doi", "") == field(bibliography()[key], "doi")


def test_the_sources_of_examples_agree_with_the_entries() -> None:
    titles = {plain(field(entry, "title")): key for key, entry in bibliography().items()}
    for example in examples():
        source = example.source
        (key,) = [key for title, key in titles.items() if title in source]
        who, year = PAPERS[key]
        assert f"({year})" in source
        places = [source.index(family) for family in who]
        assert places == sorted(places), source


def test_the_page_on_citing_prints_every_entry() -> None:
    said = (ROOT / "docs" / "citing.md").read_text("utf-8")
    listed = re.search(r"papers = \[(.*?)\]", said)
    assert listed is not None
    assert set(re.findall(r'"(\w+)"', listed[1])) <= set(PAPERS)
