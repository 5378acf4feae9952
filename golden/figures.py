"""The figures of an answer, through public names alone, and what it takes for two to be the same.

Figures are a flat dictionary. A number is exact; a pair is a Monte Carlo estimate and its standard
error, so that other draws of the same quantity agree with it.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

import bayescompare as bc

type Figures = dict[str, Any]

#: What a stored figure promises: quadrature settles to 1e-11, and processors differ.
EXACT = 1e-10
#: Standard errors that two estimates may lie apart.
ERRORS = 6.0
#: Statements that are stored; the answer is asked for them again by their labels.
KEPT = 8
#: What an answer has or has not.
ABILITIES = (
    "bounds",
    "edges",
    "evidence",
    "log_evidence",
    "loo",
    "per_dataset",
    "plan",
    "predict",
    "pvalue",
    "questions",
    "relation",
    "score",
    "sensitivity",
    "statistic",
    "unobserved",
)


def figures(answer: Any) -> Figures:
    """Return what an answer says in figures."""
    if isinstance(answer, bc.Pairwise):
        return _of_pairs(answer)
    if isinstance(answer, bc.Ranking):
        return _of_ranking(answer)
    if isinstance(answer, bc.Gate):
        return _of_gate(answer)
    return _of_comparison(answer)


def structure(answer: Any) -> Figures:
    """Return the keys of an answer's JSON, and the variables of its draws with their dimensions."""
    out: Figures = {"keys": " ".join(json.loads(answer.to_json()))}
    if isinstance(answer, bc.Comparison) and "draws" in dir(answer):
        tree = answer.draws(5, chains=2, rng=0)
        for group in tree.children.values():
            shapes = [f"{name}({','.join(map(str, v.dims))})" for name, v in group.items()]
            out[f"tree {group.name}"] = " ".join(sorted(shapes))
    return out


def kept(found: Figures) -> Figures:
    """Leave out all but the most probable statements."""
    dropped: set[str] = set()
    for kind in ("probability ", "on ", "sensitivity "):
        ranked = [key for key in found if key.startswith(kind)]
        ranked.sort(key=lambda key: (-_number(found[key]), key))
        dropped.update(ranked[KEPT:])
    return {key: value for key, value in found.items() if key not in dropped}


def differences(now: Figures, stored: Figures) -> dict[str, tuple[Any, Any]]:
    """Return the stored figures that are not the same any more, as (now, stored)."""
    return {key: (now.get(key), was) for key, was in stored.items() if not _same(now.get(key), was)}


def distance(now: Figures, stored: Figures) -> float:
    """Return the largest difference of exact figures, relative where they exceed one."""
    pairs = [
        (float(now[key]), was)
        for key, was in stored.items()
        if isinstance(was, float) and isinstance(now.get(key), float)
    ]
    gaps = [abs(a - b) / max(1.0, abs(b)) for a, b in pairs if math.isfinite(b)]
    return max(gaps, default=0.0)


def _same(now: Any, was: Any) -> bool:
    if isinstance(was, list):
        if now is None:
            return False
        value, error = now if isinstance(now, list) else (now, 0.0)
        return bool(abs(value - was[0]) <= ERRORS * math.hypot(error, was[1]) + EXACT)
    if isinstance(was, float) and isinstance(now, float):
        if math.isnan(was) or math.isnan(now):
            return math.isnan(was) and math.isnan(now)
        return math.isclose(now, was, rel_tol=EXACT, abs_tol=EXACT)
    return type(now) is type(was) and bool(now == was)


def _number(figure: Any) -> float:
    return float(figure[0] if isinstance(figure, list) else figure)


# ------------------------------------------------------------------------------------- answers


def _of_comparison(c: bc.Comparison) -> Figures:
    there = [name for name in ABILITIES if name in dir(c)]
    out: Figures = {"has": " ".join(there)}
    method = c.method.name
    if method in ("gsd", "friedman"):
        # Permutations are drawn; their number stands for the error of the p-value.
        draws = getattr(c.method, "permutations", math.inf)
        out["statistic"] = float(c.statistic) if "statistic" in there else math.nan
        if "pvalue" in there:
            p = float(c.pvalue)
            error = math.sqrt(max(p * (1.0 - p), 1.0 / draws if draws < math.inf else 0.0) / draws)
            out["pvalue"] = [p, error] if error else p
        if "relation" in there:
            names = [str(name) for name in c.relation["algorithm"].values]
            above = np.argwhere(c.relation.values)
            out["relation"] = " ".join(f"{names[a]}>{names[b]}" for a, b in above if a != b)
        return out
    if not c.exact:
        each = zip(c.probability["statement"].values, c.probability.values, strict=True)
        errors = c.mcse.values if c.mcse is not None else np.zeros(c.probability.size)
        return out | {
            f"probability {label}": [float(p), float(error) + 1e-6]
            for (label, p), error in zip(each, errors, strict=True)
        }
    if "probability" in dir(c):
        values = c.probability
        out |= {
            f"probability {label}": float(p)
            for label, p in zip(values["statement"].values, values.values, strict=True)
        }
    for name in ("unobserved", "pvalue", "statistic", "log_evidence", "score"):
        if name in there:
            out[name] = _float(getattr(c, name))
    decision = c.decision
    out["state"] = decision.state
    if decision.state not in ("tied", "none"):
        out["best"] = str(decision.statement)
        out["lead"] = _float(decision.probability)
        out["least part"] = _float(decision.least)
        for measure, part in decision.parts.iterrows():
            out[f"part {measure}"] = _float(part["pvalue" if "pvalue" in part else "probability"])
            out[f"word {measure}"] = str(part["word"])
        if "questions" in there:
            out |= {f"question {key}": float(value) for key, value in c.questions.items()}
        summary = c.summary()
        for column in ("theta_mean", "theta_lower", "theta_upper"):
            if column in summary and c.best in summary.index:
                out[column] = _float(summary.at[c.best, column])
        if "bounds" in there:
            both = c.bounds.sel(statement=c.best)
            out |= {str(bound): float(both.sel(bound=bound)) for bound in both["bound"].values}
    if "loo" in there and len(c.results.datasets) > 1:
        out["loo"] = float(c.loo().elpd)
    if "on" in dir(c) and len(c.results.measures) > 1:
        fewer = c.on([c.results.measures[0]])
        out |= {
            f"on {c.results.measures[0]} {label}": float(p)
            for label, p in zip(
                fewer.probability["statement"].values, fewer.probability.values, strict=True
            )
            if fewer.exact
        }
    if "sensitivity" in there:
        table = c.sensitivity()
        for column in table.columns:
            if table[column].dtype.kind == "f":
                out[f"sensitivity {column}"] = float(table[column].sum())
    if "per_dataset" in there:
        for column in c.per_dataset.columns:
            cells = c.per_dataset[column]
            if cells.dtype.kind == "f":
                out[f"per dataset {column}"] = float(cells.mean())
    return out


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _of_pairs(p: bc.Pairwise) -> Figures:
    table = p.decide()
    out: Figures = {"columns": " ".join(map(str, table.columns))}
    is_exact = all(p[pair].exact for pair in zip(table["first"], table["second"], strict=True))
    for row in table.to_dict("records"):
        pair = f"{row['first']}, {row['second']}"
        out[f"{pair}: n"] = int(row["n"])
        if p.method.name == "gsd" or not is_exact:
            continue
        out[f"{pair}: decision"] = str(row["decision"])
        if row["decision"] != "tied":
            out[f"{pair}: statement"] = str(row["statement"])
        for column in ("probability", "alone", "pvalue", "parts"):
            if column in row:
                out[f"{pair}: {column}"] = float(row[column])
    if is_exact and p.method.name != "gsd":
        out["order"] = " ".join(sorted(f"{a}>{b}" for a, b in p.order().edges))
        # Not the surest: rounding decides which of two that are equally sure comes first.
        first = p[0]
        out |= {f"first pair, {key}": v for key, v in kept(_of_comparison(first)).items()}
    return out


def _of_ranking(r: bc.Ranking) -> Figures:
    out: Figures = {}
    for key, row in r.places.iterrows():
        where = ", ".join(map(str, key if isinstance(key, tuple) else (key,)))
        out[f"{where}: mean"] = float(row["mean"])
        out[f"{where}: best"] = [float(row["p_best"]), float(row["mcse"]) + 1e-4]
    for name, row in r.front.iterrows():
        out[f"{name}: front"] = [float(row["p_front"]), float(row["mcse"]) + 1e-4]
    return out


def _of_gate(g: bc.Gate) -> Figures:
    out: Figures = {}
    for measure, row in g.table.iterrows():
        out[f"{measure}: difference"] = float(row["difference"])
        p = float(row["p_better"])
        out[f"{measure}: better"] = [p, math.sqrt(p * (1.0 - p) / 1e4) + 1e-4]
    return out
