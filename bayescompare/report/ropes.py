"""The sliders of ropes on a page: what they show is computed here, and only looked up there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._compare import compare
from bayescompare._errors import BayescompareError
from bayescompare.statements import DENSE, Statement
from bayescompare.text import numbers

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison

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
    answers : sequence of (headline, rows)
        The verdict, and the leading statements: which, P and number of datasets.
    words : sequence of str
        The statements that the rows name by their number.
    """

    measure: str
    at: int
    shown: Sequence[str]
    which: Sequence[int]
    answers: Sequence[tuple[str, Any]]
    words: Sequence[str]

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.shown) - 1

    @property
    def written(self) -> str:
        """The data as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))


def rope_sliders(c: Comparison) -> list[RopeSlider]:
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
    answers: list[tuple[str, Any]] = []
    which = []
    for k, rope in enumerate(ropes.tolist()):
        # The answer changes only where another dataset comes within the rope.
        key = bytes([k > 0]) + (differences <= rope).tobytes()
        if key not in known:
            known[key] = len(answers)
            spec = replace(c.results[measure], rope=rope if k else None)
            results = c.results._with(spec={**c.results.spec, measure: spec})
            again = compare(results, method=c.method)
            answers.append((again.headline(), _leading(again, words)))
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
