"""How scipy's special functions may be called, read off the source of every module.

Before scipy 1.18, `gammainc(..., where=)` writes beyond the end of its output: the answer is
wrong, and the interpreter crashes later and elsewhere. No test of ours can catch that reliably, so
no special function is given `where=` or `out=`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = frozenset({"where", "out"})


def special_names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """Names under which a module knows functions of scipy.special, and scipy.special itself."""
    functions, modules = set(), {"scipy.special"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "scipy.special":
            functions |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "scipy":
            modules |= {a.asname or a.name for a in node.names if a.name == "special"}
        elif isinstance(node, ast.Import):
            named = {a.asname for a in node.names if a.name == "scipy.special" and a.asname}
            named |= {f"{a.asname}.special" for a in node.names if a.name == "scipy" and a.asname}
            modules |= named
    return functions, modules


def masked_calls(source: str) -> Iterator[int]:
    """Lines where a special function is called with a mask or an output array."""
    if not any(f"{name}=" in source for name in FORBIDDEN):
        return
    tree = ast.parse(source)
    functions, modules = special_names(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        special = called in functions or called.rpartition(".")[0] in modules
        if special and any(keyword.arg in FORBIDDEN for keyword in node.keywords):
            yield node.lineno


def test_no_special_function_is_called_with_a_mask() -> None:
    files = [path for part in ("bayescompare", "models") for path in (ROOT / part).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in files
        for line in masked_calls(path.read_text(encoding="utf-8"))
    ]
    assert files
    assert found == []
