"""Bad input, through the Python interface and through the command line.

Every case is one `BayescompareError` whose words say what is wrong; the command line prints them as
one line, exits with 2 and writes nothing. What is merely huge works.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import bayescompare as bc
from bayescompare.cli.app import app

MEASURES = {"accuracy": "max", "time": "min"}
COMPARE = ("compare", "FILE", "--measure", "accuracy:max", "--measure", "time:min")
PAIRWISE = ("pairwise", *COMPARE[1:])
SAMPLE = ("sample", *COMPARE[1:], "--out", "OUT")
HEAD = "dataset,algorithm,accuracy,time\n"

ROWS = (
    "iris,A,0.91,1.0\niris,B,0.93,2.0\n"
    "wine,A,0.88,1.5\nwine,B,0.90,2.5\n"
    "glass,A,0.71,3.0\nglass,B,0.70,3.5\n"
)

GOOD = HEAD + ROWS
THREE = GOOD + "iris,C,0.5,0.5\nwine,C,0.6,0.4\nglass,C,0.7,0.3\n"
TIED = "dataset," + ",".join("ABCDEFGHIJKL") + "\n" + "flat," + ",".join("1" * 12) + "\n"
TIED += "".join(f"d{i}," + ",".join(str((i * k) % 13) for k in range(1, 13)) + "\n" for i in (1, 2))


def read(path: Path, measures: Any = None, **options: Any) -> bc.Results:
    return bc.read_results(path, measures=MEASURES if measures is None else measures, **options)


def compare(path: Path, **options: Any) -> bc.Comparison:
    return bc.compare(read(path), **options)


def dirichlet(**choices: Any) -> Callable[[Path], object]:
    return lambda path: compare(path, method=bc.methods.Dirichlet(**choices))


#: An argument of Python that has a flag, as a message of Python's names it.
ARGUMENT = re.compile(
    r"(?<![\w.:-])(?<!--set )("
    + "|".join(
        sorted(
            name
            for door in (bc.compare, bc.pairwise, bc.read_results, bc.Comparison.sample)
            for name in inspect.signature(door).parameters
        )
    )
    + r"|fdr|level|overwrite|path|prior|strength|ess|max_parents|search|average|joint)="
)


#: Arguments that messages name, and their flags.
FLAGS = {
    **{
        name: name for name in ("layout", "format", "missing", "method", "strength", "prior", "ess")
    },
    **{name: name for name in ("draws", "chains", "reference", "fdr", "level")},
    **{"dataset": "dataset-column", "replicate": "replicate-column", "n_jobs": "jobs"},
}


def as_typed(words: str) -> str:
    """The words of a message as the command line has them."""
    named = rf"(?<![\w-])({'|'.join(FLAGS)})='?([^':, ]+)'?"
    flagged = re.sub(named, lambda m: f"--{FLAGS[m[1]]} {m[2]}", words)
    return flagged.replace("overwrite=True", "--force")


@dataclass(frozen=True)
class Case:
    """One mistake: the words of its message, and how it is made here and there.

    `typed` are the words on the command line, where they name a flag instead of an argument.
    """

    words: str
    api: Callable[[Path], object]
    cli: Sequence[str] | None = COMPARE
    table: str | bytes = GOOD
    file: str = "results.csv"
    typed: str | None = None

    def place(self, folder: Path) -> Path:
        path = folder / self.file
        content = self.table.encode() if isinstance(self.table, str) else self.table
        path.write_bytes(content)
        return path


ONE = ("compare", "FILE", "--measure")


def _json(accuracy: str) -> str:
    """A JSON table with this number in it, as written."""
    rows = (
        f'{{"dataset": "d{k}", "algorithm": "{a}", "accuracy": {accuracy}, "time": {k}}}'
        for k in (1, 2)
        for a in "AB"
    )
    return f"[{', '.join(rows)}]"


#: Tables that cannot be compared: the words, the table, its file and the words as typed.
TABLES: dict[str, tuple[Any, ...]] = {
    "empty file": ("the file is empty", ""),
    "header only": ("the file has a header but no rows", HEAD),
    "not UTF-8": ("not UTF-8 text", GOOD.encode().replace(b"iris", b"\xff\xe9")),
    "ragged": ("line 3 has 3 cells, but the header has 4", HEAD + "a,A,1,2\na,B,1\n"),
    "unclosed quote": ("malformed at line", GOOD + '"zoo,A,1,2\n'),
    "malformed json": ("malformed JSON", '[{"dataset": ', "results.json"),
    "json, no table": ("not a table", '{"dataset": 1}', "results.json"),
    "malformed parquet": ("not a readable parquet file", GOOD, "results.parquet"),
    "unknown suffix": ("unknown suffix", GOOD, "results.dat"),
    "duplicate rows": (
        "more than one row for the same dataset, algorithm.*'iris', 'A'",
        GOOD + "iris,A,0.5,1\n",
    ),
    "a name that labels cannot hold": ("algorithm name 'A>B'", GOOD.replace(",A,", ",A>B,")),
    "missing cell": (
        "1 missing cell: time of 'B' on 'wine'.*missing='drop'",
        GOOD.replace("wine,B,0.90,2.5", "wine,B,0.90,"),
    ),
    "missing row": (
        "2 missing cells: accuracy of 'B' on 'glass', time of 'B' on 'glass'",
        GOOD.replace("glass,B,0.70,3.5\n", ""),
    ),
    "NaN": ("1 missing cell: accuracy of 'A' on 'iris'", GOOD.replace("iris,A,0.91", "iris,A,NaN")),
    "infinite": (
        "infinite cells: accuracy of 'A' on 'iris' is inf",
        GOOD.replace("iris,A,0.91", "iris,A,inf"),
    ),
    "mixed dtypes": ("'accuracy'.*line 2 has 'high'", GOOD.replace("iris,A,0.91", "iris,A,high")),
    "constant measure": (
        "measure 'time' is 1 in every cell",
        HEAD + "iris,A,1,1\niris,B,2,1\nwine,A,3,1\nwine,B,4,1\n",
    ),
    "one dataset": ("only one dataset", HEAD + "iris,A,1,2\niris,B,2,1\n"),
    "one algorithm": ("a comparison needs at least two", HEAD + "iris,A,1,2\nwine,A,2,1\n"),
    "JSON integer of 400 digits": (
        "measure 'accuracy' must be numbers",
        _json(f"1{'0' * 400}"),
        "results.json",
    ),
    "JSON integer of 5,000 digits": (
        "malformed JSON .*4300 digits",
        _json(f"1{'0' * 5000}"),
        "results.json",
    ),
    "deep JSON": ("malformed JSON", "[" * 100_000, "results.json"),
}

#: Priors that cannot be: the words, the options of Python and those of the command line, if any.
PRIORS: dict[str, tuple[Any, ...]] = {
    "zero strength": (
        r"strength=0(\.0)?: must be a finite number > 0",
        {"strength": 0},
        "--strength 0",
    ),
    "negative strength": (
        r"strength=-1(\.0)?: must be a finite number > 0",
        {"strength": -1},
        "--strength -1",
    ),
    "NaN strength": (
        "strength=nan: must be a finite number > 0",
        {"strength": math.nan},
        "--strength nan",
    ),
    "strength where α is fixed": (
        r"strength=2(\.0)? goes with prior='symmetric'",
        {"prior": "jeffreys", "strength": 2},
        "--prior jeffreys --strength 2",
    ),
    "unknown prior": (
        "prior='jefreys': choose one of.*Did you mean 'jeffreys'",
        {"prior": "jefreys"},
        "--prior jefreys",
    ),
    "negative prior": (
        r"prior=-0\.5: α must be a finite number > 0",
        {"prior": -0.5},
        "--prior=-0.5",
    ),
    "infinite prior": (
        "prior=inf: α must be a finite number > 0",
        {"prior": math.inf},
        "--prior inf",
    ),
    "prior with an unknown label": (
        "'Z' is not one of the algorithms",
        {"prior": {"A>Z|A>B": 1.0, "*": 0.5}},
    ),
    "prior with too short a label": (
        r"prior\['A>B'\] has 1 part",
        {"prior": {"A>B": 1.0, "*": 0.5}},
    ),
    "prior without some labels": (
        "prior leaves 3 of 4 statements without α",
        {"prior": {"A>B|A>B": 1.0}},
    ),
    "prior with a wrong α": (r"prior\['A>B\|A>B'\]=0", {"prior": {"A>B|A>B": 0, "*": 1}}),
    "unknown parameter": ("no such parameter", {"priors": {"beta": 1.0}}),
    "two parameters": ("give one of them", {"priors": {"alpha": 1.0, "strength": 2.0}}),
    "strength beyond all data": (
        r"strength=1e\+308: must be at most 1e\+12",
        {"strength": 1e308},
        "--strength 1e308",
    ),
    "α beyond all data": (
        r"prior=1e\+308: α must be a finite number > 0, at most 1e\+12",
        {"prior": 1e308},
        "--prior 1e308",
    ),
    "a list for a prior": (r"prior=\['jeffreys'\]: α must be", {"prior": ["jeffreys"]}),
}

CASES = {
    **{
        name: Case(words, compare, table=made, **dict(zip(("file", "typed"), more, strict=False)))
        for name, (words, made, *more) in TABLES.items()
    },
    **{
        name: Case(
            row[0], dirichlet(**row[1]), (*COMPARE, *row[2].split()) if len(row) > 2 else None
        )
        for name, row in PRIORS.items()
    },
    # the file ------------------------------------------------------------------------------------
    "empty list": Case("the table has no rows", lambda p: read(p), table="[]", file="results.json"),
    "empty frame": Case(
        "df is empty",
        lambda p: bc.Results.from_frame(pd.DataFrame(), measures=MEASURES),
        cli=None,
    ),
    "no such file": Case(
        r"absent\.csv: no such file",
        lambda p: read(p.with_name("absent.csv")),
        cli=("compare", "absent.csv", *COMPARE[2:]),
    ),
    "a folder": Case("is a directory", lambda p: read(p.parent), ("compare", ".", *COMPARE[2:])),
    "unknown format": Case(
        "format='docx'",
        lambda p: read(p, format="docx"),
        (*COMPARE, "--format", "docx"),
    ),
    "unknown layout": Case(
        "layout='tall'",
        lambda p: read(p, layout="tall"),
        (*COMPARE, "--layout", "tall"),
    ),
    # its columns and names -----------------------------------------------------------------------
    "unknown dataset column": Case(
        "dataset='task': no such column",
        lambda p: read(p, dataset="task"),
        (*COMPARE, "--dataset-column", "task"),
    ),
    "unknown measure column": Case(
        "'acuracy'.*no such column.*Did you mean 'accuracy'",
        lambda p: read(p, {"acuracy": "max"}),
        (*ONE, "acuracy:max"),
        typed="--measure acuracy: no such column.*Did you mean 'accuracy'",
    ),
    "unknown replicate column": Case(
        "replicate='fold': no such column",
        lambda p: read(p, replicate="fold"),
        (*COMPARE, "--replicate-column", "fold"),
    ),
    "algorithm twice in a wide header": Case(
        "column 'A' occurs twice",
        lambda p: read(p, {"accuracy": "max"}),
        (*ONE, "accuracy:max"),
        table="dataset,A,B,A\niris,1,2,3\nwine,1,2,3\n",
    ),
    # its cells -----------------------------------------------------------------------------------
    "nothing left to compare": Case(
        "missing='drop' leaves no dataset",
        lambda p: compare(p, missing="drop"),
        (*COMPARE, "--missing", "drop"),
        table=HEAD + "iris,A,1,1\niris,B,,1\nwine,A,1,\nwine,B,2,2\n",
    ),
    "infinite in a frame": Case(
        "infinite cells",
        lambda p: bc.Results.from_frame(
            pd.read_csv(p).replace({"time": {1.0: -math.inf}}), measures=MEASURES
        ),
        cli=None,
    ),
    "out of bounds": Case(
        "cells outside bounds",
        lambda p: read(p, {"time": bc.Measure("min", bounds=(0, 1))}),
        (*ONE, "time:min:bounds=0..1"),
    ),
    # the measures --------------------------------------------------------------------------------
    "wrong direction word": Case(
        "direction='upward': must be 'max' or 'min'",
        lambda p: read(p, {"accuracy": "upward"}),
        (*ONE, "accuracy:upward"),
    ),
    "no direction": Case("has no direction", lambda p: read(p, {"accuracy": None}), cli=None),
    "a name that tells no direction": Case(
        "which way dataset is better is not known",
        lambda p: bc.read(p, measures=["dataset"]),
        (*ONE, "dataset"),
    ),
    "no directions": Case("needs a direction", lambda p: read(p, ["accuracy"]), cli=None),
    "no measures": Case("name at least one measure", lambda p: read(p, {}), cli=None),
    "negative rope": Case(
        r"rope=-0\.1: a region of practical equivalence",
        lambda p: read(p, {"accuracy": bc.Measure("max", rope=-0.1)}),
        (*ONE, "accuracy:max:rope=-0.1"),
    ),
    "NaN rope": Case(
        "rope=nan: a region of practical equivalence",
        lambda p: read(p, {"accuracy": bc.Measure("max", rope=math.nan)}),
        (*ONE, "accuracy:max:rope=nan"),
    ),
    "rope in a joint test": Case(
        r"rope on 'accuracy'.*joint test of 3 algorithms.*pairwise\(\)",
        lambda p: bc.compare(read(p, {"accuracy": bc.Measure("max", rope=0.1)})),
        (*ONE, "accuracy:max:rope=0.1"),
        table=THREE,
        typed=r"rope on 'accuracy'.*joint test of 3 algorithms.*'bayescompare pairwise'",
    ),
    # the question --------------------------------------------------------------------------------
    "absent algorithm": Case(
        "no algorithm called 'Z': choose from 'A', 'B'",
        lambda p: compare(p, algorithms=["A", "Z"]),
        (*COMPARE, "--algorithms", "A,Z"),
    ),
    "algorithm named twice": Case(
        "'A' is named twice",
        lambda p: compare(p, algorithms=["A", "B", "A"]),
        (*COMPARE, "--algorithms", "A,B,A"),
    ),
    "one algorithm asked about": Case(
        "a comparison needs at least two",
        lambda p: compare(p, algorithms=["A"]),
        (*COMPARE, "--algorithms", "A"),
    ),
    "no algorithm asked about": Case(
        r"algorithms=\[\]: name at least one",
        lambda p: compare(p, algorithms=[]),
        (*COMPARE, "--algorithms", ""),
        typed="--algorithms is empty: name at least one",
    ),
    "absent measure": Case(
        "no measure called 'auc'",
        lambda p: compare(p, measures=["auc"]),
        (*COMPARE, "--only", "auc"),
    ),
    "unknown missing": Case(
        "missing='perhaps': must be one of raise, drop, ignore",
        lambda p: compare(p, missing="perhaps"),
        (*COMPARE, "--missing", "perhaps"),
    ),
    "ties without end": Case(
        "ties allow .* above the limit of 1,000,000.*'flat'",
        lambda p: bc.compare(read(p, {"accuracy": "max"})),
        (*ONE, "accuracy:max"),
        table=TIED,
    ),
    "unknown method": Case(
        "method='bayes' is unknown: choose one of",
        lambda p: compare(p, method="bayes"),
        (*COMPARE, "--method", "bayes"),
    ),
    "unknown example": Case(
        "no example called 'iris': choose from jansen-uci",
        lambda p: bc.load_example("iris"),
        ("compare", "--example", "iris"),
    ),
    "negative seed": Case("rng=-1", lambda p: compare(p, rng=-1), cli=None),
    # the prior -----------------------------------------------------------------------------------
    # what is merely hostile -----------------------------------------------------------------------
    "NUL in a path": Case(
        r"'a\\x00b': no file can have this name|embedded null byte",
        lambda p: read("a\0b"),  # type: ignore[arg-type]
        ("compare", "a\0b", *COMPARE[2:]),
    ),
    "path of 5,000 characters": Case(
        "5,000 characters are too many for a path",
        lambda p: read("x" * 5000),  # type: ignore[arg-type]
        ("compare", "x" * 5000, *COMPARE[2:]),
    ),
    "no path": Case("path is a NoneType", lambda p: read(None), cli=None),  # type: ignore[arg-type]
    "path that colours the terminal": Case(
        r"\\x1b\[31m.csv: no such file",
        lambda p: read("\x1b[31m.csv"),  # type: ignore[arg-type]
        ("compare", "\x1b[31m.csv", *COMPARE[2:]),
    ),
    "ess beyond all data": Case(
        r"ess=1e\+308: must be at most 1e\+12",
        lambda p: compare(p, method=bc.methods.Network(ess=1e308)),
        (*COMPARE, "--method", "network", "--ess", "1e308"),
    ),
    "an error that takes years": Case(
        "mcse=1e-09: must be at least 1e-05",
        lambda p: compare(p, method=bc.methods.Network(mcse=1e-9)),
        (*COMPARE, "--method", "network", "--set", "mcse=1e-9"),
    ),
    "a thousand million resamples": Case(
        "resamples=1000000000: must be at most 1,000,000",
        lambda p: compare(p, method=bc.methods.GSDBootstrap(resamples=10**9)),
        (*COMPARE, "--method", "gsd-bootstrap", "--set", "resamples=1000000000"),
    ),
    "a thousand million draws": Case(
        "draws=1000000000: must be at most 1,000,000",
        lambda p: compare(p).draws(10**9),
        (*SAMPLE, "--draws", "1000000000"),
    ),
    "more draws than a memory holds": Case(
        "draws=1000000 in chains=1000: at most 10,000,000 draws in total",
        lambda p: compare(p).draws(10**6, chains=1000),
        (*SAMPLE, "--draws", "1000000", "--chains", "1000"),
    ),
    "a thousand million jobs": Case(
        "n_jobs=1000000000: at most 1024 jobs",
        lambda p: bc.pairwise(read(p), n_jobs=10**9),
        (*PAIRWISE, "--jobs", "1000000000"),
    ),
    "a list for a direction": Case(
        r"direction=\['max'\]: must be 'max' or 'min'", lambda p: bc.Measure(["max"]), cli=None
    ),
    "a mapping for a picture": Case(r"Unknown plot \{\}", lambda p: compare(p).plot({}), cli=None),
    "a list for what is missing": Case(
        r"missing=\['drop'\]: must be one of raise, drop, ignore",
        lambda p: compare(p, missing=["drop"]),
        cli=None,
    ),
    "a list for a format": Case(
        r"format=\['csv'\]: must be one of csv", lambda p: read(p, format=["csv"]), cli=None
    ),
    "a unit that is a number": Case(
        "unit=5: give a string", lambda p: bc.Measure("max", unit=5), cli=None
    ),
    "a unit that colours the terminal": Case(
        r"unit='\\x1b\[31ms' contains a line break or another control character",
        lambda p: bc.Measure("max", unit="\x1b[31ms"),
        (*ONE, "accuracy:max:unit=\x1b[31ms", "--measure", "time:min"),
    ),
    # pairs ---------------------------------------------------------------------------------------
    "no jobs": Case(
        "n_jobs=0: give an integer",
        lambda p: bc.pairwise(read(p), n_jobs=0),
        (*PAIRWISE, "--jobs", "0"),
    ),
    "absent reference": Case(
        "reference='Z' is not an algorithm",
        lambda p: bc.pairwise(read(p), reference="Z"),
        (*PAIRWISE, "--reference", "Z"),
    ),
    "a pair without datasets": Case(
        "A against C: .*missing cell",
        lambda p: bc.pairwise(read(p)),
        PAIRWISE,
        table=GOOD + "iris,C,0.5,0.5\n",
    ),
    **{
        f"fdr {rate}": Case(
            f"fdr={rate}: must be a number between 0 and 1",
            lambda p, rate=rate: bc.pairwise(read(p)).decide(fdr=rate),
            (*PAIRWISE, f"--fdr={rate}"),
        )
        for rate in (0.0, 1.0, -0.1, math.nan)
    },
    **{
        f"level {level}": Case(
            f"level={level}: must be a number between 0.5 and 1",
            lambda p, level=level: bc.pairwise(read(p)).decide(level=level),
            (*PAIRWISE, f"--level={level}"),
        )
        for level in (0.5, 1.0, -0.1, math.nan)
    },
    "level and fdr": Case(
        "level.* and .*fdr.* are two rules: give one",
        lambda p: bc.pairwise(read(p)).decide(level=0.9, fdr=0.1),
        (*PAIRWISE, "--level=0.9", "--fdr=0.1"),
    ),
    # draws ---------------------------------------------------------------------------------------
    "no draws": Case(
        "draws=0: must be an integer >= 1",
        lambda p: compare(p).sample(draws=0),
        (*SAMPLE, "--draws", "0"),
    ),
    "no chains": Case(
        "chains=0: must be an integer >= 1",
        lambda p: compare(p).sample(chains=0),
        (*SAMPLE, "--chains", "0"),
    ),
    "no conjugate draws": Case("draws=0", lambda p: compare(p).draws(0), cli=None),
    "no posterior": Case(
        "'sample' is not something that method 'glrt' has; methods with it: dirichlet",
        lambda p: compare(p, method="glrt").sample(),
        (*SAMPLE, "--method", "glrt"),
    ),
    # where the answer goes -----------------------------------------------------------------------
    "report in no folder": Case(
        "the folder .* does not exist",
        lambda p: compare(p).report(p.parent / "no" / "report.html"),
        (*COMPARE, "--report", "no/report.html"),
    ),
    "report is no page": Case(
        r"a report ends in \.html",
        lambda p: compare(p).report(p.with_name("report.pdf")),
        (*COMPARE, "--report", "report.pdf"),
    ),
    "report exists": Case(
        r"page\.html exists: .*overwrite=True",
        lambda p: bc.compare(bc.load_example("pnn")).report(p),
        ("compare", "--example", "pnn", "--report", "page.html"),
        file="page.html",
    ),
    "netCDF is a folder": Case(
        "is a folder", lambda p: compare(p).to_netcdf(p.parent), (*COMPARE, "--save", ".")
    ),
    "netCDF exists": Case(
        r"results\.csv exists: .*overwrite=True",
        lambda p: compare(p).to_netcdf(p),
        ("compare", "--example", "pnn", "--save", "results.csv"),
    ),
    "netCDF in no folder": Case(
        "the folder .* does not exist",
        lambda p: compare(p).to_netcdf(p / "below a file" / "c.nc"),
        (*COMPARE, "--save", "results.csv/below/c.nc"),
    ),
    "JSON exists": Case(r"results\.csv exists", lambda p: compare(p).to_json(p), cli=None),
    "posterior exists": Case(
        r"results\.csv exists: .*overwrite=True",
        lambda p: compare(p).to_netcdf(p),
        ("sample", "--example", "pnn", "--out", "results.csv"),
    ),
    "unwritable": Case(
        "cannot be written",
        lambda p: compare(p).report("/proc/bayescompare.html"),
        (*COMPARE, "--report", "/proc/bayescompare.html"),
    ),
    "pairs' report exists": Case(
        r"page\.html exists: .*overwrite=True",
        lambda p: bc.pairwise(bc.load_example("pnn")).report(p),
        ("pairwise", "--example", "pnn", "--report", "page.html"),
        file="page.html",
    ),
}

linux_only = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="needs a folder no one can write"
)

MARKS = {"unwritable": linux_only}


def cases(*, cli: bool) -> list[Any]:
    kept = {name: case for name, case in CASES.items() if not cli or case.cli is not None}
    return [pytest.param(case, id=name, marks=MARKS.get(name, ())) for name, case in kept.items()]


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", cases(cli=False))
def test_python_says_what_is_wrong(case: Case, tmp_path: Path) -> None:
    path = case.place(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(bc.BayescompareError, match=f"(?s){case.words}"):
        case.api(path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("case", cases(cli=True))
def test_the_command_line_says_it_in_one_line(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = case.place(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    assert case.cli is not None
    args = [{"FILE": path.name, "OUT": "out.nc"}.get(arg, arg) for arg in case.cli]
    if not {"--report", "--out", "--save"} & set(args) and "--fdr" not in " ".join(args):
        args += ["--report", "never.html"]
    result = CliRunner().invoke(app, args)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert re.search(case.typed or as_typed(case.words), line)
    assert not re.search(ARGUMENT, line), "names an argument of Python"
    assert contents(tmp_path) == before


def test_options_of_other_packages_point_to_ours() -> None:
    """Wherever they are typed: at the doors, where tables are read, and where draws are made."""
    c = bc.compare(bc.load_example("pnn"))
    frame = c.results.to_frame()
    doors: list[Callable[..., object]] = [
        *(partial(door, c.results) for door in (bc.compare, bc.pairwise, bc.rank)),
        *(partial(door, frame) for door in (bc.read, bc.look, bc.Results.from_frame)),
        partial(bc.read_results, "r.csv"),
        *(c.draws, c.sample, c.simulate),
    ]
    for door in doors:
        for option, ours in {"rope": "Measure", "seed": "rng=", "metric": "measures="}.items():
            with pytest.raises(bc.BayescompareError, match=f"^{option}=: .*{ours}"):
                door(**{option: 1})


def test_drop_leaves_out_what_has_gaps(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(GOOD.replace("wine,B,0.90,2.5", "wine,B,0.90,"))
    c = compare(path, missing="drop")
    assert c.results.datasets == ("iris", "glass")
    assert "1 dataset with missing cells dropped: wine" in c.explain()


@pytest.mark.parametrize("case", cases(cli=False))
def test_look_says_a_line_of_any_file(case: Case, tmp_path: Path) -> None:
    """What is in it and what is open, or why it cannot be read; never a trace."""
    path = tmp_path / case.file
    path.write_bytes(case.table if isinstance(case.table, bytes) else case.table.encode())
    result = CliRunner().invoke(app, ["look", str(path)])
    assert result.exit_code in (0, 2), result.output
    said = result.stdout if result.exit_code == 0 else result.stderr.removeprefix("error: ")
    assert path.name in said.splitlines()[0]
    assert "Traceback" not in result.output
