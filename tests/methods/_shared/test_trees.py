"""Trees of conjugate draws: their shape, their moments, and what ArviZ makes of them."""

from __future__ import annotations

import math
import warnings

import arviz as az
import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import Dirichlet
from bayescompare.methods._shared.trees import ratio_prior
from bayescompare.outcome.scores import psis_loo
from tests.oracles.statements import every_label, statement_counts, statement_weights
from tests.tables import table

GROUPS = {
    "posterior",
    "prior",
    "posterior_predictive",
    "prior_predictive",
    "observed_data",
    "constant_data",
    "log_likelihood",
    "log_prior",
}


def values(n: int, l: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (n, l, m)).astype(float)


def many_observed() -> np.ndarray:
    """K = 4096 and four hundred observed statements: some of them fall into "(other)"."""
    rng = np.random.default_rng(2)
    made = rng.random((400, 2, 12))
    # A wins most often, so that the posterior is far from the prior.
    made[:, 0] += 0.1
    made[:60] = made[0]
    return made


@pytest.fixture(scope="module")
def example() -> xr.DataTree:
    return bc.compare(bc.load_example("benavoli-example1")).draws(1000, chains=4, rng=0)


@pytest.fixture(scope="module")
def lumped() -> xr.DataTree:
    return bc.compare(table(many_observed())).draws(400, chains=2, rng=0)


def near(draws: np.ndarray, mean: float, sigmas: float = 4.0) -> bool:
    """Whether the mean of independent draws is where it should be."""
    return abs(draws.mean() - mean) <= sigmas * draws.std() / math.sqrt(draws.size) + 1e-12


# -------------------------------------------------------------------------------------------- shape


def test_groups_variables_and_dims(example: xr.DataTree) -> None:
    assert set(example.children) == GROUPS
    sample = ("chain", "draw")
    seen = {
        "outcome": ("dataset",),
    }
    predicted = {name: (*sample, *dims) for name, dims in seen.items()}
    expected: dict[str, dict[str, tuple[str, ...]]] = {
        "posterior": {"theta": (*sample, "statement"), "marginal": (*sample, "measure")},
        "prior": {"theta": (*sample, "statement"), "marginal": (*sample, "measure")},
        "posterior_predictive": predicted,
        "prior_predictive": predicted,
        "observed_data": seen,
        "log_likelihood": {"outcome": (*sample, "dataset")},
        "constant_data": {"count": ("statement",)},
    }
    for group, variables in expected.items():
        data = example[group].to_dataset()
        assert {str(k): v.dims for k, v in data.data_vars.items()} == variables
    assert example["posterior"].sizes["chain"] == 4
    assert example["posterior"].sizes["draw"] == 1000
    assert example["posterior"]["statement"].values.tolist() == every_label("AB", 2)
    assert example["posterior"]["measure"].values.tolist() == ["accuracy", "time"]
    assert example["log_likelihood"]["dataset"].values.tolist() == [f"D{i}" for i in range(1, 13)]
    assert set(example["log_prior"].data_vars) == {
        "latent_gamma_theta",
        "latent_exponential_theta",
    }
    assert example["constant_data"]["count"].values.tolist() == [1, 2, 3, 6]
    made = {"method": "dirichlet", "seed": 0, "sampler": "conjugate"}
    assert made.items() <= {**example.attrs}.items()
    assert example.attrs["inference_package"] == "bayescompare"


def test_three_algorithms_have_a_marginal_per_algorithm() -> None:
    tree = bc.compare(table(values(5, 3, 2))).draws(200, rng=0)
    marginal = tree["posterior"]["marginal"]
    assert marginal.dims == ("chain", "draw", "measure", "algorithm")
    assert marginal["algorithm"].values.tolist() == ["A", "B", "C"]
    np.testing.assert_allclose(marginal.sum("algorithm"), 1.0, atol=1e-12)


def test_one_seed_one_tree() -> None:
    c = bc.compare(bc.load_example("pnn"))
    one, two, other = c.draws(20, rng=3), c.draws(20, rng=3), c.draws(20, rng=4)
    for group in GROUPS:
        assert one[group].to_dataset().equals(two[group].to_dataset())
    assert not one["posterior"]["theta"].equals(other["posterior"]["theta"])
    generator = c.draws(20, rng=np.random.default_rng(3))
    assert generator["posterior"]["theta"].equals(one["posterior"]["theta"])


# ------------------------------------------------------------------------------------------ moments


def test_theta_sums_to_one_and_has_the_dirichlets_moments(example: xr.DataTree) -> None:
    theta = example["posterior"]["theta"]
    np.testing.assert_allclose(theta.sum("statement"), 1.0, atol=1e-12)
    shape = np.array([1.25, 2.25, 3.25, 6.25])
    for k in range(4):
        draws = theta.isel(statement=k).values
        assert near(draws, shape[k] / 13)
        assert near(draws**2, shape[k] * (shape[k] + 1) / (13 * 14))
        assert stats.kstest(draws.ravel(), stats.beta(shape[k], 13 - shape[k]).cdf).pvalue > 1e-4
    product = (theta.isel(statement=0) * theta.isel(statement=3)).values
    assert near(product, 1.25 * 6.25 / (13 * 14))


def test_the_share_of_draws_where_each_is_largest_is_the_exact_answer(example: xr.DataTree) -> None:
    p = bc.compare(bc.load_example("benavoli-example1")).probability.values
    top = example["posterior"]["theta"].values.reshape(-1, 4).argmax(axis=1)
    won = np.bincount(top, minlength=4) / len(top)
    assert np.all(np.abs(won - p) < 4 * np.sqrt(p * (1 - p) / len(top)))


def test_the_prior_is_the_prior(example: xr.DataTree) -> None:
    theta = example["prior"]["theta"]
    np.testing.assert_allclose(theta.sum("statement"), 1.0, atol=1e-12)
    for k in range(4):
        draws = theta.isel(statement=k).values
        assert near(draws, 0.25)
        assert near(draws**2, 0.25 * 1.25 / 2)


@pytest.mark.parametrize("l", [2, 3])
def test_marginals_are_sums_of_theta(l: int) -> None:
    tree = bc.compare(table(values(6, l, 2, seed=1))).draws(50, rng=0)
    for group in ("posterior", "prior"):
        theta, marginal = tree[group]["theta"], tree[group]["marginal"]
        labels = theta["statement"].values.tolist()
        for j in range(2):
            for name in "ABC"[:l]:
                leads = [label.split("|")[j].startswith(f"{name}>") for label in labels]
                expected = theta.values[..., leads].sum(axis=-1)
                found = marginal.isel(measure=j)
                if l == 2:
                    expected = expected if name == "A" else 1 - expected
                else:
                    found = found.sel(algorithm=name)
                np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_marginal_with_a_rope_does_not_count_equivalence_as_better() -> None:
    made = table([[[1.0], [1.0]], [[2.0], [1.0]], [[1.0], [2.0]]], rope=0.1)
    tree = bc.compare(made).draws(20, rng=0)
    theta = tree["posterior"]["theta"].sel(statement="A>B")
    np.testing.assert_allclose(
        tree["posterior"]["marginal"].isel(measure=0), theta.values, atol=1e-12
    )


# ---------------------------------------------------------------------------------------- "(other)"


def test_other_is_the_exact_aggregate_of_the_rest(lumped: xr.DataTree) -> None:
    counts = {k: float(v) for k, v in statement_counts(many_observed(), "AB").items()}
    theta = lumped["posterior"]["theta"]
    labels = theta["statement"].values.tolist()
    assert len(labels) == 256
    assert labels[-1] == "(other)"
    assert len(counts) > 300
    np.testing.assert_allclose(theta.sum("statement"), 1.0, atol=1e-12)
    kept = sum(counts[label] for label in labels[:-1])
    least = min(counts[label] for label in labels[:-1])
    assert all(n <= least for label, n in counts.items() if label not in labels)
    other = 400 - kept + (4096 - 255) / 4096
    assert lumped["constant_data"]["count"].values[-1] == pytest.approx(400 - kept)
    draws = theta.sel(statement="(other)").values
    assert near(draws, other / 401)
    assert near(draws**2, other * (other + 1) / (401 * 402))
    best = theta.sel(statement=max(counts, key=counts.__getitem__)).values
    shape = max(counts.values()) + 1 / 4096
    assert near(best, shape / 401)
    assert near(best * draws, shape * other / (401 * 402))


def wins_by_hand(array: np.ndarray, j: int) -> float:
    """Posterior weight of "A better on measure j": counts and half the prior."""
    counts = statement_counts(array, "AB")
    return 0.5 + float(sum(n for k, n in counts.items() if k.split("|")[j] == "A>B"))


def test_marginals_beyond_256_statements_have_the_right_moments(lumped: xr.DataTree) -> None:
    made = many_observed()
    for j in (0, 5, 11):
        a = wins_by_hand(made, j)
        draws = lumped["posterior"]["marginal"].isel(measure=j).values
        assert near(draws, a / 401)
        assert near(draws**2, a * (a + 1) / (401 * 402))
        assert stats.kstest(draws.ravel(), stats.beta(a, 401 - a).cdf).pvalue > 1e-4


@pytest.mark.parametrize("strength", [1.0, 40.0])
def test_marginals_of_three_algorithms_beyond_256_statements(strength: float) -> None:
    made = np.random.default_rng(0).random((7, 3, 4))
    c = bc.compare(table(made), method=Dirichlet(strength=strength))
    marginal = c.draws(2000, chains=2, rng=0)["posterior"]["marginal"]
    np.testing.assert_allclose(marginal.sum("algorithm"), 1.0, atol=1e-12)
    total = 7 + strength
    for j in range(4):
        for k, name in enumerate("ABC"):
            wins = float((made[:, :, j].argmax(axis=1) == k).sum()) + strength / 3
            draws = marginal.isel(measure=j).sel(algorithm=name).values
            assert near(draws, wins / total)
            assert near(draws**2, wins * (wins + 1) / (total * (total + 1)))


def test_marginals_beyond_256_statements_with_a_weak_prior() -> None:
    strength = 1e-3
    made = np.random.default_rng(0).random((5, 2, 9))
    tree = bc.compare(table(made), method=Dirichlet(strength=strength)).draws(500, rng=0)
    for group in ("posterior", "prior"):
        assert np.isfinite(tree[group]["marginal"]).all()
    wins = float((made[:, 0, 0] > made[:, 1, 0]).sum()) + strength / 2
    # Each marginal is a Beta, whose own spread is the error: a prior this weak makes draws that
    # by chance may all be nearly equal.
    for group, a, b in (
        ("posterior", wins, 5 + strength - wins),
        ("prior", strength / 2, strength / 2),
    ):
        draws = tree[group]["marginal"].isel(measure=0).values
        mean, spread = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
        assert abs(draws.mean() - mean) < 4 * spread / math.sqrt(draws.size)


# ---------------------------------------------------------------------- likelihood and predictions


@pytest.mark.parametrize("shape", [(6, 2, 2), (5, 3, 1)])
def test_the_log_likelihood_is_the_weighted_sum_of_log_theta(shape: tuple[int, int, int]) -> None:
    made = values(*shape, seed=3)
    names = "ABC"[: shape[1]]
    tree = bc.compare(table(made), method=Dirichlet(prior="uniform")).draws(30, rng=0)
    theta = tree["posterior"]["theta"]
    labels = theta["statement"].values.tolist()
    for i, weights in enumerate(statement_weights(made, names)):
        expected = sum(
            float(w) * np.log(theta.values[..., labels.index(k)]) for k, w in weights.items()
        )
        np.testing.assert_allclose(
            tree["log_likelihood"]["outcome"].isel(dataset=i), expected, rtol=1e-9
        )
        place = int(tree["observed_data"]["outcome"].isel(dataset=i))
        observed = tree["constant_data"]["split"].values[place]
        for k, label in enumerate(labels):
            assert observed[k] == pytest.approx(float(weights.get(label, 0)))


def test_the_likelihood_of_a_dataset_in_other() -> None:
    made = many_observed()
    tree = bc.compare(table(made)).draws(5, chains=1, rng=0)
    theta = tree["posterior"]["theta"]
    labels = theta["statement"].values.tolist()
    weights = statement_weights(made, "AB")
    inside = [i for i, w in enumerate(weights) if next(iter(w)) not in labels]
    assert inside
    for i in inside[:5]:
        np.testing.assert_allclose(
            tree["log_likelihood"]["outcome"].isel(dataset=i),
            np.log(theta.sel(statement="(other)")),
            rtol=1e-10,
        )
    assert (tree["observed_data"]["outcome"][inside] == len(labels) - 1).all()


def test_predictions_are_one_statement_each_with_probability_theta(example: xr.DataTree) -> None:
    for group, shape in (
        ("posterior_predictive", np.array([1.25, 2.25, 3.25, 6.25]) / 13),
        ("prior_predictive", np.full(4, 0.25)),
    ):
        outcome = example[group]["outcome"]
        per_draw = np.stack([(outcome == k).mean("dataset").values.ravel() for k in range(4)], 1)
        for k in range(4):
            assert near(per_draw[:, k], shape[k])
    # Each prediction goes with its own draw of θ, not with another's.
    theta = example["posterior"]["theta"].values.reshape(-1, 4)
    share = (example["posterior_predictive"]["outcome"] == 3).mean("dataset").values.ravel()
    slope = np.polyfit(theta[:, 3], share, 1)[0]
    assert slope == pytest.approx(1.0, abs=0.08)


# ------------------------------------------------------------------------------------ power scaling


def test_the_log_prior_is_that_of_the_latents() -> None:
    """Reweighting posterior draws by prior^(γ−1) gives the posterior under strength γs."""
    power = 0.8
    results = bc.load_example("benavoli-example1")
    tree = bc.compare(results, method=Dirichlet(prior="uniform")).draws(10_000, chains=4, rng=1)
    logs = sum(v.sum("statement") for v in tree["log_prior"].data_vars.values())
    log_weight = ((power - 1) * np.asarray(logs)).ravel()
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    effective = 1 / (weight**2).sum()
    theta = tree["posterior"]["theta"].values.reshape(-1, 4)
    shape = np.array([1.0, 2, 3, 6]) + power
    mean = shape / shape.sum()
    error = np.sqrt(mean * (1 - mean) / (shape.sum() + 1) / effective)
    assert effective > 2000
    assert np.all(np.abs(weight @ theta - mean) < 4 * error)
    # It tells s from γs, so that the check can fail.
    assert abs(theta[:, 0].mean() - mean[0]) > 4 * error[0]


def test_the_log_prior_is_never_constant() -> None:
    for method in (Dirichlet(), Dirichlet(prior="uniform"), Dirichlet(prior=1e-3)):
        tree = bc.compare(bc.load_example("pnn"), method=method).draws(50, rng=0)
        for values_ in tree["log_prior"].data_vars.values():
            assert (np.asarray(values_.std(("chain", "draw"))) > 0).all()


# -------------------------------------------------------------------------------------------- ArviZ


def test_psis_loo_is_near_the_exact_one(example: xr.DataTree) -> None:
    c = bc.compare(bc.load_example("benavoli-example1"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        psis = c.loo(example)
    assert psis.elpd == pytest.approx(c.loo().elpd, abs=0.3)
    assert psis.kind == c.loo().kind == "loo"


# --------------------------------------------------------------------------------------- diagnosis


def test_conjugate_draws_have_no_problem(example: xr.DataTree) -> None:
    d = bc.compare(bc.load_example("benavoli-example1")).diagnose(example)
    assert d.ok
    assert "independent draws" in d.verdict
    assert d.figures["greatest R-hat"] < 1.01
    assert d.figures["least ESS"] > 400
    assert "divergences" not in d.figures
    # PSIS is unreliable on Example 1 and that is said, without blaming the draws.
    assert ("PSIS-LOO is unreliable" in d.verdict) == (d.figures["greatest k-hat"] > 0.7)


def test_divergences_and_energy_are_reported(example: xr.DataTree) -> None:
    shape = (4, 1000)
    rng = np.random.default_rng(0)
    stats_ = xr.Dataset(
        {
            "diverging": (("chain", "draw"), np.zeros(shape, dtype=bool)),
            "energy": (("chain", "draw"), rng.normal(size=shape)),
        },
        {"chain": np.arange(4), "draw": np.arange(1000)},
    )
    fine = xr.DataTree.from_dict({**{k: v.to_dataset() for k, v in example.children.items()}})
    fine["sample_stats"] = xr.DataTree(stats_)
    c = bc.compare(bc.load_example("benavoli-example1"))
    assert c.diagnose(fine).ok
    assert c.diagnose(fine).figures["divergences"] == 0
    bad = stats_.copy(deep=True)
    bad["diverging"].values[2, 7] = True
    fine["sample_stats"] = xr.DataTree(bad)
    d = c.diagnose(fine)
    assert not d.ok
    assert "divergent" in d.verdict
    slow = stats_.copy(deep=True)
    slow["energy"].values[1] = np.cumsum(rng.normal(size=1000))
    fine["sample_stats"] = xr.DataTree(slow)
    assert "E-BFMI" in c.diagnose(fine).verdict


def test_one_chain_and_constant_cells_do_not_stop_the_diagnosis() -> None:
    c = bc.compare(table(np.random.default_rng(0).random((5, 2, 9))))
    d = c.diagnose(c.draws(500, chains=1, rng=0))
    assert "greatest R-hat" not in d.figures
    # A prior so weak that most θ are zero in every draw.
    weak = bc.compare(bc.load_example("pnn"), method=Dirichlet(strength=1e-9))
    assert isinstance(weak.diagnose(weak.draws(500, rng=0)).verdict, str)


# ----------------------------------------------------------------------------- constant likelihoods


def with_log_likelihood(values_: np.ndarray) -> xr.DataTree:
    chains, draws, n = values_.shape
    coords = {"chain": np.arange(chains), "draw": np.arange(draws)}
    rng = np.random.default_rng(0)
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {"x": (("chain", "draw"), rng.normal(size=(chains, draws)))}, coords
            ),
            "log_likelihood": xr.Dataset(
                {"y": (("chain", "draw", "dataset"), values_)},
                {**coords, "dataset": [f"d{i}" for i in range(n)]},
            ),
        }
    )


def test_psis_loo_with_a_constant_dataset() -> None:
    rng = np.random.default_rng(0)
    logs = rng.normal(-1.0, 0.1, (4, 500, 6))
    plain = psis_loo(with_log_likelihood(logs))
    mixed = logs.copy()
    mixed[:, :, 2] = -0.7
    found = psis_loo(with_log_likelihood(mixed))
    keep = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(found.elpd_i.values[keep], plain.elpd_i.values[keep], atol=1e-10)
    np.testing.assert_allclose(found.pareto_k.values[keep], plain.pareto_k.values[keep], atol=1e-10)
    assert float(found.elpd_i.sel(dataset="d2")) == -0.7
    assert float(found.pareto_k.sel(dataset="d2")) == 0.0
    assert found.elpd == pytest.approx(found.elpd_i.values.sum())
    # As ArviZ has it, whether or not some are constant.
    assert found.se == pytest.approx(math.sqrt(6 * np.var(found.elpd_i.values, ddof=1)))
    assert found.n_data_points == 6
    assert found.n_samples == 2000
    without = np.delete(logs, 2, axis=2)
    assert found.p == pytest.approx(psis_loo(with_log_likelihood(without)).p, abs=1e-10)
    assert math.isfinite(az.compare({"a": found, "b": plain})["elpd"].iloc[0])


def test_psis_loo_where_every_dataset_is_constant() -> None:
    found = psis_loo(with_log_likelihood(np.full((2, 50, 3), -0.5)))
    assert found.elpd == pytest.approx(-1.5)
    assert found.p == 0.0
    assert not found.warning


def test_two_likelihoods_of_a_dataset_are_left_out_together() -> None:
    values = np.random.default_rng(0).normal(-1.0, 0.1, size=(4, 100, 5))
    tree = with_log_likelihood(values)
    data = tree["log_likelihood"].to_dataset()
    data["z"] = 0.5 * data["y"]
    tree["log_likelihood"] = xr.DataTree(data)
    together = psis_loo(with_log_likelihood(1.5 * values))
    assert float(psis_loo(tree).elpd) == pytest.approx(float(together.elpd))
    without = tree.copy()
    without["log_likelihood"] = xr.DataTree(data.rename(dataset="case"))
    with pytest.raises(BayescompareError, match="no dim 'dataset'"):
        psis_loo(without)


@pytest.mark.parametrize("which", ["dirichlet", "network", "joint", "hierarchical"])
def test_stock_arviz_takes_the_trees(which: str, results: bc.Results, counts: bc.Results) -> None:
    c, names = {
        "dirichlet": lambda: (bc.compare(results), ["theta"]),
        "network": lambda: (bc.compare(results, method="network"), ["theta"]),
        "joint": lambda: (bc.compare(counts, method=bc.methods.PoissonBinomial(joint=True)), ["r"]),
        "hierarchical": lambda: (bc.compare(counts, method="hierarchical"), ["mu", "rho"]),
    }[which]()
    tree = c.draws(100, chains=4, rng=1)
    summary = az.summary(tree, var_names=names)
    assert len(summary) == {"dirichlet": 4, "network": 4, "joint": 1, "hierarchical": 2}[which]
    sensitivity = az.psense_summary(tree, var_names=names)
    assert np.isfinite(sensitivity[["prior", "likelihood"]].to_numpy(dtype=float)).all()


def test_shares_that_round_to_none_or_all_have_a_log_prior() -> None:
    share = np.array([[0.0, 0.25, 1.0]])
    groups = {"posterior": {"r": share}, "log_prior": {"r": np.zeros((1, 3))}}
    tree = ratio_prior(az.from_dict(groups), ["r"])
    found = tree["log_prior"]["r"].values[0]
    assert found[1] == pytest.approx(math.log(0.25 * 0.75))
    assert np.isfinite(found).all()
    assert found[0] == found[2] < -700
