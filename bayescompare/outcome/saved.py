"""Comparisons, one or all pairs, as files: JSON for other programs, netCDF for everything.

Loading runs no code: a model is named, not run. The JSON schema is documented in
docs/json-schema.md and carries its version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare._version import __version__
from bayescompare.outcome import registry
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.checks import check_fields
from bayescompare.outcome.codec import (
    check_kind_of_file,
    dumps,
    in_part,
    load_file,
    loads,
    numbers,
    plain,
    read,
    read_json,
)
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.effects import table_effects
from bayescompare.outcome.family import Guard
from bayescompare.outcome.method import Method, is_bayesian
from bayescompare.outcome.method_checks import comparison_of
from bayescompare.outcome.netcdf_checks import check_netcdf_before_opening
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts
from bayescompare.statements import Statement
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.input import input_limits
from bayescompare.table.items import item_data_from_json, item_data_to_json
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.table.writing import write_bytes

if TYPE_CHECKING:
    from bayescompare.outcome.verdicts import Rule


#: Of comparisons, of all pairs, and of rankings.
SCHEMA_VERSION = 2

#: What the names of figures of parts begin with.
_PART = "part_"

#: Groups of a netCDF file that are ours; every other group is the posterior's.
_OWN = ("results", "answer")

#: What a pair has of the whole table.
_NAMES = ("algorithms", "datasets", "measures")

#: Digits of K that are read; more take a time of their square.
_MOST_DIGITS = 100_000


def saved_head(kind: str) -> dict[str, Any]:
    """Return what every file begins with."""
    return {
        "schema": f"bayescompare/{kind}",
        "schema_version": SCHEMA_VERSION,
        "bayescompare_version": __version__,
    }


# the table ----------------------------------------------------------------------------------------


def results_document(results: Results) -> dict[str, Any]:
    """Return a table as a JSON file holds it; what it has not is left out."""
    dims, items = ("dataset", "algorithm", ...), results.item_data
    several = results.n_replicates is not None
    document = {
        "algorithms": results.algorithms,
        "datasets": results.datasets,
        "measures": {name: results[name].to_dict() for name in results.measures},
        "values": {name: results.data[name].transpose(*dims).values for name in results.measures},
    }
    optional = {
        "replicates": results.data["replicate"].values.tolist() if several else None,
        "replicates_are": None if results.replicates == "folds" else results.replicates,
        "items": None if items is None else item_data_to_json(items),
        "missing": results.gaps,
        "groups": results.groups,
        "weights": results.weights,
        "benchmarks": results.benchmark_of,
    }
    if isinstance(results, ErrorCounts):
        optional["counts"] = {str(k): values.values for k, values in results.counts.items()}
    there = {name: value for name, value in optional.items() if value is not None}
    return {**document, "source": results.source, "notes": results.notes, **there}


def results_of(document: Any) -> Results:
    """Build the table that a document describes; the table checks itself."""
    with in_part("results"):
        names, of = document["datasets"], document.get
        facts: dict[str, Any] = {"source": document["source"], "notes": tuple(document["notes"])}
        coords = {"dataset": names, "algorithm": document["algorithms"]}
        if of("counts") is not None:
            dims = ("dataset", "algorithm", "opponent")
            arrays = {name: numbers(values, name) for name, values in document["counts"].items()}
            kept = {name: (dims[: values.ndim], values) for name, values in arrays.items()}
            counts = xr.Dataset(kept, {**coords, "opponent": coords["algorithm"]})
            return ErrorCounts.from_counts(counts, **facts)
        if "replicates" in document:
            coords["replicate"] = document["replicates"]
        cells = {name: numbers(values, name) for name, values in document["values"].items()}
        data = xr.Dataset({name: (tuple(coords), values) for name, values in cells.items()}, coords)
        spec = {name: Measure.from_dict(each) for name, each in document["measures"].items()}
        for name, each in (("group_of", of("groups")), ("weight_of", of("weights"))):
            if each is not None:
                facts[name] = dict(zip(names, each, strict=True))
        if "items" in document:
            facts["item_data"] = item_data_from_json(document["items"], coords, list(spec))
        facts |= {"gaps": of("missing"), "benchmark_of": of("benchmarks")}
        return Results(data, spec, replicates=of("replicates_are", "folds"), **facts)


# the answer ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Whole:
    """The fields of an answer that are about the whole of it."""

    #: A string, because K passes what JSON numbers keep exactly.
    n_statements: str
    n_observed: int
    unobserved: float | None
    #: Files written before there was such a field had no such mass.
    none_leads: float = 0.0
    pvalue: float | None
    statistic: float | None
    log_evidence: float | None
    seed: int | None
    tested: int | None = field(metadata={"name": "lead"})
    resampled_pvalue: bool = field(metadata={"name": "sampled"})

    @classmethod
    def of(cls, answer: Answer) -> _Whole:
        held = {each.name: getattr(answer, each.name) for each in fields(cls)}
        # By way of Decimal, because Python writes and reads no integer of more than 4,300 digits.
        return cls(**{**held, "n_statements": str(Decimal(answer.n_statements))})

    def fields(self) -> dict[str, Any]:
        """Return them as an answer has them."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.pvalue is not None and self.statistic is None:
            held["statistic"] = np.inf  # which JSON has no number for
        digits = self.n_statements
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
            raise BayescompareError(
                f"n_statements is {show_checked_value_briefly(digits)}: it must be at most "
                f"{_MOST_DIGITS} digits in a string."
            )
        return {**held, "n_statements": int(Decimal(digits))}


def _columns(answer: Answer) -> dict[str, Any]:
    """One entry per column of the statements' table; figures of parts have one per measure."""
    named = {"count": answer.counts, "probability": answer.probability, "mcse": answer.mcse}
    return {
        "label": answer.labels,
        "states": list(zip(*answer.states, strict=True)) or [()] * len(answer.labels),
        **{name: values for name, values in named.items() if values is not None},
        **answer.per_statement,
        **{f"{_PART}{name}": values for name, values in answer.parts.items()},
    }


def _facts(answer: Answer) -> tuple[dict[str, Any], dict[str, Any]]:
    """The numbers among the facts of a method, and the rest."""
    figures = answer.facts.figures()
    every = answer.facts.to_dict()
    return figures, {name: value for name, value in every.items() if name not in figures}


def _loaded(
    results: Results,
    name: str,
    options: Mapping[str, Any],
    columns: dict[str, Any],
    whole: Any,
    facts: Mapping[str, Any],
    tree: xr.DataTree | None = None,
) -> Comparison:
    """Build a comparison from the parts of a file, and check it."""
    with in_part("method"):
        method = _method_of(name, options).for_table(results)
    with in_part("the answer"):
        labels = read(tuple[str, ...], columns.pop("label"), "statements")
        asks_each = any(len(states) for states in columns.pop("states", []))
        said = [map(str, Statement.parse(label, results.algorithms).states) for label in labels]
        arrays = {name: numbers(values, f"statements: {name}") for name, values in columns.items()}
        parts = [name for name in arrays if name.startswith(_PART)]
        own = method.posterior_type.facts_type
        answer = Answer(
            labels=labels,
            # A label with too few of them is refused below.
            states=tuple(zip(*said, strict=False)) if asks_each else (),
            counts=arrays.pop("count"),
            probability=arrays.pop("probability", None),
            mcse=arrays.pop("mcse", None),
            parts={name.removeprefix(_PART): arrays.pop(name) for name in parts},
            per_statement=arrays,
            facts=own.from_dict({**facts["figures"], **facts["details"]}),
            tree=tree,
            **read(_Whole, whole, "").fields(),
        )
    with in_part("method"):
        if (restored := getattr(method, "restored", None)) is not None:
            answer = restored(answer, options)
    c = comparison_of(results, method, answer, loaded=True)
    check_fields(results, c.method, c.answer)
    with in_part("the answer"):
        # What a person is shown of it needs every other field of the method.
        found = Found(results, c.answer, c.decision)
        _ = [*method.sentences(found), c.headline(), c.summary(), c.tables]
    return c


def _method_of(name: str, options: Mapping[str, Any]) -> Method:
    """Build the method that a file names, with its options."""
    # Numbers, and vectors and mappings of them, are kept; all else by name.
    priors = options.get("priors") or {}
    named = {k: SavedPrior(v) if isinstance(v, str) else v for k, v in priors.items()}
    chosen = {**options, "priors": named} if priors else options
    if name == registry.MODEL_FILE:
        # Whatever the file says: it names a model, which is never run.
        chosen = {**chosen, "source": str(options["source"]), "saved": True}
    made: Any = registry.saved_class_in_registry(name)
    # What options of earlier versions meant, where that has changed.
    method: Method = made.from_options(chosen) if hasattr(made, "from_options") else made(**chosen)
    return method


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


# JSON of one comparison ---------------------------------------------------------------------------


def to_json(c: Comparison) -> str:
    """Write everything but a sampled posterior as JSON."""
    return dumps(_document(c))


def _document(c: Comparison) -> dict[str, Any]:
    answer, results, decision = c.answer, c.results, c.decision
    columns = _columns(answer)
    figures, details = _facts(answer)
    effects = table_effects(results).reset_index() if len(results.algorithms) == 2 else None
    return {
        **saved_head("comparison"),
        "method": {
            "name": c.method.name,
            "kind": "bayesian" if is_bayesian(c.method) else "frequentist",
            "options": c.method.options(),
        },
        "results": results_document(results),
        "best": c.best,
        "verdict": decision.verdict,
        # Decisions and effect sizes are made again on loading.
        "decision": {
            "state": decision.state,
            "settled": decision.settled,
            "statement": decision.statement,
            "pvalue" if decision.pvalue else "probability": decision.probability,
            "parts": decision.parts.reset_index().to_dict("records") if decision.measured else [],
        },
        "caveats": list(c.caveats),
        "exact": c.exact,
        **plain(_Whole.of(answer)),
        "figures": figures,
        "details": details,
        "statements": [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ],
        "effects": None if effects is None else effects.to_dict("records"),
        "explanation": c.explain(),
    }


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

    def build(source: Path) -> Comparison:
        if source.suffix == ".json":
            return _of_document(read_json(source, max_bytes))
        return _of_netcdf(source, max_bytes)

    return load_file(path, "comparison", build)


def _of_document(document: Any) -> Comparison:
    check_kind_of_file(document, "comparison", SCHEMA_VERSION)
    results = results_of(document["results"])
    with in_part("statements"):
        rows = document["statements"]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
    how = document["method"]
    return _loaded(results, how["name"], how["options"], columns, document, document)


# netCDF -------------------------------------------------------------------------------------------


def to_netcdf(c: Comparison, target: Path) -> Path:
    """Write results, answer and a sampled posterior as groups of one netCDF file."""
    answer = c.answer
    figures, details = _facts(answer)
    texts = {
        "options": c.method.options(),
        "scalars": _Whole.of(answer),
        "figures": figures,
        "details": details,
    }
    attrs = {
        **saved_head("comparison"),
        "method": c.method.name,
        **{name: json.dumps(plain(facts)) for name, facts in texts.items()},
        "explanation": c.explain(),
    }
    columns = {name: np.asarray(values) for name, values in _columns(answer).items()}
    labels, states = columns.pop("label").astype(str), columns.pop("states").astype(str)
    if states.size:
        columns["states"] = states
    dims = ("statement", "measure")
    saved = {name: (dims[: values.ndim], values) for name, values in columns.items()}
    groups = {
        "/": xr.Dataset(attrs=attrs),
        "results": c.results.to_dataset(),
        "answer": xr.Dataset(saved, {"statement": labels}),
    }
    if answer.tree is not None:
        groups |= {name: node.to_dataset() for name, node in answer.tree.children.items()}
        groups["/"].attrs["tree_attrs"] = json.dumps(plain(dict(answer.tree.attrs)))
    # Without the compression of a file that the table was read from: loading refuses it.
    groups = {name: data.drop_encoding() for name, data in groups.items()}
    for data in groups.values():
        for key, value in list(data.attrs.items()):  # what the writer of netCDF refuses
            if isinstance(value, (bool, np.bool_)):
                data.attrs[key] = int(value)
            elif value is None or (isinstance(value, (list, tuple)) and not value):
                del data.attrs[key]
    return write_bytes(target, tree_as_netcdf(xr.DataTree.from_dict(groups)))


def tree_as_netcdf(tree: xr.DataTree) -> bytes:
    """Return a tree as the bytes of a netCDF file.

    In memory, because HDF5 cannot get over a disk that fills up: it crashes the interpreter. And
    copied, because so does a view of this memory that an error's traceback keeps.
    """
    return bytes(tree.to_netcdf(engine="h5netcdf"))


def _of_netcdf(source: Path, max_bytes: int | None) -> Comparison:
    with input_limits(max_bytes=max_bytes):  # which checks it
        check_netcdf_before_opening(source, max_bytes)
    with xr.open_datatree(source, engine="h5netcdf") as opened:
        tree = opened.load()
    check_kind_of_file(tree.attrs, "comparison", SCHEMA_VERSION)
    with in_part("results"):
        stored = tree["results"].to_dataset()
        results = (ErrorCounts if "wrong_only" in stored else Results).from_dataset(stored)
    posterior, others = None, {k: v for k, v in tree.children.items() if k not in _OWN}
    if others:
        posterior = xr.DataTree.from_dict({k: node.to_dataset() for k, node in others.items()})
        posterior.attrs.update(loads(tree.attrs["tree_attrs"]))
    with in_part("the answer"):
        saved = tree["answer"].to_dataset()
        columns = {str(name): saved[name].values for name in saved.data_vars}
        columns["label"] = saved["statement"].values.tolist()
        names = ("options", "scalars", "figures", "details")
        texts = {name: loads(tree.attrs[name]) for name in names}
    return _loaded(
        results, tree.attrs["method"], texts["options"], columns, texts["scalars"], texts, posterior
    )


# all pairs ----------------------------------------------------------------------------------------


def pairwise_as_json(p: Pairwise, rule: Rule) -> str:
    """Write all pairs, with the verdicts by a rule."""
    return dumps(
        {
            **saved_head("pairwise"),
            "method": p.method.name,
            "options": p.method.options(),
            "reference": p.reference,
            "results": results_document(p.results),
            "skipped": p.skipped,
            "decided": p.decided(rule).to_dict("records"),
            "caveats": p.caveats,
            "decision": PairVerdicts.of(p, rule).to_dict(),
            "level": rule.level,
            "fdr": rule.fdr,
            **({} if p.guard is None else {"guard": p.guard}),
            "learned": None if p.learned is None else p.learned.options(),
            "explanation": p.explained(rule),
            "comparisons": [_document(c) for c in p.comparisons],
        }
    )


@dataclass(frozen=True, kw_only=True)
class _SavedPairs:
    """What is read of a file of all pairs; verdicts are made again."""

    method: str
    options: Mapping[str, Any]
    reference: str | None
    results: Any
    skipped: tuple[tuple[str, str, int], ...]
    comparisons: tuple[Any, ...]
    guard: Guard | None = None


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
    return load_file(path, "pairwise", lambda source: _pairs_of(read_json(source, max_bytes)))


def _pairs_of(document: Any) -> Pairwise:
    check_kind_of_file(document, "pairwise", SCHEMA_VERSION)
    if "results" not in document:
        raise BayescompareError(
            "the file has no table, because an older bayescompare wrote it: compare again."
        )
    saved: _SavedPairs = read(_SavedPairs, document, "")
    results = results_of(saved.results)
    with in_part("method"):
        method = _method_of(saved.method, saved.options)
    comparisons = []
    for place, one in enumerate(saved.comparisons):
        with in_part(f"comparisons[{place}]"):
            c = _of_document(one)
            if len(c.results.algorithms) != 2 or c.method.name != method.name:
                raise BayescompareError(
                    f"it is not of two algorithms by {method.name!r}, as the others are."
                )
            # Refuses names that the table does not have.
            results.sel(**{name: getattr(c.results, name) for name in _NAMES})
            comparisons.append(c)
    if not comparisons:
        raise BayescompareError("comparisons is empty.")
    pairs = [*(c.results.algorithms for c in comparisons), *((a, b) for a, b, _ in saved.skipped)]
    if len(set(map(frozenset, pairs))) < len(pairs):
        raise BayescompareError("comparisons: two algorithms are compared twice.")
    if saved.reference is not None and not all(saved.reference in pair for pair in pairs):
        raise BayescompareError(f"not all pairs are of the reference {saved.reference!r}.")
    kept = results, method, tuple(comparisons), saved.reference, saved.skipped
    return Pairwise(*kept, guard=saved.guard)
