"""Print the lowest version of every dependency that pyproject.toml allows, one pin per line.

Used by ``make test-min``. A pin that cannot be installed beside the others is a bound that no
user could have reached: raise it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
#: A name, perhaps with extras, and its one bound.
BOUND = re.compile(r"(?P<name>[A-Za-z0-9_.\-]+(\[[^\]]*\])?)\s*>=\s*(?P<version>[0-9.]+)")


def pins(dependencies: list[str]) -> Iterator[str]:
    """``name==version`` for each ``name>=version``; anything else is an error."""
    for dependency in dependencies:
        found = BOUND.fullmatch(dependency.strip())
        if found is None:
            raise SystemExit(f"{PYPROJECT.name}: {dependency!r} is not of the form name>=version")
        yield f"{found['name']}=={found['version']}"


if __name__ == "__main__":
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    print("\n".join(pins(project["dependencies"])))
