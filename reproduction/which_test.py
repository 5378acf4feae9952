"""Which test should one use? All methods on the same simulated tables, whose truth is known.

Every algorithm has a strength on every measure, normal with standard deviation τ; on each dataset
it is off its strength by standard normal noise, which measures may share, and replicates of a cell
are off by noise of their own. So no method is given the model that it assumes. At τ = 0 no
algorithm is better, and every verdict is false.

``python -m reproduction.which_test STORE [TABLES SLOW]`` simulates what docs/which-test.md shows:
TABLES of each kind for the quick methods (400) and SLOW for the slow ones (100), in about 20
minutes of one core. A run that was stopped goes on where it ended, and more tables may be asked
for later. The summary and the time that each method takes go to docs/data.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

import bayescompare as bc
from bayescompare import methods
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.boxes import quadrants
from bayescompare.outcome.method import Method
from bayescompare.statements import State, Statement
from bayescompare.studies import Study
from reproduction.verdicts import LabelledMethod

__all__ = ["KINDS", "METHODS", "Contender", "WhichTable", "which_test_study", "which_test_summary"]

#: Stated probabilities that are compared with 0.9.
_NEAR = (0.85, 0.95)
#: Of examples in the test set of a dataset, where errors are counted.
_EXAMPLES = 100


@dataclass(frozen=True, kw_only=True)
class WhichTable:
    """One kind of table.

    Attributes
    ----------
    datasets, measures, algorithms : int
    correlation : float
        Of the noise of any two measures on a dataset.
    step : float
        Values are rounded to multiples of it, which makes ties; 0 for no rounding.
    replicates : int
        Of every cell; 1 for single numbers.
    noise : float
        Standard deviation of a replicate around its cell.
    missing : float
        Share of the cells that are missing at random.
    errors : bool
        Whether a cell is a count of errors among 100 test examples.
    """

    datasets: int = 20
    measures: int = 1
    algorithms: int = 2
    correlation: float = 0.0
    step: float = 0.0
    replicates: int = 1
    noise: float = 0.0
    missing: float = 0.0
    errors: bool = False


#: The kinds of tables: a base, and what varies.
KINDS: Mapping[str, WhichTable] = {
    "1 measure, n=5": WhichTable(datasets=5),
    "1 measure, n=20": WhichTable(),
    "1 measure, n=50": WhichTable(datasets=50),
    "1 measure, ties": WhichTable(step=1.0),
    "1 measure, 20 % missing": WhichTable(missing=0.2),
    "2 measures, n=20": WhichTable(measures=2),
    "2 measures, n=50": WhichTable(measures=2, datasets=50),
    "2 measures, dependent": WhichTable(measures=2, correlation=0.8),
    "2 measures, 20 % missing": WhichTable(measures=2, missing=0.2),
    "3 measures, n=20": WhichTable(measures=3),
    "5 algorithms, 1 measure": WhichTable(algorithms=5),
    "5 algorithms, 2 measures": WhichTable(algorithms=5, measures=2),
    "10 folds, little noise": WhichTable(replicates=10, noise=1.0),
    "10 folds, much noise": WhichTable(replicates=10, noise=5.0),
    "10 folds, 2 measures, much noise": WhichTable(measures=2, replicates=10, noise=5.0),
    "counts of errors": WhichTable(errors=True),
}


# the contenders -----------------------------------------------------------------------------------

#: Slow methods are asked about two algorithms, single results and at most so many datasets.
_MOST_DATASETS = 20


@dataclass(frozen=True, kw_only=True)
class Contender(LabelledMethod):
    """A method as this study asks it, and about which tables.

    What a method cannot judge stands on its class; here is what it is spared, or asked only where
    it differs from another contender.

    Attributes
    ----------
    missing : {"drop", "ignore"}
        What it does about missing cells.
    slow : bool
        Whether it takes longer than a tenth of a second.
    by_counts : bool
        Whether only the counts of statements matter to it, and it draws nothing.
    errors : bool
        Whether it is asked about counts of errors.
    min_measures, max_measures, min_algorithms, max_algorithms : float
    """

    missing: Literal["drop", "ignore"] = "drop"
    slow: bool = False
    by_counts: bool = False
    errors: bool = True
    min_measures: float = 1
    max_measures: float = math.inf
    min_algorithms: float = 2
    max_algorithms: float = math.inf

    def applies_to(self, kind: WhichTable) -> bool:
        """Whether it is asked about this kind of table."""
        return (
            self._takes_cells_of(kind)
            and self.min_measures <= kind.measures <= self.max_measures
            and self.min_algorithms <= kind.algorithms <= self.max_algorithms
            and (self.errors or not kind.errors)
            # Gaps are kept where there are some.
            and (self.missing == "drop" or kind.missing > 0)
            and not (self.slow and _is_large(kind))
        )

    def _takes_cells_of(self, kind: WhichTable) -> bool:
        """Whether the method can judge such cells."""
        match self.method.accepts.judges:
            case "counts":
                able = kind.errors
            case "replicates":
                able = kind.replicates > 1
            case _:
                able = True
        return able and not (self.method.scope.measure and kind.measures > 1)


def _is_large(kind: WhichTable) -> bool:
    return kind.algorithms > 2 or kind.replicates > 1 or kind.datasets > _MOST_DATASETS


_CONTENDERS = (
    Contender(methods.Dirichlet(prior="symmetric"), by_counts=True),
    # A prior is learned from several pairs.
    Contender(methods.Dirichlet(), "learned", min_algorithms=3),
    Contender(methods.Dirichlet(prior="symmetric"), "gaps kept", missing="ignore"),
    Contender(methods.Network(), min_measures=2, max_measures=2, max_algorithms=2),
    Contender(methods.GLRT(), by_counts=True),
    Contender(methods.Sign(), by_counts=True),
    Contender(methods.Wilcoxon()),
    Contender(methods.SignedRank(draws=2000), max_algorithms=2),
    # On one measure it is the test of that measure.
    Contender(methods.AllTest(), min_measures=2),
    Contender(methods.Replicated()),
    Contender(methods.CorrelatedT()),
    Contender(methods.CorrelatedT(joint=True), "joint"),
    Contender(methods.PoissonBinomial()),
    Contender(methods.PoissonBinomial(joint=True), "joint"),
    Contender(methods.GSD(permutations=199), slow=True, errors=False),
    Contender(methods.GSDBootstrap(resamples=500), slow=True, errors=False),
    Contender(methods.Hierarchical(), slow=True),
)

#: All contenders, by the name that the tables show.
METHODS: Mapping[str, Contender] = {contender.label: contender for contender in _CONTENDERS}


# the study ----------------------------------------------------------------------------------------


def which_test_study(
    *,
    replications: int = 200,
    kinds: Sequence[str] = tuple(KINDS),
    strengths: Sequence[float] = (0.0, 0.5),
    slow: bool = False,
) -> Study:
    """Return the study of all methods: run it, and pass the table to `which_test_summary`.

    Parameters
    ----------
    replications : int
        Tables of each kind and τ.
    kinds : sequence of str
        Which of `KINDS`.
    strengths : sequence of float
        Standard deviations τ of the true strengths.
    slow : bool
        The methods that take longer than a tenth of a second, instead of the others; on the same
        tables.

    """
    for kind in kinds:
        if kind not in KINDS:
            raise bc.BayescompareError(f"kinds={kind!r}: give some of {', '.join(KINDS)}.")
    asked = {label: contender for label, contender in METHODS.items() if contender.slow == slow}
    judged = [k for k in kinds if any(c.applies_to(KINDS[k]) for c in asked.values())]
    outputs = ("claimed", "false", "right", "stated", "near", "near_right")
    return Study(
        name="which test, slow methods" if slow else "which test",
        grid={"kind": {kind: KINDS[kind] for kind in judged}, "tau": strengths},
        replications=replications,
        case=_case,
        block_size=4,
        constants={"methods": asked},
        dims={name: ["method"] for name in outputs},
        coords={"method": list(asked)},
    )


def which_test_summary(table: xr.Dataset) -> pd.DataFrame:
    """Return rates and their Monte Carlo standard errors, a row per kind of table, τ and method.

    Returns
    -------
    DataFrame
        ``tables``; ``claimed``, ``false`` and ``right``: shares of the pairs with a verdict, with
        a false verdict, and whose best statement is true; ``stated``: mean P of the best
        statement; ``near`` and ``near_right``: pairs whose P is from 0.85 to 0.95, and the share
        of them that are right; each share with its ``_mcse``.
    """
    rows = []
    for kind, tau, method in itertools.product(
        *(table[axis].to_numpy() for axis in ("kind", "tau", "method"))
    ):
        own = table.sel({"kind": kind, "tau": tau, "method": method})
        if own["claimed"].isnull().all():
            continue
        row: dict[str, Any] = {"kind": str(kind), "tau": float(tau), "method": str(method)}
        row["tables"] = int(own["claimed"].notnull().sum())
        for name in ("claimed", "false", "right", "stated"):
            values = own[name].to_numpy()
            values = values[~np.isnan(values)]
            row[name] = float(values.mean()) if len(values) else math.nan
            row[f"{name}_mcse"] = _mcse(values)
        near, right = float(own["near"].sum()), float(own["near_right"].sum())
        row["near"] = int(near)
        row["near_right"] = right / near if near else math.nan
        p = (right + 1.0) / (near + 2.0)
        row["near_right_mcse"] = math.sqrt(p * (1.0 - p) / near) if near else math.nan
        rows.append(row)
    return pd.DataFrame(rows)


def _mcse(values: FloatArray) -> float:
    """Standard error of a mean; by Laplace's rule shares of 0 and 1 have one above 0 too."""
    n = len(values)
    if n < 2:
        return math.nan
    spread = float(values.std(ddof=1))
    p = (values.sum() + 1.0) / (n + 2.0)
    return (spread or math.sqrt(p * (1.0 - p))) / math.sqrt(n)


# one table ---------------------------------------------------------------------------------------


def _case(
    rng: np.random.Generator,
    *,
    kind: WhichTable,
    tau: float,
    methods: Mapping[str, Contender],
) -> dict[str, FloatArray]:
    """Simulate one table and ask every method: arrays (method,)."""
    strength = tau * rng.standard_normal((kind.algorithms, kind.measures))
    results = simulate_results(kind, strength, rng)
    truth = truth_of_pairs(kind, strength, nothing=tau == 0.0)
    streams = rng.spawn(len(methods))
    figures = np.full((len(methods), 6), np.nan)
    for k, contender in enumerate(methods.values()):
        if contender.applies_to(kind):
            figures[k] = _figures(contender, results, truth, streams[k])
    claimed, false, right, stated, near, near_right = figures.T
    return {
        "claimed": claimed,
        "false": false,
        "right": right,
        "stated": stated,
        "near": near,
        "near_right": near_right,
    }


def _figures(
    contender: Contender,
    results: bc.Results,
    truth: Mapping[tuple[str, str], tuple[str, str]],
    rng: np.random.Generator,
) -> tuple[float, ...]:
    """What a method says of all pairs, averaged over them, and how often it is true."""
    method, missing = contender.method, contender.missing
    if len(results.algorithms) == 2:
        signs = _signs(results) if contender.by_counts else None
        if signs is not None:
            said = [_by_counts(method, signs)]
        else:
            said = [_verdict(bc.compare(results, method=method, missing=missing, rng=rng))]
        pairs = list(truth)
    else:
        table = bc.pairwise(results, method=method, missing=missing, rng=rng, n_jobs=1).decide()
        pairs = list(zip(table["first"], table["second"], strict=True))
        level = table["probability"] if "probability" in table else np.full(len(table), np.nan)
        said = list(zip(table["statement"], level, table["asserted"], strict=True))
    true = np.array([label in truth[pair] for pair, (label, *_) in zip(pairs, said, strict=True)])
    # That neither dominates is no claim about a winner.
    claim = np.array([bool(sure) and Statement.names_only_orders(label) for label, _, sure in said])
    stated = np.array([level for _, level, _ in said], dtype=np.float64)
    shares = (claim.mean(), (claim & ~true).mean(), true.mean(), stated.mean())
    if np.isnan(stated).all():
        return *map(float, shares), math.nan, math.nan
    near = (stated >= _NEAR[0]) & (stated <= _NEAR[1])
    return *map(float, shares), float(near.sum()), float((near & true).sum())


def _verdict(c: bc.Comparison) -> tuple[str, float, bool]:
    """Statement, P (not a number of a p-value), and whether it is settled."""
    level = math.nan if c.answer.pvalue is not None else c.decision.level
    return c.decision.statement, level, c.decision.verdict == "settled"


_Signs = tuple[tuple[tuple[int, ...], int], ...]


def _signs(results: bc.Results) -> _Signs | None:
    """Who won on which measures, and on how many datasets; None where cells are no numbers."""
    if isinstance(results, bc.ErrorCounts) or results.n_replicates is not None:
        return None
    gap = np.diff(results.oriented(), axis=1)[:, 0]
    signs, counts = np.unique(np.sign(gap[~np.isnan(gap).any(axis=1)]), axis=0, return_counts=True)
    return tuple(
        (tuple(map(int, row)), int(count)) for row, count in zip(signs, counts, strict=True)
    )


@lru_cache(maxsize=100_000)
def _by_counts(method: Method, signs: _Signs) -> tuple[str, float, bool]:
    """Ask a method to which sizes do not matter about a table with these signs; they recur."""
    rows = np.array([row for row, count in signs for _ in range(count)], dtype=np.float64)
    values = np.stack([np.zeros_like(rows), rows], axis=1)
    return _verdict(bc.compare(_table(values), method=method))


def truth_of_pairs(
    kind: WhichTable, strength: FloatArray, *, nothing: bool
) -> dict[tuple[str, str], tuple[str, str]]:
    """For each pair the statements that are true: joint over the measures, and of dominance."""
    truth = {}
    for i, j in itertools.combinations(range(kind.algorithms), 2):
        a, b = _name(i), _name(j)
        if nothing:
            truth[a, b] = ("", "")
            continue
        signs = _best_states((strength[i] - strength[j]) / math.sqrt(2.0), kind)
        first, second = State.order(a, b), State.order(b, a)
        joint = Statement(tuple(first if sign else second for sign in signs))
        better = strength[i] > strength[j]
        whole = first if better.all() else State.apart(a, b) if better.any() else second
        truth[a, b] = (str(joint), str(whole))
    return truth


def _best_states(gap: FloatArray, kind: WhichTable) -> list[bool]:
    """Whether the first wins, measure by measure, in the most probable joint outcome."""
    if kind.measures == 2 and kind.correlation:
        best = int(quadrants(gap[:1], gap[1:], kind.correlation)[0].argmax())
        return [best in (0, 1), best in (0, 2)]
    return [bool(g > 0) for g in gap]


def _name(k: int) -> str:
    return "ABCDEFGHIJ"[k]


def simulate_results(
    kind: WhichTable, strength: FloatArray, rng: np.random.Generator
) -> bc.Results:
    """Simulate one table of algorithms of the given strengths (algorithm, measure)."""
    n, l, m = kind.datasets, kind.algorithms, kind.measures
    shared = math.sqrt(kind.correlation) * rng.standard_normal((n, l, 1))
    own = math.sqrt(1.0 - kind.correlation) * rng.standard_normal((n, l, m))
    values = strength + shared + own
    if kind.errors:
        return _errors(values[..., 0], rng)
    if kind.replicates > 1:
        values = values[:, :, None] + kind.noise * rng.standard_normal((n, l, kind.replicates, m))
    if kind.step:
        values = np.round(values / kind.step) * kind.step
    if kind.missing:
        values[rng.random(values.shape) < kind.missing] = np.nan
    return _table(values)


def _table(values: FloatArray) -> bc.Results:
    """Put names on values (dataset, algorithm[, replicate], measure)."""
    n, l, m = *values.shape[:2], values.shape[-1]
    dims = ("dataset", "algorithm", "replicate")[: values.ndim - 1]
    coords = {
        "dataset": [f"d{k}" for k in range(n)],
        "algorithm": [_name(k) for k in range(l)],
        "replicate": [str(k) for k in range(values.shape[2])],
    }
    coords = {dim: coords[dim] for dim in dims}
    names = [f"m{j}" for j in range(m)]
    data = xr.Dataset({name: (dims, values[..., j]) for j, name in enumerate(names)}, coords)
    return bc.Results(data, {name: bc.Measure("max") for name in names})


def _errors(values: FloatArray, rng: np.random.Generator) -> bc.Results:
    """Count errors of two algorithms on test sets of 100 examples, harder on some datasets."""
    difficulty = 0.5 * rng.standard_normal((len(values), 1))
    rate = 1.0 / (1.0 + np.exp(1.5 + 0.5 * values - difficulty))
    wrong = rng.random((_EXAMPLES, *rate.shape)) < rate
    alone = wrong & ~wrong[..., ::-1]
    first, second = alone.sum(axis=0).T
    frame = pd.DataFrame(
        {"dataset": range(len(values)), "first": first, "second": second, "n": _EXAMPLES}
    )
    return bc.ErrorCounts.from_frame(
        frame, first_wrong="first", second_wrong="second", algorithms=("A", "B")
    )


# the figures behind docs/which-test.md ------------------------------------------------------------

DATA = Path(__file__).parents[1] / "docs" / "data"
SEED = 2026
#: Tables of two algorithms and 20 datasets, on which methods are timed.
TIMED = ("1 measure, n=20", "2 measures, n=20", "10 folds, much noise", "counts of errors")


def seconds(name: str) -> tuple[str, float]:
    """The kind of table on which a method is timed, and the median time of five answers."""
    contender = METHODS[name]
    label = next(k for k in (*TIMED, *KINDS) if contender.applies_to(KINDS[k]))
    kind = KINDS[label]
    rng = np.random.default_rng(SEED)
    strength = rng.normal(0.0, 0.5, (kind.algorithms, kind.measures))
    tables = [simulate_results(kind, strength, rng) for _ in range(6)]
    spent = []
    for table in tables:
        start = time.process_time()
        bc.pairwise(table, method=contender.method, missing=contender.missing, rng=1, n_jobs=1)
        spent.append(time.process_time() - start)
    # The first one compiles.
    return label, float(np.median(spent[1:]))


def main(store: Path, tables: int, slow: int) -> None:
    """Run the study, or what is missing of it, and write the summaries."""
    store.mkdir(parents=True, exist_ok=True)
    parts = []
    for name, few, number in (("quick", False, tables), ("slow", True, slow)):
        study = which_test_study(replications=number, slow=few)
        table = study.run(rng=SEED, store=store / name, progress=sys.stderr.isatty())
        print(f"{name}: {table.attrs['failed']} cases failed")
        parts.append(which_test_summary(table))
    pd.concat(parts).round(4).to_csv(DATA / "which-test.csv", index=False)
    rows = [(name, *seconds(name)) for name in METHODS]
    costs = pd.DataFrame(rows, columns=["method", "kind", "seconds"])
    costs.round(4).to_csv(DATA / "which-test-seconds.csv", index=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(map(int, sys.argv[2:] or (400, 100))))
