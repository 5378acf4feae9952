"""What the commands print: verdicts, tables, lists of examples and methods, help."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import bayescompare as bc
from bayescompare.text.numbers import format_probability
from tests.cli.commands import long_text, one_line, run


@cache
def printed_of_uci(*options: object) -> str:
    """What `pairwise` prints of the eight classifiers."""
    printed = run("pairwise", "--example", "jansen-uci", "--jobs", 1, *options).stdout
    assert isinstance(printed, str)
    return printed


def test_compare_prints_verdict_words_table_and_questions() -> None:
    printed = run("compare", "--example", "benavoli-example1").stdout
    c = bc.compare(bc.load_example("benavoli-example1"))
    flat = " ".join(printed.split())
    assert c.headline() in flat
    assert c.explain() in flat
    for label, row in c.summary().iterrows():
        assert re.search(rf"{re.escape(str(label))} +\d+ +{row['probability']:.3f}", printed)
    for question in c.questions.index:
        assert question in printed


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
    assert "groups" not in run("compare", "--example", "jansen-uci").stdout


def test_orderings_within_groups_are_split_by_measure() -> None:
    options = ("--method", "network", "--algorithms", "GBM,RF,CART", "--seed", 1)
    printed = run("compare", "--example", "jansen-uci", *options).stdout
    assert max(map(len, printed.splitlines())) <= 100
    _, _, groups = printed.partition("Independent groups of measures")
    assert " > RF" in groups or "RF > " in groups


def test_joint_test_stays_legible() -> None:
    printed = run("compare", "--example", "jansen-uci").stdout
    lines = [line.strip() for line in printed.splitlines()]
    assert max(map(len, lines)) <= 100
    assert "auc: GBM > RF > BDS > EN > LASSO > GLM > RIDGE > CART" in lines
    # One line for each measure of each statement shown.
    assert sum(line.startswith("brier: ") for line in lines) == 1 + 15
    assert "and 41,457 more" in lines
    assert "joint test over whole orderings" in " ".join(lines)


def test_verdicts_that_are_all_trade_offs_are_on_no_cell(tmp_path: Path) -> None:
    """The more accurate is always the slower one."""
    path = tmp_path / "trade.csv"
    rows = [
        f"d{k},{name},{0.7 + 0.05 * a + 0.001 * k},{1 + a + 0.01 * k}"
        for k in range(20)
        for a, name in enumerate("ABC")
    ]
    path.write_text("\n".join(["dataset,algorithm,acc,time", *rows]))
    measures = ("--measure", "acc:max", "--measure", "time:min", "--jobs", 1)
    printed = " ".join(run("pairwise", path, *measures).stdout.split())
    assert "no verdict on any cell: those above are trade-offs between measures, or ties" in printed
    assert "* a verdict no verdict" not in printed


def test_pairwise_prints_matrix_decisions_and_words(pairs: bc.Pairwise) -> None:
    printed, p = printed_of_uci(), pairs
    assert p.explain() in " ".join(printed.split())
    decided = p.decide()
    marked = [line for line in printed.splitlines() if re.match(r" \* +\S+, \S+ ", line)]
    assert len(marked) == decided["asserted"].sum()
    *_, row = [line.split() for line in printed.splitlines() if line.startswith(" GBM ")]
    by_place = ["GBM", "RF", "BDS", "GLM", "RIDGE", "LASSO", "EN", "CART"]
    cells = p.matrix.sel(algorithm="GBM", opponent=by_place).to_series()
    over = set(p.order().successors("GBM"))
    assert row[1:] == [
        (format_probability(value) or "·") + ("*" if name in over else "")
        for name, value in cells.items()
    ]
    assert "0.999*" in row


def test_the_verdict_comes_first(pairs: bc.Pairwise) -> None:
    printed = printed_of_uci()
    flat = " ".join(printed.split())
    assert pairs.headline() in flat
    order = ["GBM has the best place", "What to use", "How sure", "Data", "Assumption"]
    order += ["Where each stands", "Statements by pair", "P that “row better", "How large"]
    assert [flat.index(words) for words in order] == sorted(flat.index(words) for words in order)
    # Before the first table there is a screen at most.
    assert len(printed[: printed.index("Where each stands")].splitlines()) <= 18


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
    text = long_text().replace(",A,", ",lab/net-v1-A,").replace(",B,", ",lab/net-v1-B,")
    path.write_text(text)
    printed = run("pairwise", path, "--measure", "accuracy:max", "--measure", "time:min").stdout
    assert printed.count("lab/net-v1-") == 1
    assert "All names begin with “lab/net-v1-”, which is left out." in printed


def test_long_names_stand_once_in_a_row(tmp_path: Path) -> None:
    names = [f"{k}-laboratory/multilingual-encoder-large" for k in "abc"]
    lines = [f"d{i},{name},{i + 5 * k}" for i in range(9) for k, name in enumerate(names)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["dataset,algorithm,score", *lines]), encoding="utf-8")
    printed = run("pairwise", path, "-m", "score:max").stdout
    assert re.search(r"\bsecond>first +>?0?\.?\d", printed)
    assert f"{names[2]}>" not in printed


def test_pairwise_against_a_reference() -> None:
    printed = run("pairwise", "--example", "jansen-uci", "--reference", "CART").stdout
    assert "against CART" in printed
    *_, row = [line.split() for line in printed.splitlines() if line.startswith(" GBM ")]
    assert row == ["GBM", "0.999*", "0.001"]


def test_level_and_fdr_change_the_verdicts(pairs: bc.Pairwise) -> None:
    def verdicts(*options: object) -> int:
        printed = printed_of_uci(*options)
        found = re.search(r"For (\d+) of 28 pairs we can name a winner", " ".join(printed.split()))
        assert found is not None
        marked = [line for line in printed.splitlines() if re.match(r" \* +\S+, \S+ ", line)]
        assert len(marked) == int(found[1])
        return len(marked)

    usual, by_rate, by_level = verdicts(), verdicts("--fdr", 0.1), verdicts("--level", 0.6)
    assert usual == pairs.decide()["asserted"].sum()
    assert by_rate == pairs.decide(fdr=0.1)["asserted"].sum()
    assert by_level == pairs.decide(level=0.6)["asserted"].sum()
    assert by_level > by_rate > usual


def test_fdr_reaches_json_and_report(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    names = ["CART", "GBM", "RF", "GLM"]
    pairs = bc.pairwise(bc.load_example("jansen-uci"), algorithms=names, n_jobs=1)
    options = (
        "--example",
        "jansen-uci",
        "--algorithms",
        ",".join(names),
        "--fdr",
        0.1,
        "--jobs",
        1,
    )
    printed = run("pairwise", *options, "--json", "--report", report).stdout
    assert json.loads(printed) == json.loads(pairs.to_json(fdr=0.1))
    asserted = int(pairs.decide(fdr=0.1)["asserted"].sum())
    page = report.read_text(encoding="utf-8")
    assert f"For {asserted} of 6 pairs we can name a winner" in page
    assert "if the prior is right, at most 10 % of the verdicts" in page


def test_pairwise_frequentist_prints_p_values(tested: bc.Pairwise) -> None:
    printed = printed_of_uci("--method", "glrt")
    assert "p-value of each pair" in printed
    assert "Holm" in printed
    value = float(tested.matrix.sel(algorithm="BDS", opponent="RF"))
    *_, row = [line.split() for line in printed.splitlines() if line.startswith(" BDS ")]
    assert row[2].rstrip("*") == f"{value:.3f}"


def test_many_algorithms_are_numbered_and_split(tmp_path: Path) -> None:
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
    assert "All names begin with “algorithm ”, which" in printed
    numbered = [line.split()[:2] for line in lines if re.match(r" ?\d+ number \d+ ", line)]
    assert [row for row in numbered if row[0] == "25"][:1] == [["25", "number"]]
    # Of 300 pairs, those with a verdict and five more, or at most 40.
    found = re.search(r"and (\d+) more, (\d+ of them with a verdict|all open)", printed)
    assert found is not None
    assert 260 <= int(found[1]) <= 295


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
    message = one_line(run("compare", path, *measures, "--algorithms", "[b]y", code=2).stderr)
    assert "[b]y" in message
    assert "[red]x[/red]" in message


def test_examples_are_listed() -> None:
    printed = " ".join(run("examples").stdout.split())
    for example in bc.io.examples():
        assert example.name in printed
    assert "complexity min" in printed
    assert "arXiv:2209.01857" in printed


def test_one_example_is_its_repr() -> None:
    assert run("examples", "pnn").stdout == f"{bc.load_example('pnn')!r}\n"


def test_methods_are_listed() -> None:
    printed = " ".join(run("methods").stdout.split())
    for name, title in bc.methods.names().items():
        assert f"{name} {title}" in printed


def test_one_method_is_described() -> None:
    printed = " ".join(run("methods", "dirichlet").stdout.split())
    assert "How probable is it that one joint statement is the most probable of all?" in printed
    assert "strength 1.0 s, the prior's weight in datasets; 1 by default." in printed
    assert "de Campos & Benavoli (2016), Section 4" in printed
    for name in bc.methods.describe("dirichlet").index:
        assert name in printed
    assert "likelihood-ratio" in run("methods", "glrt").stdout


def test_the_network_s_options_are_described() -> None:
    printed = " ".join(run("methods", "network").stdout.split())
    for option in ("ess 1.0 Equivalent sample size", "max_parents None Most", "search exact How"):
        assert option in printed
    assert "average False Average P over the posterior of all graphs" in printed
    helped = run("compare", "--help").stdout
    for flag in ("--ess", "--max-parents", "exact|hill-climb|ges", "--no-average"):
        assert flag in helped


def test_help_has_an_example_for_every_question() -> None:
    for command in ("compare", "pairwise", "sample"):
        printed = " ".join(run(command, "--help").stdout.replace("\\\n", "").split())
        assert f"bayescompare {command} results.csv --measure accuracy:max" in printed
    assert "pairwise" in run("--help").stdout


def test_version() -> None:
    assert run("--version").stdout == f"bayescompare {bc.__version__}\n"
