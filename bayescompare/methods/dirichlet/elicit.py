"""`elicit`: what a prior of the Dirichlet test implies, before any data are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy.special import betaincinv
from scipy.stats import betabinom

from bayescompare._checks import check_count, check_draws
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare._version import __version__
from bayescompare.kernels.dirichlet.draws import draw_log_theta
from bayescompare.methods._shared.lumped import LumpedStatements
from bayescompare.methods._shared.trees import make_tree, statement_each
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.methods.dirichlet.prior import beliefs_words, is_elicited
from bayescompare.outcome.decision import claim_in_quotes, claim_words
from bayescompare.posterior.component import Component
from bayescompare.statements import OUTCOME, Statements
from bayescompare.table.checks import check_spec
from bayescompare.table.measure import Direction, Measure
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural, probability_words, statistic_number_text

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


#: Datasets that a prior predictive is about, unless told.
DATASETS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Elicitation:
    """What a prior implies: for every statement, for every measure, and for datasets to come.

    `elicit` returns one.

    Attributes
    ----------
    method : Dirichlet
        The test with the prior; pass it on as ``compare(results, method=...)``.
    statements : Statements
        Every statement about the algorithms and measures.
    """

    method: Dirichlet
    statements: Statements = field(repr=False)

    @cached_property
    def _cells(self) -> Component:
        return self.method.cells_of(self.statements)[1]

    @property
    def weight(self) -> float:
        """Σα, the prior's weight in datasets."""
        return self._cells.total

    @cached_property
    def table(self) -> pd.DataFrame:
        """α of every statement, mean and 95 % interval of its θ, and P(it is the most probable)."""
        alpha = self._cells.alpha
        largest = self._cells.p_max(np.zeros((1, len(alpha))))[0, :-1]
        columns = {
            "alpha": alpha,
            **_beta_summary(alpha, self.weight - alpha),
            "p_max": largest,
        }
        index = pd.Index(self.statements.labels, name="statement")
        return pd.DataFrame(columns, index=index)

    @cached_property
    def measures(self) -> pd.DataFrame:
        """Mean and 95 % interval of the share of datasets with each state of each measure."""
        alpha, rows = self._cells.alpha, {}
        for measure, states in zip(self.statements.measures, self.statements.states, strict=True):
            for state in dict.fromkeys(states):
                own = float(alpha[np.array(states, dtype=object) == state].sum())
                rows[measure, state] = {"alpha": own, "rest": self.weight - own}
        index = pd.MultiIndex.from_tuples(rows, names=["measure", "state"])
        shapes = pd.DataFrame(list(rows.values()), index=index)
        ends = _beta_summary(shapes["alpha"].to_numpy(), shapes["rest"].to_numpy())
        return pd.DataFrame({"alpha": shapes["alpha"], **ends}, index=index)

    def predict(self, n: int = DATASETS) -> pd.DataFrame:
        """Return how many of `n` datasets support each statement under the prior.

        The number is Beta-binomial. Columns: its mean, its central 95 % interval, and for each
        number from 0 to `n` its probability.
        """
        check_count(n=n)
        alpha = self.table["alpha"].to_numpy()
        number = betabinom(n, alpha[:, None], self.weight - alpha[:, None])
        columns = {"mean": n * alpha / self.weight}
        for end, share in (("lower", 0.025), ("upper", 0.975)):
            columns[end] = np.asarray(number.ppf(share), dtype=np.float64)[:, 0]
        figures = pd.DataFrame(columns, index=self.table.index)
        masses = pd.DataFrame(number.pmf(np.arange(n + 1)), index=self.table.index)
        return pd.concat([figures, masses], axis=1)

    def draws(self, draws: int = 1000, *, datasets: int = DATASETS, rng: Rng = None) -> xr.DataTree:
        """Draw from the prior: a DataTree for ArviZ with `prior` and `prior_predictive`."""
        check_draws(draws=draws, chains=1)
        check_count(datasets=datasets)
        generator, _ = as_rng(rng)
        return _prior_tree(self.statements, self._cells, draws, datasets, generator)

    def explain(self) -> str:
        """Say what the prior believes, how much it weighs, and what it expects to see."""
        best = str(self.table["mean"].idxmax())
        row = self.table.to_dict("index")[best]
        expected = self.predict(DATASETS)[["mean", "lower", "upper"]].to_dict("index")[best]
        tied = int((self.table["alpha"] >= row["alpha"] * (1 - 1e-9)).sum())
        words = claim_words(best, self.statements.algorithms, self.statements.measures)
        first = (
            f"{claim_in_quotes(words)} is the most probable of {count(len(self.table))} statements"
        )
        if tied > 1:
            first = (
                f"Of {count(len(self.table))} statements {tied} are equally the most probable, "
                f"among them {claim_in_quotes(words)}"
            )
        ends = " to ".join(probability_words(row[end]) for end in ("lower", "upper"))
        share = 100.0 * self.weight / (self.weight + DATASETS)
        return " ".join(
            [
                f"Before any data: {self._belief_words()}",
                f"{first}: on a new dataset it is expected to hold with probability "
                f"{probability_words(row['mean'])} (95 % interval {ends}).",
                f"Of {DATASETS} datasets the prior expects "
                f"{statistic_number_text(expected['mean'], significant=2)} to support it; "
                "anything from "
                f"{count(expected['lower'])} to {count(expected['upper'])} would not surprise it.",
                f"Beside {DATASETS} datasets of yours the prior would have "
                f"{statistic_number_text(share, significant=2)} % of the say.",
            ]
        )

    def _belief_words(self) -> str:
        weight = plural(round(self.weight, 6), "dataset")
        if not is_elicited(self.method.prior):
            return f"the prior weighs as much as {weight}."
        assert isinstance(self.method.prior, Mapping)
        return f"{beliefs_words(self.method.prior)}. This weighs as much as {weight}."

    def plot(
        self,
        kind: Literal["statements", "measures", "predictive"] = "statements",
        *,
        n: int = DATASETS,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the prior of the statements, of the measures, or what it predicts of `n` datasets.

        See `bayescompare.plots.plot_prior`, `plot_beliefs` and `plot_prior_predictive`.
        """
        from bayescompare import plots
        from bayescompare._checks import check_word

        check_word("kind", kind, ("statements", "measures", "predictive"))
        if kind == "predictive":
            return plots.plot_prior_predictive(self, n=n, ax=ax)
        return (plots.plot_prior if kind == "statements" else plots.plot_beliefs)(self, ax=ax)

    def __repr__(self) -> str:
        names = self.statements
        return (
            f"Elicitation: {', '.join(names.algorithms)} on {', '.join(names.measures)}, a prior "
            f"worth {plural(round(self.weight, 6), 'dataset')}\n"
            "  see .explain(), .table, .measures, .predict(), .plot(), .draws(); compare with "
            "method=.method"
        )


def _prior_tree(
    statements: Statements,
    cells: Component,
    draws: int,
    datasets: int,
    rng: np.random.Generator,
) -> xr.DataTree:
    """Draw θ, who leads each measure, and which statement each of some datasets supports."""
    listing = LumpedStatements.from_cells(statements, cells)
    log_alpha = listing.log_alpha
    theta = np.exp(draw_log_theta(log_alpha, np.zeros_like(log_alpha), (1, draws), rng))
    two = len(statements.algorithms) == 2
    marginal_dims = ("measure",) if two else ("measure", "algorithm")
    dims = {
        "theta": ("statement",),
        "marginal": marginal_dims,
        OUTCOME: ("dataset", "statement"),
    }
    coords = {
        "statement": list(listing.labels),
        "measure": list(statements.measures),
        "algorithm": list(statements.algorithms),
        "dataset": [f"new {i + 1}" for i in range(datasets)],
    }
    groups = {
        "prior": {"theta": theta, "marginal": listing.marginal(theta, rng, prior=True)},
        "prior_predictive": {OUTCOME: statement_each(theta, datasets, rng)},
    }
    tree = make_tree(groups, dims, coords)
    tree.attrs.update(inference_package="bayescompare", version=__version__)
    return tree


def _beta_summary(first: FloatArray, second: FloatArray) -> dict[str, FloatArray]:
    """Mean and central 95 % interval of Beta distributions."""
    other = np.maximum(second, 1e-300)
    ends = {name: betaincinv(first, other, q) for name, q in (("lower", 0.025), ("upper", 0.975))}
    return {"mean": first / (first + other), **ends}


def elicit(
    prior: Any,
    *,
    algorithms: Sequence[str] | None = None,
    measures: Sequence[str] | Mapping[str, Any] | None = None,
    results: Results | None = None,
) -> Elicitation:
    """Show what a prior of the Dirichlet test implies, before any data are used.

    Parameters
    ----------
    prior : mapping, str, number or Dirichlet
        What ``Dirichlet(prior=...)`` takes, such as
        ``{"accuracy": {"B>A": 0.7}, "weight": 5}``, or the test itself.
    algorithms : sequence of str, optional
        In the order in which they will be compared.
    measures : sequence of str, or mapping, optional
        Names, or as for `Results`, where a `Measure` with a rope has the state "equivalent".
    results : Results, optional
        A table whose algorithms and measures to take; its values are not looked at.

    Returns
    -------
    Elicitation

    Examples
    --------
    >>> import bayescompare as bc
    >>> belief = {"accuracy": {"B>A": 0.7}, "weight": 5}
    >>> e = bc.methods.elicit(belief, algorithms=["A", "B"], measures=["accuracy", "time"])
    >>> e.table[["alpha", "mean"]].round(3).loc["B>A|B>A"].tolist()
    [1.75, 0.35]
    >>> e.measures["mean"].round(3).to_dict()["accuracy", "B>A"]
    0.7
    """
    method = prior if isinstance(prior, Dirichlet) else Dirichlet(prior=prior)
    if method.needs_mcmc:
        raise BayescompareError(
            f"elicit: priors={list(method.priors or {})} has random parameters, so that it has no "
            "table; compare() with it, and look at the group 'prior' of c.tree."
        )
    if method.prior == "learned":
        raise BayescompareError("elicit: prior='learned' is learned from data, in pairwise().")
    names, spec = _names(algorithms, measures, results)
    ropes = {name: measure.rope for name, measure in spec.items()}
    if len(names) > 2 and any(rope is not None for rope in ropes.values()):
        raise BayescompareError("elicit: a rope is about two algorithms; name two of them.")
    found = Elicitation(method, Statements.without_data(names, ropes))
    _ = found.table  # refuses what does not fit
    return found


def _names(
    algorithms: Sequence[str] | None, measures: Any, results: Results | None
) -> tuple[list[str], dict[str, Measure]]:
    """Check the names, or take them from a table."""
    given: object = results
    if not (given is None or isinstance(given, Results)):
        raise BayescompareError(f"results is a {type(given).__name__}: give Results, or names.")
    if results is not None:
        chosen = list(measures) if measures is not None else None
        part = results.sel(algorithms=algorithms, measures=chosen)
        return list(part.algorithms), dict(part.spec)
    if algorithms is None or measures is None:
        missing = "algorithms" if algorithms is None else "measures"
        raise BayescompareError(
            f"{missing}= is missing: name them, as in elicit(prior, algorithms=['A', 'B'], "
            "measures=['accuracy']), or pass results=."
        )
    names = _listed("algorithms", algorithms)
    if len(names) < 2:
        raise BayescompareError(f"algorithms={names}: a comparison needs at least two.")
    if isinstance(measures, Mapping):
        return names, check_spec(measures)
    # Nothing here depends on their direction.
    directions: dict[str, Direction | Measure] = dict.fromkeys(_listed("measures", measures), "max")
    return names, check_spec(directions)


def _listed(argument: str, names: object) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise BayescompareError(f"{argument}={names!r}: give a list of names.")
    listed = [str(name) for name in names]
    for name in listed:
        if listed.count(name) > 1:
            raise BayescompareError(f"{argument}={listed!r}: {name!r} is named twice.")
        # The signs that labels of statements are made of.
        if not name or set(name) & set(">=|"):
            raise BayescompareError(f"{argument}: {name!r} cannot be a name in a statement.")
    return listed
