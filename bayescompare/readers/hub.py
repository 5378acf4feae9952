"""Hugging Face Hub: the ``.eval_results/*.yaml`` files of model repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Field, Format, Record
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    distinct_keys,
    find_files,
    naming,
    parsed_name,
    read_text,
)
from bayescompare.table.results import Results
from bayescompare.text.names import first_words

_MOST_BRACKETS = 1000


def read_hub(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read the evaluation results in repositories of models on the Hugging Face Hub.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        YAML files of ``.eval_results`` folders, or directories with such folders below them. The
        model's name is that of the repository's folder (``models--org--name`` of the Hub's cache is
        org/name); a mapping names the models itself.
    measures : mapping or iterable of str, optional
        The one measure is ``"value"``. The files do not say which way it is better, so give
        ``{"value": "max"}``.

    Returns
    -------
    Results
        The tasks of benchmarks are the datasets, models the algorithms. A model with several values
        of one task is several algorithms, told apart by their notes: ``"org/name (With tools)"``.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for model, value in (("small", 0.25), ("large", 0.5)):
    ...     (folder / model / ".eval_results").mkdir(parents=True)
    ...     text = "- dataset:\n    id: org/exam\n    task_id: hard\n" + f"  value: {value}\n"
    ...     _ = (folder / model / ".eval_results" / "exam.yaml").write_text(text)
    >>> results = read_hub(folder, measures={"value": "max"})
    >>> results.algorithms, results.datasets
    (('large', 'small'), ('org/exam hard',))
    """
    files, source = find_files(paths, ".eval_results/*.yaml", ".eval_results/*.yml")
    found = [entry for file, name in files for entry in _entries(file, name)]
    times = Counter((one.dataset, one.algorithm) for one, _ in found)
    several = {model for (_, model), number in times.items() if number > 1}
    entries = [
        one._replace(algorithm=algorithm_label(f"{one.algorithm} ({notes})"))
        if notes and one.algorithm in several
        else one
        for one, notes in found
    ]
    places = (((one.dataset, one.algorithm), f"{one.file}, {one.place}") for one in entries)
    records.once(places, lambda key: f"{key[0]!r} by {key[1]!r}")
    spec = records.select(measures, {"value": None}, ["value"])
    revisions = ((one.dataset, str(one.values["revision"])) for one in entries)
    differ = first_words(records.several(revisions))
    note = f"the models ran {differ} on different revisions of the data"
    return records.results_of(entries, source, spec, notes=[note] if differ else [])


def _entries(file: Path, name: str | None) -> Iterator[tuple[Record, str]]:
    """Yield each entry of a file, and its notes."""
    label = algorithm_label(name or _model_of(file))
    with naming(file):
        entries = Field(_read_yaml(read_text(file)))
        if not isinstance(entries.value, list) or not entries.value:
            raise BayescompareError("not evaluation results of the Hub, which are a list of them.")
        for entry in entries.each():
            about = entry["dataset"]
            if not isinstance(about.value, dict):
                raise BayescompareError(f"{entry.where} has no 'dataset' with an 'id'.")
            dataset = about["id"].name()
            # Before February 2026 tasks were configurations.
            task = about["task_id"].value or about["config"].value
            benchmark = dataset if task not in (None, "default") else None
            if benchmark is not None:
                dataset += f" {parsed_name(task, about['task_id'].where)}"
            if entry["value"].value is None:
                raise BayescompareError(f"{entry.where} has no 'value'.")
            values = {"value": entry["value"].number(), "revision": about["revision"].value}
            notes = entry["notes"].name() if entry["notes"].value else ""
            yield Record(file, dataset, label, values, entry.where, benchmark=benchmark), notes


def _model_of(file: Path) -> str:
    """Return the name of the repository that a file is in."""
    cached = [part for part in file.parts if part.startswith("models--")]
    if cached:
        return cached[-1].removeprefix("models--").replace("--", "/")
    folder = file.resolve().parent
    return (folder.parent if folder.name == ".eval_results" else folder).name


def _read_yaml(text: str) -> Any:
    """Read YAML of plain values; a key that occurs twice is refused, and so is an alias."""
    # PyYAML takes quadratic time for brackets in brackets.
    if len(text) > 2**20 or text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise BayescompareError("too large, or too deeply nested, for evaluation results.")
    try:
        yaml: Any = import_module("yaml")
    except ImportError:
        raise BayescompareError("reading YAML needs PyYAML: pip install pyyaml.") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise ValueError("it has aliases, which such files do not need")
            return super().compose_node(parent, index)

    def of_pairs(loader: Any, node: Any) -> dict[str, Any]:
        pairs = [
            (loader.construct_object(k), loader.construct_object(v, True)) for k, v in node.value
        ]
        return distinct_keys(pairs)

    Loader.add_constructor("tag:yaml.org,2002:map", of_pairs)
    try:
        return yaml.load(text, Loader)  # a SafeLoader
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise BayescompareError(f"malformed YAML ({error_in_one_line(error)}).") from None


FORMATS = {
    "hub": Format(
        "evaluation results of the Hub", read_hub, suffixes=(".yaml", ".yml"), heads=("- dataset:",)
    )
}
