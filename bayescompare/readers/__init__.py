"""A file for each outside tool, over one reader of records; `formats` knows them all.

The formats are named after the files, so that listing them loads nothing; some share a file.
"""

from pathlib import Path

from bayescompare.table.input import TABLES

#: Files that are no format.
_OTHERS = ("__init__", "formats", "look", "records")
_SHARED = {
    "leaderboards": ("fev", "tabarena"),
    "lm_eval": ("lm-eval", "lm-eval-items"),
    "trackers": ("mlflow", "openml"),
}

#: What tools write, by name, and in which file.
TOOLS = dict(
    sorted(
        (name, path.stem)
        for path in Path(__file__).parent.glob("*.py")
        if path.stem not in _OTHERS
        for name in _SHARED.get(path.stem, (path.stem.replace("_", "-"),))
    )
)

FORMATS = (*TABLES, *TOOLS)
