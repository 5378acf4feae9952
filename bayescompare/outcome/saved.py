"""Comparisons, one or all pairs, as files: JSON for other programs, netCDF for everything.

Loading runs no code: a model is named, not run. The JSON schema is documented in
docs/json-schema.md and carries its version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from bayescompare.outcome.comparison import Comparison, comparison_of
from bayescompare.outcome.family import Guard
from bayescompare.outcome.method import Method, is_bayesian
from bayescompare.outcome.outside import check_fields
from bayescompare.outcome.pair_figures import table_effects
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts
from bayescompare.outcome.words import datasets_needed, datasets_undoing, needed_by_measure
from bayescompare.statements import Statement
from bayescompare.table import input as _input
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.items import item_data_from_json, item_data_to_json
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.table.words import table_figures
from bayescompare.table.writing import write_bytes
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    from bayescompare.outcome.verdicts import Rule


#: Of comparisons, of all pairs, and of rankings.
SCHEMA_VERSION = 2

#: What the names of figures of parts begin with.
_PART = "part_"

#: Digits of K that are read; more take a time of their square.
_MOST_DIGITS = 100_000

#: The fields of an answer that are about the whole of it, by their names in a file.
_WHOLE: dict[str, tuple[str, Any]] = {
    "n_statements": ("n_statements", str),
    "n_observed": ("n_observed", int),
    "unobserved": ("unobserved", float | None),
    "none_leads": ("none_leads", float),
    "pvalue": ("pvalue", float | None),
    "statistic": ("statistic", float | None),
    "log_evidence": ("log_evidence", float | None),
    "seed": ("seed", int | None),
    "lead": ("tested", int | None),
    "sampled": ("resampled_pvalue", bool),
}


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
    counts = results.counts if isinstance(results, ErrorCounts) else None
    optional = {
        "replicates": results.data["replicate"].values.tolist() if several else None,
        "replicates_are": None if results.replicates == "folds" else results.replicates,
        "items": None if items is None else item_data_to_json(items),
        "missing": results.gaps,
        "groups": results.groups,
        "weights": results.weights,
        "benchmarks": results.benchmark_of,
        "trained_on": results.trained_on,
        "averaged": results.averaged,
        "counts": counts if counts is None else {str(k): v.values for k, v in counts.items()},
    }
    return {
        "algorithms": results.algorithms,
        "datasets": results.datasets,
        "measures": {name: results[name].to_dict() for name in results.measures},
        "values": {name: results.data[name].transpose(*dims).values for name in results.measures},
        "source": results.source,
        "notes": results.notes,
        **{name: value for name, value in optional.items() if value is not None},
    }


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
        facts |= {name: of(name) for name in ("trained_on", "averaged")}
        return Results(data, spec, replicates=of("replicates_are", "folds"), **facts)


# the answer ---------------------------------------------------------------------------------------


def _whole(answer: Answer) -> dict[str, Any]:
    """The fields that are about the whole, by their names in a file."""
    held = {name: getattr(answer, field) for name, (field, _) in _WHOLE.items()}
    # A string, because K passes what JSON numbers keep exactly; by way of Decimal, because Python
    # writes and reads no integer of more than 4,300 digits.
    return {**held, "n_statements": str(Decimal(answer.n_statements))}


def _read_whole(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return them as an answer has them."""
    # Files written before there was such a field had no such mass.
    found = {"none_leads": 0.0, **facts}
    held = {field: read(kind, found[name], name) for name, (field, kind) in _WHOLE.items()}
    if held["pvalue"] is not None and held["statistic"] is None:
        held["statistic"] = np.inf  # which JSON has no number for
    digits = held["n_statements"]
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


def _facts(answer: Answer) -> dict[str, dict[str, Any]]:
    """The numbers among the facts of a method, and the rest."""
    figures, every = answer.facts.figures(), answer.facts.to_dict()
    details = {name: value for name, value in every.items() if name not in figures}
    return {"figures": figures, "details": details}


def _loaded(
    results: Results,
    how: tuple[str, Mapping[str, Any]],
    columns: dict[str, Any],
    whole: Mapping[str, Any],
    facts: Mapping[str, Any],
    tree: xr.DataTree | None = None,
) -> Comparison:
    """Build a comparison from the parts of a file, and check it."""
    with in_part("method"):
        method = _method_of(*how).for_table(results)
    with in_part("the answer"):
        labels = read(tuple[str, ...], columns.pop("label"), "statements")
        asks_each = any(len(states) for states in columns.pop("states", []))
        said = [map(str, Statement.parse(label, results.algorithms).states) for label in labels]
        arrays = {name: numbers(values, f"statements: {name}") for name, values in columns.items()}
        parts = [name for name in arrays if name.startswith(_PART)]
        answer = Answer(
            labels=labels,
            # A label with too few of them is refused below.
            states=tuple(zip(*said, strict=False)) if asks_each else (),
            counts=arrays.pop("count"),
            probability=arrays.pop("probability", None),
            mcse=arrays.pop("mcse", None),
            parts={name.removeprefix(_PART): arrays.pop(name) for name in parts},
            per_statement=arrays,
            facts=method.posterior_type.facts_type.from_dict(
                {**facts["figures"], **facts["details"]}
            ),
            tree=tree,
            **_read_whole(whole),
        )
    with in_part("method"):
        if (restored := getattr(method, "restored", None)) is not None:
            answer = restored(answer, how[1])
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


def comparison_document(c: Comparison) -> dict[str, Any]:
    """Return everything but a sampled posterior, as JSON holds it, and how firm its decision is."""
    document = _document(c)
    decision, needed = document["decision"], needed_by_measure(c)
    decision |= {
        "datasets_needed": datasets_needed(c),
        "datasets_undoing": datasets_undoing(c),
        **table_figures(c.results),
    }
    for part in decision["parts"]:
        part["datasets_needed"] = needed[part["measure"]]
    return document


def _document(c: Comparison) -> dict[str, Any]:
    answer, results, d = c.answer, c.results, c.decision
    columns, two = _columns(answer), len(results.algorithms) == 2
    kind = "bayesian" if is_bayesian(c.method) else "frequentist"
    return {
        **saved_head("comparison"),
        "method": {"name": c.method.name, "kind": kind, "options": c.method.options()},
        "results": results_document(results),
        "best": c.best,
        "verdict": d.verdict,
        # Decisions and effect sizes are made again on loading.
        "decision": d.to_dict(),
        "caveats": c.caveats,
        "exact": c.exact,
        **_whole(answer),
        **_facts(answer),
        "statements": [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ],
        "effects": table_effects(results).reset_index().to_dict("records") if two else None,
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
    return _loaded(results, (how["name"], how["options"]), columns, document, document)


# netCDF -------------------------------------------------------------------------------------------


def to_netcdf(c: Comparison, target: Path) -> Path:
    """Write results, answer and a sampled posterior as groups of one netCDF file."""
    answer = c.answer
    texts = {"options": c.method.options(), "scalars": _whole(answer), **_facts(answer)}
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
    groups = {"/": xr.Dataset(attrs=attrs), "results": c.results.to_dataset()}
    groups["answer"] = xr.Dataset(saved, {"statement": labels})
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
    with _input.input_limits(max_bytes=max_bytes):  # which checks it
        check_netcdf_before_opening(source, max_bytes)
    with xr.open_datatree(source, engine="h5netcdf") as opened:
        tree = opened.load()
    check_kind_of_file(tree.attrs, "comparison", SCHEMA_VERSION)
    groups = {name: node.to_dataset() for name, node in tree.children.items()}
    with in_part("results"):
        stored = groups.pop("results")
        results = (ErrorCounts if "wrong_only" in stored else Results).from_dataset(stored)
    with in_part("the answer"):
        saved = groups.pop("answer")
        columns = {str(name): saved[name].values for name in saved.data_vars}
        columns["label"] = saved["statement"].values.tolist()
        names = ("options", "scalars", "figures", "details")
        texts = {name: loads(tree.attrs[name]) for name in names}
    posterior = xr.DataTree.from_dict(groups) if groups else None
    if posterior is not None:
        posterior.attrs.update(loads(tree.attrs["tree_attrs"]))
    how = tree.attrs["method"], texts["options"]
    return _loaded(results, how, columns, texts["scalars"], texts, posterior)


# what a netCDF file may hold ----------------------------------------------------------------------
#
# Only what we write. netCDF 4 is HDF5, which has links into other files, arrays whose numbers lie
# in other files, filters that load code, groups that contain themselves, and arrays that are
# declared and not stored. We write none of these: a file that has one was made by somebody else.

#: The largest arrays that are read from a netCDF file, all together: 4 GiB.
MOST_ARRAYS = 4 * 2**30

#: Groups of a file, with its variables, and its attributes. Ours have about 20, 100 and 500.
_MOST_GROUPS, _MOST_OBJECTS, _MOST_ATTRIBUTES = 100, 2_000, 20_000

#: Texts of an attribute, such as the names of dimensions, each of which may be long.
_FEW_TEXTS = 64

#: How netCDF stores which dimensions a variable has.
_DIMENSIONS = (b"DIMENSION_LIST", b"REFERENCE_LIST")

#: Bytes of a string that is stored elsewhere in the file: its length, and where it is.
_REFERENCE = 16


def check_netcdf_before_opening(source: Path, max_bytes: int | None = None) -> None:
    """Refuse a file that reaches beyond itself, never ends, or takes more memory than it may.

    Parameters
    ----------
    source : path
    max_bytes : int, optional
        Of all arrays. By default 4 GiB, and no more beyond the size of the file than a table may
        take: arrays that are declared and not stored cost nothing to send.
    """
    import h5py

    stored = source.stat().st_size
    if max_bytes is None:
        max_bytes = min(MOST_ARRAYS, stored + _input.MOST_BYTES)
    arrays = texts = attributes = 0
    with h5py.File(source) as file:
        for number, (name, item) in enumerate(_objects(file, h5py), 1):
            attributes += h5py.h5a.get_num_attrs(item.id)
            if number > _MOST_OBJECTS or attributes > _MOST_ATTRIBUTES:
                raise _foreign("/", f"has more than {_MOST_OBJECTS} variables")
            arrays += _array_bytes(name, item, source, h5py)
            texts += _attribute_bytes(name, item, stored, h5py)
            if texts > 2 * stored:
                raise _foreign(name, "has attributes that share one text")
            if arrays > max_bytes:
                raise BayescompareError(
                    f"its arrays take {count(arrays / 2**30)} GiB or more, in a file of "
                    f"{count(stored / 2**20)} MiB: allow it by max_bytes=, or read a part of it "
                    "with xarray.open_datatree."
                )


def _objects(file: Any, h5py: Any) -> Iterator[tuple[str, Any]]:
    """Yield the root, its groups, and the variables of each, none of them twice."""
    seen = {h5py.h5o.get_info(file.id).addr}
    groups = [("", file)]
    yield "/", file
    for place, group in groups:
        if group.id.get_num_objs() > _MOST_OBJECTS:
            raise _foreign(place or "/", f"has more than {_MOST_OBJECTS} variables")
        for link in group.id:
            name = f"{place}/{link.decode(errors='replace')}"
            kind = group.id.links.get_info(link).type
            if kind != h5py.h5l.TYPE_HARD:
                where = "into another file" if kind == h5py.h5l.TYPE_EXTERNAL else "by name"
                raise _foreign(name, f"is a link {where}")
            opened = h5py.h5o.open(group.id, link)
            address = h5py.h5o.get_info(opened).addr
            if address in seen:
                raise _foreign(name, "is a second link to the same group or variable")
            seen.add(address)
            if isinstance(opened, h5py.h5d.DatasetID):
                yield name, h5py.Dataset(opened)
            elif isinstance(opened, h5py.h5g.GroupID) and not place:
                groups.append((name, h5py.Group(opened)))
                if len(groups) > _MOST_GROUPS:
                    raise _foreign("/", f"has more than {_MOST_GROUPS} groups")
                yield groups[-1]
            else:
                inside = isinstance(opened, h5py.h5g.GroupID)
                raise _foreign(
                    name, "is a " + ("group within a group" if inside else "type of its own")
                )


def _array_bytes(name: str, item: Any, source: Path, h5py: Any) -> int:
    """Return the memory that a variable needs; refuse one that is not simply in the file."""
    h5d, h5t = h5py.h5d, h5py.h5t
    if not isinstance(item, h5py.Dataset):
        return 0
    properties = item.id.get_create_plist()
    layout = properties.get_layout()
    # Before the shape is asked for, for which HDF5 opens the files of a virtual array.
    if layout == h5d.VIRTUAL or (layout == h5d.CONTIGUOUS and properties.get_external_count()):
        raise _foreign(name, "lies in other files")
    # An array of length 0 may grow, and is stored in chunks, of which there are none.
    if layout != h5d.CONTIGUOUS and item.size:
        raise _foreign(name, "is stored in chunks, or compressed")
    kind, size = item.id.get_type(), int(item.size or 0)
    if kind.get_class() not in (h5t.INTEGER, h5t.FLOAT, h5t.STRING):
        raise _foreign(name, "holds neither numbers nor text")
    if kind.get_class() != h5t.STRING or not kind.is_variable_str():
        return size * max(8, int(kind.get_size()))
    there, longest = int(item.id.get_storage_size()), 0
    if there not in (0, _REFERENCE * size):
        raise _foreign(name, "holds texts of another kind")
    if there:
        with source.open("rb") as file:
            file.seek(item.id.get_offset())
            # Only the lengths: many texts may be one and the same place in the file.
            lengths = np.frombuffer(file.read(there), np.dtype("<u4"))[::4]
        longest = int(lengths.max(initial=0))
    # numpy gives every text the room of the longest.
    return size * (_REFERENCE + 4 * longest)


def _attribute_bytes(name: str, item: Any, stored: int, h5py: Any) -> int:
    """Return how much the attributes hold, each of which is read whole when the file is opened."""
    h5t, total = h5py.h5t, 0
    for at in range(h5py.h5a.get_num_attrs(item.id)):
        attribute = h5py.h5a.open(item.id, index=at)
        if attribute.name in _DIMENSIONS:
            continue
        kind = attribute.get_type()
        values = int(attribute.get_space().get_simple_extent_npoints())
        if kind.get_class() not in (h5t.INTEGER, h5t.FLOAT, h5t.STRING, h5t.ENUM):
            raise _foreign(name, "has an attribute of neither numbers nor text")
        text = kind.get_class() == h5t.STRING and kind.is_variable_str()
        if text and values > _FEW_TEXTS and values * stored > _input.MOST_BYTES:
            raise _foreign(name, f"has an attribute of {values} texts")
        if text and values:
            total += sum(map(len, np.atleast_1d(item.attrs[attribute.name.decode()])))
        else:
            total += values * int(kind.get_size())
    return total


def _foreign(name: str, what: str) -> BayescompareError:
    return BayescompareError(f"{name!r} {what}: bayescompare writes no such file, and reads none.")


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
            "decision": PairVerdicts(p, rule).to_dict()
            | table_figures(p.results, judges_cells=p.method.accepts.judges == "cells"),
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
            own = c.results
            results.sel(algorithms=own.algorithms, datasets=own.datasets, measures=own.measures)
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
