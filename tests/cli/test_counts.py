"""Counts of errors, predictions and any option of a method, on the command line and from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app

ERRORS = (
    "task,svm_only,nn_only,both,n\niris,1,4,2,50\nwine,2,10,0,60\nzoo,0,0,1,40\nsonar,3,1,4,70\n"
)
PREDICTIONS = "dataset,example,algorithm,correct,y,guess\n" + "".join(
    f"{task},{k},{name},{'true' if right else 'false'},1,{int(right)}\n"
    for task in ("iris", "wine", "zoo")
    for k in range(12)
    for name, right in (("A", k % 6 != 0), ("B", k % 3 != 0), ("C", k % 4 != 0))
)


@pytest.fixture
def errors(tmp_path: Path) -> Path:
    path = tmp_path / "errors.csv"
    path.write_text(ERRORS)
    return path


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "predictions.csv"
    path.write_text(PREDICTIONS)
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    return result.exit_code, result.stdout, result.stderr


def run_json(*arguments: object) -> dict[str, object]:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    found: dict[str, object] = json.loads(out)
    return found


def test_counts_from_a_file(errors: Path) -> None:
    columns = "svm_only,nn_only,both=both,n=n"
    found = run_json(
        *("compare", errors, "--errors", columns, "--dataset-column", "task"),
        *("--algorithms", "svm,nn", "--method", "poisson-binomial"),
    )
    counts = bc.read_errors(
        errors,
        first_wrong="svm_only",
        second_wrong="nn_only",
        both_wrong="both",
        n="n",
        dataset="task",
        algorithms=("svm", "nn"),
    )
    asked = json.loads(bc.compare(counts, method="poisson-binomial").to_json())
    assert found == asked
    assert bc.risks(counts).loc[("iris", "svm"), "wrong"] == 3


def test_the_columns_name_the_algorithms_unless_they_are_named(errors: Path) -> None:
    found = run_json(
        *("compare", errors, "--errors", "svm_only,nn_only", "--dataset-column", "task"),
        *("--method", "hierarchical"),
    )
    assert found["best"] == "svm_only>nn_only"


@pytest.mark.parametrize("columns", ["correct=correct", "y_true=y,y_pred=guess"])
def test_predictions_from_a_file(predictions: Path, columns: str) -> None:
    code, out, err = run(
        *("pairwise", predictions, "--predictions", columns, "--method", "poisson-binomial")
    )
    assert code == 0, err
    counts = bc.read_predictions(predictions, correct="correct")
    # Of 12 examples A misses 0 and 6, B 0, 3, 6, 9, C 0, 4, 8.
    assert [only.tolist() for only in counts.pair("A", "B")] == [[0.0] * 3, [2.0] * 3]
    p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1)
    shown = float(p.matrix.sel(algorithm="A", opponent="B"))
    assert f"{shown:.3f}" in out


def test_any_option_of_a_method() -> None:
    example = ("compare", "--example", "lacoste-svm-parzen", "--method", "poisson-binomial")
    for choices, p in (((), 0.985346), (("--set", "joint=true"), 0.998807)):
        found = run_json(*example, *choices)
        best = next(s for s in found["statements"] if s["label"] == found["best"])  # type: ignore[attr-defined]
        assert best["probability"] == pytest.approx(p, abs=5e-7)
    found = run_json(*example, "--set", "a=0.5", "--set", "b=2")
    assert found["method"]["options"] == {"joint": False, "a": 0.5, "b": 2, "priors": None}  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--set", "joint"), "--set joint: write NAME=VALUE"),
        (("--set", "joint=maybe"), "--set joint=maybe: must be True or False"),
        (("--set", "joint=true", "--set", "joint=false"), "joint is given twice"),
        (("--set", "strength=2"), "no such option"),
        (("--set", "b=0"), "b=0: must be a finite number > 0"),
        (("--errors", "a,b"), "--errors is about FILE"),
        (("--prior", "jeffreys"), "--prior: method 'poisson-binomial' has no such option"),
    ],
)
def test_bad_choices_are_one_line(arguments: tuple[str, ...], told: str) -> None:
    code, out, err = run(
        *("compare", "--example", "lacoste-svm-parzen", "--method", "poisson-binomial"), *arguments
    )
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--errors", "svm_only"), "write FIRST,SECOND"),
        (("--errors", "svm_only,nn_only,neither=n"), "write FIRST,SECOND"),
        (("--errors", "svm_only,nn_only,n=n,n=both"), "n is given twice"),
        (("--errors", "svm_only,gone"), "'gone'"),
        (("--errors", "svm_only,nn_only", "--measure", "n:max"), "one or the other"),
        (("--errors", "svm_only,nn_only", "--predictions", "correct=n"), "one or the other"),
        (("--errors", "svm_only,nn_only", "--replicate-column", "n"), "no replicates"),
        (("--errors", "svm_only,nn_only", "--cluster", "n"), "--cluster: --errors has no"),
        (("--errors", "svm_only,nn_only", "--keep-items"), "--keep-items: --errors has no"),
        (("--errors", "svm_only,nn_only", "--algorithms", "A"), "name two"),
        (("--predictions", "correct=n"), "example="),
        (("--predictions", "n"), "write correct=COLUMN"),
        ((), "--measure is missing"),
    ],
)
def test_bad_columns_are_one_line(errors: Path, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = run(
        *("compare", errors, "--dataset-column", "task", "--method", "poisson-binomial"), *arguments
    )
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("dataset,a,b\niris,1,-2\nwine,0.5,1\n")
    with pytest.raises(bc.BayescompareError, match=rf"{path}: column 'a' is 0.5 on 'wine'"):
        bc.read_errors(path, first_wrong="a", second_wrong="b")
    path.write_bytes(b"dataset,a,b\n\xff\xfe,1,2\n")
    with pytest.raises(bc.BayescompareError, match=str(path)):
        bc.read_errors(path, first_wrong="a", second_wrong="b")
    with pytest.raises(bc.BayescompareError, match="no such file"):
        bc.read_predictions(tmp_path / "gone.csv", correct="c")
    with pytest.raises(bc.BayescompareError, match="path is a dict"):
        bc.read_errors({}, first_wrong="a", second_wrong="b")  # type: ignore[arg-type]


def test_folds_are_kept_for_the_test_that_wants_them(tmp_path: Path) -> None:
    rows = [
        f"d{d},{a},{f},{0.8 + 0.03 * (a == 'B') + 0.01 * ((7 * d + 3 * f) % 5)}"
        for d in range(4)
        for a in "AB"
        for f in range(5)
    ]
    path = tmp_path / "folds.csv"
    path.write_text("dataset,algorithm,fold,auc\n" + "\n".join(rows))
    table = ("compare", path, "--measure", "auc:max:rope=0.01", "--replicate-column", "fold")
    found = run_json(*table, "--method", "correlated-t", "--set", "folds=5")
    assert found["best"] == "B>A"
    assert found["results"]["replicates"] == ["0", "1", "2", "3", "4"]  # type: ignore[index]
    code, out, _ = run(*table, "--method", "correlated-t")
    assert code == 0
    assert "P(equivalent)" in out
    code, _, err = run("compare", path, "--measure", "auc:max", "--method", "poisson-binomial")
    assert code == 2
    assert "more than one row" in err


def test_the_formula_is_not_sampled_as_something_else(errors: Path, tmp_path: Path) -> None:
    out = tmp_path / "posterior.nc"
    code, _, said = run(
        *("sample", errors, "--errors", "svm_only,nn_only", "--dataset-column", "task"),
        *("--algorithms", "svm,nn", "--method", "poisson-binomial", "--out", out),
    )
    assert code == 2
    assert "--set joint=true" in said
    assert "Traceback" not in said
    assert not out.exists()
