"""All pairs: the staircase of verdicts, P or p-values as a heat map, and what they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.kernels.classic import wilcoxon
from bayescompare.outcome.answer import PROBABILITY
from bayescompare.outcome.pair_figures import datasets_spread
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts, as_rule
from bayescompare.outcome.words import pair_state
from bayescompare.plots._drawing import (
    LITERAL,
    clip,
    figure_of,
    finish,
    inches_of,
    new_axes,
    prefix_words,
    readable_on,
    set_title,
)
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import PHONE, WIDE, Pen, fit, width
from bayescompare.statements import State, Statement
from bayescompare.text.names import short_names
from bayescompare.text.numbers import narrow_probability, narrow_pvalue, plural

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.verdicts import Rule

__all__ = ["plot_dominance", "plot_matrix"]

#: Row better, row worse, equivalent, incomparable.
ABOVE, BELOW, SAME, APART = "≻", "≺", "=", "~"


# Every picture of all pairs asks for the same ones again.
@lru_cache(maxsize=1024)
def signs(statement: str, row: str, column: str) -> tuple[str, ...]:
    """Return for each measure how `row` compares with `column` in a statement about the pair.

    Examples
    --------
    >>> signs("B>A|A>B|A=B", "A", "B")
    ('≺', '≻', '=')
    """
    order = State.order(row, column)
    known = {order: ABOVE, order.reversed(): BELOW}
    return tuple(
        APART if state.relation == "~" else known.get(state, SAME)
        for state in Statement.parse(statement).states
    )


def verdicts_words(p: Pairwise, table: pd.DataFrame, rule: Rule) -> str:
    """Say how many pairs have a verdict and by which rule."""
    pairs = f"{int(table['asserted'].sum())} of {plural(len(table), 'pair')}"
    return f"a verdict for {pairs} ({rule.name(bayesian=p.bayesian)}){datasets_words(p)}"


def datasets_words(p: Pairwise) -> str:
    """Say for the end of a title how many datasets pairs have, if they have different ones."""
    spread = datasets_spread(p.tables)
    return f"; on different datasets, {spread} each" if spread else ""


def ranked_measure(p: Pairwise, measure: object) -> str | None:
    """Return the measure to rank by; None if the method asks one question about all of them.

    Ranks on several measures are never averaged: the reader decides which of them matters.
    """
    names = p.results.measures
    if p.bayesian and p.method.scope.question:
        if measure is not None:
            raise BayescompareError(
                f"measure={measure!r}: {p.method.name} asks one question about all measures; leave "
                "out measure=."
            )
        return None
    if measure is None and len(names) > 1:
        raise BayescompareError(
            f"measure= is missing: ranks are shown on one measure at a time; choose one of "
            f"{', '.join(names)}, as in plot('critical', measure={names[0]!r})."
        )
    if measure is not None and measure not in names:
        raise BayescompareError(
            f"measure={measure!r}: these pairs were compared on {', '.join(names)}."
            f"{did_you_mean(str(measure), names)}"
        )
    return names[0] if measure is None else str(measure)


def ahead(c: Comparison, first: str, second: str, measure: str | None = None) -> float:
    """Return how far a pair's first algorithm is ahead of the second on a measure, from 0 to 1.

    Bayesian: the probability that this is the most frequent outcome on that measure by itself or,
    without a measure, in the method's one question. Frequentist: the share of datasets. Ties count
    half, and so does what is not listed.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method="glrt")
    >>> [round(ahead(c, "A", "B", measure), 3) for measure in c.results.measures]
    [0.25, 0.333]
    """
    place = 0 if measure is None else c.results.measures.index(measure)
    if c.answer.probability is None:
        rope = c.results[c.results.measures[place]].rope
        advantage = wilcoxon.differences(c.results.oriented()[:, :, place], rope)
        return float(np.mean((np.sign(advantage) + 1.0) / 2.0))
    own = [signs(label, first, second)[place] for label in c.answer.labels]
    listed = c.answer.probability
    if c.answer.parts:
        # Statements that say the same of this measure have the same figure.
        by_sign = dict(zip(own, c.answer.parts[PROBABILITY][:, place], strict=True))
        own, listed = list(by_sign), np.nan_to_num(np.array(list(by_sign.values())))
    share = [{ABOVE: 1.0, BELOW: 0.0}.get(sign, 0.5) for sign in own]
    return float(np.clip(listed @ share + 0.5 * (1.0 - listed.sum()), 0.0, 1.0))


# the staircase ------------------------------------------------------------------------------------

#: Most algorithms of a staircase, and of one on a phone.
_MOST, _MOST_NARROW = 30, 12

#: What the sign of a pair says: its state, whether the row has it, and the words of the key.
_KEY = (
    ("wins", 0, "row better on every measure"),
    ("wins", 1, "column better on every measure"),
    ("part", 0, "better on some, the rest open"),
    ("trade", 0, "trade-off"),
    ("equal", 0, "practically equal"),
    ("open", 0, "open"),
)


_TIPS = {
    "wins": "better on every measure",
    "each": "better on every measure, taken one at a time",
    "part": "better on some measures",
    "partequal": "better or equal on every measure",
    "trade": "a trade-off",
    "tradeopen": "a trade-off, some measures open",
    "equal": "practically equal",
}


@plot_of(Pairwise, "dominance")
def plot_dominance(
    p: Pairwise, *, level: float | None = None, fdr: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the staircase of all pairs, the names on its diagonal.

    A triangle points at the winner: left to the row's name, down to the column's. It is filled
    where there is a verdict on every measure, and hollow where one is better on some measures and
    the rest is open; a diamond is a trade-off. Of more than 30 algorithms the first are shown.

    Parameters
    ----------
    p : Pairwise
    level, fdr : float, optional
        The rule of the verdicts, as for `Pairwise.decide`.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), algorithms=["CART", "GBM", "RF"], n_jobs=1)
    >>> ax = plot_dominance(p, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][:3]
    ['CART', 'GBM', 'RF']
    """
    rule = as_rule(level=level, fdr=fdr)
    pen = staircase_pen(p, PairVerdicts(p, rule), list(p.results.algorithms))
    words = verdicts_words(p, p.decided(rule), rule)
    return finish(pen.onto(ax), words, *prefix_words(p.results.algorithms))


def states_of_pairs(p: Pairwise, verdicts: PairVerdicts) -> dict[tuple[str, str], tuple[str, int]]:
    """Return the state of each pair, and which of its two algorithms wins (2: neither).

    Looked up in the parts and verdicts that are decided already; no pair is asked again.
    """
    words: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    if len(verdicts.parts):
        columns = (verdicts.parts["ahead"].tolist(), verdicts.parts["word"].tolist())
        for (one, two, measure), who, word in zip(verdicts.parts.index, *columns, strict=True):
            words.setdefault((one, two), []).append((measure, who, word))
    found = {}
    for pair in p.figures.pairs:
        statement = verdicts.statements.get(frozenset(pair))
        if statement is not None:
            state = "better" if statement.winner else "trade-off"
            if statement.winner is None and not statement.is_trade_off:
                state = "equal" if ">" not in str(statement) else "better"
        else:
            state = "open"
        own = pair_state(pair[0], words.get(pair, []), state, ())
        name, side = own.name, 2 if own.winner is None else own.winner
        if statement is not None and statement.winner is not None:
            name, side = "wins", pair.index(statement.winner)
        elif statement is not None and pair not in words:
            name = "trade" if statement.is_trade_off else "equal"
        found[pair] = (name, side)
    return found


def _glyph(
    pen: Pen, at: tuple[float, float], size: float, state: str, side: int, tip: str = ""
) -> None:
    """Draw the sign of a pair: a triangle points at the winner."""
    (x, y), r = at, 0.36 * size
    colour = "ab"[side] if side < 2 else "t"
    left = [(x + 0.8 * r, y - r), (x + 0.8 * r, y + r), (x - r, y)]
    down = [(x - r, y - 0.8 * r), (x + r, y - 0.8 * r), (x, y + r)]
    if state.startswith("trade"):
        pen.shape([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], "t", "t", tip)
    elif side < 2 and state == "wins":
        pen.shape(down if side else left, colour, colour, tip)
    elif side < 2:
        pen.shape(down if side else left, "paper", colour, tip)
    elif state.startswith("equal"):
        for shift in (-0.35, 0.35):
            pen.line((x - r, y + shift * r), (x + r, y + shift * r), stroke="gray", sw=1.4)
    else:
        pen.dot(x, y, max(0.08 * size, 0.9), "gray", "", tip)


def staircase_pen(
    p: Pairwise, verdicts: PairVerdicts, names: Sequence[str], w: float = WIDE
) -> Pen:
    """Draw the staircase of all pairs, in the order of the names."""
    narrow = w < PHONE
    most = _MOST_NARROW if narrow else _MOST
    rest, names = max(0, len(names) - most), names[:most]
    short, n = short_names(p.results.algorithms), len(names)
    states = states_of_pairs(p, verdicts)
    size = (13.0 if n <= 12 else 11.5) if not narrow else 10.0
    left = max(width(short[a], size) - 6 * k for k, a in enumerate(names)) + 8
    left = min(left, 110 if narrow else 170)
    cell = min((w - left) / max(n - 1, 1), 44.0)
    high = max(min(cell, 30.0), size + 3)
    pen = Pen(w, f"Who is better than whom, of {n} algorithms")
    for i, row in enumerate(names):
        y, x = 2 + i * high, left + i * cell
        if i % 2 == 0 and i < n - 1:
            pen.rect(x, y, (n - 1 - i) * cell, high, "band")
        shown = fit(short[row], size, x - 8)
        pen.text(x - 5, y + high / 2 + 0.36 * size, shown, size, "end", tip=short[row])
        for j in range(i + 1, n):
            pair, turned = (row, names[j]), (names[j], row)
            state, side = states.get(pair, ("", 2))
            if turned in states:
                state, side = states[turned]
                side = side if side == 2 else 1 - side
            if state:
                at = left + (j - 0.5) * cell, y + high / 2
                tip = f"{short[row]}, {short[names[j]]}: {_TIPS.get(state, 'open')}"
                _glyph(pen, at, min(cell, high), state, side, tip)
    beside = n <= 14 and not narrow and left + (n - 1) * cell + 260 < w
    y = 24.0 if beside else n * high + 18
    x = left + (n - 1) * cell + 28 if beside else 0.0
    if n > 14 and not narrow:
        x, y = 0.0, n * high - 19 * len(_KEY)  # the corner below the names is free
    for state, side, words in _KEY:
        _glyph(pen, (x + 8, y), 16, state, side if state in ("wins", "part") else 2)
        pen.text(x + 22, y + 4, words, 11, fill="mute")
        y += 19
    if rest:
        pen.text(0, max(pen.h, y) + 14, f"the first {n} by place; {rest} more", 11, fill="mute")
    return pen


# P of all pairs ---------------------------------------------------------------------------------

#: Above this many algorithms the cells have no room for text, and not every tick has a label.
_MOST_TEXT, _MOST_TICKS = 30, 80

#: Letters of a name, beyond which its middle is left out, and inches of a letter.
_NAME, _LETTER = 40, 0.085

#: Bayesian or not → colour map. Dark is strong either way: P near 1, a p-value near 0.
COLOURS = {True: "Blues", False: "Oranges_r"}


@plot_of(Pairwise, "matrix")
def plot_matrix(p: Pairwise, *, ax: Axes | None = None) -> Axes:
    """Draw `Pairwise.matrix` as a heat map, its values in the cells.

    Bayesian: P("row better than column on every measure" is the most probable statement).
    Frequentist: the pair's p-value, darker the smaller it is; ``"gsd"`` has a one-sided p-value
    for each direction. Pairs that were not compared are grey.

    Parameters
    ----------
    p : Pairwise
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> p = bc.pairwise(bc.load_example("pnn"), n_jobs=1)
    >>> ax = plot_matrix(p, ax=Figure().subplots())
    >>> [cell.get_text() for cell in ax.texts]
    ['0.84', '0.012']
    """
    from matplotlib import colormaps

    names = [clip(name, _NAME) for name in short_names(p.results.algorithms).values()]
    values = p.matrix.values
    side = min(max(0.52 * len(names), 2.6), 13.0)
    margin = _LETTER * max(map(len, names))
    ax = new_axes(ax, (side + margin + 1.5, side + margin + 1.2))
    # The title comes before the colour bar, which takes some of the width.
    caption = f"{p.method.name}: {_meaning(p)}{datasets_words(p)}"
    set_title(ax, caption, *prefix_words(p.results.algorithms), most=side + 0.8)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        cmap=colormaps[COLOURS[p.bayesian]].with_extremes(bad="0.85"),
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
        aspect="equal",
    )
    bar = figure_of(ax).colorbar(image, ax=ax, shrink=0.8, pad=0.03, fraction=0.06, aspect=22)
    label = "P(row better than column)" if p.bayesian else "p-value"
    bar.set_label(label, **LITERAL)
    if len(names) <= _MOST_TEXT:
        # The longest text, "<0.01", is as wide as three times its height.
        size = min(9.0, 72 * min(inches_of(ax)) / len(names) / 3.3)
        for (i, j), value in np.ndenumerate(values):
            if not math.isnan(value):
                text = narrow_probability(value) if p.bayesian else narrow_pvalue(value)
                colour = readable_on(image.to_rgba(np.array([value]))[0])
                ax.text(j, i, text, ha="center", va="center", fontsize=size, color=colour)
    step = math.ceil(len(names) / _MOST_TICKS)
    at, some, size_of = range(0, len(names), step), names[::step], "small"
    if len(names) > _MOST_TEXT:
        size_of = "x-small"
    # Names are horizontal if the longest fits between its neighbours.
    turned = 90 if margin > step * side / len(names) else 0
    ax.set_xticks(at, some, rotation=turned, fontsize=size_of)
    ax.set_yticks(at, some, fontsize=size_of)
    ax.tick_params(length=0)
    ax.set(xlabel="opponent", ylabel="algorithm")
    return finish(ax, bare="top right bottom left")


def _meaning(p: Pairwise) -> str:
    if not p.bayesian:
        directed = "one-sided p-value of “row dominates column”"
        return directed if p.directed else "p-value of each pair"
    measures = p.results.measures
    where = f"on {measures[0]}" if len(measures) == 1 else f"on all {len(measures)} measures"
    if p.method.scope.question:
        return "P(row dominates column)"
    event = "holds on most datasets" if p.method.scope.measure else "is the most probable statement"
    return f"P(“row better than column {where}” {event})"
