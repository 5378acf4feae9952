"""`compare_models`: log scores, Bayes factors and stacking weights of several comparisons."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytest
import xarray as xr
from scipy.optimize import minimize

import bayescompare as bc
from bayescompare.comparisons import ModelComparison
from bayescompare.methods.model_file.answer import ModelDetails
from bayescompare.methods.model_file.densities import check_statements, statement_totals
from bayescompare.modelling import ranks
from tests.methods.model_file.own import QUICK, multinomial
from tests.tables import table

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


def test_models_beside_each_other(results: bc.Results) -> None:
    asked = [
        bc.compare(results),
        bc.compare(results, method=bc.methods.Dirichlet(prior="uniform")),
        bc.compare(results, method=bc.methods.Network(search=[])),
    ]
    found = bc.compare_models(asked, names=["symmetric", "uniform", "independent"])
    table = found.table
    assert sorted(table.index) == ["independent", "symmetric", "uniform"]
    for name, c in zip(["symmetric", "uniform", "independent"], asked, strict=True):
        assert table.loc[name, "log_evidence"] == c.log_evidence
        assert table.loc[name, "elpd"] == pytest.approx(float(c.loo().elpd))
    best = table["log_evidence"].max()
    np.testing.assert_allclose(table["bayes_factor"], np.exp(table["log_evidence"] - best))
    assert table["elpd"].is_monotonic_decreasing
    assert table["difference"].iloc[0] == 0.0
    np.testing.assert_allclose(table["difference"], table["elpd"].max() - table["elpd"])
    # By hand: the standard error of a difference is that of the sum of differences.
    one, other = (asked[k].loo().elpd_i.values for k in (2, 1))
    assert table.loc["uniform", "dse"] == pytest.approx(
        math.sqrt(len(one) * np.var(one - other)), rel=1e-6
    )
    assert table["weight"].sum() == pytest.approx(1.0)
    assert found.best in found.explain()
    assert (table["how"] == "exact").all()


def test_a_model_of_one_s_own_that_observes_statements_is_compared_with_the_built_in_one() -> None:
    """Its outcome is a table of weights, that of the built-in model a number for each dataset."""
    results = bc.load_example("benavoli-example1")
    sampler = {"draws": 100, "chains": 2, "tune": 200}
    mine = bc.compare(results, method=multinomial, rng=1, sampler=sampler)
    same = bc.compare(results, method=bc.methods.Dirichlet(prior="uniform"))
    found = bc.compare_models([same, mine], names=["built in", "mine"]).table
    assert found.loc["mine", "elpd"] == pytest.approx(found.loc["built in", "elpd"], abs=0.3)


def test_same_names_are_told_apart(results: bc.Results) -> None:
    asked = [bc.compare(results), bc.compare(results, method=bc.methods.Dirichlet(strength=2))]
    assert sorted(bc.compare_models(asked).table.index) == ["dirichlet", "dirichlet 2"]


def test_models_of_different_data_are_refused(results: bc.Results, counts: bc.Results) -> None:
    c = bc.compare(results)
    fewer = bc.compare(results.sel(datasets=results.datasets[:6]))
    one = bc.compare(results, measures=["time"])
    changed = results.to_frame()
    changed.loc[0, "accuracy"] += 1.0
    other = bc.Results.from_frame(changed, measures=dict(results.spec))
    for wrong, why in [
        ([c, fewer], "datasets"),
        ([c, one], "measures"),
        ([c, bc.compare(other)], "other values"),
        ([c], "at least two"),
        (c, "at least two"),
        ([c, results], "holds a Results"),
        ([c, bc.compare(results, method="glrt")], "glrt"),
        (
            [bc.compare(counts, method="dirichlet"), bc.compare(counts, method="hierarchical")],
            "predict different things",
        ),
    ]:
        with pytest.raises(bc.BayescompareError, match=why):
            bc.compare_models(wrong)  # type: ignore[arg-type]
    for names in (["one"], 5):
        with pytest.raises(bc.BayescompareError, match="names"):
            bc.compare_models([c, c], names=names)  # type: ignore[arg-type]


def independent_measures(seed: int, n: int = 14) -> bc.Results:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1)) * rng.choice([0.5, 1, 2])
    difference = common + rng.normal(size=(n, 3))
    return table(np.stack([difference, np.zeros_like(difference)], axis=1))


def test_a_graph_that_was_learned_is_learned_anew_without_the_dataset_left_out() -> None:
    """With the graph of all the data, the dataset left out has had its say in the prediction.

    Here the graph of all data has elpd -31.1, ahead of the full table's -35.4; learned anew each
    time the elpd is -38.0, behind it.
    """
    whole = independent_measures(4)
    quick = bc.methods.Network(mcse=0.05)  # the probabilities are not what is asked
    c = bc.compare(whole, method=quick)
    without = []
    for left_out in whole.datasets:
        rest = whole.sel(datasets=[name for name in whole.datasets if name != left_out])
        learned = bc.compare(rest, method=quick)
        details = learned.answer.facts
        same = bc.methods.Network(
            search=list(details.edges),
            max_parents=details.max_parents,
            mcse=0.05,
        )
        without.append(bc.compare(whole, method=same).log_evidence - learned.log_evidence)
    found = bc.compare_models([c, bc.compare(whole)], names=["network", "full"])
    assert found.table.loc["network", "how"] == "exact"
    np.testing.assert_allclose(c.loo().elpd_i.values, without, atol=1e-9)


def test_stacking_weights_are_the_best_mixture(results: bc.Results) -> None:
    asked = {
        "full": bc.compare(results),
        "independent": bc.compare(results, method=bc.methods.Network(search=[])),
        "odd": bc.compare(results, method=bc.methods.Dirichlet(prior={"A>B|A>B": 20.0, "*": 0.1})),
    }
    found = bc.compare_models(list(asked.values()), names=list(asked)).table
    density = np.exp(np.column_stack([asked[str(k)].loo().elpd_i.values for k in found.index]))

    def loss(z: np.ndarray) -> float:
        weight = np.exp(z - z.max())
        return -float(np.log(density @ (weight / weight.sum())).sum())

    best = min(
        minimize(loss, start, method="Nelder-Mead", options={"maxiter": 4000}).fun
        for start in np.random.default_rng(0).normal(size=(3, 3))
    )
    assert -np.log(density @ found["weight"].to_numpy()).sum() == pytest.approx(best, abs=1e-4)
    assert found["weight"].max() > 0.9
    for name, c in asked.items():
        each = c.loo().elpd_i.values
        assert found.loc[name, "se"] == pytest.approx(math.sqrt(len(each) * each.var()))
        assert found.loc[name, "p"] > 0


def test_the_words_about_models_follow_the_figures(results: bc.Results) -> None:
    """The network is ahead by about one; the model that insists on one statement by many."""
    odd = bc.methods.Dirichlet(prior={"A>B|A>B": 50.0, "*": 0.1})
    asked = [bc.compare(results), bc.compare(results, method=odd)]
    said = bc.compare_models(asked, names=["full", "odd"]).explain()
    assert "clearly ahead of odd" in said
    assert "times as probable as odd" in said
    same = bc.compare_models([asked[0], bc.compare(results)]).explain()
    assert "do not tell them apart" in same
    assert "evidence does not tell" in same


def test_a_bayes_factor_is_told_and_a_poor_k_hat_too(results: bc.Results) -> None:
    uniform = bc.compare(results, method=bc.methods.Dirichlet(prior="uniform"))
    full = bc.compare(results)
    found = bc.compare_models([full, uniform], names=["full", "uniform"])
    factor = math.exp(uniform.log_evidence - full.log_evidence)
    assert f"uniform is {factor:.3g} times as probable as full" in found.explain()
    assert "PSIS" not in found.explain()
    poor = replace(found, table=found.table.assign(khat=[0.9, 0.2]))
    assert f"PSIS is unreliable for {found.table.index[0]} (" in poor.explain()


def test_the_evidence_of_a_chosen_graph_is_told_as_such(results: bc.Results) -> None:
    """The data chose the graph: its evidence is the greatest of all graphs', not the model's.

    4.9 against the full table, where over all graphs, which are equally probable, it is 2.3.
    """
    full, network = bc.compare(results), bc.compare(results, method="network")
    over_all = bc.compare(results, method=bc.methods.Network(average=True)).log_evidence
    found = bc.compare_models([full, network], names=["full", "network"])
    assert found.table.loc["network", "log_evidence"] > over_all
    assert "of the graph that the data chose" in found.explain()


def test_other_directions_are_other_data(results: bc.Results) -> None:
    flipped = bc.Results(results.data, {**results.spec, "time": bc.Measure("max")})
    with pytest.raises(bc.BayescompareError, match="predict different things"):
        bc.compare_models([bc.compare(results), bc.compare(flipped)])


def test_a_sampled_answer_read_from_json_says_that_its_chains_are_gone(
    own: bc.Comparison, tmp_path: Path
) -> None:
    own.to_json(tmp_path / "own.json")
    kept = bc.load_comparison(tmp_path / "own.json")
    for ask in (lambda: bc.compare_models([kept, bc.compare(own.results)]), kept.check):
        with pytest.raises(bc.BayescompareError, match=r"chains|saved"):
            ask()


# ------------------------------------------------------------------------- ranks and statements


def orders(l: int = 3, m: int = 2, n: int = 12, **more: Any) -> bc.Results:
    """Three algorithms, the first ones better, without a tie."""
    rng = np.random.default_rng(5)
    return table(rng.normal(size=(n, l, m)) - 0.8 * np.arange(l)[None, :, None], **more)


def sampled(results: bc.Results, model: Any) -> bc.Comparison:
    return bc.compare(results, method=model, rng=1, sampler=QUICK)


def prior_draws(method: bc.methods.ModelFile, results: bc.Results) -> xr.Dataset:
    """Any parameters will do: a probability sums to one at all of them."""
    model = method.model(results)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Numba will use object mode")
        drawn = pm.sample_prior_predictive(3, model=model, random_seed=1)
    return drawn["prior"].to_dataset()


#: What models that declare DATA_SCALE predict, and the sum over all statements.
SCALES: dict[str, tuple[str, dict[str, Any], bool]] = {
    "plackett_luce, l = 3, m = 2, K = 36": ("plackett_luce", {}, True),
    "covariates, rope": ("covariates", {"l": 2, "m": 1, "rope": 0.3}, False),
    "bradley_terry, rope": ("bradley_terry", {"l": 2, "m": 1, "rope": 0.3}, True),
    "bradley_terry": ("bradley_terry", {"l": 2, "m": 1}, False),
    "dirichlet_hyperprior": ("dirichlet_hyperprior", {"l": 2}, True),
    "logistic_normal": ("logistic_normal", {"l": 2}, True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALES)
def test_what_predicts_statements_sums_to_one_over_them(name: str) -> None:
    source, shape, is_scale = SCALES[name]
    method, results = bc.methods.ModelFile(source), orders(**shape)
    assert method.data_scale == "statements"
    draws = prior_draws(method, results)
    totals = statement_totals(method, results, draws)
    print(f"{name}: {totals.min():.8f} to {totals.max():.8f}")
    assert np.allclose(totals, 1.0, atol=1e-6) == is_scale
    if is_scale:
        check_statements(method, results, draws)
    else:
        with pytest.raises(bc.BayescompareError, match=f"{source}.*sum to .*, not 1"):
            check_statements(method, results, draws)


@pytest.mark.slow
def test_ranks_and_statements_are_compared_on_the_scale_of_statements() -> None:
    results = orders()
    asked = [bc.compare(results), sampled(results, "plackett_luce")]
    found = bc.compare_models(asked, names=["statements", "ranks"], evidence="bridge", rng=1)
    # Twelve datasets say little about 36 statements, and much about four strengths.
    assert found.best == "ranks"
    assert found.table.loc["statements", "evidence_se"] == 0.0
    assert 0.0 < found.table.loc["ranks", "evidence_se"] < 0.2
    # Leave-one-out by hand: a statement that no other dataset has gets α/(A + n − 1).
    counts = asked[0].answer.counts
    unseen = int((counts == 1).sum())
    assert np.isclose(asked[0].loo().elpd_i.values, math.log(1 / 36 / 12)).sum() == unseen
    assert found.table.loc["ranks", "log_evidence"] > asked[0].log_evidence


def by_rank(results: bc.Results) -> pm.Model:
    """Ranks as numbers: their densities are no probabilities of statements."""
    coords = {"algorithm": results.algorithms, "dataset": results.datasets}
    with pm.Model(coords=coords) as model:
        strength = pm.Normal("strength", dims="algorithm")
        pm.Normal("rank", strength, observed=ranks(results)[..., 0], dims=("dataset", "algorithm"))
    return model


def wrongly(results: bc.Results) -> pm.Model:
    return by_rank(results)


wrongly.DATA_SCALE = "statements"  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def by_ranks() -> dict[str, bc.Comparison]:
    """The two models at any parameters, since only their scale is asked about."""
    results = orders(l=2, m=1, n=5)
    strength = np.random.default_rng(1).normal(size=(2, 60, 2))
    seen = ranks(results)[..., 0]
    names = {"dataset": list(results.datasets), "algorithm": list(results.algorithms)}
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset({"strength": (("chain", "draw", "algorithm"), strength)}),
            "observed_data": xr.Dataset({"rank": (("dataset", "algorithm"), seen)}, names),
        }
    )
    exact = bc.compare(results).answer
    return {
        name: ModelComparison(
            results,
            bc.methods.ModelFile(build),
            replace(exact, tree=tree, facts=ModelDetails(model=name, title=name)),
        )
        for name, build in {"by_rank": by_rank, "wrongly": wrongly}.items()
    }


def test_a_model_without_a_scale_is_refused(by_ranks: dict[str, bc.Comparison]) -> None:
    c = by_ranks["by_rank"]
    with pytest.raises(bc.BayescompareError, match=r"DATA_SCALE: 'statements' and none"):
        bc.compare_models([bc.compare(c.results), c])


def test_a_scale_that_does_not_hold_is_refused(by_ranks: dict[str, bc.Comparison]) -> None:
    c = by_ranks["wrongly"]
    with (
        pytensor.config.change_flags(mode="FAST_COMPILE"),
        pytest.raises(bc.BayescompareError, match=r"wrongly: DATA_SCALE.*sum to .*, not 1"),
    ):
        bc.compare_models([bc.compare(c.results), c])


def test_ties_are_treated_differently_and_so_refused(by_ranks: dict[str, bc.Comparison]) -> None:
    c = by_ranks["wrongly"]
    data = c.results.data.copy(deep=True)
    data["m0"][2] = 0.5
    tied = bc.Results(data, c.results.spec)
    with pytest.raises(bc.BayescompareError, match="treat ties differently, and d2 is tied"):
        bc.compare_models([bc.compare(tied), replace(c, results=tied)])


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"refit": "yes"}, "refit='yes'"),
        ({"evidence": "x"}, "evidence='x': must be"),
        ({"rng": -3}, "rng=-3"),
    ],
)
def test_options_are_checked(results: bc.Results, asked: dict[str, Any], why: str) -> None:
    c = bc.compare(results)
    with pytest.raises(bc.BayescompareError, match=why):
        bc.compare_models([c, c], **asked)


@pytest.mark.parametrize("scale", [3, ["statements"]])
def test_a_scale_is_a_word(scale: object) -> None:
    def build(results: bc.Results) -> pm.Model:
        return by_rank(results)

    build.DATA_SCALE = scale  # type: ignore[attr-defined]
    with pytest.raises(bc.BayescompareError, match="DATA_SCALE="):
        bc.methods.ModelFile(build)
