"""What to write in a paper about the method used, and whom to cite for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from bayescompare._checks import is_number
from bayescompare._version import __version__
from bayescompare.comparison.rule import Rule
from bayescompare.methods._shared.learned_prior import LearnedPrior
from bayescompare.methods._shared.priors import prior_options
from bayescompare.methods.context.learned_rate import LearnsWeight
from bayescompare.report.page import Section
from bayescompare.text.numbers import count, error, plural, setting, statistic
from bayescompare.text.phrases import many

if TYPE_CHECKING:
    from bayescompare.comparison.method import Answer, Method
    from bayescompare.results.results import Results

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


def citation_keys(method: Method, *, rule: Rule | None = None) -> list[str]:
    """Keys of what a report of this method cites; of all pairs where there is a rule for them.

    Examples
    --------
    >>> from bayescompare import methods
    >>> from bayescompare.comparison.rule import Rule
    >>> citation_keys(methods.get("gsd")(), rule=Rule())
    ['jansen2022gsd', 'holm1979simple']
    """
    keys = list(_KEYS.get(method.name, ()))
    if rule is not None and method.kind != "bayesian":
        keys.append("holm1979simple")
    elif rule is not None and rule.fdr is not None:
        keys.append("muller2004optimal")
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
    rule: Rule | None = None,
    learned: LearnedPrior | None = None,
    reference: str | None = None,
    fewest: int | None = None,
) -> Section:
    """The methods text and its citations, to copy; of all pairs where there is a rule for them."""
    keys = citation_keys(method, rule=rule)
    words = [method_text(method, results, answer)]
    if fewest is not None and fewest < len(results.datasets):
        words.append(f"Pairs with missing cells were compared on as few as {fewest} datasets.")
    if learned is not None:
        words.append(_learned(method, learned))
    if rule is not None:
        words.append(_over_pairs(method, rule, learned, reference))
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
    given = {name: results[name].rope for name in results.measures}
    ropes = [f"{name} {setting(rope)}" for name, rope in given.items() if rope is not None]
    return f"Differences within a rope count as equivalence ({many(ropes)})." if ropes else ""


def _learned(method: Method, learned: LearnedPrior) -> str:
    """Say how the prior of each pair came from all of them."""
    if isinstance(method, LearnsWeight):
        return (
            f"For each pair the parameter b of its prior was learned from all {learned.pairs} "
            "pairs by empirical Bayes: it comes from one distribution over 16 values from 0.1 to "
            "1000, found by EM on the closed evidences."
        )
    return (
        f"The prior of each pair is Dirichlet(Aφ), learned from all {learned.pairs} pairs by "
        "empirical Bayes: the base φ is the pooled frequency of the statements, made symmetric "
        "under swapping the two algorithms, plus one dataset spread evenly; the strengths A of "
        "the pairs come from one distribution over 16 values from 0.1 to 1000, found by EM on "
        "the closed evidences."
    )


def _over_pairs(
    method: Method, rule: Rule, learned: LearnedPrior | None, reference: str | None
) -> str:
    pairs = "all pairs" if reference is None else f"the pairs with {reference}"
    if method.kind != "bayesian":
        return (
            f"Over {pairs} p-values were corrected by Holm's method at level "
            f"{setting(rule.alpha)} ({aside('holm1979simple')})."
        )
    if rule.level is not None:
        both = (
            ""
            if learned is None
            else ", under the learned prior and under the pair's own symmetric prior"
        )
        return (
            f"Over {pairs}, a pair got a verdict where its best statement had a probability P of "
            f"at least {setting(rule.level)}{both}."
        )
    return (
        f"Over {pairs}, pairs got a verdict in the order of the probability P of their best "
        "statement while the mean of 1 − P, the expected share of false ones if the prior is "
        f"right, was at most {setting(rule.alpha)} ({aside('muller2004optimal')}), and P at least "
        f"{setting(rule.floor)}."
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
    if method.priors:
        return f"prior given by the user ({_own(method)})"
    if method.prior == "learned":
        return "prior learned from all pairs"
    if method.prior in ("symmetric", "imprecise"):
        return f"Dirichlet prior (symmetric, strength s = {setting(method.strength)})"
    if isinstance(method.prior, Mapping):
        return "Dirichlet prior with parameters given for single statements"
    parameter = {"jeffreys": "α = 1/2, Jeffreys'", "uniform": "α = 1, uniform"}
    return f"Dirichlet prior ({parameter.get(str(method.prior), f'α = {method.prior}')})"


def _how(method: Any) -> str:
    return "by NUTS in PyMC" if method.samples else "by one-dimensional quadrature, exactly"


def _own(method: Any) -> str:
    """The priors that the user gave, by name."""
    given = prior_options(method.priors) or {}
    return ", ".join(f"{name} {value}" for name, value in given.items())


def _sampled(method: Any) -> str:
    """Whose priors they were, where they are not the method's, and whether NUTS was needed."""
    own = f", under priors given by the user ({_own(method)})" if method.priors else ""
    return own + (", sampled by NUTS" if method.samples else "")


def _chosen(value: object) -> str:
    """An option as it was given: a number, or a word."""
    return setting(value) if is_number(value) else str(value)


def _weight(b: object) -> str:
    return "b learned from all pairs" if b == "learned" else f"b = {_chosen(b)}"


def _network(method: Any, answer: Answer | None) -> str:
    limit = method.max_parents if answer is None else answer.details["max_parents"]
    choices = ["BDeu score", f"equivalent sample size {_chosen(method.ess)}"]
    if method.priors:
        choices[1] = f"prior given by the user: {_own(method)}"
    if isinstance(method.search, str):
        most = "as many parents as the datasets allow" if limit is None else plural(limit, "parent")
        choices.append(f"at most {most} each")
    graph = "of a graph given by the user"
    if method.average:
        graph = "averaged over all graphs within the limit on parents"
    elif isinstance(method.search, str):
        graph = "of the graph with the best score"
        choices.append(f"{method.search} search")
    return (
        "by the test of {cited} with the joint distribution factored by a Bayesian network over "
        f"the measures, {graph} ({', '.join(choices)}). Reported is the posterior "
        f"probability that a joint statement is the most probable one, computed "
        f"{_network_error(method, answer)}."
    )


def _network_error(method: Any, answer: Answer | None) -> str:
    if answer is not None and answer.mcse is not None:
        most = error(float(answer.mcse.max()))
        return f"by {'NUTS' if method.samples else 'Monte Carlo'} (standard error at most {most})"
    if answer is None and not method.samples:
        wanted = setting(method.mcse)
        return f"exactly where it can be, else by Monte Carlo to a standard error of {wanted}"
    return "by NUTS in PyMC" if method.samples else "exactly"


def _glrt(method: Any, answer: Answer | None) -> str:
    return (
        "by the generalised likelihood-ratio test of {cited}: the hypothesis that the two most "
        "frequent joint statements are equally probable."
    )


def _poisson_binomial(method: Any, answer: Answer | None) -> str:
    model = "jointly with the share of datasets" if method.joint else "dataset by dataset"
    prior = ""
    if not method.priors:
        prior = (
            ", under a Dirichlet prior of each dataset's error probabilities "
            f"(a = {_chosen(method.a)}) and a Beta prior of the share of datasets "
            f"({_weight(method.b)})"
        )
    return (
        "by the Poisson binomial test of {cited}: from the counts of examples that only one of the "
        f"two gets wrong, {model}{prior}{_sampled(method)}. Reported is the posterior probability "
        "that one is better on most datasets of the context."
    )


def _hierarchical(method: Any, answer: Answer | None) -> str:
    return (
        "by a hierarchical Beta model of the counts of examples that only one of the two gets "
        f"wrong (after {{aside}}), in which datasets learn from each other{_sampled(method)}. "
        "Reported is the posterior probability that one is better on most datasets of the context."
    )


def _correlated_t(method: Any, answer: Answer | None) -> str:
    rho = "ρ, one over the number of folds"
    if answer is not None:
        seen = answer.details["per_dataset"]["rho"]
        ends = dict.fromkeys([min(seen), max(seen)])
        rho = f"ρ = {' to '.join(statistic(end, significant=3) for end in ends)}"
    elif method.rho is not None:
        rho = f"ρ = {setting(method.rho)}"
    elif method.folds is not None:
        rho = f"ρ = 1/{method.folds}"
    outcome = "one is better on most datasets"
    if answer is not None and len(answer.labels) == 3:
        outcome = "an outcome (one better, the other better, equivalent) is the most frequent one"
    joint = "joint model, " if method.joint else ""
    weight = _weight((method.priors or {}).get("b", method.b))
    return (
        "by the Bayesian correlated t-test on each dataset's replicates, of which every two have "
        f"the correlation {rho}, and the Poisson binomial over datasets ({joint}symmetric prior of "
        f"the shares of datasets with {weight}; {{aside}}). Reported is the posterior probability "
        f"that {outcome}."
    )


def _gsd(method: Any, answer: Answer | None) -> str:
    told = (
        "by generalised stochastic dominance ({aside}), which asks whether every utility in "
        f"keeping with the measures' scales prefers one, {_extent(method, answer)}"
    )
    if answer is not None and answer.pvalue is None:
        return f"{told}. The order is that of these data; it was not tested."
    test = f"{method.scheme}, {_resamples(method, answer)}"
    sides = "two-sided" if method.sides == 2 else "one-sided, in a direction named beforehand"
    return f"{told}; the p-value is that of a permutation test ({sides}; {test})."


def _extent(method: Any, answer: Answer | None) -> str:
    """The δ that was used, as it was asked for: itself, or as a share ε of δ_max."""
    used = None if answer is None else answer.details.get("delta")
    told = f"at δ = {setting(method.delta)}"
    if method.epsilon is not None:
        told = f"at δ = ε·δ_max with ε = {setting(method.epsilon)}"
        told += f" (δ = {statistic(used, significant=3)})" if isinstance(used, float) else ""
    elif isinstance(used, float) and used < method.delta:
        told += f", cut to the largest that the pair allows, {statistic(used, significant=3)}"
    if method.rule is not None:
        told += f" (rule of gains: {method.rule})"
    return told


def _resamples(method: Any, answer: Answer | None) -> str:
    """How many labellings were tried, which need not be how many were asked for."""
    stop = method.stop_after
    until = "" if stop is None else f", at most until {stop} of them reach the statistic"
    if answer is None:
        return f"at most {plural(method.permutations, 'resample')}{until}"
    tried = max(answer.details["resamples"])
    if answer.details.get("enumerated"):
        return f"all {plural(tried, 'swap')} of labels"
    return f"{plural(tried, 'resample')}{until}"


def _gsd_bootstrap(method: Any, answer: Answer | None) -> str:
    return (
        "by generalised stochastic dominance ({aside}) under the Bayesian bootstrap over datasets, "
        f"{_extent(method, answer)}, from {plural(method.resamples, 'draw')} of the datasets' "
        "weights. Reported is the posterior probability of dominance."
    )


def _classic(name: str) -> Callable[[Any, Answer | None], str]:
    return lambda method, answer: f"by {name} ({{aside}})."


def _friedman(method: Any, answer: Answer | None) -> str:
    level = setting(method.alpha)
    return f"by the Friedman test and Nemenyi's test of pairs at the level {level} ({{aside}})."


def _by_measure(which: str) -> Callable[[Any, Answer | None], str]:
    tests = {"sign": "the sign test", "wilcoxon": "Wilcoxon's signed-rank test"}
    return lambda method, answer: (
        f"by the rule that one must be significantly better on {which} measure, by "
        f"{tests[method.test]} at the level {setting(method.alpha)} ({{aside}})."
    )


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
    "friedman": _friedman,
    "all-test": _by_measure("every"),
    "one-test": _by_measure("some"),
}
