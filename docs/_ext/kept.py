"""What the slow pages show, kept in ``docs/kept``: a fresh clone builds them without running them.

Kept outputs belong to a hash of the page's code and to the package's version. A page whose code has
changed since is run like any other page. ``python docs/_ext/kept.py models analyst`` runs pages and
keeps what they show; without names, those that are kept and are out of date.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig

DOCS = Path(__file__).parents[1]
KEPT = DOCS / "kept"


def kept_pages() -> list[str]:
    """Return the pages whose kept outputs are those of their code, as ``methods/network``."""
    every = (path.relative_to(KEPT).with_suffix("").as_posix() for path in KEPT.rglob("*.json"))
    return sorted(page for page in every if _stored(page)["key"] == _key(_page(page)))


def with_kept_outputs(text: str, *, page: str) -> nbformat.NotebookNode:
    """Read a page and give its cells the outputs that are kept."""
    notebook = _notebook(text)
    # A page that is run learns this from its kernel.
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    for cell, outputs in zip(_code(notebook), _stored(page)["outputs"], strict=True):
        cell.outputs = [nbformat.from_dict(each) for each in outputs]
    return notebook


def keep(page: str) -> None:
    """Run a page and keep what it shows."""
    from nbclient import NotebookClient

    notebook = _page(page)
    where = {"metadata": {"path": str((DOCS / page).parent)}}
    NotebookClient(notebook, timeout=900, kernel_name="python3", resources=where).execute()
    shown = {"key": _key(notebook), "outputs": [cell.outputs for cell in _code(notebook)]}
    target = KEPT / f"{page}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(shown, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _page(page: str) -> nbformat.NotebookNode:
    return _notebook((DOCS / f"{page}.md").read_text(encoding="utf-8"))


def _notebook(text: str) -> nbformat.NotebookNode:
    return read_myst_markdown_notebook(text, config=MdParserConfig(), add_source_map=True)


def _code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _key(notebook: nbformat.NotebookNode) -> str:
    code = "\n# %%\n".join(cell.source for cell in _code(notebook))
    return hashlib.sha256(f"{version('bayescompare')}\n{code}".encode()).hexdigest()


def _stored(page: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((KEPT / f"{page}.json").read_text(encoding="utf-8"))
    return stored


if __name__ == "__main__":
    fresh = kept_pages()
    known = (path.relative_to(KEPT).with_suffix("").as_posix() for path in KEPT.rglob("*.json"))
    for name in sys.argv[1:] or sorted(set(known) - set(fresh)):
        print(f"running {name}", flush=True)
        keep(name)
