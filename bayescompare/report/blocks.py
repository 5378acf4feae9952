"""The sections that every report has: its data, its method with what to cite, how it was made."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescompare._compare import GAPS_TEXT
from bayescompare._version import __version__
from bayescompare.learned import Learned, LearnedPrior
from bayescompare.outcome import registry
from bayescompare.outcome.method import (
    chosen_options,
    is_bayesian,
    is_built_in_method,
    is_simultaneous,
)
from bayescompare.outcome.posterior import Tested
from bayescompare.outcome.verdicts import Rule
from bayescompare.outcome.words import say
from bayescompare.report.page import MOST_PAIRS, Cell, Section, Table
from bayescompare.table.cells import Reading, cell_means, mean_over_replicates
from bayescompare.table.items import items_words
from bayescompare.text.numbers import (
    plural,
    setting_number_text,
    standard_error_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.outcome.answer import Answer
    from bayescompare.outcome.comparison import Comparison
    from bayescompare.outcome.diagnosis import Diagnosis
    from bayescompare.outcome.method import Method
    from bayescompare.table.results import Results

#: Up to so many names are listed, up to so many algorithms are named in a title.
_MOST_NAMES, _FEW_NAMES = 60, 4


def page_title(results: Results, *, against: str | None = None, few: int | None = None) -> str:
    """Return the title of a page: the algorithms, only counted beyond `few`, and the measures.

    Examples
    --------
    >>> import bayescompare as bc
    >>> page_title(bc.load_example("jansen-uci"), few=4), page_title(bc.load_example("pnn"))
    ('8 algorithms on auc, accuracy, brier', 'New and State of art on accuracy, complexity')
    """
    names = [name for name in results.algorithms if name != against]
    joined = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    if len(names) == 2:
        joined = " and ".join(names)
    if few is not None and len(results.algorithms) > few:
        joined = plural(len(names), "algorithm")
    where = ", ".join(results.measures[:6]) + (", …" if len(results.measures) > 6 else "")
    return f"{joined}{f' against {against}' if against else ''} on {where}"


def pairs_title(results: Results, *, against: str | None = None) -> str:
    """Return the title of a page on which many algorithms are only counted."""
    return page_title(results, against=against, few=_FEW_NAMES)


def diagnostics_section(diagnosis: Diagnosis, tables: Sequence[Table] = ()) -> Section:
    """Return the section that says whether the figures can be trusted."""
    verdict = diagnosis.verdict[:1].upper() + diagnosis.verdict[1:]
    return Section("Diagnostics", words=[verdict], facts=diagnosis.written(), tables=tables)


# data ---------------------------------------------------------------------------------------------


def data_section(results: Results) -> Section:
    """Return algorithms, datasets, measures, their source, and means and wins."""
    facts = {
        "algorithms": _listed(results.algorithms),
        "datasets": _listed(results.datasets),
        "source": results.source or "not given",
    }
    if results.item_data is not None and results.has_statistics:
        facts["replicates"] = items_words(results.item_data)
    if results.n_replicates is not None:
        facts["replicates"] = _replicates(results, results.n_replicates)
    if absent := int(np.isnan(cell_means(results)).sum()):
        facts["missing"] = plural(absent, "missing cell")
    if results.notes:
        facts["notes"] = "\n".join(results.notes)
    heads = ["measure", "better", "rope", "scale", "bounds", "unit"]
    measures = Table("Measures", heads, [_measure(results, name) for name in results.measures], 6)
    return Section("Data", tables=[measures, _performance(results)], facts=facts)


def _listed(names: Sequence[str]) -> str:
    """Return the names, preceded by their number."""
    rest = len(names) - _MOST_NAMES
    more = f" … and {rest} more" if rest > 0 else ""
    return f"{len(names)}: {', '.join(names[:_MOST_NAMES])}{more}"


def _replicates(results: Results, number: int) -> str:
    what = "replicate" if results.replicates == "folds" else results.replicates.removesuffix("s")
    at_most = f"at most {plural(number, what)} per cell"
    if results.item_data is not None:
        at_most += ", in clusters"
    if results.averages_alike():
        return at_most
    return (
        f"{at_most}, of which some algorithms lack some: each pair is compared on those that both "
        "have, and the means below are over those that each algorithm has"
    )


def _measure(results: Results, name: str) -> list[str]:
    measure = results[name]
    bounds = "none"
    if measure.bounds is not None:
        ends = ["" if end is None else setting_number_text(end) for end in measure.bounds]
        bounds = " … ".join(ends).strip()
    return [
        name,
        "higher" if measure.direction == "max" else "lower",
        "none" if measure.rope is None else setting_number_text(measure.rope),
        measure.scale,
        bounds,
        measure.unit or "none",
    ]


def _performance(results: Results) -> Table:
    """Return the means of the measures over the datasets, and on how many an algorithm is best.

    If cells are missing, the means are over the datasets that every algorithm has, if those are
    at least half of them, else over those that each has; a column shows their number.
    """
    values = cell_means(results)
    seen = ~np.isnan(values)
    common = np.broadcast_to(seen.all(axis=1, keepdims=True), seen.shape)
    gaps, fair = not seen.all(), bool((2 * common.sum(axis=0) >= len(values)).all())
    counted = common if fair else seen
    # On how many of the datasets that count an algorithm is best; ties are shared.
    oriented = values * [results[name].sign for name in results.measures]
    top = np.where(counted, oriented, -np.inf).max(axis=1, keepdims=True)
    best = counted & (oriented == top)
    best_on = (best / np.maximum(best.sum(axis=1, keepdims=True), 1)).sum(axis=0)
    heads = ["algorithm"]
    for name in results.measures:
        heads += [f"{name}: mean", *(["n"] if gaps else []), "best on"]
    rows: list[list[str]] = []
    for k, algorithm in enumerate(results.algorithms[:MOST_PAIRS]):
        row: list[str] = [algorithm]
        for j in range(len(results.measures)):
            own = values[counted[:, k, j], k, j]
            mean = float(mean_over_replicates(own, np.ones(1, dtype=bool)))
            row.append(Cell.of(statistic_number_text(mean), mean) if len(own) else "")
            row += [Cell.counted(len(own))] if gaps else []
            row.append(Cell.counted(float(best_on[k, j])))
        rows.append(row)
    title = "Means over the datasets, and on how many of them each is best (ties shared)"
    if gaps and fair:
        title = (
            "Means over the n datasets that every algorithm has, and on how many of them each is "
            "best (ties shared)"
        )
    elif gaps:
        title = (
            "Means over the n datasets that each algorithm has, which differ between algorithms, "
            "and on how many of them each is the best of those present (ties shared)"
        )
    return Table(title, heads, rows, more=max(0, len(results.algorithms) - MOST_PAIRS))


# method, and what to cite -------------------------------------------------------------------------


def method_section(
    method: Method,
    results: Results,
    answer: Answer | None,
    *,
    rule: Rule | None = None,
    learned: Learned | LearnedPrior | None = None,
    reference: str | None = None,
    fewest: int | None = None,
    gaps: Reading | None = None,
) -> Section:
    """Return the methods text and its citations; `rule` is that of a report on all pairs."""
    words = [method_text(method, results, answer)]
    if fewest is not None and fewest < len(results.datasets):
        words.append(say("fewestshared", k=fewest))
    if gaps is not None:
        words.append(GAPS_TEXT[gaps])
    if learned is not None:
        words.append(say("learnedprior", k=learned.pairs))
    if rule is not None:
        words.append(_over_pairs(method, rule, learned is not None, reference))
    return Section("Method", words=words, code={"BibTeX": bibtex(citation_keys(method, rule=rule))})


def method_text(method: Method, results: Results, answer: Answer | None) -> str:
    """Return a paragraph for the methods section of a paper."""
    who = f"{len(results.algorithms)} algorithms were compared"
    if len(results.algorithms) <= _FEW_NAMES:
        who = f"{join_names(results.algorithms)} were compared"
    where = f"on {join_names(results.measures)} over {plural(len(results.datasets), 'dataset')}"
    paragraph = method.methods_text(answer)
    if method.citations:
        key = method.citations[0]
        # str.format() would fail on options that contain braces.
        paragraph = paragraph.replace("{cited}", cited(key)).replace("{aside}", cited_aside(key))
    said = [f"{who} {where} {paragraph}".strip()]
    if results.weights is not None:
        said.append(say("weighted"))
    declared = {name: results[name].rope for name in results.measures}
    ropes = [f"{name} {setting_number_text(r)}" for name, r in declared.items() if r is not None]
    if ropes:
        said.append(say("roped", list=ropes))
    return " ".join(said)


def _over_pairs(method: Method, rule: Rule, learned: bool, reference: str | None) -> str:
    name = "overlevel" if rule.level is not None else "overrate"
    if not is_bayesian(method):
        name = "oversimultaneous" if is_simultaneous(method) else "overholm"
    return say(
        name,
        pairs="all pairs" if reference is None else f"the pairs with {reference}",
        alpha=setting_number_text(rule.alpha),
        level=setting_number_text(rule.threshold),
        both=say("overboth") if learned else "",
        cited=cited_aside("holm1979simple" if name == "overholm" else "muller2004optimal"),
    )


def citation_keys(method: Method, *, rule: Rule | None = None) -> list[str]:
    """Return the keys of a report's references; `rule` is that of a report on all pairs.

    Examples
    --------
    >>> from bayescompare import methods
    >>> from bayescompare.outcome.verdicts import Rule
    >>> citation_keys(methods.get("gsd")(), rule=Rule())
    ['jansen2022gsd', 'holm1979simple']
    """
    keys = list(method.citations)
    if rule is not None and not (is_bayesian(method) or is_simultaneous(method)):
        keys.append("holm1979simple")
    elif rule is not None and rule.fdr is not None:
        keys.append("muller2004optimal")
    return [*keys, "pymc2023"] if method.needs_mcmc else keys


def bibtex(keys: Iterable[str]) -> str:
    """Return the BibTeX entries, and that of this package.

    Examples
    --------
    >>> print(bibtex(["rubin1981bootstrap"]).splitlines()[0])
    @article{rubin1981bootstrap,
    """
    own = (
        "@software{bayescompare,\n"
        "  author  = {{The bayescompare developers}},\n"
        "  title   = {bayescompare: joint Bayesian comparison of algorithms},\n"
        f"  version = {{{__version__}}}\n"
        "}"
    )
    return "\n\n".join([*map(_entry, keys), own])


def cited(key: str) -> str:
    """Name a reference for use in a sentence: "Benavoli and de Campos (2015)".

    Examples
    --------
    >>> cited("jansen2022gsd"), cited("wilcoxon1945individual")
    ('Jansen et al. (2022)', 'Wilcoxon (1945)')
    """
    entry = _entry(key)
    (authors,) = re.findall(r"author\s*=\s*\{(.*)\},?\n", entry)
    (year,) = re.findall(r"year\s*=\s*\{(\d+)\}", entry)
    plain = authors.replace("\\v{s}", "š").replace("\\c{c}", "ç").replace('\\"{u}', "ü")
    names = [name.split(",")[0].strip("{} ") for name in plain.split(" and ")]
    joined = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{joined} ({year})"


def cited_aside(key: str) -> str:
    """Name a reference for use in brackets: "Jansen et al. 2022"."""
    return cited(key).replace("(", "").replace(")", "")


def _entry(key: str) -> str:
    """Return a BibTeX entry: a method declares one in full, or the key of a bundled one."""
    return key if key.startswith("@") else bibliography()[key]


def bibliography() -> dict[str, str]:
    """Return the bundled entries by their keys."""
    text = files("bayescompare.report").joinpath("references.bib").read_text("utf-8")
    entries = re.findall(r"^(@\w+\{([^,]+),.*?\n\})", text, flags=re.DOTALL | re.MULTILINE)
    return {key: entry for entry, key in entries}


# how it was made ----------------------------------------------------------------------------------


def provenance_section(
    method: Method, comparisons: Sequence[Comparison], call: str, more: Mapping[str, str]
) -> Section:
    """Return the section about the origin of the figures; `call` is the command."""
    # For pairs, the method of the first one has the learned options.
    given = comparisons[0].method.options()
    shown = {k: v for k, v in given.items() if k != "learned" and v is not None}
    sampling = ("pymc", "arviz") if method.needs_mcmc else ()
    kind = "bayesian" if is_bayesian(method) else "frequentist"
    facts = {
        "method": f"{method.name} ({kind}): {method.title}",
        **({"reference": method.phrases.reference} if method.phrases.reference else {}),
        "options": ", ".join(f"{name} = {value}" for name, value in shown.items()) or "none",
        **more,
        **_exactness(comparisons),
    }
    return made_section(comparisons[0].results, facts, call, *sampling)


def made_section(results: Results, facts: Mapping[str, str], call: str, *used: str) -> Section:
    """Return the section about the origin of the figures; `used` are packages beside the usual."""
    facts = {
        **facts,
        "versions": package_versions("numpy", "scipy", *used, "matplotlib"),
        "data": f"SHA-256 {data_hash(results)[:16]}",
    }
    return Section("How it was made", facts=facts, code={"Command": call})


def data_hash(results: Results) -> str:
    """Return a hash of a table: its names, directions and ropes, and every value.

    Examples
    --------
    >>> import bayescompare as bc
    >>> pnn = bc.load_example("pnn")
    >>> len(data_hash(pnn)), data_hash(pnn) == data_hash(pnn.sel(measures=["accuracy"]))
    (64, False)
    """
    named = results.datasets, results.algorithms, [asdict(results[m]) for m in results.measures]
    made = hashlib.sha256(repr((*named, results.measures)).encode())
    made.update(np.ascontiguousarray(cell_means(results), dtype="<f8").tobytes())
    return made.hexdigest()


def python_call(
    function: str, results: Results, options: Mapping[str, Any], *, method: Method | None = None
) -> str:
    """Write the call that reproduces a result from a table that has these measures.

    A prior that is an object is written by its description, which is the same in every run.
    """
    chosen = {"measures": list(results.measures), **options}
    lines = [f"{name}={value!r}" for name, value in chosen.items() if value is not None]
    if method is not None:
        inside = ", ".join(f"{name}={value!r}" for name, value in chosen_options(method).items())
        # A learned prior or gaps in the table make a variant, which has a class of its own.
        made = f"{type(method).__name__}({inside})"
        if is_built_in_method(type(method)):
            built_in = registry.saved_class_in_registry(method.name).__name__
            made = f"bc.methods.{built_in}({inside})"
        lines.insert(0, f"method={made}")
    arguments = ",\n    ".join(["results", *lines])
    return f"bc.{function}(\n    {arguments},\n)"


def package_versions(*used: str) -> str:
    """Return the versions of this package, of Python and of the packages used."""
    packages = ", ".join(f"{name} {version(name)}" for name in used)
    return f"bayescompare {__version__}, Python {platform.python_version()}, {packages}"


def _exactness(comparisons: Sequence[Comparison]) -> dict[str, str]:
    errors = [c.answer.mcse.max() for c in comparisons if c.answer.mcse is not None]
    sampled = any(c.answer.resampled_pvalue for c in comparisons)
    if not (errors or sampled):
        exact = "exact: the figures carry no Monte Carlo error"
        posterior = comparisons[0].posterior
        if isinstance(posterior, Tested) and posterior.approximate:
            exact = "no Monte Carlo error; the p-value is a large-sample approximation"
        return {"exactness": exact}
    seeds = {c.answer.seed for c in comparisons}
    seed = seeds.pop() if len(seeds) == 1 else None
    words = f"p-value{'s' if len(comparisons) > 1 else ''} from random resamples"
    if not sampled:
        words = (
            f"Monte Carlo: standard error of P at most {standard_error_text(float(max(errors)))}"
        )
    return {"exactness": words, "seed": "a Generator" if seed is None else str(seed)}
