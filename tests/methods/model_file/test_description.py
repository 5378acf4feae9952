"""What `describe` tabulates of a model file: dims, default and meaning of every prior."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymc as pm

import bayescompare as bc
from bayescompare.methods import ModelFile

FILE = '''"""A model.

Parameters
----------
nu : prior
    As the file has it.
tau : prior over algorithm, measure
    As the file
    has it.
"""
import pymc as pm

def build(results, *, tau, nu=pm.Gamma.dist(2.0, 0.1), folds=None):
    """Build it.

    Parameters
    ----------
    nu : float
        As the function has it, which is ``nearer``.
    """
'''


def test_a_file_is_described_by_its_docstrings(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    for source in (str(path), path, ModelFile(path)):
        found = bc.methods.describe(source)  # type: ignore[arg-type]
        assert found.to_dict("index") == {
            "tau": {
                "dims": "algorithm, measure",
                "default": "required",
                "meaning": "As the file has it.",
            },
            "nu": {
                "dims": "",
                "default": "Gamma(2.0, 0.1)",
                "meaning": "As the function has it, which is nearer.",
            },
            "folds": {"dims": "", "default": "", "meaning": ""},
        }


def test_a_function_is_described_like_a_file() -> None:
    """`compare` takes it, so that its priors can be asked for too."""

    def build(results: bc.Results, *, strength: float = 2.0) -> pm.Model:
        """Build it.

        Parameters
        ----------
        strength : prior over statement
            Weight in datasets.
        """
        raise NotImplementedError

    found = bc.methods.describe(build)  # type: ignore[arg-type]
    assert found.loc["strength"].tolist() == ["statement", "2", "Weight in datasets."]


def test_functions_that_say_nothing_have_an_empty_table() -> None:
    def build(results: bc.Results, **priors: Any) -> pm.Model:
        raise NotImplementedError

    for source in (build, lambda results: pm.Model()):
        found = bc.methods.describe(source)
        assert found.empty
        assert found.columns.tolist() == ["dims", "default", "meaning"]
