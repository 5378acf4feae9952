"""Can the figures be trusted? Convergence of a posterior, and leave-one-dataset-out.

The one file that knows what ArviZ asks of a tree and where it stumbles.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayescompare._errors import BayescompareError

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData

__all__ = ["Diagnosis", "diagnose", "exact_loo", "psis_loo"]

FloatArray = NDArray[np.float64]

#: Thresholds of Vehtari et al. (2021, 2024) and Betancourt (2016).
MOST_RHAT = 1.01
LEAST_ESS_PER_CHAIN = 100
LEAST_BFMI = 0.3
MOST_KHAT = 0.7
#: Fewer draws have no tail to fit.
LEAST_FOR_KHAT = 50


@dataclass(frozen=True)
class Diagnosis:
    """Whether to trust a posterior: figures by variable, and a verdict in words.

    Attributes
    ----------
    ok : bool
        Whether nothing was found wanting.
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
        figures = "  ".join(f"{name} {value:.4g}" for name, value in self.figures.items())
        return f"{self.verdict}\n{figures}" if figures else self.verdict

    __repr__ = __str__


def diagnose(tree: xr.DataTree | None) -> Diagnosis:
    """Diagnose a tree; None stands for an exact answer."""
    if tree is None:
        return Diagnosis(True, "exact: no sampling was done, so there is nothing to diagnose.")
    if "posterior" not in tree:
        raise BayescompareError(
            "tree has no posterior group: give the tree of draws() or sample()."
        )
    import arviz as az

    posterior = tree["posterior"].to_dataset()
    chains = posterior.sizes["chain"]
    with warnings.catch_warnings():
        # A cell that is zero in every draw has no variance to compare between chains.
        warnings.simplefilter("ignore", RuntimeWarning)
        table = az.summary(tree, kind="diagnostics", round_to="none")
        rhat = az.rhat(posterior)
        ess = [az.ess(posterior, method=method) for method in ("bulk", "tail")]
    figures = {"greatest R-hat": max(_moving(rhat, posterior))} if chains > 1 else {}
    figures["least ESS"] = min(v for each in ess for v in _moving(each, posterior))
    found = [
        # Written so that NaN, which too few draws give, is wanting too.
        _complaint(not figures.get("greatest R-hat", 1.0) <= MOST_RHAT, "chains disagree (R-hat)"),
        _complaint(
            not figures["least ESS"] >= LEAST_ESS_PER_CHAIN * chains,
            "too few effective draws (ESS)",
        ),
    ]
    if "sample_stats" in tree:
        figures["divergences"] = float(tree["sample_stats"]["diverging"].sum())
        figures["least E-BFMI"] = float(np.min(np.asarray(az.bfmi(tree)["energy"])))
        found.append(_complaint(figures["divergences"] > 0, "divergent transitions"))
        found.append(
            _complaint(figures["least E-BFMI"] < LEAST_BFMI, "poor energy mixing (E-BFMI)")
        )
    wanting = [complaint for complaint in found if complaint]
    loo = ""
    if "log_likelihood" in tree and posterior.sizes["draw"] * chains >= LEAST_FOR_KHAT:
        with warnings.catch_warnings():
            # ArviZ warns of what the verdict is about to say.
            warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
            figures["greatest k-hat"] = float(psis_loo(tree).pareto_k.max())
        if figures["greatest k-hat"] > MOST_KHAT:
            loo = (
                f" PSIS-LOO is unreliable here (k-hat > {MOST_KHAT}); loo() without a tree is "
                "exact where it can be."
            )
    said = "not trustworthy: " + "; ".join(wanting) if wanting else "no problem found"
    return Diagnosis(not wanting, f"{said}.{loo}", table, figures)


def _moving(figures: xr.Dataset, posterior: xr.Dataset) -> list[float]:
    """Figures of what is not constant over the draws; NaN, which counts as wanting, if one is."""
    samples = ("chain", "draw")
    moves = posterior.max(samples) > posterior.min(samples)
    found = np.concatenate(
        [np.ravel(figures[name].values[moves[name].values]) for name in posterior.data_vars]
    )
    return found.tolist() if len(found) and np.isfinite(found).all() else [math.nan]


def _complaint(wrong: bool, words: str) -> str:
    return words if wrong else ""


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


def psis_loo(tree: xr.DataTree) -> ELPDData:
    """PSIS-LOO of a tree; datasets whose log likelihood never varies are exact as they are.

    ArviZ refuses a constant log likelihood, although leaving such a dataset out changes nothing.
    """
    import arviz as az

    if "log_likelihood" not in tree:
        raise BayescompareError(
            "tree has no log_likelihood group: give the tree of draws() or sample()."
        )
    densities = tree["log_likelihood"].to_dataset()
    (name, *others) = map(str, densities.data_vars)
    if others:
        raise BayescompareError(f"log_likelihood holds {[name, *others]}: one variable is needed.")
    samples = ("chain", "draw")
    spread = densities.max(samples) - densities.min(samples)
    # But for rounding: as constant as floats can tell.
    constant = np.asarray((spread <= 1e-12 * (1.0 + abs(densities.max(samples))))[name])
    if not constant.any():
        whole: ELPDData = az.loo(tree, pointwise=True)
        return whole
    level = densities[name].isel(chain=0, draw=0, drop=True)
    without, khat, p = np.array(level), np.zeros(level.shape), 0.0
    if not constant.all():
        varying = densities.isel(dataset=~constant)
        posterior = tree["posterior"].to_dataset()
        part = az.loo(
            xr.DataTree.from_dict({"posterior": posterior, "log_likelihood": varying}),
            pointwise=True,
        )
        without[~constant], khat[~constant], p = part.elpd_i.values, part.pareto_k.values, part.p
    made = exact_loo(without, without, level["dataset"].values.tolist())
    made.p = p
    made.n_samples = densities.sizes["chain"] * densities.sizes["draw"]
    made.pareto_k = made.elpd_i.copy(data=khat).rename("pareto_k")
    made.warning = bool((khat > made.good_k).any())
    return made
