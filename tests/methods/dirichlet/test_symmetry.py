"""What must not matter to the multinomial-Dirichlet test: listings, swaps, units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bayescompare.table.results import Results
from tests.methods.dirichlet.cases import arrays, ask, figures, same, sample_table
from tests.tables import table


def mirror(label: str, swap: dict[str, str]) -> str:
    """The label after the algorithms trade names; equivalence is written in listing order."""
    if "=" in label:
        return label
    return ">".join(swap[name] for name in label.split(">"))


CHOICES: list[dict[str, Any]] = [
    {},
    {"prior": {"*": 0.1}},
    {"prior": "imprecise", "strength": 2.0},
]


@pytest.mark.parametrize("choices", CHOICES, ids=lambda c: str(c.get("prior", "symmetric")))
@given(values=arrays(l=2, m=2))
@settings(max_examples=4)
def test_listing_the_algorithms_the_other_way_round_changes_no_figure(
    choices: dict[str, Any], values: np.ndarray
) -> None:
    results = table(values)
    same(
        figures(ask(results.sel(algorithms=["B", "A"]), **choices)),
        figures(ask(results, **choices)),
    )


@pytest.mark.parametrize("choices", CHOICES, ids=lambda c: str(c.get("prior", "symmetric")))
@given(values=arrays(l=2, m=2))
@settings(max_examples=4)
def test_swapping_the_algorithms_data_mirrors_every_figure(
    choices: dict[str, Any], values: np.ndarray
) -> None:
    straight = ask(table(values), **choices)
    swapped = ask(table(values[:, ::-1]), **choices)
    swap = {"A": "B", "B": "A"}

    def turned(label: str) -> str:
        return "|".join(mirror(state, swap) for state in label.split("|"))

    expected, found = figures(straight), figures(swapped)
    expected["statements"] = {turned(k): v for k, v in expected["statements"].items()}
    if straight.decision.verdict == "tied":
        # Which of the tied ones is named first is a matter of their names.
        for key in ("best", "questions"):
            expected.pop(key)
            found.pop(key)
    else:
        expected["best"] = turned(expected["best"])
    same(found, expected)


@given(values=arrays(l=2, m=2, most=4))
@example(values=np.array([[[1.0, 1.0], [1.0, 0.0]], [[2.0, 2.0], [1.0, 1.0]]]))
@example(values=np.array([[[1.0], [1.0]], [[2.0], [1.0]]]))
def test_swapping_mirrors_with_a_rope_too(values: np.ndarray) -> None:
    results = table(values, rope=0.0)
    straight = figures(ask(results))
    found = figures(ask(results.sel(algorithms=["B", "A"])))
    renamed = {k.replace("A=B", "B=A"): v for k, v in straight["statements"].items()}
    straight.update(statements=renamed, best=straight["best"].replace("A=B", "B=A"))
    same(found, straight)


@given(arrays(l=3, m=1), st.permutations(["A", "B", "C"]))
@settings(max_examples=25)
def test_relisting_three_algorithms_changes_no_figure(values: np.ndarray, order: list[str]) -> None:
    results = table(values)
    same(figures(ask(results.sel(algorithms=order))), figures(ask(results)))


@given(arrays(l=2, m=2), st.randoms(use_true_random=False), st.floats(0.1, 50.0))
@settings(max_examples=30)
def test_what_must_not_matter_does_not(values: np.ndarray, random: Any, factor: float) -> None:
    straight = figures(ask(table(values)))
    order = list(range(len(values)))
    random.shuffle(order)
    permuted = figures(ask(table(values[order])))
    permuted["loo"] = [permuted["loo"][order.index(i)] for i in range(len(order))]
    same(permuted, straight)
    scaled = values.copy()
    scaled[:, :, 0] *= factor
    scaled[:, :, 1] = np.exp(scaled[:, :, 1])
    same(figures(ask(table(scaled))), straight)
    upside_down = table(-values, measures={"m0": "min", "m1": "min"})
    same(figures(ask(upside_down)), straight)


def test_replicates_are_averaged_and_it_is_said() -> None:
    frame = table(sample_table(4, 2, 1)).to_frame()
    frame = frame.loc[frame.index.repeat(2)].assign(fold=[1, 2] * len(frame))
    results = Results.from_frame(frame, replicate="fold", measures={"m0": "max"})
    c = ask(results)
    same(figures(c), figures(ask(table(sample_table(4, 2, 1)))))
    assert "mean of 2 replicates" in c.explain()
