from . import comparisons as comparisons
from . import comparisons_gsd as comparisons_gsd
from . import io as io
from . import methods as methods
from . import modelling as modelling
from . import plots as plots
from . import report as report
from . import studies as studies
from ._compare import compare as compare
from ._compare_models import compare_models as compare_models
from ._errors import BayescompareError as BayescompareError
from ._pairwise import pairwise as pairwise
from ._rank import gate as gate
from ._rank import rank as rank
from ._version import __version__ as __version__
from .methods.context.probabilities import context_probability as context_probability
from .methods.context.probabilities import first_better as first_better
from .methods.context.probabilities import risks as risks
from .outcome.comparison import Comparison as Comparison
from .outcome.pairwise import Pairwise as Pairwise
from .outcome.saved import load_comparison as load_comparison
from .outcome.saved import load_pairwise as load_pairwise
from .ranking.gate import Gate as Gate
from .ranking.ranking import Ranking as Ranking
from .ranking.ranking import load_ranking as load_ranking
from .readers.formats import read as read
from .readers.look import Look as Look
from .readers.look import look as look
from .table.counts import ErrorCounts as ErrorCounts
from .table.examples import load_example as load_example
from .table.measure import Measure as Measure
from .table.reading import read_errors as read_errors
from .table.reading import read_predictions as read_predictions
from .table.reading import read_results as read_results
from .table.results import Results as Results

__all__ = [
    "BayescompareError",
    "Comparison",
    "ErrorCounts",
    "Gate",
    "Look",
    "Measure",
    "Pairwise",
    "Ranking",
    "Results",
    "__version__",
    "compare",
    "compare_models",
    "comparisons",
    "comparisons_gsd",
    "context_probability",
    "first_better",
    "gate",
    "io",
    "load_comparison",
    "load_example",
    "load_pairwise",
    "load_ranking",
    "look",
    "methods",
    "modelling",
    "pairwise",
    "plots",
    "rank",
    "read",
    "read_errors",
    "read_predictions",
    "read_results",
    "report",
    "risks",
    "studies",
]
