r"""What the pairs of a table teach each other: the prior of each pair, by empirical Bayes.

The base :math:`\varphi` is over patterns such as ``">|<"`` (the first better on the first measure,
the second on the second), the same for every pair; the weights are what the other pairs teach it.
`LearnedPrior` is the prior of one pair, `Learned` that of all; `kernels.dirichlet.neighbours` has
the equations (SPEC 8). Priors of version 0.1.0 had one distribution of strengths for all pairs, and
no pair without a difference: files that hold one keep it.
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
from bayescompare.kernels.dirichlet.neighbours import SHARES, STRENGTHS, Neighbours, Taught
from bayescompare.posterior.component import Component
from bayescompare.posterior.partition import Groups, Partition
from bayescompare.prior import DirichletPrior
from bayescompare.statements import DENSE, State, Statement, Statements

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.posterior.dirichlet import DirichletMixture

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

    def prior_on(self, base: Component) -> DirichletPrior:
        """Return the prior over statements, φ of which `cells_of` returned."""
        if not self.folds:
            return DirichletPrior.scaled(base, self.values, self.weights)
        kinds = Partition.trivial(len(base.alpha)), Partition.mirrored(len(base.alpha))
        components = (Component.over(a * base.alpha, kind) for kind in kinds for a in self.values)
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

    def cells_of(self, statements: Statements) -> tuple[Statements, Component]:
        """Return the statements of a pair, with those that it names listed, and φ on them."""
        if statements.size > DENSE:
            first, second = statements.algorithms
            states = {
                ">": State.order(first, second),
                "<": State.order(second, first),
                "=": State.equal(first, second),
            }
            named = (map(states.__getitem__, p.split("|")) for p in self.shares)
            statements = statements.with_labels([str(Statement.of(*one)) for one in named])
        log_base = np.log([self.shares[pattern] for pattern in pair_patterns(statements)])
        return statements, Component.listed(log_base, (self.log_rest, statements.log_unlisted))

    def on(self, keep: Sequence[int], subset: Statements) -> LearnedPrior:
        """Return the base summed over all measures but those kept, by their places."""
        shares: dict[str, float] = {}
        for pattern, share in self.shares.items():
            signs = pattern.split("|")
            short = "|".join(signs[j] for j in keep)
            shares[short] = shares.get(short, 0.0) + share
        if len(shares) < subset.size or sum(self.shares.values()) < 1.0 - 1e-9:
            raise BayescompareError(
                f"on() needs every pattern of the measures listed, at most {DENSE}; ask pairwise() "
                "on results.sel(measures=[...]) instead, which learns its prior anew."
            )
        ordered = {pattern: shares[pattern] for pattern in pair_patterns(subset)}
        return replace(self, shares=ordered)

    def reweighed(self, log_weights: FloatArray) -> LearnedPrior:
        """Return it with other weights of the strengths, up to a factor."""
        return replace(self, weights=tuple(softmax(log_weights).tolist()))

    def gathered(self, comparisons: Iterable[Any]) -> Learned | LearnedPrior:
        """Return what all pairs taught each other, from the comparisons of them all."""
        if not self.folds:
            return self
        each = list(comparisons)
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
        try:
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
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise BayescompareError(
                "learned is what pairs taught, as a file has it: pairwise() learns it."
            ) from None


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
        taught, statements = neighbours.teach(log_evidence), every[0].evidence.statements
        return cls.told(list(pairs), neighbours, log_evidence, taught, statements)

    @classmethod
    def told(
        cls,
        names: Sequence[tuple[str, str]],
        neighbours: Neighbours,
        log_evidence: FloatArray,
        taught: Taught,
        first: Statements,
    ) -> Learned:
        """Put what was taught under the names of the pairs; all have statements as the first."""
        shares = dict(zip(pair_patterns(first), neighbours.base.tolist(), strict=True))
        log_weight, cells = taught
        after = softmax(log_weight + log_evidence, axis=1)[:, len(STRENGTHS) :].sum(axis=1)
        columns = (np.exp(log_weight), cells, neighbours.lenders, after)
        total = float(neighbours.records.sum())
        priors = {
            pair: LearnedPrior(
                shares=shares,
                log_rest=-math.inf,
                values=tuple(STRENGTHS.tolist()),
                weights=tuple(weights.tolist()),
                pairs=len(names),
                datasets=total,
                cells=tuple(own.ravel().tolist()),
                lenders=int(lenders),
                null=float(null),
            )
            for pair, weights, own, lenders, null in zip(names, *columns, strict=True)
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

        columns = pd.MultiIndex.from_product([STRENGTHS, SHARES], names=["A", "q"])
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


@dataclass(frozen=True, eq=False)
class Board:
    """Very many pairs at once, all datasets counted: P posteriors of one count vector each.

    They share components; counts are (P, S) and weights (A, P).
    """

    components: tuple[Component, ...]
    counts: FloatArray
    weight: FloatArray

    @classmethod
    def of(cls, prior: DirichletPrior, counts: FloatArray) -> Board:
        """All pairs under one prior."""
        log_weight = prior.log_urn(counts) + prior.log_weight[:, None]
        return cls(prior.components, counts, softmax(log_weight, axis=0))

    @classmethod
    def learned(cls, counts: FloatArray, who: IntArray) -> Board:
        """Let all pairs, (P, 2), teach each other."""
        neighbours = Neighbours(who, counts)
        prior = DirichletPrior.of_pairs(neighbours.base)
        log_urn = prior.log_urn(counts)
        taught = neighbours.teach(log_urn.T).log_weight.T
        return cls(prior.components, counts, softmax(log_urn + taught, axis=0))

    def events(self, groups: Groups) -> Board:
        """Return the distributions of sums of θ."""
        components = tuple(component.events(groups) for component in self.components)
        return replace(self, components=components, counts=groups.total(self.counts))

    def some(self, pairs: IntArray) -> Board:
        """Return some of the pairs."""
        return replace(self, counts=self.counts[pairs], weight=self.weight[:, pairs])

    def p_max(self) -> FloatArray:
        """P(θ_s is the largest) of each pair, (P, S + 1)."""
        each = zip(self.components, self.weight, strict=True)
        return np.sum([w[:, None] * a.p_max(self.counts) for a, w in each], axis=0)


def _pair_index(names: Sequence[tuple[str, str]]) -> pd.MultiIndex:
    import pandas as pd

    return pd.MultiIndex.from_tuples(names, names=["first", "second"])


def pair_patterns(statements: Statements) -> list[str]:
    """Pattern of each listed statement of a pair: the sign of each measure, joined by ``"|"``."""
    signs, rows = [_SIGNS[arity] for arity in statements.arities], statements.table.states.tolist()
    return ["|".join(own[k] for own, k in zip(signs, row, strict=True)) for row in rows]
