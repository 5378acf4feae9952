"""Can the figures be trusted? Convergence of a posterior, and what PSIS says of it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare.outcome.posterior import Tested
from bayescompare.outcome.reweighting import MOST_KHAT
from bayescompare.outcome.tree import OF_EDITED, check_tree, is_edited_comparison_tree
from bayescompare.text.numbers import count, standard_error_text, statistic_number_text

if TYPE_CHECKING:
    from bayescompare.outcome.posterior import Posterior


#: Thresholds of Vehtari et al. (2021, 2024) and Betancourt (2016).
MOST_RHAT = 1.01
LEAST_ESS_PER_CHAIN = 100
LEAST_BFMI = 0.3
#: By the names that figures have.
LIMITS = {
    "greatest R-hat": MOST_RHAT,
    "least E-BFMI": LEAST_BFMI,
    "greatest k-hat": MOST_KHAT,
    "r_hat": MOST_RHAT,
}
#: Fewer draws have no tail to fit.
LEAST_FOR_KHAT = 50


@dataclass(frozen=True)
class Diagnosis:
    """Whether to trust a posterior: figures by variable, and a verdict in words.

    Attributes
    ----------
    ok : bool
        Whether no problem was found.
    verdict : str
        The same in words.
    table : pandas.DataFrame
        R-hat, bulk and tail ESS of every variable; empty for exact answers.
    figures : dict
        Divergences, least E-BFMI, greatest R-hat, least ESS, greatest k-hat, where known.
    """

    ok: bool
    verdict: str
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    figures: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """Verdict first, then the figures."""
        figures = "  ".join(f"{name} {text}" for name, text in self.written().items())
        return f"{self.verdict}\n{figures}" if figures else self.verdict

    __repr__ = __str__

    def written(self) -> dict[str, str]:
        """The figures as texts, each on its own side of the limit it is held to."""
        return {
            name: _written_diagnosis_figure(name, value) for name, value in self.figures.items()
        }


def _written_diagnosis_figure(name: str, value: float) -> str:
    if math.isnan(value):
        return "not known"
    # The limit of an ESS is a multiple of that of one chain.
    step = LEAST_ESS_PER_CHAIN
    limit = LIMITS.get(name, step * round(value / step))
    return count(value) if name == "divergences" else statistic_number_text(value, levels=[limit])


def diagnose_answer(posterior: Posterior) -> Diagnosis:
    """Diagnose an answer that has no draws with it: most need no diagnosis."""
    answer = posterior.answer
    if answer.mcse is not None and posterior.method.needs_mcmc:
        return Diagnosis(
            False,
            "not known: this answer was sampled by NUTS, and its chains were not saved (JSON does "
            "not hold them, netCDF does); call sample() again, or pass tree=.",
        )
    if isinstance(posterior, Tested) and posterior.approximate:
        verdict = (
            "nothing was sampled, so there is nothing to diagnose; the p-value is a large-sample "
            "approximation."
        )
    elif answer.resampled_pvalue:
        verdict = (
            "the p-value comes from random resamples, which are independent; it is valid whatever "
            "their number, and more of them make it finer."
        )
    elif answer.mcse is not None:
        verdict = (
            "Monte Carlo from independent draws, so there are no chains to diagnose; the standard "
            f"error of P is at most {standard_error_text(float(answer.mcse.max()))}."
        )
    else:
        verdict = "exact: no sampling was done, so there is nothing to diagnose."
    return Diagnosis(True, verdict)


def diagnose(tree: xr.DataTree, *, supports_psis: bool = True) -> Diagnosis:
    """Diagnose the posterior in a tree.

    Draws that do not come from a likelihood times a prior have no k-hat: PSIS cannot weight them.
    ArviZ's own `diagnose` looks at the same figures, but finds no fault with draws so few that
    these are not numbers.
    """
    import arviz as az

    check_tree(tree, "posterior")
    posterior = tree["posterior"].to_dataset()
    chains, draws = (posterior.sizes[dim] for dim in ("chain", "draw"))
    # Of independent draws an R-hat above the limit is chance.
    made_by_chains = "sample_stats" in tree or tree.attrs.get("sampler", "nuts") == "nuts"
    figures, problems = {}, []
    with warnings.catch_warnings():
        # A cell that is zero in every draw has no variance to compare between chains.
        warnings.simplefilter("ignore", RuntimeWarning)
        table = az.summary(tree, kind="diagnostics", round_to="none")
        if chains > 1:
            figures["greatest R-hat"] = max(_moving(az.rhat(posterior), posterior))
        ess = [_moving(az.ess(posterior, method=how), posterior) for how in ("bulk", "tail")]
    figures["least ESS"] = min(map(min, ess))
    # Written so that NaN, which too few draws give, is a problem too.
    if made_by_chains and not figures.get("greatest R-hat", 1.0) <= MOST_RHAT:
        problems.append("chains disagree (R-hat)")
    if not figures["least ESS"] >= LEAST_ESS_PER_CHAIN * chains:
        problems.append("too few effective draws (ESS)")
    # Metropolis and Gibbs steps have neither divergences nor energies.
    stats = tree["sample_stats"].to_dataset() if "sample_stats" in tree else xr.Dataset()
    if "diverging" in stats:
        figures["divergences"] = float(stats["diverging"].sum())
        problems += ["divergent transitions"] if figures["divergences"] else []
    if "energy" in stats:
        figures["least E-BFMI"] = float(np.min(np.asarray(az.bfmi(tree)["energy"])))
        problems += ["poor energy mixing (E-BFMI)"] if figures["least E-BFMI"] < LEAST_BFMI else []
    if supports_psis and "log_likelihood" in tree and draws * chains >= LEAST_FOR_KHAT:
        from bayescompare.outcome.loo import psis_loo

        with quiet_pareto():  # the verdict itself says what ArviZ warns of
            figures["greatest k-hat"] = float(psis_loo(tree).pareto_k.max())
    if problems:
        verdict = f"not trustworthy: {'; '.join(problems)}."
    elif not made_by_chains:
        verdict = "independent draws, no chains to diagnose."
    elif chains == 1:
        verdict = "no problem found, but one chain cannot show that chains agree."
    else:
        verdict = "no problem found."
    if figures.get("greatest k-hat", 0.0) > MOST_KHAT:
        verdict += (
            f" PSIS-LOO is unreliable here (k-hat > {MOST_KHAT}); loo() without a tree is exact "
            "where it can be."
        )
    if is_edited_comparison_tree(tree):
        verdict += f" {OF_EDITED}"
    return Diagnosis(not problems, verdict, table, figures)


def _moving(figures: xr.Dataset, posterior: xr.Dataset) -> list[float]:
    """Figures of what is not constant over the draws; NaN, which counts as a problem, if one is."""
    samples = ("chain", "draw")
    moves = posterior.max(samples) > posterior.min(samples)
    moving = np.concatenate(
        [np.ravel(figures[name].values[moves[name].values]) for name in posterior.data_vars]
    )
    return moving.tolist() if len(moving) and np.isfinite(moving).all() else [math.nan]


@contextmanager
def quiet_pareto() -> Iterator[None]:
    """Silence ArviZ about weights with heavy tails."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        yield
