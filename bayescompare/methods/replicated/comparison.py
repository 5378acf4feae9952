r"""What answers of the test from replicates tell of each dataset, in figures and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray, StrArray
from bayescompare.methods._shared.correlation import correlation_words
from bayescompare.methods._shared.domains import DomainDetails, Rows
from bayescompare.methods._shared.new_datasets import share_labels
from bayescompare.methods._shared.words import power_words
from bayescompare.methods.dirichlet.law import StatementPosterior
from bayescompare.methods.dirichlet.words import lead_words, learned_pair_words, prior_text
from bayescompare.methods.replicated.evidence import TableEvidence
from bayescompare.outcome.answer import Answer, Facts
from bayescompare.outcome.decision import SETTLED, Decision, claim_words
from bayescompare.outcome.posterior import Lack, grown_by_resemblance
from bayescompare.outcome.registry import unavailable
from bayescompare.prior import POWER
from bayescompare.table.results import Results
from bayescompare.text.numbers import (
    count,
    format_probability,
    plural,
    setting_number_text,
    statistic_number_text,
)
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    from bayescompare.methods.replicated import Replicated
    from bayescompare.posterior.dirichlet import DirichletMixture


@dataclass(frozen=True, kw_only=True)
class UncertaintySplit(Facts):
    r"""How much of 1 − max P comes from too few replicates, and how much from too few datasets.

    P(max) is an average over the counts c of statements that the datasets may show,
    :math:`P_j = \sum_c p(c) P_j(c)`. With endless independent replicates every dataset's statement,
    and so c, would be known, and what would remain on average is

    .. math:: U_{\text{datasets}} = E_c\bigl[1 - \max_j P_j(c)\bigr],

    which only more datasets reduce. The rest of :math:`U = 1 - \max_j P_j` comes from the
    replicates; it is never negative, for the largest of averages is at most the average of the
    largest.

    Attributes
    ----------
    total : float
        1 − max P.
    replicates, datasets : float
        Its parts: what would be gone if every dataset's statement were known, and what would not.
    mcse : float
        Standard error of the parts; zero where they are exact.
    """

    total: float
    replicates: float
    datasets: float
    mcse: float

    @classmethod
    def of_posterior(cls, posterior: DirichletMixture) -> Self:
        """Split it, where no prior was learned."""
        known, error = posterior.leader_known()
        total = 1.0 - float(posterior.p_max()[:-1].max())
        # Rounding aside, the datasets' part is at most the whole.
        datasets = min(max(1.0 - known, 0.0), total)
        return cls(total=total, replicates=total - datasets, datasets=datasets, mcse=error)

    @classmethod
    def of_one(cls, probability: FloatArray) -> Self:
        """One dataset is asked about itself, so only its replicates are too few."""
        total = 1.0 - float(probability.max())
        return cls(total=total, replicates=total, datasets=0.0, mcse=0.0)


@dataclass(frozen=True, kw_only=True)
class ReplicatedDetails(DomainDetails):
    """Every dataset by itself and given the others, and how its replicates were read.

    Attributes
    ----------
    evidence : rows
        What each dataset's own replicates say, every row summing to one.
    per_dataset : rows
        The same given all datasets.
    replicates : tuple of float
        Replicates (or clusters) of each dataset.
    rho : tuple of float
        Their correlation.
    effects : str
        "flat" or "learned", as it was used; "counts" where every dataset was judged by counts of
        right and wrong items.
    scales, scale_weights : tuples of float
        Values of the scale of effects, and their posterior weights; empty where it is not learned.
    few : tuple of str
        Datasets with no more replicates than measures, judged measure by measure.
    error : float
        Largest standard error of a probability of a dataset's own.
    counted : tuple of str, optional
        Datasets judged by counts of right and wrong items; None where there are none.
    how : str
        "exact", or "gibbs" where the counts were sampled.
    uncertainty : UncertaintySplit, optional
        None where the answer is NUTS's or the prior was learned from pairs.
    """

    evidence: Rows
    per_dataset: Rows
    replicates: tuple[float, ...]
    rho: tuple[float, ...]
    effects: str
    scales: tuple[float, ...]
    scale_weights: tuple[float, ...]
    few: tuple[str, ...]
    error: float
    how: str
    counted: tuple[str, ...] | None = None
    uncertainty: UncertaintySplit | None = None

    @classmethod
    def of_table(
        cls,
        results: Results,
        table: TableEvidence,
        evidence: FloatArray,
        per_dataset: FloatArray,
        version: FloatArray,
        *,
        how: str,
        uncertainty: UncertaintySplit | None = None,
    ) -> Self:
        """Collect them: rows (n, K) alone and given all, and the weights of the versions."""
        learned = table.effects == "learned" and len(version) > 1
        measures = len(results.measures)
        counted = table.counted
        dof = table.moments.dof
        few = (dof < measures) & ~counted & (table.effects == "flat") & (measures > 1)
        names = np.array(results.datasets)
        return cls(
            evidence=_rows(evidence),
            per_dataset=_rows(per_dataset),
            replicates=tuple((dof + 1.0).tolist()),
            rho=tuple(table.rho.tolist()),
            effects=table.effects,
            scales=tuple(table.evidence.scales.tolist()) if learned else (),
            scale_weights=tuple(version.tolist()) if learned else (),
            few=tuple(names[few].tolist()),
            error=table.evidence.error,
            how=how,
            counted=tuple(names[counted].tolist()) or None,
            uncertainty=uncertainty,
        )


def _rows(matrix: FloatArray) -> Rows:
    return tuple(tuple(row) for row in matrix.tolist())


#: Statements from which a printed table leaves out those that are improbable on every dataset.
_MANY, _LEAST_SHOWN = 4, 0.01


class ReplicatedPosterior(StatementPosterior):
    """θ after uncertain datasets, what is known of each, and what more of them would say."""

    facts_type: ClassVar[type[Facts]] = ReplicatedDetails

    method: Replicated

    draws_are: ClassVar[str] = "exact"
    lacks: ClassVar[Mapping[str, Lack]] = {
        "simulate": Lack(
            "Its likelihood weighs statements by the replicates seen; it makes no new ones."
        )
    }

    def headline(self, decision: Decision) -> str:
        """Say of one dataset that the answer is about that one only."""
        if len(self.results.datasets) == 1:
            return dataset_headline(self.results, decision)
        return super().headline(decision)

    def why_not(self, quantity: str) -> str:
        """Say what the cut, NUTS, a learned prior and a power likelihood do not have."""
        method, reasons = self.method, dict[str, str]()
        if self.results.weights is not None:
            reasons["plan"] = "plan: with weight= it is not known what new datasets would weigh."
            if method.needs_mcmc:
                reasons["draws"] = "draws: with weight= NUTS samples; use c.tree or sample()."
        if not method.joint:
            why = "with joint=False each dataset is judged by itself, which is a formula and not"
            for name in ("model", "sample", "log_evidence", "loo", "psis"):
                reasons[name] = f"{name}: {why} the posterior of a model; use joint=True."
        if method.needs_mcmc:
            reasons["uncertainty"] = (
                "uncertainty: it is split over counts of statements, and an answer by NUTS has "
                "none; leave out priors=."
            )
        if method.learned is not None:
            reasons["uncertainty"] = (
                "uncertainty: here a part of it is the prior's, which was learned from all pairs; "
                "compare() the two algorithms by themselves."
            )
        return reasons.get(quantity) or super().why_not(quantity)

    def predict(self, number: int, draws: int, rng: np.random.Generator) -> StrArray:
        """Draw θ, and the statements of new datasets from it."""
        return share_labels(self, number, draws, rng)

    # the same question of other data --------------------------------------------------------------

    def leave_one_out(self) -> tuple[FloatArray, FloatArray]:
        """Exact log predictive densities of each dataset; of a single one there are none."""
        if len(self.results.datasets) == 1:
            raise BayescompareError(
                "loo: there is only one dataset, and nothing to predict it from."
            )
        if self.theta is None:
            raise unavailable(self.method, "exact loo with a custom prior")
        return super().leave_one_out()

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Add datasets that are as informative as those seen."""
        if self.theta is None:
            raise BayescompareError("plan() needs a conjugate prior: this one is answered by NUTS.")
        return grown_by_resemblance(self.theta)

    def with_replicates(self) -> Callable[[float, np.random.Generator], FloatArray]:
        """Multiply the replicates of the datasets seen."""
        if self.theta is None:
            raise BayescompareError(
                "plan(replicates=) needs a conjugate prior: this one is answered by NUTS."
            )
        if self.results.gaps is not None:
            raise BayescompareError(
                f"plan(replicates=): with missing={self.results.gaps!r} some cells have no "
                "replicates to add to; ask of a table without missing cells, or plan() about more "
                "datasets."
            )
        return self.method.table_evidence(self.results).more_replicates(self.theta)

    def under_other_priors(self, values: FloatArray | None) -> pd.DataFrame | None:
        """Tabulate P by the weight of the prior; anew, where that is about the only dataset."""
        theta = None if len(self.results.datasets) == 1 else self.theta
        prior = None if theta is None else theta.prior.own or theta.prior
        is_weighed = prior is not None and prior.weighed_by != POWER
        return super().under_other_priors(values) if is_weighed else None

    # each dataset ---------------------------------------------------------------------------------

    @property
    def evidence(self) -> xr.DataArray:
        """What each dataset's own replicates say, over "dataset" and "statement"; rows sum to 1."""
        details = ReplicatedDetails.of(self.answer)
        return xr.DataArray(
            np.array(details.evidence),
            {"dataset": list(self.results.datasets), "statement": list(self.answer.labels)},
            dims=("dataset", "statement"),
            name="evidence",
            attrs={**self.attrs, "effects": details.effects, "error": details.error},
        )

    @property
    def per_dataset(self) -> pd.DataFrame:
        """P of every statement on each dataset after hearing the others, and its replicates."""
        details = ReplicatedDetails.of(self.answer)
        index = pd.Index(self.results.datasets, name="dataset")
        table = pd.DataFrame(
            np.array(details.per_dataset), index=index, columns=list(self.answer.labels)
        )
        table["replicates"] = np.array(details.replicates, dtype=int)
        return table

    @property
    def uncertainty(self) -> pd.Series[float]:
        """What 1 − P of the leading statement comes from: its "total", and two parts of it.

        "replicates" is what would be gone on average if endless independent replicates showed
        every dataset's statement; "datasets" is what would remain. ``attrs["mcse"]`` is the error
        of the parts, zero where they are exact.
        """
        split = ReplicatedDetails.of(self.answer).uncertainty
        if split is None:
            raise BayescompareError(
                "uncertainty: this answer was saved by a version that did not split it; compare() "
                "again."
            )
        parts = {"total": split.total, "replicates": split.replicates, "datasets": split.datasets}
        series = pd.Series(parts, name="uncertainty", dtype=np.float64)
        series.attrs["mcse"] = split.mcse
        return series

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every dataset, and what the uncertainty comes from, headed to be printed."""
        table = self.per_dataset
        tables = {"Datasets": table}
        if len(self.answer.labels) > _MANY:
            # A column for each of many statements is more than a page is wide.
            shown = table.loc[:, table.max() >= _LEAST_SHOWN]
            tables = {
                f"Datasets (statements below {setting_number_text(_LEAST_SHOWN)} left out)": shown
            }
        tables = {**super().tables, **tables}
        if ReplicatedDetails.of(self.answer).uncertainty is not None:
            tables["What the uncertainty comes from"] = self.uncertainty.to_frame().rename_axis(
                "part"
            )
        return tables


#: A statement of a dataset is sure from here on.
_SURE = 0.95


def verdict_words(
    method: Replicated, results: Results, answer: Answer, decision: Decision
) -> list[str]:
    """Say the verdict, which datasets are sure, and what was assumed of the replicates."""
    details = ReplicatedDetails.of(answer)
    if len(results.datasets) == 1:
        said = _one_dataset_words(results, decision)
    else:
        said = [
            *lead_words(results, answer, decision),
            *([learned_pair_words(method.learned, decision)] if method.learned else []),
            _sureness_words(results, details),
            _shift_words(details),
            _uncertainty_words(details, decision),
            _prior_words(method),
        ]
    said += assumption_words(method, results, details)
    if not method.joint:
        said.append("Each dataset was judged by itself, without hearing the others.")
    if results.weights is not None:
        said.append(power_words(results))
    return [sentence for sentence in said if sentence]


def dataset_headline(results: Results, decision: Decision) -> str:
    """Say that the answer is about one dataset."""
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    level = format_probability(decision.level)
    return (
        f"On {results.datasets[0]}: {claim}, with P = {level}; nothing follows for other datasets"
    )


def _one_dataset_words(results: Results, decision: Decision) -> list[str]:
    claim = claim_words(decision.statement, results.algorithms, results.measures)
    sure = "which settles it there" if decision.level >= SETTLED else "which leaves it open"
    return [
        f"On {results.datasets[0]} the most probable statement is that {claim}, with probability "
        f"{format_probability(decision.level)}, {sure}.",
        "This is about that dataset alone. How other datasets would turn out is not known from "
        f"one, however many {_noun(results)} it has.",
    ]


def _noun(results: Results) -> str:
    return "items" if results.replicates == "items" else "replicates"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _sureness_words(results: Results, details: ReplicatedDetails) -> str:
    """Say which datasets are certain of their statement by themselves, and which are not."""
    top = np.array(details.evidence).max(axis=1)
    unsure = [name for name, p in zip(results.datasets, top, strict=True) if p < _SURE]
    if not unsure:
        return f"By its own {_noun(results)} every dataset is sure of its statement."
    sure = len(top) - len(unsure)
    return (
        f"By their own {_noun(results)} {count(sure)} of {plural(len(top), 'dataset')} "
        f"{_are(sure)} sure of a statement (P ≥ {setting_number_text(_SURE)}); "
        f"{join_names(unsure, most=4)} {_are(len(unsure))} not."
    )


def _shift_words(details: ReplicatedDetails) -> str:
    """Say how many datasets the others bring to certainty, or turn."""
    alone, after = np.array(details.evidence), np.array(details.per_dataset)
    turned = int((alone.argmax(axis=1) != after.argmax(axis=1)).sum())
    gained = int(((after.max(axis=1) >= _SURE) & (alone.max(axis=1) < _SURE)).sum())
    parts = []
    if gained:
        parts.append(f"makes {plural(gained, 'more dataset')} sure")
    if turned:
        parts.append(f"changes the leading statement of {plural(turned, 'dataset')}")
    return f"What the other datasets show {' and '.join(parts)}." if parts else ""


def _prior_words(method: Replicated) -> str:
    if method.learned is not None:
        return ""
    if method.priors:
        return f"You chose the prior of {join_names(list(method.priors))}."
    if method.prior == "symmetric":
        weight = plural(method.strength, "dataset")
        return f"The prior treats all statements alike and weighs as much as {weight}."
    return "You chose the prior of the statements."


def assumption_words(method: Replicated, results: Results, details: ReplicatedDetails) -> list[str]:
    """Say what was assumed of effects and replicates."""
    scale = float(np.dot(details.scales, details.scale_weights))
    why = ""
    if method.effects == "learned":
        few = "fewer than three datasets cannot teach it"
        why = f" because {few if len(results.datasets) < 3 else 'no scale fits the ropes'}"
    counted = list(details.counted or ())
    where = "every dataset" if details.effects == "counts" else join_names(counted, most=4)
    drawn = f" (standard error up to {statistic_number_text(details.error)})"
    noun = "clusters of items" if results.item_data is not None else _noun(results)
    sentences = {
        "How large mean differences tend to be was learned from all datasets (scale "
        f"{statistic_number_text(scale, significant=2)} of what is seen), so noise is not "
        "mistaken for effects.": details.effects == "learned" and details.scales,
        f"Mean differences have a flat prior{why}, which is overconfident where the noise is "
        "large against the differences.": details.effects == "flat",
        f"On {where} items are right or wrong, and what counts is how many of them only one of "
        f"the two gets right{drawn if details.error else ''}.": counted,
        f"{join_names(list(details.few), most=4)} {'has' if len(details.few) == 1 else 'have'} no "
        f"more {noun} than measures: there the measures are taken as independent.": details.few,
    }
    said = [sentence for sentence, holds in sentences.items() if holds]
    return [*said, _rho_words(method, results, details)]


def _rho_words(method: Replicated, results: Results, details: ReplicatedDetails) -> str:
    items = results.item_data
    if items is not None and ("cluster" in items or "clusters" in items):
        fewest, most = min(details.replicates), max(details.replicates)
        many = count(most) if fewest == most else f"{count(fewest)} to {count(most)}"
        return (
            f"Items come in {many} clusters per dataset and were taken to be independent only "
            "across clusters."
        )
    return correlation_words(
        results, details.rho, details.replicates, rho=method.rho, folds=method.folds
    )


def _uncertainty_words(details: ReplicatedDetails, decision: Decision) -> str:
    """Say what the remaining uncertainty comes from, and so what to collect next."""
    split = details.uncertainty
    if split is None or decision.level >= SETTLED:
        return ""
    parts = split.total, split.replicates, split.datasets
    total, replicates, datasets = map(format_probability, parts)
    if split.replicates <= split.datasets:
        advice = "most of it would remain with endless replicates, so collect more datasets"
    elif max(details.rho) == 0.0:
        advice = "most of it would go with endless replicates, so collect more of them first"
    else:
        # More of them approach ρ/(1 − ρ), not certainty: the datasets can be the better buy.
        advice = (
            "most of it would go with endless independent replicates, but those of one "
            "cross-validation share their data, so collect independent ones or more datasets"
        )
    return (
        f"Of the uncertainty that is left ({total}), {replicates} comes from too few replicates, "
        f"which leave datasets unsure of their statement, and {datasets} from too few datasets: "
        f"{advice}; plan() says how many of either would settle it."
    )


# the test in a paper -----------------------------------------------------------------------------


def methods_text(method: Any, answer: Answer | None) -> str:
    """Describe the model, the evidence of each dataset and how it was computed."""
    effects = method.effects if answer is None else ReplicatedDetails.of(answer).effects
    means = {
        "learned": "a normal prior on the mean differences whose scale was learned from all "
        "datasets, with variances moderated over datasets and integrated out",
        "flat": "a flat prior on the mean differences",
        "counts": "a Dirichlet prior on the patterns of right and wrong answers to an item "
        "(3^(1 − m) for each pattern of m measures)",
    }[effects]
    how = {
        None: "",
        "exact": ", computed exactly",
        "gibbs": ", computed by collapsed Gibbs sampling",
    }
    kind = None if answer is None else ReplicatedDetails.of(answer).how
    together = "" if method.joint else " Each dataset was judged by itself (the cut model)."
    return (
        "by a joint test of replicated results, which extends the multinomial-Dirichlet test of "
        "{cited}: the joint statement about who is better on each measure is unknown on every "
        f"dataset, and its replicates{_rho_text(method)} weigh the statements "
        f"under {means}; "
        f"the probabilities θ of the statements have a {prior_text(method)}. Reported is the "
        f"posterior probability that a statement's θ is the largest"
        f"{how.get(kind, ', by NUTS in PyMC')}.{together}"
    )


def _rho_text(method: Any) -> str:
    if method.rho is not None:
        return f" (correlation ρ = {setting_number_text(method.rho)})"
    return "" if method.folds is None else f" (correlation ρ = 1/{method.folds})"
