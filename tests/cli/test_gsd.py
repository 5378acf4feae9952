"""Generalised stochastic dominance on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.methods import GSD
from tests.methods.gsd.cases import ask


def run(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def file(uci: bc.Results, tmp_path: Path) -> tuple[Any, ...]:
    path = tmp_path / "uci.csv"
    frame = uci.data.to_dataframe().reset_index()
    frame.to_csv(path, index=False)
    spec = [f"--measure={m}:{uci[m].direction}:bounds=0..1" for m in uci.measures]
    return (path, *spec)


def test_compare_on_the_command_line(uci: bc.Results, file: tuple[Any, ...]) -> None:
    told = json.loads(
        run(
            "compare",
            *file,
            "--algorithms",
            "GBM,CART",
            "--method",
            "gsd",
            "--set",
            "delta=0",
            "--set",
            "permutations=99",
            "--seed",
            1,
            "--json",
        )
    )
    c = ask(uci, GSD(delta=0, permutations=99), algorithms=["GBM", "CART"], rng=1)
    assert told["pvalue"] == c.pvalue
    assert told["best"] == "GBM>CART"
    assert told["details"]["dominates"] == [True, False]
    assert told["explanation"] == c.explain()


def test_compare_many_on_the_command_line(file: tuple[Any, ...]) -> None:
    flags = ("--algorithms", "GBM,RF,BDS", "--method", "gsd", "--set", "delta=0")
    told = json.loads(run("compare", *file, *flags, "--json"))
    assert told["best"] == "GBM"
    shown = run("compare", *file, *flags)
    assert "no other algorithm dominates GBM; " in shown
    assert "incomparable" in shown


def test_pairwise_on_the_command_line(file: tuple[Any, ...], tmp_path: Path) -> None:
    flags = ("--algorithms", "GBM,RF,CART", "--method", "gsd", "--set", "delta=0")
    flags += ("--set", "permutations=49")
    page = tmp_path / "report.html"
    told = json.loads(run("pairwise", *file, *flags, "--seed", 1, "--json"))
    assert len(told["comparisons"]) == 3
    shown = run("pairwise", *file, *flags, "--seed", 1, "--report", page)
    assert "GBM>CART" in shown
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_bad_choices_on_the_command_line(file: tuple[Any, ...]) -> None:
    assert "delta=2" in run("compare", *file, "--method", "gsd", "--set", "delta=2", code=2)
    said = run("compare", *file, "--method", "gsd", "--set", "dleta=0", code=2)
    assert "dleta" in said
    assert "delta" in said.replace("dleta", "")
