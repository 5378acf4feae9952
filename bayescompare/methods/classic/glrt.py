r"""The generalised likelihood-ratio test of joint dominance.

Story: every dataset falls into one of K statements with probabilities θ. The null hypothesis is
that the most frequent statement is *not* more probable than every other,

.. math:: H_0: \theta_{i^*} \le \max_{k \ne i^*} \theta_k, \qquad
          -2\log\lambda = 2\,[a\ln a + b\ln b - (a+b)\ln\tfrac{a+b}{2}] \sim \chi^2_1

with a, b the two largest counts. It gives a p-value, never a probability of anything.

References
----------
de Campos & Benavoli (2016), Section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayescompare.kernels.classic.pvalues import glrt, part_pvalues
from bayescompare.methods.classic.words import finding
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.claims import claim_in_quotes, claim_words, short_parts_words
from bayescompare.outcome.columns import PVALUE
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import Accepts, Kind, Method, Sampling
from bayescompare.outcome.posterior import Posterior
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural
from bayescompare.text.phrases import join_names

__all__ = ["GLRT"]


class GLRTResult(Posterior):
    """A test has no posterior; its p-value follows from other counts, too."""

    #: It is that of a limiting distribution.
    approximate = True

    def level_given(self, decision: Decision) -> Callable[[int, int], float]:
        """Return the largest p-value, of the whole and its parts, of other counts."""
        answer, states = self.answer, Statements.of(self.results).table.states
        best = answer.labels.index(decision.statement)
        top = float(answer.counts[best])
        second = 0.0 if decision.runner_up is None else decision.runner_up[1]

        def level(more: int, moved: int) -> float:
            first, next_one = top + more - moved, second + moved
            if first <= next_one:
                return 1.0
            pvalue = glrt(first, next_one)[1]
            if len(self.results.measures) == 1:
                return pvalue
            counts = answer.counts.copy()
            counts[best] = first
            if decision.runner_up is not None:
                counts[answer.labels.index(decision.runner_up[0])] = next_one
            return max(pvalue, float(part_pvalues(counts, states)[best].max()))

        return level


@dataclass(frozen=True, kw_only=True)
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
    title: ClassVar[str] = title_in_registry("glrt")
    citations: ClassVar[tuple[str, ...]] = ("decampos2016joint", "benavoli2015joint")
    posterior_type: ClassVar[type[Posterior]] = GLRTResult
    kind: ClassVar[Kind] = "frequentist"
    reference: ClassVar[str] = "de Campos & Benavoli (2016), Section 3"
    provides: ClassVar[frozenset[str]] = frozenset({"pvalue", "statistic"})
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))
    verdict_phrase: ClassVar[str] = "is the most frequent statement"

    def answer(self, results: Results, sampling: Sampling) -> Answer:
        """Test the two largest counts against each other."""
        statements = Statements.of(results)
        counts = np.sort(statements.table.counts)
        second = float(counts[-2]) if len(counts) > 1 else 0.0
        statistic, pvalue = glrt(float(counts[-1]), second)
        parts = {}
        if len(results.measures) > 1:
            parts[PVALUE] = part_pvalues(statements.table.counts, statements.table.states)
        return Answer.over(statements, statistic=statistic, pvalue=pvalue, parts=parts)

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return (
            "by the generalised likelihood-ratio test of {cited}: the hypothesis that the two most "
            "frequent joint statements are equally probable."
        )

    def sentences(self, results: Results, answer: Answer, decision: Decision) -> list[str]:
        """Say which hypothesis was tested and what its p-value allows."""

        def claim(label: str) -> str:
            return claim_words(label, results.algorithms, results.measures)

        n = len(results.datasets)
        if decision.state == "tied":
            tied = [claim_in_quotes(claim(s)) for s in (decision.statement, *decision.rivals)]
            return [
                f"On {plural(n, 'dataset')} the most frequent statements are tied "
                f"({join_names(tied, most=4)}), so the test cannot single one out: p = 1."
            ]
        own = float(answer.counts[answer.labels.index(decision.statement)])
        second = 0.0 if decision.runner_up is None else decision.runner_up[1]
        found = finding(decision, "it is not the most probable statement")
        if decision.state == "leads":
            found += (
                f" That is no verdict on every measure by itself: {short_parts_words(decision)}."
            )
        return [
            f"On {plural(n, 'dataset')} the most frequent statement is that "
            f"{claim(decision.statement)}. It has {count(own)} of {n} datasets, the next one "
            f"{count(second)}.",
            found,
            "A p-value is not the probability of either hypothesis, and the chi-square behind it "
            "is a large-sample approximation; for a probability use method='dirichlet'.",
        ]
