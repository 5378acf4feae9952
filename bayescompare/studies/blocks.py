"""How a study is cut into blocks, which random numbers each case has, and how a block is computed.

The stream of a case is keyed by the seed, by what its scenario is and by its number, as
``SeedSequence.spawn`` would: it depends on nothing else, neither on other scenarios nor on how
many replications, workers or blocks there are.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import AnyArray

__all__ = [
    "Block",
    "Result",
    "Scenario",
    "Work",
    "compute",
    "digest",
    "refuse_unlike",
    "scenarios_of",
    "shapes_of",
    "source_of",
    "text_of",
]

#: Arrays (case, ...) of a block, NaN where a case failed, and the messages of those that did.
#: There are no arrays where all failed.
Result = tuple[Mapping[str, AnyArray], Mapping[int, str]]

#: Python prints objects without a text of their own by their address, which differs every time.
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Scenario:
    """One cell of the grid.

    Attributes
    ----------
    values : mapping
        What the function gets.
    texts : mapping of str
        The same as text, by which streams and stores know it.
    """

    values: Mapping[str, Any]
    texts: Mapping[str, str]

    @cached_property
    def digest(self) -> str:
        """Digest of its content."""
        return digest(dict(self.texts))

    @property
    def spawn_key(self) -> tuple[int, ...]:
        """Its part of the key of every stream; none in a study of a single scenario."""
        return tuple(int(self.digest[k : k + 8], 16) for k in range(0, 32, 8) if self.texts)


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

    def stream(self, block: Block, number: int) -> np.random.Generator:
        """Return the generator of one case, or of a whole block."""
        key = (*block.scenario.spawn_key, number)
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))


def scenarios_of(
    axes: Mapping[str, Mapping[Any, Any]], texts: Mapping[str, Sequence[str]]
) -> Iterator[Scenario]:
    """Yield the cells of the grid, the last axis fastest."""
    pairs = [zip(values.values(), texts[axis], strict=True) for axis, values in axes.items()]
    for cell in itertools.product(*pairs):
        values, words = ([pair[k] for pair in cell] for k in (0, 1))
        yield Scenario(dict(zip(axes, values, strict=True)), dict(zip(axes, words, strict=True)))


# what a block gives ------------------------------------------------------------------------------


def compute(work: Work, block: Block) -> Result:
    """Compute a block, whole or case by case; an error of the function is recorded."""
    given = {**block.scenario.values, **work.constants}
    if work.batched:
        try:
            stream = work.stream(block, block.number)
            return _outputs(work.function(stream, block.size, **given), block.size), {}
        except Exception as error:  # recorded, whatever it is: a study goes on
            return {}, dict.fromkeys(range(block.size), error_in_one_line(error))
    rows: dict[int, Mapping[str, AnyArray]] = {}
    errors: dict[int, str] = {}
    for k in range(block.size):
        try:
            rows[k] = _outputs(work.function(work.stream(block, block.start + k), **given))
        except Exception as error:  # recorded, whatever it is: a study goes on
            errors[k] = error_in_one_line(error)
    if not rows:
        return {}, errors
    first = shapes_of(next(iter(rows.values())))
    for row in rows.values():
        refuse_unlike(first, shapes_of(row))
    nothing = {name: np.full(shape, np.nan) for name, shape in first.items()}
    return {
        name: np.stack([rows.get(k, nothing)[name] for k in range(block.size)]) for name in first
    }, errors


def _outputs(made: Mapping[str, Any], size: int | None = None) -> dict[str, AnyArray]:
    """Return what the function returned as arrays of numbers; with `size`, of so many cases."""
    if not isinstance(made, Mapping):
        raise TypeError(f"the function returned a {type(made).__name__}, not a mapping of numbers")
    outputs = {str(name): np.asarray(value) for name, value in made.items()}
    for name, value in outputs.items():
        if value.dtype.kind not in "biuf":
            raise TypeError(f"output {name!r} is not a number or an array of numbers: {value!r}")
        if size is not None and value.shape[:1] != (size,):
            raise ValueError(f"output {name!r} has shape {value.shape}, and the block {size} cases")
    return outputs


def shapes_of(outputs: Mapping[str, AnyArray], skip: int = 0) -> dict[str, tuple[int, ...]]:
    """Return the shape of every output, without the first `skip` dimensions."""
    return {name: value.shape[skip:] for name, value in outputs.items()}


def refuse_unlike(
    shape: Mapping[str, tuple[int, ...]], other: Mapping[str, tuple[int, ...]]
) -> None:
    """Refuse two cases that have outputs of other names or shapes, which no table can hold."""
    if shape != other:
        raise BayescompareError(
            f"the function returned {dict(shape)} for one case and {dict(other)} for another "
            "(names and shapes): all cases must return the same ones."
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
