"""What users type: signatures, names in the reference, and what `dir` shows of a comparison."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods.base import Method

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
}

#: What is made by the package and only read by users: their fields are data.
RECORDS = ("Example", "Pairwise", "SBC")


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


@pytest.mark.parametrize(
    "name", [name for name in SURFACE if name.rpartition(".")[2] not in RECORDS]
)
def test_options_are_given_by_name(name: str) -> None:
    given = inspect.signature(SURFACE[name]).parameters.values()
    options = [p.name for p in given if p.kind == p.POSITIONAL_OR_KEYWORD and p.default != p.empty]
    allowed = BY_POSITION.get(name.rpartition(".")[2], ())
    assert [option for option in options if option not in allowed] == []


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
