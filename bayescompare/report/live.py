"""The sliders of a page. What they show was computed here; the page only looks it up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._compare import compare
from bayescompare._errors import BayescompareError
from bayescompare.outcome.verdicts import pair_kind
from bayescompare.statements import DENSE, Statement
from bayescompare.text import numbers
from bayescompare.text.names import short_names
from bayescompare.text.numbers import probability_equation, pvalue_equation

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import PairVerdicts, Rule
    from bayescompare.ranking.ranking import Ranking

#: The surest pairs that a page holds; the slider goes as low as the last of them.
_MOST = 5000

#: Ends of the slider of the level, and where it stands unless a rule says otherwise.
_LOW, _HIGH, _USUAL = 0.5, 0.999, 0.95

#: Stands for the level in a sentence; no name has it.
_LEVEL = "\0"

#: Ropes of a slider, and statements that its table shows.
_ROPES, _ROWS = 41, 8


@dataclass(frozen=True)
class RopeSlider:
    """The slider of one measure's rope.

    Attributes
    ----------
    measure : str
    at : int
        The position of the report's own rope, which is 0 without one.
    shown : sequence of str
        The rope in words at each position.
    which : sequence of int
        The answer at each position: most positions share theirs with others.
    answers : sequence of (sentences, rows)
        What is said by the level, and the leading statements: which, P and number of datasets.
    words : sequence of str
        The statements that the rows name by their number.
    """

    measure: str
    at: int
    shown: Sequence[str]
    which: Sequence[int]
    answers: Sequence[tuple[Any, Any]]
    words: Sequence[str]

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.shown) - 1


@dataclass(frozen=True)
class Live:
    """The sliders of a page.

    Attributes
    ----------
    level, low, high : float
        Where the slider of the level stands, and its ends.
    data : dict
        What the page looks up.
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
        data = {**self.data, "ropes": [asdict(slider) for slider in self.ropes]}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def live_pairs(p: Pairwise, verdicts: PairVerdicts, rule: Rule) -> Live:
    """Return the slider of the level on the page of all pairs.

    Of each pair the page has the figure that is held against the level: the least of its
    probabilities, or its corrected p-value.
    """
    decided = p.decided(rule)
    at = {name: k for k, name in enumerate(verdicts.names)}
    lead = None
    if p.bayesian:
        columns = [name for name in ("probability", "alone", "lowest") if name in decided]
        lead = decided[columns].min(axis=1, skipna=False)
        # Parts that are not judged count as the whole does.
        figure = lead.where(~(decided["parts"] < lead), decided["parts"])
    else:
        figure = 1.0 - decided["adjusted"]
    order = np.argsort(-figure.to_numpy(), kind="stable")
    rows: list[list[Any]] = []
    low = _LOW
    compared = [0] * len(at)
    for name in (*decided["first"], *decided["second"]):
        compared[at[name]] += 1
    for k in order[:_MOST].tolist():
        value, row = float(figure.iloc[k]), decided.iloc[k]
        if not value >= _LOW:  # NaN too: a pair that was not compared
            break
        one, other = row["first"], row["second"]
        statement = Statement.parse(row["statement"], (one, other))
        if statement.winner == other:
            one, other = other, one
        leads = None if lead is None else float(lead.iloc[k])
        rows.append([at[one], at[other], pair_kind(statement), _reached(value), leads])
    else:
        if len(decided) > _MOST:
            low = max(_LOW, rows[-1][3])
    other_rule = ""
    if rule.level is None:
        other_rule = (
            f"The verdicts of this page: {rule.name(bayesian=p.bayesian)}. The slider takes each "
            "pair by itself instead."
        )
    data = {
        "kind": "pairs",
        "names": _names(verdicts.names),
        "pairs": rows,
        "compared": compared,
        "total": len(decided),
        "bayesian": p.bayesian,
        "reference": p.reference,
        "rule": other_rule,
    }
    start = rule.level if rule.level is not None else max(low, _USUAL)
    return Live(start, data, low=min(low, start))


def _reached(value: float) -> float:
    """One less 0.05 is 0.95, and not a float below."""
    return round(value, 12) if abs(value - round(value, 12)) < 1e-15 else value


def live_comparison(c: Comparison) -> Live | None:
    """Return the sliders of one comparison; None where nothing is held against a level."""
    if np.isnan(c.decision.probability):
        return None
    bayesian = c.answer.probability is not None
    data = {"kind": "comparison", "says": _says(c), "bayesian": bayesian, "rule": ""}
    return Live(_USUAL, data, ropes=_rope_sliders(c))


def _says(c: Comparison) -> list[tuple[float, str]]:
    """Return what is said up to which level, the surest first."""
    decision, words = c.decision, c.decision.claim(c.results.measures)
    sure = (decision.probability, decision.alone, decision.lowest, decision.least)
    known = [p for p in sure if p is not None]
    if c.answer.probability is None:
        p, figure = max(known), pvalue_equation(max(known))
        return [
            (_reached(1.0 - p), f"Significant at {_LEVEL} ({figure})."),
            (0.0, f"Not significant at {_LEVEL} ({figure})."),
        ]
    least, lead = probability_equation(min(known)), probability_equation(decision.probability)
    return [
        (min(known), f"{words} ({least} at the least): settled at {_LEVEL}."),
        (
            decision.probability,
            f"The most frequent outcome: {words} ({lead}); not every measure is sure by itself "
            f"({least}).",
        ),
        (0.0, f"No verdict at {_LEVEL}. Leading: {words} ({lead})."),
    ]


# ropes --------------------------------------------------------------------------------------------


def _rope_sliders(c: Comparison) -> list[RopeSlider]:
    """Return a slider for each measure, where another rope is answered at once.

    Moving one leaves the ropes of the other measures as they are in the report.
    """
    results, method = c.results, c.method
    plain = results.weights is None and results.groups is None and results.gaps is None
    plain = plain and results.n_replicates is None
    quick = c.posterior.theta is not None and c.exact and "rope_sensitivity" in dir(c)
    learned = getattr(method, "learned", None) is not None
    if not (plain and quick) or learned or 3 ** len(results.measures) > DENSE:
        return []
    values = results.oriented()
    if np.isnan(values).any() or any(results[n].scale == "ordinal" for n in results.measures):
        return []
    differences = np.abs(values[:, 0] - values[:, 1])
    try:
        return [_rope_slider(c, name, differences[:, j]) for j, name in enumerate(results.measures)]
    except BayescompareError:
        return []  # a prior that names the statements of these ropes


def _rope_slider(c: Comparison, measure: str, differences: Any) -> RopeSlider:
    own = c.results[measure].rope
    ropes = np.linspace(0.0, max(differences.max(), 2.0 * (own or 0.0)) or 1.0, _ROPES)
    at = 0 if own is None else max(1, int(np.abs(ropes - own).argmin()))
    ropes[at] = own or 0.0
    known: dict[bytes, int] = {}
    words: dict[str, int] = {}
    answers: list[tuple[Any, Any]] = []
    which = []
    for k, rope in enumerate(ropes.tolist()):
        # The answer changes only where another dataset comes within the rope.
        key = bytes([k > 0]) + (differences <= rope).tobytes()
        if key not in known:
            known[key] = len(answers)
            spec = replace(c.results[measure], rope=rope if k else None)
            results = c.results._with(spec={**c.results.spec, measure: spec})
            again = compare(results, method=c.method)
            answers.append((_says(again), _leading(again, words)))
        which.append(known[key])
    unit = f" {c.results[measure].unit or ''}".rstrip()
    shown = [f"{numbers.statistic_number_text(rope)}{unit}" for rope in ropes.tolist()]
    return RopeSlider(measure, at, ["no rope", *shown[1:]], which, answers, list(words))


def _leading(c: Comparison, known: dict[str, int]) -> list[tuple[int, str, str]]:
    """Return which statements lead, their P and the numbers of datasets, as texts."""
    table = c.summary().head(_ROWS)
    rows = []
    for label, p, n in zip(table.index, table["probability"], table["count"], strict=True):
        words = Statement.parse(str(label)).words(c.results.measures)
        at = known.setdefault(words, len(known))
        rows.append((at, numbers.format_probability(p), numbers.count(n)))
    return rows


def live_ranking(r: Ranking) -> Live | None:
    """Return the slider of the level of a ranking; None without draws."""
    if not r.answer.has_draws:
        return None
    names = list(r.results.algorithms)
    data = {"kind": "ranking", "front": r.front["p_front"].reindex(names).tolist(), "rule": ""}
    if r.answer.overall is not None:
        # How probable it is that the best is among the first so many.
        best = r.overall["p_best"].reindex(names).sort_values(ascending=False, kind="stable")
        names = [str(name) for name in best.index]
        data["top"] = np.cumsum(best.to_numpy()).tolist()
    return Live(r.options.level, {**data, "names": _names(names)})


def _names(names: Sequence[str]) -> list[str]:
    short = short_names(names)
    return [short[name] for name in names]
