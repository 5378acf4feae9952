"""Public names stay: what is in tests/data/public_names.json is still there and is called alike.

Names may come, and parameters that have a default; nothing that is there may go. After adding to
the public names, ``python tests/test_public_names.py`` writes the snapshot again; look at what it
changes, for a line that goes is a name that users lose.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SNAPSHOT = Path(__file__).parent / "data" / "public_names.json"
SUBMODULES = ("methods", "io", "plots", "studies", "report", "modelling")
COMPARISONS = ("comparisons", "comparisons_gsd")
MODULES = ("bayescompare", *(f"bayescompare.{name}" for name in (*SUBMODULES, *COMPARISONS)))

#: Puts a comparison together inside the package; the reference does not name it.
INSIDE = {"bayescompare.comparisons.comparison_of"}

#: Name, kind, and the default as it is written; no third entry where there is none.
Parameter = list[str]
#: Parameters of what can be called, None of what cannot; members of a class by name.
Entry = Any


def parameters_of(value: object) -> list[Parameter] | None:
    if not callable(value):
        return None
    try:
        signature = inspect.signature(value)
    except ValueError:  # some of Python's own have none
        return None
    return [_parameter(p) for p in signature.parameters.values()]


def _parameter(p: inspect.Parameter) -> Parameter:
    if p.default is p.empty:
        return [p.name, p.kind.name]
    literal = p.default is None or isinstance(p.default, str | int | float | tuple)
    return [p.name, p.kind.name, repr(p.default) if literal else "..."]


def entry_of(module: str, value: object) -> Entry:
    """What is promised of one name; of a method only how it is made, for the rest is inside."""
    if isinstance(value, type) and issubclass(value, Exception):
        return {}
    if isinstance(value, type):
        members = {} if module == "bayescompare.methods" else members_of(value)
        return {"(call)": parameters_of(value), **members}
    return parameters_of(value)


def members_of(cls: type) -> dict[str, Entry]:
    public = [name for name in dir(cls) if not name.startswith("_")]
    members = {name: parameters_of(getattr(cls, name)) for name in public}
    if is_dataclass(cls):
        members.update({f.name: None for f in fields(cls) if not f.name.startswith("_")})
    return dict(sorted(members.items()))


@cache
def public_names() -> dict[str, Entry]:
    # Of a module that is gone only its own names are missing.
    there = [module for module in MODULES if importlib.util.find_spec(module) is not None]
    owners = {module: importlib.import_module(module) for module in there}
    everything = {
        f"{module}.{name}": entry_of(module, getattr(owner, name))
        for module, owner in owners.items()
        for name in sorted(owner.__all__)
    }
    return {name: entry for name, entry in everything.items() if name not in INSIDE}


def lost(was: list[Parameter] | None, now: list[Parameter] | None) -> list[str]:
    """Why a call that worked may not work now; nothing if every one still does."""
    if was is None:
        return []
    if now is None:
        return ["it cannot be called"]
    named = {p[0]: p for p in now}
    wrong = [f"{p[0]}: was {p}, is {named.get(p[0])}" for p in was if not _kept(p, named)]
    by_position = [[p[0] for p in given if "POSITIONAL" in p[1]] for given in (was, now)]
    if by_position[1][: len(by_position[0])] != by_position[0]:
        wrong.append(f"by position there were {by_position[0]}, there are {by_position[1]}")
    old = {p[0] for p in was}
    needed = [p[0] for p in now if p[0] not in old and len(p) == 2 and not p[1].startswith("VAR")]
    return wrong + [f"{name} is new and has no default" for name in needed]


def _kept(was: Parameter, named: dict[str, Parameter]) -> bool:
    now = named.get(was[0])
    if now is None or now[1] != was[1]:
        return False
    return len(was) == 2 or now[2:] == was[2:]


def missing_of(name: str, was: Entry, now: Entry) -> list[str]:
    if not isinstance(was, dict):
        return [f"{name}: {why}" for why in lost(was, now)]
    gone = [f"{name}.{member} is gone" for member in was if member not in now]
    return gone + [
        f"{name}.{member}: {why}"
        for member, entry in was.items()
        if member in now
        for why in lost(entry, now[member])
    ]


def saved_names() -> dict[str, Entry]:
    document: dict[str, Entry] = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("module", MODULES)
def test_no_public_name_is_gone(module: str) -> None:
    was = {name for name in saved_names() if name.rpartition(".")[0] == module}
    assert was
    assert was - set(public_names()) == set()


@pytest.mark.parametrize("name", saved_names())
def test_a_public_name_has_what_it_had(name: str) -> None:
    assert name in public_names()
    assert missing_of(name, saved_names()[name], public_names()[name]) == []


def as_text(entry: Entry, indent: int = 0) -> str:
    """JSON with a line for each name and each member, so that a change is seen in a diff."""
    if not isinstance(entry, dict) or not entry:
        return json.dumps(entry)
    space = " " * (indent + 1)
    rows = [f"{space}{json.dumps(k)}: {as_text(v, indent + 1)}" for k, v in entry.items()]
    return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"


if __name__ == "__main__":
    SNAPSHOT.write_text(as_text(public_names()) + "\n", encoding="utf-8")
