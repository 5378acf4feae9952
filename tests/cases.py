"""Cases of one test: a few always, all of them in ``make test-all``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few_quick(cases: Iterable[Any], count: int, *, several: bool = False) -> list[Any]:
    """The same cases for `pytest.mark.parametrize`, those after the first `count` marked slow.

    With `several`, a case is a tuple of several arguments.
    """
    listed = list(cases)
    later = [c if several else (c,) for c in listed[count:]]
    return [*listed[:count], *(pytest.param(*c, marks=pytest.mark.slow) for c in later)]
