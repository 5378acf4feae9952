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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.decision import Decision
from bayescompare.comparison.details import Details, Scalars
from bayescompare.comparison.gaps import comparison_without_gaps
from bayescompare.comparison.method import (
    LEAST_PAIRS,
    Accepts,
    BetaMixture,
    Form,
    Kind,
    Method,
    Parameter,
    Replicate,
    Sampling,
    Scope,
)
from bayescompare.comparison.questions import FourQuestions
from bayescompare.comparison.registry import title_in_registry
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.replicated.count_posterior import CountPosterior
from bayescompare.methods._shared.correlation import check_correlation
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.prediction import share_labels
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    is_shared_prior_fixed,
    prior_options,
)
from bayescompare.methods.dirichlet.of_pair import prior_of_pair
from bayescompare.methods.dirichlet.prior import (
    Prior,
    check_prior,
    dirichlet_prior_as_json,
    dirichlet_prior_cells,
)
from bayescompare.methods.replicated.answer import (
    answer_table,
    answered_again,
    left_out_of_replicated,
    replicated_count_posterior,
    replicated_more_datasets,
)
from bayescompare.methods.replicated.comparison import ReplicatedComparison
from bayescompare.methods.replicated.details import ReplicatedDetails
from bayescompare.methods.replicated.evidence import TableEvidence, table_evidence
from bayescompare.methods.replicated.methods_text import (
    replicated_learned_text,
    replicated_methods_text,
)
from bayescompare.methods.replicated.mixed import MixedCounts
from bayescompare.methods.replicated.words import replicated_dataset_headline, replicated_words
from bayescompare.partly_seen import partial_table
from bayescompare.statements import DENSE, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["Replicated"]


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
    comparison_type: ClassVar[type[Comparison] | None] = ReplicatedComparison
    details_type: ClassVar[type[Details]] = ReplicatedDetails
    scalars_type: ClassVar[type[Scalars]] = FourQuestions
    prior_weight: ClassVar[str | None] = "strength"
    levers: ClassVar[str] = "more replicates, more datasets, or another prior"
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "extends de Campos & Benavoli (2016) and Lacoste et al. (2012)"
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "draws",
            "model",
            "sample",
            "log_evidence",
            "loo",
            "questions",
            "evidence",
            "per_dataset",
            "domains",
            "uncertainty",
            "plan",
            "predict",
        }
    )
    lacks: ClassVar[Mapping[str, str]] = {
        "simulate": "Its likelihood weighs statements by the replicates seen; it makes no new ones."
    }
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
    input_kind = "replicates"
    accepts: ClassVar[Accepts] = Accepts(
        missing=frozenset({"ignore", "worst"}), domains=True, items=True
    )
    scope: ClassVar[Scope] = Scope(pair=True, datasets=1)
    draws_are: ClassVar[str] = "exact"
    forms: ClassVar[tuple[Form, ...]] = ("textbook", "nuts")

    # None where it was not given: `pairwise` then learns the prior.
    prior: Prior = None  # type: ignore[assignment]
    strength: float = None  # type: ignore[assignment]
    joint: bool = True
    effects: Literal["learned", "flat"] = "learned"
    rho: float | None = None
    folds: int | None = None
    priors: Priors | None = None
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
        options = super().options()
        del options["learns"]
        if isinstance(self.prior, Mapping):
            options["prior"] = dirichlet_prior_as_json(self.prior)
        return {**options, "priors": prior_options(self.priors)}

    def chosen(self) -> dict[str, Any]:
        """Return what to write in a call; a symmetric prior only where it turns learning off."""
        usual = Replicated().options()
        changed = {name: value for name, value in self.options().items() if value != usual[name]}
        off = self.joint and not self.learns and not {"prior", "strength", "priors"} & set(changed)
        return {"prior": "symmetric", **changed} if off else changed

    def of_pair(self, results: Results, pair: tuple[str, str]) -> Method:
        """Return the test with what its prior says of this pair."""
        if not isinstance(self.prior, Mapping) or len(results.algorithms) == 2:
            return self
        prior, strength = prior_of_pair(self.prior, results, pair)
        return replace(self, prior=prior, strength=strength)

    @property
    def learns_from_pairs(self) -> bool:
        """Whether no prior was given, or "learned" was; a test derived from this one never does."""
        return self.learns and type(self) is Replicated

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with the prior that all pairs teach, where there are enough."""
        # From complete datasets: what a gap hides cannot teach.
        whole = [one for one in map(comparison_without_gaps, asked) if one is not None]
        if len(whole) < LEAST_PAIRS:
            return self
        from bayescompare.methods.replicated.learned import learned_replicated

        return learned_replicated(self, whole)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Replicated:
        """Make the method again; what `pairwise` learned comes back with it."""
        from bayescompare.methods.replicated.learned import LearnedReplicated

        return LearnedReplicated(**options) if "learned" in options else cls(**options)

    @property
    def nonconjugate_priors(self) -> Priors:
        """The user's priors that need NUTS: all but numbers."""
        return {k: v for k, v in (self.priors or {}).items() if not is_shared_prior_fixed(v)}

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's is not a number."""
        return bool(self.nonconjugate_priors)

    @property
    def supports_psis(self) -> bool:
        """Whether its draws are of likelihood times prior; those of the cut are not."""
        return self.joint

    def refuses(self, quantity: str) -> str:
        """Say what the cut does not have, and what NUTS does not give."""
        if self.needs_mcmc and quantity == "uncertainty":
            return (
                "uncertainty: it is split over counts of statements, and an answer by NUTS has "
                "none; leave out priors=."
            )
        if not self.joint and quantity in ("model", "sample", "log_evidence", "loo"):
            return (
                f"{quantity}: with joint=False each dataset is judged by itself, which is a "
                "formula and not the posterior of a model; use joint=True."
            )
        return ""

    # the answer ----------------------------------------------------------------------------------

    def cells(self, results: Results) -> tuple[Statements, DirichletCells]:
        """Return the statements, as the means show them, and the prior on them."""
        means = results.average()
        ignored = results.gaps == "ignore"
        statements = partial_table(means).statements if ignored else Statements.of(means)
        if statements.size > DENSE:
            raise BayescompareError(
                f"measures: {len(results.measures)} of them make {count(statements.size)} "
                f"statements, and 'replicated' weighs each of them, at most {DENSE}: choose fewer "
                "by measures=[...], or average the replicates and ask 'dirichlet'."
            )
        fixed = {k: v for k, v in (self.priors or {}).items() if is_shared_prior_fixed(v)}
        prior = fixed.get("alpha", self.prior)
        return dirichlet_prior_cells(prior, fixed.get("strength", self.strength), statements)

    def for_table(self, results: Results) -> Method:
        """Return the variant for domains or for weights, where there are any."""
        if results.groups is not None:
            from bayescompare.methods.replicated.grouped import grouped_replicated

            return grouped_replicated(self, results)
        if results.weights is None:
            return self
        from bayescompare.methods.replicated.weighted import weighted_replicated

        return weighted_replicated(self, results)

    def powers(self, results: Results) -> FloatArray | None:
        """Return the powers that likelihoods are raised to; None where there are no weights."""
        return None

    def table_evidence(self, results: Results) -> TableEvidence:
        """Return what every dataset says about every statement."""
        return table_evidence(self, results)

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement: exactly, by Gibbs sampling, or by NUTS."""
        if self.prior == "learned":
            raise BayescompareError(
                "prior='learned' is learned from the pairs of a table, at least three: ask "
                "pairwise(), or give compare() another prior ('symmetric' is the papers')."
            )
        if self.needs_mcmc:
            from bayescompare.methods.replicated.posterior import replicated_sampled_answer

            return replicated_sampled_answer(self, results, sampling)
        return answer_table(self, results, sampling)

    def count_posterior(
        self, results: Results, table: TableEvidence, rng: np.random.Generator
    ) -> CountPosterior | MixedCounts:
        """Return the posterior of the counts behind θ."""
        return replicated_count_posterior(self, table, self.cells(results)[1].alpha, rng)

    def theta_betas(self, results: Results) -> Sequence[BetaMixture] | None:
        """Return the Betas of every θ, one for each count; None where counts are sampled."""
        if self.needs_mcmc:
            return None
        table = self.table_evidence(results)
        posterior = self.count_posterior(results, table, np.random.default_rng(0))
        if posterior.mcse is not None:
            return None
        return [posterior.betas(k) for k in range(table.evidence.log.shape[-1])]

    def answer_again(
        self, results: Results
    ) -> Callable[[FloatArray, np.random.Generator], FloatArray]:
        """Return a function from other rows of evidence to P(max)."""
        statements, cells = self.cells(results)
        return partial(answered_again, statements, cells.alpha, joint=self.joint)

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, as a difference of log evidences."""
        if self.needs_mcmc:
            raise self.unavailable("exact loo with a custom prior")
        return left_out_of_replicated(self, results)

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Add datasets that are as informative as those seen."""
        if self.needs_mcmc:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        return replicated_more_datasets(self, results)

    def replicate_simulator(
        self, results: Results
    ) -> Callable[[float, np.random.Generator], FloatArray]:
        """Multiply the replicates of the datasets seen."""
        if self.needs_mcmc:
            raise BayescompareError(
                "plan(replicates=) needs a conjugate prior: this one is answered by NUTS."
            )
        if results.gaps is not None:
            raise BayescompareError(
                f"plan(replicates=): with missing={results.gaps!r} some cells have no replicates "
                "to add to; ask of a table without missing cells, or plan() about more datasets."
            )
        from bayescompare.methods.replicated.planning import more_replicates

        return more_replicates(self, results)

    # posterior -----------------------------------------------------------------------------------

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them."""
        return LumpedStatements.from_cells(*self.cells(results))

    def prior_strengths(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Return what φ is multiplied by in each draw of the prior: one, where it is known."""
        return np.ones(draws)

    def place_theta(
        self, form: Form, listing: LumpedStatements, datasets: int, likelihood: Callable[[Any], Any]
    ) -> Any:
        """Add θ to the model in context; return log θ."""
        from bayescompare.methods._shared.simplex import place_shared_dirichlet
        from bayescompare.methods.dirichlet.model import place_dirichlet_alpha

        alpha = place_dirichlet_alpha(self.nonconjugate_priors, listing)
        return place_shared_dirichlet(form, "theta", alpha, float(datasets), ("statement",))

    def model(self, results: Results) -> pm.Model:
        """Build the PyMC model, with θ as a separate variable."""
        from bayescompare.methods.replicated.posterior import build

        return build(self, results, "textbook")

    def nuts_model(self, results: Results) -> pm.Model:
        """Build it parametrised for NUTS."""
        from bayescompare.methods.replicated.posterior import build

        return build(self, results, "nuts")

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw scale, counts and θ from their posterior, without MCMC where it is exact."""
        if self.needs_mcmc:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        from bayescompare.methods.replicated.posterior import replicated_exact_tree

        return replicated_exact_tree(self, results, draws, chains, rng)

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        from bayescompare.methods.replicated.posterior import finish_replicated_tree

        return finish_replicated_tree(tree, results, self.listing(results), rng)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw θ, and the statements of new datasets from it."""
        return share_labels(self.posterior_type(self, results, answer), number, draws, rng)

    @classmethod
    def calibration(cls) -> Callable[..., Iterator[Replicate]]:
        """Simulate from the model, for calibration by simulation."""
        from bayescompare.methods.replicated.calibration import simulate_replicated

        return simulate_replicated

    # words ---------------------------------------------------------------------------------------

    def headline(self, results: Results, answer: Answer, decision: Decision) -> str | None:
        """Say of one dataset that the answer is about that one only."""
        return (
            replicated_dataset_headline(results, decision) if len(results.datasets) == 1 else None
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return replicated_methods_text(self, answer)

    def learned_text(self, pairs: int) -> str:
        """Describe how the prior of each pair came from all of them."""
        return replicated_learned_text(pairs)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, which datasets are sure, and what was assumed of the replicates."""
        return replicated_words(self, results, answer, decision)
