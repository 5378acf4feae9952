"""What to write in a paper about the method used, and whom to cite for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from bayescompare._version import __version__
from bayescompare.methods.priors import prior_options
from bayescompare.methods.words import many
from bayescompare.report.page import Section
from bayescompare.text.numbers import count, plural

if TYPE_CHECKING:
    from bayescompare.methods.base import Answer, Method
    from bayescompare.results import Results

__all__ = ["bibtex", "citation_keys", "method_section", "method_text"]

#: Method → keys of references.bib, its own paper first.
_KEYS = {
    "glrt": ["decampos2016joint", "benavoli2015joint"],
    "dirichlet": ["decampos2016joint", "benavoli2015joint"],
    "network": ["benavoli2015joint", "decampos2016joint", "heckerman1995learning"],
    "poisson-binomial": ["lacoste2012bayesian"],
    "hierarchical": ["gelman2013bda", "lacoste2012bayesian"],
    "correlated-t": ["corani2015bayesian", "lacoste2012bayesian"],
    "gsd": ["jansen2022gsd"],
    "gsd-bootstrap": ["jansen2022gsd", "rubin1981bootstrap"],
    "sign": ["demsar2006statistical"],
    "wilcoxon": ["wilcoxon1945individual", "demsar2006statistical"],
    "friedman": ["demsar2006statistical"],
    "all-test": ["jansen2022gsd"],
    "one-test": ["jansen2022gsd"],
}


def citation_keys(method: Method, *, pairs: bool = False) -> list[str]:
    """Keys of what a report of this method cites.

    Examples
    --------
    >>> from bayescompare import methods
    >>> citation_keys(methods.get("gsd")(), pairs=True)
    ['jansen2022gsd', 'holm1979simple']
    """
    keys = list(_KEYS.get(method.name, ()))
    if pairs:
        keys.append("muller2004optimal" if method.kind == "bayesian" else "holm1979simple")
    return [*keys, "pymc2023"] if method.samples else keys


def bibtex(keys: list[str]) -> str:
    """Return the BibTeX entries, and this package's own.

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
    entries = _entries()
    return "\n\n".join([*(entries[key] for key in keys), own])


def cited(key: str) -> str:
    """Name a reference as a sentence does: "Benavoli and de Campos (2015)".

    Examples
    --------
    >>> cited("jansen2022gsd"), cited("wilcoxon1945individual")
    ('Jansen et al. (2022)', 'Wilcoxon (1945)')
    """
    entry = _entries()[key]
    (authors,) = re.findall(r"author\s*=\s*\{(.*)\},?\n", entry)
    (year,) = re.findall(r"year\s*=\s*\{(\d+)\}", entry)
    plain = authors.replace("\\v{s}", "š").replace("\\c{c}", "ç").replace('\\"{u}', "ü")
    names = [name.split(",")[0].strip("{} ") for name in plain.split(" and ")]
    joined = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{joined} ({year})"


def aside(key: str) -> str:
    """Name a reference as a bracket does: "Jansen et al. 2022"."""
    return cited(key).replace("(", "").replace(")", "")


def method_section(
    method: Method,
    results: Results,
    answer: Answer | None,
    *,
    fdr: float | None = None,
    reference: str | None = None,
    fewest: int | None = None,
) -> Section:
    """The methods text and its citations, to copy; of all pairs where there is an error rate."""
    keys = citation_keys(method, pairs=fdr is not None)
    words = [method_text(method, results, answer)]
    if fewest is not None and fewest < len(results.datasets):
        words.append(f"Pairs with missing cells were compared on as few as {fewest} datasets.")
    if fdr is not None:
        words.append(_over_pairs(method, fdr, reference))
    return Section("Method", words=words, code={"BibTeX": bibtex(keys)})


def method_text(method: Method, results: Results, answer: Answer | None) -> str:
    """Return a paragraph for the methods section of a paper."""
    who = (
        f"{many(results.algorithms)} were compared"
        if len(results.algorithms) <= 4
        else f"{len(results.algorithms)} algorithms were compared"
    )
    where = f"on {many(results.measures)} over {plural(len(results.datasets), 'dataset')}"
    told = _TEXTS.get(method.name, _model)
    said = told(method, answer)
    if method.name in _KEYS:
        key = _KEYS[method.name][0]
        # Not by format(): an option may have braces in it.
        said = said.replace("{cited}", cited(key)).replace("{aside}", aside(key))
    return f"{who} {where} {said} {_ropes(results)}".strip()


def _entries() -> dict[str, str]:
    text = files("bayescompare.report").joinpath("references.bib").read_text("utf-8")
    entries = re.findall(r"^(@\w+\{([^,]+),.*?\n\})", text, flags=re.DOTALL | re.MULTILINE)
    return {key: entry for entry, key in entries}


def _ropes(results: Results) -> str:
    ropes = [f"{n} {results[n].rope:g}" for n in results.measures if results[n].rope is not None]
    return f"Differences within a rope count as equivalence ({many(ropes)})." if ropes else ""


def _over_pairs(method: Method, fdr: float, reference: str | None) -> str:
    pairs = "all pairs" if reference is None else f"the pairs with {reference}"
    if method.kind == "bayesian":
        return (
            f"Over {pairs}, statements were asserted in the order of their probability P while "
            f"the mean of 1 − P, the expected share of false ones, was at most {fdr:g} "
            f"({aside('muller2004optimal')}), and P above one half."
        )
    return (
        f"Over {pairs} p-values were corrected by Holm's method at level {fdr:g} "
        f"({aside('holm1979simple')})."
    )


# one text for each method -------------------------------------------------------------------------


def _dirichlet(method: Any, answer: Answer | None) -> str:
    size = "" if answer is None else f" (of which there are {count(answer.size)})"
    reported = "the posterior probability that a statement's θ is the largest"
    if method.prior == "imprecise":
        reported += ", and its lower and upper bounds over all prior means"
    return (
        "by the multinomial-Dirichlet test of {cited}: every dataset supports one joint statement "
        f"about who is better on each measure{size}; their probabilities θ have a "
        f"{_dirichlet_prior(method)}. Reported is {reported}, computed {_how(method)}."
    )


def _dirichlet_prior(method: Any) -> str:
    given = prior_options(method.priors)
    if given:
        told = ", ".join(f"{name} {value}" for name, value in given.items())
        return f"prior given by the user ({told})"
    if method.prior in ("symmetric", "imprecise"):
        return f"Dirichlet prior (symmetric, strength s = {method.strength:g})"
    if isinstance(method.prior, Mapping):
        return "Dirichlet prior with parameters given for single statements"
    parameter = {"jeffreys": "α = 1/2, Jeffreys'", "uniform": "α = 1, uniform"}
    return f"Dirichlet prior ({parameter.get(str(method.prior), f'α = {method.prior}')})"


def _how(method: Any) -> str:
    return "by NUTS in PyMC" if method.samples else "by one-dimensional quadrature, exactly"


def _network(method: Any, answer: Answer | None) -> str:
    ess = f"equivalent sample size {method.ess:g}"
    if method.priors:
        told = ", ".join(f"{k} {v}" for k, v in (prior_options(method.priors) or {}).items())
        ess = f"prior given by the user: {told}"
    search = f"{method.search} search" if isinstance(method.search, str) else "given"
    graph = "of the graph with the best score"
    if method.average:
        graph = "averaged over all graphs within the limit on parents"
    elif not isinstance(method.search, str):
        graph = "of a graph given by the user"
    return (
        "by the test of {cited} with the joint distribution factored by a Bayesian network over "
        f"the measures, {graph} (BDeu score, {ess}, {search}). Reported is the posterior "
        "probability that a joint statement is the most probable one."
    )


def _glrt(method: Any, answer: Answer | None) -> str:
    return (
        "by the generalised likelihood-ratio test of {cited}: the hypothesis that the two most "
        "frequent joint statements are equally probable."
    )


def _poisson_binomial(method: Any, answer: Answer | None) -> str:
    model = "jointly with the share of datasets" if method.joint else "dataset by dataset"
    sampled = ", sampled by NUTS under a prior given by the user" if method.samples else ""
    return (
        "by the Poisson binomial test of {cited}: from the counts of examples that only one of the "
        f"two gets wrong, {model}{sampled}. Reported is the posterior probability that one is "
        "better on most datasets of the context."
    )


def _hierarchical(method: Any, answer: Answer | None) -> str:
    sampled = ", sampled by NUTS under a prior given by the user" if method.samples else ""
    return (
        "by a hierarchical Beta model of the counts of examples that only one of the two gets "
        f"wrong (after {{aside}}), in which datasets learn from each other{sampled}. Reported is "
        "the posterior probability that one is better on most datasets of the context."
    )


def _correlated_t(method: Any, answer: Answer | None) -> str:
    rho = "ρ is one over the number of folds"
    if answer is not None:
        seen = sorted(set(answer.details["per_dataset"]["rho"]))
        rho = f"ρ = {seen[0]:.3g}" + (f" to {seen[-1]:.3g}" if len(seen) > 1 else "")
    outcome = "one is better on most datasets"
    if answer is not None and len(answer.labels) == 3:
        outcome = "an outcome (one better, the other better, equivalent) is the most frequent one"
    joint = " (joint model)" if getattr(method, "joint", False) else ""
    return (
        "by the Bayesian correlated t-test on each dataset's replicates, of which every two have "
        f"the correlation {rho}, and the Poisson binomial over datasets{joint} ({{aside}}). "
        f"Reported is the posterior probability that {outcome}."
    )


def _gsd(method: Any, answer: Answer | None) -> str:
    told = (
        "by generalised stochastic dominance ({aside}), which asks whether every utility in "
        f"keeping with the measures' scales prefers one, at δ = {method.delta:g}"
    )
    if answer is not None and answer.pvalue is None:
        return f"{told}. The order is that of these data; it was not tested."
    test = f"{method.scheme}, {_resamples(method, answer)}"
    sides = "two-sided" if method.sides == 2 else "one-sided, in a direction named beforehand"
    return f"{told}; the p-value is that of a permutation test ({sides}; {test})."


def _resamples(method: Any, answer: Answer | None) -> str:
    """How many labellings were tried, which need not be how many were asked for."""
    if answer is None:
        return f"at most {method.permutations} resamples"
    tried = max(answer.details["resamples"])
    if answer.details.get("enumerated"):
        return f"all {tried} swaps of labels"
    stopped = ", stopped early" if tried < method.permutations else ""
    return f"{tried} resamples{stopped}"


def _gsd_bootstrap(method: Any, answer: Answer | None) -> str:
    return (
        "by generalised stochastic dominance ({aside}) under the Bayesian bootstrap over datasets, "
        f"at δ = {method.delta:g}. Reported is the posterior probability of dominance."
    )


def _classic(name: str) -> Callable[[Any, Answer | None], str]:
    return lambda method, answer: f"by {name} ({{aside}})."


def _model(method: Any, answer: Answer | None) -> str:
    named = "a generative model of their own"
    if answer is not None and "model" in answer.details:
        named = f"the generative model {answer.details['model']}"
    return f"by {named}, sampled by NUTS in PyMC."


_TEXTS: dict[str, Callable[[Any, Answer | None], str]] = {
    "dirichlet": _dirichlet,
    "network": _network,
    "glrt": _glrt,
    "poisson-binomial": _poisson_binomial,
    "hierarchical": _hierarchical,
    "correlated-t": _correlated_t,
    "gsd": _gsd,
    "gsd-bootstrap": _gsd_bootstrap,
    "sign": _classic("the sign test, two-sided"),
    "wilcoxon": _classic("Wilcoxon's signed-rank test, two-sided"),
    "friedman": _classic("the Friedman test and Nemenyi's test of pairs"),
    "all-test": _classic("the rule that one must be significantly better on every measure"),
    "one-test": _classic("the rule that one must be significantly better on some measure"),
}
