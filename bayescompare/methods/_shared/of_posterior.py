"""The answer of any method whose posterior is a `DirichletMixture`: its figures, read off once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.comparison.answer import Answer
from bayescompare.comparison.columns import ALONE, PROBABILITY, theta_columns
from bayescompare.comparison.decision import decide
from bayescompare.evidence import Evidence
from bayescompare.kernels.orders import WeightTable
from bayescompare.methods._shared.questions import FourQuestions
from bayescompare.posterior.dirichlet import DirichletMixture
from bayescompare.statements import DENSE, Statements

__all__ = ["least_of_posterior", "listed_in_answer", "posterior_answer"]


def posterior_answer(
    posterior: DirichletMixture,
    *,
    alone: DirichletMixture | None = None,
    alpha_of: Callable[[str], float] | None = None,
    parts: FloatArray | None = None,
    **more: Any,
) -> Answer:
    """Return P(max), shares, parts and the four questions.

    Parameters
    ----------
    posterior : DirichletMixture
    alone : DirichletMixture, optional
        The same under the pair's own prior, where this one's was learned from others.
    alpha_of : callable, optional
        Gives the α of a statement that is not listed, where these are not all alike.
    parts : array (S, m), optional
        How sure parts are, where the posterior cannot say so.
    **more
        Further fields of the answer.
    """
    evidence = posterior.evidence
    listed = listed_in_answer(evidence)
    every = posterior.p_max()
    mcse = posterior.mcse()
    columns = theta_columns(posterior.mean()[listed], *posterior.intervals()[:, listed])
    sure: dict[str, FloatArray] = {}
    if len(evidence.statements.measures) > 1:
        sure[PROBABILITY] = (posterior.parts() if parts is None else parts)[listed]
    if alone is not None:
        columns = {ALONE: alone.p_max()[:-1][listed], **columns}
        if sure:
            sure[ALONE] = alone.parts()[listed]
    answer = Answer.over(
        _listing(evidence.statements, listed),
        probability=every[:-1][listed],
        mcse=None if mcse is None else mcse[:-1][listed],
        unobserved=float(every[:-1][~evidence.possible].sum() + every[-1]),
        log_evidence=posterior.log_evidence,
        per_statement=columns,
        parts=sure,
        **more,
    )
    return replace(answer, scalars=_questions(posterior, answer, alpha_of))


def listed_in_answer(evidence: Evidence) -> IntArray:
    """Return which statements an answer lists: all, or of very many the possible ones."""
    size = evidence.statements.n_listed
    if size <= DENSE or not len(evidence.uncounted):
        return np.arange(size)
    return np.flatnonzero(evidence.possible)


def least_of_posterior(posterior: DirichletMixture) -> FloatArray:
    """The least of P(max) of each statement and of P of its parts: what a verdict rests on.

    Parts are left out where α differ among the unlisted, whose sums are no Dirichlet.
    """
    probability = posterior.p_max()[:-1]
    is_alike = len(posterior.components[0].lumps) <= 1
    if len(posterior.evidence.statements.measures) == 1 or not is_alike:
        return probability
    return np.minimum(probability, posterior.parts().min(axis=1))


def _listing(statements: Statements, listed: IntArray) -> Statements:
    """Some of the statements by themselves."""
    if len(listed) == statements.n_listed:
        return statements
    own = statements.table
    place = np.full(statements.n_listed, -1)
    place[listed] = np.arange(len(listed))
    table = WeightTable(
        own.states[listed], own.counts[listed], own.dataset, place[own.statement], own.weight
    )
    return replace(statements, table=table)


def _questions(
    posterior: DirichletMixture, answer: Answer, alpha_of: Callable[[str], float] | None
) -> FourQuestions:
    """Four different questions about the best statement, each in closed form."""
    statements = posterior.evidence.statements
    best = decide(answer).statement
    opposite = statements.opposite(best)
    s, other = statements.find(best), statements.find(opposite)
    assert s is not None
    assert answer.probability is not None
    alpha = None if alpha_of is None or other is not None else alpha_of(opposite)
    return FourQuestions(
        most_probable=float(answer.probability[answer.labels.index(best)]),
        # Equivalent on every measure is its own opposite.
        beats_opposite=None if opposite == best else posterior.order(s, other, alpha),
        majority=posterior.majority(s),
        expected=float(posterior.mean()[s]),
    )
