"""Domains and weights of datasets: which method uses them, and what is wrong with them."""

from __future__ import annotations

from collections import Counter

from bayescompare._errors import BayescompareError
from bayescompare.comparison import registry
from bayescompare.comparison.method import Method
from bayescompare.table.results import Results
from bayescompare.text.numbers import count, plural
from bayescompare.text.phrases import join_names

__all__ = ["check_facts"]

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
    if not method.accepts.domains:
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
