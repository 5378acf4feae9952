"""Realised error rates of `pairwise`'s verdicts: the simulation, and what it must show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from reproduction.intervals import RankingDesign, gate_study, ranking_study
from reproduction.replicated import NoisyTables, replicated_study
from reproduction.verdicts import (
    RULES,
    Scenario,
    decision_study,
    maximum_before,
    noise_study,
    pair_counts,
    scenarios_of_the_page,
    simulate_table,
)
from tests.tables import table

#: What the docs pages read.
DATA = Path(__file__).parents[2] / "docs" / "data"
SAVED = Path(__file__).parents[1] / "data" / "saved"


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(effect=1.0, algorithms=4, datasets=12),
        Scenario(effect=0.8, measures=2, correlation=0.8, algorithms=4, datasets=12),
        Scenario(effect=0.7, measures=2, dummies=2, algorithms=3, datasets=15),
    ],
)
def test_the_study_counts_what_pairwise_decides(scenario: Scenario) -> None:
    """Its short cuts through the kernels against the public door, table by table."""
    found = decision_study([scenario], tables=2, rng=1).set_index("rule")
    (stream,) = np.random.default_rng(1).spawn(1)
    claims = {"papers": 0, "learned": 0}
    for _ in range(2):
        values, true = simulate_table(scenario, stream)
        assert true.shape == (scenario.algorithms, scenario.measures)
        results = table(values)
        own = bc.pairwise(results, method=bc.methods.Dirichlet(prior="symmetric"), n_jobs=1)
        for name, p in (("papers", own), ("learned", bc.pairwise(results, n_jobs=1))):
            decided = p.decide()
            real = "ABCDEFGH"[: scenario.algorithms]
            inside = decided["first"].isin(list(real)) & decided["second"].isin(list(real))
            claims[name] += int((decided["asserted"] & inside).sum())
    assert claims["papers"] > 0
    for name, number in claims.items():
        assert found.loc[name, "claims"] == pytest.approx(number / 2)


def test_the_rule_of_0_1_0_is_that_of_its_files() -> None:
    """Three pairs that version 0.1.0 saved, with the P that its learned prior gave them."""
    kept = json.loads((SAVED / "pairwise.json").read_text(encoding="utf-8"))
    # In the order of its three algorithms, as the study counts pairs.
    asked = [one["results"]["algorithms"] for one in kept["comparisons"]]
    results = bc.load_example("jansen-uci")
    sign = np.array([1.0, 1.0, -1.0])
    values = np.stack([results.data[name].to_numpy() for name in results.measures], axis=-1) * sign
    values = values[:, [results.algorithms.index(name) for name in ("GBM", "CART", "RF")]]
    counts, pairs = pair_counts(values, 0.0)
    assert [["GBM", "CART", "RF"][k] for pair in pairs for k in pair] == [
        name for pair in asked for name in pair
    ]
    before = {(row["first"], row["second"]): row["probability"] for row in kept["decided"]}
    found = maximum_before(counts, [0, 1, 2])
    largest = [found[k].max() for k in range(3)]
    np.testing.assert_allclose(largest, [before[tuple(pair)] for pair in asked], atol=1e-9)


def test_a_false_verdict_is_one_that_is_not_the_truth() -> None:
    """One measure: the truth is the sign of the difference of true means."""
    scenario = Scenario(effect=0.3, algorithms=5, datasets=20)
    found = decision_study([scenario], tables=10, rng=0).set_index("rule")
    (stream,) = np.random.default_rng(0).spawn(1)
    false = 0
    for _ in range(10):
        values, true = simulate_table(scenario, stream)
        p = bc.pairwise(
            table(values), method=bc.methods.Dirichlet(prior="symmetric"), n_jobs=1
        ).decide()
        for row in p[p["asserted"]].to_dict("records"):
            winner, loser = row["statement"].split(">")
            false += true["ABCDE".index(winner), 0] < true["ABCDE".index(loser), 0]
    assert false > 0
    assert found.loc["papers", "false"] == pytest.approx(false / 10)


SMALL = {
    "decisions": lambda **given: decision_study([Scenario(effect=0.5)], tables=51, **given),
    "noise": lambda **given: noise_study({"cut": bc.methods.PoissonBinomial()}, tables=4, **given),
    "ranking": lambda **given: ranking_study(
        [RankingDesign(effect=1.0, datasets=6)], tables=51, draws=50, **given
    ),
    "gates": lambda **given: gate_study([6, 9], laws=["normal"], tables=5, **given),
    "replicated": lambda **given: replicated_study(
        [NoisyTables(datasets=4), NoisyTables(datasets=5, measures=1)], tables=3, **given
    ),
}


@pytest.mark.parametrize("study", SMALL.values(), ids=SMALL)
def test_one_seed_gives_one_study_for_any_number_of_jobs(study: Any) -> None:
    one = study(rng=1)
    with joblib.parallel_config(backend="threading"):
        pd.testing.assert_frame_equal(one, study(rng=1, n_jobs=3))
    assert one.attrs["seed"] == 1
    assert not one.equals(study(rng=2))


@pytest.mark.parametrize(
    "choice",
    [
        {"measures": 4},
        {"measures": 3, "effect": 1.0},
        {"effect": -1.0},
        {"effect": np.nan},
        {"correlation": 1.0},
        {"rope": 0.1, "measures": 2},
    ],
)
def test_scenarios_that_cannot_be(choice: dict[str, float]) -> None:
    with pytest.raises(BayescompareError, match=next(iter(choice))):
        Scenario(**choice)


def test_separations_are_those_of_the_public_doors() -> None:
    scenario = Scenario(pattern="groups", effect=2.0, algorithms=4, datasets=10)
    found = decision_study([scenario], tables=3, rng=2).set_index("rule")
    (stream,) = np.random.default_rng(2).spawn(1)
    family = tiers = 0
    for _ in range(3):
        values, _ = simulate_table(scenario, stream)
        family += bc.pairwise(table(values), n_jobs=1).decide(family=0.05)["asserted"].sum()
        places = bc.rank(table(values), draws=200).tiers
        tiers += int((places["at_best"] - 1).sum())
    assert found.loc["family", "claims"] == pytest.approx(family / 3)
    assert found.loc["tiers", "claims"] == pytest.approx(tiers / 3)
    assert family > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(),
        Scenario(dummies=3, datasets=10),
        Scenario(pattern="winner", effect=4.0),
        Scenario(pattern="groups", effect=2.0),
        Scenario(ties=1.0),
        Scenario(rope=0.3),
        Scenario(measures=2, correlation=0.8),
    ],
    ids=str,
)
def test_a_false_verdict_is_rare_whoever_else_is_in_the_table(scenario: Scenario) -> None:
    found = decision_study([scenario], tables=200, rng=3).set_index("rule")["any"]
    assert (found.drop(["papers", "0.1.0"]) <= 0.05 + 3 * 0.0154).all()
    # The papers' prior promises it of one pair only, and the learned prior is no silence.
    assert found["papers"] > found["learned"]
    large = decision_study([Scenario(effect=1.0)], tables=50, rng=3).set_index("rule")
    assert large.loc["learned", "claims"] > 3.5


def test_the_pages_files_are_those_of_the_studies() -> None:
    kept = pd.read_csv(DATA / "verdicts.csv")
    few = decision_study([Scenario(rope=0.3)], tables=2, rng=1)
    assert list(kept) == list(few)
    scenarios = [*scenarios_of_the_page(cheap=True), *scenarios_of_the_page(cheap=False)]
    assert len(kept) == len(RULES) * len(scenarios)
    assert (kept["tables"] >= 500).all()
