"""The cache of compiled kernels: damaged files and changed sources are compiled again."""

from __future__ import annotations

import importlib
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numba
import pytest

from bayescompare.kernels.numerics import jit

CALLEE = "from mini.numerics.jit import jit\n@jit()\ndef step(x):\n    return x + 1\n"
CALLER = (
    "from mini.numerics.jit import jit\nfrom mini.callee import step\n"
    "@jit()\ndef twice(x):\n    return step(step(x))\n"
)


def flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "garbage": lambda data: bytes(range(256)) * 9,
    "zeros": lambda data: bytes(len(data)),
    "a byte of its middle": lambda data: flip(data, len(data) // 2),
    "a byte of its end": lambda data: flip(data, len(data) - 40),
    "another pickle": lambda data: pickle.dumps(None),
}


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two kernels, one of which calls the other, with a cache of its own."""
    package = tmp_path / "mini"
    (package / "numerics").mkdir(parents=True)
    shutil.copy(str(jit.__file__), package / "numerics")
    (package / "callee.py").write_text(CALLEE)
    (package / "caller.py").write_text(CALLER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    # Two versions of a source within a second would be one to Python's own cache.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return package


def import_anew() -> ModuleType:
    """Import the caller as a new process would."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "mini"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    return importlib.import_module("mini.caller")


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_file_is_replaced(mini: Path, suffix: str) -> None:
    assert import_anew().twice(1) == 3
    (file,) = (mini.parent / "cache").rglob(f"caller*.{suffix}")
    sound = file.read_bytes()
    for damage in DAMAGE.values():
        file.write_bytes(damage(sound))
        assert import_anew().twice(1) == 3
        kept = import_anew()
        assert kept.twice(1) == 3
        assert sum(kept.twice.stats.cache_hits.values()) == 1


def test_a_file_that_cannot_be_replaced_is_left(mini: Path) -> None:
    import_anew().twice(1)
    (index,) = (mini.parent / "cache").rglob("caller*.nbi")
    index.unlink()
    index.mkdir()
    assert import_anew().twice(1) == 3


def test_a_kernel_follows_the_kernels_it_calls(mini: Path) -> None:
    assert import_anew().twice(1) == 3
    (mini / "callee.py").write_text(CALLEE.replace("+ 1", "+ 5"))
    (mini / ".#caller.py").symlink_to("nowhere")  # Emacs has it open
    assert import_anew().twice(1) == 11


def test_code_of_older_sources_is_not_taken_for_new(mini: Path) -> None:
    """As where a process ends between its two files: the index is new, the code is old."""
    import_anew().twice(1)
    (code,) = (mini.parent / "cache").rglob("caller*.nbc")
    old = code.read_bytes()
    (mini / "callee.py").write_text(CALLEE.replace("+ 1", "+ 5"))
    import_anew().twice(1)
    code.write_bytes(old)
    assert import_anew().twice(1) == 11
