"""The folder of a study: one file for every finished block, and what study it is.

A block's file is named by its content: study, version, function, seed, scenario and place. It is
written whole or not at all, and holds plain arrays only.
"""

from __future__ import annotations

import io
import json
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
from bayescompare.studies.engine.blocks import StudyBlock
from bayescompare.studies.engine.claims import claim_study_block
from bayescompare.studies.engine.identity import digest_of_study_part
from bayescompare.studies.engine.work import StudyWork, StudyYield, compute_study_block
from bayescompare.table.writing import write_bytes, write_text

__all__ = [
    "DamagedStudyBlock",
    "StudyStore",
    "compute_and_save_study_block",
    "is_whole_study_block",
    "make_study_store",
    "read_study_manifest",
    "refuse_other_study",
]

_MANIFEST = "study.json"
#: What may be there before the manifest is: claims on it, and its temporary file.
_OURS = (_MANIFEST, ".bayescompare-")
_PLACES, _ERRORS, _KEY, _OUTPUT = "_succeeded", "_errors", "_key", "out_"


class DamagedStudyBlock(Exception):
    """The file of a block cannot be read, or is not what its name says."""


@dataclass(frozen=True)
class StudyStore:
    """A folder, and the identity of the study that it belongs to."""

    folder: Path
    identity: Mapping[str, Any]

    def path(self, block: StudyBlock) -> Path:
        """Where the block is saved."""
        name = f"{block.start:08d}-{block.size}-{self._key(block)[:16]}.npz"
        return self.folder / block.scenario.digest[:16] / name

    def _key(self, block: StudyBlock) -> str:
        place = {
            "scenario": dict(block.scenario.texts),
            "number": block.number,
            "start": block.start,
            "size": block.size,
        }
        return digest_of_study_part({**self.identity, **place})

    def save(self, block: StudyBlock, result: StudyYield) -> None:
        """Write a block, whole or not at all."""
        places = np.array(sorted(result.errors), dtype=np.int64)
        arrays: dict[str, Any] = {f"{_OUTPUT}{k}": v for k, v in result.outputs.items()}
        arrays[_PLACES] = result.succeeded
        arrays[_KEY] = np.array(self._key(block))
        if len(places):
            arrays[f"{_ERRORS}_at"] = places
            arrays[_ERRORS] = np.array([result.errors[int(k)] for k in places])
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        # What a loss of power leaves is found out when it is read, and computed again.
        write_bytes(self.path(block), buffer.getvalue(), flush=False)

    def load(self, block: StudyBlock) -> StudyYield:
        """Read a block back; `FileNotFoundError` if it is not there."""
        path = self.path(block)
        try:
            content = io.BytesIO(path.read_bytes())
            with np.load(content, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
        except FileNotFoundError:
            raise
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            raise DamagedStudyBlock(str(path)) from error
        if _PLACES not in arrays or str(arrays.get(_KEY)) != self._key(block):
            raise DamagedStudyBlock(str(path))
        at = arrays.get(f"{_ERRORS}_at", np.zeros(0, dtype=np.int64))
        texts = arrays.get(_ERRORS, np.zeros(0, dtype=np.str_))
        outputs = {k.removeprefix(_OUTPUT): v for k, v in arrays.items() if k.startswith(_OUTPUT)}
        errors = {int(k): str(text) for k, text in zip(at, texts, strict=True)}
        return StudyYield(outputs, arrays[_PLACES], errors)


def read_study_manifest(folder: str | Path) -> tuple[Path, dict[str, Any] | None]:
    """Return the folder and what its manifest says; None if there is none yet."""
    place = check_path(folder, "store")
    if place.exists() and not place.is_dir():
        raise BayescompareError(f"store={str(place)!r} is a file: name a folder.")
    try:
        manifest = json.loads((place / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        others = place.is_dir() and any(not p.name.startswith(_OURS) for p in place.iterdir())
        if others:
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


def make_study_store(folder: Path, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Make the folder and its manifest; return that of another process if it was faster."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BayescompareError(
            f"store={str(folder)!r} cannot be made: {error.strerror or error}."
        ) from None
    manifest = folder / _MANIFEST
    while not manifest.exists():
        with claim_study_block(manifest) as mine:
            if mine and not manifest.exists():
                write_text(manifest, json.dumps(identity, indent=1, sort_keys=True) + "\n")
    there = read_study_manifest(folder)[1]
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


def compute_and_save_study_block(work: StudyWork, store: StudyStore, block: StudyBlock) -> bool:
    """Compute and save a block that is not there; False if another process has it in hand."""
    target = store.path(block)
    if target.exists():
        return True
    target.parent.mkdir(exist_ok=True)
    with claim_study_block(target) as mine:
        if not mine:
            return target.exists()
        # It may have been finished between the first look and the claim.
        if not target.exists():
            store.save(block, compute_study_block(work, block))
    return True


def is_whole_study_block(place: StudyStore, block: StudyBlock) -> bool:
    """Whether a block is there and can be read; one that cannot is removed and said so."""
    try:
        place.load(block)
    except FileNotFoundError:
        return False
    except DamagedStudyBlock as error:
        warnings.warn(
            f"The block {error} is damaged; it is computed again.", UserWarning, stacklevel=4
        )
        Path(str(error)).unlink(missing_ok=True)
        return False
    return True
