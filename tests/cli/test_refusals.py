"""Whatever is wrong is one line that names the flag that was typed, and nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bayescompare as bc
from bayescompare.cli.source import parse_measure
from tests.cli.commands import OPTIONS, refused, run

TABLE = "compare results.csv -m accuracy:max"
PNN = "compare --example pnn"
COUNTS = "compare counts.csv --method poisson-binomial"
LACOSTE = "compare --example lacoste-svm-parzen --method poisson-binomial"
RANK = "rank --example jansen-uci"
GATE = "gate results.csv -m accuracy:max --candidate B"
WEKA = "compare tools/weka/experiment.arff --format weka"
HELM = "compare tools/helm --format helm"
LM_EVAL = "compare tools/lm_eval --format"

REFUSED = {
    # commands and flags
    "frobnicate": "no such command 'frobnicate'; see 'bayescompare --help'.",
    "comapre": "Did you mean 'compare'?",
    "--frobnicate": "no such option",
    "compare --frobnicate": "no such option",
    f"{PNN} --seed -1": "'--seed'",
    f"{PNN} --strength much": "'--strength'",
    "sample --example pnn": "'--out'",
    "pairwise --example pnn --jobs many --json": "'--jobs'",
    f"{GATE}": "'--baseline'",
    "methods bayes": "NAME bayes is unknown",
    "methods dirichlet_hyperprior": "'bayescompare models show dirichlet_hyperprior' prints it",
    "models show dirichlet_hyperpriors": "Did you mean 'dirichlet_hyperprior'?",
    "models copy plackett_luce taken.nc": "taken.nc exists: choose another name, or use --force.",
    "examples pn": "Did you mean 'pnn'?",
    # the table
    "compare": "FILE and --example NAME: neither is given",
    "compare results.csv --example pnn": "FILE and --example NAME: both are given",
    "compare results.cvs": "results.cvs: no such file or directory. Did you mean 'results.csv'?",
    "compare no/results.csv": "no such file or directory: there is no folder no.",
    "compare 'a\nb.csv'": "a b.csv: no such file",
    "compare absent --format lm-eval": "no such file or directory",
    "compare - -": "there is one standard input",
    "compare folds.csv -m fold": "which way fold is better is not known: say --measure fold:max",
    f"{TABLE} -m acc:max": "'accuracy' is given twice",
    f"{TABLE} -m accuracy:max": "measure 'accuracy' is given twice",
    f"{TABLE} --label x": "--label x: write NAME=FILE",
    f"{TABLE} --rename x": "--rename x: write OLD=NEW",
    f"{TABLE} --rename a=b --rename a=c": "--rename a=c: 'a' is renamed twice",
    f"{TABLE} --rename x=y": "--rename names no column: there is no 'x'",
    f"{TABLE} --drop-column x": "--drop-column names no column: there is no 'x'",
    f"{TABLE} --sheet x": "--sheet x: only .xlsx files have sheets",
    f"{TABLE} --replicate-column '\x1b[31m'": r"--replicate-column \x1b[31m: no such column",
    f"{TABLE} --max-cells 3": "or allow it by --max-cells 12",
    f"{TABLE} results.csv": "as in --label first=PATH",
    f"{TABLE} --reader split=test": "FILE is taken for a table",
    f"{PNN} -m accuracy:max": "--measure does not go with --example; choose among its measures",
    f"{PNN} --dataset-column x": "--dataset-column does not go with --example",
    f"{PNN} --reader split=test": "--reader does not go with --example",
    # counts
    f"{COUNTS} --dataset-column task": "may be algorithms, and nothing says what was measured: say "
    "--measure accuracy:max",
    f"{COUNTS} counts.csv --errors a,b": "--errors takes one FILE",
    f"{COUNTS} --errors svm_only": "write FIRST,SECOND[,both=COLUMN][,n=COLUMN].",
    f"{COUNTS} --errors svm_only,nn_only,neither=n": "write FIRST,SECOND",
    f"{COUNTS} --errors svm_only,nn_only,n=n,n=both": "n is given twice",
    f"{COUNTS} --errors svm_only,nn_only": "counts.csv: --dataset-column dataset: no such column",
    f"{COUNTS} --errors svm_only,gone --dataset-column task": "counts.csv: --errors SECOND=gone:",
    f"{COUNTS} --errors svm_only,nn_only,n=gone --dataset-column task": "--errors n=gone: no such",
    f"{COUNTS} --errors svm_only,nn_only --dataset-column task -a A": "name two",
    f"{COUNTS} --errors svm_only,nn_only -m n:max": "--measure does not go with --errors",
    f"{COUNTS} --errors svm_only,nn_only --predictions correct=n": "--predictions does not go with",
    f"{COUNTS} --errors svm_only,nn_only --cluster n": "--cluster does not go with --errors",
    f"{COUNTS} --errors svm_only,nn_only --keep-items": "--keep-items does not go with --errors",
    f"{COUNTS} --predictions correct=n --dataset-column task": "--predictions example=example: no",
    f"{COUNTS} --predictions n": "write correct=COLUMN or y_true=COLUMN,y_pred=COLUMN[,example=",
    # other tools
    f"{WEKA} --format wekka": "must be one of csv, tsv, json, jsonl, parquet, xlsx, aeon",
    f"{TABLE} --format wekka": "Did you mean 'weka'",
    f"{WEKA} --layout long": "--layout does not go with --format weka",
    f"{WEKA} --errors a,b": "--errors does not go with --format weka",
    f"{WEKA} -m measureTreeSize": "is better: use --measure",
    f"{WEKA} --reader split=test": "--reader split=test: --format weka has no such option (it has",
    HELM: "--measure: name the measures to read, as in --measure",
    f"{HELM} -m exact_match --reader split=dev": "no stat with --reader split=dev without",
    f"{LM_EVAL} lm-eval --reader groups=yes": "groups=yes: write --reader groups=true or false.",
    f"{LM_EVAL} lm-eval-items": "choose one by --reader filter=.",
    # the question
    f"{TABLE} -a A,X": "--algorithms: no algorithm called 'X'",
    f"{TABLE} -a A,A": "--algorithms: 'A' is named twice",
    f"{TABLE} -a ''": "--algorithms is empty",
    f"{TABLE} -a 'A,\"'": "not a comma list",
    f"{TABLE} --only gone": "--only: no measure called 'gone'",
    f"{TABLE} --seed 1 --ci-prob 95": "--ci-prob 95.0: give the probability inside the interval",
    f"{TABLE} --ci-prob 0.9 --json": "--ci-prob is about the printed table, and --json has",
    f"{TABLE} --ci-kind hdi --json": "--ci-kind is about the printed table",
    f"{TABLE} --method sign --ci-prob 0.9": "intervals: this answer of method 'sign' has",
    f"{TABLE} --method correlated-t": "name their column by --replicate-column, or",
    f"{TABLE} --method poisson-binomial": "by --errors or --predictions",
    f"{TABLE} --dataset-column fold": "--dataset-column fold: no such column",
    "pairwise --example pnn --fdr 2 --json": "--fdr 2.0",
    "pairwise --example pnn --fdr 0.1 --level 0.9": "--level and --fdr are two rules",
    # the method
    f"{PNN} --set delta=1": "--set delta: method 'dirichlet' has no such option",
    f"{PNN} --ess 2": "--ess: method 'dirichlet'",
    f"{PNN} --max-parents 2": "--max-parents: method",
    f"{PNN} --method glrt --strength 2": "--strength: method 'glrt' has no such option",
    f"{PNN} --method glrt --prior 1": "--prior: method 'glrt'",
    "sample --example pnn --no-average --out x.nc": "--average: method",
    f"{PNN} --prior '{{'": "--prior: '{' is not JSON",
    f'{PNN} --prior \'{{"a": 1, "a": 2}}\'': "has the key 'a' twice",
    f"{PNN} --method network --ess 0": "--ess 0.0: must be",
    f"{PNN} --method network --set ess=0": "--set ess=0: must be",
    f"{PNN} --method network --ess 1 --set ess=1": "--set ess=1: ess is given twice",
    f"{PNN} --method network --search gas": "Did you mean 'ges'?",
    f"{PNN} --method network --max-parents -1": "--max-parents -1",
    f"{PNN} --method network --average --search ges": (
        "--average sums over all graphs: leave --search exact, or --no-average."
    ),
    f"{PNN} --method gsd --set delta=2": "--set delta=2: must be",
    f"{PNN} --method gsd --set dleta=0": "(it has alternative, delta, ",
    f"{LACOSTE} --set joint": "--set joint: write NAME=VALUE",
    f"{LACOSTE} --set joint=maybe": "--set joint=maybe: must be True or False",
    f"{LACOSTE} --set b=0": "--set b=0: must be a finite number > 0",
    # rankings and gates
    f"{RANK} --utility auc": "--utility auc: 'auc' is no weight",
    f"{RANK} --utility auc=a": "'auc=a' is no weight",
    f"{RANK} --utility auc=1,auc=2": "named twice",
    f"{RANK} --utility gain=1": "--utility: no measure called 'gain'",
    f"{RANK} --utility auc=-1": "--utility: 'auc' has the weight -1, and --by rank turns",
    f"{RANK} --by luck": "--by luck: must be",
    f"{RANK} --level 2": "--level 2.0: must be",
    f"{GATE}a --baseline A": "--candidate Ba",
    f"{GATE} --baseline B": "--candidate B is the baseline too",
    f"{GATE} --baseline A --level 2": "--level 2",
    f"{GATE} --baseline A --missing worst": "--missing worst",
    # outputs
    f"{TABLE} --report x.pdf": "--report x.pdf: a report ends in",
    f"{RANK} --report x.docx": "--report x.docx: a report ends in .html",
    f"{RANK} --plot x.docx": "--plot x.docx: cannot be written as a picture",
    f"{TABLE} --save taken.nc": "taken.nc exists: choose another name, or use --force.",
    f"{TABLE} --save x --report x": "--report x: that is --save too",
    f"{TABLE} --save results.csv --force": "--save results.csv: that is FILE too",
    f"{TABLE} counts.csv --report counts.csv": "that is FILE too",
    # simulations
    "sample --example pnn --method glrt --out x.nc": "methods with it: dirichlet",
    "sample --example pnn --tune -1 --out x.nc": "--tune -1",
    "sample --example pnn --target-accept 1 --out x.nc": "--target-accept 1",
    "sample counts.csv --errors svm_only,nn_only --dataset-column task --out x.nc "
    "--method poisson-binomial": "--set joint=true",
    "calibrate dirichlet --simulations 0": "--simulations 0",
    "calibrate dirichlet --simulations 5 --plot x.xyz": "--plot x.xyz: cannot be written",
    "calibrate dirichlet_hyperprior": "give --example NAME",
    "calibrate bayes --example pnn": "MODEL bayes: must be one of dirichlet",
}


@pytest.mark.parametrize("line", REFUSED)
def test_one_line_names_what_was_typed(line: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    assert REFUSED[line] in refused(line)
    assert sorted(folder.iterdir()) == before
    assert (folder / "taken.nc").read_text() == "mine"


@pytest.mark.usefixtures("folder")
def test_a_parameter_that_a_model_has_not_is_named_as_typed() -> None:
    # PyTensor may have said before that it has no compiler.
    done = run(f"{TABLE} --method plackett_luce --set scale=2", code=2)
    assert done.stderr.splitlines()[-1].startswith("error: --set scale: ")


def test_no_command_prints_the_help() -> None:
    assert "Usage: bayescompare" in run("", code=2).output


@pytest.mark.parametrize(
    ("text", "name", "measure"),
    [
        ("accuracy:max", "accuracy", bc.Measure("max")),
        ("time:min:rope=0.05:unit=s", "time", bc.Measure("min", rope=0.05, unit="s")),
        ("a:max:bounds=0..1", "a", bc.Measure("max", bounds=(0, 1))),
        ("a:max:bounds=0..", "a", bc.Measure("max", bounds=(0, None))),
        ("a:max:bounds=..-1.5", "a", bc.Measure("max", bounds=(None, -1.5))),
        ("rank:min:ordinal", "rank", bc.Measure("min", scale="ordinal")),
        ("F1:macro:max", "F1:macro", bc.Measure("max")),
        ("max:min", "max", bc.Measure("min")),
        ("x=y:max:rope=0", "x=y", bc.Measure("max", rope=0)),
        ("rope=1:max", "rope=1", bc.Measure("max")),
        ("time (s):min", "time (s)", bc.Measure("min")),
        ("time:lower:unit=s", "time", bc.Measure("min", unit="s")),
        ("time:unit=s:rope=1", "time", {"unit": "s", "rope": 1.0}),
    ],
)
def test_measures_are_read(text: str, name: str, measure: object) -> None:
    assert parse_measure(text) == (name, measure)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("accuracy:rope=-1", "rope=-1"),
        ("accuracy:hi", "direction='hi': must be 'max' or 'min'"),
        ("accuracy:mx", "Did you mean 'max'"),
        ("accuracy:max:rope=wide", "rope='wide': must be a number"),
        ("accuracy:max:rope=-1", "rope=-1"),
        ("accuracy:max:ropes=1", "Did you mean 'rope'"),
        ("accuracy:max:bounds=0-1", "LOW..HIGH"),
        ("accuracy:max:bounds=a..1", "bounds='a': must be a number"),
        ("accuracy:max:bounds=1..0", "lowest must be below"),
        ("accuracy:max:rope=1:rope=2", "rope is given twice"),
    ],
)
def test_measures_are_refused(text: str, words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=re.escape(words)):
        parse_measure(text)


def test_outputs_are_checked_before_anything_is_computed(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object, **kwargs: object) -> None:
        raise AssertionError("computed before the output was checked")

    for door in ("compare", "pairwise", "rank", "gate"):
        monkeypatch.setattr(f"bayescompare.{door}", never)
    gate = ("--candidate", "A", "--baseline", "B")
    for command, option, *more in (
        ("compare", "--report"),
        ("compare", "--save"),
        ("pairwise", "--report"),
        ("rank", "--plot"),
        ("gate", "--save", *gate),
        ("sample", "--out"),
    ):
        nowhere = ("--force", option, "no/folder.html", *more)
        assert "does not exist" in refused(command, table, *OPTIONS, *nowhere)
