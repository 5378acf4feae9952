"""What users type: signatures, names in the reference, and what `dir` shows of a comparison."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.outcome.method import Method
from tests.cases import few_quick

MODULES = ("", "methods", "plots", "io", "studies", "modelling", "report", "comparisons")

#: Data, or what a call is about: all that may be given by position though it has a default. The
#: documentation calls these so, as in ``c.draws(1000, chains=4)`` and ``c.plot("simplex")``.
BY_POSITION = {
    "draws": ("draws",),
    "sample": ("draws",),
    "diagnose": ("tree",),
    "loo": ("tree",),
    "check": ("tree",),
    "plan": ("more",),
    "sensitivity": ("values",),
    "robustness": ("gammas",),
    "plot": ("kind",),
    "to_json": ("path",),
    "render": ("format",),
    "prior": ("dims",),
    "abilities": ("method",),
    "predict": ("n",),
    "lkj_cholesky": ("dim", "other"),
    "sbc": ("results",),
}

#: What is made by the package and only read by users: their fields are data.
RECORDS = ("EvidenceEstimate", "Example", "Pairwise", "Ranking", "SBC")


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function and class, and every public function of those classes."""
    for module in MODULES:
        owner = importlib.import_module(f"bayescompare.{module}".rstrip("."))
        for name in owner.__all__:
            value = getattr(owner, name)
            if not callable(value) or (isinstance(value, type) and issubclass(value, Exception)):
                continue
            yield f"{module}.{name}".lstrip("."), value
            if isinstance(value, type) and not issubclass(value, Method):
                for own, member in inspect.getmembers(value, callable):
                    if not own.startswith("_"):
                        yield f"{name}.{own}", member


SURFACE = dict(public_callables())


def test_options_are_given_by_name() -> None:
    found = {}
    for name, one in SURFACE.items():
        last = name.rpartition(".")[2]
        for p in inspect.signature(one).parameters.values() if last not in RECORDS else ():
            option = p.kind == p.POSITIONAL_OR_KEYWORD and p.default != p.empty
            if option and p.name not in BY_POSITION.get(last, ()):
                found[name] = p.name
    assert len(SURFACE) > 300
    assert found == {}


@pytest.mark.parametrize("name", bc.methods.names())
def test_choices_of_a_method_are_given_by_name(name: str) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        bc.methods.get(name)("jeffreys")  # type: ignore[call-arg]


def test_a_measure_has_its_direction_by_position_and_nothing_else() -> None:
    assert bc.Measure("max").direction == "max"
    with pytest.raises(TypeError, match="positional argument"):
        bc.Measure("max", 0.1)  # type: ignore[misc]


def test_every_name_of_the_reference_is_reached_from_the_package() -> None:
    """In an interpreter of its own: here other tests have imported the submodules."""
    api = Path(__file__).parent.parent / "docs" / "api.md"
    blocks = re.findall(r"\.\. autosummary::\n(.*?)```", api.read_text("utf-8"), flags=re.S)
    names = re.findall(r"^   ([\w.]+)$", "".join(blocks), flags=re.M)
    assert "report.write_report" in names
    code = "import operator, bayescompare as bc\n"
    code += f"for name in {names!r}: operator.attrgetter(name)(bc)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""


# describe -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", bc.methods.names())
def test_a_method_is_described_by_name_class_or_object(name: str) -> None:
    cls = bc.methods.get(name)
    table = bc.methods.describe(name)
    for other in (cls, cls()):
        assert bc.methods.describe(other).equals(table)
    if cls.parameters:
        assert table.index.tolist() == [p.name for p in cls.parameters]
    else:
        assert (table.index.name, list(table)) == ("option", ["default", "meaning"])
        assert table.index.tolist() == list(cls().options())
        assert table["meaning"].str.len().gt(10).all()


def test_a_model_file_is_described_by_its_object_too() -> None:
    by_name = bc.methods.describe("plackett_luce")
    assert bc.methods.describe(bc.methods.ModelFile("plackett_luce")).equals(by_name)


@pytest.mark.parametrize("other", [int, None, 5, ["dirichlet"], {}, "dirichlte"])
def test_what_is_no_method_is_not_described(other: Any) -> None:
    with pytest.raises(BayescompareError, match=r"dirichlet|no such model"):
        bc.methods.describe(other)


# dir ----------------------------------------------------------------------------------------------


def folds() -> bc.Results:
    rng = np.random.default_rng(0)
    rows = [(d, a, k, rng.random()) for d in "abcd" for a in "AB" for k in range(5)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    return bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max"})


@cache
def comparisons() -> dict[str, bc.Comparison]:
    """One by every method, and by choices that change what there is."""
    example, uci = bc.load_example("benavoli-example1"), bc.load_example("jansen-uci")
    errors, three = bc.load_example("lacoste-svm-parzen"), ["GBM", "CART", "RF"]
    errors = errors.sel(datasets=list(errors.datasets[3:8]))
    first = {"measures": [example.measures[0]]}
    chosen: dict[str, tuple[bc.Results, Any, dict[str, Any]]] = {
        **{name: (example, name, {}) for name in ("dirichlet", "network", "glrt")},
        **{name: (example, name, {}) for name in ("gsd", "all-test", "one-test")},
        "gsd-bootstrap": (example, bc.methods.GSDBootstrap(resamples=100), {}),
        **{name: (example, name, first) for name in ("sign", "signed-rank", "wilcoxon")},
        **{name: (errors, name, {}) for name in ("poisson-binomial", "hierarchical")},
        "replicated": (folds(), "replicated", {}),
        "correlated-t": (folds(), "correlated-t", {}),
        "friedman": (uci.sel(measures=[uci.measures[0]]), "friedman", {"algorithms": three}),
        "imprecise": (example, bc.methods.Dirichlet(prior="imprecise"), {}),
        "average": (example, bc.methods.Network(average=True), {}),
        "joint": (errors, bc.methods.PoissonBinomial(joint=True), {}),
        "order": (uci, "gsd", {"algorithms": three}),
        "three": (uci.sel(measures=[uci.measures[0]]), "dirichlet", {"algorithms": three}),
    }
    return {
        name: bc.compare(data, method=method, rng=0, **options)
        for name, (data, method, options) in chosen.items()
    }


#: How to call what needs arguments, or would take long without.
CALLS: dict[str, Callable[[Any], object]] = {
    "on": lambda c: c.on([c.results.measures[0]]),
    "rope_sensitivity": lambda c: c.rope_sensitivity(c.results.measures[0], ropes=[0.0]),
    "relation_at": lambda c: c.relation_at(0.1),
    "plan": lambda c: c.plan([1], simulations=2, rng=0),
    "predict": lambda c: c.predict(2, draws=3, rng=0),
    "simulate": lambda c: c.simulate(rng=0),
    "draws": lambda c: c.draws(5, chains=1, rng=0),
    "sensitivity": lambda c: c.sensitivity([1.0]),
    "check": lambda c: c.check(rng=0),
    "loo": lambda c: c.loo(),
    "model": lambda c: c.model(),
    "front_test": lambda c: c.front_test(rng=0),
    "robustness": lambda c: c.robustness([0.0]),
}

#: Every comparison has these; their tests are elsewhere, and NUTS and files take their time.
ALWAYS = {"plot", "report", "to_json", "to_netcdf"}


def works(c: bc.Comparison, name: str) -> bool:
    """Whether an attribute is there and, where it is a function, answers."""
    try:
        value = getattr(c, name)
        if name in CALLS:
            CALLS[name](c)
        elif inspect.ismethod(value):
            value()
    except BayescompareError:
        return False
    return True


@pytest.mark.parametrize(
    "name", few_quick(["imprecise", "joint", *bc.methods.names(), "average", "order"], 9)
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_dir_lists_what_works_and_nothing_else(name: str) -> None:
    c = comparisons()[name]
    names = {n for n in dir(type(c)) if not n.startswith("_")} | {"results", "method", "answer"}
    listed = {n for n in dir(c) if not n.startswith("_")}
    # Without NUTS: what samples goes with model().
    assert ("sample" in listed) == ("model" in listed)
    estimable = "model" in listed and not c.posterior.why_not("evidence")
    assert ("estimate_evidence" in listed) == estimable
    assert listed >= ALWAYS
    # What is asked with an argument of its own refuses by itself, in one sentence.
    for attribute in names - ALWAYS - {"sample", "estimate_evidence", "events", "project"}:
        assert works(c, attribute) == (attribute in listed), attribute


def test_dir_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from bayescompare.statements import Statements

    cs = list(comparisons().values())
    monkeypatch.setattr(Statements, "from_results", None)
    monkeypatch.setattr(Statements, "of", None)
    for c in cs:
        fresh = replace(c)
        assert "explain" in dir(fresh)
        assert set(vars(fresh)) - {"posterior"} == {"results", "method", "answer"}
        assert "theta" not in vars(fresh.posterior)  # which is made when it is first asked


def test_hasattr_agrees_with_dir_on_figures() -> None:
    for c in comparisons().values():
        for name, value in inspect.getmembers(type(c), lambda m: isinstance(m, property)):
            if not name.startswith("_") and value.fget is not None:
                assert hasattr(c, name) == (name in dir(c)), (c.method.name, name)


def test_all_that_methods_provide_is_known_to_dir() -> None:
    from bayescompare.outcome.comparison import QUANTITIES

    for quantity in QUANTITIES:
        assert bc.methods.having(quantity) or quantity == "ahead", quantity  # of model files
