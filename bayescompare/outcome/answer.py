"""`Answer`: what a method found, as arrays and labels; `TestResult`, where that is a p-value.

`Facts` are what only one method has to tell, as typed fields that a file can hold: a frozen
dataclass, the ``facts_type`` of its ``posterior_type``. A file that lacks one, or has another type
there, is refused with the field's name.

`Shown` is what the results that users see have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_type_hints

import numpy as np

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.kernels.numerics.intervals import as_probability
from bayescompare.outcome.codec import can_hold, dumps, name_in_file, plain, read
from bayescompare.statements import Statements
from bayescompare.table.words import caveats_of
from bayescompare.table.writing import check_file_is_writable, write_text

if TYPE_CHECKING:
    import xarray as xr

    from bayescompare.outcome.decision import Decision
    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.statements import Statement
    from bayescompare.table.results import Results


# columns of `summary()` that some methods have only: `Answer.per_statement` -----------------------

#: Posterior mean of θ, and its central 95 % interval.
THETA_MEAN, THETA_LOWER, THETA_UPPER = "theta_mean", "theta_lower", "theta_upper"

#: P itself, among the figures of a statement's parts (`Answer.parts`).
PROBABILITY = "probability"

#: P under the pair's own prior, where the prior was learned from all pairs.
ALONE = "alone"

#: P over all prior means.
LOWER, UPPER = "lower", "upper"

#: P over all values that missing cells might have had, and its least under the pair's own prior.
LOWEST, HIGHEST, ALONE_LOWEST = "lowest", "highest", "alone_lowest"

#: Of each direction: the statistic, the share of resamples below it, the one-sided p-value.
OPT, SHARE_BELOW, PVALUE = "opt", "share_below", "pvalue"

#: Names of probabilities and shares, which lie between 0 and 1, in answers and their files.
SHARES = frozenset(
    {
        *(THETA_MEAN, THETA_LOWER, THETA_UPPER, LOWER, UPPER, SHARE_BELOW, PVALUE, ALONE),
        *(LOWEST, HIGHEST, ALONE_LOWEST),
        *("probability", "chi2_pvalue", "nemenyi", "equivalent", "ahead"),
        *("most probable", "beats opposite", "majority", "expected", "second_better"),
        *("rate_mean", "rate_lower", "rate_upper"),
    }
)


def theta_columns(mean: FloatArray, lower: FloatArray, upper: FloatArray) -> dict[str, FloatArray]:
    """Return the three columns about θ."""
    return {THETA_MEAN: mean, THETA_LOWER: lower, THETA_UPPER: upper}


# what only one method has to tell ----------------------------------------------------------------


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


# the answer ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """The result of a method, as arrays over the listed statements.

    Attributes
    ----------
    labels : tuple of str
        The statements, ``"A>B|B>A"``.
    states : tuple of tuple of str
        For every measure, the ordering in each statement.
    counts : array (S,)
        Weight of the datasets that support each statement.
    n_statements : int
        Number K of possible statements.
    n_observed : int
        Number of statements that some dataset supports.
    probability : array (S,), optional
        P(the statement is the most probable one).
    unobserved : float, optional
        The same for all statements never observed, together.
    mcse : array (S,), optional
        Monte Carlo standard error of `probability`; None when it is exact.
    none_leads : float
        P(no statement leads, because two or more are exactly equal): 0 unless a prior or a model
        gives equality mass. With `probability` and what is not listed it sums to one.
    pvalue, statistic : float, optional
        Of a frequentist method.
    log_evidence : float, optional
        Where it is closed.
    per_statement : mapping of str to array (S,)
        Fields of one method only, per statement.
    parts : mapping of str to array (S, m)
        How sure what each statement says of each measure by itself is: "probability", and where
        there are such figures "alone" and "lowest", or "pvalue". Empty for one measure, where
        part and whole are the same, and for questions about all measures at once.
    facts : Facts
        What one method alone has to tell, such as the edges of a learned graph.
    posterior : DirichletMixture or TestResult, optional
        θ after the data, or the test, which the figures were read off. Files do not hold it
        (`Comparison.posterior`).
    tree : DataTree, optional
        The posterior, where the answer came from draws.
    seed : int, optional
        What the sampling was seeded with.
    tested : int, optional
        Which statement a p-value is about, where it need not be that of the largest count.
    resampled_pvalue : bool
        Whether the p-value comes from random resamples.
    """

    labels: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    counts: FloatArray
    n_statements: int
    n_observed: int
    _: KW_ONLY
    probability: FloatArray | None = None
    unobserved: float | None = None
    mcse: FloatArray | None = None
    none_leads: float = 0.0
    pvalue: float | None = None
    statistic: float | None = None
    log_evidence: float | None = None
    per_statement: Mapping[str, FloatArray] = field(default_factory=dict)
    parts: Mapping[str, FloatArray] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    posterior: DirichletMixture | TestResult | None = None
    tree: xr.DataTree | None = None
    seed: int | None = None
    tested: int | None = None
    resampled_pvalue: bool = False

    @property
    def exact(self) -> bool:
        """Whether the figures carry no Monte Carlo error."""
        return self.mcse is None and not self.resampled_pvalue

    def bounded(self, *, foreign: bool) -> Answer:
        """Return the same with every probability within [0, 1]; see `as_probability`."""
        columns = {
            name: as_probability(values, foreign=foreign) if name in SHARES else values
            for name, values in self.per_statement.items()
        }
        found = {
            name: as_probability(value, foreign=foreign)
            for name in ("probability", "unobserved", "none_leads", "pvalue")
            # A file may hold anything here, and its own checks say so.
            if isinstance(value := getattr(self, name), float | np.ndarray)
        }
        whole: Any = {k: v if v.ndim else float(v) for k, v in found.items()}
        parts = {k: as_probability(values, foreign=foreign) for k, values in self.parts.items()}
        facts = self.facts.bounded(foreign)
        return replace(self, per_statement=columns, parts=parts, facts=facts, **whole)

    def column_at(self, column: str, statement: str) -> float:
        """Return what a column of `per_statement` has for a statement."""
        return float(self.per_statement[column][self.labels.index(statement)])

    @classmethod
    def over(cls, statements: Statements, **figures: Any) -> Answer:
        """Build an answer over all the listed statements."""
        return cls(
            labels=statements.labels,
            states=statements.states,
            counts=statements.table.counts,
            n_statements=statements.size,
            n_observed=statements.n_observed,
            **figures,
        )


class Found(NamedTuple):
    """What words are made of: the table, the figures, and what was decided of them."""

    results: Results
    answer: Answer
    decision: Decision


@dataclass(frozen=True)
class Direction(Facts):
    """What a test says of one measure by itself; nobody is better where it favours neither."""

    measure: str
    statistic: float
    pvalue: float
    better: str | None


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """What a test without a posterior found: a p-value, and what it is about.

    Attributes
    ----------
    pvalue, statistic : float
    statement : Statement, optional
        What the p-value is about; by default the most frequent statement.
    directions : tuple of Direction
        What each measure says by itself, where the test is made of such.
    parts : array (S, m), optional
        p-value of what each statement says of each measure by itself.
    columns : mapping of str to array (S,)
        Fields of this test only, for each listed statement.
    support : mapping of Statement to float, optional
        The listed statements, and how many datasets show each; by default the joint statements of
        the table.
    size : int, optional
        Number of possible statements, where more than these are.
    approximate : bool
        Whether the p-value is that of a limiting distribution.
    resampled : bool
        Whether it comes from random resamples.
    level_given : callable, optional
        Gives the p-value of a statement, and of its parts, under other counts of the statements.
    facts : Facts
        What only this test tells.
    """

    __test__ = False  # no class of tests, whatever its name tells pytest

    pvalue: float
    statistic: float
    statement: Statement | None = None
    directions: tuple[Direction, ...] = ()
    parts: FloatArray | None = None
    columns: Mapping[str, FloatArray] = field(default_factory=dict)
    support: Mapping[Statement, float] | None = None
    size: int | None = None
    approximate: bool = False
    resampled: bool = False
    level_given: Callable[[FloatArray, int], float] | None = None
    facts: Facts = field(default_factory=Facts)

    def answer(self, results: Results, *, question: bool) -> Answer:
        """Return it as an answer; a `question` about all measures at once has no state for each."""
        figures: dict[str, Any] = {
            "pvalue": self.pvalue,
            "statistic": self.statistic,
            "parts": {} if self.parts is None else {PVALUE: self.parts},
            "per_statement": self.columns,
            "resampled_pvalue": self.resampled,
            "facts": self.facts,
            "posterior": self,
        }
        if self.support is None:
            return Answer.over(Statements.of(results), **figures)
        counts = np.array(list(self.support.values()), dtype=np.float64)
        statements = list(self.support)
        states = zip(*(map(str, each.states) for each in statements), strict=True)
        return Answer(
            labels=tuple(map(str, statements)),
            states=() if question else tuple(states),
            counts=counts,
            n_statements=self.size or len(statements),
            n_observed=int((counts > 0).sum()),
            tested=None if self.statement is None else statements.index(self.statement),
            **figures,
        )


class Shown:
    """What the results of all doors have in common: caveats, card, report and file."""

    results: Results

    @property
    def caveats(self) -> tuple[str, ...]:
        """What could turn this answer, a sentence each: leaks, gaps, averages, one benchmark."""
        return caveats_of(self.results)

    def _repr_html_(self) -> str:
        """Show the verdict block in a notebook."""
        from bayescompare.report.card import block_of, card_html

        return card_html(block_of(self))

    def report(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        command: str | None = None,
        fragment: bool = False,
        figures: bool = False,
    ) -> Path:
        """Write a report: ``.html`` with pictures, ``.tex`` for a paper, ``.md`` or ``.json``.

        Parameters
        ----------
        path : path
        overwrite : bool
            Whether a file that exists may be replaced.
        command : str, optional
            The command to show in it; by default the Python call.
        fragment : bool
            With ``.tex``, without preamble and references, for a paper to read.
        figures : bool
            With ``.md``, write the figures too, into a folder that is named after the file; with
            ``.tex`` they always are.
        """
        from bayescompare.report import write_report

        mine: Any = self
        return write_report(
            mine, path, overwrite=overwrite, command=command, fragment=fragment, figures=figures
        )

    def _document(self) -> dict[str, Any]:
        """Return what its file holds."""
        raise NotImplementedError

    def to_json(self, path: str | Path | None = None, *, overwrite: bool = False) -> str:
        """Return it as JSON (docs/json-schema.md); also write it to `path`."""
        text = dumps(self._document())
        if path is not None:
            write_text(check_file_is_writable(path, overwrite=overwrite), text)
        return text
