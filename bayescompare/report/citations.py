"""The methods paragraph for a paper, and the references to cite."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from bayescompare._version import __version__
from bayescompare.comparison.gaps import GAPS_TEXT
from bayescompare.comparison.rule import Rule
from bayescompare.methods._shared.learned_prior import Learned, LearnedPrior
from bayescompare.report.page import PageSection
from bayescompare.table.cells import Reading
from bayescompare.text.numbers import plural, setting_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.comparison.answer import Answer
    from bayescompare.comparison.method import Method
    from bayescompare.table.results import Results

__all__ = ["bibtex", "citation_keys", "report_method_section", "report_method_text"]


def citation_keys(method: Method, *, rule: Rule | None = None) -> list[str]:
    """Return the keys of a report's references; `rule` is that of a report on all pairs.

    Examples
    --------
    >>> from bayescompare import methods
    >>> from bayescompare.comparison.rule import Rule
    >>> citation_keys(methods.get("gsd")(), rule=Rule())
    ['jansen2022gsd', 'holm1979simple']
    """
    keys = list(method.citations)
    if rule is not None and method.kind != "bayesian":
        keys.append("holm1979simple")
    elif rule is not None and rule.fdr is not None:
        keys.append("muller2004optimal")
    return [*keys, "pymc2023"] if method.needs_mcmc else keys


def bibtex(keys: list[str]) -> str:
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
    return "\n\n".join([*(_report_citation_entry(key) for key in keys), own])


def cited_reference(key: str) -> str:
    """Name a reference for use in a sentence: "Benavoli and de Campos (2015)".

    Examples
    --------
    >>> cited_reference("jansen2022gsd"), cited_reference("wilcoxon1945individual")
    ('Jansen et al. (2022)', 'Wilcoxon (1945)')
    """
    entry = _report_citation_entry(key)
    (authors,) = re.findall(r"author\s*=\s*\{(.*)\},?\n", entry)
    (year,) = re.findall(r"year\s*=\s*\{(\d+)\}", entry)
    plain = authors.replace("\\v{s}", "š").replace("\\c{c}", "ç").replace('\\"{u}', "ü")
    names = [name.split(",")[0].strip("{} ") for name in plain.split(" and ")]
    joined = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{joined} ({year})"


def citation_aside(key: str) -> str:
    """Name a reference for use in brackets: "Jansen et al. 2022"."""
    return cited_reference(key).replace("(", "").replace(")", "")


def report_method_section(
    method: Method,
    results: Results,
    answer: Answer | None,
    *,
    rule: Rule | None = None,
    learned: Learned | LearnedPrior | None = None,
    reference: str | None = None,
    fewest: int | None = None,
    gaps: Reading | None = None,
) -> PageSection:
    """Return the methods text and its citations; `rule` is that of a report on all pairs."""
    keys = citation_keys(method, rule=rule)
    words = [report_method_text(method, results, answer)]
    if fewest is not None and fewest < len(results.datasets):
        words.append(f"Pairs with missing cells were compared on as few as {fewest} datasets.")
    if gaps is not None:
        words.append(GAPS_TEXT[gaps])
    if learned is not None:
        words.append(method.learned_text(learned.pairs))
    if rule is not None:
        words.append(_report_paragraph_over_pairs(method, rule, learned, reference))
    return PageSection("Method", words=words, code={"BibTeX": bibtex(keys)})


def report_method_text(method: Method, results: Results, answer: Answer | None) -> str:
    """Return a paragraph for the methods section of a paper."""
    who = (
        f"{join_names(results.algorithms)} were compared"
        if len(results.algorithms) <= 4
        else f"{len(results.algorithms)} algorithms were compared"
    )
    where = f"on {join_names(results.measures)} over {plural(len(results.datasets), 'dataset')}"
    paragraph = method.methods_text(answer)
    if method.citations:
        key = method.citations[0]
        # str.format() would fail on options that contain braces.
        paragraph = paragraph.replace("{cited}", cited_reference(key)).replace(
            "{aside}", citation_aside(key)
        )
    if results.weights is not None:
        paragraph += (
            " The likelihood of each dataset was raised to the power of its weight, the weights "
            "scaled to sum to the effective number of datasets."
        )
    return f"{who} {where} {paragraph} {_report_paragraph_on_ropes(results)}".strip()


def _report_citation_entry(key: str) -> str:
    """Return a BibTeX entry: a method declares one in full, or the key of a bundled one."""
    return key if key.startswith("@") else _report_citation_entries()[key]


def _report_citation_entries() -> dict[str, str]:
    text = files("bayescompare.report").joinpath("references.bib").read_text("utf-8")
    entries = re.findall(r"^(@\w+\{([^,]+),.*?\n\})", text, flags=re.DOTALL | re.MULTILINE)
    return {key: entry for entry, key in entries}


def _report_paragraph_on_ropes(results: Results) -> str:
    declared = {name: results[name].rope for name in results.measures}
    ropes = [
        f"{name} {setting_number_text(rope)}" for name, rope in declared.items() if rope is not None
    ]
    return f"Differences within a rope count as equivalence ({join_names(ropes)})." if ropes else ""


def _report_paragraph_over_pairs(
    method: Method,
    rule: Rule,
    learned: Learned | LearnedPrior | None,
    reference: str | None,
) -> str:
    pairs = "all pairs" if reference is None else f"the pairs with {reference}"
    if method.kind != "bayesian":
        return (
            f"Over {pairs} p-values were corrected by Holm's method at level "
            f"{setting_number_text(rule.alpha)} ({citation_aside('holm1979simple')})."
        )
    if rule.level is not None:
        both = (
            ""
            if learned is None
            else ", under the learned prior and under the pair's own symmetric prior"
        )
        return (
            f"Over {pairs}, a pair got a verdict where its best statement had a probability P of "
            f"at least {setting_number_text(rule.level)}{both}."
        )
    return (
        f"Over {pairs}, pairs got a verdict in the order of the probability P of their best "
        "statement while the mean of 1 − P, the expected share of false ones if the prior is "
        f"right, was at most {setting_number_text(rule.alpha)} "
        f"({citation_aside('muller2004optimal')}), and P at least "
        f"{setting_number_text(rule.floor)}."
    )
