"""The Poisson-binomial test: against scipy's distribution, and how it grows."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import xarray as xr
from scipy import stats

import bayescompare as bc
from bayescompare.kernels.context.poisson_binomial import poisson_binomial_masses
from benchmarks.timing import Row, cpu_seconds, median_seconds

_LARGE = """
import time
import numpy as np
from bayescompare.kernels.context.poisson_binomial import poisson_binomial_masses as pmf
from benchmarks.timing import peak_megabytes
pmf(np.full(10, 0.5))
before = peak_megabytes()
p = np.random.default_rng(0).random(100_000)
start = time.process_time()
pmf(p)
print(time.process_time() - start)
print(peak_megabytes() - before)
"""


def against_scipy() -> Row:
    p = np.random.default_rng(0).random(1000)
    kappa = np.arange(1001)
    start = time.process_time()
    # As a user would: over all κ, which scipy computes one by one.
    few = stats.poisson_binom.pmf(kappa[:5], p)
    each = (time.process_time() - start) / 5
    baseline, ours = each * len(kappa), median_seconds(lambda: poisson_binomial_masses(p))
    whole = stats.poisson_binom.pmf(kappa[480:520], p)
    error = max(
        np.abs(poisson_binomial_masses(p)[480:520] - whole).max(),
        np.abs(poisson_binomial_masses(p)[:5] - few).max(),
    )
    what = (
        "Poisson-binomial pmf, N = 1000, against scipy over all κ (5 of 1001 timed; differs by "
        f"{error:.0e})"
    )
    met = baseline / ours >= 50 and error <= 1e-13
    return Row(what, ours, baseline, "≥ 50× and 1e-13", met)


def large() -> list[Row]:
    out = subprocess.run([sys.executable, "-c", _LARGE], capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, out.stdout.split())
    return [
        Row("Poisson-binomial pmf, N = 100,000: time", seconds, 5.0, "< 5 s", seconds < 5),
        Row("the same: memory", max(megabytes, 0.1), 200.0, "< 200 MB", megabytes < 200, "MB"),
    ]


def many_pairs() -> list[Row]:
    rng, l, n = np.random.default_rng(1), 30, 100
    only = rng.integers(0, 40, (n, l, l)).astype(float) * (1.0 - np.eye(l))
    names = [f"a{i}" for i in range(l)]
    dims = ("dataset", "algorithm", "opponent")
    counts = bc.ErrorCounts.from_counts(
        xr.Dataset(
            {
                "wrong_only": (dims, only),
                "wrong": (dims[:2], np.full((n, l), np.nan)),
                "n": (dims[:1], np.full(n, np.nan)),
            },
            {"dataset": [f"d{i}" for i in range(n)], "algorithm": names, "opponent": names},
        )
    )
    rows = []
    for joint in (False, True):
        method = bc.methods.PoissonBinomial(joint=joint)
        ours = median_seconds(lambda m=method: bc.pairwise(counts, method=m))
        what = f"pairwise poisson-binomial, 30 algorithms × 100 datasets, joint={joint}"
        rows.append(Row(what, ours, 2.0, "< 2 s", ours < 2))
    return rows


def pooled() -> Row:
    """The quadrature against what it replaces, NUTS on the same model."""
    counts = bc.load_example("lacoste-svm-parzen")
    c = bc.compare(counts, method="hierarchical")
    ours = median_seconds(lambda: bc.compare(counts, method="hierarchical"))
    start = cpu_seconds()
    tree = c.sample(1000, chains=4, rng=1, progressbar=False)
    baseline = cpu_seconds() - start
    found = float((tree["posterior"]["mu"] < 0.5).mean())
    exact = float(c.probability.sel(statement="svm>parzen"))
    what = f"hierarchical: quadrature ({exact:.4f}) against 4 × 1000 draws of NUTS ({found:.4f})"
    return Row(what, ours, baseline, "≥ 20×", baseline / ours >= 20)


def run() -> list[Row]:
    return [against_scipy(), *large(), *many_pairs(), pooled()]
