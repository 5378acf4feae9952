"""`compare_models`: which of several models of the same data predicts it best?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError, QuantityNotAvailableError
from bayescompare.comparison.comparison import Comparison
from bayescompare.text.numbers import plural, setting, statistic
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData

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
        Indexed by model, the best first: ``log_evidence`` and ``bayes_factor`` (against the best
        evidence; NaN where there is no closed form), ``elpd`` (expected log predictive density by
        leave-one-dataset-out) with ``se``, ``difference`` to the best with its ``dse``, ``p``
        (effective parameters), ``weight`` (stacking), ``how`` ("exact" or "PSIS"), ``khat``.
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
                f"{setting(_CLEAR)} standard errors or below {setting(_SMALL)}: the data do "
                "not tell them apart."
            )
        known = table["log_evidence"].dropna()
        if len(known) > 1:
            first, second = known.nlargest(2).index
            factor = math.exp(min(float(known[first] - known[second]), 700.0))
            times = statistic(factor, significant=3)
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
    comparisons: Sequence[Comparison], *, names: Sequence[str] | None = None
) -> ModelRanking:
    """Compare models of the same data by evidence, leave-one-dataset-out and stacking.

    Parameters
    ----------
    comparisons : sequence of Comparison
        By Bayesian methods, on the same results. Models of different data, such as statements on
        the one hand and error counts on the other, are refused.
    names : sequence of str, optional
        Of the models; by default their methods' names.

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

    chosen = _checked_names(comparisons, names)
    for name, c in chosen.items():
        if c.method.needs_mcmc and c.answer.tree is None:
            raise BayescompareError(
                f"{name}: the chains of this answer were not saved (JSON does not hold them, "
                "netCDF does); ask compare() again."
            )
    _check_same_data(chosen)
    loos = {name: c.loo() for name, c in chosen.items()}
    ranked = az.compare(loos, round_to="none")
    rows = {}
    for name in ranked.index:
        c, loo = chosen[str(name)], loos[str(name)]
        exact = c.answer.tree is None
        rows[name] = {
            "log_evidence": _evidence(c),
            "elpd": float(loo.elpd),
            "se": float(loo.se),
            "difference": float(ranked.loc[name, "elpd_diff"]),
            "dse": float(ranked.loc[name, "dse"]),
            "p": float(loo.p),
            "weight": float(ranked.loc[name, "weight"]),
            "how": "exact" if exact else "PSIS",
            "khat": math.nan if exact else float(np.max(np.asarray(loo.pareto_k))),
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")
    table["difference"] = table["difference"].abs()
    factor = np.exp(table["log_evidence"] - table["log_evidence"].max())
    table.insert(1, "bayes_factor", factor)
    graphs = tuple(name for name, c in chosen.items() if _chose_graph(c))
    return ModelRanking(table, loos, graphs)


def _chose_graph(c: Comparison) -> bool:
    """Whether the data chose the graph of a network."""
    how = c.method.options()
    return isinstance(how.get("search"), str) and not how.get("average")


def _checked_names(
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
        if "loo" not in c.method.provides:
            raise BayescompareError(
                f"method {c.method.name!r} has no predictive density to compare; leave it out."
            )
    if names is not None and (isinstance(names, str) or not isinstance(names, Sequence)):
        raise BayescompareError(f"names={names!r}: give a list of names, one for each comparison.")
    if names is not None and len(names) != len(candidates):
        raise BayescompareError(f"names: {len(names)} for {len(candidates)} comparisons.")
    wanted = [c.method.model_name(c.answer) for c in candidates]
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


def _evidence(c: Comparison) -> float:
    try:
        return float(c.log_evidence)
    except QuantityNotAvailableError:
        return math.nan


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
        seen = [_observed(of) for of in (model, c)]
        if seen[0].shape != seen[1].shape or not np.allclose(seen[0], seen[1], equal_nan=True):
            raise BayescompareError(
                f"{first} and {name} predict different things (arrays of shape {seen[0].shape} and "
                f"{seen[1].shape} per dataset): their predictive densities cannot be compared."
            )


def _observed(c: Comparison) -> np.ndarray[Any, Any]:
    """What a model predicts, dataset by dataset."""
    tree = c.answer.tree if c.answer.tree is not None else c.draws(1, chains=1, rng=0)
    data = tree["observed_data"].to_dataset()
    n = data.sizes["dataset"]
    parts = [data[name].transpose("dataset", ...).values.reshape(n, -1) for name in data.data_vars]
    if len(parts) == 1:
        (name,) = data.data_vars
        return np.asarray(data[name].transpose("dataset", ...).values, dtype=float)
    return np.hstack([np.asarray(part, dtype=float) for part in parts])
