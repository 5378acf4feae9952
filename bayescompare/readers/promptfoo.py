"""promptfoo: exports of evaluations, with one result per provider, prompt and test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import UNPRINTABLE, BayescompareError
from bayescompare.readers.records import (
    Chosen,
    ParsedRow,
    check_runs_once,
    parsed_number,
    parsed_object,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import fingerprint, read_json
from bayescompare.table.measure import Measure
from bayescompare.table.paths import (
    Paths,
    algorithm_label,
    find_files,
    labelled_run,
    naming,
    parsed_name,
)
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

__all__ = ["is_promptfoo_json", "read_promptfoo"]

#: Why a result failed: promptfoo's own number for an error of the provider, not of the answer.
_ERROR = 2

#: A prompt's label up to this long is part of a name; a longer one is a whole prompt.
_LABEL = 40

_FIELDS = {
    "success": Measure("max", bounds=(0, 1)),
    "score": Measure("max"),
    "cost": Measure("min", bounds=(0, None), unit="USD"),
    "latencyMs": Measure("min", bounds=(0, None), unit="ms"),
    "tokens": Measure("min", bounds=(0, None)),
}


class _PromptfooAnswer(NamedTuple):
    """What one provider made of one test by one prompt."""

    file: Path
    place: int
    dataset: str
    algorithm: str
    item: str
    #: What is asked and how it is judged, for --repeat numbers its tests through.
    test: str
    values: dict[str, Any]


def read_promptfoo(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read exports of promptfoo, paired on the tests.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        Files of ``promptfoo eval -o out.json`` or ``promptfoo export eval``, or directories with
        such files in or below them. A mapping names the providers itself.
    measures : mapping or iterable of str, optional
        ``"success"`` (the default), ``"score"``, ``"cost"``, ``"latencyMs"``, ``"tokens"``, and
        the named scores of the assertions (``metric:``), which are better when higher.

    Returns
    -------
    Results
        A dataset is an export, called by its description or else by its file; providers are the
        algorithms, with their prompt if there are several; tests are the items. Repeats of a test
        (``--repeat``) are averaged. Where the provider itself failed, the item is missing.

    Examples
    --------
    >>> import json, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.json"
    >>> results = [
    ...     {"provider": {"id": name}, "promptIdx": 0, "testIdx": test, "vars": {"x": test},
    ...      "success": right, "score": float(right), "latencyMs": 40}
    ...     for test in (0, 1) for name, right in (("small", test == 0), ("large", True))
    ... ]
    >>> export = {"evalId": "eval-1", "results": {"version": 3, "results": results}}
    >>> _ = path.write_text(json.dumps(export))
    >>> read_promptfoo(path).algorithms
    ('small', 'large')
    """
    files, source = find_files(paths, "*.json")
    answers = [answer for file, name in files for answer in _read_promptfoo_export(file, name)]
    check_runs_once((one.dataset, one.algorithm, one.file) for one in answers)
    known: dict[str, Measure | None] = dict(_FIELDS)
    for one in answers:
        known |= {name: Measure("max") for name in one.values if name not in known}
    spec = select_measures(measures, known, ["success"])
    rows = list(_promptfoo_with_epochs(answers, spec))
    results = results_of_rows(
        rows,
        source,
        replicate="item",
        replicates="items",
        epoch="epoch" if len({row["epoch"] for _, row in rows}) > 1 else None,
        measures=spec,
    )
    failed = sum(one.values["success"] is None for one in answers)
    notes = [f"{plural(failed, 'test')} without an answer of the provider"] if failed else []
    return results._with(notes=(*results.notes, *notes))


def is_promptfoo_json(data: object) -> bool:
    """Whether this is the content of an export."""
    results = data.get("results") if isinstance(data, dict) else None
    return isinstance(results, dict) and isinstance(results.get("results"), list)


def _read_promptfoo_export(file: Path, name: str | None) -> list[_PromptfooAnswer]:
    with naming(file):
        data = read_json(file)
        if not is_promptfoo_json(data):
            raise BayescompareError(
                "not an export of promptfoo, which has 'results' with a list of 'results'."
            )
        rows = data["results"]["results"]
        if not rows:
            raise BayescompareError("results.results is empty: no test was run.")
        for place, row in enumerate(rows):
            _check_promptfoo_result(row, place)
        config = data.get("config")
        title = config.get("description") if isinstance(config, dict) else None
        dataset = parsed_name(title or file.stem, "config.description")
        own = _promptfoo_algorithms(rows)
        alone = len(set(own)) == 1
        return [
            _PromptfooAnswer(
                file,
                place,
                dataset,
                algorithm_label(labelled_run(name, algorithm, alone=alone)),
                parsed_name(row["testIdx"], f"results.results[{place}].testIdx"),
                _same_promptfoo_test(row),
                _promptfoo_values(row, f"results.results[{place}]"),
            )
            for place, (row, algorithm) in enumerate(zip(rows, own, strict=True))
        ]


def _check_promptfoo_result(row: Any, place: int) -> None:
    where = f"results.results[{place}]"
    if not isinstance(row, dict):
        raise BayescompareError(f"{where} is not an object.")
    if "testIdx" not in row:
        raise BayescompareError(
            f"{where} has no 'testIdx', which promptfoo writes from version 0.97 on: it has "
            f"{quoted_names(row, 8)}."
        )
    provider = row.get("provider")
    if not isinstance(provider, (dict, str)) or not provider:
        raise BayescompareError(f"{where} has no 'provider'.")
    facts = provider if isinstance(provider, dict) else {"id": provider}
    parsed_name(facts.get("label") or facts.get("id"), f"{where}.provider")
    if not isinstance(row.get("success"), bool):
        raise BayescompareError(
            f"{where}.success is {show_checked_value_briefly(row.get('success'))}, not a truth."
        )


def _promptfoo_algorithms(rows: list[dict[str, Any]]) -> list[str]:
    """Name the provider of each result, with its prompt if there are several.

    ``promptIdx`` counts the columns of promptfoo's table, one for each provider and prompt. It
    tells apart what has one name.
    """
    providers = _promptfoo_providers(rows)
    prompts = _promptfoo_prompts(rows)
    several = len(set(prompts)) > 1
    names = [
        f"{provider} ({prompt})" if several else provider
        for provider, prompt in zip(providers, prompts, strict=True)
    ]
    columns: dict[str, dict[Any, int]] = {}
    for name, row in zip(names, rows, strict=True):
        own = columns.setdefault(name, {})
        own.setdefault(str(row.get("promptIdx", 0)), len(own) + 1)
    return [
        f"{name} #{columns[name][str(row.get('promptIdx', 0))]}" if len(columns[name]) > 1 else name
        for name, row in zip(names, rows, strict=True)
    ]


def _promptfoo_providers(rows: list[dict[str, Any]]) -> list[str]:
    """Return the label of each result's provider, or its id where two have the same label."""
    pairs = []
    for row in rows:
        provider = row["provider"]
        facts = provider if isinstance(provider, dict) else {"id": provider}
        pairs.append((str(facts.get("label") or facts.get("id")), str(facts.get("id") or "")))
    ids: dict[str, set[str]] = {}
    for label, own in pairs:
        ids.setdefault(label, set()).add(own)
    return [own if len(ids[label]) > 1 else label for label, own in pairs]


def _promptfoo_prompts(rows: list[dict[str, Any]]) -> list[str]:
    """Return a short label of each result's prompt, or its number."""
    labels, numbers = [], dict[str, int]()
    for row in rows:
        prompt = row.get("prompt")
        label = str(prompt.get("label") or "") if isinstance(prompt, dict) else ""
        key = str(row.get("promptId") or label)
        numbers.setdefault(key, len(numbers) + 1)
        short = label if len(label) <= _LABEL and not UNPRINTABLE.search(label) else ""
        labels.append(short or f"prompt {numbers[key]}")
    return labels


def _promptfoo_values(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    values: dict[str, Any] = dict(parsed_object(row.get("namedScores"), f"{where}.namedScores"))
    values |= {key: row.get(key) for key in ("score", "cost", "latencyMs")}
    values["tokens"] = parsed_object(row.get("tokenUsage"), f"{where}.tokenUsage").get("total")
    if row.get("failureReason") == _ERROR:
        return dict.fromkeys([*values, "success"])
    return values | {"success": float(row["success"])}


def _same_promptfoo_test(row: Mapping[str, Any]) -> str:
    """Write what a test is, or nothing if it has no variables to tell it by."""
    if not row.get("vars"):
        return ""
    case = row.get("testCase")
    asserts = case.get("assert") if isinstance(case, dict) else None
    return fingerprint([row.get("vars"), asserts])


def _promptfoo_with_epochs(
    answers: list[_PromptfooAnswer], spec: Mapping[str, Measure]
) -> Iterator[ParsedRow]:
    """Make a row of each answer; a test that is the same as an earlier one is its next epoch."""
    names: dict[tuple[str, str], str] = {}
    owners: dict[tuple[str, str], Path] = {}
    times: dict[tuple[str, str, str], list[str]] = {}
    for one in answers:
        key = (one.dataset, one.test or one.item)
        if key not in names:
            name = one.item
            # Another export may have another test under this number.
            if owners.setdefault((one.dataset, name), one.file) != one.file:
                name = f"{name} of {one.file}"
            names[key] = name
        item = names[key]
        seen = times.setdefault((one.dataset, one.algorithm, item), [])
        if one.item in seen:
            raise BayescompareError(
                f"{one.file}: results.results[{one.place}] is the second of {one.algorithm!r} on "
                f"test {one.item}."
            )
        seen.append(one.item)
        row = {"dataset": one.dataset, "algorithm": one.algorithm, "item": item}
        figures = {name: _promptfoo_figure(one, name, kind) for name, kind in spec.items()}
        yield one.file, {**row, "epoch": str(len(seen)), **figures}


def _promptfoo_figure(one: _PromptfooAnswer, name: str, kind: Measure) -> float:
    where = f"results.results[{one.place}]: {name!r}"
    with naming(one.file):
        return parsed_number(one.values.get(name), where, least=(kind.bounds or (None,))[0])
