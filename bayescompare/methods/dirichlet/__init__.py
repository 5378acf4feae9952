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

import functools  # not `partial` by name: a module of this folder has that name
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from scipy.special import betaincinv

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, IntArray, StrArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import LOWER, LOWEST, PROBABILITY, UPPER, theta_columns
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.compiled import ReusableModel
from bayescompare.comparison.decision import Decision, decide
from bayescompare.comparison.details import Scalars
from bayescompare.comparison.lever import POWER, Lever
from bayescompare.comparison.method import (
    LEAST_PAIRS,
    STATEMENTS,
    BetaMixture,
    Form,
    Kind,
    Method,
    Parameter,
    Replicate,
    Sampling,
)
from bayescompare.comparison.planning import grow_cells_in_planning
from bayescompare.comparison.registry import title_in_registry
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.dirichlet.parts import parts_of_cells, summed_cells
from bayescompare.kernels.dirichlet.posterior import (
    dirichlet_leave_one_out,
    dirichlet_log_evidence,
    dirichlet_majority,
    dirichlet_pair_order,
    imprecise_dirichlet_bounds,
)
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.priors import (
    Priors,
    check_priors,
    is_number,
    is_shared_prior_fixed,
    prior_options,
    shared_constant_dirichlet,
    shared_fixed_vector,
)
from bayescompare.methods._shared.questions import FourQuestions
from bayescompare.methods.dirichlet.comparison import DirichletComparison
from bayescompare.methods.dirichlet.elicited import WEIGHT, ElicitedPrior, is_elicited
from bayescompare.methods.dirichlet.methods_text import (
    dirichlet_learned_text,
    dirichlet_methods_text,
)
from bayescompare.methods.dirichlet.of_pair import prior_of_pair
from bayescompare.methods.dirichlet.prior import (
    Prior,
    check_prior,
    dirichlet_prior_as_json,
    dirichlet_prior_cells,
    dirichlet_prior_mapping,
    marginal_prior,
    pattern_prior,
)
from bayescompare.methods.dirichlet.wildcards import WildcardPrior
from bayescompare.methods.dirichlet.words import dirichlet_words
from bayescompare.results.gaps import Reading
from bayescompare.results.results import Results
from bayescompare.statements import Statements

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

    from bayescompare.comparison.pair_figures import PairFigures

__all__ = [
    "Dirichlet",
    "dirichlet_cell_betas",
    "dirichlet_parts",
    "dirichlet_theta_summary",
    "least_of_dirichlet",
    "questions",
]


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
    comparison_type: ClassVar[type[Comparison] | None] = DirichletComparison
    scalars_type: ClassVar[type[Scalars]] = FourQuestions
    prior_weight: ClassVar[str | None] = "strength"
    quick: ClassVar[bool] = True
    levers: ClassVar[str] = "another prior (see sensitivity())"
    kind: ClassVar[Kind] = "bayesian"
    reference: ClassVar[str] = "de Campos & Benavoli (2016), Section 4"
    knows_domains: ClassVar[bool] = True
    missing_ways: ClassVar[frozenset[Reading]] = frozenset({"ignore", "worst", "bounds"})
    provides: ClassVar[frozenset[str]] = frozenset(
        {
            "probability",
            "unobserved",
            "draws",
            "model",
            "sample",
            "log_evidence",
            "loo",
            "questions",
            "on",
            "bounds",
            "domains",
            "plan",
            "predict",
            "simulate",
        }
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS
    forms: ClassVar[tuple[Form, ...]] = ("textbook", "nuts")
    data_scale: ClassVar[str | None] = STATEMENTS

    prior: Prior = None  # type: ignore[assignment]
    strength: float = None  # type: ignore[assignment]
    priors: Priors | None = None
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
        check_prior(self.prior, self.strength)
        priors = self.priors or {}
        if len(priors) > 1:
            raise BayescompareError(
                f"priors names {', '.join(priors)}: theta, alpha and strength each determine the "
                "others; give one of them."
            )
        if priors and (self.prior != "symmetric" or self.strength != 1.0):
            raise BayescompareError(
                f"priors={list(priors)} replaces prior= and strength=: give one or the other."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a prior that is an object is named, not kept."""
        prior: Any = float(self.prior) if is_number(self.prior) else self.prior
        if isinstance(prior, Mapping):
            prior = {label: dirichlet_prior_as_json(alpha) for label, alpha in prior.items()}
        return {"prior": prior, "strength": self.strength, "priors": prior_options(self.priors)}

    def chosen(self) -> dict[str, Any]:
        """Return what to write in a call; a symmetric prior only where it turns learning off."""
        usual = {"prior": "symmetric", "strength": 1.0, "priors": None}
        changed = {name: value for name, value in self.options().items() if value != usual[name]}
        return changed if changed or self.learns else {"prior": "symmetric"}

    @property
    def nonconjugate_priors(self) -> Priors:
        """The user's priors that are not conjugate; a number or a fixed Dirichlet is."""
        return {
            name: value
            for name, value in (self.priors or {}).items()
            if not is_shared_prior_fixed(value)
            and (name != "theta" or shared_constant_dirichlet(value) is None)
        }

    @property
    def needs_mcmc(self) -> bool:
        """Whether a prior of the user's makes the model non-conjugate."""
        return bool(self.nonconjugate_priors)

    def cells(self, results: Results) -> tuple[Statements, DirichletCells]:
        """Return the statements and the Dirichlet on them, for exact path and model alike."""
        return self.cells_of(Statements.of(results))

    def cells_of(self, statements: Statements) -> tuple[Statements, DirichletCells]:
        """Return the Dirichlet on given statements, with those that the prior names listed."""
        conjugate = {
            k: v for k, v in (self.priors or {}).items() if k not in self.nonconjugate_priors
        }
        return dirichlet_prior_cells(
            self._fixed_prior(statements), conjugate.get("strength", self.strength), statements
        )

    def _fixed_prior(self, statements: Statements) -> Prior:
        """The prior of the exact path: `prior`, or what a fixed alpha or theta says."""
        conjugate = {
            k: v for k, v in (self.priors or {}).items() if k not in self.nonconjugate_priors
        }
        if "theta" in conjugate:
            return dirichlet_prior_mapping(
                "theta", shared_constant_dirichlet(conjugate["theta"]), statements
            )
        alpha = conjugate.get("alpha", self.prior)
        vector = shared_fixed_vector(alpha)
        return alpha if vector is None else dirichlet_prior_mapping("alpha", vector, statements)

    def of_pair(self, results: Results, pair: tuple[str, str]) -> Method:
        """Return the test with what its prior says of this pair."""
        if not isinstance(self.prior, Mapping) or len(results.algorithms) == 2:
            return self
        prior, strength = prior_of_pair(self.prior, results, pair)
        return replace(self, prior=prior, strength=strength)

    def for_table(self, results: Results) -> Method:
        """Return the variant for domains, for weights, or for missing cells, where there are any.

        One with missing cells counts a dataset by what was seen there.
        """
        if results.groups is not None:
            from bayescompare.methods.dirichlet.grouped import grouped_dirichlet

            return grouped_dirichlet(self)
        if results.weights is not None:
            from bayescompare.methods.dirichlet.weighted import weighted_dirichlet

            return weighted_dirichlet(self)
        if results.gaps not in ("ignore", "bounds"):
            return self
        from bayescompare.methods.dirichlet.partial import partial_dirichlet

        return partial_dirichlet(self, results.gaps)

    def patterns(self, statements: Statements) -> ElicitedPrior | WildcardPrior | None:
        """Return the prior where it is one of patterns of statements."""
        return pattern_prior(self._fixed_prior(statements), statements)

    @property
    def learns_from_pairs(self) -> bool:
        """Whether no prior was given, or "learned" was; a test derived from this one never does.

        What `learn` returns answers by this class, and would leave out what the other changes.
        """
        return self.learns and type(self) is Dirichlet

    def learn(self, asked: Sequence[Results]) -> Method:
        """Return the test with the prior that all pairs teach, where there are enough."""
        if len(asked) < LEAST_PAIRS:
            return self
        from bayescompare.methods.dirichlet.learned import learned_dirichlet

        return learned_dirichlet(asked)

    def answer_at_once(
        self, results: Results, pairs: IntArray, asked: IntArray
    ) -> tuple[Method, PairFigures] | None:
        """Answer pairs whose prior names none of them from the counts of all."""
        if type(self) is not Dirichlet:
            return None
        from bayescompare.methods.dirichlet.at_once import dirichlet_at_once

        return dirichlet_at_once(self, results, pairs, asked)

    # the answer ----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) for every statement: exactly, or from NUTS where a prior is the user's own."""
        if self.prior == "learned":
            raise BayescompareError(
                "prior='learned' is learned from the pairs of a table, at least three: ask "
                "pairwise(), or give compare() another prior ('symmetric' is the papers')."
            )
        if self.needs_mcmc:
            from bayescompare.methods.dirichlet.posterior import dirichlet_sampled_answer

            return dirichlet_sampled_answer(self, results, sampling)
        answer = self._answered(*self.cells(results))
        return answer if answer.parts else replace(answer, parts=self._parts_by_measure(results))

    def _parts_by_measure(self, results: Results) -> dict[str, FloatArray]:
        """How sure each part is, from the test on each measure: where α differ among the unlisted.

        Empty for one measure.
        """
        if len(results.measures) == 1:
            return {}
        columns = []
        for name, states in zip(results.measures, self.cells(results)[0].states, strict=True):
            smaller = self.on(results, [name])
            answer = smaller._answered(*smaller.cells(results.sel(measures=[name])))
            assert answer.probability is not None
            known = dict(zip(answer.labels, answer.probability.tolist(), strict=True))
            columns.append([known.get(state, math.nan) for state in states])
        return {PROBABILITY: np.array(columns).T}

    def _answered(self, statements: Statements, cells: DirichletCells) -> Answer:
        """Answer under a given Dirichlet, exactly."""
        probability, lump = probability_of_maximum(cells)
        extra = dirichlet_theta_summary(cells)
        parts = dirichlet_parts(statements, cells)
        if self.prior == "imprecise":
            extra[LOWER], extra[UPPER] = _dirichlet_test_bounds(cells, self.strength)
            if parts:
                parts[LOWEST] = _dirichlet_test_part_bounds(statements, cells, self.strength)
        answer = Answer.over(
            statements,
            probability=probability,
            unobserved=float(probability[cells.counts == 0].sum()) + lump,
            log_evidence=dirichlet_log_evidence(cells),
            per_statement=extra,
            parts=parts,
        )
        alpha_of = functools.partial(self._alpha_of, statements) if cells.more else None
        return replace(answer, scalars=questions(statements, cells, answer, alpha_of))

    def theta_betas(self, results: Results) -> Sequence[BetaMixture] | None:
        """Return the Beta of every listed θ."""
        if self.needs_mcmc:
            return None
        return dirichlet_cell_betas([(1.0, self.cells(results)[1])])

    def lever(self, results: Results) -> Lever | None:
        """Vary the weight of beliefs, or multiply α's that were given one by one."""
        if self.needs_mcmc or set(self.priors or {}) == {"strength"}:
            return None
        if is_elicited(self.prior):
            return self._weight_lever(results)
        if not self.priors and self.prior in ("symmetric", "imprecise", "learned"):
            return None
        statements, cells = self.cells(results)
        return Lever.of_answers(
            POWER, lambda power: self._answered(statements, cells.scaled(power))
        )

    def _weight_lever(self, results: Results) -> Lever:
        """Vary the weight of elicited beliefs."""
        prior: dict[str, Any] = dict(cast("Mapping[str, Any]", self.prior))
        own = float(prior.get(WEIGHT, 1.0))

        def answer(weight: float) -> Answer:
            weighed = replace(self, prior={**prior, WEIGHT: weight})
            return weighed._answered(*weighed.cells(results))

        return Lever.of_answers(
            WEIGHT, answer, usual=own * np.geomspace(0.1, 10.0, 21), bounded=True
        )

    def leads(self, results: Results, answer: Answer) -> FloatArray:
        """P(max) given each draw; given α it is exact."""
        from bayescompare.methods.dirichlet.posterior import dirichlet_lead_given_draws

        assert answer.tree is not None
        posterior = answer.tree["posterior"].to_dataset()
        return dirichlet_lead_given_draws(self, posterior, *self.cells(results))[0]

    def _alpha_of(self, statements: Statements, label: str) -> float:
        """α of one statement, listed or not."""
        listed, cells = dirichlet_prior_cells(
            self._fixed_prior(statements), self.strength, statements.with_labels([label])
        )
        return float(cells.alpha[listed.labels.index(label)])

    def on(self, results: Results, measures: list[str]) -> Dirichlet:
        """Return the method that has this one's prior, summed over the other measures."""
        if self.needs_mcmc:
            raise BayescompareError(
                "on() needs a conjugate prior; ask compare(results.sel(measures=[...])) with your "
                "prior instead, which is then a prior on the subset."
            )
        statements, _ = self.cells(results)
        prior = marginal_prior(self._fixed_prior(statements), statements, measures)
        strength = (self.priors or {}).get("strength", self.strength)
        if prior == "symmetric" and is_elicited(self.prior):
            strength = float(cast("Mapping[str, Any]", self.prior).get(WEIGHT, 1.0))
        return replace(self, prior=prior, strength=strength, priors=None)

    def leave_one_out(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Exact leave-one-dataset-out, as a difference of log evidences."""
        if self.needs_mcmc:
            raise self.unavailable("exact loo with a custom prior")
        statements, cells = self.cells(results)
        table = statements.table
        return dirichlet_leave_one_out(cells, table.dataset, table.statement, table.weight)

    def predictive_simulator(
        self, results: Results
    ) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets by Pólya's urn, θ integrated out."""
        if self.needs_mcmc:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        statements, cells = self.cells(results)

        def simulate(more: int, rng: np.random.Generator) -> FloatArray:
            return least_of_dirichlet(statements, grow_cells_in_planning(cells, more, rng))

        return simulate

    def level_given(
        self, results: Results, answer: Answer, decision: Decision
    ) -> Callable[[int, int], float] | None:
        """The least of P and its parts if more datasets supported a statement, or some fewer."""
        rival = None if decision.runner_up is None else decision.runner_up[0]
        if self.needs_mcmc or rival not in answer.labels:
            return None
        statements, cells = self.cells(results)
        best, other = answer.labels.index(decision.statement), answer.labels.index(rival)

        def level(more: int, moved: int) -> float:
            counts = cells.counts.copy()
            counts[best] += more - moved
            counts[other] += moved
            return float(least_of_dirichlet(statements, replace(cells, counts=counts))[best])

        return level

    # posterior -----------------------------------------------------------------------------------

    def model(self, results: Results) -> pm.Model:
        """Build the PyMC model, with θ as a separate variable."""
        from bayescompare.methods.dirichlet.posterior import build

        return build(self, results, "textbook")

    def place_theta(self, form: Form, listing: LumpedStatements) -> Any:
        """Add θ, and what its α is made of, to the model in context; return log θ."""
        from bayescompare.methods._shared.simplex import place_shared_dirichlet
        from bayescompare.methods.dirichlet.posterior import (
            dirichlet_total_weight,
            place_dirichlet_alpha,
        )

        alpha = place_dirichlet_alpha(self.nonconjugate_priors, listing)
        return place_shared_dirichlet(
            form, "theta", alpha, dirichlet_total_weight(), ("statement",)
        )

    def observe(self, results: Results, log_theta: Any, weights: Any) -> None:
        """Add the likelihood of every dataset to the model in context."""
        from bayescompare.methods._shared.simplex import observe_shared_weights

        observe_shared_weights(log_theta, weights)

    def nuts_model(self, results: Results) -> pm.Model:
        """Build it parametrised for NUTS."""
        from bayescompare.methods.dirichlet.posterior import build

        return build(self, results, "nuts")

    def reusable(self, results: Results) -> ReusableModel | None:
        """Models of the same α and as many datasets differ only in the datasets' weights."""
        if self.needs_mcmc or type(self) is not Dirichlet:
            return None
        from bayescompare.methods.dirichlet.posterior import reusable_dirichlet_model

        return reusable_dirichlet_model(results, self.listing(results))

    def listing(self, results: Results) -> LumpedStatements:
        """Return the cells as draws and models see them."""
        statements, cells = self.cells(results)
        patterns = self.patterns(statements)
        leading = None if patterns is None else patterns.leading()
        return LumpedStatements.from_cells(statements, cells, leading)

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw from the Dirichlet posterior."""
        if self.needs_mcmc:
            raise BayescompareError(
                "draws() need a conjugate prior, and this one is not: use sample(), or the "
                "posterior kept as c.tree."
            )
        from bayescompare.methods._shared.trees import shared_conjugate_tree

        return shared_conjugate_tree(
            results, self.listing(results), draws=draws, chains=chains, rng=rng
        )

    def to_tree(self, results: Results, tree: xr.DataTree, rng: Any) -> xr.DataTree:
        """Bring NUTS's tree into the shape of `draws`."""
        from bayescompare.methods._shared.trees import finish_shared_tree

        return finish_shared_tree(tree, results, self.listing(results), rng)

    def predict(
        self, results: Results, answer: Answer, number: int, draws: int, rng: np.random.Generator
    ) -> StrArray:
        """Draw the statements of new datasets by Pólya's urn, θ integrated out."""
        from bayescompare.methods.dirichlet.prediction import predict_dirichlet

        return predict_dirichlet(self, results, answer, number, draws, rng)

    def simulate(self, results: Results, rng: np.random.Generator) -> Results:
        """Draw θ from the prior, and a statement for each dataset."""
        from bayescompare.methods.dirichlet.prediction import simulated

        return simulated(self, results, rng)

    def prior_strength(self, rng: np.random.Generator) -> float | None:
        """Draw what α is multiplied by, where that is random and yet conjugate; else None."""
        return None

    def prior_bounds(
        self, results: Results, statement: str, weight: float
    ) -> tuple[float, float] | None:
        """Lower and upper P of a statement over all prior means of this strength."""
        statements, cells = Dirichlet(prior="imprecise", strength=weight).cells(results)
        lower, upper = _dirichlet_test_bounds(cells, weight)
        k = statements.labels.index(statement)
        return float(lower[k]), float(upper[k])

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Dirichlet:
        """Make the method again; what `pairwise` learned comes back with it."""
        from bayescompare.methods.dirichlet.learned import LearnedDirichlet

        return LearnedDirichlet.from_options(options) if "learned" in options else cls(**options)

    @classmethod
    def calibration(cls) -> Callable[..., Iterator[Replicate]]:
        """Simulate from the model, for calibration by simulation."""
        from bayescompare.methods.dirichlet.calibration import simulate

        return simulate

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return dirichlet_methods_text(self, answer)

    def learned_text(self, pairs: int) -> str:
        """Describe how the prior of each pair came from all of them."""
        return dirichlet_learned_text(pairs)

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say the verdict, its probability and what it does not say."""
        return dirichlet_words(self, results, answer, decision)


def _dirichlet_test_bounds(cells: DirichletCells, strength: float) -> tuple[FloatArray, FloatArray]:
    """Bound P(max) of every statement over all prior means."""
    return imprecise_dirichlet_bounds(
        cells.counts, strength, unlisted=cells.rest_log_size > -math.inf
    )


def _dirichlet_test_part_bounds(
    statements: Statements, cells: DirichletCells, strength: float
) -> FloatArray:
    """Bound P of each part from below, over all prior means."""
    states = statements.table.states
    lowest = np.empty(states.shape)
    for j, arity in enumerate(statements.arities):
        summed, place = summed_cells(cells, states[:, j], arity, statements.log_size)
        lowest[:, j] = _dirichlet_test_bounds(summed, strength)[0][place]
    return lowest


def dirichlet_parts(statements: Statements, cells: DirichletCells) -> dict[str, FloatArray]:
    """How sure the parts of each statement are; empty for one measure, and for unequal lumps."""
    if len(statements.measures) == 1 or cells.more:
        return {}
    return {PROBABILITY: parts_of_cells(cells, statements.table.states, statements.arities)}


def least_of_dirichlet(statements: Statements, cells: DirichletCells) -> FloatArray:
    """The least of P(max) of each statement and of P of its parts: what a verdict rests on.

    The parts of statements that are listed later than the others are not known, and left out.
    """
    probability = probability_of_maximum(cells)[0]
    if len(cells.counts) > statements.n_listed:
        return probability
    parts = dirichlet_parts(statements, cells).get(PROBABILITY)
    return probability if parts is None else np.fmin(probability, parts.min(axis=1))


def questions(
    statements: Statements,
    cells: DirichletCells,
    answer: Answer,
    alpha_of: Callable[[str], float] | None = None,
) -> FourQuestions:
    """Four different questions about the best statement, each in closed form.

    `alpha_of` gives the α of a statement that is not listed, where these are not all alike.
    """
    best = decide(answer).statement
    where, opposite = answer.labels.index(best), statements.opposite(best)
    rival = statements.find(opposite)
    if rival is not None:
        against = float(cells.shape[rival])
    else:
        against = math.exp(cells.rest_log_alpha) if alpha_of is None else alpha_of(opposite)
    shape = float(cells.shape[where])
    assert answer.probability is not None
    return FourQuestions(
        most_probable=float(answer.probability[where]),
        # Equivalent on every measure is its own opposite.
        beats_opposite=None if opposite == best else dirichlet_pair_order(shape, against),
        majority=dirichlet_majority(shape, cells.total),
        expected=shape / cells.total,
    )


def dirichlet_cell_betas(parts: Sequence[tuple[float, DirichletCells]]) -> list[BetaMixture]:
    """Return the Betas of every listed θ under a mixture of Dirichlets."""
    weight = np.array([share for share, _ in parts])
    shape = np.stack([cells.shape for _, cells in parts], axis=1)
    total = np.array([cells.total for _, cells in parts])
    return [(weight, first, np.maximum(total - first, 1e-300)) for first in shape]


def dirichlet_theta_summary(cells: DirichletCells, mass: float = 0.95) -> dict[str, FloatArray]:
    """Posterior mean and central interval of every θ, each a Beta."""
    shape, total = cells.shape, cells.total
    if not math.isfinite(total):
        nothing = np.zeros_like(shape)
        return theta_columns(nothing, nothing, nothing)
    other = np.maximum(total - shape, 1e-300)
    tail = (1.0 - mass) / 2.0
    low, high = betaincinv(shape, other, tail), betaincinv(shape, other, 1.0 - tail)
    return theta_columns(shape / total, low, high)
