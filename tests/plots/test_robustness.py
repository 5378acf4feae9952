"""The curve of p-values under contamination."""

from __future__ import annotations

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import plots
from bayescompare.methods import GSD, GSDBootstrap
from bayescompare.methods.gsd.comparison import GsdComparison
from tests.methods.gsd.cases import ask
from tests.plots.drawn import fresh, title


def test_the_robustness_curve_is_that_of_the_table(uci: bc.Results) -> None:
    c = ask(uci, GSD(epsilon=0.5, permutations=100), algorithms=["GBM", "CART"], rng=1)
    ax = plots.plot_robustness(c, rng=3, ax=fresh())
    curve = c.robustness(rng=3)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), curve["gamma"])
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve["pvalue"])
    assert f"significant up to γ = {curve.attrs['robust_up_to']:.3g}" in title(ax)
    assert title(ax).startswith("GBM dominates CART: ")


def test_the_robustness_curve_begins_at_the_p_value(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=60), algorithms=["BDS", "EN"], rng=1)
    ax = c.plot("robustness", ax=fresh())
    # Another seed gives another p-value, and perhaps another verdict, than the words beside it.
    assert float(np.asarray(ax.lines[0].get_ydata())[0]) == c.pvalue


def test_a_curve_of_what_was_never_significant(uci: bc.Results) -> None:
    c = ask(uci, GSD(permutations=100), algorithms=["BDS", "RF"], rng=1)
    assert "not significant even without corruption" in title(c.plot("robustness", ax=fresh()))


def test_pictures_that_are_not_there(uci: bc.Results, whole: GsdComparison) -> None:
    with pytest.raises(bc.BayescompareError, match="two"):
        whole.plot("robustness", ax=fresh())
    other = bc.compare(bc.load_example("pnn"))
    for kind in ("relation", "growth", "robustness"):
        with pytest.raises(bc.BayescompareError, match="gsd"):
            other.plot(kind, ax=fresh())  # type: ignore[arg-type]
    boot = ask(uci, GSDBootstrap(resamples=10), algorithms=["BDS", "RF"], rng=1)
    with pytest.raises(bc.BayescompareError, match="robustness"):
        boot.plot("robustness", ax=fresh())
