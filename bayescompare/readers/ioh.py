"""IOHprofiler and COCO: the meta files of optimisation runs, without their trajectories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bayescompare._checks import is_number, show_checked_value_briefly
from bayescompare._errors import BayescompareError
from bayescompare.readers.records import (
    Chosen,
    ParsedRow,
    check_runs_once,
    parsed_number,
    results_of_rows,
    select_measures,
)
from bayescompare.table.files import content_of, number_or_text, read_json, text_of
from bayescompare.table.measure import Measure
from bayescompare.table.paths import Paths, algorithm_label, find_files, naming, parsed_name
from bayescompare.table.results import Results
from bayescompare.text.names import quoted_names

__all__ = ["is_ioh_json", "read_ioh"]

#: ``funcId = 1``, ``algId = 'random search'`` or ``algId = "CMA-ES"``.
_FIELD = re.compile(r"""([A-Za-z_]\w*)\s*=\s*('[^']*'|"[^"]*"|[^,'"]*)""")
#: ``3:2000|1.5e-08``, the instance, the evaluations and the value; attributes may follow.
_RUN = re.compile(r"\s*(\d+):(\d+)\|([^;\s]+)(?:;.*)?\s*")


class _IohTrial(NamedTuple):
    """One run of an algorithm on an instance of a function."""

    file: Path
    dataset: str
    algorithm: str
    instance: str
    values: dict[str, float]
    #: None if the file does not say.
    maximized: bool | None
    suite: str


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
    wanted = [pair for pair in files if _is_ioh_meta(pair[0])]
    if not wanted:
        raise BayescompareError(f"{source}: no IOHprofiler_*.json and no *.info file.")
    trials = [trial for file, name in wanted for trial in _read_ioh_trials(file, name)]
    check_runs_once((trial.dataset, trial.algorithm, trial.file.parent) for trial in trials)
    _check_ioh_unmixed(trials)
    spec = select_measures(measures, _known_ioh_measures(trials), [next(iter(trials[0].values))])
    counts: dict[tuple[str, str, str], int] = {}
    rows: list[ParsedRow] = []
    for trial in trials:
        key = (trial.dataset, trial.algorithm, trial.instance)
        counts[key] = counts.get(key, 0) + 1
        number = trial.instance if counts[key] == 1 else f"{trial.instance}.{counts[key]}"
        names = {"dataset": trial.dataset, "algorithm": trial.algorithm, "replicate": number}
        rows.append((trial.file, {**names, **trial.values}))
    return results_of_rows(rows, source, replicate="replicate", replicates="seeds", measures=spec)


def is_ioh_json(data: object) -> bool:
    """Whether this is the content of an IOHprofiler meta file."""
    return isinstance(data, dict) and {"function_id", "algorithm", "scenarios"} <= data.keys()


def _is_ioh_meta(file: Path) -> bool:
    if not file.is_file():
        return False
    return file.suffix == ".info" or (file.suffix == ".json" and file.name.startswith("IOHprof"))


def _known_ioh_measures(trials: list[_IohTrial]) -> dict[str, Measure | None]:
    way = trials[0].maximized
    quality = None if way is None else Measure("max" if way else "min")
    known: dict[str, Measure | None] = dict.fromkeys(trials[0].values, quality)
    return known | {"evals": Measure("min", bounds=(0, None))}


def _check_ioh_unmixed(trials: list[_IohTrial]) -> None:
    """Refuse a mixture of tools, of suites, and of functions to minimise and to maximise."""
    for trial in trials:
        if trial.values.keys() != trials[0].values.keys():
            raise BayescompareError(
                f"{trials[0].file} is of {_tool(trials[0])} and {trial.file} of {_tool(trial)}: "
                "read them apart."
            )
        if trial.maximized != trials[0].maximized:
            raise BayescompareError(
                f"{trials[0].dataset!r} is {_ioh_aim(trials[0])} ({trials[0].file}) and "
                f"{trial.dataset!r} is {_ioh_aim(trial)} ({trial.file}): read them apart."
            )
    firsts: dict[str, _IohTrial] = {}
    for trial in trials:
        other = firsts.setdefault(trial.dataset, trial) if trial.suite else trial
        if other.suite != trial.suite:
            raise BayescompareError(
                f"{trial.dataset!r} is of the suite {other.suite!r} in {other.file} and of "
                f"{trial.suite!r} in {trial.file}: read them apart."
            )


def _tool(trial: _IohTrial) -> str:
    return "COCO" if "precision" in trial.values else "IOHprofiler"


def _ioh_aim(trial: _IohTrial) -> str:
    if trial.maximized is None:
        return "of unknown direction"
    return "maximized" if trial.maximized else "minimized"


def _read_ioh_trials(file: Path, name: str | None) -> list[_IohTrial]:
    with naming(file):
        read = _ioh_json_trials if file.suffix == ".json" else _ioh_info_trials
        trials = list(read(file, name))
        if not trials:
            raise BayescompareError("no run in this file.")
        return trials


# ---------------------------------------------------------------------------------------- the JSON


def _ioh_json_trials(file: Path, name: str | None) -> Iterator[_IohTrial]:
    data = read_json(file)
    algorithm = data.get("algorithm") if is_ioh_json(data) else None
    if not isinstance(algorithm, dict) or not isinstance(data["scenarios"], list):
        raise BayescompareError(
            "not a meta file of IOHprofiler, which has 'function_id', 'algorithm' and 'scenarios'."
        )
    label = algorithm_label(name or parsed_name(algorithm.get("name"), "algorithm.name"))
    function = f"f{parsed_name(data['function_id'], 'function_id')}"
    if data.get("function_name"):
        function += f" {parsed_name(data['function_name'], 'function_name')}"
    maximized = data.get("maximization")
    if not (maximized is None or isinstance(maximized, bool)):
        raise BayescompareError(
            f"maximization is {show_checked_value_briefly(maximized)}, not true or false."
        )
    data_files: dict[str, int] = {}
    for place, scenario in enumerate(data["scenarios"]):
        where = f"scenarios[{place}]"
        runs = scenario.get("runs") if isinstance(scenario, dict) else None
        if not isinstance(runs, list):
            raise BayescompareError(f"{where} has no list of 'runs'.")
        dimension = parsed_name(scenario.get("dimension"), f"{where}.dimension")
        other = data_files.setdefault(str(scenario.get("path", place)), place)
        if other != place:
            raise BayescompareError(
                f"scenarios[{other}] and {where} are both of {scenario['path']!r}: remove one."
            )
        for number, run in enumerate(runs):
            yield _IohTrial(
                file,
                f"{function} d{dimension}",
                label,
                *_ioh_run(run, f"{where}.runs[{number}]"),
                maximized,
                "" if data.get("suite") == "unknown_suite" else str(data.get("suite", "")),
            )


def _ioh_run(run: Any, where: str) -> tuple[str, dict[str, float]]:
    """Return the instance of a run, and what it reached."""
    best = run.get("best") if isinstance(run, dict) else None
    value = best.get("y") if isinstance(best, dict) else None
    evals = run.get("evals") if isinstance(run, dict) else None
    if not is_number(value) or not is_number(evals):
        raise BayescompareError(f"{where} has no number as best.y and as evals.")
    values = {
        "y": parsed_number(value, f"{where}.best.y"),
        "evals": parsed_number(evals, f"{where}.evals"),
    }
    return parsed_name(run.get("instance"), f"{where}.instance"), values


# ---------------------------------------------------------------------------------------- the text


def _ioh_info_trials(file: Path, name: str | None) -> Iterator[_IohTrial]:
    """Read header, comment and runs, again and again."""
    header: dict[str, str] = {}
    data_files: dict[str, int] = {}
    waiting = 0
    for number, line in enumerate(text_of(content_of(file)).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if "funcId" in line:
            _check_ioh_header_has_runs(waiting)
            waiting = number
            header = {key: value.strip().strip("'\"") for key, value in _FIELD.findall(line)}
            absent = [key for key in ("funcId", "DIM", "algId") if not header.get(key)]
            if absent:
                raise BayescompareError(f"line {number} has no {quoted_names(absent)}.")
        elif not header:
            raise BayescompareError(
                f"line {number} is not a header such as \"funcId = 1, DIM = 2, algId = 'RS'\", so "
                "this is not a meta file of COCO or IOHprofiler."
            )
        else:
            data_file = line.partition(",")[0].strip()
            if _RUN.fullmatch(data_file):
                raise BayescompareError(f"line {number} has no data file before its runs.")
            if data_files.setdefault(data_file, number) != number:
                raise BayescompareError(
                    f"line {data_files[data_file]} and line {number} are both of {data_file!r}: "
                    "remove one."
                )
            for trial in _ioh_line_trials(file, name, header, number, line):
                waiting = 0
                yield trial
    _check_ioh_header_has_runs(waiting)


def _check_ioh_header_has_runs(line: int) -> None:
    """Refuse a header that no run follows: the experiment was interrupted, or the file cut off."""
    if line:
        raise BayescompareError(
            f"no run after line {line}: finish the experiment, or remove the line."
        )


def _ioh_line_trials(
    file: Path, name: str | None, header: dict[str, str], number: int, line: str
) -> Iterator[_IohTrial]:
    # IOHprofiler writes the best value, COCO its distance from the optimum.
    quality = "precision" if "Precision" in header else "y"
    parts = (f"f{header['funcId']}", header.get("funcName", ""), f"d{header['DIM']}")
    for text in line.split(",")[1:]:
        match = _RUN.fullmatch(text)
        value = number_or_text(match[3]) if match else ""
        if match is None or isinstance(value, str):
            raise BayescompareError(
                f"line {number}: {text.strip()[:40]!r} is not a run such as '1:200|1.5e-08'."
            )
        where = f"line {number}: {text.strip()[:40]!r}"
        yield _IohTrial(
            file,
            " ".join(filter(None, parts)),
            algorithm_label(name or header["algId"]),
            match[1],
            {
                quality: parsed_number(value, f"{where}: the value"),
                "evals": parsed_number(float(match[2]), f"{where}: the number of evaluations"),
            },
            _ioh_header_direction(header),
            header.get("suite", ""),
        )


def _ioh_header_direction(header: dict[str, str]) -> bool | None:
    """Return whether higher is better, which IOHprofiler did not write at first."""
    flag = header.get("maximization", header.get("Maximization", "")).upper()
    if flag in ("T", "TRUE", "F", "FALSE"):
        return flag.startswith("T")
    if "Precision" in header:
        return False
    # As IOHanalyzer reads such files; of other suites it does not know.
    suite = header.get("suite", "").lower()
    return suite == "pbo" if suite == "pbo" or "bbob" in suite else None
