"""What the sliders of a page need: the figures from which verdicts are made again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare.comparison.verdicts import pair_kind
from bayescompare.kernels.orders import RELATIVE_TOLERANCE
from bayescompare.methods.dirichlet import Dirichlet
from bayescompare.statements import DENSE, Statement
from bayescompare.text.names import short_names

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.pairwise import Pairwise
    from bayescompare.comparison.rule import Rule
    from bayescompare.comparison.verdicts import PairVerdicts
    from bayescompare.ranking.ranking import Ranking

__all__ = ["Live", "live_comparison", "live_pairs", "live_ranking"]

#: The surest pairs that a page holds; the slider goes as low as the last of them.
_MOST = 5000

#: Ends of the slider of the level.
_LOW, _HIGH = 0.5, 0.999


@dataclass(frozen=True)
class RopeSlider:
    """The slider of one measure's rope.

    Attributes
    ----------
    measure : str
    value, most : float
        Where it stands, 0 for no rope, and its end.
    """

    measure: str
    value: float
    most: float


@dataclass(frozen=True)
class Live:
    """The sliders of a page.

    Attributes
    ----------
    level, low, high : float
        Where the slider of the level stands, and its ends.
    data : dict
        What the page computes from.
    ropes : sequence of RopeSlider
    """

    level: float
    data: dict[str, Any]
    low: float = _LOW
    high: float = _HIGH
    ropes: Sequence[RopeSlider] = field(default=())

    @property
    def written(self) -> str:
        """The data as JSON."""
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def live_pairs(p: Pairwise, verdicts: PairVerdicts, rule: Rule) -> Live:
    """Return the slider of the level on the page of all pairs.

    Of each pair the page has the figure that is held against the level: the least of its
    probabilities, or its corrected p-value.
    """
    decided = p.decided(rule)
    at = {name: k for k, name in enumerate(verdicts.names)}
    columns = [name for name in ("probability", "alone", "lowest") if name in decided]
    lead = None
    if p.bayesian:
        lead = decided[columns].min(axis=1, skipna=False)
        # Parts that are not judged count as the whole does.
        figure = lead.where(~(decided["parts"] < lead), decided["parts"])
        order = np.argsort(-figure.to_numpy(), kind="stable")
    else:
        figure = decided["adjusted"]
        order = np.argsort(figure.to_numpy(), kind="stable")
    rows: list[list[Any]] = []
    low = _LOW
    compared = [0] * len(at)
    for first, second in zip(decided["first"], decided["second"], strict=True):
        compared[at[first]] += 1
        compared[at[second]] += 1
    for k in order[:_MOST].tolist():
        value, row = float(figure.iloc[k]), decided.iloc[k]
        reachable = value >= _LOW if p.bayesian else value <= 1.0 - _LOW
        if not reachable:  # NaN too: a pair that was not compared
            break
        statement = Statement.parse(row["statement"], (row["first"], row["second"]))
        one, other = row["first"], row["second"]
        if statement.winner == other:
            one, other = other, one
        leads = None if lead is None else float(lead.iloc[k])
        rows.append([at[one], at[other], pair_kind(statement), value, leads])
    else:
        if len(decided) > _MOST:
            low = max(_LOW, rows[-1][3] if p.bayesian else 1.0 - rows[-1][3])
    data = {
        "kind": "pairs",
        "names": _names(verdicts.names),
        "pairs": rows,
        "compared": compared,
        "total": len(decided),
        "bayesian": p.bayesian,
        "reference": p.reference,
        "rule": ""
        if rule.level is not None
        else f"The verdicts of this page: {rule.name(bayesian=p.bayesian)}. The slider takes each "
        "pair by itself instead.",
    }
    start = rule.level if rule.level is not None else max(low, 0.95)
    return Live(start, data, low=min(low, start))


def live_comparison(c: Comparison) -> Live | None:
    """Return the sliders of one comparison; None where nothing is held against a level."""
    decision = c.decision
    if np.isnan(decision.probability):
        return None
    bayesian = c.answer.probability is not None
    sure = (decision.probability, decision.alone, decision.lowest, decision.least)
    known = [p for p in sure if p is not None]
    data: dict[str, Any] = {
        "kind": "comparison",
        "words": decision.claim(c.results.measures),
        "p": min(known) if bayesian else None,
        "lead": decision.probability,
        "pvalue": None if bayesian else max(known),
        "rule": "",
    }
    table = _rope_table(c)
    if table is None:
        return Live(0.95, data)
    ropes = [
        RopeSlider(name, c.results[name].rope or 0.0, _reach(differences, c.results[name].rope))
        for name, differences in zip(
            c.results.measures, zip(*table["differences"], strict=True), strict=True
        )
    ]
    return Live(0.95, {**data, "table": table}, ropes=ropes)


def _reach(differences: Sequence[float], rope: float | None) -> float:
    largest = max(map(abs, differences))
    return max(largest, 2.0 * (rope or 0.0)) or 1.0


def _rope_table(c: Comparison) -> dict[str, Any] | None:
    """Return the differences of two algorithms, where the page can compute P again.

    That is the papers' Dirichlet test of a plain table: every dataset counts as one, no cell is
    missing, and all measures have differences.
    """
    method, results = c.method, c.results
    # A variant (learned, weighted, with gaps) has a class of its own.
    if type(method) is not Dirichlet or method.prior not in (None, "symmetric") or method.priors:
        return None
    if len(results.algorithms) != 2 or 3 ** len(results.measures) > DENSE:
        return None
    if results.weights is not None or results.groups is not None or results.gaps is not None:
        return None
    values = results.oriented()
    if np.isnan(values).any() or any(results[n].scale == "ordinal" for n in results.measures):
        return None
    noise = RELATIVE_TOLERANCE * np.abs(values).max(axis=1)
    return {
        "algorithms": list(results.algorithms),
        "measures": list(results.measures),
        "units": [results[name].unit or "" for name in results.measures],
        "differences": (values[:, 0] - values[:, 1]).tolist(),
        "noise": noise.tolist(),
        "strength": float(method.strength),
    }


def live_ranking(r: Ranking) -> Live | None:
    """Return the slider of the level of a ranking; None without draws."""
    if not r.answer.has_draws:
        return None
    names = list(r.results.algorithms)
    best = None if r.answer.overall is None else r.overall["p_best"].reindex(names).tolist()
    data = {
        "kind": "ranking",
        "names": _names(names),
        "best": best,
        "front": r.front["p_front"].reindex(names).tolist(),
        "rule": "",
    }
    return Live(r.options.level, data)


def _names(names: Sequence[str]) -> list[str]:
    short = short_names(names)
    return [short[name] for name in names]
