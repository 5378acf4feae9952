"""A file for each outside tool, over one reader of records; `formats` knows them all.

The names of the formats are those of the files, so that listing them loads nothing.
"""

from pathlib import Path

from bayescompare.table.input import TABLES

#: Files that are no format: what they read are objects of Python, or all formats.
_OTHERS = ("__init__", "formats", "look", "mlflow", "openml", "records", "sklearn")

#: What tools write, by name.
TOOLS = tuple(
    path.stem.replace("_", "-")
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in _OTHERS
)

FORMATS = (*TABLES, *TOOLS)
