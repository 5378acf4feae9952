"""`compare_models`: which of several models of the same data predicts it best?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray
from bayescompare.methods._shared.lumped import Shown
from bayescompare.modelling import statement_table
from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.diagnosis import MOST_KHAT
from bayescompare.outcome.method import STATEMENTS
from bayescompare.outcome.registry import has_quantity
from bayescompare.statements import OTHER, Statements
from bayescompare.text.numbers import plural, setting_number_text, statistic_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData

    from bayescompare.outcome.scores import By

#: Differences of predictive accuracy below so many standard errors are no difference.
_CLEAR = 2.0
#: Below this a standard error is not to be relied on (Sivula et al. 2020), so nor is a difference.
_SMALL = 4.0


@dataclass(frozen=True, eq=False, repr=False)
class ModelRanking:
    """Several models of the same data beside each other.

    Attributes
    ----------
    table : DataFrame
        Indexed by model, the best first: ``log_evidence`` with ``evidence_se`` (0 where it is
        closed, NaN where it is not and no estimate was wanted) and ``bayes_factor`` (against the
        best evidence), ``elpd`` (expected log predictive density by leave-one-dataset-out) with
        ``se``, ``difference`` to the best with its ``dse``, ``p`` (effective parameters),
        ``weight`` (stacking), ``how`` ("exact", "PSIS", or with the number of refits), ``khat``.
    loos : dict of str to ELPDData
        What ``arviz.compare`` took.
    chosen : tuple of str
        The models whose graph the data chose: their evidence is the greatest of all graphs'.
    """

    table: pd.DataFrame
    loos: dict[str, ELPDData]
    chosen: tuple[str, ...] = ()

    @property
    def best(self) -> str:
        """The model of highest expected log predictive density."""
        return str(self.table.index[0])

    def explain(self) -> str:
        """Say in plain words which models predict better, and how sure that is."""
        rest = self.table.iloc[1:]
        ahead = (rest["difference"] > _CLEAR * rest["dse"]) & (rest["difference"] >= _SMALL)
        models = plural(len(self.table), "model")
        sentences = [f"Of {models} {self.best} predicts a left-out dataset best."]
        if clear := _names(rest.index[ahead]):
            sentences.append(f"It is clearly ahead of {clear}.")
        if close := _names(rest.index[~ahead]):
            sentences.append(
                f"Its lead over {close} is within {setting_number_text(_CLEAR)} standard errors or "
                f"below {setting_number_text(_SMALL)}: the data do not tell them apart."
            )
        known = self.table["log_evidence"].dropna().nlargest(2)
        if len(known) > 1:
            first, second = map(str, known.index)
            factor = math.exp(min(float(known.iloc[0] - known.iloc[1]), 700.0))
            times = statistic_number_text(factor, significant=3)
            sentences.append(
                f"The evidence does not tell {first} and {second} apart."
                if factor < 1.2
                else f"By the evidence {first} is {times} times as probable as {second}, if both "
                "were equally probable before; that depends on the priors more than prediction "
                "does."
            )
            if chosen := _names(name for name in self.chosen if name in (first, second)):
                sentences.append(
                    f"The evidence of {chosen} is that of the graph that the data chose, the "
                    "greatest of all graphs; average=True averages over them all."
                )
        if poor := _names(self.table.index[self.table["khat"] > MOST_KHAT]):
            sentences.append(f"PSIS is unreliable for {poor} (k-hat above {MOST_KHAT}).")
        return " ".join(sentences)

    def plot(self, **options: Any) -> Any:
        """Draw the comparison by ArviZ's ``plot_compare``."""
        import arviz as az

        return az.plot_compare(az.compare(self.loos), **options)

    def __repr__(self) -> str:
        shown = self.table.round(3).to_string()
        return f"ModelRanking of {', '.join(map(str, self.table.index))}\n{shown}"


def _names(models: Iterable[Any]) -> str:
    return join_names([str(name) for name in models])


def compare_models(
    comparisons: Sequence[Comparison],
    *,
    names: Sequence[str] | None = None,
    refit: bool = False,
    evidence: By | None = None,
    rng: Rng = None,
) -> ModelRanking:
    """Compare models of the same data by evidence, leave-one-dataset-out and stacking.

    Parameters
    ----------
    comparisons : sequence of Comparison
        By Bayesian methods, on the same results. Models of different data, such as statements on
        the one hand and error counts on the other, are refused. A model of ranks and one of
        statements are compared where both declare ``DATA_SCALE = "statements"`` and no dataset is
        tied: then the likelihood of each is the probability of the dataset's joint statement.
    names : sequence of str, optional
        Of the models; by default their methods' names.
    refit : bool
        Sample again without the datasets that PSIS cannot leave out, as ``c.loo(refit=True)``.
    evidence : {"bridge"}, optional
        How to estimate the log evidence of models that have no closed one; not at all by default.
    rng : None, int or Generator
        For refits and estimates.

    Returns
    -------
    ModelRanking

    Examples
    --------
    >>> import bayescompare as bc
    >>> results = bc.load_example("benavoli-example1")
    >>> asked = [bc.compare(results, method=m) for m in ("dirichlet", "network")]
    >>> found = compare_models(asked)
    >>> found.table.index.tolist(), found.table["how"].tolist()
    (['network', 'dirichlet'], ['exact', 'exact'])
    """
    import arviz as az

    from bayescompare.outcome.scores import EXACT

    check_flag(refit=refit)
    if evidence is not None:
        check_word("evidence", evidence, ("bridge",))
    generator, _ = as_rng(rng)
    chosen = _named(comparisons, names)
    for name, c in chosen.items():
        c._kept(name)
    _check_same_data(chosen)
    loos = {
        name: c.loo(refit=True, rng=generator) if refit else c.loo() for name, c in chosen.items()
    }
    evidences = {name: _log_evidence(c, evidence, generator) for name, c in chosen.items()}
    ranked = az.compare(loos, round_to="none")
    rows = {}
    for name in map(str, ranked.index):
        loo, place = loos[name], ranked.loc[name]
        how = str(loo.elpd_i.attrs["how"])
        rows[name] = {
            "log_evidence": evidences[name][0],
            "evidence_se": evidences[name][1],
            "elpd": float(loo.elpd),
            "se": float(loo.se),
            "difference": abs(float(place["elpd_diff"])),
            "dse": float(place["dse"]),
            "p": float(loo.p),
            "weight": float(place["weight"]),
            "how": how,
            "khat": math.nan if how == EXACT else float(np.max(np.asarray(loo.pareto_k))),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")
    factor = np.exp(table["log_evidence"] - table["log_evidence"].max())
    table.insert(2, "bayes_factor", factor)
    return ModelRanking(table, loos, tuple(n for n, c in chosen.items() if _chose_graph(c)))


def _chose_graph(c: Comparison) -> bool:
    """Whether the data chose the graph of a network."""
    how = c.method.options()
    return isinstance(how.get("search"), str) and not how.get("average")


def _named(comparisons: Any, names: Any) -> dict[str, Comparison]:
    """Return the comparisons by name; a second one of the same name gets a number."""
    if not isinstance(comparisons, Sequence) or len(comparisons) < 2:
        raise BayescompareError("comparisons: give a list of at least two comparisons.")
    for c in comparisons:
        if not isinstance(c, Comparison):
            raise BayescompareError(f"comparisons holds a {type(c).__name__}, not a Comparison.")
        if not has_quantity(type(c.method), "loo"):
            raise BayescompareError(
                f"method {c.method.name!r} has no predictive density to compare; leave it out."
            )
    wanted = [getattr(c.answer.facts, "model", c.method.name) for c in comparisons]
    if names is not None:
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise BayescompareError(
                f"names={names!r}: give a list of names, one for each comparison."
            )
        if len(names) != len(comparisons):
            raise BayescompareError(f"names: {len(names)} for {len(comparisons)} comparisons.")
        wanted = [str(name) for name in names]
    named: dict[str, Comparison] = {}
    for name, c in zip(wanted, comparisons, strict=True):
        numbered = (name, *(f"{name} {k}" for k in range(2, len(comparisons) + 1)))
        named[next(each for each in numbered if each not in named)] = c
    return named


def _log_evidence(c: Comparison, by: By | None, rng: np.random.Generator) -> tuple[float, float]:
    """Log evidence with its standard error: closed, estimated where that is wanted, or NaN."""
    try:
        return float(c.log_evidence), 0.0
    except QuantityNotAvailableError:
        if by is None:
            return math.nan, math.nan
    estimate = c.estimate_evidence(by=by, rng=rng)
    return estimate.log_evidence, estimate.se


def _check_same_data(chosen: dict[str, Comparison]) -> None:
    """Refuse, with the reason, models that do not predict the same thing."""
    (first, model), *others = chosen.items()
    for name, c in others:
        for what in ("datasets", "algorithms", "measures"):
            one, other = getattr(model.results, what), getattr(c.results, what)
            if one != other:
                raise BayescompareError(
                    f"{first} and {name} use different data: {what} {join_names(one, most=4)} "
                    f"and {join_names(other, most=4)}."
                )
        if not model.results.data.equals(c.results.data):
            raise BayescompareError(f"{first} and {name} use different data: other values.")
        one, other = _observed(model), _observed(c)
        if one.shape != other.shape or not np.allclose(one, other, equal_nan=True):
            _check_scale(first, model, name, c, [one.shape, other.shape])


def _check_scale(
    first: str, one: Comparison, second: str, other: Comparison, shapes: Sequence[tuple[int, ...]]
) -> None:
    """Refuse models of different data, unless both are probabilities of the same statements."""
    scales = [c.posterior.data_scale for c in (one, other)]
    asked = [[(m.direction, m.rope) for m in c.results.spec.values()] for c in (one, other)]
    if scales[0] is None or scales[0] != scales[1] or asked[0] != asked[1]:
        declared = " and ".join(repr(scale) if scale else "none" for scale in scales)
        raise BayescompareError(
            f"{first} and {second} predict different things (arrays of shape {shapes[0]} and "
            f"{shapes[1]}; DATA_SCALE: {declared}): their predictive densities cannot be compared. "
            "Models of ranks and of statements can, where both declare DATA_SCALE='statements'."
        )
    table = Statements.of(one.results).table
    tied = [name for k, name in enumerate(one.results.datasets) if (table.dataset == k).sum() > 1]
    if tied:
        raise BayescompareError(
            f"{first} and {second} treat ties differently, and {join_names(tied, most=3)} "
            f"{'is' if len(tied) == 1 else 'are'} tied: leave tied datasets out of the results to "
            "compare these models."
        )
    for name, c in ((first, one), (second, other)):
        tree = c.answer.tree
        if tree is not None and OTHER in tree["observed_data"].coords.get("statement", ()):
            raise BayescompareError(
                f"{name} predicts {OTHER} in place of rare statements: compare fewer algorithms or "
                "measures, so that at most 256 statements are possible."
            )
        if (check := getattr(c.posterior, "check_scale", None)) is not None:
            check()


def _observed(c: Comparison) -> FloatArray:
    """What a model predicts, dataset by dataset."""
    # As the method gives it: c.draws() adds indices and counts of what it observes.
    tree, exact = c.answer.tree, cast("Any", c.posterior)
    if tree is None:
        tree = exact.draws(1, 1, np.random.default_rng(0))
    observed = tree["observed_data"].to_dataset()
    outcome = observed.get("outcome")
    if c.posterior.data_scale == STATEMENTS and outcome is not None and outcome.ndim == 1:
        # One number for each dataset says which statement, or split between tied ones, it shows.
        return statement_table(c.results).weights
    if outcome is not None and outcome.ndim == 1 and "theta" in tree["posterior"]:
        # A model of the user's that observes statements as the package does.
        with suppress(BayescompareError):
            weights = statement_table(c.results).weights
            if np.array_equal(Shown.of(weights, None).place, outcome):
                return weights
    seen = observed.data_vars.values()
    parts = [np.asarray(each.transpose("dataset", ...).values, dtype=np.float64) for each in seen]
    # Over (dataset,) or over (dataset, 1): the same numbers.
    return np.hstack([part.reshape(len(part), -1) for part in parts])
