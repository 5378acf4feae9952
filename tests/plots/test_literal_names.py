"""Names with signs of mathematics are shown as they are, by every picture and report."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import bayescompare as bc
from bayescompare import plots
from bayescompare._errors import BayescompareError
from bayescompare.plots.kinds import KINDS
from bayescompare.studies import SBC, success_errors
from tests.cases import few_quick
from tests.tables import table

ALGORITHMS = ["$a$", "$\\frac$", "a_b^c", "\\alpha", "%"]
MEASURES = ["$\\frac$ of %", "$m$", "\\alpha_1^2"]
DATASETS = [f"${k}$ \\frac^_ %" for k in range(9)]


@cache
def odd(algorithms: int = 5, measures: int = 3, rope: float | None = None) -> bc.Results:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(9, 5, 3)) + np.linspace(2.0, 0.0, 5)[:, None]
    values[:, :, 1] *= -1.0  # so that there are trade-offs
    signs = zip(MEASURES[:measures], ("max", "max", "min"), strict=False)
    chosen: Any = {name: bc.Measure(sign, rope=rope) for name, sign in signs}  # type: ignore[arg-type]
    return table(
        values[:, :algorithms, :measures], names=ALGORITHMS, measures=chosen, datasets=DATASETS
    )


@cache
def pair(**options: Any) -> Any:
    return bc.compare(odd(2), rng=0, **options)


@cache
def pairs(measures: int = 3) -> bc.Pairwise:
    return bc.pairwise(odd(5, measures), n_jobs=1, rng=0)


@cache
def ranking() -> bc.Ranking:
    return bc.rank(odd(), by="value", utility="unknown", draws=100, rng=0)


@cache
def ranking_by_place() -> bc.Ranking:
    return bc.rank(odd(), draws=100, rng=0)


@cache
def gate() -> bc.Gate:
    first, second = ALGORITHMS[:2]
    return bc.gate(odd(2, 3, 0.5), candidate=first, baseline=second)


@cache
def gsd(algorithms: int) -> Any:
    return bc.compare(odd(algorithms), method=bc.methods.GSD(delta=0, permutations=50), rng=0)


def belief() -> Any:
    first, second = ALGORITHMS[:2]
    prior = {MEASURES[0]: {f"{first}>{second}": 0.7}, "weight": 5}
    return bc.methods.elicit(prior, algorithms=[first, second], measures=MEASURES)


@cache
def errors() -> Any:
    wrong = {"dataset": DATASETS, ALGORITHMS[0]: range(9), ALGORITHMS[1]: [3] * 9}
    first, second = ALGORITHMS[:2]
    counts = bc.ErrorCounts.from_frame(
        pd.DataFrame(wrong), first_wrong=first, second_wrong=second, algorithms=(first, second)
    )
    return bc.compare(counts, method="poisson-binomial")


def folds() -> Any:
    rng = np.random.default_rng(0)
    rows = [(d, a, f, *rng.normal(size=2)) for d in DATASETS for a in ALGORITHMS[:2] for f in "xyz"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", *MEASURES[:2]])
    measures: Any = dict.fromkeys(MEASURES[:2], "max")
    results = bc.Results.from_frame(frame, replicate="fold", measures=measures)
    return bc.compare(results, method="replicated", rng=0)


def curves() -> dict[str, pd.DataFrame]:
    curve = success_errors(np.linspace(0.0, 1.0, 9), np.arange(9) > 3)
    return dict.fromkeys(ALGORITHMS, curve)


def calibration() -> SBC:
    ranks = np.random.default_rng(0).integers(10, size=(40, 3))
    return SBC("$x$ $y$", pd.DataFrame(ranks, columns=MEASURES), draws=9)


@cache
def one_measure() -> Any:
    return bc.compare(odd(2, 1, 0.5))


@cache
def ranks() -> Any:
    return bc.compare(odd(5, 1), method="friedman")


def network() -> Any:
    return pair(method="network")


#: Of each kind of plot the first that has it is drawn; "plan" shows no names.
THINGS = (one_measure, pairs, ranking, gate, errors, ranks, network, lambda: gsd(4), lambda: gsd(2))
KINDS_OF_ALL = [
    (result, kind) for result, kinds in KINDS.items() for kind in kinds if kind != "plan"
]

#: Other forms, and what no result draws by itself.
MORE: dict[str, Callable[[Axes], Axes]] = {
    "statements": lambda ax: plots.plot_statements(pair(), ax=ax),
    "shrinkage of states": lambda ax: plots.plot_shrinkage(folds(), ax=ax),
    "critical rows": lambda ax: plots.plot_critical(
        bc.pairwise(odd(5, 1), reference=ALGORITHMS[0], n_jobs=1), ax=ax
    ),
    "places of measures": lambda ax: plots.plot_places(ranking_by_place(), ax=ax),
    "weights of two": lambda ax: plots.plot_weights(ranking(), measures=MEASURES[:2], ax=ax),
    "prior": lambda ax: plots.plot_prior(belief(), ax=ax),
    "beliefs": lambda ax: plots.plot_beliefs(belief(), ax=ax),
    "prior_predictive": lambda ax: plots.plot_prior_predictive(belief(), n=6, ax=ax),
    "success": lambda ax: plots.plot_success(curves(), ax=ax),
    "calibration": lambda ax: calibration().plot(ax=ax),
}


def assert_literal(draw: Callable[[Axes], Any]) -> None:
    figure = Figure(figsize=(9, 7))
    draw(figure.subplots())
    figure.canvas.draw()  # mathtext would fail on "$\frac$"
    shown = [text for text in figure.findobj(Text) if text.get_visible()]
    # Numbers on an axis may be mathematics: no name has this word in it.
    named = [text for text in shown if re.search(r"[$\\_^](?!mathdefault)", text.get_text())]
    assert named
    assert [text.get_text() for text in named if text.get_parse_math() or text.get_usetex()] == []


@pytest.mark.parametrize(("result", "kind"), KINDS_OF_ALL, ids=[kind for _, kind in KINDS_OF_ALL])
def test_every_kind_shows_names_as_they_are(result: type, kind: str) -> None:
    options = {"measure": MEASURES[1]} if kind == "critical" else {}
    for make in THINGS:
        thing = make()
        with suppress(BayescompareError):  # it has nothing for this plot
            if isinstance(thing, result):
                draw = KINDS[result][kind].draw
                assert_literal(lambda ax, draw=draw, thing=thing: draw(thing, ax=ax, **options))
                return
    pytest.fail(f"nothing here is drawn as {kind}")


@pytest.mark.parametrize("draw", MORE.values(), ids=MORE)
def test_other_pictures_show_names_as_they_are(draw: Callable[[Axes], Axes]) -> None:
    assert_literal(draw)


@pytest.mark.parametrize("ask", few_quick([ranking_by_place, ranking, pair, pairs], 1))
def test_a_report_shows_names_as_they_are(ask: Callable[[], Any], tmp_path: Path) -> None:
    page = ask().report(tmp_path / "page.html").read_text("utf-8")
    drawn = "".join(re.findall("<svg.*?</svg>", page, re.DOTALL))
    assert all(name in drawn for name in ALGORITHMS[:2])
