"""HELM: the ``stats.json`` and ``run_spec.json`` of every run of a suite."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    directed,
    parsed_number,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import read_json
from bayescompare.table.measure import Measure
from bayescompare.table.paths import (
    Paths,
    algorithm_label,
    find_files,
    list_paths,
    naming,
    parsed_name,
    repeatable_paths,
)
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

__all__ = ["read_helm"]

#: Directions on which all schemas of HELM 0.5 agree, for suites without a schema.json. They
#: disagree on edit_similarity, which is good in one scenario and a copyright infringement in
#: another.
_METRICS = directed(
    "exact_match quasi_exact_match prefix_exact_match quasi_prefix_exact_match exact_match@5 "
    "quasi_exact_match@5 prefix_exact_match@5 quasi_prefix_exact_match@5 f1_score f1_set_match "
    "classification_macro_f1 classification_micro_f1 classification_weighted_f1 rouge_1 rouge_2 "
    "rouge_l bleu bleu_1 bleu_4 chr_f_plus_plus meteor logprob logprob_per_byte math_equiv "
    "math_equiv_chain_of_thought final_number_exact_match exact_match_indicator iou_set_match "
    "exact_set_match code_eval_acc pass test_avg strict_acc NDCG@10 NDCG@20 RR@10 RR@20 "
    "selective_acc@10 selective_cov_acc_area bbq_accuracy safety_score ifeval_strict_accuracy "
    "chain_of_thought_correctness omni_math_accuracy wildbench_score wildbench_score_rescaled",
    "bits_per_byte perplexity ece_1_bin ece_10_bin platt_ece_1_bin platt_ece_10_bin "
    "expected_max_toxicity max_toxicity_probability toxic_frac absolute_value_difference "
    "bbq_metric_ambiguous_bias bbq_metric_unambiguous_bias training_co2_cost training_energy_cost "
    "inference_runtime inference_idealized_runtime inference_denoised_runtime wer_score mer_score "
    "cer_score",
)


class _HelmRun(NamedTuple):
    """One run: the scenario, the model and its statistics."""

    file: Path
    scenario: str
    model: str
    stats: dict[str, float]


def read_helm(
    paths: Paths,
    *,
    measures: Chosen | None = None,
    split: str = "test",
    perturbation: str | None = None,
) -> Results:
    r"""Read the runs of a HELM suite.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Directories of runs, or of suites (``benchmark_output/runs/my-suite``), or ``stats.json``
        files; ``run_spec.json`` is read beside each. A mapping names the models itself.
    measures : mapping or iterable of str
        HELM's names, as in ``["exact_match"]``; a run has dozens of them. The suite's
        ``schema.json`` (``helm-summarize`` writes it) says which way is better; without it this
        is known only for the usual ones.
    split : str
        The instances to read: ``"test"`` or ``"valid"``.
    perturbation : str, optional
        As in ``"robustness"``: the worst over an instance and its perturbed versions, as in HELM's
        tables. By default the instances are not perturbed.

    Returns
    -------
    Results
        Models are the algorithms. A dataset is the scenario with its arguments: the run's name
        without ``model=``.

    Examples
    --------
    >>> import json, tempfile
    >>> suite = Path(tempfile.mkdtemp())
    >>> for model, mean in (("toy/small", 0.5), ("toy/large", 0.75)):
    ...     run = suite / model.replace("/", "_")
    ...     run.mkdir()
    ...     spec = {"name": f"boolq:model={model}", "adapter_spec": {"model": model}}
    ...     stat = {"name": {"name": "exact_match", "split": "test"}, "mean": mean}
    ...     _ = (run / "run_spec.json").write_text(json.dumps(spec))
    ...     _ = (run / "stats.json").write_text(json.dumps([stat]))
    >>> results = read_helm(suite, measures=["exact_match"])
    >>> results.datasets, results.algorithms
    (('boolq',), ('toy/large', 'toy/small'))
    """
    paths = repeatable_paths(paths)
    files, source = find_files(paths, "stats.json")
    runs = [_read_helm_run(file, name, split, perturbation) for file, name in files]
    _check_helm_runs_once(runs)
    directions: dict[str, Measure | None] = {**_METRICS}
    declared: dict[str, Measure] = {}
    for suite in dict.fromkeys(file.parent.parent for file, _ in files):
        for name, measure in _read_helm_schema(suite / "schema.json").items():
            # Two suites that disagree say nothing.
            directions[name] = measure if declared.setdefault(name, measure) == measure else None
    known = {name: directions.get(name) for run in runs for name in run.stats}
    spec = select_measures(measures, known)
    rows = [
        (
            run.file,
            {"dataset": run.scenario, "algorithm": run.model}
            | {name: run.stats.get(name, math.nan) for name in spec},
        )
        for run in runs
    ]
    results = results_of_rows(rows, source, measures=spec)
    return results._with(notes=(*results.notes, *_helm_unfinished_notes(list_paths(paths)[0])))


def _helm_unfinished_notes(named: Iterable[tuple[Path, str | None]]) -> list[str]:
    """Note the runs that have a specification but no statistics: they failed, or go on."""
    specs = [file for path, _ in named if path.is_dir() for file in path.rglob("run_spec.json")]
    gone = [file.parent.name for file in sorted(specs) if not file.with_name("stats.json").exists()]
    if not gone:
        return []
    return [f"{plural(len(gone), 'run')} without stats.json: {first_words(gone, 3)}"]


def _read_helm_run(file: Path, name: str | None, split: str, perturbation: str | None) -> _HelmRun:
    spec_file = file.with_name("run_spec.json")
    with naming(spec_file):
        scenario, model = _read_helm_spec(read_json(spec_file))
    with naming(file):
        stats = _read_helm_stats(read_json(file), split, perturbation)
    return _HelmRun(file, scenario, algorithm_label(name or model), stats)


def _read_helm_spec(spec: Any) -> tuple[str, str]:
    adapter = spec.get("adapter_spec") if isinstance(spec, dict) else None
    if not isinstance(adapter, dict) or not isinstance(spec.get("name"), str):
        raise BayescompareError(
            "not HELM's run_spec.json, which has 'name' and 'adapter_spec': give a run's directory "
            "that helm-run wrote."
        )
    model = adapter.get("model") or adapter.get("model_deployment")
    if not model:
        raise BayescompareError("no model in 'adapter_spec': name it, as in {'mine': path}.")
    parsed_name(spec["name"], "name")
    # "mmlu:subject=anatomy,model=openai_gpt2" is the scenario's name and its arguments.
    scenario, _, arguments = spec["name"].partition(":")
    kept = [part for part in arguments.split(",") if not re.match(r"model(_deployment)?=", part)]
    return (
        ":".join(filter(None, (scenario, ",".join(kept)))),
        parsed_name(model, "adapter_spec.model"),
    )


def _read_helm_stats(stats: Any, split: str, perturbation: str | None) -> dict[str, float]:
    """Return the means of the stats of one split and perturbation."""
    if not isinstance(stats, list) or not all(_is_helm_stat(stat) for stat in stats):
        raise BayescompareError(
            "not HELM's stats.json, a list of objects whose 'name' is an object with a 'name'."
        )
    chosen = {
        place: stat
        for place, stat in enumerate(stats)
        if _fits_helm_split(stat["name"], split, perturbation)
    }
    if not chosen:
        names = [stat["name"] for stat in stats]
        splits = dict.fromkeys(str(name.get("split")) for name in names)
        worst = dict.fromkeys(_helm_perturbation(name) or "None" for name in names)
        how = f"and perturbation={perturbation!r}" if perturbation else "without a perturbation"
        raise BayescompareError(
            f"no stat with split={split!r} {how}: there are the splits "
            f"{quoted_names(splits)} and the perturbations "
            f"{quoted_names(worst)}."
        )
    means: dict[str, float] = {}
    for place, stat in chosen.items():
        name = stat["name"]["name"]
        mean = stat.get("mean")
        # An infinite one is refused only if it is asked for.
        number = (
            mean
            if mean in (math.inf, -math.inf)
            else parsed_number(mean, f"[{place}] ({name}): mean")
        )
        # A stat without a mean counted nothing; HELM also leaves out means that are NaN.
        if not math.isnan(number) and means.setdefault(name, number) != number:
            raise BayescompareError(f"{name!r} occurs twice, as {means[name]} and as {mean}.")
    return means


def _is_helm_stat(stat: object) -> bool:
    name = stat.get("name") if isinstance(stat, dict) else None
    return isinstance(name, dict) and isinstance(name.get("name"), str)


def _fits_helm_split(name: Mapping[str, Any], split: str, perturbation: str | None) -> bool:
    return (
        name.get("split") == split
        and name.get("sub_split") is None
        and _helm_perturbation(name) == perturbation
    )


def _helm_perturbation(name: Mapping[str, Any]) -> str | None:
    """Return the perturbation whose worst case this is, HELM's measure of robustness."""
    details = name.get("perturbation")
    if not isinstance(details, dict):
        return None
    worst = details.get("computed_on") == "worst"
    return (
        str(details.get("name"))
        if worst
        else f"{details.get('name')} ({details.get('computed_on')})"
    )


def _read_helm_schema(file: Path) -> dict[str, Measure]:
    """Return the directions that a suite's schema gives, if it has one."""
    if not file.exists():
        return {}
    with naming(file):
        schema = read_json(file)
        metrics = schema.get("metrics") if isinstance(schema, dict) else None
        if not isinstance(metrics, list) or not all(isinstance(own, dict) for own in metrics):
            raise BayescompareError("not HELM's schema.json, which has a list of 'metrics'.")
        return dict(_helm_directions(metrics))


def _helm_directions(metrics: list[dict[str, Any]]) -> Iterator[tuple[str, Measure]]:
    seen: dict[str, bool] = {}
    for place, metric in enumerate(metrics):
        lower, name = metric.get("lower_is_better"), str(metric.get("name"))
        if lower is None:
            continue
        if not isinstance(lower, bool):
            raise BayescompareError(
                f"metrics[{place}].lower_is_better is {show_checked_value_briefly(lower)}, not "
                "true or false."
            )
        if seen.setdefault(name, lower) != lower:
            raise BayescompareError(f"metrics: {name!r} occurs twice, with both directions.")
        yield name, Measure("min" if lower else "max")


def _check_helm_runs_once(runs: list[_HelmRun]) -> None:
    seen: dict[tuple[str, str], Path] = {}
    for run in runs:
        other = seen.setdefault((run.scenario, run.model), run.file)
        if other != run.file:
            raise BayescompareError(
                f"{other} and {run.file} are both runs of {run.model!r} on {run.scenario!r}: leave "
                "out one, or give them different names, as in {'first': ..., 'second': ...}."
            )
