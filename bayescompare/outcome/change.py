"""What would change a verdict: how many datasets, where that is quick to count, and what else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bayescompare.outcome.claims import claim_in_quotes
from bayescompare.outcome.decision import SETTLED, SIGNIFICANT
from bayescompare.statements import Statement

if TYPE_CHECKING:
    from bayescompare.outcome.comparison import Comparison


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
    counted = _counted_words(c)
    if not counted:
        return f"What would change it: {levers}."
    # The number of datasets is known; the other levers follow.
    rest = [lever for lever in levers.split(", ") if "more datasets" not in lever]
    also = f"; {', '.join(rest)} may too" if rest else ""
    return f"What would change it: {counted}{also}."


def datasets_needed(c: Comparison) -> int | None:
    """How many more datasets that support the leading statement would settle it and its parts.

    None where that is slow to say, where it is settled, or where a thousand would not do.

    Examples
    --------
    >>> import bayescompare as bc
    >>> datasets_needed(bc.compare(bc.load_example("benavoli-example1")))
    3
    """
    if c.decision.settled or c.decision.state in ("tied", "none"):
        return None
    numbers = [_needed(c)]
    if len(c.decision.measured) > 1 and "on" in dir(c):
        # A part is the answer on its measure alone.
        open_ = [part for part in c.decision.measured if part.word in ("ahead", "level")]
        leaders = Statement.parse(c.decision.statement, c.results.algorithms).leaders
        at = {measure: k for k, measure in enumerate(c.results.measures)}
        for part in open_:
            one = c.on([part.measure])
            if (
                Statement.parse(one.best, c.results.algorithms).leaders[0]
                != leaders[at[part.measure]]
            ):
                return None
            numbers.append(_needed(one))
    elif c.decision.state == "leads":
        return None
    known = [number for number in numbers if number is not None]
    return max(known) if len(known) == len(numbers) else None


def datasets_undoing(c: Comparison) -> int | None:
    """How many of its datasets would have to support the next statement for a verdict to be lost.

    None where that is slow to say, where nothing is settled, or where it cannot be lost so.
    """
    settled = _settles(c)
    if settled is None or not c.decision.settled:
        return None
    # It cannot lose more datasets than support it.
    own = int(c.answer.counts[c.answer.labels.index(c.decision.statement)])
    return _least_number_to_change(lambda k: k <= own and not settled(0, k), most=max(own, 1))


def _needed(c: Comparison) -> int | None:
    settled = _settles(c)
    if settled is None:
        return None
    return 0 if settled(0, 0) else _least_number_to_change(lambda k: settled(k, 0))


def _settles(c: Comparison) -> Callable[[int, int], bool] | None:
    """Whether so many datasets more, and so many turned, settle it; None where that is slow."""
    level = c.posterior.level_given(c.decision)
    if level is None:
        return None
    if c.answer.pvalue is None:
        return lambda more, moved: level(more, moved) >= SETTLED
    return lambda more, moved: level(more, moved) <= SIGNIFICANT


def _counted_words(c: Comparison) -> str:
    """How many datasets it would take, where the answer to that is quick."""
    method, decision = c.method, c.decision
    if decision.state == "tied":
        return "one more dataset that supports one of those tied would break the tie"
    bayesian = c.answer.pvalue is None
    surely = " surely" if method.accepts.judges == "counts" else ""
    if not decision.settled:
        settled = _settles(c)
        if settled is None:
            return ""
        settles = "settle it" if bayesian else "make it significant"
        more = _least_number_to_change(lambda k: settled(k, 0))
        if more is None:
            return f"not even {_MOST} more datasets that all support it would {settles}"
        subject = (
            f"dataset that{surely} supports" if more == 1 else f"datasets that all{surely} support"
        )
        return f"{more} more {subject} it would {settles}"
    moved = datasets_undoing(c)
    if moved is None:
        return ""
    still = "settled" if bayesian else "significant"
    if surely:
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
