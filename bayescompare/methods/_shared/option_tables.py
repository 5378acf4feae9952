"""A method's options as tables, read off its class and its docstring."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from bayescompare.outcome.method import Method


def priors_table(method: type[Method]) -> pd.DataFrame:
    """Tabulate the priors that ``priors={name: value}`` replaces."""
    import pandas as pd

    rows = [(p.name, ", ".join(p.dims), p.default, p.meaning) for p in method.parameters]
    return pd.DataFrame(rows, columns=["name", "dims", "default", "meaning"]).set_index("name")


def options_table(method: type[Method]) -> pd.DataFrame:
    """Tabulate what the method's class takes, with what it means.

    Examples
    --------
    >>> from bayescompare.methods import Friedman
    >>> options_table(Friedman)["default"].to_dict()
    {'alpha': '0.05'}
    """
    import pandas as pd

    _, meanings = read_docstring(inspect.getdoc(method) or "")
    # Fields that `pairwise` fills in are not options; the repr leaves them out.
    shown = [f for f in fields(method) if f.repr]
    rows = [(f.name, _option_table_default(f), meanings.get(f.name, "")) for f in shown]
    if not any(default == "required" for _, default, _ in rows):
        # None may stand for a default that is filled in later: an instance shows it.
        plain = method()
        rows = [(name, str(getattr(plain, name)), meaning) for name, _, meaning in rows]
    return pd.DataFrame(rows, columns=["option", "default", "meaning"]).set_index("option")


def _option_table_default(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return str(field.default)
    return "required" if field.default_factory is MISSING else str(field.default_factory())


def read_docstring(doc: str) -> tuple[str, dict[str, str]]:
    """Take the head of a numpydoc docstring, and the text of each of its parameters."""
    head, *_ = _option_table_sections(doc)
    return " ".join(head.split()), {name: text for name, (_, text) in read_parameters(doc).items()}


def read_parameters(doc: str) -> dict[str, tuple[str, str]]:
    r"""Take the type and the text of each parameter of a numpydoc docstring.

    Examples
    --------
    >>> read_parameters("Head.\n\nParameters\n----------\na, b : int\n    Two numbers.")
    {'a': ('int', 'Two numbers.'), 'b': ('int', 'Two numbers.')}
    """
    found: dict[str, tuple[str, str]] = {}
    for section in _option_table_sections(doc)[1:]:
        title, _, body = section.split("\n", 2)
        if title == "Parameters":
            for entry in re.split(r"\n(?=\S)", body):
                first, *lines = entry.split("\n")
                names, _, kind = first.partition(" : ")
                text = " ".join(line.strip() for line in lines).replace("``", "")
                for name in names.split(", "):
                    found[name] = (kind.strip(), text)
    return found


def _option_table_sections(doc: str) -> list[str]:
    return re.split(r"\n\n(?=\w[\w ]*\n-{3,}\n)", doc)
