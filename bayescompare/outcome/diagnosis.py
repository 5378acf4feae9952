"""Posteriors as trees: what users hand back, what ArviZ reads of them, and whether they hold."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayescompare._errors import BayescompareError
from bayescompare._version import __version__
from bayescompare.outcome.posterior import Posterior, Tested
from bayescompare.statements import OUTCOME
from bayescompare.text.numbers import count, standard_error_text, statistic_number_text

#: What the attribute "model" of a tree says where the user gave the model, and what words say.
EDITED = "edited"
OF_EDITED = "This is about an edited model, not the one behind the comparison."


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
        return {name: _written(name, value) for name, value in self.figures.items()}


def _written(name: str, value: float) -> str:
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
    verdict = "exact: no sampling was done, so there is nothing to diagnose."
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
        from bayescompare.outcome.scores import psis_loo

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
    if is_edited(tree):
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


# trees --------------------------------------------------------------------------------------------


def is_edited(tree: xr.DataTree) -> bool:
    """Whether a tree was sampled from a model that the user edited."""
    return bool(tree.attrs.get("model") == EDITED)


def check_tree(tree: object, group: str, *, why: str = "") -> None:
    """Reject what is not a tree, or has no such group; `why` says that none can have it."""
    is_tree = isinstance(tree, xr.DataTree)
    if isinstance(tree, xr.DataTree) and group in tree:
        return
    if is_tree and why:
        raise BayescompareError(why)
    seen = f"has no {group} group" if is_tree else f"is a {type(tree).__name__}"
    raise BayescompareError(f"tree {seen}: pass the tree that draws() or sample() returns.")


def arviz_tree(tree: xr.DataTree, *, sampled: bool) -> xr.DataTree:
    """Add indices, counts and the attributes that ArviZ writes; what is there already stays.

    Parameters
    ----------
    tree : DataTree
    sampled : bool
        Whether PyMC made the draws, rather than this package.

    Examples
    --------
    >>> import bayescompare as bc
    >>> c = bc.compare(bc.load_example("benavoli-example1"))
    >>> tree = c.draws(10, rng=1)
    >>> tree["observed_data"]["outcome"].values.tolist()
    [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]
    >>> tree["posterior"].attrs["inference_library"]
    'bayescompare'
    """
    tree = _with_counts(tree)
    makers = {
        "created_at": datetime.now(UTC).isoformat(),
        "creation_library": "bayescompare",
        "creation_library_version": __version__,
        "creation_library_language": "Python",
        "inference_library": "pymc" if sampled else "bayescompare",
        "inference_library_version": version("pymc") if sampled else __version__,
    }
    tree.attrs = {**makers, **tree.attrs}
    for node in tree.children.values():
        node.attrs = {**makers, **node.attrs}
    return tree


def _with_counts(tree: xr.DataTree) -> xr.DataTree:
    """Add how many datasets show each statement, and of whole ones the place of each dataset's."""
    outcomes = {
        group: tree[group].to_dataset()[OUTCOME]
        for group in ("observed_data", "posterior_predictive", "prior_predictive")
        if group in tree and OUTCOME in tree[group]
    }
    outcomes = {
        group: outcome
        for group, outcome in outcomes.items()
        if {"dataset", "statement"} <= set(outcome.dims)
    }
    if "observed_data" not in outcomes:
        return tree
    seen = outcomes["observed_data"]
    # A tie is split between statements, and replicates may leave a statement uncertain.
    certain = bool(((seen == 0) | (seen == 1)).all() and (seen.sum("statement") == 1).all())
    if not certain and not ("constant_data" in tree and "count" in tree["constant_data"]):
        return tree
    tree = tree.copy()
    for group, outcome in outcomes.items():
        number: Any = outcome.sum("dataset")
        whole = certain or group != "observed_data"
        new = {"count": number.astype(np.int32) if whole else number}
        if certain:
            labels = [str(label) for label in outcome["statement"].values]
            index = outcome.argmax("statement").astype(np.int32)
            new["statement_index"] = index.assign_attrs(statements=labels)
        data = tree[group].to_dataset()
        tree[group] = xr.DataTree(data.assign({k: v for k, v in new.items() if k not in data}))
    return tree


def shown_in_tree(tree: xr.DataTree, group: str) -> xr.DataArray | None:
    """Weights of each dataset over the statements, (…, dataset, statement), if a tree has any.

    A tree has them as they are, or the place of each dataset's statement; ties have further places,
    of which `split` among the constants has the weights.
    """
    if group not in tree or OUTCOME not in tree[group]:
        return None
    outcome: xr.DataArray = tree[group].to_dataset()[OUTCOME]
    if "dataset" not in outcome.dims or "statement" in outcome.dims:
        return outcome if "dataset" in outcome.dims else None
    if "constant_data" not in tree or "count" not in tree["constant_data"]:
        return None
    facts = tree["constant_data"].to_dataset()
    labels = facts["statement"].values
    rows = facts["split"].values if "split" in facts else np.eye(len(labels), dtype=np.int8)
    coords = {**outcome.coords, "statement": labels}
    return xr.DataArray(rows[outcome.values], coords, (*outcome.dims, "statement"))
