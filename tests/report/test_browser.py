"""The page in a real browser: no error, no request, sorting, phone and print."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.statements import Statement
from bayescompare.text.numbers import format_probability
from tests.cases import few_quick
from tests.report.conftest import Rendered

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None and not os.environ.get("CI"):
    pytest.skip("no Chromium on this machine; CI has one", allow_module_level=True)

sync_api = pytest.importorskip("playwright.sync_api")


UCI = "jansen-uci"


@pytest.fixture(scope="module")
def reports(rendered: Rendered, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("reports")

    class Reports(dict[str, Path]):
        def __missing__(self, name: str) -> Path:
            self[name] = folder / f"{name}.html"
            self[name].write_text(rendered.html(name), encoding="utf-8")
            return self[name]

    return Reports()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    assert CHROMIUM is not None, "CI must install Chromium: see .ci/run"
    with sync_api.sync_playwright() as running:
        # Root may not use the sandbox, and the pages are our own.
        made = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()


class Opened:
    """A page with what it said and asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def overflowing(self) -> list[str]:
        """What sticks out of the window and cannot be scrolled to inside a box of its own."""
        found: list[str] = self.page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((element) => {
                if (element.closest(".wide, .card, pre, svg")) {
                    if (!element.matches(".wide, .card, pre")) return false;
                }
                return element.getBoundingClientRect().right > innerWidth + 1;
            }).map((element) => element.outerHTML.slice(0, 80))"""
        )
        return found


#: What other tests of this file open too.
QUICK = ("example1", "hierarchical", "odd names", "pairs")
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True}


@pytest.mark.parametrize(
    "name", few_quick([*QUICK, "network", "gsd", "friedman", "200 algorithms"], 4)
)
def test_no_error_no_request_and_nothing_overflows_on_a_phone(browser, reports, name):
    with Opened(browser, reports[name], **PHONE) as opened:
        page = opened.page
        for scheme, colour in ("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 28)"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == colour
        assert opened.said == []
        assert opened.asked == [reports[name].as_uri()]
        width = opened.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390
        assert opened.overflowing() == []
        # Legible: no text of the page itself is smaller than 12 pixels.
        size = opened.page.evaluate(
            """Math.min(...[...document.querySelectorAll("p, td, th, dd, pre")]
               .map((e) => parseFloat(getComputedStyle(e).fontSize)))"""
        )
        assert size >= 12


def column(opened: Opened, table: str, index: int) -> list[str]:
    cells: list[str] = opened.page.locator(f"{table} tbody tr").evaluate_all(
        f"rows => rows.map((row) => row.cells[{index}].textContent)"
    )
    return cells


def test_tables_sort_by_value_both_ways(browser, reports):
    with Opened(browser, reports["pairs"]) as opened:
        page = opened.page
        table = "table.sortable:has(th:has-text('P(own prior)'):nth-child(5))"
        assert column(opened, table, 4)[0] == ">0.999"  # a text whose value lies above 0.999
        button = page.locator(f"{table} th button", has_text="P(own prior)")
        button.click()
        values = page.locator(f"{table} tbody tr").evaluate_all(
            "rows => rows.map((row) => Number(row.cells[4].dataset.v))"
        )
        assert values == sorted(values)
        assert len(set(values)) > 20
        assert column(opened, table, 4)[-1] == ">0.999"
        head = page.locator(f"{table} th", has_text="P(own prior)")
        assert head.get_attribute("aria-sort") == "ascending"
        button.click()
        assert column(opened, table, 4)[0] == ">0.999"
        page.locator(f"{table} th button", has_text="pair").click()
        names = column(opened, table, 0)
        assert names == sorted(names)
        # The mark goes with its row.
        marked = page.locator(f"{table} tr.marked").evaluate_all(
            "rows => rows.map((row) => row.cells[2].textContent)"
        )
        assert marked
        assert set(marked) == {"better"}


def test_values_are_shown_on_hovering(browser, reports):
    with Opened(browser, reports["pairs"]) as opened:
        told = opened.page.locator("table.matrix td[title]").evaluate_all(
            "cells => cells.map((cell) => cell.title)"
        )
        assert len(told) == 56
        (gbm,) = [text for text in told if text.startswith("GBM against CART: ")]
        assert gbm.startswith("GBM against CART: P = 0.999"), gbm
        assert gbm.endswith("; 16 datasets"), gbm


def under(opened: Opened, svg: str) -> dict[str, str]:
    """What a picture tells at each field, with the text that is drawn under the field."""
    found: dict[str, str] = opened.page.locator(f"{svg} g.tip").evaluate_all(
        """(fields) => Object.fromEntries(fields.map((field) => {
            const box = field.getBoundingClientRect();
            const inside = [...field.closest("svg").querySelectorAll("text")].filter((text) => {
                const own = text.getBoundingClientRect();
                const x = (own.left + own.right) / 2, y = (own.top + own.bottom) / 2;
                return box.left < x && x < box.right && box.top < y && y < box.bottom;
            });
            const at = document.elementFromPoint(
                (box.left + box.right) / 2, (box.top + box.bottom) / 2);
            const felt = box.top < 0 || box.bottom > innerHeight || field.contains(at);
            return [field.querySelector("title").textContent,
                    felt ? inside.map((text) => text.textContent).join(" ") : "not felt"];
        }))"""
    )
    return found


def test_fields_lie_over_what_they_tell(browser, reports):
    tall = {"viewport": {"width": 1280, "height": 6000}}
    with Opened(browser, reports["pairs"], **tall) as opened:
        told = under(opened, "svg[aria-label='the leading statement of every pair']")
        assert len(told) == 28
        for text, drawn in told.items():
            # "…, P = 0.943; 16 datasets", or "P > 0.999".
            sign, _, p = text.removesuffix("; 16 datasets").rpartition("P ")[2].partition(" ")
            *_, shown = drawn.split()
            if sign == ">" or float(p) >= 0.995:
                assert shown == ">0.99", (text, drawn)
            else:
                # Both are rounded, to two digits and to three.
                assert abs(float(shown) - float(p)) <= 0.0055, (text, drawn)
            first, second = text.split(":")[0].split(" against ")
            row_better = f"{first} is better than {second}" in text
            assert ("≻" in drawn) == row_better, (text, drawn)
    with Opened(browser, reports["hierarchical"], **tall) as opened:
        told = under(opened, "svg[aria-label='every dataset']")
        assert len(told) == 22
        assert "not felt" not in told.values()
    with Opened(browser, reports["example1"], **tall) as opened:
        told = under(opened, "figure:first-of-type svg")
        assert len(told) == 4
        assert all(drawn != "not felt" for drawn in told.values())


def test_bibtex_unfolds_and_can_be_copied(browser, reports):
    with Opened(browser, reports["pairs"], permissions=["clipboard-write"]) as opened:
        page = opened.page
        assert not page.locator("pre", has_text="@article").first.is_visible()
        page.locator("summary", has_text="BibTeX").click()
        assert page.locator("pre", has_text="benavoli2015joint").is_visible()
        page.locator("details:has-text('BibTeX') button.copy").click()
        page.wait_for_function(
            """[...document.querySelectorAll("button.copy")]
               .some((button) => /Copied|Selected/.test(button.textContent))"""
        )
        assert opened.said == []


def test_names_run_no_code(browser, reports):
    with Opened(browser, reports["odd names"]) as opened:
        assert opened.page.locator("script").count() == 1
        assert opened.page.locator("img").count() == 0
        assert "<script>boom(0)</script>" in opened.page.inner_text("main")
        assert opened.said == []


def test_a_page_prints(browser, reports):
    with Opened(browser, reports["pairs"]) as opened:
        opened.page.emulate_media(media="print")
        assert not opened.page.locator("nav").is_visible()
        pdf = opened.page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        # No wider than the paper: 210 mm less Chromium's margins.
        opened.page.set_viewport_size({"width": 794, "height": 1123})
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 794


# ------------------------------------------------------------------------------------------ sliders


def slide(opened: Opened, kind: str, *values: float | None) -> list[float]:
    """Move the sliders of a kind that have a value, and return where all of them stand."""
    found: list[str] = opened.page.locator(f".live input.{kind}").evaluate_all(
        """(inputs, values) => {
            inputs.forEach((input, k) => {
                if ((values[k] ?? null) === null) return;
                input.value = values[k];
                input.dispatchEvent(new Event("input"));
            });
            return inputs.map((input) => input.value);
        }""",
        list(values),
    )
    return [float(value) for value in found]


def two_of_normal_values(n: int, m: int) -> bc.Results:
    rng = np.random.default_rng(n + m)
    columns = {f"m{j}": np.round(rng.normal(0.1, 1.0, 2 * n), 1) for j in range(m)}
    names = {"dataset": [f"d{i // 2}" for i in range(2 * n)], "algorithm": ["A", "B"] * n}
    frame = pd.DataFrame({**names, **columns})
    signs = {f"m{j}": "min" if j else "max" for j in range(m)}
    return bc.Results.from_frame(frame, measures=signs)


def roped(results: bc.Results, measure: str, rope: float | None) -> bc.Results:
    return bc.Results(
        results.data, {**results.spec, measure: replace(results[measure], rope=rope or None)}
    )


def test_the_ropes_of_the_page_are_python_s(browser, tmp_path):
    results = roped(two_of_normal_values(40, 2), "m1", 0.4)
    method = bc.methods.Dirichlet(strength=0.3)
    path = bc.compare(results, method=method).report(tmp_path / "two.html")
    with Opened(browser, path) as opened:
        page = opened.page
        starts = slide(opened, "rope")
        assert starts[0] == 0
        assert page.locator(".live output").all_inner_texts()[1:] == ["no rope", "0.4"]
        for measure, position in (("m0", 7), ("m0", 40), ("m1", 0), ("m1", 21)):
            j = results.measures.index(measure)
            slide(opened, "rope", *(position if k == j else None for k in range(2)))
            words = page.locator(".live output").all_inner_texts()[1:]
            assert words[1 - j] == ("no rope", "0.4")[1 - j]  # the other one went back
            rope = None if words[j] == "no rope" else float(words[j])
            c = bc.compare(roped(results, measure, rope), method=method)
            rows = page.locator(".live tbody tr").evaluate_all(
                "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
            )
            table = c.summary().head(8)
            assert [row[0] for row in rows] == [
                Statement.parse(str(label)).words(results.measures) for label in table.index
            ]
            assert [row[1] for row in rows] == [format_probability(p) for p in table["probability"]]
            assert [float(row[2]) for row in rows] == table["count"].tolist()
            for level in (0.55, 0.95):
                slide(opened, "level", level)
                decision, says = c.decision, page.inner_text(".live .says")
                least = min(decision.probability, decision.least)
                assert ("settled at" in says) == (least >= level)
                assert says.startswith("No verdict at") == (decision.probability < level)
        page.locator(".live .back").click()
        assert slide(opened, "rope") == starts
        assert page.locator(".live .table").is_hidden()
        assert opened.said == []
        assert opened.asked == [path.as_uri()]


def test_the_level_of_the_page_of_all_pairs_is_python_s(browser, reports, pairs):
    with Opened(browser, reports["pairs"]) as opened:
        for level in (0.6, 0.8, 0.95, 0.99):
            check_level(opened, pairs, level)


def check_level(opened: Opened, pairs: bc.Pairwise, level: float) -> None:
    slide(opened, "level", level)
    decided = pairs.decide(level=level)
    cells = opened.page.locator("tr[data-pair]").evaluate_all(
        "rows => rows.map((row) => [row.cells[0].textContent, row.cells[2].textContent])"
    )
    assert len(cells) == 28
    verdicts = {words for words, decision in cells if decision not in ("open", "leads")}
    graph = pairs.order(level=level)
    assert verdicts == {f"{winner} over {loser}" for winner, loser in graph.edges}
    assert len(verdicts) == decided["asserted"].sum()
    says = opened.page.inner_text(".live .says")
    assert f"{len(verdicts)} of 28 pairs have a winner" in says
    rows = opened.page.locator("tr[data-algorithm]").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    for name, *_, beats, beaten, left in rows:
        assert int(beats) == graph.out_degree(name)
        assert int(beaten) == graph.in_degree(name)
        assert int(left) == 7 - int(beats) - int(beaten)
    marked = opened.page.locator("tr[data-pair].marked").count()
    assert marked == len(verdicts)


def test_p_values_and_other_rules_have_the_slider_too(browser, tmp_path):
    names = ["CART", "GBM", "RF", "GLM"]
    glrt = bc.pairwise(bc.load_example(UCI), method="glrt", algorithms=names, n_jobs=1)
    with Opened(browser, glrt.report(tmp_path / "p.html")) as opened:
        for level in (0.95, 0.7):
            slide(opened, "level", level)
            winners = glrt.order(level=level).number_of_edges()
            says = opened.page.inner_text(".live .says")
            assert f": {winners} of 6 pairs have a winner" in says
    with Opened(browser, glrt.report(tmp_path / "q.html", fdr=0.2)) as opened:
        before = opened.page.locator("tr[data-pair].marked").count()
        assert before == glrt.decide(fdr=0.2)["asserted"].sum()
        assert "Holm at 0.2" in opened.page.inner_text(".live .says")


@pytest.mark.slow
def test_the_level_of_a_ranking(browser, tmp_path):
    r = bc.rank(bc.load_example(UCI), measures=["auc"], draws=1000, rng=0)
    with Opened(browser, r.report(tmp_path / "r.html")) as opened:
        for level in (0.6, 0.9, 0.95):
            slide(opened, "level", level)
            top = bc.rank(
                bc.load_example(UCI), measures=["auc"], draws=1000, rng=0, level=level
            ).top
            says = opened.page.inner_text(".live .says")
            assert says == f"At {level:g} the best is one of {len(top)}: {named(top)}."


def named(names: tuple[str, ...]) -> str:
    from bayescompare.text.phrases import join_names

    return join_names(names)
