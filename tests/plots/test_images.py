"""Every plot against its kept picture, and the comparison itself against wrong pictures.

``python tests/plots/make_images.py`` draws them anew; look at them before they are committed.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.ndimage import gaussian_filter, shift

from bayescompare import plots
from tests.plots.pictures import (
    FOLDER,
    SAME,
    cases,
    difference,
    kept,
    render,
    spoilt,
)

NAMES = sorted(name.removeprefix("plot_") for name in plots.__all__)
#: These only choose among the others.
CHOOSERS = {"comparison", "pairwise", "ranking"}

every = pytest.mark.parametrize("name", list(cases()))


def test_every_plot_has_a_picture_and_every_picture_a_plot() -> None:
    # A plot with several forms has a picture of each: "shrinkage", "shrinkage-columns".
    assert {name.split("-")[0] for name in cases()} == set(NAMES) - CHOOSERS
    assert {path.stem for path in FOLDER.glob("*.png")} == set(cases())


@every
def test_the_picture_is_the_kept_one(name: str) -> None:
    assert difference(kept(name), render(*cases()[name])) < SAME


@every
def test_names_are_shown_as_they_are(name: str) -> None:
    """Else "$" and "_" in a name would be taken for mathematics, and fail."""
    draw, size = cases()[name]
    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    figure.canvas.draw()
    # Numbers on an axis may be mathematics, and so may the names of our own axes.
    drawn = [text for text in figure.findobj(Text) if text.get_visible()]
    shown = [text for text in drawn if re.search(r"[a-zA-Z]{2}", text.get_text())]
    shown = [text for text in shown if "mathdefault" not in text.get_text()]
    assert [text.get_text() for text in shown if text.get_parse_math() or text.get_usetex()] == []


@every
def test_kept_pictures_are_small(name: str) -> None:
    assert (FOLDER / f"{name}.png").stat().st_size < 40_000


@pytest.mark.parametrize("what", ["words", "marks"])
@pytest.mark.parametrize("name", ["statements", "matrix"])
def test_a_wrong_picture_is_found_out(name: str, what: str) -> None:
    draw, size = cases()[name]
    assert difference(kept(name), render(spoilt(draw, what), size)) > SAME + 3


def test_noise_is_not_a_change() -> None:
    """What another renderer might make of the same picture; white around it, nothing is lost."""
    pixels = np.pad(kept("critical"), ((2, 2), (2, 2), (0, 0)), constant_values=255.0)
    grain = np.random.default_rng(0).normal(0.0, 4.0, pixels.shape)
    for other in (
        shift(pixels, (0.3, -0.3, 0), order=1, cval=255.0),
        shift(pixels, (0.7, 0.7, 0), order=1, cval=255.0),
        np.roll(pixels, (1, -1), (0, 1)),
        np.clip(pixels + grain, 0.0, 255.0),
        gaussian_filter(pixels, (0.4, 0.4, 0.0)),
    ):
        assert difference(pixels, other) < SAME - 3


def test_another_size_is_a_change() -> None:
    pixels = kept("matrix")
    assert difference(pixels, pixels[:-9]) == float("inf")
    assert difference(pixels, pixels[:-1]) < SAME
