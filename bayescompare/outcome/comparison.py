"""`Comparison`, the one result type.

Table, draws, words, picture and file all come from the same frozen fields: the results, the method
with its options, and the method's answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._checks import MOST_DRAWS, check_count, check_draws, check_word, pointing
from bayescompare._errors import BayescompareError, QuantityNotAvailableError, did_you_mean
from bayescompare._rng import Rng, as_rng
from bayescompare._version import __version__
from bayescompare.outcome import nuts, registry
from bayescompare.outcome.answer import THETA_LOWER, THETA_UPPER, Answer, Shown
from bayescompare.outcome.decision import SETTLED, Decision, decide
from bayescompare.outcome.diagnosis import (
    EDITED,
    MOST_KHAT,
    Diagnosis,
    arviz_tree,
    diagnose,
    diagnose_answer,
)
from bayescompare.outcome.method import Form, Method, Sampling, is_built_in_method
from bayescompare.outcome.posterior import Posterior, likelihood_of
from bayescompare.outcome.questions import STORED, interval_choice, statement_intervals
from bayescompare.outcome.registry import has_quantity
from bayescompare.outcome.words import comparison_block, comparison_words
from bayescompare.table.results import Results
from bayescompare.table.writing import check_file_is_writable
from bayescompare.text.numbers import whole_number_text

if TYPE_CHECKING:
    import pymc as pm
    from arviz_stats.utils import ELPDData
    from matplotlib.axes import Axes

    from bayescompare.kernels.numerics.intervals import IntervalKind
    from bayescompare.outcome.questions import EventsAsked
    from bayescompare.outcome.scores import By, EvidenceEstimate


#: Numbers of further datasets that `plan` tries unless told otherwise.
MORE = (10, 20, 50)

#: What some methods have and others lack.
QUANTITIES = frozenset(
    {
        *("probability", "none_leads", "unobserved", "pvalue", "statistic", "log_evidence"),
        *("draws", "model", "sample", "loo", "plan", "predict", "sensitivity", "simulate"),
        *("questions", "on", "bounds", "domains", "evidence", "per_dataset", "uncertainty"),
        *("network", "edges", "score", "components", "rate", "pooling", "wins", "ahead"),
        *("share_below", "delta_max", "relation", "thresholds", "relation_at", "incomparable"),
        *("front", "front_test", "witness", "robustness", "order", "estimate_evidence"),
        *("ranks", "nemenyi", "critical_difference", "one_sided", "per_measure"),
    }
)

#: Row of `summary()` for draws in which no statement leads.
NONE_LEADS = "(none leads)"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """The answer to one question about algorithms: its figures, tables, words and plots.

    `compare` returns one. Asking for what a method does not have raises an error that names the
    methods that do.

    Attributes
    ----------
    results : Results
        The data: the algorithms and measures asked about, complete, without replicates.
    method : Method
        The test with its options.
    answer : Answer
        The method's figures as plain arrays.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> c
    Comparison by dirichlet: A, B on accuracy, time over 12 datasets
      B is better than A on accuracy; time is open.
      see .explain(), .summary(), .plot(), .questions, .draws(), .sample()
    """

    results: Results
    method: Method
    answer: Answer

    @cached_property
    def posterior(self) -> Posterior:
        """What this answer can be asked beyond its figures."""
        return self.method.posterior_type(self.method, self.results, self.answer)

    # figures -------------------------------------------------------------------------------------

    @property
    def probability(self) -> xr.DataArray:
        """P(the statement is the most probable one), over "statement".

        Every statement while there are at most 256, else the observed ones and those that a
        prior names.
        """
        self._require("probability")
        return self.posterior.over_statements("probability", self.answer.probability)

    @property
    def unobserved(self) -> float:
        """P(the most probable statement is one never observed), all of them together."""
        return self._figure("unobserved")

    @property
    def none_leads(self) -> float:
        """P(no statement leads): draws in which two or more are exactly equal count for none.

        0 unless a prior or a model gives a positive probability to exact equality.
        """
        self._require("none_leads")
        return self.answer.none_leads

    @property
    def mcse(self) -> xr.DataArray | None:
        """Monte Carlo standard error of `probability`; None when the answer is exact."""
        if self.answer.mcse is None:
            return None
        return self.posterior.over_statements("probability", self.answer.mcse)

    @property
    def exact(self) -> bool:
        """Whether the figures carry no Monte Carlo error."""
        return self.answer.exact

    @property
    def pvalue(self) -> float:
        """The p-value of a frequentist method."""
        return self._figure("pvalue")

    @property
    def statistic(self) -> float:
        """The test statistic of a frequentist method."""
        return self._figure("statistic")

    @property
    def log_evidence(self) -> float:
        """Log marginal likelihood, where it is closed."""
        if self.answer.log_evidence is None and has_quantity(type(self.method), "log_evidence"):
            why = self.posterior.why_not("evidence")
            usual = "has no closed form under a custom prior; compare models by loo() instead."
            raise QuantityNotAvailableError(
                f"log_evidence {f'is not there. {why}' if why else usual}"
            )
        return self._figure("log_evidence")

    @cached_property
    def tree(self) -> xr.DataTree:
        """The posterior that the answer came from, where it came from one."""
        if self.answer.tree is None:
            raise QuantityNotAvailableError(
                "tree: this answer was not sampled; draws() and sample() return a posterior."
            )
        return arviz_tree(self.answer.tree, sampled=True)

    @cached_property
    def decision(self) -> Decision:
        """The verdict; all words and plots take it from here."""
        return decide(self._with_parts(), self.results)

    def _with_parts(self) -> Answer:
        """The answer with how sure its parts are; files of schema version 1 do not say so.

        Their figures stay; only the parts are worked out again, where that takes no sampling.
        """
        answer = self.answer
        if answer.parts or len(answer.states) < 2 or self.method.needs_mcmc:
            return answer
        try:
            again = self.method.answer(self.results, Sampling(np.random.default_rng(0), seed=0))
        except BayescompareError:
            # What a saved answer was made from may be gone; then its parts are not known.
            return answer
        return replace(answer, parts=again.parts) if again.labels == answer.labels else answer

    @property
    def best(self) -> str:
        """Label of the most probable statement (frequentist: the most frequent)."""
        return self.decision.statement

    @property
    def attrs(self) -> dict[str, Any]:
        """How this answer was made, for attributes of arrays and files."""
        return self.posterior.attrs

    # tables and words ----------------------------------------------------------------------------

    def summary(
        self, *, ci_prob: float | None = None, ci_kind: IntervalKind | None = None, rng: Rng = None
    ) -> pd.DataFrame:
        """Return the table a paper would print: a row per statement, the most probable first.

        Parameters
        ----------
        ci_prob, ci_kind : float, {"eti", "hdi"}, optional
            Another interval of θ than the equal-tailed 95 %, as in `intervals`.
        rng : None, int or Generator
            For such intervals, where they are drawn.
        """
        rows: pd.DataFrame | None = getattr(self.posterior, "rows", None)
        if rows is not None and ci_prob is None and ci_kind is None:
            return rows
        answer = self.answer
        columns: dict[str, Any] = {
            "count": answer.counts,
            "probability": answer.probability,
            "mcse": answer.mcse,
            **answer.per_statement,
        }
        interval = STORED if THETA_LOWER in answer.per_statement else None
        if ci_prob is not None or ci_kind is not None:
            other = self.intervals(ci_prob=ci_prob, ci_kind=ci_kind, rng=rng)
            interval = interval_choice(ci_prob, ci_kind)
            for column, end in ((THETA_LOWER, "lower"), (THETA_UPPER, "upper")):
                columns[column] = other[end].reindex(list(answer.labels)).to_numpy()
        there = {name: values for name, values in columns.items() if values is not None}
        table = pd.DataFrame(there, index=pd.Index(answer.labels, name="statement"))
        by = [name for name in ("probability", "count") if name in there]
        table = table.sort_values(by, ascending=False, kind="stable")
        if answer.none_leads:
            table.loc[NONE_LEADS] = {"probability": answer.none_leads}
        if answer.tested is not None:
            # What the p-value is about comes first, whatever the counts.
            table = table.loc[[self.best, *table.index.drop(self.best)]]
        if interval is not None:
            table.attrs.update(interval._asdict())
        if answer.pvalue is not None:
            table.attrs.update(pvalue=answer.pvalue, statistic=answer.statistic)
        return table

    def intervals(
        self, *, ci_prob: float | None = None, ci_kind: IntervalKind | None = None, rng: Rng = None
    ) -> pd.DataFrame:
        """Return the posterior interval of the share of datasets on which each statement holds.

        Exact where each share is a Beta or a mixture of them; from the posterior's draws otherwise.

        Parameters
        ----------
        ci_prob : float, optional
            Probability inside the interval; ``arviz.rcParams["stats.ci_prob"]`` by default.
        ci_kind : {"eti", "hdi"}, optional
            Equal-tailed, or the shortest, which is where the density is highest;
            ``arviz.rcParams["stats.ci_kind"]`` by default.
        rng : None, int or Generator
            Where draws are needed and the answer has none; by default a seed of its own.

        Returns
        -------
        DataFrame
            Indexed by statement, the largest mean first: mean, lower, upper. Its ``attrs`` hold
            ``ci_prob``, ``ci_kind`` and ``exact``.

        Examples
        --------
        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("benavoli-example1"))
        >>> c.intervals(ci_prob=0.9, ci_kind="hdi").round(3).iloc[0].to_dict()
        {'mean': 0.481, 'lower': 0.26, 'upper': 0.701}
        """
        return statement_intervals(self, ci_prob, ci_kind, rng)

    def explain(self) -> str:
        """Say what was found, how sure it is, what it does not say and what would change it."""
        return comparison_words(self)

    def headline(self) -> str:
        """Return the verdict in one sentence."""
        return comparison_block(self).headline

    def __repr__(self) -> str:
        names, there = self.results.algorithms, dir(self)
        algorithms = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if names[8:] else "")
        calls = [".explain()", ".summary()", ".plot()"]
        calls += [f".{q}" for q in ("questions",) if q in there]
        calls += [f".{q}()" for q in ("draws", "sample") if q in there]
        return (
            f"Comparison by {self.method.name}: {algorithms} on "
            f"{', '.join(self.results.measures)} over {len(self.results.datasets)} datasets\n"
            f"  {self.headline()}\n"
            f"  see {', '.join(calls)}"
        )

    @property
    def effects(self) -> pd.DataFrame:
        """How large the differences of two algorithms are, a row for each measure.

        Differences are first less second, turned so that positive means that the first is better.
        All figures are of the ``n`` datasets on which both have a value: a failed run
        (``missing="worst"``) has no size, and counts in the verdict only. ``mean`` has Student's
        interval and ``median`` one by order statistics, both of 95 % (NaN where there are too few
        datasets). ``won`` and ``lost`` are shares of these datasets, beyond the rope where there is
        one; the rest are ties. ``rope`` says whether the interval of the mean "exceeds" the rope,
        lies "within" it or is "unclear".
        """
        from bayescompare.outcome.pair_figures import table_effects

        return table_effects(self.results)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Further tables of this method by title, with column titles for printing."""
        own: dict[str, pd.DataFrame] = getattr(self.posterior, "tables", {})
        return own

    # posterior -----------------------------------------------------------------------------------

    @pointing
    def draws(self, draws: int = 1000, *, chains: int = 4, rng: Rng = None) -> xr.DataTree:
        """Draw exactly from the posterior: a DataTree for ArviZ, `draws` per chain."""
        self._require("draws")
        check_draws(draws=draws, chains=chains)
        generator, seed = as_rng(rng)
        posterior: Any = self.posterior
        tree = posterior.draws(draws, chains, generator)
        return self._signed(tree, seed, sampler=posterior.draws_are)

    def model(self, *, form: Form = "textbook") -> pm.Model:
        """Build the PyMC model, to look at or to edit.

        Parameters
        ----------
        form : {"textbook", "nuts"}
            ``"textbook"`` is the model as it is written down: PyMC's own tools, such as
            ``pm.do``, ``pm.sample_posterior_predictive`` or ``pm.sample_smc``, work on it.
            ``"nuts"`` is the same model as `sample` samples it, for methods that have two forms.
        """
        self._require("model")
        forms = self.method.accepts.forms
        if form == "nuts" and form not in forms:
            raise BayescompareError(
                f"form={form!r}: the model of method {self.method.name!r} has one form, "
                f"{forms[0]!r}, which sample() uses too."
            )
        check_word("form", form, forms)
        return self.method.model(self.results, form)

    @pointing
    def sample(
        self,
        draws: int = 1000,
        *,
        chains: int = 4,
        model: pm.Model | None = None,
        rng: Rng = None,
        **pm_sample: Any,
    ) -> xr.DataTree:
        """Sample by NUTS; the same tree as `draws` gives, with `sample_stats`. Stores nothing.

        Parameters
        ----------
        draws, chains : int
            Kept draws per chain, and chains.
        model : pm.Model, optional
            An edited `model()`, of either form; without it the form for NUTS is sampled. The tree
            is marked as edited (``tree.attrs["model"]``), and `loo` and `diagnose` of it say so.
        rng : None, int or Generator
        **pm_sample
            Anything else for `pymc.sample`, such as ``target_accept`` or ``cores``.
        """
        self._require("sample")
        check_draws(draws=draws, chains=chains)
        generator, seed = as_rng(rng)
        pm_sample = {**self.method.accepts.sampler, **pm_sample}
        posterior: Any = self.posterior
        if model is None and hasattr(posterior, "own_sample"):
            drawn = posterior.own_sample(
                draws=draws, chains=chains, rng=generator, options=pm_sample
            )
            if drawn is not None:
                return self._signed(drawn, seed, sampler="nuts")
        # Before anything is compiled: PyTensor needs a folder that it can write to.
        nuts.check_compiler_for_nuts()
        sampled, through, accepts = model, None, self.method.accepts
        if sampled is None:
            sampled = self.method.model(self.results, "nuts")
            if len(accepts.forms) > 1 and accepts.predicts == "textbook":
                through = self.method.model(self.results)
        options = {**pm_sample, "draws": draws, "chains": chains}
        tree = nuts.sample(Sampling(generator, options=options), sampled, through=through)
        tree = nuts.with_likelihood(tree, likelihood_of(posterior), sampled)
        finished = posterior.from_nuts(tree, generator)
        return self._signed(finished, seed, sampler="nuts", edited=model is not None)

    def estimate_evidence(
        self,
        *,
        by: By = "bridge",
        draws: int | None = None,
        chains: int | None = None,
        model: pm.Model | None = None,
        rng: Rng = None,
        **options: Any,
    ) -> EvidenceEstimate:
        """Estimate the log evidence of the model, with its standard error.

        Where `log_evidence` is closed it is exact, and this is a check on the model.

        Parameters
        ----------
        by : {"bridge"}
            Bridge sampling from the posterior that NUTS draws, at any α.
        draws, chains : int, optional
            1000 per chain, in 4 chains.
        model : pm.Model, optional
            An edited `model()`, of either form. Its potentials count as they are.
        rng : None, int or Generator
        **options
            Anything else for `pymc.sample`, such as ``cores``.

        Returns
        -------
        EvidenceEstimate
            Unpacks as ``log_evidence, se``; its ``how`` and ``note`` say how it was made.
        """
        from bayescompare.outcome.scores import estimated_evidence

        if why := self.posterior.why_not("evidence"):
            raise QuantityNotAvailableError(
                f"estimate_evidence: method {self.method.name!r} has none. {why}"
            )
        self._require("estimate_evidence")
        self._require("model")
        return estimated_evidence(
            self, by, draws=draws, chains=chains, model=model, rng=rng, options=options
        )

    def diagnose(self, tree: xr.DataTree | None = None) -> Diagnosis:
        """Say whether the figures can be trusted: R-hat, ESS, divergences, E-BFMI, k-hat.

        Without a tree the answer itself is diagnosed; an exact one says so.
        """
        posterior = self.answer.tree if tree is None else tree
        if posterior is None:
            return diagnose_answer(self.posterior)
        return diagnose(posterior, supports_psis=not self.posterior.why_not("psis"))

    def loo(
        self,
        tree: xr.DataTree | None = None,
        *,
        refit: bool = False,
        khat: float = MOST_KHAT,
        model: pm.Model | None = None,
        rng: Rng = None,
        **pm_sample: Any,
    ) -> ELPDData:
        """Leave-one-dataset-out predictive accuracy, exactly where it can be.

        With a tree, by PSIS from its log likelihood. The result is an ArviZ ``ELPDData`` of kind
        "loo", so that ``arviz.compare`` takes it; ``elpd_i.attrs["how"]`` says how it was made.

        Parameters
        ----------
        tree : DataTree, optional
            From `draws` or `sample`; without it the answer itself is asked.
        refit : bool
            Sample again without each dataset that PSIS cannot leave out, which is exact up to
            Monte Carlo error. What is exact already stays so.
        khat : float
            The k-hat above which PSIS cannot; ``-math.inf`` refits without every dataset.
        model : pm.Model, optional
            The edited model that the tree came from, for refits of it.
        rng : None, int or Generator
        **pm_sample
            For `pymc.sample` in the refits; as many draws and chains as the tree has by default.
        """
        from bayescompare.outcome.scores import check_refit, checked_loo, exact_loo, refits

        self._require("loo")
        check_refit(refit, khat, model, pm_sample)
        if tree is not None and self.posterior.why_not("psis"):
            raise BayescompareError(
                "loo: the draws of this formula do not come from a likelihood times a prior, so "
                "PSIS cannot weight them; call loo() without a tree, which is exact, or use "
                "joint=True."
            )
        if (posterior := self._kept("loo", tree)) is not None:
            if refit:
                sampling = Sampling(as_rng(rng)[0], options=pm_sample)
                return refits(self.posterior, posterior, khat, model, sampling)
            return checked_loo(posterior)
        exact: Any = self.posterior
        without, within = exact.leave_one_out()
        return exact_loo(without, within, self.results.datasets)

    @pointing
    def plan(
        self,
        more: Sequence[int] = MORE,
        *,
        replicates: Sequence[float] | None = None,
        threshold: float = SETTLED,
        simulations: int = 500,
        rng: Rng = None,
    ) -> pd.DataFrame:
        """Return how probable it is that so many further datasets would settle the question.

        New datasets are simulated from the posterior predictive, and the old and new ones together
        are compared again: exactly where the answer is exact. A sampled answer is not sampled
        again; the likelihood of the new datasets reweights its draws. Numbers that move the
        posterior too far for that (k-hat, effective draws) are refused.

        Parameters
        ----------
        more : sequence of int
            Numbers of further datasets.
        replicates : sequence of float, optional
            In place of `more`, for ``"replicated"``: factors by which to multiply the replicates
            of the datasets seen.
        threshold : float
            Probability from which a statement counts as settled.
        simulations : int
            For each number.
        rng : None, int or Generator

        Returns
        -------
        DataFrame
            Indexed by `more` or `replicates`: ``settled`` (probability that some statement
            reaches the threshold), ``settled_on_best`` (that the one leading now does), ``mcse``
            of the first. Of a sampled answer the error includes the share of simulations whose
            weights fail, and ``attrs`` hold that share (``failed``) and the median of the
            effective draws (``ess``).
        """
        self._require("plan")
        from bayescompare.outcome.criticism import (
            check_plan,
            check_planning_factors,
            plan_table,
            reweighted_plan,
        )

        numbers = check_plan(more, threshold, simulations)
        generator, _ = as_rng(rng)
        best = self.answer.labels.index(self.best)
        if replicates is not None:
            # By identity: numbers that were given are refused beside factors, even the usual ones.
            factors = check_planning_factors(None if more is MORE else more, replicates)
            again = getattr(self.posterior, "with_replicates", None)
            if again is None:
                raise BayescompareError(
                    f"replicates: method {self.method.name!r} does not plan more replicates, only "
                    "more datasets (more=); 'replicated' plans both."
                )
            return plan_table(
                again(), best, factors, threshold, simulations, generator, name="replicates"
            )
        if self._kept("plan") is not None:
            return reweighted_plan(self, best, numbers, threshold, simulations, generator)
        posterior: Any = self.posterior
        return plan_table(posterior.grown(), best, numbers, threshold, simulations, generator)

    def events(self, events: EventsAsked, *, ci_prob: float = 0.95) -> pd.DataFrame:
        """Ask coarser questions of the same posterior: sums of θ over statements.

        Parameters
        ----------
        events : str, (str, str), mapping or callable
            ``"best on every measure"``: each algorithm, and nobody. ``("A", "B")``: who of the two
            is ahead on every measure, and neither. A measure: its states. ``"undominated"``: nobody
            is above the algorithm on all measures; these events overlap. A mapping of all labels
            of statements to events, or a function of a label, of at most 1,000,000 statements.
        ci_prob : float
            Probability of the central intervals.

        Returns
        -------
        DataFrame
            Indexed by event: ``probability`` that it is the most probable one (NaN where events
            overlap), ``mean``, ``lower`` and ``upper`` of its share of datasets, and ``majority``,
            the probability that it holds on more than half. ``attrs["exact"]`` is False where
            these are from draws.

        Examples
        --------
        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "RF", "CART"])
        >>> c.events("best on every measure")["mean"].round(3).to_dict()
        {'GBM': 0.296, 'RF': 0.267, 'CART': 0.002, 'nobody': 0.435}
        """
        from bayescompare.outcome.questions import events_of

        return events_of(self, events, ci_prob)

    def project(self, algorithms: Sequence[str]) -> Comparison:
        """Return the answer about some of the algorithms; the others are summed out.

        The posterior is the same, and the whole prior keeps its weight, so that of two algorithms
        it is what a test of these two alone gives on the same datasets.

        Examples
        --------
        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("jansen-uci"), algorithms=["GBM", "RF", "CART"])
        >>> round(float(c.project(["GBM", "CART"]).probability.max()), 4)
        1.0
        """
        from bayescompare.outcome.questions import project

        return project(self, algorithms)

    @pointing
    def predict(self, n: int, *, draws: int = 1000, rng: Rng = None) -> xr.DataArray:
        """Draw the statements of n new datasets from the posterior predictive.

        The datasets of one sample share its parameters, so they are alike as those seen are.
        Exact draws where the method has them, else the draws of the sampled answer.

        Parameters
        ----------
        n : int
            New datasets in each sample.
        draws : int
            Samples.
        rng : None, int or Generator

        Returns
        -------
        DataArray
            Labels of statements over (sample, dataset). Beyond 256 statements, too, every label
            is a statement: one that is not listed is drawn among those.

        Examples
        --------
        How probable is it that at least 4 of 5 new datasets have the leading statement?

        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("benavoli-example1"))
        >>> new = c.predict(5, draws=20_000, rng=1)
        >>> round(float(((new == c.best).sum("dataset") >= 4).mean()), 1)
        0.2
        """
        self._require("predict")
        check_count(n=n, draws=draws)
        if n * draws > MOST_DRAWS:
            raise BayescompareError(
                f"n={n} for draws={draws}: at most {whole_number_text(MOST_DRAWS)} predictions in "
                "total."
            )
        generator, seed = as_rng(rng)
        posterior: Any = self.posterior
        labels = posterior.predict(int(n), int(draws), generator)
        coords = {"sample": np.arange(draws), "dataset": np.arange(n)}
        sampler = posterior.draws_are if self.answer.tree is None else "nuts"
        attrs = {**self._how(seed, sampler), "version": __version__}
        return xr.DataArray(labels, coords, ("sample", "dataset"), name="statement", attrs=attrs)

    @pointing
    def simulate(self, *, rng: Rng = None) -> Results:
        """Draw parameters from the prior and a table of results like this one from them.

        The table has the same datasets, algorithms and measures; its values show what was drawn,
        so ``compare(table, method=c.method)`` asks the same question of it. The parameters are
        ``table.truth``, by the names and dims that ``c.draws()["prior"]`` has.

        Examples
        --------
        >>> import bayescompare as bc
        >>> c = bc.compare(bc.load_example("benavoli-example1"))
        >>> table = c.simulate(rng=1)
        >>> again = bc.compare(table, method=c.method)
        >>> again.best, str(table.truth["theta"].idxmax().item())
        ('A>B|A>B', 'A>B|A>B')
        """
        self._require("simulate")
        generator, seed = as_rng(rng)
        posterior: Any = self.posterior
        table: Results = posterior.simulate(generator)
        how = "" if seed is None else f", rng={seed}"
        return table._with(source=f"simulated from the prior of {self.method.name!r}{how}")

    def check(
        self, tree: xr.DataTree | None = None, *, prior: bool = False, rng: Rng = None
    ) -> pd.DataFrame:
        """Compare statistics of the data with those of data that the model predicts.

        Of statements: how many distinct ones there are, the largest count, and how often the
        first algorithm is best on each measure. Of error counts: datasets won, the overall share
        of errors and its spread.

        Parameters
        ----------
        tree : DataTree, optional
            From `draws` or `sample`; 1000 draws are made otherwise.
        prior : bool
            Predict from the prior instead of the posterior.
        rng : None, int or Generator

        Returns
        -------
        DataFrame
            Indexed by statistic: observed, predicted (mean), lower, upper (95 %), and p, the
            probability of a larger one (ties half): near 0 or 1 the model does not fit.
        """
        from bayescompare.outcome.criticism import predictive_check

        self._require("check")
        posterior = self._kept("check", tree)
        if posterior is None:
            posterior = self.draws(250, chains=4, rng=rng)
        return predictive_check(self, posterior, prior=prior, rng=rng)

    def sensitivity(self, values: Sequence[float] | None = None) -> pd.DataFrame:
        """Return every statement's P under weaker and stronger priors, by the prior's weight.

        Exactly where the answer is exact. The weight is the option `strength`, `ess` or `b` of
        the method, the "weight" of elicited beliefs, or else a power to which the prior's density
        is raised. Where the prior was learned from all pairs, the pair's own prior is varied. A
        sampled answer has its draws reweighted to powers of the priors at the top of its
        hierarchy; weights that fail (k-hat, effective draws) are refused. The attributes of the
        table hold the figures of the weights or, for ``"dirichlet"``, the bounds of the leading
        statement over all prior means. Draw the table with ``bc.plots.plot_sensitivity``.

        Parameters
        ----------
        values : sequence of float, optional
            Weights or powers; by default from a tenth to ten times the weight (for powers of a
            sampled prior from a half to two, as far as the weights hold).
        """
        from bayescompare.outcome.criticism import prior_sensitivity

        return prior_sensitivity(self, values)

    def rope_sensitivity(
        self, measure: str, *, ropes: Sequence[float] | None = None
    ) -> pd.DataFrame:
        """Repeat the comparison with other ropes, from 0 to the largest difference by default.

        Where the prior was learned from all pairs, the pair's own prior is used.
        """
        from bayescompare.outcome.criticism import rope_sensitivity

        return rope_sensitivity(self, measure, ropes)

    # pictures and files --------------------------------------------------------------------------

    def plot(
        self,
        kind: str | None = None,
        *,
        title: str | None = None,
        figsize: tuple[float, float] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the answer, by default as suits the method; see `bayescompare.plots`.

        Parameters
        ----------
        kind : str, optional
            Statement bars by default; mean ranks for ``"friedman"``, the Hasse diagram for
            ``"gsd"`` of more than two algorithms.
        title : str, optional
            In place of the usual title; "" for none.
        figsize : tuple of float, optional
            Width and height of the new figure in inches.
        ax : matplotlib Axes, optional
            Where to draw; a new figure otherwise.
        """
        from bayescompare import plots

        return plots.plot_comparison(self, kind=kind, title=title, figsize=figsize, ax=ax)

    def _document(self) -> dict[str, Any]:
        from bayescompare.outcome.saved import comparison_document

        return comparison_document(self)

    def to_netcdf(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write everything, a sampled posterior included, to one netCDF file."""
        from bayescompare.outcome import saved

        return saved.to_netcdf(self, check_file_is_writable(path, overwrite=overwrite))

    # inside --------------------------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        """List what this answer has, without the names that would only raise an error."""
        there = {*super().__dir__(), *QUANTITIES, *self._own_quantities()}
        return sorted(there - self._lacking())

    def _own_quantities(self) -> set[str]:
        """What a posterior from outside the package defines for its users."""
        kinds = [kind for kind in type(self.posterior).__mro__ if kind is not object]
        outside = [kind for kind in kinds if not kind.__module__.startswith("bayescompare.")]
        names = {name for kind in outside for name in vars(kind) if not name.startswith("_")}
        return {name for name in names if not hasattr(Posterior, name)}

    def _lacking(self) -> set[str]:
        """Names of the class that this answer has nothing for, found without computing anything."""
        from bayescompare.outcome.criticism import no_prior_weight, no_rope

        method, answer, posterior = self.method, self.answer, self.posterior
        has = {name: has_quantity(type(method), name) for name in QUANTITIES}
        sampled, needed = answer.tree is not None, method.needs_mcmc
        exact = has["draws"] and has["model"] and not needed
        there = {
            **{name: has[name] and not posterior.why_not(name) for name in QUANTITIES},
            "tree": sampled,
            "estimate_evidence": has["estimate_evidence"]
            and not any(map(posterior.why_not, ("model", "evidence"))),
            "check": sampled or exact,
            "effects": len(self.results.algorithms) == 2,
            "intervals": THETA_LOWER in answer.per_statement,
            "sensitivity": not no_prior_weight(self) and (sampled or not needed),
            "rope_sensitivity": not no_rope(self),
        }
        lacking = {name for name, has_it in there.items() if not has_it}
        figures = ("unobserved", "pvalue", "statistic", "log_evidence")
        lacking.update(name for name in figures if getattr(answer, name) is None)
        if not (sampled or exact):
            lacking.add("loo")
        if needed:
            lacking.add("draws")
        if needed and not (sampled and hasattr(posterior, "likelihood_of_more")):
            lacking.add("plan")
        return lacking

    def _require(self, quantity: str) -> None:
        why, method = self.posterior.why_not(quantity), self.method
        of_method = quantity in method.posterior_type.lacks
        if not has_quantity(type(method), quantity) and (of_method or not why):
            raise registry.unavailable(method, quantity)
        if why:
            raise QuantityNotAvailableError(why)

    def _kept(self, asked: str, tree: xr.DataTree | None = None) -> xr.DataTree | None:
        """Return the tree that was given, or that the answer came from; None of an exact one."""
        kept = self.answer.tree if tree is None else tree
        if kept is None and self.method.needs_mcmc:
            raise BayescompareError(
                f"{asked}: the chains of this answer were not saved (JSON does not hold them, "
                "netCDF does), and this prior leaves no exact formula; compare() again, or pass "
                "tree=, from sample(), where that is taken."
            )
        return kept

    def _figure(self, quantity: str) -> float:
        self._require(quantity)
        value: float | None = getattr(self.answer, quantity)
        if value is None:
            raise registry.unavailable(self.method, quantity)
        return value

    def _how(self, seed: int | None, sampler: str) -> dict[str, Any]:
        """How draws were made; only strings and numbers survive a netCDF file."""
        return {
            "method": self.method.name,
            "options": str(self.method.options()),
            "sampler": sampler,
            "seed": "a Generator" if seed is None else seed,
        }

    def _signed(
        self, tree: xr.DataTree, seed: int | None, *, sampler: str, edited: bool = False
    ) -> xr.DataTree:
        """Record in a tree how it was made."""
        tree.attrs.update(self._how(seed, sampler))
        if edited:
            tree.attrs["model"] = EDITED
        return arviz_tree(tree, sampled=sampler == "nuts")

    def __getattr__(self, name: str) -> Any:
        """Name the methods that have what this one lacks."""
        # Python also calls this when a property raises an AttributeError about what is missing:
        # raise that one again, rather than one that denies the attribute.
        attribute = getattr(type(self), name, None)
        for get in ("fget", "func"):
            if hasattr(attribute, get):
                return getattr(attribute, get)(self)
        if not name.startswith("_"):
            if name in QUANTITIES or name in self._own_quantities():
                self._require(name)
                return getattr(self.posterior, name)
            raise AttributeError(
                f"{type(self).__name__} has no attribute {name!r}.{did_you_mean(name, dir(self))}"
            )
        raise AttributeError(name)


def comparison_of(
    results: Results, method: Method, answer: Answer, *, loaded: bool = False
) -> Comparison:
    """Put results, method and answer into a comparison.

    What was `loaded` from a file is checked by whoever did that.
    """
    outside = not is_built_in_method(type(method))
    if outside:
        from bayescompare.outcome.outside import check_answer

        check_answer(results, method, answer)
    return Comparison(results, method, answer.bounded(foreign=outside or loaded))
