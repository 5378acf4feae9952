"""Pictures of many algorithms: places with tiers, the staircase of all pairs, the order.

Each is drawn once, by a `Pen`, for a page of 720 or 358 pixels and for matplotlib. They name
algorithms as the verdicts do, and no picture has a code such as ``A>B|B>A``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayescompare.outcome.comparison import Comparison
from bayescompare.outcome.pairwise import Pairwise
from bayescompare.outcome.verdicts import PairVerdicts, as_rule
from bayescompare.outcome.words import ARROWS, pair_state
from bayescompare.plots._drawing import finish, prefix_words
from bayescompare.plots._pairs import ranked_measure, verdicts_words
from bayescompare.plots.kinds import plot_of
from bayescompare.plots.pen import Pen, broken, fit, width
from bayescompare.ranking.ranking import Ranking
from bayescompare.ranking.words import may_be_first
from bayescompare.text.names import short_names
from bayescompare.text.numbers import format_probability, percent_setting
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

    from bayescompare.table.results import Results

__all__ = ["plot_dominance", "plot_order", "plot_places", "plot_relation"]

#: Width of a picture on a page; below the narrow one it is a phone's.
WIDE, NARROW, PHONE = 720.0, 358.0, 500.0

#: Most algorithms of a staircase, and of one on a phone; most rows of a board, strips beside each
#: other.
_MOST, _MOST_NARROW, _ROWS, _STRIPS = 30, 12, 40, 6


# places -------------------------------------------------------------------------------------------


@plot_of(Ranking, "places")
def plot_places(
    r: Ranking,
    *,
    measures: Sequence[str] | None = None,
    most: int = _ROWS,
    order: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the place of each algorithm on each measure with its interval, a strip per measure.

    With one measure or a utility, the overall place, and P(best) on the right. Who may be first on
    a measure is blue there.

    Parameters
    ----------
    r : Ranking
    measures : sequence of str, optional
        The measures to draw, at most six; without a utility all by default.
    most : int
        Largest number of algorithms; of more the first ones.
    order : sequence of str, optional
        The algorithms from top to bottom; by default by place.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> r = bc.rank(bc.load_example("jansen-uci"), measures=["auc"], rng=0)
    >>> ax = plot_places(r, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][:3]
    ['place on auc', 'P(best)', 'Tier 1']
    """
    ax = places_pen(r, measures=measures, most=most, order=order).onto(ax)
    return finish(ax, r.headline(), *prefix_words(r.results.algorithms))


def places_pen(
    r: Ranking,
    w: float = WIDE,
    *,
    measures: Sequence[str] | None = None,
    most: int = _ROWS,
    order: Sequence[str] | None = None,
) -> Pen:
    """Draw the places of a ranking."""
    names = list(r.results.algorithms)
    if measures is None and r.answer.overall is not None:
        own: dict[str, pd.DataFrame] = {}
        label = "place by utility"
        if r.options.utility is None:
            label = f"place on {r.results.measures[0]}"
        strips = {label: r.overall.reindex(names)}
    else:
        chosen = list(r.results.measures if measures is None else measures)[:_STRIPS]
        for name in chosen:
            r.results[name]  # which refuses an unknown one
        own = {name: r.places.loc[[name]].droplevel("measure") for name in chosen}
        strips = {
            f"{name} {ARROWS[r.results[name].direction]}": own[name].reindex(names)
            for name in chosen
        }
        if len(strips) == 1:
            strips = {f"place on {chosen[0]}": next(iter(strips.values()))}
    mean = np.mean([table["place"].to_numpy() for table in strips.values()], axis=0)
    rows = [names[k] for k in np.argsort(mean, kind="stable")] if order is None else list(order)
    interval = percent_setting(r.options.level) if r.answer.has_draws else ""
    groups: dict[str, list[str]] = {"": rows}
    tops = [set(may_be_first(r, name)) for name in own] if own else [set(may_be_first(r))]
    if len(strips) == 1 and order is None and interval:
        # Of one order the tiers are groups.
        tiers = (
            r.tiers["tier"]
            if r.answer.overall is not None
            else r.tiers.loc[next(iter(own))]["tier"]
        )
        groups = {}
        for name in rows:
            groups.setdefault(f"Tier {tiers[name]}", []).append(name)
    return board_pen(groups, strips, w, most=most, interval=interval, tops=tops)


def board_pen(
    groups: Mapping[str, Sequence[str]],
    strips: Mapping[str, pd.DataFrame],
    w: float = WIDE,
    *,
    most: int = _ROWS,
    interval: str = "",
    tops: Sequence[set[str]] = (),
) -> Pen:
    """Draw places, a strip for each measure.

    Parameters
    ----------
    groups : mapping of str to sequence of str
        The algorithms by the title of their group, such as a tier; one group "" has no title.
    strips : mapping of str to DataFrame
        By the head of each strip: place, and lower, upper and p_best where they are known.
    w : float
    most : int
        Rows; of more algorithms the first ones.
    interval : str
        What the bars hold, such as "95 %"; "" where there are none.
    tops : sequence of set of str
        Who may be first, by strip.
    """
    everyone = [name for names in groups.values() for name in names]
    short = short_names(everyone)
    n, k, narrow = len(everyone), len(strips), w < PHONE
    row, size = (24.0, 13.0) if n <= 12 else (17.0, 12.0) if n <= 40 else (11.0, 9.5)
    if narrow:
        size = min(size, 11.5)
    names = min(max(width(short[a], size) for a in everyone) + 10, 104 if narrow else 220)
    one = next(iter(strips.values())) if k == 1 else None
    best = one is not None and "p_best" in one and bool(one["p_best"].notna().any())
    gap, right = (20.0, 44.0 * best) if narrow else (40.0, 60.0 * best)
    strip = (w - names - gap * k - 8 - right) / k
    pen = Pen(w, f"Places of {n} algorithms: {', '.join(strips)}")
    fits = size - 1 if narrow else 12

    def across(j: int, place: float) -> float:
        return names + gap + j * (strip + gap) + (place - 1) / max(n - 1, 1) * strip

    heads = [broken(head, fits, strip + gap - 4) for head in strips]
    lines, title_of = max(map(len, heads)), list(strips)
    y = 15.0 + 13 * (lines - 1)
    for j, head in enumerate(heads):
        for i, line in enumerate(head):
            above = 13 * (len(head) - 1 - i)
            pen.text(across(j, 1) - 4, y - above, line, fits, bold=True, tip=title_of[j])
    if best:
        pen.text(w - 2, y, "P(best)", fits, "end", "mute")
    y += 8
    top, shown = y, 0
    for title, members in groups.items():
        if shown >= most:
            break
        if title:
            y += 5
            pen.line((0, y), (w, y), stroke="line")
            pen.text(0, y + 14, title, size - 0.5, fill="mute", bold=True)
            y += 20
        for name in members[: most - shown]:
            middle, high = y + row / 2, 7.0 if n <= 12 else 6.0 if n <= 40 else 4.5
            pen.text(0, middle + 0.36 * size, fit(short[name], size, names), size, tip=short[name])
            for j, table in enumerate(strips.values()):
                place, low, up = (float(table[c][name]) for c in ("place", "lower", "upper"))
                first = name in tops[j] if interval else place <= 1.0
                said = f"{short[name]}, {title_of[j]}: place {place:g}"
                if low == low:
                    said += f", {low:g} to {up:g}"
                    x, long = across(j, low) - high / 2, across(j, up) - across(j, low) + high
                    soft = "asoft" if first else "graysoft"
                    pen.rect(x, middle - high / 2, long, high, soft, "", high / 2, said)
                colour = "a" if first else "gray"
                pen.dot(across(j, place), middle, high / 2 + 0.7, colour, "", said)
            if best and one is not None:
                p = format_probability(float(one["p_best"][name]))
                pen.text(w - 2, middle + 0.36 * size, p, size - 1, "end")
            y, shown = y + row, shown + 1
    for j in range(k):
        for place in [1, n] if strip < 90 else [1, (n + 1) // 2, n]:
            x = across(j, place)
            pen.items.insert(
                0, ("line", {"points": [(x, top + 4), (x, y + 2)], "stroke": "line", "sw": 1.0})
            )
            pen.text(x, y + 14, str(place), 10, "middle", "mute")
    _key_of_places(pen, y + 34, narrow=narrow, interval=interval, rest=n - shown)
    return pen


def _key_of_places(pen: Pen, y: float, *, narrow: bool, interval: str, rest: int) -> None:
    bar = f"dot: place, bar: {interval} interval" if interval else "dot: place"
    x = 6.0
    may = ("may be first", "may not") if interval else ("first", "behind")
    for colour, words in (("a", may[0]), ("gray", may[1]), ("", bar)):
        if colour:
            pen.dot(x, y - 4, 4, colour)
        pen.text(x + (9 if colour else -6), y, words, 11, fill="mute")
        x += width(words, 11) + 26
        if narrow and colour == "gray":
            x, y = 6.0, y + 17
    if rest > 0:
        pen.text(0, y + 17, f"and {rest} further back, not shown", 11, fill="mute")


# all pairs ----------------------------------------------------------------------------------------

#: What the sign of a pair says: its state, whether the row has it, and the words of the key.
_KEY = (
    ("wins", 0, "row better on every measure"),
    ("wins", 1, "column better on every measure"),
    ("part", 0, "better on some, the rest open"),
    ("trade", 0, "trade-off"),
    ("equal", 0, "practically equal"),
    ("open", 0, "open"),
)


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


_TIPS = {
    "wins": "better on every measure",
    "each": "better on every measure, taken one at a time",
    "part": "better on some measures",
    "partequal": "better or equal on every measure",
    "trade": "a trade-off",
    "tradeopen": "a trade-off, some measures open",
    "equal": "practically equal",
}


# the order ----------------------------------------------------------------------------------------


@plot_of(Pairwise, "order")
def plot_order(
    p: Pairwise,
    *,
    measure: str | None = None,
    level: float | None = None,
    fdr: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a line from each algorithm to the next ones that it is better than.

    Lines that follow from others are left out (transitive reduction). Algorithms that beat each
    other in a circle share one box, for there is no order within it. Those that are not separated
    from anybody stand below.

    Parameters
    ----------
    p : Pairwise
    measure : str, optional
        The order on this measure by itself; by default on every measure at once.
    level, fdr : float, optional
        As for `Pairwise.decide`.
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
    >>> ax = plot_order(p, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts][:3]
    ['on every measure', 'GBM', 'RF']
    """
    rule = as_rule(level=level, fdr=fdr)
    if measure is not None:
        measure = ranked_measure(p, measure)
    graph = order_graph(p, PairVerdicts(p, rule), measure)
    pen = order_pen(graph, _title_of_order(p.results, measure))
    words = verdicts_words(p, p.decided(rule), rule)
    return finish(pen.onto(ax), words, *prefix_words(list(graph)))


def _title_of_order(results: Results, measure: str | None) -> str:
    if len(results.measures) == 1:
        return f"on {results.measures[0]}"
    return "on every measure" if measure is None else f"on {measure}"


def order_graph(p: Pairwise, verdicts: PairVerdicts, measure: str | None = None) -> nx.DiGraph[str]:
    """Return who is better than whom on a measure, or on every measure at once."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(verdicts.names)
    if measure is None or not len(verdicts.parts):
        beats = verdicts.beats.items()
        graph.add_edges_from((winner, loser) for winner, losers in beats for loser in losers)
        return graph
    rows = verdicts.parts.xs(measure, level="measure")
    for (first, second), who, word in zip(rows.index, rows["ahead"], rows["word"], strict=True):
        if word == "better":
            graph.add_edge(who, second if who == first else first)
    return graph


#: A node of the picture: an algorithm, those of a circle, or a bend of a line.
type _Node = tuple[str, ...] | tuple[int, int]


def order_pen(
    graph: nx.DiGraph[str],
    title: str,
    w: float = WIDE,
    *,
    reduced: bool = True,
    apart: str = "not separated from anybody:",
) -> Pen:
    """Draw an order from left to right, or from top to bottom where it is too deep for that.

    Lines that follow from others are left out where it is `reduced`; else each is an arrow, with
    what the graph has as its ``words``. Nodes without a line stand below the words `apart`.
    """
    import networkx as nx

    short = short_names(list(graph))
    size, row = (13.0, 30.0) if w >= PHONE else (11.5, 27.0)
    whole = nx.condensation(graph)
    at = {name: k for k, name in enumerate(graph)}
    members = {
        k: tuple(sorted(data["members"], key=at.__getitem__)) for k, data in whole.nodes(data=True)
    }
    if reduced and not graph.graph.get("intransitive"):
        whole = nx.transitive_reduction(whole)
    alone = [members[k] for k in whole if whole.degree(k) == 0]
    level = {k: depth for depth, some in enumerate(nx.topological_generations(whole)) for k in some}
    columns, chains = _columns(whole, level, members, at)
    pen = Pen(w, f"Order {title}")
    pen.text(0, 14, title, size, bold=True)
    top = 26.0 if title else 6.0

    def ends(chain: Sequence[_Node]) -> tuple[str, str]:
        return str(chain[0][0]), str(chain[-1][0])

    def label(node: _Node) -> str:
        return ", ".join(short[str(name)] for name in node)

    def long(node: _Node) -> float:
        return width(label(node), size) + 18 if isinstance(node[0], str) else 10.0

    tall = max(map(len, columns), default=0)
    wide = [max(map(long, column)) for column in columns]
    # Figures on arrows need room between columns, and beside each other.
    between, beside = (26, 12) if reduced else (78, 60)
    across = [sum(map(long, column)) + beside * (len(column) - 1) for column in columns]
    down = sum(wide) + between * (len(columns) - 1) > w and max(across, default=0) <= w
    places: dict[_Node, tuple[float, float, float]] = {}
    x = 0.0
    if not down and columns:
        wide = [min(one, (w - 24 * (len(columns) - 1)) / len(columns)) for one in wide]
        space = min((w - sum(wide)) / max(len(columns) - 1, 1), 130.0)
    for i, column in enumerate(columns):
        if down:
            x = (w - across[i]) / 2
        for k, node in enumerate(column):
            if down:
                places[node] = (x, top + (i + 0.45) * 1.9 * row, long(node))
                x += long(node) + beside
            else:
                places[node] = (x, top + (k + 0.5) * row * tall / len(column), wide[i])
        if not down:
            x += wide[i] + space
    said: list[tuple[float, float, float, str]] = []
    for chain in chains:
        points = _bent([places[node] for node in chain], row, down=down)
        pen.line(*points, stroke="gray", sw=1.3, curved=True)
        if not reduced:
            x, y = points[-1]
            head = [(x - 4, y - 7), (x + 4, y - 7)] if down else [(x - 7, y - 4), (x - 7, y + 4)]
            pen.shape([(x, y), *head], "gray")
            # In the middle of the last bend, and below what stands there already.
            (one, two), words = points[-4], graph.edges[ends(chain)].get("words", "")
            x, y, room = (one + x) / 2, (two + y) / 2 + 4, width(words, 10) + 4
            while any(abs(x - a) < (room + b) / 2 and abs(y - c) < 12 for a, c, b, _ in said):
                y += 12
            said += [(x, y, room, words)] if words else []
    for x, y, room, words in said:
        pen.rect(x - room / 2, y - 10, room, 13, "paper", r=2)
        pen.text(x, y, words, 10, "middle", "mute")
    for node, (left, y, room) in places.items():
        if isinstance(node[0], str):
            circle = len(node) > 1
            colour = "b" if circle else "a" if level[_key(members, node)] == 0 else "gray"
            tip = label(node)
            pen.rect(left, y - 0.39 * row, room, 0.78 * row, "paper", colour, 5, tip)
            pen.text(left + 9, y + 0.36 * size, fit(label(node), size, room - 12), size)
    y = top + (len(columns) * 1.9 * row - 0.5 * row if down else tall * row)
    pen.h = y
    if alone:
        y += 16
        pen.text(0, y, apart, size - 1.5, fill="mute")
        y, x = y + 8, 0.0
        for node in alone:
            room = min(long(node), w)
            if x + room > w:
                x, y = 0.0, y + row
            pen.rect(x, y + 0.11 * row, room, 0.78 * row, "", "gray", 5, label(node))
            words = fit(label(node), size, room - 12)
            pen.text(x + 9, y + row / 2 + 0.36 * size, words, size, fill="mute")
            x += room + 8
    return pen


def _key(members: Mapping[int, tuple[str, ...]], node: _Node) -> int:
    return next(k for k, names in members.items() if names == node)


def _columns(
    whole: nx.DiGraph[int],
    level: Mapping[int, int],
    members: Mapping[int, tuple[str, ...]],
    at: Mapping[str, int],
) -> tuple[list[list[_Node]], list[list[_Node]]]:
    """Put nodes and the bends of long lines into columns, ordered so that few lines cross."""
    joined = [k for k in whole if whole.degree(k)]
    columns: list[list[_Node]] = [
        [] for _ in range(1 + max((level[k] for k in joined), default=-1))
    ]
    for k in sorted(joined, key=lambda k: at[members[k][0]]):
        columns[level[k]].append(members[k])
    chains: list[list[_Node]] = []
    for number, (one, other) in enumerate(whole.edges):
        bends: list[_Node] = [(number, i) for i in range(level[one] + 1, level[other])]
        for bend, i in zip(bends, range(level[one] + 1, level[other]), strict=True):
            columns[i].append(bend)
        chains.append([members[one], *bends, members[other]])
    before: dict[_Node, list[_Node]] = {}
    after: dict[_Node, list[_Node]] = {}
    for chain in chains:
        for one_, other_ in itertools.pairwise(chain):
            before.setdefault(other_, []).append(one_)
            after.setdefault(one_, []).append(other_)
    for forwards in (True, False, True, False):
        order = range(1, len(columns)) if forwards else range(len(columns) - 2, -1, -1)
        for i in order:
            beside = columns[i - 1 if forwards else i + 1]
            known = {node: k / max(len(beside) - 1, 1) for k, node in enumerate(beside)}
            near = before if forwards else after
            columns[i].sort(key=_middle(known, near))
    return columns, chains


def _middle(
    known: Mapping[_Node, float], near: Mapping[_Node, list[_Node]]
) -> Callable[[_Node], float]:
    def middle(node: _Node) -> float:
        places = [known[other] for other in near.get(node, []) if other in known]
        return float(np.mean(places)) if places else 0.5

    return middle


def _bent(
    places: Sequence[tuple[float, float, float]], row: float, *, down: bool
) -> list[tuple[float, float]]:
    """Return the Bézier points of a line through these boxes."""
    half, points = 0.39 * row, []
    last = len(places) - 1
    for k, ((xu, yu, wu), (xv, yv, wv)) in enumerate(itertools.pairwise(places)):
        if down:
            start, end = (xu + wu / 2, yu + half), (xv + wv / 2, yv - half)
            middle = (start[1] + end[1]) / 2
            bend = [(start[0], middle), (end[0], middle), end]
            through = [(start[0], yu - half / 3), (start[0], yu + half / 3), start]
        else:
            start, end = (xu + wu, yu), (xv, yv)
            middle = (start[0] + end[0]) / 2
            bend = [(middle, start[1]), (middle, end[1]), end]
            through = [(xu + wu / 3, yu), (xu + 2 * wu / 3, yu), start]
        # A bend of the line has no box: the line goes on through it.
        points += (through if k else [start]) + bend
    assert len(points) == 1 + 3 * (2 * last - 1)
    return points


@plot_of(Comparison, "relation", needs="relation")
def plot_relation(c: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw a line from each algorithm to those that it dominates directly.

    Lines that follow from others are left out.

    Parameters
    ----------
    c : Comparison
        A comparison by ``"gsd"``.
    ax : Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import bayescompare as bc
    >>> from matplotlib.figure import Figure
    >>> results = bc.load_example("jansen-uci")
    >>> c = bc.compare(results, method=bc.methods.GSD(delta=0), algorithms=["GBM", "RF", "CART"])
    >>> ax = plot_relation(c, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['dominance', 'GBM', 'RF', 'CART']
    """
    graph, lines = c.order(), [c.headline()]
    if c.incomparable:
        apart = join_names([f"{a} and {b}" for a, b in c.incomparable], most=8)
        lines.append(f"Incomparable pairs: {apart}")
    if triples := graph.graph["intransitive"]:
        a, b, c_ = triples[0]
        lines.append(f"Not transitive: each line is one pair, and {a} → {b} → {c_} says nothing")
    return finish(order_pen(graph, "dominance").onto(ax), *lines)
