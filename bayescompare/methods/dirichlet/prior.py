r"""α of every statement: the `prior=` of the multinomial-Dirichlet test, however it is written.

A pattern stands for states of one measure: ``"B>A"`` for every ordering in which B is better than
A, ``"*"`` for any. Single statements have an α of their own, and so has each of the rest; between
them are blocks of statements, with a share for every state of each measure, in which

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
from typing import Any, Literal, cast

import numpy as np

from bayescompare._checks import MOST_WEIGHT, check_positive, is_number, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import BoolArray, FloatArray, IntArray
from bayescompare.kernels.orders import MIDDLE
from bayescompare.posterior.component import Component
from bayescompare.statements import BAR, DENSE, State, Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, setting_number_text
from bayescompare.text.phrases import join_names

PriorName = Literal["symmetric", "jeffreys", "uniform", "imprecise", "learned"]
Prior = PriorName | float | Mapping[str, float] | Mapping[str, float | Mapping[str, float]]

_NAMES = ("symmetric", "jeffreys", "uniform", "imprecise", "learned")
#: α of every statement, by the name of the prior.
ALPHAS = {"jeffreys": 0.5, "uniform": 1.0}
#: Key of a mapping that stands for every statement it does not name; any state of a measure.
REST = "*"
#: The key that holds the weight of beliefs in datasets, among the names of measures.
WEIGHT = "weight"
#: Distinct α's among the statements that are not listed; more would take minutes.
MOST_GROUPS = 1024
#: States of one measure up to which patterns are matched with each of them: 9!.
_MOST_STATES = 362_880
#: Logarithms closer than this are those of equal α's, and probabilities sum to one within it.
_SAME = 1e-9


# what can be checked before algorithms and measures are known -------------------------------------


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


def check_prior(prior: object, strength: float) -> None:
    """Check what can be checked before algorithms and measures are known."""
    check_positive(strength=strength)
    if isinstance(prior, str):
        if prior not in _NAMES:
            raise BayescompareError(
                f"prior={prior!r}: choose one of {', '.join(_NAMES)}, a number (α per statement) "
                f"or a mapping from statement to α.{did_you_mean(prior, _NAMES)}"
            )
    elif is_elicited(prior):
        _check_beliefs(cast("Mapping[str, Any]", prior))
    elif isinstance(prior, Mapping):
        if not prior:
            raise BayescompareError("prior={}: name at least one statement, or '*' for all.")
        for label, value in prior.items():
            _check_weight(f"prior[{label!r}]", value)
    else:
        _check_weight("prior", prior)
    if strength != 1.0 and not (isinstance(prior, str) and prior in ("symmetric", "imprecise")):
        fixes = "has its own 'weight'" if is_elicited(prior) else "fixes α itself"
        raise BayescompareError(
            f"strength={strength!r} goes with prior='symmetric' or 'imprecise'; prior={prior!r} "
            f"{'learns it' if prior == 'learned' else fixes}."
        )


def _check_weight(argument: str, value: object, what: str = "α must be a finite number") -> None:
    if not is_number(value) or not 0.0 < value <= MOST_WEIGHT:
        raise BayescompareError(
            f"{argument}={show_checked_value(value)}: {what} > 0, at most "
            f"{setting_number_text(MOST_WEIGHT)}."
        )


def _check_beliefs(prior: Mapping[str, Any]) -> None:
    weight, beliefs = prior.get(WEIGHT, 1.0), beliefs_of(prior)
    _check_weight(
        "prior['weight']",
        weight,
        "it must be the number of datasets that the beliefs are worth (a measure called 'weight' "
        "must have another name here),",
    )
    if not beliefs:
        raise BayescompareError(
            f"prior={dict(prior)!r} has a weight but no belief about a measure: add one, as in "
            f"{{'accuracy': {{'B>A': 0.7}}, 'weight': 5}}, or say strength={weight!r}."
        )
    for measure, belief in beliefs.items():
        if not isinstance(belief, Mapping) or not belief:
            raise BayescompareError(
                f"prior[{measure!r}]={show_checked_value(belief)} among beliefs about measures: "
                "name at least one state with its probability, {'accuracy': {'B>A': 0.7}, "
                "'weight': 5}, or give α by statement, {'B>A|B>A': 2, '*': 0.5}, but not both."
            )
        for state, p in belief.items():
            if not (is_number(p) and 0.0 < p < 1.0):
                raise BayescompareError(
                    f"prior[{measure!r}][{state!r}]={show_checked_value(p)}: must be a probability "
                    "above 0 and below 1; what is certain needs no test."
                )
        if sum(belief.values()) > 1.0 + _SAME:
            raise BayescompareError(
                f"prior[{measure!r}]: the probabilities sum to "
                f"{setting_number_text(round(sum(belief.values()), 9))}, more than 1."
            )


def beliefs_of(prior: Mapping[str, Any]) -> dict[str, Any]:
    """What beliefs say of each measure."""
    return {name: belief for name, belief in prior.items() if name != WEIGHT}


def beliefs_words(prior: Mapping[str, Any]) -> str:
    """Say beliefs about measures in words.

    Examples
    --------
    >>> beliefs_words({"accuracy": {"B>A": 0.7}, "weight": 5})
    'B is better than A on accuracy with probability 0.7'
    """
    return join_names(
        [
            f"{State.parse(str(state)).words()} on {measure} with probability "
            f"{setting_number_text(p)}"
            for measure, belief in beliefs_of(prior).items()
            for state, p in belief.items()
        ]
    )


def prior_as_json(value: Any) -> Any:
    """Write numbers, and mappings of them, as JSON has them; a word stays."""
    if isinstance(value, Mapping):
        return {str(key): prior_as_json(each) for key, each in value.items()}
    return value if isinstance(value, str) else float(value)


def prior_of_pair(
    prior: Mapping[str, Any], results: Results, pair: tuple[str, str]
) -> tuple[Any, float]:
    """Keep what a prior says about a pair; return that and the strength of what is left.

    A belief about two algorithms is about their pair and no other; the measures on which nothing
    was said of a pair have all states alike.
    """
    if not is_elicited(prior):
        kept = {
            label: alpha
            for label, alpha in prior.items()
            if label == REST or _concerns(f"prior[{label!r}]", label, results, pair)
        }
        if not kept:
            raise BayescompareError(
                f"prior says nothing about {pair[0]} against {pair[1]}: name their statements too, "
                "or give '*' for the rest."
            )
        return kept[REST] if set(kept) == {REST} else kept, 1.0
    weight, beliefs = float(prior.get(WEIGHT, 1.0)), dict[str, Any]()
    for measure, belief in beliefs_of(prior).items():
        where = f"prior[{measure!r}]"
        own = {s: p for s, p in belief.items() if _concerns(f"{where}[{s!r}]", s, results, pair)}
        # A measure that does not exist must be refused even where no belief is left.
        if own or measure not in results.measures:
            beliefs[measure] = own or belief
    return ({**beliefs, WEIGHT: weight}, 1.0) if beliefs else ("symmetric", weight)


def _concerns(where: str, label: object, results: Results, pair: tuple[str, str]) -> bool:
    """Whether a statement is about this pair; one about a single pair is about no other."""
    states = Statement.parse(str(label)).states
    named = {name for state in states for name in state.names if state.names != (REST,)}
    _check_compared(where, sorted(named), results.algorithms)
    if len(named) > 2:
        raise BayescompareError(
            f"{where} is about {len(named)} algorithms, and pairwise() asks about two at a time: "
            "give what you believe of each pair, or ask compare()."
        )
    return named <= set(pair)


def _check_compared(where: str, names: Sequence[str], algorithms: Sequence[str]) -> None:
    for name in names:
        if name not in algorithms:
            raise BayescompareError(
                f"{where}: {name!r} is not one of the algorithms compared "
                f"({', '.join(algorithms)}).{did_you_mean(name, algorithms)}"
            )


# blocks of statements -----------------------------------------------------------------------------

#: Places of algorithms, best first: it stands for the states in which they follow each other so,
#: others between them or not; `_EQUAL` for the state "equivalent", an empty one for every state.
Pattern = tuple[int, ...]
_EQUAL: Pattern = (MIDDLE,)


def _read_pattern(state: State, statements: Statements, j: int, where: str) -> Pattern:
    """Read one state of a measure, an order of some of the algorithms, or ``"*"``."""
    algorithms = statements.algorithms
    if state.names == (REST,):
        return ()
    _check_compared(where, state.names, algorithms)
    roped = statements.arities[j] == 3 and len(algorithms) == 2
    if state.relation == "=" and roped and set(state.names) == set(algorithms):
        return _EQUAL
    if state.relation != ">" or not 1 < len(state.names) == len(set(state.names)):
        rope = "" if roped else "; '=' needs a rope on the measure"
        raise BayescompareError(
            f"{where}: {str(state)!r} is not an order of algorithms such as "
            f"{str(State.order(*algorithms[:2]))!r}{rope}."
        )
    return tuple(algorithms.index(name) for name in state.names)


def _matched(pattern: Pattern, levels: IntArray) -> BoolArray:
    """Which of the states (P, l) a pattern stands for."""
    middle: BoolArray = levels[:, 0] == MIDDLE
    if pattern == _EQUAL:
        return middle
    if not pattern:
        return np.ones(len(levels), dtype=bool)
    places = np.argsort(levels, axis=1)[:, pattern]
    return np.asarray((np.diff(places, axis=1) > 0).all(axis=1) & ~middle)


def _with_every_state(statements: Statements) -> Statements:
    if max(statements.arities) > _MOST_STATES:
        raise BayescompareError(
            "prior: wildcards and beliefs are matched with every ordering, of at most 9 "
            f"algorithms, and there are {len(statements.algorithms)}: name whole statements."
        )
    return statements.complete_levels()


@dataclass(frozen=True, eq=False)
class _Block:
    """Statements whose α is a product over measures, scale ∏ share of the state.

    Attributes
    ----------
    log_scale : float
    shares : list of arrays
        Of every state of each measure; 0 of those that the block does not have.
    """

    log_scale: float
    shares: list[FloatArray]

    @cached_property
    def sizes(self) -> list[int]:
        """Number of states of each measure that it has."""
        return [int(np.count_nonzero(share)) for share in self.shares]

    def log_alpha(self, states: IntArray) -> FloatArray:
        """Logarithm of α of statements given by their states (S, m); −inf of those it has not."""
        with np.errstate(divide="ignore"):
            logs = (np.log(own[k]) for own, k in zip(self.shares, states.T, strict=True))
            return np.asarray(self.log_scale + sum(logs))

    def groups(self) -> list[tuple[float, int]]:
        """Its statements of equal α together: logarithm of α, and number."""
        groups = [(self.log_scale, 1)]
        for share in self.shares:
            values, sizes = np.unique(share[share > 0.0], return_counts=True)
            each = list(zip(np.log(values).tolist(), sizes.tolist(), strict=True))
            grown = sorted((a + s, size * n) for a, size in groups for s, n in each)
            groups = []
            for a, size in grown:
                if groups and a - groups[-1][0] < _SAME:
                    groups[-1] = groups[-1][0], groups[-1][1] + size
                else:
                    groups.append((a, size))
            if len(groups) > MOST_GROUPS:
                uneven = sum(bool(np.ptp(each) > 0.0) for each in self.shares)
                raise BayescompareError(
                    f"prior: beliefs about {uneven} measures give the "
                    f"{count(math.prod(self.sizes))} statements more than {count(MOST_GROUPS)} "
                    "different α's; name fewer measures, or compare on fewer."
                )
        return groups

    def mass_on(self, keep: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Mass and number of its statements, by their states of the measures kept."""
        scale, number, mass = math.exp(self.log_scale), 1.0, np.ones(1)
        for j, share in enumerate(self.shares):
            if j not in keep:
                scale, number = scale * float(share.sum()), number * self.sizes[j]
        for j in keep:
            mass = np.multiply.outer(mass, self.shares[j]).ravel()
        return scale * mass, np.where(mass > 0.0, number, 0.0)


# α of every statement -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PatternPrior:
    """A Dirichlet prior of θ: α of single statements, of blocks of them, and of the rest.

    Attributes
    ----------
    statements : Statements
        Those named singly are listed; where there are blocks, with every state of each measure.
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
    def read(
        cls, prior: Prior | FloatArray, strength: float, statements: Statements
    ) -> PatternPrior:
        """Read what a user wrote, and reject what does not fit these algorithms and measures."""
        if isinstance(prior, np.ndarray):
            return cls(statements, -math.inf, _by_label(prior, statements))
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
        return [block.log_alpha(self.statements.table.states) for block in self.blocks]

    @cached_property
    def _single(self) -> dict[int, float]:
        """α of the statements named singly, by their place in the listing."""
        return {k: self.named[s] for k, s in enumerate(self.statements.labels) if s in self.named}

    @cached_property
    def component(self) -> Component:
        """The Dirichlet over the listed statements and lumps of others, alike within each."""
        log_alpha = np.full(self.statements.n_listed, self.log_rest)
        for own in self._inside:
            log_alpha = np.where(own > -np.inf, own, log_alpha)
        if self.named:
            log_alpha[list(self._single)] = np.log(list(self._single.values()))
        lumps, outside = list[tuple[float, int]](), self.statements.size - self.statements.n_listed
        for block, own in zip(self.blocks, self._inside, strict=True):
            groups = block.groups()
            values, sizes = np.array([a for a, _ in groups]), [size for _, size in groups]
            for inside in own[own > -np.inf]:
                sizes[int(np.argmin(np.abs(values - inside)))] -= 1
            lumps += list(zip(values.tolist(), sizes, strict=True))
            outside -= sum(sizes)
        lumps.append((self.log_rest, outside))
        return Component.listed(log_alpha, *((a, math.log(n)) for a, n in lumps if n > 0))

    def mass_on(self, keep: Sequence[int]) -> FloatArray:
        """Σα by the states of the measures at `keep`, summed over all others."""
        shape = [self.statements.arities[j] for j in keep]
        mass, named = np.zeros((2, math.prod(shape)))
        left = np.full(len(mass), float(self.statements.size // len(mass)))
        for block in self.blocks:
            own, number = block.mass_on(keep)
            mass, left = mass + own, left - number
        for k, alpha in self._single.items():
            states = self.statements.table.states[k]
            place = int(np.ravel_multi_index([states[j] for j in keep], shape))
            inside = math.fsum(math.exp(own[k]) for own in self._inside)
            named[place] += alpha
            mass[place] -= inside
            left[place] -= inside == 0.0
        # Rounding may leave less than nothing where the ones named have it all.
        return np.asarray(np.maximum(mass, 0.0) + named + math.exp(self.log_rest) * left)

    def leading(self) -> FloatArray | None:
        """Mass of who leads each measure, (m, 2) or (m, l): the first and not, or each of l > 2.

        None where all statements that are not listed are alike.
        """
        if not self.blocks:
            return None
        l, rows = len(self.statements.algorithms), []
        for j, levels in enumerate(self.statements.levels):
            first = levels[:, 0] if l > 2 else (levels[:, 0] != 0).astype(np.int64)
            rows.append(np.bincount(first, self.mass_on([j]), minlength=l))
        return np.array(rows)

    def on(self, keep: list[int], rest: float) -> dict[str, float]:
        """Sum over all measures but those at `keep`: α by label, of the named ones and ``"*"``.

        Where there are blocks all statements that are left are named. `rest` is α of each of the
        others.
        """
        statements = self.statements
        every = math.prod(statements.arities[j] for j in keep)
        if self.blocks:
            if every > DENSE:
                raise BayescompareError(
                    "the prior's wildcards cannot be summed over the other measures: more than "
                    f"{DENSE} statements are left; ask about fewer measures."
                )
            shorts = itertools.product(*(statements.state_names(j) for j in keep))
            return dict(zip(map(BAR.join, shorts), self.mass_on(keep).tolist(), strict=True))
        named: dict[str, list[float]] = {}
        for k, alpha in self._single.items():
            short = BAR.join(statements.states[j][k] for j in keep)
            named.setdefault(short, []).append(alpha)
        each = statements.size // every
        masses = {k: sum(own) + _times(rest, each - len(own)) for k, own in named.items()}
        return {**masses, REST: _times(rest, each)} if rest else masses

    def draw_unlisted(self, rng: np.random.Generator) -> str:
        """Draw a statement that is not listed, in proportion to its α."""
        statements = self.statements
        whole = _Block(self.log_rest, [np.ones(arity) for arity in statements.arities])
        among = [*self.blocks, whole]
        share = np.array([float(block.mass_on([])[0][0]) for block in among])
        while True:
            chosen = int(rng.choice(len(share), p=share / share.sum()))
            each = (rng.choice(len(p), p=p / p.sum()) for p in among[chosen].shares)
            states = np.array([list(each)])
            inside = [block.log_alpha(states)[0] > -np.inf for block in self.blocks]
            (label,) = statements.labels_of(states)
            # Of the whole, only those outside the blocks.
            if statements.find(label) is None and not (chosen == len(inside) and any(inside)):
                return label


def _by_label(alpha: FloatArray, statements: Statements) -> dict[str, float]:
    """Read a vector of α, in the order in which the statements are listed, as a mapping."""
    if alpha.shape != (statements.size,) or statements.size > DENSE:
        raise BayescompareError(
            f"priors: α has {alpha.size} parameter(s) for {count(statements.size)} statements "
            f"({', '.join(statements.labels[:4])}…); give one each, at most {DENSE}."
        )
    for label, value in zip(statements.labels, alpha, strict=True):
        _check_weight(f"priors: α at {label!r}", float(value))
    return dict(zip(statements.labels, alpha.tolist(), strict=True))


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
    listed = _with_every_state(statements)
    shares = [
        _believed(beliefs.get(measure, {}), listed, j)
        for j, measure in enumerate(statements.measures)
    ]
    return PatternPrior(listed, -math.inf, {}, (_Block(math.log(weight), shares),))


def _believed(belief: Mapping[str, float], statements: Statements, j: int) -> FloatArray:
    """Share of every state of a measure: of those believed, and of the rest what is left."""
    measure, every = statements.measures[j], statements.levels[j]
    shares, taken = np.zeros(len(every)), dict[str, BoolArray]()
    for text, p in belief.items():
        where = f"prior[{measure!r}][{text!r}]"
        pattern = _read_pattern(State.parse(str(text)), statements, j, where)
        if not pattern:
            raise BayescompareError(
                f"{where}: the states not named share the rest anyway; name single ones."
            )
        own = _matched(pattern, every)
        for other, before in taken.items():
            if (own & before).any():
                raise BayescompareError(
                    f"{where} and {other!r} can hold together, so their probabilities do not "
                    "add up: name states that exclude each other."
                )
        taken[text], shares[own] = own, p / own.sum()
    left, rest = 1.0 - sum(belief.values()), int((shares == 0.0).sum())
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
    shares[shares == 0.0] = left / max(rest, 1)
    return shares


def _read_labels(prior: Mapping[str, float], statements: Statements) -> PatternPrior:
    """Single statements, a block for each label with a wildcard, and the rest."""
    l, named, wild = len(statements.algorithms), dict[str, float](), dict[str, list[Pattern]]()
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
        read = [
            _read_pattern(state, statements, j, f"prior[{label!r}]")
            for j, state in enumerate(parts)
        ]
        if all(pattern == _EQUAL or len(pattern) == l for pattern in read):
            named[label] = float(prior[label])
        else:
            wild[label] = read
    listed = statements.with_labels(list(named))
    listed = _with_every_state(listed) if wild else listed
    shares = {
        label: [
            _matched(pattern, levels).astype(np.float64)
            for pattern, levels in zip(read, listed.levels, strict=True)
        ]
        for label, read in wild.items()
    }
    for (one, first), (other, second) in itertools.combinations(shares.items(), 2):
        if all((a * b).any() for a, b in zip(first, second, strict=True)):
            raise BayescompareError(
                f"prior[{one!r}] and prior[{other!r}] match some statements in common: "
                "name patterns that exclude each other."
            )
    single = listed.table.states[[k for k, s in enumerate(listed.labels) if s in named]]
    blocks, left = [], listed.size - len(named)
    for label, each in shares.items():
        block = _Block(0.0, each)
        share = math.prod(block.sizes) - int((block.log_alpha(single) > -np.inf).sum())
        if share == 0:
            raise BayescompareError(
                f"prior[{label!r}]: every statement that it matches is named singly, "
                "so it adds nothing; leave it out."
            )
        blocks.append(replace(block, log_scale=math.log(prior[label]) - math.log(share)))
        left -= share
    if left and REST not in prior:
        raise BayescompareError(
            f"prior leaves {count(left)} of {count(listed.size)} statements without α: name them "
            "too, or give '*' for the rest."
        )
    log_rest = math.log(prior[REST]) if REST in prior else -math.inf
    return PatternPrior(listed, log_rest, named, tuple(blocks))


def marginal_prior(
    prior: Prior | FloatArray, statements: Statements, measures: list[str]
) -> tuple[Prior, float | None]:
    """Sum the prior over all measures but `measures`: a Dirichlet's aggregate is a Dirichlet.

    α = s/K stays α = s/K′. A fixed α per statement grows by K/K′, so the marginal of Jeffreys' or
    the uniform prior is *not* Jeffreys' or uniform on the subset. Of beliefs, a product, the others
    are left; where none is left, their weight comes as the strength.
    """
    if isinstance(prior, str) and prior not in ALPHAS:
        return prior, None
    if is_elicited(prior):
        beliefs = cast("Mapping[str, Any]", prior)
        weight = float(beliefs.get(WEIGHT, 1.0))
        kept = {name: belief for name, belief in beliefs_of(beliefs).items() if name in measures}
        return ({**kept, WEIGHT: weight}, None) if kept else ("symmetric", weight)
    keep = [statements.measures.index(measure) for measure in measures]
    if isinstance(prior, Mapping | np.ndarray):
        rest = float(cast("Any", prior).get(REST, 0.0)) if isinstance(prior, Mapping) else 0.0
        return PatternPrior.read(prior, 1.0, statements).on(keep, rest), None
    alpha = ALPHAS[prior] if isinstance(prior, str) else float(prior)
    return _times(alpha, statements.size // math.prod(statements.arities[j] for j in keep)), None


def _times(alpha: float, number: int) -> float:
    try:
        return alpha * number
    except OverflowError:
        raise BayescompareError(
            "the prior's parameters summed over the other measures exceed the float range; "
            "use prior='symmetric', whose total is its strength."
        ) from None
