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

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from bayescompare._typing import FloatArray, IntArray
from bayescompare.kernels.classic.pvalues import glrt, part_pvalues
from bayescompare.methods.classic.words import finding
from bayescompare.outcome.answer import Answer, Found, TestResult
from bayescompare.outcome.claims import claim_in_quotes, claim_words, short_parts_words
from bayescompare.outcome.method import Accepts, Method, Phrases
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.outcome.registry import title_in_registry
from bayescompare.statements import Statements
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural
from bayescompare.text.phrases import join_names


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
    posterior_type: ClassVar[type[Posterior]] = Tested
    phrases: ClassVar[Phrases] = Phrases(
        reference="de Campos & Benavoli (2016), Section 3", verdict="is the most frequent statement"
    )
    accepts: ClassVar[Accepts] = Accepts(missing=frozenset({"worst"}))

    def posterior(self, results: Results, rng: np.random.Generator | None = None) -> TestResult:
        """Test the two largest counts against each other."""
        table = Statements.of(results).table
        second, first = np.sort(np.append(table.counts, 0.0))[-2:].tolist()
        statistic, pvalue = glrt(first, second)
        several = len(results.measures) > 1
        return TestResult(
            pvalue=pvalue,
            statistic=statistic,
            parts=part_pvalues(table.counts, table.states) if several else None,
            approximate=True,
            level_given=partial(_largest_pvalue, table.states),
        )

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        return (
            "by the generalised likelihood-ratio test of {cited}: the hypothesis that the two most "
            "frequent joint statements are equally probable."
        )

    def sentences(self, found: Found) -> list[str]:
        """Say which hypothesis was tested and what its p-value allows."""
        results, answer, decision = found

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
        tested = finding(decision, "it is not the most probable statement")
        if decision.state == "leads":
            tested += (
                f" That is no verdict on every measure by itself: {short_parts_words(decision)}."
            )
        return [
            f"On {plural(n, 'dataset')} the most frequent statement is that "
            f"{claim(decision.statement)}. It has {count(own)} of {n} datasets, the next one "
            f"{count(second)}.",
            tested,
            "A p-value is not the probability of either hypothesis, and the chi-square behind it "
            "is a large-sample approximation; for a probability use method='dirichlet'.",
        ]


def _largest_pvalue(states: IntArray, counts: FloatArray, best: int) -> float:
    """The p-value of a statement, or of a part of it if that is larger."""
    first, second = float(counts[best]), float(np.delete(counts, best).max(initial=0.0))
    if first <= second:
        return 1.0
    pvalue = glrt(first, second)[1]
    if states.shape[1] == 1:
        return pvalue
    return max(pvalue, float(part_pvalues(counts, states)[best].max()))
