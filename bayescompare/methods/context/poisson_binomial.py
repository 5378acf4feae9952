r"""The Poisson-binomial test: is one algorithm better than another on most datasets of a kind?

Story: on dataset i an example is the first algorithm's error alone with probability
:math:`p_{h,i}`, the second's alone with :math:`p_{g,i}`; the first is better (:math:`d_i = 1`)
where :math:`p_{h,i} < p_{g,i}`. That holds on a share r of the datasets of the context,

.. math:: r \sim \mathrm{Beta}(b, b), \quad d_i \mid r \sim \mathrm{Bernoulli}(r), \quad
          (p_{h,i}, p_{g,i}, \cdot) \mid d_i \sim \mathrm{Dirichlet}(a, a, a)
          \text{ on the side of } d_i, \quad k_i \sim \mathrm{Multinomial}(p_i),

and the question is Pr(r > ½ | k). The paper's formula is the *cut* of this model: every
:math:`d_i` is judged by its own counts alone, and r by the d's (`joint=False`). With `joint=True`
the datasets inform each other through r. That is the model which PyMC samples; the cut has draws,
but no model.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, check_positive
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details, Scalars
from bayescompare.comparison.method import (
    BetaMixture,
    Kind,
    Method,
    Parameter,
    Replicate,
    Sampling,
    Scope,
)
from bayescompare.comparison.registry import title_in_registry
from bayescompare.kernels.context.error_rates import (
    error_rate_log_marginal,
    first_error_rate_better,
)
from bayescompare.kernels.context.poisson_binomial import (
    context,
    poisson_binomial_interval,
    poisson_binomial_masses,
)
from bayescompare.kernels.context.poisson_binomial_joint import (
    joint,
    poisson_binomial_counts,
)
from bayescompare.kernels.context.rate_quadrature import RatePrior, rate_posterior
from bayescompare.methods._shared.learned_prior import LearnedPrior
from bayescompare.methods._shared.pair_answer import (
    pair_answer,
    pair_counts,
    shared_pair_leanings,
)
from bayescompare.methods._shared.prediction import share_labels
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    check_shared_prior_ranges,
    is_number,
    prior_options,
)
from bayescompare.methods.context.comparison import ContextComparison
from bayescompare.methods.context.details import OfCounts, PoissonBinomialDetails
from bayescompare.methods.context.learned_rate import learned_rate
from bayescompare.methods.context.methods_text import (
    poisson_binomial_methods_text,
    weight_learned_text,
)
from bayescompare.methods.context.poisson_binomial_words import poisson_binomial_words
from bayescompare.methods.context.rate_model import RateModel
from bayescompare.methods.context.scalars import RateScalars, context_betas_of_both, rate_scalars
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["PoissonBinomial", "poisson_binomial_cut_rate"]


_PARAMETERS = (
    Parameter(
        "r",
        (),
        "Beta(b, b)",
        "share of datasets on which the first algorithm is better (with joint=True)",
        high=1.0,
    ),
    Parameter("b", (), "1", "parameter of r's symmetric Beta prior (a number, or joint=True)"),
)

_NO_MODEL = (
    "model() and sample() are of the full model, and this answer is by the paper's formula, which "
    "judges every dataset by its own errors alone: say joint=True, or use draws(), which draws "
    "from the formula."
)


@dataclass(frozen=True, kw_only=True)
class PoissonBinomial(RateModel, Method):
    """Is the first algorithm better than the second on most datasets like these?

    Parameters
    ----------
    joint : bool
        Whether the datasets inform each other through r (the full model), or each is judged by its
        own counts alone (the paper's formula, the default).
    a : float
        Parameter of the symmetric Dirichlet prior of a dataset's error probabilities.
    b : float or "learned"
        Parameter of the symmetric Beta prior of r. ``"learned"``, for ``pairwise`` with
        ``joint=True`` only, learns it from all pairs of the table.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("poisson-binomial")``; with
        ``joint=True`` only. A distribution for ``r`` without random parameters keeps the answer
        exact; a distribution for ``b`` and all else switch it to NUTS, and the answer says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> counts = bc.load_example("lacoste-svm-parzen")
    >>> c = bc.compare(counts, method=PoissonBinomial())
    >>> c.best, round(float(c.probability.max()), 6)
    ('svm>parzen', 0.985346)
    >>> c = bc.compare(counts, method=PoissonBinomial(joint=True))
    >>> round(float(c.probability.max()), 6)
    0.998807
    """

    name: ClassVar[str] = "poisson-binomial"
    title: ClassVar[str] = title_in_registry("poisson-binomial")
    citations: ClassVar[tuple[str, ...]] = ("lacoste2012bayesian",)
    comparison_type: ClassVar[type[Comparison] | None] = ContextComparison
    details_type: ClassVar[type[Details]] = PoissonBinomialDetails
    scalars_type: ClassVar[type[Scalars]] = RateScalars
    prior_weight: ClassVar[str | None] = "b"
    levers: ClassVar[str] = "more examples on the datasets in doubt (see per_dataset)"
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "Lacoste, Laviolette & Marchand (2012), Section 5"
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "draws",
            "model",
            "sample",
            "log_evidence",
            "loo",
            "per_dataset",
            "rate",
            "plan",
            "predict",
            "simulate",
        }
    )
    only_with: ClassVar[Mapping[str, Mapping[str, Any]]] = dict.fromkeys(
        ("model", "sample", "evidence"), MappingProxyType({"joint": True})
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS
    input_kind = "counts"
    scope: ClassVar[Scope] = Scope(pair=True, measure=True)
    draws_are: ClassVar[str] = "exact"
    verdict_phrase: ClassVar[str] = "holds on most datasets of this kind"

    joint: bool = False
    a: float = 1.0
    b: float | Literal["learned"] = 1.0
    priors: Priors | None = None
    #: What `pairwise` learned, with ``b="learned"``.
    learned: LearnedPrior | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_positive(a=self.a)
        check_flag(joint=self.joint)
        self.check_weight()
        check_priors(self.priors, self.parameters)
        priors = self.priors or {}
        if len(priors) > 1:
            raise BayescompareError("priors names r and b: each determines the other; give one.")
        if is_number(priors.get("r")):
            raise BayescompareError("priors['r'] is a number: the test asks what r is.")
        if priors and self.b != 1.0:
            raise BayescompareError(f"priors={list(priors)} replaces b={self.b!r}: give one.")
        if not (self.joint or all(map(is_number, priors.values()))):
            raise BayescompareError(
                f"priors={list(priors)}: the paper's formula is not a model that takes a prior; "
                "use joint=True."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        return self.with_learned({**super().options(), "priors": prior_options(self.priors)})

    @property
    def supports_psis(self) -> bool:
        """Not the formula's, which cuts what the datasets would tell each other."""
        return self.joint

    def alone(self, results: Results) -> FloatArray:
        """P(the first is better) on each dataset, by its own counts."""
        return first_error_rate_better(*pair_counts(results), self.a)

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(r > ½) and P(r < ½): exactly, or from NUTS where a prior is the user's own."""
        check_shared_prior_ranges(self.priors, self.parameters)
        if self.needs_mcmc:
            from bayescompare.methods.context.poisson_binomial_posterior import (
                poisson_binomial_by_nuts,
            )

            return poisson_binomial_by_nuts(self, results, sampling)
        p = self.alone(results)
        if not self.joint:
            # The second's own, not one less the first's: tails keep their digits.
            other = first_error_rate_better(*pair_counts(results)[::-1], self.a)
            both = [context(p, self.weight), context(other, self.weight)]
            figures = poisson_binomial_cut_rate(poisson_binomial_masses(p), self.weight)
            return self.finished(results, both, figures, p)
        if self.rate_prior is not None:
            return self._custom(results, self.rate_prior)
        mixture = self.mixture(p)
        if mixture is not None:
            both, figures, alone = learned_rate(mixture)
            evidence = mixture.log_evidence + float(self._each(results).sum())
            wins = mixture.joint.wins
            return self.finished(results, both, figures, wins, alone, log_evidence=evidence)
        posterior = joint(p, self.weight)
        low, high = poisson_binomial_interval(
            poisson_binomial_counts(p, self.weight)[0], self.weight
        )
        figures = rate_scalars(posterior.mean, posterior.sd, low, high)
        evidence = posterior.log_evidence + float(self._each(results).sum())
        both = [posterior.first, posterior.second]
        return self.finished(results, both, figures, posterior.wins, log_evidence=evidence)

    def theta_betas(self, results: Results) -> Sequence[BetaMixture] | None:
        """Return the Betas of r and 1 − r, one for each number of wins."""
        p = self.alone(results)
        if self.needs_mcmc or self.rate_prior is not None or self.mixture(p) is not None:
            return None
        return context_betas_of_both(
            poisson_binomial_counts(p, self.weight)[0]
            if self.joint
            else poisson_binomial_masses(p),
            self.weight,
        )

    def _custom(self, results: Results, prior: RatePrior) -> Answer:
        """Answer under a prior of r of the user's, by quadrature."""
        posterior = rate_posterior(self.alone(results), prior)
        found = posterior.joint
        return self.finished(
            results,
            [found.first, found.second],
            rate_scalars(found.mean, found.sd, *posterior.interval()),
            found.wins,
            log_evidence=found.log_evidence + float(self._each(results).sum()),
        )

    def finished(
        self,
        results: Results,
        both: Any,
        figures: RateScalars,
        wins: FloatArray,
        extra: Mapping[str, FloatArray] = MappingProxyType({}),
        **more: Any,
    ) -> Answer:
        """Put figures about r and about every dataset into an answer."""
        k_h, k_g = pair_counts(results)
        p = self.alone(results)
        columns = {"first_wrong": k_h, "second_wrong": k_g, "probability": wins}
        if self.joint:
            columns = {**columns, "alone": p}
        return pair_answer(
            results,
            shared_pair_leanings(p),
            probability=np.asarray(both, dtype=np.float64),
            scalars=figures,
            per_statement={**extra, **figures.both},
            details=PoissonBinomialDetails(OfCounts.from_arrays(**columns)),
            **more,
        )

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets with as many discordant examples as those seen, one like another."""
        if self.needs_mcmc:
            raise BayescompareError("plan() needs the exact answer, and this prior needs NUTS.")
        k_h, k_g = pair_counts(results)
        seen, p = k_h + k_g, self.alone(results)
        draw = self.rate_draws(p)

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            (rate,) = draw(1, rng)
            n = rng.choice(seen, size=number).astype(np.int64)
            low = rng.beta(self.a, self.a, size=number)
            low = np.minimum(low, 1.0 - low)
            wrong = rng.binomial(n, np.where(rng.random(number) < rate, low, 1.0 - low))
            return self.both(np.append(p, first_error_rate_better(wrong, n - wrong, self.a)))

        return simulate

    def level_given(
        self, results: Results, answer: Answer, decision: Decision
    ) -> Callable[[int, int], float] | None:
        """P of the leading statement with more sure datasets, or its surest ones turned round."""
        if self.needs_mcmc:
            return None
        p = self.alone(results)
        place = answer.labels.index(decision.statement)
        # From the surest for it to the surest against it.
        own = np.sort(1.0 - p if place else p)[::-1]

        def level(more: int, moved: int) -> float:
            turned = np.concatenate([1.0 - own[:moved], own[moved:], np.ones(more)])
            return float(self.both(1.0 - turned if place else turned)[place])

        return level

    def no_evidence(self) -> str:
        """Say that a formula is no model."""
        if not self.joint:
            return "is that of a model, which the paper's formula is not: say joint=True."
        return super().no_evidence()

    def _each(self, results: Results) -> FloatArray:
        """Log of the factor by which every dataset's evidence exceeds the kernel's."""
        return math.log(2.0) + error_rate_log_marginal(*pair_counts(results), self.a)

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact predictive densities; those of the cut model are in closed form."""
        if self.needs_mcmc:
            raise self.unavailable("exact loo with a custom prior")
        p, b, each = self.alone(results), self.weight, self._each(results)
        if self.joint:
            posterior = self.full(p)
            within = posterior.mean * p + (1.0 - posterior.mean) * (1.0 - p)
            return each + posterior.log_predictive, each + np.log(within)
        n, total = len(p), float(p.sum())
        rates = (b + total - p) / (2.0 * b + n - 1.0), (b + total) / (2.0 * b + n)
        without, within = (each + np.log(r * p + (1.0 - r) * (1.0 - p)) for r in rates)
        return without, within

    def leads(self, results: Results, answer: Answer) -> FloatArray:
        """Whether r is above ½, and whether below, in each draw."""
        from bayescompare.methods.context.poisson_binomial_posterior import (
            poisson_binomial_rate_leads,
        )

        assert answer.tree is not None
        return poisson_binomial_rate_leads(answer.tree)

    # posterior -----------------------------------------------------------------------------------

    def refuses(self, quantity: str) -> str:
        """Reject a model of the formula: the full one would give another answer."""
        return _NO_MODEL if quantity in ("model", "sample") and not self.joint else ""

    def model(self, results: Results) -> pm.Model:
        """Build the joint model, every d marginalised: with explicit d it does not mix."""
        from bayescompare.methods.context.poisson_binomial_posterior import build

        if why := self.refuses("model"):
            raise BayescompareError(why)
        return build(self, results)

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw r, every d and every error probability, independently."""
        from bayescompare.methods.context.poisson_binomial_posterior import poisson_binomial_tree

        if self.needs_mcmc:
            raise BayescompareError(
                "draws() are exact, and a custom prior has no exact formula: use "
                "sample(), or the posterior kept as c.tree."
            )
        return poisson_binomial_tree(self, results, draws, chains, rng)

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Draw d and the error probabilities back, given NUTS's r."""
        from bayescompare.methods.context.poisson_binomial_posterior import finish_poisson_binomial

        return finish_poisson_binomial(self, results, tree, rng)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw r, and who is better on new datasets."""
        return share_labels(self.posterior_type(self, results, answer), number, draws, rng)

    def simulate(self, results: Results, rng: np.random.Generator) -> Results:
        """Draw r from the prior, and errors on each dataset."""
        from bayescompare.methods.context.prediction import simulated

        return simulated(self, results, rng)

    @classmethod
    def calibration(cls) -> Callable[..., Iterator[Replicate]]:
        """Simulate from the model, for calibration by simulation."""
        from bayescompare.methods.context.calibration import simulate_context_counts

        return simulate_context_counts

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return poisson_binomial_methods_text(self, answer)

    def learned_text(self, pairs: int) -> str:
        """Describe how b came from all pairs."""
        return weight_learned_text(pairs)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say who is better on most datasets, and how the datasets were put together."""
        sentences = poisson_binomial_words(self, results, answer, decision)
        return self.say_learned(sentences, decision)


def poisson_binomial_cut_rate(counts: FloatArray, b: float) -> RateScalars:
    """Mean, spread and interval of r in the cut model, a mixture of Betas.

    Examples
    --------
    >>> round(
    ...     poisson_binomial_cut_rate(
    ...         poisson_binomial_masses([0.9, 0.8, 0.95, 0.4]), 1.0
    ...     ).rate_mean,
    ...     6,
    ... )
    0.675
    """
    wins, total = b + np.arange(len(counts)), 2.0 * b + len(counts) - 1
    mean = float(counts @ wins) / total
    second = float(counts @ (wins * (wins + 1.0))) / (total * (total + 1.0))
    spread = math.sqrt(max(second - mean**2, 0.0))
    return rate_scalars(mean, spread, *poisson_binomial_interval(counts, b))
