"""Leave-one-dataset-out: exact, or by PSIS from a tree.

The one file that knows what ArviZ asks of a log likelihood and where it stumbles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.outcome.tree import EDITED, OF_EDITED, check_tree, is_edited_comparison_tree
from bayescompare.text.numbers import statistic_number_text

if TYPE_CHECKING:
    from arviz_stats.utils import ELPDData

__all__ = ["EXACT", "MOST_KHAT", "PSIS", "checked_loo", "exact_loo", "marked_loo", "psis_loo"]

#: Threshold of Vehtari et al. (2024).
MOST_KHAT = 0.7
#: What the attribute "how" of ``elpd_i`` says.
EXACT, PSIS = "exact", "PSIS"
#: A log likelihood above 0 by no more than this is 0.
_ROUNDING = 1e-9


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
    elpd_i.attrs["how"] = EXACT
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
    _check_comparison_loo_likelihood(tree)
    loo = psis_loo(tree)
    return marked_loo(loo, OF_EDITED, model=EDITED) if is_edited_comparison_tree(tree) else loo


def marked_loo(loo: ELPDData, line: str, **attrs: object) -> ELPDData:
    """The same figures, which say one more line when printed; attributes go to ``elpd_i``."""
    from arviz_stats.utils import ELPDDataLOO

    lines = (*getattr(loo, "lines", ()), line)

    class MarkedLOO(ELPDDataLOO):
        def __str__(self) -> str:
            return "\n".join([super().__str__(), *lines])  # type: ignore[no-untyped-call]

        __repr__ = __str__

    marked: ELPDData = MarkedLOO(**{f.name: getattr(loo, f.name) for f in fields(loo)})
    marked.__dict__["lines"] = lines
    if marked.elpd_i is not None:
        marked.elpd_i.attrs.update(attrs)
    return marked


def _check_comparison_loo_likelihood(tree: xr.DataTree) -> None:
    """Reject a log likelihood above 0 of discrete data, which no probability has."""
    if "observed_data" not in tree:
        return
    observed = tree["observed_data"].to_dataset()
    for name, each in tree["log_likelihood"].to_dataset().data_vars.items():
        if name not in observed or not _comparison_loo_is_discrete(observed[name]):
            continue
        most = float(each.max())
        if most > _ROUNDING:
            raise BayescompareError(
                f"loo: the log likelihood of {name!r} reaches "
                f"{statistic_number_text(most, significant=3)}, "
                f"but {name!r} is discrete and no probability exceeds 1: normalise the "
                "model's likelihood."
            )


def _comparison_loo_is_discrete(observed: xr.DataArray) -> bool:
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
    densities = _comparison_loo_by_dataset(tree["log_likelihood"].to_dataset())
    (name,) = map(str, densities.data_vars)
    samples = ("chain", "draw")
    spread = densities.max(samples) - densities.min(samples)
    # But for rounding: as constant as floats can tell.
    constant = np.asarray((spread <= 1e-12 * (1.0 + abs(densities.max(samples))))[name])
    posterior = tree["posterior"].to_dataset()
    if not constant.any():
        groups = {"posterior": posterior, "log_likelihood": densities}
        whole: ELPDData = az.loo(xr.DataTree.from_dict(groups), pointwise=True)
        whole.elpd_i.attrs["how"] = PSIS
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
    loo.elpd_i.attrs["how"] = PSIS
    loo.n_samples = densities.sizes["chain"] * densities.sizes["draw"]
    loo.pareto_k = loo.elpd_i.copy(data=khat).rename("pareto_k")
    loo.warning = bool((khat > loo.good_k).any())
    return loo


def _comparison_loo_by_dataset(densities: xr.Dataset) -> xr.Dataset:
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
