"""α by statement with wildcards: ``{"B>A|*": 3, "*": 0.5}``.

A wildcard shares its α evenly over the statements that it matches and that are not named singly;
``"*"`` alone is, as without wildcards, the α of *each* statement that nothing else names.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.methods.dirichlet.patterns import (
    StatePattern,
    dirichlet_patterns_overlap,
    read_pattern,
)
from bayescompare.statements import BAR, DENSE, State, Statement, Statements
from bayescompare.text.numbers import count

__all__ = ["REST", "WildcardPrior", "has_wildcards"]

#: Key of a mapping that stands for every statement it does not name.
REST = "*"


def has_wildcards(prior: Mapping[str, float], statements: Statements) -> bool:
    """Whether a mapping names some statements by a pattern.

    That is a part ``"*"``, or a part with some of the algorithms only.
    """
    parts = {str(state) for label in prior if label != REST for state in _wildcard_states(label)}
    l = len(statements.algorithms)
    return any(
        part == REST or len(Statement.parse(part).states[0].names) not in (1, l) for part in parts
    )


def _wildcard_states(label: object) -> tuple[object, ...]:
    return Statement.parse(str(label)).states


@dataclass(frozen=True)
class _Wildcard:
    """The statements that a label with a wildcard matches, and the α that they share."""

    label: str
    patterns: tuple[StatePattern, ...]
    sizes: tuple[int, ...]
    alpha: float

    def matches(self, statements: Statements) -> BoolArray:
        """Which of the listed statements it matches."""
        matched = np.ones(statements.n_listed, dtype=bool)
        for j, pattern in enumerate(self.patterns):
            matched &= pattern.matches(statements.levels[j])[statements.table.states[:, j]]
        return matched


@dataclass(frozen=True)
class WildcardPrior:
    """α of single statements, of patterns of statements, and of the rest.

    Attributes
    ----------
    named : mapping
        α of the statements named singly.
    wildcards : tuple of _Wildcard
        They match no statement in common.
    rest : float
        α of each statement that nothing matches; 0 where nothing was said of them.
    statements : Statements
        Those named singly are listed.
    """

    named: Mapping[str, float]
    wildcards: tuple[_Wildcard, ...]
    rest: float
    statements: Statements

    @classmethod
    def read(cls, prior: Mapping[str, float], statements: Statements) -> WildcardPrior:
        """Read the mapping, and reject what does not fit these algorithms and measures."""
        patterns = {
            label: _read_wildcard_patterns(label, statements) for label in prior if label != REST
        }
        arities, l = statements.arities, len(statements.algorithms)
        named: dict[str, float] = {}
        wildcards: list[_Wildcard] = []
        for label, parts in patterns.items():
            sizes = tuple(p.size(l, arity) for p, arity in zip(parts, arities, strict=True))
            if math.prod(sizes) == 1:
                named[label] = float(prior[label])
            else:
                wildcards.append(_Wildcard(label, parts, sizes, float(prior[label])))
        _check_wildcards_exclusive(wildcards)
        listed = statements.with_labels(list(named))
        whole = cls(named, tuple(wildcards), float(prior.get(REST, 0.0)), listed)
        whole._check_cover()
        return whole

    @cached_property
    def _matches(self) -> list[BoolArray]:
        return [wildcard.matches(self.statements) for wildcard in self.wildcards]

    @cached_property
    def _single(self) -> BoolArray:
        """Which of the listed statements are named singly."""
        return np.array([label in self.named for label in self.statements.labels])

    @cached_property
    def _shares(self) -> list[int]:
        """How many statements share each wildcard's α."""
        return [
            math.prod(wildcard.sizes) - int((matched & self._single).sum())
            for wildcard, matched in zip(self.wildcards, self._matches, strict=True)
        ]

    def _check_cover(self) -> None:
        for wildcard, share in zip(self.wildcards, self._shares, strict=True):
            if share == 0:
                raise BayescompareError(
                    f"prior[{wildcard.label!r}]: every statement that it matches is named singly, "
                    "so it adds nothing; leave it out."
                )
        left = self.statements.size - len(self.named) - sum(self._shares)
        if left and not self.rest:
            raise BayescompareError(
                f"prior leaves {count(left)} of {count(self.statements.size)} statements without "
                "α: name them too, or give '*' for the rest."
            )

    def matched(self, states: Sequence[State]) -> bool:
        """Whether a wildcard matches a statement."""
        names = self.statements.algorithms
        return any(
            all(p.holds(state, names) for p, state in zip(w.patterns, states, strict=True))
            for w in self.wildcards
        )

    @property
    def log_alpha(self) -> FloatArray:
        """Logarithm of α of every listed statement."""
        alpha = np.full(self.statements.n_listed, self.rest)
        for wildcard, matched, share in zip(
            self.wildcards, self._matches, self._shares, strict=True
        ):
            alpha[matched] = wildcard.alpha / share
        singly = [self.named[label] for label in self.statements.labels if label in self.named]
        alpha[self._single] = singly
        return np.log(alpha)

    def lumps(self) -> tuple[tuple[float, float], ...]:
        """The statements that are not listed, by wildcard: logarithms of α and number."""
        lumps, covered = [], np.array(self._single)
        for wildcard, matched, share in zip(
            self.wildcards, self._matches, self._shares, strict=True
        ):
            covered |= matched
            left = share - int((matched & ~self._single).sum())
            if left:
                lumps.append((math.log(wildcard.alpha / share), math.log(left)))
        left = self.statements.size - len(self.named) - sum(self._shares) - int((~covered).sum())
        if left:
            lumps.append((math.log(self.rest), math.log(left)))
        return tuple(lumps)

    @property
    def total(self) -> float:
        """Σα over all statements."""
        everywhere = np.ones(self.statements.n_listed, dtype=bool)
        return self._mass(lambda w: math.prod(w.sizes), self.statements.size, everywhere)

    def leading(self) -> FloatArray:
        """Prior mass of who leads each measure: the first and not the first, or each of l > 2."""
        statements, l = self.statements, len(self.statements.algorithms)
        masses = np.zeros((len(statements.arities), 1 if l == 2 else l))
        for (j, c), _ in np.ndenumerate(masses):
            masses[j, c] = self._led_mass(j, c)
        return masses if l > 2 else np.concatenate([masses, self.total - masses], axis=1)

    def _led_mass(self, j: int, c: int) -> float:
        """Σα over the statements in which an algorithm is first on a measure."""
        statements, l = self.statements, len(self.statements.algorithms)
        arity = statements.arities[j]

        def led(wildcard: _Wildcard) -> int:
            others = math.prod(wildcard.sizes) // wildcard.sizes[j]
            return wildcard.patterns[j].led_by(c, l, arity) * others

        every = StatePattern().led_by(c, l, arity) * (statements.size // arity)
        inside = statements.levels[j][statements.table.states[:, j], 0] == c
        return self._mass(led, every, inside)

    def marginal(self, keep: list[int]) -> dict[str, float]:
        """Sum over all measures but those at `keep`: α of each statement about these."""
        statements = self.statements
        arities = [statements.arities[j] for j in keep]
        if math.prod(arities) > DENSE:
            raise BayescompareError(
                f"the prior's wildcards cannot be summed over the other measures: "
                f"{count(math.prod(arities))} statements are left, and at most {DENSE} are listed; "
                "ask about fewer measures."
            )
        others = [j for j in range(len(statements.arities)) if j not in keep]
        every = math.prod(statements.arities[j] for j in others)
        masses = {}
        for states in itertools.product(*(range(len(statements.levels[j])) for j in keep)):
            orders = [statements.levels[j][[s]] for j, s in zip(keep, states, strict=True)]

            def matched(wildcard: _Wildcard, orders: list[IntArray] = orders) -> int:
                parts = (wildcard.patterns[j] for j in keep)
                here = all(p.matches(o)[0] for p, o in zip(parts, orders, strict=True))
                return here * math.prod(wildcard.sizes[j] for j in others)

            inside = (statements.table.states[:, keep] == states).all(axis=1)
            short = Statement(tuple(State.parse(statements.name_order(o[0])) for o in orders))
            masses[str(short)] = self._mass(matched, every, inside)
        return masses

    def _mass(self, matched: Callable[[_Wildcard], int], every: int, inside: BoolArray) -> float:
        """Σα over some statements: by how many each wildcard matches, of how many in all.

        `inside` says which of the listed statements are among them.
        """
        single = inside & self._single
        labels = np.array(self.statements.labels, dtype=object)[single]
        mass, left = sum(self.named[label] for label in labels), every - len(labels)
        for wildcard, own, share in zip(self.wildcards, self._matches, self._shares, strict=True):
            number = matched(wildcard) - int((own & single).sum())
            mass += wildcard.alpha * (number / share)
            left -= number
        return mass + self.rest * left


def _read_wildcard_patterns(label: object, statements: Statements) -> tuple[StatePattern, ...]:
    states = Statement.parse(str(label)).states
    if len(states) != len(statements.measures):
        raise BayescompareError(
            f"prior[{label!r}] has {len(states)} part(s), but there are "
            f"{len(statements.measures)} measures ({', '.join(statements.measures)}): join one "
            f"ordering or '*' per measure by '{BAR}'."
        )
    return tuple(
        read_pattern(state, statements, j, f"prior[{label!r}]") for j, state in enumerate(states)
    )


def _check_wildcards_exclusive(wildcards: list[_Wildcard]) -> None:
    for one, other in itertools.combinations(wildcards, 2):
        if all(
            dirichlet_patterns_overlap(a, b)
            for a, b in zip(one.patterns, other.patterns, strict=True)
        ):
            raise BayescompareError(
                f"prior[{one.label!r}] and prior[{other.label!r}] match some statements in common: "
                "name patterns that exclude each other."
            )
