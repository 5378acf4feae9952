"""`compare()`, the door: what the user gives is checked here, once, missing cells among it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from bayescompare._checks import check_draws, check_jobs, check_word
from bayescompare._errors import BayescompareError, TooFewDatasets
from bayescompare._rng import Rng, as_rng
from bayescompare.outcome import registry
from bayescompare.outcome.comparison import Comparison, comparison_of
from bayescompare.outcome.method import Method, Sampling, is_built_in_method
from bayescompare.outcome.nuts import announced_nuts
from bayescompare.outcome.outside import check_class
from bayescompare.table.cells import (
    MISSING,
    Missing,
    Reading,
    refuse_values_without_means,
    seen_despite_gaps,
)
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.given import FrameOptions, Measures, given_table
from bayescompare.table.results import Results
from bayescompare.table.words import cell_words
from bayescompare.text.names import first_words
from bayescompare.text.numbers import count, plural, setting_number_text
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


def compare(
    results: Any,
    *,
    method: str | os.PathLike[str] | Method | type[Method] | Callable[..., Any] = "dirichlet",
    algorithms: Sequence[str] | None = None,
    measures: Measures | None = None,
    missing: Missing = "raise",
    rng: Rng = None,
    sampler: Mapping[str, Any] | None = None,
    n_jobs: int = 1,
    progress: bool = False,
    **frame: Unpack[FrameOptions],
) -> Comparison:
    """Ask one question of a table of results.

    Two algorithms: which is better, jointly over the measures. More: which ordering of all of
    them is the most probable; for every pair by itself see `pairwise`.

    Parameters
    ----------
    results : Results, frame, or arrays
        A frame of pandas or polars, long or wide, is read as `Results.from_frame` does. Arrays,
        one for each algorithm (``{"svm": [...], "forest": [...]}``, or two alone), have one
        number per dataset, or a row of replicates.
    method : str, Method or callable
        A name from ``bc.registry.names()``, a method object with its choices, a model file
        (``"mine.py"``), a bundled model's bare name, or a function that builds a model.
    algorithms, measures : sequence of str, optional
        What to compare, in this order; all by default. Missing cells elsewhere do not matter. For
        a frame or arrays `measures` is needed, with directions: ``{"accuracy": "max"}``.
    missing : {"raise", "drop", "ignore", "worst", "bounds"}
        What to do about missing cells: refuse them, or drop every dataset that has one. Or keep
        these datasets: ``"ignore"`` counts them by what was seen there (missing at random);
        ``"worst"`` takes a missing cell for a failed run, which loses to any value;
        ``"bounds"`` adds the least and the largest P over all values that could have been there.
        A failed fold is not a missing cell: replicates count where every algorithm asked about
        has them, and a cell is missing where none does.
    rng : None, int or Generator
        Seeds the sampling where the method needs any; None is the seed 0, so that the same
        question has the same answer.
    sampler : mapping, optional
        Options for `pymc.sample` where the method needs it, e.g. ``{"draws": 2000}``.
    n_jobs : int
        For joblib, where one answer can be shared out: the resamples of ``"gsd"``. The answer is
        the same for any.
    progress : bool
        Show a progress bar on standard error while these are computed. Where NUTS samples, a line
        there says so, and what is quicker; a terminal gets a bar in any case. With
        ``sampler={"progressbar": False}`` there is neither.
    **frame
        For a frame, the options of `Results.from_frame`: ``dataset="task"``.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("pnn"))
    >>> c.best
    'New>State of art|New>State of art'
    >>> bc.compare({"A": [0.9, 0.8, 0.7], "B": [0.8, 0.7, 0.5]}, measures={"auc": "max"}).best
    'A>B'
    """
    test = method_of(method)
    table, names = given_table(results, measures, algorithms, frame)
    asked = prepared(checked_table(table, test, names), test, algorithms, missing)
    test = test.for_table(asked)
    generator, seed = as_rng(rng, default=0)
    check_jobs(n_jobs)
    options = checked_sampler(sampler)
    with announced_nuts(test, asked, options, progress=progress) as options:
        sampling = Sampling(generator, seed=seed, options=options, n_jobs=n_jobs, progress=progress)
        return comparison_of(asked, test, test.answer(asked, sampling))


def checked_sampler(sampler: object) -> dict[str, Any]:
    """Check the options for `pymc.sample`."""
    if sampler is None:
        return {}
    if not isinstance(sampler, Mapping):
        raise BayescompareError(
            f"sampler={sampler!r}: give a mapping of options for pymc.sample, as {{'draws': 2000}}."
        )
    options = dict(sampler)
    check_draws(draws=options.get("draws", 1), chains=options.get("chains", 1))
    if "random_seed" in options:
        raise BayescompareError("sampler['random_seed']: pass the seed as rng= instead.")
    return options


def method_of(method: object) -> Method:
    """Accept a method by name, as a class or as an object, or a model."""
    if isinstance(method, (str, os.PathLike)) and _names_model(os.fspath(method)):
        return _model_file(os.fspath(method))
    if callable(method) and not isinstance(method, (type, Method)):
        return _model_file(method)
    given = registry.get(method) if isinstance(method, str) else method
    kind = given if isinstance(given, type) else type(given)
    if issubclass(kind, Method):
        if not is_built_in_method(kind):
            check_class(kind)
        return given if isinstance(given, Method) else kind()
    if kind.__module__.startswith("pymc."):
        raise BayescompareError(
            "method is a PyMC model: give a function that returns it, method=lambda results: model."
        )
    raise BayescompareError(
        f"method={method!r}: give a name ({', '.join(registry.names())}) or an object such as "
        "bc.methods.Dirichlet(prior='jeffreys')."
    )


def _names_model(text: str) -> bool:
    """Whether this is a model file, or a bundled model's bare name."""
    from bayescompare._model_files import bundled

    return text.endswith(".py") or (text not in registry.names() and text in bundled())


def _model_file(source: str | Callable[..., Any]) -> Method:
    # A method by name loads its own family only, so this one is loaded when it is asked for.
    from bayescompare.methods.model_file import ModelFile

    return ModelFile(source)


def checked_table(
    results: Results, method: Method, measures: Sequence[str] | None = None
) -> Results:
    """Check the whole table once, at the door, and select the measures asked about."""
    results = results.sel(measures=measures)
    if method.scope.measure and len(results.measures) > 1:
        raise BayescompareError(
            f"method {method.name!r} is about one measure, and there are {len(results.measures)}: "
            f"choose one, as in measures=[{results.measures[0]!r}]; for a joint answer use "
            "'dirichlet' or 'network', whose pairs have separate(test='wilcoxon') and "
            "separate(test='sign')."
        )
    if method.accepts.judges == "counts":
        if not isinstance(results, ErrorCounts):
            raise BayescompareError(
                f"method {method.name!r} needs counts of paired errors, not a table of measures: "
                "make them by bc.ErrorCounts.from_frame(...) or .from_predictions(...). Replicated "
                "results (folds, seeds) go to method='correlated-t'."
            )
    elif not results.has_statistics:  # equal means of items do not make a constant measure
        _refuse_constant(results)
    return results


def prepared(
    results: Results,
    method: Method,
    algorithms: Sequence[str] | None,
    missing: Missing,
) -> Results:
    """Select the algorithms asked about and settle missing cells, in the form that is judged."""
    check_word("missing", missing, MISSING)
    results = results.sel(algorithms=algorithms)
    judges = method.accepts.judges
    if judges == "replicates" or (judges == "either" and (results.n_replicates or 1) > 1):
        results = _replicated(results, method)
        if missing == "raise" or missing == "drop":
            results = results.paired(missing=missing)
        else:
            results = read_gaps(results, method, missing).paired()
    elif missing == "raise" or missing == "drop":
        results = results.average().complete(missing=missing)
    else:
        results = read_gaps(results.average(), method, missing)
    results = check_facts(results, method)
    if len(results.algorithms) < 2:
        raise BayescompareError(
            f"algorithms={list(results.algorithms)}: a comparison needs at least two."
        )
    if len(results.algorithms) < method.scope.algorithms:
        raise BayescompareError(
            f"method {method.name!r} is one question about {method.scope.algorithms} or more "
            "algorithms together, which compare() asks; for two use 'wilcoxon' or 'sign'."
        )
    if method.scope.pair and len(results.algorithms) > 2:
        raise BayescompareError(
            f"method {method.name!r} compares two algorithms, and there are "
            f"{len(results.algorithms)}: name two by algorithms=[...], or ask pairwise()."
        )
    if len(results.datasets) < method.scope.datasets:
        raise TooFewDatasets(
            f"only one dataset ({results.datasets[0]!r}): a comparison needs at least two, since "
            "nothing says how datasets vary.",
            left=1,
        )
    return results


def _replicated(results: Results, method: Method) -> Results:
    """Refuse what a method for replicates cannot judge: single values, or items of a kind."""
    items = method.accepts.items
    if results.item_data is not None and results.has_statistics:
        if not items:
            raise BayescompareError(
                f"method {method.name!r} needs every item, and these results keep their statistics "
                "only: use method='replicated', or read the table with keep_items=True."
            )
        return results
    if results.item_data is not None and not items and method.accepts.judges == "replicates":
        raise BayescompareError(
            f"method {method.name!r} takes items as independent, and these come in clusters: use "
            "method='replicated', or read the table without cluster=."
        )
    if results.n_replicates is None or results.n_replicates < 2:
        seen = "no replicates" if results.n_replicates is None else "one replicate"
        raise BayescompareError(
            f"method {method.name!r} needs replicates (folds, seeds) of every cell, and these "
            f"results have {seen}: name their column by replicate=, or use 'wilcoxon', "
            "'dirichlet' or another method for single values."
        )
    refuse_values_without_means(results, largest=1e150)  # these methods square them
    return results


def _refuse_constant(results: Results) -> None:
    """A measure that is the same everywhere cannot order anything; with a rope it may."""
    for name in results.measures:
        values = results.data.variables[name].values  # `data[name]` looks at every measure
        present = values[np.isfinite(values)]
        if results[name].rope is None and present.size > 1 and present.min() == present.max():
            raise BayescompareError(
                f"measure {name!r} is {setting_number_text(present[0])} in every cell: a "
                "constant measure "
                "orders nothing; leave it out by measures=[...]."
            )


# missing cells, weights and domains ---------------------------------------------------------------


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
