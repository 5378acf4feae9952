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

#: Domains below which little is known of how domains vary.
_FEW = 4


def read_gaps(results: Results, method: Method, missing: Reading) -> Results:
    """Mark how missing cells are to be read, with a note; refuse a method that cannot.

    Without missing cells the results stay as they are. Datasets on which nothing can be compared
    are left out, except where a missing cell is itself a result.
    """
    absent = results.absent()
    if not absent.any():
        return results
    if missing not in method.accepts.missing:
        raise BayescompareError(_refusal(results, method, missing))
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
    note = _note(results, missing)
    if missing == "ignore" and not some.all():
        names = np.array(results.datasets)
        gone = join_names(names[~some].tolist(), most=4)
        note = f"{note}; nothing could be compared on {gone}, left out"
        results = results.sel(datasets=names[some].tolist())
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
    return results._with(gaps="worst", notes=(*results.notes, _note(results, "worst")))


def _note(results: Results, missing: Reading) -> str:
    absent = results.absent()
    there = seen_despite_gaps(absent)
    cells = f"{count(int(absent.sum()))} of {plural(absent.size, 'cell')}"
    datasets = plural(int(absent.any(axis=(1, 2)).sum()), "dataset")
    are = "is" if absent.sum() == 1 else "are"
    seen = f"{count(int(there.sum()))} of {count(there.size)} (dataset, measure) pairs seen"
    return f"{cells} {are} missing, on {datasets} ({seen}): {_NOTES[missing]}"


def _refusal(results: Results, method: Method, missing: Reading) -> str:
    cells = results._listed(np.asarray(results.absent())).to_dict("records")
    able = [name for name in registry.names() if missing in registry.get(name).accepts.missing]
    others = " or ".join(repr(way) for way in ("drop", *sorted(method.accepts.missing)))
    return (
        f"missing={missing!r}: method {method.name!r} cannot read missing cells so, and "
        f"{plural(len(cells), 'cell')} {'is' if len(cells) == 1 else 'are'} missing "
        f"({first_words([cell_words(cell) for cell in cells], 3)}): use missing={others}, or a "
        f"method that can ({', '.join(able)})."
    )


def check_facts(results: Results, method: Method) -> Results:
    """Refuse weights and domains that a method cannot use, and note what is doubtful."""
    if results.weights is not None and len(set(results.weights)) == 1:
        results = results._with(weight_of=None)
    if results.weights is not None and not (method.accepts.domains or method.accepts.weights):
        raise BayescompareError(
            f"weight=: method {method.name!r} counts every dataset the same; use {_users()}, or "
            "make the table without weight=."
        )
    if results.groups is not None and not method.accepts.domains:
        note = f"the domains (group=) are not used by method {method.name!r}; {_users()} uses them"
        results = results._with(group_of=None, notes=(*results.notes, note))
    if results.groups is not None:
        results = results._with(notes=(*results.notes, *_domain_notes(results.groups)))
    given = {"weight=": results.weights, "group=": results.groups}
    used = [name for name, facts in given.items() if facts is not None]
    if used and results.gaps in ("ignore", "bounds"):
        raise BayescompareError(
            f"missing={results.gaps!r}: with {' and '.join(used)} every dataset must be complete; "
            "use missing='drop' or 'worst'."
        )
    return results


def _users() -> str:
    """Name the methods that use domains; it loads all of them."""
    able = [name for name in registry.names() if registry.get(name).accepts.domains]
    return " or ".join(f"method={name!r}" for name in able)


def _domain_notes(groups: tuple[str, ...]) -> list[str]:
    """Say what little is known of domains; refuse a grouping that is none."""
    sizes, notes = Counter(groups), []
    if len(sizes) == 1:
        raise BayescompareError(
            f"group=: all datasets are of the domain {groups[0]!r}, and one domain cannot show how "
            "domains vary: make the table without group=."
        )
    if max(sizes.values()) == 1:
        raise BayescompareError(
            f"group=: each of the {len(sizes)} datasets is a domain by itself, which is no "
            "grouping: make the table without group=, or use broader domains."
        )
    if len(sizes) < _FEW:
        notes.append(
            f"there are only {count(len(sizes))} domains, from which little is learned about how "
            "domains vary: what is said of a new domain rests mostly on the prior of κ"
        )
    single = [name for name, size in sizes.items() if size == 1]
    if single:
        has, them = ("has", "it") if len(single) == 1 else ("have", "them")
        notes.append(
            f"{plural(len(single), 'domain')} {has} one dataset ({join_names(single, most=4)}): "
            f"what is said of {them} rests mostly on the others"
        )
    return notes
