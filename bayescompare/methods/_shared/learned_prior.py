r"""What the pairs of a table teach about the prior of each (SPEC 8).

A pair either has no difference or has one of strength A, and its prior is a mixture over both,

.. math:: \theta \sim \mathrm{Dirichlet}(A\,\varphi), \qquad\text{or the same with}\quad
          \theta_s = \theta_{\mathrm{rev}(s)} .

The base :math:`\varphi` over patterns such as ``">|<"`` (the first better on the first measure, the
second on the second) is the same for every pair; the weights are what the other pairs teach it.
`LearnedPrior` is the prior of one pair, `Learned` that of all; `kernels.dirichlet.neighbours` has
the equations. Priors of version 0.1.0 had one distribution of strengths for all pairs, and no pair
without a difference: files that hold one keep it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.learned import (
    STRENGTHS,
    DirichletPairCounts,
    dirichlet_strength_evidence,
    learn_weights,
    learned_base,
)
from bayescompare.kernels.dirichlet.neighbours import SHARES as NULL_SHARES
from bayescompare.kernels.dirichlet.neighbours import STRENGTHS as FOLDED_STRENGTHS
from bayescompare.kernels.dirichlet.neighbours import Neighbours
from bayescompare.kernels.pair_states import every_state
from bayescompare.methods._shared.choice import pick_shared_choice
from bayescompare.posterior.component import Component
from bayescompare.posterior.partition import Partition
from bayescompare.prior import DirichletPrior
from bayescompare.statements import DENSE, State, Statement, Statements

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.comparison.comparison import Comparison
    from bayescompare.posterior.dirichlet import DirichletMixture

__all__ = [
    "Learned",
    "LearnedPrior",
    "join_shared_pattern",
    "learn_prior",
    "place_learned",
    "pool_shared_counts",
    "prior_from_counts",
    "shared_pair_patterns",
    "shared_pattern_signs",
]


#: The states of a measure as signs, by their number: first better, equivalent, second better.
_SIGNS = {2: "><", 3: ">=<"}


@dataclass(frozen=True)
class LearnedPrior:
    """The prior of one pair, learned from others (empirical Bayes).

    Attributes
    ----------
    shares : mapping of str to float
        φ by pattern, the first algorithm against the second: ``">"`` better, ``"<"`` worse,
        ``"="`` equivalent, joined by ``"|"`` over measures. All patterns while there are at most
        256, else those that some pair shows and their opposites.
    log_rest : float
        Logarithm of φ of each pattern that is not listed; −inf where none can be.
    values : tuple of float
        The strengths A.
    weights : tuple of float
        Prior probability of each strength with a difference, then of each without one; of version
        0.1.0, the share of pairs that have each strength.
    pairs : int
        How many pairs it was learned from.
    datasets : float
        How many datasets they have together.
    cells : tuple of float
        Posterior probability of each strength and share of pairs without a difference.
    lenders : int
        How many pairs taught this one, itself among them.
    null : float
        P(no difference), given the pair's datasets.
    """

    shares: Mapping[str, float]
    log_rest: float
    values: tuple[float, ...]
    weights: tuple[float, ...]
    pairs: int
    datasets: float
    cells: tuple[float, ...] = field(default=(), kw_only=True)
    lenders: int = field(default=0, kw_only=True)
    null: float = field(default=0.0, kw_only=True)

    @property
    def folds(self) -> bool:
        """Whether a pair may have no difference."""
        return len(self.weights) > len(self.values)

    @property
    def strength_weights(self) -> FloatArray:
        """Prior probability of each strength, with a difference or without one."""
        return np.reshape(self.weights, (-1, len(self.values))).sum(axis=0)

    def prior_on(self, cells: DirichletCells) -> DirichletPrior:
        """Return the prior over statements, φ of which `cells_of` returned."""
        if not self.folds:
            return DirichletPrior.scaled(cells, self.values, self.weights)
        kinds = Partition.trivial(len(cells.alpha)), Partition.mirrored(len(cells.alpha))
        components = (Component.over(a * cells.alpha, kind) for kind in kinds for a in self.values)
        with np.errstate(divide="ignore"):
            return DirichletPrior(tuple(components), np.log(np.array(self.weights)))

    @property
    def base(self) -> pd.Series[float]:
        """φ: how often each pattern is expected of a pair, before its datasets are seen."""
        import pandas as pd

        index = pd.Index(list(self.shares), name="pattern")
        return pd.Series(list(self.shares.values()), index, name="base", dtype=float)

    @property
    def strengths(self) -> pd.Series[float]:
        """g: how many of the pairs have each strength A, the prior's weight in datasets."""
        import pandas as pd

        index = pd.Index(self.values, name="strength", dtype=float)
        return pd.Series(self.strength_weights, index, name="share of pairs", dtype=float)

    def cells_of(self, statements: Statements) -> tuple[Statements, DirichletCells]:
        """Return the statements of a pair, with those that it names listed, and φ on them."""
        if statements.size > DENSE:
            first, second = statements.algorithms
            states = {
                ">": State.order(first, second),
                "<": State.order(second, first),
                "=": State.equal(first, second),
            }
            named = (map(states.__getitem__, shared_pattern_signs(p)) for p in self.shares)
            statements = statements.with_labels([str(Statement.of(*one)) for one in named])
        log_base = np.log([self.shares[pattern] for pattern in shared_pair_patterns(statements)])
        rest = (self.log_rest, statements.log_unlisted)
        return statements, DirichletCells(log_base, statements.table.counts, *rest)

    def on(self, keep: Sequence[int], subset: Statements) -> LearnedPrior:
        """Return the base summed over all measures but those kept, by their places."""
        shares: dict[str, float] = {}
        for pattern, share in self.shares.items():
            signs = shared_pattern_signs(pattern)
            short = join_shared_pattern(signs[j] for j in keep)
            shares[short] = shares.get(short, 0.0) + share
        if len(shares) < subset.size or sum(self.shares.values()) < 1.0 - 1e-9:
            raise BayescompareError(
                f"on() needs every pattern of the measures listed, at most {DENSE}; ask pairwise() "
                "on results.sel(measures=[...]) instead, which learns its prior anew."
            )
        ordered = {pattern: shares[pattern] for pattern in shared_pair_patterns(subset)}
        return replace(self, shares=ordered)

    def reweighed(self, log_weights: FloatArray) -> LearnedPrior:
        """Return it with other weights of the strengths, up to a factor."""
        return replace(self, weights=tuple(softmax(log_weights).tolist()))

    def gathered(self, comparisons: Iterable[Comparison]) -> Learned | LearnedPrior:
        """Return what all pairs taught each other, from the comparisons of them all."""
        if not self.folds:
            return self
        each: list[Any] = list(comparisons)
        return Learned({tuple(c.results.algorithms): c.method.learned for c in each})

    def options(self) -> dict[str, Any]:
        """Return the fields as JSON's own types."""
        rest = self.log_rest if math.isfinite(self.log_rest) else None
        fields = {**asdict(self), "shares": dict(self.shares), "log_rest": rest}
        if not self.folds:
            del fields["cells"], fields["lenders"], fields["null"]
        return fields

    @classmethod
    def from_options(cls, options: Mapping[str, Any] | LearnedPrior) -> LearnedPrior:
        """Read back what `options` returned."""
        if isinstance(options, LearnedPrior):
            return options
        numbers = {name: tuple(map(float, options[name])) for name in ("values", "weights")}
        return cls(
            shares={str(k): float(v) for k, v in options["shares"].items()},
            log_rest=-math.inf if options["log_rest"] is None else float(options["log_rest"]),
            pairs=int(options["pairs"]),
            datasets=float(options["datasets"]),
            cells=tuple(map(float, options.get("cells", ()))),
            lenders=int(options.get("lenders", 0)),
            null=float(options.get("null", 0.0)),
            **numbers,
        )


@dataclass(frozen=True)
class Learned:
    """What all pairs of a table taught each other.

    Attributes
    ----------
    priors : mapping of (str, str) to LearnedPrior
        Of each pair.
    """

    priors: Mapping[tuple[str, str], LearnedPrior]

    @classmethod
    def of(cls, pairs: Mapping[tuple[str, str], DirichletMixture]) -> Learned | None:
        """Let pairs teach each other, each under its own prior; None where one cannot.

        Only exact posteriors over all statements teach: no draws, no power likelihood.
        """
        every = list(pairs.values())
        exact = all(each.states is None and not each.evidence.is_power for each in every)
        if not exact or not all(each.components[0].is_plain for each in every):
            return None
        _, who = np.unique(list(pairs), return_inverse=True)
        records = np.array([each.evidence.leanings(each.version) for each in every])
        neighbours = Neighbours(who.reshape(-1, 2), records)
        equal = DirichletPrior.of_pairs(neighbours.base)
        log_evidence = np.array([each.under(equal).log_evidences for each in every])
        return cls._taught(list(pairs), neighbours, log_evidence, every[0].evidence.statements)

    @classmethod
    def of_counts(
        cls, names: Sequence[tuple[str, str]], who: IntArray, counts: FloatArray, first: Statements
    ) -> Learned:
        """Let very many pairs teach each other, by their counts (P, K)."""
        neighbours = Neighbours(who, counts)
        log_urn = DirichletPrior.of_pairs(neighbours.base).log_urn(counts)
        return cls._taught(names, neighbours, log_urn.T, first)

    @classmethod
    def _taught(
        cls,
        names: Sequence[tuple[str, str]],
        neighbours: Neighbours,
        log_evidence: FloatArray,
        first: Statements,
    ) -> Learned:
        taught = neighbours.teach(log_evidence)
        shares = dict(zip(shared_pair_patterns(first), neighbours.base.tolist(), strict=True))
        after = softmax(taught + log_evidence, axis=1)[:, len(FOLDED_STRENGTHS) :].sum(axis=1)
        columns = (np.exp(taught), neighbours.cells(log_evidence), neighbours.lenders, after)
        total = float(neighbours.records.sum())
        priors = {
            pair: LearnedPrior(
                shares=shares,
                log_rest=-math.inf,
                values=tuple(FOLDED_STRENGTHS.tolist()),
                weights=tuple(weights.tolist()),
                pairs=len(names),
                datasets=total,
                cells=tuple(cells.ravel().tolist()),
                lenders=int(lenders),
                null=float(null),
            )
            for pair, weights, cells, lenders, null in zip(names, *columns, strict=True)
        }
        return cls(priors)

    def of_pair(self, pair: tuple[str, str]) -> LearnedPrior:
        """Return the prior of a pair, whichever is named first."""
        return self.priors[pair if pair in self.priors else pair[::-1]]

    @property
    def pairs(self) -> int:
        """How many pairs taught each other."""
        return len(self.priors)

    @property
    def base(self) -> pd.Series[float]:
        """φ: how often each pattern is expected of a pair, before its datasets are seen."""
        return next(iter(self.priors.values())).base

    @property
    def weights(self) -> pd.DataFrame:
        """Probability of each strength A and share q of pairs without a difference, by pair."""
        import pandas as pd

        columns = pd.MultiIndex.from_product([FOLDED_STRENGTHS, NULL_SHARES], names=["A", "q"])
        cells = [prior.cells for prior in self.priors.values()]
        return pd.DataFrame(cells, _pair_index(list(self.priors)), columns)

    @property
    def strengths(self) -> pd.Series[float]:
        """Probability of each strength A, the prior's weight in datasets, averaged over pairs."""
        return self.weights.mean().groupby("A").sum().rename("share of pairs")

    @property
    def lenders(self) -> pd.Series[int]:
        """How many pairs taught each pair, itself among them."""
        return self._of_each("lenders")

    @property
    def null(self) -> pd.Series[float]:
        """P(no difference) of each pair, given its datasets."""
        return self._of_each("null")

    def _of_each(self, name: str) -> pd.Series[Any]:
        import pandas as pd

        each = [getattr(prior, name) for prior in self.priors.values()]
        return pd.Series(each, _pair_index(list(self.priors)), name=name)

    def options(self) -> dict[str, Any]:
        """Return what a file of all pairs says of it; each pair holds its own prior."""
        return {
            "base": self.base.to_dict(),
            "pairs": self.pairs,
            "null": self.null.tolist(),
            "lenders": self.lenders.tolist(),
        }


def _pair_index(names: Sequence[tuple[str, str]]) -> pd.MultiIndex:
    import pandas as pd

    return pd.MultiIndex.from_tuples(names, names=["first", "second"])


def place_learned(name: str, learned: LearnedPrior) -> Any:
    """Add a value from the learned distribution to the model in context, and return it."""
    import pymc as pm

    index = pm.Categorical(f"{name}_index", p=learned.strength_weights)
    return pm.Deterministic(name, pick_shared_choice(np.array(learned.values), index))


def learn_prior(statements: Sequence[Statements]) -> LearnedPrior:
    """Learn base and strengths from the statements of every pair."""
    return prior_from_counts(*pool_shared_counts(statements), statements[0].arities)


def prior_from_counts(
    counts: DirichletPairCounts, states: IntArray, arities: Sequence[int]
) -> LearnedPrior:
    """Learn base and strengths from the counts of every pair over sorted states (S, m)."""
    pooled = np.bincount(counts.cell, counts.count, minlength=len(states))
    log_base, rest = learned_base(pooled, math.log(math.prod(arities)))
    weights = learn_weights(dirichlet_strength_evidence(counts, log_base))
    return LearnedPrior(
        shares=dict(
            zip(_learned_prior_patterns(states, arities), np.exp(log_base).tolist(), strict=True)
        ),
        log_rest=rest,
        values=tuple(STRENGTHS.tolist()),
        weights=tuple(weights.tolist()),
        pairs=counts.n_pairs,
        datasets=float(pooled.sum()),
    )


def pool_shared_counts(statements: Sequence[Statements]) -> tuple[DirichletPairCounts, IntArray]:
    """Put the counts of all pairs on one list of states, which is sorted.

    The list holds every state, or beyond 256 those seen and their opposites; either way a state's
    opposite stands as far from the end as it stands from the beginning.
    """
    arities = np.array(statements[0].arities, dtype=np.int64)
    seen = [np.flatnonzero(s.table.counts) for s in statements]
    rows = np.concatenate([s.table.states[k] for s, k in zip(statements, seen, strict=True)])
    if math.prod(statements[0].arities) <= DENSE:
        states = every_state(arities.tolist())
        cell = np.ravel_multi_index(tuple(rows.T), tuple(arities.tolist())).astype(np.int64)
    else:
        both = np.concatenate([rows, arities - 1 - rows])
        states, place = np.unique(both, axis=0, return_inverse=True)
        cell = place.ravel()[: len(rows)]
    count = np.concatenate([s.table.counts[k] for s, k in zip(statements, seen, strict=True)])
    pair = np.repeat(np.arange(len(statements)), [len(k) for k in seen])
    return DirichletPairCounts(pair, cell, count, len(statements)), states


def shared_pair_patterns(statements: Statements) -> list[str]:
    """Pattern of each listed statement of a pair."""
    return _learned_prior_patterns(statements.table.states, statements.arities)


def _learned_prior_patterns(states: IntArray, arities: Sequence[int]) -> list[str]:
    signs = [_SIGNS[arity] for arity in arities]
    return [
        join_shared_pattern(s[k] for s, k in zip(signs, row, strict=True))
        for row in states.tolist()
    ]


def join_shared_pattern(signs: Iterable[str]) -> str:
    """Join the signs of the measures into a pattern, ``">|<"``."""
    return "|".join(signs)


def shared_pattern_signs(pattern: str) -> list[str]:
    """Part a pattern into the sign of each measure."""
    return pattern.split("|")
