"""Comparisons by dominance are written and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.comparisons import GsdComparison
from bayescompare.methods import GSD, GSDBootstrap
from tests.methods.gsd.cases import ask, made


@pytest.fixture(scope="module")
def kinds_of_answer(uci: bc.Results) -> dict[str, GsdComparison]:
    pair = ["RF", "BDS"]
    return {
        "pair": ask(uci, GSD(permutations=50), algorithms=pair, rng=1),
        "enumerated": ask(
            made("mixed", 1), GSD(rule="jansen2022", epsilon=0.5, alternative="second")
        ),
        "many": ask(uci, GSD(delta=0), algorithms=["RF", "BDS", "EN"]),
        "bootstrap": ask(uci, GSDBootstrap(delta=0, resamples=50), algorithms=pair, rng=1),
    }


@pytest.mark.parametrize("kind", ["pair", "enumerated", "many", "bootstrap"])
@pytest.mark.parametrize("ending", ["json", "nc"])
def test_round_trips(
    kinds_of_answer: dict[str, GsdComparison], tmp_path: Path, kind: str, ending: str
) -> None:
    c = kinds_of_answer[kind]
    path = tmp_path / f"c.{ending}"
    if ending == "json":
        c.to_json(path)
    else:
        c.to_netcdf(path)
    again = bc.load_comparison(path)
    assert isinstance(again, GsdComparison)
    assert again.method == c.method
    pd.testing.assert_frame_equal(again.summary(), c.summary())
    assert again.explain() == c.explain()
    assert repr(again) == repr(c)
    assert (again.relation == c.relation).all()
    assert again.front == c.front
    assert again.incomparable == c.incomparable
    assert set(again.order().edges) == set(c.order().edges)
    np.testing.assert_allclose(np.asarray(again.delta_max), np.asarray(c.delta_max))
    np.testing.assert_allclose(again.thresholds.values, c.thresholds.values)
    if kind in ("pair", "enumerated"):
        assert again.pvalue == c.pvalue
        assert again.share_below == c.share_below
        pd.testing.assert_frame_equal(again.robustness(rng=1), c.robustness(rng=1))
    if kind == "bootstrap":
        np.testing.assert_array_equal(again.probability, c.probability)
        np.testing.assert_array_equal(again.mcse, c.mcse)
    if kind != "many":
        pd.testing.assert_frame_equal(again.witness, c.witness)
