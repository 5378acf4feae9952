"""Events: closed counts against enumeration, projections against the test of fewer, bad input."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.methods import Dirichlet, Network
from tests.tables import table

BEST = "best on every measure"


def asked(n: int, l: int, m: int, *, seed: int = 0, digits: int = 1, **options: Any) -> Any:
    """A joint answer on values with few digits, so that some tie."""
    values = np.round(np.random.default_rng(seed).normal(size=(n, l, m)), digits)
    return bc.compare(table(values), method=Dirichlet(**options))


def best_of(label: str) -> str:
    leaders = {state.split(">")[0] for state in label.split("|")}
    return leaders.pop() if len(leaders) == 1 else "nobody"


def over(a: str, b: str) -> Any:
    def event(label: str) -> str:
        ahead = {state.index(a) < state.index(b) for state in label.split("|")}
        if len(ahead) == 2:
            return "neither"
        return f"{a} over {b}" if ahead.pop() else f"{b} over {a}"

    return event


def dominated(label: str, a: str) -> bool:
    states = label.split("|")
    return any(all(s.index(b) < s.index(a) for s in states) for b in states[0].split(">") if b != a)


@pytest.mark.parametrize(("l", "m"), [(2, 2), (3, 2), (3, 3), (4, 2)])
@pytest.mark.parametrize("strength", [1.0, 4.0])
def test_closed_counts_are_those_of_an_enumeration(l: int, m: int, strength: float) -> None:
    """216 and fewer statements are listed, 576 are not; a function is asked about every one."""
    c = asked(12, l, m, strength=strength)
    pairs = [(BEST, best_of), (("A", "B"), over("A", "B"))]
    for closed, function in pairs:
        found, wanted = c.events(closed), c.events(function)
        assert set(found.index) == set(wanted.index)
        pd.testing.assert_frame_equal(found, wanted.loc[found.index], atol=1e-10)
        assert found["probability"].sum() == pytest.approx(1.0)
        assert found["mean"].sum() == pytest.approx(1.0)
    undominated = c.events("undominated")
    assert undominated["probability"].isna().all()
    for a in "ABCD"[:l]:
        one = c.events(lambda label, a=a: "no" if dominated(label, a) else "yes")
        np.testing.assert_allclose(
            undominated.loc[a, ["mean", "lower", "upper", "majority"]].astype(float),
            one.loc["yes", ["mean", "lower", "upper", "majority"]].astype(float),
            atol=1e-10,
        )


def test_all_listed_events_are_sums_of_theta() -> None:
    c = asked(15, 3, 2)
    theta = c.draws(20_000, chains=1, rng=0)["posterior"]["theta"][0].to_pandas()
    found = c.events(BEST)
    sums = pd.DataFrame(
        {e: theta[[s for s in theta if best_of(s) == e]].sum(axis=1) for e in found.index}
    )
    np.testing.assert_allclose(found["mean"], sums.mean(), atol=0.01)
    leads = sums.idxmax(axis=1).value_counts(normalize=True).reindex(found.index).fillna(0.0)
    np.testing.assert_allclose(found["probability"], leads, atol=0.02)
    np.testing.assert_allclose(found["lower"], sums.quantile(0.025), atol=0.02)
    np.testing.assert_allclose(found["majority"], (sums > 0.5).mean(), atol=0.02)


def test_one_measure_leaves_out_what_is_empty() -> None:
    c = asked(12, 3, 1)
    assert c.events(BEST).index.tolist() == ["A", "B", "C"]
    assert c.events(("C", "A")).index.tolist() == ["C over A", "A over C"]
    marginal = c.events("m0")
    np.testing.assert_allclose(marginal["probability"], c.probability, atol=1e-12)
    assert marginal.index.tolist() == c.probability["statement"].values.tolist()


def test_a_mapping_and_a_rope() -> None:
    values = np.random.default_rng(1).normal(size=(14, 2, 2))
    c = bc.compare(table(values, rope=0.5))
    labels = c.probability["statement"].values.tolist()
    mapping = {label: "same" if "=" in label else "apart" for label in labels}
    found = c.events(mapping)
    assert set(found.index) == {"same", "apart"}
    best = c.events(BEST)
    assert best.loc["A", "mean"] == pytest.approx(
        c.events(lambda s: s == "A>B|A>B").loc["True", "mean"]
    )
    assert best["mean"].sum() == pytest.approx(1.0)
    undominated = c.events("undominated")
    worse = c.events(lambda s: s == "B>A|B>A").loc["True", "mean"]
    assert undominated.loc["A", "mean"] == pytest.approx(1.0 - worse)


@pytest.mark.parametrize("options", [{}, {"strength": 3.0}, {"prior": "jeffreys"}])
def test_a_projection_is_the_test_of_fewer_with_the_prior_s_weight(options: Any) -> None:
    """Section 6 of the paper, ties too: their split weights project to split weights."""
    c = asked(14, 3, 2, **options)
    weight = c.posterior.theta.prior.components[0].total
    for names in (["A", "B"], ["C", "A"], ["B", "A", "C"]):
        p = c.project(names)
        alone = bc.compare(c.results, algorithms=names, method=Dirichlet(strength=weight))
        assert p.results.algorithms == alone.results.algorithms
        np.testing.assert_allclose(p.probability, alone.probability, atol=1e-12)
    two = c.project(["A", "B"])
    by_events = c.events(("A", "B"))
    best = two.events(BEST)
    for event, name in (("A over B", "A"), ("B over A", "B"), ("neither", "nobody")):
        np.testing.assert_allclose(best.loc[name], by_events.loc[event], atol=1e-9)


def test_a_network_is_asked_by_its_draws() -> None:
    c = bc.compare(table(np.random.default_rng(0).normal(size=(15, 2, 2))), method=Network())
    found = c.events(BEST)
    assert not found.attrs["exact"]
    assert found["probability"].sum() == pytest.approx(1.0)
    both = c.events(lambda label: label)
    np.testing.assert_allclose(both["probability"], c.probability.loc[both.index], atol=0.03)
    with pytest.raises(bc.BayescompareError, match="is no single Dirichlet"):
        c.project(["A", "B"])


def test_a_learned_pair_is_asked_too() -> None:
    results = table(np.random.default_rng(0).normal(size=(12, 3, 2)))
    c = bc.pairwise(results, n_jobs=1)["A", "B"]
    found = c.events(BEST)
    assert found.loc["A", "mean"] == pytest.approx(float(c.posterior.theta.mean()[0]))
    assert found["probability"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ("best on all", "events='best on all': give 'best on every measure'"),
        (("A", "Z"), "no algorithm called 'Z'"),
        (("A", "A"), "'A' is named twice"),
        (("A", "B", "C"), "is no pair"),
        ({"A>B>C": "x"}, "this is no partition, since"),
        ({"A>B": "x"}, "'A>B' is no statement"),
        (3, "events=3: give"),
    ],
)
def test_events_that_are_none_are_refused(events: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message) as error:
        asked(12, 3, 1).events(events)
    assert "\n" not in str(error.value)


def test_projections_that_are_none_are_refused() -> None:
    c = asked(12, 3, 1)
    for names, message in (
        (["A"], "at least two"),
        (["A", "Z"], "'Z'"),
        (["A", "A"], "'A' is named twice"),
        ("A,B", r"give a list, as in \['A', 'B'\]"),
        (None, "algorithms=None: give a list"),
    ):
        with pytest.raises(bc.BayescompareError, match=message):
            c.project(names)  # type: ignore[arg-type]
    with pytest.raises(bc.BayescompareError, match="'glrt' has no shares of statements"):
        bc.compare(c.results, method="glrt").events("undominated")
    order = {"A>B>C": 2.0, "*": 0.1}
    uneven = bc.compare(c.results, method=Dirichlet(prior=order))
    with pytest.raises(bc.BayescompareError, match="weighs some statements more"):
        uneven.project(["A", "B"])


def test_very_many_statements_are_counted_and_not_enumerated() -> None:
    c = asked(16, 8, 3, digits=6)
    assert c.posterior.theta.evidence.statements.size > 1e13
    start = time.process_time()
    for events in (BEST, ("A", "B"), "undominated"):
        found = c.events(events)
        assert np.isfinite(found["mean"]).all()
    assert time.process_time() - start < 1.0
    # Of one statement seen 16 times in K, each of the others has the prior's share.
    share = found["mean"].sum()
    assert 0.0 < share < 8.0
    with pytest.raises(bc.BayescompareError, match=r"at most 1,000,000\.$"):
        c.events(lambda label: label[0])
    with pytest.raises(bc.BayescompareError, match="name fewer algorithms by project"):
        c.events("m0")


def test_shares_of_undominated_statements_are_the_published_ones() -> None:
    """22/36, 300/576 and 170/216 for (l, m) = (3, 2), (4, 2), (3, 3)."""
    for l, m, share in ((3, 2, 22 / 36), (4, 2, 300 / 576), (3, 3, 170 / 216)):
        orders = list(itertools.permutations("ABCD"[:l]))
        every = ["|".join(">".join(o) for o in c) for c in itertools.product(orders, repeat=m)]
        assert np.mean([not dominated(label, "A") for label in every]) == pytest.approx(share)
        c = asked(6, l, m, strength=1e5, digits=6)
        assert c.events("undominated").loc["A", "mean"] == pytest.approx(share, abs=1e-3)
