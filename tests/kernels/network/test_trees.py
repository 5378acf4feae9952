"""P(max) under trees: a Dirichlet, brute force, draws, what must not change it; log Beta cells."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc, expit

from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.kernels.network import trees
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.kernels.network.tables import NetworkTables
from bayescompare.kernels.network.trees import (
    RatioGrid,
    is_binary_tree,
    log_odds_range,
    ratio_range,
    tree_maximum,
    truncated_log_cells,
)
from tests.cases import few_quick
from tests.oracles import network as no

seeds = st.integers(0, 2**32 - 1)


def tables_of(counts: np.ndarray, parent: list[int], ess: float) -> NetworkTables:
    m = len(parent)
    graph = [1 << above if above >= 0 else 0 for above in parent]
    return NetworkTables.count(
        no.joint_states([2] * m), counts, [2] * m, graph, range(m), CellPrior(ess)
    )


def maximum(counts: np.ndarray, parent: list[int], ess: float = 1.0) -> np.ndarray:
    """P(max) of all statements, first measure slowest."""
    tables = tables_of(counts, parent, ess)
    assert is_binary_tree(tables)
    found = tree_maximum(tables, no.joint_states([2] * len(parent))[:, list(tables.members)])
    assert found is not None
    return found


def some_counts(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """So many datasets, a few statements much more frequent than others, halves for ties."""
    p = rng.dirichlet(np.full(1 << m, 0.3))
    return rng.multinomial(2 * n, p) / 2.0


def some_tree(rng: np.random.Generator, m: int) -> list[tuple[int, int]]:
    return [(int(rng.integers(v)), v) for v in range(1, m)]


def rooted(edges: list[tuple[int, int]], root: int) -> list[int]:
    """The parent of every node when the tree hangs from `root`."""
    parent, reached = [-1] * (len(edges) + 1), [root]
    for v in reached:
        for a, b in edges:
            for above, below in ((a, b), (b, a)):
                if above == v and below not in reached:
                    parent[below] = v
                    reached.append(below)
    return parent


# -------------------------------------------------------------------------------------- witnesses


@pytest.mark.parametrize(
    ("ess", "n"), [(1.0, 0), (1.0, 12), (0.01, 4), (1e-8, 4), (30.0, 40), (1.0, 4000), (1e9, 10)]
)
def test_two_measures_are_a_dirichlet(ess: float, n: int) -> None:
    """A complete graph is a multinomial: the exact path of the plain test is the witness."""
    counts = some_counts(np.random.default_rng(n), 2, n)
    expected = p_max(np.full(4, np.log(ess / 4)), counts[None])[0, :-1]
    for parent in ([-1, 0], [1, -1]):
        np.testing.assert_allclose(maximum(counts, parent, ess), expected, atol=1e-10)


@pytest.mark.parametrize("parent", [[-1, 0, 1], [-1, 0, 0]])
@pytest.mark.parametrize(
    ("ess", "n"), few_quick([(1.0, 0), (0.1, 10), (4.0, 25), (1.0, 6)], 3, several=True)
)
def test_three_measures_by_brute_force(parent: list[int], ess: float, n: int) -> None:
    """Every statement by tensor quadrature over four Betas and a fifth in closed form."""
    counts = some_counts(np.random.default_rng(n), 3, n)
    found, shapes = maximum(counts, parent, ess), no.tree_shapes(counts, parent, ess)
    expected = [
        no.leading_by_quadrature(parent, shapes, statement, 12)
        for statement in no.joint_states([2] * 3)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize(
    "parent", few_quick([[1, -1, 1, 2], [-1, 0, 0, 0], [-1, 0, 1, 2], [-1, 0, 1, 1]], 1)
)
def test_four_measures_by_brute_force(parent: list[int]) -> None:
    """Six Betas and a seventh; statements that lead often and seldom."""
    counts = some_counts(np.random.default_rng(4), 4, 9)
    found, shapes = maximum(counts, parent), no.tree_shapes(counts, parent)
    order = np.argsort(found)
    for k in order[[0, 8, -1]]:
        statement = no.joint_states([2] * 4)[k]
        expected = no.leading_by_quadrature(parent, shapes, statement, 6)
        # Its own error: 7 nodes differ from 6 by 1e-9.
        assert found[k] == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n"), [(5, 8), (6, 60)])
def test_larger_trees_by_draws(m: int, n: int) -> None:
    rng, size = np.random.default_rng(m), 200_000
    counts, parent = some_counts(rng, m, n), rooted(some_tree(rng, m), 2)
    found = maximum(counts, parent)
    graph = [1 << above if above >= 0 else 0 for above in parent]
    share = no.leading_shares(counts, [2] * m, graph, size=size)
    safe = found.clip(1 / size, 1 - 1 / size)
    np.testing.assert_array_less(np.abs(share - found), 4 * np.sqrt(safe * (1 - safe) / size))


# ------------------------------------------------------------------------------------- properties


@settings(max_examples=25)
@given(seeds, st.integers(2, 6), st.sampled_from([0.0, 0.02, 1.0, 20.0]))
def test_the_root_does_not_matter_and_all_add_up(seed: int, m: int, strength: float) -> None:
    """Under BDeu a tree hung from another node is the same model, by other integrals."""
    rng = np.random.default_rng(seed)
    ess, n = (1.0, 0) if strength == 0.0 else (strength, int(rng.choice([3, 20, 300])))
    counts, edges = some_counts(rng, m, n), some_tree(rng, m)
    one, two = (maximum(counts, rooted(edges, root), ess) for root in (0, m - 1))
    np.testing.assert_allclose(one, two, atol=1e-10)
    assert one.sum() == pytest.approx(1.0, abs=1e-10)


@settings(max_examples=15)
@given(seeds, st.integers(2, 5))
def test_swapping_and_renaming_move_the_probabilities(seed: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    counts, edges = some_counts(rng, m, 15), some_tree(rng, m)
    found = maximum(counts, rooted(edges, 0))
    # The algorithms swapped: every state is the other.
    np.testing.assert_allclose(maximum(counts[::-1], rooted(edges, 0)), found[::-1], atol=1e-10)
    # Measures renamed: the cube of statements is transposed.
    order = rng.permutation(m)
    place = np.argsort(order)
    moved = [(int(place[a]), int(place[b])) for a, b in edges]
    cube = (2,) * m
    renamed = maximum(counts.reshape(cube).transpose(order).ravel(), rooted(moved, int(place[0])))
    np.testing.assert_allclose(renamed, found.reshape(cube).transpose(order).ravel(), atol=1e-10)


@settings(max_examples=10)
@given(seeds)
def test_a_measure_on_which_all_datasets_tie_has_equal_states(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = some_counts(rng, 3, 12)
    split = np.repeat(counts, 2) / 2.0
    whole = maximum(split, [-1, 0, 1, 2]).reshape(-1, 2)
    np.testing.assert_allclose(whole[:, 0], whole[:, 1], atol=1e-10)


# ---------------------------------------------------------------------------------------- extremes


@pytest.mark.parametrize("ess", [1e-300, 1e-12, 1e-3, 1e3, 1e8])
def test_priors_from_nothing_to_overwhelming(ess: float) -> None:
    counts = some_counts(np.random.default_rng(0), 4, 12)
    one, two = (maximum(counts, parent, ess) for parent in ([-1, 0, 1, 2], [1, 2, 3, -1]))
    np.testing.assert_allclose(one, two, atol=1e-9)
    assert one.sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("n", [1_000, 100_000])
def test_many_datasets_of_two_statements_almost_as_frequent(n: int) -> None:
    """Rows so narrow that grids without narrow intervals would need thousands of points."""
    counts = np.zeros(16)
    counts[[0, 15, 5]] = n, n - np.sqrt(n), n / 50
    one, two = (maximum(counts, parent) for parent in ([-1, 0, 1, 2], [1, 2, 3, -1]))
    np.testing.assert_allclose(one, two, atol=1e-9)
    assert 0.6 < one[0] < 0.9
    assert one[0] + one[15] == pytest.approx(1.0, abs=1e-6)


def test_a_star_of_thirty_measures() -> None:
    """Given the centre's state the rays are independent, so the leader is easily drawn."""
    m = 31
    states = np.array([[0] * m, [1] * m])
    graph = [0, *([1] * (m - 1))]
    tables = NetworkTables.count(
        states, np.array([6.0, 4.0]), [2] * m, graph, range(m), CellPrior()
    )
    found = tree_maximum(tables, states)
    assert found is not None
    size = 20_000
    rng = np.random.default_rng(0)
    logs = tables.log_draws(size, rng)
    centre, rays = logs[:, :2], logs[:, 2:].reshape(size, m - 1, 2, 2)
    best = (centre + rays.max(axis=3).sum(axis=1)).argmax(axis=1)
    chosen = rays[np.arange(size), :, best].argmax(axis=2)
    for p, s in zip(found, states, strict=True):
        share = float(((best == s[0]) & (chosen == s[1:]).all(axis=1)).mean())
        assert abs(p - share) < 4 * np.sqrt(p * (1 - p) / size)


# ------------------------------------------------------------------------------------ bookkeeping


def test_a_few_statements_have_the_figures_they_have_among_all() -> None:
    rng = np.random.default_rng(1)
    counts, parent = some_counts(rng, 6, 20), rooted(some_tree(rng, 6), 0)
    whole, tables = maximum(counts, parent), tables_of(counts, parent, 1.0)
    chosen = np.array([60, 3, 3, 17])
    states = no.joint_states([2] * 6)[chosen][:, list(tables.members)]
    found = tree_maximum(tables, states)
    np.testing.assert_allclose(found, whole[chosen], atol=1e-12)


def test_blocks_of_statements_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = some_counts(np.random.default_rng(2), 4, 20)
    whole = maximum(counts, [-1, 0, 0, 1])
    monkeypatch.setattr(trees, "_BLOCK", 3)
    np.testing.assert_allclose(maximum(counts, [-1, 0, 0, 1]), whole, atol=1e-13)


def test_rules_that_do_not_agree_give_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = some_counts(np.random.default_rng(2), 4, 20)
    tables = tables_of(counts, [-1, 0, 0, 1], 1.0)
    states = no.joint_states([2] * 4)
    monkeypatch.setattr(trees, "_RULES", ((0.1, 2), (0.15, 2), (0.2, 2)))
    assert tree_maximum(tables, states) is None
    monkeypatch.undo()
    monkeypatch.setattr(trees, "_MOST_ENTRIES", 100)
    assert tree_maximum(tables, states) is None


def test_which_tables_are_binary_trees() -> None:
    def tables(arities: list[int], graph: list[int]) -> NetworkTables:
        m = len(arities)
        return NetworkTables.count(
            np.zeros((1, m), int), np.ones(1), arities, graph, range(m), CellPrior()
        )

    assert is_binary_tree(tables([2], [0]))
    assert is_binary_tree(tables([2, 2, 2], [0b10, 0, 0b01]))
    assert not is_binary_tree(tables([2, 3, 2], [0b10, 0, 0b01])), "a rope"
    assert not is_binary_tree(tables([2, 2, 2], [0, 0b101, 0])), "a collider"
    assert not is_binary_tree(tables([2, 2, 2], [0, 0b001, 0])), "two trees"


# ---------------------------------------------------------------------------------------- the grid


@given(st.integers(0, 2**32 - 1), st.floats(-3.0, 3.0), st.floats(0.0, 4.0))
def test_no_drawn_ratio_is_outside(seed: int, low: float, width: float) -> None:
    rng = np.random.default_rng(seed)
    rows = 10.0 ** rng.uniform(-2, 4, (2, 2))
    least, most = ratio_range(rows, low, low + width)
    c = rng.uniform(low, low + width, 2000)
    p = rng.beta(*rows.T[:, :, None], size=(2, 2000)).clip(1e-300, 1 - 1e-16)
    message = np.maximum(np.log(p) + c, np.log1p(-p))
    ratio = message[0] - message[1]
    assert (ratio >= least - 1e-12).all()
    assert (ratio <= most + 1e-12).all()


@pytest.mark.parametrize(("low", "high"), [(-0.7, 0.7), (0.3, 0.31), (-4.0, 9.0)])
def test_an_average_over_the_grid_is_the_integral(low: float, high: float) -> None:
    """C uniform on the interval: a density with jumps at both of its ends."""
    grid = RatioGrid.over(low, high, 5.0, 1.0)
    w = grid.step * np.arange(grid.count)
    law = np.sinc(w * 0.5 * (high - low) / np.pi)
    masses = grid.masses(law[None])[0]
    points = grid.points
    assert points[0] == pytest.approx(grid.centre - (high - low))
    for h, primitive in (
        (expit, lambda x: np.logaddexp(0.0, x)),
        (np.cos, np.sin),
        (np.ones_like, lambda x: x),
    ):
        found = float((h(points) * grid.window) @ masses)
        assert found == pytest.approx((primitive(high) - primitive(low)) / (high - low), abs=1e-10)


SHAPES = [(3.25, 0.125), (1e-3, 2.0), (400.0, 380.5), (1e-6, 1e-6)]


def by_mpmath(a: float, b: float, t: float, w: float) -> tuple[complex, complex]:
    """Both expectations, in the log odds, with 20 digits."""
    with mp.workdps(20):
        a, b, t = mp.mpf(a), mp.mpf(b), mp.mpf(t)

        def density(z: mp.mpf) -> mp.mpf:
            return mp.exp(a * z - (a + b) * mp.log1p(mp.exp(z))) / mp.beta(a, b)

        far, peak = [mp.mpf(k) for k in (5, 20, 60)], mp.log(a / b)
        inside = sorted(p for p in (peak, peak - 0.2, peak + 0.2, *far) if p > t)
        first = mp.quad(lambda z: density(z) * mp.expj(-w * mp.log1p(mp.exp(-z))), [t, *inside])
        first += mp.betainc(b, a, 0, 1 / (1 + mp.exp(inside[-1])), regularized=True)
        inside = sorted(p for p in (peak, peak - 0.2, peak + 0.2, *(-f for f in far)) if p < t)
        second = mp.quad(lambda z: density(z) * mp.expj(-w * mp.log1p(mp.exp(z))), [*inside, t])
        second += mp.betainc(a, b, 0, 1 / (1 + mp.exp(-inside[0])), regularized=True)
        return complex(first), complex(second)


@pytest.mark.parametrize(("a", "b"), few_quick(SHAPES, 2, several=True))
def test_transforms_against_mpmath(a: float, b: float) -> None:
    t = np.linspace(-1.4, 1.4, 41)
    found = truncated_log_cells(a, b, t, 3.0, 5, 8)
    for k, j in ((0, 4), (13, 1), (40, 0)):
        expected = by_mpmath(a, b, float(t[k]), 3.0 * j)
        np.testing.assert_allclose(found[:, k, j], expected, atol=1e-11)


shapes = st.floats(-8.0, 6.0).map(lambda x: 10.0**x)


@given(shapes, shapes, st.floats(-3.0, 3.0), st.floats(0.1, 4.0))
def test_at_frequency_zero_they_are_probabilities(a: float, b: float, t: float, gap: float) -> None:
    thresholds = t + gap * np.arange(3)
    found = truncated_log_cells(a, b, thresholds, 5.0, 3, 8)
    above = betainc(b, a, expit(-thresholds))
    np.testing.assert_allclose(found[0, :, 0].real, above, atol=1e-9)
    np.testing.assert_allclose(found[:, :, 0].sum(axis=0), 1.0, atol=1e-12)
    assert (np.abs(found) <= 1.0 + 1e-9).all()


@given(shapes, shapes)
def test_exchanging_the_cells_mirrors_the_transforms(a: float, b: float) -> None:
    t = np.linspace(-1.0, 2.0, 7)
    one, two = (truncated_log_cells(*s, 2.0, 4, 8) for s in ((a, b, t), (b, a, -t[::-1])))
    np.testing.assert_allclose(one, two[::-1, ::-1], atol=1e-9)


@given(shapes, shapes)
def test_the_range_has_the_mass(a: float, b: float) -> None:
    low, high = log_odds_range(a, b)
    beyond = betainc(a, b, expit(low)), betainc(b, a, expit(-high))
    assert -40.0 <= low < high <= 40.0
    for end, mass in zip((-low, high), beyond, strict=True):
        assert mass < 1e-14 or end == 40.0
