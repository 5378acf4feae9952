r"""`StatementTest`: what the tests about θ share, however they read what each dataset says.

.. math:: \theta \sim \mathrm{Dirichlet}(\alpha), \qquad
          p(\text{dataset } i \mid \theta) = \sum_s \theta_s\, \ell_i(s)

Here are their prior in all its forms, the posterior by Bayes' rule, what pairs teach each other,
the PyMC model, and the answer by NUTS where a prior of the user's or domains need it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence, TooManyVectors
from bayescompare.kernels.leading import sole_leader
from bayescompare.learned import Learned, LearnedPrior
from bayescompare.methods._shared.domains import (
    KAPPA_PARAMETER,
    DomainDetails,
    DomainSample,
    domain_methods_text,
    domain_model,
    domains_table,
    sample_domains,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_ranges,
    check_prior_support,
    check_priors,
    constant_dirichlet,
    fixed_vector,
    is_fixed_prior,
    place_prior,
    prior_options,
)
from bayescompare.methods._shared.simplex import (
    ShownData,
    place_alpha,
    place_dirichlet,
    place_learned_dirichlet,
)
from bayescompare.methods._shared.trees import (
    STATEMENT,
    add_marginal,
    answer_of_draws,
    finish_tree,
    posterior_tree,
    statement_coords,
)
from bayescompare.methods._shared.words import NO_EVIDENCE, NO_LOO
from bayescompare.methods.dirichlet.prior import (
    WEIGHT,
    PatternPrior,
    Prior,
    check_prior,
    is_elicited,
    prior_as_json,
    prior_of_pair,
)
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.method import LEAST_PAIRS, Form, Method, Parameter, Sampling
from bayescompare.outcome.posterior import Questions, ThetaPosterior
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.prior import DirichletPrior
from bayescompare.statements import DENSE, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import pandas as pd
    import pymc as pm
    import xarray as xr


PARAMETERS = (
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
class StatementTest(Method):
    """A test of how probable each joint statement is, under one Dirichlet or a learned prior.

    It says what a table is evidence of, `evidence`, and which statements it lists, `cells`.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = PARAMETERS
    # None where it was not given: `pairwise` then learns the prior.
    prior: Prior = None  # type: ignore[assignment]
    strength: float = None  # type: ignore[assignment]
    priors: Priors | None = None
    #: What `pairwise` learned for one pair, and for all.
    learned: LearnedPrior | None = field(default=None, repr=False)
    taught: Learned | None = field(default=None, repr=False, compare=False)
    #: Whether `pairwise` is to learn the prior: asked for, or nothing else was.
    learns: bool = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    #: Whether the datasets of the table come from several domains.
    in_domains: bool = field(default=False, repr=False, compare=False)

    #: Whether datasets inform each other.
    joint = True

    def __post_init__(self) -> None:
        # What was not given is None only up to here: "symmetric" given turns learning off.
        check_priors(self.priors, self.parameters)
        prior: object = self.prior
        strength: object = self.strength
        own = [name for name in self.priors or {} if name != KAPPA_PARAMETER.name]
        asked = isinstance(prior, str) and prior == "learned"
        learns: object = self.learns
        if learns is None:
            nothing = prior is None and strength is None and not self.priors
            object.__setattr__(self, "learns", asked or (nothing and self.joint is True))
        object.__setattr__(self, "prior", "symmetric" if prior is None else prior)
        object.__setattr__(self, "strength", 1.0 if strength is None else strength)
        taught: object = self.learned
        if isinstance(taught, Mapping):  # as a file has it
            object.__setattr__(self, "learned", LearnedPrior.from_options(taught))
        check_prior(self.prior, self.strength)
        # How alike domains are goes with any prior of the average domain.
        if len(own) > 1:
            raise BayescompareError(
                f"priors names {', '.join(own)}: theta, alpha and strength each determine the "
                "others; give one of them."
            )
        if own and (self.prior != "symmetric" or self.strength != 1.0):
            raise BayescompareError(
                f"priors={own} replaces prior= and strength=: give one or the other."
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
    def domain_priors(self) -> Priors:
        """What is not a number already, of the average domain; and the prior of κ."""
        kappa = {name: value for name, value in (self.priors or {}).items() if name == "kappa"}
        return {**self.nonconjugate_priors, **kappa}

    @property
    def needs_mcmc(self) -> bool:
        """Whether domains, or a prior of the user's, leave no closed form."""
        return self.in_domains or bool(self.nonconjugate_priors)

    @property
    def exact_prior(self) -> tuple[Prior | FloatArray, float]:
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

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Self:
        """Return the test with what its prior says of this pair, or what others taught it.

        Of a table it is the test that knows of its domains; what does not fit a table is refused.
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
            if self.prior in ("imprecise", "learned") or not self.joint:
                given = f"prior={self.prior!r}" if self.joint else "joint=False"
                raise BayescompareError(
                    f"group=: {given} is for tables without group=; the prior of the average "
                    "domain is 'symmetric', 'jeffreys', 'uniform', a number, a mapping, or priors=."
                )
            return replace(self, in_domains=True)
        if KAPPA_PARAMETER.name in (self.priors or {}):
            raise BayescompareError(
                "priors['kappa'] says how alike domains are, and this table has none: make it with "
                "group=, or leave that prior out."
            )
        return self

    # evidence, prior, posterior -------------------------------------------------------------------

    @abstractmethod
    def cells(self, results: Results) -> tuple[Statements, Component]:
        """Return the statements and the Dirichlet on them, for exact path and model alike."""

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
        return PatternPrior.read(*self.exact_prior, statements)

    def prior_on(self, evidence: Evidence) -> DirichletPrior:
        """Return Dirichlet(α), or what the pairs of a table taught."""
        _, cells = self.cells_of(evidence.statements)
        if self.learned is not None:
            own = PatternPrior.read("symmetric", 1.0, evidence.statements).component
            alone = replace(DirichletPrior.of(own), weighed_by="strength")
            return replace(self.learned.prior_on(cells), own=alone)
        prior, (given, strength) = DirichletPrior.of(cells), self.exact_prior
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
            f"prior='learned': {len(evidence.uncounted)} uncertain datasets and "
            f"{evidence.statements.size} statements have too many count vectors; give "
            "prior='symmetric', fewer measures, or missing='drop' where cells are missing."
        )

    # what pairs teach each other ------------------------------------------------------------------

    @property
    def learns_from_pairs(self) -> bool:
        """Whether no prior was given, or "learned" was, and nothing was learned yet."""
        return self.learns and self.learned is None and self.taught is None

    def learn(self, asked: Sequence[Results]) -> Self:
        """Return the test with what all pairs teach each, where they are enough and exact."""
        alone: Self = replace(
            self, prior="symmetric", strength=1.0, priors=None, learned=None, taught=None
        )
        own = replace(alone, learns=False)
        if not asked:
            return self if self.learned is None else own
        if len(asked) < LEAST_PAIRS:
            return self
        taught, pairs = None, {}
        try:
            for results in asked:
                evidence, names = own.evidence(results), results.algorithms
                prior = own.prior_on(evidence)
                pairs[names[0], names[1]] = DirichletMixture.of(evidence, prior)
            taught = Learned.of(pairs)
        except TooManyVectors:
            pass
        if taught is None and self.prior == "learned":
            raise BayescompareError(
                f"prior='learned': pairs teach each other while all their statements are listed "
                f"(at most {DENSE}) and their answers are exact, which is not so here; choose "
                "another prior ('symmetric' is the papers'), or fewer measures."
            )
        return self if taught is None else replace(alone, prior="learned", taught=taught)

    # the answer -----------------------------------------------------------------------------------

    @abstractmethod
    def exact_answer(self, results: Results, sampling: Sampling) -> Answer:
        """Read the answer off the posterior."""

    @abstractmethod
    def sampled_answer(self, results: Results, tree: xr.DataTree, seed: int | None) -> Answer:
        """Read the answer off draws of θ by NUTS."""

    @abstractmethod
    def domain_facts(self, results: Results, sample: DomainSample) -> DomainDetails:
        """Return what an answer about domains tells beside P(max)."""

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement: exactly, or from NUTS where priors or domains need it."""
        if self.prior == "learned" and self.learned is None:
            raise BayescompareError(
                "prior='learned' is learned from the pairs of a table, at least three: ask "
                "pairwise(), or give compare() another prior ('symmetric' is the papers')."
            )
        if not self.needs_mcmc:
            return self.exact_answer(results, sampling)
        if self.in_domains:
            return self._answer_of_domains(results, sampling)
        model = self.model(results)
        check_prior_support(self.nonconjugate_priors, self.parameters, model)
        tree = nuts.sample(sampling, self.model(results, "nuts"), through=model)
        tree = finish_tree(tree, results, self.listing(results), sampling.rng)
        return self.sampled_answer(results, tree, sampling.seed)

    def _answer_of_domains(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for the average domain, for each old one, and for a new one."""
        check_prior_ranges(self.priors, [p for p in self.parameters if not p.dims])
        sample = self.domain_sample(results, sampling.rng, sampling.options)
        return answer_of_draws(
            self.cells(results)[0],
            sample.tree,
            "phi",
            sole_leader(_values(sample.tree, "phi")).astype(np.float64),
            seed=sampling.seed,
            facts=self.domain_facts(results, sample),
        )

    def domain_sample(
        self, results: Results, rng: np.random.Generator, options: Mapping[str, Any]
    ) -> DomainSample:
        """Sample φ and κ by NUTS, and every θ_g given them."""
        return sample_domains(results, self.listing(results), self.domain_priors, rng, options)

    # the model ------------------------------------------------------------------------------------

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them."""
        statements, cells = self.cells(results)
        leading = None if self.learned is not None else self.patterns(statements).leading()
        return LumpedStatements.from_cells(statements, cells, leading)

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model: as the textbook has it, or parametrised for NUTS."""
        import pymc as pm
        import pytensor.tensor as pt

        listing = self.listing(results)
        if self.in_domains:
            return domain_model(results, listing, self.domain_priors, form)
        with pm.Model(coords=statement_coords(results, listing)) as model:
            data = ShownData.place(listing)
            log_theta = self._place_theta(form, listing, data)
            if form == "textbook" and data.scales is not None and data.power is None:
                z = pm.Categorical(STATEMENT, model["theta"], dims="dataset")
                log_theta = pt.log(pt.eq(z[:, None], np.arange(len(listing.labels))))
            data.observe(log_theta, form)
            if not listing.has_other:
                add_marginal("theta", results, listing)
        return model

    def _place_theta(self, form: Form, listing: LumpedStatements, data: ShownData) -> Any:
        """Add θ, and what its α is made of, to the model in context; return log θ."""
        import pytensor.tensor as pt

        priors = self.nonconjugate_priors
        if "theta" in priors:
            if listing.has_other:
                power = count(round(float(np.logaddexp.reduce(listing.log_multiplicity))))
                raise BayescompareError(
                    f"priors['theta'] needs every statement listed, at most {DENSE}; here there "
                    f"are about e^{power}. Put a prior on alpha or strength, or compare on fewer "
                    "measures."
                )
            theta = place_prior("theta", priors["theta"], ("statement",))
            _check_theta(theta, listing)
            return pt.log(theta)
        if self.learned is not None:
            if data.scales is None:
                return place_learned_dirichlet(form, listing, self.learned)
            # Latents centre on what each dataset says by itself.
            expected = replace(listing, counts=listing.weights.sum(axis=0))
            return place_learned_dirichlet(form, expected, self.learned, data.log_likelihood)
        if "alpha" in priors and listing.log_multiplicity[-1] > 690.0:
            raise BayescompareError(
                "priors['alpha']: α times the number of statements exceeds the float range; put "
                "the prior on 'strength' (their sum) instead."
            )
        alpha = place_alpha(priors, listing)
        return place_dirichlet(form, "theta", alpha, data.total, ("statement",))

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        text = self.plain_methods_text(answer)
        return domain_methods_text(text, self.domain_priors) if self.in_domains else text

    @abstractmethod
    def plain_methods_text(self, answer: Answer | None) -> str:
        """Describe the test of a table without domains."""


def _check_theta(theta: Any, listing: LumpedStatements) -> None:
    length = theta.type.shape[-1] if theta.ndim == 1 else None
    if theta.ndim != 1 or (length is not None and length != len(listing.labels)):
        raise BayescompareError(
            f"priors['theta'] must be a vector over the {len(listing.labels)} statements "
            f"({', '.join(listing.labels[:4])}…); its shape is {theta.type.shape}."
        )


def _values(tree: xr.DataTree, name: str) -> FloatArray:
    """Draws (chain, draw, S) of a posterior."""
    return np.asarray(tree["posterior"][name].transpose("chain", "draw", "statement").values)


class StatementPosterior(Questions, ThetaPosterior):
    """What is known of θ, or of the domains."""

    method: StatementTest

    weighed_by: ClassVar[str | None] = "strength"

    def why_not(self, quantity: str) -> str:
        """Say what domains and weights leave out."""
        if quantity == "domains" and self.results.groups is None:
            return "domains: only a table with group= has them, by 'dirichlet' or 'replicated'."
        if self.method.in_domains:
            if quantity == "evidence":
                return "Domains are answered by NUTS, and their evidence has no closed form."
            if quantity in ("plan", "predict", "simulate", "on", "draws"):
                return (
                    f"{quantity}: with group= the answer is sampled, and new datasets may be of an "
                    "old domain or of a new one; see c.domains, c.tree and c.sample()."
                )
        if self.results.weights is not None:
            reasons = {"evidence": NO_EVIDENCE, "loo": f"loo: {NO_LOO}"}
            return reasons.get(quantity) or super().why_not(quantity)
        return super().why_not(quantity)

    @property
    def domains(self) -> pd.DataFrame:
        """P(each statement is the most probable one) in each domain, in a new one, on average."""
        return domains_table(self.results, self.answer)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The domains, where there are any, headed to be printed."""
        return {} if self.results.groups is None else {"Domains": self.domains}

    def draws(self, draws: int, chains: int, rng: np.random.Generator) -> xr.DataTree:
        """Draw θ, and all that it was drawn with, from the posterior, without MCMC if exact."""
        if self.theta is None:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        method, theta = self.method, self.theta
        if theta.states is not None:
            # Count vectors that were drawn are drawn anew, by this generator.
            theta = method.posterior_of(theta.evidence, rng)
        listing = method.listing(self.results)
        if listing.scales is not None:
            listing = listing.seeing(theta.evidence, listing.scales, theta.version)
        return posterior_tree(self.results, listing, theta, method.learned, (chains, draws), rng)

    def own_sample(
        self, *, draws: int, chains: int, rng: np.random.Generator, options: Mapping[str, Any]
    ) -> xr.DataTree | None:
        """Sample φ and κ by NUTS, and every θ_g given them; None where there are no domains."""
        if not self.method.in_domains:
            return None
        asked = {**options, "draws": draws, "chains": chains}
        return self.method.domain_sample(self.results, rng, asked).tree

    def from_nuts(self, tree: xr.DataTree, rng: np.random.Generator) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        if self.method.in_domains:
            raise BayescompareError(
                "sample: with group= θ of the domains is drawn by the test itself; leave out "
                "model=, or sample yours by pm.sample()."
            )
        listing = self.method.listing(self.results)
        return finish_tree(tree, self.results, listing, rng, self.method.learned)

    def leads(self) -> FloatArray:
        """Whether each statement leads, in each draw; with domains, on average over them."""
        if not self.method.in_domains:
            return super().leads()
        assert self.answer.tree is not None
        return sole_leader(_values(self.answer.tree, "phi")).astype(np.float64)
