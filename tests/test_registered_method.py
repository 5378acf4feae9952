"""The plug-in promise: a method from outside, in about ten lines, and every door knows it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app
from bayescompare.evidence import Evidence
from bayescompare.methods import Answer, Facts, Method, Posterior
from bayescompare.prior import DirichletPrior
from bayescompare.statements import Statements


class Share(Method):
    """P is the share of datasets: no prior, no model, a method in ten lines."""

    name = "share"
    title = "the share of datasets that support each statement"

    def answer(self, results, sampling):
        statements = Statements.from_results(results)
        counts = statements.table.counts
        return Answer.over(statements, probability=counts / counts.sum())

    def sentences(self, found):
        return [f"{found.decision.statement} holds on most datasets."]


@dataclass(frozen=True)
class Lead(Facts):
    """One measure of a `Margin` answer."""

    measure: str
    datasets: float


@dataclass(frozen=True)
class Leads(Facts):
    """What only `Margin` has to tell."""

    leads: tuple[Lead, ...]
    margin: float = field(default=0.0, metadata={"figure": True})
    spread: float | None = field(default=None, metadata={"figure": True})
    note: str | None = None


class MarginPosterior(Posterior):
    """What `Margin` finds."""

    facts_type = Leads


class Margin(Share):
    """The share of datasets, with facts of its own."""

    name = "margin"
    title = "the share of datasets, and by how much it leads"
    posterior_type = MarginPosterior

    def answer(self, results, sampling):
        answer = super().answer(results, sampling)
        second, first = np.sort(answer.probability)[-2:]
        leads = tuple(Lead(name, float(answer.counts.max())) for name in results.measures)
        return replace(answer, facts=Leads(leads, first - second))

    def sentences(self, found):
        _, answer, decision = found
        told = Leads.of(answer)
        margin, lead = told.margin, told.leads[0]
        return [f"{decision.statement} leads by {margin:.2f} ({lead.datasets:g} datasets)."]


class HalfPosterior(bc.methods.Dirichlet.posterior_type):
    """An answer with a quantity of its own."""

    @property
    def doubled(self) -> float:
        """Twice the largest probability."""
        return 2.0 * float(self.answer.probability.max())


class Half(bc.methods.Dirichlet):
    """The Dirichlet test under another name, with a type and a citation of its own."""

    name = "half"
    title = "the Dirichlet test at half the strength"
    citations = ("@article{half2026,\n  author = {Half, Anna},\n  year = {2026}\n}",)
    posterior_type = HalfPosterior

    def methods_text(self, answer):
        return "by half the test of {cited}."


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    for method in (Share, Half, Margin):
        assert bc.methods.register(method) is method
    yield
    for method in (Share, Half, Margin):
        bc.methods.unregister(method.name)


@pytest.fixture
def table() -> bc.Results:
    return bc.load_example("jansen-uci").sel(algorithms=["GBM", "CART", "RF"])


NAMES = ("share", "half", "margin")


def test_names_and_describe() -> None:
    for name in NAMES:
        assert bc.methods.names()[name] == bc.methods.get(name).title
    assert bc.methods.describe("half").index.tolist() == ["theta", "alpha", "strength", "kappa"]
    assert "half" in bc.methods.having("questions")


def test_the_figures_are_the_method_s() -> None:
    results = bc.load_example("benavoli-example1")
    c = bc.compare(results, method="share")
    counts = bc.compare(results).probability["count"]
    np.testing.assert_allclose(c.probability, counts / 12)
    own = bc.compare(results)
    half = bc.compare(results, method="half")
    np.testing.assert_array_equal(half.probability, own.probability)
    pd.testing.assert_series_equal(half.questions, own.questions)
    assert half.doubled == 2 * float(own.probability.max())


@pytest.mark.parametrize("name", NAMES)
def test_one_question(name: str, table: bc.Results, tmp_path: Path) -> None:
    c = bc.compare(table, method=name, algorithms=["GBM", "CART"])
    assert c.best in c.explain() or "GBM is better" in c.explain()
    assert name in repr(c)
    assert c.summary().index[0] == c.best
    assert c.plot().get_title("left")
    page = c.report(tmp_path / "page.html").read_text("utf-8")
    assert f"method={type(c.method).__name__}()," in page
    for suffix in (".md", ".tex", ".json"):
        assert c.report(tmp_path / f"page{suffix}").stat().st_size > 100


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", [".json", ".nc"])
def test_files(name: str, suffix: str, table: bc.Results, tmp_path: Path) -> None:
    c = bc.compare(table, method=name, algorithms=["GBM", "CART"])
    path = tmp_path / f"c{suffix}"
    c.to_json(path) if suffix == ".json" else c.to_netcdf(path)
    again = bc.load_comparison(path)
    assert type(again) is type(c)
    assert type(again.method) is type(c.method)
    pd.testing.assert_frame_equal(again.summary(), c.summary())
    assert again.explain() == c.explain()
    assert again.answer.facts == c.answer.facts


def test_details_of_its_own_stand_in_the_file(table: bc.Results, tmp_path: Path) -> None:
    c = bc.compare(table, method="margin", algorithms=["GBM", "CART"])
    path = tmp_path / "c.json"
    c.to_json(path)
    document = json.loads(path.read_text("utf-8"))
    counts = c.answer.counts.max()
    assert document["details"] == {
        "leads": [{"measure": name, "datasets": counts} for name in table.measures]
    }
    assert document["figures"] == {"margin": Leads.of(c.answer).margin, "spread": None}
    del document["details"]["leads"][1]["datasets"]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(bc.BayescompareError, match="details: leads: 'datasets' is missing"):
        bc.load_comparison(path)


@pytest.mark.parametrize("name", NAMES)
def test_all_pairs(name: str, table: bc.Results, tmp_path: Path) -> None:
    p = bc.pairwise(table, method=name, progress=False, n_jobs=1)
    assert len(p.decide()) == 3
    assert p.explain()
    assert p.plot() is not None
    page = "page.html" if name == NAMES[0] else "page.md"
    assert p.report(tmp_path / page).stat().st_size > 1000
    assert json.loads(p.to_json())["comparisons"][0]["method"]["name"] == name


def test_what_is_declared_is_used(table: bc.Results, tmp_path: Path) -> None:
    c = bc.compare(table, method="half", algorithms=["GBM", "CART"])
    page = c.report(tmp_path / "page.md").read_text("utf-8")
    assert "by half the test of Half (2026)." in page
    assert "@article{half2026," in page
    assert c.sensitivity([0.5, 1.0]).shape[0] == 2
    assert c.sensitivity([1.0]).attrs["lower"]
    assert bc.studies.sbc("half", c.results, simulations=20, rng=1).model == "half"
    assert bc.compare_models([c, bc.compare(c.results)]).table.shape[0] == 2


def test_the_command_line() -> None:
    for name in NAMES:
        done = CliRunner().invoke(app, ["compare", "--example", "pnn", "--method", name])
        assert done.exit_code == 0, done.output
        assert name in CliRunner().invoke(app, ["methods"]).output
    assert "half the strength" in CliRunner().invoke(app, ["methods", "half"]).output


# what is refused ----------------------------------------------------------------------------------


def refusal(method: object) -> str:
    with pytest.raises(bc.BayescompareError) as caught:
        bc.methods.register(method)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_what_is_no_method() -> None:
    for thing in (3, "share", dict, Share()):
        assert "derived from bc.methods.Method" in refusal(thing)


@dataclass(frozen=True)
class Unholdable(Facts):
    values: list[float]


class Bare(Facts):
    values: float


def telling(facts: object) -> type[Posterior]:
    return type("Telling", (Posterior,), {"facts_type": facts})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": None}, "lacks name"),
        ({"name": ""}, "lacks name"),
        ({"name": "My Test"}, "lower-case words joined by hyphens"),
        ({"name": "dirichlet"}, "already"),
        ({"name": "model"}, "already"),
        ({"name": "share"}, "already"),
        ({"name": "plackett_luce"}, "bundled model"),
        ({"title": None}, "lacks title"),
        ({"headline": lambda *_: "B"}, "defines headline, which is asked of the posterior"),
        (
            {"leave_one_out": lambda *_: None},
            "defines leave_one_out, which is asked of the posterior",
        ),
        ({"citations": "me2026"}, "lacks citations"),
        ({"accepts": bc.methods.Accepts(judges="stars")}, "judges='stars'"),
        ({"accepts": {"judges": "cells"}}, "give a bc.methods.Accepts"),
        ({"posterior_type": telling(dict)}, "not a class derived from bc.methods.Facts"),
        ({"posterior_type": telling(Leads(()))}, "not a class derived from bc.methods.Facts"),
        ({"posterior_type": telling(Unholdable)}, "Unholdable.values is declared as list[float]"),
        ({"posterior_type": telling(Bare)}, "Bare is not a frozen dataclass"),
        ({"scalars_type": Leads}, "declares scalars_type: declare one class"),
        (
            {"posterior_type": type("Weighed", (Posterior,), {"weighed_by": "strength"})},
            "weighed_by='strength' of its posterior_type is not one of its options",
        ),
        ({"__init__": lambda self, x: None}, "__init__ of its own"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_class_that_will_not_do(change: dict[str, object], words: str) -> None:
    other = type("Other", (Share,), {"name": "other", **change})
    assert words in refusal(other)


def test_a_class_without_an_answer() -> None:
    class Silent(Method):
        name = "silent"

    assert "lacks sentences()" in refusal(Silent)

    class Mute(Silent):
        title = "says nothing"

        def sentences(self, found):
            return []

    assert "lacks posterior(), or evidence() and prior_on()" in refusal(Mute)


def test_a_class_of_the_shape_of_0_1_0_works_and_says_what_to_change(tmp_path: Path) -> None:
    class Old(Method):
        name, title = "old", "the share of datasets, declared as before"
        kind, input_kind = "frequentist", "cells"
        provides = frozenset({"pvalue", "statistic"})
        reference, levers = "Nobody (2020)", "more rain"
        verdict_phrase = "wins"
        lacks: ClassVar = {"plan": "It knows no other data than these, whatever one may plan."}

        def answer(self, results, sampling):
            return Answer.over(Statements.from_results(results), pvalue=0.25, statistic=2.0)

        def sentences(self, results, answer, decision):
            return [
                f"{decision.statement} on {len(results.datasets)} datasets: p = {answer.pvalue}."
            ]

    with pytest.warns(DeprecationWarning, match="judges=.*Phrases.*sentences"):
        bc.methods.register(Old)
    try:
        c = bc.compare(bc.load_example("pnn"), method="old")
        assert c.pvalue == 0.25
        assert "datasets: p = 0.25." in c.explain()
        assert "more rain" in c.explain()
        with pytest.raises(bc.BayescompareError, match="whatever one may plan"):
            c.plan()
        with pytest.raises(bc.BayescompareError, match="methods with it: dirichlet"):
            _ = c.probability
        c.to_json(tmp_path / "c.json")
        assert bc.load_comparison(tmp_path / "c.json").pvalue == 0.25
    finally:
        bc.methods.unregister("old")


@pytest.mark.parametrize("name", ["comparison_type", "nuts_model", "of_pair", "unlearned"])
def test_what_nothing_asks_for_now_says_what_to_change(name: str) -> None:
    assert f"defines {name}, which nothing asks for now" in refusal(
        type("Other", (Share,), {"name": "other", name: lambda *_: None})
    )


@pytest.mark.parametrize("judged", ["law", "test"])
def test_a_class_may_give_evidence_and_prior_or_a_test(judged: str) -> None:
    class Plain(Method):
        name, title = "plain", "evidence and a prior, and nothing else"
        posterior_type = bc.methods.ThetaPosterior

        def evidence(self, results):
            return Evidence.from_table(results)

        def prior_on(self, evidence):
            size = evidence.statements.size
            return DirichletPrior.symmetric(1.0 / size, size)

        def sentences(self, found):
            return [f"{found.decision.statement} leads."]

    class Coin(Plain):
        name, posterior_type = "coin", bc.methods.Tested

        def posterior(self, results, rng=None):
            return bc.methods.TestResult(pvalue=0.5, statistic=1.0)

    results = bc.load_example("benavoli-example1")
    if judged == "test":
        c = bc.compare(results, method=Coin())
        assert (c.pvalue, c.best) == (0.5, bc.compare(results, method="glrt").best)
        return
    c, usual = bc.compare(results, method=Plain()), bc.compare(results)
    np.testing.assert_allclose(c.probability, usual.probability)
    assert float(c.loo().elpd) == pytest.approx(float(usual.loo().elpd))
    np.testing.assert_allclose(c.sensitivity([2.0]), usual.sensitivity([2.0]))
    with pytest.raises(bc.BayescompareError, match="methods with it: dirichlet"):
        c.draws()


def test_registering_the_same_class_again_replaces_it() -> None:
    again = type("Share", (Share,), {"__module__": Share.__module__, "__qualname__": "Share"})
    assert bc.methods.register(again) is again
    assert bc.methods.get("share") is again


def test_a_built_in_method_cannot_be_forgotten() -> None:
    with pytest.raises(bc.BayescompareError, match="no method was registered"):
        bc.methods.unregister("dirichlet")


WRONG = {
    "no answer": (lambda a: None, "must be a bc.methods.Answer"),
    "short": (lambda a: {"probability": a.probability[:1]}, "probability has the shape"),
    "above one": (lambda a: {"probability": a.probability + 2.0}, "between 0 and 1"),
    "sums to two": (lambda a: {"probability": np.full(len(a.labels), 0.5)}, "sums to 2"),
    "none": (lambda a: {"probability": None}, "probability is missing"),
    "a p-value": (lambda a: {"pvalue": 0.1, "statistic": 1.0}, "pvalue is given"),
    "labels": (lambda a: {"labels": tuple("abcd")}, "is no statement"),
    "a bag": (lambda a: {"facts": {"leads": 3}}, "facts is a dict: it must be the Leads"),
    "other facts": (lambda a: {"facts": Facts()}, "facts is a Facts: it must be the"),
    "text": (lambda a: {"facts": Leads((Lead("x", "many"),))}, "datasets is 'many'"),
    "no number": (lambda a: {"facts": Leads((), math.nan)}, "facts: margin is None"),
}


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=WRONG)
def test_an_answer_of_the_wrong_shape(change, words: str) -> None:
    class Wrong(Margin):
        name = "wrong"

        def answer(self, results, sampling):
            answer = super().answer(results, sampling)
            changed = change(answer)
            return changed if changed is None else replace(answer, **changed)

    for ask in (bc.compare, bc.pairwise):
        with pytest.raises(bc.BayescompareError, match="method 'wrong'") as caught:
            ask(bc.load_example("benavoli-example1"), method=Wrong())
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_file_of_a_method_that_is_not_known_here(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    bc.compare(bc.load_example("pnn"), method="share").to_json(path)
    bc.methods.unregister("share")
    try:
        with pytest.raises(bc.BayescompareError, match=r"register it first by bc\.methods"):
            bc.load_comparison(path)
    finally:
        bc.methods.register(Share)
