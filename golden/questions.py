"""The questions of the golden file: every example and 100 random tables, by method and option.

A question is its name and a function that answers it. Tables come from their number alone, so that
an entry can be asked again by itself. What samples by NUTS is not asked: its figures differ between
machines, and tests of their own compare it with the exact answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

import bayescompare as bc
from bayescompare import methods as m

type Question = Callable[[], Any]

#: Random tables.
TABLES = 100
#: What a table is of: its number modulo ten.
KINDS = ("plain", "ties", "rope", "gaps", "weights", "several", "folds", "runs", "errors", "board")

PAIR: dict[str, Any] = {
    "dirichlet": m.Dirichlet(),
    "dirichlet jeffreys": m.Dirichlet(prior="jeffreys"),
    "dirichlet uniform": m.Dirichlet(prior="uniform"),
    "dirichlet 0.3": m.Dirichlet(prior=0.3),
    "dirichlet strength 4": m.Dirichlet(strength=4.0),
    "dirichlet imprecise": m.Dirichlet(prior="imprecise", strength=2.0),
    "network": m.Network(),
    "network ess 4": m.Network(ess=4.0, max_parents=1),
    "glrt": m.GLRT(),
    "gsd": m.GSD(permutations=200),
    "gsd pooled": m.GSD(permutations=200, scheme="pooled", delta=0.0, alternative="first"),
    "all-test": m.AllTest(),
    "one-test": m.OneTest(test="sign"),
}
ONE_MEASURE: dict[str, Any] = {
    "sign": m.Sign(),
    "wilcoxon": m.Wilcoxon(),
    "signed-rank": m.SignedRank(draws=4000),
}
SLOWER: dict[str, Any] = {
    "network average": m.Network(average=True),
    "gsd-bootstrap": m.GSDBootstrap(resamples=200),
}
WEIGHTED: dict[str, Any] = {
    "dirichlet": m.Dirichlet(),
    "dirichlet jeffreys": m.Dirichlet(prior="jeffreys"),
    "dirichlet imprecise": m.Dirichlet(prior="imprecise"),
}
GAPS = ("drop", "ignore", "worst", "bounds")
REPLICATED: dict[str, Any] = {
    "replicated": m.Replicated(),
    "replicated flat": m.Replicated(effects="flat"),
    "replicated cut": m.Replicated(joint=False),
    "replicated strength 2": m.Replicated(strength=2.0, rho=0.1),
    "replicated uniform": m.Replicated(prior="uniform", folds=10),
}
ONE_REPLICATED: dict[str, Any] = {
    "correlated-t": m.CorrelatedT(),
    "correlated-t joint": m.CorrelatedT(joint=True, b=2.0),
    "correlated-t rho": m.CorrelatedT(rho=0.2),
}
COUNTS: dict[str, Any] = {
    "poisson-binomial": m.PoissonBinomial(),
    "poisson-binomial joint": m.PoissonBinomial(joint=True),
    "poisson-binomial b 3": m.PoissonBinomial(joint=True, a=0.5, b=3.0),
    "hierarchical": m.Hierarchical(),
}
LEARNING_COUNTS: dict[str, Any] = {
    **COUNTS,
    "poisson-binomial learned": m.PoissonBinomial(joint=True, b="learned"),
}


# -------------------------------------------------------------------------------------- tables


@cache
def random_table(number: int) -> bc.Results | bc.ErrorCounts:
    """The table of this number; sizes, effects and noise are its own."""
    rng = np.random.default_rng(number)
    kind = KINDS[number % len(KINDS)]
    algorithms = 2
    if kind in ("several", "runs"):
        algorithms = int(rng.integers(3, 5))
    elif kind == "board":
        algorithms = int(rng.integers(5, 10))
    datasets = int(rng.integers(5, 21))
    if kind == "errors":
        return _errors(rng, 2 + (number // 10) % 3, datasets)
    measures = 1 + (number // 10) % 3
    replicates = int(rng.integers(3, 7)) if kind in ("folds", "runs") else 1
    if kind == "several":
        measures = min(measures, 2)
    if kind in ("folds", "runs"):
        datasets, measures = min(datasets, 12), min(measures, 2)
    values = rng.normal(size=(datasets, algorithms, replicates, measures))
    values += rng.normal(scale=0.7, size=(algorithms, 1, measures))
    values += rng.normal(scale=0.3, size=(datasets, algorithms, 1, measures))
    if kind == "ties" or (kind == "board" and number % 20 == 19):
        values = np.round(values)
    if kind == "gaps":
        gone = rng.random(values.shape) < 0.12
        gone[0] = False
        values[gone] = np.nan
    names = [chr(ord("A") + a) for a in range(algorithms)]
    index = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(datasets)], names, range(replicates)],
        names=["dataset", "algorithm", "run"],
    )
    frame = pd.DataFrame(
        values.reshape(-1, measures), index, [f"m{j}" for j in range(measures)]
    ).reset_index()
    options: dict[str, Any] = {}
    if kind == "weights":
        weight = dict(zip(frame["dataset"].unique(), rng.integers(1, 6, datasets), strict=True))
        frame["weight"] = frame["dataset"].map(weight).astype(float)
        options["weight"] = "weight"
    if replicates > 1:
        options |= {"replicate": "run", "replicates": ("folds", "seeds")[number // 10 % 2]}
    has_rope = kind == "rope" or (kind in ("folds", "runs") and number // 10 % 4 == 3)
    roped = (0.4, None, 0.0) if has_rope else (None,) * 3
    spec = {
        f"m{j}": bc.Measure(("max", "min", "max")[j], rope=roped[j], scale="metric")
        for j in range(measures)
    }
    return bc.Results.from_frame(frame, measures=spec, **options)


def _errors(rng: np.random.Generator, algorithms: int, datasets: int) -> bc.ErrorCounts:
    """Counts of errors of two, or the predictions of more."""
    if algorithms == 2:
        first, second = rng.poisson(rng.uniform(2, 9), datasets), rng.poisson(6, datasets)
        frame = pd.DataFrame({"d": np.arange(datasets), "f": first, "s": second})
        return bc.ErrorCounts.from_frame(
            frame, dataset="d", first_wrong="f", second_wrong="s", algorithms=("A", "B")
        )
    skill = rng.uniform(0.55, 0.8, algorithms)
    right = rng.random((datasets, 30, algorithms)) < skill
    index = pd.MultiIndex.from_product(
        [range(datasets), range(30), list("ABCD"[:algorithms])], names=["d", "e", "a"]
    )
    frame = pd.DataFrame({"ok": right.ravel()}, index).reset_index()
    return bc.ErrorCounts.from_predictions(
        frame, dataset="d", example="e", algorithm="a", correct="ok"
    )


# ----------------------------------------------------------------------------------- questions


def questions() -> Iterator[tuple[str, Question]]:
    """Every question and its name, in a fixed order."""
    yield from _of_examples()
    for number in range(TABLES):
        yield from _of_table(number)


def _of_examples() -> Iterator[tuple[str, Question]]:
    def named(example: str, door: Any, options: Mapping[str, Any], **more: Any) -> Any:
        for name, method in options.items():
            key = " ".join([example, door.__name__, name, *(str(v) for v in more.values())])
            yield key, partial(_ask, door, partial(bc.load_example, example), method=method, **more)

    uci, example1, errors = "jansen-uci", "benavoli-example1", "lacoste-svm-parzen"
    two, three = ["CART", "GBM"], ["GBM", "CART", "RF"]
    yield from named(example1, bc.compare, PAIR | SLOWER)
    yield from named(example1, bc.compare, ONE_MEASURE, measures=["accuracy"])
    yield from named("pnn", bc.compare, PAIR)
    yield from named(uci, bc.compare, PAIR | SLOWER, algorithms=two)
    yield from named(uci, bc.compare, ONE_MEASURE, algorithms=two, measures=["auc"])
    yield from named(uci, bc.compare, {"dirichlet": m.Dirichlet()}, algorithms=three)
    yield from named(uci, bc.compare, {"dirichlet": m.Dirichlet(), "gsd": m.GSD(permutations=20)})
    yield from named(uci, bc.compare, {"friedman": m.Friedman()}, measures=["auc"])
    boards = {"dirichlet", "dirichlet jeffreys", "dirichlet imprecise", "network", "glrt"}
    boards |= {"all-test", "one-test"}
    yield from named(uci, bc.pairwise, {k: v for k, v in PAIR.items() if k in boards})
    yield from named(uci, bc.pairwise, {"gsd": m.GSD(permutations=50)}, algorithms=three)
    yield from named(uci, bc.pairwise, ONE_MEASURE, measures=["auc"])
    yield from named(errors, bc.compare, COUNTS)
    for name, more in (
        ("", {}),
        ("value", {"by": "value"}),
        ("auc", {"measures": ["auc"]}),
        ("utility", {"utility": {"auc": 1.0, "accuracy": 1.0, "brier": 2.0}}),
    ):
        yield (
            f"{uci} rank {name}".strip(),
            partial(_ask, bc.rank, partial(bc.load_example, uci), draws=4000, **more),
        )
    sides = {"candidate": "GBM", "baseline": "CART"}
    yield f"{uci} gate", partial(_ask, bc.gate, partial(bc.load_example, uci), **sides)


def _of_table(number: int) -> Iterator[tuple[str, Question]]:
    kind = KINDS[number % len(KINDS)]

    def named(door: Any, options: Mapping[str, Any], **more: Any) -> Any:
        for name, method in options.items():
            words = [str(v) for v in more.values()]
            key = " ".join([f"{number:02d}", kind, door.__name__, name, *words])
            yield key, partial(_ask, door, partial(random_table, number), method=method, **more)

    def other(door: Any, **more: Any) -> Any:
        key = " ".join([f"{number:02d}", kind, door.__name__, *map(str, more.values())])
        yield key, partial(_ask, door, partial(random_table, number), **more)

    measures = 1 + (number // 10) % 3
    if kind in ("plain", "ties", "rope"):
        # Ropes have three states for each measure, which the dominance tests do not have.
        fitting = {k: v for k, v in PAIR.items() if kind != "rope" or not k.startswith("gsd")}
        yield from named(bc.compare, fitting)
        if number < 30:
            yield from named(bc.compare, SLOWER if kind != "rope" else {})
        if measures == 1:
            yield from named(bc.compare, ONE_MEASURE)
        sides = {"candidate": "A", "baseline": "B"}
        yield from other(bc.gate, **sides)
    elif kind == "gaps":
        for missing in GAPS:
            yield from named(bc.compare, {"dirichlet": m.Dirichlet()}, missing=missing)
        yield from named(
            bc.compare, {"dirichlet uniform": PAIR["dirichlet uniform"]}, missing="ignore"
        )
        yield from named(bc.compare, {"network": m.Network(), "glrt": m.GLRT()}, missing="drop")
    elif kind == "weights":
        yield from named(bc.compare, WEIGHTED)
    elif kind == "several":
        joint = ("dirichlet", "dirichlet jeffreys", "dirichlet uniform", "network", "glrt")
        yield from named(bc.compare, {k: PAIR[k] for k in joint})
        yield from named(bc.compare, {"gsd": m.GSD(permutations=20)})
        yield from named(bc.pairwise, {k: PAIR[k] for k in (*joint, "all-test", "one-test")})
        if measures == 1:
            yield from named(bc.compare, {"friedman": m.Friedman()})
        yield from other(bc.rank)
        yield from other(bc.rank, by="value")
    elif kind == "folds":
        yield from named(bc.compare, REPLICATED)
        if measures == 1:
            yield from named(bc.compare, ONE_REPLICATED)
    elif kind == "runs":
        yield from named(bc.pairwise, {"replicated": m.Replicated(), "dirichlet": m.Dirichlet()})
        if measures == 1:
            learned = {"correlated-t learned": m.CorrelatedT(joint=True, b="learned")}
            yield from named(bc.pairwise, ONE_REPLICATED | learned)
    elif kind == "errors":
        two = (number // 10) % 3 == 0
        yield from named(bc.compare if two else bc.pairwise, COUNTS if two else LEARNING_COUNTS)
    else:
        yield from named(bc.pairwise, {k: PAIR[k] for k in ("dirichlet", "glrt", "network")})
        yield from named(bc.pairwise, {"reference": m.Dirichlet()}, reference="A")
        yield from other(bc.rank)


def _ask(door: Any, table: Callable[[], Any], **options: Any) -> Any:
    if door is bc.pairwise:
        options["n_jobs"] = 1
    return door(table(), rng=7, **options)
