"""What is written in one place only, read off the source of every module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source import parsed

ROOT = Path(__file__).resolve().parents[1] / "bayescompare"

# ------------------------------------------------------------- labels of statements: statements.py

SIGNS = frozenset({"|", ">", "=", "~"})
SPLITS = {"split": SIGNS, "rsplit": SIGNS, "partition": SIGNS - {"="}}  # key=value is no label

# Where these signs are no label of a statement, and what they are instead.
NO_LABELS = {
    "statements.py": "the one place",
    "methods/_shared/learned_prior.py": "patterns such as '>|<', signs of the measures",
}


def by_hand(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines that part, join or search a label by its signs."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr=attr), args=[ast.Constant(value=str(sign)), *_]
            ) if sign in SPLITS.get(attr, ()):
                yield node.lineno, f"{attr}({sign!r})"
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str(sign)), attr="join"), args=joined
            ) if sign in SIGNS and not _are_patterns(joined):
                yield node.lineno, f"{sign!r}.join"
            case ast.Compare(
                left=ast.Constant(value=str(sign)),
                ops=[ast.In() | ast.NotIn()],
                comparators=[ast.Name() | ast.Subscript()],
            ) if sign in SIGNS:
                yield node.lineno, f"{sign!r} in"
            case ast.JoinedStr(values=values):
                if any(
                    _names(*three) for three in zip(values, values[1:], values[2:], strict=False)
                ):
                    yield node.lineno, "f-string"


def _are_patterns(joined: list[ast.expr]) -> bool:
    """Whether alternatives of a regular expression are joined: no label has escapes in it."""
    return [ast.unparse(one).startswith("map(re.escape, ") for one in joined] == [True]


def _names(left: ast.expr, middle: ast.expr, right: ast.expr) -> bool:
    """Whether two names are put together with a sign; ``f"{name}={value!r}"`` is a message."""
    match (left, middle, right):
        case (
            ast.FormattedValue(conversion=-1, value=ast.Name() | ast.Subscript()),
            ast.Constant(value=str(sign)),
            ast.FormattedValue(conversion=-1, value=ast.Name() | ast.Subscript()),
        ):
            return sign in SIGNS
    return False


def labels_by_hand(root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name not in NO_LABELS:
            tree = parsed(path)
            found += [f"{name}:{line}: {what}" for line, what in by_hand(tree)]
    return found


def test_labels_are_read_and_written_by_statement() -> None:
    assert list(ROOT.rglob("*.py"))
    assert labels_by_hand(ROOT) == []


def test_every_exception_is_needed() -> None:
    for name in NO_LABELS:
        assert list(by_hand(ast.parse((ROOT / name).read_text(encoding="utf-8")))), name


@pytest.mark.parametrize(
    "line",
    [
        'label.split("|")',
        'state.partition(">")',
        '"|".join(states)',
        'f"{first}>{second}"',
        'f"{names[0]}={names[1]}"',
        'any(">" in label for label in labels)',
        '"=" not in labels[k]',
    ],
)
def test_a_planted_line_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "planted.py").write_text(line, encoding="utf-8")
    assert len(labels_by_hand(tmp_path)) == 1


def test_alternatives_of_a_regular_expression_are_no_label(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text('"|".join(map(re.escape, names))', encoding="utf-8")
    assert labels_by_hand(tmp_path) == []


# -------------------------------------------------------------------------- array types: _typing.py


def named_types(tree: ast.AST) -> set[str]:
    """Names bound to a type of arrays: ``X = NDArray[...]``."""
    return {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.TypeAlias)
        and isinstance(node.value, ast.Subscript)
        and ast.unparse(node.value.value) == "NDArray"
    }


def test_array_types_are_named_in_one_place() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        found = named_types(parsed(path))
        assert bool(found) == (path.name == "_typing.py"), f"{path}: {found}"


# ------------------------------------------------------------------- functions and classes, by name

# What several modules may define, and why.
SHARED_NAMES = {
    **dict.fromkeys(
        ("build", "sampled_answer", "simulate", "simulated"),
        "the same step of several methods, each in a file of its own room",
    ),
    **dict.fromkeys(
        ("compare", "examples", "gate", "pairwise", "rank", "reproduce", "sample"),
        "commands, called what they do",
    ),
    **dict.fromkeys(
        (
            *("all_pairs", "best_graph", "fold_t", "largest_share", "nemenyi_pairs", "rank_sum_p"),
            *("sign_rope", "signed_ranks", "swap_dominance", "win_counts"),
        ),
        "a task of `bayescompare bench`, once for each package that does it",
    ),
}


def defined_twice(root: Path) -> dict[str, list[str]]:
    """Public functions and classes, and checks, that more than one module defines."""
    where: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (
                not node.name.startswith("_") or node.name.startswith("_check")
            ):
                where.setdefault(node.name, []).append(path.relative_to(root).as_posix())
    return {name: paths for name, paths in where.items() if len(paths) > 1}


def test_different_things_have_different_names() -> None:
    found = defined_twice(ROOT)
    assert {name: paths for name, paths in found.items() if name not in SHARED_NAMES} == {}
    assert SHARED_NAMES.keys() - found.keys() == set(), "excuses that nothing needs any more"


def test_a_second_definition_is_found(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("class Layout: ...\ndef _own(): ...\n", encoding="utf-8")
    assert defined_twice(tmp_path) == {"Layout": ["a.py", "b.py"]}
