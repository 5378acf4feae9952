"""The commands that ask: ``compare``, ``pairwise``, ``rank`` and ``gate``."""

from typing import Any, Literal

import typer

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.flags import Options, option, switch
from bayescompare.cli.options import (
    OUTPUT,
    QUESTION,
    Asked,
    Drawn,
    Method,
    Output,
    Progress,
    Report,
    Selection,
    Table,
    measures_meant,
)
from bayescompare.cli.outputs import check_outputs, deliver
from bayescompare.cli.source import check_table, read_table

__all__ = ["EPILOGS", "EXIT_CODES", "compare", "gate", "pairwise", "rank", "read_utility"]

#: What the shell gets for each outcome of a gate; 2 is wrong use.
EXIT_CODES = {True: 0, False: 1, None: 3}

#: What ends the help of each command; lines after a \b are printed as they are.
EPILOGS = {
    "compare": """\b
Examples:
  bayescompare compare results.csv --algorithms A,B \\
      --measure accuracy:max --measure time:min
  bayescompare compare results.csv --measure accuracy:max:rope=0.01 \\
      --algorithms A,B --method glrt
  bayescompare compare --example benavoli-example1 --prior imprecise --json
  bayescompare compare results.csv --method network \\
      --measure accuracy:max --measure time:min
  bayescompare compare --example lacoste-svm-parzen \\
      --method poisson-binomial --set joint=true
  bayescompare compare --example benavoli-example1 --ci-prob 0.9 --ci-kind hdi
  bayescompare compare folds.csv --measure auc:max:rope=0.01 \\
      --replicate-column fold --algorithms A,B --method correlated-t""",
    "pairwise": """\b
Examples:
  bayescompare pairwise results.csv --measure accuracy:max \\
      --measure time:min --report report.html
  bayescompare pairwise --example jansen-uci --only auc,brier \\
      --reference GBM --fdr 0.1""",
    "rank": """\b
Examples:
  bayescompare rank results.csv --measure accuracy:max --measure time:min
  bayescompare rank results.csv --measure accuracy:max --measure cost:min \\
      --by value --utility accuracy=1,cost=-0.1
  bayescompare rank --example jansen-uci --plot places.png \\
      --utility auc=0.5..1,brier=0..0.5""",
    "gate": """Exit codes: 0 passed, 1 worse on some measure, 3 undecided, 2 wrong use.

\b
Examples:
  bayescompare gate results.csv --candidate new --baseline old \\
      --measure accuracy:max:rope=0.01
  bayescompare gate results.csv --candidate new --baseline old --json \\
      --measure accuracy:max:rope=0.01 --measure latency:min:rope=5:unit=ms
  bayescompare gate items.csv --candidate new --baseline old \\
      --measure correct:max:rope=0.01 --replicate-column item \\
      --replicates items --over items
  bayescompare gate --example jansen-uci --candidate GBM --baseline CART""",
}


class Intervals(Options, panel=QUESTION):
    """The intervals that are printed, and jobs."""

    ci_prob: float | None = option(
        "P",
        "Mass of the intervals in the table of statements, below 1. Default: 0.95; with --ci-kind "
        "alone, that of ArviZ.",
    )
    ci_kind: Literal["eti", "hdi"] | None = option(
        None,
        "Equal-tailed intervals, or the shortest (highest density). Default: eti; with --ci-prob "
        "alone, that of ArviZ.",
    )
    n_jobs: int = option(
        "N",
        "Parallel jobs for the resamples of gsd, -1 for all cores. Default: 1.",
        default=1,
        flag="--jobs",
    )

    def check(self, *, as_json: bool) -> None:
        """Refuse an interval before anything is computed."""
        if self.ci_prob is None and self.ci_kind is None:
            return
        from bayescompare.outcome.intervals import interval_choice

        interval_choice(self.ci_prob, self.ci_kind)
        if as_json:
            given = "--ci-kind" if self.ci_prob is None else "--ci-prob"
            raise BayescompareError(
                f"{given} is about the printed table, and --json has the equal-tailed 95 %: leave "
                "one of the two out."
            )


def compare(
    table: Table,
    selection: Selection,
    asked: Asked,
    method: Method,
    intervals: Intervals,
    output: Report,
    progress: Progress,
) -> None:
    """Ask one question: which ordering of the algorithms, jointly on all measures, leads?"""
    check_outputs(check_table(table), output)
    intervals.check(as_json=output.as_json)
    question = _question(table, selection, asked, method, progress)
    c = bc.compare(**question, n_jobs=intervals.n_jobs)
    summary = c.summary(ci_prob=intervals.ci_prob, ci_kind=intervals.ci_kind)
    from bayescompare.cli import answers

    deliver(c, output, lambda out: answers.print_comparison(out, c, summary))


def _question(
    table: Table,
    selection: Selection,
    asked: Asked,
    method: Method,
    progress: Progress,
) -> dict[str, Any]:
    """Read the method and the table, and return the arguments of `compare` and `pairwise`."""
    test = method.read()
    results = read_table(table, selection.algorithms)
    names = selection.names_in(results)
    how = {"sampler": progress.sampler, "progress": progress.shown}
    return {"results": results, "method": test, **names, **vars(asked), **how}


class Verdicts(Options, panel=QUESTION):
    """Which pairs are asked about, and when one gets a verdict."""

    reference: str | None = option("A", "Compare the others with this one.")
    level: float | None = option(
        "P", "Probability that each pair by itself needs for a verdict. Default: 0.95."
    )
    fdr: float | None = option(
        "RATE", "Instead of --level: expected share of false verdicts, if the prior is right."
    )
    n_jobs: int = option(
        "N", "Parallel jobs, -1 (default) for all cores.", default=-1, flag="--jobs"
    )
    effects: bool = switch(
        "Print effect sizes of pairs without a verdict too.", rich_help_panel=OUTPUT
    )


def pairwise(
    table: Table,
    selection: Selection,
    asked: Asked,
    method: Method,
    verdicts: Verdicts,
    output: Report,
    progress: Progress,
) -> None:
    """Compare every pair of algorithms: for which of them can we name a winner?"""
    from bayescompare.outcome.verdicts import as_rule

    check_outputs(check_table(table), output)
    if verdicts.level is not None and verdicts.fdr is not None:
        raise BayescompareError("--level and --fdr are two rules: give one.")
    rule = as_rule(level=verdicts.level, fdr=verdicts.fdr)
    question = _question(table, selection, asked, method, progress)
    p = bc.pairwise(**question, reference=verdicts.reference, n_jobs=verdicts.n_jobs)
    from bayescompare.cli import answers

    deliver(
        p,
        output,
        lambda out: answers.print_pairwise(out, p, rule, effects=verdicts.effects),
        **rule.options,
    )


class Places(Options, panel=QUESTION):
    """What is ranked, and how."""

    by: str = option(
        "rank|value|strength",
        "What is averaged over datasets: ranks (default) or the values themselves; or the "
        "strengths of the Plackett-Luce model.",
        default="rank",
    )
    utility: str | None = option(
        "NAME=WEIGHT,…",
        "Weights of the measures, as a=1,b=0.5, or their bounds, as a=0.5..1,b=0..0.5, or "
        "'unknown' for all weights.",
    )
    level: float = option("P", "Of intervals and verdicts. Default: 0.95.", default=0.95)
    draws: int = option("N", "Default: 10000.", default=10_000)


def rank(table: Table, selection: Selection, places: Places, asked: Asked, output: Drawn) -> None:
    """Rank all algorithms: who is best, in what place, on the front, and how sure are we?"""
    check_outputs(check_table(table), output)
    results = read_table(table, selection.algorithms)
    how: dict[str, Any] = {**selection.names_in(results), **vars(places), **vars(asked)}
    if places.utility is not None:
        how["utility"] = read_utility(places.utility)
    r = bc.rank(results, **how)
    from bayescompare.cli import answers

    deliver(r, output, lambda out: answers.print_ranking(out, r))


def read_utility(text: str) -> Any:
    """Read ``a=1,b=0.5..1``, or the word "unknown".

    Examples
    --------
    >>> read_utility("accuracy=1,time=0..0.5"), read_utility("unknown")
    ({'accuracy': 1.0, 'time': (0.0, 0.5)}, 'unknown')
    """
    if text.strip() == "unknown":
        return "unknown"
    weights: dict[str, float | tuple[float, ...]] = {}
    for piece in text.split(","):
        name, sign, value = (part.strip() for part in piece.rpartition("="))
        try:
            ends = tuple(float(end) for end in value.split(".."))
        except ValueError:
            ends = ()
        if not (sign and name) or len(ends) not in (1, 2):
            raise BayescompareError(
                f"--utility {text}: {piece.strip()!r} is no weight; write name=1 or name=0.5..1, "
                "with commas between them, or the word unknown."
            )
        if name in weights:
            raise BayescompareError(f"--utility {text}: {name!r} is named twice.")
        weights[name] = ends[0] if len(ends) == 1 else ends
    return weights


class Replacing(Options, panel=QUESTION):
    """What would replace what, and how sure one must be."""

    candidate: str = option("A", "The algorithm that is to be shipped.", default=...)
    baseline: str = option("B", "The algorithm that it would replace.", default=...)
    measures: str | None = option("M1,M2,…", "Use only these measures.", flag="--only")
    level: float = option("P", "Probability that a verdict needs. Default: 0.95.", default=0.95)
    over: str = option(
        "datasets|items",
        "Resample the datasets (default), or the items of each dataset: then the verdict is about "
        "these datasets only.",
        default="datasets",
    )


def gate(table: Table, replacing: Replacing, asked: Asked, output: Output) -> None:
    """May the candidate replace the baseline? Exit with 0 if so, 1 if worse, 3 if undecided."""
    check_outputs(check_table(table), output)
    results = read_table(table)
    measures = measures_meant(replacing.measures, results)
    g = bc.gate(results, **{**vars(replacing), **vars(asked), "measures": measures})
    from bayescompare.cli import answers

    deliver(g, output, lambda out: answers.print_gate(out, g))
    raise typer.Exit(EXIT_CODES[g.passed])
