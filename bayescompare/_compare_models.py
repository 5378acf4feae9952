"""`compare_models`: which of several models of the same data predicts it best?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._checks import check_flag, check_word
from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare._rng import Rng, as_rng
from bayescompare.outcome.abilities import has_quantity
from bayescompare.outcome.comparison import Comparison
from bayescompare.statements import OTHER, Statements
from bayescompare.text.numbers import plural, setting_number_text, statistic_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData

    from bayescompare.outcome.evidence import By

__all__ = ["ModelRanking", "compare_models"]

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
        table, best = self.table, self.best
        rest = table.iloc[1:]
        ahead = (rest["difference"] > _CLEAR * rest["dse"]) & (rest["difference"] >= _SMALL)
        clear, close = rest[ahead], rest[~ahead]
        sentences = [f"Of {plural(len(table), 'model')} {best} predicts a left-out dataset best."]
        if len(clear):
            sentences.append(f"It is clearly ahead of {join_names([str(n) for n in clear.index])}.")
        if len(close):
            sentences.append(
                f"Its lead over {join_names([str(n) for n in close.index])} is within "
                f"{setting_number_text(_CLEAR)} standard errors or below "
                f"{setting_number_text(_SMALL)}: the data do "
                "not tell them apart."
            )
        known = table["log_evidence"].dropna()
        if len(known) > 1:
            first, second = known.nlargest(2).index
            factor = math.exp(min(float(known[first] - known[second]), 700.0))
            times = statistic_number_text(factor, significant=3)
            odds = (
                f"By the evidence {first} is {times} times as probable as {second}, if both were "
                "equally probable before; that depends on the priors more than prediction does."
            )
            alike = f"The evidence does not tell {first} and {second} apart."
            sentences.append(alike if factor < 1.2 else odds)
            sentences.append(self._of_chosen({str(first), str(second)}))
        poor = table[table["khat"] > 0.7]
        if len(poor):
            sentences.append(
                f"PSIS is unreliable for {join_names([str(n) for n in poor.index])} "
                "(k-hat above 0.7)."
            )
        return " ".join(filter(None, sentences))

    def _of_chosen(self, compared: set[str]) -> str:
        """Say for which models the evidence is that of a graph chosen by the data."""
        named = [name for name in self.chosen if name in compared]
        if not named:
            return ""
        return (
            f"The evidence of {join_names(named)} is that of the graph that the data chose, the "
            "greatest of all graphs; average=True averages over them all."
        )

    def plot(self, **options: Any) -> Any:
        """Draw the comparison by ArviZ's ``plot_compare``."""
        import arviz as az

        return az.plot_compare(az.compare(self.loos), **options)

    def __repr__(self) -> str:
        shown = self.table.round(3).to_string()
        return f"ModelRanking of {', '.join(map(str, self.table.index))}\n{shown}"


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

    from bayescompare.outcome.loo import EXACT

    check_flag(refit=refit)
    if evidence is not None:
        check_word("evidence", evidence, ("bridge",))
    generator, _ = as_rng(rng)
    chosen = _names_of_compared_models(comparisons, names)
    for name, c in chosen.items():
        if c.method.needs_mcmc and c.answer.tree is None:
            raise BayescompareError(
                f"{name}: the chains of this answer were not saved (JSON does not hold them, "
                "netCDF does); ask compare() again."
            )
    _check_compared_models_data(chosen)
    loos = {
        name: c.loo(refit=True, rng=generator) if refit else c.loo() for name, c in chosen.items()
    }
    evidences = {
        name: _evidence_of_compared_model(c, evidence, generator) for name, c in chosen.items()
    }
    ranked = az.compare(loos, round_to="none")
    rows = {}
    for name in ranked.index:
        loo = loos[str(name)]
        how = str(loo.elpd_i.attrs["how"])
        rows[name] = {
            "log_evidence": evidences[str(name)][0],
            "evidence_se": evidences[str(name)][1],
            "elpd": float(loo.elpd),
            "se": float(loo.se),
            "difference": float(ranked.loc[name, "elpd_diff"]),
            "dse": float(ranked.loc[name, "dse"]),
            "p": float(loo.p),
            "weight": float(ranked.loc[name, "weight"]),
            "how": how,
            "khat": math.nan if how == EXACT else float(np.max(np.asarray(loo.pareto_k))),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")
    table["difference"] = table["difference"].abs()
    factor = np.exp(table["log_evidence"] - table["log_evidence"].max())
    table.insert(2, "bayes_factor", factor)
    graphs = tuple(name for name, c in chosen.items() if _compared_model_chose_graph(c))
    return ModelRanking(table, loos, graphs)


def _compared_model_chose_graph(c: Comparison) -> bool:
    """Whether the data chose the graph of a network."""
    how = c.method.options()
    return isinstance(how.get("search"), str) and not how.get("average")


def _names_of_compared_models(
    comparisons: Sequence[Comparison], names: Sequence[str] | None
) -> dict[str, Comparison]:
    candidates: object = comparisons
    if (
        isinstance(candidates, Comparison)
        or not isinstance(candidates, Sequence)
        or len(candidates) < 2
    ):
        raise BayescompareError("comparisons: give a list of at least two comparisons.")
    for c in candidates:
        if not isinstance(c, Comparison):
            raise BayescompareError(f"comparisons holds a {type(c).__name__}, not a Comparison.")
        if not has_quantity(type(c.method), "loo"):
            raise BayescompareError(
                f"method {c.method.name!r} has no predictive density to compare; leave it out."
            )
    if names is not None and (isinstance(names, str) or not isinstance(names, Sequence)):
        raise BayescompareError(f"names={names!r}: give a list of names, one for each comparison.")
    if names is not None and len(names) != len(candidates):
        raise BayescompareError(f"names: {len(names)} for {len(candidates)} comparisons.")
    wanted = [getattr(c.answer.facts, "model", c.method.name) for c in candidates]
    if names is not None:
        wanted = [str(name) for name in names]
    named: dict[str, Comparison] = {}
    for name, c in zip(wanted, candidates, strict=True):
        free = next(
            n
            for k in range(len(candidates))
            if (n := name if not k else f"{name} {k + 1}") not in named
        )
        named[free] = c
    return named


def _evidence_of_compared_model(
    c: Comparison, by: By | None, rng: np.random.Generator
) -> tuple[float, float]:
    """Log evidence with its standard error: closed, estimated where that is wanted, or NaN."""
    try:
        return float(c.log_evidence), 0.0
    except QuantityNotAvailableError:
        if by is None:
            return math.nan, math.nan
    estimate = c.estimate_evidence(by=by, rng=rng)
    return estimate.log_evidence, estimate.se


def _check_compared_models_data(chosen: dict[str, Comparison]) -> None:
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
        seen = [_observed_by_compared_model(of) for of in (model, c)]
        if seen[0].shape != seen[1].shape or not np.allclose(seen[0], seen[1], equal_nan=True):
            _check_compared_models_scale(first, model, name, c, [part.shape for part in seen])


def _check_compared_models_scale(
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


def _observed_by_compared_model(c: Comparison) -> np.ndarray[Any, Any]:
    """What a model predicts, dataset by dataset."""
    # As the method gives it: c.draws() adds indices and counts of what it observes.
    tree = c.answer.tree
    if tree is None:
        exact: Any = c.posterior
        tree = exact.draws(1, 1, np.random.default_rng(0))
    data = tree["observed_data"].to_dataset()
    n = data.sizes["dataset"]
    parts = [data[name].transpose("dataset", ...).values.reshape(n, -1) for name in data.data_vars]
    if len(parts) == 1:
        (name,) = data.data_vars
        return np.asarray(data[name].transpose("dataset", ...).values, dtype=float)
    return np.hstack([np.asarray(part, dtype=float) for part in parts])
