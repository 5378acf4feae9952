"""Tables of results from files and from the papers."""

from __future__ import annotations

from bayescompare.io.examples import Example, examples, load_example
from bayescompare.io.predictions import read_errors, read_predictions
from bayescompare.io.tables import read_results

__all__ = ["Example", "examples", "load_example", "read_errors", "read_predictions", "read_results"]
