"""The command `calibrate`: what it prints and what it refuses."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from bayescompare.cli.app import app
from tests.methods.model_file.own import run


def test_calibrate_on_the_command_line(tmp_path: Path) -> None:
    picture = tmp_path / "ranks.png"
    done = CliRunner().invoke(
        app,
        ["calibrate", "dirichlet", "--simulations", "300", "--seed", "1", "--plot", str(picture)],
    )
    assert done.exit_code == 0, done.stderr
    assert "ranks are uniform" in done.stdout
    assert picture.stat().st_size > 1000


def test_no_simulations_are_not_a_thousand() -> None:
    code, said = run("calibrate", "dirichlet", "--simulations", "0")
    assert code == 2
    assert "simulations" in said


def test_a_picture_of_an_unknown_kind_is_refused_before_the_work(tmp_path: Path) -> None:
    code, said = run("calibrate", "dirichlet", "--simulations", "5", "--plot", f"{tmp_path}/x.xyz")
    assert (code, said.count("\n")) == (2, 1)
    assert not (tmp_path / "x.xyz").exists()


def test_a_bundled_model_without_a_table_is_told_of_the_option() -> None:
    code, said = run("calibrate", "dirichlet_hyperprior")
    assert code == 2
    assert "--example" in said


def test_a_built_in_model_with_a_table_is_told_what_is_wrong() -> None:
    """Not that there is no such model: there is, and it takes no table."""
    code, said = run("calibrate", "dirichlet", "--example", "pnn", "--simulations", "5")
    assert code == 0 or "--example" in said
