"""What other packages answered (docs/coming-from/output) against what this one answers.

Their scripts ran in environments of their own, so these are independent computations. The pages say
where and why answers differ; the tests hold both the agreement and the reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc

FOLDER = Path(__file__).parents[1] / "docs" / "coming-from"
OUTPUT = FOLDER / "output"
PEERS = {
    "autorank": "autorank",
    "baycomp": "baycomp",
    "posthocs": "scikit-posthocs",
    "rliable": "rliable",
}


@pytest.fixture(scope="module")
def auc() -> pd.DataFrame:
    table = bc.load_example("jansen-uci").to_frame()
    return table.pivot(index="dataset", columns="algorithm", values="auc")


@pytest.fixture(scope="module")
def roped(auc) -> bc.Results:
    return bc.Results.from_frame(auc, measures={"auc": bc.Measure("max", rope=0.01)})


@pytest.fixture(scope="module")
def friedman(auc):
    return bc.compare(auc, measures={"auc": "max"}, method="friedman")


def three(c: bc.Comparison) -> list[float]:
    """P(first better), P(equivalent), P(second better)."""
    first, second = c.results.algorithms
    p = c.probability.to_series()
    return [p[f"{first}>{second}"], p[f"{first}={second}"], p[f"{second}>{first}"]]


# scripts, outputs and pages ---------------------------------------------------------------------


@pytest.mark.parametrize(("script", "page"), PEERS.items())
def test_a_page_shows_the_script_and_what_it_printed(script, page):
    text = (FOLDER / f"{page}.md").read_text("utf-8")
    assert f"{{literalinclude}} run_{script}.py" in text
    assert f"{{literalinclude}} output/{script}.txt" in text
    code = (FOLDER / f"run_{script}.py").read_text("utf-8")
    assert "bayescompare as" not in code
    assert "import bayescompare" not in code
    written = set(re.findall(r'"output" / "(\w+\.csv)"', code))
    assert written == {path.name for path in OUTPUT.glob(f"{script}*.csv")}
    assert set(re.findall(r"output/(\w+\.csv)", text)) <= written


def test_the_index_tells_versions_and_how_to_run_them():
    text = (FOLDER / "index.md").read_text("utf-8")
    for script, page in PEERS.items():
        assert f"run_{script}.py > docs/coming-from/output/{script}.txt" in text
        assert re.search(rf"{page} \d+\.\d+\.\d+", text), page


# autorank ---------------------------------------------------------------------------------------


def test_autorank_s_mean_ranks_and_critical_difference(friedman):
    theirs = pd.read_csv(OUTPUT / "autorank_frequentist.csv", index_col=0)
    assert friedman.ranks[theirs.index].to_numpy() == pytest.approx(theirs["meanrank"].to_numpy())
    # autorank takes the studentised range from statsmodels, which approximates its quantiles.
    assert friedman.critical_difference == pytest.approx(theirs["cd"].iloc[0], rel=1e-5)
    # Theirs is Friedman's chi-square, ours Iman and Davenport's F, which is less cautious.
    assert float(friedman.pvalue) < theirs["pvalue"].iloc[0]


# scikit-posthocs --------------------------------------------------------------------------------


def test_posthocs_nemenyi(friedman):
    theirs = pd.read_csv(OUTPUT / "posthocs_nemenyi.csv", index_col=0)
    ours = friedman.nemenyi.loc[theirs.index, theirs.columns].to_numpy()
    apart = ~np.eye(len(ours), dtype=bool)
    assert ours[apart] == pytest.approx(theirs.to_numpy()[apart], rel=1e-6, abs=1e-9)


def test_posthocs_wilcoxon_agrees_where_scipy_is_exact(auc):
    """Holm's p-values differ only through pairs with tied differences, which scipy approximates."""
    theirs = pd.read_csv(OUTPUT / "posthocs_wilcoxon.csv", index_col=0)
    table = bc.pairwise(auc, measures={"auc": "max"}, method="wilcoxon", n_jobs=1).decide()
    tied = {}
    for row in table.itertuples():
        sizes = (auc[row.first] - auc[row.second]).abs().round(6)
        tied[row.first, row.second] = bool(sizes.duplicated().any() or (sizes == 0).any())
    gap = {
        pair: abs(theirs.loc[pair] - adjusted)
        for pair, adjusted in zip(tied, table["adjusted"], strict=True)
    }
    assert gap["BDS", "CART"] < 1e-12
    assert not tied["BDS", "CART"]
    assert tied["CART", "GBM"]
    assert (
        theirs.loc["CART", "GBM"]
        > 10 * table.set_index(["first", "second"]).loc[("CART", "GBM"), "adjusted"]
    )


# baycomp ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def baycomp() -> pd.DataFrame:
    return pd.read_csv(OUTPUT / "baycomp.csv", index_col="job")


def test_baycomp_s_sign_test_is_ours_with_its_prior(roped, baycomp):
    prior = {"GBM>GLM": 1e-4, "GBM=GLM": 1.0001, "GLM>GBM": 1e-4}
    c = bc.compare(roped, method=bc.methods.Dirichlet(prior=prior), algorithms=["GBM", "GLM"])
    assert c.exact
    # 50,000 draws: four standard errors of a share.
    assert baycomp.loc["sign, thousandths"].to_numpy() == pytest.approx(three(c), abs=0.009)
    # As floats, differences of exactly the rope fall outside it.
    assert abs(baycomp.loc["sign"] - three(c)).max() > 0.1


def test_the_difference_is_float_noise_at_the_rope(auc):
    exact = (auc["GBM"] * 1000).round() - (auc["GLM"] * 1000).round()
    floats = auc["GBM"] - auc["GLM"]
    edge = exact.abs() == 10
    assert edge.any()
    assert (floats[edge].abs() > 0.01).any()


def test_baycomp_s_signed_rank_test_is_ours(roped, baycomp):
    c = bc.compare(roped, method="signed-rank", algorithms=["GBM", "GLM"], rng=1)
    theirs = baycomp.loc["signed rank, thousandths"].to_numpy()
    assert theirs == pytest.approx(three(c), abs=0.013)  # four standard errors of both


def test_baycomp_s_correlated_t_test_is_ours(baycomp):
    folds = pd.read_csv(FOLDER / "folds.csv")
    measures = {"accuracy": bc.Measure("max", rope=0.01)}
    results = bc.Results.from_frame(folds, replicate="fold", measures=measures)
    c = bc.compare(results, method="correlated-t", algorithms=["bayes", "logistic"])
    ours = c.per_dataset[["probability", "equivalent", "second_better"]]
    theirs = baycomp.loc[ours.index]
    assert ours.to_numpy() == pytest.approx(theirs.to_numpy(), abs=1e-9)


# rliable ----------------------------------------------------------------------------------------


def test_rliable_s_means_are_ours_and_its_intervals_with_tasks_are_near():
    theirs = pd.read_csv(OUTPUT / "rliable.csv")
    theirs = theirs[theirs["aggregate"] == "mean"].set_index("agent")
    results = bc.Results.from_frame(
        pd.read_csv(FOLDER / "seeds.csv"),
        dataset="task",
        algorithm="agent",
        replicate="seed",
        replicates="seeds",
        measures={"score": "max"},
    )
    ours = bc.rank(results, by="value", rng=1).scores.loc["score"]
    same, further = theirs[~theirs["tasks resampled"]], theirs[theirs["tasks resampled"]]
    assert ours["mean"].to_dict() == pytest.approx(same["estimate"].to_dict(), abs=1e-9)
    width = ours["upper"] - ours["lower"]
    assert (width > 3 * (same["upper"] - same["lower"])[width.index]).all()
    # Ours is widened for few datasets.
    ratio = width / (further["upper"] - further["lower"])[width.index]
    assert ratio.between(1.0, 1.3).all()
