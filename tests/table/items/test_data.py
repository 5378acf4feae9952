"""Results that keep statistics: files, selections, words, and methods that need every item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.table import item_reader as item_table
from tests.table.items.made import MEASURES


@pytest.fixture(scope="module", params=["items", "clusters", "statistics", "cluster statistics"])
def results(request: pytest.FixtureRequest, frame: pd.DataFrame) -> bc.Results:
    return bc.Results.from_frame(
        frame,
        replicate="item",
        replicates="items",
        cluster="passage" if "cluster" in request.param else None,
        keep_items="statistics" not in request.param,
        measures=MEASURES,  # type: ignore[arg-type]
    )


def test_results_are_read_back(results: bc.Results) -> None:
    assert bc.Results.from_dataset(results.to_dataset()) == results


@pytest.mark.parametrize("suffix", ["json", "nc"])
def test_a_saved_comparison_is_whole(results: bc.Results, suffix: str, tmp_path: Path) -> None:
    c: Any = bc.compare(results, method="replicated", measures=["correct", "cost"])
    path = tmp_path / f"c.{suffix}"
    c.to_json(path) if suffix == "json" else c.to_netcdf(path)
    again: Any = bc.load_comparison(path)
    assert again.explain() == c.explain()
    np.testing.assert_allclose(again.loo().elpd, c.loo().elpd)  # from what was kept of the items
    assert again.results.replicates == "items"
    assert (again.results.item_data is None) == (c.results.item_data is None)


def test_datasets_are_selected(results: bc.Results) -> None:
    part = results.sel(datasets=["d3", "d1"])
    c = bc.compare(results, method=bc.methods.Replicated(effects="flat"))
    alone = bc.compare(part, method=bc.methods.Replicated(effects="flat"))
    np.testing.assert_allclose(c.evidence.sel(dataset=["d3", "d1"]), alone.evidence, atol=1e-12)


def test_a_method_that_needs_every_item_says_so(frame: pd.DataFrame) -> None:
    given: dict[str, Any] = {"replicate": "item", "replicates": "items", "measures": MEASURES}
    statistics = bc.Results.from_frame(frame, keep_items=False, **given)
    with pytest.raises(BayescompareError) as caught:
        bc.compare(statistics, method="correlated-t", measures=["cost"])
    assert str(caught.value) == (
        "method 'correlated-t' needs every item, and these results keep their statistics only: use "
        "method='replicated', or read the table with keep_items=True."
    )
    clustered = bc.Results.from_frame(frame, cluster="passage", **given)
    with pytest.raises(BayescompareError, match="takes items as independent, and these come in"):
        bc.compare(clustered, method="correlated-t", measures=["cost"])
    means = bc.compare(statistics, method="dirichlet")
    kept = bc.compare(bc.Results.from_frame(frame, **given), method="dirichlet")
    assert means.probability.equals(kept.probability)


def test_many_rows_are_kept_as_statistics(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_table, "MOST_ROWS", len(frame) - 1)
    given: dict[str, Any] = {"replicate": "item", "measures": MEASURES}
    assert bc.Results.from_frame(frame, replicates="items", **given).has_statistics
    assert not bc.Results.from_frame(
        frame, replicates="items", keep_items=True, **given
    ).has_statistics
    assert not bc.Results.from_frame(frame, replicates="seeds", **given).has_statistics
    with pytest.raises(BayescompareError, match="keep_items='no'"):
        bc.Results.from_frame(frame, replicates="items", keep_items="no", **given)  # type: ignore[arg-type]


def test_what_it_prints(frame: pd.DataFrame) -> None:
    results = bc.Results.from_frame(
        frame, replicate="item", replicates="items", keep_items=False,
        measures=MEASURES,  # type: ignore[arg-type]
    )  # fmt: skip
    assert "40 to 70 items per dataset, of which statistics are kept" in repr(results)
    assert results.notes == (
        "each cell is the mean of 40 to 70 items; 440 rows read, statistics kept",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: "x", "item_data is a str"),
        (lambda d: d.drop_vars("covariance"), "no variable 'covariance'"),
        (lambda d: d.isel(dataset=[0]), "the same names along 'dataset'"),
    ],
)
def test_item_data_are_checked(frame: pd.DataFrame, change: Any, message: str) -> None:
    results = bc.Results.from_frame(
        frame, replicate="item", replicates="items", keep_items=False,
        measures=MEASURES,  # type: ignore[arg-type]
    )  # fmt: skip
    with pytest.raises(BayescompareError, match=message):
        bc.Results(results.data, results.spec, item_data=change(results.item_data))


def test_an_item_of_another_dataset_is_not_missing(frame: pd.DataFrame) -> None:
    """Datasets have 40 to 70 items; what counts as missing is what an algorithm lacks."""
    options: dict[str, Any] = {"replicate": "item", "replicates": "items", "measures": MEASURES}
    whole = bc.Results.from_frame(frame, **options)
    assert "0 of 24 cells\n" in repr(whole)
    assert whole.missing().empty
    assert (whole.coverage() == 1.0).to_numpy().all()
    gone = (frame["dataset"] == "d0") & (frame["algorithm"] == "A") & (frame["item"] < "q2")
    holes = bc.Results.from_frame(frame[~gone], **options)
    lost = int(gone.sum())
    assert f"and {3 * lost} items of the others" in repr(holes)
    assert len(holes.missing()) == 3 * lost
    assert holes.coverage().loc["d0", "A"] == pytest.approx(1.0 - lost / 40)
    assert holes.average().notes[0] == "each cell is the mean of 28 to 70 items"


def test_what_is_known_of_items_is_read_only(results: bc.Results) -> None:
    for part in (results, results.sel(datasets=["d1"]), results.sel(measures=["cost"])):
        for name in part.item_data or ():
            assert not part.item_data[name].values.flags.writeable  # type: ignore[index]
