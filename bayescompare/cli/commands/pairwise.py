"""``bayescompare pairwise``: every pair of algorithms."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.cli.groups import OptionGroup, command_line_option, with_groups
from bayescompare.cli.method_options import MethodOptions, read_method
from bayescompare.cli.options import (
    OUTPUT,
    QUESTION,
    Missing,
    NoProgress,
    OutputOptions,
    Overwrite,
    Seed,
    SelectionOptions,
    TableOptions,
)
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    print_json,
    sampler_options,
    shows_progress,
    typed_command,
)
from bayescompare.cli.table_sources import check_table, read_table

if TYPE_CHECKING:
    from bayescompare.comparison.rule import Rule

__all__ = ["EXAMPLES", "pairwise"]

EXAMPLES = """Examples:

  bayescompare pairwise results.csv --measure accuracy:max --measure time:min --report report.html

  bayescompare pairwise --example jansen-uci --only auc,brier --reference GBM --fdr 0.1"""


@dataclass(frozen=True)
class VerdictOptions(OptionGroup):
    """When a pair gets a verdict."""

    level: Annotated[
        float | None,
        command_line_option(
            "--level",
            "Probability that each pair by itself needs for a verdict. Default: 0.95.",
            QUESTION,
            metavar="P",
        ),
    ] = None
    fdr: Annotated[
        float | None,
        command_line_option(
            "--fdr",
            "Instead of --level: expected share of false verdicts, if the prior is right.",
            QUESTION,
            metavar="RATE",
        ),
    ] = None

    def rule(self) -> "Rule":
        """Return the rule by which pairs are decided."""
        from bayescompare.comparison.rule import as_rule

        if self.level is not None and self.fdr is not None:
            raise BayescompareError("--level and --fdr are two rules: give one.")
        return as_rule(level=self.level, fdr=self.fdr)


@with_groups
def pairwise(
    *,
    table: TableOptions,
    selection: SelectionOptions,
    reference: Annotated[
        str | None,
        command_line_option(
            "--reference", "Compare the others with this one.", QUESTION, metavar="A"
        ),
    ] = None,
    missing: Missing = "raise",
    method: MethodOptions,
    verdict: VerdictOptions,
    rng: Seed = None,
    n_jobs: Annotated[
        int,
        command_line_option(
            "--jobs", "Parallel jobs, -1 (default) for all cores.", QUESTION, metavar="N"
        ),
    ] = -1,
    effects: Annotated[
        bool,
        command_line_option(
            "--effects", "Print effect sizes of pairs without a verdict too.", OUTPUT
        ),
    ] = False,
    output: OutputOptions,
    save: Annotated[
        Path | None,
        command_line_option(
            "--save",
            "Save all comparisons as JSON; bc.load_pairwise() reads them.",
            OUTPUT,
            metavar="PATH.json",
        ),
    ] = None,
    overwrite: Overwrite = False,
    no_progress: NoProgress = False,
) -> None:
    """Compare every pair of algorithms: for which of them can we name a winner?"""
    check_table(table)
    check_outputs(table.paths, overwrite=overwrite, report=output.report, save=save)
    rule = verdict.rule()
    test = read_method(method)
    results = read_table(table, selection.algorithms)
    question: dict[str, Any] = {**selection.names_in(results), "missing": missing, "rng": rng}
    p = bc.pairwise(
        results,
        method=test,
        reference=reference,
        **question,
        sampler=sampler_options(no_progress),
        n_jobs=n_jobs,
        progress=shows_progress(no_progress),
    )
    text = p.to_json(**rule.options) if output.as_json else None
    if save is not None:
        p.to_json(save, **rule.options, overwrite=overwrite)
    if output.report is not None:
        p.report(output.report, overwrite=overwrite, **rule.options, command=typed_command())
    if text is not None:
        print_json(text)
    else:
        from bayescompare.cli.pairwise_tables import print_pairwise
        from bayescompare.cli.tables import console

        print_pairwise(console(), p, rule, effects=effects)
    announce_output_files(output.report, save, err=output.as_json)
