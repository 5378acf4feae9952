"""What would change a verdict: how many datasets, where that is quick to count, and what else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bayescompare.outcome.claims import claim_in_quotes
from bayescompare.outcome.decision import SETTLED, SIGNIFICANT

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison

__all__ = ["change_words"]

#: Most further datasets that are tried; a larger number would help nobody.
_MOST = 1000


def change_words(c: Comparison) -> str:
    """Say what would change the verdict.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> change_words(c)
    'What would change it: 3 more datasets that all support it would settle it; another prior ...'
    """
    levers = c.method.phrases.levers
    counted = _datasets_to_change_verdict(c)
    if not counted:
        return f"What would change it: {levers}."
    # The number of datasets is known; the other levers follow.
    rest = [lever for lever in levers.split(", ") if "more datasets" not in lever]
    also = f"; {', '.join(rest)} may too" if rest else ""
    return f"What would change it: {counted}{also}."


def _datasets_to_change_verdict(c: Comparison) -> str:
    """How many datasets it would take, where the answer to that is quick."""
    method, answer, decision = c.method, c.answer, c.decision
    if decision.verdict == "tied":
        return "one more dataset that supports one of those tied would break the tie"
    level = c.posterior.level_given(decision)
    if level is None:
        return ""
    bayesian = answer.pvalue is None

    def settled(more: int, moved: int) -> bool:
        figure = level(more, moved)
        return figure >= SETTLED if bayesian else figure <= SIGNIFICANT

    settles = "settle it" if bayesian else "make it significant"
    if decision.verdict != "settled":
        more = _least_number_to_change(lambda k: settled(k, 0))
        if more is None:
            return f"not even {_MOST} more datasets that all support it would {settles}"
        sure = " surely" if method.accepts.judges == "counts" else ""
        subject = (
            f"dataset that{sure} supports" if more == 1 else f"datasets that all{sure} support"
        )
        return f"{more} more {subject} it would {settles}"
    # It cannot lose more datasets than support it.
    own = int(answer.counts[answer.labels.index(decision.statement)])
    moved = _least_number_to_change(lambda k: k <= own and not settled(0, k), most=max(own, 1))
    if moved is None:
        return ""
    still = "settled" if bayesian else "significant"
    if method.accepts.judges == "counts":
        which = f"{moved} datasets" if moved > 1 else "dataset"
        return (
            f"if the {which} surest for it had been as surely against it, it would not be {still}"
        )
    other = "something else"
    if decision.runner_up is not None:
        other = claim_in_quotes(c.posterior.claim(decision.runner_up[0]))
    return (
        f"if {moved} of the datasets that support it had supported {other} instead, it would not "
        f"be {still}"
    )


def _least_number_to_change(holds: Callable[[int], bool], most: int = _MOST) -> int | None:
    """Least number from 1 on for which it holds, and for all above it, by doubling and halving."""
    high = 1
    while not holds(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
