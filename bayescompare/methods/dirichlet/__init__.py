r"""The multinomial-Dirichlet test of joint dominance, exactly.

Story: every dataset falls into one of K statements with probabilities θ,

.. math:: \theta \sim \mathrm{Dirichlet}(\alpha), \qquad
          p(\text{dataset } i \mid \theta) = \prod_k \theta_k^{w_{ik}},

with :math:`\alpha_k = s/K` by default and weights w that split a tied dataset. The answer is
P(θ_k > max of the others | data) for every statement, by a one-dimensional integral.

References
----------
de Campos & Benavoli (2016), Section 4; Walley (1996) for ``prior="imprecise"``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.learned import Learned, LearnedPrior
from bayescompare.methods._shared.domains import KAPPA_PARAMETER
from bayescompare.methods._shared.learned import place_learned_shares
from bayescompare.methods._shared.lumped import LumpedStatements, Shown
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    constant_dirichlet,
    fixed_vector,
    is_fixed_prior,
    prior_options,
)
from bayescompare.methods._shared.simplex import ShownData, textbook_dirichlet
from bayescompare.methods.dirichlet.posterior import (
    GAPS,
    DirichletPosterior,
    PartialDetails,
    completion_bounds_of,
    with_prior_bounds,
)
from bayescompare.methods.dirichlet.prior import (
    WEIGHT,
    PatternPrior,
    Prior,
    check_prior,
    is_elicited,
    marginal_prior,
    prior_as_json,
    prior_of_pair,
)
from bayescompare.methods.dirichlet.words import (
    dirichlet_words,
    methods_text,
)
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.method import (
    LEAST_PAIRS,
    Accepts,
    Form,
    Method,
    Parameter,
    Phrases,
    Sampling,
)
from bayescompare.outcome.posterior import Posterior, posterior_answer
from bayescompare.outcome.registry import title_in_registry
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import DirichletPrior
from bayescompare.statements import DENSE, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm


def textbook(alpha: FloatArray, shown: Shown, coords: Mapping[str, Any]) -> pm.Model:
    """Write the model as the paper tells it: α (statement,), what each dataset shows."""
    import pymc as pm

    with pm.Model(coords=coords) as model:
        data = ShownData.place(shown)
        theta = textbook_dirichlet("theta", alpha, ("statement",))
        if data.rows is None:
            pm.Categorical("outcome", theta, observed=data.seen, dims="dataset")
        else:
            data.observe(pm.math.log(theta))
    return model


def textbook_learned(
    learned: LearnedPrior, base: FloatArray, shown: Shown, coords: Mapping[str, Any]
) -> pm.Model:
    """Write it with the prior that other pairs teach (SPEC 8), φ (statement,)."""
    import pymc as pm

    with pm.Model(coords=coords) as model:
        data = ShownData.place(shown)
        theta = place_learned_shares(learned, base)
        if data.rows is None:
            pm.Categorical("outcome", theta, observed=data.seen, dims="dataset")
        else:
            data.observe(pm.math.log(theta))
    return model


_PARAMETERS = (
    Parameter(
        "theta",
        ("statement",),
        "Dirichlet(alpha)",
        "probability of each statement",
        high=1.0,
        simplex=True,
    ),
    Parameter(
        "alpha",
        ("statement",),
        "strength / K",
        "Dirichlet parameter; a scalar serves all",
        fixed_vector=True,
    ),
    Parameter("strength", (), "1", "sum of all alpha, when they are equal"),
    KAPPA_PARAMETER,
)


@dataclass(frozen=True, kw_only=True)
class Dirichlet(Method):
    """How probable is it that one joint statement is the most probable of all?

    Parameters
    ----------
    prior : {"symmetric", "jeffreys", "uniform", "imprecise", "learned"}, number or mapping
        α per statement: s/K, ½, 1; a number is α itself; a mapping gives α by label, with
        ``"*"`` for the rest and wildcards such as ``"B>A|*"``, over whose statements α is shared
        evenly. Beliefs, ``{"accuracy": {"B>A": 0.7}, "weight": 5}``, are probabilities of states
        of single measures and their weight in datasets; `elicit` shows what they imply. In
        ``pairwise`` a belief or a label is about the two algorithms that it names.
        ``"imprecise"`` lets the prior mean be anything and adds lower and upper bounds; its
        figures are otherwise those of ``"symmetric"``. ``"learned"``, for ``pairwise`` only,
        learns base and strength from all pairs of the table. By default ``compare`` takes
        "symmetric", and ``pairwise`` of three or more pairs "learned".
    strength : float
        s, the prior's weight in datasets; 1 by default. Giving it turns learning off.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("dirichlet")``. A prior that is
        not conjugate switches the answer to NUTS, and the answer says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=Dirichlet())
    >>> c.best, round(float(c.questions["most probable"]), 12)
    ('B>A|B>A', 0.798213587235)
    """

    name: ClassVar[str] = "dirichlet"
    title: ClassVar[str] = title_in_registry("dirichlet")
    citations: ClassVar[tuple[str, ...]] = (
        "decampos2016joint",
        "benavoli2015joint",
    )
    posterior_type: ClassVar[type[Posterior]] = DirichletPosterior
    phrases: ClassVar[Phrases] = Phrases(
        reference="de Campos & Benavoli (2016), Section 4",
        levers="another prior (see sensitivity())",
    )
    accepts: ClassVar[Accepts] = Accepts(
        domains=True,
        missing=frozenset({"ignore", "worst", "bounds"}),
        forms=("textbook", "nuts"),
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS

    prior: Prior = None  # type: ignore[assignment]
    strength: float = None  # type: ignore[assignment]
    priors: Priors | None = None
    #: What `pairwise` learned for one pair, and for all.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)
    #: Whether `pairwise` is to learn the prior: asked for, or nothing else was.
    learns: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # What was not given is None only up to here: "symmetric" given turns learning off.
        check_priors(self.priors, self.parameters)
        prior: object = self.prior
        strength: object = self.strength
        nothing = prior is None and strength is None and not self.priors
        learned = isinstance(prior, str) and prior == "learned"
        object.__setattr__(self, "learns", nothing or learned)
        object.__setattr__(self, "prior", "symmetric" if prior is None else prior)
        object.__setattr__(self, "strength", 1.0 if strength is None else strength)
        taught: object = self.learned
        if isinstance(taught, Mapping):  # as a file has it
            object.__setattr__(self, "learned", LearnedPrior.from_options(taught))
        check_prior(self.prior, self.strength)
        # How alike domains are goes with any prior of the average domain.
        priors = [name for name in self.priors or {} if name != KAPPA_PARAMETER.name]
        if len(priors) > 1:
            raise BayescompareError(
                f"priors names {', '.join(priors)}: theta, alpha and strength each determine the "
                "others; give one of them."
            )
        if priors and (self.prior != "symmetric" or self.strength != 1.0):
            raise BayescompareError(
                f"priors={priors} replaces prior= and strength=: give one or the other."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        if self.learned is not None:
            return {"prior": "learned", "learned": self.learned.options()}
        prior = prior_as_json(self.prior)
        return {"prior": prior, "strength": self.strength, "priors": prior_options(self.priors)}

    @property
    def nonconjugate_priors(self) -> Priors:
        """The user's priors that are not conjugate; a number or a fixed Dirichlet is."""
        return {
            name: value
            for name, value in (self.priors or {}).items()
            if name != KAPPA_PARAMETER.name
            and not is_fixed_prior(value)
            and (name != "theta" or constant_dirichlet(value) is None)
        }

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's makes the model non-conjugate."""
        return bool(self.nonconjugate_priors)

    @property
    def _exact_prior(self) -> tuple[Prior | FloatArray, float]:
        """The prior of the exact path and its strength, whichever option says so."""
        fixed = dict(self.priors or {})
        for name in self.nonconjugate_priors:
            del fixed[name]
        if "theta" in fixed:
            alpha = constant_dirichlet(fixed["theta"])
            assert alpha is not None
            return alpha, 1.0
        given = fixed.get("alpha", self.prior)
        vector = fixed_vector(given)
        return given if vector is None else vector, float(fixed.get("strength", self.strength))

    # evidence, prior, posterior -------------------------------------------------------------------

    def evidence(self, results: Results) -> Evidence:
        """Count the orders seen, ties split; a missing cell leaves a set of them."""
        evidence = Evidence.from_table(results)
        statements, _ = self.cells_of(evidence.statements)
        # Where cells are missing all statements are listed, whatever the prior names.
        if statements is evidence.statements or len(evidence.uncounted):
            return evidence
        return Evidence.counted(statements, is_power=evidence.is_power)

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return Dirichlet(α), or what the pairs of a table taught."""
        _, cells = self.cells_of(evidence.statements)
        if self.learned is not None:
            own = PatternPrior.read("symmetric", 1.0, evidence.statements).component
            alone = replace(DirichletPrior.of(own), weighed_by="strength")
            return replace(self.learned.prior_on(cells), own=alone)
        prior, (given, strength) = DirichletPrior.of(cells), self._exact_prior
        if is_elicited(given):
            beliefs = cast("Mapping[str, Any]", given)
            return replace(prior, weighed_by=WEIGHT, weight=float(beliefs.get(WEIGHT, 1.0)))
        if isinstance(given, str) and given in ("symmetric", "imprecise"):
            return replace(prior, weighed_by="strength", weight=strength)
        return prior

    def posterior(
        self, results: Results, rng: np.random.Generator | None = None
    ) -> DirichletMixture:
        """Return the posterior of θ: exactly, or by Gibbs sampling of what was partly seen."""
        evidence = self.evidence(results)
        prior = self.prior_on(evidence)
        try:
            return DirichletMixture.of(evidence, prior)
        except TooManyVectors:
            if self.learned is None:
                generator = rng or np.random.default_rng(0)
                return DrawnMixture.sampled(evidence, prior, generator)
        raise BayescompareError(
            f"missing={results.gaps!r}: {len(evidence.uncounted)} datasets with gaps and "
            f"{evidence.statements.size} statements are too many for a learned prior; use "
            "Dirichlet(prior='symmetric'), fewer measures, or missing='drop'."
        )

    def cells(self, results: Results) -> tuple[Statements, Component]:
        """Return the statements and the Dirichlet on them, for exact path and model alike."""
        return self.cells_of(Evidence.from_table(results).statements)

    def cells_of(self, statements: Statements) -> tuple[Statements, Component]:
        """Return the Dirichlet on given statements, with those that the prior names listed.

        Of a learned prior it is the base φ, which each strength multiplies.
        """
        if self.learned is not None:
            return self.learned.cells_of(statements)
        patterns = self.patterns(statements)
        return patterns.statements, patterns.component

    def patterns(self, statements: Statements) -> PatternPrior:
        """Return α by pattern, as the exact path has it."""
        return PatternPrior.read(*self._exact_prior, statements)

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Method:
        """Return the test with what its prior says of this pair, or what others taught it.

        Of a table it is the variant for domains, where there are any; what does not fit a table
        is refused.
        """
        if pair is not None:
            if self.taught is not None:
                return type(self)(prior="learned", learned=self.taught.of_pair(pair))
            if not isinstance(self.prior, Mapping) or len(results.algorithms) == 2:
                return self
            prior, strength = prior_of_pair(self.prior, results, pair)
            return replace(self, prior=prior, strength=strength)
        if results.groups is not None:
            from bayescompare.methods.dirichlet.grouped import grouped_dirichlet

            return grouped_dirichlet(self)
        if KAPPA_PARAMETER.name in (self.priors or {}):
            raise BayescompareError(
                "priors['kappa'] says how alike domains are, and this table has none: make it with "
                "group=, or leave that prior out."
            )
        if results.weights is not None and self.prior == "learned":
            raise BayescompareError(
                "prior='learned' weighs pairs by their evidence, which a table with weight= does "
                "not have: choose another prior ('symmetric' is the papers')."
            )
        if results.gaps in GAPS and self.prior == "imprecise":
            raise BayescompareError(
                f"missing={results.gaps!r}: prior='imprecise' bounds P for complete datasets only; "
                "use missing='drop' or 'worst', or another prior."
            )
        if results.gaps == "bounds" and self.needs_mcmc:
            raise BayescompareError(
                "missing='bounds': a prior of yours is answered by NUTS, which cannot try all "
                "completions; use missing='ignore', or a conjugate prior."
            )
        return self

    @property
    def learns_from_pairs(self) -> bool:
        """Whether no prior was given, or "learned" was, and nothing was learned yet."""
        return self.learns and self.learned is None and self.taught is None

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with what all pairs teach each, where there are enough."""
        if not asked:
            return self if self.learned is None else type(self)(prior="symmetric")
        if len(asked) < LEAST_PAIRS:
            return self
        own = type(self)(prior="symmetric")
        pairs = {(results.algorithms[0], results.algorithms[1]): results for results in asked}
        taught = Learned.of({pair: own.posterior(results) for pair, results in pairs.items()})
        if taught is None and self.prior == "learned":
            raise BayescompareError(
                f"prior='learned': pairs teach each other while all their statements are listed "
                f"(at most {DENSE}) and their answers are exact, which is not so here; choose "
                "another prior ('symmetric' is the papers'), or fewer measures."
            )
        return self if taught is None else type(self)(prior="learned", taught=taught)

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement: exactly, or from NUTS where a prior is the user's own."""
        if self.prior == "learned" and self.learned is None:
            raise BayescompareError(
                "prior='learned' is learned from the pairs of a table, at least three: ask "
                "pairwise(), or give compare() another prior ('symmetric' is the papers')."
            )
        if self.needs_mcmc:
            from bayescompare.methods.dirichlet.model import sampled_answer

            return sampled_answer(self, results, sampling)
        posterior = self.posterior(results, sampling.rng)
        answer = self._answered(results, posterior)
        if posterior.states is not None:
            answer = replace(answer, seed=sampling.seed)
        if self.prior == "imprecise":
            answer = with_prior_bounds(self.strength, posterior, answer)
        if results.gaps == "bounds":
            answer = completion_bounds_of(results, posterior, answer)
        return answer

    def _answered(self, results: Results, posterior: DirichletMixture) -> Answer:
        """Read the answer off a posterior."""
        evidence, alpha_of, parts = posterior.evidence, None, None
        if len(posterior.components[0].lumps) > 1:
            # Where α differ among the unlisted, sums of θ are none that could be listed.
            alpha_of = functools.partial(self._alpha_of, evidence.statements)
            parts = self._parts_by_measure(results)
        gaps = len(evidence.uncounted) or None
        return posterior_answer(
            posterior,
            alpha_of=alpha_of,
            parts=parts,
            facts=PartialDetails(partly_seen=gaps),
        )

    def _parts_by_measure(self, results: Results) -> FloatArray:
        """How sure each part is, from the test on each measure."""
        columns = []
        for name, states in zip(results.measures, self.cells(results)[0].states, strict=True):
            smaller = self.on(results, [name])
            posterior = smaller.posterior(results.sel(measures=[name]))
            labels = posterior.evidence.statements.labels
            known = dict(zip(labels, posterior.p_max()[:-1].tolist(), strict=True))
            columns.append([known.get(state, math.nan) for state in states])
        return np.array(columns).T

    def _alpha_of(self, statements: Statements, label: str) -> float:
        """α of one statement, listed or not."""
        listed = self.patterns(statements.with_labels([label]))
        return float(listed.component.alpha[listed.statements.labels.index(label)])

    def on(self, results: Results, measures: list[str]) -> Dirichlet:
        """Return the method that has this one's prior, summed over the other measures."""
        if self.needs_mcmc:
            raise BayescompareError(
                "on() needs a conjugate prior; ask compare(results.sel(measures=[...])) with your "
                "prior instead, which is then a prior on the subset."
            )
        if self.learned is not None:
            return self._learned_on(results, measures)
        given, strength = self._exact_prior
        prior, weight = marginal_prior(given, self.cells(results)[0], measures)
        return replace(self, prior=prior, strength=weight or strength, priors=None)

    def _learned_on(self, results: Results, measures: list[str]) -> Dirichlet:
        """The learned prior, summed.

        Given A the sum is a Dirichlet again; how probable each A is stays what all measures say,
        so the prior weights are divided by what the subset would say a second time.
        """
        assert self.learned is not None
        posterior, subset = self.posterior(results), results.sel(measures=measures)
        keep = [posterior.evidence.statements.measures.index(measure) for measure in measures]
        smaller = replace(self, learned=self.learned.on(keep, Statements.of(subset)))
        again = smaller.posterior(subset)
        logs = posterior.prior.log_weight + posterior.log_evidences - again.log_evidences
        assert smaller.learned is not None
        return replace(smaller, learned=smaller.learned.reweighed(logs))

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model: as the textbook has it, or parametrised for NUTS."""
        import pymc as pm

        from bayescompare.methods._shared.trees import marginal_dims, statement_coords
        from bayescompare.methods.dirichlet.model import build

        listing = self.listing(results)
        alpha, coords = np.exp(listing.log_alpha), statement_coords(results, listing)
        if form == "nuts" or self.needs_mcmc:
            model = build(self, results, form)
        elif self.learned is not None:
            model = textbook_learned(self.learned, alpha, listing.shown, coords)
        else:
            model = textbook(alpha, listing.shown, coords)
        if not listing.has_other and "theta" in model.named_vars:
            with model:
                # As a sum: numba takes ten seconds and more to compile a dot product.
                won = (model["theta"] * np.moveaxis(listing.wins, 0, -1)).sum(axis=-1)
                pm.Deterministic("marginal", won, dims=marginal_dims(results))
        return model

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them."""
        statements, cells = self.cells(results)
        leading = None if self.learned is not None else self.patterns(statements).leading()
        listing = LumpedStatements.from_cells(statements, cells, leading)
        if results.gaps not in GAPS:
            return listing
        if listing.has_other:
            raise BayescompareError(
                f"draws and models list at most {DENSE} statements where cells are missing, and "
                f"there are {statements.size}: compare fewer algorithms or measures."
            )
        # Of a dataset with a gap: how likely each statement makes what was seen.
        evidence, weights = Evidence.from_table(results), listing.weights.copy()
        weights[evidence.uncounted] = np.exp(evidence.rows[0])
        return replace(listing, weights=weights, uncounted=evidence.uncounted)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict, its probability and what it does not say."""
        return dirichlet_words(self, *found)
