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
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.learned import LearnedPrior
from bayescompare.methods._shared.domains import DomainSample, domain_details, domain_words
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import (
    ShownData,
    place_learned_shares,
    textbook_dirichlet,
)
from bayescompare.methods._shared.trees import add_marginal, statement_coords
from bayescompare.methods._shared.words import power_words
from bayescompare.methods.dirichlet.law import StatementTest
from bayescompare.methods.dirichlet.posterior import (
    GAPS,
    DirichletPosterior,
    PartialDetails,
    completion_bounds_of,
    sampled_answer,
    with_prior_bounds,
)
from bayescompare.methods.dirichlet.prior import marginal_prior
from bayescompare.methods.dirichlet.words import dirichlet_words, methods_text, size_words
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.method import Accepts, Form, Phrases, Sampling
from bayescompare.outcome.posterior import Posterior, posterior_answer
from bayescompare.outcome.registry import title_in_registry
from bayescompare.posterior.component import Component
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.statements import DENSE, Statements
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


def textbook(
    alpha: FloatArray,
    learned: LearnedPrior | None,
    listing: LumpedStatements,
    coords: Mapping[str, Any],
) -> pm.Model:
    """Write the model as the paper tells it: α (statement,), what each dataset shows.

    With the prior that other pairs teach (SPEC 8) α is φ.
    """
    import pymc as pm

    with pm.Model(coords=coords) as model:
        data = ShownData.place(listing)
        if learned is None:
            theta = textbook_dirichlet("theta", alpha, ("statement",))
        else:
            theta = place_learned_shares(learned, alpha)
        if data.rows is None:
            pm.Categorical("outcome", theta, observed=data.seen, dims="dataset")
        else:
            data.observe(pm.math.log(theta))
    return model


@dataclass(frozen=True, kw_only=True)
class Dirichlet(StatementTest):
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

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Self:
        """Return the test for a table or a pair; what does not fit a table is refused."""
        asked = super().for_table(results, pair)
        if pair is not None or asked.in_domains:
            return asked
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
        return asked

    # evidence, and the answer ---------------------------------------------------------------------

    def evidence(self, results: Results) -> Evidence:
        """Count the orders seen, ties split; a missing cell leaves a set of them."""
        evidence = Evidence.from_table(results)
        statements, _ = self.cells_of(evidence.statements)
        # Where cells are missing all statements are listed, whatever the prior names.
        if statements is evidence.statements or len(evidence.uncounted):
            return evidence
        return Evidence.counted(statements, is_power=evidence.is_power)

    def cells(self, results: Results) -> tuple[Statements, Component]:
        """Return the statements and the Dirichlet on them, for exact path and model alike."""
        return self.cells_of(Evidence.from_table(results).statements)

    def exact_answer(self, results: Results, sampling: Sampling) -> Answer:
        """Read P(max) off the posterior, with bounds where these are asked for."""
        posterior = self.posterior(results, sampling.rng)
        answer = self._answered(results, posterior)
        if posterior.states is not None:
            answer = replace(answer, seed=sampling.seed)
        if self.prior == "imprecise":
            answer = with_prior_bounds(self.strength, posterior, answer)
        if results.gaps == "bounds":
            answer = completion_bounds_of(results, posterior, answer)
        return answer

    def sampled_answer(self, results: Results, tree: xr.DataTree, seed: int | None) -> Answer:
        """Read P(max) off draws of θ, or of α."""
        return sampled_answer(self, results, tree, seed)

    def domain_facts(self, results: Results, sample: DomainSample) -> PartialDetails:
        """Return what is known of each domain."""
        return PartialDetails(**domain_details(results, sample))

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
        given, strength = self.exact_prior
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

    # the model ------------------------------------------------------------------------------------

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them."""
        listing = super().listing(results)
        if results.gaps not in GAPS:
            return listing
        evidence = Evidence.from_table(results)
        if listing.has_other:
            raise BayescompareError(
                f"draws and models list at most {DENSE} statements where cells are missing, and "
                f"there are {evidence.statements.size}: compare fewer algorithms or measures."
            )
        return listing.seeing(evidence) if len(evidence.uncounted) else listing

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model: as the textbook has it, or parametrised for NUTS."""
        if form == "nuts" or self.needs_mcmc:
            return super().model(results, form)
        listing = self.listing(results)
        coords = statement_coords(results, listing)
        model = textbook(np.exp(listing.log_alpha), self.learned, listing, coords)
        if not listing.has_other and "theta" in model.named_vars:
            with model:
                add_marginal("theta", results, listing)
        return model

    # words ----------------------------------------------------------------------------------------

    def plain_methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict, its probability and what it does not say."""
        if not self.in_domains:
            return dirichlet_words(self, *found)
        weights = [] if found.results.weights is None else [power_words(found.results)]
        return [*domain_words(*found), size_words(found.results), *weights]
