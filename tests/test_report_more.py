"""A stranger's second look at reports, words and readers: each test holds one fault found."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import io, methods
from bayescompare.report import render
from bayescompare.report.citations import method_text
from bayescompare.report.latex import escaped
from bayescompare.report.page import page_of
from bayescompare.results.results import Results


def _table(names, measures=("acc",), *, datasets=6, seed=0, rope=None) -> Results:
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": f"d{k}", "algorithm": name, **{m: float(rng.normal()) for m in measures}}
        for k in range(datasets)
        for name in names
    ]
    spec = {m: bc.Measure("max", rope=rope) for m in measures}
    return Results.from_frame(pd.DataFrame(rows), measures=spec)


def _command(thing) -> str:
    return next(s for s in page_of(thing).sections if s.title == "How it was made").code["Command"]


def _methods(thing) -> str:
    return " ".join(next(s for s in page_of(thing).sections if s.title == "Method").words)


_ALPHA = {"A>B|A>B": 2.0, "A>B|B>A": 1.0, "B>A|A>B": 1.0, "B>A|B>A": 1.0}


# priors in reports --------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["html", "markdown", "latex"])
def test_report_of_a_prior_given_by_statement(format):
    c = bc.compare(bc.load_example("benavoli-example1"), method=methods.Dirichlet(prior=_ALPHA))
    assert "prior" in render(c, format)


@pytest.mark.parametrize("prior", ["jeffreys", "uniform", 0.3, _ALPHA], ids=str)
def test_report_of_all_pairs_with_a_prior_that_fixes_alpha(prior):
    p = bc.pairwise(
        bc.load_example("benavoli-example1"), method=methods.Dirichlet(prior=prior), n_jobs=1
    )
    assert render(p, "markdown")


@pytest.mark.parametrize("prior", ["jeffreys", "uniform", 0.3])
def test_methods_text_names_no_strength_where_the_prior_fixes_alpha(prior):
    c = bc.compare(bc.load_example("benavoli-example1"), method=methods.Dirichlet(prior=prior))
    text = _methods(c)
    assert f"{prior} mean" not in text
    assert "strength s = 1" not in text


def test_methods_text_of_an_imprecise_prior_tells_of_bounds():
    c = bc.compare(
        bc.load_example("benavoli-example1"), method=methods.Dirichlet(prior="imprecise")
    )
    text = _methods(c)
    assert "imprecise mean" not in text
    assert "lower" in text or "between" in text or "bounds" in text


def test_methods_text_of_alpha_given_by_priors():
    results = bc.load_example("benavoli-example1")
    text = method_text(methods.Dirichlet(priors={"alpha": 2.0}), results, None)
    assert "strength s = 1" not in text


@pytest.mark.parametrize(
    "method",
    [
        methods.Dirichlet(),
        methods.Dirichlet(prior="learned"),
        methods.Dirichlet(prior="symmetric"),
        methods.Dirichlet(strength=2.0),
        methods.Dirichlet(prior="jeffreys"),
        methods.CorrelatedT(joint=True, b="learned"),
    ],
    ids=repr,
)
def test_the_command_of_all_pairs_and_of_one_makes_the_figures_again(method):
    rng = np.random.default_rng(5)
    rows = [
        (f"d{d}", name, fold, rng.normal(k / 2, 1.0))
        for d in range(6)
        for k, name in enumerate("ABC")
        for fold in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "acc"])
    results = Results.from_frame(frame, replicate="fold", measures={"acc": "max"})
    p = bc.pairwise(results, method=method, n_jobs=1)

    def again(thing):
        call = _command(thing).rpartition(".report(")[0]
        return eval(call, {"bc": bc, "results": results})

    pd.testing.assert_frame_equal(again(p).decide(), p.decide())
    one = again(p["A", "B"])
    assert one.answer.probability.tolist() == p["A", "B"].answer.probability.tolist()
    told = next(s for s in page_of(p).sections if s.title == "How it was made").facts["options"]
    assert ("learned" in told) == (p.learned is not None)
    assert "weights" not in told


# methods text and options -------------------------------------------------------------------------


def test_methods_text_of_enumerated_gsd_claims_no_resamples():
    gsd = methods.get("gsd")(permutations=100_000)
    c = bc.compare(bc.load_example("benavoli-example1"), method=gsd, rng=1)
    assert c.answer.details["enumerated"]
    assert "100000 resamples" not in _methods(c)


def test_methods_text_of_gsd_stopped_early_claims_no_resamples_not_drawn():
    gsd = methods.get("gsd")(permutations=1000, stop_after=5)
    c = bc.compare(bc.load_example("benavoli-example1"), method=gsd, rng=1)
    assert max(c.answer.details["resamples"]) < 1000
    text = _methods(c)
    assert "1000 resamples" not in text or "stop" in text or "most" in text


def test_methods_text_against_a_reference_is_not_over_all_pairs():
    p = bc.pairwise(_table(["A", "B", "C"]), reference="A", n_jobs=1)
    assert "Over all pairs" not in _methods(p)


def test_methods_text_of_pairs_that_lost_datasets_does_not_claim_them_all():
    frame = pd.DataFrame(
        {"dataset": f"d{k}", "algorithm": a, "acc": np.nan if a == "B" and k == 2 else k + ord(a)}
        for k in range(6)
        for a in "ABC"
    )
    results = Results.from_frame(frame, measures={"acc": "max"})
    p = bc.pairwise(results, missing="drop", n_jobs=1)
    text = _methods(p)
    assert "over 6 datasets" not in text or "5 datasets" in text or "missing" in text


def _replicated(rope) -> Results:
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": f"d{k}", "algorithm": a, "fold": str(f), "acc": float(rng.normal())}
        for k in range(4)
        for a in "AB"
        for f in range(5)
    ]
    spec = {"acc": bc.Measure("max", rope=rope)}
    return Results.from_frame(pd.DataFrame(rows), replicate="fold", measures=spec)


def test_methods_text_of_correlated_t_says_rho():
    text = _methods(bc.compare(_replicated(None), method="correlated-t"))
    assert "correlation" in text.replace("correlated", "") or "ρ" in text


def test_methods_text_of_correlated_t_with_a_rope_is_not_about_most_datasets():
    text = _methods(bc.compare(_replicated(0.1), method="correlated-t"))
    assert "one is better on most datasets" not in text


@pytest.mark.parametrize("method", ["glrt", "friedman"])
def test_an_approximate_p_value_is_not_called_exact(method):
    names = ["A", "B"] if method == "glrt" else ["A", "B", "C"]
    c = bc.compare(_table(names), method=method)
    assert "approximation" in c.explain()
    made = next(s for s in page_of(c).sections if s.title == "How it was made")
    assert not made.facts["exactness"].startswith("exact:")


# the command --------------------------------------------------------------------------------------


def test_command_names_every_algorithm():
    c = bc.compare(_table([f"a{k}" for k in range(25)]), method="friedman")
    command = _command(c)
    assert "algorithms=" not in command or "'a24'" in command


def test_command_of_random_pairs_has_the_seed():
    gsd = methods.get("gsd")(permutations=20)
    p = bc.pairwise(_table(["A", "B", "C"], datasets=12), method=gsd, rng=7, n_jobs=1)
    assert "rng=7" in _command(p)


def test_command_has_the_measures_chosen():
    c = bc.compare(_table(["A", "B"], ("acc", "auc")), measures=["auc"])
    assert "measures=" in _command(c)


def test_command_has_no_memory_address():
    from dataclasses import replace

    c = bc.compare(_table(["A", "B"]))
    given = methods.Dirichlet(priors={"alpha": lambda name, dims: 1.0})
    assert not re.search(r"0x[0-9a-f]{6,}", _command(replace(c, method=given)))


# LaTeX and Markdown -------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["[", "*"])
def test_no_row_of_latex_begins_with_what_its_line_break_swallows(mark):
    text = render(bc.pairwise(_table([f"{mark}a]", f"{mark}b]", "c"]), n_jobs=1), "latex")
    after = re.findall(r"(?:\\\\|\\midrule|\\endhead)\s*(\S)", text)
    assert mark not in after


def test_latex_of_a_name_in_brackets_compiles(tmp_path):
    from shutil import which

    if which("pdflatex") is None:
        pytest.skip("no pdflatex")
    c = bc.compare(_table(["[a]", "[b]"], ("acc", "auc")))
    (tmp_path / "r.tex").write_text(render(c, "latex"), encoding="utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "r.tex"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0


def test_two_dashes_stay_two_dashes_in_latex():
    assert "--" not in escaped("bayescompare compare --report x.tex")


def test_a_name_like_a_list_makes_no_list_in_markdown():
    text = render(bc.compare(_table(["1. a", "b"])), "markdown")
    assert not [line for line in text.splitlines() if re.match(r"\d+[.)] ", line)]


# words --------------------------------------------------------------------------------------------


def test_friedman_speaks_english():
    assert "itmethod" not in bc.compare(_table(["A", "B", "C"]), method="friedman").explain()


def test_turned_datasets_of_the_poisson_binomial_are_said_to_be_the_surest():
    """Turning the least sure dataset does not unsettle what turning the surest one does."""
    found = [(0, 30)] * 6 + [(9, 10)]

    def asked(rows):
        frame = pd.DataFrame({"dataset": f"d{k}", "a": a, "b": b} for k, (a, b) in enumerate(rows))
        counts = bc.ErrorCounts.from_frame(frame, first_wrong="a", second_wrong="b")
        return bc.compare(counts, method="poisson-binomial")

    c = asked(found)
    assert c.decision.verdict == "settled"
    told = re.search(r"had (\d+) datasets? of its own gone", c.explain())
    assert told is None or int(told[1]) > 1 or asked([*found[:-1], (10, 9)]).decision.level < 0.95


def test_an_error_rate_that_would_change_it_is_a_larger_one():
    p = bc.pairwise(_table(["A", "B", "C"], ("acc", "auc")), n_jobs=1)
    told = re.search(r"with an error rate of ([\d.]+)%", p.explain(fdr=0.6))
    assert told is None or float(told[1]) > 60


def test_a_rope_is_not_advised_where_there_is_one():
    p = bc.pairwise(_table(["A", "B", "C"], rope=0.1), n_jobs=1)
    assert not p.decide()["asserted"].all()
    assert "give the measures a rope" not in p.explain()


def test_with_a_rope_the_size_of_a_difference_does_enter():
    c = bc.compare(_table(["A", "B"], rope=0.1))
    assert "Only the direction of each difference enters, not its size" not in c.explain()


def test_headline_of_a_tie_has_no_plural_in_brackets():
    frame = pd.DataFrame(
        {"dataset": f"d{k}", "algorithm": a, "acc": float((a == "A") == (k % 2 == 0))}
        for k in range(4)
        for a in "AB"
    )
    c = bc.compare(Results.from_frame(frame, measures={"acc": "max"}))
    assert "other(s)" not in c.headline()


# readers ------------------------------------------------------------------------------------------


def _samples(folder: Path, told: dict[str, str]) -> Path:
    for model, judged_by in told.items():
        (folder / model).mkdir()
        lines = [{"doc_id": k, "filter": judged_by, "exact_match": k % 2} for k in range(3)]
        text = "\n".join(map(json.dumps, lines))
        (folder / model / "samples_gsm8k_2026.jsonl").write_text(text)
    return folder


@pytest.mark.parametrize("asked", [None, "strict-match"])
def test_samples_judged_by_different_filters_are_no_pairs(tmp_path, asked):
    folder = _samples(tmp_path, {"a": "strict-match", "b": "flexible-extract"})
    with pytest.raises(bc.BayescompareError, match="filter"):
        io.read_lm_eval_samples(folder, metric="exact_match", filter=asked)


def test_a_filter_that_no_file_has_is_refused(tmp_path):
    folder = _samples(tmp_path, {"a": "strict-match", "b": "strict-match"})
    with pytest.raises(bc.BayescompareError, match="filter"):
        io.read_lm_eval_samples(folder, metric="exact_match", filter="strict_match")


@pytest.mark.parametrize("what", ["versions", "limit"])
def test_models_run_on_different_tasks_are_not_compared_in_silence(tmp_path, what):
    for k, model in enumerate("ab"):
        told = (
            {"versions": {"t": k + 1}} if what == "versions" else {"config": {"limit": k or None}}
        )
        data = {
            "results": {"t": {"acc,none": 0.5 + k / 10}},
            "higher_is_better": {"t": {"acc": True}},
            "model_name": model,
        }
        (tmp_path / f"results_{model}.json").write_text(json.dumps(data | told))
    assert any(f"different {what}" in note for note in io.read_lm_eval(tmp_path).notes)


def test_cross_validate_drops_no_algorithm_in_silence():
    folds = {"test_score": [0.1, 0.2]}
    other = {"test_score": [0.3, 0.4]}
    with pytest.raises(bc.BayescompareError):
        io.from_cross_validate({"d": {1: folds, "1": other, "x": folds}})


def test_flows_whose_labels_become_alike_are_not_averaged():
    frame = pd.DataFrame(
        {"run_id": [1, 2, 3], "task_id": 1, "flow_name": ["a=b", "a:b", "c"], "data_name": "iris"}
    ).assign(function="predictive_accuracy", value=[0.5, 0.6, 0.7])
    with pytest.raises(bc.BayescompareError, match="would both be called"):
        io.from_openml(frame, repeats="mean")


def test_helm_does_not_call_a_single_nan_two_values(tmp_path):
    for model, mean in (("a", 0.5), ("b", float("nan"))):
        (tmp_path / model).mkdir()
        spec = {"name": f"boolq:model={model}", "adapter_spec": {"model": model}}
        stat = {"name": {"name": "exact_match", "split": "test"}, "mean": mean}
        (tmp_path / model / "run_spec.json").write_text(json.dumps(spec))
        (tmp_path / model / "stats.json").write_text(json.dumps([stat]))
    try:
        told = (
            f"{np.isnan(io.read_helm(tmp_path, measures=['exact_match']).values()).sum()} missing"
        )
    except bc.BayescompareError as error:
        told = str(error)
    assert "twice" not in told


def test_mlflow_refuses_one_metric_in_two_directions():
    runs = pd.DataFrame(
        {"status": "FINISHED", "tags.dataset": "d", "params.model": ["a", "b"], "metrics.auc": 0.5}
    )
    with pytest.raises(bc.BayescompareError):
        io.from_mlflow(runs, measures={"auc": "max", "metrics.auc": "min"})
