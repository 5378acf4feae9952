"""`Details`: facts that only one method has, as typed fields that a file can hold.

A method declares a frozen dataclass derived from `Details` and names it as its ``details_type``.
Files hold the fields by name, as JSON's own types; a file that lacks one, or has another type
there, is refused with the field's name.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, get_type_hints

from bayescompare._errors import BayescompareError
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.outcome.codec import can_hold, name_in_file, plain, read
from bayescompare.outcome.columns import SHARES

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer

__all__ = ["Details", "Scalars", "check_details_type"]


@dataclass(frozen=True)
class Details:
    """Facts that only one method has; this base has no fields, for methods without any.

    A field may be a `float` (a finite number), `int`, `bool` or `str`; one of these or None; a
    tuple, a mapping from `str`, or another `Details`. Where a field is None by default, a file
    leaves it out while it is None. ``field(metadata={"name": "F"})`` is another name in files.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Wins(Details):
    ...     wins: tuple[int, int]
    ...     note: str | None = None
    >>> Wins((3, 9)).to_dict()
    {'wins': [3, 9]}
    >>> Wins.from_dict({"wins": [3, 9]})
    Wins(wins=(3, 9), note=None)
    """

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the details of an answer, which must be of this class."""
        return _details_of_class(cls, answer.details, "details")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by their names in a file, as JSON's own types."""
        document: dict[str, Any] = plain(self)
        return document

    @classmethod
    def from_dict(cls, facts: object, *, where: str = "details") -> Self:
        """Make the details again; reject, by name, what is not as declared."""
        made: Self = read(cls, facts, where)
        return made

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels that this answer may have besides statements."""
        return ()


def check_details_type(kind: type[Details]) -> None:
    """Reject a class that a file could not hold."""
    if "__dataclass_params__" not in vars(kind):
        raise BayescompareError(f"{kind.__qualname__} is not a frozen dataclass.")
    for name, declared in get_type_hints(kind).items():
        if not can_hold(declared):
            raise BayescompareError(
                f"{kind.__qualname__}.{name} is declared as {declared!r}, which a file cannot "
                "hold: use float, int, bool, str, tuples, mappings from str, or other Details."
            )


@dataclass(frozen=True)
class Scalars(Details):
    """Numbers of one method about the whole comparison: ``figures`` in a file."""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the numbers of an answer, which must be of this class."""
        return _details_of_class(cls, answer.scalars, "scalars")

    def bounded(self, foreign: bool) -> Self:
        """Return the same with every probability within [0, 1]; see `as_probability`."""
        values = {
            field.name: float(as_probability(value, foreign=foreign))
            for field in fields(self)
            if name_in_file(field) in SHARES
            and isinstance(value := getattr(self, field.name), float)
        }
        return dataclasses.replace(self, **values) if values else self


def _details_of_class[D: Details](kind: type[D], details: Details, name: str) -> D:
    if not isinstance(details, kind):
        raise BayescompareError(
            f"{name} are of type {type(details).__name__}, and not {kind.__name__}."
        )
    return details
