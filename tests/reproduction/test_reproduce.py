"""Tables and figures of the papers: what SPEC says of them comes out, and what is wrong is said."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayescompare import BayescompareError
from reproduction import Reproduced, jansen, jansen_runs, reproduce, reproductions
from reproduction.__main__ import main
from reproduction.benavoli import glrt_under_null
from reproduction.catalogue import find_reproduction
from reproduction.outcome import Figure

DATA = Path(__file__).parents[2] / "docs" / "data" / "reproduction"


def obtained(done: Reproduced, case: str) -> list[float]:
    return done.table.loc[done.table["case"] == case, "obtained"].tolist()


def test_examples_are_exact() -> None:
    done = reproduce("benavoli-2016-examples")
    assert obtained(done, "Example 1") == [1.0, 2.0, 3.0, 6.0]
    assert obtained(done, "Example 2") == pytest.approx([0.600677, 0.312663], abs=5e-7)
    exact = [0.012363334853, 0.051922986073, 0.137500091839, 0.798213587235]
    assert obtained(done, "Example 3") == pytest.approx(exact, abs=1e-11)
    assert obtained(done, "Table 1") == [0.0, 0.0, 1.0, 3.0]
    assert (done.table["mcse"] == 0).all()
    assert set(done.table["verdict"]) == {"agrees", ""}


def test_lacoste_tables() -> None:
    two = reproduce("lacoste-2012-table2").table.set_index("case")["obtained"]
    assert two["svm against ann"] == pytest.approx(0.7197, abs=5e-5)
    assert two["ann against parzen"] == pytest.approx(0.8764, abs=5e-5)
    assert two["parzen against adaBoost"] == pytest.approx(0.5253, abs=5e-5)
    assert two["svm against parzen"] == pytest.approx(0.985346, abs=5e-7)
    three = reproduce("lacoste-2012-table3").table
    verdicts = three.set_index("case")["verdict"]
    assert verdicts.pop("svm against adaBoost") == "inputs rounded"
    assert (verdicts == "agrees").all()
    # 13 wins and 6 losses: 1 − 2·P(at most 6 of 19).
    tail = sum(math.comb(19, i) for i in range(7)) / 2**19
    ann = three.set_index("case")["obtained"]["ann against adaBoost"]
    assert ann == pytest.approx(1 - 2 * tail, abs=1e-12)


def test_table_4_is_no_target() -> None:
    done = reproduce("lacoste-2012-table4")
    assert set(done.table["verdict"]) == {"no target"}
    assert "does not follow" in done.explain()


@pytest.mark.parametrize(
    ("key", "replications"),
    [
        ("benavoli-2015-table2", 40),
        ("benavoli-2016-table2", 40),
        ("benavoli-2016-theorem2", 2000),
        ("lacoste-2012-bimodal", 500),
        ("lacoste-2012-thresholds", 500),
        ("lacoste-2012-table3", None),
        ("lacoste-2012-table4", None),
        ("jansen-2022-figure6", None),
        pytest.param("jansen-2022-table3", 200, marks=pytest.mark.slow),
        pytest.param("jansen-2022-figure3", 3, marks=pytest.mark.slow),
    ],
)
def test_a_quick_run_agrees_with_the_page(key: str, replications: int | None) -> None:
    """Every figure is the one on the page within their errors, or to its digits if exact."""
    done = reproduce(key, replications=replications, rng=7).table
    page = pd.DataFrame(json.loads((DATA / f"{key}.json").read_text("utf-8"))["figures"])
    both = done.merge(page, on=["case", "quantity"], how="outer", validate="1:1", indicator=True)
    assert (both["_merge"] == "both").all()
    apart = (both["obtained_x"] - both["obtained_y"]).abs()
    assert (apart <= 1e-6 + 5.0 * np.hypot(both["mcse_x"], both["mcse_y"])).all()
    assert both["published_x"].equals(both["published_y"].astype(float))


def test_glrt_under_the_null_hypothesis_with_two_statements_is_a_binomial_test() -> None:
    """Ten datasets: p < 0.05 from eight against two on, which has probability 112/1024."""
    rejected = glrt_under_null(np.random.default_rng(1), 20_000, share=1.0, datasets=10)
    share = float(rejected["rejected"][:, 1].mean())
    assert share == pytest.approx(112 / 1024, abs=4 * math.sqrt(0.11 * 0.89 / 20_000))


def test_theorem_2_and_its_curves() -> None:
    done = reproduce("benavoli-2016-theorem2", replications=2000, rng=3)
    published = done.table.dropna(subset=["published"])
    assert (published["verdict"] == "agrees").all()
    assert done.curves is not None
    assert set(done.curves["panel"]) == {"level 0.1", "level 0.05", "level 0.01"}
    assert done.claims["holds"].all()


def test_orders_of_the_uci_table() -> None:
    done = reproduce("jansen-2022-figure6")
    assert obtained(done, "delta=0") == [2.0]
    # Some pairs are ordered only above the 0.06 at which the paper says that no more are.
    assert done.claims["holds"].tolist() == [True, True, True, False]


@pytest.mark.slow
def test_order_at_three_thresholds() -> None:
    done = reproduce("jansen-2022-figure5")
    assert obtained(done, "delta=0") == [21.0]
    assert done.claims["holds"].tolist() == [True, False, False, True, True]


@pytest.mark.slow
def test_table_3_of_jansen() -> None:
    done = reproduce("jansen-2022-table3", quick=True, rng=1)
    published = done.table.dropna(subset=["published"])
    assert len(published) == 15
    # SPEC: all but RF over EN (0.94), and one more.
    low = published.loc[published["obtained"] < 0.9, "case"].tolist()
    assert low == []
    # Of shares away from one 200 resamples cannot tell.
    assert published["verdict"].isin(["agrees", "inconclusive"]).sum() >= 14
    # Rounded, the test at delta 0 does not find GBM over BDS.
    assert done.claims["holds"].tolist() == [True, True, True, False, True]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["benavoli-2015-table2", "benavoli-2016-table2"])
def test_auc_tables(key: str) -> None:
    done = reproduce(key, replications=300, rng=1)
    assert done.table["obtained"].between(0.4, 0.9).all()
    assert done.claims["holds"][0]  # GLRT below Bayes everywhere, as SPEC says
    wide = done.table.pivot_table(index="case", columns="quantity", values="obtained", sort=False)
    assert (wide["GLRT"] < wide["Bayesian test"] + 0.03).all()


@pytest.mark.slow
@pytest.mark.parametrize("figure", [3, 4, 5])
def test_lacoste_figures(figure: int) -> None:
    done = reproduce(f"lacoste-2012-figure{figure}", quick=True, rng=1)
    assert done.claims["holds"][0] is not False  # above the sign test, or too few to tell
    assert len(done.plot().axes) == 1


# the simulated classifiers ------------------------------------------------------------------------


def test_a_curve_without_an_area_is_said() -> None:
    done = reproduce("lacoste-2012-figure3", replications=4, rng=1)
    assert done.table["obtained"].isna().any()
    assert not done.claims["holds"].any()
    assert done.claims["seen"].str.endswith("points: too few simulations").all()


def test_orders_are_found_without_much_noise() -> None:
    scores = jansen_runs.order_scores(np.random.default_rng(1), eta=0.5, datasets=7)["f"]
    assert scores.tolist() == [1.0, 1.0, 1.0]


def test_f_score_by_hand() -> None:
    found = jansen_runs._TRUE.copy()
    assert found.sum() == 10
    assert jansen_runs.f_score(found) == 1.0
    found[6, 0] = True
    assert jansen_runs.f_score(found) == pytest.approx(20 / 21)


@pytest.mark.slow
def test_significance_of_one_run() -> None:
    found = jansen_runs.significance_scores(np.random.default_rng(1), eta=0.1, datasets=7)
    scores = dict(zip(jansen_runs.TESTED, found["f"], strict=True))
    # Swapping within seven datasets has 128 outcomes: too few for the corrected level.
    assert scores["GSD paired"] == scores["GSD-delta paired"] == 0.0
    assert scores["GSD pooled"] > 0.3


def fake_scores(rng: np.random.Generator, *, eta: float, datasets: int) -> dict[str, np.ndarray]:
    """Scores that follow the paper's claims: pooled tests best, all-test worst."""
    base = eta + datasets / 100 + np.array([0.4, 0.5, 0.4, 0.5, 0.1, 0.2])
    errors = np.array([0.0, 0, 0, 0, 0, 1])
    return {"f": base, "false": errors, "missed": errors, "f_alone": base + 0.1}


def test_claims_about_figure_4(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jansen, "significance_scores", fake_scores)
    done = reproduce("jansen-2022-figure4", replications=25, rng=1)
    assert len(done.table) == 4 * 12 * 6
    assert done.claims["holds"].all()
    few = reproduce("jansen-2022-figure4", replications=2, rng=1).claims["holds"]
    assert few.isna().sum() == 10
    # Two of the 2 × 4 are empty.
    assert len(done.plot().axes) == 8


# the door -----------------------------------------------------------------------------------------


def test_another_name_of_the_same_table() -> None:
    assert find_reproduction("benavoli-2016-table3").key == "benavoli-2015-table2"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"table": "jansen-2022-tabl3"}, "Did you mean 'jansen-2022-table3'"),
        ({"table": "nonsense"}, "Known are: benavoli"),
        ({"table": 3}, "table=3"),
        ({"quick": True, "replications": 5}, "leave out quick="),
        ({"replications": 0}, "replications"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"rng": -1}, "rng"),
        ({"quick": 1}, "quick"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, object], words: str) -> None:
    with pytest.raises(BayescompareError, match=words):
        reproduce(**{"table": "lacoste-2012-bimodal", **options})


def test_a_store_gives_the_same_and_is_not_computed_twice(tmp_path: Path) -> None:
    key = "benavoli-2016-theorem2"
    plain = reproduce(key, replications=500, rng=2)
    first, again = (reproduce(key, replications=500, rng=2, store=tmp_path) for _ in range(2))
    assert plain.table.equals(first.table)
    assert first.table.equals(again.table)
    # What an earlier run has computed is not in the time of this one.
    assert plain.cpu_seconds > 0
    assert first.cpu_seconds > 0
    assert again.to_dict()["cpu_seconds"] is None
    with pytest.raises(BayescompareError, match=r"rng|seed"):
        reproduce(key, replications=500, rng=3, store=tmp_path)


def test_every_declaration_is_complete() -> None:
    keys = [name for r in reproductions() for name in (r.key, *r.also)]
    assert len(keys) == len(set(keys))
    for r in reproductions():
        assert r.paper
        assert r.what.endswith(".")
        assert r.published
        assert (r.replications > r.quick > 0) if r.unit else r.replications == 1


def test_verdicts() -> None:
    one = {"case": "a", "quantity": "b", "obtained": 0.5}
    assert Figure(**one).verdict == ""
    assert Figure(**one, published=0.52, rounding=0.005, mcse=0.004).verdict == "differs"
    assert Figure(**one, published=0.52, rounding=0.005, mcse=0.005).verdict == "agrees"
    assert Figure(**one, published=0.9, target=False).verdict == "no target"
    # So few replications would agree with .4 and with .6.
    assert Figure(**one, published=0.52, mcse=0.04).verdict == "inconclusive"
    assert Figure(**one, published=0.9, mcse=0.04).verdict == "differs"
    assert Figure(**one, published=0.52, inputs=0.02).verdict == "inputs rounded"
    assert Figure(**one, published=0.53, inputs=0.02).verdict == "differs"


# JSON ---------------------------------------------------------------------------------------------

KEYS = {
    *("schema", "schema_version", "bayescompare_version", "key", "paper", "what", "unit"),
    *("replications", "seed", "cpu_seconds", "figures", "claims", "notes", "axes", "curves"),
}


def test_json_has_what_its_page_says(tmp_path: Path) -> None:
    done = reproduce("benavoli-2016-theorem2", replications=200, rng=1)
    text = done.to_json(tmp_path / "x.json")
    assert (tmp_path / "x.json").read_text("utf-8") == text
    document = json.loads(text)
    assert set(document) == KEYS
    assert document["schema"] == "bayescompare/reproduction"
    assert (document["seed"], document["replications"]) == (1, 200)
    assert set(document["figures"][0]) == {*done.table.columns}
    assert document["figures"][0]["published"] is None or document["figures"][0]["mcse"] > 0
    assert {*document["curves"][0]} == {"panel", "line", "x", "y", "low", "high"}
    exact = json.loads(reproduce("lacoste-2012-table2").to_json())
    assert exact["curves"] is exact["seed"] is exact["unit"] is None
    page = (Path(__file__).parents[2] / "docs" / "json-schema.md").read_text("utf-8")
    section = page.partition("bayescompare/reproduction")[2]
    assert [key for key in KEYS if f"`{key}`" not in section] == []


def test_files_behind_the_page() -> None:
    """The page shows every reproduction, each with the seed and size that it was made with."""
    files = {path.stem: json.loads(path.read_text("utf-8")) for path in DATA.glob("*.json")}
    assert set(files) <= {r.key for r in reproductions()}
    assert len(files) >= 12
    for key, document in files.items():
        assert set(document) == KEYS
        assert document["key"] == key
        assert document["unit"] is None or document["seed"] == 1


@pytest.mark.parametrize(
    ("shift", "spread", "holds"), [(0.1, 0.05, True), (-0.02, 0.2, True), (-0.2, 0.05, False)]
)
def test_a_claim_about_simulated_scores_allows_for_their_error(
    shift: float, spread: float, holds: bool
) -> None:
    drawn = shift + spread * np.random.default_rng(3).normal(size=(2, 25))
    drawn += shift - drawn.mean(axis=1, keepdims=True)
    gains = xr.DataArray(drawn, dims=("eta", "replication"))
    claim = jansen._better_claim("A is at least as good as B.", [gains])
    assert claim.holds == holds
    above, worse = (2, 0) if shift > 0 else (0, 0 if holds else 2)
    assert claim.seen == (
        f"in {above} of 2 comparisons, and worse by more than three standard errors in {worse}"
    )


# the command --------------------------------------------------------------------------------------


def test_without_a_table_it_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    for word in ("benavoli-2015-table2", "jansen-2022-figure4", "exact", "28 min"):
        assert word in said


def test_a_table_in_the_terminal_and_as_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, file = tmp_path / "x.png", tmp_path / "x.json"
    assert main(["lacoste-2012-table2", "--plot", str(picture), "--save", str(file)]) == 0
    said = capsys.readouterr().out
    for words in ("0.720", "3 of 4 published figures agree", "inputs rounded", "cannot be had"):
        assert words in said
    assert picture.stat().st_size > 1000
    assert json.loads(file.read_text("utf-8"))["key"] == "lacoste-2012-table2"


def test_two_tables_as_json_with_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    two = ("benavoli-2016-theorem2", "lacoste-2012-figure3")
    assert main([*two, "--replications", "4", "--seed", "5", "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert [document["key"] for document in documents] == [*two]
    assert {(document["seed"], document["replications"]) for document in documents} == {(5, 4)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["jansen-2022-tabl3"], "Did you mean 'jansen-2022-table3'?"),
        (["all", "--plot", "x.png"], "--plot x.png"),
        (["lacoste-2012-bimodal", "--quick", "--replications", "5"], "replications"),
        (["lacoste-2012-bimodal", "--jobs", "0"], "n_jobs=0"),
        (["lacoste-2012-table2", "--plot", "x.xyz"], "x.xyz"),
        (["lacoste-2012-table2", "--save", "no-folder/x.json"], "no-folder"),
    ],
)
def test_one_line_says_what_is_wrong(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_a_request_to_end_ends_the_workers_and_keeps_their_blocks(tmp_path: Path) -> None:
    asked = ["benavoli-2016-theorem2", "--replications", "1000000", "--jobs", "2", "--seed", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "reproduction", *asked, "--store", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    ) as process:
        try:
            while process.poll() is None and not list(tmp_path.rglob("*.npz")):
                time.sleep(0.1)  # until the workers are at work
            process.terminate()
            # Its streams end when the last worker does: they have them too.
            out, err = process.communicate(timeout=30)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out, err) == (143, "", "")
    assert list(tmp_path.rglob("*.npz"))
