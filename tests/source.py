"""The package's own source, parsed once for all the tests that read it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module, which no test may change."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))
