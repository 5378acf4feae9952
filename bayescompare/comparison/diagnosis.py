"""Can the figures be trusted? Convergence of a posterior, and leave-one-dataset-out.

The one file that knows what ArviZ asks of a tree and where it stumbles.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.text.numbers import count, error, statistic

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData

    from bayescompare.comparison.answer import Answer
    from bayescompare.comparison.method import Method

__all__ = [
    "EDITED",
    "Diagnosis",
    "check_tree",
    "checked_loo",
    "diagnose",
    "diagnose_answer",
    "exact_loo",
    "psis_loo",
]


#: Thresholds of Vehtari et al. (2021, 2024) and Betancourt (2016).
MOST_RHAT = 1.01
LEAST_ESS_PER_CHAIN = 100
LEAST_BFMI = 0.3
MOST_KHAT = 0.7
#: By the names that figures have.
LIMITS = {
    "greatest R-hat": MOST_RHAT,
    "least E-BFMI": LEAST_BFMI,
    "greatest k-hat": MOST_KHAT,
    "r_hat": MOST_RHAT,
}
#: A log likelihood above 0 by no more than this is 0.
_ROUNDING = 1e-9
#: Fewer draws have no tail to fit.
LEAST_FOR_KHAT = 50

#: What the attribute "model" of a tree says where the user gave the model.
EDITED = "edited"
_OF_EDITED = "This is about an edited model, not the one behind the comparison."


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
        return {name: _written(name, value) for name, value in self.figures.items()}


def _written(name: str, value: float) -> str:
    if math.isnan(value):
        return "not known"
    # The limit of an ESS is a multiple of that of one chain.
    step = LEAST_ESS_PER_CHAIN
    limit = LIMITS.get(name, step * round(value / step))
    return count(value) if name == "divergences" else statistic(value, levels=[limit])


def diagnose_answer(method: Method, answer: Answer) -> Diagnosis:
    """Diagnose an answer that has no posterior with it: most need no diagnosis."""
    if answer.mcse is not None and method.needs_mcmc:
        return Diagnosis(
            False,
            "not known: this answer was sampled by NUTS, and its chains were not saved (JSON does "
            "not hold them, netCDF does); call sample() again, or pass tree=.",
        )
    if method.approximate(answer):
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
            f"error of P is at most {error(float(answer.mcse.max()))}."
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
    table, figures, problems = _convergence(tree, posterior)
    energy_figures, energy_problems = _transitions(tree)
    figures |= energy_figures
    problems += energy_problems
    loo = ""
    enough = posterior.sizes["draw"] * chains >= LEAST_FOR_KHAT
    if supports_psis and "log_likelihood" in tree and enough:
        figures["greatest k-hat"] = _greatest_khat(tree)
        if figures["greatest k-hat"] > MOST_KHAT:
            loo = (
                f" PSIS-LOO is unreliable here (k-hat > {MOST_KHAT}); loo() without a tree is "
                "exact where it can be."
            )
    verdict = f"not trustworthy: {'; '.join(problems)}" if problems else _sound(tree, chains)
    edited = f" {_OF_EDITED}" if _is_edited(tree) else ""
    return Diagnosis(not problems, f"{verdict}.{loo}{edited}", table, figures)


def _convergence(
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
    figures = {"greatest R-hat": max(_moving(rhat, posterior))} if chains > 1 else {}
    figures["least ESS"] = min(v for each in ess for v in _moving(each, posterior))
    problems = []
    # Written so that NaN, which too few draws give, is a problem too.
    if _is_chained(tree) and not figures.get("greatest R-hat", 1.0) <= MOST_RHAT:
        problems.append("chains disagree (R-hat)")
    if not figures["least ESS"] >= LEAST_ESS_PER_CHAIN * chains:
        problems.append("too few effective draws (ESS)")
    return table, figures, problems


def _transitions(tree: xr.DataTree) -> tuple[dict[str, float], list[str]]:
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


def _greatest_khat(tree: xr.DataTree) -> float:
    with warnings.catch_warnings():
        # The verdict itself will say what ArviZ warns of.
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        return float(psis_loo(tree).pareto_k.max())


def _is_chained(tree: xr.DataTree) -> bool:
    """Whether chains made the draws; of independent draws an R-hat above the limit is chance."""
    return "sample_stats" in tree or tree.attrs.get("sampler", "nuts") == "nuts"


def _sound(tree: xr.DataTree, chains: int) -> str:
    if not _is_chained(tree):
        return "independent draws, no chains to diagnose"
    if chains == 1:
        return "no problem found, but one chain cannot show that chains agree"
    return "no problem found"


def _is_edited(tree: xr.DataTree) -> bool:
    return bool(tree.attrs.get("model") == EDITED)


def _moving(figures: xr.Dataset, posterior: xr.Dataset) -> list[float]:
    """Figures of what is not constant over the draws; NaN, which counts as a problem, if one is."""
    samples = ("chain", "draw")
    moves = posterior.max(samples) > posterior.min(samples)
    moving = np.concatenate(
        [np.ravel(figures[name].values[moves[name].values]) for name in posterior.data_vars]
    )
    return moving.tolist() if len(moving) and np.isfinite(moving).all() else [math.nan]


def check_tree(tree: object, group: str) -> None:
    """Reject what is not a tree, or has no such group."""
    if not isinstance(tree, xr.DataTree):
        raise BayescompareError(
            f"tree is a {type(tree).__name__}: pass the tree that draws() or sample() returns."
        )
    if group not in tree:
        raise BayescompareError(
            f"tree has no {group} group: pass the tree that draws() or sample() returns."
        )


def exact_loo(without: FloatArray, within: FloatArray, datasets: Sequence[str]) -> ELPDData:
    """Wrap exact leave-one-out densities as what ``arviz.compare`` takes.

    Parameters
    ----------
    without, within : arrays (n,)
        Log predictive density of each dataset given the others, and given all.
    datasets : sequence of str
    """
    from arviz_stats.utils import ELPDDataLOO

    n = len(without)
    elpd_i = xr.DataArray(without, {"dataset": list(datasets)}, dims="dataset", name="elpd_i")
    return ELPDDataLOO(
        elpd=float(without.sum()),
        se=float(np.sqrt(n * np.var(without))),
        p=float((within - without).sum()),
        n_samples=0,
        n_data_points=n,
        scale="log",
        warning=False,
        good_k=MOST_KHAT,
        elpd_i=elpd_i,
        # Nothing was importance-sampled: no weight has a tail.
        pareto_k=xr.zeros_like(elpd_i).rename("pareto_k"),
    )


def checked_loo(tree: xr.DataTree) -> ELPDData:
    """PSIS-LOO of a tree whose log likelihood can be one; an edited model's says that it is."""
    check_tree(tree, "log_likelihood")
    _check_likelihood(tree)
    loo = psis_loo(tree)
    return _edited_loo(loo) if _is_edited(tree) else loo


def _edited_loo(loo: ELPDData) -> ELPDData:
    """The same figures, which say when printed that the model was edited."""
    from arviz_stats.utils import ELPDDataLOO

    class EditedLOO(ELPDDataLOO):
        def __str__(self) -> str:
            return f"{super().__str__()}\n{_OF_EDITED}"  # type: ignore[no-untyped-call]

        __repr__ = __str__

    edited: ELPDData = EditedLOO(**{f.name: getattr(loo, f.name) for f in fields(loo)})
    if edited.elpd_i is not None:
        edited.elpd_i.attrs["model"] = EDITED
    return edited


def _check_likelihood(tree: xr.DataTree) -> None:
    """Reject a log likelihood above 0 of discrete data, which no probability has."""
    if "observed_data" not in tree:
        return
    observed = tree["observed_data"].to_dataset()
    for name, each in tree["log_likelihood"].to_dataset().data_vars.items():
        if name not in observed or not _is_discrete(observed[name]):
            continue
        most = float(each.max())
        if most > _ROUNDING:
            raise BayescompareError(
                f"loo: the log likelihood of {name!r} reaches {statistic(most, significant=3)}, "
                f"but {name!r} is discrete and no probability exceeds 1: normalise the "
                "model's likelihood."
            )


def _is_discrete(observed: xr.DataArray) -> bool:
    """Whole numbers are discrete, and so is a dataset's weight split over statements."""
    if observed.dtype.kind in "biu":
        return True
    if "statement" not in observed.dims:
        return False
    return bool((observed >= 0).all() and abs(observed.sum("statement") - 1.0).max() < 1e-6)


def psis_loo(tree: xr.DataTree) -> ELPDData:
    """PSIS-LOO of a tree; datasets whose log likelihood never varies are exact as they are.

    ArviZ refuses a constant log likelihood, although leaving such a dataset out changes nothing.
    """
    import arviz as az

    check_tree(tree, "log_likelihood")
    densities = _by_dataset(tree["log_likelihood"].to_dataset())
    (name,) = map(str, densities.data_vars)
    samples = ("chain", "draw")
    spread = densities.max(samples) - densities.min(samples)
    # But for rounding: as constant as floats can tell.
    constant = np.asarray((spread <= 1e-12 * (1.0 + abs(densities.max(samples))))[name])
    posterior = tree["posterior"].to_dataset()
    if not constant.any():
        groups = {"posterior": posterior, "log_likelihood": densities}
        whole: ELPDData = az.loo(xr.DataTree.from_dict(groups), pointwise=True)
        return whole
    level = densities[name].isel(chain=0, draw=0, drop=True)
    without, khat, p = np.array(level), np.zeros(level.shape), 0.0
    if not constant.all():
        varying = densities.isel(dataset=~constant)
        part = az.loo(
            xr.DataTree.from_dict({"posterior": posterior, "log_likelihood": varying}),
            pointwise=True,
        )
        without[~constant], khat[~constant], p = part.elpd_i.values, part.pareto_k.values, part.p
    loo = exact_loo(without, without, level["dataset"].values.tolist())
    loo.p = p
    loo.n_samples = densities.sizes["chain"] * densities.sizes["draw"]
    loo.pareto_k = loo.elpd_i.copy(data=khat).rename("pareto_k")
    loo.warning = bool((khat > loo.good_k).any())
    return loo


def _by_dataset(densities: xr.Dataset) -> xr.Dataset:
    """One log density per dataset: a dataset is left out whole, with all that was seen on it."""
    total = None
    for name, each in densities.data_vars.items():
        if "dataset" not in each.dims:
            raise BayescompareError(
                f"log_likelihood of {name!r} has no dim 'dataset', so none can be left out."
            )
        others = [dim for dim in each.dims if dim not in ("chain", "draw", "dataset")]
        summed = each.sum(others)
        total = summed if total is None else total + summed
    if total is None:
        raise BayescompareError("log_likelihood is empty: there is nothing to leave out.")
    names = ", ".join(map(str, densities.data_vars))
    return total.to_dataset(name=names)
