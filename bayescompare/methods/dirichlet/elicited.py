r"""A prior in words: "B beats A on accuracy with probability 0.7, worth 5 datasets".

The beliefs about single measures are put together as if measures were independent,

.. math:: \varphi_k = \prod_j \varphi_{j, s_j(k)}, \qquad \alpha_k = w\,\varphi_k ,

with :math:`w` the weight in datasets. A measure that is not named has all states alike; within one
that is named, the states not named share what is left evenly.

References
----------
O'Hagan et al. (2006), Uncertain Judgements: Eliciting Experts' Probabilities; Walley (1996) for
the weight of a Dirichlet prior as a number of observations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayescompare._checks import MOST_WEIGHT, is_number, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray, IntArray
from bayescompare.methods.dirichlet.patterns import (
    StatePattern,
    dirichlet_patterns_overlap,
    read_pattern,
)
from bayescompare.statements import State, Statements
from bayescompare.text.numbers import count, setting_number_text
from bayescompare.text.phrases import join_names

__all__ = [
    "WEIGHT",
    "ElicitedPrior",
    "check_elicited_beliefs",
    "elicited_beliefs_words",
    "is_elicited",
]

#: The key that holds the weight, among the names of measures.
WEIGHT = "weight"
#: Distinct α's among the statements that are not listed; more would take minutes.
MOST_GROUPS = 1024
#: Logarithms closer than this are those of equal α's.
_SAME = 1e-9
#: Probabilities sum to one within this.
_SUM = 1e-9


def is_elicited(prior: object) -> bool:
    """Whether a prior is beliefs about measures, not α by statement.

    Examples
    --------
    >>> is_elicited({"accuracy": {"B>A": 0.7}, "weight": 5}), is_elicited({"B>A": 2.0, "*": 1.0})
    (True, False)
    """
    return isinstance(prior, Mapping) and (
        WEIGHT in prior or any(isinstance(value, Mapping) for value in prior.values())
    )


def check_elicited_beliefs(prior: Mapping[str, Any]) -> None:
    """Check what can be checked before algorithms and measures are known."""
    beliefs = {name: value for name, value in prior.items() if name != WEIGHT}
    if isinstance(prior.get(WEIGHT), Mapping):
        raise BayescompareError(
            "prior['weight'] is a mapping, but it must be the weight of the prior in datasets, a "
            "number; a measure called 'weight' must have another name here."
        )
    _check_elicited_weight(prior.get(WEIGHT, 1.0))
    numbers = [name for name, value in beliefs.items() if not isinstance(value, Mapping)]
    if numbers:
        raise BayescompareError(
            f"prior[{numbers[0]!r}]={show_checked_value(beliefs[numbers[0]])} among beliefs "
            "about measures: "
            "give either beliefs and their weight, {'accuracy': {'B>A': 0.7}, 'weight': 5}, or α "
            "by statement, {'B>A|B>A': 2, '*': 0.5}, not both."
        )
    if not beliefs:
        raise BayescompareError(
            f"prior={dict(prior)!r} has a weight but no belief about a measure: add one, as in "
            f"{{'accuracy': {{'B>A': 0.7}}, 'weight': 5}}, or say strength={prior[WEIGHT]!r}."
        )
    for measure, belief in beliefs.items():
        _check_elicited_belief(str(measure), belief)


def _check_elicited_weight(weight: object) -> None:
    if is_number(weight) and weight == 0:
        raise BayescompareError(
            "prior['weight']=0 contradicts the beliefs: with no weight they say nothing. Give the "
            "number of datasets that they are worth, or leave out the prior."
        )
    if not (is_number(weight) and 0.0 < weight <= MOST_WEIGHT):
        raise BayescompareError(
            f"prior['weight']={show_checked_value(weight)}: must be the number of datasets that "
            "the prior is "
            f"worth, > 0 and at most {setting_number_text(MOST_WEIGHT)}."
        )


def _check_elicited_belief(measure: str, belief: Mapping[str, Any]) -> None:
    if not belief:
        raise BayescompareError(
            f"prior[{measure!r}]={{}}: name at least one state with its probability, as in "
            "{'B>A': 0.7}, or leave the measure out."
        )
    for state, p in belief.items():
        if not (is_number(p) and 0.0 < p < 1.0):
            raise BayescompareError(
                f"prior[{measure!r}][{state!r}]={show_checked_value(p)}: must be a probability "
                "above 0 and "
                "below 1; what is certain needs no test."
            )
    total = sum(belief.values())
    if total > 1.0 + _SUM:
        raise BayescompareError(
            f"prior[{measure!r}]: the probabilities sum to "
            f"{setting_number_text(round(total, 9))}, more than 1."
        )


@dataclass(frozen=True)
class _ElicitedClasses:
    """The states of one measure, those of equal probability together.

    Attributes
    ----------
    patterns : tuple of StatePattern
        Of every class but the last, which is the rest.
    log_share : array (C,)
        Logarithm of the probability of one state of each class.
    sizes : tuple of int
        Number of states in each.
    """

    patterns: tuple[StatePattern, ...]
    log_share: FloatArray
    sizes: tuple[int, ...]

    def of_levels(self, levels: IntArray) -> IntArray:
        """The class of each of a measure's known states."""
        classes = np.full(len(levels), len(self.patterns), dtype=np.int64)
        for k, pattern in enumerate(self.patterns):
            classes[pattern.matches(levels)] = k
        return classes

    def leads(self, algorithm: int, algorithms: int, arity: int) -> float:
        """P(the algorithm is first on this measure)."""
        counts = [p.led_by(algorithm, algorithms, arity) for p in self.patterns]
        rest = StatePattern().led_by(algorithm, algorithms, arity) - sum(counts)
        shares = np.exp(self.log_share)
        return float(sum(float(s) * n for s, n in zip(shares, [*counts, rest], strict=True)))


@dataclass(frozen=True)
class ElicitedPrior:
    """Beliefs about the measures of given statements, and the α's that they imply.

    Attributes
    ----------
    beliefs : mapping
        For each measure named, state → probability.
    weight : float
        The prior's weight in datasets, Σα.
    statements : Statements
    """

    beliefs: Mapping[str, Mapping[str, float]]
    weight: float
    statements: Statements

    @classmethod
    def read(cls, prior: Mapping[str, Any], statements: Statements) -> ElicitedPrior:
        """Read the beliefs, and reject what does not fit these algorithms and measures."""
        if WEIGHT in statements.measures:
            raise BayescompareError(
                "a measure is called 'weight', which is the weight of the prior in "
                f"prior={{..., 'weight': {prior.get(WEIGHT, 1)!r}}}: rename the measure, or give α "
                "by statement."
            )
        beliefs = {name: belief for name, belief in prior.items() if name != WEIGHT}
        for measure in beliefs:
            if measure not in statements.measures:
                raise BayescompareError(
                    f"prior[{measure!r}]: there is no such measure here "
                    f"({', '.join(statements.measures)})."
                    f"{did_you_mean(str(measure), statements.measures)}"
                )
        elicited = cls(beliefs, float(prior.get(WEIGHT, 1.0)), statements)
        _ = elicited.classes
        return elicited

    @cached_property
    def classes(self) -> tuple[_ElicitedClasses, ...]:
        """The classes of states of every measure."""
        return tuple(self._classes(j) for j in range(len(self.statements.measures)))

    def _classes(self, j: int) -> _ElicitedClasses:
        statements, arity = self.statements, self.statements.arities[j]
        measure, l = statements.measures[j], len(statements.algorithms)
        belief = self.beliefs.get(measure, {})
        patterns: list[StatePattern] = []
        for text in belief:
            where = f"prior[{measure!r}][{text!r}]"
            pattern = read_pattern(State.parse(str(text)), statements, j, where)
            if pattern == StatePattern():
                raise BayescompareError(
                    f"{where}: the states not named share the rest anyway; name single ones."
                )
            for other, before in zip(belief, patterns, strict=False):
                if dirichlet_patterns_overlap(pattern, before):
                    raise BayescompareError(
                        f"{where} and {other!r} can hold together, so their probabilities do not "
                        "add up: name states that exclude each other."
                    )
            patterns.append(pattern)
        sizes = [pattern.size(l, arity) for pattern in patterns]
        left, rest = 1.0 - sum(belief.values()), arity - sum(sizes)
        self._check_rest(measure, left, rest)
        shares = [p / n for p, n in zip(belief.values(), sizes, strict=True)]
        last = left / rest if rest else 1.0  # of a class without states
        return _ElicitedClasses(tuple(patterns), np.log([*shares, last]), (*sizes, rest))

    def _check_rest(self, measure: str, left: float, rest: int) -> None:
        if rest == 0 and abs(left) > _SUM:
            raise BayescompareError(
                f"prior[{measure!r}] names every state, and the probabilities sum to "
                f"{setting_number_text(round(1.0 - left, 9))}, not 1."
            )
        if rest > 0 and left < _SUM:
            raise BayescompareError(
                f"prior[{measure!r}]: the probabilities sum to 1 and leave nothing for the "
                f"{count(rest)} other state(s), which would be impossible: leave them some."
            )

    @property
    def log_alpha(self) -> FloatArray:
        """Logarithm of α of every listed statement."""
        states, total = self.statements.table.states, np.zeros(self.statements.n_listed)
        for j, (classes, levels) in enumerate(
            zip(self.classes, self.statements.levels, strict=True)
        ):
            total += classes.log_share[classes.of_levels(levels)][states[:, j]]
        return np.asarray(math.log(self.weight) + total)

    def lumps(self) -> tuple[tuple[float, float], ...]:
        """All statements that are not listed, those of equal α together: logs of α and number."""
        groups = [(math.log(self.weight), 1)]
        for classes in self.classes:
            each = [(s, n) for s, n in zip(classes.log_share, classes.sizes, strict=True) if n]
            groups = _merge_elicited_groups(
                [(a + float(s), size * n) for a, size in groups for s, n in each]
            )
            if len(groups) > MOST_GROUPS:
                raise BayescompareError(
                    f"prior: beliefs about {len(self.beliefs)} measures give the "
                    f"{count(self.statements.size)} statements more than {count(MOST_GROUPS)} "
                    "different α's; name fewer measures, or compare on fewer."
                )
        values = np.array([a for a, _ in groups])
        sizes = [size for _, size in groups]
        for log_alpha in self.log_alpha:
            sizes[int(np.argmin(np.abs(values - log_alpha)))] -= 1
        return tuple((a, math.log(n)) for (a, _), n in zip(groups, sizes, strict=True) if n > 0)

    def leading(self) -> FloatArray:
        """Prior mass of who leads each measure: the first and not the first, or each of l > 2."""
        statements, l = self.statements, len(self.statements.algorithms)
        shares = np.array(
            [
                [classes.leads(c, l, arity) for c in range(1 if l == 2 else l)]
                for classes, arity in zip(self.classes, statements.arities, strict=True)
            ]
        )
        if l == 2:
            shares = np.concatenate([shares, 1.0 - shares], axis=1)
        return self.weight * shares


def _merge_elicited_groups(groups: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Put groups of equal α together."""
    merged: list[tuple[float, int]] = []
    for a, size in sorted(groups):
        if merged and a - merged[-1][0] < _SAME:
            merged[-1] = merged[-1][0], merged[-1][1] + size
        else:
            merged.append((a, size))
    return merged


def elicited_beliefs_words(beliefs: Mapping[str, Mapping[str, float]]) -> str:
    """Say beliefs about measures in words.

    Examples
    --------
    >>> elicited_beliefs_words({"accuracy": {"B>A": 0.7}})
    'B is better than A on accuracy with probability 0.7'
    """
    return join_names(
        [
            f"{State.parse(str(state)).words()} on {measure} with probability "
            f"{setting_number_text(p)}"
            for measure, belief in beliefs.items()
            for state, p in belief.items()
        ]
    )
