"""Exact leave-one-dataset-out of the network test, as differences of log evidences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayescompare._typing import FloatArray
from bayescompare.kernels.network.dag_posterior import log_sum_over_dags
from bayescompare.kernels.numerics.gammas import log_rising_gamma
from bayescompare.methods.network.graph import GraphScores
from bayescompare.methods.network.posterior import NetworkLayout
from bayescompare.table.results import Results

__all__ = ["averaged_loo", "table_loo"]


def table_loo(layout: NetworkLayout) -> tuple[FloatArray, FloatArray]:
    """Differences of log evidences of the tables' rows, without and with each dataset again."""
    tables = layout.tables
    without, within = (np.zeros(len(layout.weights)) for _ in range(2))
    for k in range(len(tables.members)):
        alpha, counts = layout.rows(tables.alpha, k), layout.rows(tables.counts, k)
        own = layout.rows(layout.weights, k)
        less = np.where(counts - own < 1e-9, 0.0, counts - own)
        log_alpha, log_row = np.log(alpha), np.log(alpha.sum(axis=-1))
        for sign, out, changed in ((1.0, without, less), (-1.0, within, counts + own)):
            cells = log_rising_gamma(log_alpha, counts) - log_rising_gamma(log_alpha, changed)
            rows = log_rising_gamma(log_row, counts.sum(-1)) - log_rising_gamma(
                log_row, changed.sum(-1)
            )
            out += sign * (cells.sum(axis=(-1, -2)) - rows.sum(axis=-1))
    return without, within


def averaged_loo(results: Results, scores: GraphScores) -> tuple[FloatArray, FloatArray]:
    """Sum over all graphs with each dataset left out, and with each counted twice."""
    whole = log_sum_over_dags(scores.local_table)
    table = scores.statements.table
    without: list[float] = []
    within: list[float] = []
    for i in range(len(results.datasets)):
        mine = table.dataset == i
        own = np.bincount(table.statement[mine], table.weight[mine], minlength=len(table.counts))
        less = np.where(table.counts - own < 1e-9, 0.0, table.counts - own)
        for counts, out, sign in ((less, without, 1.0), (table.counts + own, within, -1.0)):
            changed = replace(scores.statements, table=replace(table, counts=counts))
            moved = replace(scores, statements=changed)
            out.append(sign * (whole - log_sum_over_dags(moved.local_table)))
    return np.array(without), np.array(within)
