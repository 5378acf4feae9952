"""All pairs at a glance: what to use, how sure that is, on what data, under what assumption."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayescompare.outcome.method import has_valid_pvalue, is_bayesian
from bayescompare.outcome.pairwise_headline import FIRST, SECOND, trade_off_words
from bayescompare.outcome.pairwise_notes import pairwise_notes_on_spread
from bayescompare.statements import Statement
from bayescompare.text.numbers import (
    plural,
    probability_equation,
    pvalue_equation,
    setting_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.outcome.method import Method
    from bayescompare.outcome.pairwise import Pairwise
    from bayescompare.outcome.verdicts import PairVerdicts, Rule
    from bayescompare.prior import Learned, LearnedPrior
    from bayescompare.table.results import Results

__all__ = [
    "advice_words",
    "data_words",
    "pairwise_facts",
    "taken_for_granted",
    "trade_off_sentences",
]

#: Names and trade-offs that are listed; of more it says how many.
_MOST, _MOST_TRADES = 4, 2


def pairwise_facts(p: Pairwise, verdicts: PairVerdicts, rule: Rule) -> dict[str, str]:
    """Return the lines that stand below the headline, by their titles."""
    facts = {"Careful": " ".join(p.caveats)} if p.caveats else {}
    facts["What to use"] = advice_words(verdicts)
    trades = trade_off_sentences(p, verdicts)
    if trades:
        facts["Trade-offs"] = " ".join(trades)
    return {
        **facts,
        "How sure": _certainty(p, verdicts, rule),
        "Data": data_words(p.results, pairwise_notes_on_spread(p.tables)),
        "Assumption": taken_for_granted(p.method, p.results, learned=p.learned, pairs=True),
    }


# what to use -------------------------------------------------------------------------------------


def advice_words(verdicts: PairVerdicts) -> str:
    """Say what to use, and whom that beats; nobody is advised against."""
    if verdicts.reference is not None:
        return _instead_of(verdicts, verdicts.reference)
    if not verdicts.unbeaten:
        (circle, *_) = verdicts.cycles
        return (
            f"No single one: each is beaten by another ({' over '.join([*circle, circle[0]])}). "
            "Choose by the datasets that are closest to yours."
        )
    picks: dict[str, list[str]] = {}
    open_on = []
    for measure, name in verdicts.choices().items():
        if name is None:
            open_on.append(measure)
        else:
            picks.setdefault(name, []).append(measure)
    sentences = _choice_words(verdicts, picks, open_on)
    beaten = (_beaten_words(verdicts, name) for name in picks)
    return " ".join(filter(None, [*sentences, *beaten]))


def _choice_words(
    verdicts: PairVerdicts, picks: dict[str, list[str]], open_on: list[str]
) -> list[str]:
    """Say whom to use where, and where nobody can be named."""
    sentences = []
    if len(picks) == 1 and not open_on:
        (name,) = picks
        # They may be just as good; the headline says how many they are.
        apart = verdicts.apart(name)
        more = ""
        if apart:
            more = f"; {join_names(apart, most=_MOST)} {_are(apart)} not separated from it"
        sentences.append(f"Use {name}, the first by place{more}.")
    elif picks:
        choices = [
            f"{name} where {join_names(on)} {'matters' if len(on) == 1 else 'matter'} most"
            for name, on in picks.items()
        ]
        sentences.append(f"Use {join_names(choices)}.")
    if open_on:
        where = f" for {join_names(open_on)}" if picks else ""
        sentences.append(
            f"No single one{where}: another is ahead of whoever has the best place there. "
            "Choose by the datasets that are closest to yours."
        )
    return sentences


def _beaten_words(verdicts: PairVerdicts, name: str) -> str:
    """Say whom one beats, which is a fact about those pairs."""
    beaten = verdicts.beats[name]
    if not beaten:
        return ""
    return f"{name} beats {join_names(beaten, most=_MOST)}{_everywhere(verdicts)}."


def _everywhere(verdicts: PairVerdicts) -> str:
    return " on every measure" if verdicts.places.shape[1] > 1 else ""


def _instead_of(verdicts: PairVerdicts, reference: str) -> str:
    better = verdicts.beaten_by[reference]
    if not better:
        return f"Nobody here beats {reference}{_everywhere(verdicts)}."
    best = better[0]
    others = f" ({join_names(better[1:], most=_MOST)} would do too)" if len(better) > 1 else ""
    return f"Use {best} instead of {reference}{others}."


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def trade_off_sentences(p: Pairwise, verdicts: PairVerdicts) -> list[str]:
    """Return the trade-offs in words, equal ones together, those of the first places first."""
    at = {name: k for k, name in enumerate(verdicts.names)}
    trades = [s for s in verdicts.statements.values() if s.is_trade_off]
    # Who is better on which measures → against whom.
    against: dict[tuple[str, Statement], list[str]] = {}
    for statement in trades:
        first, second = dict.fromkeys(filter(None, statement.leaders))
        pattern = statement.renamed({first: FIRST, second: SECOND}.__getitem__).canonical()
        against.setdefault((first, pattern), []).append(second)
    groups: dict[tuple[tuple[str, ...], Statement], list[str]] = {}
    for (first, pattern), seconds in against.items():
        by_place = tuple(sorted(seconds, key=at.__getitem__))
        groups.setdefault((by_place, pattern), []).append(first)
    sentences = []
    for (seconds_, pattern), firsts in groups.items():
        firsts.sort(key=at.__getitem__)
        best = min(at[name] for name in (*firsts, *seconds_))
        words = trade_off_words(pattern, p.results.measures, firsts, seconds_)
        sentences.append((best, words, len(firsts) * len(seconds_)))
    sentences.sort()
    shown = [f"{words}." for _, words, _ in sentences[:_MOST_TRADES]]
    rest = sum(pairs for *_, pairs in sentences[_MOST_TRADES:])
    return [*shown, f"{plural(rest, 'more pair')}: see below."] if rest else shown


# how sure, data, assumption -----------------------------------------------------------------------


def _certainty(p: Pairwise, verdicts: PairVerdicts, rule: Rule) -> str:
    decided = p.decided(rule)
    total, held = len(decided), int(decided["asserted"].sum())
    pairs = plural(total, "pair")
    start = f"{held} of {pairs} {'has' if held == 1 else 'have'} a verdict"
    if not held:
        start = "The pair has no verdict" if total == 1 else f"None of {pairs} has a verdict"
    sentences = [f"{start} ({rule.name(bayesian=p.bayesian)}{_both_priors(p, rule)})."]
    if held:
        top = decided[decided["asserted"]].iloc[0]
        figure = (
            probability_equation(float(top["probability"]), levels=[rule.threshold])
            if p.bayesian
            else pvalue_equation(float(top["pvalue"]))
        )
        claim = Statement.parse(top["statement"]).words(p.results.measures)
        sentences.append(f"The surest: {claim} ({figure}).")
    if held < total:
        sentences.append("A pair without a verdict is not shown to be equal.")
    return " ".join(sentences)


def _both_priors(p: Pairwise, rule: Rule) -> str:
    both = p.learned is not None and rule.level is not None
    return ", under the learned prior and under the pair's own" if both else ""


def data_words(results: Results, spread: str = "") -> str:
    """Say how many datasets there are, of what; `spread` is how many each pair has."""
    each = f", {spread} for each pair" if spread else ""
    domains = ""
    if results.groups is not None:
        domains = f" in {plural(len(set(results.groups)), 'domain')}"
    measures = [
        f"{name} ({'higher' if results[name].direction == 'max' else 'lower'} is better)"
        for name in results.measures
    ]
    return (
        f"{plural(len(results.datasets), 'dataset')}{domains}{each}; "
        f"{plural(len(results.algorithms), 'algorithm')} on {join_names(measures, most=_MOST)}."
    )


def taken_for_granted(
    method: Method,
    results: Results,
    *,
    learned: Learned | LearnedPrior | None = None,
    pairs: bool = False,
) -> str:
    """Say what an answer takes for granted: datasets alike, and its prior."""
    alike = "The datasets are like those you care about, and each counts the same."
    if results.weights is not None or results.groups is not None:
        alike = "The datasets are like those you care about, weighted as given."
    if not is_bayesian(method):
        corrected = pairs and has_valid_pvalue(method)
        valid = "p-values corrected for many pairs (Holm)" if corrected else "p-values"
        return f"{alike} No prior; {valid}."
    if learned is not None:
        return f"{alike} The prior was learned from all {plural(learned.pairs, 'pair')}."
    chosen = {
        name: value
        for name, value in method.options().items()
        if name in ("prior", "strength", "ess", "b") and isinstance(value, (int, float, str))
    }
    listed = ", ".join(
        f"{name} {value if isinstance(value, str) else setting_number_text(value)}"
        for name, value in chosen.items()
    )
    who = "Every pair has its own prior" if pairs else "The prior is that of the method"
    return f"{alike} {who}{f' ({listed})' if listed else ''}."
