"""`SavedPrior`: what a file keeps of a prior that is an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayescompare._errors import BayescompareError

__all__ = ["SavedPrior"]


@dataclass(frozen=True)
class SavedPrior:
    """A prior read back from a file, which holds its name but cannot hold the object."""

    text: str

    def __str__(self) -> str:
        return self.text

    def to_pymc(self, name: str) -> Any:
        """Refuse: the model must be given its prior again."""
        raise BayescompareError(
            f"priors[{name!r}] was saved by name only ({self.text}): to build the model again, "
            "call compare() on the loaded results with the prior itself."
        )
