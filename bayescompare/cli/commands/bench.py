"""``bayescompare bench``: time, memory and error against other packages, on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from bayescompare._files import write_text
from bayescompare.cli.groups import command_line_option, with_groups
from bayescompare.cli.options import OUTPUT, Overwrite, read_names_flag
from bayescompare.cli.outputs import (
    announce_output_files,
    check_outputs,
    check_picture_output,
    print_json,
    write_picture_output,
)

__all__ = ["EXAMPLES", "bench"]

EXAMPLES = """Examples:

  bayescompare bench

  bayescompare bench --task sign_rope,fold_t --sizes 1

  bayescompare bench --peers .venv-bench/bin/python --json > bench.json

  bayescompare bench --save bench.json --figure bench.png"""

WHAT = "What is measured"
#: Where `make bench` puts the other packages.
_USUAL_PEERS = Path(".venv-bench/bin/python")


@with_groups
def bench(
    *,
    tasks: Annotated[
        str | None,
        command_line_option("--task", "Only these tasks.", WHAT, metavar="T1,T2,…"),
    ] = None,
    sizes: Annotated[
        int | None,
        command_line_option(
            "--sizes", "Only the N smallest sizes of each task.", WHAT, metavar="N"
        ),
    ] = None,
    peers: Annotated[
        Path | None,
        command_line_option(
            "--peers",
            "The Python that has the other packages. Default: .venv-bench/bin/python if it is "
            "there, else this one.",
            WHAT,
            metavar="PYTHON",
        ),
    ] = None,
    seed: Annotated[
        int, command_line_option("--seed", "Of the data. Default: 0.", WHAT, metavar="N", min=0)
    ] = 0,
    as_json: Annotated[
        bool, command_line_option("--json", "Print JSON instead of a table.", OUTPUT)
    ] = False,
    figure: Annotated[
        Path | None,
        command_line_option("--figure", "Draw time against size.", OUTPUT, metavar="PATH.png"),
    ] = None,
    save: Annotated[
        Path | None,
        command_line_option("--save", "Save the figures as JSON.", OUTPUT, metavar="PATH.json"),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Measure time, memory and error against other packages, on the same data."""
    check_outputs((), overwrite=overwrite, figure=figure, save=save)
    if figure is not None:
        check_picture_output(figure, flag="--figure")
    from bayescompare.studies.bench import draw_bench, run_bench

    usual = _USUAL_PEERS if peers is None and _USUAL_PEERS.is_file() else peers
    table = run_bench(
        tasks=read_names_flag("--task", tasks),
        sizes=sizes,
        peers=usual,
        seed=seed,
        tell=lambda line: typer.echo(line, err=True),
    )
    if save is not None:
        write_text(save, table.to_json() + "\n")
    if as_json:
        print_json(table.to_json())
    else:
        from bayescompare.cli.bench_table import print_bench

        print_bench(table)
    if figure is not None:
        write_picture_output(draw_bench(table), figure)
    announce_output_files(save, figure, err=as_json)
