"""Computing one block: the cases that succeed, and the messages of those that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare._typing import AnyArray
from bayescompare.studies.engine.blocks import StudyBlock, StudySeed

__all__ = ["StudyWork", "StudyYield", "compute_study_block", "refuse_unlike_study_outputs"]


@dataclass(frozen=True)
class StudyYield:
    """What came out of a block.

    Attributes
    ----------
    outputs : mapping of arrays (succeeded, ...)
    succeeded : array of int
        Places in the block of the cases that have outputs.
    errors : mapping of int to str
        Messages of the others, by place.
    """

    outputs: Mapping[str, AnyArray]
    succeeded: AnyArray
    errors: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyWork:
    """The function of a study and what it needs; this is what travels to a worker."""

    function: Callable[..., Mapping[str, Any]]
    constants: Mapping[str, Any]
    batched: bool
    seed: StudySeed


def compute_study_block(work: StudyWork, block: StudyBlock) -> StudyYield:
    """Compute a block, whole or case by case; an error of the function is recorded."""
    given = {**block.scenario.values, **work.constants}
    key = block.scenario.spawn_key
    if work.batched:
        return _compute_study_batch(work, block, given, key)
    rows: list[Mapping[str, Any]] = []
    errors: dict[int, str] = {}
    for place in range(block.size):
        rng = work.seed.stream(*key, block.start + place)
        try:
            rows.append(_study_row(work.function(rng, **given)))
        except Exception as error:  # recorded, whatever it is: a study goes on
            errors[place] = error_in_one_line(error)
    succeeded = np.array([k for k in range(block.size) if k not in errors], dtype=np.int64)
    return StudyYield(_stack_study_rows(rows), succeeded, errors)


def _compute_study_batch(
    work: StudyWork, block: StudyBlock, given: Mapping[str, Any], key: tuple[int, ...]
) -> StudyYield:
    everyone = np.arange(block.size)
    try:
        made = work.function(work.seed.stream(*key, block.number), block.size, **given)
        outputs = _study_row(made)
        for name, value in outputs.items():
            if value.shape[:1] != (block.size,):
                raise ValueError(
                    f"output {name!r} has shape {value.shape}, and the block {block.size} cases"
                )
    except Exception as error:  # recorded, whatever it is: a study goes on
        return StudyYield(
            {}, everyone[:0], dict.fromkeys(range(block.size), error_in_one_line(error))
        )
    return StudyYield(outputs, everyone)


def _study_row(made: Mapping[str, Any]) -> dict[str, AnyArray]:
    """Return the outputs of a case as arrays of numbers."""
    if not isinstance(made, Mapping):
        raise TypeError(f"the function returned a {type(made).__name__}, not a mapping of numbers")
    row = {str(name): np.asarray(value) for name, value in made.items()}
    for name, value in row.items():
        if value.dtype.kind not in "biuf":
            raise TypeError(f"output {name!r} is not a number or an array of numbers: {value!r}")
    return row


def _stack_study_rows(rows: Sequence[Mapping[str, AnyArray]]) -> dict[str, AnyArray]:
    if not rows:
        return {}
    shapes = [{name: value.shape for name, value in row.items()} for row in rows]
    for shape in shapes:
        if shape != shapes[0]:
            refuse_unlike_study_outputs(shapes[0], shape)
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def refuse_unlike_study_outputs(
    shape: Mapping[str, tuple[int, ...]], other: Mapping[str, tuple[int, ...]]
) -> NoReturn:
    """Say that two cases have outputs of other names or shapes, which no table can hold."""
    raise BayescompareError(
        f"the function returned {dict(shape)} for one case and {dict(other)} for another (names "
        "and shapes): all cases must return the same ones."
    )
