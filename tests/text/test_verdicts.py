"""A printed figure and the verdict beside it never contradict each other, in any format.

Answers are given probabilities and p-values near every level at which words change, rendered for
terminal, HTML, Markdown, LaTeX, JSON and as a picture, and read back from there.
"""

from __future__ import annotations

import html as html_module
import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from rich.console import Console

import bayescompare as bc
from bayescompare.cli.printing import print_comparison, print_pairwise
from bayescompare.outcome.decision import AHEAD, LIKELY, SETTLED, SIGNIFICANT
from bayescompare.outcome.diagnosis import LIMITS, Diagnosis
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import Rule, as_rule
from bayescompare.outcome.words import comparison_block
from bayescompare.plots import plot_matrix, plot_statements
from bayescompare.report import page_of, pages
from bayescompare.report.formats import html, latex, markdown
from bayescompare.text import numbers

LEVELS = (*numbers.LEVELS, 0.001, 0.999)
ONE = bc.load_example("benavoli-example1").sel(measures=["accuracy"])
BAYESIAN, CLASSICAL = bc.compare(ONE), bc.compare(ONE, method="sign")


def near(levels: tuple[float, ...]) -> st.SearchStrategy[float]:
    """Values close to a level, on either side of it, down to the next float."""
    gaps = st.sampled_from([0.0, 1e-16, 1e-12, 1e-8, 1e-6, 4e-5, 1e-4, 4e-4, 5e-4, 6e-4])
    moved = st.builds(
        lambda t, gap, sign: t + sign * gap, st.sampled_from(levels), gaps, st.sampled_from([-1, 1])
    )
    beside = st.builds(math.nextafter, st.sampled_from(levels), st.sampled_from([0.0, 1.0]))
    return st.one_of(moved, beside, st.floats(0.0, 1.0)).map(lambda p: min(1.0, max(0.0, p)))


# ---------------------------------------------------------------------------- what each format says


def terminal(show: Callable[[Console], None]) -> str:
    out = io.StringIO()
    show(Console(file=out, width=200, markup=False, emoji=False, highlight=False))
    return plain(out.getvalue())


def plain(text: str) -> str:
    return " ".join(text.replace("\u200b", "").split())


def of_html(text: str) -> str:
    body = re.sub(r"<(style|script).*?</\1>", " ", text, flags=re.DOTALL)
    # What is told on hovering stands beside its figure.
    body = re.sub(r' title="([^"]*)"[^>]*>([^<]*)<', r"> \2 {\1} <", body)
    return plain(html_module.unescape(re.sub(r"<[^>]*>", " ", body.replace("<wbr>", ""))))


def of_markdown(text: str) -> str:
    return plain(re.sub(r"(?<!\\)\|", " ", text).replace("\\", ""))


def of_latex(text: str) -> str:
    for tex, sign in {
        r"\textgreater{}": ">",
        r"\textless{}": "<",
        r"\allowbreak{}": "",
        r"\%": "%",
        r"\_": "_",
        r"\{": "{",
        r"\}": "}",
    }.items():
        text = text.replace(tex, sign)
    return plain(text.replace("&", " "))


def bare(page: Any) -> Any:
    """A page without its pictures, which are read by themselves."""
    sections = [replace(s, pictures=()) for s in page.sections]
    return replace(page, sections=sections, picture=None)


def texts(c: bc.Comparison) -> Iterator[tuple[str, str]]:
    page = bare(page_of(c))
    yield "repr", plain(repr(c))
    yield "terminal", terminal(lambda out: print_comparison(out, c, c.summary()))
    yield "html", of_html(html(page))
    yield "markdown", of_markdown(markdown(page))
    yield "latex", of_latex(latex(page))
    yield "json", plain(json.loads(c.to_json())["explanation"])
    ax = plot_statements(c, ax=Figure().subplots())
    yield "picture", plain(" ".join([ax.get_title(loc="left"), *(t.get_text() for t in ax.texts)]))


#: Where a format has which kind of figure.
HEADED = ("repr", "terminal", "html", "markdown", "latex", "picture")
EXPLAINED = ("html", "markdown", "json")
TABLED = ("terminal", "html", "markdown", "latex")


@pytest.fixture(autouse=True, scope="module")
def no_sensitivity() -> Iterator[None]:
    """Sensitivity asks the data again and takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "sensitivity_sections", lambda c, few: [])
        yield


# ----------------------------------------------------------------------------------- one comparison


def with_probability(p: float) -> bc.Comparison:
    return replace(BAYESIAN, answer=replace(BAYESIAN.answer, probability=np.array([p, 1.0 - p])))


FIGURE = r"([<>=]|over|under|) ?(\d\.\d+)"
VERDICTS = {
    "settled": "settled",
    "which settles it": "settled",
    "likely": "likely",
    "likely, not settled": "likely",
    "open": "open",
    "which leaves the question open": "open",
}


def verdict_of(shown: str) -> str:
    level = float(shown)
    return "settled" if level >= SETTLED else "likely" if level >= LIKELY else "open"


def check_probability(c: bc.Comparison) -> None:
    best, true = c.best, c.decision.verdict
    (other,) = set(c.answer.labels) - {best}
    digits = set()
    for name, text in texts(c):
        if name in HEADED:
            found = re.search(
                rf"is (better) than|is probably (ahead) of [AB] on accuracy \(P {FIGURE}\)|"
                r"(No verdict)|(none leads)",
                text,
            )
            assert found is not None, (name, text)
            word = c.decision.parts["word"].item()
            assert bool(found[1]) == (word == "better"), name
            assert bool(found[2]) == (word == "ahead"), name
            assert bool(found[6]) == (true == "tied"), name
            if found[2]:
                assert AHEAD <= float(found[4]) < SETTLED, (name, found[0])
        if name in EXPLAINED and true != "tied":
            found = re.search(
                rf"probable one is {FIGURE} \(exact\)(?:, |: )(which settles it|likely|"
                r"which leaves the question open)",
                text,
            )
            assert found is not None, (name, text)
            digits.add(found[2])
            assert VERDICTS[found[3]] == true == verdict_of(found[2]), (name, found[0])
        if name in TABLED:
            found = re.search(
                rf"(?<!\S)(?:\{{\}})?{best} \d+ {FIGURE}(?: \{{([<>]?)([\d.]+)\}})? ", text
            )
            assert found is not None, (name, text)
            digits.add(found[2])
            assert true in ("tied", verdict_of(found[2])), (name, found[0])
            if found[4]:  # on hovering
                assert true in ("tied", verdict_of(found[4])), (name, found[0])
        if name == "picture":
            # In a column, with fewer digits, beside the number of datasets; and by measure.
            column = re.findall(rf"(?<!\S){FIGURE} \d+(?!\S)", text)
            assert {verdict_of(found[1]) for found in column} & {true, "open"}
            (shown,) = re.findall(rf"(?<!\S)P {FIGURE}", text)
            digits.add(shown[1])
    # One figure, however often it is told.
    assert len(digits) == 1, digits
    # The other statement has the other side of one half.
    if true != "tied":
        small = numbers.format_probability(float(c.probability.sel(statement=other)))
        assert float(small.strip("<>")) < float(digits.pop())


@given(near(LEVELS))
@example(0.9496)
@example(0.94999999)
@example(0.7499)
@example(0.5 + 1e-8)
@example(1.0)
@settings(max_examples=25)
def test_a_probability_and_its_verdict(p: float) -> None:
    check_probability(with_probability(p))


def with_pvalue(p: float) -> bc.Comparison:
    return replace(CLASSICAL, answer=replace(CLASSICAL.answer, pvalue=p))


def check_pvalue(c: bc.Comparison) -> None:
    significant = c.pvalue <= SIGNIFICANT
    for name, text in texts(c):
        if name in HEADED:
            assert ("No verdict: A and B are not separated" in text) != significant, name
        if name in EXPLAINED:
            found = re.search(r"(is|cannot be) rejected .*?\(p ([<=>]) (1|\d\.\d+)\)", text)
            assert found is not None, (name, text)
            assert (found[1] == "is") == significant
            assert (float(found[3]) <= SIGNIFICANT) == significant, (name, found[0])


@given(near((0.05, 0.01, 0.001, 0.999)).filter(lambda p: p > 0.0))
@example(0.0504)
@example(0.05000001)
@example(0.05)
@example(1.0)
@settings(max_examples=20)
def test_a_pvalue_and_its_verdict(p: float) -> None:
    check_pvalue(with_pvalue(p))


# ------------------------------------------------------------------------------------------- pairs

THREE = bc.Results.from_frame(
    pd.DataFrame(
        [(d, a, float((d * 7 + k * 3) % 5)) for d in range(9) for k, a in enumerate("ABC")],
        columns=["dataset", "algorithm", "m"],
    ),
    measures={"m": "max"},
)
LEARNED = bc.pairwise(THREE, n_jobs=1)
PAIRS = bc.pairwise(THREE, method=bc.methods.Dirichlet(prior="symmetric"), n_jobs=1)
SIGNS = bc.pairwise(THREE, method="sign", n_jobs=1)
RULES = [as_rule(), as_rule(level=0.9), as_rule(fdr=0.05), as_rule(fdr=0.1)]


def moved_pairs(p: Pairwise, values: list[float], alone: list[float] | None = None) -> Pairwise:
    """The pairs with other probabilities, also under their own priors, or other p-values."""

    def moved(c: bc.Comparison, value: float, own: float) -> bc.Comparison:
        if not p.bayesian:
            return replace(c, answer=replace(c.answer, pvalue=value))
        extra = dict(c.answer.per_statement)
        if alone is not None:
            extra["alone"] = np.array([own, 1.0 - own])
        changed = replace(c.answer, probability=np.array([value, 1.0 - value]), per_statement=extra)
        return replace(c, answer=changed)

    found = map(moved, p.comparisons, values, alone or values)
    return replace(p, comparisons=tuple(found))


def pair_texts(p: Pairwise, rule: Rule) -> Iterator[tuple[str, str]]:
    page = bare(page_of(p, **rule.options))
    yield "terminal", terminal(lambda out: print_pairwise(out, p, rule))
    yield "html", of_html(html(page))
    yield "markdown", of_markdown(markdown(page))
    yield "latex", of_latex(latex(page))


def figures_of(name: str, text: str, row: dict[Any, Any]) -> list[float]:
    """The figures in a pair's row of decisions, in the order of the columns."""
    cell = r"[<>]?(?:\d\.\d+)(?: \{[^}]*\})?"
    winner, loser = str(row["statement"]).split(">")
    start = rf"(?:\{{\}})?{winner} over {loser}"
    found = re.search(
        rf"(?<!\S){start}( {cell}) (?:better|leads|open) {row['n']}((?: {cell})*)", text
    )
    assert found is not None, (name, row, text)
    return [float(x) for x in re.findall(r"(?:^| )[<>]?(\d\.\d+)", "".join(found.groups()))]


def check_pairs(p: Pairwise, rule: Rule) -> None:
    decided = p.decided(rule)
    for name, text in pair_texts(p, rule):
        for row in decided.to_dict("records"):
            shown = figures_of(name, text, row)
            if p.bayesian and rule.level is not None:
                held = min(shown) >= rule.level
            elif p.bayesian:
                # The first is P, the last the running share of false ones.
                held = shown[0] >= rule.floor and shown[-1] <= rule.alpha
            else:
                held = shown[-1] <= rule.alpha
            assert held == row["asserted"], (name, shown, row)


THREE_VALUES = st.lists(near((0.75, 0.9, 0.95, 0.99)), min_size=3, max_size=3)


@given(THREE_VALUES, st.sampled_from(RULES))
@example([0.9504, 0.9496, 0.9499], RULES[0])
@example([0.8996, 0.9, 0.90001], RULES[1])
@example([0.9504, 0.9496, 0.9499], RULES[2])
@example([0.9, 0.8996, 0.9], RULES[3])
@settings(max_examples=8)
def test_pairs_and_their_verdicts(values: list[float], rule: Rule) -> None:
    check_pairs(moved_pairs(PAIRS, [max(p, 0.5 + 1e-6) for p in values]), rule)


@given(THREE_VALUES, THREE_VALUES, st.sampled_from(RULES[:2]))
@example([0.96, 0.9496, 0.97], [0.9496, 0.96, 0.97], RULES[0])
@settings(max_examples=6)
def test_pairs_under_a_learned_prior(values: list[float], alone: list[float], rule: Rule) -> None:
    values, alone = ([max(p, 0.5 + 1e-6) for p in each] for each in (values, alone))
    assert LEARNED.learned is not None
    check_pairs(moved_pairs(LEARNED, values, alone), rule)


@pytest.mark.parametrize(
    ("level", "alone", "verdict"),
    [
        (0.98, 0.9496, "likely"),
        (0.98, 0.96, "settled"),
        (0.9496, 0.98, "likely"),
        (0.8, 0.7, "open"),
    ],
)
def test_what_a_verdict_rests_on_is_told(level: float, alone: float, verdict: str) -> None:
    c = moved_pairs(LEARNED, [level] * 3, [alone] * 3)[0]
    assert c.decision.verdict == verdict
    said = c.explain().partition(". The probability that")[2].partition(". ")[0]
    shown = [float(x) for x in re.findall(r"\d\.\d+", said.partition("short of")[0])]
    assert verdict_of(f"{min(shown)}") == verdict, said
    block = comparison_block(c)
    assert verdict_of(block.rows[0].figure) == verdict, block
    assert (block.status == "settled") == (verdict == "settled")


@given(
    st.lists(near((0.05, 0.025, 0.05 / 3, 0.1)), min_size=3, max_size=3),
    st.sampled_from(RULES),
)
@example([0.0168, 0.0252, 0.0504], RULES[0])
@settings(max_examples=8)
def test_pairs_and_what_holm_allows(values: list[float], rule: Rule) -> None:
    check_pairs(moved_pairs(SIGNS, [max(value, 1e-9) for value in values]), rule)


@given(st.lists(near((0.5, 0.75, 0.95, 0.99)), min_size=3, max_size=3))
@settings(max_examples=10)
def test_cells_of_a_picture_stay_on_their_side(values: list[float]) -> None:
    p = moved_pairs(PAIRS, values)
    ax = plot_matrix(p, ax=Figure().subplots())
    matrix = p.matrix.values
    for text in ax.texts:
        j, i = text.get_position()
        true, shown = float(matrix[int(i), int(j)]), float(text.get_text().strip("<>"))
        for level in (LIKELY, SETTLED, 0.99):
            assert (shown >= level) == (true >= level), (true, text.get_text())
        assert len(text.get_text()) <= 5


# -------------------------------------------------------------------------------------- diagnostics


@given(st.sampled_from(sorted(LIMITS)), st.floats(-1e-3, 1e-3), st.integers(1, 8), st.floats(-1, 1))
def test_diagnostics_stay_on_their_side_of_the_limit(
    name: str, gap: float, chains: int, more: float
) -> None:
    value, ess = LIMITS[name] + gap, 100.0 * chains + more
    written = Diagnosis(True, "", figures={name: value, "least ESS": ess}).written()
    shown = float(written[name])
    assert (shown > LIMITS[name]) == (value > LIMITS[name])
    assert (shown < LIMITS[name]) == (value < LIMITS[name])
    assert (float(written["least ESS"]) >= 100 * chains) == (ess >= 100 * chains)
