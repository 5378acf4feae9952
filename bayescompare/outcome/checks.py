"""What an answer must look like that comes from a file, or from a method of the user's.

Types and shapes, labels that say something about these algorithms, and probabilities between 0
and 1: what words and pictures rely on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayescompare._checks import show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.outcome.codec import numbers
from bayescompare.outcome.columns import SHARES
from bayescompare.outcome.method import is_bayesian
from bayescompare.statements import OTHERS, State, Statement
from bayescompare.text.numbers import setting_number_text

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.outcome.answer import Answer
    from bayescompare.outcome.method import Method
    from bayescompare.table.results import Results


def check_fields(results: Results, method: Method, answer: Answer) -> None:
    """Reject an answer whose fields are not what its results and method say they are."""
    _check_labels(results, answer)
    size, n = len(answer.labels), float(len(results.datasets))
    bayesian = is_bayesian(method)
    if (answer.pvalue if bayesian else answer.probability) is not None:
        given = "pvalue" if bayesian else "probability"
        raise BayescompareError(f"{given} is given, and method {method.name!r} has none.")
    if bayesian and answer.probability is None:
        raise BayescompareError(f"probability is missing, which method {method.name!r} gives.")
    columns = {"count": answer.counts, "probability": answer.probability, "mcse": answer.mcse}
    for name, values in {**columns, **answer.per_statement}.items():
        most = n if name == "count" else 1.0 if name in (*columns, *SHARES) else None
        if values is not None:
            numbers(values, f"statements: {name}", (size,), *([(0.0, most)] if most else []))
        if name in ("count", "probability") and values is not None and np.isnan(values).any():
            raise BayescompareError(f"statements: {name} is nan: it must be a number.")
    if answer.probability is not None and (total := float(answer.probability.sum())) > 1.0 + 1e-6:
        raise BayescompareError(f"statements: probability sums to {setting_number_text(total)}.")
    for name, values in answer.parts.items():
        numbers(values, f"statements: part_{name}", (size, len(results.measures)), (0.0, 1.0))
    whole = {name: getattr(answer, name) for name in ("unobserved", "pvalue", "none_leads")}
    for name, value in {**whole, **answer.facts.figures()}.items():
        if value is not None and (name in whole or name in SHARES):
            numbers(value, name, (), (0.0, 1.0))
    for name in ("statistic", "log_evidence"):
        if getattr(answer, name) is not None:
            numbers(getattr(answer, name), name, ())
    if answer.tested is not None and not 0 <= answer.tested < size:
        raise BayescompareError(f"lead is {answer.tested}, and there are {size} statements.")
    if answer.n_statements < size or not 0 <= answer.n_observed <= answer.n_statements:
        raise BayescompareError(
            f"n_statements is less than the {size} statements listed, or than n_observed, which "
            f"is {answer.n_observed}."
        )
    if answer.tree is not None:
        _check_tree(answer.tree)


def _check_labels(results: Results, answer: Answer) -> None:
    labels, states = answer.labels, answer.states
    if not labels:
        raise BayescompareError("statements: there are none.")
    if len(set(labels)) != len(labels):
        raise BayescompareError("statements: a label occurs twice.")
    for label in labels:
        if not (_is_statement(label, results) or label in answer.facts.own_labels):
            raise BayescompareError(
                f"statements: label {show_checked_value_briefly(label)} is no statement about "
                f"{', '.join(results.algorithms)} on {len(results.measures)} measure(s)."
            )
    if states and len(states) != len(results.measures):
        raise BayescompareError(
            f"statements: states are of {len(states)} measures, and there are "
            f"{len(results.measures)}."
        )


def _is_statement(label: object, results: Results) -> bool:
    """Whether a label names one ordering, or one for every measure."""
    if not isinstance(label, str):
        return False
    states = Statement.parse(label, results.algorithms).states
    return len(states) in (1, len(results.measures)) and all(
        _is_state(state, results.algorithms) for state in set(states)
    )


def _is_state(state: State, algorithms: tuple[str, ...]) -> bool:
    names = state.names
    if state.relation != ">":
        return names == algorithms
    return 2 <= len(names) == len(set(names)) and {*algorithms, OTHERS}.issuperset(names)


def _check_tree(tree: xr.DataTree) -> None:
    """Reject a posterior that cannot be diagnosed: every group of draws has the same ones."""
    sizes = tree["posterior"].to_dataset().sizes if "posterior" in tree else {}
    if not {"chain", "draw"} <= set(sizes):
        raise BayescompareError("posterior: it has no dims 'chain' and 'draw'.")
    draws = {dim: sizes[dim] for dim in ("chain", "draw")}
    for group in ("posterior", "sample_stats", "log_likelihood"):
        variables = tree[group].to_dataset().data_vars if group in tree else {}
        for name, values in variables.items():
            of = {dim: values.sizes.get(dim) for dim in draws}
            if of != draws or values.dtype.kind not in "iufb" or not values.size:
                raise BayescompareError(
                    f"{group}: {name} has {values.dtype} over {dict(values.sizes)}: it must be "
                    f"numbers for each of {draws}."
                )
