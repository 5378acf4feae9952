"""IOHprofiler and COCO: the meta files of optimisation runs, without their trajectories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bayescompare._checks import is_number
from bayescompare._errors import BayescompareError
from bayescompare.readers import records
from bayescompare.readers.records import Chosen, Field, Format, Record, number_at
from bayescompare.table.input import (
    Paths,
    algorithm_label,
    find_files,
    naming,
    number_or_text,
    read_json,
    read_text,
)
from bayescompare.table.measure import Measure
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names

#: ``funcId = 1``, ``algId = 'random search'`` or ``algId = "CMA-ES"``.
_FIELD = re.compile(r"""([A-Za-z_]\w*)\s*=\s*('[^']*'|"[^"]*"|[^,'"]*)""")
#: ``3:2000|1.5e-08``, the instance, the evaluations and the value; attributes may follow.
_RUN = re.compile(r"\s*(\d+):(\d+)\|([^;\s]+)(?:;.*)?\s*")


class _Trial(NamedTuple):
    """One run of an algorithm on an instance of a function."""

    record: Record
    #: None if the file does not say.
    maximized: bool | None
    suite: str

    @property
    def tool(self) -> str:
        """Which of the two wrote the file."""
        return "COCO" if "precision" in self.record.values else "IOHprofiler"

    @property
    def aim(self) -> str:
        """Which way is better, in words."""
        ways = {None: "of unknown direction", True: "maximized", False: "minimized"}
        return ways[self.maximized]


def read_ioh(paths: Paths, *, measures: Chosen | None = None) -> Results:
    r"""Read the meta files of IOHprofiler or COCO: what each run reached.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of str to those
        ``IOHprofiler_*.json`` or ``*.info`` files, or directories with such files in or below
        them. A mapping names the algorithms itself.
    measures : mapping or iterable of str, optional
        Of IOHprofiler ``"y"``, the best objective value of a run (the default), and ``"evals"``,
        the evaluations that were made, or in an ``.info`` file those until the best. Of COCO
        ``"precision"``, how far the best value is from the optimum (the default), and
        ``"evals"``.

    Returns
    -------
    Results
        A dataset is a function in one dimension, as in ``"f1 Sphere d5"``. Instances are the
        replicates, taken as independent; the second run of an instance is called ``"1.2"``.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, best in (("RS", "1.2e+03"), ("CMA-ES", "1.0e-08")):
    ...     (folder / name).mkdir()
    ...     _ = (folder / name / "bbobexp_f1.info").write_text(
    ...         f"funcId = 1, DIM = 2, Precision = 1e-08, algId = '{name}'\n%\n"
    ...         f"data_f1/bbobexp_f1_DIM2.dat, 1:200|{best}, 2:200|{best}\n"
    ...     )
    >>> results = read_ioh(folder)
    >>> results.algorithms, results.datasets
    (('CMA-ES', 'RS'), ('f1 d2',))
    """
    files, source = find_files(paths, "*")
    wanted = [pair for pair in files if _is_meta(pair[0])]
    if not wanted:
        raise BayescompareError(f"{source}: no IOHprofiler_*.json and no *.info file.")
    trials = [trial for file, name in wanted for trial in _read_trials(file, name)]
    # One algorithm's run of a function may be in several files of a folder.
    records.one_file_each(one.record._replace(file=one.record.file.parent) for one in trials)
    _check_unmixed(trials)
    first, way = trials[0].record, trials[0].maximized
    quality = None if way is None else Measure("max" if way else "min")
    known: dict[str, Measure | None] = dict.fromkeys(first.values, quality)
    spec = records.select(measures, known | records.costs("evals"), [next(iter(first.values))])
    times: Counter[tuple[str, str, str | None]] = Counter()
    runs: list[Record] = []
    for one, *_ in trials:
        key = (one.dataset, one.algorithm, one.replicate)
        times[key] += 1
        again = "" if times[key] == 1 else f".{times[key]}"
        runs.append(one._replace(replicate=f"{one.replicate}{again}"))
    return records.results_of(runs, source, spec, replicates="seeds")


def _is_json(data: object) -> bool:
    return isinstance(data, dict) and {"function_id", "algorithm", "scenarios"} <= data.keys()


def _is_meta(file: Path) -> bool:
    named = file.suffix == ".json" and file.name.startswith("IOHprof")
    return (file.suffix == ".info" or named) and file.is_file()


def _check_unmixed(trials: list[_Trial]) -> None:
    """Refuse a mixture of tools, of suites, and of functions to minimise and to maximise."""
    first = trials[0]
    suites: dict[str, _Trial] = {}
    for trial in trials:
        one, own = first.record, trial.record
        other = suites.setdefault(own.dataset, trial) if trial.suite else trial
        if trial.tool != first.tool:
            words = f"{one.file} is of {first.tool} and {own.file} of {trial.tool}"
        elif trial.maximized != first.maximized:
            words = (
                f"{one.dataset!r} is {first.aim} ({one.file}) and {own.dataset!r} is {trial.aim} "
                f"({own.file})"
            )
        elif other.suite != trial.suite:
            words = (
                f"{own.dataset!r} is of the suite {other.suite!r} in {other.record.file} and of "
                f"{trial.suite!r} in {own.file}"
            )
        else:
            continue
        raise BayescompareError(f"{words}: read them apart.")


def _read_trials(file: Path, name: str | None) -> list[_Trial]:
    with naming(file):
        read = _json_trials if file.suffix == ".json" else _info_trials
        trials = list(read(file, name))
        if not trials:
            raise BayescompareError("no run in this file.")
        return trials


# ---------------------------------------------------------------------------------------- the JSON


def _json_trials(file: Path, name: str | None) -> Iterator[_Trial]:
    data = Field(read_json(file))
    algorithm, scenarios = data["algorithm"], data["scenarios"]
    whole = _is_json(data.value) and isinstance(algorithm.value, dict)
    if not whole or not isinstance(scenarios.value, list):
        raise BayescompareError(
            "not a meta file of IOHprofiler, which has 'function_id', 'algorithm' and 'scenarios'."
        )
    label = algorithm_label(name or algorithm["name"].name())
    function = f"f{data['function_id'].name()}"
    if data["function_name"].value:
        function += f" {data['function_name'].name()}"
    way = data["maximization"]
    maximized = None if way.value is None else way.truth()
    suite = str(data.value.get("suite", "")).removeprefix("unknown_suite")
    seen: dict[str, Field] = {}
    for scenario in scenarios.each():
        runs = scenario["runs"]
        if not isinstance(runs.value, list):
            raise BayescompareError(f"{scenario.where} has no list of 'runs'.")
        dataset = f"{function} d{scenario['dimension'].name()}"
        path = str(scenario.value.get("path", scenario.where))
        other = seen.setdefault(path, scenario)
        if other is not scenario:
            raise BayescompareError(
                f"{other.where} and {scenario.where} are both of {path!r}: remove one."
            )
        for run in runs.each():
            best, evals = run["best"]["y"], run["evals"]
            if not is_number(best.value) or not is_number(evals.value):
                raise BayescompareError(f"{run.where} has no number as best.y and as evals.")
            values = {"y": best.number(), "evals": evals.number()}
            record = Record(file, dataset, label, values, replicate=run["instance"].name())
            yield _Trial(record, maximized, suite)


# ---------------------------------------------------------------------------------------- the text


def _info_trials(file: Path, name: str | None) -> Iterator[_Trial]:
    """Read header, comment and runs, again and again."""
    header: dict[str, str] = {}
    seen: dict[str, int] = {}
    waiting = 0
    for number, line in enumerate([*read_text(file).splitlines(), "funcId"], 1):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if "funcId" in line:
            # Another header or the end: the experiment was interrupted, or the file is cut off.
            if waiting:
                raise BayescompareError(
                    f"no run after line {waiting}: finish the experiment, or remove the line."
                )
            waiting = number
            header = {key: value.strip().strip("'\"") for key, value in _FIELD.findall(line)}
            absent = [key for key in ("funcId", "DIM", "algId") if not header.get(key)]
            if absent and line != "funcId":
                raise BayescompareError(f"line {number} has no {quoted_names(absent)}.")
            continue
        if not header:
            raise BayescompareError(
                f"line {number} is not a header such as \"funcId = 1, DIM = 2, algId = 'RS'\", so "
                "this is not a meta file of COCO or IOHprofiler."
            )
        data_file = line.partition(",")[0].strip()
        if _RUN.fullmatch(data_file):
            raise BayescompareError(f"line {number} has no data file before its runs.")
        if seen.setdefault(data_file, number) != number:
            raise BayescompareError(
                f"line {seen[data_file]} and line {number} are both of {data_file!r}: remove one."
            )
        for trial in _line_trials(file, name, header, f"line {number}", line):
            waiting = 0
            yield trial


def _line_trials(
    file: Path, name: str | None, header: dict[str, str], place: str, line: str
) -> Iterator[_Trial]:
    # IOHprofiler writes the best value, COCO its distance from the optimum.
    quality = "precision" if "Precision" in header else "y"
    parts = (f"f{header['funcId']}", header.get("funcName", ""), f"d{header['DIM']}")
    dataset, label = " ".join(filter(None, parts)), algorithm_label(name or header["algId"])
    for text in line.split(",")[1:]:
        where = f"{place}: {text.strip()[:40]!r}"
        match = _RUN.fullmatch(text)
        value = number_or_text(match[3]) if match else ""
        if match is None or isinstance(value, str):
            raise BayescompareError(f"{where} is not a run such as '1:200|1.5e-08'.")
        values = {
            quality: number_at(value, f"{where}: the value"),
            "evals": number_at(float(match[2]), f"{where}: the number of evaluations"),
        }
        record = Record(file, dataset, label, values, place, match[1])
        yield _Trial(record, _direction(header), header.get("suite", ""))


def _direction(header: dict[str, str]) -> bool | None:
    """Return whether higher is better, which IOHprofiler did not write at first."""
    flag = header.get("maximization", header.get("Maximization", "")).upper()
    if flag in ("T", "TRUE", "F", "FALSE"):
        return flag.startswith("T")
    if "Precision" in header:
        return False
    # As IOHanalyzer reads such files; of other suites it does not know.
    suite = header.get("suite", "").lower()
    return suite == "pbo" if suite == "pbo" or "bbob" in suite else None


FORMATS = {
    "ioh": Format("runs of IOHprofiler or COCO", read_ioh, suffixes=(".info",), json=_is_json)
}
