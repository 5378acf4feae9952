"""The classical tests on the risks that Lacoste et al. published."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from bayescompare.methods.classic.hypotheses import Sign, Wilcoxon
from bayescompare.table.results import Results
from tests.methods.classic.cases import ask

TABLE_6 = Path(__file__).parents[3] / "reproduction" / "data" / "lacoste_table6.csv"


# -------------------------------------------------------------------------- published: Lacoste 2012


def risks() -> Results:
    wide = pd.read_csv(TABLE_6)[["dataset", "svm", "ann", "parzen", "adaboost"]]
    long = wide.melt("dataset", var_name="algorithm", value_name="risk")
    return Results.from_frame(long, measures={"risk": "min"})


@pytest.mark.parametrize(
    ("better", "worse", "published"),
    [
        ("svm", "parzen", 1.00),
        ("ann", "parzen", 0.71),
        ("ann", "adaboost", 0.83),
        ("adaboost", "parzen", 0.18),
    ],
)
def test_table_3_of_lacoste(better: str, worse: str, published: float) -> None:
    # Table 3 prints 1 - p, two-sided, where the row has more wins.
    c = ask(risks().sel(algorithms=[better, worse]), Sign)
    assert c.best == f"{better}>{worse}"
    assert round(1 - c.pvalue, 2) == published


def test_table_3_of_lacoste_where_three_digits_hide_the_winner() -> None:
    # Rounding made ties of these: 12 of 18 and 14 of 20 wins are left, 0.76 and 0.88 for 0.88 and
    # 0.92. The printed probabilities say who won two of them against ann; of adaBoost's one tie
    # the paper prints nothing, and a win is what the published figure takes.
    wins = {"ann": ("Adult", "MNIST:17"), "adaboost": ("MNIST:17",)}
    for opponent, obtained, published in [("ann", 0.76, 0.88), ("adaboost", 0.88, 0.92)]:
        results = risks().sel(algorithms=["svm", opponent])
        assert round(1 - ask(results, Sign).pvalue, 2) == obtained
        frame = results.to_frame()
        hidden = frame["dataset"].isin(wins[opponent]) & (frame["algorithm"] == "svm")
        assert hidden.sum() == len(wins[opponent])
        frame.loc[hidden, "risk"] -= 1e-4
        broken = Results.from_frame(frame, measures={"risk": "min"})
        assert round(1 - ask(broken, Sign).pvalue, 2) == published
    printed = pd.read_csv(TABLE_6).set_index("dataset")["p_svm_ann"]
    assert (printed[list(wins["ann"])] > 0.5).all()


def test_table_4_of_lacoste_is_reached_in_one_cell_of_five() -> None:
    # 1 - p again. It is no target (SPEC 5): the paper's figures do not follow its own text.
    published = {
        ("svm", "ann"): 0.30,
        ("svm", "parzen"): 0.97,
        ("svm", "adaboost"): 0.92,
        ("ann", "parzen"): 0.95,
        ("ann", "adaboost"): 0.41,
    }
    obtained = {
        names: round(1 - ask(risks().sel(algorithms=names), Wilcoxon).pvalue, 2)
        for names in published
    }
    assert obtained == {
        ("svm", "ann"): 0.51,
        ("svm", "parzen"): 0.99,
        ("svm", "adaboost"): 0.95,
        ("ann", "parzen"): 0.95,
        ("ann", "adaboost"): 0.77,
    }
