"""The options of GSD, what it refuses, and tables at the edge of what it takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.kernels.gsd.system import build_system
from bayescompare.methods import GSD, GSDBootstrap
from tests.methods.gsd.cases import M, ask, made
from tests.tables import table


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"delta": -0.1}, r"delta=-0\.1.*\[0, 1\)"),
        ({"delta": 1}, r"delta=1\b.*\[0, 1\)"),
        ({"delta": 1.5}, r"delta=1\.5"),
        ({"delta": math.nan}, "delta=nan"),
        ({"delta": "0"}, "delta='0'"),
        ({"delta": None}, "delta=None"),
        ({"delta": True}, "delta=True"),
        ({"epsilon": 1.5}, r"epsilon=1\.5"),
        ({"epsilon": -0.1}, r"epsilon=-0\.1"),
        ({"delta": 0.1, "epsilon": 0.5}, r"delta=0\.1 and epsilon=0\.5"),
        ({"delta": 0, "epsilon": 0.5}, r"delta=0 and epsilon=0\.5"),
        ({"rule": "intervall"}, "rule='intervall'.*Did you mean 'interval'"),
    ],
)
@pytest.mark.parametrize("method", [GSD, GSDBootstrap])
def test_choices_are_checked(method: Any, choices: dict[str, Any], said: str) -> None:
    with pytest.raises(bc.BayescompareError, match=said):
        method(**choices)


@pytest.mark.parametrize(
    ("method", "choices", "said"),
    [
        (GSD, {"permutations": 0}, "permutations=0"),
        (GSD, {"permutations": 10.5}, r"permutations=10\.5"),
        (GSD, {"permutations": True}, "permutations=True"),
        (GSD, {"stop_after": 0}, "stop_after=0"),
        (GSD, {"scheme": "pair"}, "scheme='pair'.*Did you mean 'paired'"),
        (GSDBootstrap, {"resamples": 0}, "resamples=0"),
    ],
)
def test_choices_of_the_test_are_checked(method: Any, choices: dict[str, Any], said: str) -> None:
    with pytest.raises(bc.BayescompareError, match=said):
        method(**choices)


def test_relation_at_is_checked() -> None:
    c = ask(made("metric", 0))
    for bad in (-0.1, 1.0, math.nan, "x"):
        with pytest.raises(bc.BayescompareError, match="delta="):
            c.relation_at(bad)  # type: ignore[arg-type]


def test_epsilon_is_a_share_of_each_pairs_delta_max() -> None:
    results = made("metric", 8, datasets=5)
    largest = ask(results).delta_max
    assert isinstance(largest, float)
    for epsilon in (0, 0.3, 1):
        one = ask(results, GSD(epsilon=epsilon))
        two = ask(results, GSD(delta=epsilon * largest))
        assert one.answer.facts.delta == pytest.approx(epsilon * largest, abs=1e-12)
        np.testing.assert_allclose(one.summary(), two.summary(), atol=1e-9)


def test_delta_above_delta_max_is_cut_and_says_so() -> None:
    results = made("metric", 8, datasets=5)
    c = ask(results, GSD(delta=0.9))
    assert c.answer.facts.delta == c.delta_max
    assert "δ = 0.9 is more than this pair allows" in c.explain()
    one = ask(results, GSD(epsilon=1)).summary()
    np.testing.assert_allclose(c.summary(), one, atol=1e-9)
    assert "more than this pair allows" not in ask(results, GSD(delta=0)).explain()


def test_one_dataset_is_refused() -> None:
    cells = np.arange(4.0).reshape(1, 2, 2)
    for method in ("gsd", "gsd-bootstrap"):
        with pytest.raises(bc.BayescompareError, match="only one dataset"):
            bc.compare(table(cells), method=method)


def test_two_datasets_are_enough() -> None:
    c = ask(table([[[3.0], [1.0]], [[4.0], [2.0]]]))
    assert c.summary()["pvalue"].tolist() == [0.25, 1.0]
    assert c.pvalue == 0.5
    assert c.relation.values.tolist() == [[True, True], [False, True]]


def test_all_vectors_equal() -> None:
    with pytest.raises(bc.BayescompareError, match=r"'m0' is 0\.5 in every cell"):
        bc.compare(table(np.full((4, 2, 2), 0.5)), method="gsd")
    # A rope lets a constant measure pass, but no utility tells one vector from itself.
    with pytest.raises(bc.BayescompareError, match="bounds"):
        bc.compare(table(np.full((4, 2, 2), 0.5), rope=0.1), method="gsd")


@pytest.mark.parametrize("method", ["gsd", "gsd-bootstrap"])
def test_a_pair_with_one_vector_is_named(method: str) -> None:
    cells = np.full((4, 3, 2), 0.5)
    cells[:, 2] = np.random.default_rng(0).random((4, 2))
    with pytest.raises(bc.BayescompareError, match=r"A.*B"):
        bc.pairwise(table(cells), method=method, n_jobs=1)
    if method == "gsd":
        with pytest.raises(bc.BayescompareError, match=r"'?A'?.*'?B'?"):
            bc.compare(table(cells), method="gsd")


def test_a_measure_constant_in_the_pair_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 6, (5, 3, 2)).astype(float)
    cells[:, :2, 1] = 2.0
    with_it = ask(table(cells), algorithms=["A", "B"])
    without = ask(table(cells), algorithms=["A", "B"], measures=["m0"])
    pd.testing.assert_frame_equal(with_it.summary(), without.summary())


def test_the_letter_of_the_paper_may_leave_no_utility() -> None:
    # The metric measure ties throughout the pair: equation (2) makes all gains equal, and so zero.
    cells = np.zeros((4, 3, 2))
    cells[:, :, 1] = np.random.default_rng(1).integers(0, 5, (4, 3))
    cells[:, 2, 0] = np.arange(4)
    results = table(cells, measures={"a": M("max"), "b": M("max", scale="ordinal")})
    with pytest.raises(bc.BayescompareError, match=r"jansen2022|interval"):
        bc.compare(results, method=GSD(rule="jansen2022", delta=0), algorithms=["A", "B"])
    assert ask(results, GSD(delta=0), algorithms=["A", "B"]).delta_max > 0


@pytest.mark.parametrize("direction", ["max", "min"])
def test_an_infinite_bound_is_no_number_to_compute_with(direction: Any) -> None:
    cells = made("metric", 0).data.to_array().transpose("dataset", "algorithm", "variable").values
    spec = {"a": M(direction, bounds=(0, math.inf)), "b": M("max", bounds=(-1, 4))}
    open_end = {"a": M(direction, bounds=(0, None)), "b": M("max", bounds=(-1, 4))}
    try:
        found = ask(table(cells, measures=spec)).summary()  # type: ignore[arg-type]
    except bc.BayescompareError as error:
        assert "bounds" in str(error)  # noqa: PT017
    else:
        expected = ask(table(cells, measures=open_end)).summary()  # type: ignore[arg-type]
        pd.testing.assert_frame_equal(found, expected)


def test_too_many_vectors_say_how_many_and_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert build_system.__kwdefaults__ is not None
    monkeypatch.setitem(build_system.__kwdefaults__, "memory", 1e5)
    cells = np.random.default_rng(0).random((40, 2, 1))
    results = table(cells, measures={"m": M("max", bounds=(0, 1))})
    with pytest.raises(
        bc.BayescompareError, match=r"82 distinct quality vectors.*3321 ordered pairs"
    ):
        bc.compare(results, method="gsd")
    with pytest.raises(bc.BayescompareError, match="fewer datasets, round the values, or treat"):
        bc.compare(results, method="gsd-bootstrap")
    # Rounded or ordinal, as it says, it goes.
    assert ask(table(cells.round(1), measures={"m": M("max", bounds=(0, 1))})).pvalue > 0
    ordinal = table(cells, measures={"m": M("max", scale="ordinal")})
    assert ask(ordinal, GSD(delta=0, permutations=20), rng=1).pvalue > 0


def test_a_rope_changes_nothing_and_the_words_say_so() -> None:
    results = made("metric", 4, datasets=5)
    spec = {m: M("max", rope=1.0, bounds=results[m].bounds) for m in results.measures}
    roped = bc.Results(results.data, spec)
    for method in (GSD(), GSDBootstrap(resamples=30)):
        one, two = ask(results, method, rng=1), ask(roped, method, rng=1)
        pd.testing.assert_frame_equal(one.summary(), two.summary())
        assert "ignores the rope" in two.explain()
        assert "rope" not in one.explain()


def test_replicates_are_averaged() -> None:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 50, (5, 2, 2, 3)).astype(float)
    rows = [
        (f"d{d}", "AB"[a], r, *cells[d, a, :, r])
        for d in range(5)
        for a in range(2)
        for r in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "m0", "m1"])
    folds = bc.Results.from_frame(frame, replicate="fold", measures={"m0": "max", "m1": "max"})
    one, two = ask(folds), ask(table(cells.mean(axis=3)))
    pd.testing.assert_frame_equal(one.summary(), two.summary())
