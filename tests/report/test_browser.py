"""The page in a real browser: no error, no request, sorting, phone and print."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
                if (element.closest(".scroll, pre, svg")) {
                    if (!element.matches(".scroll, pre")) return false;
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
        for scheme, colour in ("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 22, 27)"):
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
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
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
