"""Tables and figures of the four papers, computed again beside what was published.

One file per paper or part of it declares its reproductions: key, what, what was published, and a
function of a `Run`. Simulations are studies of `bayescompare.studies.engine`.
"""

from __future__ import annotations

from bayescompare.studies.reproduction.catalogue import reproduce, reproductions
from bayescompare.studies.reproduction.declaration import Reproduction
from bayescompare.studies.reproduction.reproduced import Reproduced

__all__ = ["Reproduced", "Reproduction", "reproduce", "reproductions"]
