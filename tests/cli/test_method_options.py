"""``--set`` reaches every option of every method, and its aliases are no more than that."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

import bayescompare as bc
from bayescompare.cli.method_options import (
    Aliases,
    AllAliases,
    MethodOptions,
    SampledMethodOptions,
    read_method,
)

#: A method that has the option, a value as Typer reads it, and the same after ``--set NAME=``.
ALIASES: dict[str, tuple[str, Any, str]] = {
    "prior": ("dirichlet", "2", "2"),
    "strength": ("dirichlet", 3.0, "3.0"),
    "ess": ("network", 2.0, "2.0"),
    "max_parents": ("network", 1, "1"),
    "search": ("network", "hill-climb", "hill-climb"),
    "average": ("network", True, "true"),
    "alternative": ("gsd", "first", "first"),
}


def test_every_alias_is_here() -> None:
    assert {field.name for field in fields(AllAliases)} == set(ALIASES)
    assert {field.name for field in fields(Aliases)} == set(ALIASES) - {"alternative"}


@pytest.mark.parametrize("name", ALIASES)
def test_an_alias_is_a_setting(name: str) -> None:
    method, value, text = ALIASES[name]
    alias = read_method(MethodOptions(method, aliases=AllAliases(**{name: value})))
    setting = read_method(MethodOptions(method, [f"{name}={text}"]))
    assert alias == setting
    assert alias != read_method(MethodOptions(method))


@pytest.mark.parametrize("name", ALIASES)
def test_an_option_is_typed_once(name: str) -> None:
    method, value, text = ALIASES[name]
    both = MethodOptions(method, [f"{name}={text}"], AllAliases(**{name: value}))
    with pytest.raises(bc.BayescompareError, match=f"{name} is given twice"):
        read_method(both)


@pytest.mark.parametrize("name", ALIASES)
def test_a_method_without_the_option_refuses_the_alias(name: str) -> None:
    flag = f"--{name.replace('_', '-')}"
    options = MethodOptions("glrt", aliases=AllAliases(**{name: ALIASES[name][1]}))
    with pytest.raises(bc.BayescompareError, match=f"^{flag}: method 'glrt' has no such option"):
        read_method(options)


@pytest.mark.parametrize("method", list(bc.methods.names()))
def test_every_option_of_a_method_has_a_flag(method: str) -> None:
    flags = SampledMethodOptions(method).arguments()
    for field in fields(bc.methods.get(method)):
        if field.init:
            alias = {"max_parents": "--max-parents", "average": "--average"}.get(field.name)
            known = field.name in {each.name for each in fields(Aliases)}
            expected = alias or (f"--{field.name}" if known else f"--set {field.name}")
            assert flags[field.name].name == expected


@pytest.mark.parametrize(
    ("method", "text", "expected"),
    [
        ("poisson-binomial", "joint=true", bc.methods.PoissonBinomial(joint=True)),
        ("poisson-binomial", "joint=False", bc.methods.PoissonBinomial(joint=False)),
        ("poisson-binomial", "b=2", bc.methods.PoissonBinomial(b=2)),
        ("poisson-binomial", "b=5e-1", bc.methods.PoissonBinomial(b=0.5)),
        ("network", "max_parents=none", bc.methods.Network(max_parents=None)),
        ("gsd", "alternative=first", bc.methods.GSD(alternative="first")),
        ("dirichlet", "prior=2", bc.methods.Dirichlet(prior=2.0)),
    ],
)
def test_values_are_read(method: str, text: str, expected: object) -> None:
    assert read_method(MethodOptions(method, [text])) == expected


def test_options_of_a_model_file_are_its_priors() -> None:
    options = MethodOptions("plackett_luce", ["sigma=0.5"])
    assert options.is_model_file
    assert read_method(options).priors == {"sigma": 0.5}  # type: ignore[attr-defined]


BELIEFS = '{"accuracy": {"B>A": 0.7}, "weight": 5}'


def test_a_prior_is_typed_as_json() -> None:
    expected = bc.methods.Dirichlet(prior={"accuracy": {"B>A": 0.7}, "weight": 5})
    assert read_method(MethodOptions("dirichlet", [f"prior={BELIEFS}"])) == expected
    assert read_method(MethodOptions("dirichlet", aliases=AllAliases(prior=BELIEFS))) == expected
    labels = read_method(MethodOptions("dirichlet", ['prior={"B>A|*": 3, "*": 0.5}']))
    assert labels == bc.methods.Dirichlet(prior={"B>A|*": 3, "*": 0.5})


@pytest.mark.parametrize(
    "text", ['{"accuracy": ', '{"a": {"B>A": 0.7}, "a": {"B>A": 0.3}}', "{" * 9999]
)
def test_json_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(bc.BayescompareError, match=r"^--prior: .* is not JSON"):
        read_method(MethodOptions("dirichlet", aliases=AllAliases(prior=text)))
