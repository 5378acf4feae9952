"""Effect sizes beside every P: in comparisons, all pairs, the terminal, reports and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bayescompare as bc
from tests.tables import table

COLUMNS = [
    *("n", "mean", "mean_lower", "mean_upper", "median", "median_lower", "median_upper"),
    *("won", "lost", "rope"),
]


@pytest.fixture(scope="module")
def pairs() -> bc.Pairwise:
    return bc.pairwise(bc.load_example("jansen-uci"), algorithms=["GBM", "CART", "RF"], rng=1)


def test_a_comparison_has_a_row_for_each_measure() -> None:
    c = bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "CART"])
    assert c.effects.index.tolist() == ["auc", "accuracy", "brier"]
    assert list(c.effects) == COLUMNS
    values = c.results.oriented()
    difference = values[:, 0] - values[:, 1]
    np.testing.assert_allclose(c.effects["mean"], difference.mean(axis=0))
    np.testing.assert_allclose(c.effects["median"], np.median(difference, axis=0))
    np.testing.assert_allclose(c.effects["won"], (difference > 0).mean(axis=0))
    assert (c.effects["rope"] == "").all()


@pytest.mark.parametrize(
    ("shift", "words"), [(0.1, "exceeds"), (-0.1, "exceeds"), (0.0, "within"), (0.02, "unclear")]
)
def test_the_mean_against_the_rope(shift: float, words: str) -> None:
    noise = np.array([-0.01, 0.01, -0.005, 0.005, 0.0, 0.002])
    values = np.stack([1.0 + shift + noise, np.ones(6)], axis=1)[:, :, None]
    c = bc.compare(table(values, rope=0.02))
    assert c.effects["rope"].item() == words


def test_an_ordinal_measure_has_wins_and_no_differences() -> None:
    values = np.random.default_rng(0).integers(0, 5, (8, 2, 1)).astype(float)
    measures = {"grade": bc.Measure("max", scale="ordinal")}
    effects = bc.compare(table(values, measures=measures)).effects
    assert effects[COLUMNS[1:7]].isna().all(axis=None)
    assert effects[["won", "lost"]].notna().all(axis=None)


def test_more_than_two_algorithms_have_none() -> None:
    c = bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "CART", "RF"])
    assert "effects" not in dir(c)
    with pytest.raises(bc.BayescompareError, match=r"pairwise\(\)"):
        _ = c.effects


def test_all_pairs_have_those_of_each(pairs: bc.Pairwise) -> None:
    effects = pairs.effects
    assert list(effects) == ["first", "second", "measure", *COLUMNS]
    assert len(effects) == 9
    for c in pairs:
        first, second = c.results.algorithms
        own = effects[(effects["first"] == first) & (effects["second"] == second)]
        np.testing.assert_allclose(
            own[COLUMNS[:-1]].to_numpy(dtype=float), c.effects[COLUMNS[:-1]].to_numpy(dtype=float)
        )


def test_a_missing_cell_is_left_out() -> None:
    from bayescompare.outcome.pair_figures import table_effects

    values = np.random.default_rng(0).random((8, 2, 2))
    values[2, 0, 1] = np.nan
    values[:, 1, 0] = np.nan
    effects = table_effects(table(values))
    kept = np.delete(values[:, 0, 1] - values[:, 1, 1], 2)
    assert effects["mean"]["m1"] == pytest.approx(kept.mean())
    assert effects["won"]["m1"] == pytest.approx((kept > 0).mean())
    assert effects.loc["m0"].drop(["n", "rope"]).isna().all()
    assert effects["n"].tolist() == [0, 7]


@pytest.mark.parametrize("method", ["dirichlet", "sign"])
def test_a_failed_run_has_no_size(method: str, tmp_path: Path) -> None:
    """It counts in the verdict; in the sizes an invented number would stand."""
    rng = np.random.default_rng(1)
    values = 0.5 + 0.1 * rng.random((12, 3, 2))
    values[[1, 4], 1, 0] = np.nan
    results = table(values[:, :, :1] if method == "sign" else values)
    c = bc.compare(results, method=method, algorithms=["A", "B"], missing="worst")
    kept = np.delete(values[:, 0, 0] - values[:, 1, 0], [1, 4])
    (row, *others) = c.effects.to_dict("records")
    assert row["n"] == 10
    assert row["mean"] == pytest.approx(kept.mean())
    assert row["median"] == pytest.approx(np.median(kept))
    assert row["won"] == pytest.approx((kept > 0).mean())
    assert all(other["n"] == 12 for other in others)
    assert -0.1 < row["mean_lower"] < row["mean_upper"] < 0.1
    assert json.loads(c.to_json())["effects"][0]["n"] == 10
    page = c.report(tmp_path / "c.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("| m0 | 10 |"))
    assert "1." not in line  # an accuracy does not differ by more than one
    p = bc.pairwise(results, method=method, missing="worst", n_jobs=1)
    assert p.effects.query("measure == 'm0'")["n"].tolist() == [10, 12, 10]
    assert p.effects["mean"].abs().max() < 0.1


def test_json_and_reports_have_them(pairs: bc.Pairwise, tmp_path: Path) -> None:
    c = pairs["GBM", "CART"]
    document = json.loads(c.to_json())
    assert document["effects"][0]["measure"] == "auc"
    assert document["effects"][0]["mean"] == pytest.approx(c.effects["mean"].iloc[0])
    for thing in (c, pairs):
        path = thing.report(tmp_path / f"{type(thing).__name__}.md")
        text = path.read_text(encoding="utf-8")
        assert "How large the differences are" in text
        assert "mean (95 %)" in text
    path = tmp_path / "c.json"
    c.to_json(path)
    assert bc.load_comparison(path).effects.equals(c.effects)
