from .examples import Example as Example
from .examples import examples as examples
from .examples import load_example as load_example
from .predictions import read_errors as read_errors
from .predictions import read_predictions as read_predictions
from .reading import read as read
from .tables import read_results as read_results
from .tools.aeon import read_aeon as read_aeon
from .tools.amlb import read_amlb as read_amlb
from .tools.every_eval import read_every_eval as read_every_eval
from .tools.fev import from_fev as from_fev
from .tools.helm import read_helm as read_helm
from .tools.inspect_ai import read_inspect as read_inspect
from .tools.ioh import read_ioh as read_ioh
from .tools.lm_eval import read_lm_eval as read_lm_eval
from .tools.lm_eval_items import read_lm_eval_items as read_lm_eval_items
from .tools.lm_eval_samples import read_lm_eval_samples as read_lm_eval_samples
from .tools.mlflow import from_mlflow as from_mlflow
from .tools.mteb import read_mteb as read_mteb
from .tools.openml import from_openml as from_openml
from .tools.promptfoo import read_promptfoo as read_promptfoo
from .tools.sklearn import from_cross_validate as from_cross_validate
from .tools.sklearn import from_grid_search as from_grid_search
from .tools.tabarena import from_tabarena as from_tabarena
from .tools.weka import read_weka as read_weka

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
    "read_helm",
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
