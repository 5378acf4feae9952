"""Guesses: what columns are, which way is better, and what is asked rather than taken."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.table.guess import direction_of, guess


def table(**columns: Any) -> pd.DataFrame:
    """Six datasets and three algorithms; columns are numbers, or functions of dataset and place."""
    rows = [
        {name: make(i, k) if callable(make) else make for name, make in columns.items()}
        for i in range(6)
        for k in range(3)
    ]
    return pd.DataFrame(rows)


TASK: Any = lambda i, k: f"t{i}"  # noqa: E731
NAME: Any = lambda i, k: ["svm", "nb", "rf"][k]  # noqa: E731
AUC: Any = lambda i, k: 0.6 + 0.1 * k + 0.01 * (i * 7 % 5)  # noqa: E731
TIME: Any = lambda i, k: 1.0 + i + (k - 1) ** 2  # noqa: E731


@pytest.mark.parametrize(
    ("name", "way"),
    [
        *((name, "max") for name in ("accuracy", "AUC", "balanced_accuracy", "f1-macro", "R2")),
        *((name, "max") for name in ("neg_log_loss", "acc1", "testAccuracy", "win_rate")),
        *((name, "max") for name in ("exact_match", "hits@10", "tokens_per_second")),
        *((name, "min") for name in ("logloss", "logLoss", "duration", "rmse", "error_rate")),
        *((name, "min") for name in ("fit_time", "score_time", "accuracy_loss", "perplexity")),
        *((name, None) for name in ("score", "value", "foo", "recall_rank", "", "名前")),
    ],
)
def test_a_name_tells_which_way_is_better(name: str, way: str | None) -> None:
    assert direction_of(name) == way


@pytest.mark.parametrize("algorithm", ["algorithm", "alg_name", "classifier_name", "Model"])
@pytest.mark.parametrize("dataset", ["dataset", "task", "Dataset Name", "problem_id"])
def test_columns_are_found_by_their_names(algorithm: str, dataset: str) -> None:
    frame = table(**{dataset: TASK, algorithm: NAME, "logloss": AUC, "duration": TIME})
    found = guess(frame).checked()
    assert {name: measure.direction for name, measure in found.measures.items()} == {
        "logloss": "min",
        "duration": "min",
    }
    assert (found.options["dataset"], found.options["algorithm"]) == (dataset, algorithm)
    assert bc.read(frame).algorithms == ("svm", "nb", "rf")


def test_what_measures_nothing_is_left_out() -> None:
    more = {"n_features": lambda i, k: 10 + i, "width": lambda i, k: 3 * i, "foo": TIME}
    found = guess(table(task=TASK, model=NAME, auc=AUC, note="x", **more))
    assert list(found.measures) == ["auc"]
    assert found.left_out == {
        "n_features": "a number or an identifier, by its name",
        "width": "the same for every algorithm of a dataset",
        "foo": "it is not known which way is better",
    }
    assert "foo left out, whose direction is not known" in found.words()


@pytest.mark.parametrize(
    ("column", "kind"),
    [("fold", "folds"), ("seed", "seeds"), ("iteration", "seeds"), ("question_id", "items")],
)
def test_replicates_are_found_where_rows_need_them(column: str, kind: str) -> None:
    once = table(task=TASK, model=NAME, auc=AUC)
    several = pd.concat([once.assign(**{column: r}) for r in range(4)])
    found = guess(several)
    assert found.options["replicate"] == column
    assert found.options.get("replicates", "folds") == kind
    assert bc.read(several).n_replicates == 4
    # One run of each needs none.
    assert "replicate" not in guess(once.assign(**{column: 1})).options


def test_everything_that_is_open_is_asked_at_once() -> None:
    frame = table(one=TASK, other=NAME, score=TIME)
    with pytest.raises(bc.BayescompareError) as raised:
        bc.read(frame)
    message = str(raised.value)
    assert message.startswith("3 things are open: (1)")
    for remedy in ("dataset='one'", "algorithm='one'", "measures={'score': 'max'}"):
        assert remedy in message
    settled = bc.compare(
        frame, dataset="one", algorithm="other", measures={"score": "higher"}, method="friedman"
    )
    assert settled.results.algorithms == ("svm", "nb", "rf")


def test_the_only_other_column_of_names_is_taken() -> None:
    found = guess(table(task=TASK, who=NAME, auc=AUC))
    assert found.options["algorithm"] == "who"
    assert found.why["who"] == "the only other column of names"


def test_repeated_rows_are_asked_about() -> None:
    frame = pd.concat([table(task=TASK, model=NAME, auc=AUC).assign(part=r) for r in range(2)])
    with pytest.raises(bc.BayescompareError, match=r"18 rows repeat .* by replicate='part'"):
        bc.read(frame)


def test_a_vague_name_is_judged_by_what_it_agrees_with() -> None:
    frame = table(task=TASK, model=NAME, auc=AUC, score=lambda i, k: -AUC(i, k))
    found = guess(frame)
    assert found.measures["score"].direction == "min"
    assert "falls where auc rises, on 100 %" in found.why["score"]
    alone = guess(frame.drop(columns="auc"))
    assert len(alone.problems) == 1
    assert "which way score is better is not known" in alone.problems[0]


def test_a_direction_that_contradicts_the_values_is_asked() -> None:
    frame = table(task=TASK, model=NAME, auc=AUC, accuracy=lambda i, k: 1 - AUC(i, k))
    (problem,) = guess(frame).problems
    assert "accuracy and auc contradict each other on 100 % of pairs" in problem
    assert not guess(frame, measures=["auc", "accuracy"]).problems  # as it is said


def test_measures_without_directions() -> None:
    frame = table(task=TASK, model=NAME, auc=AUC, duration=TIME, n_jobs=AUC)
    c = bc.compare(frame, measures=["auc", "duration"], algorithms=["svm", "rf"])
    assert [c.results[name].direction for name in c.results] == ["max", "min"]
    said = "Guessed: datasets are in task; algorithms are in model; higher auc and lower duration"
    assert c.caveats[0].startswith(said)


def test_wide_tables() -> None:
    long = table(task=TASK, model=NAME, auc=AUC, time=TIME)
    wide = long.pivot(index="task", columns="model", values="auc").reset_index()
    with pytest.raises(bc.BayescompareError, match="may be algorithms, and nothing says what"):
        bc.read(wide)
    assert bc.read(wide, measures=["auc"]).algorithms == ("nb", "rf", "svm")
    both = long.pivot(index="task", columns="model", values=["auc", "time"])
    both.columns = pd.Index([f"{algorithm}_{measure}" for measure, algorithm in both.columns])
    assert {name: each.direction for name, each in bc.read(both).spec.items()} == {
        "auc": "max",
        "time": "min",
    }
    melted = long.melt(["task", "model"], var_name="measure")
    assert bc.read(melted).measures == ("auc", "time")


# -------------------------------------------------------------------------------------------- look


def written(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, index=False)
    return path


def test_look_says_what_is_there_and_what_to_type_next(tmp_path: Path) -> None:
    frame = table(task=TASK, alg_name=NAME, auc=AUC, duration=TIME, n=5)
    frame.loc[3, "auc"] = np.nan
    path = written(frame, tmp_path / "my results.csv")
    found = bc.look(path)
    text = str(found)
    for words in (
        "alg_name  by its name",
        "auc       higher is better: 0.6 to 0.84; by its name",
        "n         a number or an identifier",
        "6 datasets, 3 algorithms ('svm', 'nb', 'rf')",
        "Missing  1 of 36 cells, on 1 dataset",
        "Next     bayescompare pairwise",
    ):
        assert words in text
    assert found.command == (
        f"bayescompare pairwise '{path}' -m auc:max -m duration:min --dataset-column task "
        "--algorithm-column alg_name --missing ignore"
    )
    own: dict[str, Any] = {"bc": bc}
    exec(found.code, own)
    assert own["results"].data.equals(found.results.data)
    assert bc.look(frame).results.data.equals(found.results.data)


def test_look_says_what_is_constant_and_tied(tmp_path: Path) -> None:
    text = str(bc.look(table(task=TASK, model=NAME, auc=0.5, time=lambda i, k: float(k > 0))))
    assert "Constant auc is the same in every cell" in text
    assert "Tied     33 % of pairs are equal on time" in text


def test_look_at_what_another_tool_wrote() -> None:
    from tests.readers.written import DATA

    found = bc.look(DATA / "weka" / "experiment.arff")
    assert found.title == "read as an experiment of Weka"
    assert found.command == f"bayescompare pairwise {DATA / 'weka' / 'experiment.arff'}"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "dataset,algorithm,auc\n",
        "a\n1\n2\n",
        "a,b\nx,y\nx,y\n",
        "dataset,algorithm,auc\nd,A,inf\nd,B,1\n",
        "dataset,dataset,auc\nd,A,1\n",
        "auc\n0.5\n0.6\n",
        "dataset,algorithm,auc\n[red]d,$x$,1\n‮d,B,2\n",
        "dataset,algorithm,score\n" + "".join(f"d{i},{'A' * 200},{i}\n" for i in range(3)),
    ],
)
def test_look_at_a_bad_file_is_a_line_or_says_what_is_open(content: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    try:
        said = str(bc.look(path))
    except bc.BayescompareError as error:
        said = str(error)
    assert said.startswith(f"{path}: ")


def test_frames_of_other_habits() -> None:
    frame = table(task=TASK, model=NAME, auc=AUC)
    for option, pointer in (
        ({"rope": 0.1}, "bc.Measure('max', rope=0.01)"),
        ({"seed": 1}, "rng="),
        ({"measure": "auc"}, "measures="),
        ({"algorithms": "svm,rf"}, "as in ['svm', 'rf']"),
    ):
        asked: Any = option
        with pytest.raises(bc.BayescompareError, match=re.escape(pointer)):
            bc.compare(frame, **asked)
    assert bc.Measure("higher") == bc.Measure("max")  # type: ignore[arg-type]
    assert bc.Measure("Lower") == bc.Measure("min")  # type: ignore[arg-type]
