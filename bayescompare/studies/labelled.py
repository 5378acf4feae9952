"""Methods as studies ask them: with their options, under labels of their own."""

from __future__ import annotations

from dataclasses import dataclass

from bayescompare.comparison.method import Method

__all__ = ["LabelledMethod"]


@dataclass(frozen=True)
class LabelledMethod:
    """A method with its options, and what tells it from the same method with others.

    Attributes
    ----------
    method : Method
    variant : str
        Empty where the method's name says enough.

    Examples
    --------
    >>> from bayescompare.methods.classic.sign import Sign
    >>> LabelledMethod(Sign()).label, LabelledMethod(Sign(), "Holm").label
    ('sign', 'sign (Holm)')
    """

    method: Method
    variant: str = ""

    @property
    def label(self) -> str:
        """The name that tables show."""
        return f"{self.method.name} ({self.variant})" if self.variant else self.method.name
