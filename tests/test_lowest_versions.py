"""The lowest versions that `make test-min` installs are those that pyproject.toml names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tools.lowest_versions import PYPROJECT, pins

ROOT = Path(__file__).resolve().parents[1]
DEPENDENCIES = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]


def test_every_dependency_has_its_pin() -> None:
    script = ROOT / "tools" / "lowest_versions.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    printed = done.stdout.splitlines()
    assert len(printed) == len(DEPENDENCIES)
    for pin, dependency in zip(printed, DEPENDENCIES, strict=True):
        name, lowest = pin.split("==")
        allowed = Requirement(dependency)
        assert allowed.name == name
        assert allowed.specifier.contains(lowest)
        assert not allowed.specifier.contains(f"{lowest}.dev0", prereleases=True)
        assert Version(version(name)) >= Version(lowest)


@pytest.mark.parametrize("dependency", ["numpy", "numpy>2", "numpy>=2,<3", "numpy~=2.1"])
def test_a_dependency_without_one_lower_bound_is_an_error(dependency: str) -> None:
    with pytest.raises(SystemExit, match=re.escape(dependency)):
        list(pins([dependency]))


def test_what_is_imported_is_declared() -> None:
    """A bound can only be kept for what is named: arviz_stats came with arviz, at any version."""
    declared = {Requirement(dependency).name.replace("-", "_") for dependency in DEPENDENCIES}
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "bayescompare").rglob("*.py")
    )
    imported = set(re.findall(r"^\s*(?:from|import) (arviz\w*|highspy|h5\w+)\b", source, re.M))
    assert {"arviz_stats", "highspy"} <= imported
    assert imported <= declared
