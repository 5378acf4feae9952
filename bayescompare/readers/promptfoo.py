"""promptfoo: exports of evaluations, with one result per provider, prompt and test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bayescompare._errors import UNPRINTABLE, BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Field, Format, Record
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    find_files,
    fingerprint,
    labelled_run,
    naming,
    parsed_name,
    read_json,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names
from bayescompare.text.numbers import plural

#: Why a result failed: promptfoo's own number for an error of the provider, not of the answer.
_ERROR = 2

#: A prompt's label up to this long is part of a name; a longer one is a whole prompt.
_LABEL = 40

_MEASURES = (
    {"success": Measure("max", bounds=(0, 1)), "score": Measure("max")}
    | records.costs("cost", "USD")
    | records.costs("latencyMs", "ms")
    | records.costs("tokens")
)


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
    answers = [answer for file, name in files for answer in _answers(file, name)]
    records.one_file_each(one for one, _ in answers)
    named = dict.fromkeys((name for one, _ in answers for name in one.values), Measure("max"))
    spec = records.select(measures, {**_MEASURES, **named, **_MEASURES}, ["success"])
    failed = sum(one.values["success"] is None for one, _ in answers)
    notes = [f"{plural(failed, 'test')} without an answer of the provider"] if failed else []
    return records.results_of(_with_epochs(answers), source, spec, replicates="items", notes=notes)


def _is_export(data: object) -> bool:
    return isinstance(records.part(data, "results", "results"), list)


def _answers(file: Path, name: str | None) -> list[tuple[Record, str]]:
    """Return what each provider made of each test, and what the test is."""
    with naming(file):
        data = Field(read_json(file))
        if not _is_export(data.value):
            raise BayescompareError(
                "not an export of promptfoo, which has 'results' with a list of 'results'."
            )
        rows = list(data["results"]["results"].each())
        if not rows:
            raise BayescompareError("results.results is empty: no test was run.")
        values = [_values(row) for row in rows]
        title = data["config"]["description"]
        dataset = parsed_name(title.value or file.stem, title.where)
        own = _algorithms([row.value for row in rows])
        alone = len(set(own)) == 1
        labels = [algorithm_label(labelled_run(name, each, alone=alone)) for each in own]
        return [
            (Record(file, dataset, label, cells, row.where, row["testIdx"].name()), _test(row))
            for row, label, cells in zip(rows, labels, values, strict=True)
        ]


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a result says of its provider, which may be a name alone."""
    provider = row.get("provider")
    return provider if isinstance(provider, dict) else {"id": provider}


def _values(row: Field) -> dict[str, Any]:
    """Check a result, and return its values by measure."""
    whole = row.value
    if not isinstance(whole, dict):
        raise BayescompareError(f"{row.where} is not an object.")
    if "testIdx" not in whole:
        raise BayescompareError(
            f"{row.where} has no 'testIdx', which promptfoo writes from version 0.97 on: it has "
            f"{quoted_names(whole, 8)}."
        )
    if not isinstance(whole.get("provider"), (dict, str)) or not whole["provider"]:
        raise BayescompareError(f"{row.where} has no 'provider'.")
    parsed_name(_facts(whole).get("label") or _facts(whole).get("id"), row["provider"].where)
    values: dict[str, Any] = dict(row["namedScores"].mapping())
    values |= {key: whole.get(key) for key in ("score", "cost", "latencyMs")}
    values["tokens"] = row["tokenUsage"].mapping().get("total")
    values["success"] = float(row["success"].truth())
    return dict.fromkeys(values) if whole.get("failureReason") == _ERROR else values


def _test(row: Field) -> str:
    """Write what is asked and how it is judged, or nothing if there are no variables to tell by."""
    asked = row["vars"].value
    return fingerprint([asked, row["testCase"]["assert"].value]) if asked else ""


# ------------------------------------------------------------------------------------------- names


def _algorithms(rows: list[dict[str, Any]]) -> list[str]:
    """Name the provider of each result, with its prompt if there are several.

    ``promptIdx`` counts the columns of promptfoo's table, one for each provider and prompt. It
    tells apart what has one name.
    """
    prompts = _prompts(rows)
    several = len(set(prompts)) > 1
    names = [
        f"{provider} ({prompt})" if several else provider
        for provider, prompt in zip(_providers(rows), prompts, strict=True)
    ]
    places = [str(row.get("promptIdx", 0)) for row in rows]
    columns: dict[str, dict[str, int]] = {}
    for name, place in zip(names, places, strict=True):
        own = columns.setdefault(name, {})
        own.setdefault(place, len(own) + 1)
    return [
        f"{name} #{columns[name][place]}" if len(columns[name]) > 1 else name
        for name, place in zip(names, places, strict=True)
    ]


def _providers(rows: list[dict[str, Any]]) -> list[str]:
    """Return the label of each result's provider, or its id where two have the same label."""
    facts = [_facts(row) for row in rows]
    pairs = [(str(own.get("label") or own.get("id")), str(own.get("id") or "")) for own in facts]
    shared = records.several(pairs)
    return [own_id if label in shared else label for label, own_id in pairs]


def _prompts(rows: list[dict[str, Any]]) -> list[str]:
    """Return a short label of each result's prompt, or its number."""
    labels, numbers = [], dict[str, int]()
    for row in rows:
        label = str(records.part(row, "prompt", "label") or "")
        key = str(row.get("promptId") or label)
        numbers.setdefault(key, len(numbers) + 1)
        short = label if len(label) <= _LABEL and not UNPRINTABLE.search(label) else ""
        labels.append(short or f"prompt {numbers[key]}")
    return labels


def _with_epochs(answers: Iterable[tuple[Record, str]]) -> list[Record]:
    """Make a test that is the same as an earlier one its next epoch: --repeat numbers them on."""
    names: dict[tuple[str, str | None], str] = {}
    owners: dict[tuple[str, str | None], Path] = {}
    times: dict[tuple[str, str, str], list[str | None]] = {}
    told = []
    for one, test in answers:
        key = (one.dataset, test or one.replicate)
        if key not in names:
            # Another export may have another test under this number.
            owner = owners.setdefault((one.dataset, one.replicate), one.file)
            names[key] = f"{one.replicate}" + ("" if owner == one.file else f" of {one.file}")
        seen = times.setdefault((one.dataset, one.algorithm, names[key]), [])
        if one.replicate in seen:
            raise BayescompareError(
                f"{one.file}: {one.place} is the second of {one.algorithm!r} on test "
                f"{one.replicate}."
            )
        seen.append(one.replicate)
        told.append(one._replace(replicate=names[key], epoch=str(len(seen))))
    return told


FORMATS = {"promptfoo": Format("exports of promptfoo", read_promptfoo, json=_is_export)}
