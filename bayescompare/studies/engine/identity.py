"""What makes two studies the same: names of objects that are equal in every process."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from bayescompare._errors import BayescompareError

__all__ = [
    "digest_of_study_part",
    "shorten_study_text",
    "study_function_source",
    "study_value_text",
]

#: Python prints objects without a text of their own by their address, which differs every time.
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


def digest_of_study_part(part: object) -> str:
    """Return a digest of anything that JSON can hold.

    Examples
    --------
    >>> digest_of_study_part({"a": 1})[:8]
    'f9d86028'
    """
    text = json.dumps(part, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def shorten_study_text(text: str) -> str:
    """Return a short text as it is, and the digest of a long one."""
    return text if len(text) <= 200 else f"sha256 {digest_of_study_part(text)}"


def study_value_text(value: object, what: str) -> str:
    """Return the text by which a value of the grid or a constant is known in a store.

    Examples
    --------
    >>> study_value_text(0.5, "effect"), study_value_text(min, "f")
    ('0.5', '<built-in function min>')
    """
    if inspect.isfunction(value) or isinstance(value, partial):
        return study_function_source(value)
    if isinstance(value, np.ndarray | np.generic):
        # numpy prints long arrays with gaps.
        return f"{value.dtype}{value.tolist()!r}" if value.ndim else repr(value.item())
    if isinstance(value, Mapping):
        inside = {str(k): study_value_text(v, what) for k, v in value.items()}
        return json.dumps(inside, sort_keys=True)
    if isinstance(value, list | tuple):
        return json.dumps([study_value_text(v, what) for v in value])
    text = repr(value)
    if _ADDRESS.search(text):
        raise BayescompareError(
            f"{what}={value!r}: a study must be able to tell its values apart in every process: "
            "use numbers, strings or objects whose repr tells what they are, such as dataclasses."
        )
    return text


def study_function_source(function: Callable[..., Any]) -> str:
    """Return the source of a function, with what it has bound; of a builtin its name.

    What the function calls in turn is not looked at: the version of the package stands for it.
    """
    if isinstance(function, partial):
        bound = [study_value_text(a, "case") for a in function.args]
        named = {k: study_value_text(v, k) for k, v in function.keywords.items()}
        return json.dumps([study_function_source(function.func), bound, named], sort_keys=True)
    place = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}"
    # A script calls its own functions __main__'s, and the worker that imports it does not.
    place = place.removeprefix("__main__.").removeprefix("__mp_main__.")
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        source = code.co_code.hex() + repr(code.co_names) if code is not None else ""
    cells = getattr(function, "__closure__", None) or ()
    bound = [study_value_text(cell.cell_contents, place) for cell in cells]
    return json.dumps([place, source, bound])
