"""What model files predict, and the tables that they simulate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare.methods.model_file import ModelFile, ModelPosterior
from bayescompare.modelling import ranks
from bayescompare.statements import Statements
from tests.methods.model_file import simulated
from tests.methods.model_file.own import by_measure
from tests.tables import table


def answered(**posterior: tuple[tuple[str, ...], Any]) -> Any:
    """An answer with draws of these variables, as if a model had been sampled."""
    groups: dict[str, dict[str, Any]] = {"posterior": {}, "posterior_predictive": {}}
    for name, (dims, values) in posterior.items():
        predicted = name in ("rank", "score", "gap")
        group = "posterior_predictive" if predicted else "posterior"
        groups[group][name] = (("chain", "draw", *dims), values)
    coords = {
        "statement": ["A>B", "A=B", "B>A"],
        "algorithm": list("AB"),
        "opponent": list("AB"),
        "measure": ["m0"],
    }

    class Sampled:
        tree = xr.DataTree.from_dict(
            {
                group: xr.Dataset(
                    variables,
                    {d: c for d, c in coords.items() if any(d in v[0] for v in variables.values())},
                )
                for group, variables in groups.items()
            }
        )

    return Sampled()


RESULTS = table([[[1.0], [2.0]], [[4.0], [3.0]], [[2.0], [1.0]]])


def predict(answer: Any, number: int = 2, draws: int = 4000) -> np.ndarray:
    asked = ModelPosterior(ModelFile(by_measure), RESULTS, answer)
    return asked.predict(number, draws, np.random.default_rng(1))


def simulated_by(method: ModelFile, results: bc.Results) -> bc.Results:
    unasked: Any = None  # a table from the prior needs no answer
    return ModelPosterior(method, results, unasked).simulate(np.random.default_rng(1))


def share(found: np.ndarray, label: str) -> float:
    return float((found == label).mean())


def test_theta_is_how_often_a_statement_holds() -> None:
    theta = np.broadcast_to([0.2, 0.3, 0.5], (2, 10, 3))
    found = predict(answered(theta=(("statement",), theta)))
    assert share(found, "A>B") == pytest.approx(0.2, abs=0.03)
    assert share(found, "A=B") == pytest.approx(0.3, abs=0.03)


def test_what_better_leaves_is_a_tie() -> None:
    better = np.broadcast_to([[0.0, 0.6], [0.1, 0.0]], (2, 10, 2, 2))
    found = predict(answered(better=(("algorithm", "opponent"), better)))
    assert share(found, "A>B") == pytest.approx(0.6, abs=0.03)
    assert share(found, "B>A") == pytest.approx(0.1, abs=0.03)
    assert share(found, "A=B") == pytest.approx(0.3, abs=0.03)


def test_predicted_ranks_are_statements_and_ties_are_broken_by_chance() -> None:
    rank = np.zeros((1, 4, 3, 2))
    rank[0, :2] = [1, 2]
    rank[0, 2] = [2, 1]
    rank[0, 3] = [1.5, 1.5]
    strength = (("algorithm",), np.zeros((1, 4, 2)))
    found = predict(answered(strength=strength, rank=(("dataset", "algorithm"), rank)))
    assert found.shape == (4000, 2)
    assert set(np.unique(found)) == {"A>B", "B>A"}
    assert share(found, "A>B") == pytest.approx(0.625, abs=0.03)


def test_scores_and_gaps_order_the_algorithms() -> None:
    score = np.zeros((1, 4, 3, 2))
    score[0, :3] = [5.0, -2.0]
    score[0, 3] = [0.1, 0.3]
    strength = (("algorithm",), np.zeros((1, 4, 2)))
    found = predict(answered(strength=strength, score=(("dataset", "algorithm"), score)))
    assert share(found, "A>B") == pytest.approx(0.75, abs=0.03)
    gap = (score[..., 0] - score[..., 1])[..., None]
    found = predict(answered(strength=strength, gap=(("dataset", "measure"), gap)))
    assert share(found, "A>B") == pytest.approx(0.75, abs=0.03)
    roped = table([[[1.0], [2.0]], [[4.0], [3.0]], [[2.0], [1.0]]], rope=0.5)
    answer = answered(strength=strength, gap=(("dataset", "measure"), gap))
    asked = ModelPosterior(ModelFile(by_measure), roped, answer)
    found = asked.predict(2, 4000, np.random.default_rng(1))
    assert share(found, "A=B") == pytest.approx(0.25, abs=0.03)


def test_a_model_that_predicts_no_statement_says_what_is_missing() -> None:
    strength = (("algorithm",), np.zeros((1, 4, 2)))
    with pytest.raises(bc.BayescompareError, match=r"predict: .*'theta'.*'better'.*'rank'"):
        predict(answered(strength=strength))


def ranked(results: bc.Results) -> pm.Model:
    """Strengths and Gumbel noise: the smallest model that predicts ranks."""
    coords = {"algorithm": results.algorithms, "dataset": results.datasets}

    def draw(strength: Any, rng: Any = None, size: Any = None) -> Any:
        shape = strength.shape if size is None else (*size, strength.shape[-1])
        return (-(strength + rng.gumbel(size=shape))).argsort(-1).argsort(-1) + 1.0

    def logp(rank: Any, strength: Any) -> Any:
        return -((rank - strength) ** 2).sum(-1)

    with pm.Model(coords=coords) as model:
        strength = pm.Normal("strength", 0.0, [1.0, 2.0, 3.0], dims="algorithm")
        pm.CustomDist(
            "rank",
            strength,
            logp=logp,
            random=draw,
            signature="(l)->(l)",
            observed=ranks(results)[..., 0],
            dims=("dataset", "algorithm"),
        )
    return model


@pytest.fixture(scope="module")
def three() -> bc.Results:
    measures: dict[str, str | bc.Measure] = {"error": bc.Measure("min", bounds=(0, 1))}
    return table(np.random.default_rng(0).random((4, 3, 1)), measures=measures)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Numba will use object mode")
def test_more_datasets_than_were_seen_are_predicted_anew(three: bc.Results) -> None:
    with ranked(three):
        tree = pm.sample_prior_predictive(50, random_seed=1)
    sampled = xr.DataTree.from_dict(
        {"posterior": tree["prior"].ds, "posterior_predictive": tree["prior_predictive"].ds}
    )

    class Sampled:
        pass

    answer: Any = Sampled()
    answer.tree = sampled
    asked = ModelPosterior(ModelFile(ranked), three, answer)
    found = asked.predict(9, 200, np.random.default_rng(1))
    assert found.shape == (200, 9)
    names = {"".join(sorted(label.replace(">", ""))) for label in np.unique(found)}
    assert names == {"ABC"}
    # The datasets of one sample share its strengths: the same order more often than by chance.
    assert (found[:, 0] == found[:, 8]).mean() > 0.25


def test_ranks_drawn_from_the_prior_make_a_table(three: bc.Results) -> None:
    simulated = simulated_by(ModelFile(ranked), three)
    assert simulated.truth is not None
    assert simulated.truth["strength"].dims == ("algorithm",)
    assert Statements.of(simulated).n_observed >= 1
    assert simulated["error"] == three["error"]


@pytest.mark.parametrize(
    ("name", "results", "variable"),
    [
        ("dirichlet_hyperprior", "two", "theta"),
        ("bradley_terry", "one", "strength"),
        pytest.param("logistic_normal", "two", "theta", marks=pytest.mark.slow),
        pytest.param("plackett_luce", "two", "strength", marks=pytest.mark.slow),
        pytest.param("covariates", "one", "p", marks=pytest.mark.slow),
        pytest.param("hierarchical_t", "folds", "difference", marks=pytest.mark.slow),
        pytest.param("multivariate_normal", "folds", "theta", marks=pytest.mark.slow),
        pytest.param("multivariate_normal", "two", "theta", marks=pytest.mark.slow),
        pytest.param("spike_and_slab", "two", "difference", marks=pytest.mark.slow),
        pytest.param("item_response", "two", "strength", marks=pytest.mark.slow),
        pytest.param("thurstone", "two", "strength", marks=pytest.mark.slow),
    ],
)
def test_bundled_models_simulate(name: str, results: str, variable: str) -> None:
    """Tables that their own model takes, with the truth beside them."""
    from tests.methods.context.folds import frame_of, scores

    rng = np.random.default_rng(0)
    tables = {
        "one": table(rng.random((5, 2, 1))),
        "two": table(rng.random((5, 2, 2))),
        "folds": bc.Results.from_frame(
            frame_of(scores(n=4, k=5)), replicate="fold", measures={"score": bc.Measure("min")}
        ),
    }
    simulated = simulated_by(ModelFile(name), tables[results])
    assert simulated.truth is not None
    assert variable in simulated.truth
    assert simulated.datasets == tables[results].datasets
    ModelFile(name).model(simulated)


def predicting(name: str, dims: tuple[str, ...], values: Any) -> ModelFile:
    """A model of the user's that predicts these numbers under this name, with no table()."""

    def build(results: bc.Results) -> pm.Model:
        coords = {
            "dataset": results.datasets,
            "algorithm": results.algorithms,
            "measure": results.measures,
            "statement": Statements.of(results.average()).labels,
        }
        with pm.Model(coords=coords) as model:
            pm.Normal("strength", dims="algorithm")
            pm.Dirichlet("theta", np.ones(len(coords["statement"])), dims="statement")
            if np.asarray(values).dtype.kind == "i" and dims == ("dataset",) and name != "win":
                pm.Categorical(name, np.eye(4)[values], observed=values, dims=dims)
            else:
                pm.Normal(name, values, 1e-9, observed=values, dims=dims)
        return model

    return ModelFile(build)


# refusals -----------------------------------------------------------------------------------------


def with_table(make: Callable[..., Any]) -> ModelFile:
    def build(results: bc.Results) -> pm.Model:
        return by_measure(results)

    build.table = make  # type: ignore[attr-defined]
    return ModelFile(build)


def fails(predicted: xr.Dataset, results: bc.Results) -> bc.Results:
    raise KeyError("win")


@pytest.mark.parametrize(
    ("method", "why"),
    [
        (
            predicting("y", ("dataset",), np.zeros(3)),
            r"predicts 'y' over \('dataset',\), .*table\(",
        ),
        (with_table(fails), r"table\(\) failed: KeyError"),
        (with_table(lambda predicted, results: 3), r"table\(\) returned a int, not Results"),
    ],
)
def test_what_makes_no_table_is_refused(method: ModelFile, why: str) -> None:
    with pytest.raises(bc.BayescompareError, match=why):
        simulated_by(method, RESULTS)


def test_a_table_that_is_no_function_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="table must be a function"):
        with_table("wins")  # type: ignore[arg-type]


def test_a_flat_prior_is_refused_in_one_line() -> None:
    def improper(results: bc.Results) -> pm.Model:
        with pm.Model(coords={"algorithm": results.algorithms, "dataset": results.datasets}) as m:
            strength = pm.Flat("strength", dims="algorithm")
            won = (results.oriented()[:, 0, 0] > results.oriented()[:, 1, 0]).astype(int)
            gap = strength[0] - strength[1]
            pm.Bernoulli("win", logit_p=gap, observed=won, dims="dataset")
        return m

    with pytest.raises(bc.BayescompareError, match=r"simulate: .*improper prior") as refused:
        simulated_by(ModelFile(improper), RESULTS)
    assert "\n" not in str(refused.value)


# tables of what is predicted ---------------------------------------------------------------------

WANTED = np.array([[3.0, -0.5], [0.0, 0.1], [-1.0, 2.0]])
BOTH = ("dataset", "algorithm", "measure")


def test_predicted_gaps_and_scores_become_values() -> None:
    """Turned as the measures are, and out of their bounds where they are."""
    measures = {"auc": bc.Measure("max", bounds=(0, 1)), "time": bc.Measure("min")}
    values = np.random.default_rng(0).random((3, 2, 2))
    cells = table(values, measures=measures)
    made = simulated_by(predicting("gap", ("dataset", "measure"), WANTED), cells).oriented()
    np.testing.assert_allclose(made[:, 0] - made[:, 1], WANTED, atol=1e-6)
    made = simulated_by(predicting("score", BOTH, values - 0.5), cells).oriented()
    np.testing.assert_allclose(made, values - 0.5, atol=1e-6)
    one = cells.sel(measures=["time"])
    made = simulated_by(predicting("gap", ("dataset",), WANTED[:, 0]), one).oriented()
    np.testing.assert_allclose(made[:, 0, 0] - made[:, 1, 0], WANTED[:, 0], atol=1e-6)


def test_predicted_gaps_move_folds() -> None:
    """As spread as before."""
    results = simulated.gaps(np.zeros(2), np.eye(2), 3, 0, k=4)
    made = simulated_by(predicting("gap", ("dataset", "measure"), WANTED), results)
    assert made.n_replicates == 4
    for j, name in enumerate(results.measures):
        old, new = (
            x.data[name].transpose("dataset", "algorithm", "replicate").values
            for x in (results, made)
        )
        gap = new[:, 0] - new[:, 1]
        np.testing.assert_allclose(gap.mean(axis=1), WANTED[:, j], atol=1e-6)
        np.testing.assert_allclose(gap.std(axis=1), (old[:, 0] - old[:, 1]).std(axis=1), atol=1e-6)


def test_predicted_wins_and_numbers_of_statements_become_tables() -> None:
    cells = table(np.random.default_rng(0).random((3, 2, 2)), rope=0.1)
    wins = np.array([[1, 0], [0, 0], [1, 1]])
    made = simulated_by(predicting("win", ("dataset", "measure"), wins), cells).oriented()
    assert (made[:, 0] - made[:, 1] > 0.1).astype(int).tolist() == wins.tolist()
    assert (abs(made[:, 0] - made[:, 1]) > 0.1).all()
    plain = table(np.random.default_rng(0).random((3, 2, 2)))
    found = simulated_by(predicting("which", ("dataset",), np.array([3, 0, 2])), plain)
    shown = Statements.of(found).table
    assert shown.statement.tolist() == [3, 0, 2]
