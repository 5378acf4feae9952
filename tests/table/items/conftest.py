"""The table of items that the tests of this folder share."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.table.items.made import make_items


@pytest.fixture(scope="package")
def frame() -> pd.DataFrame:
    return make_items()
