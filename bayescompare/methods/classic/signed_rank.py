r"""The Bayesian signed-rank test: how probable is it that one algorithm is better on the whole?

Story: differences z (second less first) come from a distribution of which nothing is assumed but a
Dirichlet process with base measure at a tie, of weight s. Its posterior has weights

.. math:: w \sim \mathrm{Dirichlet}(s, 1, \dots, 1)

on :math:`z_0 = 0` and the differences :math:`z_1, \dots, z_n` seen. With a rope r, the share of
pairs of datasets whose mean difference favours the second is

.. math:: \theta_{\text{second}} = \sum_{i,j=0}^{n} w_i w_j\,[z_i + z_j > 2r],

:math:`\theta_{\text{first}}` alike with :math:`z_i + z_j < -2r`, and the rest is that of practical
equivalence. Reported is P(each share is the largest): of the Walsh averages
:math:`(z_i + z_j)/2`, which Wilcoxon's statistic counts, with the weights unknown.

References
----------
Benavoli, Mangili, Corani, Zaffalon & Ruggeri (2014); Benavoli, Corani, Demšar & Zaffalon (2017),
Section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._checks import check_count, check_positive
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison import nuts
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import theta_columns
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.method import Kind, Method, Parameter, Sampling
from bayescompare.comparison.registry import title_in_registry
from bayescompare.kernels.classic.walsh import exact_walsh_leaders, mean_walsh_shares, walsh_draws
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.bootstrap import WEIGHT, shared_bootstrap_alpha
from bayescompare.methods._shared.pair_answer import pair_answer
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    check_shared_prior_support,
    prior_options,
    shared_constant_dirichlet,
)
from bayescompare.methods.classic.signed_rank_points import POINT, SignedRankPoints
from bayescompare.methods.classic.signed_rank_words import signed_rank_text, signed_rank_words
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["SignedRank"]

_LACKS = {
    "loo": (
        "A difference that was not seen has no weight, so that each dataset left out is "
        "impossible given the others."
    ),
    "evidence": (
        "The likelihood is that each difference was drawn once, whatever its size, so that the "
        "evidence depends on their number alone."
    ),
    "simulate": "The prior knows a tie and no other difference, so that it has no tables to draw.",
}


@dataclass(frozen=True, kw_only=True)
class SignedRank(Method):
    """Is one algorithm better than the other on the whole, sizes of differences counted?

    Parameters
    ----------
    strength : float
        Weight s of the prior, in datasets that are ties.
    draws : int
        Independent draws of the weights; the figures carry their Monte Carlo error. Where at most
        two kinds of differences matter the answer is exact.
    priors : mapping, optional
        ``{"weight": prior}``: a prior of the weights of the tie and of every dataset in place of
        (s, 0, …, 0). A Dirichlet stays conjugate; with any other the answer comes from NUTS, and
        says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("jansen-uci").sel(measures=["auc"], algorithms=["RF", "BDS"])
    >>> c = bc.compare(results, method="signed-rank", rng=1)
    >>> c.best, round(float(c.probability.max()), 2)
    ('RF>BDS', 0.82)
    """

    name: ClassVar[str] = "signed-rank"
    title: ClassVar[str] = title_in_registry("signed-rank")
    citations: ClassVar[tuple[str, ...]] = ("benavoli2014wilcoxon", "benavoli2017time")
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "Benavoli et al. (2014)"
    levers: ClassVar[str] = "more datasets, another rope, or differences measured on another scale"
    prior_weight: ClassVar[str | None] = "strength"
    lacks: ClassVar[Mapping[str, str]] = _LACKS
    draws_are: ClassVar[str] = "conjugate"
    #: The default prior is improper, and has no draws.
    predicts: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            WEIGHT,
            (POINT,),
            "(s, 0, ..., 0), improper",
            "share of a tie, and of each dataset's kind, in the population",
            high=1.0,
            simplex=True,
        ),
    )
    provides: ClassVar[frozenset[str]] = frozenset(
        {"probability", "draws", "model", "sample", "plan", "predict"}
    )
    one_pair: ClassVar[bool] = True
    one_measure: ClassVar[bool] = True
    verdict_phrase: ClassVar[str] = "holds on the whole"

    strength: float = 0.5
    draws: int = 50_000  # type: ignore[assignment]
    priors: Priors | None = None

    def __post_init__(self) -> None:
        check_positive(strength=self.strength)
        check_count(draws=self.draws)
        check_priors(self.priors, self.parameters)
        if self.priors and self.strength != type(self).strength:
            raise BayescompareError(
                f"priors={list(self.priors)} replaces strength={self.strength!r}: give one."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        return {**super().options(), "priors": prior_options(self.priors)}

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's is no Dirichlet, so that NUTS is needed."""
        return bool(self.priors) and shared_constant_dirichlet((self.priors or {})[WEIGHT]) is None

    @property
    def supports_psis(self) -> bool:
        """Not of weights: a dataset left out would have none."""
        return False

    def prior_alpha(self, results: Results) -> FloatArray:
        """Parameters of the prior of the weights: of a tie, and of each dataset's difference."""
        n = len(results.datasets)
        if self.priors:
            return shared_bootstrap_alpha(self.priors[WEIGHT], n + 1, POINT)
        return np.append(float(self.strength), np.zeros(n))

    def weight_alpha(self, results: Results) -> FloatArray:
        """Parameters of their posterior: one more for each dataset."""
        return np.asarray(
            self.prior_alpha(results) + np.append(0.0, np.ones(len(results.datasets)))
        )

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(each share is the largest), exactly or from independent draws."""
        points = SignedRankPoints(results)
        if self.needs_mcmc:
            return self._sampled(points, sampling)
        alpha = self.weight_alpha(results)
        theta = walsh_draws(points.regions, alpha, self.draws, sampling.rng)
        mean = mean_walsh_shares(points.regions, alpha)
        exact = exact_walsh_leaders(points.regions, alpha)
        if exact is not None:
            figures: dict[str, Any] = {"probability": exact, "none_leads": 1.0 - exact.sum()}
            return self._finished(points, theta, mean, **figures)
        leads = sole_leader(theta)
        # Where no draw or every draw has it the error is not zero but unknown: Laplace's rule.
        share, n = leads.mean(axis=0), self.draws
        smooth = (leads.sum(axis=0) + 1.0) / (n + 2.0)
        known = np.where((share > 0) & (share < 1), share, smooth)
        return self._finished(
            points,
            theta,
            mean,
            probability=share,
            mcse=np.sqrt(known * (1.0 - known) / n),
            none_leads=1.0 - float(leads.any(axis=-1).mean()),
            seed=sampling.seed,
        )

    def _sampled(self, points: SignedRankPoints, sampling: Sampling) -> Answer:
        """Answer from NUTS, with its Monte Carlo standard error."""
        results = points.results
        model = self.model(results)
        check_shared_prior_support(self.priors or {}, self.parameters, model)
        tree = nuts.sample_nuts_as_asked(sampling, model, predicts=self.predicts)
        tree = self.to_tree(results, tree, sampling.rng)
        theta = tree["posterior"]["theta"].transpose("chain", "draw", "statement").values
        leads = sole_leader(theta).astype(np.float64)
        return self._finished(
            points,
            theta.reshape(-1, theta.shape[-1]),
            theta.mean(axis=(0, 1)),
            probability=leads.mean(axis=(0, 1)),
            mcse=nuts.nuts_monte_carlo_error(leads),
            none_leads=1.0 - float(leads.any(axis=-1).mean()),
            seed=sampling.seed,
            tree=tree,
        )

    def _finished(
        self, points: SignedRankPoints, theta: FloatArray, mean: FloatArray, **figures: Any
    ) -> Answer:
        """Put the shares of every draw into an answer."""
        low, high = np.quantile(theta, (0.025, 0.975), axis=0)
        return pair_answer(
            points.results,
            points.support,
            per_statement=theta_columns(mean, low, high),
            **figures,
        )

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets of the kinds seen, drawn by the weights, and judge all again."""
        from bayescompare.methods.classic.signed_rank_posterior import plan_signed_rank

        if self.needs_mcmc:
            raise BayescompareError(
                "plan() needs a posterior in closed form, and this prior needs NUTS."
            )
        return plan_signed_rank(self, SignedRankPoints(results))

    def predictive_statistics(
        self, results: Results, tree: xr.DataTree, rng: np.random.Generator, *, prior: bool
    ) -> Mapping[str, tuple[FloatArray, Any]]:
        """Compare the wins and the middle of the differences with those of datasets drawn again."""
        from bayescompare.methods.classic.signed_rank_posterior import check_signed_rank_points

        return check_signed_rank_points(SignedRankPoints(results), tree, prior=prior)

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results) -> pm.Model:
        """Build the model, with the shares as functions of the weights."""
        from bayescompare.methods.classic.signed_rank_posterior import build_signed_rank_points

        return build_signed_rank_points(self, SignedRankPoints(results))

    def exact_draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw the weights, and the shares under them."""
        from bayescompare.methods.classic.signed_rank_posterior import signed_rank_tree

        if self.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and this prior has no posterior in closed form: use sample(), "
                "or the posterior kept as c.tree."
            )
        return signed_rank_tree(self, SignedRankPoints(results), draws, chains, rng)

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Add what is known of the datasets to a tree of NUTS."""
        from bayescompare.methods.classic.signed_rank_posterior import finish_signed_rank

        return finish_signed_rank(SignedRankPoints(results), tree)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw new datasets among those seen and the tie, and who is better on each."""
        from bayescompare.methods.classic.signed_rank_posterior import predict_signed_rank_labels

        return predict_signed_rank_labels(
            self, SignedRankPoints(results), answer, number, draws, rng
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return signed_rank_text(self, answer)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say which outcome is the most probable on the whole, and what that assumes."""
        return signed_rank_words(self, results, answer, decision)
