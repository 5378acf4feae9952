"""What docs/architecture.md claims, read off the source of every module.

Data flows from the first layer to the last and never back. A module may import its own room and the
layers before it; backward, only the doors named here, from inside a function.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import bayescompare as bc

PACKAGE = "bayescompare"
ROOT = Path(__file__).resolve().parents[1] / PACKAGE

# First to last. "" is `import bayescompare` itself, the public door: only the last layer uses it.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset(
        {
            *("_checks", "_errors", "_model_files"),
            *("_parallel", "_rng", "_typing", "_version"),
            "text",
        }
    ),
    frozenset({"table"}),
    frozenset({"readers", "io"}),
    frozenset({"kernels"}),
    frozenset({"statements"}),
    frozenset({"partly_seen"}),
    frozenset({"evidence", "learned", "posterior", "prior"}),
    frozenset({"outcome"}),
    frozenset({"methods"}),
    frozenset({"ranking"}),
    frozenset({"modelling", "comparisons", "comparisons_gsd"}),
    frozenset({"_compare", "_compare_models", "_pairwise", "_rank"}),
    frozenset({"plots"}),
    frozenset({"report"}),
    frozenset({"studies"}),
    frozenset({"cli", "__main__", ""}),
)
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}

# Kernels are numbers only, whatever their rank.
KERNELS_MAY_IMPORT = frozenset({"numpy", "scipy", "numba", "highspy"})
KERNELS_MAY_IMPORT_OF_OURS = frozenset({"kernels", "_errors", "_typing"})

# Backward, and only from inside a function: a result opens its own picture and its own page.
LAZY_DOORS = frozenset(
    {
        ("outcome", "plots"),
        ("methods", "plots"),
        ("outcome", "report"),
        ("ranking", "plots"),
        ("ranking", "report"),
    }
)


@dataclass(frozen=True)
class Import:
    """One imported module: where it stands, its absolute name, and whether a function holds it."""

    line: int
    target: str
    lazy: bool


def imports(path: Path, module: str, *, is_package: bool, names: bool = False) -> Iterator[Import]:
    """Every import in the file except those under ``if TYPE_CHECKING``.

    With `names`, ``from a import b`` is the import of ``a.b``, which may be a module.
    """
    by_name = names
    text = path.read_text(encoding="utf-8")
    called = "import_module" in text or "__import__" in text
    package = module if is_package else module.rpartition(".")[0]

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(node.lineno, alias.name, lazy)
            case ast.ImportFrom(module=source, names=names, level=level):
                base = source or ""
                if level:
                    parents = package.split(".")
                    above = parents[: len(parents) - level + 1]
                    base = ".".join([*above, *([source] if source else [])])
                # `from bayescompare import x` imports the module x, or a name of the public door.
                inside = by_name or base == PACKAGE
                targets = [f"{base}.{alias.name}" for alias in names] if inside else [base]
                for target in targets:
                    yield Import(node.lineno, target, lazy)
            case ast.If(
                test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"),
                orelse=orelse,
            ):
                for child in orelse:
                    yield from visit(child, lazy)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(target)), *_],
            ):
                yield Import(node.lineno, target, lazy)
            case ast.expr() if not called:
                pass
            case _:
                inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                for child in ast.iter_child_nodes(node):
                    yield from visit(child, lazy or inside)

    yield from visit(parsed(text), False)


@cache
def parsed(text: str) -> ast.Module:
    """What a source says; several tests read the whole package."""
    return ast.parse(text)


def part_of(target: str, known: frozenset[str]) -> str | None:
    """The part of our package that an absolute name belongs to; None when it is not ours."""
    top, _, rest = target.partition(".")
    if top != PACKAGE:
        return None
    part = rest.partition(".")[0]
    return part if part in known or part in RANK else ""


def violations(root: Path) -> list[str]:
    """What breaks the direction, one sentence each, as ``path:line: ...``."""
    files = sorted(root.rglob("*.py"))
    names = {path: path.relative_to(root).with_suffix("").parts for path in files}
    parts = {
        path: "" if name == ("__init__",) else name[0]  # bayescompare/__init__.py is the door
        for path, name in names.items()
    }
    known = frozenset(parts.values())
    found = [
        f"{part}: not in LAYERS; give it its place in tests/test_architecture.py"
        for part in sorted(known - RANK.keys())
    ]
    for path in files:
        part = parts[path]
        if part not in RANK:
            continue
        is_package = path.name == "__init__.py"
        inner = names[path][:-1] if is_package else names[path]
        module = ".".join((PACKAGE, *inner))
        for item in imports(path, module, is_package=is_package):
            where = f"{path.relative_to(root.parent)}:{item.line}"
            target = part_of(item.target, known)
            if part == "kernels":
                top = item.target.partition(".")[0]
                foreign = target is None and top not in KERNELS_MAY_IMPORT
                ours = target is not None and target not in KERNELS_MAY_IMPORT_OF_OURS
                if ours or (foreign and top not in sys.stdlib_module_names):
                    found.append(f"{where}: kernels may not import {item.target}")
            elif target is None or target not in RANK:
                continue
            elif RANK[target] > RANK[part] and not (item.lazy and (part, target) in LAZY_DOORS):
                what = f"{part} imports {item.target}" if target else f"{part} imports the package"
                found.append(f"{where}: {what}, which comes after it")
    return found


def test_imports_follow_the_layers() -> None:
    assert list(ROOT.rglob("*.py")), f"no modules found below {ROOT}"
    assert violations(ROOT) == []


def test_every_method_is_listed_and_cited() -> None:
    bibliography = (ROOT / "report" / "references.bib").read_text(encoding="utf-8")
    for name, title in bc.methods.names().items():
        method = bc.methods.get(name)
        assert method.title == title
        assert method.citations, name
        for key in method.citations:
            assert f"{{{key}," in bibliography, key


# ---------------------------------------------------------------------------------------- the page

PAGE = ROOT.parent / "docs" / "architecture.md"


def test_the_page_names_every_room() -> None:
    """The tree on the page is the tree on the disk, to the depth that it shows."""
    text = PAGE.read_text(encoding="utf-8")
    tree = text.split("```text")[1].split("```")[0]
    shown = set(re.findall(r"[\w./]+", tree))
    for path in sorted(ROOT.iterdir()):
        if path.name.startswith("__") or path.name in ("py.typed", "data", "io.pyi"):
            continue
        assert {path.name, f"{path.name}/", path.stem} & shown, path.name


def test_the_page_names_only_what_there_is() -> None:
    """Every path in backticks on the page and in CONTRIBUTING.md exists."""
    root = ROOT.parent
    bases = (root, ROOT, *(ROOT / "methods" / room for room in ("dirichlet", "context")))
    for page in (PAGE, root / "CONTRIBUTING.md"):
        for name in re.findall(r"`([\w./-]+(?:/|\.(?:py|md|bib)))`", page.read_text("utf-8")):
            assert any((base / name).exists() for base in bases), f"{page.name}: {name}"


# ------------------------------------------------------------------ the checker checks what it says


def plant(tmp_path: Path, files: dict[str, str]) -> Path:
    root = tmp_path / PACKAGE
    for name, text in {"__init__.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


ALLOWED = {
    "forward": {"_pairwise.py": "from bayescompare.outcome import Comparison\n"},
    "lazy door": {"outcome.py": "def plot():\n    from bayescompare.plots import bars\n"},
    "typing only": {
        "kernels/a.py": "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from bayescompare.table import Results\n"
    },
    "kernels' own": {
        "kernels/a.py": "import math\nimport numpy as np\nfrom scipy import special\n"
        "from numba import njit\nfrom bayescompare._errors import E\nfrom . import b\n"
    },
}

FORBIDDEN = {
    "backward": ({"methods/a.py": "from bayescompare.plots import C, D\n"}, "methods imports"),
    "backward, relative": ({"table.py": "from . import kernels\n"}, "table imports"),
    "backward by name": (
        {"table.py": "import importlib\nimportlib.import_module('bayescompare.methods')\n"},
        "table.py:2: table imports bayescompare.methods",
    ),
    "not TYPE_CHECKING": (
        {"_checks.py": "if not TYPE_CHECKING:\n    import bayescompare.io\n"},
        "_checks imports bayescompare.io",
    ),
    "a door opened at module level": (
        {"outcome.py": "from bayescompare.plots import bars\n"},
        "outcome imports bayescompare.plots",
    ),
    "the public door from inside": (
        {"methods/a.py": "from bayescompare import BayescompareError\n"},
        "methods imports the package",
    ),
    "kernels and labels": ({"kernels/a.py": "import xarray as xr\n"}, "may not import xarray"),
    "a module nobody placed": ({"helpers.py": ""}, "helpers: not in LAYERS"),
}


@pytest.mark.parametrize("files", ALLOWED.values(), ids=ALLOWED)
def test_checker_allows(tmp_path: Path, files: dict[str, str]) -> None:
    assert violations(plant(tmp_path, files)) == []


@pytest.mark.parametrize(("files", "message"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_checker_finds_a_planted_violation(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    found = violations(plant(tmp_path, files))
    assert len(found) == 1
    assert message in found[0]
