r"""Is what `replicated` says with 0.9 right nine times in ten? Simulated tables of replicates.

Every table draws θ from a Dirichlet, one statement for each dataset from θ, effects whose signs
are those of the statement, and noisy replicates of them:

.. math:: \theta \sim \mathrm{Dirichlet}(a, \dots, a), \quad z_i \sim \theta, \quad
          x_{ir} = s_i\,(\delta_i + \sigma \varepsilon_{ir}), \qquad
          \operatorname{sign} \delta_i = z_i .

The answer of a test is the statement of the largest P(max). It is right if that statement has the
largest θ. Three tests see the same table: `replicated` with learned and with flat effects, and
`dirichlet` on the means, which takes their signs as certain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import softmax
from scipy.stats import norm, t

from bayescompare._checks import check_count, check_jobs, check_word, is_number
from bayescompare._errors import BayescompareError
from bayescompare._parallel import run_in_parallel
from bayescompare._rng import Rng, as_rng
from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.kernels.dirichlet.maximum import probability_of_maximum
from bayescompare.kernels.replicated.count_maximum import averaged_maximum
from bayescompare.kernels.replicated.effects import ReplicatedEvidence, flat_replicated_evidence
from bayescompare.kernels.replicated.learned_effects import learned_evidence
from bayescompare.kernels.replicated.moments import replicate_moments
from bayescompare.kernels.replicated.recursion import recursion_for_counts
from bayescompare.kernels.replicated.rows import EvidenceRows

__all__ = ["NoisyTables", "claim_rates", "replicated_study"]


#: Tables that share a stream of random numbers, whatever the number of jobs.
_BLOCK = 50
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

    def __post_init__(self) -> None:
        check_word("tails", self.tails, ("normal", "heavy"))
        check_count(datasets=self.datasets, replicates=self.replicates, measures=self.measures)
        if not (is_number(self.noise) and 0.0 < self.noise < math.inf):
            raise BayescompareError(f"noise={self.noise!r}: must be a number > 0.")
        if not (is_number(self.decades) and 0.0 <= self.decades <= 100.0):
            raise BayescompareError(f"decades={self.decades!r}: must lie in [0, 100].")
        if self.alpha is not None and not (is_number(self.alpha) and 0.0 < self.alpha < math.inf):
            raise BayescompareError(f"alpha={self.alpha!r}: must be a number > 0, or None.")
        if not (is_number(self.correlation) and 0.0 <= self.correlation < 1.0):
            raise BayescompareError(f"correlation={self.correlation!r}: must lie in [0, 1).")
        if self.datasets < 3:
            raise BayescompareError(
                f"datasets={self.datasets!r}: at least 3, fewer teach no scale of effects."
            )
        if self.replicates <= self.measures or self.measures > 3:
            raise BayescompareError(
                f"measures={self.measures!r}: at most 3, and fewer than the replicates "
                f"({self.replicates!r})."
            )

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

    Examples
    --------
    Heavy noise, which flat effects take for differences:

    >>> study = replicated_study([NoisyTables(noise=5.0)], tables=40, rng=1)
    >>> stated = study.groupby("test")["stated"].mean()
    >>> bool(stated["flat"] > stated["learned"] + 0.1)
    True
    """
    check_count(tables=tables)
    check_jobs(n_jobs)
    generator, seed = as_rng(rng)
    sizes = [min(_BLOCK, tables - k) for k in range(0, tables, _BLOCK)]
    work = [(kind, size) for kind in kinds for size in sizes]
    streams = generator.spawn(len(work))
    tasks = ((kind, size, own) for (kind, size), own in zip(work, streams, strict=True))
    blocks = run_in_parallel(_replicated_study_answered, tasks, n_jobs=n_jobs)
    parts = []
    for (kind, size), (stated, right) in zip(work, blocks, strict=True):
        columns = {**asdict(kind), "test": np.tile(_TESTS, size)}
        columns["alpha"] = _STRENGTH / kind.statements if kind.alpha is None else kind.alpha
        parts.append(pd.DataFrame({**columns, "stated": stated.ravel(), "right": right.ravel()}))
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

    Examples
    --------
    >>> study = replicated_study([NoisyTables(noise=0.5)], tables=20, rng=1)
    >>> claim_rates(study)["tables"].tolist()
    [20, 20, 20]
    """
    if not (is_number(level) and 0.0 < level <= 1.0):
        raise BayescompareError(f"level={level!r}: must lie in (0, 1].")
    keys = [field.name for field in fields(NoisyTables)] + ["test"]
    rows = [
        {**dict(zip(keys, key, strict=True)), **_replicated_study_rates(own, level)}
        for key, own in study.groupby(keys, sort=False)
    ]
    return pd.DataFrame(rows)


def _replicated_study_rates(own: pd.DataFrame, level: float) -> dict[str, float]:
    sure = own[own["stated"] >= level]
    n = len(sure)
    # By Laplace's rule shares of 0 and 1 have a standard error above 0 too.
    p = (sure["right"].sum() + 1.0) / (n + 2.0)
    return {
        "tables": len(own),
        "stated": float(own["stated"].mean()),
        "right": float(own["right"].mean()),
        "claims": n / len(own),
        "claimed": float(sure["stated"].mean()),
        "claims_right": float(sure["right"].mean()),
        "mcse": math.sqrt(p * (1.0 - p) / n) if n else math.nan,
    }


def _replicated_study_answered(
    kind: NoisyTables, tables: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """P of the most probable statement and whether it is right, (tables, tests) each."""
    stated = np.empty((tables, len(_TESTS)))
    right = np.empty((tables, len(_TESTS)))
    known: dict[bytes, FloatArray] = {}
    for k in range(tables):
        x, theta = kind.simulate(rng)
        for j, p in enumerate(_replicated_study_answers(x, rng, known)):
            stated[k, j], right[k, j] = p.max(), p.argmax() == theta.argmax()
    return stated, right


def _replicated_study_answers(
    x: FloatArray, rng: np.random.Generator, known: dict[bytes, FloatArray]
) -> list[FloatArray]:
    """P(max) of every statement by each test."""
    n, _, m = x.shape
    moments = replicate_moments(x, np.zeros_like(x), np.zeros(n))
    alpha = np.full(2**m, _STRENGTH / 2**m)
    learned = learned_evidence(moments, (None,) * m, rng)
    assert learned is not None, "without ropes every scale has a mass in every region"
    flat = flat_replicated_evidence(moments, (None,) * m, rng)
    cell = (moments.mean < 0.0) @ (1 << np.arange(m)[::-1])
    counts = np.bincount(cell, minlength=2**m)
    return [
        _replicated_study_exact(learned, alpha),
        _replicated_study_exact(flat, alpha),
        _replicated_study_certain(counts, alpha, known),
    ]


def _replicated_study_exact(evidence: ReplicatedEvidence, alpha: FloatArray) -> FloatArray:
    """P(max) from rows of evidence, averaged over the scales."""
    rows = EvidenceRows.from_logs(evidence.log, alpha)
    counts = recursion_for_counts(rows)
    assert counts is not None, "so few datasets have few count vectors"
    digits = [counts.digits(k) for k in range(len(rows.tracked))]
    vectors = np.stack(digits, axis=1) if digits else np.zeros((1, 0), dtype=np.int64)
    weight = counts.weight @ softmax(counts.log_evidence)
    return averaged_maximum(alpha, rows.fixed, rows.tracked, vectors, weight)


def _replicated_study_certain(
    counts: IntArray, alpha: FloatArray, known: dict[bytes, FloatArray]
) -> FloatArray:
    """P(max) of counts that are certain, kept because the same counts recur."""
    key = counts.tobytes()
    if key not in known:
        cells = DirichletCells(np.log(alpha), counts.astype(np.float64))
        known[key] = probability_of_maximum(cells)[0]
    return known[key]
