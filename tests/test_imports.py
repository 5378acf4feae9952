"""What an import, a listing and a comparison load, each in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What neither `import bayescompare` nor `bayescompare --help` may load.
HEAVY = (
    "arviz",
    "matplotlib",
    "narwhals",
    "numpy",
    "pandas",
    "pgmpy",
    "pydantic",
    "pymc",
    "scipy",
    "xarray",
)

# What an exact answer about a small table may not load.
UNNEEDED = (
    "arviz",
    "h5netcdf",
    "jinja2",
    "joblib",
    "matplotlib",
    "narwhals",
    "networkx",
    "numba",
    "pgmpy",
    "pydantic",
    "pymc",
    "pytensor",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.optimize",
    "scipy.stats",
    "sklearn",
)

# Where dask is installed xarray loads it, and dask loads jinja2: that is not ours to measure.
COMMAND = """
import runpy, sys
sys.modules["dask"] = None
sys.argv = {argv!r}
try:
    runpy.run_module("bayescompare", run_name="__main__", alter_sys=True)
except SystemExit as stop:
    assert not stop.code, stop.code
"""


def loaded_by(code: str) -> tuple[list[str], str]:
    """Run `code` in a new interpreter: the modules it loaded, and what it printed."""
    report = "\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    # EAGER_IMPORT is lazy_loader's switch for turning laziness off.
    env = {key: value for key, value in os.environ.items() if key != "EAGER_IMPORT"}
    done = subprocess.run(
        [sys.executable, "-c", code + report],
        capture_output=True,
        text=True,
        env=env,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.split(), done.stdout


def loaded_by_command(*arguments: str) -> tuple[list[str], str]:
    return loaded_by(COMMAND.format(argv=["bayescompare", *arguments]))


def families(modules: list[str]) -> set[str]:
    """The folders of `bayescompare/methods` that are among them."""
    parts = [module.split(".") for module in modules]
    return {name[2] for name in parts if len(name) > 2 and name[:2] == ["bayescompare", "methods"]}


def test_import_is_light() -> None:
    loaded, _ = loaded_by("import bayescompare")
    assert not set(HEAVY).intersection(loaded)


def test_help_is_light() -> None:
    loaded, printed = loaded_by_command("--help")
    assert "pairwise" in printed
    assert not set(HEAVY).intersection(loaded)


def test_listing_the_methods_imports_none() -> None:
    loaded, printed = loaded_by("import bayescompare as bc\nprint(*bc.methods.names())")
    assert "dirichlet" in printed
    assert families(loaded) == set()


def test_the_command_that_lists_the_methods_imports_none() -> None:
    loaded, printed = loaded_by_command("methods")
    assert "dirichlet" in printed
    assert families(loaded) <= {"_shared"}


def test_the_command_compare_loads_only_what_a_small_table_needs() -> None:
    loaded, printed = loaded_by_command("compare", "--example", "benavoli-example1")
    assert "P" in printed
    assert [module for module in UNNEEDED if module in loaded] == []
    assert families(loaded) == {"_shared", "dirichlet"}
    # Nor what other tools wrote: only the readers of tables.
    assert [module for module in loaded if module.startswith("bayescompare.readers.")] == []


@pytest.mark.parametrize(
    ("method", "family"),
    [("glrt", "classic"), pytest.param("dirichlet", "dirichlet", marks=pytest.mark.slow)],
)
def test_compare_loads_the_methods_own_family(method: str, family: str) -> None:
    loaded, _ = loaded_by(
        "import bayescompare as bc\n"
        f"bc.compare(bc.load_example('benavoli-example1'), method={method!r})"
    )
    assert families(loaded) - {"_shared"} == {family}
