"""Model files that are faulty, late or odd: each fault is told with its file and line."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pymc as pm
import pytest

import bayescompare as bc
from bayescompare._errors import BayescompareError
from bayescompare.methods import ModelFile
from tests.methods.model_file.own import QUICK, WHOLE, multinomial, two

# Few draws have poor tails, and ArviZ says so.
pytestmark = pytest.mark.filterwarnings("ignore:Estimated shape parameter of Pareto")


def test_a_wrong_name_says_what_there_is(results: bc.Results) -> None:
    for method in ("nothing.py", "dirichlet_hyperpriors"):
        with pytest.raises(bc.BayescompareError, match=r"no such model|unknown"):
            bc.compare(results, method=method)
    with pytest.raises(bc.BayescompareError, match="takes no such argument"):
        bc.compare(
            results, method=bc.methods.ModelFile("dirichlet_hyperprior", priors={"beta": 1.0})
        )


def test_priors_reach_a_build_that_takes_any(results: bc.Results) -> None:
    """The protocol is written ``build(results, **priors)``, and so may be the function."""
    method = ModelFile(multinomial, priors={"concentration": pm.Gamma.dist(2, 1)})
    assert [rv.name for rv in method.model(results).free_RVs] == ["concentration", "theta"]


@pytest.mark.parametrize("priors", ["x", [1.0], 5])
def test_priors_that_are_no_mapping(results: bc.Results, priors: Any) -> None:
    with pytest.raises(bc.BayescompareError, match="priors"):
        ModelFile(multinomial, priors=priors).model(results)


@pytest.mark.parametrize("sampler", [{"draws": 0}, {"random_seed": 3}, "fast"])
def test_bad_options_of_the_sampler(results: bc.Results, sampler: Any) -> None:
    given = {**QUICK, **sampler} if isinstance(sampler, dict) else sampler
    word = next(iter(sampler)) if isinstance(sampler, dict) else "sampler"
    with pytest.raises(bc.BayescompareError, match=word):
        bc.compare(results, method=multinomial, rng=1, sampler=given)


def test_a_prior_is_described_as_it_was_written() -> None:
    """PyMC keeps a Gamma's scale, where the user gave its rate."""
    from bayescompare.methods._shared.priors import describe_prior

    assert describe_prior(pm.Gamma.dist(2.0, 0.1)) == "Gamma(2.0, 0.1)"
    assert describe_prior(pm.Exponential.dist(0.25)) == "Exponential(0.25)"


def test_what_a_model_file_says_does_not_reach_the_terminal(
    results: bc.Results, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def build(results):\n    raise RuntimeError('\\x1b]0;owned\\x07\\x1b[2J')\n")
    with pytest.raises(BayescompareError, match=r"build\(\) failed: RuntimeError") as caught:
        bc.compare(results, method=file)
    assert str(caught.value).isprintable()
    assert r"\x1b[2J" in str(caught.value)


def minimal(theta: str = '"statement"', seen: str = '("dataset", "statement")') -> str:
    changed = WHOLE.replace('dims="statement"', f"dims={theta}")
    changed = changed.replace('dims=("dataset", "statement")', f"dims={seen}")
    return changed.replace("results.datasets}", 'results.datasets, "k": [0, 1]}')


FAULTS: list[tuple[str, str]] = [
    ("x = 1\n", r"mine\.py: no function build"),
    ("build = 3\n", r"mine\.py: no function build"),
    ("import numpy\nimport not_there_at_all\n", r"mine\.py, line 2: cannot be loaded: .*not_there"),
    ("def build(results):\n    return (\n", r"mine\.py, line 2: '\(' was never closed"),
    ("x = 1\n1 / 0\n", r"mine\.py, line 2: cannot be loaded: .*division"),
    ("def build(results):\n    return 3\n", r"mine\.py: build\(\) returned a int, not a pm\.Model"),
    (
        "def build(results):\n    x = 1\n    return results.nothing\n",
        r"mine\.py, line 3: build\(\) failed: .*nothing",
    ),
    (
        "def half(x):\n    return x / 0\ndef build(results):\n    return half(1)\n",
        r"mine\.py, line 2: build\(\) failed: .*division",
    ),
    (minimal(seen='("k", "statement")'), r"mine\.py"),
    (minimal(seen="None"), r"mine\.py: the likelihood 'outcome' has dims \(\); it needs 'dataset'"),
    (minimal(theta="None"), r"mine\.py: 'theta' has dims none; it needs \('statement',\)"),
    (minimal() + "QUANTITY = 'phi'\n", r"mine\.py: the model has none of phi.*it has theta"),
    (minimal() + "QUANTITY = 3\n", r"mine\.py: QUANTITY=3 must be a variable's name"),
    (minimal() + "probability = 3\n", r"mine\.py: probability must be a function"),
    (
        minimal().replace("observed=seen", "observed=None"),
        r"mine\.py: the model has no observed",
    ),
    (
        minimal().replace('pm.Dirichlet("theta"', 'pm.Dirichlet("phi"'),
        r"mine\.py: the model has none of theta, better, strength",
    ),
    (
        # Data are not in the posterior.
        minimal().replace(
            'pm.Dirichlet("theta"', 'pm.Data("theta", [1.0]); theta = pm.Dirichlet("phi"'
        ),
        r"mine\.py: the model has none of theta",
    ),
    (
        minimal().replace("results.datasets,", "results.datasets[:5],"),
        r"mine\.py: the coords of 'dataset' are 5",
    ),
    # What shows when it is sampled.
    (minimal().replace("[1.0] *", "[-1.0] *"), r"mine\.py"),
]


@pytest.mark.parametrize(("code", "words"), FAULTS)
def test_a_faulty_model_file_is_told_with_file_and_line(tmp_path, monkeypatch, code, words):
    """By a path that is relative, as it is mostly typed."""
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(bc.BayescompareError, match=words):
        bc.compare(two(), method="mine.py")


def test_a_whole_model_file_is_taken_by_path_name_and_function(tmp_path, monkeypatch):
    path = tmp_path / "mine.py"
    path.write_text(minimal())
    assert ModelFile(path).model(two()).named_vars_to_dims["theta"] == ("statement",)
    monkeypatch.chdir(tmp_path)
    assert ModelFile("mine.py").code.name == "mine"
    assert ModelFile(ModelFile(path).code.build).code.name == "build"
    with pytest.raises(
        bc.BayescompareError, match=r"no such model; .*Did you mean 'plackett_luce'"
    ):
        ModelFile("placket_luce")
    with pytest.raises(bc.BayescompareError, match=r"absent\.py: no such model file"):
        ModelFile(Path("absent.py"))


def test_functions_of_a_file_are_taken_by_name() -> None:
    factor = ModelFile("spike_and_slab").function("bayes_factor")
    assert factor.__name__ == "bayes_factor"
    words = r"spike_and_slab\.py: no function 'bayes_fctor' in it; .*Did you mean 'bayes_factor'"
    with pytest.raises(bc.BayescompareError, match=words):
        ModelFile("spike_and_slab").function("bayes_fctor")
    # What a file imports is not its own.
    with pytest.raises(bc.BayescompareError, match="no function 'prior'"):
        ModelFile("spike_and_slab").function("prior")


# what a file declares -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("QUANTITY", [3], r"QUANTITY=3 must be a variable's name"),
        ("REPLICATES", ["yes"], "REPLICATES='yes' must be True, False or 'optional'"),
        ("DATA_SCALE", [True], "DATA_SCALE=True must be a word, such as 'statements'"),
        ("probability", [3], "probability must be a function of the posterior"),
        ("log_likelihood", ["x"], "log_likelihood must be a function of the posterior and"),
        ("table", [{}], "table must be a function of what the model predicts"),
        (
            "SAMPLER",
            [0.95, "careful", {1: 0.95}, ["target_accept"]],
            r"SAMPLER=.*must map options of pymc\.sample",
        ),
    ],
)
def test_what_is_declared_wrongly_is_told(name: str, values: list[Any], words: str) -> None:
    for value in values:

        def build(results: bc.Results) -> pm.Model:
            raise NotImplementedError

        setattr(build, name, value)
        for source in (build, functools.partial(build)):
            with pytest.raises(bc.BayescompareError, match=words):
                ModelFile(source)


class AskedError(Exception):
    """Instead of sampling."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    seen: list[dict[str, Any]] = []

    def sample(*args: Any, **options: Any) -> None:
        seen.append(options)
        raise AskedError

    monkeypatch.setattr(pm, "sample", sample)
    return seen


def careful(results: bc.Results) -> pm.Model:
    return multinomial(results)


careful.SAMPLER = {"target_accept": 0.93, "tune": 700}  # type: ignore[attr-defined]


def test_what_the_file_says_holds_where_the_user_says_nothing(
    results: bc.Results, asked: list[dict[str, Any]]
) -> None:
    with pytest.raises(bc.BayescompareError, match="AskedError"):
        bc.compare(results, method=careful, rng=1, sampler={"tune": 300})
    assert (asked[0]["target_accept"], asked[0]["tune"]) == (0.93, 300)


# what describe tabulates --------------------------------------------------------------------------


FILE = '''"""A model.

Parameters
----------
nu : prior
    As the file has it.
tau : prior over algorithm, measure
    As the file
    has it.
"""
import pymc as pm

def build(results, *, tau, nu=pm.Gamma.dist(2.0, 0.1), folds=None):
    """Build it.

    Parameters
    ----------
    nu : float
        As the function has it, which is ``nearer``.
    """
'''


def test_a_file_is_described_by_its_docstrings(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    for source in (str(path), path, ModelFile(path)):
        found = bc.methods.describe(source)  # type: ignore[arg-type]
        assert found.to_dict("index") == {
            "tau": {
                "dims": "algorithm, measure",
                "default": "required",
                "meaning": "As the file has it.",
            },
            "nu": {
                "dims": "",
                "default": "Gamma(2.0, 0.1)",
                "meaning": "As the function has it, which is nearer.",
            },
            "folds": {"dims": "", "default": "", "meaning": ""},
        }


def test_a_function_is_described_like_a_file() -> None:
    """`compare` takes it, so that its priors can be asked for too."""

    def build(results: bc.Results, *, strength: float = 2.0) -> pm.Model:
        """Build it.

        Parameters
        ----------
        strength : prior over statement
            Weight in datasets.
        """
        raise NotImplementedError

    found = bc.methods.describe(build)  # type: ignore[arg-type]
    assert found.loc["strength"].tolist() == ["statement", "2", "Weight in datasets."]
