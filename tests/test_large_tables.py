"""Tables with more statements than a float or a printed number can hold: everything works."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.app import app
from tests.tables import table


@pytest.mark.slow
def test_more_statements_than_python_writes_digits(tmp_path: Path) -> None:
    """40,320 orders of 8 algorithms on each of 950 measures: K has more than 4,300 digits."""
    values = np.random.default_rng(0).random((3, 8, 950))
    c = bc.compare(table(values))
    assert c.answer.n_statements > 10**4300
    document = json.loads(c.to_json(tmp_path / "c.json"))
    assert len(document["n_statements"]) > 4300
    for file in (tmp_path / "c.json", c.to_netcdf(tmp_path / "c.nc")):
        assert bc.load_comparison(file).answer.n_statements == c.answer.n_statements
    assert "statements are possible" in c.explain()
    with pytest.raises(BayescompareError, match=r"there are about \d\.\de\d+ statements"):
        bc.modelling.statement_table(c.results)


def huge(folder: Path, l: int, m: int, n: int = 6) -> tuple[Path, dict[str, str]]:
    """A long table of random values, and its measures."""
    rng = np.random.default_rng(l * m)
    measures = {f"m{j}": "max" if j % 2 else "min" for j in range(m)}
    table = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(n)], l),
            "algorithm": [f"a{k}" for k in range(l)] * n,
        }
    )
    values = pd.DataFrame(rng.normal(size=(n * l, m)).round(3), columns=list(measures))
    path = folder / "huge.csv"
    pd.concat([table, values], axis=1).to_csv(path, index=False)
    return path, measures


@pytest.fixture(scope="module")
def beyond(tmp_path_factory: pytest.TempPathFactory) -> bc.Results:
    """Results with 2^1200 statements, more than a float can count."""
    path, measures = huge(tmp_path_factory.mktemp("beyond"), 2, 1200)
    return bc.read_results(path, measures=measures)


def check_huge(c: bc.Comparison, l: int, m: int) -> None:
    assert c.answer.n_statements == math.factorial(l) ** m
    assert c.explain()
    if c.method.name == "dirichlet":
        # Beyond 256 statements the unobserved ones are a lump of their own.
        assert float(c.probability.sum()) + c.unobserved == pytest.approx(1.0, abs=1e-9)
        assert np.isfinite(c.log_evidence)
        assert c.questions.notna().all()
    document = json.loads(c.to_json())
    assert (document["best"], document["n_statements"]) == (c.best, str(c.answer.n_statements))


def test_k_beyond_the_float_range_works(wide_answer: bc.Comparison) -> None:
    check_huge(wide_answer, 2, 1200)


@pytest.mark.parametrize("method", ["dirichlet", "glrt"])
@pytest.mark.parametrize(("l", "m"), [(25, 3), (8, 6), (2, 12)])
def test_any_number_of_algorithms_and_measures_works(
    tmp_path: Path, l: int, m: int, method: str
) -> None:
    path, measures = huge(tmp_path, l, m)
    check_huge(bc.compare(bc.read_results(path, measures=measures), method=method), l, m)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("l", "m", "method"),
    [(25, 3, "dirichlet"), (25, 3, "glrt"), (8, 6, "dirichlet"), (2, 1200, "dirichlet")],
)
def test_the_command_line_takes_them_too(tmp_path: Path, l: int, m: int, method: str) -> None:
    path, measures = huge(tmp_path, l, m)
    args = [part for name, way in measures.items() for part in ("--measure", f"{name}:{way}")]
    result = CliRunner().invoke(app, ["compare", str(path), *args, "--method", method])
    assert result.exit_code == 0, result.stderr or repr(result.exception)
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["symmetric", "imprecise"])
def test_k_beyond_the_float_range_has_draws_and_leaves_one_out(
    beyond: bc.Results, prior: Any
) -> None:
    c = bc.compare(beyond, method=bc.methods.Dirichlet(prior=prior))
    theta = c.draws(20, chains=2, rng=1)["posterior"]["theta"]
    assert np.isfinite(theta.values).all()
    assert np.allclose(theta.sum("statement"), 1.0)
    assert np.isfinite(c.loo().elpd)
    if prior == "imprecise":
        assert (c.bounds.sel(bound="lower") <= c.bounds.sel(bound="upper")).all()


def test_millions_of_pairs_are_refused_in_one_sentence() -> None:
    names = [f"a{k}" for k in range(2000)]
    many = table(np.random.default_rng(0).random((2, 2000, 1)), names=names)
    told = "2,000 algorithms make 1,999,000 pairs, and pairwise takes up to 500,000: choose fewer"
    for reference in (None, "a0"):  # a prior is learned from all pairs, whatever is asked
        with pytest.raises(bc.BayescompareError, match=told):
            bc.pairwise(many, reference=reference, n_jobs=1)
