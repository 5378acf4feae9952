"""The folder of a study: one file for every finished block, and what study it is.

A block's file is named by its content: study, version, function, seed, scenario and place. It is
written whole or not at all and holds plain arrays only. Whoever computes a block writes the same
file, so processes that share a folder need no locks: at worst they compute a block twice.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bayescompare._checks import check_path
from bayescompare._errors import BayescompareError
from bayescompare.studies.blocks import Block, Result, Work, compute, digest
from bayescompare.table.writing import write_bytes

__all__ = ["DamagedBlock", "Store", "create_manifest", "read_manifest", "refuse_other_study"]

_MANIFEST, _TEMPORARY = "study.json", ".bayescompare-"
_ERRORS, _KEY, _OUTPUT = "_errors", "_key", "out_"


class DamagedBlock(Exception):
    """The file of a block cannot be read, or is not what its name says."""


@dataclass(frozen=True)
class Store:
    """A folder, and the identity of the study that it belongs to."""

    folder: Path
    identity: Mapping[str, Any]

    def path(self, block: Block) -> Path:
        """Where the block is saved."""
        name = f"{block.start:08d}-{block.size}-{self._key(block)[:16]}.npz"
        return self.folder / block.scenario.digest[:16] / name

    def _key(self, block: Block) -> str:
        place = {"number": block.number, "start": block.start, "size": block.size}
        return digest({**self.identity, "scenario": dict(block.scenario.texts), **place})

    def fill(self, work: Work, block: Block) -> None:
        """Compute and save a block that is not there."""
        if not self.path(block).exists():
            self.save(block, compute(work, block))

    def save(self, block: Block, result: Result) -> None:
        """Write a block, whole or not at all."""
        outputs, errors = result
        arrays: dict[str, Any] = {f"{_OUTPUT}{name}": values for name, values in outputs.items()}
        arrays[_ERRORS] = np.array([errors.get(k, "") for k in range(block.size)])
        arrays[_KEY] = np.array(self._key(block))
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        path = self.path(block)
        path.parent.mkdir(exist_ok=True)
        # What a loss of power leaves is found out when it is read, and computed again.
        write_bytes(path, buffer.getvalue(), flush=False)

    def load(self, block: Block) -> Result:
        """Read a block back; `FileNotFoundError` if it is not there."""
        path = self.path(block)
        try:
            content = io.BytesIO(path.read_bytes())
            with np.load(content, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            if str(arrays[_KEY]) != self._key(block):
                raise ValueError("the file of another block")
            errors = {k: str(text) for k, text in enumerate(arrays[_ERRORS]) if text}
        except FileNotFoundError:
            raise
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            raise DamagedBlock(str(path)) from error
        outputs = {k.removeprefix(_OUTPUT): v for k, v in arrays.items() if k.startswith(_OUTPUT)}
        return outputs, errors

    def has(self, block: Block) -> bool:
        """Whether a block is there and can be read; one that cannot is removed and said so."""
        try:
            self.load(block)
        except FileNotFoundError:
            return False
        except DamagedBlock as error:
            warnings.warn(
                f"The block {error} is damaged; it is computed again.", UserWarning, stacklevel=4
            )
            self.path(block).unlink(missing_ok=True)
            return False
        return True


def read_manifest(folder: str | Path) -> tuple[Path, dict[str, Any] | None]:
    """Return the folder and what its manifest says; None if there is none yet."""
    place = check_path(folder, "store")
    if place.exists() and not place.is_dir():
        raise BayescompareError(f"store={str(place)!r} is a file: name a folder.")
    try:
        manifest = json.loads((place / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        if place.is_dir() and any(not p.name.startswith(_TEMPORARY) for p in place.iterdir()):
            raise BayescompareError(
                f"store={str(place)!r} is a folder with other files and no {_MANIFEST}: name a new "
                "or an empty folder."
            ) from None
        return place, None
    except (OSError, ValueError) as error:
        raise BayescompareError(
            f"store: {place / _MANIFEST} cannot be read ({error}): remove the store, or put the "
            "file back."
        ) from None
    if not isinstance(manifest, dict):
        raise BayescompareError(f"store: {place / _MANIFEST} is not the description of a study.")
    return place, manifest


def create_manifest(folder: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Make the folder and its manifest; return that of another process if it was faster."""
    new = folder / f"{_TEMPORARY}{secrets.token_hex(8)}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(identity, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        try:
            # A link is made whole, and only where there is no file of the name.
            os.link(new, folder / _MANIFEST)
        except FileExistsError:
            pass
        except OSError:  # no links in this file system: whoever is last stands
            os.replace(new, folder / _MANIFEST)
        new.unlink(missing_ok=True)
    except OSError as error:
        raise BayescompareError(
            f"store={str(folder)!r} cannot be made: {error.strerror or error}."
        ) from None
    there = read_manifest(folder)[1]
    assert there is not None
    return there


def refuse_other_study(folder: Path, identity: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    """Refuse a store of another study, and say what differs."""
    said = {"function": "another function, or its source has changed"}
    differences = []
    for part in sorted({*identity, *there}):
        new, old = identity.get(part), there.get(part)
        if new == old:
            continue
        if part in ("grid", "constants") and isinstance(new, dict) and isinstance(old, dict):
            names = [k for k in sorted({*new, *old}) if new.get(k) != old.get(k)]
            differences += [f"{part}: {k} is {new.get(k)}, there {old.get(k)}" for k in names]
        else:
            differences.append(f"{part}: {said.get(part) or f'{new!r}, there {old!r}'}")
    if differences:
        raise BayescompareError(
            f"store={str(folder)!r} holds another study ({'; '.join(differences)}): use another "
            "folder, or remove this one."
        )
