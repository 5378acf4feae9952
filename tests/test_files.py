"""Files are written whole or not at all, and nothing is left lying about."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.outcome.comparison import Comparison
from bayescompare.table import writing as _files
from bayescompare.table.writing import check_file_is_writable, write_bytes, write_text

OLD = "the old file\n"


@pytest.fixture(scope="module")
def pnn() -> Comparison:
    return bc.compare(bc.load_example("pnn"))


#: Every kind of file, by its name.
WRITERS: dict[str, Callable[[Comparison, Path], object]] = {
    "c.json": lambda c, path: c.to_json(path, overwrite=True),
    "c.nc": lambda c, path: c.to_netcdf(path, overwrite=True),
    "r.html": lambda c, path: c.report(path, overwrite=True),
    "r.md": lambda c, path: c.report(path, overwrite=True),
    "r.tex": lambda c, path: c.report(path, overwrite=True),
    "r.json": lambda c, path: c.report(path, overwrite=True),
    "p.json": lambda c, path: bc.pairwise(c.results).to_json(path, overwrite=True),
    "p.md": lambda c, path: bc.pairwise(c.results).report(path, overwrite=True),
    "m.py": lambda c, path: command("models", "copy", "plackett_luce", str(path), "--force"),
    "s.png": lambda c, path: command(
        *("calibrate", "dirichlet", "--simulations", "20", "--seed", "1"),
        *("--plot", str(path), "--force"),
    ),
    "k.nc": lambda c, path: command(
        "compare", "--example", "pnn", "--save", str(path), "--force", "--json"
    ),
}


def command(*arguments: str) -> None:
    done = CliRunner().invoke(app, [*arguments])
    if done.exit_code:
        raise bc.BayescompareError(done.output)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ------------------------------------------------------------------------------- what is written


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_replaces_the_file_by_renaming(
    name: str, pnn: Comparison, tmp_path: Path
) -> None:
    path, link = tmp_path / name, tmp_path / "folder" / name
    path.write_text(OLD)
    path.chmod(0o640)
    link.parent.mkdir()
    link.symlink_to(path)
    inode = path.stat().st_ino
    WRITERS[name](pnn, link)
    assert path.read_bytes() != OLD.encode()
    assert path.stat().st_ino != inode  # another file: the old one was never opened for writing
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    assert names(tmp_path) == sorted([name, "folder"])
    # What a paper reads holds its figures in a folder of the same name.
    assert names(link.parent) == (["r", name] if name == "r.tex" else [name])


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_is_full_leaves_the_old_file(
    name: str, pnn: Comparison, tmp_path: Path, full: Callable[[], None]
) -> None:
    path = tmp_path / name
    path.write_text(OLD)
    full()
    with pytest.raises(bc.BayescompareError, match=r"cannot be written: No space left"):
        WRITERS[name](pnn, path)
    assert path.read_text() == OLD
    assert names(tmp_path) == [name]


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let the disk be full from now on, as it shows: when a file is flushed."""

    def fail(number: int) -> None:
        raise OSError(28, "No space left on device")

    return lambda: monkeypatch.setattr(_files.os, "fsync", fail)


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o027])
def test_a_new_file_follows_the_umask(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        path = write_text(tmp_path / "new", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_link_to_nothing_gets_its_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target")
    write_text(check_file_is_writable(link, overwrite=False), "x")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "x"


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(bc.BayescompareError, match=r"a cannot be written"):
        write_text(check_file_is_writable(tmp_path / "a", overwrite=True), "x")
    assert names(tmp_path) == ["a", "b"]


BAD_NAMES = {
    "surrogate": "\ud800.json",
    "NUL": "a\0b.json",
    "long": "x" * 300 + ".json",
    "long path": "x/" * 3000 + "c.json",
}


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES)
def test_names_that_no_file_can_have(name: str, pnn: Comparison, tmp_path: Path) -> None:
    for write in (pnn.to_json, pnn.to_netcdf, pnn.report):
        with pytest.raises(bc.BayescompareError):
            write(tmp_path / name)
    assert names(tmp_path) == []


def test_a_name_of_undecodable_bytes_is_a_name(pnn: Comparison, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.json")
    pnn.to_json(path)
    assert bc.load_comparison(path).best == pnn.best


def test_text_that_is_not_unicode_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text(OLD)
    with pytest.raises(bc.BayescompareError, match=r"r\.html cannot be written: '\\ud800'"):
        write_text(path, "tree \ud800")
    assert path.read_text() == OLD
    assert names(tmp_path) == ["r.html"]


@pytest.mark.parametrize("path", [None, 3, b"x.json"])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(bc.BayescompareError, match="path="):
        check_file_is_writable(path, overwrite=False)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ killed in mid-write


def test_many_writers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    texts = [str(k) * 200_000 for k in range(8)]
    failed: list[BaseException] = []

    def write(text: str) -> None:
        try:
            for _ in range(20):
                write_text(path, text)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    seen = set()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            seen.add(path.read_text())
        time.sleep(0.002)
    assert failed == []
    assert seen <= set(texts)  # whole, whenever it is read
    assert names(tmp_path) == ["c.json"]


# ----------------------------------------------------------------------------- devices and pipes


def test_devices_are_written_not_replaced(pnn: Comparison) -> None:
    before = os.stat(os.devnull)
    pnn.to_json(os.devnull, overwrite=True)
    assert os.stat(os.devnull).st_ino == before.st_ino


def test_a_pipe_that_nobody_reads_is_not_waited_for(pnn: Comparison, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    with pytest.raises(bc.BayescompareError, match=r"pipe\.json cannot be written"):
        pnn.to_json(pipe, overwrite=True)
    assert pipe.is_fifo()


def test_a_pipe_that_is_read_gets_it_all(tmp_path: Path) -> None:
    pipe, read, content = tmp_path / "pipe", tmp_path / "read", b"x" * 1_000_000
    os.mkfifo(pipe)
    with read.open("wb") as out, subprocess.Popen(["cat", str(pipe)], stdout=out) as reader:
        for _ in range(100):  # until the reader is there
            try:
                write_bytes(pipe, content)
                break
            except bc.BayescompareError:
                time.sleep(0.05)
        assert reader.wait(timeout=60) == 0
    assert read.read_bytes() == content


@pytest.mark.parametrize("mode", ["w", "a"])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_that_is_a_file_is_written_not_replaced(
    name: str, mode: str, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    code = (
        "from pathlib import Path; from bayescompare.table.writing import write_text\n"
        f"print('one', flush=True); write_text(Path({name!r}), 'two\\n'); print('three')"
    )
    with path.open(mode) as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert path.read_text() == "one\ntwo\nthree\n"
