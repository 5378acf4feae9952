"""Calibration of `replicated` on simulated tables: the simulation, and what it must show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from reproduction.replicated import NoisyTables, claim_rates, replicated_study

KEPT = Path(__file__).parents[2] / "docs" / "data" / "calibration-replicated.csv"


def results_of(x: np.ndarray) -> bc.Results:
    """A table whose first algorithm has the differences and whose second has zeros."""
    n, k, m = x.shape
    names = [f"m{j}" for j in range(m)]
    index = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(n)], range(k)], names=["dataset", "seed"]
    )
    first = pd.DataFrame(x.reshape(-1, m), index, names).assign(algorithm="A")
    second = first.assign(algorithm="B", **dict.fromkeys(names, 0.0))
    return bc.Results.from_frame(
        pd.concat([first, second]).reset_index(),
        replicate="seed",
        replicates="seeds",
        measures=dict.fromkeys(names, "max"),
    )


@pytest.mark.parametrize(
    "kind", [NoisyTables(noise=3.0, decades=2.0), NoisyTables(tails="heavy", alpha=3.0)]
)
def test_the_study_says_what_compare_says(kind: NoisyTables) -> None:
    """Its short cuts through the kernels against the public door, table by table."""
    study = replicated_study([kind], tables=2, rng=5)
    (stream,) = np.random.default_rng(5).spawn(1)
    expected = []
    for _ in range(2):
        x, theta = kind.simulate(stream)
        results = results_of(x)
        for table, method in (
            (results, bc.methods.Replicated()),
            (results, bc.methods.Replicated(effects="flat")),
            (results.average(), bc.methods.Dirichlet()),
        ):
            p = bc.compare(table, method=method, algorithms=["A", "B"]).probability
            order = ["A>B|A>B", "A>B|B>A", "B>A|A>B", "B>A|B>A"]
            p = p.sel(statement=order).values
            expected.append((p.max(), float(p.argmax() == theta.argmax())))
    np.testing.assert_allclose(study[["stated", "right"]].to_numpy(float), expected, atol=1e-9)
    assert study["test"].tolist() == ["learned", "flat", "certain"] * 2
    assert (study["alpha"] == (kind.alpha or 0.25)).all()


def test_signs_of_effects_are_those_of_statements() -> None:
    """Almost without noise a dataset's means show its statement, as often as θ says."""
    kind = NoisyTables(noise=1e-6, datasets=4000)
    x, theta = kind.simulate(np.random.default_rng(0))
    first, second = (x.mean(axis=1) < 0.0).T
    seen = np.bincount(2 * first + second, minlength=4) / len(x)
    np.testing.assert_allclose(seen, theta, atol=0.03)


def test_rates_are_those_of_the_sure_tables() -> None:
    study = replicated_study([NoisyTables(datasets=4)], tables=4, rng=2)
    study["stated"] = [0.95, 0.5, 0.91] * 4
    study["right"] = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0] * 2
    rates = claim_rates(study).set_index("test")
    assert rates["claims"].tolist() == [1.0, 0.0, 1.0]
    assert rates.loc["learned", "claims_right"] == 0.5
    assert rates.loc["certain", "claims_right"] == 1.0
    assert rates.loc["certain", "mcse"] > 0.0
    assert np.isnan(rates.loc["flat", "claims_right"])


def sure_of(kept: pd.DataFrame, test: str) -> pd.DataFrame:
    sure = kept[(kept["test"] == test) & (kept["bin"] >= 6)]
    keys = ["alpha", "noise", "tails", "decades"]
    sums = sure.groupby(keys)[["tables", "right"]].sum()
    return sums.assign(share=sums["right"] / sums["tables"]).reset_index()


def test_the_figures_of_the_page_say_what_it_says() -> None:
    """0.9 is right nine times in ten under the prior, at every noise."""
    kept = pd.read_csv(KEPT)
    sizes = ["datasets", "replicates"]
    counted = kept.groupby(["alpha", "noise", "tails", "decades", *sizes, "test"])["tables"].sum()
    assert (counted == 2000).all()
    assert len(counted) == 75
    small = (kept["datasets"] == 12) & (kept["replicates"] == 5)
    for _, own in kept[~small].groupby(sizes):
        assert sure_of(own, "learned")["share"].item() >= 0.9
    kept = kept[small]
    learned, flat, certain = (sure_of(kept, test) for test in ("learned", "flat", "certain"))
    own = learned["alpha"] == 0.25
    assert (learned.loc[own & (learned["noise"] < 5.0), "share"] >= 0.94).all()
    heavy = own & (learned["noise"] == 5.0)
    # Heavy noise leaves few claims: nine in ten over its four kinds, each within its error.
    few = learned[heavy]
    assert few["right"].sum() >= 0.9 * few["tables"].sum()
    assert (few["share"] >= 0.9 - 2.0 * np.sqrt(0.09 / few["tables"])).all()
    for other in (flat, certain):
        assert (learned.loc[heavy, "share"] > other.loc[heavy, "share"]).all()
    assert (learned.loc[~own, "share"] < 0.9).all()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.5, 2.0])
@pytest.mark.parametrize("tails", ["normal", "heavy"])
def test_nine_in_ten(noise: float, tails: Any) -> None:
    kind = NoisyTables(noise=noise, tails=tails, decades=2.0)
    rates = claim_rates(replicated_study([kind], tables=2000, rng=9)).set_index("test")
    found = rates.loc["learned"]
    assert found["claims_right"] >= 0.9
    # What is stated over all tables is right as often as it says.
    error = np.sqrt(found["right"] * (1.0 - found["right"]) / found["tables"])
    assert abs(found["stated"] - found["right"]) < 4.0 * error
