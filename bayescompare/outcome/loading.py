"""Comparisons read back from JSON and netCDF. Loading runs no code: a model is named, not run.

A file of a newer schema is refused rather than misread.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from bayescompare._checks import check_path, show_checked_value_briefly
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare.outcome import registry
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.checks import (
    check_comparison,
    naming_comparison_part,
    read_comparison_count,
    read_comparison_numbers,
    read_comparison_size,
    read_comparison_states,
)
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.files import (
    PAIRWISE_SCHEMA,
    PAIRWISE_VERSION,
    PART,
    SCHEMA,
    SCHEMA_VERSION,
)
from bayescompare.outcome.method import Method
from bayescompare.outcome.method_checks import comparison_of
from bayescompare.outcome.netcdf_checks import check_netcdf_before_opening
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.input import check_is_regular, distinct_keys, input_limits, read_file
from bayescompare.table.items import item_data_from_json
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison

__all__ = [
    "SavedPrior",
    "check_loaded_version",
    "load_comparison",
    "load_comparison_document",
    "load_comparison_results",
    "load_pairwise",
    "method_of_loaded_comparison",
    "read_saved_json",
]

#: Groups of a saved file that are ours; every other group is the posterior's.
_OWN = ("results", "answer")


#: Fields of an answer that a file has under the same name, and those that it has under an older.
_SCALARS = ("unobserved", "pvalue", "statistic", "log_evidence", "seed")


_RENAMED = {"tested": "lead", "resampled_pvalue": "sampled"}


def load_comparison(path: str | Path, *, max_bytes: int | None = None) -> Comparison:
    """Read a comparison that `Comparison.to_netcdf` or `Comparison.to_json` wrote.

    Parameters
    ----------
    path : path
        A JSON file (``.json``) holds everything but a sampled posterior.
    max_bytes : int, optional
        The largest JSON file, or arrays of a netCDF file all together, that are read: by default
        512 MiB and 4 GiB.

    Examples
    --------
    >>> import tempfile, pathlib, bayescompare as bc
    >>> c = bc.compare(bc.load_example("pnn"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = bc.load_comparison(c.to_netcdf(pathlib.Path(folder) / "c.nc"))
    >>> again.best == c.best
    True
    """
    source = check_path(path)
    try:
        check_is_regular(source)
        c = (
            _comparison_of_document(read_saved_json(source, max_bytes))
            if source.suffix == ".json"
            else _load_comparison_netcdf(source, max_bytes)
        )
        check_comparison(c)
    except BayescompareError as error:
        raise BayescompareError(f"{source}: {error}") from None
    except Exception as error:  # whatever a parser makes of bytes that are nothing of ours
        raise BayescompareError(
            f"{source} is not a comparison that bayescompare wrote ({error_in_one_line(error)})."
        ) from None
    return c


def read_saved_json(source: Path, max_bytes: int | None) -> Any:
    """Return what a JSON file of ours holds."""
    with input_limits(max_bytes=max_bytes):
        return _parse_saved_json(read_file(source))


def _parse_saved_json(text: str | bytes) -> Any:
    """Parse JSON without NaN, and without a key that occurs twice, on which programs differ."""
    return json.loads(
        text,
        parse_constant=_refuse_constant_on_loading,
        object_pairs_hook=distinct_keys,
    )


def load_comparison_document(document: Any) -> Comparison:
    """Build a comparison from what a JSON file holds, and check it."""
    c = _comparison_of_document(document)
    check_comparison(c)
    return c


def _comparison_of_document(document: Any) -> Comparison:
    _check_comparison_schema(document)
    with naming_comparison_part("results"):
        results = load_comparison_results(document["results"])
    with naming_comparison_part("statements"):
        rows = document["statements"]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        labels, states = columns.pop("label"), columns.pop("states")
    with naming_comparison_part("method"):
        name, options = document["method"]["name"], document["method"]["options"]
        method = method_of_loaded_comparison(name, options).for_table(results)
    with naming_comparison_part("the answer"):
        answer = _answer_of_loaded_comparison(
            labels, states, columns, document, document, None, method
        )
    with naming_comparison_part("method"):
        return comparison_of(results, method, method.restored(answer, options), loaded=True)


def _refuse_constant_on_loading(word: str) -> float:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise BayescompareError(f"{word} is not JSON.")


def load_comparison_results(document: Mapping[str, Any]) -> Results:
    """Build the results from what a file stores about them."""
    facts: dict[str, Any] = {"source": document["source"], "notes": tuple(document["notes"])}
    coords = {"dataset": document["datasets"], "algorithm": document["algorithms"]}
    if "counts" in document:
        dims = ("dataset", "algorithm", "opponent")
        kept = {
            name: read_comparison_numbers(name, values)
            for name, values in document["counts"].items()
        }
        counts = xr.Dataset(
            {name: (dims[: values.ndim], values) for name, values in kept.items()},
            {**coords, "opponent": document["algorithms"]},
        )
        return ErrorCounts.from_counts(counts, **facts)
    if "replicates" in document:
        coords["replicate"] = document["replicates"]
    cells = {
        name: read_comparison_numbers(name, values) for name, values in document["values"].items()
    }
    data = xr.Dataset({name: (tuple(coords), values) for name, values in cells.items()}, coords)
    spec = {name: Measure.from_dict(fields) for name, fields in document["measures"].items()}
    facts["replicates"] = document.get("replicates_are", "folds")
    facts["gaps"] = document.get("missing")
    for name, key in (("group_of", "groups"), ("weight_of", "weights")):
        if document.get(key) is not None:
            facts[name] = dict(zip(document["datasets"], document[key], strict=True))
    if "items" in document:
        facts["item_data"] = item_data_from_json(document["items"], coords, list(spec))
    return Results(data, spec, **facts)


def _load_comparison_netcdf(source: Path, max_bytes: int | None) -> Comparison:
    with input_limits(max_bytes=max_bytes):  # which checks it
        check_netcdf_before_opening(source, max_bytes)
    with xr.open_datatree(source, engine="h5netcdf") as opened:
        tree = opened.load()
    _check_comparison_schema(tree.attrs)
    with naming_comparison_part("results"):
        stored = tree["results"].to_dataset()
        kind = ErrorCounts if "wrong_only" in stored else Results
        results = kind.from_dataset(stored)
    with naming_comparison_part("method"):
        options = _parse_saved_json(tree.attrs["options"])
        method = method_of_loaded_comparison(tree.attrs["method"], options).for_table(results)
    with naming_comparison_part("the answer"):
        saved = tree["answer"].to_dataset()
        answer = _answer_of_loaded_comparison(
            saved["statement"].values.tolist(),
            saved["states"].values.tolist() if "states" in saved else [],
            {str(name): saved[name].values for name in saved.data_vars if name != "states"},
            _parse_saved_json(tree.attrs["scalars"]),
            {name: _parse_saved_json(tree.attrs[name]) for name in ("figures", "details")},
            _posterior_of_loaded_comparison(tree),
            method,
        )
    with naming_comparison_part("method"):
        return comparison_of(results, method, method.restored(answer, options), loaded=True)


def _posterior_of_loaded_comparison(tree: xr.DataTree) -> xr.DataTree | None:
    """The groups that are not ours, which an answer was sampled as."""
    groups = {name: node.to_dataset() for name, node in tree.children.items() if name not in _OWN}
    if not groups:
        return None
    kept = xr.DataTree.from_dict(groups)
    kept.attrs.update(_parse_saved_json(tree.attrs["tree_attrs"]))
    return kept


def _answer_of_loaded_comparison(
    labels: list[str],
    states: list[list[str]],
    columns: Mapping[str, Any],
    scalars: Mapping[str, Any],
    facts: Mapping[str, Any],
    tree: xr.DataTree | None,
    method: Method,
) -> Answer:
    arrays = {name: read_comparison_numbers(name, values) for name, values in columns.items()}
    named = [name for name in arrays if name.startswith(PART)]
    if scalars["pvalue"] is not None and scalars["statistic"] is None:
        scalars = {**scalars, "statistic": math.inf}  # which JSON has no number for
    return Answer(
        labels=tuple(labels),
        states=read_comparison_states(states),
        counts=arrays.pop("count"),
        probability=arrays.pop("probability", None),
        mcse=arrays.pop("mcse", None),
        n_statements=read_comparison_size("n_statements", scalars["n_statements"]),
        n_observed=read_comparison_count("n_observed", scalars["n_observed"]),
        **{name: scalars[name] for name in _SCALARS},
        **{name: scalars[stored] for name, stored in _RENAMED.items()},
        # Files written before there was such a field had no such mass.
        none_leads=scalars.get("none_leads", 0.0),
        parts={name.removeprefix(PART): arrays.pop(name) for name in named},
        per_statement=arrays,
        scalars=method.scalars_type.from_dict(facts["figures"], where="figures"),
        details=method.details_type.from_dict(facts["details"]),
        tree=tree,
    )


def method_of_loaded_comparison(name: str, options: dict[str, Any]) -> Method:
    """Build the method that a file names, with its options."""
    priors = options.get("priors")
    if priors:
        options = {
            **options,
            # Numbers, and vectors and mappings of them, are kept; all else by name.
            "priors": {k: SavedPrior(v) if isinstance(v, str) else v for k, v in priors.items()},
        }
    return registry.saved_class_in_registry(name).from_options(options)


def _check_comparison_schema(head: Any) -> None:
    if not isinstance(head, Mapping) or head.get("schema") != SCHEMA:
        other = head.get("schema") if isinstance(head, Mapping) else None
        for kind in ("ranking", "pairwise"):
            if other == f"bayescompare/{kind}":
                what = "a ranking" if kind == "ranking" else "of all pairs"
                raise BayescompareError(f"this is {what}: read it by load_{kind}().")
        raise BayescompareError("this is not a comparison that bayescompare wrote.")
    check_loaded_version(head, SCHEMA_VERSION)


def check_loaded_version(head: Mapping[str, Any], newest: int) -> None:
    """Refuse a file of a newer schema rather than misread it."""
    version = read_comparison_count("schema_version", head.get("schema_version"))
    if version > newest:
        raise BayescompareError(
            f"schema version {version}, and this bayescompare reads up to {newest}: upgrade it."
        )


def load_pairwise(path: str | Path, *, max_bytes: int | None = None) -> Pairwise:
    """Read what `Pairwise.to_json` wrote.

    Everything but sampled posteriors is read back; verdicts are made again, by any rule.

    Parameters
    ----------
    path : path
    max_bytes : int, optional
        The largest file that is read: by default 512 MiB.

    Examples
    --------
    >>> import tempfile, pathlib, bayescompare as bc
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), algorithms=["GBM", "CART", "RF"], n_jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "p.json"
    ...     text = p.to_json(file)
    ...     again = bc.load_pairwise(file)
    >>> again.headline() == p.headline()
    True
    """
    source = check_path(path)
    try:
        check_is_regular(source)
        return _pairwise_of_document(read_saved_json(source, max_bytes))
    except BayescompareError as error:
        raise BayescompareError(f"{source}: {error}") from None
    except Exception as error:  # whatever a parser makes of bytes that are nothing of ours
        raise BayescompareError(
            f"{source} is not a pairwise comparison that bayescompare wrote "
            f"({error_in_one_line(error)})."
        ) from None


def _pairwise_of_document(document: Any) -> Pairwise:
    if not isinstance(document, Mapping) or document.get("schema") != PAIRWISE_SCHEMA:
        raise BayescompareError("this is not a pairwise comparison that bayescompare wrote.")
    check_loaded_version(document, PAIRWISE_VERSION)
    if "results" not in document:
        raise BayescompareError(
            "the file has no table, because an older bayescompare wrote it: compare again."
        )
    with naming_comparison_part("results"):
        results = load_comparison_results(document["results"])
    with naming_comparison_part("method"):
        method = method_of_loaded_comparison(document["method"], document["options"])
    comparisons = []
    for place, one in enumerate(document["comparisons"]):
        with naming_comparison_part(f"comparisons[{place}]"):
            c = load_comparison_document(one)
            _check_pair_of_table(c, results)
            if c.method.name != method.name:
                raise BayescompareError(f"by {c.method.name!r}, and the others by {method.name!r}.")
            comparisons.append(c)
    if not comparisons:
        raise BayescompareError("comparisons is empty.")
    with naming_comparison_part("skipped"):
        skipped = tuple(
            _read_skipped(pair, results, method.scope.datasets) for pair in document["skipped"]
        )
    reference = document["reference"]
    pairs = [*(c.results.algorithms for c in comparisons), *((a, b) for a, b, _ in skipped)]
    _check_pairs(pairs, results, reference)
    return Pairwise(results, method, tuple(comparisons), reference, skipped)


def _check_pair_of_table(c: Comparison, results: Results) -> None:
    """Refuse a comparison that is not of two algorithms of the table, on datasets of it."""
    own = c.results
    if len(own.algorithms) != 2 or not set(own.algorithms) <= set(results.algorithms):
        raise BayescompareError(
            f"{show_checked_value_briefly(list(own.algorithms))} are not two algorithms of the "
            "table."
        )
    for what, here, there in (
        ("dataset", own.datasets, results.datasets),
        ("measure", own.measures, results.measures),
    ):
        for name in here:
            if name not in there:
                raise BayescompareError(f"{what} {name!r} is not in the table.")


def _read_skipped(entry: Any, results: Results, least: int) -> tuple[str, str, int]:
    first, second, n = entry
    for name in (first, second):
        if name not in results.algorithms:
            raise BayescompareError(f"{show_checked_value_briefly(name)} is not an algorithm.")
    common = read_comparison_count("n", n)
    if common >= max(least, 2):
        raise BayescompareError(f"{first!r} and {second!r} have {common} datasets in common.")
    return first, second, common


def _check_pairs(pairs: Iterable[Sequence[str]], results: Results, reference: Any) -> None:
    """Refuse a pair that occurs twice, or is not of the reference."""
    if reference is not None and reference not in results.algorithms:
        raise BayescompareError(
            f"reference {show_checked_value_briefly(reference)} is not an algorithm of the table."
        )
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        if frozenset(pair) in seen:
            raise BayescompareError(f"{pair[0]!r} and {pair[1]!r} are compared twice.")
        if reference is not None and reference not in pair:
            raise BayescompareError(
                f"{pair[0]!r} and {pair[1]!r} are compared, but the reference is {reference!r}."
            )
        seen.add(frozenset(pair))


@dataclass(frozen=True)
class SavedPrior:
    """A prior read back from a file, which holds its name but cannot hold the object."""

    text: str

    def __str__(self) -> str:
        return self.text

    def to_pymc(self, name: str) -> Any:
        """Refuse: the model must be given its prior again."""
        raise BayescompareError(
            f"priors[{name!r}] was saved by name only ({self.text}): to build the model again, "
            "call compare() on the loaded results with the prior itself."
        )
