"""The words, draws and files of a ranking agree with its figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from tests.tables import table


@pytest.fixture(scope="module")
def ranking(uci: bc.Results) -> bc.Ranking:
    return bc.rank(uci, utility={"auc": (0.4, 1), "brier": (0, 0.6)}, rng=0)


# words --------------------------------------------------------------------------------------------


def test_the_headline_names_names(uci: bc.Results) -> None:
    joint = bc.rank(uci, rng=0)
    assert joint.headline() == (
        "GBM has the best place on all three measures; 7 of 8 may be on the front."
    )
    assert "CART" not in joint.headline()
    one = bc.rank(uci, measures=["auc"], rng=0)
    for name in one.top:
        assert name in one.explain()
    assert "cannot be ruled out" in one.headline()


def test_a_sure_winner_is_named_alone() -> None:
    values = np.random.default_rng(0).random((20, 3, 1))
    values[:, 1] += 2
    assert bc.rank(table(values), rng=0).headline() == "B is best on m0 (P > 0.999)."


def test_a_trade_off_is_told_by_its_leaders() -> None:
    values = np.random.default_rng(0).random((20, 3, 2))
    values[:, 2] -= 2
    values[:, 0, 0] += 2
    values[:, 1, 1] += 2
    r = bc.rank(table(values, measures={"accuracy": "max", "speed": "max"}), rng=0)
    assert r.headline() == (
        "No algorithm comes first everywhere: A on accuracy, B on speed; "
        "2 of 3 may be on the front."
    )
    assert "May be on the front: A and B." in r.explain()


def test_ranks_come_with_their_caution_and_values_do_not(uci: bc.Results) -> None:
    assert "who else is in the table" in bc.rank(uci, rng=0).explain()
    assert "who else" not in bc.rank(uci, by="value", rng=0).explain()


def test_regret_and_share_are_told(ranking: bc.Ranking) -> None:
    words = ranking.explain()
    assert "GBM has the least expected regret" in words
    assert "of all weights" in words
    assert repr(ranking).startswith("Ranking by rank: 8 algorithms on auc, accuracy, brier over 16")


# draws --------------------------------------------------------------------------------------------


def test_the_draws_are_those_behind_the_figures(ranking: bc.Ranking) -> None:
    tree = ranking.draws()
    post = tree["posterior"].to_dataset()
    assert dict(post.sizes) == {"chain": 4, "draw": 2500, "measure": 3, "algorithm": 8}
    best = (post["place"].sel(measure="auc") == 1).mean(("chain", "draw")).to_series()
    own = ranking.places.loc["auc"]["p_best"]
    # Ties of clones aside, which share the first place.
    np.testing.assert_allclose(best[own.index], own, atol=1e-3)
    np.testing.assert_allclose(post["weight"].sum("measure"), 1.0)
    loss = post["utility"].max("algorithm") - post["utility"]
    np.testing.assert_allclose(
        loss.mean(("chain", "draw")).to_series()[ranking.overall.index], ranking.overall["regret"]
    )
    table = az.summary(tree, var_names=["score"])
    assert len(table) == 24


def test_new_draws_are_made_on_request(ranking: bc.Ranking) -> None:
    tree = ranking.draws(50, chains=2, rng=1)
    assert tree["posterior"].sizes["draw"] == 50
    again = ranking.draws(50, chains=2, rng=1)
    assert tree["posterior"]["score"].equals(again["posterior"]["score"])
    assert "value" in tree["observed_data"]
    with pytest.raises(BayescompareError, match="rng= is for new draws"):
        ranking.draws(rng=1)
    with pytest.raises(BayescompareError, match="chains=0"):
        ranking.draws(chains=0)


# files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"utility": "unknown"},
        {"by": "value", "utility": {"auc": (1, 2), "brier": -0.5}},
        {"measures": ["auc"], "level": 0.9, "draws": 500},
    ],
)
def test_a_ranking_is_read_back_as_it_was(
    uci: bc.Results, options: dict[str, Any], tmp_path: Path
) -> None:
    r = bc.rank(uci, rng=3, **options)
    text = r.to_json(tmp_path / "r.json")
    again = bc.load_ranking(tmp_path / "r.json")
    assert again.to_json() == text
    assert again.explain() == r.explain()
    pd.testing.assert_frame_equal(again.summary(), r.summary())
    assert again.draws()["posterior"].equals(r.draws()["posterior"])
    assert json.loads(text)["schema"] == "bayescompare/ranking"


def test_a_ranking_of_few_datasets_is_read_back(tmp_path: Path) -> None:
    r = bc.rank(table(np.random.default_rng(0).random((3, 3, 2))), rng=0)
    r.to_json(tmp_path / "r.json")
    pd.testing.assert_frame_equal(bc.load_ranking(tmp_path / "r.json").places, r.places)


def changed(document: dict[str, Any], *path: Any, value: Any) -> dict[str, Any]:
    *outer, last = path
    inner: Any = document
    for key in outer:
        inner = inner[key]
    inner[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema",), "bayescompare/comparison", "not a ranking"),
        (("schema_version",), 99, "upgrade"),
        (("front",), [2.0] * 8, "front is 2: it must lie between 0 and 1"),
        (("front",), [0.5], "front has the shape"),
        (("measures", "auc", "place", 0), 9.0, "place.*between 1 and 8"),
        (("measures", "auc", "p_best", 0), "a", "p_best"),
        (("options", "by"), "luck", "by='luck'"),
        (("options", "utility"), {"x": 1}, "no measure called 'x'"),
        (("resampled", "what"), "planet", "what='planet'"),
        (("results",), {}, "results"),
    ],
)
def test_a_file_that_cannot_be_ours_is_refused(
    ranking: bc.Ranking, tmp_path: Path, path: tuple[Any, ...], value: Any, message: str
) -> None:
    document = changed(json.loads(ranking.to_json()), *path, value=value)
    (tmp_path / "r.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(BayescompareError, match=message) as error:
        bc.load_ranking(tmp_path / "r.json")
    assert "\n" not in str(error.value)


def test_a_ranking_is_no_comparison(ranking: bc.Ranking, tmp_path: Path) -> None:
    ranking.to_json(tmp_path / "r.json")
    with pytest.raises(BayescompareError, match=r"a ranking.*load_ranking"):
        bc.load_comparison(tmp_path / "r.json")
    with pytest.raises(BayescompareError, match="exists"):
        ranking.to_json(tmp_path / "r.json")
