r"""Generalised stochastic dominance as a generative model: the Bayesian bootstrap over datasets.

Story: the datasets seen are the support of the population of datasets, and nothing is known of
their weights, :math:`p \sim \mathrm{Dirichlet}(1, \dots, 1)`. Each draw of weights makes one
distribution of quality vectors for every algorithm, of which it is known who dominates whom:

.. math:: \mathrm{opt}_{ij}(p) = \min_{u \in N^\delta} \sum_l p_l\,(u(x_l) - u(y_l)) .

So it has a probability that one dominates the other, and that they are incomparable. Only the
programme's objective changes from draw to draw.

References
----------
Jansen, Nalenz, Schollmeyer & Augustin (2022) for the order; Rubin (1981), The Bayesian bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bayescompare._checks import check_count
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details
from bayescompare.comparison.method import Kind, Sampling
from bayescompare.comparison.registry import title_of
from bayescompare.kernels.gsd.verdicts import Verdicts
from bayescompare.methods.gsd.base import GsdMethod
from bayescompare.methods.gsd.comparison import GsdComparison
from bayescompare.methods.gsd.details import PairDetails
from bayescompare.methods.gsd.methods_text import gsd_bootstrap_methods_text
from bayescompare.methods.gsd.posterior import draw_weights
from bayescompare.results.results import Results
from bayescompare.statements import State

if TYPE_CHECKING:
    pass

__all__ = ["GSDBootstrap"]


@dataclass(frozen=True, kw_only=True)
class GSDBootstrap(GsdMethod):
    """How probable is it that one algorithm dominates the other, or that neither does?

    Parameters
    ----------
    delta, epsilon, rule
        As for `GSD`.
    resamples : int
        Draws of the datasets' weights; the figures carry their Monte Carlo error.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("jansen-uci")
    >>> method = bc.methods.GSDBootstrap(delta=0, resamples=200)
    >>> c = bc.compare(results, method=method, algorithms=["GBM", "CART"], rng=1)
    >>> c.best, bool(c.probability.max() > 0.9)
    ('GBM>CART', True)
    """

    name: ClassVar[str] = "gsd-bootstrap"
    title: ClassVar[str] = title_of("gsd-bootstrap")
    citations: ClassVar[tuple[str, ...]] = (
        "jansen2022gsd",
        "rubin1981bootstrap",
    )
    comparison_type: ClassVar[type[Comparison] | None] = GsdComparison
    details_type: ClassVar[type[Details]] = PairDetails
    levers: ClassVar[str] = "another δ, a measure taken as ordinal or metric, or more datasets"
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "Jansen et al. (2022); Rubin (1981)"
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "draws",
            "delta_max",
            "relation",
            "relation_at",
            "incomparable",
            "thresholds",
            "front",
            "witness",
            "order",
        }
    )
    one_pair: ClassVar[bool] = True
    verdict_phrase: ClassVar[str] = "is the most probable relation"

    resamples: int = 2000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(resamples=self.resamples)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Share of the drawn weights at which each relation holds."""
        pair = self.pair(results)
        weights = draw_weights(len(results.datasets), self.resamples, sampling.rng)
        objectives = pair.weighted(weights)
        verdicts = Verdicts(pair.solver, pair.used_delta)
        first, second = (
            ~verdicts.below(sign * objectives, np.array([0.0]))[:, 0] for sign in (1.0, -1.0)
        )
        held = [first & ~second, ~first & ~second, second & ~first, first & second]
        share = np.array([float(h.mean()) for h in held])
        counts, n = np.array([float(h.sum()) for h in held]), self.resamples
        # Where no draw or every draw has it the error is not zero but unknown: Laplace's rule.
        smooth = (counts + 1.0) / (n + 2.0)
        known = np.where((share > 0) & (share < 1), share, smooth)
        mcse = np.sqrt(known * (1.0 - known) / n)
        names = results.algorithms
        order = State.order(*names)
        states = (order, State.apart(*names), order.reversed(), State.equal(*names))
        kept = [k for k in range(4) if k < 3 or counts[k] > 0]
        here = pair.dominates()
        now = [here[0] and not here[1], not any(here), here[1] and not here[0], all(here)]
        return Answer(
            labels=tuple(str(states[k]) for k in kept),
            states=(),
            counts=np.array([float(len(results.datasets)) * now[k] for k in kept]),
            n_statements=len(kept),
            n_observed=1,
            probability=share[kept],
            mcse=mcse[kept],
            details=PairDetails(pair.used_delta, pair.delta_max, here),
            seed=sampling.seed,
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return gsd_bootstrap_methods_text(self, answer)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say which relation is the most probable, and what the bootstrap takes for granted."""
        from bayescompare.methods.gsd.words import bootstrap_words

        return bootstrap_words(self, results, answer, decision)
