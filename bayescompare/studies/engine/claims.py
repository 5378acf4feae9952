"""Claims: which process computes a block, so that no block is computed twice.

A claim is a file that only one process can create. If its owner has died, the next claim on the
block has the next number, and again only one process can create it; nothing is ever taken away
from a process that may be alive. An owner is dead if its process is gone, which only this machine
can tell, or if it has not touched its claim for some time.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["STALE_AFTER", "claim_study_block"]

#: An owner touches its claim so often, in seconds, ...
_BEAT = 15.0
#: ... and counts as dead after this time without a touch.
STALE_AFTER = 180.0


@contextmanager
def claim_study_block(target: Path) -> Iterator[bool]:
    """Claim the block whose file is `target`; False if another living process has it.

    The claim is released at the end, whatever happens.
    """
    own = _create_study_claim(target)
    if own is None:
        yield False
        return
    stop = threading.Event()
    beat = threading.Thread(target=_keep_study_claim_fresh, args=(own, stop), daemon=True)
    beat.start()
    try:
        yield True
    finally:
        stop.set()
        beat.join()
        # Those of dead owners too, which come before one's own.
        for number in range(_number_of_claim(own) + 1):
            with suppress(OSError):
                _study_claim(target, number).unlink()


def _create_study_claim(target: Path) -> Path | None:
    """Create the next claim; None if the last one has a living owner or somebody was faster."""
    own = _study_claim(target, 0)
    if _try_to_create_claim(own):
        return own
    there = _study_claims(target)
    if not there or not _is_stale_study_claim(there[-1]):
        return None
    own = _study_claim(target, _number_of_claim(there[-1]) + 1)
    return own if _try_to_create_claim(own) else None


def _try_to_create_claim(own: Path) -> bool:
    """Create a claim of this process, which the system allows to one process only."""
    try:
        handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"machine": _machine(), "pid": os.getpid(), "began": _began(os.getpid())}, file)
    return True


def _study_claim(target: Path, number: int) -> Path:
    return target.with_name(f"{target.name}.claim.{number:04d}")


def _number_of_claim(claim: Path) -> int:
    return int(claim.suffix[1:])


def _study_claims(target: Path) -> list[Path]:
    """Return the claims on a block, the last one last."""
    return sorted(target.parent.glob(f"{target.name}.claim.*"))


def _is_stale_study_claim(claim: Path) -> bool:
    try:
        if time.time() - claim.stat().st_mtime > STALE_AFTER:
            return True
        owner = json.loads(claim.read_text(encoding="utf-8"))
        pid, began, machine = owner["pid"], owner["began"], owner["machine"]
    except FileNotFoundError:
        return False  # released this moment: its block is done
    except (OSError, ValueError, KeyError, TypeError):
        return False  # being written, or left by a crash of the machine: then its age will tell
    return bool(machine == _machine() and not _is_alive(pid, began))


def _machine() -> str:
    """Name the machine, and where process numbers are those of a container, the container."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{socket.gethostname()} {space}".strip()


def _is_alive(pid: int, began: str) -> bool:
    """Whether the process is there, and is the one that began then: numbers are used again."""
    if Path("/proc/self/stat").exists():
        return _began(pid) == began != ""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _began(pid: int) -> str:
    """Return when a process began, by the clock of /proc; "" if it has ended or cannot be seen."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state[0] in "ZX" else state[19]


def _keep_study_claim_fresh(claim: Path, stop: threading.Event) -> None:
    while not stop.wait(_BEAT):
        with suppress(OSError):
            os.utime(claim)
