"""Tables with missing cells, against filling them in."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.outcome import nuts
from bayescompare.table.results import Results
from tests.oracles.partial import filled, mixture

NAN = math.nan
SPEC = {"auc": "max", "time": "min"}


def table(values: np.ndarray, measures: dict[str, object] | None = None) -> Results:
    """Results from an array (dataset, algorithm, measure)."""
    spec = measures or SPEC
    n, l, _ = values.shape
    frame = pd.DataFrame(
        {
            "dataset": np.repeat([f"d{i}" for i in range(n)], l),
            "algorithm": list("ABCD"[:l]) * n,
            **{name: values[:, :, j].ravel() for j, name in enumerate(spec)},
        }
    )
    return bc.Results.from_frame(frame, measures=spec)


#: A wins auc on most, B time; three gaps, one of them beside a tie.
VALUES = np.array(
    [
        [[0.9, 5.0], [0.8, 4.0]],
        [[0.9, 5.0], [0.7, 4.0]],
        [[0.6, 3.0], [0.7, 4.0]],
        [[0.9, 5.0], [0.8, 5.0]],
        [[0.9, NAN], [0.8, 4.0]],
        [[NAN, 5.0], [0.8, 4.0]],
        [[0.9, 2.0], [NAN, NAN]],
    ]
)


@pytest.fixture(scope="module")
def gaps() -> Results:
    return table(VALUES)


def test_ignored_cells_count_by_what_was_seen(gaps: Results) -> None:
    c = bc.compare(gaps, missing="ignore")
    # d6 says nothing; d4 is A>B on auc, d5 is B>A on time.
    parts = mixture(np.full(4, 0.25), np.array([0.5, 2.5, 1.0, 0.0]), [(0, 1), (1, 3)])
    evidence = sum(weight for weight, _ in parts)
    mean = sum(weight * shape / shape.sum() for weight, shape in parts) / evidence
    assert c.log_evidence == pytest.approx(math.log(evidence), abs=1e-10)
    np.testing.assert_allclose(c.answer.per_statement["theta_mean"], mean, atol=1e-10)
    assert c.exact
    assert c.results.datasets == ("d0", "d1", "d2", "d3", "d4", "d5")
    assert "nothing could be compared on d6" in c.explain()


@pytest.mark.parametrize("rope", [None, 0.05])
def test_bounds_hold_every_completion(rope: float | None) -> None:
    spec = {"auc": bc.Measure("max", rope=rope), "time": "min"}
    values = VALUES[[0, 1, 2, 4, 5]]
    c = bc.compare(table(values, spec), missing="bounds")
    # Worse, as good, and better than what the other has.
    choices = [np.array([0.1, 0.8, 0.95]), np.array([1.0, 4.0, 9.0])]
    each = np.array(
        [bc.compare(table(one, spec)).probability.values for one in filled(values, choices)]
    )
    lower, upper = c.bounds.sel(bound="lower").values, c.bounds.sel(bound="upper").values
    np.testing.assert_allclose(lower, each.min(axis=0), atol=1e-10)
    np.testing.assert_allclose(upper, each.max(axis=0), atol=1e-10)
    assert (c.probability.values >= lower - 1e-12).all()
    assert (c.probability.values <= upper + 1e-12).all()


def test_bounds_of_three_algorithms_hold_every_completion() -> None:
    values = np.array([[[3.0], [2.0], [1.0]], [[2.0], [1.0], [NAN]], [[1.0], [NAN], [3.0]]])
    spec = {"score": "max"}
    c = bc.compare(table(values, spec), missing="bounds")
    each = np.array(
        [
            bc.compare(table(one, spec)).probability.values
            for one in filled(values, [np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5])])
        ]
    )
    np.testing.assert_allclose(c.bounds.sel(bound="lower"), each.min(axis=0), atol=1e-10)
    np.testing.assert_allclose(c.bounds.sel(bound="upper"), each.max(axis=0), atol=1e-10)


def test_three_algorithms_count_by_linear_extensions() -> None:
    values = np.array([[[3.0], [2.0], [1.0]], [[2.0], [1.0], [NAN]], [[1.0], [1.0], [NAN]]])
    c = bc.compare(table(values, {"score": "max"}), missing="ignore")
    complete = np.array([1.0, 0, 0, 0, 0, 0])
    # Of d1, C stands in one of three places below or above A > B; the tie of d2 allows all six.
    parts = mixture(np.full(6, 1 / 6), complete, [(0, 1, 4), tuple(range(6))])
    evidence = 0.5 * sum(weight for weight, _ in parts)
    assert c.log_evidence == pytest.approx(math.log(evidence), abs=1e-10)


def test_the_worst_loses_and_two_failures_tie() -> None:
    values = VALUES[[0, 5, 6]].copy()
    values[0, :, 0] = NAN
    counts = bc.compare(table(values), missing="worst").answer.counts
    np.testing.assert_allclose(counts, [1.0, 0.5, 0.0, 1.5])
    roped = {"auc": bc.Measure("max", rope=100.0), "time": "min"}
    c = bc.compare(table(values, roped), missing="worst")
    seen = dict(zip(c.answer.labels, c.answer.counts, strict=True))
    assert {label for label, n in seen.items() if n} == {"A=B|B>A", "B>A|B>A", "A>B|A>B"}


def test_the_worst_for_orders(gaps: Results) -> None:
    for method in ("glrt", "network"):
        assert bc.compare(gaps, method=method, missing="worst").results.gaps == "worst"
    # A wins d0, d1, d3, d4 and d6, where B failed; B wins d2 and d5.
    sign = bc.compare(gaps, method="sign", measures=["auc"], missing="worst")
    assert sign.statistic == 5.0
    more = table(np.concatenate([VALUES, VALUES[:, :1] - 0.01], axis=1))
    assert bc.compare(more, method="friedman", measures=["auc"], missing="worst").exact


def test_complete_tables_are_as_before(gaps: Results) -> None:
    whole = gaps.sel(datasets=["d0", "d1", "d2", "d3"])
    plain = bc.compare(whole)
    for how in ("ignore", "worst", "bounds"):
        c = bc.compare(whole, missing=how)
        assert type(c.method) is type(plain.method)
        np.testing.assert_array_equal(c.probability, plain.probability)
        assert c.results.notes == plain.results.notes


def test_leave_one_out_and_draws_agree(gaps: Results) -> None:
    c = bc.compare(gaps, missing="ignore")
    exact = c.loo()
    tree = c.draws(4000, rng=3)
    log_likelihood = tree["log_likelihood"]["outcome"].values.reshape(-1, 6)
    # p(x_i | rest) is the harmonic mean of p(x_i | θ) over the posterior; within is the mean.
    within = np.log(np.exp(log_likelihood).mean(axis=0))
    _, known = c.posterior.leave_one_out()
    np.testing.assert_allclose(within, known, atol=0.03)
    assert np.isfinite(exact.elpd)
    theta = tree["posterior"]["theta"].mean(("chain", "draw")).values
    np.testing.assert_allclose(theta, c.answer.per_statement["theta_mean"], atol=0.01)


def test_the_model_has_the_same_likelihood(gaps: Results) -> None:
    import pymc as pm

    c = bc.compare(gaps, missing="ignore")
    tree = c.draws(2, chains=1, rng=0)
    model = c.model()
    outcome = model["outcome"]
    logp = pm.logp(outcome, model.rvs_to_values[outcome])
    for draw in range(2):
        theta = tree["posterior"]["theta"].values[0, draw]
        seen = logp.eval({model["theta"]: theta}, mode="FAST_COMPILE")
        np.testing.assert_allclose(seen, tree["log_likelihood"]["outcome"].values[0, draw])


@pytest.mark.slow
@pytest.mark.parametrize("learned", [False, True])
def test_nuts_agrees(board: Results, learned: bool) -> None:
    if learned:
        c = bc.pairwise(board, missing="ignore", n_jobs=1)["A", "B"]
    else:
        c = bc.compare(board, algorithms=["A", "B"], missing="ignore")
    tree = c.sample(1000, chains=4, rng=7, cores=1, progressbar=False)
    assert c.diagnose(tree).ok
    theta = tree["posterior"]["theta"]
    error = nuts.nuts_monte_carlo_error(theta.transpose("chain", "draw", "statement").values)
    mean = theta.mean(("chain", "draw")).values
    assert (np.abs(mean - c.answer.per_statement["theta_mean"]) < 4.0 * error).all()
    # Where the two do not differ, a statement and its reverse share the lead.
    lead = (theta >= theta.max("statement") - 1e-12).astype(float)
    first = (lead / lead.sum("statement")).transpose("chain", "draw", "statement").values
    error = nuts.nuts_monte_carlo_error(first)
    assert (np.abs(first.mean(axis=(0, 1)) - c.probability.values) < 4.0 * error).all()


@pytest.mark.slow
def test_a_prior_of_ones_own(board: Results) -> None:
    import pymc as pm

    method = bc.methods.Dirichlet(priors={"strength": pm.Gamma.dist(2.0, 2.0)})
    options = {"draws": 500, "chains": 2, "cores": 1, "progressbar": False}
    c = bc.compare(
        board, algorithms=["A", "B"], method=method, missing="ignore", rng=1, sampler=options
    )
    assert not c.exact
    assert c.method.needs_mcmc
    with pytest.raises(bc.BayescompareError, match="cannot try all completions"):
        bc.compare(board, algorithms=["A", "B"], method=method, missing="bounds")


def test_further_questions(gaps: Results) -> None:
    c = bc.compare(gaps, missing="bounds")
    assert c.plan([3], simulations=5, rng=0)["settled"].between(0, 1).all()
    assert set(c.sensitivity([0.5, 2.0]).index) == {0.5, 2.0}
    assert c.predict(2, draws=3, rng=0).shape == (3, 2)
    again = c.simulate(rng=0)
    assert again.absent().tolist() == gaps.absent().tolist()
    assert "lies between" in c.explain() or c.decision.verdict == "tied"
    with pytest.raises(bc.BayescompareError, match="on: with missing cells"):
        c.on(["auc"])
    with pytest.raises(bc.BayescompareError, match="check: the statements"):
        c.check(c.draws(5, rng=0))


@pytest.mark.parametrize("suffix", [".json", ".nc"])
@pytest.mark.parametrize("how", ["ignore", "worst", "bounds"])
def test_saved_and_loaded(gaps: Results, how: str, suffix: str, tmp_path: Path) -> None:
    c = bc.compare(gaps, missing=how)
    path = tmp_path / f"c{suffix}"
    (c.to_json if suffix == ".json" else c.to_netcdf)(path)
    again = bc.load_comparison(path)
    assert again.results == c.results
    assert type(again.method) is type(c.method)
    assert again.explain() == c.explain()
    np.testing.assert_allclose(
        again.method.answer(again.results, _sampling()).probability, c.probability, atol=1e-12
    )


def _sampling() -> object:
    from bayescompare.outcome.method import Sampling

    return Sampling(np.random.default_rng(0))


# many pairs --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def board() -> Results:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(14, 4, 2)) + np.array([0.0, 0.4, 0.8, 2.5])[None, :, None] * [1, -1]
    values[rng.random(values.shape) < 0.08] = NAN
    return table(values)


@pytest.fixture(scope="module")
def bounded(board: Results) -> bc.Pairwise:
    return bc.pairwise(board, missing="bounds", n_jobs=1)


def test_pairs_learn_from_datasets_with_gaps_too(board: Results) -> None:
    ignored = bc.pairwise(board, missing="ignore", n_jobs=1)
    dropped = bc.pairwise(board, missing="drop", n_jobs=1)
    assert ignored.learned is not None
    assert dropped.learned is not None
    assert (ignored.learned.base != dropped.learned.base).all()
    table = ignored.decide()
    assert table["coverage"].between(0.5, 1.0).all()
    assert (table["coverage"] < 1.0).any()
    by_hand = board.absent()
    first, second = table.loc[0, ["first", "second"]]
    a, b = (board.algorithms.index(name) for name in (first, second))
    both = ~by_hand[:, a] & ~by_hand[:, b]
    assert table.loc[0, "coverage"] == pytest.approx(both.mean())
    c = ignored["A", "D"]
    tree = c.draws(2000, rng=1)
    np.testing.assert_allclose(
        tree["posterior"]["theta"].mean(("chain", "draw")),
        c.answer.per_statement["theta_mean"],
        atol=0.01,
    )
    assert np.isfinite(c.loo().elpd)
    # The model has the learned base too, in the order of its own statements.
    listing = c.method.listing(c.results)  # type: ignore[attr-defined]
    signs = [
        "|".join(">" if part.startswith("A") else "<" for part in label.split("|"))
        for label in listing.labels
    ]
    shares = ignored.learned.base
    np.testing.assert_allclose(np.exp(listing.log_alpha), [shares[sign] for sign in signs])


def test_decisions_rest_on_the_lower_bound(board: Results, bounded: bc.Pairwise) -> None:
    table = bounded.decide()
    assert (table["lowest"] <= table["probability"] + 1e-12).all()
    held = (table["lowest"] >= 0.95) & (table["alone"] >= 0.95) & (table["parts"] >= 0.95)
    assert table["asserted"].tolist() == held.tolist()
    by_rate = bounded.decide(fdr=0.2)
    running = (1.0 - by_rate[["lowest", "parts"]].min(axis=1)).expanding().mean()
    np.testing.assert_allclose(by_rate["running_fdr"], running)
    for c in bounded:
        if c.results.gaps:
            alone = bc.compare(board, algorithms=c.results.algorithms, missing="bounds")
            own = c.answer.per_statement["alone_lowest"]
            np.testing.assert_allclose(own, alone.bounds.sel(bound="lower"), atol=1e-10)
    assert "whatever their values would have been" in bounded.explain()


# bad input --------------------------------------------------------------------------------


def test_nothing_observed_is_refused_in_one_line() -> None:
    values = VALUES.copy()
    values[::2, 0] = NAN
    values[1::2, 1] = NAN
    for how in ("ignore", "bounds"):
        with pytest.raises(bc.BayescompareError, match="nothing was observed") as error:
            bc.compare(table(values), missing=how)
        assert "\n" not in str(error.value)
    one = np.concatenate([values, VALUES[:1]])
    with pytest.raises(bc.BayescompareError, match="only 1 dataset"):
        bc.compare(table(one), missing="ignore")
    more = np.concatenate([values, VALUES[:, :1] - 0.01, VALUES[:, :1] - 0.02], axis=1)
    p = bc.pairwise(table(more), missing="ignore", n_jobs=1)
    assert p.decide()["probability"].isna().sum() == 1
    assert "A against B" in p.explain()


@pytest.mark.parametrize(
    ("method", "how", "words"),
    [
        ("wilcoxon", "worst", "use missing='drop', or a method that can"),
        ("network", "ignore", "use missing='drop' or 'worst'"),
        ("glrt", "bounds", "cannot read missing cells so"),
        (bc.methods.Dirichlet(prior="imprecise"), "ignore", "complete datasets only"),
        ("dirichlet", "perhaps", "must be one of raise, drop, ignore, worst, bounds"),
    ],
)
def test_what_a_method_cannot_do(gaps: Results, method: object, how: str, words: str) -> None:
    with pytest.raises(bc.BayescompareError, match=words) as error:
        bc.compare(gaps, method=method, measures=None if how == "ignore" else ["auc"], missing=how)
    assert "\n" not in str(error.value)


def test_too_many_statements() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5, 4, 3))
    values[0, 0, 0] = NAN
    spec = {"a": "max", "b": "max", "c": "max"}
    with pytest.raises(bc.BayescompareError, match="at most 4,096"):
        bc.compare(table(values, spec), missing="ignore")
    c = bc.compare(table(values, {"a": "max", "b": "max"}), missing="ignore")
    assert c.answer.n_statements == 576
    assert float(c.probability.sum()) + c.unobserved == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(bc.BayescompareError, match="at most 256 statements"):
        c.draws(5)


def test_a_table_in_which_every_dataset_has_a_gap() -> None:
    """Nothing is counted: evidence and leave-one-out rest on what the gaps leave possible."""
    values = np.random.default_rng(8).normal(size=(5, 2, 2))
    values[:, 0, 1] = NAN
    values[0, 0, 1], values[0, 0, 0] = 1.0, NAN
    c = bc.compare(table(values), missing="ignore")
    assert len(c.loo().elpd_i) == 5
    for i in range(5):
        rest = bc.compare(table(np.delete(values, i, axis=0)), missing="ignore")
        gone = c.log_evidence - rest.log_evidence
        assert float(c.loo().elpd_i[i]) == pytest.approx(gone, abs=1e-10)


@pytest.mark.parametrize("prior", [{"A>B|A>B": 0.5, "*": 0.25}, "uniform"])
def test_sensitivity_counts_datasets_with_gaps(board: Results, prior: Any) -> None:
    """At the power one it is the answer itself; 0.1.0 left these datasets out."""
    method = bc.methods.Dirichlet(prior=prior)
    c = bc.compare(board, algorithms=["A", "B"], missing="ignore", method=method)
    found = c.sensitivity([1.0]).iloc[0]
    assert found.to_dict() == pytest.approx(c.probability.to_series().to_dict(), abs=1e-10)
