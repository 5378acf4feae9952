"""Comparisons as files: JSON for other programs, netCDF for everything, and back again.

The JSON schema is documented in docs/json-schema.md and carries its version; a file of a newer
schema is refused rather than misread. Neither format runs code when it is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayescompare import methods
from bayescompare._checks import check_path
from bayescompare._errors import BayescompareError
from bayescompare._files import write_bytes
from bayescompare._input import check_regular, read_file
from bayescompare._version import __version__
from bayescompare.comparison.checks import (
    check_comparison,
    one_line,
    part,
    read_count,
    read_number,
    read_numbers,
    read_size,
    read_states,
)
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.method import Answer, Method
from bayescompare.comparisons import comparison_of
from bayescompare.methods._shared.priors import SavedPrior
from bayescompare.methods.model_file import ModelFile
from bayescompare.results.counts import ErrorCounts
from bayescompare.results.measure import Measure
from bayescompare.results.results import Results
from bayescompare.text.numbers import count

__all__ = ["SCHEMA", "SCHEMA_VERSION", "load_comparison", "netcdf", "to_json", "to_netcdf"]

SCHEMA = "bayescompare/comparison"
SCHEMA_VERSION = 1

#: The largest arrays that are read from a netCDF file, all together: 4 GiB.
MOST_ARRAYS = 4 * 2**30

#: Groups of a saved file that are ours; every other group is the posterior's.
_OWN = ("results", "answer")

_SCALARS = ("unobserved", "pvalue", "statistic", "log_evidence", "seed", "lead", "sampled")


# out ---------------------------------------------------------------------------------------------


def to_json(c: Comparison) -> str:
    """Write everything but a sampled posterior as JSON."""
    answer, results = c.answer, c.results
    columns = _per_statement(answer)
    statements = [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ]
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "bayescompare_version": __version__,
        "method": {"name": c.method.name, "kind": c.method.kind, "options": c.method.options()},
        "results": _told(results),
        "best": c.best,
        "verdict": c.decision.verdict,
        "exact": c.exact,
        **_scalars(answer),
        "figures": dict(answer.figures),
        "details": dict(answer.details),
        "statements": statements,
        "explanation": c.explain(),
    }
    return json.dumps(_plain(document), ensure_ascii=False, allow_nan=False, indent=1)


def _told(results: Results) -> dict[str, Any]:
    """What was judged, as JSON."""
    told = {
        "algorithms": list(results.algorithms),
        "datasets": list(results.datasets),
        "measures": {name: results[name].to_dict() for name in results.measures},
        "values": {
            name: results.data[name].transpose("dataset", "algorithm", ...).values
            for name in results.measures
        },
        "source": results.source,
        "notes": list(results.notes),
    }
    if results.n_replicates is not None:
        told["replicates"] = results.data["replicate"].values.tolist()
    if isinstance(results, ErrorCounts):
        told["counts"] = {str(name): values.values for name, values in results.counts.items()}
    return told


def to_netcdf(c: Comparison, target: Path) -> Path:
    """Write results, answer and a sampled posterior as groups of one netCDF file."""
    answer = c.answer
    head = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "bayescompare_version": __version__,
        "method": c.method.name,
        "options": json.dumps(_plain(c.method.options())),
        "scalars": json.dumps(_plain(_scalars(answer))),
        "figures": json.dumps(_plain(dict(answer.figures))),
        "details": json.dumps(_plain(dict(answer.details))),
        "explanation": c.explain(),
    }
    columns = _per_statement(answer)
    states = np.array(columns.pop("states"), dtype=str)
    arrays: dict[str, Any] = {
        name: ("statement", np.asarray(values))
        for name, values in columns.items()
        if name != "label"
    }
    if states.size:
        arrays["states"] = (("statement", "measure"), states)
    saved = xr.Dataset(arrays, {"statement": np.array(answer.labels, dtype=str)})
    groups = {"/": xr.Dataset(attrs=head), "results": c.results.to_dataset(), "answer": saved}
    if answer.tree is not None:
        groups.update({name: node.to_dataset() for name, node in answer.tree.children.items()})
        groups["/"].attrs["tree_attrs"] = json.dumps(_plain(dict(answer.tree.attrs)))
    for data in groups.values():
        _netcdf_ready(data)
    return write_bytes(target, netcdf(xr.DataTree.from_dict(groups)))


def netcdf(tree: xr.DataTree) -> bytes:
    """Return a tree as the bytes of a netCDF file.

    In memory, because HDF5 cannot get over a disk that fills up: it crashes the interpreter. And
    copied, because so does a view of this memory that an error's traceback keeps.
    """
    return bytes(tree.to_netcdf(engine="h5netcdf"))


def _per_statement(answer: Answer) -> dict[str, Any]:
    """One entry per column of the statements' table; reading back takes the same columns."""
    columns: dict[str, Any] = {
        "label": list(answer.labels),
        "states": _by_statement(answer),
        "count": answer.counts,
    }
    for name in ("probability", "mcse"):
        values = getattr(answer, name)
        if values is not None:
            columns[name] = values
    return {**columns, **answer.extra}


def _by_statement(answer: Answer) -> list[list[str]]:
    """For every statement, the state of each measure; none where there are no measures."""
    if not answer.states:
        return [[] for _ in answer.labels]
    return [list(states) for states in zip(*answer.states, strict=True)]


def _scalars(answer: Answer) -> dict[str, Any]:
    return {
        # A string, because K passes what JSON numbers keep exactly; by way of Decimal, because
        # Python writes no integer of more than 4,300 digits.
        "n_statements": str(Decimal(answer.size)),
        "n_observed": answer.n_observed,
        "unobserved": answer.unobserved,
        "none_leads": answer.none_leads,
        "pvalue": answer.pvalue,
        "statistic": answer.statistic,
        "log_evidence": answer.log_evidence,
        "seed": answer.seed,
        "lead": answer.lead,
        "sampled": answer.sampled,
    }


def _plain(value: Any) -> Any:
    """Turn numpy and containers into JSON's own types; NaN, which JSON lacks, into null."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _netcdf_ready(data: xr.Dataset) -> None:
    """Drop encodings and attributes that the netCDF writer refuses."""
    for key, value in list(data.attrs.items()):
        if isinstance(value, (bool, np.bool_)):
            data.attrs[key] = int(value)
        elif value is None or (isinstance(value, (list, tuple)) and not value):
            del data.attrs[key]


# in ----------------------------------------------------------------------------------------------


def load_comparison(path: str | Path) -> Comparison:
    """Read a comparison that `Comparison.to_netcdf` or `Comparison.to_json` wrote.

    Parameters
    ----------
    path : path
        A JSON file (``.json``) holds everything but a sampled posterior.

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
        check_regular(source)
        c = _read_json(source) if source.suffix == ".json" else _read_netcdf(source)
        check_comparison(c)
    except BayescompareError as error:
        raise BayescompareError(f"{source}: {error}") from None
    except Exception as error:  # whatever a parser makes of bytes that are nothing of ours
        raise BayescompareError(
            f"{source} is not a comparison that bayescompare wrote ({one_line(error)})."
        ) from None
    return c


def _read_json(source: Path) -> Comparison:
    document = json.loads(read_file(source), parse_constant=_refuse_constant)
    _check_schema(document)
    with part("results"):
        results = _results(document["results"])
    with part("statements"):
        rows = document["statements"]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        labels, states = columns.pop("label"), columns.pop("states")
    with part("the answer"):
        answer = _answer(labels, states, columns, document, document, None)
    with part("method"):
        name, options = document["method"]["name"], document["method"]["options"]
        method = _method(name, options)
        return comparison_of(results, method, method.restored(answer, options))


def _refuse_constant(word: str) -> float:
    raise BayescompareError(f"{word} is not JSON.")


def _results(told: Mapping[str, Any]) -> Results:
    """Build the results that `_told` told of."""
    facts = {"source": told["source"], "notes": tuple(told["notes"])}
    coords = {"dataset": told["datasets"], "algorithm": told["algorithms"]}
    if "counts" in told:
        dims = ("dataset", "algorithm", "opponent")
        kept = {name: read_numbers(name, values) for name, values in told["counts"].items()}
        counts = xr.Dataset(
            {name: (dims[: values.ndim], values) for name, values in kept.items()},
            {**coords, "opponent": told["algorithms"]},
        )
        return ErrorCounts.from_counts(counts, **facts)
    if "replicates" in told:
        coords["replicate"] = told["replicates"]
    cells = {name: read_numbers(name, values) for name, values in told["values"].items()}
    data = xr.Dataset({name: (tuple(coords), values) for name, values in cells.items()}, coords)
    spec = {name: Measure.from_dict(fields) for name, fields in told["measures"].items()}
    return Results(data, spec, **facts)


def _read_netcdf(source: Path) -> Comparison:
    _check_netcdf_size(source)
    with xr.open_datatree(source, engine="h5netcdf") as opened:
        tree = opened.load()
    _check_schema(tree.attrs)
    with part("results"):
        stored = tree["results"].to_dataset()
        kind = ErrorCounts if "wrong_only" in stored else Results
        results = kind.from_dataset(stored)
    with part("the answer"):
        saved = tree["answer"].to_dataset()
        answer = _answer(
            saved["statement"].values.tolist(),
            saved["states"].values.tolist() if "states" in saved else [],
            {str(name): saved[name].values for name in saved.data_vars if name != "states"},
            json.loads(tree.attrs["scalars"]),
            {name: json.loads(tree.attrs[name]) for name in ("figures", "details")},
            _posterior(tree),
        )
    with part("method"):
        options = json.loads(tree.attrs["options"])
        method = _method(tree.attrs["method"], options)
        return comparison_of(results, method, method.restored(answer, options))


def _check_netcdf_size(source: Path) -> None:
    """Refuse arrays that are larger than memory: a file may say so without holding them."""
    import h5py

    sizes = []
    with h5py.File(source) as file:
        file.visititems(lambda _, item: sizes.append(getattr(item, "nbytes", 0)))
    if sum(sizes) > MOST_ARRAYS:
        raise BayescompareError(
            f"its arrays take {count(sum(sizes) / 2**30)} GiB, more than "
            f"{count(MOST_ARRAYS / 2**30)}: read a part of it with xarray.open_datatree."
        )


def _posterior(tree: xr.DataTree) -> xr.DataTree | None:
    """The groups that are not ours, which an answer was sampled as."""
    groups = {name: node.to_dataset() for name, node in tree.children.items() if name not in _OWN}
    if not groups:
        return None
    kept = xr.DataTree.from_dict(groups)
    kept.attrs.update(json.loads(tree.attrs["tree_attrs"]))
    return kept


def _answer(
    labels: list[str],
    states: list[list[str]],
    columns: Mapping[str, Any],
    scalars: Mapping[str, Any],
    facts: Mapping[str, Any],
    tree: xr.DataTree | None,
) -> Answer:
    arrays = {name: read_numbers(name, values) for name, values in columns.items()}
    figures = {k: read_number(f"figures: {k}", v) for k, v in facts["figures"].items()}
    if not isinstance(facts["details"], dict):
        raise BayescompareError("details must be an object.")
    if scalars["pvalue"] is not None and scalars["statistic"] is None:
        scalars = {**scalars, "statistic": math.inf}  # which JSON has no number for
    return Answer(
        labels=tuple(labels),
        states=read_states(states),
        counts=arrays.pop("count"),
        probability=arrays.pop("probability", None),
        mcse=arrays.pop("mcse", None),
        size=read_size("n_statements", scalars["n_statements"]),
        n_observed=read_count("n_observed", scalars["n_observed"]),
        **{k: scalars[k] for k in _SCALARS},
        # Files written before there was such a field had no such mass.
        none_leads=scalars.get("none_leads", 0.0),
        extra=arrays,
        figures=figures,
        details=facts["details"],
        tree=tree,
    )


def _method(name: str, options: dict[str, Any]) -> Method:
    given = options.get("priors")
    if given:
        options = {
            **options,
            # Numbers, and vectors and mappings of them, are kept; all else by name.
            "priors": {k: SavedPrior(v) if isinstance(v, str) else v for k, v in given.items()},
        }
    if name == ModelFile.name:
        # Whatever the file says: its model is named, never run.
        return ModelFile(str(options["source"]), priors=options["priors"], saved=True)
    if "summed_from" in options:
        from bayescompare.methods.network.subset import SummedNetwork

        return SummedNetwork(**options)
    if name == methods.Dirichlet.name and "learned" in options:
        from bayescompare.methods.dirichlet.learned import LearnedDirichlet

        return LearnedDirichlet.from_options(options)
    return methods.get(name)(**options)


def _check_schema(head: Any) -> None:
    if not isinstance(head, Mapping) or head.get("schema") != SCHEMA:
        raise BayescompareError("this is not a comparison that bayescompare wrote.")
    version = read_count("schema_version", head.get("schema_version"))
    if version > SCHEMA_VERSION:
        raise BayescompareError(
            f"schema version {version}, and this bayescompare reads up to {SCHEMA_VERSION}: "
            "upgrade it."
        )
