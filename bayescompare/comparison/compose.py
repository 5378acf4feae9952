"""From results, method and answer to the comparison that a user sees."""

from __future__ import annotations

from bayescompare.comparison.answer import Answer
from bayescompare.comparison.comparison import Comparison
from bayescompare.comparison.method import Method
from bayescompare.comparison.method_checks import check_answer, is_built_in_method
from bayescompare.table.results import Results

__all__ = ["comparison_of"]


def comparison_of(
    results: Results, method: Method, answer: Answer, *, loaded: bool = False
) -> Comparison:
    """Put results, method and answer into the comparison type that the method declares.

    What was `loaded` from a file is checked by whoever did that.
    """
    outside = not is_built_in_method(type(method))
    if outside:
        check_answer(results, method, answer)
    bounded = answer.bounded(foreign=outside or loaded)
    return (method.comparison_type or Comparison)(results, method, bounded)
