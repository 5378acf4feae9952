"""Write the kept benchmark (docs/data/bench.json) into the paper's table, the largest size each.

Run ``python docs/publishing/bench_table.py`` after a new benchmark was kept.
"""

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
PAPER = HERE / "paper.md"
BENCH = HERE.parent / "data" / "bench.json"
HEAD = """\
| task | size | compared with | time relative to ours | our error | its error |
|---|---:|---|---:|---:|---:|
"""


def shown(number: float | None) -> str:
    """Two digits; an answer that everybody draws at random has no error."""
    if number is None:
        return "–"
    return f"{number:.0f}" if number == 0 or number >= 10 else f"{number:.2g}"


def table(bench: dict) -> str:
    rows = [row for row in bench["rows"] if row["status"] == "ok"]
    largest = {row["task"]: row["size"] for row in rows}  # sizes ascend
    rows = [row for row in rows if row["size"] == largest[row["task"]]]
    ours = {row["task"]: row for row in rows if row["package"] == "bayescompare"}
    lines = [
        f"| {row['title']} | {row['size']} {row['size_name']} | {row['package']} | "
        f"{shown(row['ratio'])} | {shown(ours[row['task']]['error'])} | {shown(row['error'])} |\n"
        for row in rows
        if row["package"] != "bayescompare"
    ]
    return HEAD + "".join(lines)


def in_paper(text: str) -> str:
    """The table as it stands in the paper."""
    (found,) = re.findall(r"(?:^\|.*\n)+", text, flags=re.M)
    return found


if __name__ == "__main__":
    text = PAPER.read_text(encoding="utf-8")
    made = table(json.loads(BENCH.read_text(encoding="utf-8")))
    PAPER.write_text(text.replace(in_paper(text), made), encoding="utf-8")
