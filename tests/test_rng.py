"""``rng=None``: one question has one answer; draws and studies differ, and tell their seed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bayescompare as bc
from bayescompare import studies
from tests.cli.commands import run
from tests.tables import table

PAIR: dict[str, Any] = {"algorithms": ["GBM", "RF"], "measures": ["auc"]}


ITEMS = {
    name: np.random.default_rng(k).normal(0.1 * k, 1.0, (2, 30)) for k, name in enumerate("AB")
}
OVER: dict[str, Any] = {"measures": {"m": "max"}, "replicates": "items", "over": "items"}

ANSWERS: dict[str, Callable[[bc.Results], Any]] = {
    "rank": lambda uci: bc.rank(uci, draws=500),
    "compare": lambda uci: bc.compare(uci, method="signed-rank", **PAIR),
    "pairwise": lambda uci: bc.pairwise(
        uci.sel(algorithms=["GBM", "RF", "CART"], measures=["auc"]), method="signed-rank", n_jobs=1
    ),
    "gate": lambda uci: bc.gate(ITEMS, candidate="A", baseline="B", **OVER),
}


def seeds(document: Any) -> list[int]:
    """Every seed in a document."""
    if isinstance(document, list):
        return [seed for part in document for seed in seeds(part)]
    if not isinstance(document, dict):
        return []
    own = [document["seed"]] if isinstance(document.get("seed"), int) else []
    return own + [seed for part in document.values() for seed in seeds(part)]


@pytest.mark.parametrize("ask", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_without_a_seed_has_seed_0(ask: Any, uci: bc.Results) -> None:
    text = ask(uci).to_json()
    assert text == ask(uci).to_json()
    found = seeds(json.loads(text))
    assert found
    assert set(found) == {0}


def test_another_process_gives_the_same_ranking_to_the_bit(uci: bc.Results) -> None:
    code = "import bayescompare as bc; print(bc.rank(bc.load_example('jansen-uci')).to_json())"
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    here = bc.rank(uci)
    assert other.stdout.strip() == here.to_json()
    told = run("rank", "--example", "jansen-uci", "--json").stdout
    assert json.loads(told)["measures"] == json.loads(here.to_json())["measures"]


def test_draws_without_a_seed_differ_and_their_seed_gives_them_again(uci: bc.Results) -> None:
    c = bc.compare(uci, **PAIR)
    r = bc.rank(uci, draws=500)
    for draw, name in (
        (lambda rng: c.draws(20, rng=rng), "theta"),
        (lambda rng: r.draws(20, rng=rng), "score"),
    ):
        one, two = draw(None), draw(None)
        assert one.attrs["seed"] != two.attrs["seed"]
        assert not one["posterior"][name].equals(two["posterior"][name])
        again = draw(one.attrs["seed"])
        assert again["posterior"][name].equals(one["posterior"][name])
    assert r.draws().attrs["seed"] == 0
    assert r.draws(20, rng=np.random.default_rng(1)).attrs["seed"] == "a Generator"
    new, other = c.predict(5), c.predict(5)
    assert new.attrs["seed"] != other.attrs["seed"]
    assert c.predict(5, rng=new.attrs["seed"]).equals(new)
    made = c.simulate()
    (seed,) = (int(part) for part in str(made.source).split("rng=")[1:])
    assert c.simulate(rng=seed) == made
    assert str(c.simulate().source) != str(made.source)


def test_studies_without_a_seed_tell_the_one_they_drew() -> None:
    study = studies.Study(name="mean", grid={"n": [3]}, replications=4, case=_mean)
    first = study.run()
    assert first is not None
    assert first.attrs["seed"] != study.run().attrs["seed"]
    assert study.run(rng=int(first.attrs["seed"])).equals(first)


def _mean(rng: np.random.Generator, *, n: int) -> dict[str, float]:
    return {"mean": float(rng.normal(size=n).mean())}


def test_the_default_seed_can_be_typed() -> None:
    results = table(np.random.default_rng(3).normal(size=(8, 3, 1)))
    assert bc.rank(results).to_json() == bc.rank(results, rng=0).to_json()
    assert bc.rank(results).to_json() != bc.rank(results, rng=1).to_json()
