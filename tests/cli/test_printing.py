"""What the commands print: the verdict first, tables, lists of examples and methods."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import bayescompare as bc
from bayescompare.cli.printing import print_table
from bayescompare.report.card import block_of, card_text
from bayescompare.report.tables import comparison_tables
from bayescompare.text.numbers import format_probability
from tests.cli.commands import flat, found, long_text, refused, run


@cache
def printed_of_uci(*options: object) -> str:
    """What `pairwise` prints of the eight classifiers."""
    printed = run("pairwise", "--example", "jansen-uci", "--jobs", 1, *options).stdout
    assert isinstance(printed, str)
    return printed


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("compare", lambda uci: bc.compare(uci)),
        ("compare --method friedman --only auc", None),
        ("pairwise --jobs 1", lambda uci: bc.pairwise(uci, n_jobs=1)),
        ("rank --seed 0", lambda uci: bc.rank(uci, rng=0)),
        (
            "gate --candidate GBM --baseline CART",
            lambda uci: bc.gate(uci, candidate="GBM", baseline="CART"),
        ),
    ],
)
def test_the_verdict_comes_first_and_every_line_fits(
    command: str, answer: Callable[[bc.Results], Any] | None, uci: bc.Results
) -> None:
    printed = run(f"{command} --example jansen-uci").stdout
    assert max(map(len, printed.splitlines())) <= 100
    if answer is not None:
        assert printed.startswith(card_text(block_of(answer(uci)), width=100))


def test_compare_prints_statements_and_questions() -> None:
    printed = run("compare", "--example", "benavoli-example1").stdout
    c = bc.compare(bc.load_example("benavoli-example1"))
    for label, row in c.summary().iterrows():
        assert re.search(rf"{re.escape(str(label))} +\d+ +{row['probability']:.3f}", printed)
    for question in c.questions.index:
        assert question in printed
    assert "How large the differences are" in printed


def test_columns_stand_below_their_heads_in_ascii() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    c = bc.compare(bc.load_example("benavoli-example1"))
    table, *_ = comparison_tables(c)
    print_table(Console(file=out, width=100, markup=False, highlight=False), table)
    out.seek(0)
    lines = [line for line in out.read().splitlines() if line.startswith("|")]
    assert "theta mean" in lines[0]
    assert len({len(line) for line in lines}) == 1


def test_network_prints_the_groups_of_measures() -> None:
    options = ("--method", "network", "--algorithms", "GBM,RF", "--max-parents", 0)
    printed = run("compare", "--example", "jansen-uci", *options).stdout
    results = bc.load_example("jansen-uci")
    method = bc.methods.Network(max_parents=0)
    c = bc.compare(results, method=method, algorithms=["GBM", "RF"])
    _, _, groups = printed.partition("Independent groups of measures")
    rows = [line.split() for line in groups.splitlines()]
    for part in c.components.to_dict("records"):
        row = [*part["measures"], part["best"], "exact", f"{part['probability']:.3f}"]
        assert row in rows


def test_orderings_are_split_by_measure() -> None:
    lines = [line.strip() for line in run("compare", "--example", "jansen-uci").stdout.splitlines()]
    # One line for each measure of each of the 15 statements shown.
    assert sum(line.startswith("brier: ") for line in lines) == 15
    assert any(
        re.match("auc: GBM > RF > BDS > EN > LASSO > GLM > RIDGE > CART; ", x) for x in lines
    )
    assert "and 41,457 more" in lines
    assert "Independent groups" not in " ".join(lines)


def verdicts(printed: str) -> int:
    return len(re.findall(r"^ .+ +[<>]?[\d.]+ +(?:better|trade-off|equal) ", printed, re.MULTILINE))


def test_pairwise_prints_standings_decisions_and_matrix(pairs: bc.Pairwise) -> None:
    printed, p = printed_of_uci(), pairs
    titles = ["By mean place", "Decisions, the surest", "P that “row better", "How large"]
    assert [printed.index(words) for words in titles] == sorted(map(printed.index, titles))
    assert verdicts(printed) == p.decide()["asserted"].sum()
    *_, row = [line.split() for line in printed.splitlines() if line.startswith(" GBM ")]
    by_place = ["GBM", "RF", "BDS", "GLM", "RIDGE", "LASSO", "EN", "CART"]
    cells = p.matrix.sel(algorithm="GBM", opponent=by_place).to_series()
    over = set(p.order().successors("GBM"))
    assert row[1:] == [
        (format_probability(value) or "·") + ("*" if name in over else "")
        for name, value in cells.items()
    ]
    assert "0.999*" in row


def test_effects_are_of_verdicts_unless_asked_for() -> None:
    def rows(*options: object) -> int:
        printed = printed_of_uci(*options)
        _, _, effects = printed.partition("How large the differences are")
        return len(re.findall(r"^ \S+, \S+ +(?:auc|accuracy|brier) ", effects, re.MULTILINE))

    assert rows() == 2 * 3
    assert rows("--effects") == 13 * 3
    assert "How large" not in run("pairwise", "--example", "pnn").stdout


def test_what_all_names_begin_with_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [f"d{i},lab/net-v1-{name},{i + 5 * k}" for i in range(9) for k, name in enumerate("ABC")]
    path.write_text("\n".join(["dataset,algorithm,score", *rows]), encoding="utf-8")
    printed = run("pairwise", path, "-m", "score:max").stdout
    assert printed.count("lab/net-v1-") == 1


def test_pairwise_against_a_reference() -> None:
    printed = run("pairwise", "--example", "jansen-uci", "--reference", "CART").stdout
    listed = printed.partition("Decisions")[2].partition("How large")[0].splitlines()
    rows = [line.split() for line in listed if " over " in line]
    assert len(rows) == 7
    assert rows[0][:5] == ["GBM", "over", "CART", "0.999", "better"]


@pytest.mark.parametrize("rule", [{}, {"fdr": 0.1}, {"level": 0.6}])
def test_level_and_fdr_change_the_verdicts(pairs: bc.Pairwise, rule: dict[str, float]) -> None:
    options = [word for name, value in rule.items() for word in (f"--{name}", value)]
    assert verdicts(printed_of_uci(*options)) == pairs.decide(**rule)["asserted"].sum()


def test_pairwise_frequentist_prints_p_values(tested: bc.Pairwise) -> None:
    printed = printed_of_uci("--method", "glrt")
    assert "p-value of each pair" in printed
    assert "Holm" in printed
    value = float(tested.matrix.sel(algorithm="BDS", opponent="RF"))
    *_, row = [line.split() for line in printed.splitlines() if line.startswith(" BDS ")]
    assert row[2].rstrip("*") == f"{value:.3f}"


def test_many_algorithms_are_numbered_and_the_first_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    names = [f"algorithm number {k}" for k in range(25)]
    rows = [
        f"d{d}," + ",".join(str((7 * d + 3 * k) % 31 + k / 100) for k in range(25))
        for d in range(5)
    ]
    path.write_text("dataset," + ",".join(names) + "\n" + "\n".join(rows) + "\n")
    printed = run("pairwise", path, "--measure", "accuracy:max").stdout
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 100
    assert "“algorithm ”" in printed
    numbered = [line.split()[0] for line in lines if re.match(r" +\d+ number \d+ ", line)]
    assert numbered == [str(k) for k in range(1, len(numbered) + 1)]
    # Of 300 pairs, those with a verdict and five more, or at most 40.
    pairs_left, algorithms_left = map(int, re.findall(r"^and (\d+) more", printed, re.MULTILINE))
    assert 260 <= pairs_left <= 295
    assert algorithms_left == 25 - len(numbered)


def test_names_are_printed_literally(tmp_path: Path) -> None:
    path = tmp_path / "markup.csv"
    text = long_text().replace(",A,", ",[red]x[/red],").replace(",B,", ",:smile: [/],")
    path.write_text(text.replace("accuracy", "[bold]acc"))
    measures = ("--measure", "[bold]acc:max", "--measure", "time:min")
    for command in ("compare", "pairwise"):
        printed = run(command, path, *measures).stdout
        assert "[red]x[/red]" in printed
        assert ":smile: [/]" in printed
        assert "[bold]acc" in printed
    message = refused("compare", path, *measures, "--algorithms", "[b]y")
    assert "[b]y" in message
    assert "[red]x[/red]" in message


# ---------------------------------------------------------------------------------------- rankings

RANK = ("rank", "--example", "jansen-uci", "--seed", 0, "--draws", 1000)


def test_a_utility_is_read_from_the_flag() -> None:
    printed = run(*RANK, "--utility", "auc=0.5..1,brier=0..0.5").stdout
    assert "By utility" in printed
    assert "share of weights" in printed
    document = found(*RANK, "--utility", "auc=1, brier=2")
    assert document["options"]["utility"] == {"auc": 1.0, "brier": 2.0}
    assert "unknown" in run(*RANK, "--utility", "unknown").stdout


# ------------------------------------------------------------------------------------------- gates


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """A baseline, and candidates that are better, worse and on average the same."""
    path = tmp_path / "shipped.csv"
    rows = [
        f"d{i},{name},{0.8 + shift + (0.005 + i / 1e4) * (-1) ** i * (name != 'old')}"
        for i in range(12)
        for name, shift in (("old", 0.0), ("new", 0.05), ("bad", -0.05), ("same", 0.0))
    ]
    path.write_text("\n".join(["dataset,algorithm,acc", *rows]))
    return path


@pytest.mark.parametrize(
    ("candidate", "measure", "code", "said"),
    [
        ("new", "acc:max", 0, "Pass:"),
        ("same", "acc:max:rope=0.02", 0, "Pass:"),
        ("bad", "acc:max:rope=0.02", 1, "Fail:"),
        ("same", "acc:max", 3, "Undecided"),
    ],
)
def test_a_gate_s_verdict_is_its_exit_code(
    shipped: Path, candidate: str, measure: str, code: int, said: str
) -> None:
    asked = ("--candidate", candidate, "--baseline", "old", "--measure", measure)
    done = run("gate", shipped, *asked, code=code)
    assert said in done.stdout
    assert "P(better)" in done.stdout


def test_verdicts_are_whole_in_80_columns(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = ("--candidate", "same", "--baseline", "old", "--measure", "acc:max:rope=0.02")
    lines = run("gate", shipped, *asked).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    (row,) = (line.split() for line in lines if line.startswith(" acc "))
    assert row[1:3] == ["not", "worse"]


def test_the_items_of_a_few_benchmarks(tmp_path: Path) -> None:
    rows = [
        f"{b},{name},{b}{i},{0.5 + 0.1 * (name == 'new') + 0.01 * (i % 7)}"
        for b in ("a", "b", "c")
        for i in range(12)
        for name in ("new", "old")
    ]
    (tmp_path / "items.csv").write_text("\n".join(["dataset,algorithm,item,acc", *rows]))
    asked = ["gate", tmp_path / "items.csv", "--candidate", "new", "--baseline", "old"]
    asked += ["--measure", "acc:max", "--replicate-column", "item", "--replicates"]
    assert "--over items" in flat(*asked, "items", code=3)
    printed = flat(*asked, "items", "--over", "items")
    assert "36 items" in printed
    assert "one-sided bounds, each of which holds with 95 % by itself" in printed
    message = refused(*asked, "folds", "--over", "items")
    assert "--over items: the replicates are folds" in message


# ------------------------------------------------------------------------------------------- lists


def test_lists_name_what_there_is_and_one_is_described() -> None:
    listed, methods, one = flat("examples"), flat("methods"), flat("methods", "dirichlet")
    assert all(example.name in listed for example in bc.io.examples())
    assert all(f"{name} {title}" in methods for name, title in bc.methods.names().items())
    assert all(name in one for name in bc.methods.describe("dirichlet").index)
    assert run("examples", "pnn").stdout == f"{bc.load_example('pnn')!r}\n"
