"""All pairs read back from JSON. Loading runs no code, and impossible figures are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayescompare._checks import check_path, show_checked_value_briefly
from bayescompare._errors import BayescompareError, error_in_one_line
from bayescompare.comparison.checks import naming_comparison_part, read_comparison_count
from bayescompare.comparison.loading import (
    check_loaded_version,
    load_comparison_document,
    load_comparison_results,
    method_of_loaded_comparison,
    read_saved_json,
)
from bayescompare.comparison.pairwise import Pairwise
from bayescompare.comparison.pairwise_files import PAIRWISE_SCHEMA, PAIRWISE_VERSION
from bayescompare.table.input import check_is_regular
from bayescompare.table.results import Results

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison

__all__ = ["load_pairwise"]


def load_pairwise(path: str | Path, *, max_bytes: int | None = None) -> Pairwise:
    """Read what `Pairwise.to_json` wrote.

    Everything but sampled posteriors is read back; verdicts are made again, by any rule.

    Parameters
    ----------
    path : path
    max_bytes : int, optional
        The largest file that is read: by default 512 MiB.

    Examples
    --------
    >>> import tempfile, pathlib, bayescompare as bc
    >>> p = bc.pairwise(bc.load_example("jansen-uci"), algorithms=["GBM", "CART", "RF"], n_jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "p.json"
    ...     text = p.to_json(file)
    ...     again = bc.load_pairwise(file)
    >>> again.headline() == p.headline()
    True
    """
    source = check_path(path)
    try:
        check_is_regular(source)
        return _pairwise_of_document(read_saved_json(source, max_bytes))
    except BayescompareError as error:
        raise BayescompareError(f"{source}: {error}") from None
    except Exception as error:  # whatever a parser makes of bytes that are nothing of ours
        raise BayescompareError(
            f"{source} is not a pairwise comparison that bayescompare wrote "
            f"({error_in_one_line(error)})."
        ) from None


def _pairwise_of_document(document: Any) -> Pairwise:
    if not isinstance(document, Mapping) or document.get("schema") != PAIRWISE_SCHEMA:
        raise BayescompareError("this is not a pairwise comparison that bayescompare wrote.")
    check_loaded_version(document, PAIRWISE_VERSION)
    if "results" not in document:
        raise BayescompareError(
            "the file has no table, because an older bayescompare wrote it: compare again."
        )
    with naming_comparison_part("results"):
        results = load_comparison_results(document["results"])
    with naming_comparison_part("method"):
        method = method_of_loaded_comparison(document["method"], document["options"])
    comparisons = []
    for place, one in enumerate(document["comparisons"]):
        with naming_comparison_part(f"comparisons[{place}]"):
            c = load_comparison_document(one)
            _check_pair_of_table(c, results)
            if c.method.name != method.name:
                raise BayescompareError(f"by {c.method.name!r}, and the others by {method.name!r}.")
            comparisons.append(c)
    if not comparisons:
        raise BayescompareError("comparisons is empty.")
    with naming_comparison_part("skipped"):
        skipped = tuple(
            _read_skipped(pair, results, method.scope.datasets) for pair in document["skipped"]
        )
    reference = document["reference"]
    pairs = [*(c.results.algorithms for c in comparisons), *((a, b) for a, b, _ in skipped)]
    _check_pairs(pairs, results, reference)
    return Pairwise(results, method, tuple(comparisons), reference, skipped)


def _check_pair_of_table(c: Comparison, results: Results) -> None:
    """Refuse a comparison that is not of two algorithms of the table, on datasets of it."""
    own = c.results
    if len(own.algorithms) != 2 or not set(own.algorithms) <= set(results.algorithms):
        raise BayescompareError(
            f"{show_checked_value_briefly(list(own.algorithms))} are not two algorithms of the "
            "table."
        )
    for what, here, there in (
        ("dataset", own.datasets, results.datasets),
        ("measure", own.measures, results.measures),
    ):
        for name in here:
            if name not in there:
                raise BayescompareError(f"{what} {name!r} is not in the table.")


def _read_skipped(entry: Any, results: Results, least: int) -> tuple[str, str, int]:
    first, second, n = entry
    for name in (first, second):
        if name not in results.algorithms:
            raise BayescompareError(f"{show_checked_value_briefly(name)} is not an algorithm.")
    common = read_comparison_count("n", n)
    if common >= max(least, 2):
        raise BayescompareError(f"{first!r} and {second!r} have {common} datasets in common.")
    return first, second, common


def _check_pairs(pairs: Iterable[Sequence[str]], results: Results, reference: Any) -> None:
    """Refuse a pair that occurs twice, or is not of the reference."""
    if reference is not None and reference not in results.algorithms:
        raise BayescompareError(
            f"reference {show_checked_value_briefly(reference)} is not an algorithm of the table."
        )
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        if frozenset(pair) in seen:
            raise BayescompareError(f"{pair[0]!r} and {pair[1]!r} are compared twice.")
        if reference is not None and reference not in pair:
            raise BayescompareError(
                f"{pair[0]!r} and {pair[1]!r} are compared, but the reference is {reference!r}."
            )
        seen.add(frozenset(pair))
