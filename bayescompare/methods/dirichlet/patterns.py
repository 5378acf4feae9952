r"""α by pattern: what every `prior=` of the multinomial-Dirichlet test becomes.

A pattern stands for states of one measure: ``"B>A"`` for every ordering in which B is better than
A, ``"*"`` for any. Single statements have an α of their own, and so has each of the rest; between
them are blocks of statements, one pattern or several for each measure, in which

.. math:: \alpha_s = w \prod_j \varphi_j(s_j) .

A word or a number is the rest alone. α by label is single statements, the rest ``"*"``, and for
each label with a wildcard, ``{"B>A|*": 3}``, a block over which its α is shared evenly. Beliefs,
``{"accuracy": {"B>A": 0.7}, "weight": 5}``, are one block of all statements: measures are taken to
be independent, and states of a measure that are not named share what is left evenly.

References
----------
O'Hagan et al. (2006), Uncertain Judgements: Eliciting Experts' Probabilities; Walley (1996) for
the weight of a Dirichlet prior as a number of observations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.orders import MIDDLE
from bayescompare.methods.dirichlet.prior import (
    ALPHAS,
    REST,
    WEIGHT,
    Prior,
    beliefs_of,
    check_compared,
    is_elicited,
)
from bayescompare.posterior.component import Component
from bayescompare.statements import BAR, DENSE, Order, State, Statement, Statements
from bayescompare.text.numbers import count, setting_number_text

#: Distinct α's among the statements that are not listed; more would take minutes.
MOST_GROUPS = 1024
#: Logarithms closer than this are those of equal α's, and probabilities sum to one within it.
_SAME = 1e-9


# states of one measure ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Pattern:
    """Some of the states of one measure.

    Attributes
    ----------
    order : tuple of int
        Places of algorithms, best first: it matches where they follow each other so, others
        between them or not. An empty one matches every state.
    equal : bool
        Whether it is the state "equivalent" of a measure with a rope.
    """

    order: tuple[int, ...] = ()
    equal: bool = False

    @classmethod
    def read(cls, state: State, statements: Statements, j: int, where: str) -> Pattern:
        """Read one state of a measure, an order of some of the algorithms, or ``"*"``."""
        algorithms = statements.algorithms
        if state.names == (REST,):
            return cls()
        for name in state.names:
            check_compared(where, name, algorithms)
        roped = statements.arities[j] == 3 and len(algorithms) == 2
        if state.relation == "=" and roped and set(state.names) == set(algorithms):
            return cls(equal=True)
        if state.relation != ">" or not 1 < len(state.names) == len(set(state.names)):
            rope = "" if roped else "; '=' needs a rope on the measure"
            raise BayescompareError(
                f"{where}: {str(state)!r} is not an order of algorithms such as "
                f"{str(State.order(*algorithms[:2]))!r}{rope}."
            )
        return cls(tuple(algorithms.index(name) for name in state.names))

    def matches(self, levels: IntArray) -> BoolArray:
        """Which of the states (P, l) it matches."""
        middle: BoolArray = levels[:, 0] == MIDDLE
        if self.equal:
            return middle
        matched = np.ones(len(levels), dtype=bool)
        if len(self.order) > 1:
            places = np.argsort(levels, axis=1)[:, self.order]
            matched = (np.diff(places, axis=1) > 0).all(axis=1) & ~middle
        return matched

    def size(self, algorithms: int, arity: int) -> int:
        """How many of a measure's states it matches."""
        if self.equal:
            return 1
        if not self.order:
            return arity
        return math.factorial(algorithms) // math.factorial(len(self.order))

    def led_by(self, algorithm: int, algorithms: int, arity: int) -> int:
        """How many of these states have the algorithm in the first place."""
        if self.equal:
            return 0
        if not self.order:
            return 1 if algorithms == 2 else arity // algorithms
        others = math.factorial(algorithms - 1)
        if algorithm not in self.order:
            return others // math.factorial(len(self.order))
        return others // math.factorial(len(self.order) - 1) if algorithm == self.order[0] else 0

    def overlaps(self, other: Pattern) -> bool:
        """Whether some state matches both: whether their orders contradict each other nowhere.

        Examples
        --------
        >>> Pattern((0, 1)).overlaps(Pattern((1, 0))), Pattern((0, 1)).overlaps(Pattern((1, 2)))
        (False, True)
        """
        if self.equal or other.equal:
            return self.equal == other.equal or Pattern() in (self, other)
        # Is there an ordering that keeps both? Take who has nobody before, again and again.
        left = [list(order) for order in (self.order, other.order) if order]
        while left:
            free = [o[0] for o in left if not any(o[0] in each[1:] for each in left)]
            if not free:
                return False
            left = [rest for o in left if (rest := [name for name in o if name != free[0]])]
        return True

    def draw(self, algorithms: int, arity: int, rng: np.random.Generator) -> IntArray:
        """Draw one of the states that it matches, each alike probable."""
        roped = arity == 3 and algorithms == 2
        if self.equal or (roped and not self.order and rng.integers(3) == 0):
            return np.full(algorithms, MIDDLE)
        places = rng.permutation(algorithms)
        # Those named take the places that they have anyway, in their order.
        places[np.flatnonzero(np.isin(places, self.order))] = self.order
        return places


@dataclass(frozen=True)
class _States:
    """The states of one measure that a block has, those of equal share together.

    Attributes
    ----------
    patterns : tuple of Pattern
        Of each class; a class beyond them is the rest of the measure's states.
    log_share : array (C,)
        Logarithm of the share of one state of each class.
    sizes : tuple of int
        Number of states in each.
    algorithms, arity : int
        How many there are, and how many states the measure has.
    """

    patterns: tuple[Pattern, ...]
    log_share: FloatArray
    sizes: tuple[int, ...]
    algorithms: int
    arity: int

    def classes(self, levels: IntArray) -> IntArray:
        """The class of each state (P, l); −1 where the block does not have it."""
        has_rest = len(self.sizes) > len(self.patterns)
        found = np.full(len(levels), len(self.patterns) if has_rest else -1, dtype=np.int64)
        for k, pattern in enumerate(self.patterns):
            found[pattern.matches(levels)] = k
        return found

    @property
    def size(self) -> int:
        """Number of states."""
        return sum(self.sizes)

    def led_by(self, algorithm: int) -> list[int]:
        """How many states of each class have the algorithm in the first place."""
        numbers = [p.led_by(algorithm, self.algorithms, self.arity) for p in self.patterns]
        if len(self.sizes) > len(numbers):
            every = Pattern().led_by(algorithm, self.algorithms, self.arity)
            numbers.append(every - sum(numbers))
        return numbers

    def mass(self, numbers: Sequence[int]) -> float:
        """Sum of the shares of so many states of each class."""
        return sum(math.exp(s) * n for s, n in zip(self.log_share.tolist(), numbers, strict=True))

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Draw a state by its share."""
        chosen = 0
        if len(self.sizes) > 1:
            share = np.exp(self.log_share) * self.sizes
            chosen = int(rng.choice(len(share), p=share / share.sum()))
        pattern = self.patterns[chosen] if chosen < len(self.patterns) else Pattern()
        while True:
            state = pattern.draw(self.algorithms, self.arity, rng)
            if self.classes(state[None])[0] == chosen:
                return state


# α of every statement -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """Statements of which α is a product over measures, alpha/share ∏ share of the state."""

    alpha: float
    share: int
    states: tuple[_States, ...]

    @property
    def log_scale(self) -> float:
        """Logarithm of what the shares of states multiply."""
        return math.log(self.alpha) - math.log(self.share)

    @property
    def size(self) -> int:
        """Number of its statements."""
        return math.prod(states.size for states in self.states)

    def log_alpha(self, statements: Statements) -> FloatArray:
        """Logarithm of α of each listed statement; NaN of those that it does not have."""
        total = np.full(statements.n_listed, self.log_scale)
        columns = zip(self.states, statements.levels, statements.table.states.T, strict=True)
        for states, levels, column in columns:
            classes = states.classes(levels)[column]
            total += np.where(classes < 0, math.nan, states.log_share[classes])
        return total

    def has(self, orders: Mapping[int, ArrayLike]) -> bool:
        """Whether it has a statement, or one with these states of some measures."""
        return all(self.states[j].classes(np.array([o]))[0] >= 0 for j, o in orders.items())

    def groups(self) -> list[tuple[float, int]]:
        """Its statements of equal α together: logarithm of α, and number."""
        groups = [(self.log_scale, 1)]
        for states in self.states:
            each = [(s, n) for s, n in zip(states.log_share.tolist(), states.sizes, strict=True)]
            grown = sorted((a + s, size * n) for a, size in groups for s, n in each if n)
            groups = []
            for a, size in grown:
                if groups and a - groups[-1][0] < _SAME:
                    groups[-1] = groups[-1][0], groups[-1][1] + size
                else:
                    groups.append((a, size))
            if len(groups) > MOST_GROUPS:
                named = sum(bool(states.patterns) for states in self.states)
                raise BayescompareError(
                    f"prior: beliefs about {named} measures give the {count(self.size)} "
                    f"statements more than {count(MOST_GROUPS)} different α's; name fewer "
                    "measures, or compare on fewer."
                )
        return groups

    def led_by(self, algorithm: int, j: int) -> tuple[float, int]:
        """Mass and number of its statements in which an algorithm leads the j-th measure."""
        log_mass, number = self.log_scale, 1
        for i, states in enumerate(self.states):
            numbers = states.led_by(algorithm) if i == j else states.sizes
            if not any(numbers):
                return 0.0, 0
            log_mass += math.log(states.mass(numbers))
            number *= sum(numbers)
        return math.exp(log_mass), number


@dataclass(frozen=True)
class PatternPrior:
    """A Dirichlet prior of θ: α of single statements, of blocks of them, and of the rest.

    Attributes
    ----------
    statements : Statements
        Those named singly are listed.
    log_rest : float
        Logarithm of α of each statement that is neither named nor in a block; −inf for none.
    named : mapping of str to float
        α of the statements named singly.
    blocks : tuple of _Block
        They have no statement in common.
    """

    statements: Statements
    log_rest: float
    named: Mapping[str, float]
    blocks: tuple[_Block, ...] = ()

    @classmethod
    def read(cls, prior: Prior, strength: float, statements: Statements) -> PatternPrior:
        """Read what a user wrote, and reject what does not fit these algorithms and measures."""
        if is_elicited(prior):
            return _read_beliefs(cast("Mapping[str, Any]", prior), statements)
        if isinstance(prior, Mapping):
            return _read_labels(cast("Mapping[str, float]", prior), statements)
        if isinstance(prior, str) and prior not in ALPHAS:
            return cls(statements, math.log(strength) - statements.log_size, {})
        alpha = ALPHAS[prior] if isinstance(prior, str) else prior
        return cls(statements, math.log(alpha), {})

    @cached_property
    def _inside(self) -> list[FloatArray]:
        """Logarithm of α that each block has for each listed statement."""
        return [block.log_alpha(self.statements) for block in self.blocks]

    @cached_property
    def _single(self) -> BoolArray:
        """Which of the listed statements are named singly."""
        return np.array([label in self.named for label in self.statements.labels], dtype=bool)

    @cached_property
    def log_alpha(self) -> FloatArray:
        """Logarithm of α of each listed statement."""
        out = np.full(self.statements.n_listed, self.log_rest)
        for own in self._inside:
            out = np.where(np.isnan(own), out, own)
        if self.named:
            labels = self.statements.labels
            out[self._single] = np.log([self.named[k] for k in labels if k in self.named])
        return out

    @cached_property
    def lumps(self) -> tuple[tuple[float, float], ...]:
        """The statements that are not listed, those of equal α together: logs of α and number."""
        if not self.blocks:
            return ((self.log_rest, self.statements.log_unlisted),)
        lumps, listed = [], 0
        for block, own in zip(self.blocks, self._inside, strict=True):
            groups, inside = block.groups(), own[~np.isnan(own)]
            values, sizes = np.array([a for a, _ in groups]), [size for _, size in groups]
            for log_alpha in inside:
                sizes[int(np.argmin(np.abs(values - log_alpha)))] -= 1
            lumps += list(zip(values.tolist(), sizes, strict=True))
            listed += len(inside)
        outside = self.statements.size - sum(block.size for block in self.blocks)
        lumps.append((self.log_rest, outside - (self.statements.n_listed - listed)))
        return tuple((a, math.log(n)) for a, n in lumps if n > 0)

    @property
    def component(self) -> Component:
        """The Dirichlet over the listed statements and lumps of others."""
        return Component.listed(self.log_alpha, *self.lumps)

    def leading(self) -> FloatArray | None:
        """Mass of who leads each measure, (m, 2) or (m, l): the first and not, or each of l > 2.

        None where all statements that are not listed are alike.
        """
        if not self.blocks:
            return None
        statements, l = self.statements, len(self.statements.algorithms)
        alpha, masses = (
            np.exp(self.log_alpha),
            np.zeros((len(statements.arities), 1 if l == 2 else l)),
        )
        for (j, c), _ in np.ndenumerate(masses):
            led = statements.levels[j][statements.table.states[:, j], 0] == c
            single, arity = led & self._single, statements.arities[j]
            left = Pattern().led_by(c, l, arity) * (statements.size // arity)
            masses[j, c], outside = alpha[single].sum(), single
            for block, own in zip(self.blocks, self._inside, strict=True):
                mass, number = block.led_by(c, j)
                inside = ~np.isnan(own)
                masses[j, c] += mass - np.exp(own[single & inside]).sum()
                left, outside = left - number, outside & ~inside
            left -= int(outside.sum())
            masses[j, c] += math.exp(self.log_rest + math.log(left)) if left else 0.0
        total = self.component.total
        return masses if l > 2 else np.concatenate([masses, total - masses], axis=1)

    def on(self, keep: list[int], rest: float) -> dict[str, float]:
        """Sum over all measures but those at `keep`: α by label, of the named ones and ``"*"``.

        Where there are blocks all statements that are left are named. `rest` is α of each of the
        others.
        """
        statements, dropped = self.statements, set(range(len(self.statements.arities))) - {*keep}
        every = math.prod(statements.arities[j] for j in dropped)
        named: dict[tuple[Order, ...], list[tuple[Order, ...]]] = {}
        for label in self.named:
            orders = statements.orders(label)
            named.setdefault(tuple(orders[j] for j in keep), []).append(orders)
        shorts = list(named)
        if self.blocks:
            if math.prod(statements.arities[j] for j in keep) > DENSE:
                raise BayescompareError(
                    "the prior's wildcards cannot be summed over the other measures: more than "
                    f"{DENSE} statements are left; ask about fewer measures."
                )
            levels = [statements.levels[j].tolist() for j in keep]
            shorts = [tuple(map(tuple, orders)) for orders in itertools.product(*levels)]
        masses: dict[str, float] = {}
        for short in shorts:
            single = named.get(short, [])
            mass = sum(self.named[statements.label(orders)] for orders in single)
            left = every - len(single)
            for block in self.blocks:
                if block.has(dict(zip(keep, short, strict=True))):
                    number = math.prod(block.states[j].size for j in dropped)
                    number -= sum(block.has(dict(enumerate(orders))) for orders in single)
                    mass, left = mass + block.alpha * (number / block.share), left - number
            masses[statements.label(short)] = mass + _times(rest, left)
        return masses if self.blocks or not rest else {**masses, REST: _times(rest, every)}

    def draw_statement(self, rng: np.random.Generator) -> str:
        """Draw a statement in proportion to its α."""
        statements, l = self.statements, len(self.statements.algorithms)
        masses = [*self.named.values(), *(block.alpha for block in self.blocks)]
        rest = self.component.total - sum(masses) if self.log_rest > -math.inf else 0.0
        share = np.array([*masses, max(rest, 0.0)])
        chosen = int(rng.choice(len(share), p=share / share.sum())) - len(self.named)
        if chosen < 0:
            return list(self.named)[chosen]
        while True:
            if chosen < len(self.blocks):
                orders = [states.draw(rng) for states in self.blocks[chosen].states]
            else:
                orders = [Pattern().draw(l, arity, rng) for arity in statements.arities]
            label, where = statements.label(orders), dict(enumerate(orders))
            # Those named singly, or in a block where the rest is drawn, have their own α.
            taken = chosen == len(self.blocks) and any(block.has(where) for block in self.blocks)
            if label not in self.named and not taken:
                return label


def _read_beliefs(prior: Mapping[str, Any], statements: Statements) -> PatternPrior:
    """One block of all statements, the states of each measure by what is believed of them."""
    weight, beliefs = float(prior.get(WEIGHT, 1.0)), beliefs_of(prior)
    if WEIGHT in statements.measures:
        raise BayescompareError(
            "a measure is called 'weight', which is the weight of the prior in "
            f"prior={{..., 'weight': {prior.get(WEIGHT, 1)!r}}}: rename the measure, or give α "
            "by statement."
        )
    for measure in beliefs:
        if measure not in statements.measures:
            raise BayescompareError(
                f"prior[{measure!r}]: there is no such measure here "
                f"({', '.join(statements.measures)})."
                f"{did_you_mean(str(measure), statements.measures)}"
            )
    states = [
        _believed(beliefs.get(measure, {}), statements, j)
        for j, measure in enumerate(statements.measures)
    ]
    return PatternPrior(statements, -math.inf, {}, (_Block(weight, 1, tuple(states)),))


def _believed(belief: Mapping[str, float], statements: Statements, j: int) -> _States:
    """The states of one measure: those of a belief, and the rest, which shares what is left."""
    measure, arity, l = statements.measures[j], statements.arities[j], len(statements.algorithms)
    patterns: dict[str, Pattern] = {}
    for text in belief:
        where = f"prior[{measure!r}][{text!r}]"
        pattern = Pattern.read(State.parse(str(text)), statements, j, where)
        if pattern == Pattern():
            raise BayescompareError(
                f"{where}: the states not named share the rest anyway; name single ones."
            )
        for other, before in patterns.items():
            if pattern.overlaps(before):
                raise BayescompareError(
                    f"{where} and {other!r} can hold together, so their probabilities do not "
                    "add up: name states that exclude each other."
                )
        patterns[text] = pattern
    sizes = [pattern.size(l, arity) for pattern in patterns.values()]
    left, rest = 1.0 - sum(belief.values()), arity - sum(sizes)
    if rest == 0 and abs(left) > _SAME:
        raise BayescompareError(
            f"prior[{measure!r}] names every state, and the probabilities sum to "
            f"{setting_number_text(round(1.0 - left, 9))}, not 1."
        )
    if rest > 0 and left < _SAME:
        raise BayescompareError(
            f"prior[{measure!r}]: the probabilities sum to 1 and leave nothing for the "
            f"{count(rest)} other state(s), which would be impossible: leave them some."
        )
    logs = [math.log(p) - math.log(n) for p, n in zip(belief.values(), sizes, strict=True)]
    # A class without states has any share.
    last = math.log(left) - math.log(rest) if rest else 0.0
    return _States(tuple(patterns.values()), np.array([*logs, last]), (*sizes, rest), l, arity)


def _read_labels(prior: Mapping[str, float], statements: Statements) -> PatternPrior:
    """Single statements, a block for each label with a wildcard, and the rest."""
    l, named, wild = (
        len(statements.algorithms),
        dict[str, float](),
        dict[str, tuple[_States, ...]](),
    )
    for label in prior:
        parts = Statement.parse(str(label)).states
        if label == REST:
            continue
        if len(parts) != len(statements.measures):
            raise BayescompareError(
                f"prior[{label!r}] has {len(parts)} part(s), but there are "
                f"{len(statements.measures)} measures ({', '.join(statements.measures)}): join one "
                f"ordering or '*' per measure by '{BAR}'."
            )
        each = []
        for j, (state, arity) in enumerate(zip(parts, statements.arities, strict=True)):
            pattern = Pattern.read(state, statements, j, f"prior[{label!r}]")
            each.append(_States((pattern,), np.zeros(1), (pattern.size(l, arity),), l, arity))
        if math.prod(states.size for states in each) == 1:
            named[label] = float(prior[label])
        else:
            wild[label] = tuple(each)
    for (one, first), (other, second) in itertools.combinations(wild.items(), 2):
        if all(a.patterns[0].overlaps(b.patterns[0]) for a, b in zip(first, second, strict=True)):
            raise BayescompareError(
                f"prior[{one!r}] and prior[{other!r}] match some statements in common: "
                "name patterns that exclude each other."
            )
    listed = statements.with_labels(list(named))
    single = np.array([label in named for label in listed.labels], dtype=bool)
    blocks, left = [], listed.size - len(named)
    for label, states in wild.items():
        block = _Block(float(prior[label]), 1, states)
        share = block.size - int((single & ~np.isnan(block.log_alpha(listed))).sum())
        if share == 0:
            raise BayescompareError(
                f"prior[{label!r}]: every statement that it matches is named singly, "
                "so it adds nothing; leave it out."
            )
        blocks.append(replace(block, share=share))
        left -= share
    if left and REST not in prior:
        raise BayescompareError(
            f"prior leaves {count(left)} of {count(listed.size)} statements without α: name them "
            "too, or give '*' for the rest."
        )
    log_rest = math.log(prior[REST]) if REST in prior else -math.inf
    return PatternPrior(listed, log_rest, named, tuple(blocks))


def marginal_prior(
    prior: Prior, statements: Statements, measures: list[str]
) -> tuple[Prior, float | None]:
    """Sum the prior over all measures but `measures`: a Dirichlet's aggregate is a Dirichlet.

    α = s/K stays α = s/K′. A fixed α per statement grows by K/K′, so the marginal of Jeffreys' or
    the uniform prior is *not* Jeffreys' or uniform on the subset. Of beliefs, a product, the others
    are left; where none is left, their weight comes as the strength.
    """
    if prior in ("symmetric", "imprecise"):
        return prior, None
    if is_elicited(prior):
        beliefs = cast("Mapping[str, Any]", prior)
        weight = float(beliefs.get(WEIGHT, 1.0))
        kept = {name: belief for name, belief in beliefs_of(beliefs).items() if name in measures}
        return ({**kept, WEIGHT: weight}, None) if kept else ("symmetric", weight)
    keep = [statements.measures.index(measure) for measure in measures]
    if isinstance(prior, Mapping):
        labels = cast("Mapping[str, float]", prior)
        rest = float(labels.get(REST, 0.0))
        return PatternPrior.read(labels, 1.0, statements).on(keep, rest), None
    alpha = ALPHAS[prior] if isinstance(prior, str) else float(prior)
    left = statements.size // math.prod(statements.arities[j] for j in keep)
    return _times(alpha, left), None


def _times(alpha: float, number: int) -> float:
    try:
        return alpha * number
    except OverflowError:
        raise BayescompareError(
            "the prior's parameters summed over the other measures exceed the float range; "
            "use prior='symmetric', whose total is its strength."
        ) from None
