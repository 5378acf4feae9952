"""Pictures of a report: SVG elements inside a page with tooltips, or files of their own."""

from __future__ import annotations

import io
import itertools
import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from bayescompare._errors import BayescompareError
from bayescompare.plots._drawing import clip
from bayescompare.statements import Statement
from bayescompare.table.writing import check_file_is_writable, write_bytes
from bayescompare.text import numbers
from bayescompare.text.phrases import cell_text, figure_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.report.page import Page, Picture

#: Text stays text, so that it can be searched and the browser can show any script; ids are fixed.
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "bayescompare"}

#: Neither the date nor the machine, so that the same picture is the same file.
_NO_METADATA: dict[str, dict[str, Any]] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
    "png": {"Software": None},
}

#: Format of a report → that of its figures, where these are files.
_SUFFIXES = {"latex": "pdf", "markdown": "png"}

_ID = re.compile(r'(\sid="|url\(#|href="#)')

#: Fields over more cells would make a page slow.
_MOST = 2500


def _drawn(draw: Callable[[Figure], Any], suffix: str) -> tuple[bytes, float, dict[str, str]]:
    """Return a picture as a file of a format, its width in inches, and its tooltips by field."""
    from matplotlib import style
    from matplotlib.figure import Figure

    written, tips = io.BytesIO(), {}
    # The page neither depends on the user's matplotlib settings nor changes them.
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # A name may have letters that matplotlib's font lacks, and the browser has.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(layout="constrained")
        draw(figure)
        fields = [patch for ax in figure.axes for patch in ax.patches if hasattr(patch, "_tooltip")]
        for k, field in enumerate(fields):
            field.set_gid(f"tip-{k}")
            tips[f"tip-{k}"] = field._tooltip
        dpi = "figure" if suffix == "svg" else 150
        figure.savefig(written, format=suffix, dpi=dpi, metadata=_NO_METADATA[suffix])
    return written.getvalue(), figure.get_figwidth(), tips


def svg(picture: Picture) -> Markup:
    """Draw a picture and return it as an ``<svg>`` element that scales.

    It has no prolog and no comments, and its name is the prefix of every id, so that a page can
    have several figures.

    Examples
    --------
    >>> from bayescompare.report.page import Picture
    >>> line = Picture("A line", lambda figure: figure.subplots().plot([1, 2]), "line", "a < b")
    >>> svg(line).startswith('<svg class="plot" role="img" aria-label="a &lt; b"')
    True
    """
    document, width, tips = _drawn(picture.draw, "svg")
    element = document.decode("utf-8")
    element = re.sub(
        r'<g id="(tip-\d+)">',
        lambda tag: f'<g class="tip"><title>{escape(tips[tag[1]])}</title>',
        element[element.index("<svg") :],
    )
    element = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # "<" and ">" are escaped in text and in attributes, so this matches only tags.
    element = re.sub(r"<[^>]+>", lambda tag: _ID.sub(rf"\g<1>{picture.name}-", tag[0]), element)
    box = re.search(r'viewBox="[^"]*"', element)
    assert box is not None
    head = (
        f'<svg class="plot" role="img" aria-label="{escape(picture.words)}" {box[0]} '
        f'style="--wanted:{width:.3g}in" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return Markup(re.sub(r"^<svg[^>]*>", lambda _: head, element).rstrip())


# files --------------------------------------------------------------------------------------------


def check_figures(target: Path, format: str) -> Path:
    """Return the folder for the figures of a report, which is named after its file."""
    if format not in _SUFFIXES:
        raise BayescompareError(
            "figures=True is for .md and .tex, whose figures are separate files: an HTML page has "
            "its figures in it, and JSON has none."
        )
    folder = target.with_suffix("")
    if folder.exists() and not folder.is_dir():
        raise BayescompareError(
            f"figures=True writes into the folder {str(folder)!r}, and that is a file: choose "
            "another path."
        )
    return folder


def write_figures(page: Page, folder: Path, format: str, *, overwrite: bool) -> dict[str, str]:
    """Write every picture of a page, and return their paths beside the report, by name."""
    suffix = _SUFFIXES[format]
    paths = {picture.name: folder / f"{_file_name(picture)}.{suffix}" for picture in page.pictures}
    made = not folder.exists()
    if made:
        folder.mkdir()
    try:
        for path in paths.values():
            check_file_is_writable(path, overwrite=overwrite)
        for picture in page.pictures:
            write_bytes(paths[picture.name], _drawn(picture.draw, suffix)[0])
    except BaseException:
        if made:  # nothing is left behind
            for path in paths.values():
                path.unlink(missing_ok=True)
            folder.rmdir()
        raise
    return {name: f"{folder.name}/{path.name}" for name, path in paths.items()}


def _file_name(picture: Picture) -> str:
    r"""Return a name that every system and LaTeX's \includegraphics accept."""
    words = re.sub(r"[^a-z0-9]+", "-", picture.title.lower()).strip("-")[:40].strip("-")
    return f"{words}-{picture.name}" if words else picture.name


# tooltips: invisible fields over parts of a figure ------------------------------------------------


def cell_tooltips(p: Pairwise, ax: Axes, *, triangle: bool = False) -> None:
    """Add a tooltip to each pair of a square matrix, or of its upper triangle."""
    names = p.results.algorithms
    if len(names) ** 2 > _MOST or (triangle and p.reference is not None):
        return
    values, best, level = p.matrix.values, p.best.values, p.best_probability.values
    datasets = datasets_of_pairs(p)
    equation = numbers.probability_equation if p.bayesian else numbers.pvalue_equation
    for i, j in itertools.permutations(range(len(names)), 2):
        if values[i, j] != values[i, j] or (triangle and i > j):
            continue
        leading = leading_words(p, best[i, j], names[i], names[j])
        text = f"{names[i]} against {names[j]}: {leading}, {equation(float(level[i, j]))}"
        if not triangle and p.bayesian:
            text += f"; {names[i]} better on all: {equation(float(values[i, j]))}"
        text += f"; {datasets[frozenset((names[i], names[j]))]}"
        _add_tooltip(ax, j - 0.5 - triangle, i - 0.5, 1.0, text)


def leading_words(p: Pairwise, label: str, first: str, second: str) -> str:
    """Say a statement about a pair."""
    return Statement.parse(label, (first, second)).words(p.results.measures)


def datasets_of_pairs(p: Pairwise) -> dict[frozenset[str], str]:
    """Return the number of datasets of each pair, in words."""
    return {
        frozenset(pair): numbers.plural(n, "dataset")
        for pair, n in zip(p.figures.pairs, p.figures.datasets.tolist(), strict=True)
    }


def bar_tooltips(c: Comparison, ax: Axes) -> None:
    """Add a tooltip to each bar of a single statement."""
    heads = {"count": "datasets", "probability": "P", "mcse": "MCSE", "theta_mean": "mean θ"}
    table = c.summary()
    rows = dict(zip(map(str, table.index), table.to_dict("records"), strict=True))

    def words(tick: str) -> str | None:
        row = rows.get(tick.replace("\n", ""))
        if row is None:
            return None
        figures = [f"{heads[k]} {figure_text(str(k), v)}" for k, v in row.items() if k in heads]
        return f"{tick.replace('\n', '')}: {', '.join(figures)}"

    _add_row_tooltips(ax, words)


def dataset_tooltips(c: Comparison, ax: Axes) -> None:
    """Add a tooltip to each row of a dataset."""
    table = next(iter(c.tables.values()))
    rows = dict(zip(map(str, table.index), table.to_dict("records"), strict=True))

    def words(tick: str) -> str | None:
        # A long name is shortened in the figure, and whole in its tooltip.
        names = [name for name in rows if clip(name, len(tick)) == tick]
        if len(names) != 1:
            return None
        figures = [f"{head}: {cell_text(str(head), v)}" for head, v in rows[names[0]].items()]
        return f"{names[0]}: {', '.join(figures)}"

    _add_row_tooltips(ax, words)


def _add_row_tooltips(ax: Axes, words: Callable[[str], str | None]) -> None:
    low, high = ax.get_xlim()
    for k, tick in enumerate(ax.get_yticklabels()):
        text = words(tick.get_text())
        if text is not None:
            _add_tooltip(ax, low, k - 0.5, high - low, text)


def _add_tooltip(ax: Axes, x: float, y: float, width: float, text: str) -> None:
    from matplotlib.patches import Rectangle

    look: Mapping[str, Any] = {"facecolor": "white", "alpha": 0.0, "linewidth": 0, "zorder": 9}
    field: Any = Rectangle((x, y), width, 1.0, **look)
    field._tooltip = text
    limits = ax.get_xlim(), ax.get_ylim()
    ax.add_patch(field)
    ax.set(xlim=limits[0], ylim=limits[1])
