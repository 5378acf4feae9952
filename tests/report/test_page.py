"""Reports: one page that holds everything, loads nothing and shows names as they are."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.report import check_report_path, page_of, render
from bayescompare.report import pictures as writing
from bayescompare.statements import Statement
from bayescompare.text.numbers import format_probability
from tests.plots.drawn import fresh, title
from tests.report.conftest import Rendered
from tests.report.parsed import Page
from tests.tables import normal_table

#: One of each kind of page.
KINDS = ("example1", "imprecise", "glrt", "network", "pair", "glrt pairs")
every = pytest.mark.parametrize("name", KINDS)


# ---------------------------------------------------------------------------------- what it holds


@every
def test_page_has_words_tables_pictures_and_what_made_them(name: str, rendered: Rendered) -> None:
    thing, page = rendered.thing(name), rendered.page(name)
    assert thing.explain() in page.text
    assert page.count("h1") == 1
    pair = isinstance(thing, bc.Pairwise)
    # The statements, or the staircase of pairs, in two widths.
    pictures = 4 if not pair and thing.method.name == "network" else 2
    if pair and len(thing.results.algorithms) > 2:
        # Ranks on each measure in two widths, and the order at once and on each.
        pictures += 3 * len(thing.results.measures) + 1
    if not pair and thing.method.name != "glrt":
        # P by the weight of the prior and, where that is quick, by the rope on each measure.
        pictures += 1 + (thing.method.name == "dirichlet") * len(thing.results.measures)
    assert page.count("svg") == pictures
    assert thing.method.phrases.reference in page.text
    assert thing.method.title in page.text
    assert f"bayescompare {bc.__version__}" in page.text
    exact = "exact: the figures carry no Monte Carlo error"
    if thing.method.name == "glrt":
        exact = "no Monte Carlo error; the p-value is a large-sample approximation"
    assert exact in page.text
    assert thing.results.source in page.text
    assert all(one in page.text for one in (*thing.results.algorithms, *thing.results.measures))


OTHERS = (
    *("poisson-binomial", "hierarchical", "correlated-t", "wilcoxon", "friedman", "all-test"),
    *("gsd", "gsd pair", "gsd bootstrap", "a twin", "a leader without a dataset"),
)


@pytest.mark.parametrize("name", OTHERS)
def test_every_method_has_a_report_with_its_tables(name: str, rendered: Rendered) -> None:
    c, page = rendered.thing(name), rendered.page(name)
    assert c.headline() in page.text
    assert c.explain() in page.text
    for head, frame in c.tables.items():
        assert head in page.text
        assert all(str(label) in page.text for label in frame.index)
    if name != "friedman":
        assert all(str(label) in page.text for label in c.summary().index)
    assert "nan" not in page.text.lower().split()
    if name == "gsd":
        assert all(words in page.text for words in ("Who dominates whom", "Growth"))
    if name == "gsd pair":
        assert "carry no Monte Carlo error" not in page.text


def test_a_page_of_pairs_says_what_its_figures_are(uci: bc.Results, counts: bc.ErrorCounts) -> None:
    gsd = bc.methods.GSD(permutations=50)
    p = bc.pairwise(uci, method=gsd, algorithms=["GBM", "CART", "RF"], rng=1, n_jobs=1)
    page = render(p)
    assert "carry no Monte Carlo error" not in page
    assert p.explain() in Page(page).text
    assert "GBM over CART" in page
    p = bc.pairwise(counts, method="poisson-binomial")
    assert "holds on most datasets" in title(p.plot(ax=fresh()))


def test_comparison_table_is_the_summary(example1: bc.Comparison, rendered: Rendered) -> None:
    page = rendered.page("example1")
    assert example1.headline() in page.text
    assert ["B>A|B>A", "6", "0.798", "0.481", "0.227", "0.740"] in page.cells
    assert ["time", "lower", "none", "metric", "none", "s"] in page.cells
    labels = [row[0] for row in page.cells if "|" in row[0]]
    assert labels == list(example1.summary().index)
    answers = {row[0]: row[1] for row in page.cells if len(row) == 3}
    for question, answer in example1.questions.items():
        assert answers[str(question)] == f"{answer:.3f}"


def test_pairwise_tables(pairs: bc.Pairwise, rendered: Rendered) -> None:
    page = rendered.page("pairs")
    names = ["GBM", "RF", "BDS", "GLM", "RIDGE", "LASSO", "EN", "CART"]  # by place
    first = [cells[0] for cells in page.cells if len(cells) == 7 and cells[0] in names]
    assert first[:8] == names
    for row in (cells for cells in page.cells if len(cells) == 4 and " against " in cells[0]):
        one, other = row[0].split(" against ")
        pair = (one, other) if (one, other) in pairs.figures.pairs else (other, one)
        for text, part in zip(row[1:], pairs.parts.loc[pair].to_dict("records"), strict=True):
            won, lost = (part["won"], part["lost"])[:: 1 if pair[0] == one else -1]
            assert f"{won} : {lost} (" in text
            assert (f"{part['ahead']} better" in text) == (part["word"] == "better")
    decided = [c for c in page.cells if len(c) > 2 and c[2] in ("better", "leads", "open")]
    table = pairs.decide()
    winners = [Statement.parse(label).winner for label in table["statement"]]
    named = zip(winners, table["first"], table["second"], strict=True)
    assert [cells[0] for cells in decided] == [
        f"{winner} over {second if winner == first else first}" for winner, first, second in named
    ]
    assert [int(cells[3]) for cells in decided] == table["n"].tolist()
    assert [[cells[1], cells[4]] for cells in decided] == [
        [format_probability(p, levels=[0.95]) for p in row]
        for row in table[["probability", "alone"]].to_numpy()
    ]
    assert [cells[2] for cells in decided] == table["decision"].tolist()


def test_the_first_screen_of_all_pairs(pairs: bc.Pairwise, rendered: Rendered) -> None:
    page = rendered.page("pairs")
    text = page.text
    order = [
        "8 algorithms on auc, accuracy, brier",
        pairs.headline(),
        "16 datasets",
        "Nobody is better on auc",
        "Not known",
        "Careful",
        "Next",
        "Who is better than whom, by place",
        "How to read this",
        pairs.explain(),
        "By mean place, the best first",
    ]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    rows = [cells[0] for cells in page.cells if len(cells) == 7]
    assert rows[:9] == ["algorithm", "GBM", "RF", "BDS", "GLM", "RIDGE", "LASSO", "EN", "CART"]


def test_codes_are_for_tables_only(example1: bc.Comparison, rendered: Rendered) -> None:
    kept = r"<(table|svg|script|pre)\b.*?</\1>"
    outside = Page(re.sub(kept, "", rendered.html("pairs"), flags=re.DOTALL)).text
    assert not re.search(r"\w>\w", outside)
    assert "GBM is better than CART on all three measures." in outside
    outside = Page(re.sub(kept, "", rendered.html("example1"), flags=re.DOTALL)).text
    assert not re.search(r"\w>\w+(\||>)\w", outside)
    assert example1.best not in outside
    claim = example1.posterior.claim(example1.best)
    assert f"Questions about the statement that {claim}" in rendered.page("example1").text
    assert f"the probability of “{claim}” runs from" in outside


def trade_off_pairs() -> bc.Pairwise:
    rows = [
        (f"d{i}", f"lab/net-v1-{name}", accuracy + 0.01 * i, time + 0.01 * i)
        for i in range(20)
        for name, accuracy, time in (("big", 3, 9), ("small", 1, 2), ("old", 0, 10))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy", "time"])
    results = bc.Results.from_frame(frame, measures={"accuracy": "max", "time": "min"})
    return bc.pairwise(results, method=bc.methods.Dirichlet(prior="symmetric"), n_jobs=1)


def test_trade_offs_and_what_all_names_begin_with() -> None:
    p = trade_off_pairs()
    html = render(p)
    page = Page(html)
    assert "No algorithm comes first everywhere: big on accuracy, small on time." in page.text
    (row,) = [cells for cells in page.cells if "trade-off" in cells]
    assert "Trade-offs: 1 of 3 pairs" in page.text
    assert row[0] == "big: accuracy; small: time"
    said = page.text.replace("\u200b", "")
    assert "Names are shortened: all of them begin with “lab/net-v1-”." in said
    # Whole names stand where they can be looked up, and in the titles of pictures.
    first_screen = page.text[: page.text.index("How to read this")]
    assert "lab/net-v1-big" not in first_screen
    assert "lab/net-v1-big" in page.text
    for format in ("markdown", "latex"):
        text = render(p, format)
        assert "big on accuracy, small on time." in text
        assert ("How to read this" in text) == (format == "markdown")


def test_simplex_is_drawn_when_there_are_three_statements() -> None:
    frame = bc.load_example("benavoli-example1").to_frame()
    results = bc.Results.from_frame(frame, measures={"accuracy": bc.Measure("max", rope=4.0)})
    assert Page(render(bc.compare(results))).count("svg") == 5
    assert Page(render(bc.compare(results, method="glrt"))).count("svg") == 2


def linked_results(n: int = 40, m: int = 4) -> bc.Results:
    """The first two measures win together, and so do the others."""
    rng = np.random.default_rng(1)
    win = rng.random((n, 2)) < 0.7
    noisy = np.where(rng.random((n, m)) < 0.9, win[:, [j * 2 // m for j in range(m)]], False)
    rows = [
        (f"d{i}", name, *np.where(noisy[i], sign, -sign))
        for i in range(n)
        for name, sign in (("A", 1.0), ("B", -1.0))
    ]
    names = [f"q{j}" for j in range(m)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", *names])
    return bc.Results.from_frame(frame, measures=dict.fromkeys(names, "max"))


@pytest.fixture(scope="module")
def network() -> Any:
    return bc.compare(linked_results(), method="network", rng=1)


@pytest.fixture(scope="module")
def network_html(network: Any) -> str:
    return render(network)


def test_network_tables(network: Any, network_html: str) -> None:
    page = Page(network_html)
    assert len(network.components) > 1
    for part in network.components.to_dict("records"):
        how = "exact" if part["exact"] else "Monte Carlo"
        figure = format_probability(part["probability"])
        assert [" and ".join(part["measures"]), part["best"], how, figure] in page.cells
    links = {(row[0], row[2]): row for row in page.cells if len(row) == 6 and row[0][0] == "q"}
    links = {pair: row for pair, row in links.items() if pair[1] in network.results.measures}
    drawn = set(network.answer.facts.edges)
    assert drawn
    assert {pair for pair, row in links.items() if row[1] == "→"} == drawn
    for (a, b), row in links.items():
        there = float(network.edges.sel(parent=a, child=b))
        back = float(network.edges.sel(parent=b, child=a))
        assert row[3:] == [format_probability(p) for p in (there + back, there, back)]
    linked = network.edges.values + network.edges.values.T
    names = network.results.measures
    probable = {frozenset({names[i], names[j]}) for i, j in np.argwhere(np.triu(linked) >= 0.05)}
    assert {frozenset(pair) for pair in links} == probable | {frozenset(pair) for pair in drawn}


@pytest.mark.slow
def test_network_of_many_measures_has_arrows_without_probabilities() -> None:
    c = bc.compare(linked_results(m=17), method=bc.methods.Network(mcse=0.02), rng=1)
    page = Page(render(c))
    arrows = {(row[0], row[2]) for row in page.cells if len(row) == 3 and row[1] == "→"}
    assert arrows == set(c.answer.facts.edges)


@pytest.mark.slow
def test_a_network_summed_over_measures_has_a_report() -> None:
    frame = linked_results()
    c = bc.compare(frame, method=bc.methods.Network(search=[("q0", "q2"), ("q1", "q2")], mcse=0.05))
    assert "<figcaption>Network</figcaption>" in render(c)
    # Nothing is known of the graph of q0 and q2 alone, where q1 cannot be left out.
    smaller = c.on(["q2", "q3"])
    assert ("<figcaption>Network<" in render(smaller)) == ("network" in dir(smaller))


def test_monte_carlo_answers_say_so(example1: bc.Comparison) -> None:
    answer = replace(example1.answer, mcse=np.full(4, 0.0123), seed=17)
    noisy = replace(example1, answer=answer)
    assert "standard error of P at most 0.012" in render(noisy, "markdown")
    assert "exact:" not in render(noisy, "markdown")
    made = next(s for s in page_of(noisy).sections if s.title == "How it was made")
    assert str(made.facts["seed"]) == "17"


def test_notes_are_shown(example1: bc.Comparison) -> None:
    noted = replace(example1, results=replace(example1.results, notes=("two rows were dropped",)))
    assert "two rows were dropped" in render(noted, "markdown")


def test_huge_comparison_is_small() -> None:
    c = bc.compare(bc.load_example("jansen-uci"))
    html = render(c)
    assert len(html.encode()) < 300_000
    page = Page(html)
    assert (
        sum(
            len(row) > 1 and "brier: " in row[0].replace("and brier", "brier") for row in page.cells
        )
        == 50
    )
    assert "… and 41,422 more." in page.text


# ------------------------------------------------------------------------------- self-containment


@every
def test_nothing_is_loaded_from_elsewhere(name: str, rendered: Rendered) -> None:
    html, page = rendered.html(name), rendered.page(name)
    assert not {"link", "iframe", "object", "embed"} & {tag for tag, _ in page.tags}
    for _, attributes in page.tags:
        for key, value in attributes.items():
            if key.startswith("xmlns") or (value or "").startswith("data:image/png;base64,"):
                continue
            assert not re.search(r"(https?:)?//", value or ""), (key, value)
            assert not key.startswith("on")
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)


def test_pictures_scale_and_stand_alone(rendered: Rendered) -> None:
    html = rendered.html("pairs")
    assert "<?xml" not in html
    assert html.lower().count("<!doctype") == 1
    assert "<metadata" not in html
    page = Page(html)
    drawn = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert all("viewbox" in attributes for attributes in drawn)
    assert not any({"width", "height"} & attributes.keys() for attributes in drawn)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = re.findall(r'(?:url\(#|href="#)([^")]+)', html)
    assert used
    assert set(used) <= set(ids)


def test_page_does_not_depend_on_settings_nor_change_them(
    example1: bc.Comparison, rendered: Rendered
) -> None:
    figures = plt.get_fignums()
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 30, "svg.fonttype": "path"}):
        before = dict(mpl.rcParams)
        assert render(example1) == rendered.html("example1")
        assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == figures


# ------------------------------------------------------------------------------------- odd names


def odd_results(*, rope: float | None = None) -> bc.Results:
    names = {"<script": 1.0, "$x_1$ & 🦊": 0.0}
    rows = [
        (f'<img src=x onerror="alert({i})">', name, value + 0.1 * i)
        for i in range(4)
        for name, value in names.items()
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "<b>score</b>"])
    measures = {"<b>score</b>": bc.Measure("max", rope=rope, unit="<i>s</i>")}
    results = bc.Results.from_frame(frame, measures=measures)
    return replace(results, source="</style><script>alert(1)</script>", notes=("<u>note</u>",))


@pytest.mark.parametrize("make", [bc.compare, bc.pairwise])
def test_names_are_escaped_and_shown_as_they_are(make: Any) -> None:
    thing = make(odd_results(rope=0.5))
    html = render(thing)
    page = Page(html)
    assert not {"img", "b", "i", "u"} & {tag for tag, _ in page.tags}
    assert page.count("script") == 1  # ours, which sorts
    for shown in ("<script", "$x_1$ & 🦊", "<b>score</b>", "<i>s</i>", "<u>note</u>", "onerror="):
        assert shown in page.text
    assert "</style><script>alert(1)</script>" in page.text
    assert html.count("</style>") == 1 + html.count('<svg class="plot"')


# ----------------------------------------------------------------------------------------- files


def test_error_rate_decides_the_verdicts(pairs: bc.Pairwise, tmp_path: Path) -> None:
    path = pairs.report(tmp_path / "r.html", fdr=0.2)
    page = Page(path.read_text(encoding="utf-8"))
    decided = pairs.decide(fdr=0.2)
    asserted = int(decided["asserted"].sum())
    assert asserted > pairs.decide()["asserted"].sum()
    assert f"For {asserted} of 28 pairs a winner can be named" in page.text
    assert "at most 20 %" in page.text
    assert pairs.explain(fdr=0.2) in page.text
    assert sum(len(row) > 2 and row[2] == "better" for row in page.cells) == asserted
    assert "at most 0.5 %" in render(pairs, "markdown", fdr=0.005)


def test_the_place_can_be_checked_beforehand(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert check_report_path(str(path)) == path
    assert not path.exists()
    path.write_text("mine")
    with pytest.raises(bc.BayescompareError, match="exists"):
        check_report_path(path)
    assert check_report_path(path, overwrite=True).read_text() == "mine"
    with pytest.raises(bc.BayescompareError, match=r"report.pdf.*\.html"):
        check_report_path(tmp_path / "report.pdf")


def test_folders_are_checked(example1: bc.Comparison, tmp_path: Path) -> None:
    with pytest.raises(bc.BayescompareError, match="does not exist"):
        example1.report(tmp_path / "nowhere" / "report.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(bc.BayescompareError, match="folder"):
        example1.report(tmp_path / "folder.html")


def test_unwritable_place_is_an_error_of_ours(
    example1: bc.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Permissions do not bind root, so the refusal is played.
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(bc.BayescompareError, match="cannot be written: Permission denied"):
        example1.report(tmp_path / "report.html")


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_failure_leaves_nothing_behind(
    example1: bc.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overwrite: bool
) -> None:
    path = tmp_path / "report.html"
    if overwrite:
        path.write_text("mine")

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no picture")

    monkeypatch.setattr(writing, "svg", fail)
    with pytest.raises(RuntimeError, match="no picture"):
        example1.report(path, overwrite=overwrite)
    assert [p.read_text() for p in tmp_path.iterdir()] == (["mine"] if overwrite else [])


@pytest.mark.parametrize("method", ["glrt", "friedman"])
def test_an_approximate_p_value_is_not_called_exact(method):
    names = ["A", "B"] if method == "glrt" else ["A", "B", "C"]
    c = bc.compare(normal_table(names), method=method)
    assert "approximation" in c.explain()
    made = next(s for s in page_of(c).sections if s.title == "How it was made")
    assert not made.facts["exactness"].startswith("exact:")
