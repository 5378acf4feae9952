"""Sentences that the classical tests share; each is read off the `Decision`."""

from __future__ import annotations

from bayescompare.methods.decision import SETTLED, Decision
from bayescompare.methods.words import plural

__all__ = ["NOT_A_PROBABILITY", "finding", "left_out", "own_level"]

NOT_A_PROBABILITY = (
    "A p-value is not the probability of a hypothesis; for a probability use method='dirichlet'."
)


def finding(decision: Decision, hypothesis: str) -> str:
    """Say whether the null hypothesis is rejected; a large p-value never speaks for it.

    Examples
    --------
    >>> finding(Decision("A>B", 0.3, "open", (), None), "both are equal")
    'The hypothesis that both are equal cannot be rejected (p = 0.3); that is not evidence that ...
    """
    if decision.verdict == "settled":
        return (
            f"The hypothesis that {hypothesis} is rejected at the {1 - SETTLED:.0%} level "
            f"(p = {decision.level:.3g})."
        )
    return (
        f"The hypothesis that {hypothesis} cannot be rejected (p = {decision.level:.3g}); that is "
        "not evidence that it is true."
    )


def left_out(ties: int) -> str:
    """Say how many ties were dropped.

    Examples
    --------
    >>> left_out(0), left_out(1), left_out(3)
    ('no dataset is a tie', '1 dataset is a tie and left out', '3 datasets are ties and left out')
    """
    if ties == 0:
        return "no dataset is a tie"
    return f"{plural(ties, 'dataset')} {'is a tie' if ties == 1 else 'are ties'} and left out"


def own_level(decision: Decision, alpha: float) -> list[str]:
    """Say the finding at the method's own level too, where that is another one.

    Examples
    --------
    >>> own_level(Decision("A>B", 0.03, "settled", (), None), 0.01)
    ['At the level alpha = 0.01 asked for it is not significant.']
    """
    if alpha == round(1 - SETTLED, 12):
        return []
    verdict = "significant" if decision.level <= alpha else "not significant"
    return [f"At the level alpha = {alpha:g} asked for it is {verdict}."]
