"""The provenance of a report: options, exactness, seed, versions, and the command that made it."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bayescompare._version import __version__
from bayescompare.comparison import registry
from bayescompare.comparison.method_checks import is_built_in_method
from bayescompare.report.page import PageSection
from bayescompare.text.numbers import standard_error_text

if TYPE_CHECKING:
    from bayescompare.comparison.comparison import Comparison
    from bayescompare.comparison.method import Method
    from bayescompare.table.results import Results

__all__ = ["package_versions", "provenance_python_call", "provenance_section"]


def provenance_section(
    method: Method, comparisons: Iterable[Comparison], call: str, more: Mapping[str, str]
) -> PageSection:
    """Return the section about the origin of the figures; `call` is the command."""
    answers = tuple(comparisons)
    facts = {
        "method": f"{method.name} ({method.kind}): {method.title}",
        **({"reference": method.reference} if method.reference else {}),
        # For pairs, the method of the first one has the learned options.
        "options": _provenance_options(answers[0].method.options()) or "none",
        **more,
        **_provenance_exactness(answers),
        "versions": _provenance_versions(method),
    }
    return PageSection("How it was made", facts=facts, code={"Command": call})


def provenance_python_call(
    function: str, method: Method, results: Results, options: Mapping[str, Any]
) -> str:
    """Write the call that reproduces a result from a table that has these measures.

    A prior that is an object is written by its description, which is the same in every run.
    """
    chosen = {"measures": list(results.measures), **options}
    arguments = "".join(f",\n    {name}={v!r}" for name, v in chosen.items() if v is not None)
    return (
        f"bc.{function}(\n    results,\n    method={_provenance_constructor(method)}{arguments},\n)"
    )


def _provenance_constructor(method: Method) -> str:
    inside = ", ".join(f"{name}={value!r}" for name, value in method.chosen().items())
    if not is_built_in_method(type(method)):
        return f"{type(method).__name__}({inside})"
    # A learned prior or gaps in the table make a variant, which has a class of its own.
    return f"bc.methods.{registry.saved_class_in_registry(method.name).__name__}({inside})"


def _provenance_options(options: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in options.items() if name != "learned"}
    return ", ".join(f"{name} = {value}" for name, value in shown.items() if value is not None)


def _provenance_versions(method: Method) -> str:
    sampling = ("pymc", "arviz") if method.needs_mcmc else ()
    return package_versions("numpy", "scipy", *sampling, "matplotlib")


def package_versions(*used: str) -> str:
    """Return the versions of this package, of Python and of the packages used."""
    packages = ", ".join(f"{name} {version(name)}" for name in used)
    return f"bayescompare {__version__}, Python {platform.python_version()}, {packages}"


def _provenance_exactness(comparisons: tuple[Comparison, ...]) -> dict[str, str]:
    errors = [c.answer.mcse.max() for c in comparisons if c.answer.mcse is not None]
    sampled = any(c.answer.resampled_pvalue for c in comparisons)
    if not (errors or sampled) and not comparisons[0].method.approximate(comparisons[0].answer):
        return {"exactness": "exact: the figures carry no Monte Carlo error"}
    if not (errors or sampled):
        return {"exactness": "no Monte Carlo error; the p-value is a large-sample approximation"}
    seeds = {c.answer.seed for c in comparisons}
    seed = seeds.pop() if len(seeds) == 1 else None
    words = f"p-value{'s' if len(comparisons) > 1 else ''} from random resamples"
    if not sampled:
        words = (
            f"Monte Carlo: standard error of P at most {standard_error_text(float(max(errors)))}"
        )
    return {"exactness": words, "seed": "a Generator" if seed is None else str(seed)}
