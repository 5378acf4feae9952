"""Comparisons as files: JSON for other programs, netCDF for everything.

The JSON schema is documented in docs/json-schema.md and carries its version; `loading` reads both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from bayescompare._version import __version__
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.effects import table_effects
from bayescompare.outcome.verdicts import PairVerdicts
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.items import item_data_to_json
from bayescompare.table.results import Results
from bayescompare.table.writing import write_bytes

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.decision import Decision
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import Rule

__all__ = [
    "PAIRWISE_SCHEMA",
    "PAIRWISE_VERSION",
    "PART",
    "SCHEMA",
    "SCHEMA_VERSION",
    "comparison_decision_as_json",
    "comparison_document",
    "comparison_plain_json",
    "comparison_results_as_json",
    "comparison_tree_as_netcdf",
    "pairwise_as_json",
    "to_json",
    "to_netcdf",
]

SCHEMA = "bayescompare/comparison"


#: What the names of figures of parts begin with.
PART = "part_"


SCHEMA_VERSION = 2


def to_json(c: Comparison) -> str:
    """Write everything but a sampled posterior as JSON."""
    return json.dumps(comparison_document(c), ensure_ascii=False, allow_nan=False, indent=1)


def comparison_document(c: Comparison) -> Any:
    """Return everything but a sampled posterior as JSON's own types."""
    answer, results = c.answer, c.results
    columns = _statements_in_comparison_file(answer)
    statements = [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ]
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "bayescompare_version": __version__,
        "method": {"name": c.method.name, "kind": c.method.kind, "options": c.method.options()},
        "results": comparison_results_as_json(results),
        "best": c.best,
        "verdict": c.decision.verdict,
        "decision": comparison_decision_as_json(c.decision),
        "caveats": list(c.caveats),
        "exact": c.exact,
        **_scalars_in_comparison_file(answer),
        "figures": answer.scalars.to_dict(),
        "details": answer.details.to_dict(),
        "statements": statements,
        "effects": _effects_in_comparison_file(results),
        "explanation": c.explain(),
    }
    return comparison_plain_json(document)


def comparison_decision_as_json(decision: Decision) -> dict[str, Any]:
    """What was decided; it is made again on loading."""
    return {
        "state": decision.state,
        "settled": decision.settled,
        "statement": decision.statement,
        "pvalue" if decision.pvalue else "probability": decision.probability,
        "parts": decision.parts.reset_index().to_dict("records") if decision.measured else [],
    }


def _effects_in_comparison_file(results: Results) -> list[dict[Any, Any]] | None:
    """Effect sizes of two algorithms, a record for each measure; they are not read back."""
    if len(results.algorithms) != 2:
        return None
    return table_effects(results).reset_index().to_dict("records")


def comparison_results_as_json(results: Results) -> dict[str, Any]:
    """The results, as JSON."""
    facts: dict[str, Any] = {
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
        facts["replicates"] = results.data["replicate"].values.tolist()
    if results.replicates != "folds":
        facts["replicates_are"] = results.replicates
    if results.item_data is not None:
        facts["items"] = item_data_to_json(results.item_data)
    if results.gaps is not None:
        facts["missing"] = results.gaps
    if results.groups is not None:
        facts["groups"] = list(results.groups)
    if results.weights is not None:
        facts["weights"] = list(results.weights)
    if isinstance(results, ErrorCounts):
        facts["counts"] = {str(name): values.values for name, values in results.counts.items()}
    return facts


def to_netcdf(c: Comparison, target: Path) -> Path:
    """Write results, answer and a sampled posterior as groups of one netCDF file."""
    answer = c.answer
    head = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "bayescompare_version": __version__,
        "method": c.method.name,
        "options": json.dumps(comparison_plain_json(c.method.options())),
        "scalars": json.dumps(comparison_plain_json(_scalars_in_comparison_file(answer))),
        "figures": json.dumps(comparison_plain_json(answer.scalars.to_dict())),
        "details": json.dumps(comparison_plain_json(answer.details.to_dict())),
        "explanation": c.explain(),
    }
    columns = _statements_in_comparison_file(answer)
    states = np.array(columns.pop("states"), dtype=str)
    arrays: dict[str, Any] = {
        name: (("statement", "measure")[: np.ndim(values)], np.asarray(values))
        for name, values in columns.items()
        if name != "label"
    }
    if states.size:
        arrays["states"] = (("statement", "measure"), states)
    saved = xr.Dataset(arrays, {"statement": np.array(answer.labels, dtype=str)})
    groups = {"/": xr.Dataset(attrs=head), "results": c.results.to_dataset(), "answer": saved}
    if answer.tree is not None:
        groups.update({name: node.to_dataset() for name, node in answer.tree.children.items()})
        groups["/"].attrs["tree_attrs"] = json.dumps(comparison_plain_json(dict(answer.tree.attrs)))
    # Without the compression of a file that the table was read from: `loading` refuses it.
    groups = {name: data.drop_encoding() for name, data in groups.items()}
    for data in groups.values():
        _make_comparison_netcdf_ready(data)
    return write_bytes(target, comparison_tree_as_netcdf(xr.DataTree.from_dict(groups)))


def comparison_tree_as_netcdf(tree: xr.DataTree) -> bytes:
    """Return a tree as the bytes of a netCDF file.

    In memory, because HDF5 cannot get over a disk that fills up: it crashes the interpreter. And
    copied, because so does a view of this memory that an error's traceback keeps.
    """
    return bytes(tree.to_netcdf(engine="h5netcdf"))


def _statements_in_comparison_file(answer: Answer) -> dict[str, Any]:
    """One entry per column of the statements' table; reading back takes the same columns."""
    columns: dict[str, Any] = {
        "label": list(answer.labels),
        "states": _states_in_comparison_file(answer),
        "count": answer.counts,
    }
    for name in ("probability", "mcse"):
        values = getattr(answer, name)
        if values is not None:
            columns[name] = values
    # Figures of the parts have one for each measure.
    parts = {f"{PART}{name}": values for name, values in answer.parts.items()}
    return {**columns, **answer.per_statement, **parts}


def _states_in_comparison_file(answer: Answer) -> list[list[str]]:
    """For every statement, the state of each measure; none where there are no measures."""
    if not answer.states:
        return [[] for _ in answer.labels]
    return [list(states) for states in zip(*answer.states, strict=True)]


def _scalars_in_comparison_file(answer: Answer) -> dict[str, Any]:
    return {
        # A string, because K passes what JSON numbers keep exactly; by way of Decimal, because
        # Python writes no integer of more than 4,300 digits.
        "n_statements": str(Decimal(answer.n_statements)),
        "n_observed": answer.n_observed,
        "unobserved": answer.unobserved,
        "none_leads": answer.none_leads,
        "pvalue": answer.pvalue,
        "statistic": answer.statistic,
        "log_evidence": answer.log_evidence,
        "seed": answer.seed,
        "lead": answer.tested,
        "sampled": answer.resampled_pvalue,
    }


def comparison_plain_json(value: Any) -> Any:
    """Turn numpy and containers into JSON's own types; NaN, which JSON lacks, into null."""
    if isinstance(value, Mapping):
        return {str(k): comparison_plain_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [comparison_plain_json(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _make_comparison_netcdf_ready(data: xr.Dataset) -> None:
    """Drop encodings and attributes that the netCDF writer refuses."""
    for key, value in list(data.attrs.items()):
        if isinstance(value, (bool, np.bool_)):
            data.attrs[key] = int(value)
        elif value is None or (isinstance(value, (list, tuple)) and not value):
            del data.attrs[key]


PAIRWISE_SCHEMA = "bayescompare/pairwise"


PAIRWISE_VERSION = 2


def pairwise_as_json(p: Pairwise, rule: Rule) -> str:
    """Write all pairs, with the verdicts by a rule."""
    document = {
        "schema": PAIRWISE_SCHEMA,
        "schema_version": PAIRWISE_VERSION,
        "bayescompare_version": __version__,
        "method": p.method.name,
        "options": comparison_plain_json(p.method.options()),
        "reference": p.reference,
        "results": comparison_plain_json(comparison_results_as_json(p.results)),
        "skipped": [list(pair) for pair in p.skipped],
        "decided": p.decided(rule).replace({np.nan: None}).to_dict("records"),
        "caveats": list(p.caveats),
        "decision": PairVerdicts.of(p, rule).to_dict(),
        "level": rule.level,
        "fdr": rule.fdr,
        "learned": None if p.learned is None else p.learned.options(),
        "explanation": p.explained(rule),
        "comparisons": [comparison_document(c) for c in p.comparisons],
    }
    return json.dumps(document, ensure_ascii=False, indent=1)
