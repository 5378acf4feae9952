"""New datasets from a posterior, and whole tables from a prior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayescompare._checks import MOST_DRAWS, check_count, is_whole
from bayescompare._errors import BayescompareError
from bayescompare._rng import Rng, as_rng
from bayescompare._version import __version__
from bayescompare.text.numbers import whole_number_text

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison
    from bayescompare.table.results import Results

__all__ = ["predict_for_comparison", "simulate_for_comparison"]


def predict_for_comparison(c: Comparison, n: int, draws: int, rng: Rng) -> xr.DataArray:
    """Draw the statements of n new datasets, with how they were drawn as attributes."""
    check_count(n=n, draws=draws)
    assert is_whole(n)
    if n * draws > MOST_DRAWS:
        raise BayescompareError(
            f"n={n} for draws={draws}: at most {whole_number_text(MOST_DRAWS)} predictions in "
            "total."
        )
    generator, seed = as_rng(rng)
    labels = c.posterior.predict(int(n), int(draws), generator)
    attrs = {
        "method": c.method.name,
        "options": str(c.method.options()),
        "sampler": c.method.draws_are if c.answer.tree is None else "nuts",
        "seed": "a Generator" if seed is None else seed,
        "version": __version__,
    }
    coords = {"sample": np.arange(draws), "dataset": np.arange(n)}
    return xr.DataArray(labels, coords, ("sample", "dataset"), name="statement", attrs=attrs)


def simulate_for_comparison(c: Comparison, rng: Rng) -> Results:
    """Draw a table from the prior of an answer's method, and note how."""
    generator, seed = as_rng(rng)
    table = c.posterior.simulate(generator)
    how = "" if seed is None else f", rng={seed}"
    return table._with(source=f"simulated from the prior of {c.method.name!r}{how}")
