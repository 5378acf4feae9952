"""How a study is cut into blocks, and which random numbers each case has.

The stream of a case is keyed by the seed, by what its scenario is and by its number, as
``SeedSequence.spawn`` would: it depends on nothing else, neither on other scenarios nor on how
many replications, workers or blocks there are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayescompare._rng import Rng, as_rng
from bayescompare.studies.engine.identity import digest_of_study_part

__all__ = ["StudyBlock", "StudyScenario", "StudySeed", "study_scenarios", "study_seed_of"]


@dataclass(frozen=True)
class StudySeed:
    """The root of all streams: the entropy of a `numpy.random.SeedSequence`."""

    entropy: int

    def stream(self, *key: int) -> np.random.Generator:
        """Return the generator of one case or block."""
        sequence = np.random.SeedSequence(self.entropy, spawn_key=key)
        return np.random.default_rng(sequence)


@dataclass(frozen=True)
class StudyScenario:
    """One cell of the grid.

    Attributes
    ----------
    index : tuple of int
        Its place on every axis.
    values : mapping
        What the function gets.
    texts : mapping of str
        The same as text, by which a store knows it.
    """

    index: tuple[int, ...]
    values: Mapping[str, Any]
    texts: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Digest of its content."""
        return digest_of_study_part(dict(self.texts))

    @property
    def spawn_key(self) -> tuple[int, ...]:
        """Its part of the key of every stream; none in a study of a single scenario."""
        if not self.texts:
            return ()
        digest = self.digest
        return tuple(int(digest[k : k + 8], 16) for k in range(0, 32, 8))


@dataclass(frozen=True)
class StudyBlock:
    """Some replications of one scenario, which are computed and saved together."""

    scenario: StudyScenario
    number: int
    start: int
    size: int


def study_scenarios(
    axes: Mapping[str, Mapping[Any, Any]], texts: Mapping[str, list[str]]
) -> Iterator[StudyScenario]:
    """Yield the cells of the grid, the last axis fastest."""
    places = itertools.product(*(range(len(values)) for values in axes.values()))
    listed = {axis: list(values.values()) for axis, values in axes.items()}
    for index in places:
        at = dict(zip(axes, index, strict=True))
        yield StudyScenario(
            index,
            {axis: listed[axis][k] for axis, k in at.items()},
            {axis: texts[axis][k] for axis, k in at.items()},
        )


def study_seed_of(rng: Rng) -> StudySeed:
    """Return the root of all streams; of a generator a child, so that two studies differ."""
    generator, seed = as_rng(rng)
    if seed is not None:
        return StudySeed(seed)
    sequence: Any = generator.bit_generator.seed_seq
    (child,) = sequence.spawn(1)
    return StudySeed(int.from_bytes(child.generate_state(4).tobytes(), "little"))
