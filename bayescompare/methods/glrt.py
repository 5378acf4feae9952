r"""The generalised likelihood-ratio test of joint dominance.

Story: every dataset falls into one of K statements with probabilities θ. The null hypothesis is
that the most frequent statement is *not* more probable than every other,

.. math:: H_0: \theta_{i^*} \le \max_{k \ne i^*} \theta_k, \qquad
          -2\log\lambda = 2\,[a\ln a + b\ln b - (a+b)\ln\tfrac{a+b}{2}] \sim \chi^2_1

with a, b the two largest counts. It gives a p-value, never a probability of anything.

References
----------
Benavoli & de Campos (2016), Section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayescompare.kernels.glrt import glrt
from bayescompare.methods.base import Answer, Kind, Method, Sampling
from bayescompare.methods.decision import SETTLED, Decision
from bayescompare.methods.words import many, number, phrase, plural, short_label
from bayescompare.results import Results
from bayescompare.statements import Statements

__all__ = ["GLRT"]


@dataclass(frozen=True)
class GLRT(Method):
    """Is the most frequent statement significantly more probable than every other?

    Examples
    --------
    Example 2 of the paper:

    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"), method=bc.methods.GLRT())
    >>> round(c.pvalue, 6)
    0.312663
    """

    name: ClassVar[str] = "glrt"
    title: ClassVar[str] = "likelihood-ratio test that one joint statement is the most probable"
    kind: ClassVar[Kind] = "frequentist"
    reference: ClassVar[str] = "Benavoli & de Campos (2016), Section 3"
    provides: ClassVar[frozenset[str]] = frozenset({"pvalue", "statistic"})
    leading: ClassVar[str] = "is the most frequent statement"

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Test the two largest counts against each other."""
        statements = Statements.from_results(results)
        counts = np.sort(statements.table.counts)
        second = float(counts[-2]) if len(counts) > 1 else 0.0
        statistic, pvalue = glrt(float(counts[-1]), second)
        return Answer.over(statements, statistic=statistic, pvalue=pvalue)

    def words(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say which hypothesis was tested and what its p-value allows."""
        n = len(results.datasets)
        count = float(answer.counts[answer.labels.index(decision.statement)])
        best = short_label(decision.statement)
        if decision.verdict == "tied":
            tied = many([best, *map(short_label, decision.rivals)], most=4)
            return [
                f"On {plural(n, 'dataset')} the most frequent statements are tied ({tied}), so the "
                "test cannot single one out: p = 1."
            ]
        second = 0.0 if decision.runner_up is None else decision.runner_up[1]
        said = (
            f"On {plural(n, 'dataset')} the most frequent statement is {best}: "
            f"{phrase(results, decision.statement)}. It has {number(count)} of {n} datasets, the "
            f"next one {number(second)}."
        )
        if decision.verdict == "settled":
            finding = (
                f"The hypothesis that it is not the most probable statement is rejected at the "
                f"{1 - SETTLED:.0%} level (p = {decision.level:.3g})."
            )
        else:
            finding = (
                f"The hypothesis that it is not the most probable statement cannot be rejected "
                f"(p = {decision.level:.3g}); that is not evidence that it is true."
            )
        limits = (
            "A p-value is not the probability of either hypothesis, and the chi-square behind it "
            "is a large-sample approximation; for a probability use method='dirichlet'."
        )
        return [said, finding, limits]
