"""The formats that are read: tables, and what other tools write. Light, for ``--help``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["FORMATS", "TABLES", "TOOLS", "Tool"]


class Tool(NamedTuple):
    """What a tool writes, in words, and the function of `bayescompare.io` that reads it.

    Attributes
    ----------
    title, reader : str
    options : mapping of str to type
        Arguments of the reader that ``--reader NAME=VALUE`` can give: words and switches.
    """

    title: str
    reader: str
    options: Mapping[str, type[str] | type[bool]] = MappingProxyType({})


#: Kinds of table, by suffix.
TABLES = ("csv", "tsv", "json", "jsonl", "parquet", "xlsx")

#: Whether a reader takes a frame or paths is in its name: from_... or read_... .
TOOLS = {
    "lm-eval": Tool("results of lm-evaluation-harness", "read_lm_eval", {"groups": bool}),
    "lm-eval-items": Tool(
        "samples of lm-evaluation-harness", "read_lm_eval_items", {"filter": str}
    ),
    "inspect": Tool("logs of Inspect", "read_inspect"),
    "every-eval-ever": Tool("evaluations of Every Eval Ever", "read_every_eval", {"samples": bool}),
    "promptfoo": Tool("exports of promptfoo", "read_promptfoo"),
    "mteb": Tool("results of MTEB", "read_mteb", {"split": str, "subsets": bool, "domains": bool}),
    "weka": Tool("an experiment of Weka", "read_weka"),
    "helm": Tool("runs of HELM", "read_helm", {"split": str, "perturbation": str}),
    "amlb": Tool("results of the AutoML benchmark", "read_amlb"),
    "aeon": Tool("result files of aeon", "read_aeon"),
    "ioh": Tool("runs of IOHprofiler or COCO", "read_ioh"),
    "tabarena": Tool("a table of TabArena", "from_tabarena"),
    "fev": Tool("summaries of fev", "from_fev"),
}

FORMATS = (*TABLES, *TOOLS)
