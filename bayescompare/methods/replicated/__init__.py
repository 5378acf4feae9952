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

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.evidence import Evidence
from bayescompare.kernels.leading import sole_leader
from bayescompare.methods._shared.correlation import check_correlation
from bayescompare.methods._shared.domains import (
    DomainSample,
    domain_codes,
    domain_details,
    domain_words,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.simplex import SCALE
from bayescompare.methods._shared.trees import answer_of_draws
from bayescompare.methods.dirichlet.law import StatementTest
from bayescompare.methods.replicated.comparison import (
    ReplicatedDetails,
    ReplicatedPosterior,
    UncertaintySplit,
    assumption_words,
    methods_text,
    verdict_words,
)
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.method import Accepts, Phrases, Sampling, Scope
from bayescompare.outcome.posterior import Posterior, posterior_answer
from bayescompare.outcome.registry import title_in_registry
from bayescompare.partly_seen import partial_table
from bayescompare.posterior.component import Component
from bayescompare.posterior.drawn import DrawnMixture
from bayescompare.statements import DENSE, Statements
from bayescompare.table.checks import effective_weights
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import xarray as xr


#: The options that say how replicates are read, which no prior changes.
_READING = ("effects", "rho", "folds")
#: Draws over which each dataset's statements are averaged in domains.
_AVERAGED = 500


@dataclass(frozen=True, kw_only=True)
class Replicated(StatementTest):
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
    scope: ClassVar[Scope] = Scope(pair=True, datasets=1)

    joint: bool = True
    effects: Literal["learned", "flat"] = "learned"
    rho: float | None = None
    folds: int | None = None
    #: What a table's weights do: nothing, count datasets that are certain, or need NUTS.
    weighing: Literal["", "counts", "powers"] = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.prior, str) and self.prior == "imprecise":
            raise BayescompareError(
                "prior='imprecise' is for 'dirichlet' only: choose 'symmetric', 'jeffreys', "
                "'uniform', a number or a mapping."
            )
        if self.prior == "learned" and not (self.joint is True and not self.priors):
            raise BayescompareError(
                "prior='learned' is learned from the evidence of the full model: leave out "
                "joint=False and priors=."
            )
        check_flag(joint=self.joint)
        check_word("effects", self.effects, ("learned", "flat"))
        if self.priors and not self.joint:
            raise BayescompareError(
                "priors: joint=False is a formula that judges each dataset by itself and has no "
                "model to put priors into; use joint=True."
            )
        check_correlation(self.rho, self.folds)

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        reading = {name: getattr(self, name) for name in _READING}
        joint = {} if self.learned is not None else {"joint": self.joint}
        return {**super().options(), **joint, **reading}

    @property
    def needs_mcmc(self) -> bool:
        """Whether domains, a prior of the user's or powers leave no closed form."""
        return super().needs_mcmc or self.weighing == "powers"

    def for_table(self, results: Results, pair: tuple[str, str] | None = None) -> Self:
        """Return the test for a table or a pair, which knows what weights do to it."""
        asked = super().for_table(results, pair)
        if pair is not None or results.weights is None:
            return asked
        if asked.in_domains:
            raise BayescompareError(
                "group= and weight= together are for method='dirichlet' only: make the table with "
                "one of them."
            )
        if self.prior == "learned" or not self.joint:
            raise BayescompareError(
                "weight=: prior='learned' and joint=False are for tables without weights; choose "
                "another prior, and joint=True."
            )
        is_certain = self.evidence(results).is_certain(self.cells(results)[1].alpha)
        return replace(asked, weighing="counts" if is_certain else "powers")

    # evidence, and the answer ---------------------------------------------------------------------

    def cells(self, results: Results) -> tuple[Statements, Component]:
        """Return the statements, as the means show them, and the Dirichlet on them."""
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

    def exact_answer(self, results: Results, sampling: Sampling) -> Answer:
        """Read the answer off the posterior: exactly, or by Gibbs sampling."""
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

    def sampled_answer(self, results: Results, tree: xr.DataTree, seed: int | None) -> Answer:
        """Read the answer off draws of θ by NUTS."""
        drawn = tree["posterior"].to_dataset()
        theta = drawn["theta"].transpose("chain", "draw", "statement").values
        each = sole_leader(theta).astype(np.float64)
        table = self.table_evidence(results)
        version = _share_of_scales(drawn, table.evidence.scales)
        alone = self.evidence_of(table, results).each_alone(version)
        # P(z_i = s | all), averaged over draws; p(dataset i | θ) is what its weights sum to.
        flat = theta.reshape(-1, theta.shape[-1])
        given = alone * (flat.T @ (1.0 / (flat @ alone.T)) / len(flat)).T
        return answer_of_draws(
            self.cells(results)[0],
            tree,
            "theta",
            each,
            none_leads=1.0 - float(each.any(axis=-1).mean()),
            seed=seed,
            facts=ReplicatedDetails.of_table(results, table, alone, given, version, how="nuts"),
        )

    def domain_facts(self, results: Results, sample: DomainSample) -> ReplicatedDetails:
        """Return what is known of each dataset and of each domain."""
        table = self.table_evidence(results)
        versions = len(table.evidence.log)
        version = np.bincount(sample.version.ravel(), minlength=versions) / sample.version.size
        evidence = self.evidence_of(table, results).each_alone(version)
        _, codes = domain_codes(results)
        theta = sample.theta.reshape(-1, *sample.theta.shape[2:])[:, codes]
        some = theta[:: max(1, len(theta) // _AVERAGED)] * evidence
        after = (some / some.sum(axis=-1, keepdims=True)).mean(axis=0)
        own = ReplicatedDetails.of_table(results, table, evidence, after, version, how="nuts")
        return replace(own, **domain_details(results, sample))

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them, with every dataset's evidence."""
        table = self.table_evidence(results)
        evidence = self.evidence_of(table, results)
        return super().listing(results).seeing(evidence, table.evidence.scales)

    # words ----------------------------------------------------------------------------------------

    def plain_methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text(self, answer)

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict, which datasets are sure, and what was assumed of the replicates."""
        if not self.in_domains:
            return verdict_words(self, *found)
        details = ReplicatedDetails.of(found.answer)
        return [*domain_words(*found), *assumption_words(self, found.results, details)]


def _share_of_scales(drawn: xr.Dataset, scales: FloatArray) -> FloatArray:
    """Share of the draws at each scale."""
    if len(scales) == 1:
        return np.ones(1)
    at = drawn[SCALE].values.ravel()
    share = np.array([(np.isclose(at, scale)).mean() for scale in scales])
    return np.asarray(share / share.sum())
