from .readers.aeon import read_aeon as read_aeon
from .readers.amlb import read_amlb as read_amlb
from .readers.every_eval_ever import read_every_eval as read_every_eval
from .readers.formats import read as read
from .readers.helm import read_helm as read_helm
from .readers.hub import read_hub as read_hub
from .readers.inspect import read_inspect as read_inspect
from .readers.ioh import read_ioh as read_ioh
from .readers.leaderboards import from_fev as from_fev
from .readers.leaderboards import from_tabarena as from_tabarena
from .readers.lm_eval import read_lm_eval as read_lm_eval
from .readers.lm_eval import read_lm_eval_items as read_lm_eval_items
from .readers.lm_eval import read_lm_eval_samples as read_lm_eval_samples
from .readers.mteb import read_mteb as read_mteb
from .readers.promptfoo import read_promptfoo as read_promptfoo
from .readers.sklearn import from_cross_validate as from_cross_validate
from .readers.sklearn import from_grid_search as from_grid_search
from .readers.sklearn import read_grid_search as read_grid_search
from .readers.trackers import from_mlflow as from_mlflow
from .readers.trackers import from_openml as from_openml
from .readers.weka import read_weka as read_weka
from .table.examples import Example as Example
from .table.examples import examples as examples
from .table.examples import load_example as load_example
from .table.reading import read_errors as read_errors
from .table.reading import read_predictions as read_predictions
from .table.reading import read_results as read_results

__all__ = [
    "Example",
    "examples",
    "from_cross_validate",
    "from_fev",
    "from_grid_search",
    "from_mlflow",
    "from_openml",
    "from_tabarena",
    "load_example",
    "read",
    "read_aeon",
    "read_amlb",
    "read_errors",
    "read_every_eval",
    "read_grid_search",
    "read_helm",
    "read_hub",
    "read_inspect",
    "read_ioh",
    "read_lm_eval",
    "read_lm_eval_items",
    "read_lm_eval_samples",
    "read_mteb",
    "read_predictions",
    "read_promptfoo",
    "read_results",
    "read_weka",
]
