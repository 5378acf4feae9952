"""What a joint verdict may say: a statement that leads, and what it says of each measure.

Parts are held against one-measure questions, conjugate draws and brute-force Monte Carlo; decisions
against the table of states; and words, tables, graphs and files against one another.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayescompare as bc
from bayescompare.outcome.words import comparison_block

#: One joint statement on 40 of 100 tasks, with the second measure at 51 : 49 against it.
BOARD = {("A", "A", "B"): 40, ("A", "B", "B"): 13, ("B", "B", "A"): 18, ("B", "A", "A"): 9,
         ("A", "B", "A"): 8, ("B", "B", "B"): 12}  # fmt: skip


def table_of(counts: dict[tuple[str, ...], int], ropes: dict[str, float] | None = None):
    """Two algorithms whose datasets show these leaders; "=" is a difference of nothing."""
    measures = [f"m{j}" for j in range(len(next(iter(counts))))]
    rows = []
    for leaders, times in counts.items():
        for _ in range(times):
            name = f"d{len(rows) // 2}"
            for who in "AB":
                rows.append((name, who, *(float(leader == who) for leader in leaders)))
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *measures])
    spec = {m: bc.Measure("max", rope=(ropes or {}).get(m)) for m in measures}
    return bc.Results.from_frame(frame, measures=spec)


def several(n: int, algorithms: int, measures: int, seed: int, spread: float = 0.0) -> bc.Results:
    rng = np.random.default_rng(seed)
    level = spread * rng.normal(size=(algorithms, measures))
    values = rng.normal(size=(n, algorithms, measures)) + level
    names = [f"m{j}" for j in range(measures)]
    rows = [(f"d{i}", f"x{a}", *values[i, a]) for i in range(n) for a in range(algorithms)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *names])
    return bc.Results.from_frame(frame, measures=dict.fromkeys(names, "max"))


# ------------------------------------------------------------------------- the figures of the parts


@pytest.mark.parametrize("prior", ["symmetric", "jeffreys", {"A>B|A>B|B>A": 3.0, "*": 0.2}])
def test_a_part_is_the_same_posterior_on_one_measure(prior) -> None:
    c = bc.compare(table_of(BOARD), method=bc.methods.Dirichlet(prior=prior))
    for measure, row in c.decision.parts.iterrows():
        alone = c.on([measure]).probability
        assert row["probability"] == pytest.approx(float(alone.max()), abs=1e-11)
        assert row["ahead"] == str(alone.idxmax().values)[0]


def test_parts_by_brute_force() -> None:
    """Dirichlet draws by numpy, which share nothing with the package; a rope has three states."""
    rng = np.random.default_rng(1)
    counts = {("A", "="): 7, ("A", "A"): 5, ("B", "="): 4, ("=", "B"): 2, ("=", "="): 3}
    c = bc.compare(table_of(counts, {"m0": 0.1, "m1": 0.1}))
    order = {"A": 0, "=": 1, "B": 2}
    alpha = np.full((3, 3), 1 / 9)
    for (one, two), times in counts.items():
        alpha[order[one], order[two]] += times
    theta = rng.dirichlet(alpha.ravel(), size=200_000).reshape(-1, 3, 3)
    for j, measure in enumerate(["m0", "m1"]):
        leads = np.bincount(theta.sum(axis=2 - j).argmax(axis=1), minlength=3) / len(theta)
        row = c.decision.parts.loc[measure]
        assert row["probability"] == pytest.approx(leads.max(), abs=0.006)
        assert row["ahead"] == ("A", "", "B")[int(leads.argmax())]


@pytest.mark.parametrize("name", ["dirichlet", "network", "collider"])
def test_parts_against_draws_of_the_same_posterior(name: str) -> None:
    """A measure below two unjoined ones, a collider, has no Beta: its part is drawn."""
    graph = {"collider": [("m0", "m2"), ("m1", "m2")]}.get(name, "exact")
    method = "dirichlet" if name == "dirichlet" else bc.methods.Network(search=graph)
    c = bc.compare(several(20, 2, 3, seed=4, spread=0.5), method=method, rng=0)
    marginal = c.draws(3000, rng=1)["posterior"]["marginal"]
    ahead = (marginal > 0.5).mean(("chain", "draw")).values
    parts = c.decision.parts
    first = np.where(parts["ahead"] == "x0", parts["probability"], 1 - parts["probability"])
    np.testing.assert_allclose(first, ahead, atol=0.025)


def test_parts_with_gaps_and_replicates() -> None:
    """Every way to the posterior of counts, against the answer on the measure alone."""
    results = several(10, 2, 2, seed=6, spread=0.6)
    data = results.data.copy(deep=True)
    data["m1"].values[0, 0] = np.nan
    frame = data.to_dataframe().reset_index()
    spec = dict.fromkeys(["m0", "m1"], "max")
    c = bc.compare(frame, measures=spec, missing="ignore")
    marginal = c.draws(4000, rng=1)["posterior"]["marginal"]
    for measure, row in c.decision.parts.iterrows():
        share = float((marginal.sel(measure=measure) > 0.5).mean())
        expected = share if row["ahead"] == "x0" else 1 - share
        assert row["probability"] == pytest.approx(expected, abs=0.02)
    bounded = bc.compare(frame, measures=spec, missing="bounds")
    assert bounded.decision.least is not None
    assert bounded.decision.least <= c.decision.least


def test_beyond_256_statements_parts_are_those_of_each_measure() -> None:
    results = several(12, 2, 10, seed=3)
    c = bc.compare(results)
    for measure, row in c.decision.parts.iterrows():
        one = bc.compare(results, measures=[measure])
        assert row["probability"] == pytest.approx(float(one.probability.max()), abs=1e-11)


def test_learned_parts_are_the_learned_posterior_on_one_measure() -> None:
    p = bc.pairwise(several(15, 4, 2, seed=8, spread=0.7), n_jobs=1)
    for (first, second, measure), row in p.parts.iterrows():
        alone = p[first, second].on([measure]).probability
        assert row["probability"] == pytest.approx(float(alone.max()), abs=1e-9)
        own = bc.compare(p.results, algorithms=[first, second], measures=[measure]).probability
        state = f"{row['ahead']}>{second if row['ahead'] == first else first}"
        assert row["alone"] == pytest.approx(float(own.sel(statement=state)), abs=1e-9)


def test_many_pairs_at_once_have_the_parts_of_each() -> None:
    results = several(12, 12, 2, seed=9, spread=0.6)
    at_once = bc.pairwise(results)
    assert at_once.found is not None
    for pair in [("x0", "x5"), ("x3", "x11"), ("x1", "x2")]:
        whole, one = at_once.parts.loc[pair], at_once[pair].decision.parts
        assert whole["ahead"].tolist() == one["ahead"].tolist()
        assert whole["word"].tolist() == one["word"].tolist()
        for column in ("won", "lost", "tied", "probability", "alone"):
            np.testing.assert_allclose(whole[column], one[column], atol=1e-9)


@given(st.integers(0, 10_000), st.integers(5, 25))
@settings(max_examples=12)
def test_swapping_the_algorithms_mirrors_the_parts(seed: int, n: int) -> None:
    results = several(n, 2, 2, seed=seed, spread=0.5)
    one, two = bc.compare(results).decision, bc.compare(results, algorithms=["x1", "x0"]).decision
    assert one.state == two.state
    assert one.parts["ahead"].tolist() == two.parts["ahead"].tolist()
    assert one.parts["won"].tolist() == two.parts["lost"].tolist()
    np.testing.assert_allclose(one.parts["probability"], two.parts["probability"], atol=1e-11)


# ------------------------------------------------------------------------------------- the decision


def test_a_statement_that_leads_is_no_verdict_on_its_measures() -> None:
    """A statement on 40 of 100 tasks leads surely, with one of its measures at 49 : 51."""
    c = bc.compare(table_of(BOARD))
    d = c.decision
    assert d.statement == "A>B|A>B|B>A"
    assert d.probability > 0.95
    assert (d.state, d.settled, d.verdict) == ("leads", False, "likely")
    row = d.parts.loc["m1"]
    assert (row["won"], row["lost"], row["word"]) == (49, 51, "level")
    assert c.headline() == "A trade-off: A is better on m0, B on m2; m1 is open."
    block = comparison_block(c)
    assert [(row.counts, row.mark) for row in block.rows[1:]] == [
        ("49 : 51", "level"),
        ("35 : 65", "settled"),
        ("40 of 100", "leads"),
    ]
    assert "not settled" in c.explain()


@pytest.mark.parametrize(
    ("counts", "ropes", "state"),
    [
        ({("A", "A"): 14, ("B", "B"): 1}, None, "better"),
        ({("A", "B"): 14, ("B", "A"): 1}, None, "trade-off"),
        ({("=", "="): 14, ("A", "B"): 1}, {"m0": 0.1, "m1": 0.1}, "equal"),
        ({("A", "="): 14, ("B", "B"): 1}, {"m1": 0.1}, "better"),
        ({("A", "A"): 5, ("B", "B"): 4}, None, "open"),
        ({("A", "A"): 4, ("B", "B"): 4}, None, "tied"),
    ],
)
def test_states(counts, ropes, state: str) -> None:
    d = bc.compare(table_of(counts, ropes)).decision
    assert d.state == state
    assert d.settled == (state in ("better", "trade-off", "equal"))
    if d.settled:
        assert set(d.parts["word"]) <= {"better", "equal"}
        assert d.least >= 0.95


def test_the_likelihood_ratio_has_a_test_on_each_measure() -> None:
    c = bc.compare(table_of(BOARD), method="glrt")
    assert c.pvalue <= 0.05
    assert c.decision.state == "leads"
    one = bc.compare(table_of(BOARD), method="glrt", measures=["m1"])
    assert c.decision.parts.loc["m1", "pvalue"] == pytest.approx(one.pvalue)
    assert "no verdict on every measure" in c.explain()


def test_imprecise_priors_and_bounds_use_the_lower_ends() -> None:
    results = table_of({("A", "A"): 6, ("B", "B"): 1})
    symmetric = bc.compare(results, method=bc.methods.Dirichlet(prior="symmetric", strength=2.0))
    imprecise = bc.compare(results, method=bc.methods.Dirichlet(prior="imprecise", strength=2.0))
    assert symmetric.decision.probability == pytest.approx(imprecise.decision.probability)
    assert symmetric.decision.settled
    assert not imprecise.decision.settled


def test_decide_asserts_what_holds_with_its_parts() -> None:
    p = bc.pairwise(several(40, 6, 3, seed=11, spread=0.35), n_jobs=1)
    decided = p.decide()
    least = p.parts.groupby(["first", "second"])[["probability", "alone"]].min().min(axis=1)
    for row in decided.to_dict("records"):
        lead = min(row["probability"], row["alone"])
        assert row["asserted"] == (lead >= 0.95 and row["parts"] >= 0.95)
        assert row["asserted"] == (row["decision"] in ("better", "trade-off", "equal"))
        assert row["decision"] != "leads" or (lead >= 0.95 > row["parts"])
        if row["asserted"]:
            assert row["parts"] == pytest.approx(least[row["first"], row["second"]])
    assert set(p.order().edges) == {(row["ahead_"], row["behind_"]) for row in _winners(decided)}


def _winners(decided: pd.DataFrame) -> list[dict[str, str]]:
    rows = []
    for row in decided[decided["decision"] == "better"].to_dict("records"):
        leaders = {part.split(">")[0] for part in row["statement"].split("|")}
        (winner,) = leaders
        loser = row["second"] if winner == row["first"] else row["first"]
        rows.append({"ahead_": winner, "behind_": loser})
    return rows


def test_the_rate_sorts_by_the_least_of_whole_and_parts() -> None:
    decided = bc.pairwise(several(40, 6, 3, seed=11, spread=0.35), n_jobs=1).decide(fdr=0.05)
    least = decided[["probability", "parts"]].min(axis=1).to_numpy()
    assert (np.diff(least) <= 1e-12).all()
    running = np.cumsum(1 - least) / np.arange(1, len(least) + 1)
    np.testing.assert_allclose(decided["running_fdr"], running)
    assert decided["asserted"].tolist() == ((running <= 0.05) & (least >= 0.75)).tolist()


@pytest.mark.parametrize("method", ["gsd", "all-test", "one-test"])
def test_questions_about_all_measures_have_no_parts(method: str) -> None:
    c = bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "CART"], method=method, rng=0)
    assert len(c.decision.parts) == 0
    assert c.decision.settled == (c.pvalue <= 0.05)


# ---------------------------------------------------------------------------------- saved decisions


def test_decisions_are_made_again_from_a_file(tmp_path: Path) -> None:
    c = bc.compare(table_of(BOARD))
    for file in (tmp_path / "c.json", tmp_path / "c.nc"):
        (c.to_json if file.suffix == ".json" else c.to_netcdf)(file)
        again = bc.load_comparison(file).decision
        assert again == c.decision
        pd.testing.assert_frame_equal(again.parts, c.decision.parts)
    document = json.loads(c.to_json())
    assert document["schema_version"] == 2
    assert document["decision"]["state"] == "leads"
    assert document["decision"]["parts"][1]["word"] == "level"


def test_a_file_without_parts_gets_them(tmp_path: Path) -> None:
    """As schema version 1 wrote it: "settled" then, and no longer."""
    document = json.loads(bc.compare(table_of(BOARD)).to_json())
    document["schema_version"] = 1
    document["verdict"] = "settled"
    del document["decision"]
    for row in document["statements"]:
        del row["part_probability"]
    file = tmp_path / "old.json"
    file.write_text(json.dumps(document))
    loaded = bc.load_comparison(file)
    assert loaded.decision.state == "leads"
    assert loaded.probability.values.tolist() == [r["probability"] for r in document["statements"]]


# ------------------------------------------------------------------------ what could turn an answer


def leaking() -> pd.DataFrame:
    """Results as fev writes them: leaks, and most tasks of one benchmark."""
    rng = np.random.default_rng(0)
    tasks = [f"monash_{k}" for k in range(9)] + ["ett", "solar", "taxi"]
    rows = [
        {"model_name": f"x{a}", "task_name": task, "test_error": rng.random(), "fev_version": "0.8",
         "trained_on_this_dataset": a == 0 and k < 4}
        for k, task in enumerate(tasks)
        for a in range(3)
    ]  # fmt: skip
    return pd.DataFrame(rows)


LEAK = "4 results come from models trained on that very dataset."
ONE = "9 of 12 datasets belong to one benchmark by their names, monash."


def test_what_could_turn_an_answer_stands_under_the_verdict(tmp_path: Path) -> None:
    results = bc.io.from_fev(leaking())
    c = bc.compare(results, algorithms=["x0", "x1"])
    p, r = bc.pairwise(results, n_jobs=1), bc.rank(results, draws=200)
    g = bc.gate(results, candidate="x0", baseline="x1")
    for thing in (c, p, r, g):
        assert thing.caveats[:2] == (LEAK, ONE)
        document = json.loads(thing.to_json())
        assert document["caveats"][:2] == [LEAK, ONE]
        assert document["decision"]["results_on_training_data"] == 4
        assert document["decision"]["largest_benchmark"] == ["monash", 9]
        assert thing.decision.settled in (True, False)
    for name, thing in {"c": c, "p": p, "r": r}.items():
        text = thing.report(tmp_path / f"{name}.html").read_text(encoding="utf-8")
        first = text.index(LEAK)
        assert text.index('class="verdict"') < first < text.index("<h2")


def test_replicates_and_gaps_are_caveats() -> None:
    frame = several(8, 3, 1, seed=1).to_frame().reset_index()
    frame = pd.concat([frame.assign(seed=k) for k in range(3)])
    frame = frame[~((frame["dataset"] == "d0") & (frame["algorithm"] == "x0"))]
    p = bc.pairwise(frame, measures={"m0": "max"}, replicate="seed", missing="drop", n_jobs=1)
    said = " ".join(p.caveats)
    assert "mean of 3 replicates" in said
    assert json.loads(p.to_json())["decision"]["averaged"]["most"] == 3
    assert "different datasets" in said


def test_of_three_algorithms_the_record_is_that_of_the_one_ahead() -> None:
    rows = [("A", "B", "C")] * 2 + [("B", "A", "C")] * 14
    frame = pd.DataFrame(
        [(f"d{i}", who, -rank) for i, order in enumerate(rows) for rank, who in enumerate(order)],
        columns=["dataset", "algorithm", "score"],
    ).pivot(index="dataset", columns="algorithm", values="score")
    c = bc.compare(bc.Results.from_frame(frame, measures={"score": "max"}))
    row = c.decision.parts.loc["score"]
    assert (row["ahead"], row["won"], row["lost"], row["word"]) == ("B", 14, 2, "better")
    # The figure is that of an order of three, and "better" would be a word about two.
    assert comparison_block(c).rows[0].text == "the order led by B"
