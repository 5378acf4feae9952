"""An install and a home folder that cannot be written: everything works, nothing is cached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bayescompare
from bayescompare import kernels

PACKAGE = Path(bayescompare.__file__).resolve().parent

#: Root may write anywhere; without this capability it is held to permissions like anyone else.
AS_USER = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


@pytest.fixture(scope="module")
def install(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the package with a home folder beside it, all of it read-only."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root can write everywhere")
    root = tmp_path_factory.mktemp("install")
    shutil.copytree(PACKAGE, root / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "home").mkdir()
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield root
    for folder in folders:
        folder.chmod(0o755)


def run(install: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the read-only install."""
    unwanted = ("NUMBA_", "PYTENSOR", "MPL", "XDG_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(unwanted)}
    env.update(HOME=str(install / "home"), PYTHONPATH=str(install), MPLBACKEND="Agg")
    prefix = AS_USER if os.geteuid() == 0 else []
    return subprocess.run(
        [*prefix, sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=env,
        cwd=install,
        timeout=300,
        check=False,
    )


KERNELS = """
import bayescompare as bc
assert bc.__file__.startswith({root!r}), bc.__file__
print(bc.compare(bc.load_example("pnn"), method="network").best)
try:
    bc.compare(bc.load_example("pnn")).sample(10, chains=1)
except bc.BayescompareError as error:
    print(error)
"""


@pytest.mark.slow
def test_kernels_work_without_a_cache(install: Path) -> None:
    done = run(install, "-c", KERNELS.format(root=str(install)))
    assert done.returncode == 0, done.stderr
    best, told = done.stdout.splitlines()
    assert best == "New>State of art|New>State of art"
    # PyTensor itself cannot do without; the way out is one line.
    assert "PYTENSOR_FLAGS=base_compiledir=" in told
    assert not list(install.rglob("*.nbi"))


@pytest.mark.slow
def test_the_command_line_samples_without_a_home(install: Path, tmp_path: Path) -> None:
    out = tmp_path / "posterior.nc"
    options = ["--draws", "20", "--tune", "50", "--chains", "2", "--out", str(out)]
    done = run(install, "-m", "bayescompare", "sample", "--example", "pnn", *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert out.exists()


@pytest.mark.slow
def test_a_kernel_that_cannot_be_kept_is_used(tmp_path: Path) -> None:
    # As with the disk full: the cache can be created, and nothing can be written to it.
    code = (
        "import resource\n"
        "from bayescompare.kernels.network import scores\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "import bayescompare as bc\n"
        "print(bc.compare(bc.load_example('pnn'), method='network').best)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "New" in done.stdout


def test_every_kernel_is_compiled_by_the_one_decorator() -> None:
    folder = Path(kernels.__file__).parent
    direct = [
        path.name
        for path in sorted(folder.parent.rglob("*.py"))
        if "from numba" in (text := path.read_text(encoding="utf-8")) or "import numba" in text
    ]
    assert direct == ["jit.py"]
