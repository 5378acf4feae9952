"""Write the golden file, or name what is different: ``make golden``.

``python -m golden`` compares every question with what is stored. With ``--new`` it stores questions
that have no entry yet; with ``--change PATTERN`` it stores those again whose name matches, which is
a commit of its own that names them and the section of SPEC. ``--words`` writes what the answers
about examples say: words may change, but ``git diff`` shows how.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
from rich.progress import track

from golden.figures import differences, distance, figures, kept, structure
from golden.questions import questions

STORED = Path(__file__).parent / "figures.jsonl"
#: What the answers about examples say. Words may change; their diff is read.
WORDS = Path(__file__).parent / "words.txt"


def stored() -> dict[str, Any]:
    """Return the figures of every stored question."""
    if not STORED.exists():
        return {}
    lines = STORED.read_text(encoding="utf-8").splitlines()
    return {entry["question"]: entry["figures"] for entry in map(json.loads, lines)}


def answered(name: str, ask: Any) -> tuple[str, Any]:
    """Answer a question; what is refused is stored by the first words of the refusal."""
    import bayescompare as bc

    try:
        answer = ask()
        # The random tables have numbers for names.
        return name, figures(answer) | ({} if name[0].isdigit() else structure(answer))
    except bc.BayescompareError as error:
        return name, {"refused": str(error)}


def words() -> Iterator[str]:
    """Yield what the answer to every question about an example says."""
    for name, ask in questions():
        if not name[0].isdigit():
            said = "\n".join(textwrap.wrap(ask().explain(), 100))
            yield f"# {name}\n{said}\n\n"


def main(arguments: list[str] | None = None) -> int:
    """Compare all, and store what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--new", action="store_true", help="store questions without an entry")
    parser.add_argument("--change", metavar="PATTERN", help="store these again")
    parser.add_argument("--words", action="store_true", help="write the words of examples")
    parser.add_argument("--only", metavar="PATTERN", default="", help="ask these alone")
    options = parser.parse_args(arguments)
    if options.words:
        WORDS.write_text("".join(words()), encoding="utf-8")
        return 0
    was = stored()
    asked = [(name, ask) for name, ask in questions() if re.search(options.only, name)]
    run = joblib.Parallel(n_jobs=-1, return_as="generator")
    found = run(joblib.delayed(answered)(name, ask) for name, ask in asked)
    now = dict(track(found, total=len(asked), description="golden figures"))
    other, largest, count = 0, 0.0, 0
    for name, each in now.items():
        if name not in was:
            if options.new:
                was[name] = _rounded(kept(each))
            else:
                print(f"{name}: not stored")
                other += 1
            continue
        if changed := differences(each, was[name]):
            for key, (is_now, before) in changed.items():
                print(f"{name}: {key} is {is_now}, was {before}")
            if options.change and re.search(options.change, name):
                was[name] = _rounded(kept(each))
            else:
                other += 1
        else:
            count += len(was[name])
            largest = max(largest, distance(each, was[name]))
    if options.new or options.change:
        order = {name: place for place, (name, _) in enumerate(questions())}
        lines = [
            json.dumps({"question": name, "figures": was[name]}, ensure_ascii=False)
            for name in sorted((n for n in was if n in order), key=order.__getitem__)
        ]
        STORED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(
        f"{len(now)} questions, {count} figures the same (largest difference {largest:.1e}), "
        f"{other} questions different"
    )
    return 1 if other else 0


def _rounded(found: dict[str, Any]) -> dict[str, Any]:
    """Fourteen digits: the last ones are decided by the order of sums."""

    def short(value: Any) -> Any:
        if isinstance(value, list):
            return [float(f"{part:.6g}") for part in value]
        return float(f"{value:.14g}") if isinstance(value, float) else value

    return {key: short(value) for key, value in found.items()}


if __name__ == "__main__":
    sys.exit(main())
