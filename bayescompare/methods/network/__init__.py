r"""The test of joint dominance factored by a learned Bayesian network.

Story: the measures are the variables of a network G; each dataset draws one state per measure,

.. math:: \theta(x) = \prod_i \theta_{i \mid pa_i}(x_i), \qquad
          \theta_{i \mid c} \sim \mathrm{Dirichlet}(ESS/(q_i r_i)),

with far fewer parameters than the plain multinomial. G is the graph of highest BDeu score, found
exactly, or the answer is averaged over all graphs.

References
----------
Benavoli & de Campos (2015), Section 5; de Campos & Benavoli (2016), Section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import (
    MOST_WEIGHT,
    check_flag,
    check_positive,
    is_number,
    is_whole,
    show_checked_value,
)
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.evidence import Evidence
from bayescompare.kernels.network.graphs import Graph, search_bytes
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.methods._shared.priors import (
    Priors,
    check_prior_support,
    check_priors,
    fixed_vector,
    is_fixed_prior,
    place_prior,
    prior_options,
)
from bayescompare.methods._shared.simplex import (
    place_dirichlet,
    split_categorical,
    weighted_logs,
)
from bayescompare.methods._shared.trees import answer_of_draws
from bayescompare.methods.network.posterior import (
    NO_MODEL_OF_ALL,
    Component,
    NetworkAnswer,
    NetworkDetails,
    answer_of,
    answer_of_sums,
)
from bayescompare.methods.network.trees import Layout, finished_tree
from bayescompare.methods.network.words import methods_text, summed_words, words
from bayescompare.outcome import nuts
from bayescompare.outcome.answer import Answer, Found
from bayescompare.outcome.method import (
    Accepts,
    Form,
    Method,
    Parameter,
    Phrases,
    Sampling,
)
from bayescompare.outcome.posterior import Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.posterior.graphs import (
    GraphPrior,
    GraphScores,
    edges_of,
    graph_of,
)
from bayescompare.posterior.network import DrawnSums, Maximum, MonteCarlo, NetworkPosterior
from bayescompare.statements import Statement, Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import memory_size_text, setting_number_text

if TYPE_CHECKING:
    import pymc as pm


#: Measures up to which every graph is scored, 29,281 of them.
MOST_LISTED = 5
#: Measures up to which all subsets fit into memory.
MOST_SEARCHED = 22
SEARCHES = ("exact", "hill-climb", "ges", "exhaustive")
#: Monte Carlo errors below this take more than 10⁹ draws.
_LEAST_MCSE = 1e-5
#: Key of a mapping that stands for all it does not name, and names that a message lists.
_REST, _SHOWN = "*", 8

_PARAMETERS = (
    Parameter("ess", (), "1", "equivalent sample size: the weight of each table's prior"),
    Parameter(
        "alpha",
        ("measure",),
        "ess/(q r)",
        "α of each cell in a measure's table, whatever its parents; a mapping may go by state",
        fixed_vector=True,
    ),
)


# the model ----------------------------------------------------------------------------------------


def network_model(layout: Layout, graph: Graph, form: Form, priors: Priors) -> pm.Model:
    r"""Every measure has a state, :math:`x_{ij} \sim \mathrm{Categorical}(\theta_{j \mid pa_j})`.

    The states of its parents choose the row of its table, so that the graph of the model is the
    network. A tied measure is split, as a child and as a parent: log θ is averaged over its states.
    The form for NUTS has latents in place of the tables; their ancillary re-prior is per row, since
    without it R-hat stays at 1.04.
    """
    import pymc as pm
    import pytensor.tensor as pt

    tables = layout.scores.tables(graph)
    with pm.Model(coords=layout.coords(tables)) as model:
        logs = _placed_tables(layout, tables, form, priors)
        for j in tables.members:
            own, (seen, split) = layout.names[j].removeprefix("cpt_"), layout.patterns(j)
            model.add_coord(f"pattern_{own}", range(len(split)))
            split = pm.Data(f"split_{own}", split, dims=(f"pattern_{own}", f"state_{own}"))
            seen = pm.Data(f"seen_{own}", seen, dims="dataset")
            share, row = None, logs[j][0]
            for i in (i for i in range(len(graph)) if graph[j] >> i & 1):
                parent = layout.names[i].removeprefix("cpt_")
                above = model[f"split_{parent}"][model[f"x_{parent}"]]
                both = above if share is None else share[..., None] * above[..., None, :]
                share = both.reshape((both.shape[0], -1))
            if share is not None:
                row = weighted_logs(share[:, None, :], logs[j].T)
            split_categorical(f"x_{own}", pt.exp(row), split, seen)
        theta = pt.exp(sum(log[layout.at] for log in layout.cells_of(tables, logs)))
        if layout.listing.has_other:
            rest = pt.maximum(1.0 - theta.sum(keepdims=True), 0.0)
            theta = pm.math.concatenate([theta, rest])
        pm.Deterministic("theta", theta, dims="statement")
    return model


def _placed_tables(
    layout: Layout, tables: NetworkTables, form: Form, priors: Priors
) -> dict[int, Any]:
    """Add the table of every measure: log θ of its rows, α fixed or random by the user's prior."""
    import pytensor.tensor as pt

    m, given = len(tables.members), None
    ess = place_prior("ess", priors["ess"], ()) if "ess" in priors else None
    if "alpha" in priors:
        given = pt.as_tensor_variable(place_prior("alpha", priors["alpha"], ("measure",)))
        length = given.type.shape[0] if given.ndim == 1 else None
        if given.ndim > 1 or (length is not None and length != m):
            raise BayescompareError(
                f"priors['alpha'] must be one number for all, or a vector over the {m} measures; "
                f"its shape is {given.type.shape}."
            )
    logs = {}
    for j in range(m):
        k = tables.members.index(j)
        alpha, total = tables.rows(tables.alpha, k), tables.rows(tables.counts, k).sum(axis=-1)
        if ess is not None:
            alpha = ess * np.full(alpha.shape, 1.0 / alpha.size)
        elif given is not None:
            alpha = (given if given.ndim == 0 else given[j]) * np.ones(alpha.shape)
        logs[j] = place_dirichlet(form, layout.names[j], alpha, total, layout.dims_of_table(j))
    return logs


# α ------------------------------------------------------------------------------------------------


def cell_alpha(alpha: object, statements: Statements) -> tuple[tuple[float, ...], ...]:
    """Give every state of every measure its α.

    Parameters
    ----------
    alpha : number, vector or mapping
        One number for all; one for each measure, in their order; or by measure, with numbers or
        mappings by state such as ``{"A>B": 2, "B>A": 1}``; ``"*"`` stands for the rest.
    statements : Statements

    Examples
    --------
    >>> import bayescompare as bc
    >>> statements = Statements.of(bc.load_example("benavoli-example1"))
    >>> cell_alpha({"accuracy": {"B>A": 2.0, "*": 1.0}, "time": 0.5}, statements)
    ((1.0, 2.0), (0.5, 0.5))
    """
    name, measures, vector = "priors['alpha']", statements.measures, fixed_vector(alpha)
    if vector is not None:
        if vector.shape != (len(measures),):
            raise BayescompareError(
                f"{name} has {vector.size} number(s) for {len(measures)} measures "
                f"({', '.join(measures)}): give one for each, one for all, or a mapping."
            )
        alpha = dict(zip(measures, vector.tolist(), strict=True))
    by_measure, _ = _named(name, "measure", alpha, measures)
    rows = []
    for j, (measure, given) in enumerate(zip(measures, by_measure, strict=True)):
        where, states = f"{name}[{measure!r}]", statements.state_names(j)
        row, rest = _named(where, "state", given, states)
        # Beyond six algorithms only observed states have names, and come first.
        unnamed = statements.arities[j] - len(states)
        if unnamed and rest is None:
            raise BayescompareError(f"{where}: give '*' for the states that were not observed.")
        row += [rest] * unnamed
        for each in row:
            if not (is_number(each) and 0.0 < each <= MOST_WEIGHT):
                raise BayescompareError(
                    f"{where}={show_checked_value(given)}: α must be a finite number > 0, at most "
                    f"{setting_number_text(MOST_WEIGHT)}."
                )
        rows.append(tuple(map(float, row)))
    return tuple(rows)


def _named(where: str, kind: str, given: Any, names: Sequence[str]) -> tuple[list[Any], Any]:
    """The value of every name, and that of the rest."""
    values = given if isinstance(given, Mapping) else {_REST: given}
    for name in values:
        if name != _REST and name not in names:
            listed = ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")
            raise BayescompareError(
                f"{where} names {kind} {name!r}; there are {listed}."
                f"{did_you_mean(str(name), names)}"
            )
    rest, missing = values.get(_REST), [name for name in names if name not in values]
    if missing and rest is None:
        raise BayescompareError(
            f"{where} lacks {kind} {', '.join(missing[:_SHOWN])}: name it too, or give '*' for the "
            "rest."
        )
    return [values.get(name, rest) for name in names], rest


# the method ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Network(Method):
    """How probable is it that a joint statement leads, given which measures depend on each other?

    Parameters
    ----------
    ess : float
        Equivalent sample size of BDeu and of the tables' priors.
    max_parents : int, "auto" or None
        Most parents of a measure; "auto", the default, is max(1, min(m − 1, ⌊log_r(n/10)⌋)), which
        keeps BDeu from finding spurious dense graphs. The result records it. None sets no limit, as
        in the paper.
    search : {"exact", "hill-climb", "ges", "exhaustive"} or graph
        How the graph is found, or a pgmpy ``DAG``, a networkx ``DiGraph`` or pairs of names.
    required, forbidden : sequence of (parent, child)
        Edges that the graph must have and must not have, wherever graphs are searched or averaged.
        pgmpy's ``ExpertKnowledge``, as `required`, gives both.
    average : bool
        Average P over the posterior of all graphs instead of taking the best one.
    mcse : float
        Monte Carlo standard error to reach where P has no exact form.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("network")``.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=Network())
    >>> c.best, c.exact
    ('B>A|B>A', True)
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = title_in_registry("network")
    citations: ClassVar[tuple[str, ...]] = (
        "benavoli2015joint",
        "decampos2016joint",
        "heckerman1995learning",
    )
    posterior_type: ClassVar[type[Posterior]] = NetworkAnswer
    phrases: ClassVar[Phrases] = Phrases(
        reference="Benavoli & de Campos (2015), Section 5",
        levers="another graph (see edges), another ess (see sensitivity()), or more datasets",
    )
    accepts: ClassVar[Accepts] = Accepts(
        missing=frozenset({"worst"}), forms=("textbook", "nuts"), predicts="nuts"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = _PARAMETERS

    ess: float = 1.0
    max_parents: int | Literal["auto"] | None = "auto"
    search: Any = "exact"
    average: bool = False
    mcse: float = 1e-3
    priors: Priors | None = None
    required: Any = ()
    forbidden: Any = ()
    #: Where θ is summed over measures that cannot be left out: the edges of the whole network, and
    #: its posterior, which files do not hold.
    summed_from: Sequence[Sequence[str]] | None = field(default=None, repr=False)
    whole: NetworkPosterior | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._check_priors()
        check_positive(ess=self.ess, mcse=self.mcse)
        if self.mcse < _LEAST_MCSE:
            raise BayescompareError(
                f"mcse={self.mcse!r}: must be at least {setting_number_text(_LEAST_MCSE)}; the "
                "draws it takes grow with the square of its inverse."
            )
        most: object = self.max_parents
        named = most is None or (isinstance(most, str) and most == "auto")
        if not named and not (is_whole(most) and most >= 0):
            raise BayescompareError(
                f"max_parents={self.max_parents!r}: an integer >= 0, 'auto', or None for no limit."
            )
        self._read_edges()
        if isinstance(self.search, str) and self.search not in SEARCHES:
            raise BayescompareError(
                f"search={self.search!r}: choose one of {', '.join(SEARCHES)}, or give a graph."
                f"{did_you_mean(self.search, SEARCHES)}"
            )
        check_flag(average=self.average)
        if self.average and not (isinstance(self.search, str) and self.search == "exact"):
            raise BayescompareError(
                "average=True sums over all graphs: leave search='exact', or average=False."
            )
        if self.average and self.needs_mcmc:
            given = ", ".join(self.nonconjugate_priors)
            raise BayescompareError(
                f"average=True needs graphs with closed evidence, and priors gives {given} a "
                "distribution: give a number, or average=False."
            )

    def _read_edges(self) -> None:
        """Take required and forbidden edges as pairs, from pgmpy's own class too."""
        given = {"required": self.required, "forbidden": self.forbidden}
        if hasattr(self.required, "required_edges"):
            known, given["required"] = self.required, sorted(self.required.required_edges)
            given["forbidden"] = [*self.forbidden, *sorted(known.forbidden_edges)]
        for name, edges in given.items():
            good = isinstance(edges, (list, tuple, set, frozenset)) and all(
                isinstance(edge, (list, tuple)) and len(edge) == 2 for edge in edges
            )
            if not good:
                raise BayescompareError(
                    f"{name}={edges!r}: give pairs (parent, child) of measures."
                )
            object.__setattr__(self, name, tuple((str(a), str(b)) for a, b in edges))
        if (self.required or self.forbidden) and self.search not in SEARCHES[:2]:
            raise BayescompareError(
                f"search={self.search!r} does not honour required and forbidden edges; use 'exact' "
                "or 'hill-climb'."
            )

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Network:
        """Make the method again; before 0.2.0 no limit on parents meant "auto"."""
        old = "required" not in options and options.get("max_parents") is None
        return cls(**{**options, "max_parents": "auto"} if old else options)

    def _check_priors(self) -> None:
        priors: Any = self.priors
        if isinstance(priors, Mapping) and isinstance(priors.get("alpha"), Mapping):
            priors = {**priors, "alpha": 1.0}  # by name: checked with the table's names
        check_priors(priors, self.parameters)
        if priors and len(priors) > 1:
            raise BayescompareError("priors names ess and alpha: alpha replaces ess; give one.")
        if self._fixed_alpha is not None and self.ess != 1.0:
            raise BayescompareError(
                f"ess={self.ess!r}: priors['alpha'] replaces ess=; give one or the other."
            )

    def options(self) -> dict[str, Any]:
        """Return the choices by name; a graph as its edges, a prior that is an object by name."""
        options = {**super().options(), "priors": prior_options(self.priors)}
        del options["whole"]
        if self.summed_from is None:
            del options["summed_from"]
        if not isinstance(self.search, str):
            edges = self.search.edges() if hasattr(self.search, "edges") else self.search
            options["search"] = [[str(a), str(b)] for a, b, *_ in edges]
        return options

    @property
    def nonconjugate_priors(self) -> Priors:
        """The user's priors that leave the tables' posterior without a closed form."""
        return {k: v for k, v in (self.priors or {}).items() if not is_fixed_prior(v)}

    @property
    def needs_mcmc(self) -> bool:
        """Whether the answer needs MCMC."""
        return bool(self.nonconjugate_priors)

    @property
    def _fixed_alpha(self) -> Any:
        """What the user gave as α, where it is numbers."""
        alpha = (self.priors or {}).get("alpha")
        return alpha if alpha is not None and is_fixed_prior(alpha) else None

    # posterior ------------------------------------------------------------------------------------

    def prior_of(self, statements: Statements) -> GraphPrior:
        """Return what is believed of these statements' tables and graphs."""
        if len(statements.measures) < 2:
            raise BayescompareError(
                "a network needs at least two measures; on one it is the plain test: "
                "method='dirichlet'."
            )
        ess, given = (self.priors or {}).get("ess", self.ess), self._fixed_alpha
        alpha = None if given is None else cell_alpha(given, statements)
        return GraphPrior(
            CellPrior(float(ess) if is_number(ess) else self.ess, alpha),
            self.max_parents,
            self._find,
            is_learned=isinstance(self.search, str),
            is_averaged=self.average,
            required=self.required,
            forbidden=self.forbidden,
        )

    def _find(self, scores: GraphScores) -> Graph:
        """Find the graph: exactly, by one of pgmpy's searches, or read the user's."""
        from bayescompare.methods.network.to_pgmpy import search_by_pgmpy

        m = len(scores.statements.measures)
        if not isinstance(self.search, str):
            return graph_of(self.search, scores.statements.measures)
        if self.search == "exhaustive" and m > MOST_LISTED:
            raise BayescompareError(
                f"search='exhaustive' scores every graph, up to {MOST_LISTED} measures, and here "
                f"are {m}; search='exact' finds the same."
            )
        if self.search != "exact":
            return search_by_pgmpy(scores, self.search)
        if m > MOST_SEARCHED:
            raise BayescompareError(
                f"search='exact' on {m} measures would need {memory_size_text(search_bytes(m))} "
                f"(limit: {MOST_SEARCHED} measures); use search='hill-climb'."
            )
        return scores.best()

    def posterior_of(
        self, results: Results, rng: np.random.Generator | None = None
    ) -> NetworkPosterior:
        """Return the posterior of θ: of the graph found or given, or averaged over all."""
        statements = Statements.of(results)
        return NetworkPosterior(
            evidence=Evidence.counted(statements),
            prior=self.prior_of(statements),
            monte_carlo=MonteCarlo(self.mcse, rng or np.random.default_rng(0)),
        )

    def layout(self, results: Results) -> tuple[Layout, Graph]:
        """Lay out the tables of the graph."""
        learned = self.posterior_of(results).learned
        return Layout.of(results, learned.scores), learned.graph

    # the answer -----------------------------------------------------------------------------------

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """P(max) under the best graph, or averaged over all of them."""
        if self.summed_from is not None:
            return self._answer_of_sum(results, sampling)
        posterior = self.posterior_of(results, sampling.rng)
        scores, graph, _ = posterior.learned
        details = NetworkDetails(
            edges=tuple(edges_of(graph, results.measures)),
            score=scores.graph(graph),
            max_parents=scores.max_parents,
            components=(),
        )
        if self.needs_mcmc:
            return self._sampled_answer(
                results, Layout.of(results, scores), graph, details, sampling
            )
        groups = [_component(scores.statements, *part) for part in posterior.components]
        return answer_of(
            posterior,
            log_evidence=posterior.log_evidence,
            facts=replace(details, components=tuple(groups)),
            seed=None if posterior.mcse() is None else sampling.seed,
        )

    def _answer_of_sum(self, results: Results, sampling: Sampling) -> Answer:
        """Draw the tables, sum θ over the other measures, count which statement is largest."""
        if self.whole is None:
            raise BayescompareError("this answer was summed from a network that is not here.")
        draws = max(1, int(np.ceil(0.25 / self.mcse**2)))
        shares = self.whole.events(results.measures, draws, sampling.rng)
        assert isinstance(shares, DrawnSums)
        return replace(answer_of_sums(shares), seed=sampling.seed)

    def _sampled_answer(
        self,
        results: Results,
        layout: Layout,
        graph: Graph,
        details: NetworkDetails,
        sampling: Sampling,
    ) -> Answer:
        """Sample the tables where α has a distribution of the user's, by NUTS."""
        priors, statements = self.nonconjugate_priors, Statements.of(results)
        model = network_model(layout, graph, "nuts", priors)
        check_prior_support(priors, self.parameters, model)
        tree = finished_tree(layout, graph, nuts.sample(sampling, model))
        each = layout.leads(graph, tree["posterior"].to_dataset(), statements)
        seen = each.mean(axis=(0, 1))[statements.table.counts > 0]
        unobserved = max(0.0, 1.0 - float(seen.sum()))
        return answer_of_draws(
            statements,
            tree,
            "theta",
            each,
            unobserved=unobserved,
            facts=details,
            seed=sampling.seed,
        )

    # models and draws -----------------------------------------------------------------------------

    def model(self, results: Results, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model of the graph: a Dirichlet for every row of a table."""
        if self.average:
            raise BayescompareError(f"average=True: {NO_MODEL_OF_ALL}")
        return network_model(*self.layout(results), form, self.nonconjugate_priors)

    # words ----------------------------------------------------------------------------------------

    def sentences(self, found: Found) -> list[str]:
        """Say the verdict, which measures depend on each other, and which decide it."""
        results, answer, decision = found
        if self.summed_from is not None:
            return summed_words(results, answer, decision)
        return words(self, results, answer, decision)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return methods_text(self, answer)


def _component(statements: Statements, members: list[int], part: Maximum) -> Component:
    """The answer of one component by itself: its own best statement."""
    best = int(np.argmax(part.probability))
    return Component(
        measures=tuple(statements.measures[j] for j in members),
        best=str(Statement.parse(statements.labels[best]).on(members)),
        probability=float(part.probability[best]),
        exact=part.exact,
    )
