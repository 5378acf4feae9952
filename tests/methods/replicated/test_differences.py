"""Differences of items: clusters, right and wrong, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.methods import CorrelatedT, PoissonBinomial, Replicated


def binary_items(
    n: int = 5, k: int = 60, m: int = 1, *, gap: float = 0.1, seed: int = 0
) -> pd.DataFrame:
    """Right or wrong on m measures; ten items to a passage."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{d}", name, q, f"{d}/{q // 10}", *(rng.random(m) < 0.5 + gap * a))
        for d in range(n)
        for q in range(k)
        for a, name in enumerate("BA")
    ]
    names = ["right", "safe", "short"][:m]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "passage", *names])


def read(frame: pd.DataFrame, **options: Any) -> bc.Results:
    names = [name for name in ("right", "safe", "short") if name in frame]
    given = {"measures": dict.fromkeys(names, "max"), "replicates": "items", **options}
    return bc.Results.from_frame(frame, replicate="item", **given).sel(algorithms=["A", "B"])


def test_one_binary_measure_is_the_poisson_binomial_test() -> None:
    """Strength 2 is b = 1; ℓ is the incomplete beta function of the discordant items."""
    frame = binary_items()
    c: Any = bc.compare(read(frame), method=Replicated(strength=2.0))
    counts = bc.ErrorCounts.from_predictions(
        frame.assign(correct=frame["right"] * 1), example="item", correct="correct"
    )
    p: Any = bc.compare(counts, method=PoissonBinomial(joint=True), algorithms=["A", "B"])
    np.testing.assert_allclose(c.probability, p.probability, atol=1e-10)
    wide = frame.pivot(index=["dataset", "item"], columns="algorithm", values="right")
    only = [
        (wide[a] & ~wide[b]).groupby("dataset").sum().to_numpy()
        for a, b in (("A", "B"), ("B", "A"))
    ]
    np.testing.assert_allclose(c.evidence[:, 0], betainc(1 + only[1], 1 + only[0], 0.5), atol=1e-12)
    assert c.exact
    assert "how many of them only one of the two gets right" in c.explain()


def test_few_discordant_items_are_counted_and_many_averaged() -> None:
    few = bc.compare(read(binary_items(n=3, k=40, m=2)), method="replicated")
    assert few.answer.facts.counted == ("d0", "d1", "d2")  # type: ignore[attr-defined]
    assert "standard error up to" in few.explain()
    many = bc.compare(read(binary_items(n=3, k=400, m=2)), method="replicated")
    assert many.answer.facts.counted is None  # type: ignore[attr-defined]
    numeric = read(
        binary_items(n=3, k=40, m=2).assign(safe=lambda f: 0.9 * f["safe"]), replicates="items"
    )
    assert bc.compare(numeric, method="replicated").answer.facts.counted is None  # type: ignore[attr-defined]


def test_counts_and_means_of_many_items_agree() -> None:
    """Where both apply, two measures by patterns and by the flat Student-t say the same."""
    frame = binary_items(n=2, k=300, m=2, gap=0.05, seed=3)
    c: Any = bc.compare(read(frame), method=Replicated(effects="flat"))
    from bayescompare.kernels.replicated.items import (
        item_patterns,
        pattern_evidence,
    )

    for name in ("d0", "d1"):
        own = frame[frame["dataset"] == name].set_index("item")
        first, second = (own[own["algorithm"] == a][["right", "safe"]] * 1 for a in "AB")
        p, _ = pattern_evidence(
            item_patterns((first - second).to_numpy()),
            (None, None),
            np.random.default_rng(0),
        )
        np.testing.assert_allclose(c.evidence.sel(dataset=name), p, atol=0.02)


def test_items_that_repeat_each_other_add_nothing_within_a_cluster() -> None:
    frame = binary_items(n=3, k=30, seed=6)
    twins = pd.concat([frame, frame.assign(item=frame["item"] + 1000)])
    alone, again = (
        bc.compare(
            read(
                f.assign(passage=f["dataset"] + (f["item"] % 1000).astype(str)), cluster="passage"
            ),
            method="replicated",
        )
        for f in (frame, twins)
    )
    np.testing.assert_allclose(alone.evidence, again.evidence, atol=1e-12)
    apart = bc.compare(read(twins), method=Replicated(effects="flat"))
    assert float(apart.evidence.max(axis=1).mean()) > float(again.evidence.max(axis=1).mean())


def test_what_clusters_refuse() -> None:
    frame = binary_items(n=3)
    results = read(frame, cluster="passage")
    with pytest.raises(BayescompareError, match=r"rho=0.1: the items come in clusters"):
        bc.compare(results, method=Replicated(rho=0.1))
    one = frame.assign(passage=frame["passage"].where(frame["dataset"] != "d1", "1/0"))
    alone = read(one, cluster="passage")
    with pytest.raises(BayescompareError, match="'d1' are all in one cluster"):
        bc.compare(alone, method="replicated")


def test_fewer_items_than_measures_are_said() -> None:
    rng = np.random.default_rng(0)
    frame = binary_items(n=2, k=3, m=3).assign(right=rng.normal(size=12))
    c = bc.compare(read(frame), method="replicated")
    assert "no more items than measures: there the measures are taken as independent" in c.explain()


@pytest.mark.parametrize(("kind", "rho"), [("folds", 1 / 15), ("seeds", 0.0), ("items", 0.0)])
def test_correlated_t_takes_rho_from_what_the_replicates_are(kind: Any, rho: float) -> None:
    rng = np.random.default_rng(1)
    frame = binary_items(n=4, k=15).assign(right=rng.normal(size=120))
    results = read(frame, replicates=kind)
    c: Any = bc.compare(results, method="correlated-t")
    given = bc.compare(results, method=CorrelatedT(rho=rho))
    np.testing.assert_allclose(c.probability, given.probability, atol=1e-14)
    same = bc.compare(results, method=Replicated(effects="flat", joint=False))
    np.testing.assert_allclose(same.evidence[:, 0], c.per_dataset["probability"], atol=1e-12)
    words = f"The replicates are {kind} and were taken to be independent."
    assert (words in c.explain()) == (kind != "folds")


def test_printed_datasets_leave_out_improbable_statements() -> None:
    rng = np.random.default_rng(2)
    frame = binary_items(n=3, k=200, m=3, gap=0.3).assign(right=rng.normal(size=1200))
    c: Any = bc.compare(read(frame), method="replicated")
    (title, shown), *_ = c.tables.items()
    assert title == "Datasets (statements below 0.01 left out)"
    assert 2 < len(shown.columns) < len(c.per_dataset.columns) == 9
    dropped = c.per_dataset.drop(columns=shown.columns)
    assert float(dropped.to_numpy().max()) < 0.01
