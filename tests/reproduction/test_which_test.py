"""The study of all methods: its truths, its tables, and what it reads off the answers."""

from __future__ import annotations

import numpy as np
import pytest

import bayescompare as bc
from reproduction.which_test import (
    KINDS,
    METHODS,
    WhichTable,
    simulate_results,
    truth_of_pairs,
    which_test_study,
    which_test_summary,
)


def test_the_truth_of_a_pair() -> None:
    strength = np.array([[1.0, 0.0], [0.0, 0.5], [-1.0, -1.0]])
    kind = WhichTable(algorithms=3, measures=2)
    truth = truth_of_pairs(kind, strength, nothing=False)
    assert truth["A", "B"] == ("A>B|B>A", "A~B")
    assert truth["A", "C"] == ("A>C|A>C", "A>C")
    # Noise that the measures share makes a small advantage the less probable outcome.
    near = np.array([[1.0, -0.1], [0.0, 0.0]])
    shared = WhichTable(measures=2, correlation=0.8)
    assert truth_of_pairs(shared, near, nothing=False)["A", "B"] == ("A>B|A>B", "A~B")
    assert truth_of_pairs(kind, strength, nothing=True)["A", "B"] == ("", "")


@pytest.mark.parametrize("name", KINDS)
def test_tables_are_of_their_kind(name: str) -> None:
    kind = KINDS[name]
    rng = np.random.default_rng(0)
    table = simulate_results(kind, np.zeros((kind.algorithms, kind.measures)), rng)
    assert len(table.datasets) == kind.datasets
    assert len(table.algorithms) == kind.algorithms
    assert isinstance(table, bc.ErrorCounts) == kind.errors
    if not kind.errors:
        assert (table.n_replicates or 1) == kind.replicates
        assert len(table.measures) == kind.measures
        assert table.absent().any() == (kind.missing > 0)
    assert any(contender.applies_to(kind) for contender in METHODS.values())


def test_who_is_asked_about_what() -> None:
    def asked(name: str) -> set[str]:
        return {label for label, contender in METHODS.items() if contender.applies_to(KINDS[name])}

    classic = {"dirichlet", "glrt", "sign", "wilcoxon"}
    assert asked("1 measure, n=50") == {*classic, "signed-rank"}
    assert asked("1 measure, 20 % missing") - asked("1 measure, n=20") == {"dirichlet (gaps kept)"}
    assert asked("1 measure, n=20") == {*classic, "signed-rank", "gsd", "gsd-bootstrap"}
    two = {"dirichlet", "glrt", "network", "all-test"}
    assert asked("2 measures, n=50") == two
    assert asked("3 measures, n=20") == two - {"network"} | {"gsd", "gsd-bootstrap"}
    assert asked("5 algorithms, 1 measure") == {*classic, "dirichlet (learned)"}
    folds = {"replicated", "correlated-t", "correlated-t (joint)"}
    assert asked("10 folds, little noise") == {*classic, "signed-rank", *folds}
    counts = {"poisson-binomial", "poisson-binomial (joint)", "hierarchical"}
    assert asked("counts of errors") == {*classic, "signed-rank", *counts}


def test_a_small_study() -> None:
    study = which_test_study(replications=3, kinds=["1 measure, n=5"])
    table = study.run(rng=1)
    assert table.attrs["failed"] == 0
    summary = which_test_summary(table).set_index(["tau", "method"])
    # Where nothing is better, every verdict is false, and no best statement is true.
    nothing = summary.loc[0.0]
    assert (nothing["false"] == nothing["claimed"]).all()
    assert (nothing["right"] == 0).all()
    assert {"dirichlet", "sign", "wilcoxon", "glrt", "signed-rank"} == set(nothing.index)
    assert (summary["claimed_mcse"] > 0).all()
    alone = which_test_study(replications=1, kinds=["1 measure, n=5"], strengths=[0.5]).run(rng=1)
    same = table["right"].sel(tau=[0.5], replication=[0])
    np.testing.assert_array_equal(alone["right"], same)


def test_figures_are_those_of_compare() -> None:
    study = which_test_study(replications=2, kinds=["2 measures, n=20"], strengths=[0.5])
    row = study.run(rng=4).squeeze(["kind", "tau"]).isel(replication=1)
    (scenario,) = study._scenarios
    rng = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(*scenario.spawn_key, 1)))
    strength = 0.5 * rng.standard_normal((2, 2))
    c = bc.compare(
        simulate_results(KINDS["2 measures, n=20"], strength, rng),
        method=bc.methods.Dirichlet(prior="symmetric"),
    )
    own = row.sel({"method": "dirichlet"})
    assert own["stated"] == c.decision.level
    best = "|".join("A>B" if gap > 0 else "B>A" for gap in strength[0] - strength[1])
    assert np.isfinite(own["near"])
    assert own["right"] == (c.best == best)
    assert own["claimed"] == (c.decision.verdict == "settled")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(bc.BayescompareError, match="kinds='none'"):
        which_test_study(kinds=["none"])
