"""All pairs as one JSON document, which docs/json-schema.md describes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._version import __version__
from bayescompare.comparison.files import (
    comparison_document,
    comparison_plain_json,
    comparison_results_as_json,
)
from bayescompare.comparison.verdicts import PairVerdicts

if TYPE_CHECKING:
    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule

__all__ = ["PAIRWISE_SCHEMA", "PAIRWISE_VERSION", "pairwise_as_json"]

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
