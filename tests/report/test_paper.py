"""For papers: verdict, table, figures, a methods paragraph and references that compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.report import render
from bayescompare.report.formats import escaped_for_latex as tex
from tests.tables import normal_table

latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")


@pytest.fixture(scope="module")
def three() -> bc.Pairwise:
    results = bc.load_example("jansen-uci").sel(algorithms=["GBM", "CART", "RF"])
    return bc.pairwise(results, n_jobs=1)


@pytest.mark.parametrize("fragment", [False, True])
def test_a_paper_has_verdict_table_figures_method_and_references(three, fragment, tmp_path):
    text = three.report(tmp_path / "my table_1.tex", fragment=fragment).read_text("utf-8")
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert r"\label{tab:my-table-1}" in text
    assert rf"\textbf{{{three.headline()}}}" in text
    assert "were compared on auc, accuracy and brier over 16 datasets" in text
    assert "benavoli2015joint" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + 3
    assert "{}GBM over CART & " in text
    columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert columns is not None
    assert all(line.count("&") == len(columns[1]) - 1 for line in rows)
    # The staircase, and the critical-difference diagram of each measure.
    assert text.count(r"\begin{figure}") == text.count(r"\includegraphics") == 4
    assert len(set(re.findall(r"\\label\{(fig:[^}]*)\}", text))) == 4
    assert ("documentclass" in text) == (r"\bibliography{my-table-1}" in text) == (not fragment)


@pytest.mark.parametrize(
    ("suffix", "first", "number"),
    [("tex", b"%PDF", 4), pytest.param("md", b"\x89PNG", 8, marks=pytest.mark.slow)],
)
def test_figures_lie_in_a_folder_named_after_the_file(three, suffix, first, number, tmp_path):
    path = three.report(tmp_path / f"report.{suffix}", figures=True)
    files = sorted((tmp_path / "report").iterdir())
    assert len(files) == number
    text = path.read_text("utf-8")
    for file in files:
        assert file.read_bytes().startswith(first)
        assert f"report/{file.name}" in text
    before = {file: file.read_bytes() for file in files}
    with pytest.raises(bc.BayescompareError, match="exists"):
        three.report(path, figures=True)
    three.report(path, figures=True, overwrite=True)
    assert {file: file.read_bytes() for file in files} == before


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("r.html", {"fragment": True}, "fragment=True is for .tex"),
        ("r.md", {"fragment": True}, "fragment=True is for .tex"),
        ("r.html", {"figures": True}, "an HTML page has its figures in it"),
        ("r.json", {"figures": True}, "JSON has none"),
    ],
)
def test_what_a_format_cannot_have_is_refused(three, name, options, message, tmp_path):
    with pytest.raises(bc.BayescompareError, match=re.escape(message)):
        three.report(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_refused(three, tmp_path):
    (tmp_path / "r").write_text("mine")
    with pytest.raises(bc.BayescompareError, match="that is a file"):
        three.report(tmp_path / "r.tex")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r"]


def test_names_are_escaped(odd):
    text = render(odd, "latex")
    assert text.count(r"\begin{") == text.count(r"\end{")
    body = re.sub(r"\\[{}]", "", text)
    assert body.count("{") == body.count("}")
    assert text.count(r"\end{document}") == 1  # the one in a name is escaped


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (r"A_1 50% B&C #1 $x$ {y}", r"A\_1 50\% B\&C \#1 \$x\$ \{y\}"),
        ("^ ~ \\", r"\textasciicircum{} \textasciitilde{} \textbackslash{}"),
        ("é θ", r"é $\theta$"),
        ("名", r"\other{540D}{名}"),
        ("a\u200fb\nc", "ab c"),
        ("--report", "-{}-{}report"),
    ],
)
def test_latex_letters(text, written):
    assert tex(text) == written


@pytest.mark.parametrize("mark", ["[", "*"])
def test_no_row_begins_with_what_its_line_break_swallows(mark):
    text = render(bc.pairwise(normal_table([f"{mark}a]", f"{mark}b]", "c"]), n_jobs=1), "latex")
    assert mark not in re.findall(r"(?:\\\\|\\midrule)\s*(\S)", text)


def run(folder: Path, *call: str) -> str:
    done = subprocess.run(call, cwd=folder, capture_output=True, check=False)
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said[-2000:]
    return said


def compiled(folder: Path, name: str) -> str:
    """Compile a document with its references; return what LaTeX says at last."""
    once = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex")
    run(folder, *once)
    run(folder, "bibtex", name)
    run(folder, *once)
    return run(folder, *once)


def long_names() -> bc.Results:
    """Six algorithms with names of forty letters."""
    rng = np.random.default_rng(0)
    names = [f"laboratory-{k}/multilingual-encoder-large-{k:02d}" for k in range(6)]
    index = pd.MultiIndex.from_product([range(8), names], names=["dataset", "algorithm"])
    values = rng.normal(size=(8, 6, 2)) + np.arange(6.0)[:, None]
    frame = pd.DataFrame(values.reshape(-1, 2), index, ["accuracy", "speed"]).reset_index()
    return bc.Results.from_frame(frame, measures={"accuracy": "max", "speed": "max"})


PAPERS: dict[str, Callable[[], Any]] = {
    "all pairs": lambda: bc.pairwise(long_names(), n_jobs=1),
    "counts": lambda: bc.compare(bc.load_example("lacoste-svm-parzen"), method="poisson-binomial"),
    "brackets": lambda: bc.compare(normal_table(["[a]", "[b]"], ("acc", "auc"))),
    "a ranking": lambda: bc.rank(long_names(), draws=200, rng=0),
    "a gate": lambda: bc.gate(
        bc.load_example("jansen-uci"), candidate="GBM", baseline="CART", rng=0
    ),
}


@latex
@pytest.mark.slow
@pytest.mark.parametrize("kind", PAPERS)
def test_a_paper_compiles_within_the_text(kind, tmp_path: Path):
    PAPERS[kind]().report(tmp_path / "t.tex")
    said = compiled(tmp_path, "t")
    assert "Overfull" not in said
    assert "undefined" not in said
    assert (
        "year" in (tmp_path / "t.bib").read_text() or "version" in (tmp_path / "t.bib").read_text()
    )


@latex
@pytest.mark.slow
def test_odd_names_and_a_fragment_compile(odd, three, tmp_path: Path):
    odd.report(tmp_path / "odd.tex")
    compiled(tmp_path, "odd")
    three.report(tmp_path / "part.tex", fragment=True)
    packages = r"\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}"
    body = rf"\documentclass{{article}}{packages}\begin{{document}}\input{{part}}\end{{document}}"
    (tmp_path / "main.tex").write_text(body, encoding="utf-8")
    run(tmp_path, "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex")
