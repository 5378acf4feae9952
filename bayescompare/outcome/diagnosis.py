"""Can the figures be trusted? Convergence of a posterior, and what PSIS says of it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare.outcome.loo import MOST_KHAT, psis_loo
from bayescompare.outcome.posterior import Tested
from bayescompare.outcome.tree import OF_EDITED, check_tree, is_edited_comparison_tree
from bayescompare.text.numbers import count, standard_error_text, statistic_number_text

if TYPE_CHECKING:
    pass
    from bayescompare.outcome.posterior import Posterior


__all__ = ["LIMITS", "MOST_RHAT", "Diagnosis", "diagnose", "diagnose_answer"]


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
    """
    check_tree(tree, "posterior")
    posterior = tree["posterior"].to_dataset()
    chains = posterior.sizes["chain"]
    table, figures, problems = _convergence_diagnosis(tree, posterior)
    energy_figures, energy_problems = _transitions_diagnosis(tree)
    figures |= energy_figures
    problems += energy_problems
    loo = ""
    enough = posterior.sizes["draw"] * chains >= LEAST_FOR_KHAT
    if supports_psis and "log_likelihood" in tree and enough:
        figures["greatest k-hat"] = _greatest_khat_in_diagnosis(tree)
        if figures["greatest k-hat"] > MOST_KHAT:
            loo = (
                f" PSIS-LOO is unreliable here (k-hat > {MOST_KHAT}); loo() without a tree is "
                "exact where it can be."
            )
    verdict = (
        f"not trustworthy: {'; '.join(problems)}"
        if problems
        else _sound_diagnosis_words(tree, chains)
    )
    edited = f" {OF_EDITED}" if is_edited_comparison_tree(tree) else ""
    return Diagnosis(not problems, f"{verdict}.{loo}{edited}", table, figures)


def _convergence_diagnosis(
    tree: xr.DataTree, posterior: xr.Dataset
) -> tuple[pd.DataFrame, dict[str, float], list[str]]:
    """R-hat and ESS: the table by variable, the worst figures, and what is wrong with them."""
    import arviz as az

    chains = posterior.sizes["chain"]
    with warnings.catch_warnings():
        # A cell that is zero in every draw has no variance to compare between chains.
        warnings.simplefilter("ignore", RuntimeWarning)
        table = az.summary(tree, kind="diagnostics", round_to="none")
        rhat = az.rhat(posterior)
        ess = [az.ess(posterior, method=method) for method in ("bulk", "tail")]
    figures = (
        {"greatest R-hat": max(_moving_diagnosis_figures(rhat, posterior))} if chains > 1 else {}
    )
    figures["least ESS"] = min(
        v for each in ess for v in _moving_diagnosis_figures(each, posterior)
    )
    problems = []
    # Written so that NaN, which too few draws give, is a problem too.
    if _is_diagnosis_of_chains(tree) and not figures.get("greatest R-hat", 1.0) <= MOST_RHAT:
        problems.append("chains disagree (R-hat)")
    if not figures["least ESS"] >= LEAST_ESS_PER_CHAIN * chains:
        problems.append("too few effective draws (ESS)")
    return table, figures, problems


def _transitions_diagnosis(tree: xr.DataTree) -> tuple[dict[str, float], list[str]]:
    """Divergences and energies; Metropolis and Gibbs steps have neither."""
    import arviz as az

    stats = tree["sample_stats"].to_dataset() if "sample_stats" in tree else xr.Dataset()
    figures, problems = {}, []
    if "diverging" in stats:
        figures["divergences"] = float(stats["diverging"].sum())
        if figures["divergences"] > 0:
            problems.append("divergent transitions")
    if "energy" in stats:
        figures["least E-BFMI"] = float(np.min(np.asarray(az.bfmi(tree)["energy"])))
        if figures["least E-BFMI"] < LEAST_BFMI:
            problems.append("poor energy mixing (E-BFMI)")
    return figures, problems


def _greatest_khat_in_diagnosis(tree: xr.DataTree) -> float:
    with warnings.catch_warnings():
        # The verdict itself will say what ArviZ warns of.
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        return float(psis_loo(tree).pareto_k.max())


def _is_diagnosis_of_chains(tree: xr.DataTree) -> bool:
    """Whether chains made the draws; of independent draws an R-hat above the limit is chance."""
    return "sample_stats" in tree or tree.attrs.get("sampler", "nuts") == "nuts"


def _sound_diagnosis_words(tree: xr.DataTree, chains: int) -> str:
    if not _is_diagnosis_of_chains(tree):
        return "independent draws, no chains to diagnose"
    if chains == 1:
        return "no problem found, but one chain cannot show that chains agree"
    return "no problem found"


def _moving_diagnosis_figures(figures: xr.Dataset, posterior: xr.Dataset) -> list[float]:
    """Figures of what is not constant over the draws; NaN, which counts as a problem, if one is."""
    samples = ("chain", "draw")
    moves = posterior.max(samples) > posterior.min(samples)
    moving = np.concatenate(
        [np.ravel(figures[name].values[moves[name].values]) for name in posterior.data_vars]
    )
    return moving.tolist() if len(moving) and np.isfinite(moving).all() else [math.nan]
