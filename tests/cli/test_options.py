"""Usage errors are one line, and the small languages of options are read or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import bayescompare as bc
from bayescompare.cli.measures import parse_measure
from bayescompare.cli.options import read_names_flag
from tests.cli.commands import OPTIONS, one_line, run

# ------------------------------------------------------------------------------------ usage errors


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["frobnicate"], "no such command 'frobnicate'"),
        (["--frobnicate"], "--frobnicate"),
        (["compare", "--frobnicate"], "--frobnicate"),
        (["compare", "--example", "pnn", "--strength", "much"], "'--strength'"),
        (["compare", "--example", "pnn", "--seed", "-1"], "'--seed'"),
        (["sample", "--example", "pnn"], "'--out'"),
        (["compare"], "neither is given"),
        (["compare", "a.csv", "--example", "pnn"], "both are given"),
        (["compare", "a.csv"], "a.csv: no such file or directory"),
        (["compare", "--example", "pnn", "--measure", "accuracy:max"], "--only"),
        (["compare", "--example", "pnn", "--layout", "wide"], "--layout is about FILE"),
        (["compare", "--example", "pnn", "--method", "glrt", "--strength", "2"], "--strength"),
        (["compare", "--example", "pnn", "--method", "glrt", "--prior", "1"], "--prior"),
        (["compare", "--example", "pnn", "--algorithms", 'New,"'], "not a comma list"),
        (["pairwise", "--example", "pnn", "--fdr", "2", "--json"], "--fdr 2.0"),
        (["pairwise", "--example", "pnn", "--jobs", "many", "--json"], "--jobs"),
        (["compare", "--example", "pnn", "--ess", "2"], "--ess: method 'dirichlet'"),
        (["compare", "--example", "pnn", "--max-parents", "2"], "--max-parents: method"),
        (["pairwise", "--example", "pnn", "--search", "exact", "--method", "glrt"], "--search"),
        (["sample", "--example", "pnn", "--no-average", "--out", "x.nc"], "--average"),
        (["compare", "--example", "pnn", "--method", "network", "--ess", "0"], "--ess 0.0"),
        (["compare", "--example", "pnn", "--method", "network", "--search", "gas"], "'ges'"),
        (
            ["compare", "--example", "pnn", "--method", "network", "--max-parents", "-1"],
            "--max-parents -1",
        ),
        (["compare", "--example", "pnn", "--method", "network", "--strength", "1"], "--strength"),
        (["compare", "--example", "pnn", "--report", "page.pdf"], "a report ends in .html"),
        (["pairwise", "--example", "pnn", "--report", "page"], "a report ends in .html"),
        (["sample", "--example", "pnn", "--tune", "-1", "--out", "x.nc"], "--tune -1"),
        (
            ["sample", "--example", "pnn", "--target-accept", "1", "--out", "x.nc"],
            "--target-accept 1",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors_are_one_line(
    args: Sequence[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*args, code=2)
    assert words in one_line(result.stderr)
    if "--frobnicate" in args:
        # Click has written the rest of this line in two ways.
        assert "no such option" in one_line(result.stderr)
    if "--json" in args:
        assert words in json.loads(result.stdout)["error"]
    else:
        assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_no_command_prints_the_help() -> None:
    result = run(code=2)
    assert "Usage: bayescompare" in result.output


def test_line_breaks_in_a_message_collapse(tmp_path: Path) -> None:
    result = run("compare", tmp_path / "a\nb.csv", *OPTIONS, code=2)
    assert "a b.csv: no such file" in one_line(result.stderr)


# ------------------------------------------------------------------------------ the mini-languages


@pytest.mark.parametrize(
    ("text", "name", "measure"),
    [
        ("accuracy:max", "accuracy", bc.Measure("max")),
        ("time:min:rope=0.05:unit=s", "time", bc.Measure("min", rope=0.05, unit="s")),
        ("a:max:bounds=0..1", "a", bc.Measure("max", bounds=(0, 1))),
        ("a:max:bounds=0..", "a", bc.Measure("max", bounds=(0, None))),
        ("a:max:bounds=..-1.5", "a", bc.Measure("max", bounds=(None, -1.5))),
        ("rank:min:ordinal", "rank", bc.Measure("min", scale="ordinal")),
        ("F1:macro:max", "F1:macro", bc.Measure("max")),
        ("max:min", "max", bc.Measure("min")),
        ("x=y:max:rope=0", "x=y", bc.Measure("max", rope=0)),
        ("rope=1:max", "rope=1", bc.Measure("max")),
        ("time (s):min", "time (s)", bc.Measure("min")),
    ],
)
def test_measures_are_read(text: str, name: str, measure: bc.Measure) -> None:
    assert parse_measure(text) == (name, measure)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("accuracy", "has no direction: say accuracy:max"),
        ("accuracy:rope=0.1", "has no direction: say accuracy:max"),
        ("accuracy:higher", "direction='higher': must be 'max' or 'min'"),
        ("accuracy:mx", "Did you mean 'max'"),
        ("accuracy:max:rope=wide", "rope='wide': must be a number"),
        ("accuracy:max:rope=-1", "rope=-1"),
        ("accuracy:max:ropes=1", "Did you mean 'rope'"),
        ("accuracy:max:bounds=0-1", "LOW..HIGH"),
        ("accuracy:max:bounds=a..1", "bounds='a': must be a number"),
        ("accuracy:max:bounds=1..0", "lowest must be below"),
        ("accuracy:max:rope=1:rope=2", "rope is given twice"),
    ],
)
def test_measures_are_refused(text: str, words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=re.escape(words)):
        parse_measure(text)


def test_lists_of_names() -> None:
    assert read_names_flag("--only", None) is None
    assert read_names_flag("--only", "A,B") == ["A", "B"]
    assert read_names_flag("--only", '"A, the first", B') == ["A, the first", "B"]
