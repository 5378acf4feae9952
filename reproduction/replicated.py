r"""Is what `replicated` says with 0.9 right nine times in ten? Simulated tables of replicates.

Every table draws θ from a Dirichlet, one statement for each dataset from θ, effects whose signs
are those of the statement, and noisy replicates of them:

.. math:: \theta \sim \mathrm{Dirichlet}(a, \dots, a), \quad z_i \sim \theta, \quad
          x_{ir} = s_i\,(\delta_i + \sigma \varepsilon_{ir}), \qquad
          \operatorname{sign} \delta_i = z_i .

The answer of a test is the statement of the largest P(max). It is right if that statement has the
largest θ. Three tests see the same table: `replicated` with learned and with flat effects, and
`dirichlet` on the means, which takes their signs as certain.

``python -m reproduction.replicated FOLDER`` simulates what docs/calibration.md shows, in about
twenty minutes of one core. Every kind of table is kept in FOLDER when it is done, so a run that was
stopped goes on where it ended; the summary goes to docs/data.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import norm, t

from bayescompare._rng import Rng
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.pmax import p_max
from bayescompare.kernels.replicated.count_maximum import averaged_maximum
from bayescompare.kernels.replicated.effects import (
    ReplicatedEvidence,
    flat_evidence,
    replicate_moments,
)
from bayescompare.kernels.replicated.learned_effects import learned_evidence
from bayescompare.kernels.replicated.recursion import EvidenceRows, recursion_for_counts
from reproduction.verdicts import laplace_error, simulated

__all__ = ["NoisyTables", "claim_rates", "replicated_study"]


#: Degrees of freedom of heavy-tailed effects, which then have no variance.
_HEAVY = 2.0
#: Heavy-tailed effects are scaled to the median size of normal ones.
_TAIL_SCALE = float(norm.ppf(0.75) / t.ppf(0.75, _HEAVY))
#: The tests, in the order of their answers.
_TESTS = ("learned", "flat", "certain")
#: Σα of the symmetric prior that the tests use.
_STRENGTH = 1.0


@dataclass(frozen=True, kw_only=True)
class NoisyTables:
    """One kind of table.

    Attributes
    ----------
    noise : float
        Standard deviation of a replicate's noise, in standard deviations of the effects.
    tails : {"normal", "heavy"}
        Effects are normal, or Student-t with two degrees of freedom and the same median size.
    decades : float
        Powers of ten over which the scales of the datasets spread, log-uniformly.
    alpha : float, optional
        θ is drawn from a Dirichlet with this parameter for each statement; None for the tests'
        own prior, one over the number of statements.
    correlation : float
        Of the noise of any two measures, from 0 to below 1.
    datasets, replicates, measures : int
    """

    noise: float = 2.0
    tails: Literal["normal", "heavy"] = "normal"
    decades: float = 0.0
    alpha: float | None = None
    correlation: float = 0.3
    datasets: int = 12
    replicates: int = 5
    measures: int = 2

    @property
    def statements(self) -> int:
        """2 to the number of measures."""
        return int(2**self.measures)

    def simulate(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return differences (dataset, replicate, measure), larger is better, and θ."""
        n, k, m = self.datasets, self.replicates, self.measures
        own = _STRENGTH / self.statements if self.alpha is None else self.alpha
        theta = rng.dirichlet(np.full(self.statements, own))
        z = rng.choice(self.statements, size=n, p=theta)
        sign = 1 - 2 * (z[:, None] >> np.arange(m)[::-1] & 1)
        heavy = self.tails == "heavy"
        size = rng.standard_t(_HEAVY, (n, m)) * _TAIL_SCALE if heavy else rng.normal(size=(n, m))
        shared = math.sqrt(self.correlation) * rng.normal(size=(n, k, 1))
        noise = shared + math.sqrt(1.0 - self.correlation) * rng.normal(size=(n, k, m))
        scale = 10.0 ** (self.decades * (rng.random(n) - 0.5))
        effect = sign * np.abs(size)
        return scale[:, None, None] * (effect[:, None] + self.noise * noise), theta


def replicated_study(
    kinds: Sequence[NoisyTables], *, tables: int = 2000, rng: Rng = None, n_jobs: int = 1
) -> pd.DataFrame:
    """Simulate tables and write down what each test says, and whether it is right.

    Parameters
    ----------
    kinds : sequence of NoisyTables
    tables : int
        Simulated tables of each kind.
    rng : None, int or Generator
    n_jobs : int
        For joblib; the result is the same for any.

    Returns
    -------
    DataFrame
        A row per kind, table and test: the fields of the kind, ``test`` ("learned", "flat" or
        "certain"), ``stated`` (P of the most probable statement) and ``right``.

    """
    answered, seed = simulated(_answered, kinds, tables, rng=rng, n_jobs=n_jobs)
    parts = []
    for kind, said in zip(kinds, answered, strict=True):
        columns = {**asdict(kind), "test": np.tile(_TESTS, tables)}
        columns["alpha"] = _STRENGTH / kind.statements if kind.alpha is None else kind.alpha
        stated, right = said[..., 0].ravel(), said[..., 1].ravel()
        parts.append(pd.DataFrame({**columns, "stated": stated, "right": right}))
    study = pd.concat(parts, ignore_index=True)
    study.attrs["seed"] = seed
    return study


def claim_rates(study: pd.DataFrame, *, level: float = 0.9) -> pd.DataFrame:
    """Return, by kind and test, how often answers of at least `level` are right.

    Returns
    -------
    DataFrame
        ``tables``, ``stated`` and ``right`` (means over all tables), ``claims`` (share of tables
        with P of at least `level`), ``claimed`` and ``claims_right`` (means over those) and
        ``mcse``, the standard error of the last.

    """
    keys = [field.name for field in fields(NoisyTables)] + ["test"]
    rows = [
        {**dict(zip(keys, key, strict=True)), **_rates(own, level)}
        for key, own in study.groupby(keys, sort=False)
    ]
    return pd.DataFrame(rows)


def _rates(own: pd.DataFrame, level: float) -> dict[str, float]:
    sure = own[own["stated"] >= level]
    n = len(sure)
    return {
        "tables": len(own),
        "stated": float(own["stated"].mean()),
        "right": float(own["right"].mean()),
        "claims": n / len(own),
        "claimed": float(sure["stated"].mean()),
        "claims_right": float(sure["right"].mean()),
        "mcse": laplace_error(sure["right"].sum(), n) if n else math.nan,
    }


def _answered(kind: NoisyTables, tables: int, rng: np.random.Generator) -> FloatArray:
    """P of the most probable statement and whether it is right: (tables, tests, 2)."""
    said = np.empty((tables, len(_TESTS), 2))
    known: dict[bytes, FloatArray] = {}
    for k in range(tables):
        x, theta = kind.simulate(rng)
        for j, p in enumerate(_answers(x, rng, known)):
            said[k, j] = p.max(), p.argmax() == theta.argmax()
    return said


def _answers(
    x: FloatArray, rng: np.random.Generator, known: dict[bytes, FloatArray]
) -> list[FloatArray]:
    """P(max) of every statement by each test."""
    n, _, m = x.shape
    moments = replicate_moments(x, np.zeros_like(x), np.zeros(n))
    alpha = np.full(2**m, _STRENGTH / 2**m)
    learned = learned_evidence(moments, (None,) * m, rng)
    assert learned is not None, "without ropes every scale has a mass in every region"
    flat = flat_evidence(moments, (None,) * m, rng)
    cell = (moments.mean < 0.0) @ (1 << np.arange(m)[::-1])
    counts = np.bincount(cell, minlength=2**m)
    return [
        _exact(learned, alpha),
        _exact(flat, alpha),
        _certain(counts, alpha, known),
    ]


def _exact(evidence: ReplicatedEvidence, alpha: FloatArray) -> FloatArray:
    """P(max) from rows of evidence, averaged over the scales."""
    rows = EvidenceRows.from_logs(evidence.log, alpha)
    counts = recursion_for_counts(rows)
    assert counts is not None, "so few datasets have few count vectors"
    weight = counts.weight @ softmax(counts.log_evidence)
    digits = (counts.vectors - rows.fixed)[:, rows.tracked].astype(np.int64)
    return averaged_maximum(alpha, rows.fixed, rows.tracked, digits, weight)


def _certain(counts: IntArray, alpha: FloatArray, known: dict[bytes, FloatArray]) -> FloatArray:
    """P(max) of counts that are certain, kept because the same counts recur."""
    key = counts.tobytes()
    if key not in known:
        known[key] = p_max(np.log(alpha), counts[None].astype(np.float64))[0, :-1]
    return known[key]


# the figures behind docs/calibration.md ----------------------------------------------------------

SUMMARY = Path(__file__).parents[1] / "docs" / "data" / "calibration-replicated.csv"
SEED, TABLES = 2026, 2000
#: Bins of the stated probability; 0.9 is an edge.
EDGES = np.array([0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0 + 1e-9])
_TAILS: tuple[Literal["normal", "heavy"], ...] = ("normal", "heavy")
KINDS = [
    NoisyTables(noise=noise, tails=tails, decades=decades, alpha=alpha)
    for alpha, noise, tails, decades in product((None, 3.0), (0.5, 2.0, 5.0), _TAILS, (0.0, 2.0))
]
# Heavy noise with more replicates.
KINDS.append(NoisyTables(noise=5.0, replicates=20))
KEYS = ["alpha", "noise", "tails", "decades", "datasets", "replicates", "test"]


def _tables_of(folder: Path, k: int) -> pd.DataFrame:
    """The tables of one kind, from the folder if they are there."""
    path = folder / f"{k}.csv"
    if not path.exists():
        rng = np.random.default_rng([SEED, k])
        study = replicated_study([KINDS[k]], tables=TABLES, rng=rng)
        study.to_csv(path.with_suffix(".part"), index=False)
        path.with_suffix(".part").rename(path)
        print(path, flush=True)
    return pd.read_csv(path)


def _binned(study: pd.DataFrame) -> pd.DataFrame:
    """Tables, mean stated probability and number of right answers in every bin."""
    study = study.assign(bin=np.digitize(study["stated"], EDGES) - 1)
    grouped = study.groupby([*KEYS, "bin"], sort=False)
    table = grouped.agg(
        tables=("right", "size"), stated=("stated", "mean"), right=("right", "sum")
    ).reset_index()
    return table.sort_values([*KEYS, "bin"]).astype({"right": int}).round({"stated": 5})


def main() -> None:
    """Simulate what is missing, and write the summary."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parts = [_binned(_tables_of(folder, k)) for k in range(len(KINDS))]
    SUMMARY.parent.mkdir(exist_ok=True)
    pd.concat(parts, ignore_index=True).to_csv(SUMMARY, index=False)


if __name__ == "__main__":
    main()
