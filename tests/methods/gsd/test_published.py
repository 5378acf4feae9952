"""Generalised stochastic dominance: the figures and the table that Jansen et al. published."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD
from tests.cases import few_quick
from tests.methods.gsd.cases import APART, M, ask

NAMES = ("BDS", "CART", "EN", "GBM", "GLM", "LASSO", "RF", "RIDGE")


# ----------------------------------------------------------------------------------- the published


@pytest.fixture(scope="module")
def uci_ordinal(uci: bc.Results) -> bc.Results:
    spec = {m: M(uci[m].direction, scale="ordinal", bounds=uci[m].bounds) for m in uci.measures}
    return bc.Results(uci.data, spec)


def test_figure_5_at_delta_0(whole: GsdComparison) -> None:
    held = whole.relation
    assert held.dims == ("algorithm", "opponent")
    assert held.dtype == bool
    assert held["algorithm"].values.tolist() == list(NAMES)
    assert np.diag(held.values).all()
    assert int(held.sum()) - 8 == 21
    assert set(whole.incomparable) == APART
    middle = ("EN", "GLM", "LASSO", "RIDGE")
    expected = {("GBM", "BDS"), ("GBM", "RF")}
    expected |= {(top, low) for top in ("BDS", "RF") for low in middle}
    expected |= {(low, "CART") for low in middle}
    graph = whole.order()
    assert set(graph.edges) == expected
    assert set(graph.nodes) == set(NAMES)
    assert set(graph.graph["incomparable"]) == APART
    assert whole.front == ("GBM",)
    assert whole.best == "GBM"


def test_figure_5_as_delta_grows(whole: GsdComparison) -> None:
    # δ = 0.004 makes RIDGE dominate EN and LASSO, and GLM none of the three yet; δ_max does.
    at = whole.relation_at(0.004)
    for loser in ("EN", "LASSO"):
        assert at.sel(algorithm="RIDGE", opponent=loser)
    for loser in ("EN", "LASSO", "RIDGE"):
        assert not at.sel(algorithm="GLM", opponent=loser)
        assert whole.relation_at(0.0077).sel(algorithm="GLM", opponent=loser)
    # The paper's footnote 10: the orders of δ = 0 and of 1e-5 coincide.
    assert (whole.relation_at(1e-5) == whole.relation).all()


def test_figure_6_all_ordinal(uci_ordinal: bc.Results) -> None:
    c = ask(uci_ordinal, GSD(delta=0))
    held = c.relation.values & ~np.eye(8, dtype=bool)
    found = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(held)}
    assert found == {("BDS", "CART"), ("GBM", "CART")}
    assert set(c.order().edges) == found
    assert len(c.incomparable) == 26
    # RF and GBM are incomparable whatever δ, and neither is below any other.
    for first, second in (("RF", "GBM"), ("GBM", "RF")):
        assert np.isinf(c.thresholds.sel(algorithm=first, opponent=second))
    assert (
        not c.relation_at(0.06).sel(opponent=["RF", "GBM"]).drop_sel(algorithm=["RF", "GBM"]).any()
    )


def test_delta_max_of_the_bundled_table(whole: GsdComparison) -> None:
    largest = whole.delta_max.values
    assert np.isnan(np.diag(largest)).all()
    assert (np.tril(largest, -1) == np.triu(largest, 1).T).all()
    assert np.nanmax(largest) == pytest.approx(0.0066, abs=5e-5)
    assert np.nanmin(largest) == pytest.approx(0.0024, abs=5e-5)


#: Published and obtained share strictly below, δ = 1e-5, N = 1000 (obtained with rng=1, and with
#: 20,000 resamples): those of 1.000 come out as such. The paper had unrounded data.
TABLE_3 = [
    ("BDS", "CART", 1.000),
    ("EN", "CART", 0.998),
    ("GBM", "BDS", 0.998),
    ("GBM", "CART", 1.000),
    ("GBM", "EN", 0.998),  # obtained 0.990 to 0.995
    ("GBM", "RIDGE", 0.997),
    ("LASSO", "CART", 0.997),
    ("BDS", "EN", 0.976),  # obtained 0.97
    ("BDS", "RIDGE", 0.951),  # obtained 0.944 to 0.95
    ("RF", "EN", 0.953),  # obtained 0.934 to 0.94
]

#: All cells that the paper prints: the others were below 0.95.
PRINTED = {(winner, loser) for winner, loser, _ in TABLE_3} | {
    ("BDS", "LASSO"),
    ("GBM", "LASSO"),
    ("GLM", "CART"),
    ("RF", "CART"),
    ("RIDGE", "CART"),
}


@pytest.mark.parametrize(("winner", "loser", "published"), few_quick(TABLE_3, 5, several=True))
def test_table_3(uci: bc.Results, winner: str, loser: str, published: float) -> None:
    c = ask(uci, GSD(permutations=1000), algorithms=[winner, loser], rng=1)
    assert c.best == f"{winner}>{loser}"
    obtained = c.share_below
    # Two Monte Carlo errors of N = 1000, and 0.005 for data rounded to three digits.
    p = min(published, 0.999)
    room = 4 * math.sqrt(2 * p * (1 - p) / 1000) + 0.005
    assert obtained == pytest.approx(published, abs=room), f"{published} / {obtained}"


@pytest.mark.slow
def test_table_3_has_its_empty_cells(uci: bc.Results) -> None:
    found = set()
    for c in bc.pairwise(uci, method=GSD(permutations=1000), rng=1, n_jobs=1):
        for k, label in enumerate(c.answer.labels):
            if c.answer.per_statement["share_below"][k] >= 0.95:
                found.add(tuple(label.split(">")))
    # SPEC 6: all but RF > EN (0.94), and one extra; two printed ones are within 0.01 of the line.
    near = {("RF", "EN"), ("BDS", "RIDGE"), ("BDS", "LASSO")}
    assert PRINTED - found <= near
    assert len(found - PRINTED) <= 2


def test_nothing_is_significant_after_correction_at_delta_0(uci: bc.Results) -> None:
    # The paper: "under any correction procedure no significant ordering structure".
    some = ["GBM", "BDS", "CART"]
    p = bc.pairwise(uci, method=GSD(delta=0, permutations=999), algorithms=some, rng=1, n_jobs=1)
    assert not p.decide()["asserted"].any()
