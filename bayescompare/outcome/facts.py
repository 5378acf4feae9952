"""`Facts`: what only one method has to tell, as typed fields that a file can hold.

A method declares one frozen dataclass derived from `Facts`, the ``facts_type`` of its
``posterior_type``.
Files hold the fields by name, as JSON's own types; a file that lacks one, or has another type
there, is refused with the field's name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self, get_type_hints

from bayescompare._errors import BayescompareError
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.outcome.codec import can_hold, name_in_file, plain, read
from bayescompare.outcome.columns import SHARES

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer


@dataclass(frozen=True)
class Facts:
    """Facts that only one method has; this base has no fields, for methods without any.

    A field may be a `float` (a finite number), `int`, `bool` or `str`; one of these or None; a
    tuple, a mapping from `str`, or another `Facts`. Where a field is None by default, a file
    leaves it out while it is None. ``field(metadata={"name": "F"})`` is another name in files, and
    ``field(metadata={"figure": True})`` is a number about the whole comparison, which files hold
    under "figures", null where it is None; all else is under "details".

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Wins(Facts):
    ...     wins: tuple[int, int]
    ...     note: str | None = None
    >>> Wins((3, 9)).to_dict()
    {'wins': [3, 9]}
    >>> Wins.from_dict({"wins": [3, 9]})
    Wins(wins=(3, 9), note=None)
    """

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the facts of an answer, which must be of this class."""
        if not isinstance(answer.facts, cls):
            raise BayescompareError(
                f"facts are of type {type(answer.facts).__name__}, and not {cls.__name__}."
            )
        return answer.facts

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by their names in a file, as JSON's own types."""
        document: dict[str, Any] = plain(self)
        return document

    def figures(self) -> dict[str, Any]:
        """Return the numbers about the whole comparison, by their names in a file."""
        named = {name_in_file(each) for each in fields(self) if each.metadata.get("figure")}
        return {name: value for name, value in self.to_dict().items() if name in named}

    @classmethod
    def from_dict(cls, facts: object, *, where: str = "figures and details") -> Self:
        """Make the facts again; reject, by name, what is not as declared."""
        made: Self = read(cls, facts, where)
        return made

    def told(self, more: Facts) -> Self:
        """Return the same with what others found out."""
        return replace(self, **{each.name: getattr(more, each.name) for each in fields(more)})

    def bounded(self, foreign: bool) -> Self:
        """Return the same with every figure that is a probability in [0, 1]: `as_probability`."""
        values = {
            each.name: float(as_probability(value, foreign=foreign))
            for each in fields(self)
            if each.metadata.get("figure") and name_in_file(each) in SHARES
            if isinstance(value := getattr(self, each.name), float)
        }
        return replace(self, **values) if values else self

    @property
    def own_labels(self) -> tuple[str, ...]:
        """Labels that this answer may have besides statements."""
        return ()


def check_facts_type(kind: type[Facts]) -> None:
    """Reject a class that a file could not hold."""
    if "__dataclass_params__" not in vars(kind):
        raise BayescompareError(f"{kind.__qualname__} is not a frozen dataclass.")
    for name, declared in get_type_hints(kind).items():
        if not can_hold(declared):
            raise BayescompareError(
                f"{kind.__qualname__}.{name} is declared as {declared!r}, which a file cannot "
                "hold: use float, int, bool, str, tuples, mappings from str, or other Facts."
            )


@dataclass(frozen=True, kw_only=True)
class FourQuestions(Facts):
    """Four different questions about the best statement; None where one has no answer.

    Attributes
    ----------
    most_probable : float
        P(its θ is the largest).
    beats_opposite : float, optional
        P(its θ exceeds that of the statement with every ordering reversed).
    majority : float, optional
        P(its θ > ½).
    expected : float, optional
        E θ, the probability that it holds on a new dataset.
    """

    most_probable: float | None = field(
        default=None, metadata={"figure": True, "name": "most probable"}
    )
    beats_opposite: float | None = field(
        default=None, metadata={"figure": True, "name": "beats opposite"}
    )
    majority: float | None = field(default=None, metadata={"figure": True})
    expected: float | None = field(default=None, metadata={"figure": True})
