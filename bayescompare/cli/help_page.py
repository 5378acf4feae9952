"""``--help`` as plain text that fits a narrow terminal: options by topic, examples to copy."""

from __future__ import annotations

import shlex
from typing import Any

from bayescompare.cli.plain_values import PlainCommand

__all__ = ["HELP_SETTINGS", "HelpfulCommand", "example_lines"]

#: For every command: both spellings, and as wide as the terminal up to where lines get too long.
HELP_SETTINGS = {"help_option_names": ["--help", "-h"], "max_content_width": 100}


class HelpfulCommand(PlainCommand):
    """A command whose help lists the options under their panels, each with what it takes."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, a section for each topic."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            is_argument = param.param_type_name == "argument"
            panel = "Arguments" if is_argument else getattr(param, "rich_help_panel", None)
            name = param.metavar if is_argument and param.metavar else record[0]
            sections.setdefault(panel or "Options", []).append((name, record[1]))
        # What every command has comes last.
        sections = {**sections, "Options": sections.pop("Options", [])}
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, each as it can be pasted into a shell."""
        lines = [line.strip() for line in (self.epilog or "").splitlines() if line.strip()]
        if not lines:
            return
        formatter.write_paragraph()
        formatter.write(f"{lines[0]}\n")
        for line in lines[1:]:
            formatter.write("\n")
            for part in example_lines(line, formatter.width - 2):
                formatter.write(f"  {part}\n")


def example_lines(command: str, width: int) -> list[str]:
    r"""Break a command into lines that a shell reads as one.

    Examples
    --------
    >>> for line in example_lines("bayescompare compare a.csv --measure acc:max --json", 40):
    ...     print(line)
    bayescompare compare a.csv \
        --measure acc:max --json
    """
    # An option stays with its value.
    pieces: list[str] = []
    for word in shlex.split(command, posix=False):
        if pieces and pieces[-1].startswith("-") and " " not in pieces[-1] and word[0] != "-":
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + len(piece) + 3 > width:
            lines[-1] += " \\"
            lines.append(f"    {piece}")
        else:
            lines[-1] += f" {piece}"
    return lines
