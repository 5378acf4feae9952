"""The formats that are read: tables, and what other tools write. Light, for ``--help``."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FORMATS", "TABLES", "TOOLS", "Tool"]


class Tool(NamedTuple):
    """What a tool writes, in words, and the function of `bayescompare.io` that reads it."""

    title: str
    reader: str


#: Kinds of table, by suffix.
TABLES = ("csv", "tsv", "json", "jsonl", "parquet", "xlsx")

#: Whether a reader takes a frame or paths is in its name: from_... or read_... .
TOOLS = {
    "lm-eval": Tool("results of lm-evaluation-harness", "read_lm_eval"),
    "lm-eval-items": Tool("samples of lm-evaluation-harness", "read_lm_eval_items"),
    "inspect": Tool("logs of Inspect", "read_inspect"),
    "every-eval-ever": Tool("evaluations of Every Eval Ever", "read_every_eval"),
    "promptfoo": Tool("exports of promptfoo", "read_promptfoo"),
    "mteb": Tool("results of MTEB", "read_mteb"),
    "weka": Tool("an experiment of Weka", "read_weka"),
    "helm": Tool("runs of HELM", "read_helm"),
    "amlb": Tool("results of the AutoML benchmark", "read_amlb"),
    "aeon": Tool("result files of aeon", "read_aeon"),
    "ioh": Tool("runs of IOHprofiler or COCO", "read_ioh"),
    "tabarena": Tool("a table of TabArena", "from_tabarena"),
    "fev": Tool("summaries of fev", "from_fev"),
}

FORMATS = (*TABLES, *TOOLS)
