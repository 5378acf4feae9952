"""``bayescompare rank``: the verdict first, files where asked, and errors that name the flag."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bayescompare as bc
from tests.cli.commands import OPTIONS, one_line, run

UCI = ("rank", "--example", "jansen-uci", "--seed", 0, "--draws", 1000)


def test_the_verdict_comes_first() -> None:
    printed = run(*UCI).stdout
    assert printed.startswith("GBM has the best place on all 3 measures")
    for words in ("On auc", "The front", "dominated", "95 % interval"):
        assert words in printed


def test_a_utility_is_read_from_the_flag() -> None:
    printed = run(*UCI, "--utility", "auc=0.5..1,brier=0..0.5").stdout
    assert "By utility" in printed
    assert "share of weights" in printed
    document = json.loads(run(*UCI, "--utility", "auc=1, brier=2", "--json").stdout)
    assert document["options"]["utility"] == {"auc": 1.0, "brier": 2.0}
    assert "unknown" in run(*UCI, "--utility", "unknown").stdout


def test_files_are_written_where_asked(table: Path, tmp_path: Path) -> None:
    saved, picture, page = (tmp_path / name for name in ("r.json", "places.png", "r.md"))
    files = ("--save", saved, "--plot", picture, "--report", page)
    result = run("rank", table, *OPTIONS, *files, "--seed", 1)
    assert f"wrote {saved}\nwrote {picture}\nwrote {page}\n" in result.stdout
    assert bc.load_ranking(saved).headline() in page.read_text("utf-8")
    assert bc.load_ranking(saved).options.seed == 1
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--utility", "auc"), "--utility auc: 'auc' is no weight"),
        (("--utility", "auc=a"), "'auc=a' is no weight"),
        (("--utility", "auc=1,auc=2"), "named twice"),
        (("--utility", "gain=1"), "--utility: no measure called 'gain'"),
        (("--utility", "auc=-1"), "--utility: 'auc' has the weight -1, and --by rank turns"),
        (("--by", "luck"), "--by luck: must be"),
        (("--level", "2"), "--level 2.0: must be"),
        (("--report", "x.docx"), "--report x.docx: a report ends in .html"),
        (("--plot", "x.docx"), "--plot x.docx: cannot be written as a picture"),
    ],
)
def test_errors_name_the_flag(flags: tuple[str, ...], message: str) -> None:
    assert message in one_line(run(*UCI, *flags, code=2).stderr)
