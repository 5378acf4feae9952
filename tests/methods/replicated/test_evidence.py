"""Tables with missing cells: what each dataset with a gap still says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import Dirichlet, Replicated

#: Cells (dataset, algorithm, measure) without any value.
GAPS = [("d1", "A", "p"), ("d3", "B", "q"), ("d5", "B", "p"), ("d5", "B", "q")]


def table(
    noise: float,
    gaps: list[tuple[str, str, str]] = GAPS,
    *,
    algorithms: str = "AB",
    rope: float | None = None,
) -> bc.Results:
    rng = np.random.default_rng(3)
    effect = rng.normal(size=(9, len(algorithms), 2))
    rows = [
        (f"d{d}", name, seed, *(effect[d, a] + noise * rng.normal(size=2)))
        for d in range(9)
        for a, name in enumerate(algorithms)
        for seed in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", "p", "q"])
    for dataset, name, measure in gaps:
        own = (frame["dataset"] == dataset) & (frame["algorithm"] == name)
        frame.loc[own, measure] = np.nan
    return bc.Results.from_frame(
        frame,
        replicate="seed",
        replicates="seeds",
        measures={"p": bc.Measure("max", rope=rope), "q": "max"},
    )


@pytest.mark.parametrize("rope", [None, 0.3])
@pytest.mark.parametrize("missing", ["ignore", "worst"])
def test_certain_datasets_are_the_dirichlet_test(missing: Any, rope: float | None) -> None:
    results = table(0.0, rope=rope)
    c = bc.compare(results, method=Replicated(effects="flat"), missing=missing)
    d = bc.compare(results.average(), method=Dirichlet(), missing=missing)
    assert c.exact
    np.testing.assert_allclose(c.probability, d.probability, atol=1e-10)
    assert c.log_evidence == pytest.approx(d.log_evidence, abs=1e-9)


@pytest.mark.parametrize("effects", ["flat", "learned"])
def test_an_unseen_measure_says_nothing(effects: Any) -> None:
    c: Any = bc.compare(table(0.8), method=Replicated(effects=effects), missing="ignore")
    rows = c.evidence.sel(dataset="d1").values.reshape(2, 2)
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-12)
    assert abs(rows[0, 0] - rows[0, 1]) > 0.01
    # Nothing at all was seen on d5.
    assert "d5" not in c.results.datasets
    assert "nothing could be compared on d5" in " ".join(c.results.notes)
    alone: Any = bc.compare(
        table(0.8), method=Replicated(effects="flat"), measures=["q"], missing="ignore"
    )
    if effects == "flat":
        np.testing.assert_allclose(
            rows.sum(axis=0), alone.evidence.sel(dataset="d1").values, atol=1e-12
        )


@pytest.mark.parametrize("effects", ["flat", "learned"])
def test_a_failed_run_loses(effects: Any) -> None:
    c: Any = bc.compare(table(0.8, rope=0.2), method=Replicated(effects=effects), missing="worst")
    assert len(c.results.datasets) == 9
    rows = c.evidence
    # p of A failed on d1: B is better there, rope or not; what q shows stays.
    assert float(rows.sel(dataset="d1")[4:].sum()) == pytest.approx(1.0)
    assert float(rows.sel(dataset="d1")[4:].max()) < 0.999
    assert float(rows.sel(dataset="d5", statement="A>B|A>B")) == pytest.approx(1.0)


def test_failed_seeds_beside_a_gap_are_left_out() -> None:
    results = table(0.8)
    q = results.data["q"].copy()
    q[{"dataset": 1, "algorithm": 0, "replicate": 2}] = np.nan
    fewer = results._with(data=results.data.assign(q=q))
    c: Any = bc.compare(fewer, method="replicated", missing="ignore")
    assert c.per_dataset.loc["d1", "replicates"] == 3
    assert c.per_dataset.loc["d0", "replicates"] == 4


def test_draws_models_and_files_of_a_table_with_gaps(tmp_path: Path) -> None:
    c: Any = bc.compare(table(0.8), method="replicated", missing="ignore")
    theta = c.draws(2000, rng=0)["posterior"]["theta"]
    means = c.summary()["theta_mean"].reindex(theta["statement"].values)
    np.testing.assert_allclose(theta.mean(("chain", "draw")), means, atol=0.02)
    assert len(c.model().coords["dataset"]) == 8
    c.to_netcdf(tmp_path / "c.nc")
    again: Any = bc.load_comparison(tmp_path / "c.nc")
    np.testing.assert_array_equal(again.probability, c.probability)
    assert np.isfinite(c.loo().elpd)


def test_what_gaps_refuse() -> None:
    with pytest.raises(BayescompareError, match="missing='bounds': method 'replicated' cannot"):
        bc.compare(table(0.8), method="replicated", missing="bounds")
    c = bc.compare(table(0.8), method="replicated", missing="ignore")
    with pytest.raises(BayescompareError, match="some cells have no replicates to add to"):
        c.plan(replicates=[2])
    nothing = [(f"d{d}", "A", measure) for d in range(9) for measure in "pq"]
    with pytest.raises(BayescompareError, match="nothing was observed"):
        bc.compare(table(0.8, nothing), method="replicated", missing="ignore")


def test_statistics_are_of_items_that_are_whole() -> None:
    rows = [
        (f"d{d}", name, item, np.nan if (d, name) == (1, "A") else 0.1 * item + d, float(item % 3))
        for d in range(3)
        for name in "AB"
        for item in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "p", "q"])
    results = bc.Results.from_frame(
        frame, replicate="item", replicates="items", keep_items=False,
        measures={"p": "max", "q": "max"},
    )  # fmt: skip
    # An item counts where it is whole, so nothing is left of d1.
    c = bc.compare(results, method="replicated", missing="ignore")
    assert c.results.datasets == ("d0", "d2")
    assert "d1" in " ".join(c.results.notes)
    with pytest.raises(BayescompareError, match="missing"):
        bc.compare(results, method="replicated", missing="worst")
