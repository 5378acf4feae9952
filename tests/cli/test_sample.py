"""The command `sample`: its tree, its diagnosis, and what an interrupt leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

from bayescompare.cli.process import Interrupted, stoppable_process
from tests.cli.commands import OPTIONS, one_line, run


def sample(path: Path, *options: object) -> Any:
    small = ("--draws", 20, "--chains", 2, "--tune", 10, "--cores", 1)
    return run("sample", "--example", "pnn", "--out", path, *small, *options)


def test_sample_writes_the_tree_and_the_diagnosis(tmp_path: Path) -> None:
    path = tmp_path / "posterior.nc"
    result = sample(path, "--seed", 5, "--target-accept", 0.9)
    assert result.stderr == ""
    assert "greatest R-hat" in result.stdout
    assert "divergences" in result.stdout
    assert result.stdout.endswith(f"wrote {path}\n")
    assert list(tmp_path.iterdir()) == [path]
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        posterior = tree["posterior"]
        assert posterior["theta"].sizes == {"chain": 2, "draw": 20, "statement": 4}
        assert tree.attrs["seed"] == 5
        groups = set(tree.children)
    assert {"sample_stats", "log_likelihood", "log_prior", "prior", "observed_data"} <= groups


@pytest.mark.slow
def test_a_seed_gives_the_same_tree(tmp_path: Path) -> None:
    trees = []
    for name in ("one.nc", "other.nc"):
        sample(tmp_path / name, "--seed", 5, "--target-accept", 0.9)
        with xr.open_datatree(tmp_path / name, engine="h5netcdf") as tree:
            trees.append(tree["posterior"]["theta"].load())
    xr.testing.assert_equal(*trees)


def test_sample_refuses_a_method_without_a_posterior(tmp_path: Path) -> None:
    path = tmp_path / "posterior.nc"
    result = run("sample", "--example", "pnn", "--method", "glrt", "--out", path, code=2)
    assert "dirichlet" in one_line(result.stderr)
    assert not path.exists()


def test_an_interrupt_in_compiled_code_is_an_interrupt() -> None:
    def as_numba_does() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except Interrupted as error:
            raise SystemError("returned a result with an exception set") from error

    # Whatever was there is put back; a shell's background job ignores the signal.
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Interrupted), stoppable_process(signal.SIGINT):
        as_numba_does()
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(SystemError), stoppable_process(signal.SIGINT):
        raise SystemError


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
@pytest.mark.parametrize("cores", [1, 2])
def test_interrupting_leaves_one_word_and_no_file(tmp_path: Path, cores: int) -> None:
    path = tmp_path / "posterior.nc"
    args = ["sample", "--example", "jansen-uci", "--algorithms", "GBM,RF", "--cores", cores]
    more = ["--draws", 200_000, "--chains", 2, "--out", path]
    command = [sys.executable, "-m", "bayescompare.cli.app", *(str(a) for a in [*args, *more])]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background job ignores the signal, and hands that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            time.sleep(15)  # past the imports and the compiler, into the sampling
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=120)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_keyboard_interrupt(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bayescompare.cli.app.bc.compare", interrupt)
    assert run("compare", table, *OPTIONS, code=130).stderr == "interrupted\n"


def test_the_end_of_a_file_is_no_interrupt(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_on(*args: object, **kwargs: object) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr("bayescompare.cli.app.bc.compare", read_on)
    with pytest.raises(EOFError, match="Ran out of input"):
        run("compare", table, *OPTIONS, code=1)
