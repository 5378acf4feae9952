r"""The Poisson-binomial test: is one algorithm better than another on most datasets of a kind?

Story: on dataset i an example is the first algorithm's error alone with probability
:math:`p_{h,i}`, the second's alone with :math:`p_{g,i}`; the first is better (:math:`d_i = 1`)
where :math:`p_{h,i} < p_{g,i}`. That holds on a share r of the datasets of the context,

.. math:: r \sim \mathrm{Beta}(b, b), \quad d_i \mid r \sim \mathrm{Bernoulli}(r), \quad
          (p_{h,i}, p_{g,i}, \cdot) \mid d_i \sim \mathrm{Dirichlet}(a, a, a)
          \text{ on the side of } d_i, \quad k_i \sim \mathrm{Multinomial}(p_i),

and the question is Pr(r > ½ | k). The paper's formula is the *cut* of this model: every
:math:`d_i` is judged by its own counts alone, and r by the d's (`joint=False`). With `joint=True`
the datasets inform each other through r. That is the model which PyMC samples; the cut has draws,
but no model.

References
----------
Lacoste, Laviolette & Marchand (2012), Section 5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from bayescompare._checks import check_flag, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import AnyArray, FloatArray, IntArray
from bayescompare.kernels.context.error_rates import (
    draw_error_rate_outcomes,
    draw_error_rate_shares,
    error_rate_log_marginal,
    first_error_rate_better,
    smaller_independent_rate,
)
from bayescompare.methods._shared.pair_answer import WRONG, pair_counts
from bayescompare.methods._shared.priors import Priors
from bayescompare.methods._shared.trees import add_constants
from bayescompare.methods._shared.words import option_as_given, text_on_sampling, text_on_weight
from bayescompare.methods.context.comparison import CountsPosterior
from bayescompare.methods.context.probabilities import ErrorPrior, check_error_prior
from bayescompare.methods.context.shares import (
    CUT_LACKS,
    Said,
    SharePosterior,
    ShareTest,
    add_groups,
    shares_in,
)
from bayescompare.outcome.answer import Answer
from bayescompare.outcome.decision import Decision
from bayescompare.outcome.method import (
    Accepts,
    Form,
    Parameter,
    Phrases,
)
from bayescompare.outcome.posterior import Lack, Posterior, least_of_rows
from bayescompare.outcome.registry import title_in_registry
from bayescompare.table.counts import ErrorCounts
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


#: What a log density that never varies varies by in draws.
_LEAST_SPREAD = 1e-9


class PoissonBinomialPosterior(SharePosterior, CountsPosterior):
    """r after the data, every d and the error probabilities of each dataset."""

    method: PoissonBinomial

    lacks: ClassVar[Mapping[str, Lack]] = CUT_LACKS | {
        "evidence": Lack(
            "It is that of a model, which the paper's formula is not: say joint=True.",
            unless={"joint": True},
        ),
    }

    def complete(
        self, tree: xr.DataTree, statement: IntArray, rng: np.random.Generator
    ) -> xr.DataTree:
        """Draw every d, h, z = p_h/(p_h + p_g) and, where the sizes are known, all of p.

        A tree of the textbook's form has d and h already. Where each algorithm had a test set of
        its own there is d, and no more.
        """
        over, sides = ("dataset",), np.exp(self.seen.rows[0])
        rate, before = (shares_in(tree[g].to_dataset())[..., :1] for g in ("posterior", "prior"))
        after = (statement == 0).reshape(*rate.shape[:2], -1)
        ahead = rng.random((*before.shape[:2], len(sides))) < before
        each = np.log(rate * sides[:, 0] + (1.0 - rate) * sides[:, 1])
        # A tied dataset has the same density in all draws, which ArviZ's PSIS refuses.
        tied = each[..., sides[:, 0] == sides[:, 1]]
        each[..., sides[:, 0] == sides[:, 1]] = tied + _LEAST_SPREAD * rng.random(tied.shape)
        groups: dict[str, dict[str, tuple[tuple[str, ...], AnyArray]]] = {
            "posterior": {"d": (over, after.astype(np.int8))},
            "prior": {"d": (over, ahead.astype(np.int8))},
            "log_likelihood": {WRONG: (over, each)},
        }
        facts = {"alone": self.seen.each_alone(np.ones(1))[:, 0]}
        if not self.method.independent:
            assert isinstance(self.results, ErrorCounts)
            k_h, k_g = pair_counts(self.results)
            a, n, size = self.method.kinds, self.results.counts["n"].values, k_h + k_g
            nothing = np.zeros_like(size)
            for group, d, h, g, rest in (
                ("posterior", after, k_h, k_g, n - size),
                ("prior", ahead, nothing, nothing, nothing),
            ):
                z = draw_error_rate_shares(h, g, d, rng, *a[:2])
                groups[group] |= {"h": (over, np.minimum(z, 1.0 - z)), "z": (over, z)}
                if not np.isnan(n).any():
                    p = draw_error_rate_outcomes(z, h + g, rest, rng, a)
                    groups[group]["p"] = (("dataset", "outcome"), p)
            groups["observed_data"] = {WRONG: (over, k_h.astype(np.int64))}
            for group, r in (("posterior_predictive", rate), ("prior_predictive", before)):
                wrong = _errors_on_new_datasets(r, size.astype(np.int64), a, rng)
                groups[group] = {WRONG: (over, wrong)}
            facts["discordant"] = size
        first, second = self.results.algorithms
        outcomes = [f"only {first} wrong", f"only {second} wrong", "neither alone"]
        tree = add_groups(tree, groups, {"dataset": self.results.datasets, "outcome": outcomes})
        return add_constants(tree, facts, self.results.datasets)

    def why_not(self, quantity: str) -> str:
        """Say what independent test sets leave out."""
        if self.method.independent and quantity in ("model", "sample", "simulate", "check"):
            return (
                f"{quantity}: with independent=True there is no model of the errors on a test set "
                "that both have seen; draws() has r and every d."
            )
        return super().why_not(quantity)

    def grown(self) -> Callable[[int, np.random.Generator], FloatArray]:
        """Predict datasets with as many discordant examples as those seen, one like another."""
        if self.method.independent:
            return super().grown()
        theta, rows, a = self._known_for("plan"), self.seen.rows, self.method.kinds
        seen = np.add(*pair_counts(self.results)).astype(np.int64)

        def simulate(number: int, rng: np.random.Generator) -> FloatArray:
            rate = np.exp(theta.draw(1, rng)[:, :1])
            n = rng.choice(seen, size=number)
            (wrong,) = _errors_on_new_datasets(rate, n, a, rng)
            new = self.method.sides(self.method.better((wrong, n - wrong)))
            return least_of_rows(theta, np.concatenate([rows, new[None]], axis=1), rng)

        return simulate

    def level_given(self, decision: Decision) -> Callable[[int, int], float] | None:
        """P of the leading statement with more sure datasets, or its surest ones turned round."""
        theta = self.theta
        if theta is None:
            return None
        place, (rows,) = self.answer.labels.index(decision.statement), self.seen.rows
        # From the surest for it to the surest against it.
        rows = rows[np.argsort(rows[:, 1 - place] - rows[:, place], kind="stable")]
        sure = np.full((1, 2), -np.inf)
        sure[0, place] = 0.0

        def level(more: int, moved: int) -> float:
            turned = [rows[:moved, ::-1], rows[moved:], np.repeat(sure, more, axis=0)]
            rows_then = np.concatenate(turned)[None]
            return float(least_of_rows(theta, rows_then, np.random.default_rng(0))[place])

        return level


@dataclass(frozen=True, kw_only=True)
class PoissonBinomial(ShareTest):
    """Is the first algorithm better than the second on most datasets like these?

    Parameters
    ----------
    joint : bool
        Whether the datasets inform each other through r (the full model), or each is judged by its
        own counts alone (the paper's formula, the default).
    a : float, or two or three of them
        Parameters of the Dirichlet prior of a dataset's error probabilities: one for all, or
        (α'_h, α'_g[, α']) for errors of the first alone, of the second alone, and no difference
        (1 where it is left out). With `independent`, α' and β' of either risk's Beta, in two pairs.
    b : float, pair of float or "learned"
        Parameter of the symmetric Beta prior of r, or both of one that favours an algorithm,
        (β̂_A, β̂_B). ``"learned"``, for ``pairwise`` with ``joint=True`` only, learns it from all
        pairs of the table.
    independent : bool
        Whether each algorithm had a test set of its own (Section 4), of the size that the counts
        have: then all errors of each count, under a Beta(a, a) prior of either risk. Errors on one
        test set are compared example by example, which is surer.
    priors : mapping, optional
        Your priors, by the names in ``bc.methods.describe("poisson-binomial")``; with
        ``joint=True`` only. A distribution for ``r`` without random parameters keeps the answer
        exact; a distribution for ``b`` and all else switch it to NUTS, and the answer says so.

    Examples
    --------
    >>> import bayescompare as bc
    >>> counts = bc.load_example("lacoste-svm-parzen")
    >>> c = bc.compare(counts, method=PoissonBinomial())
    >>> c.best, round(float(c.probability.max()), 6)
    ('svm>parzen', 0.985346)
    >>> c = bc.compare(counts, method=PoissonBinomial(joint=True))
    >>> round(float(c.probability.max()), 6)
    0.998807
    """

    name: ClassVar[str] = "poisson-binomial"
    title: ClassVar[str] = title_in_registry("poisson-binomial")
    citations: ClassVar[tuple[str, ...]] = ("lacoste2012bayesian",)
    posterior_type: ClassVar[type[Posterior]] = PoissonBinomialPosterior
    phrases: ClassVar[Phrases] = Phrases(
        reference="Lacoste, Laviolette & Marchand (2012), Section 5",
        levers="more examples on the datasets in doubt (see per_dataset)",
        verdict="holds on most datasets of this kind",
    )
    accepts: ClassVar[Accepts] = Accepts(
        judges="counts", forms=("textbook", "nuts"), predicts="nuts"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "r",
            (),
            "Beta(b, b)",
            "share of datasets on which the first algorithm is better (with joint=True)",
            high=1.0,
        ),
        Parameter("b", (), "1", "parameter of r's symmetric Beta prior (a number, or joint=True)"),
    )

    joint: bool = False
    a: ErrorPrior = 1.0
    b: float | tuple[float, float] | Literal["learned"] = 1.0
    independent: bool = False
    priors: Priors | None = None

    def __post_init__(self) -> None:
        check_flag(independent=self.independent)
        object.__setattr__(self, "a", check_error_prior(self.a, independent=self.independent))
        super().__post_init__()

    @property
    def kinds(self) -> tuple[float, float, float]:
        """Parameters α'_h, α'_g and α' of the Dirichlet prior."""
        if is_number(self.a):
            return self.a, self.a, self.a
        given: Any = self.a
        return (*given, 1.0) if len(given) == 2 else given

    def said(self, results: Results) -> Said:
        """Return p_i and 1 − p_i, each by its own tail, times the evidence of the counts."""
        seen = _all_errors(results) if self.independent else pair_counts(results)
        k_h, k_g, *sizes = seen
        if sizes:
            sides = zip((k_h, k_g), self._risks, strict=True)
            logs = [error_rate_log_marginal(k, sizes[0] - k, *prior) for k, prior in sides]
            each = logs[0] + logs[1]
        else:
            each = error_rate_log_marginal(k_h, k_g, *self.kinds[:2])
        alone = self.better(seen)
        rows = self.sides(alone) + (math.log(2.0) + each)[:, None]
        return Said(rows, alone, {"first_wrong": k_h, "second_wrong": k_g})

    def better(self, seen: tuple[FloatArray, ...]) -> FloatArray:
        """P(the first is better) and P(the second is) of each dataset, (n, 2), by its own tail.

        Seen are errors of the first and of the second, and the sizes of test sets of their own.
        """
        k_h, k_g, *sizes = seen
        better: Any = smaller_independent_rate if sizes else first_error_rate_better
        priors: Any = self._risks if sizes else self.kinds[:2]
        first, second = better(k_h, k_g, *sizes, *priors), better(k_g, k_h, *sizes, *priors[::-1])
        return np.stack([first, second], axis=-1)

    def sides(self, alone: FloatArray) -> FloatArray:
        """Log P of either side of each dataset; of the full model, against what it was before."""
        with np.errstate(divide="ignore"):
            logs = np.log(alone)
        if not self.joint:
            return logs
        nothing = tuple(np.zeros((3 if self.independent else 2, 1)))
        return logs - np.log(2.0 * self.better(nothing))

    @property
    def _risks(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """α' and β' of either risk, where each has a test set of its own."""
        given: Any = self.a
        return ((given, given), (given, given)) if is_number(given) else given

    def build(self, results: Results, form: Form) -> pm.Model:
        r"""Build the joint model; for NUTS every d and h is summed out, for with d it does not mix.

        h is the better one's share of the examples that only one of the two gets wrong, so that a d
        that flips keeps its size: z is h if d, else 1 − h.
        """
        import pymc as pm
        import pytensor.tensor as pt

        if self.independent:
            raise BayescompareError("model(): with independent=True there is no PyMC model.")
        k_h, k_g = (k.astype(np.int64) for k in pair_counts(results))
        statements = self.evidence(results).statements
        coords = {"dataset": list(results.datasets), "statement": list(statements.labels)}
        with pm.Model(coords=coords) as model:
            k = pm.Data("seen", k_h, dims="dataset")
            n = pm.Data("n", k_h + k_g, dims="dataset")
            r = self.place_shares(statements)[0]
            if form == "nuts":
                sided_beta_binomial(WRONG, n, self.kinds, r, observed=k, dims="dataset")
                return model
            d = pm.Bernoulli("d", r, dims="dataset")
            a, other = (np.float64(each) for each in self.kinds[:2])
            sides = (a, a)
            if a != other:
                sides = pt.switch(d, a, other), pt.switch(d, other, a)
            beta = pm.Beta.dist(*sides)
            h = pm.Truncated("h", beta, 0.0, _BELOW_HALF, dims="dataset")
            pm.Binomial(WRONG, n, pt.switch(d, h, 1.0 - h), observed=k, dims="dataset")
        return model

    def methods_text(self, answer: Answer | None) -> str:
        """Describe the test for a methods section."""
        model = "jointly with the share of datasets" if self.joint else "dataset by dataset"
        prior = ""
        if not self.priors:
            prior = (
                ", under a Dirichlet prior of each dataset's error probabilities "
                f"(a = {option_as_given(self.a)}) and a Beta prior of the share of datasets "
                f"({text_on_weight(self.b)})"
            )
        counted = (
            "the errors of each of the two on a test set of its own"
            if self.independent
            else "the counts of examples that only one of the two gets wrong"
        )
        return (
            f"by the Poisson binomial test of {{cited}}: from {counted}, {model}{prior}"
            f"{text_on_sampling(self)}. Reported is the posterior probability that one is better "
            "on most datasets of the context."
        )

    def own_words(self, results: Results, answer: Answer) -> list[str]:
        """Say how the datasets were put together, and what does not count."""
        formula = (
            "This is the paper's formula, which judges every dataset by its own errors alone "
            "and so is mostly nearer to ½; the full model of the same story is joint=True."
        )
        ignored = (
            "Only who has the smaller risk on a dataset counts, not by how much, and every dataset "
            "counts the same."
        )
        apart = "Each algorithm was judged on a test set of its own, by all of its errors there."
        said = [apart] if self.independent else []
        return [*said, ignored] if self.joint else [*said, formula, ignored]


def _all_errors(results: Results) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return all errors of the first and of the second, and the size of either test set."""
    assert isinstance(results, ErrorCounts)
    wrong, n = results.counts["wrong"].values, results.counts["n"].values
    if np.isnan(wrong).any() or np.isnan(n).any():
        raise BayescompareError(
            "independent=True needs all errors and the sizes of the test sets: give both_wrong= "
            "and n= to ErrorCounts.from_frame, or use ErrorCounts.from_predictions."
        )
    return wrong[:, 0], wrong[:, 1], n


# the likelihood ----------------------------------------------------------------------------------

#: At ½ itself, the mean of Beta(a, a), PyMC would start on the bound.
_BELOW_HALF = np.nextafter(0.5, 0.0)


def sided_beta_binomial(
    name: str, n: Any, kinds: tuple[float, float, float], r: Any, **kwargs: Any
) -> Any:
    """k ~ Binomial(n, z), z ~ Beta(a, a') below ½ with probability r, else above, summed out."""
    import pymc as pm
    import pytensor.tensor as pt

    a, other = (np.float64(each) for each in kinds[:2])
    before = float(first_error_rate_better(0, 0, a, other))

    def logp(k: Any, n: Any, r: Any) -> Any:
        below, above = pt.betainc(a + k, other + n - k, 0.5), pt.betainc(other + n - k, a + k, 0.5)
        sides = pt.log(r * below / before + (1.0 - r) * above / (1.0 - before))
        return pm.logp(pm.BetaBinomial.dist(n=n, alpha=a, beta=other), k) + sides

    def dist(n: Any, r: Any, size: Any) -> Any:
        first = pm.Bernoulli.dist(r, size=size)
        if a == other:
            h = pm.Beta.dist(a, a, size=size)
            h = pt.minimum(h, 1.0 - h)
            return pm.Binomial.dist(n, pt.switch(first, h, 1.0 - h))
        sides = (pt.switch(first, *pair) for pair in ((a, other), (other, a)))
        h = pm.Truncated.dist(pm.Beta.dist(*sides), 0.0, _BELOW_HALF)
        return pm.Binomial.dist(n, pt.switch(first, h, 1.0 - h))

    named = {"class_name": "SidedBetaBinomial", "dtype": "int64"}
    return pm.CustomDist(name, n, r, logp=logp, dist=dist, **named, **kwargs)


def _errors_on_new_datasets(
    r: FloatArray, n: IntArray, kinds: tuple[float, float, float], rng: np.random.Generator
) -> IntArray:
    """Draw d, then z on d's side, then errors of the first out of n discordant examples."""
    first = rng.random(np.broadcast_shapes(r.shape, np.shape(n))) < r
    z = draw_error_rate_shares(0.0, 0.0, first, rng, *kinds[:2])
    return np.asarray(rng.binomial(n, z), dtype=np.int64)
