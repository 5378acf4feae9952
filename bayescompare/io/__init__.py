"""Tables of results from files, from other tools and from the papers."""

from __future__ import annotations

from bayescompare.io.examples import Example, examples, load_example
from bayescompare.io.predictions import read_errors, read_predictions
from bayescompare.io.tables import read_results
from bayescompare.io.tools.helm import read_helm
from bayescompare.io.tools.lm_eval import read_lm_eval
from bayescompare.io.tools.lm_eval_samples import read_lm_eval_samples
from bayescompare.io.tools.mlflow import from_mlflow
from bayescompare.io.tools.openml import from_openml
from bayescompare.io.tools.sklearn import from_cross_validate, from_grid_search
from bayescompare.io.tools.weka import read_weka

__all__ = [
    "Example",
    "examples",
    "from_cross_validate",
    "from_grid_search",
    "from_mlflow",
    "from_openml",
    "load_example",
    "read_errors",
    "read_helm",
    "read_lm_eval",
    "read_lm_eval_samples",
    "read_predictions",
    "read_results",
    "read_weka",
]
