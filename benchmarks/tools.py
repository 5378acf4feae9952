"""The model of every method under PyMC's tools, and its tree under ArviZ's.

``python -m benchmarks.tools`` fills ``docs/data/tools.csv``; ``--method`` and ``--tool`` choose,
``--stored`` names another table (for another release of PyMC), and what was asked before is kept.
A cell is a number that was compared, not a call that did not raise: log densities of a model with
other data against the model of those data, a sum over discrete variables against the sum written
out, predictions and log likelihoods against those of the tree, evidence against the closed one.
What a model refuses has the reason in its place.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bayescompare as bc

STORED = Path(__file__).parents[1] / "docs" / "data" / "tools.csv"
#: A difference of two ways to the same log density.
EXACT = 1e-6
#: A difference of two averages of draws, in standard errors.
ERRORS = 5.0
#: A log evidence by sequential Monte Carlo.
NATS = 0.5
#: Models whose priors are in units of the table that they were built on.
IN_UNITS = ("covariates", "hierarchical_t", "multivariate_normal", "spike_and_slab")
QUICK: dict[str, Any] = {"mode": "FAST_COMPILE"}


class Refused(Exception):
    """The model has no such thing, for this reason."""


# what is asked ------------------------------------------------------------------------------------


def tied() -> bc.Results:
    """Two algorithms, two measures, ten datasets, two ties."""
    values = np.random.default_rng(1).integers(0, 5, (10, 2, 2)).astype(float)
    rows = [(f"d{i}", name, *values[i, k]) for i in range(10) for k, name in enumerate("AB")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "auc", "time"])
    return bc.Results.from_frame(frame, measures={"auc": "max", "time": "min"})


def folds(seed: int = 2) -> bc.Results:
    """Eight datasets with five folds each, of one measure."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{i}", name, fold, rng.normal(mean))
        for i in range(8)
        for name, mean in (("A", 0.8), ("B", 0.0))
        for fold in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "score"])
    return bc.Results.from_frame(frame, replicate="fold", measures={"score": "max"})


def gaps() -> bc.Results:
    """The tied table with two cells missing."""
    data = tied().data.copy(deep=True)
    data["auc"][0, 0] = np.nan
    data["time"][3, 1] = np.nan
    return tied()._with(data=data)


def domains() -> bc.Results:
    """The tied table, its datasets in three domains."""
    results = tied()
    return results._with(group_of={d: "abc"[i % 3] for i, d in enumerate(results.datasets)})


def learned() -> bc.Comparison:
    """A pair of UCI under what all pairs taught, one measure."""
    uci = bc.load_example("jansen-uci").sel(
        measures=["auc"], algorithms=["CART", "GLM", "RF", "EN"]
    )
    return bc.pairwise(uci, n_jobs=1)["CART", "GLM"]


def _asks() -> dict[str, Callable[[], Any]]:
    m = bc.methods
    example, errors = bc.load_example("benavoli-example1"), bc.load_example("lacoste-svm-parzen")
    return {
        "dirichlet": lambda: bc.compare(example),
        "dirichlet, ties": lambda: bc.compare(tied()),
        "dirichlet, learned": learned,
        "dirichlet, gaps": lambda: bc.compare(gaps(), missing="ignore"),
        "dirichlet, domains": lambda: bc.compare(domains(), rng=1, sampler={"draws": 300}),
        "network": lambda: bc.compare(example, method="network"),
        "network, ties": lambda: bc.compare(tied(), method=m.Network(search=[("auc", "time")])),
        "replicated": lambda: bc.compare(folds(), method="replicated"),
        "poisson-binomial": lambda: bc.compare(errors, method=m.PoissonBinomial(joint=True)),
        "hierarchical": lambda: bc.compare(errors, method="hierarchical"),
        "correlated-t": lambda: bc.compare(folds(), method=m.CorrelatedT(joint=True)),
        "signed-rank": lambda: bc.compare(tied().sel(measures=["auc"]), method="signed-rank"),
        "gsd-bootstrap": lambda: bc.compare(tied(), method="gsd-bootstrap"),
        **_model_files(),
    }


def _model_files() -> dict[str, Callable[[], Any]]:
    """Every bundled model on a table that it takes, with few draws."""
    values = np.random.default_rng(4).normal(size=(8, 4, 2))
    rows = [(f"d{i}", name, *values[i, k]) for i in range(8) for k, name in enumerate("ABCD")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "auc", "f1"])
    whole = bc.Results.from_frame(frame, measures={"auc": "max", "f1": "max"})
    pair = whole.sel(algorithms=["A", "B"])
    one = pair.sel(measures=["auc"])
    sizes = {"size": {name: float(i) for i, name in enumerate(whole.datasets)}}
    tables: dict[str, tuple[bc.Results, dict[str, Any]]] = {
        "bradley_terry": (one, {}),
        "covariates": (one, {"covariates": sizes}),
        "dirichlet_hyperprior": (pair, {}),
        "hierarchical_t": (folds(), {}),
        "item_response": (whole, {}),
        "logistic_normal": (pair, {}),
        "multivariate_normal": (pair, {}),
        "plackett_luce": (whole, {}),
        "spike_and_slab": (pair, {}),
        "thurstone": (whole, {}),
    }
    quick = {"draws": 250, "tune": 300, "chains": 2, "cores": 1, "progressbar": False}

    def ask(name: str) -> Any:
        results, priors = tables[name]
        method = bc.methods.ModelFile(name, priors=priors)
        return bc.compare(results, method=method, rng=1, sampler=quick)

    return {f"model {name}": partial(ask, name) for name in tables}


class Case:
    """A comparison, its model and a tree of draws, each made when it is first asked for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.c = _asks()[name]()
        self.model = self.c.model()
        self._tree: Any = None

    @property
    def tree(self) -> Any:
        """Draws of the posterior: those of the answer, or exact ones."""
        if self._tree is None:
            own = self.c.answer.tree
            self._tree = own if own is not None else self.c.draws(500, chains=2, rng=1)
        return self._tree

    @property
    def summed(self) -> Any:
        """The form for NUTS, where each dataset has continuous latents, which are summed out there.

        Of discrete ones only the model itself is asked, which can be marginalized.
        """
        dims = self.model.named_vars_to_dims
        of_datasets = [rv for rv in self.model.free_RVs if "dataset" in dims.get(rv.name, ())]
        is_continuous = any(rv.dtype.startswith("float") for rv in of_datasets)
        return self.c.model(form="nuts") if is_continuous else self.model

    def point(self, model: Any, draw: int = 3) -> dict[str, Any]:
        """Values of a model's free variables at one draw of the tree."""
        drawn = self.tree["posterior"].to_dataset().isel(chain=0, draw=draw)
        return {rv.name: drawn[rv.name].values for rv in model.free_RVs}


def _log_density(model: Any, point: dict[str, Any], **options: Any) -> float:
    """Log density of the model on its own scale, at a point."""
    import pymc as pm

    plain = pm.model.transform.conditioning.remove_value_transforms(model)
    return float(plain.compile_logp(jacobian=False, **QUICK, **options)(point))


def _within(found: float, most: float) -> float:
    if not abs(found) <= most:
        raise AssertionError(f"off by {found:.3g}")
    return float(found)


# PyMC ---------------------------------------------------------------------------------------------


def posterior(case: Case) -> float:
    """The posterior holds every free variable of the model, and no latents of a sampler."""
    held = set(case.tree["posterior"].data_vars)
    lacking = {rv.name for rv in case.model.free_RVs} - held
    if lacking or any(str(name).startswith("latent_") for name in held):
        raise AssertionError(f"posterior lacks {', '.join(sorted(lacking))}")
    return float(len(held))


def do(case: Case) -> float:
    """``pm.do`` sets a free variable: what is left of the density is the rest of it."""
    import pymc as pm

    point, rv = case.point(case.model), case.model.free_RVs[0]
    done = pm.do(case.model, {rv.name: point[rv.name]})
    whole = _log_density(case.model, point)
    plain = pm.model.transform.conditioning.remove_value_transforms(case.model)
    own = plain.compile_logp(vars=[plain[rv.name]], jacobian=False, **QUICK)(point)
    rest = {name: value for name, value in point.items() if name != rv.name}
    return _within(_log_density(done, rest) - (whole - float(own)), EXACT)


def set_data(case: Case) -> float:
    """``pm.set_data`` with the data of another table, simulated if it can be, is its model."""
    import pymc as pm

    if case.c.method.name == "signed-rank":
        raise Refused("each difference was drawn once, whatever it is: θ changes, and no density")
    if case.name.removeprefix("model ") in IN_UNITS:
        raise Refused("its units are those of the first table, so that other data keep them")
    makes_no_new_ones = case.c.posterior.lacks.get("simulate") is not None
    other = case.c.method.model(folds(5).paired() if makes_no_new_ones else case.c.simulate(rng=5))
    model = case.c.model()
    names = {data.name for data in other.data_vars} & {data.name for data in model.data_vars}
    if not names:
        raise AssertionError("the model holds no data")
    points = [case.point(model, draw) for draw in range(8)]
    before = np.array([_log_density(model, point) for point in points])
    dims = {d for name in names for d in other.named_vars_to_dims[name]}
    coords = {d: list(other.coords[d]) for d in dims if other.coords.get(d) is not None}
    with model:
        pm.set_data({name: other[name].get_value() for name in names}, coords=coords)
    after, known = (np.array([_log_density(m, at) for at in points]) for m in (model, other))
    if np.abs(after - before).max() < EXACT:
        raise AssertionError("other data change nothing")
    return _within(float(np.abs(after - known).max()), EXACT)


def predictive(case: Case) -> float:
    """Predictions of new datasets by PyMC from the tree are those of the tree, on average."""
    import pymc as pm

    # In the form through which `sample` predicts.
    model = case.c.model(form=case.c.method.accepts.predicts)
    drawn = case.tree["posterior"].to_dataset().drop_vars(_of_datasets(model))
    with model:
        made = pm.sample_posterior_predictive(
            drawn, progressbar=False, random_seed=1, compile_kwargs=QUICK
        )["posterior_predictive"].to_dataset()
        pm.sample_prior_predictive(20, random_seed=1, compile_kwargs=QUICK)
    own, worst = case.tree["posterior_predictive"].to_dataset(), 0.0
    both = [(made[name], own[name]) for name in made.data_vars if name in own]
    both = both or _by_measure(case, made, own)
    if not both:
        raise AssertionError(f"the tree predicts {list(own.data_vars)}, the model {list(made)}")
    for pair in both:
        rest = [d for d in pair[0].dims if d not in ("chain", "draw")]
        each = [values.astype(float).mean(rest).values.ravel() for values in pair]
        error = np.hypot(*(one.std() / np.sqrt(len(one)) for one in each))
        worst = max(worst, abs(each[0].mean() - each[1].mean()) / max(error, 1e-12))
    return _within(worst, ERRORS)


def _by_measure(case: Case, made: Any, own: Any) -> list[tuple[Any, Any]]:
    """Whether the first of two is better on each measure, on each dataset.

    Where the model has a state for each measure, and the tree the place of each statement.
    """
    labels = case.tree["constant_data"]["statement"].values.tolist()
    first = ">".join(case.c.results.algorithms)
    return [
        (
            made[f"x_{measure}"] == 0,
            own["outcome"].isin([k for k, s in enumerate(labels) if s.split("|")[j] == first]),
        )
        for j, measure in enumerate(case.c.results.measures)
        if f"x_{measure}" in made
    ]


def compute_log_likelihood(case: Case) -> float:
    """``pm.compute_log_likelihood`` of the tree is the tree's, latents of datasets summed out."""
    import pymc as pm
    import pymc_extras as pmx

    if case.model.named_vars_to_dims.get("u") == ("dataset",):
        raise Refused("the tree has each dataset's own latent integrated out")
    model = case.summed
    latent = _of_datasets(model)
    with pmx.marginalize(model, latent) if latent else model:
        found = pm.compute_log_likelihood(
            case.tree, extend_inferencedata=False, progressbar=False, compile_kwargs=QUICK
        )
    own = case.tree["log_likelihood"].to_dataset()
    made = sum(_by_dataset(found[name]) for name in found.data_vars)
    known = sum(_by_dataset(own[name]) for name in own.data_vars)
    both = [each.transpose("chain", "draw", "dataset").values for each in (made, known)]
    return _within(float(np.abs(both[0] - both[1]).max()), EXACT)


def _of_datasets(model: Any) -> list[str]:
    """Discrete variables of which each dataset has one."""
    dims = model.named_vars_to_dims
    return [
        v.name for v in model.free_RVs if v.dtype == "int64" and "dataset" in dims.get(v.name, ())
    ]


def _by_dataset(each: Any) -> Any:
    return each.sum([d for d in each.dims if d not in ("chain", "draw", "dataset")])


def smc(case: Case) -> float:
    """Log evidence by sequential Monte Carlo, less the closed one."""
    import pymc as pm

    known = case.c.log_evidence
    if known is None:
        raise Refused("no closed evidence to compare with")
    if case.c.method.name == "dirichlet":
        alpha = float(np.exp(case.c.method.listing(case.c.results).log_alpha).min())
        if alpha < 0.25:
            raise Refused("SPEC 3 asks it where α ≥ ¼ only")
    with case.summed:
        tree = pm.sample_smc(1000, chains=2, random_seed=1, progressbar=False, cores=1)
    logs = tree["sample_stats"]["log_marginal_likelihood"].values
    found = [float(np.ravel(each[-1])[-1]) for each in np.array(logs, dtype=object)]
    return _within(float(np.mean(found)) - known, NATS)


def find_map(case: Case) -> float:
    """``pm.find_MAP`` finds a point of finite density."""
    import pymc as pm

    with case.model:
        best = pm.find_MAP(progressbar=False)
    point = {rv.name: best[rv.name] for rv in case.model.free_RVs}
    found = _log_density(case.model, point)
    lowest = min(float(np.min(value)) for value in point.values())
    if lowest < 1e-12 and not case.name.startswith("model "):
        raise Refused(
            "the density has no maximum: it is unbounded where α < 1 and nothing was seen"
        )
    if not np.isfinite(found):
        raise AssertionError("no finite density")
    return found


def graph(case: Case) -> float:
    """The graph of the model names its distributions."""
    import pymc as pm
    from pymc.model_graph import model_to_networkx

    drawn = model_to_networkx(case.model)
    labels = " ".join(str(data.get("label", "")) for _, data in drawn.nodes(data=True))
    if "CustomDist" in labels:
        raise AssertionError("a distribution without a name")
    try:
        pm.model_to_graphviz(case.model)
    except ImportError:
        raise Refused("python-graphviz is not installed") from None
    return float(drawn.number_of_nodes())


def marginalize(case: Case) -> float:
    """``pymc_extras.marginalize`` of the discrete variables is the sum over their values."""
    import pymc_extras as pmx

    free = [rv.name for rv in case.model.free_RVs if rv.dtype.startswith(("int", "uint"))]
    if not free:
        raise Refused("no discrete variable")
    point = case.point(case.model)
    ranges = [_values_of(case.model[name]) for name in free]
    if np.prod([len(each) for each in ranges]) > 64:
        raise Refused(f"{', '.join(free)}: too many values to be summed here")
    summed = pmx.marginalize(case.model, free)
    rest = {name: value for name, value in point.items() if name not in free}
    whole = [
        _log_density(case.model, {**rest, **dict(zip(free, map(np.asarray, at), strict=True))})
        for at in itertools.product(*ranges)
    ]
    return _within(_log_density(summed, rest) - float(np.logaddexp.reduce(whole)), EXACT)


def _values_of(rv: Any) -> list[int]:
    """The values of a discrete variable without dims; too many of one with them."""
    if rv.ndim:
        return list(range(1000))
    if "Bernoulli" in type(rv.owner.op).__name__:
        return [0, 1]
    return list(range(int(rv.owner.inputs[-1].shape[-1].eval())))


def _other_nuts(sampler: str) -> Callable[[Case], float]:
    def run(case: Case) -> float:
        """Means of θ by another implementation of NUTS, of the form for it, against the tree's."""
        if "nuts" not in case.c.method.accepts.forms and not case.name.startswith("model "):
            raise Refused("there is no form for NUTS")
        import arviz as az

        tree = case.c.sample(
            500, chains=2, cores=1, rng=1, nuts_sampler=sampler, progressbar=False
        )["posterior"].to_dataset()
        name = next(n for n in ("theta", "phi", "r", "mu", "strength", "better") if n in tree)
        exact = case.tree["posterior"].to_dataset()
        gap = (tree[name].mean(("chain", "draw")) - exact[name].mean(("chain", "draw"))).values
        both = [az.mcse(data[name], method="mean").values for data in (tree, exact)]
        return _within(float((np.abs(gap) / np.hypot(*both)).max()), ERRORS)

    return run


# ArviZ --------------------------------------------------------------------------------------------


def _picture(name: str, **options: Any) -> Callable[[Case], float]:
    def draw(case: Case) -> float:
        """The picture of the tree as it is, no variable renamed."""
        import arviz as az
        import matplotlib.pyplot as plt

        observed = case.tree["observed_data"].to_dataset()
        if wide := [name for name in observed.data_vars if observed[name].ndim > 1]:
            raise Refused(f"{', '.join(wide)}: the picture takes one number for each dataset")
        if options and "outcome" not in observed:
            raise Refused(f"{', '.join(observed.data_vars)}: no statements, but counts")
        getattr(az, name)(case.tree, backend="matplotlib", **options)
        plt.close("all")
        return 0.0

    return draw


def loo(case: Case) -> float:
    """ArviZ's leave-one-out of the tree, less the exact one."""
    import arviz as az

    if "loo" in case.c.posterior.lacks or case.c.posterior.why_not("loo"):
        raise Refused(case.c.posterior.why_not("loo") or "no leave-one-out")
    return _within(float(az.loo(case.tree).elpd - case.c.loo().elpd), 1.0)


def psense(case: Case) -> float:
    """Power scaling of prior and likelihood has finite figures."""
    import arviz as az

    posterior = case.tree["posterior"].to_dataset()
    # What each dataset has may be certain, and then does not vary.
    names = [name for name in posterior.data_vars if "dataset" not in posterior[name].dims]
    found = az.psense_summary(case.tree, var_names=names)
    found = found[["prior", "likelihood"]].to_numpy(dtype=float)
    if not np.isfinite(found).all():
        raise AssertionError("figures that are not finite")
    return float(found.max())


TOOLS: dict[str, Callable[[Case], float]] = {
    "posterior": posterior,
    "do": do,
    "set_data": set_data,
    "predictive": predictive,
    "compute_log_likelihood": compute_log_likelihood,
    "smc": smc,
    "nutpie": _other_nuts("nutpie"),
    "numpyro": _other_nuts("numpyro"),
    "MAP": find_map,
    "graph": graph,
    "marginalize": marginalize,
    "loo": loo,
    "psense": psense,
    "plot_ppc_pit": _picture("plot_ppc_pit"),
    "plot_ppc_pava": _picture("plot_ppc_pava", data_type="categorical"),
    "plot_ppc_rootogram": _picture("plot_ppc_rootogram"),
    "plot_loo_pit": _picture("plot_loo_pit"),
}


def tried(name: str, tools: list[str]) -> list[dict[str, Any]]:
    """Try tools on one method; what raises is told by its first line."""
    rows, case = [], Case(name)
    for tool in tools:
        row = {"method": name, "tool": tool, "result": "ok", "figure": np.nan}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row["figure"] = TOOLS[tool](case)
        except (Refused, bc.BayescompareError) as reason:
            row["result"] = str(reason)
        except Exception as error:
            row["result"] = f"fails: {type(error).__name__}: {str(error).splitlines()[0][:120]}"
        rows.append(row)
        print(f"{name:24s} {tool:24s} {row['result']} {row['figure']:.3g}", flush=True)
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Try what is named, or all, and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", action="append", choices=list(_asks()))
    parser.add_argument("--tool", action="append", choices=list(TOOLS))
    parser.add_argument("--stored", type=Path, default=STORED)
    options = parser.parse_args(arguments)
    found = pd.DataFrame(
        [r for m in options.method or _asks() for r in tried(m, options.tool or list(TOOLS))]
    )
    if options.stored.exists():
        found = pd.concat([pd.read_csv(options.stored), found])
    found = found.drop_duplicates(["method", "tool"], keep="last")
    found.to_csv(options.stored, index=False, float_format="%.3g")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
