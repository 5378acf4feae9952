"""Files that the commands write: where asked, nowhere else, and never over the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import xarray as xr

import bayescompare as bc
from tests.cli.commands import OPTIONS, found, run
from tests.methods.model_file.own import WHOLE


def test_files_are_written_where_asked_and_nowhere_else(table: Path, folder: Path) -> None:
    before = set(folder.iterdir())
    run("compare", table, *OPTIONS)
    assert set(folder.iterdir()) == before
    printed = run("compare", table, *OPTIONS, "-r", "r.html", "--save", "c.nc").stdout
    assert set(folder.iterdir()) == before | {folder / "r.html", folder / "c.nc"}
    assert printed.endswith("wrote c.nc\nwrote r.html\n")
    assert Path("r.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert bc.load_comparison("c.nc").best == "B>A|A>B"


def test_force_overwrites_and_json_is_told_by_its_name(table: Path) -> None:
    for name in ("taken.nc", "c.json"):
        run("compare", table, *OPTIONS, "--save", name, "--force")
        assert bc.load_comparison(name).best == "B>A|A>B"
    assert json.loads(Path("c.json").read_text(encoding="utf-8"))["best"] == "B>A|A>B"


def test_json_stands_alone_beside_files(table: Path) -> None:
    result = run("pairwise", table, *OPTIONS, "--json", "--save", "p.json", "--report", "r.html")
    document = json.loads(result.stdout)
    assert document["schema"] == "bayescompare/pairwise"
    assert json.loads(Path("p.json").read_text(encoding="utf-8")) == document
    assert result.stderr == "wrote p.json\nwrote r.html\n"


def test_files_of_a_ranking_and_a_gate(table: Path) -> None:
    files = ("--save", "r.json", "--plot", "places.png", "--report", "r.md")
    result = run("rank", table, *OPTIONS, *files, "--seed", 1)
    assert result.stdout.endswith("wrote r.json\nwrote places.png\nwrote r.md\n")
    ranking = bc.load_ranking("r.json")
    assert ranking.headline() in Path("r.md").read_text("utf-8")
    assert ranking.options.seed == 1
    assert Path("places.png").read_bytes().startswith(b"\x89PNG")
    asked = ("--candidate", "B", "--baseline", "A", "-m", "accuracy:max:rope=0.1")
    gate = found("gate", table, *asked, "--save", "g.json")
    assert gate["passed"] is True
    assert json.loads(Path("g.json").read_text(encoding="utf-8")) == gate


# ----------------------------------------------------------------------- posteriors and simulations


def sample(*options: object) -> str:
    small = ("--draws", 20, "--chains", 2, "--tune", 10, "--cores", 1, "--out", "posterior.nc")
    result = run("sample", "--example", "pnn", *small, *options)
    assert result.stderr == ""
    return str(result.stdout)


def test_sample_writes_the_tree_and_the_diagnosis(folder: Path) -> None:
    before = set(folder.iterdir())
    printed = sample("--seed", 5, "--target-accept", 0.9)
    assert "greatest R-hat" in printed
    assert "divergences" in printed
    assert printed.endswith("wrote posterior.nc\n")
    assert set(folder.iterdir()) == before | {folder / "posterior.nc"}
    with xr.open_datatree("posterior.nc", engine="h5netcdf") as tree:
        posterior = tree["posterior"]
        assert posterior["theta"].sizes == {"chain": 2, "draw": 20, "statement": 4}
        assert tree.attrs["seed"] == 5
        groups = set(tree.children)
    assert {"sample_stats", "log_likelihood", "log_prior", "prior", "observed_data"} <= groups


@pytest.mark.usefixtures("folder")
def test_calibrate_prints_the_verdict_and_draws_the_ranks() -> None:
    options = ("--simulations", 100, "--seed", 1, "--plot", "ranks.png")
    assert "ranks are uniform" in run("calibrate", "dirichlet", *options).stdout
    assert Path("ranks.png").stat().st_size > 1000


# ------------------------------------------------------------------------------------------- models


def test_models_are_listed_shown_and_copied(tmp_path: Path) -> None:
    assert "dirichlet_hyperprior" in run("models list").stdout
    shown = run("models show dirichlet_hyperprior").stdout
    assert "def build(results" in shown
    target = tmp_path / "mine.py"
    run("models", "copy", "dirichlet_hyperprior", target)
    assert target.read_text() == shown
    described = bc.methods.describe(str(target))
    assert described.loc["concentration", "default"] == "Gamma(2.0, 1.0)"


@pytest.mark.slow
def test_a_model_that_cannot_start_ends_a_command_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WHOLE.replace("[1.0] *", "[-1.0] *"))
    done = run("compare", "--example", "benavoli-example1", "--method", path, code=2)
    sampled, message = done.stderr.splitlines()
    assert "sampled by NUTS" in sampled
    assert message.startswith("error: ")
