"""Missing cells that stay in the table: which method can read them, and the note about them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bayescompare._errors import BayescompareError, TooFewDatasets
from bayescompare.outcome import registry
from bayescompare.outcome.method import Method
from bayescompare.table.cells import Reading, seen_despite_gaps
from bayescompare.table.results import Results
from bayescompare.table.words import cell_words
from bayescompare.text.names import first_words
from bayescompare.text.numbers import count, plural
from bayescompare.text.phrases import join_names

#: What each reading does with a missing cell, after "… are missing".
_NOTES: dict[Reading, str] = {
    "ignore": (
        "a dataset with a gap counts by what was seen there, as if the cell had gone missing at "
        "random"
    ),
    "worst": "each counts as a failed run, which loses to any value; two failures tie",
    "bounds": (
        "the bounds hold whatever their values would have been, and all other figures ignore the "
        "gaps"
    ),
}


#: What a methods section says of each reading.
GAPS_TEXT: dict[Reading, str] = {
    "ignore": (
        "A dataset with missing cells entered by the sum of the probabilities of all statements "
        "that agree with the measures seen there, which takes cells to be missing at random."
    ),
    "worst": "A missing cell was taken for a failed run: it loses to any value, and two tie.",
    "bounds": (
        "For missing cells the lowest and the highest probability over all values that they could "
        "have had are given; verdicts rest on the lowest. All other figures take the cells to be "
        "missing at random."
    ),
}


def read_gaps(results: Results, method: Method, missing: Reading) -> Results:
    """Mark how missing cells are to be read, with a note; refuse a method that cannot.

    Without missing cells the results stay as they are. Datasets on which nothing can be compared
    are left out, except where a missing cell is itself a result.
    """
    absent = results.absent()
    if not absent.any():
        return results
    if missing not in method.accepts.missing:
        raise BayescompareError(_refusal_of_comparison_gaps(results, method, missing))
    if missing == "worst":
        return compare_gaps_as_failed(results)
    some = seen_despite_gaps(absent).any(axis=1)
    if not some.any():
        raise TooFewDatasets(
            f"missing={missing!r}: no dataset has a value of {join_names(results.algorithms)} on "
            "the same measure, so nothing was observed; leave the pair out, or use "
            "missing='worst' if a missing cell is a failed run.",
            left=0,
        )
    if some.sum() < method.scope.datasets:
        raise TooFewDatasets(
            f"missing={missing!r}: only {plural(int(some.sum()), 'dataset')} has anything to "
            f"compare, and {method.name!r} needs {method.scope.datasets}.",
            left=int(some.sum()),
        )
    note = _note_on_comparison_gaps(results, missing)
    if missing == "ignore" and not some.all():
        gone = [name for name, there in zip(results.datasets, some, strict=True) if not there]
        kept = [name for name, there in zip(results.datasets, some, strict=True) if there]
        note = f"{note}; nothing could be compared on {join_names(gone, most=4)}, left out"
        results = results.sel(datasets=kept)
    left = results.absent().any()
    return results._with(gaps=missing if left else None, notes=(*results.notes, note))


def compare_gaps_as_failed(results: Results) -> Results:
    """Take every missing cell for a failed run, with a note.

    Examples
    --------
    >>> import bayescompare as bc
    >>> compare_gaps_as_failed(bc.load_example("pnn")).gaps is None
    True
    """
    if not results.absent().any():
        return results
    return results._with(
        gaps="worst", notes=(*results.notes, _note_on_comparison_gaps(results, "worst"))
    )


def comparison_without_gaps(results: Results) -> Results | None:
    """Return the datasets without missing cells; None where there are none.

    Where missing cells count as failed runs, none is missing.
    """
    if results.gaps in (None, "worst"):
        return results
    whole = ~results.absent().any(axis=(1, 2))
    if not whole.any():
        return None
    kept = [name for name, there in zip(results.datasets, whole, strict=True) if there]
    return results.sel(datasets=kept)._with(gaps=None)


def comparison_coverage_words(results: Results) -> str:
    """Say how many of the comparisons of a table were seen.

    Examples
    --------
    >>> import bayescompare as bc
    >>> comparison_coverage_words(bc.load_example("pnn"))
    '8 of 8 (dataset, measure) pairs seen'
    """
    there = seen_despite_gaps(results.absent())
    return f"{count(int(there.sum()))} of {count(there.size)} (dataset, measure) pairs seen"


def _note_on_comparison_gaps(results: Results, missing: Reading) -> str:
    absent = results.absent()
    cells = f"{count(int(absent.sum()))} of {plural(absent.size, 'cell')}"
    datasets = plural(int(absent.any(axis=(1, 2)).sum()), "dataset")
    are = "is" if absent.sum() == 1 else "are"
    coverage = comparison_coverage_words(results)
    return f"{cells} {are} missing, on {datasets} ({coverage}): {_NOTES[missing]}"


def _refusal_of_comparison_gaps(results: Results, method: Method, missing: Reading) -> str:
    absent = results.absent()
    cells = results._listed(np.asarray(absent)).to_dict("records")
    able = [name for name in registry.names() if missing in registry.get(name).accepts.missing]
    others = " or ".join(repr(way) for way in ("drop", *sorted(method.accepts.missing)))
    return (
        f"missing={missing!r}: method {method.name!r} cannot read missing cells so, and "
        f"{plural(len(cells), 'cell')} {'is' if len(cells) == 1 else 'are'} missing "
        f"({first_words([cell_words(cell) for cell in cells], 3)}): use "
        f"missing={others}, or a method "
        f"that can ({', '.join(able)})."
    )


#: Domains below which little is known of how domains vary.
_FEW = 4


def check_facts(results: Results, method: Method) -> Results:
    """Refuse weights and domains that a method cannot use, and note what is doubtful."""
    if results.weights is not None:
        results = _check_dataset_fact_weights(results, method)
    if results.groups is not None:
        results = _check_dataset_fact_groups(results, method)
    used = [
        name
        for name, facts in (("weight=", results.weights), ("group=", results.groups))
        if facts is not None
    ]
    if used and results.gaps in ("ignore", "bounds"):
        raise BayescompareError(
            f"missing={results.gaps!r}: with {' and '.join(used)} every dataset must be complete; "
            "use missing='drop' or 'worst'."
        )
    return results


def _check_dataset_fact_weights(results: Results, method: Method) -> Results:
    assert results.weights is not None
    if len(set(results.weights)) == 1:
        return results._with(weight_of=None)
    if not (method.accepts.domains or method.accepts.weights):
        raise BayescompareError(
            f"weight=: method {method.name!r} counts every dataset the same; use "
            f"{_methods_using_dataset_facts()}, or make the table without weight=."
        )
    return results


def _check_dataset_fact_groups(results: Results, method: Method) -> Results:
    assert results.groups is not None
    if not method.accepts.domains:
        users = _methods_using_dataset_facts()
        note = f"the domains (group=) are not used by method {method.name!r}; {users} uses them"
        return results._with(group_of=None, notes=(*results.notes, note))
    sizes = Counter(results.groups)
    if len(sizes) == 1:
        raise BayescompareError(
            f"group=: all datasets are of the domain {results.groups[0]!r}, and one domain cannot "
            "show how domains vary: make the table without group=."
        )
    if max(sizes.values()) == 1:
        raise BayescompareError(
            f"group=: each of the {len(sizes)} datasets is a domain by itself, which is no "
            "grouping: make the table without group=, or use broader domains."
        )
    notes = []
    if len(sizes) < _FEW:
        notes.append(
            f"there are only {count(len(sizes))} domains, from which little is learned about how "
            "domains vary: what is said of a new domain rests mostly on the prior of κ"
        )
    single = [name for name, size in sizes.items() if size == 1]
    if single:
        notes.append(
            f"{plural(len(single), 'domain')} {'has' if len(single) == 1 else 'have'} one dataset "
            f"({join_names(single, most=4)}): what is said of "
            f"{'it' if len(single) == 1 else 'them'} rests mostly on the others"
        )
    return results._with(notes=(*results.notes, *notes))


def _methods_using_dataset_facts() -> str:
    names = [name for name in registry.names() if registry.get(name).accepts.domains]
    return " or ".join(f"method={name!r}" for name in names)
