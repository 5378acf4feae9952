"""Blocks of a study: their random numbers, how they are computed, and the folder that keeps them.

The stream of a case is keyed by the seed, by what its scenario is and by its number, as
``SeedSequence.spawn`` would: it depends on nothing else, neither on other scenarios nor on how
many replications, workers or blocks there are.

A block's file is named by its content: study, version, function, seed, scenario and place. It is
written whole or not at all and holds plain arrays only. Whoever computes a block writes the same
file, so processes that share a folder need no locks: at worst they compute a block twice.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import re
import secrets
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import AnyArray
from bayescompare.table.writing import write_bytes

#: Arrays (case, ...) of a block, NaN where a case failed, and the messages of all its cases, empty
#: where one did not fail. There are no arrays where all failed.
Result = tuple[Mapping[str, AnyArray], list[str]]

#: Python prints objects without a text of their own by their address, which differs every time.
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
_MANIFEST, _TEMPORARY = "study.json", ".bayescompare-"
_ERRORS, _KEY, _OUTPUT = "_errors", "_key", "out_"


@dataclass(frozen=True)
class Scenario:
    """One cell of the grid: what the function gets."""

    values: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """Digest of its content, for streams and files."""
        return digest({axis: text_of(value, axis) for axis, value in self.values.items()})

    @property
    def spawn_key(self) -> tuple[int, ...]:
        """Its part of the key of every stream; none in a study of a single scenario."""
        return tuple(int(self.digest[k : k + 8], 16) for k in range(0, 32, 8) if self.values)


@dataclass(frozen=True)
class Block:
    """Some replications of one scenario, which are computed and saved together."""

    scenario: Scenario
    number: int
    start: int
    size: int


@dataclass(frozen=True)
class Work:
    """The function of a study and what it needs; this is what travels to a worker."""

    function: Callable[..., Mapping[str, Any]]
    constants: Mapping[str, Any]
    batched: bool
    entropy: int

    def compute(self, block: Block) -> Result:
        """Compute a block, whole or case by case; an error of the function is recorded."""
        step = block.size if self.batched else 1
        first = block.number if self.batched else block.start
        parts: list[dict[str, AnyArray] | None] = []
        errors: list[str] = []
        for number in range(first, first + block.size // step):
            key = (*block.scenario.spawn_key, number)
            rng = np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))
            given = (rng, step) if self.batched else (rng,)
            try:
                made = self.function(*given, **block.scenario.values, **self.constants)
                parts.append(_outputs(made, step if self.batched else None))
                errors += [""] * step
            except SystemError:  # an interrupt that met compiled code: no case failed by itself
                raise
            except Exception as error:  # recorded, whatever it is: a study goes on
                parts.append(None)
                errors += [error_in_one_line(error)] * step
        return joined([(step, part) for part in parts]), errors


def _outputs(made: Mapping[str, Any], size: int | None) -> dict[str, AnyArray]:
    """Return what the function returned as arrays (case, ...) of numbers."""
    if not isinstance(made, Mapping):
        raise TypeError(f"the function returned a {type(made).__name__}, not a mapping of numbers")
    outputs = {str(name): np.asarray(value) for name, value in made.items()}
    for name, value in outputs.items():
        if value.dtype.kind not in "biuf":
            raise TypeError(f"output {name!r} is not a number or an array of numbers: {value!r}")
        if size is not None and value.shape[:1] != (size,):
            raise ValueError(f"output {name!r} has shape {value.shape}, and the block {size} cases")
    return outputs if size is not None else {name: v[None] for name, v in outputs.items()}


def joined(parts: list[tuple[int, Mapping[str, AnyArray] | None]]) -> dict[str, AnyArray]:
    """Join the arrays (n, ...) of all parts; NaN where a part has none."""
    known = [part for _, part in parts if part]
    if not known:
        return {}
    shapes = {name: array.shape[1:] for name, array in known[0].items()}
    for part in known:
        other = {name: array.shape[1:] for name, array in part.items()}
        if shapes != other:
            raise BayescompareError(
                f"the function returned {shapes} for one case and {other} for another "
                "(names and shapes): all cases must return the same ones."
            )
    return {
        name: np.concatenate(
            [part[name] if part else np.full((n, *shape), np.nan) for n, part in parts]
        )
        for name, shape in shapes.items()
    }


# the folder --------------------------------------------------------------------------------------


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
        return digest({**self.identity, "scenario": block.scenario.digest, **place})

    def fill(self, work: Work, block: Block) -> None:
        """Compute a block that is not there, and write it whole or not at all."""
        path = self.path(block)
        if path.exists():
            return
        outputs, errors = work.compute(block)
        arrays: dict[str, Any] = {f"{_OUTPUT}{name}": values for name, values in outputs.items()}
        arrays |= {_ERRORS: np.array(errors), _KEY: np.array(self._key(block))}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        path.parent.mkdir(exist_ok=True)
        # What a loss of power leaves is found out when it is read, and computed again.
        write_bytes(path, buffer.getvalue(), flush=False)

    def load(self, block: Block) -> Result:
        """Read a block back; `FileNotFoundError` if it is not there."""
        path = self.path(block)
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
            if str(arrays.pop(_KEY)) != self._key(block):
                raise ValueError("the file of another block")
            errors = [str(text) for text in arrays.pop(_ERRORS)]
        except FileNotFoundError:
            raise
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            raise DamagedBlock(str(path)) from error
        return {name.removeprefix(_OUTPUT): values for name, values in arrays.items()}, errors

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


def read_manifest(place: Path) -> dict[str, Any] | None:
    """Return what the folder says of its study; None if there is none yet."""
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
        return None
    except (OSError, ValueError) as error:
        raise BayescompareError(
            f"store: {place / _MANIFEST} cannot be read ({error}): remove the store, or put the "
            "file back."
        ) from None
    if not isinstance(manifest, dict):
        raise BayescompareError(f"store: {place / _MANIFEST} is not the description of a study.")
    return manifest


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
    there = read_manifest(folder)
    assert there is not None
    return there


def refuse_other_study(folder: Path, identity: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    """Refuse a store of another study, and say what differs."""
    differences = [
        f"{part} is {identity.get(part)!r}, there {there.get(part)!r}"
        if part != "function"
        else "function: another function, or its source has changed"
        for part in sorted({*identity, *there})
        if identity.get(part) != there.get(part)
    ]
    if differences:
        raise BayescompareError(
            f"store={str(folder)!r} holds another study ({'; '.join(differences)}): use another "
            "folder, or remove this one."
        )


# names of objects that are equal in every process ------------------------------------------------


def digest(part: object) -> str:
    """Return a digest of anything that JSON can hold.

    Examples
    --------
    >>> digest({"a": 1})[:8]
    'f9d86028'
    """
    text = json.dumps(part, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def text_of(value: object, what: str) -> str:
    """Return the text by which a value of the grid or a constant is known.

    Examples
    --------
    >>> text_of(0.5, "effect"), text_of(min, "f")
    ('0.5', '<built-in function min>')
    """
    if inspect.isfunction(value) or isinstance(value, partial):
        return source_of(value)
    if isinstance(value, np.ndarray | np.generic):
        # numpy prints long arrays with gaps.
        return f"{value.dtype}{value.tolist()!r}" if value.ndim else repr(value.item())
    if isinstance(value, Mapping):
        return json.dumps({str(k): text_of(v, what) for k, v in value.items()}, sort_keys=True)
    if isinstance(value, list | tuple):
        return json.dumps([text_of(v, what) for v in value])
    text = repr(value)
    if _ADDRESS.search(text):
        raise BayescompareError(
            f"{what}={value!r}: a study must be able to tell its values apart in every process: "
            "use numbers, strings or objects whose repr tells what they are, such as dataclasses."
        )
    return text


def source_of(function: Callable[..., Any]) -> str:
    """Return the source of a function, with what it has bound; of a builtin its name.

    What the function calls in turn is not looked at: the version of the package stands for it.
    """
    if isinstance(function, partial):
        bound = [text_of(a, "case") for a in function.args]
        named = {k: text_of(v, k) for k, v in function.keywords.items()}
        return json.dumps([source_of(function.func), bound, named], sort_keys=True)
    place = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}"
    # A script calls its own functions __main__'s, and the worker that imports it does not.
    place = place.removeprefix("__main__.").removeprefix("__mp_main__.")
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = code.co_code.hex() + repr(code.co_names) if code is not None else ""
    cells = getattr(function, "__closure__", None) or ()
    return json.dumps([place, source, [text_of(cell.cell_contents, place) for cell in cells]])
