"""The command in a report makes the figures again."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare import methods
from bayescompare.report import page_of
from bayescompare.table.results import Results
from tests.cases import few_quick
from tests.tables import normal_table


def command_of(thing) -> str:
    return next(s for s in page_of(thing).sections if s.title == "How it was made").code["Command"]


@pytest.mark.parametrize(
    "method",
    few_quick(
        [
            methods.Dirichlet(),
            methods.Dirichlet(prior="learned"),
            methods.Dirichlet(prior="symmetric"),
            methods.CorrelatedT(joint=True, b="learned"),
        ],
        3,
    ),
    ids=repr,
)
def test_the_command_of_all_pairs_and_of_one_makes_the_figures_again(method):
    rng = np.random.default_rng(5)
    rows = [
        (f"d{d}", name, fold, rng.normal(k / 2, 1.0))
        for d in range(6)
        for k, name in enumerate("ABC")
        for fold in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "acc"])
    results = Results.from_frame(frame, replicate="fold", measures={"acc": "max"})
    p = bc.pairwise(results, method=method, n_jobs=1)

    def again(thing):
        call = command_of(thing).rpartition(".report(")[0]
        return eval(call, {"bc": bc, "results": results})

    pd.testing.assert_frame_equal(again(p).decide(), p.decide())
    one = again(p["A", "B"])
    assert one.answer.probability.tolist() == p["A", "B"].answer.probability.tolist()
    told = next(s for s in page_of(p).sections if s.title == "How it was made").facts["options"]
    assert ("learned" in told) == (p.learned is not None)
    assert "weights" not in told


def test_command_of_random_pairs_has_the_seed():
    gsd = methods.get("gsd")(permutations=20)
    p = bc.pairwise(normal_table(["A", "B", "C"], datasets=12), method=gsd, rng=7, n_jobs=1)
    assert "rng=7" in command_of(p)


def test_command_has_the_measures_chosen():
    c = bc.compare(normal_table(["A", "B"], ("acc", "auc")), measures=["auc"])
    assert "measures=" in command_of(c)


def test_command_has_no_memory_address():
    from dataclasses import replace

    c = bc.compare(normal_table(["A", "B"]))
    given = methods.Dirichlet(priors={"alpha": lambda name, dims: 1.0})
    assert not re.search(r"0x[0-9a-f]{6,}", command_of(replace(c, method=given)))
