"""Tables and figures of the four papers, computed again beside what was published.

One file per paper or part of it declares its reproductions: key, what, what was published, and a
function of a `Run`. Simulations are `bayescompare.studies.Study`.
``python -m reproduction`` runs them.
"""

from __future__ import annotations

from reproduction.catalogue import reproduce, reproductions
from reproduction.outcome import Reproduction
from reproduction.reproduced import Reproduced

__all__ = ["Reproduced", "Reproduction", "reproduce", "reproductions"]
