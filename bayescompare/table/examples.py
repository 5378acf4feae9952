"""The tables of the papers, bundled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.table.measure import Direction, Measure

if TYPE_CHECKING:
    from bayescompare.table.results import Results


_JANSEN = (
    "Jansen, C., Nalenz, M., Schollmeyer, G., & Augustin, T. (2022). Statistical Comparisons of "
    "Classifiers by Generalized Stochastic Dominance. arXiv:2209.01857"
)
_LACOSTE = (
    "Lacoste, A., Laviolette, F., & Marchand, M. (2012). Bayesian Comparison of Machine Learning "
    "Algorithms on Single and Multiple Datasets. Proceedings of Machine Learning Research 22 "
    "(AISTATS), 665-675"
)
_BENAVOLI = (
    "Benavoli, A., & de Campos, C. P. (2015). Statistical Tests for Joint Analysis of Performance "
    "Measures. In J. Suzuki & M. Ueno (Eds.), Advanced Methodologies for Bayesian Networks (LNCS "
    "9505, pp. 76-92). Springer. doi:10.1007/978-3-319-28379-1_6"
)


@dataclass(frozen=True)
class Example:
    """A bundled table: its name, its file and the paper it comes from.

    Parameters
    ----------
    name : str
        Its name, as `load_example` takes it.
    file : str
        Its file in the package's ``data`` folder.
    measures : mapping of str to {"max", "min"} or Measure
        As in `read_results`.
    source : str
        The full citation.
    description : str
        One line about the table.
    pair : tuple of (str, str), optional
        For counts of errors: the first and the second algorithm, whose errors are in the columns
        ``<name>_only``, and the sizes of the test sets in ``n``. The one measure is "error".
    """

    name: str
    file: str
    measures: Mapping[str, Direction | Measure]
    source: str
    description: str
    pair: tuple[str, str] | None = None


_EXAMPLES = (
    Example(
        name="jansen-uci",
        file="jansen_uci.csv",
        measures={
            "auc": Measure("max", bounds=(0, 1)),
            "accuracy": Measure("max", bounds=(0, 1)),
            "brier": Measure("min", bounds=(0, 1)),
        },
        source=f"{_JANSEN}, Tables 4-6.",
        description="8 classifiers on 16 UCI datasets: AUC, accuracy and Brier score.",
    ),
    Example(
        name="benavoli-example1",
        file="benavoli_example1.csv",
        measures={"accuracy": Measure("max"), "time": Measure("min", unit="s")},
        source=f"{_BENAVOLI}, Example 1.",
        description="2 made-up algorithms on 12 datasets: accuracy in percent, time in seconds.",
    ),
    Example(
        name="pnn",
        file="pnn_table1.csv",
        # One caption of this table says that higher is better for both; the paper's text and the
        # work it quotes minimise complexity.
        measures={"accuracy": Measure("max"), "complexity": Measure("min")},
        source=f"{_BENAVOLI}, Table 1.",
        description="2 ways to learn polynomial neural networks on 4 datasets.",
    ),
    Example(
        name="lacoste-svm-parzen",
        file="lacoste_svm_parzen.csv",
        measures={"error": Measure("min", bounds=(0, 1))},
        # The printed columns are these counts plus 10, whatever the table's head says, and the
        # third is 20 too large: the sizes of the test sets, which the paper padded to multiples of
        # 8, are their sum less 40. How many examples both got wrong is not printed.
        source=f"{_LACOSTE}, Table 5, less 10.",
        description="Paired errors of 2 classifiers on 22 datasets: how often each alone erred.",
        pair=("svm", "parzen"),
    ),
)


def examples() -> tuple[Example, ...]:
    """Return every bundled example.

    Examples
    --------
    >>> [example.name for example in examples()]
    ['jansen-uci', 'benavoli-example1', 'pnn', 'lacoste-svm-parzen']
    """
    return _EXAMPLES


def load_example(name: str) -> Results:
    """Read a bundled example.

    Parameters
    ----------
    name : str
        One of the names in `examples`.

    Examples
    --------
    >>> load_example("pnn")
    Results: 4 datasets, 2 algorithms, 2 measures
      datasets    IRIS, WINE, PIMA, BUPA
      algorithms  New, State of art
      replicates  none
      measure     direction  rope  scale   bounds  unit  observed
      accuracy    max        none  metric  none    none  65.3 to 98.3
      complexity  min        none  metric  none    none  23.4 to 50
      missing     0 of 16 cells
      source      Benavoli, A., & de Campos, C. P. (2015). ...
    """
    from bayescompare.table.reading import read_errors, read_results

    known = {example.name: example for example in _EXAMPLES}
    if str(name) not in known:
        raise BayescompareError(
            f"no example called {name!r}: choose from {', '.join(known)}."
            f"{did_you_mean(str(name), known)}"
        )
    example = known[name]
    with as_file(files("bayescompare").joinpath("data", example.file)) as path:
        if example.pair is None:
            results = read_results(path, measures=example.measures)
        else:
            first, second = (f"{name}_only" for name in example.pair)
            results = read_errors(
                path, first_wrong=first, second_wrong=second, n="n", algorithms=example.pair
            )
    return replace(results, source=example.source)
