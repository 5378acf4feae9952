"""The priors of a model file as a table, read off its signature and its docstring."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from bayescompare.methods._shared.option_tables import read_shared_parameters
from bayescompare.methods._shared.priors import describe_prior
from bayescompare.methods.model_file.source import Source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["describe_model_file"]

#: The type of a parameter, as in "sigma : prior over algorithm, measure".
_OVER = re.compile(r"\bover (\w+(?:, \w+)*)")


def describe_model_file(source: Source) -> pd.DataFrame:
    """Tabulate what the build function takes: dims, default and meaning by name.

    The "Parameters" of the build function's docstring, or else of the file's, give the meanings,
    and the dims where the type has them: ``sigma : prior over measure``.

    Examples
    --------
    >>> from bayescompare.methods.model_file.source import find_source
    >>> def build(results, *, sigma=1.0):
    ...     '''Build it.
    ...
    ...     Parameters
    ...     ----------
    ...     sigma : prior over measure
    ...         Scale of the strengths.
    ...     '''
    >>> describe_model_file(find_source(build)).loc["sigma"].to_dict()
    {'dims': 'measure', 'default': '1', 'meaning': 'Scale of the strengths.'}
    """
    import pandas as pd

    documented = read_shared_parameters(inspect.cleandoc(source.doc))
    documented |= read_shared_parameters(inspect.getdoc(source.build) or "")
    required = source.required()
    rows = []
    for name, default in source.parameters().items():
        kind, meaning = documented.get(name, ("", ""))
        over = _OVER.search(kind)
        shown = "required" if name in required else _model_file_prior_default(default)
        rows.append((name, over[1] if over else "", shown, meaning))
    return pd.DataFrame(rows, columns=["name", "dims", "default", "meaning"]).set_index("name")


def _model_file_prior_default(value: Any) -> str:
    return "" if value is None else describe_prior(value)
