"""The best network, exactly: against pgmpy's hill climbing, and how time and memory grow with m."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

import bayescompare as bc
from bayescompare.kernels.network.graphs import Graph, dags, edge_probabilities
from bayescompare.kernels.network.scores import CellPrior
from bayescompare.kernels.network.trees import tree_maximum
from bayescompare.posterior.graphs import GraphScores, default_max_parents, graph_of
from bayescompare.statements import Statements
from benchmarks.timing import Row, median_seconds

N = 80
GROWTH = (8, 10, 12, 14, 16, 18, 20)

# A fresh process with an empty cache of compiled code: seconds of the search, compiler included,
# and the megabytes that the process had at its peak, imports included.
FRESH = """
import sys, time
from benchmarks.bench_network import scores
from benchmarks.timing import peak_megabytes
ready = scores({m}, max_parents={parents})
start = time.process_time()
ready.best()
seconds = time.process_time() - start
print(seconds, peak_megabytes())
"""


def results(m: int, seed: int = 0) -> bc.Results:
    """Two algorithms on m measures, each of which copies an earlier one four times in five."""
    rng = np.random.default_rng(seed)
    wins = np.empty((N, m), dtype=bool)
    for j in range(m):
        source = wins[:, rng.integers(j)] if j else rng.random(N) < 0.6
        wins[:, j] = np.where(rng.random(N) < 0.8, source, rng.random(N) < 0.5)
    values = np.stack([wins, ~wins], axis=1).reshape(2 * N, m).astype(float)
    names = [f"m{j}" for j in range(m)]
    frame = pd.DataFrame(values, columns=names).assign(
        dataset=np.repeat([f"d{i}" for i in range(N)], 2), algorithm=np.tile(["A", "B"], N)
    )
    return bc.Results.from_frame(frame, measures=dict.fromkeys(names, "max"))


def scores(m: int, *, seed: int = 0, max_parents: int | None = None) -> GraphScores:
    """Scores of a simulated table, none of them computed yet."""
    statements = Statements.from_results(results(m, seed))
    limit = default_max_parents(statements) if max_parents is None else max_parents
    return GraphScores(statements, CellPrior(), limit)


def ours(ready: GraphScores) -> Graph:
    """Search from the table on: a copy of the scores has nothing kept from the last call."""
    return GraphScores(ready.statements, ready.prior, ready.max_parents).best()


def hill_climb(ready: GraphScores) -> Graph:
    """What pgmpy finds by its own BDeu and search, under the same limit on parents."""
    from pgmpy.causal_discovery import HillClimbSearch
    from pgmpy.structure_score import BDeu

    table = ready.statements.table
    rows = np.repeat(table.states, table.counts.astype(int), axis=0)
    frame = pd.DataFrame(rows, columns=ready.statements.measures).astype("category")
    finder = HillClimbSearch(
        scoring_method=BDeu(frame, equivalent_sample_size=1),
        max_indegree=ready.max_parents,
        return_type="dag",
        show_progress=False,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finder.fit(frame)
    return graph_of(finder.causal_graph_, ready.statements.measures)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def against_pgmpy() -> list[Row]:
    lead = []
    for seed in range(5):
        ready = scores(10, seed=seed)
        lead.append(ready.graph(ours(ready)) - ready.graph(hill_climb(ready)))
    ready = scores(10)
    mine = median_seconds(lambda: ours(ready))
    theirs = median_seconds(lambda: hill_climb(ready))
    ahead = sum(gain > 1e-9 for gain in lead)
    what = f"exact search, m = 10, against pgmpy's hill climbing (higher score on {ahead} of 5)"
    met = theirs / mine >= 50 and min(lead) > -1e-9
    return [Row(what, mine, theirs, "≥ 50×, score never lower", met)]


def fresh(m: int, parents: int | None) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", FRESH.format(m=m, parents=parents)],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": cache},
        )
    spent, megabytes = map(float, done.stdout.split())
    return spent, megabytes


def sizes() -> list[Row]:
    rows = []
    ready = {m: scores(m) for m in (*GROWTH, 15)}
    took = {m: median_seconds(lambda m=m: ours(ready[m])) for m in ready}
    rows.append(
        Row("exact search, m = 15, baseline the goal", took[15], 2.0, "< 2 s", took[15] < 2)
    )
    for parents, words in ((None, "at most 3 parents"), (19, "any number of parents")):
        spent, megabytes = fresh(20, parents)
        what = f"exact search, m = 20, {words}, compiling included"
        rows.append(Row(what, spent, 60.0, "< 60 s", spent < 60))
        what = f"peak memory of the process, m = 20, {words}"
        rows.append(Row(what, megabytes, 1500.0, "< 1500 MB", megabytes < 1500, "MB"))
    for fewer, m in itertools.pairwise(GROWTH):
        what = f"growth of the exact search: m = {m} against m = {fewer}"
        rows.append(Row(what, took[m], took[fewer], "≥ 0.125×", took[m] <= 8 * took[fewer]))
    return rows


def by_enumeration(ready: GraphScores) -> np.ndarray:
    """P(i → j) by adding up every graph."""
    m = len(ready.statements.measures)
    graphs = np.array(list(dags(m, ready.max_parents)))
    local = np.array(
        [[ready.local(j, p) if not p >> j & 1 else 0.0 for p in range(1 << m)] for j in range(m)]
    )
    weight = local[np.arange(m), graphs].sum(axis=1)
    weight = np.exp(weight - weight.max())
    has = graphs[:, None, :] >> np.arange(m)[:, None] & 1
    return np.tensordot(weight / weight.sum(), has, axes=1)


def edges() -> list[Row]:
    small = scores(5, max_parents=4)
    error = np.abs(by_enumeration(small) - edge_probabilities(small.local_table)).max()
    baseline = seconds(lambda: by_enumeration(small))
    rows = []
    for m in (8, 12):
        ready = scores(m)

        def work(r: GraphScores = ready) -> np.ndarray:
            return edge_probabilities(GraphScores(r.statements, r.prior, r.max_parents).local_table)

        spent = median_seconds(work)
        what = (
            f"P(edge), m = {m}, against adding up 29,281 graphs of m = 5 (differs by {error:.0e})"
        )
        rows.append(Row(what, spent, baseline, "≥ 1×", spent <= baseline and error < 1e-10))
    return rows


def tree(m: int) -> tuple[float, float, float, int]:
    """Processor times of a chain's P(max) by messages and by draws; gap in MCSE; statements."""
    ready = scores(m)
    chain = tuple(1 << j >> 1 for j in range(m))

    def exact() -> np.ndarray:
        tables = ready.tables(chain)
        found = tree_maximum(tables, ready.statements.table.states[:, list(tables.members)])
        assert found is not None
        return found

    p = exact()
    draws = math.ceil((p * (1.0 - p)).max() / 1e-6)
    start = time.process_time()
    share = by_drawing(ready, chain, draws)
    baseline = time.process_time() - start
    gap = np.abs(p - share) / np.sqrt(np.maximum(p * (1.0 - p), 1.0 / draws) / draws)
    ours = median_seconds(exact, clock=time.process_time)
    return ours, baseline, float(gap.max()), len(p)


def by_drawing(ready: GraphScores, chain: Graph, draws: int) -> np.ndarray:
    """How often each statement is the largest in so many draws of the tables."""
    tables, rng = ready.tables(chain), np.random.default_rng(0)
    states = ready.statements.table.states[:, list(tables.members)]
    place = {tuple(row): k for k, row in enumerate(states.tolist())}
    hits = np.zeros(len(states))
    step = max(1, 4_000_000 // len(tables.alpha))
    for start in range(0, draws, step):
        leaders = tables.largest(tables.log_draws(min(step, draws - start), rng))
        for row in leaders.tolist():
            if tuple(row) in place:
                hits[place[tuple(row)]] += 1.0
    return hits / draws


def trees() -> list[Row]:
    """P(max) under a chain by message passing, against the draws that it replaces.

    In a process whose BLAS has one thread: others wait for work by turning, which a loaded machine
    counts as processor time.
    """
    rows = []
    for m in (4, 8, 12):
        done = subprocess.run(
            [sys.executable, "-c", f"from benchmarks.bench_network import tree; print(*tree({m}))"],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        ours, baseline, gap, listed = map(float, done.stdout.split())
        what = (
            f"P(max) of {listed:.0f} statements under a chain, m = {m}, against draws at "
            f"MCSE 1e-3, processor time (differ by {gap:.1f} MCSE)"
        )
        rows.append(Row(what, ours, baseline, "≥ 50×", baseline / ours >= 50 and gap < 4.5))
    return rows


def run() -> list[Row]:
    return [*against_pgmpy(), *sizes(), *edges(), *trees()]
