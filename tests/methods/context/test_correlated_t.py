"""The correlated t-test and its context as users get them: baycomp, enumeration, Monte Carlo."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from baycomp import CorrelatedTTest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.cli.app import app
from bayescompare.methods import CorrelatedT
from tests.cases import few_quick
from tests.methods.context.folds import ask, frame_of, scores, triples_of
from tests.oracles.context import (
    EveryD,
    EveryRegion,
    folds_frame,
    most_frequent_region,
    replicated,
)

# ----------------------------------------------------------------------------------------- baycomp


@pytest.mark.parametrize("seed", few_quick(range(4), 2))
@pytest.mark.parametrize(("runs", "k"), [(1, 10), (10, 100), (3, 15)])
def test_equal_to_baycomp(seed: int, runs: int, k: int) -> None:
    """baycomp's left is "x better"; its difference is second less first."""
    values = scores(6, k, seed=seed)
    choices = {} if runs == 1 else {"folds": k // runs}
    c = ask(values, **choices)
    for p, (x, y) in zip(c.per_dataset["probability"], values, strict=True):
        left, right = CorrelatedTTest.probs(x, y, runs=runs)
        assert p == pytest.approx(left, abs=1e-8)
        assert 1 - p == pytest.approx(right, abs=1e-8)
    roped = ask(values, rope=0.01, **choices)
    for found, (x, y) in zip(triples_of(roped), values, strict=True):
        left, rope, right = CorrelatedTTest.probs(x, y, rope=0.01, runs=runs)
        np.testing.assert_allclose(found, [left, rope, right], atol=1e-8)


@pytest.mark.parametrize("rho", [0, 0.0, 0.1, 0.5, 0.99])
def test_rho_as_given(rho: float) -> None:
    values = scores()
    x = values[:, 0] - values[:, 1]
    scale = np.sqrt(x.var(axis=1, ddof=1) * (1 / 10 + rho / (1 - rho)))
    c = ask(values, rho=rho)
    expected = stats.t.sf(0, 9, x.mean(axis=1), scale)
    np.testing.assert_allclose(c.per_dataset["probability"], expected, atol=1e-12)


@pytest.mark.parametrize("k", [20, 21, 100])
def test_more_replicates_than_folds_need_their_correlation(k: int) -> None:
    # Ten times ten folds taken for a hundred have a tenth of their correlation.
    frame = frame_of(scores(n=3, k=k))
    if k <= 20:
        assert ask(frame).per_dataset["rho"].tolist() == [1 / 20] * 3
        return
    with pytest.raises(bc.BayescompareError) as refused:
        ask(frame)
    said = str(refused.value)
    assert "\n" not in said
    for word in ("rho= or folds= is missing", "rho=0", "folds=10", f"{k} replicates"):
        assert word in said
    assert ask(frame, folds=10).per_dataset["rho"].tolist() == [0.1] * 3
    assert ask(frame, rho=0).per_dataset["rho"].tolist() == [0.0] * 3
    assert ask(frame, rho=0.25).per_dataset["rho"].tolist() == [0.25] * 3


def test_a_guess_of_rho_is_refused_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    frame_of(scores(n=3, k=100)).to_csv(path, index=False)
    asked = ["compare", str(path), "--measure=score:max", "--replicate-column=fold"]
    asked += ["--method=correlated-t"]
    refused = CliRunner().invoke(app, asked)
    assert refused.exit_code == 2
    assert "--set folds=10" in " ".join(refused.output.split())
    assert CliRunner().invoke(app, [*asked, "--set", "folds=10"]).exit_code == 0


# ----------------------------------------------------------------------------------- the context


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("b", [1.0, 2.5])
def test_the_context_by_every_d(joint: bool, b: float) -> None:
    values = scores(7, 6)
    c = ask(values, joint=joint, b=b)
    x = values[:, 0] - values[:, 1]
    scale = np.sqrt(x.var(axis=1, ddof=1) * (1 / 6 + 1 / 5))
    p = stats.t.sf(0, 5, x.mean(axis=1), scale)
    oracle = EveryD(p.tolist(), b, joint=joint)
    np.testing.assert_allclose(c.probability, [oracle.first, oracle.second], atol=1e-11)
    np.testing.assert_allclose(c.per_dataset["probability"], oracle.wins, atol=1e-11)
    assert c.rate["mean"] == pytest.approx(oracle.mean, abs=1e-11)
    assert c.rate["sd"] == pytest.approx(oracle.sd, abs=1e-9)
    assert oracle.cdf(c.rate["lower"]) == pytest.approx(0.025, abs=1e-6)
    assert oracle.cdf(c.rate["upper"]) == pytest.approx(0.975, abs=1e-6)
    assert bc.context_probability(p, b=b, joint=joint) == pytest.approx(oracle.first, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("b", few_quick([0.5, 1.0], 1))
def test_three_regions_that_inform_each_other_by_every_outcome(b: float) -> None:
    c = ask(scores(4, 5), rope=0.015, b=b, joint=True)
    alone = triples_of(ask(scores(4, 5), rope=0.015, b=b))
    oracle = EveryRegion(alone, b)
    assert c.exact
    assert c.probability["statement"].values.tolist() == ["A>B", "A=B", "B>A"]
    np.testing.assert_allclose(c.probability, oracle.probability, atol=1e-9)
    np.testing.assert_allclose(triples_of(c), oracle.each, atol=1e-12)
    np.testing.assert_allclose(c.per_dataset["alone"], alone[:, 0])
    table = c.summary().loc[["A>B", "A=B", "B>A"]]
    np.testing.assert_allclose(table["theta_mean"], oracle.mean, atol=1e-12)
    for k, (_, row) in enumerate(table.iterrows()):
        assert oracle.cdf(k, row["theta_lower"]) == pytest.approx(0.025, abs=1e-6)
        assert oracle.cdf(k, row["theta_upper"]) == pytest.approx(0.975, abs=1e-6)
    # Doubtful datasets are drawn to the others: the cut leaves more open.
    assert float(c.probability.max()) > float(ask(scores(4, 5), rope=0.015).probability.max())


@pytest.mark.parametrize("b", few_quick([0.5, 1.0], 1))
def test_three_regions_by_every_outcome(b: float) -> None:
    c = ask(scores(4, 5), rope=0.015, b=b)
    triples = triples_of(c)
    np.testing.assert_allclose(triples.sum(axis=1), 1.0, atol=1e-12)
    assert c.probability["statement"].values.tolist() == ["A>B", "A=B", "B>A"]
    np.testing.assert_allclose(c.probability, most_frequent_region(triples, b), atol=1e-8)
    assert float(c.probability.sum()) == pytest.approx(1.0, abs=1e-9)
    mean = (b + triples.sum(axis=0)) / (3 * b + 4)
    table = c.summary().loc[["A>B", "A=B", "B>A"]]
    np.testing.assert_allclose(table["theta_mean"], mean, atol=1e-12)
    assert c.rate["mean"] == pytest.approx(mean[0])


@pytest.mark.parametrize("rope", [None, pytest.param(0.015, marks=pytest.mark.slow)])
def test_leaving_out_is_a_difference_of_evidences(rope: float | None) -> None:
    """Up to each dataset's own constant, which no prior of the shares knows of."""
    values = scores(5, 5)
    c = ask(values, rope=rope, b=1.5, joint=True)
    alone = triples_of(ask(values, rope=rope)) if rope else None

    def log_evidence(kept: list[int]) -> float:
        if alone is not None:
            return EveryRegion(alone[kept], 1.5).log_total
        p = c.per_dataset["alone"].to_numpy()[kept]
        return EveryD(p.tolist(), 1.5, joint=True).log_total

    whole = log_evidence(list(range(5)))
    without = [whole - log_evidence([j for j in range(5) if j != i]) for i in range(5)]
    np.testing.assert_allclose(c.loo().elpd_i, without, atol=1e-11)
    with pytest.raises(BayescompareError, match="only up to a constant"):
        _ = c.log_evidence


@pytest.mark.parametrize("rope", [None, 0.015])
def test_leaving_out_by_the_formula_of_each_dataset(rope: float | None) -> None:
    """The shares of the others alone, then what the dataset's own replicates say."""
    values = scores(5, 5)
    c = ask(values, rope=rope, b=1.5)
    evidence = triples_of(c) if rope else c.per_dataset[["probability"]].to_numpy()
    if not rope:
        evidence = np.hstack([evidence, 1 - evidence])
    for i, found in enumerate(c.loo().elpd_i.values):
        rest = ask(np.delete(values, i, axis=0), rope=rope, b=1.5).summary()["theta_mean"]
        mean = rest[list(c.answer.labels)].to_numpy()
        assert found == pytest.approx(math.log(evidence[i] @ mean), abs=1e-11)


def test_a_rope_of_nothing_is_no_rope() -> None:
    values = scores()
    none, zero = ask(values), ask(values, rope=0.0)
    np.testing.assert_array_equal(none.probability.values, zero.probability.values)


@pytest.mark.parametrize("joint", [True, False])
def test_too_many_datasets_to_sum_over_are_drawn_and_it_is_said(
    joint: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = scores(12, 4, gain=0.01)
    exact = ask(values, rope=0.02, joint=joint)
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion.MOST_STATES", 3)
    c = ask(values, rope=0.02, joint=joint)
    assert not c.exact
    assert c.mcse is not None
    gap = np.abs(c.probability.values - exact.probability.values)
    assert (gap < 5.0 * np.maximum(c.mcse.values, 1e-3)).all()
    assert float(c.probability.sum()) == pytest.approx(1.0, abs=1e-9)
    said = str(c.diagnose())
    assert "no sampling was done" not in said, said


# ------------------------------------------------------------------------------ without variance


@pytest.mark.parametrize("base", [0.1, 0.3, 0.7, 1e6])
def test_zero_variance_but_for_rounding(base: float) -> None:
    """0.3 − 0.2 is not 0.4 − 0.3 in binary: that is no variance."""
    step = 0.1 * base
    rows = []
    for f in range(8):
        x = base + f * step
        rows += [("d0", "A", f, x + step), ("d0", "B", f, x)]
        rows += [("d1", "A", f, x), ("d1", "B", f, x + step)]
        rows += [("d2", "A", f, x), ("d2", "B", f, (x / 3) * 3)]
    c = ask(pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "score"]))
    assert c.per_dataset["probability"].tolist() == [1.0, 0.0, 0.5]
    np.testing.assert_allclose(c.per_dataset["advantage"], [step, -step, 0.0], rtol=1e-9)


def test_zero_variance_within_and_beyond_the_rope() -> None:
    c = ask(folds_frame([[0.1] * 4, [0.01] * 4, [-0.2] * 4, [0.0] * 4]), rope=0.05)
    assert triples_of(c).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_point_masses_in_the_joint_model_and_in_draws() -> None:
    frame = folds_frame([[0.1] * 4, [-0.2] * 4, [0.1] * 4, [0.1, 0.3, -0.1, 0.2]])
    c = ask(frame, joint=True)
    oracle = EveryD(
        [1.0, 0.0, 1.0, float(ask(frame).per_dataset["probability"].iloc[3])], joint=True
    )
    assert float(c.probability[0]) == pytest.approx(oracle.first, abs=1e-12)
    drawn = c.draws(200, chains=2, rng=0)["posterior"]["advantage"].values
    np.testing.assert_allclose(drawn[..., 0], 0.1)
    np.testing.assert_allclose(drawn[..., 1], -0.2)
    assert np.ptp(drawn[..., 3]) > 0


def test_all_equal_is_a_tie() -> None:
    frame = folds_frame([[0.0] * 3] * 3)
    frame["score"] += frame["fold"] * 0.1
    for joint in (False, True):
        c = ask(frame, joint=joint)
        assert c.probability.values.tolist() == pytest.approx([0.5, 0.5])
        assert c.decision.verdict == "tied"
        assert "neither" in c.explain()


# -------------------------------------------------------------------------------------- replicates


def test_datasets_may_have_different_numbers_of_replicates() -> None:
    differences = [[0.1, 0.2, -0.05], [0.02, 0.04], [0.1, -0.2, 0.05, 0.03, 0.2]]
    table = ask(folds_frame(differences)).per_dataset
    assert table["replicates"].tolist() == [3, 2, 5]
    assert table["rho"].tolist() == pytest.approx([1 / 3, 1 / 2, 1 / 5])
    for x, p in zip(differences, table["probability"], strict=True):
        k = len(x)
        scale = math.sqrt(np.var(x, ddof=1) * (1 / k + 1 / (k - 1)))
        assert p == pytest.approx(stats.t.sf(0, k - 1, np.mean(x), scale), abs=1e-10)


def test_replicates_need_no_common_names_across_datasets() -> None:
    frame = frame_of(scores(3, 4))
    plain = ask(frame)
    named = ask(frame.assign(fold=frame["dataset"] + "-" + frame["fold"].astype(str)))
    np.testing.assert_array_equal(
        plain.per_dataset["probability"], named.per_dataset["probability"]
    )


def test_a_replicate_that_one_algorithm_lacks_is_left_out_for_both() -> None:
    frame = frame_of(scores(4, 4))
    c: Any = ask(frame.drop(index=0))
    assert c.results.datasets == ("d0", "d1", "d2", "d3")
    assert c.per_dataset["replicates"].tolist() == [3, 4, 4, 4]
    assert "1 of 4 on d0" in c.explain()
    gone = (frame["dataset"] == "d0") & (frame["fold"] == frame["fold"].iloc[0])
    np.testing.assert_array_equal(
        c.per_dataset["probability"], ask(frame[~gone]).per_dataset["probability"]
    )


def test_one_replicate_on_one_dataset_is_named() -> None:
    frame = folds_frame([[0.1, 0.2], [0.3], [0.1, 0.3]])
    with pytest.raises(BayescompareError, match="'d1'"):
        ask(frame)
    c: Any = bc.compare(replicated(frame), method="correlated-t", missing="drop")
    assert c.results.datasets == ("d0", "d2")


def test_what_cannot_be_compared() -> None:
    values = scores(3, 4)
    several = bc.Results.from_frame(
        frame_of(values).assign(time=1.0 + frame_of(values)["score"]),
        replicate="fold",
        measures={"score": "max", "time": "min"},
    )
    three = np.concatenate([values, values[:, :1] + 0.01], axis=1)
    single = bc.Results.from_frame(
        frame_of(values[..., :1]).drop(columns="fold"), measures={"score": "max"}
    )
    for results, needed in (
        (several, "one measure"),
        (replicated(frame_of(three)), "two algorithms"),
        (single, "no replicates"),
        (replicated(frame_of(values[..., :1])), "one replicate"),
        (replicated(frame_of(values[:1])), "'d0'"),
        (replicated(frame_of(values[:, :1])), "at least two"),
    ):
        with pytest.raises(BayescompareError, match=re.escape(needed)):
            bc.compare(results, method="correlated-t")
    chosen: Any = bc.compare(several, method="correlated-t", measures=["time"])
    assert chosen.results.measures == ("time",)


@pytest.mark.parametrize(
    ("choices", "needed"),
    [
        ({"rho": 1}, "rho=1"),
        ({"rho": 1.5}, "rho=1.5"),
        ({"rho": -0.1}, "rho=-0.1"),
        ({"rho": float("nan")}, "rho=nan"),
        ({"rho": "0.1"}, "rho='0.1'"),
        ({"rho": True}, "rho=True"),
        ({"folds": 1}, "folds=1"),
        ({"folds": 10.0}, "folds=10.0"),
        ({"folds": 0}, "folds=0"),
        ({"folds": 10, "rho": 0.1}, "rho=0.1 and folds=10"),
        ({"joint": 1}, "joint=1"),
        ({"b": 0}, "b=0"),
    ],
)
def test_bad_choices(choices: dict[str, Any], needed: str) -> None:
    with pytest.raises(BayescompareError, match=re.escape(needed)):
        CorrelatedT(**choices)


# -------------------------------------------------------------------------------------- symmetries


@pytest.mark.parametrize(
    ("rope", "joint"),
    few_quick([(None, False), (0.01, True), (None, True), (0.01, False)], 2, several=True),
)
def test_swapping_mirrors(rope: float | None, joint: bool) -> None:
    c = ask(scores(5, 6), rope=rope, joint=joint)
    swapped: Any = bc.compare(c.results, method=c.method, algorithms=["B", "A"])
    for a, b in (("A>B", "A>B"), ("B>A", "B>A"), ("A=B", "B=A")):
        if a in c.probability["statement"]:
            assert float(swapped.probability.sel(statement=b)) == pytest.approx(
                float(c.probability.sel(statement=a)), abs=1e-12
            )
    np.testing.assert_allclose(swapped.per_dataset["advantage"], -c.per_dataset["advantage"])
    assert swapped.decision.verdict == c.decision.verdict
    np.testing.assert_allclose(swapped.loo().elpd_i, c.loo().elpd_i, atol=1e-11)
    if rope:
        np.testing.assert_allclose(
            swapped.per_dataset["second_better"], c.per_dataset["probability"], atol=1e-11
        )


@settings(max_examples=10)
@given(st.floats(0.01, 100), st.integers(0, 1000))
def test_scaling_shifting_and_permuting_change_nothing(scale: float, seed: int) -> None:
    values = scores(5, 6)
    c = ask(values, rope=0.01)
    scaled = ask(values * scale, rope=0.01 * scale)
    np.testing.assert_allclose(scaled.probability, c.probability, atol=1e-9)
    order = np.random.default_rng(seed).permutation(5)
    mixed = ask(values[order], rope=0.01)
    np.testing.assert_allclose(mixed.probability, c.probability, atol=1e-10)
    folds = np.random.default_rng(seed).permutation(6)
    np.testing.assert_allclose(
        ask(values[:, :, folds], rope=0.01).probability, c.probability, atol=1e-10
    )


@pytest.mark.parametrize("rope", [None, 0.01])
def test_where_less_is_better_the_sign_turns(rope: float | None) -> None:
    values = scores()
    up, down = ask(values, rope=rope), ask(-values, direction="min", rope=rope)
    np.testing.assert_allclose(down.probability, up.probability, atol=1e-12)
    np.testing.assert_allclose(down.per_dataset["probability"], up.per_dataset["probability"])
    cost = ask(values, direction="min", rope=rope)
    np.testing.assert_allclose(cost.probability.values[::-1], up.probability, atol=1e-12)
