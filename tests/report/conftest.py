"""Results whose pages several tests read, each asked and rendered once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.report import render
from tests.methods.gsd.cases import ask
from tests.plots.drawn import folds, leading_without_a_dataset, with_a_twin
from tests.report.parsed import Page

UCI = "jansen-uci"


def odd_names() -> bc.Comparison:
    names = {"<img src:x onerror:'boom()'": 1.0, "$x_1$ & 🦊 " + "very" * 30: 0.0}
    rows = [
        (f"<script>boom({i})</script>", name, value + 0.1 * i)
        for i in range(4)
        for name, value in names.items()
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "<b>score</b>"])
    return bc.compare(bc.Results.from_frame(frame, measures={"<b>score</b>": "max"}))


def many_algorithms() -> bc.Pairwise:
    """Two hundred, against one of them; a learned prior would take most of the time."""
    rng = np.random.default_rng(0)
    rows = [(f"d{i}", f"algorithm {k}", rng.normal()) for i in range(5) for k in range(200)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "score"])
    results = bc.Results.from_frame(frame, measures={"score": "max"})
    method = bc.methods.Dirichlet(prior="symmetric")
    return bc.pairwise(results, method=method, reference="algorithm 7", n_jobs=1)


def of_uci(method: Any, *algorithms: str, **options: Any) -> bc.Comparison:
    chosen = list(algorithms) or None
    return bc.compare(bc.load_example(UCI), method=method, algorithms=chosen, **options)


#: How each is asked; `example1`, `pairs` and errors are the fixtures of all tests.
THINGS: dict[str, Callable[..., Any]] = {
    "imprecise": lambda: bc.compare(
        bc.load_example("pnn"), method=bc.methods.Dirichlet(prior="imprecise")
    ),
    "glrt": lambda: bc.compare(bc.load_example("pnn"), method="glrt"),
    "network": lambda: of_uci("network", "GBM", "RF", rng=0),
    "pair": lambda: bc.pairwise(bc.load_example("pnn"), n_jobs=1),
    "glrt pairs": lambda: bc.pairwise(
        bc.load_example(UCI), method="glrt", reference="CART", n_jobs=1
    ),
    "poisson-binomial": lambda: bc.compare(
        bc.load_example("lacoste-svm-parzen"), method="poisson-binomial"
    ),
    "hierarchical": lambda: bc.compare(
        bc.load_example("lacoste-svm-parzen"), method="hierarchical"
    ),
    "correlated-t": lambda: bc.compare(folds(0.01), method="correlated-t"),
    "wilcoxon": lambda: bc.compare(bc.load_example("lacoste-svm-parzen"), method="wilcoxon"),
    "friedman": lambda: of_uci("friedman", measures=["auc"]),
    "all-test": lambda: of_uci("all-test", "GBM", "CART"),
    "gsd": lambda: of_uci(bc.methods.GSD(delta=0), "RF", "BDS", "EN"),
    "gsd pair": lambda: ask(
        bc.load_example(UCI), bc.methods.GSD(permutations=50), algorithms=["RF", "BDS"], rng=1
    ),
    "gsd bootstrap": lambda: ask(
        bc.load_example(UCI),
        bc.methods.GSDBootstrap(delta=0, resamples=50),
        algorithms=["RF", "BDS"],
        rng=1,
    ),
    "a twin": with_a_twin,
    "a leader without a dataset": leading_without_a_dataset,
    "odd names": odd_names,
    "200 algorithms": many_algorithms,
}


class Rendered:
    """Things by name, and their pages; each is made when it is first asked for."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.things, self.pages = known, dict[str, str]()

    def thing(self, name: str) -> Any:
        if name not in self.things:
            self.things[name] = THINGS[name]()
        return self.things[name]

    def html(self, name: str) -> str:
        if name not in self.pages:
            self.pages[name] = render(self.thing(name))
        return self.pages[name]

    def page(self, name: str) -> Page:
        return Page(self.html(name))


@pytest.fixture(scope="session")
def rendered(example1: bc.Comparison, pairs: bc.Pairwise) -> Rendered:
    return Rendered({"example1": example1, "pairs": pairs})


ODD = (
    "<b x",
    r"a_1 & 100% $z$ \end{document} ^#{}",
    "名前 🦊 é ẞ \u200f.",
    "`code` *i* [l](u)",
)


@pytest.fixture(scope="session")
def odd() -> bc.Pairwise:
    rows = [
        (f"{ODD[i % 4]} {i}", name, 0.1 * i + 0.2 * k)
        for i in range(6)
        for k, name in enumerate(ODD)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", r"50%_\x{"])
    return bc.pairwise(bc.Results.from_frame(frame, measures={r"50%_\x{": "max"}), n_jobs=1)
