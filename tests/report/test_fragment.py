"""For papers: one table with caption and label, and figures as files."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc


@pytest.fixture(scope="module")
def three() -> bc.Pairwise:
    results = bc.load_example("jansen-uci").sel(algorithms=["GBM", "CART", "RF"])
    return bc.pairwise(results, n_jobs=1)


def test_a_fragment_is_one_float_with_caption_and_label(three, tmp_path):
    text = three.report(tmp_path / "my table_1.tex", fragment=True).read_text("utf-8")
    assert "documentclass" not in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert r"\label{tab:my-table-1}" in text
    (caption,) = re.findall(r"\\caption\{(.*)\}\n", text)
    assert caption.startswith("GBM comes first on all three measures")
    assert "16 datasets" in caption
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + 3
    assert "{}GBM over CART & " in text
    columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert columns is not None
    assert all(line.count("&") == len(columns[1]) - 1 for line in rows)


@pytest.mark.parametrize("kind", ["compare", "rank"])
def test_other_results_have_fragments_too(kind, tmp_path):
    results = bc.load_example("pnn" if kind == "compare" else "jansen-uci")
    thing = bc.compare(results) if kind == "compare" else bc.rank(results, draws=200, rng=0)
    text = thing.report(tmp_path / "t.tex", fragment=True).read_text("utf-8")
    assert r"\label{tab:t}" in text
    assert text.count(r"\begin{tabular}") == 1


@pytest.mark.parametrize(
    ("suffix", "first"),
    [("tex", b"%PDF"), pytest.param("md", b"\x89PNG", marks=pytest.mark.slow)],
)
def test_figures_lie_in_a_folder_named_after_the_file(three, suffix, first, tmp_path):
    path = three.report(tmp_path / f"report.{suffix}", figures=True)
    files = sorted((tmp_path / "report").iterdir())
    assert len(files) == 8  # staircase, orders at once and on each of three measures, ranks
    text = path.read_text("utf-8")
    for file in files:
        assert file.read_bytes().startswith(first)
        assert f"report/{file.name}" in text
    before = {file: file.read_bytes() for file in files}
    with pytest.raises(bc.BayescompareError, match="exists"):
        three.report(path, figures=True)
    three.report(path, figures=True, overwrite=True)
    assert {file: file.read_bytes() for file in files} == before


def test_a_fragment_with_figures_has_floats(three, tmp_path):
    text = three.report(tmp_path / "t.tex", fragment=True, figures=True).read_text("utf-8")
    assert text.count(r"\begin{figure}") == text.count(r"\includegraphics") == 8
    labels = re.findall(r"\\label\{(fig:[^}]*)\}", text)
    assert len(set(labels)) == 8


def test_nothing_is_written_unasked(three, tmp_path):
    three.report(tmp_path / "r.md")
    assert [path.name for path in tmp_path.iterdir()] == ["r.md"]


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
        three.report(tmp_path / "r.md", figures=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r"]


def compiled(folder: Path, fragment: str) -> str:
    """Compile a paper that reads a fragment; return what LaTeX says."""
    packages = r"\usepackage[T1]{fontenc}\usepackage{booktabs,graphicx}"
    read = rf"\input{{{fragment}}}"
    body = rf"\documentclass{{article}}{packages}\begin{{document}}{read}\end{{document}}"
    (folder / "main.tex").write_text(body, encoding="utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    run = subprocess.run(call, cwd=folder, capture_output=True, check=False)
    said = run.stdout.decode("utf-8", "replace")
    assert run.returncode == 0, said[-2000:]
    return said


def long_names() -> bc.Results:
    """Six algorithms with names of forty letters."""
    rng = np.random.default_rng(0)
    names = [f"laboratory-{k}/multilingual-encoder-large-{k:02d}" for k in range(6)]
    index = pd.MultiIndex.from_product([range(8), names], names=["dataset", "algorithm"])
    values = rng.normal(size=(8, 6, 2)) + np.arange(6.0)[:, None]
    frame = pd.DataFrame(values.reshape(-1, 2), index, ["accuracy", "speed"]).reset_index()
    return bc.Results.from_frame(frame, measures={"accuracy": "max", "speed": "max"})


FRAGMENTS = {
    "all pairs": lambda: bc.pairwise(long_names(), n_jobs=1),
    "one pair": lambda: bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "CART"]),
    "a ranking": lambda: bc.rank(long_names(), draws=200, rng=0),
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_a_fragment_with_figures_compiles(three, tmp_path: Path):
    three.report(tmp_path / "t.tex", fragment=True, figures=True)
    compiled(tmp_path, "t")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
@pytest.mark.parametrize("kind", FRAGMENTS)
def test_a_fragment_compiles_within_the_text(kind, tmp_path: Path):
    FRAGMENTS[kind]().report(tmp_path / "t.tex", fragment=True)
    assert "Overfull" not in compiled(tmp_path, "t")
