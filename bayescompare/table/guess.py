"""What a table looks like: which columns are names and which measures, and which way is better.

A guess is made of what was not given, and says why. What the table leaves open is a problem with
its remedy, and is asked rather than taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from bayescompare._errors import BayescompareError
from bayescompare.table.frames import as_pandas
from bayescompare.table.input import check_distinct
from bayescompare.table.layouts import SEPARATORS
from bayescompare.table.measure import Direction, Measure, as_measures
from bayescompare.text.names import first_words, meant_name, quoted_names
from bayescompare.text.numbers import percent, plural, statistic_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.table.results import Results

#: What columns of names are called, without ``_name`` or ``_id`` at the end.
_ROLES = {
    "algorithm": "algorithm algorithms alg algo method methods model models classifier learner "
    "framework system estimator solver optimizer optimiser regressor approach clf variant "
    "strategy agent pipeline provider",
    "dataset": "dataset datasets data data_set task tasks problem benchmark instance series "
    "environment env corpus tid domain_task",
    "folds": "fold folds cv split repeat resample replicate rep outer_fold repetition",
    "seeds": "seed random_seed random_state run trial iteration iter",
    "items": "item example question sample doc prompt",
}
_NAMED = {word: role for role, words in _ROLES.items() for word in words.split()}

#: Words of which a measure's name is made, by which way is better; of costs it is always less.
_HIGHER = (
    "accuracy acc auc auroc auprc ap map f1 f1score fscore f2 precision recall sensitivity "
    "specificity r2 kappa mcc bleu rouge meteor chrf ndcg mrr hits iou dice psnr ssim em "
    "exact match pass correct right reward return elo rating success throughput wins win "
    "jaccard loglik likelihood tpr tnr gmean gm silhouette ari nmi spearman pearson "
    "correlation coverage completeness higher"
)
_LOWER = (
    "error errors err loss logloss nll perplexity ppl brier rmse mse mae mape smape mase wql "
    "crps sql wape rmsse rmsle msle wer cer fid time duration seconds secs sec ms latency "
    "runtime cost price memory ram energy flops params fpr fnr rank regret misclassification "
    "misclassified complexity ece distance deviance emissions co2 wrong incorrect failures "
    "crossentropy lower"
)
_BETTER: dict[str, Direction] = {
    **dict.fromkeys(_HIGHER.split(), "max"),
    **dict.fromkeys(_LOWER.split(), "min"),
}
_COST_WORDS = (
    "time duration seconds secs sec ms latency runtime cost price memory ram energy loss error"
)
_COSTS = frozenset(_COST_WORDS.split())
#: Names that say that it is a measure, and no more.
_VAGUE_WORDS = "score scores value result results metric performance quality"
_VAGUE = frozenset(_VAGUE_WORDS.split())

#: Names of numbers about datasets and rows, which measure nothing.
_COUNTS = re.compile(
    r"(unnamed.*|index|id|.*_id|n|k|count|size|.*_size|year|date|timestamp|version|level_\d+"
    r"|(n|num|nr|number)_(of_)?\w+|.*_(count|std|stderr|se|var|lower|upper))"
)

_NOT_KNOWN = "it is not known which way is better"

#: Cells of two measures of one dataset that are compared, and the share that must agree.
_FEWEST_PAIRS, _AGREED = 10, 0.75

Kind = Literal["folds", "seeds", "items"]


@dataclass(frozen=True)
class Guess:
    """What was given about a table and what was guessed, why, and what is open.

    Attributes
    ----------
    options : dict
        The arguments of `Results.from_frame`, but for those that have their defaults.
    why : dict
        The reason for each column that was guessed.
    left_out : dict
        The reason for each column that is not used.
    problems : list of str
        What is open, each with the argument that settles it.
    ranges : dict
        Between which values each measure lies.
    """

    measures: dict[str, Measure]
    options: dict[str, Any]
    why: dict[str, str]
    left_out: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    ranges: dict[str, str] = field(default_factory=dict)

    def checked(self, where: str = "") -> Guess:
        """Return the guess, or raise one error with all that is open."""
        if not self.problems:
            return self
        head = f"{where}: " if where else ""
        if len(self.problems) == 1:
            raise BayescompareError(f"{head}{self.problems[0]}.")
        listed = "; ".join(f"({k}) {each}" for k, each in enumerate(self.problems, 1))
        raise BayescompareError(f"{head}{len(self.problems)} things are open: {listed}.")

    def words(self) -> str:
        """Say what was guessed.

        Examples
        --------
        >>> frame = pd.DataFrame({"task": ["a", "b"], "model": "m", "auc": [0.9, 0.8]})
        >>> guess(frame).words()
        'guessed: datasets are in task; algorithms are in model; higher auc is better'
        """
        kinds = {"replicate": self.options.get("replicates", "folds")}
        parts = [
            f"{kinds.get(role, role + 's')} are in {self.options[role]}"
            for role in ("dataset", "algorithm", "replicate")
            if self.options.get(role) in self.why and self.options[role] != role
        ]
        ways = [
            f"{'higher' if measure.direction == 'max' else 'lower'} {name}"
            for name, measure in self.measures.items()
            if name in self.why
        ]
        if ways:
            parts.append(f"{join_names(ways, most=20)} {'is' if len(ways) == 1 else 'are'} better")
        if unknown := [n for n, why in self.left_out.items() if why == _NOT_KNOWN]:
            parts.append(f"{', '.join(unknown)} left out, whose direction is not known")
        return f"guessed: {'; '.join(parts)}" if parts else ""

    @property
    def finds_names(self) -> bool:
        """Whether columns of names were found that are not called what they are by default."""
        roles = ("dataset", "algorithm", "replicate")
        return any(
            self.options.get(role) in self.why and self.options[role] != role for role in roles
        )


def as_it_looks(
    exact: Callable[[], Results] | None,
    guessed: Callable[[], tuple[Guess, Callable[[], Results]]],
    where: str = "",
) -> Results:
    """Read a table as was said; as it looks where that was not enough, or names no column of it.

    A note says what was guessed; what is open is refused in one error that begins with `where`.
    """
    if exact is not None:
        try:
            return exact()
        except BayescompareError:
            found, read = guessed()
            if found.problems or not found.finds_names:
                raise
    else:
        found, read = guessed()
        found.checked(where)
    results, words = read(), found.words()
    return results._with(notes=(words, *results.notes)) if words else results


def direction_of(name: str) -> Direction | None:
    """Return which way is better by the name of a measure; None if that does not tell.

    Examples
    --------
    >>> direction_of("balanced_accuracy"), direction_of("neg_log_loss"), direction_of("fit_time")
    ('max', 'max', 'min')
    >>> direction_of("score") is None
    True
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    words = [word for word in re.split(r"[^a-z0-9]+", text) if word]
    if not words:
        return None
    per_time = "per" in words and words[-1].rstrip("s") in ("second", "sec", "minute", "hour")
    if words[0] in ("neg", "negative") or per_time:
        return "max"
    tried = [*words, "".join(words), words[0].rstrip("0123456789")]
    found = {_BETTER[word] for word in tried if word in _BETTER}
    if _COSTS & set(words):
        return "min"
    return found.pop() if len(found) == 1 else None


def guess(
    df: Any,
    *,
    measures: Mapping[str, Any] | Iterable[str] | None = None,
    labelled: bool = False,
    loosely: bool = False,
    **given: Any,
) -> Guess:
    """Guess what was not given about a frame.

    Parameters
    ----------
    df : frame
        Long, wide, or melted (with the columns ``measure`` and ``value``).
    measures : mapping or iterable of str, optional
        The measures, with or without directions.
    labelled : bool
        Whether a label names the algorithm, which then needs no column.
    loosely : bool
        Whether a measure may be meant by the beginning of its name.
    **given
        Options of `Results.from_frame`.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "task": ["a", "a", "b", "b"], "clf": ["x", "y"] * 2, "logloss": [0.4, 0.5, 0.3, 0.6],
    ... })
    >>> found = guess(frame)
    >>> found.options, found.measures["logloss"].direction
    ({'dataset': 'task', 'algorithm': 'clf'}, 'min')
    """
    return _Guesser(df, measures, labelled, loosely, given).guess()


class _Guesser:
    """The columns of a table that are not yet taken, and what was found out about the others."""

    def __init__(
        self,
        df: Any,
        measures: Mapping[str, Any] | Iterable[str] | None,
        labelled: bool,
        loosely: bool,
        given: Mapping[str, Any],
    ) -> None:
        table = as_pandas(df, index=True)
        if table.columns.nlevels > 1:
            raise BayescompareError(
                "the columns have several levels: say what was measured, as in "
                "measures={'accuracy': 'max'}."
            )
        self.table = table.set_axis(check_distinct(table.columns), axis=1)
        if isinstance(measures, str):
            raise BayescompareError(f"measures={measures!r}: give a list, as in [{measures!r}].")
        named = {} if measures is None else measures
        self.asked: dict[str, Any] = (
            dict(named) if isinstance(named, Mapping) else dict.fromkeys(map(str, named))
        )
        self.labelled, self.loosely = labelled, loosely
        self.given = {name: value for name, value in given.items() if value is not None}
        self.options: dict[str, Any] = dict(self.given)
        self.why: dict[str, str] = {}
        self.left_out: dict[str, str] = {}
        self.problems: list[str] = []
        names = list(map(str, self.table))
        self.free = [name for name in names if name not in {*map(str, self.given.values())}]
        self._numbers = {name for name in names if self._is_number(name)}

    def guess(self) -> Guess:
        """Guess the columns of names, then the measures, then the replicates."""
        if self.table.empty:
            raise BayescompareError("the table has no rows.")
        melted = {"measure", "value"} <= set(self.free) and not self.asked.keys() & set(self.free)
        if melted:
            self.free = [name for name in self.free if name not in ("measure", "value")]
        self._find_names()
        if melted:
            present = self.table["measure"].astype(str).unique().tolist()
            spec = self._measures(list(present), known_only=False)
        elif "algorithm" in self.options or self.labelled or "algorithm=" in str(self.problems):
            self._find_replicates()
            spec = self._measures(self._numeric(), known_only=not self.asked)
            self._check_rows()
        else:
            spec = self._wide()
        ranges = {name: range_words(self.table[name]) for name in spec if name in self._numbers}
        return Guess(spec, self.options, self.why, self.left_out, self.problems, ranges)

    # columns of names -----------------------------------------------------------------------------

    def _find_names(self) -> None:
        """Find the columns of datasets and algorithms, by name or because no other is left."""
        for role in ("dataset", "algorithm"):
            if role in self.given or (role == "algorithm" and self.labelled):
                continue
            known = [name for name in self.free if _role(name) == role]
            exact = [name for name in known if name.lower() == role]
            known = exact or [name for name in known if self._tells_apart(name)] or known
            # Beside names there may be their numbers.
            texts = [name for name in known if not self._is_number(name)]
            known = texts if len(known) > 1 and texts else known
            if len(known) == 1:
                self._take(role, known[0], "by its name")
            elif known:
                self._ask(role, known)
        words = [name for name in self.free if not self._is_number(name)]
        words = [name for name in words if self._tells_apart(name)]
        missing = [r for r in ("dataset", "algorithm") if r not in self.options]
        if self.labelled:
            missing = [role for role in missing if role != "algorithm"]
        if not missing or any(f"{role}=" in each for role in missing for each in self.problems):
            return
        if missing == ["dataset"] and not words and self.table.index.dtype == object:
            return  # the labels of the rows name them
        if len(missing) == 1 and len(words) == 1:
            if missing == ["dataset"] or not self._looks_wide():
                self._take(missing[0], words[0], "the only other column of names")
        elif missing == ["dataset", "algorithm"] and len(words) == 1 and self._looks_wide():
            self._take("dataset", words[0], "the only column of names")
        elif "dataset" in missing or (words and not self._looks_wide()):
            for role in missing:
                if words:
                    self._ask(role, words)
                else:
                    self.problems.append(f"no column names the {role}s: name it by {role}=")

    def _looks_wide(self) -> bool:
        """Whether each row is a dataset of its own, and several columns are numbers."""
        dataset = self.options.get("dataset")
        own = self.table.get(dataset)
        words = [name for name in self.free if not self._is_number(name)]
        own = self.table[words[0]] if own is None and len(words) == 1 else own
        return own is not None and own.is_unique and len(self._numeric()) > 1

    def _tells_apart(self, name: str) -> bool:
        return bool(self.table[name].nunique() > 1)

    def _take(self, role: str, name: str, why: str) -> None:
        self.options[role], self.why[name] = name, why
        self.free.remove(name)

    def _ask(self, role: str, names: Sequence[str]) -> None:
        self.problems.append(
            f"which column names the {role}s: {role}={names[0]!r}, or one of {quoted_names(names)}"
        )

    def _find_replicates(self) -> None:
        """Find folds, seeds or items, if rows of a dataset and an algorithm need telling apart."""
        own = [self.options[role] for role in ("dataset", "algorithm") if role in self.options]
        if "replicate" in self.given or not own or not set(own) <= set(self.table):
            return
        known = [name for name in self.free if _role(name) in ("folds", "seeds", "items")]
        if not self.table.duplicated(own).any():
            for name in known:
                self._leave_out(name, "no rows need it to be told apart")
            return
        enough = [name for name in known if not self.table.duplicated([*own, name]).any()]
        if len(enough) == 1 or (enough and len({_role(name) for name in enough}) == 1):
            self._take("replicate", enough[0], "by its name, and it tells rows apart")
            kind = _role(enough[0])
            if "replicates" not in self.given and kind != "folds":
                self.options["replicates"] = kind
        elif enough:
            self._ask("replicate", enough)

    def _check_rows(self) -> None:
        """Ask for a column that tells rows of a dataset and an algorithm apart."""
        roles = ("dataset", "algorithm", "replicate", "epoch")
        own = [self.options[role] for role in roles if role in self.options]
        whole = len(own) == 2 - self.labelled and set(own) <= set(self.table)
        if self.problems or not whole or not self.table.duplicated(own).any():
            return
        more = [
            name
            for name in (*self.free, *self.left_out)
            if not self.table.duplicated([*own, name]).any()
        ]
        rows = plural(int(self.table.duplicated(own).sum()), "row")
        self.problems.append(
            f"{rows} repeat a dataset and an algorithm: name the column of folds, seeds or items "
            f"by replicate={repr(more[0]) if more else ''}"
        )

    # measures -------------------------------------------------------------------------------------

    def _is_number(self, name: str) -> bool:
        column = self.table[name]
        return bool(pd.api.types.is_numeric_dtype(column.dtype)) and column.dtype.kind != "O"

    def _numeric(self) -> list[str]:
        return [name for name in self.free if self._is_number(name)]

    def _leave_out(self, name: str, why: str) -> None:
        self.left_out[name] = why
        if name in self.free:
            self.free.remove(name)

    def _measures(self, names: list[str], *, known_only: bool) -> dict[str, Measure]:
        """Find the directions of the measures that were asked for, or find measures."""
        spec: dict[str, Measure] = {}
        if self.asked:
            for wanted, given in self.asked.items():
                name = meant_name(wanted, names) if self.loosely else wanted
                if not (given is None or isinstance(given, dict)):
                    spec[name] = as_measures({name: given})[name]
                elif (way := direction_of(name)) is not None:
                    self.why[name] = "by its name"
                    spec[name] = Measure(way, **(given or {}))
                else:
                    self._ask_direction(name)
            return spec
        vague = []
        for name in names:
            way = direction_of(name)
            if known_only and name in self.table and self._measures_nothing(name):
                continue
            if way is not None:
                spec[name] = Measure(way)
                self.why[name] = "by its name"
            elif set(re.split(r"[^a-z0-9]+", name.lower())) & _VAGUE or not known_only:
                vague.append(name)
            else:
                self._leave_out(name, _NOT_KNOWN)
        sure = dict(spec)
        for name in vague:
            if (way := self._agreed(name, sure) if known_only else None) is not None:
                spec[name] = Measure(way)
            else:
                self._ask_direction(name)
        if known_only:
            self._check_agreement(sure)
        if not spec and not any("measures=" in each for each in self.problems):
            if len(self.left_out) == 0 and not names:
                self.problems.append(
                    "no column has numbers to compare by: name what was measured, as in "
                    "measures={'accuracy': 'max'}"
                )
            else:
                open_ones = [n for n, why in self.left_out.items() if why == _NOT_KNOWN]
                self._ask_direction(*(open_ones or list(self.left_out)[:1]))
        return spec

    def _ask_direction(self, *names: str) -> None:
        ways = " or ".join(f"measures={{{names[0]!r}: {way!r}}}" for way in ("max", "min"))
        what = names[0] if len(names) == 1 else f"each of {quoted_names(names)}"
        self.problems.append(f"which way {what} is better is not known: say {ways}")

    def _measures_nothing(self, name: str) -> bool:
        """Leave out a number about rows or datasets."""
        dataset = self.options.get("dataset")
        if direction_of(name) is None and _COUNTS.fullmatch(name.lower()):
            self._leave_out(name, "a number or an identifier, by its name")
        elif dataset in self.table and self._tells_apart(name):
            each = self.table.groupby(dataset, sort=False)[name].nunique()
            several = self.table.groupby(dataset, sort=False).size() > 1
            if several.any() and (each[several] <= 1).all() and direction_of(name) is None:
                self._leave_out(name, "the same for every algorithm of a dataset")
        return name in self.left_out

    def _share_agreed(self, name: str, other: str) -> tuple[float, int]:
        """Return the share of pairs of rows of a dataset where both rise, and of how many."""
        dataset = self.options.get("dataset")
        groups = (
            [self.table]
            if dataset not in self.table
            else [rows for _, rows in self.table.groupby(dataset, sort=False)]
        )
        same = pairs = 0
        for rows in groups[:500]:
            both = rows[[name, other]].to_numpy(dtype=float)[:40]
            one, two = (np.sign(both[:, None, k] - both[None, :, k]) for k in (0, 1))
            product = (one * two)[np.triu_indices(len(both), 1)]
            same += int((product > 0).sum())
            pairs += int((np.abs(product) > 0).sum())
        return (same / pairs if pairs else np.nan), pairs

    def _agreed(self, name: str, sure: Mapping[str, Measure]) -> Direction | None:
        """Return the direction of a vague name that agrees with what is known."""
        for other, measure in sure.items():
            if other in self.table and direction_of(other) and not _COSTS & {other.lower()}:
                share, pairs = self._share_agreed(name, other)
                if pairs >= _FEWEST_PAIRS and not (1.0 - _AGREED < share < _AGREED):
                    way: Direction = "max" if (share >= _AGREED) == (measure.sign > 0) else "min"
                    turn = "rises" if share >= _AGREED else "falls"
                    part = percent(max(share, 1.0 - share))
                    self.why[name] = f"it {turn} where {other} rises, on {part} of pairs"
                    return way
        return None

    def _check_agreement(self, sure: Mapping[str, Measure]) -> None:
        """Ask about measures of quality that nearly always contradict the first one."""
        first, *others = [n for n in sure if n in self.table and not _is_cost(n)] or [""]
        for name in others:
            share, pairs = self._share_agreed(name, first)
            against = 1.0 - share if sure[name].sign == sure[first].sign else share
            if pairs >= _FEWEST_PAIRS and against >= 0.95:
                self.problems.append(
                    f"{name} and {first} contradict each other on {percent(against)} of pairs, as "
                    f"if one of them were the wrong way round: say measures={{{name!r}: 'max'}} or "
                    f"measures={{{name!r}: 'min'}}"
                )

    # wide tables ----------------------------------------------------------------------------------

    def _wide(self) -> dict[str, Measure]:
        """Find the measures of a wide table, in the names of its columns if they have them."""
        columns = self._numeric()
        if self.asked:
            return self._measures(list(self.asked), known_only=False)
        for separator in SEPARATORS:
            for last in (True, False):
                split = [
                    name.rpartition(separator) if last else name.partition(separator)
                    for name in columns
                ]
                names = [each[2 if last else 0] for each in split]
                others = {each[0 if last else 2] for each in split}
                ways = {name: direction_of(name) for name in names}
                balanced = len(others) * len(ways) == len(columns) and len(others) > 1
                if balanced and all(each[1] for each in split) and all(ways.values()):
                    self.why |= dict.fromkeys(ways, "by its name, in those of the columns")
                    return {name: Measure(way) for name, way in ways.items() if way}
        if len(columns) < 2 and not self.problems:
            self._ask("algorithm", self.free or [*map(str, self.table)])
        self.problems.append(
            f"the columns {first_words([repr(name) for name in columns], 4)} may be algorithms, "
            "and nothing says what was measured: say measures={'accuracy': 'max'} or whatever it "
            "is"
            if columns
            else "no column has numbers to compare by"
        )
        return {}


def _role(name: str) -> str | None:
    """Return what a column of this name holds.

    Examples
    --------
    >>> _role("alg_name"), _role("Classifier"), _role("outer_fold"), _role("colour")
    ('algorithm', 'algorithm', 'folds', None)
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    text = re.sub(r"[^a-z0-9]+", "_", text).strip("_")
    short = re.sub(r"_(name|id|idx|no|number|index|label)$", "", text)
    return _NAMED.get(text) or _NAMED.get(short)


def _is_cost(name: str) -> bool:
    words = set(re.split(r"[^a-z0-9]+", name.lower()))
    return bool(words & (_COSTS - {"loss", "error"}) or words & {"params", "flops", "complexity"})


def range_words(values: Collection[float]) -> str:
    """Say between which values a measure lies."""
    present = np.asarray(values, dtype=float)
    present = present[~np.isnan(present)]
    if not present.size:
        return "no values"
    ends = (statistic_number_text(float(end)) for end in (present.min(), present.max()))
    return " to ".join(dict.fromkeys(ends))
