r"""Replicated evidence: joint statements that are themselves uncertain.

Story: on dataset i one joint statement :math:`z_i` about who is better on each measure is true,
but it is not seen. Folds, seeds or test items say how well each statement s fits,
:math:`\ell_i(s)`, and

.. math:: \theta \sim \mathrm{Dirichlet}(\alpha), \quad
          z_i \sim \mathrm{Categorical}(\theta), \qquad
          p(\theta \mid \text{data}) \propto \mathrm{Dir}(\theta; \alpha)
          \prod_i \sum_s \theta_s\, \ell_i(s) .

Where every dataset is certain this is the multinomial-Dirichlet test; with one measure it is the
joint Poisson-binomial test; ``joint=False`` with one measure and a rope is the correlated t-test.

References
----------
de Campos & Benavoli (2016); Lacoste, Laviolette & Marchand (2012); Corani & Benavoli (2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.learned import Learned, LearnedPrior
from bayescompare.methods._shared.correlation import check_correlation
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    is_fixed_prior,
    prior_options,
)
from bayescompare.methods._shared.words import NO_EVIDENCE, NO_LOO
from bayescompare.methods.dirichlet.prior import (
    PatternPrior,
    Prior,
    check_prior,
    prior_as_json,
    prior_of_pair,
)
from bayescompare.methods.replicated.comparison import (
    ReplicatedDetails,
    SeenDatasets,
    UncertaintySplit,
    dataset_headline,
    methods_text,
    verdict_words,
)
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.facts import Facts
from bayescompare.outcome.method import (
    LEAST_PAIRS,
    Accepts,
    Form,
    Method,
    Parameter,
    Phrases,
    Sampling,
    Scope,
)
from bayescompare.outcome.posterior import Lack, Posterior, grown_by_resemblance, posterior_answer
from bayescompare.outcome.registry import title_in_registry, unavailable
from bayescompare.partly_seen import partial_table
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import POWER, DirichletPrior
from bayescompare.statements import DENSE, Statements
from bayescompare.table.checks import effective_weights
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr


#: The options that say how replicates are read, which no prior changes.
_READING = ("effects", "rho", "folds")


class ReplicatedPosterior(SeenDatasets):
    """θ after uncertain datasets, with its draws and what more datasets or replicates would say."""

    facts_type: ClassVar[type[Facts]] = ReplicatedDetails

    method: Replicated

    weighed_by: ClassVar[str | None] = "strength"
    draws_are: ClassVar[str] = "exact"
    lacks: ClassVar[Mapping[str, Lack]] = {
        "simulate": Lack(
            "Its likelihood weighs statements by the replicates seen; it makes no new ones."
        )
    }

    def headline(self, decision: Decision) -> str:
        """Say of one dataset that the answer is about that one only."""
        if len(self.results.datasets) == 1:
            return dataset_headline(self.results, decision)
        return super().headline(decision)

    def why_not(self, quantity: str) -> str:
        """Say what the cut, NUTS, a learned prior and a power likelihood do not have."""
        method = self.method
        if quantity == "domains":
            return super().why_not(quantity)
        reasons = {}
        if self.results.weights is not None:
            reasons = {
                "evidence": NO_EVIDENCE,
                "loo": f"loo: {NO_LOO}",
                "plan": "plan: with weight= it is not known what new datasets would weigh.",
            }
            if method.needs_mcmc:
                reasons["draws"] = "draws: with weight= NUTS samples; use c.tree or sample()."
        if not method.joint:
            why = "with joint=False each dataset is judged by itself, which is a formula and not"
            for name in ("model", "sample", "log_evidence", "loo", "psis"):
                reasons[name] = f"{name}: {why} the posterior of a model; use joint=True."
        if method.needs_mcmc:
            reasons["uncertainty"] = (
                "uncertainty: it is split over counts of statements, and an answer by NUTS has "
                "none; leave out priors=."
            )
        if method.learned is not None:
            reasons["uncertainty"] = (
                "uncertainty: here a part of it is the prior's, which was learned from all pairs; "
                "compare() the two algorithms by themselves."
            )
        return reasons.get(quantity, "")

    # draws ----------------------------------------------------------------------------------------

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw scale, counts and θ from their posterior, without MCMC where it is exact."""
        if self.theta is None:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        from bayescompare.methods._shared.trees import posterior_tree
        from bayescompare.methods.replicated.model import with_statements

        method, theta = self.method, self.theta
        if theta.states is not None:
            # Count vectors that were drawn are drawn anew, by this generator.
            theta = method.posterior_of(theta.evidence, rng)
        shown = theta.evidence.each_alone(theta.version)
        listing = replace(method.listing(self.results), weights=shown)
        scales = method.table_evidence(self.results).evidence.scales
        size = chains, draws
        tree = posterior_tree(self.results, listing, theta, method.learned, size, rng, scales)
        tree = with_statements(tree, method, self.results, rng)
        return self._with_log_prior(tree, listing)

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        from bayescompare.methods.replicated.model import finish_replicated_tree

        tree = finish_replicated_tree(tree, self.method, self.results, rng)
        return self._with_log_prior(tree, self.method.listing(self.results))

    def _with_log_prior(self, tree: xr.DataTree, listing: LumpedStatements) -> xr.DataTree:
        from bayescompare.methods._shared.learned import with_log_prior

        learned = self.method.learned
        return tree if learned is None else with_log_prior(tree, listing, learned)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw θ, and the statements of new datasets from it."""
        from bayescompare.methods._shared.new_datasets import share_labels

        return share_labels(self, number, draws, rng)

    # the same question of other data --------------------------------------------------------------

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of each dataset; of a single one there are none."""
        if len(self.results.datasets) == 1:
            raise BayescompareError(
                "loo: there is only one dataset, and nothing to predict it from."
            )
        if self.theta is None:
            raise unavailable(self.method, "exact loo with a custom prior")
        return super().leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Add datasets that are as informative as those seen."""
        if self.theta is None:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        return grown_by_resemblance(self.theta)

    def with_replicates(self) -> Callable[[float, np.random.Generator], FloatArray]:
        """Multiply the replicates of the datasets seen."""
        if self.theta is None:
            raise BayescompareError(
                "plan(replicates=) needs a conjugate prior: this one is answered by NUTS."
            )
        if self.results.gaps is not None:
            raise BayescompareError(
                f"plan(replicates=): with missing={self.results.gaps!r} some cells have no "
                "replicates to add to; ask of a table without missing cells, or plan() about more "
                "datasets."
            )
        return self.method.table_evidence(self.results).more_replicates(self.theta)

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Tabulate P by the weight of the prior; anew, where that is about the only dataset."""
        theta = None if len(self.results.datasets) == 1 else self.theta
        prior = None if theta is None else theta.prior.own or theta.prior
        is_weighed = prior is not None and prior.weighed_by != POWER
        return super().under_other_priors(values) if is_weighed else None


@dataclass(frozen=True, kw_only=True)
class Replicated(Method):
    """Which joint statement is the most probable, when replicates leave each dataset uncertain?

    Parameters
    ----------
    prior : {"symmetric", "jeffreys", "uniform", "learned"}, number or mapping
        α per statement, as for ``Dirichlet``: "symmetric" in ``compare``; not given, ``pairwise``
        of three or more pairs learns it from all of them, where that is exact.
    strength : float
        Σα of the symmetric prior, in datasets.
    joint : bool
        Whether datasets inform each other. ``False`` is the cut: each is judged by itself.
    effects : {"learned", "flat"}
        Prior of the mean differences: normal with a scale learned from all datasets, or flat,
        which is overconfident where noise is large. Fewer than three datasets are judged flat.
    rho, folds : float, int, optional
        Correlation of two replicates of a dataset, or the folds of a cross-validation
        (ρ = 1/folds). Without either, seeds and items are independent, and up to 20 other
        replicates are taken for folds. Clusters of items take the place of ρ.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("replicated")``; answered by NUTS.

    Examples
    --------
    >>> import numpy as np, pandas as pd, bayescompare as bc
    >>> rng = np.random.default_rng(1)
    >>> rows = [
    ...     (d, a, f, rng.normal(0.8 + 0.03 * (a == "B"), 0.03), rng.normal(5.0 - (a == "B"), 0.5))
    ...     for d in range(8) for a in "AB" for f in range(5)
    ... ]
    >>> frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc", "time"])
    >>> folds = bc.Results.from_frame(
    ...     frame, replicate="fold", measures={"auc": "max", "time": "min"}
    ... )
    >>> c = bc.compare(folds, method="replicated")
    >>> c.best, bool(c.probability.max() > 0.95), c.exact
    ('B>A|B>A', True, True)
    """

    name: ClassVar[str] = "replicated"
    title: ClassVar[str] = title_in_registry("replicated")
    citations: ClassVar[tuple[str, ...]] = (
        "decampos2016joint",
        "lacoste2012bayesian",
        "corani2015bayesian",
    )
    posterior_type: ClassVar[type[Posterior]] = ReplicatedPosterior
    phrases: ClassVar[Phrases] = Phrases(
        reference="extends de Campos & Benavoli (2016) and Lacoste et al. (2012)",
        levers="more replicates, more datasets, or another prior",
    )
    accepts: ClassVar[Accepts] = Accepts(
        judges="replicates",
        missing=frozenset({"ignore", "worst"}),
        domains=True,
        items=True,
        forms=("textbook", "nuts"),
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "theta",
            ("statement",),
            "Dirichlet(alpha)",
            "statement probabilities",
            high=1.0,
            simplex=True,
        ),
        Parameter(
            "alpha", ("statement",), "strength / K", "Dirichlet parameter; a scalar serves all"
        ),
        Parameter("strength", (), "1", "sum of all alpha, when they are equal"),
    )
    scope: ClassVar[Scope] = Scope(pair=True, datasets=1)

    # None where it was not given: `pairwise` then learns the prior.
    prior: Prior = None  # type: ignore[assignment]
    strength: float = None  # type: ignore[assignment]
    joint: bool = True
    effects: Literal["learned", "flat"] = "learned"
    rho: float | None = None
    folds: int | None = None
    priors: Priors | None = None
    #: What `pairwise` learned for one pair, and for all.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)
    #: What a table's weights do: nothing, count datasets that are certain, or need NUTS.
    weighing: Literal["", "counts", "powers"] = field(default="", repr=False, compare=False)
    #: Whether `pairwise` is to learn the prior: asked for, or nothing else was.
    learns: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_priors(self.priors, self.parameters)
        prior: object = self.prior
        strength: object = self.strength
        nothing = prior is None and strength is None and not self.priors
        asked = isinstance(prior, str) and prior == "learned"
        object.__setattr__(self, "learns", asked or (nothing and self.joint is True))
        object.__setattr__(self, "prior", "symmetric" if prior is None else prior)
        object.__setattr__(self, "strength", 1.0 if strength is None else strength)
        taught: object = self.learned
        if isinstance(taught, Mapping):  # as a file has it
            object.__setattr__(self, "learned", LearnedPrior.from_options(taught))
        check_prior(self.prior, self.strength)
        if isinstance(self.prior, str) and self.prior == "imprecise":
            raise BayescompareError(
                "prior='imprecise' is for 'dirichlet' only: choose 'symmetric', 'jeffreys', "
                "'uniform', a number or a mapping."
            )
        if asked and not (self.joint is True and not self.priors):
            raise BayescompareError(
                "prior='learned' is learned from the evidence of the full model: leave out "
                "joint=False and priors=."
            )
        check_flag(joint=self.joint)
        check_word("effects", self.effects, ("learned", "flat"))
        if len(self.priors or {}) > 1:
            raise BayescompareError(
                f"priors names {', '.join(self.priors or {})}: theta, alpha and strength each "
                "determine the others; give one of them."
            )
        if self.priors and not self.joint:
            raise BayescompareError(
                "priors: joint=False is a formula that judges each dataset by itself and has no "
                "model to put priors into; use joint=True."
            )
        check_correlation(self.rho, self.folds)

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        reading = {name: getattr(self, name) for name in _READING}
        if self.learned is not None:
            return {**reading, "prior": "learned", "learned": self.learned.options()}
        own = {"prior": prior_as_json(self.prior), "strength": self.strength, "joint": self.joint}
        return {**own, **reading, "priors": prior_options(self.priors)}

    # what pairs teach each other ------------------------------------------------------------------

    @property
    def learns_from_pairs(self) -> bool:
        """Whether no prior was given, or "learned" was, and nothing was learned yet."""
        return self.learns and self.learned is None and self.taught is None

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with what all pairs teach each, where they are enough and exact."""
        if not asked:
            return self if self.learned is None else self._with_own_prior()
        if len(asked) < LEAST_PAIRS:
            return self
        own, pairs = self._with_own_prior(), {}
        try:
            for results in asked:
                evidence = own.evidence(results)
                pair = results.algorithms[0], results.algorithms[1]
                pairs[pair] = DirichletMixture.of(evidence, own.prior_on(evidence))
        except TooManyVectors:
            return self
        taught = Learned.of(pairs)
        return self if taught is None else replace(own, prior="learned", taught=taught)

    def _with_own_prior(self) -> Replicated:
        return type(self)(prior="symmetric", **{name: getattr(self, name) for name in _READING})

    @property
    def nonconjugate_priors(self) -> Priors:
        """The user's priors that need NUTS: all but numbers."""
        return {k: v for k, v in (self.priors or {}).items() if not is_fixed_prior(v)}

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's is not a number, or powers are of uncertain datasets."""
        return bool(self.nonconjugate_priors) or self.weighing == "powers"

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Method:
        """Return the test with what its prior says of this pair, or what others taught it.

        Of a table it is the variant for domains, and the test that knows what weights do to it.
        """
        if pair is not None:
            if self.taught is not None:
                learned = self.taught.of_pair(pair)
                return replace(self, prior="learned", learned=learned, taught=None)
            if not isinstance(self.prior, Mapping) or len(results.algorithms) == 2:
                return self
            prior, strength = prior_of_pair(self.prior, results, pair)
            return replace(self, prior=prior, strength=strength)
        if results.groups is not None:
            from bayescompare.methods.replicated.model import grouped_replicated

            return grouped_replicated(self, results)
        if results.weights is None:
            return self
        if self.prior == "learned" or not self.joint:
            raise BayescompareError(
                "weight=: prior='learned' and joint=False are for tables without weights; choose "
                "another prior, and joint=True."
            )
        is_certain = self.evidence(results).is_certain(self.cells(results)[1].alpha)
        return replace(self, weighing="counts" if is_certain else "powers")

    # evidence, prior, posterior -------------------------------------------------------------------

    def cells(self, results: Results) -> tuple[Statements, Component]:
        """Return the statements, as the means show them, and the Dirichlet on them.

        Of a learned prior it is the base φ, which each strength multiplies.
        """
        means = results.average()
        ignored = results.gaps == "ignore"
        statements = partial_table(means).statements if ignored else Statements.of(means)
        if statements.size > DENSE:
            raise BayescompareError(
                f"measures: {len(results.measures)} of them make {count(statements.size)} "
                f"statements, and 'replicated' weighs each of them, at most {DENSE}: choose fewer "
                "by measures=[...], or average the replicates and ask 'dirichlet'."
            )
        return self.cells_of(statements)

    def cells_of(self, statements: Statements) -> tuple[Statements, Component]:
        """Return the Dirichlet on given statements."""
        if self.learned is not None:
            return self.learned.cells_of(statements)
        fixed = {k: v for k, v in (self.priors or {}).items() if is_fixed_prior(v)}
        strength = fixed.get("strength", self.strength)
        prior = PatternPrior.read(fixed.get("alpha", self.prior), strength, statements)
        return prior.statements, prior.component

    def table_evidence(self, results: Results) -> TableEvidence:
        """Return what every dataset says about every statement, and what it was computed from."""
        return TableEvidence.of(self, results)

    def evidence(self, results: Results) -> Evidence:
        """Return log ℓ of every statement, in as many versions as effects have scales."""
        return self.evidence_of(self.table_evidence(results), results)

    def evidence_of(self, table: TableEvidence, results: Results) -> Evidence:
        """Return the same, where the table was read already; weights are powers."""
        powers = None
        if results.weights is not None:
            powers = np.array(effective_weights(results.weights))
        return Evidence.from_rows(self.cells(results)[0], table.evidence.log, powers)

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return Dirichlet(α), or what the pairs of a table taught."""
        _, cells = self.cells_of(evidence.statements)
        if self.learned is not None:
            own = self._with_own_prior().prior_on(evidence)
            return replace(self.learned.prior_on(cells), own=own)
        prior = DirichletPrior.of(cells)
        if self.prior != "symmetric" or set(self.priors or {}) - {"strength"}:
            return prior
        return replace(prior, weighed_by="strength", weight=math.exp(cells.log_total))

    def posterior(
        self, results: Results, rng: np.random.Generator | None = None
    ) -> DirichletMixture:
        """Return the posterior of θ: exactly, or by Gibbs sampling of the counts."""
        return self.posterior_of(self.evidence(results), rng)

    def posterior_of(
        self, evidence: Evidence, rng: np.random.Generator | None = None, *, each: bool = False
    ) -> DirichletMixture:
        """Return the same, where the evidence is known; `each` as `DirichletMixture.of` has it."""
        prior = self.prior_on(evidence)
        try:
            return DirichletMixture.of(evidence, prior, joint=self.joint, each=each)
        except TooManyVectors:
            if self.learned is None:
                generator = rng or np.random.default_rng(0)
                return DrawnMixture.sampled(evidence, prior, generator, joint=self.joint)
        raise BayescompareError(
            "prior='learned': with these replicates there are too many count vectors; give "
            "Replicated(prior='symmetric')."
        )

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement: exactly, by Gibbs sampling, or by NUTS."""
        if self.prior == "learned" and self.learned is None:
            raise BayescompareError(
                "prior='learned' is learned from the pairs of a table, at least three: ask "
                "pairwise(), or give compare() another prior ('symmetric' is the papers')."
            )
        if self.needs_mcmc:
            from bayescompare.methods.replicated.model import sampled_answer

            return sampled_answer(self, results, sampling)
        table = self.table_evidence(results)
        evidence = self.evidence_of(table, results)
        posterior = self.posterior_of(evidence, sampling.rng, each=True)
        if isinstance(posterior, DrawnMixture):
            posterior = posterior.refined(sampling.rng)
        is_drawn, only = posterior.states is not None, len(results.datasets) == 1
        each = posterior.evidence.each_alone(posterior.version)
        split = None
        if self.learned is None:
            split = (
                UncertaintySplit.of_one(each) if only else UncertaintySplit.of_posterior(posterior)
            )
        return posterior_answer(
            posterior,
            leaning=self.cells(results)[0],
            only=each[0] if only else None,
            facts=ReplicatedDetails.of_table(
                results,
                table,
                each,
                each if only else posterior.per_dataset(),
                posterior.version,
                how="gibbs" if is_drawn else "exact",
                uncertainty=split,
            ),
            seed=sampling.seed if is_drawn else None,
        )

    # draws and models -----------------------------------------------------------------------------

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them."""
        return LumpedStatements.from_cells(*self.cells(results))

    def place_theta(
        self, form: Form, listing: LumpedStatements, datasets: int, likelihood: Callable[[Any], Any]
    ) -> Any:
        """Add θ, and what its α is made of, to the model in context; return log θ."""
        from bayescompare.methods._shared.learned import place_learned_dirichlet
        from bayescompare.methods._shared.simplex import place_alpha, place_dirichlet

        if self.learned is not None:
            return place_learned_dirichlet(form, listing, self.learned, likelihood)
        alpha = place_alpha(self.nonconjugate_priors, listing)
        return place_dirichlet(form, "theta", alpha, float(datasets), ("statement",))

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model, with θ as a separate variable, or parametrised for NUTS."""
        from bayescompare.methods.replicated.model import build

        return build(self, results, form)

    # words ---------------------------------------------------------------------------------------

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict, which datasets are sure, and what was assumed of the replicates."""
        return verdict_words(self, *found)
