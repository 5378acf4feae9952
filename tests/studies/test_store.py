"""A store: resumed after a kill, shared by processes, refused where it is another study's."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import bayescompare as bc
from tests.studies import simple
from tests.studies.simple import cases, notes


def blocks_in(store: Path) -> list[Path]:
    return sorted(store.glob("*/*.npz"))


def noted(log: Path) -> list[str]:
    return sorted(line for file in log.glob("*.txt") for line in file.read_text().splitlines())


def test_a_store_gives_the_table_of_a_run_in_memory(tmp_path: Path) -> None:
    one = cases().run(rng=3)
    xr.testing.assert_identical(one, cases().run(rng=3, store=tmp_path / "s"))
    xr.testing.assert_identical(one, cases().collect(tmp_path / "s"))
    # The seed is the store's, where none is given.
    xr.testing.assert_identical(one, cases().run(store=tmp_path / "s"))
    short = cases().collect(tmp_path / "s", summary=True)
    xr.testing.assert_identical(short, cases().run(rng=3, summary=True))
    assert {path.suffix for path in tmp_path.glob("s/**/*.*")} == {".npz", ".json"}


def test_finished_blocks_are_not_computed_again(tmp_path: Path) -> None:
    store, log = tmp_path / "s", tmp_path / "log"
    log.mkdir()
    study = notes(log, 0.0)
    one = study.run(rng=7, store=store)
    assert len(noted(log)) == 18
    blocks_in(store)[3].unlink()
    xr.testing.assert_identical(one, study.run(rng=7, store=store))
    assert len(noted(log)) == 20
    # More replications later: only the new ones are computed.
    more = notes(log, 0.0, replications=8).run(rng=7, store=store)
    assert len(noted(log)) == 26
    xr.testing.assert_identical(one["draw"], more["draw"].sel(replication=slice(0, 5)))


def test_an_interrupt_in_compiled_code_stores_no_failure(tmp_path: Path) -> None:
    """Numba raises SystemError then; a case that was stored as failed would stay so for ever."""

    def interrupted(rng: np.random.Generator, **_: float) -> dict[str, Any]:
        raise SystemError("returned a result with an exception set")

    with pytest.raises(SystemError):
        cases(case=interrupted).run(rng=3, store=tmp_path / "s", n_jobs=1)
    assert blocks_in(tmp_path / "s") == []


def test_parts_fill_one_store(tmp_path: Path) -> None:
    study = cases()
    for i in (2, 0):
        assert study.run(rng=3, store=tmp_path / "s", part=(i, 3)) is None
    with pytest.raises(bc.BayescompareError, match=r"\d+ of \d+ blocks are missing"):
        study.collect(tmp_path / "s")
    study.run(rng=3, store=tmp_path / "s", part=(1, 3))
    xr.testing.assert_identical(study.collect(tmp_path / "s"), study.run(rng=3))


def start(store: Path, log: Path, wait: float) -> subprocess.Popen[bytes]:
    script = Path(simple.__file__)
    return subprocess.Popen([sys.executable, str(script), str(store), str(log), str(wait)])


@pytest.mark.slow
def test_a_killed_study_resumes_with_the_identical_table(tmp_path: Path) -> None:
    store, log = tmp_path / "s", tmp_path / "log"
    log.mkdir()
    process = start(store, log, 0.3)
    deadline = time.monotonic() + 120
    while len(blocks_in(store)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = len(blocks_in(store))
    assert 2 <= done < 9
    before = {path: path.read_bytes() for path in blocks_in(store)}
    table = notes(log, 0.3).run(rng=7, store=store)
    assert all(path.read_bytes() == content for path, content in before.items())
    assert table["draw"].equals(notes(log, 0.0).run(rng=7)["draw"])


@pytest.mark.slow
def test_two_processes_fill_one_store(tmp_path: Path) -> None:
    """Whoever computes a block gets the same; both work, and what is there is not repeated."""
    store, log = tmp_path / "s", tmp_path / "log"
    log.mkdir()
    processes = [start(store, log, 0.1) for _ in range(2)]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    assert len(list(log.glob("*.txt"))) == 2
    assert len(set(noted(log))) == 18
    assert len(noted(log)) < 36
    table = notes(log, 0.1).collect(store)
    assert table["draw"].equals(notes(log, 0.0).run(rng=7)["draw"])


def other_case(rng: np.random.Generator, *, n: int, effect: float) -> dict[str, Any]:
    return {"mean": rng.normal(effect, 1.0, n).mean()}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"name": "others"}, "name is 'others', there 'means'"),
        ({"grid": {"n": [2, 5], "effect": [0.0]}}, r"grid: effect is \['0.0'\], there \['0.0', "),
        ({"case": other_case}, "function: another function"),
        ({"block_size": 4}, "block_size is 4, there 10"),
    ],
)
def test_a_store_of_another_study_is_refused(
    tmp_path: Path, choices: dict[str, Any], message: str
) -> None:
    cases(replications=2).run(rng=3, store=tmp_path)
    before = blocks_in(tmp_path)
    with pytest.raises(bc.BayescompareError, match=message):
        cases(**choices).run(rng=3, store=tmp_path)
    assert blocks_in(tmp_path) == before


def test_a_store_of_another_seed_version_or_constant_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").mkdir()
    store = tmp_path / "s"
    notes(tmp_path / "log", 0.0, 2).run(rng=7, store=store)
    with pytest.raises(bc.BayescompareError, match=r"seed is \[8\], there \[7\]"):
        notes(tmp_path / "log", 0.0, 2).run(rng=8, store=store)
    with pytest.raises(bc.BayescompareError, match=r"constants: wait is '0.5', there '0.0'"):
        notes(tmp_path / "log", 0.5, 2).run(rng=7, store=store)
    monkeypatch.setattr("bayescompare.studies.study.__version__", "99")
    with pytest.raises(bc.BayescompareError, match="version is '99', there '"):
        notes(tmp_path / "log", 0.0, 2).collect(store)


def test_folders_that_are_no_stores(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(bc.BayescompareError, match="is a file: name a folder"):
        cases().run(store=tmp_path / "file")
    with pytest.raises(bc.BayescompareError, match=r"other files and no study\.json"):
        cases().run(store=tmp_path)
    with pytest.raises(bc.BayescompareError, match="there is no study in this folder"):
        cases().collect(tmp_path / "nothing")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "study.json").write_text("{")
    with pytest.raises(bc.BayescompareError, match=r"study\.json cannot be read"):
        cases().run(store=tmp_path / "s")


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "another's"])
def test_a_damaged_block_is_computed_again_and_said_so(tmp_path: Path, damage: str) -> None:
    study = cases(replications=4)
    one = study.run(rng=3, store=tmp_path)
    path, other = blocks_in(tmp_path)[2:4]
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        # In the middle of a member's data, which the archive's checksum covers.
        place = content.index(b"NUMPY") + 130
        content[place] ^= 0xFF
    broken = {"cut": content[:100], "flipped": content, "empty": b""}
    path.write_bytes(broken.get(damage) or (other.read_bytes() if damage == "another's" else b""))
    with pytest.raises(bc.BayescompareError, match="is damaged: run the study"):
        study.collect(tmp_path)
    with pytest.warns(UserWarning, match=f"{path.name} is damaged; it is computed again"):
        again = study.run(rng=3, store=tmp_path)
    xr.testing.assert_identical(one, again)


def test_objects_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    study = cases(grid={"n": {"a": object()}, "effect": [0.0]})
    with pytest.raises(bc.BayescompareError, match="tell its values apart"):
        study.run(store=tmp_path / "s")


def test_what_the_function_has_bound_is_part_of_its_source() -> None:
    from bayescompare.studies.blocks import source_of

    def closed(shift: float) -> Any:
        return lambda rng: {"x": shift}

    one, other, same = map(source_of, (closed(1.0), closed(2.0), closed(1.0)))
    assert one == same != other
    assert source_of(simple.case) != source_of(other_case)
