"""The commands for models: `models list`, `show` and `copy`, and models by name or path."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from tests.methods.model_file.own import WHOLE, run


def test_models_are_listed_shown_and_copied(tmp_path: Path) -> None:
    run = CliRunner()
    listed = run.invoke(app, ["models", "list"])
    assert "dirichlet_hyperprior" in listed.stdout
    shown = run.invoke(app, ["models", "show", "dirichlet_hyperprior"])
    assert "def build(results" in shown.stdout
    target = tmp_path / "mine.py"
    assert run.invoke(app, ["models", "copy", "dirichlet_hyperprior", str(target)]).exit_code == 0
    assert target.read_text() == shown.stdout
    again = run.invoke(app, ["models", "copy", "dirichlet_hyperprior", str(target)])
    assert (again.exit_code, again.stderr.count("\n")) == (2, 1)
    assert run.invoke(app, ["models", "show", "dirichlet_hyperpriors"]).exit_code == 2
    found = bc.methods.describe(str(target))
    assert found.loc["concentration", "default"] == "Gamma(2.0, 1.0)"


@pytest.mark.slow
def test_a_model_that_cannot_start_ends_a_command_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WHOLE.replace("[1.0] *", "[-1.0] *"))
    done = CliRunner().invoke(
        app, ["compare", "--example", "benavoli-example1", "--method", str(path)]
    )
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.exception


def test_a_bundled_model_is_no_unknown_method_to_the_command() -> None:
    """`compare --method` takes it: `methods NAME` describes it, or says where it is described."""
    code, said = run("methods", "dirichlet_hyperprior")
    assert code == 0 or "models show" in said
