"""The gate of a CI job, tried in a shell: the verdict as Markdown, the report, the exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.report.card import block_of, card_markdown
from tests.cli.commands import refused, run

yaml = pytest.importorskip("yaml")

CI = Path(__file__).parents[2] / "ci" / "gate"


@pytest.fixture
def job(tmp_path: Path, uci: bc.Results) -> Path:
    uci.to_frame().reset_index().drop(columns="index", errors="ignore").to_csv(
        tmp_path / "results.csv", index=False
    )
    return tmp_path


def gate(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    told = {"PYTHON": sys.executable, "GITHUB_STEP_SUMMARY": "summary", "GITHUB_OUTPUT": "out"}
    return subprocess.run(
        ["bash", CI / "gate.sh", *words],
        cwd=folder,
        env=os.environ | told | env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_verdict_is_posted_and_the_report_attached(job: Path, uci: bc.Results) -> None:
    done = gate(job, "results.csv", "GBM", "CART", GATE_OPTIONS="-m auc:max --only 'auc'")
    assert done.returncode == 0, done.stderr
    g = bc.gate(uci, candidate="GBM", baseline="CART", measures=["auc"])
    assert done.stdout == (job / "summary").read_text() == f"{card_markdown(block_of(g))}\n"
    assert (job / "out").read_text() == "verdict=pass\n"
    made = job / "bayescompare-gate"
    assert (made / "gate.html").read_text().startswith("<!doctype html>")
    assert json.loads((made / "gate.json").read_text())["passed"] is True


@pytest.mark.parametrize(
    ("words", "env", "code", "verdict"),
    [
        (("CART", "GBM"), {}, 1, "fail"),
        (("GBM", "RF"), {}, 1, "undecided"),
        (("GBM", "RF"), {"GATE_UNDECIDED": "pass"}, 0, "undecided"),
        (("GMB", "RF"), {}, 2, "error"),
    ],
)
def test_the_job_ends_as_the_gate_does(
    words: tuple[str, str], env: dict[str, str], code: int, verdict: str, job: Path
) -> None:
    done = gate(job, "results.csv", *words, "-m", "auc:max:rope=0.001", **env)
    assert done.returncode == code, done.stderr
    assert (job / "out").read_text() == f"verdict={verdict}\n"
    assert (job / "summary").read_text().startswith("> error: --candidate" if code == 2 else "**")


def test_the_action_and_the_job_say_what_the_script_reads() -> None:
    action: Any = yaml.safe_load((CI / "action.yml").read_text())
    used = set(re.findall(r"inputs\.(\w+)", (CI / "action.yml").read_text()))
    assert used == set(action["inputs"])
    script = (CI / "gate.sh").read_text()
    for name, document in (("action.yml", action), ("gitlab.yml", None)):
        text = (CI / name).read_text()
        document = document or yaml.safe_load(text)
        assert document
        for variable in set(re.findall(r"\bGATE_(?:OPTIONS|UNDECIDED)\b", text)):
            assert variable in script
        assert "bayescompare-gate" in text


def test_markdown_is_printed_alone() -> None:
    done = run("compare --example benavoli-example1 --markdown")
    c = bc.compare(bc.load_example("benavoli-example1"))
    assert done.stdout == f"{card_markdown(block_of(c))}\n"
    assert "choose one of them" in refused("compare --example pnn --json --markdown")
