"""Files that somebody else wrote: loading runs no code, and shows nothing impossible."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import settings

import bayescompare as bc
from bayescompare.methods import Dirichlet, Network, PoissonBinomial
from bayescompare.outcome.comparison import Comparison
from bayescompare.table.results import Results
from tests.tables import table

CODE = "from pathlib import Path\nPath({marker!r}).touch()\n"


def pair(measures: int = 2, rope: float | None = None) -> Results:
    values = np.random.default_rng(0).integers(0, 4, (6, 2, measures)).astype(float)
    return table(values, rope=rope)


COMPARISONS: dict[str, Callable[[], Comparison]] = {
    "dirichlet": lambda: bc.compare(pair()),
    "rope": lambda: bc.compare(pair(1, rope=0.5), method=Dirichlet(prior="imprecise")),
    "three": lambda: bc.compare(table(np.random.default_rng(1).random((5, 3, 2)))),
    "glrt": lambda: bc.compare(pair(), method="glrt"),
    "network": lambda: bc.compare(pair(), method=Network(), rng=0),
    "poisson-binomial": lambda: bc.compare(
        bc.load_example("lacoste-svm-parzen"), method=PoissonBinomial(joint=True)
    ),
    "gsd": lambda: bc.compare(pair(), method="gsd", rng=0),
    "gsd of three": lambda: bc.compare(
        table(np.random.default_rng(1).random((5, 3, 2))), method="gsd", rng=0
    ),
    "gsd-bootstrap": lambda: bc.compare(pair(), method="gsd-bootstrap", rng=0),
    "wilcoxon": lambda: bc.compare(pair(1), method="wilcoxon"),
    "friedman": lambda: bc.compare(
        table(np.random.default_rng(1).random((5, 3, 1))), method="friedman"
    ),
    "one-test": lambda: bc.compare(pair(), method="one-test"),
}


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    """A valid document by every kind of method, and one by a model file."""
    made = {name: json.loads(make().to_json()) for name, make in COMPARISONS.items()}
    made["model"] = copy.deepcopy(made["dirichlet"])
    made["model"]["method"] = {
        "name": "model",
        "kind": "bayesian",
        "options": {"source": "model.py", "priors": None, "saved": True},
    }
    for row in made["model"]["statements"]:
        row["mcse"] = 0.01
    made["model"]["details"] = {"model": "mine", "title": "A model of mine."}
    return made


def write(document: Any, folder: Path) -> Path:
    path = folder / "c.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


# ------------------------------------------------------------------------------ no code is ever run


@pytest.mark.parametrize(
    ("kind", "saved"),
    [
        *(("json", saved) for saved in (False, None, "absent", 0, True)),
        *(("nc", saved) for saved in (False, "absent")),
    ],
)
def test_loading_never_runs_the_model_that_is_named(
    kind: str, saved: object, documents: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    marker, code = tmp_path / "ran", tmp_path / "model.py"
    code.write_text(CODE.format(marker=str(marker)))
    document = copy.deepcopy(documents["model"])
    options = document["method"]["options"]
    options["source"] = str(code)
    if saved == "absent":
        del options["saved"]
    else:
        options["saved"] = saved
    path = write(document, tmp_path)
    if kind == "nc":
        document["method"]["options"] = {**options, "saved": True}
        path = as_netcdf(document, tmp_path, options=options)
    c = bc.load_comparison(path)
    assert c.best == documents["dirichlet"]["best"]
    assert "probab" in c.explain()
    for ask in (c.model, c.sample, lambda: bc.compare(c.results, method=c.method)):
        with pytest.raises(bc.BayescompareError, match=r"bc\.compare\(c\.results, method='.*'\)"):
            ask()
    assert not marker.exists()
    with pytest.raises(bc.BayescompareError, match="no function build"):
        bc.compare(c.results, method=str(code))  # asked for, it does run
    assert marker.exists()


def as_netcdf(document: dict[str, Any], folder: Path, **attrs: Any) -> Path:
    """The document as netCDF, with other attributes."""
    path = folder / "c.nc"
    bc.load_comparison(write(document, folder)).to_netcdf(path, overwrite=True)
    change_attrs(path, **{k: v if isinstance(v, str) else json.dumps(v) for k, v in attrs.items()})
    return path


def change_attrs(path: Path, **attrs: Any) -> None:
    with xr.open_datatree(path, engine="h5netcdf") as opened:
        tree = opened.load()
    tree.attrs.update(attrs)
    tree.to_netcdf(path, engine="h5netcdf")


# ------------------------------------------------------------------------------- impossible figures

#: Values that no such field has. Document, field to change, value, what is told
IMPOSSIBLE: dict[str, tuple[str, str, Any, str]] = {
    "P above 1": ("dirichlet", "statements.0.probability", 7.3, "probability is 7.3"),
    "P below 0": ("dirichlet", "statements.0.probability", -0.1, "probability is -0.1"),
    "P not there": ("dirichlet", "statements.0.probability", None, "probability is nan"),
    "P a string": ("dirichlet", "statements.0.probability", "0.5", "probability.*number"),
    "P a truth": ("three", "statements.0.probability", [], "probability"),
    "sum of P": ("dirichlet", "statements.0.probability", 0.99, "probability sums to"),
    "negative count": ("glrt", "statements.0.count", -1, "count is -1"),
    "mcse negative": ("gsd-bootstrap", "statements.0.mcse", -1.0, "mcse is -1"),
    "p above 1": ("glrt", "pvalue", 1.5, "pvalue is 1.5"),
    "p below 0": ("wilcoxon", "pvalue", -0.5, "pvalue is -0.5"),
    "p of a Bayesian": ("dirichlet", "pvalue", 0.5, "pvalue is given"),
    "p of a direction": ("gsd", "statements.0.pvalue", 3.0, "pvalue is 3"),
    "the rate": ("poisson-binomial", "figures.rate_mean", None, "rate_mean is None"),
    "a bag": ("network", "details", [], r"details|answer"),
    "unobserved": ("three", "unobserved", 2.0, "unobserved is 2"),
    "none leads": ("dirichlet", "none_leads", 2.0, "none_leads is 2"),
    "question": ("dirichlet", "figures.majority", 1.5, "majority is 1.5"),
    "bounds": ("rope", "statements.0.upper", 1.2, "upper is 1.2"),
    "a stranger": ("dirichlet", "statements.0.label", "A>C|A>B", "'A>C|A>B' is no statement"),
    "one measure": ("three", "statements.0.label", "A>B>C|A>B>C|A>B>C", "is no statement"),
    "twice": ("dirichlet", "statements.0.label", "B>A|B>A", "twice|are not"),
    "lead": ("gsd", "lead", 7, "the answer is not what"),
    "K in words": ("dirichlet", "n_statements", "four", "n_statements"),
    "K without end": ("dirichlet", "n_statements", "1e999999999", "n_statements"),
    "sampled": ("gsd", "sampled", "yes", "sampled"),
    "a cell": ("dirichlet", "results.values.m0.0.0", "x", "results: m0"),
    "a short row": ("dirichlet", "results.values.m0.0", [1.0], "results: m0"),
    "direction": ("dirichlet", "results.measures.m0.direction", "up", "direction='up'"),
    "a method": ("dirichlet", "method.name", "gsd", "method"),
    "options": ("dirichlet", "method.options.strength", -1, "strength"),
    "version": ("dirichlet", "schema_version", True, "schema_version is True"),
}


def put(document: Any, where: str, value: Any) -> None:
    *keys, last = where.split(".")
    for key in keys:
        document = document[int(key)] if isinstance(document, list) else document[key]
    document[int(last) if isinstance(document, list) else last] = value


@pytest.mark.parametrize("case", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_figures_are_refused(
    case: tuple[str, str, Any, str], documents: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    name, where, value, told = case
    document = copy.deepcopy(documents[name])
    put(document, where, value)
    with pytest.raises(bc.BayescompareError, match=rf"c\.json: .*({told})"):
        bc.load_comparison(write(document, tmp_path))


@pytest.mark.parametrize(("name", "field"), [("network", "edges"), ("gsd", "resamples")])
def test_facts_are_read_by_the_codec(
    name: str, field: str, documents: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """What is missing or of another type is named, for every type: tests/outcome/test_facts.py."""
    document = copy.deepcopy(documents[name])
    document["details"][field] = "x"
    with pytest.raises(bc.BayescompareError, match=f"{field} is 'x': it must be a list"):
        bc.load_comparison(write(document, tmp_path))
    del document["details"][field]
    with pytest.raises(bc.BayescompareError, match=f"figures and details: '{field}' is missing"):
        bc.load_comparison(write(document, tmp_path))


@pytest.mark.parametrize("word", ["NaN", "Infinity"])
def test_json_that_is_not_json_is_refused(
    word: str, documents: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    path = write({**documents["glrt"], "pvalue": float(word)}, tmp_path)
    with pytest.raises(bc.BayescompareError, match=rf"c\.json: {word} is not JSON"):
        bc.load_comparison(path)


# ------------------------------------------------------------------------------------- any mutation

NASTY: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 2, 7.3, -0.5, 1e300, 10**400, "", "x", "0.5", "A>B", "\ud800"),
    *([], {}, [[]], [1, 2, 3], {"a": 1}, ["A", "B"], "NaN", [None], "x" * 5000),
)


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a document: what holds it, and its key."""
    keys = document if isinstance(document, dict) else range(len(document))
    for key in list(keys):
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from places(document[key])


def mutate(document: Any, rng: np.random.Generator) -> None:
    """Change, remove or double something somewhere."""
    every = list(places(document))
    # Half of the time near the top, where there are few places among many.
    holder, key = every[int(rng.integers(len(every)))]
    if rng.random() < 0.5:
        holder, key = [place for place in every if place[0] is document][
            int(rng.integers(len(document)))
        ]
    deed = rng.random()
    if deed < 0.15:
        del holder[key]
    elif deed < 0.25 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[key] = copy.deepcopy(NASTY[int(rng.integers(len(NASTY)))])


def check_consistent(c: Comparison) -> None:
    """Everything that a person is shown can be had, and could be true."""
    answer = c.answer
    assert c.best in answer.labels
    assert (answer.counts >= -1e-6).all()
    if answer.probability is not None:
        assert ((answer.probability >= -1e-6) & (answer.probability <= 1 + 1e-6)).all()
    assert answer.pvalue is None or 0 <= answer.pvalue <= 1
    assert isinstance(c.explain(), str)
    assert isinstance(repr(c), str)
    assert len(c.summary()) >= len(answer.labels)


def load_or_refuse(path: Path) -> bool:
    """Whether a file was loaded; a refusal is one line that names it."""
    told = ""
    try:
        c = bc.load_comparison(path)
    except bc.BayescompareError as error:
        told = str(error)
    if told:
        assert path.name in told
        assert "\n" not in told
    else:
        check_consistent(c)
    return not told


@pytest.mark.parametrize("name", [*COMPARISONS, "model"])
def test_any_mutation_loads_or_is_refused(
    name: str,
    documents: dict[str, dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    marker = tmp_path / "ran"
    (tmp_path / "model.py").write_text(CODE.format(marker=str(marker)))
    rng = np.random.default_rng(sum(map(ord, name)))
    loaded, trials = 0, 3 * settings.default.max_examples
    for _ in range(trials):
        document = copy.deepcopy(documents[name])
        for _ in range(int(rng.integers(1, 4))):
            if document:
                mutate(document, rng)
        loaded += load_or_refuse(write(document, tmp_path))
    assert 0 < loaded < trials
    assert not marker.exists()


def mutate_netcdf(tree: xr.DataTree, rng: np.random.Generator) -> None:
    """Change or remove an attribute, something inside one, or numbers of a variable."""
    group = (tree, tree["results"], tree["answer"])[int(rng.integers(3))]
    key = sorted(group.attrs)[int(rng.integers(len(group.attrs)))] if group.attrs else ""
    match int(rng.integers(4)):
        case 0 if key:
            group.attrs[key] = (7.3, -1, "x", "{}", "[]", "null", "")[int(rng.integers(7))]
        case 1 if key:
            del group.attrs[key]
        case 2:
            text = ("scalars", "options", "figures", "details")[int(rng.integers(4))]
            if facts := json.loads(tree.attrs[text]):
                mutate(facts, rng)
            tree.attrs[text] = json.dumps(facts)
        case _:
            where = "answer" if rng.random() < 0.8 else "results"
            data = tree[where].to_dataset()
            names = sorted(str(name) for name, one in data.variables.items() if one.size)
            name = names[int(rng.integers(len(names)))]
            values = data[name].values.copy()
            nasty = (7.3, -1.0, np.nan, np.inf) if values.dtype.kind == "f" else ("", "x", "A>B")
            if values.dtype.kind in "fUO":
                values.flat[int(rng.integers(values.size))] = nasty[int(rng.integers(len(nasty)))]
            tree[where] = xr.DataTree(data.assign({name: (data[name].dims, values)}))


def test_any_mutation_of_netcdf_loads_or_is_refused(
    documents: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    path = as_netcdf(documents["dirichlet"], tmp_path)
    with xr.open_datatree(path, engine="h5netcdf") as opened:
        whole = opened.load()
    rng = np.random.default_rng(0)
    changed, loaded = tmp_path / "changed.nc", 0
    trials = max(10, settings.default.max_examples // 2)  # of fewer, all may load
    for _ in range(trials):
        tree = whole.copy(deep=True)
        mutate_netcdf(tree, rng)
        changed.unlink(missing_ok=True)
        tree.to_netcdf(changed, engine="h5netcdf")
        loaded += load_or_refuse(changed)
    assert 0 < loaded < trials


# ------------------------------------------------------------------------------- a posterior in it


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> xr.DataTree:
    """A saved comparison with a posterior, as a tree."""
    c = bc.compare(pair())
    answer = replace(c.answer, tree=c.draws(100, chains=2, rng=0))
    path = replace(c, answer=answer).to_netcdf(tmp_path_factory.mktemp("c") / "c.nc")
    assert "posterior" in bc.load_comparison(path).tree
    with xr.open_datatree(path, engine="h5netcdf") as opened:
        return opened.load()


def words_for_draws(posterior: xr.Dataset) -> xr.Dataset:
    return posterior.assign(theta=posterior["theta"].astype(str))


BAD_POSTERIORS: dict[str, Callable[[xr.Dataset], xr.Dataset]] = {
    "one number": lambda posterior: posterior.mean(("chain", "draw")),
    "no chains": lambda posterior: posterior.isel(chain=0, drop=True),
    "words": words_for_draws,
    "no draws": lambda posterior: posterior.isel(draw=slice(0)),
    "a variable without draws": lambda posterior: posterior.assign(theta=posterior["theta"][0, 0]),
}


@pytest.mark.parametrize("change", BAD_POSTERIORS.values(), ids=BAD_POSTERIORS)
def test_a_posterior_that_cannot_be_diagnosed_is_refused(
    change: Callable[[xr.Dataset], xr.Dataset], sampled: xr.DataTree, tmp_path: Path
) -> None:
    tree = sampled.copy()
    tree["posterior"] = xr.DataTree(change(tree["posterior"].to_dataset()))
    path = tmp_path / "c.nc"
    tree.to_netcdf(path, engine="h5netcdf")
    with pytest.raises(bc.BayescompareError, match=r"c\.nc: posterior"):
        bc.load_comparison(path)
