"""The test from replicates: its special cases, its symmetries, its figures and its refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import CorrelatedT, Dirichlet, PoissonBinomial, Replicated

NAMES = ["speed", "auc", "brier"]


def folds(
    *,
    n: int = 8,
    k: int = 5,
    m: int = 2,
    noise: float = 0.03,
    seed: int = 1,
    ropes: tuple[float | None, ...] = (None, None, None),
    algorithms: tuple[str, ...] = ("A", "B"),
) -> bc.Results:
    """Replicates of some algorithms whose effects vary over datasets."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(0.02, 0.02, size=(n, len(algorithms), m))
    rows = [
        (f"d{d}", name, f, *(0.8 + effect[d, a] * a + noise * rng.normal(size=m)))
        for d in range(n)
        for f in range(k)
        for a, name in enumerate(algorithms)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", *NAMES[:m]])
    measures = {
        name: bc.Measure("max", rope=rope) for name, rope in zip(NAMES[:m], ropes, strict=False)
    }
    return bc.Results.from_frame(frame, replicate="fold", measures=measures)


@pytest.fixture(scope="module")
def table() -> bc.Results:
    return folds()


@pytest.fixture(scope="module")
def learned(table: bc.Results) -> Any:
    return bc.compare(table, method="replicated")


def constant(values: np.ndarray) -> bc.Results:
    """Replicates that never differ: every dataset is certain."""
    rows = [
        (f"d{d}", name, f, *values[d, a])
        for d in range(len(values))
        for a, name in enumerate("ABC"[: values.shape[1]])
        for f in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", *NAMES[: values.shape[2]]])
    return bc.Results.from_frame(
        frame, replicate="fold", measures=dict.fromkeys(NAMES[: values.shape[2]], "max")
    )


# ---------------------------------------------------------------------------------- special cases


@pytest.mark.parametrize("effects", ["flat", "learned"])
@pytest.mark.parametrize("prior", ["symmetric", "jeffreys"])
def test_certain_datasets_are_the_dirichlet_test(effects: Any, prior: Any) -> None:
    certain = constant(np.random.default_rng(3).normal(size=(9, 2, 2)))
    c: Any = bc.compare(certain, method=Replicated(effects=effects, prior=prior))
    d: Any = bc.compare(certain, method=Dirichlet(prior=prior))
    np.testing.assert_allclose(c.probability, d.probability, atol=1e-10)
    np.testing.assert_allclose(c.summary()["theta_upper"], d.summary()["theta_upper"], atol=1e-8)
    assert c.log_evidence == pytest.approx(d.log_evidence, abs=1e-10)
    assert float(c.loo().elpd) == pytest.approx(float(d.loo().elpd), abs=1e-9)
    np.testing.assert_allclose(c.questions.to_numpy(), d.questions.to_numpy(), atol=1e-9)


def test_one_measure_is_the_joint_poisson_binomial_model() -> None:
    """With b = 1, strength 2, from the P that the correlated t gives each dataset."""
    one = folds(m=1, n=12)
    c: Any = bc.compare(one, method=Replicated(effects="flat", strength=2.0))
    t: Any = bc.compare(one, method=CorrelatedT(joint=True))
    assert PoissonBinomial(joint=True).b == 1.0
    np.testing.assert_allclose(c.probability, t.probability, atol=1e-10)
    np.testing.assert_allclose(c.per_dataset["A>B"], t.per_dataset["probability"], atol=1e-10)
    np.testing.assert_allclose(c.evidence[:, 0], t.per_dataset["alone"], atol=1e-12)


def test_the_cut_with_a_rope_is_the_correlated_t_test() -> None:
    one = folds(m=1, n=7, ropes=(0.01,))
    c: Any = bc.compare(one, method=Replicated(effects="flat", strength=3.0, joint=False))
    t: Any = bc.compare(one, method="correlated-t")
    np.testing.assert_allclose(c.probability, t.probability, atol=1e-10)


def test_one_dataset_is_about_that_dataset() -> None:
    one = folds(n=1)
    c: Any = bc.compare(one, method="replicated")
    np.testing.assert_allclose(c.probability, c.evidence[0], atol=1e-14)
    assert "nothing follows for other datasets" in c.headline()
    assert "That dataset alone" in c.explain() or "that dataset alone" in c.explain()
    with pytest.raises(BayescompareError, match="only one dataset"):
        c.loo()


# ------------------------------------------------------------------------------------- symmetries


@pytest.mark.parametrize("effects", ["flat", "learned"])
def test_swapping_the_algorithms_mirrors_every_figure(effects: Any) -> None:
    results = folds(n=6, ropes=(0.01, None))
    method = Replicated(effects=effects)
    c: Any = bc.compare(results, method=method)
    mirrored: Any = bc.compare(results, method=method, algorithms=["B", "A"])
    np.testing.assert_allclose(mirrored.probability.values[::-1], c.probability, atol=1e-9)
    np.testing.assert_allclose(mirrored.evidence.values[:, ::-1], c.evidence, atol=1e-9)
    assert mirrored.log_evidence == pytest.approx(c.log_evidence, abs=1e-8)


def test_order_of_datasets_scale_of_a_measure_and_names_do_not_matter(
    table: bc.Results, learned: Any
) -> None:
    frame = table.to_frame()
    frame["speed"] *= 1000.0
    frame["dataset"] = "x" + frame["dataset"]
    again = bc.Results.from_frame(
        frame[::-1], replicate="fold" if "fold" in frame else "replicate",
        measures=dict.fromkeys(NAMES[:2], "max"),
    )  # fmt: skip
    c: Any = bc.compare(again, method="replicated", algorithms=["A", "B"])
    np.testing.assert_allclose(c.probability, learned.probability, atol=1e-9)


# ---------------------------------------------------------------------------------------- figures


def test_tables_rows_and_sums(table: bc.Results, learned: Any) -> None:
    assert learned.exact
    assert float(learned.probability.sum()) == pytest.approx(1.0, abs=1e-10)
    np.testing.assert_allclose(learned.evidence.sum("statement"), 1.0, atol=1e-12)
    after = learned.per_dataset
    assert list(after.columns) == [*learned.answer.labels, "replicates"]
    np.testing.assert_allclose(after.drop(columns="replicates").sum(axis=1), 1.0, atol=1e-12)
    assert (after["replicates"] == 5).all()
    expected = learned.summary()["theta_mean"].loc[list(learned.answer.labels)]
    n = len(table.datasets)
    from_datasets = (0.25 + after.drop(columns="replicates").sum()) / (1.0 + n)
    np.testing.assert_allclose(expected, from_datasets, atol=1e-12)


def test_too_many_vectors_go_to_gibbs_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    results = folds(n=9)
    exact: Any = bc.compare(results, method="replicated")
    monkeypatch.setattr("bayescompare.kernels.replicated.recursion.MOST_STATES", 3)
    sampled: Any = bc.compare(results, method="replicated", rng=1)
    assert not sampled.exact
    gap = np.abs(sampled.probability.values - exact.probability.values)
    assert (gap < 4.0 * np.maximum(sampled.mcse.values, 1e-4)).all()
    cut: Any = bc.compare(results, method=Replicated(joint=False), rng=1)
    monkeypatch.undo()
    whole: Any = bc.compare(results, method=Replicated(joint=False))
    gap = np.abs(cut.probability.values - whole.probability.values)
    assert (gap < 4.0 * np.maximum(cut.mcse.values, 2e-3)).all()


def test_saved_and_loaded(learned: Any, tmp_path: Path) -> None:
    learned.to_json(tmp_path / "c.json")
    learned.to_netcdf(tmp_path / "c.nc")
    for name in ("c.json", "c.nc"):
        c: Any = bc.load_comparison(tmp_path / name)
        pd.testing.assert_frame_equal(c.per_dataset, learned.per_dataset)
        np.testing.assert_allclose(c.evidence, learned.evidence)
        assert c.explain() == learned.explain()


# ------------------------------------------------------------------------------------------ words


def test_words_say_which_datasets_are_unsure_and_what_was_learned(learned: Any) -> None:
    words = learned.explain()
    assert "sure of a statement" in words
    assert "was learned from all datasets" in words
    flat: Any = bc.compare(folds(n=2), method="replicated")
    assert "fewer than three datasets" in flat.explain()


# ----------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rho": 1.0}, r"rho=1.0: a correlation of replicates lies in \[0, 1\)"),
        ({"rho": -0.1}, "rho=-0.1"),
        ({"rho": 0.1, "folds": 10}, "each determines the other"),
        ({"folds": 1}, "folds=1"),
        ({"effects": "none"}, "effects="),
        ({"joint": "yes"}, "joint"),
        ({"prior": "learned", "priors": {"alpha": 1.0}}, "give one or the other"),
        ({"prior": "imprecise"}, "'dirichlet' only"),
        ({"strength": 0}, "strength"),
        ({"priors": {"thet": 1}}, "thet"),
        ({"priors": {"alpha": 1.0}, "joint": False}, "joint=True"),
        ({"priors": {"alpha": 1.0, "strength": 1.0}}, "give one of them"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BayescompareError, match=message):
        Replicated(**options)


def test_wrong_tables_are_refused(table: bc.Results) -> None:
    with pytest.raises(BayescompareError, match="needs replicates"):
        bc.compare(bc.load_example("benavoli-example1"), method="replicated")
    with pytest.raises(BayescompareError, match="cannot be guessed"):
        bc.compare(folds(k=25, n=3), method="replicated")
    with pytest.raises(BayescompareError, match="compares two algorithms"):
        bc.compare(folds(algorithms=("A", "B", "C")), method="replicated")
    c: Any = bc.compare(table, method=Replicated(joint=False))
    for quantity in ("model", "sample", "loo"):
        with pytest.raises(BayescompareError, match="joint=True"):
            getattr(c, quantity)()


def test_seeds_are_independent_and_many_of_them_are_no_question(tmp_path: Path) -> None:
    frame = folds(k=25, n=3).to_frame()
    measures = dict.fromkeys(NAMES[:2], "max")
    seeds = bc.Results.from_frame(
        frame, replicate="replicate", replicates="seeds", measures=measures
    )
    c: Any = bc.compare(seeds, method="replicated")
    given: Any = bc.compare(folds(k=25, n=3), method=Replicated(rho=0.0))
    np.testing.assert_array_equal(c.probability, given.probability)
    assert "The replicates are seeds" in c.explain()
    assert "25 seeds" in repr(seeds)
    assert bc.Results.from_dataset(seeds.to_dataset()) == seeds
    c.to_json(tmp_path / "c.json")
    c.to_netcdf(tmp_path / "c.nc")
    for name in ("c.json", "c.nc"):
        assert bc.load_comparison(tmp_path / name).results.replicates == "seeds"
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = bc.read_results(
        tmp_path / "t.csv", replicate="replicate", replicates="seeds", measures=measures
    )
    assert read.replicates == "seeds"
    with pytest.raises(BayescompareError, match="replicates="):
        bc.Results.from_frame(frame, replicate="replicate", replicates="fold", measures=measures)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------- NUTS


@pytest.mark.slow
def test_nuts_agrees_with_the_exact_answer() -> None:
    import arviz as az

    c: Any = bc.compare(folds(), method="replicated")
    tree = c.sample(1000, chains=4, rng=1, progressbar=False, cores=1, target_accept=0.95)
    theta = tree["posterior"]["theta"].sel(statement=list(c.answer.labels))
    error = az.mcse(theta, method="mean").values
    gap = theta.mean(("chain", "draw")).values - c.answer.per_statement["theta_mean"]
    np.testing.assert_array_less(np.abs(gap), 4.0 * error)
    largest = (theta == theta.max("statement")).astype(float)
    error = az.mcse(largest, method="mean").values
    gap = largest.mean(("chain", "draw")).values - c.probability.values
    np.testing.assert_array_less(np.abs(gap), 4.0 * np.maximum(error, 1e-3))
    assert float(az.rhat(theta).max()) < 1.01
    assert int(tree["sample_stats"]["diverging"].sum()) == 0


@pytest.mark.slow
def test_a_prior_of_the_users_is_answered_by_nuts() -> None:
    import pymc as pm

    results = folds()
    c: Any = bc.compare(
        results, method=Replicated(priors={"strength": pm.Gamma.dist(2.0, 2.0)}), rng=1,
        sampler={"draws": 500, "chains": 2, "cores": 1, "progressbar": False},
    )  # fmt: skip
    assert not c.exact
    # The strength summed over a grid, each by its density and the exact evidence.
    grid = np.geomspace(0.02, 20.0, 30)
    each: list[Any] = [bc.compare(results, method=Replicated(strength=float(a))) for a in grid]
    logs = np.array([one.log_evidence for one in each]) + 2.0 * np.log(grid) - 2.0 * grid
    weight = np.exp(logs - logs.max())
    exact = sum(w * one.probability for w, one in zip(weight / weight.sum(), each, strict=True))
    assert (abs(c.probability - exact) < 4.0 * c.mcse + 1e-3).all()
