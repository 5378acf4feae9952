"""The command line says what the Python interface says, of every kind of table."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.cli.source import suffix_of_content
from tests.cli.commands import OPTIONS, ROWS, flat, found, long_text, refused, run
from tests.readers.written import DATA

MEASURES: Any = {"accuracy": "max", "time": "min"}


def same(command: dict[str, Any], asked: bc.Comparison | bc.Pairwise) -> bool:
    return bool(command == json.loads(asked.to_json()))


# ------------------------------------------------------------------------------ methods and options


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ((), None),
        (("--prior", "jeffreys"), bc.methods.Dirichlet(prior="jeffreys")),
        (("--prior", "2"), bc.methods.Dirichlet(prior=2.0)),
        (("--prior", "imprecise"), bc.methods.Dirichlet(prior="imprecise")),
        (("--strength", "3"), bc.methods.Dirichlet(strength=3.0)),
        (("--method", "glrt"), bc.methods.GLRT()),
        (("--method", "network", "--ess", "2"), bc.methods.Network(ess=2.0)),
        (("--method", "network", "--max-parents", "0"), bc.methods.Network(max_parents=0)),
        (("--method", "network", "--average"), bc.methods.Network(average=True)),
        (("--method", "network", "--no-average"), bc.methods.Network(average=False)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_methods_and_priors(table: Path, options: tuple[str, ...], method: Any) -> None:
    how = {} if method is None else {"method": method}
    c = bc.compare(bc.read_results(table, measures=MEASURES), **how, rng=3)
    assert same(found("compare", table, *OPTIONS, *options, "--seed", 3), c)


def test_pairwise_and_its_rule(uci: bc.Results, folder: Path) -> None:
    names = ["CART", "GBM", "RF", "GLM"]
    options = ("--algorithms", ",".join(names), "--jobs", 1, "--fdr", 0.1, "--report", "r.md")
    p = bc.pairwise(uci, algorithms=names, n_jobs=1)
    printed = found("pairwise", "--example", "jansen-uci", *options)
    assert printed == json.loads(p.to_json(fdr=0.1))
    page = (folder / "r.md").read_text(encoding="utf-8")
    asserted = int(p.decide(fdr=0.1)["asserted"].sum())
    assert f"For {asserted} of 6 pairs" in page
    assert "f the prior is right, at most 10 % of the verdicts" in page


def test_dominance_of_many(uci: bc.Results, tmp_path: Path) -> None:
    path = tmp_path / "uci.csv"
    uci.data.to_dataframe().reset_index().to_csv(path, index=False)
    measures = [f"--measure={m}:{uci[m].direction}:bounds=0..1" for m in uci.measures]
    options = ("--method", "gsd", "--set", "delta=0", "--algorithms", "GBM,RF,BDS")
    shown = flat("compare", path, *measures, *options)
    assert "GBM dominates RF" in shown
    assert "incomparable" in shown


def test_any_option_of_a_method() -> None:
    example = ("compare", "--example", "lacoste-svm-parzen", "--method", "poisson-binomial")
    for choices, p in (((), 0.985346), (("--set", "joint=true"), 0.998807)):
        told = found(*example, *choices)
        best = next(s for s in told["statements"] if s["label"] == told["best"])
        assert best["probability"] == pytest.approx(p, abs=5e-7)
    told = found(*example, "--set", "a=0.5", "--set", "b=2")
    plain = {"joint": False, "independent": False, "priors": None}
    assert told["method"]["options"] == {**plain, "a": 0.5, "b": 2}


def test_a_rope_a_selection_and_their_order(table: Path) -> None:
    told = found("compare", table, "-m", "acc:max:rope=0.015", "-m", "time:min", "-a", "B,A")
    assert told["results"]["measures"]["accuracy"]["rope"] == 0.015
    assert told["results"]["algorithms"] == ["B", "A"]
    told = found("compare", table, *OPTIONS, "--only", "acc")
    assert list(told["results"]["measures"]) == ["accuracy"]


def test_missing_drop(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text(long_text().replace("zoo,B,0.96,0.2", "zoo,B,,0.2"))
    assert "dropped: zoo" in flat("compare", path, *OPTIONS, "--missing", "drop")


def test_lists_for_programs() -> None:
    assert {"name", "title"} == set(found("methods")[0])
    assert found("methods", "dirichlet")["reference"]
    assert [each["name"] for each in found("examples")] == [each.name for each in bc.io.examples()]
    (pnn,) = found("examples", "pnn")
    assert pnn["measures"] == ["accuracy", "complexity"]


# ------------------------------------------------------------------------------ files and columns


def content(kind: str) -> bytes:
    frame = pd.DataFrame(ROWS, columns=["dataset", "algorithm", "accuracy", "time"])
    wide = frame.pivot(index="dataset", columns="algorithm", values=["accuracy", "time"])
    wide.columns = pd.Index([f"{algorithm}_{measure}" for measure, algorithm in wide.columns])
    return {
        "csv": lambda: long_text().encode(),
        "tsv": lambda: long_text("\t").encode(),
        "wide.csv": lambda: wide.to_csv().encode(),
        "csv.gz": lambda: gzip.compress(long_text().encode()),
        "json": lambda: frame.to_json(orient="records").encode(),
        "jsonl": lambda: frame.to_json(orient="records", lines=True).encode(),
        "parquet": lambda: frame.to_parquet(),
    }[kind]()


@pytest.mark.parametrize("kind", ["csv", "tsv", "wide.csv", "csv.gz", "json", "jsonl", "parquet"])
def test_every_kind_of_file_and_of_standard_input(kind: str, table: Path, tmp_path: Path) -> None:
    path = tmp_path / f"t.{kind}"
    path.write_bytes(content(kind))
    asked = bc.compare(bc.read_results(table, measures=MEASURES))
    for source, piped in ((path, None), ("-", content(kind))):
        told = found("compare", source, *OPTIONS, piped=piped)
        called = told["results"]["source"]
        assert called == (str(path) if piped is None else "standard input")
        assert told["best"] == asked.best
        counts = {row["label"]: row["count"] for row in told["statements"]}
        assert counts == {"A>B|A>B": 1.0, "A>B|B>A": 0.0, "B>A|A>B": 4.0, "B>A|B>A": 1.0}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "standard input: is empty"),
        (b"dataset,algorithm,accuracy,time\niris,A,x,1\n", "standard input: measure 'accuracy'"),
        (b"\x1f\x8bnothing", "standard input: cannot be decompressed"),
    ],
)
def test_bad_standard_input(content: bytes, message: str) -> None:
    line = refused("compare", "-", *OPTIONS, piped=content)
    assert line.startswith(message)
    assert "/tmp" not in line


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        (b"PAR1...", ".parquet"),
        (b"PK\x03\x04...[Content_Types].xml", ".xlsx"),
        (b"PK\x03\x04...header.json", ".eval"),
        (b'{"a": 1}\n', ".json"),
        (b'{"a": 1}\n{"a": 2}\n', ".jsonl"),
        (b'{\n"a": 1}\n', ".json"),
        (b"\xef\xbb\xbfa,b\n1,2\n", ".csv"),
        (b"a\tb,c\td\n", ".tsv"),
        (b"@RELATION x\n", ".arff"),
    ],
)
def test_content_tells_the_suffix(content: bytes, suffix: str) -> None:
    assert suffix_of_content(content) == suffix


def test_several_files_are_one_table(table: Path) -> None:
    asked = bc.compare(bc.read_results(table, measures=MEASURES))
    header, *rows = table.read_text().splitlines(keepends=True)
    for k, part in enumerate((rows[:6], rows[6:])):
        table.with_name(f"half{k}.csv").write_text(header + "".join(part))
    for files in (["half0.csv", "half1.csv"], ["half*.csv"]):
        told = found("compare", *files, *OPTIONS)
        assert told["statements"] == json.loads(asked.to_json())["statements"]


def test_labels_are_algorithms(table: Path) -> None:
    options = ("--label", f"old={table}", "--label", f"new={table}", *OPTIONS)
    told = found("compare", *options, "-a", "old A,new B")
    assert told["results"]["algorithms"] == ["old A", "new B"]


def test_columns_are_named_renamed_dropped_and_meant(tmp_path: Path) -> None:
    path = tmp_path / "results.dat"
    head, rest = long_text("\t").split("\n", 1)
    path.write_text(head.replace("dataset", "task").replace("time", "n") + "\n" + rest)
    options = ("--format", "tsv", "--dataset-column", "task", "--layout", "long")
    options += ("--rename", "algorithm=Who", "--algorithm-column", "Who")
    told = found("compare", path, "-m", "accur:max", "-m", "n:min", *options)
    assert told["best"] == "B>A|A>B"
    wide = tmp_path / "wide.csv"
    wide.write_text("dataset,n,A,B\niris,150,1,2\nwine,178,1,2\n")
    told = found("compare", wide, "-m", "x:max", "--drop-column", "n")
    assert told["results"]["algorithms"] == ["A", "B"]


# -------------------------------------------------------------------------------- folds and items


def test_replicates_are_averaged_or_kept_for_the_test_that_wants_them(folder: Path) -> None:
    table = ("compare", "folds.csv", "-m", "auc:max:rope=0.01", "--replicate-column", "fold")
    assert "mean of 5 replicates" in flat(*table)
    told = found(*table, "--method", "correlated-t", "--set", "folds=5")
    assert told["best"] == "B>A"
    assert told["results"]["replicates"] == ["0", "1", "2", "3", "4"]
    assert "P(equivalent)" in flat(*table, "--method", "correlated-t")


def test_items_in_clusters_and_epochs(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    lines = [
        f"{d},{a},q{k},{d}-{k // 3},{run_},{(7 * k + 5 * len(d) + run_ * (a == 'A')) % 5 > 1}"
        for d in ("math", "code", "law")
        for a in "AB"
        for k in range(12)
        for run_ in (1, 2)
    ]
    path.write_text("dataset,algorithm,item,text,run,right\n" + "\n".join(lines) + "\n")
    options = ("--measure", "right:max", "--replicate-column", "item", "--method", "replicated")
    items = ("--cluster", "text", "--epoch", "run")
    whole, pieces = (
        found("compare", path, *options, *items, keep)
        for keep in ("--keep-items", "--no-keep-items")
    )
    assert whole["details"]["replicates"] == pieces["details"]["replicates"] == [4.0] * 3
    assert whole["best"] == pieces["best"]
    assert "each item is the mean of 2 epochs" in whole["results"]["notes"]
    message = refused("compare", path, *options, "--cluster", "text", "--replicates", "items")
    assert "name their column by --epoch; else keep one." in message
    one = tmp_path / "one.csv"
    one.write_text("\n".join(path.read_text().split("\n")[:49]))
    assert "nothing follows for other datasets" in flat("compare", one, *options, *items)


# ------------------------------------------------------------------------------- counts of errors


def test_counts_from_a_file(folder: Path) -> None:
    columns = ("--errors", "svm_only,nn_only,both=both,n=n", "--dataset-column", "task")
    test = ("--method", "poisson-binomial")
    counts = bc.read_errors(
        folder / "counts.csv",
        first_wrong="svm_only",
        second_wrong="nn_only",
        both_wrong="both",
        n="n",
        dataset="task",
        algorithms=("svm", "nn"),
    )
    told = found("compare", folder / "counts.csv", *columns, "-a", "svm,nn", *test)
    assert same(told, bc.compare(counts, method="poisson-binomial"))
    assert bc.risks(counts).loc[("iris", "svm"), "wrong"] == 3
    # The columns name the algorithms unless they are named.
    assert found("compare", "counts.csv", *columns, *test)["best"] == "svm_only>nn_only"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("columns", ["correct=correct", "y_true=y,y_pred=guess"])
def test_predictions_from_a_file(columns: str) -> None:
    asked = ("predictions.csv", "--predictions", columns, "--method", "poisson-binomial")
    counts = bc.read_predictions("predictions.csv", correct="correct")
    assert [only.tolist() for only in counts.pair("A", "B")] == [[0.0] * 3, [2.0] * 3]
    p = bc.pairwise(counts, method="poisson-binomial", n_jobs=1)
    shown = float(p.matrix.sel(algorithm="A", opponent="B"))
    assert f"{shown:.3f}" in run("pairwise", *asked).stdout


# ------------------------------------------------------------------------------------ other tools


def test_a_tool_is_recognised_and_said() -> None:
    path = DATA / "weka" / "experiment.arff"
    asked = bc.compare(bc.read(path), algorithms=["NaiveBayes", "IBk"])
    for source, piped in ((path, None), ("-", path.read_bytes())):
        done = run("compare", source, "-a", "NaiveBayes,IBk", "--json", piped=piped)
        assert done.stderr == "read as an experiment of Weka (--format weka)\n"
        told = json.loads(done.stdout)
        assert told["statements"] == json.loads(asked.to_json())["statements"]
    named = run("compare", path, "--format", "weka", "-a", "NaiveBayes,IBk", "--json")
    assert named.stderr == ""
    read = bc.io.read_weka(path)
    assert same(json.loads(named.stdout), bc.compare(read, algorithms=["NaiveBayes", "IBk"]))


def test_measures_of_a_tool_with_and_without_directions() -> None:
    told = found("compare", DATA / "lm_eval", "--format", "lm-eval", "--measure", "acc")
    assert same(told, bc.compare(bc.io.read_lm_eval(DATA / "lm_eval", measures=["acc"])))
    measures = ("--measure", "exact_match:max:rope=0.01", "--measure", "inference_runtime:min")
    told = found("compare", DATA / "helm", "--format", "helm", *measures)
    spec: Any = {"exact_match": bc.Measure("max", rope=0.01), "inference_runtime": "min"}
    assert told["best"] == bc.compare(bc.io.read_helm(DATA / "helm", measures=spec)).best


def test_several_paths_and_labels_of_a_tool() -> None:
    files = sorted((DATA / "inspect" / "eval").glob("*.eval"))
    told = found("compare", *files, "--format", "inspect", "--measure", "score")
    asked = bc.compare(bc.io.read_inspect(files, measures=["score"]))
    assert told["statements"] == json.loads(asked.to_json())["statements"]
    labels = [
        f"{name}={path}" for name in ("small", "large") for path in files if name in path.name
    ]
    options = [word for label in labels for word in ("--label", label)]
    done = run("compare", *options, "-m", "Score", "-m", "OUTPUT", "--json")
    assert done.stderr == "read as logs of Inspect (--format inspect)\n"
    told = json.loads(done.stdout)
    assert told["results"]["algorithms"] == ["small", "large"]
    assert list(told["results"]["measures"]) == ["score", "output_tokens"]


# ------------------------------------------------------------------------------------------- look


def test_one_command_reads_a_plain_table(table: Path) -> None:
    asked = bc.compare(bc.read_results(table, measures=MEASURES))
    for measures in ((), ("-m", "acc", "-m", "time:lower")):
        done = run("compare", table, *measures, "--json")
        assert json.loads(done.stdout)["statements"] == json.loads(asked.to_json())["statements"]
        assert done.stderr.startswith("guessed: higher accuracy")


def test_what_look_prints_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "my table.csv"
    path.write_text(long_text().replace("dataset,algorithm", "task,clf"))
    printed = run("look", path).stdout
    assert f"{path}: a csv of results" in printed
    command = printed.partition("Next ")[2].strip()
    assert command.startswith("bayescompare compare '")
    told = json.loads(run(f"{command.removeprefix('bayescompare ')} --json").stdout)
    assert told["best"] == "B>A|A>B"


def test_look_names_flags(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,score\nx,u,1\nx,v,2\ny,u,\ny,v,4\n")
    printed = run("look", path).stdout
    for flag in ("--dataset-column a", "--algorithm-column a", "--measure score:max"):
        assert flag in printed
    typed = ("--dataset-column", "a", "--algorithm-column", "b", "-m", "score:max")
    settled = run("look", path, *typed).stdout
    assert "1 of 4 cells, on 1 dataset" in settled
    assert "--missing drop leaves out their datasets" in settled
    assert "gate      may one replace another: --candidate v, --baseline u" in settled
    message = refused("pairwise", path)
    assert message.startswith(f"{path}: 3 things are open: (1) which column names the datasets:")


def test_look_at_pipes_and_tools() -> None:
    assert run("look", "-", piped=long_text().encode()).stdout.startswith("standard input: a csv")
    weka = DATA / "weka" / "experiment.arff"
    assert "read as an experiment of Weka" in run("look", weka).stdout
