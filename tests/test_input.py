"""Devices, pipes, bombs and files beyond the limit: one line, no waiting, no memory."""

from __future__ import annotations

import gzip
import os
import re
import socket
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome import saved
from bayescompare.table import input as _input
from bayescompare.table.input import read_file
from tests.cli.commands import run

TEXT = "dataset,A,B\niris,0.9,0.8\nwine,0.7,0.6\nglass,0.5,0.6\n"


def read(path: Path | str) -> bc.Results:
    return bc.read_results(path, measures={"accuracy": "max"}, format="csv")


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit that a test can reach."""
    monkeypatch.setattr(_input, "MOST_BYTES", 2**20)
    return 2**20


# ----------------------------------------------------------------------------- what is no file

NO_FILES = {
    "zeros": "/dev/zero",
    "random": "/dev/urandom",
    "null": os.devnull,
    "terminal": "/dev/ptmx",
}


@pytest.mark.parametrize("path", NO_FILES.values(), ids=NO_FILES)
def test_devices_are_refused(path: str) -> None:
    with pytest.raises(bc.BayescompareError, match=f"{path}: is a device: name a file"):
        read(path)
    with pytest.raises(bc.BayescompareError, match=f"{path}: is a device: name a file"):
        bc.load_comparison(path)


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(bc.BayescompareError, match=r"pipe\.csv: is a pipe that nobody writes to"):
        read(pipe)
    saved = tmp_path / "pipe.json"
    os.mkfifo(saved)
    with pytest.raises(bc.BayescompareError, match=r"pipe\.json: is a pipe: name a file"):
        bc.load_comparison(saved)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # for the names of sockets are short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.csv")
        with pytest.raises(bc.BayescompareError, match=r"s\.csv: cannot be read"):
            read("s.csv")


def test_standard_input_is_read(tmp_path: Path) -> None:
    """A pipe with somebody at the other end is as good as a file."""
    arguments = ["compare", "/dev/stdin", "--format", "csv", "--measure", "accuracy:max", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "bayescompare", *arguments],
        input=TEXT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"iris"' in done.stdout


def test_the_command_line_says_it_in_one_line(tmp_path: Path) -> None:
    arguments = ["compare", "/dev/zero", "--format", "csv", "--measure", "accuracy:max"]
    done = run(*arguments, code=2)
    assert done.stdout == ""
    assert done.stderr == "error: /dev/zero: is a device: name a file.\n"


# ------------------------------------------------------------------------------- what is too large


def bomb(path: Path) -> None:
    with gzip.open(path, "wb") as packed:
        for _ in range(64):
            packed.write(b"0" * 2**20)


def many_members(path: Path) -> None:
    path.write_bytes(gzip.compress(b"0" * 2**20) * 64)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def plain(path: Path) -> None:
    path.write_bytes(b"0" * (2**20 + 1))


LARGE: dict[str, Callable[[Path], None]] = {
    "bomb": bomb,
    "many members": many_members,
    "sparse": sparse,
    "plain": plain,
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_what_exceeds_the_limit_is_refused_before_it_fills_the_memory(
    make: Callable[[Path], None], limit: int, tmp_path: Path
) -> None:
    path = tmp_path / "large.csv"
    make(path)
    tracemalloc.start()
    try:
        with pytest.raises(
            bc.BayescompareError, match=r"large\.csv: holds more than 1 MiB, .* by max_bytes="
        ):
            read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6 * limit


def test_a_pipe_without_end_is_refused(limit: int, tmp_path: Path) -> None:
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        with pytest.raises(bc.BayescompareError, match="holds more than 1 MiB"):
            read_file(Path(f"/dev/fd/{endless.stdout.fileno()}"))
        endless.kill()


def test_what_is_as_large_as_the_limit_is_read(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"0" * limit))
    assert len(read_file(path)) == limit


def test_a_small_parquet_file_of_a_large_table(limit: int, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    pd.DataFrame({"dataset": "iris", "algorithm": "A", "auc": np.zeros(200_000)}).to_parquet(path)
    assert path.stat().st_size < limit
    with pytest.raises(bc.BayescompareError, match=r"x\.parquet: holds more than 1 MiB"):
        bc.read_results(path, measures={"auc": "max"})


# ---------------------------------------------------------------- small files of large tables

N = 30_000


def sparse_csv(path: Path) -> None:
    path.write_text("dataset,algorithm,auc\n" + "".join(f"d{k},a{k},1\n" for k in range(N)))


def replicated_csv(path: Path) -> None:
    rows = (f"d{k},a{k},{k},1\n" for k in range(1500))
    path.write_text("dataset,algorithm,fold,auc\n" + "".join(rows))


def melted_csv(path: Path) -> None:
    rows = (f"d{k},a{k},auc,1\n" for k in range(N))
    path.write_text("dataset,algorithm,measure,value\n" + "".join(rows))


def long_name_csv(path: Path) -> None:
    """numpy gives each of the names the room of the longest."""
    rows = (f"{k if k else 'x' * 10**5},A,1\n" for k in range(1000))
    path.write_text("dataset,algorithm,auc\n" + "".join(rows))


def keys_jsonl(path: Path) -> None:
    path.write_text("".join(f'{{"k{k}":1}}\n' for k in range(N)))


def keys_json(path: Path) -> None:
    path.write_text("[" + ",".join(f'{{"k{k}":1}}' for k in range(N)) + "]")


def rows_json(path: Path) -> None:
    path.write_text("{" + ",".join(f'"k{k}":{{"{k}":1}}' for k in range(N)) + "}")


def far_xlsx(path: Path) -> None:
    """A cell in the last column of every row."""
    openpyxl = pytest.importorskip("openpyxl")
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path) as book:
        parts = {info.filename: book.read(info).decode() for info in book.infolist()}
    cells = "".join(f'<row r="{k}"><c r="XFD{k}"><v>1</v></c></row>' for k in range(1, 400))
    sheet = parts["xl/worksheets/sheet1.xml"].replace("</sheetData>", f"{cells}</sheetData>")
    parts["xl/worksheets/sheet1.xml"] = re.sub("<dimension[^>]*>", "", sheet)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)


WIDE = r"30,000 datasets × 30,000 algorithms are 900,000,000 cells, .* by max_cells=900000000\.$"
KEYS = r"30,000 rows × 30,000 columns are 900,000,000 cells, .* by max_cells=900000000\.$"
SMALL: dict[str, tuple[Callable[[Path], None], str]] = {
    "sparse.csv": (sparse_csv, WIDE),
    "replicated.csv": (replicated_csv, "1,500 datasets × 1,500 algorithms × 1,500 replicates are"),
    "melted.csv": (melted_csv, WIDE),
    "name.csv": (long_name_csv, "dataset names take .* one of 1,000 has 100,000 characters"),
    "keys.jsonl": (keys_jsonl, KEYS),
    "keys.json": (keys_json, KEYS),
    "rows.json": (rows_json, KEYS),
    "far.xlsx": (far_xlsx, r"\d+ rows × 16,384 columns are [\d,]+ cells, more than"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_of_a_large_table_is_refused_before_that_is_made(
    name: str, tmp_path: Path
) -> None:
    make, message = SMALL[name]
    make(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 2**20
    fold = "fold" if name == "replicated.csv" else None
    most = 5 * 10**6 if name == "far.xlsx" else None
    with pytest.raises(bc.BayescompareError, match=message):
        bc.read_results(tmp_path / name, measures={"auc": "max"}, replicate=fold, max_cells=most)


def test_predictions_of_many_algorithms_are_refused_before_they_are_paired() -> None:
    names = [f"a{k}" for k in range(8000)]
    frame = pd.DataFrame({"dataset": "d", "example": 1, "algorithm": names, "right": 1})
    with pytest.raises(bc.BayescompareError, match="8,000 algorithms × 8,000 opponents are 64,"):
        bc.ErrorCounts.from_predictions(frame, correct="right")


def test_the_limits_can_be_set_at_every_door(tmp_path: Path) -> None:
    path, spec = tmp_path / "x.csv", {"accuracy": "max"}
    path.write_text(TEXT)
    frame = pd.read_csv(path)
    doors: list[Callable[..., object]] = [
        lambda **limits: bc.read_results(path, measures=spec, **limits),
        lambda **limits: bc.read(path, measures=spec, **limits),
        lambda **limits: bc.Results.from_frame(frame, measures=spec, **limits),
        lambda **limits: bc.compare(frame, measures=spec, method="sign", **limits),
    ]
    for door in doors:
        with pytest.raises(bc.BayescompareError, match="3 datasets × 2 algorithms are 6 cells"):
            door(max_cells=5)
        with pytest.raises(bc.BayescompareError, match="max_cells='6': must be an integer >= 1"):
            door(max_cells="6")
        assert door(max_cells=6) is not None
    for door in doors[:2]:
        with pytest.raises(bc.BayescompareError, match=r"x\.csv: holds more than .* by max_bytes="):
            door(max_bytes=len(TEXT) - 1)
        assert door(max_bytes=len(TEXT)) is not None


def test_the_limits_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(TEXT)
    asked = ("compare", path, "--measure", "accuracy:max", "--method", "sign")
    assert run(*asked, "--max-cells", "6", "--max-bytes", "100").exit_code == 0
    refused = run(*asked, "--max-cells", "5", code=2).stderr
    assert "3 datasets × 2 algorithms are 6 cells" in refused
    assert refused.rstrip().endswith("or allow it by --max-cells 6.")
    assert run(*asked, "--max-bytes", "9", code=2).stderr.rstrip().endswith("by --max-bytes.")


def test_rows_that_are_read_line_by_line_take_little_memory(tmp_path: Path) -> None:
    """A cell as text of its own would take fifty bytes, and a row two hundred."""
    path = tmp_path / "x.csv"
    rows = (f"d{k % 500}, a{k // 500},0.5\n" for k in range(2**17))  # the space is not plain
    text = "dataset,algorithm,auc\n" + "".join(rows)
    path.write_text(text)
    tracemalloc.start()
    try:
        bc.read_results(path, measures={"auc": "max"})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * len(text)


def test_a_saved_comparison_that_is_too_large(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    sparse(path)
    with pytest.raises(bc.BayescompareError, match=r"c\.json: holds more than 1 MiB"):
        bc.load_comparison(path)


def test_a_netcdf_file_that_says_it_holds_more_than_any_memory(tmp_path: Path) -> None:
    path = bc.compare(bc.load_example("pnn")).to_netcdf(tmp_path / "c.nc")
    with h5py.File(path, "a") as file:
        group = file.create_group("posterior")
        group.create_dataset("theta", (2**27,), float)  # 1 GiB, of which nothing is stored
    assert path.stat().st_size < 2**20
    with pytest.raises(bc.BayescompareError, match=r"c\.nc: its arrays take 1 GiB or more, in a"):
        bc.load_comparison(path)


def test_the_limits_are_documented() -> None:
    page = Path(__file__).resolve().parents[1] / "docs" / "readers.md"
    told = page.read_text(encoding="utf-8")
    assert f"{_input.MOST_BYTES // 2**20} MiB" in told
    assert f"{saved.MOST_ARRAYS // 2**30} GiB" in told
    assert f"{_input.MOST_CELLS // 10**6} million cells" in told
