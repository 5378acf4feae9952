"""Parameters of the tables' cells, and when a complete component is one Dirichlet."""

from __future__ import annotations

import numpy as np
import pytest

from bayescompare.kernels.network.cell_prior import CellPrior
from bayescompare.kernels.network.statements import NetworkTables
from tests.oracles import network as no

COMPLETE = [0, 0b001, 0b011]


def tables(prior: float | CellPrior, graph: list[int], arities: list[int]) -> NetworkTables:
    states = no.joint_states(arities)
    return NetworkTables.count(
        states, np.ones(len(states)), arities, graph, range(len(graph)), prior
    )


def test_a_number_is_the_ess_of_bdeu() -> None:
    found = tables(3.0, [0, 0b01], [2, 3])
    np.testing.assert_allclose(found.alpha, [1.5] * 2 + [0.5] * 6)
    assert CellPrior.of(3.0).equivalent


def test_alpha_is_the_same_in_every_row() -> None:
    prior = CellPrior(alpha=((2.0, 1.0), (0.1, 0.2, 0.3)))
    found = tables(prior, [0, 0b01], [2, 3])
    np.testing.assert_allclose(found.alpha, [2.0, 1.0, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    assert not prior.equivalent
    # Parents after their children in the listing.
    found = tables(prior, [0b10, 0], [2, 3])
    np.testing.assert_allclose(found.alpha, [0.1, 0.2, 0.3] + [2.0, 1.0] * 3)


@pytest.mark.parametrize("graph", [[0], [0, 0b01], COMPLETE, [0b110, 0b100, 0]])
def test_bdeu_of_a_complete_graph_is_one_dirichlet(graph: list[int]) -> None:
    arities = [2, 3, 2][: len(graph)]
    alpha = tables(1.2, graph, arities).joint_alpha()
    np.testing.assert_allclose(alpha, 1.2 / np.prod(arities), rtol=1e-12)


def test_consistent_parameters_are_one_dirichlet_and_others_are_not() -> None:
    fits, fails = (CellPrior(alpha=((0.7, 0.7), (0.5, last))) for last in (0.2, 0.3))
    one = tables(fits, [0, 0b01], [2, 2]).joint_alpha()
    np.testing.assert_allclose(one, [0.5, 0.2, 0.5, 0.2])
    assert tables(fails, [0, 0b01], [2, 2]).joint_alpha() is None
    # The other way round the rows would have to sum to 0.5 and to 0.2.
    assert tables(fits, [0b10, 0], [2, 2]).joint_alpha() is None


def test_a_chain_is_no_dirichlet() -> None:
    assert tables(1.0, [0, 0b001, 0b010], [2, 2, 2]).joint_alpha() is None
