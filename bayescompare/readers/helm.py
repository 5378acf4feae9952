"""HELM: the ``stats.json`` and ``run_spec.json`` of every run of a suite."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Field, Format, Record, number_at
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    find_files,
    list_paths,
    naming,
    parsed_name,
    read_json,
    repeatable_paths,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import first_words, quoted_names
from bayescompare.text.numbers import plural

#: Directions on which all schemas of HELM 0.5 agree, for suites without a schema.json. They
#: disagree on edit_similarity, which is good in one scenario and a copyright infringement in
#: another.
_METRICS = records.directed(
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
    runs = [_run(file, name, split, perturbation) for file, name in files]
    records.one_file_each(runs)
    directions: dict[str, Measure | None] = {**_METRICS}
    declared: dict[str, Measure] = {}
    for suite in dict.fromkeys(file.parent.parent for file, _ in files):
        for metric, measure in _schema(suite / "schema.json"):
            # Two suites that disagree say nothing.
            agrees = declared.setdefault(metric, measure) == measure
            directions[metric] = measure if agrees else None
    known = {key: directions.get(key) for run in runs for key in run.values}
    spec = records.select(measures, known)
    # Runs that have a specification but no statistics failed, or go on.
    folders = [path for path, _ in list_paths(paths)[0] if path.is_dir()]
    specs = sorted(file for folder in folders for file in folder.rglob("run_spec.json"))
    gone = [file.parent.name for file in specs if not file.with_name("stats.json").exists()]
    note = f"{plural(len(gone), 'run')} without stats.json: {first_words(gone, 3)}"
    return records.results_of(runs, source, spec, notes=[note] if gone else [])


def _run(file: Path, name: str | None, split: str, perturbation: str | None) -> Record:
    beside = file.with_name("run_spec.json")
    with naming(beside):
        scenario, model = _scenario_and_model(Field(read_json(beside)))
    with naming(file):
        means = _means(read_json(file), split, perturbation)
    benchmark = scenario.partition(":")[0]
    return Record(file, scenario, algorithm_label(name or model), means, benchmark=benchmark)


def _scenario_and_model(spec: Field) -> tuple[str, str]:
    adapter = spec["adapter_spec"]
    if not isinstance(adapter.value, dict) or not isinstance(spec["name"].value, str):
        raise BayescompareError(
            "not HELM's run_spec.json, which has 'name' and 'adapter_spec': give a run's directory "
            "that helm-run wrote."
        )
    model = adapter["model" if adapter["model"].value else "model_deployment"]
    if not model.value:
        raise BayescompareError("no model in 'adapter_spec': name it, as in {'mine': path}.")
    # "mmlu:subject=anatomy,model=openai_gpt2" is the scenario's name and its arguments.
    scenario, _, arguments = spec["name"].name().partition(":")
    kept = [part for part in arguments.split(",") if not re.match(r"model(_deployment)?=", part)]
    return ":".join(filter(None, (scenario, ",".join(kept)))), parsed_name(
        model.value, "adapter_spec.model"
    )


def _means(stats: Any, split: str, perturbation: str | None) -> dict[str, float]:
    """Return the means of the stats of one split and perturbation."""
    if stats != [] and not _is_stats(stats):
        raise BayescompareError(
            "not HELM's stats.json, a list of objects whose 'name' is an object with a 'name'."
        )
    means: dict[str, float] = {}
    fitting = False
    for place, stat in enumerate(stats):
        about = stat["name"]
        if (about.get("split"), about.get("sub_split")) != (split, None):
            continue
        if _perturbation(about) != perturbation:
            continue
        fitting, name, mean = True, about["name"], stat.get("mean")
        # An infinite one is refused only if it is asked for.
        infinite = mean in (math.inf, -math.inf)
        number = mean if infinite else number_at(mean, f"[{place}] ({name}): mean")
        # A stat without a mean counted nothing; HELM also leaves out means that are NaN.
        if not math.isnan(number) and means.setdefault(name, number) != number:
            raise BayescompareError(f"{name!r} occurs twice, as {means[name]} and as {mean}.")
    if not fitting:
        splits = dict.fromkeys(str(stat["name"].get("split")) for stat in stats)
        worst = dict.fromkeys(_perturbation(stat["name"]) or "None" for stat in stats)
        how = f"and perturbation={perturbation!r}" if perturbation else "without a perturbation"
        raise BayescompareError(
            f"no stat with split={split!r} {how}: there are the splits {quoted_names(splits)} and "
            f"the perturbations {quoted_names(worst)}."
        )
    return means


def _is_stats(stats: Any) -> bool:
    if not isinstance(stats, list):
        return False
    named = [isinstance(records.part(stat, "name", "name"), str) for stat in stats]
    return bool(named) and all(named)


def _perturbation(name: Mapping[str, Any]) -> str | None:
    """Return the perturbation whose worst case this is, HELM's measure of robustness."""
    details = name.get("perturbation")
    if not isinstance(details, dict):
        return None
    computed_on = details.get("computed_on")
    return f"{details.get('name')}" + ("" if computed_on == "worst" else f" ({computed_on})")


def _schema(file: Path) -> Iterator[tuple[str, Measure]]:
    """Yield the directions that a suite's schema gives, if it has one."""
    if not file.exists():
        return
    with naming(file):
        metrics = Field(read_json(file))["metrics"]
        listed = metrics.value
        if not isinstance(listed, list) or not all(isinstance(own, dict) for own in listed):
            raise BayescompareError("not HELM's schema.json, which has a list of 'metrics'.")
        seen: dict[str, bool] = {}
        for metric in metrics.each():
            name = str(metric["name"].value)
            if metric["lower_is_better"].value is None:
                continue
            lower = metric["lower_is_better"].truth()
            if seen.setdefault(name, lower) != lower:
                raise BayescompareError(f"metrics: {name!r} occurs twice, with both directions.")
            yield name, Measure("min" if lower else "max")


FORMATS = {"helm": Format("runs of HELM", read_helm, json=_is_stats, mark="run_spec.json")}
