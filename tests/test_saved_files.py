"""Files that an earlier version wrote are read, and still say what they said when they were saved.

How the files and ``expected.json`` were made is told in tests/data/saved/README.md; none of them is
ever written again. Words may change, figures may not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayescompare as bc
from bayescompare import BayescompareError
from bayescompare.learned import Learned
from bayescompare.methods import GSD, Dirichlet, GSDBootstrap, Network, PoissonBinomial

SAVED = Path(__file__).parent / "data" / "saved"
EXAMPLE, UCI, ERRORS = "benavoli-example1", "jansen-uci", "lacoste-svm-parzen"
THREE = ["GBM", "CART", "RF"]
#: One chain, so that no process is started for it.
FEW = {"draws": 50, "tune": 200, "chains": 1, "cores": 1, "progressbar": False}


def ask(example: str, method: Any, **options: Any) -> bc.Comparison:
    return bc.compare(bc.load_example(example), method=method, rng=7, **options)


def folds() -> bc.Results:
    rng = np.random.default_rng(0)
    rows = [(d, a, k, rng.random()) for d in "abcd" for a in "AB" for k in range(5)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "auc"])
    return bc.Results.from_frame(frame, replicate="fold", measures={"auc": "max"})


def pairs() -> bc.Pairwise:
    return bc.pairwise(bc.load_example(UCI), algorithms=THREE, rng=7)


def network(**options: Any) -> bc.Comparison:
    return ask(UCI, Network(**options), algorithms=THREE[:2])


def with_a_prior_of_strength() -> bc.Comparison:
    import pymc as pm

    prior = pm.Gamma.dist(2.0, 1.0)
    return ask(EXAMPLE, Dirichlet(priors={"strength": prior}), sampler=FEW)


#: File name → the question that its comparison answered.
QUESTIONS: dict[str, Callable[[], bc.Comparison]] = {
    "glrt": lambda: ask(EXAMPLE, "glrt"),
    "dirichlet": lambda: ask(EXAMPLE, "dirichlet"),
    "dirichlet-imprecise": lambda: ask(EXAMPLE, Dirichlet(prior="imprecise", strength=2.0)),
    "dirichlet-mapping": lambda: ask(EXAMPLE, Dirichlet(prior={"A>B|B>A": 0.5, "*": 0.25})),
    "dirichlet-alpha": lambda: ask(EXAMPLE, Dirichlet(priors={"alpha": 0.5})),
    "dirichlet-four": lambda: ask(UCI, "dirichlet", algorithms=[*THREE, "EN"]),
    "dirichlet-learned": lambda: pairs()["GBM", "RF"],
    "network": network,
    "network-average": lambda: network(average=True),
    "network-on": lambda: network(search=[["auc", "brier"]]).on(["auc", "brier"]),
    "network-on-one": lambda: network().on(["brier"]),
    "network-summed": lambda: network(search=[["brier", "auc"], ["brier", "accuracy"]]).on(
        ["auc", "accuracy"]
    ),
    "poisson-binomial": lambda: ask(ERRORS, "poisson-binomial"),
    "poisson-binomial-joint": lambda: ask(ERRORS, PoissonBinomial(joint=True)),
    "hierarchical": lambda: ask(ERRORS, "hierarchical"),
    "replicated": lambda: bc.compare(folds(), method="replicated", rng=7),
    "correlated-t": lambda: bc.compare(folds(), method="correlated-t", rng=7),
    "gsd": lambda: ask(EXAMPLE, GSD()),
    "gsd-order": lambda: ask(UCI, "gsd", algorithms=THREE),
    "gsd-bootstrap": lambda: ask(EXAMPLE, GSDBootstrap()),
    "sign": lambda: ask(EXAMPLE, "sign", measures=["accuracy"]),
    "signed-rank": lambda: ask(EXAMPLE, "signed-rank", measures=["accuracy"]),
    "wilcoxon": lambda: ask(EXAMPLE, "wilcoxon", measures=["accuracy"]),
    "friedman": lambda: ask(UCI, "friedman", measures=["auc"], algorithms=THREE),
    "all-test": lambda: ask(EXAMPLE, bc.methods.AllTest(test="wilcoxon")),
    "one-test": lambda: ask(EXAMPLE, bc.methods.OneTest(test="wilcoxon")),
    "model": lambda: ask(UCI, "plackett_luce", algorithms=THREE, measures=["auc"], sampler=FEW),
    "strength-prior": with_a_prior_of_strength,
}
#: Asked by NUTS: slow, and not the same to the last digit on another machine.
SAMPLED = ("model", "strength-prior")
#: Computed by Monte Carlo then, exactly now.
EXACT_NOW = ("network", "network-average")
#: Of another model since: deviations of replicates were taken as known then, and no longer are.
CHANGED = ("replicated",)
#: Pairs teach each other in another way since (SPEC 8).
RELEARNED = ("dirichlet-learned",)
#: What a figure promises on another machine, whose exp, log and sums differ in their last digits.
TEN_DIGITS = 1e-10
FILES = [f"{name}.{kind}" for name in QUESTIONS for kind in ("json", "nc")]

#: Verdicts that rest on more since: under an imprecise prior on the lower bound.
REVISED = {"dirichlet-imprecise": {"verdict": "open"}}
#: Read from a file without parts, and the network that it was summed from is gone.
NO_PARTS = ("network-summed",)
#: What a document says of its decisions, in schema version 1 and since.
DECIDED = ("verdict", "decision", "decided", "caveats")

#: Properties that hold no figures, or the same ones as others: a network's are in its edges.
NO_FIGURES = {"attrs", "decision", "network", "tables", "tree", "witness"}


def plain(value: Any) -> Any:
    """Tables and arrays as what JSON has, without a loss."""
    if isinstance(value, pd.DataFrame):
        return {"index": list(value.index)} | {str(k): plain(value[k].array) for k in value}
    if isinstance(value, pd.Series):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, xr.DataArray):
        coords = {str(d): value[d].values.tolist() for d in value.dims}
        return {**coords, "values": plain(value.values)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray | pd.api.extensions.ExtensionArray):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def figures(c: bc.Comparison) -> dict[str, Any]:
    """Everything a comparison says in figures: its table, its verdict and all its properties."""
    own = {}
    for name in sorted(set(dir(c)) - NO_FIGURES):
        # What a version did not save is refused.
        with suppress(BayescompareError):
            if not (name.startswith("_") or callable(value := getattr(c, name))):
                own[name] = plain(value)
    return own | {
        "method": c.method.name,
        "options": json.loads(c.to_json())["method"]["options"],
        "verdict": c.decision.verdict,
        "level": c.decision.level,
        "summary": plain(c.summary()),
    }


def check_same(seen: Any, expected: Any, rel: float, where: str) -> None:
    """What was there is still there; more may have come, as a property of a class.

    The ends of an interval were once solved to 1e-10 and no more: they are shares, some of 1e-20.
    """
    if isinstance(expected, dict):
        # Classes of comparisons are one since.
        assert expected.keys() - {"type"} <= seen.keys(), where
        for key, value in expected.items():
            if key == "type":
                continue
            check_same(seen[key], value, rel, f"{where}: {key}")
    elif isinstance(expected, list):
        assert len(seen) == len(expected), where
        for k, (mine, value) in enumerate(zip(seen, expected, strict=True)):
            check_same(mine, value, rel, f"{where}: {k}")
    elif isinstance(expected, float):
        least = 2e-10 if "theta_lower" in where or "theta_upper" in where else 0.0
        # What is left of one: its digits are those of the sum.
        least = 1e-15 if where.endswith("unobserved") else least
        near = math.isclose(seen, expected, rel_tol=rel, abs_tol=least)
        assert near or (seen != seen and expected != expected), f"{where}: {seen} was {expected}"
    else:
        assert seen == expected, where


@cache
def expected() -> dict[str, dict[str, Any]]:
    document: dict[str, dict[str, Any]] = json.loads((SAVED / "expected.json").read_text("utf-8"))
    return document


def expected_of(name: str) -> dict[str, Any]:
    # A limit on parents that was not given is "auto" since.
    own = expected()[name] | REVISED.get(name, {})
    if own.get("options", {}).get("max_parents", 0) is None:
        own["options"] = own["options"] | {"max_parents": "auto"}
    return own


@cache
def loaded(file: str) -> bc.Comparison:
    """Two tests look at each file."""
    return bc.load_comparison(SAVED / file)


def without_words(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    # Effect sizes came later, and are computed from the table; decisions are made again with the
    # parts of statements (schema version 2).
    new = ("explanation", "bayescompare_version", "schema_version", "effects", *DECIDED)
    return {k: v for k, v in document.items() if k not in new}


def test_every_method_has_a_file() -> None:
    assert {expected_of(name)["method"] for name in QUESTIONS} == {*bc.methods.names(), "model"}
    assert {p.name for p in SAVED.iterdir() if p.stem in QUESTIONS} == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_saved_comparison_has_the_figures_it_had(file: str) -> None:
    was = expected_of(Path(file).stem)
    if Path(file).stem in NO_PARTS:
        was = was | {"verdict": "likely"}
    check_same(figures(loaded(file)), was, 1e-12, file)


@pytest.mark.parametrize("file", FILES)
def test_a_saved_comparison_is_written_as_it_was(file: str) -> None:
    """The file in JSON is the document, of the netCDF file too; new options have their default."""
    was = without_words((SAVED / file).with_suffix(".json").read_text(encoding="utf-8"))
    c = loaded(file)
    now = without_words(c.to_json())
    defaults = {f.name: f.default for f in fields(c.method)}
    for name in set(now["method"]["options"]) - set(was["method"]["options"]):
        assert now["method"]["options"].pop(name) == plain(defaults[name])
    # A limit on parents that was not given is "auto" since.
    if was["method"]["options"].get("max_parents", 0) is None:
        was["method"]["options"]["max_parents"] = "auto"
    assert now == was


@pytest.mark.parametrize(
    "name", [q for q in QUESTIONS if q not in (*SAMPLED, *EXACT_NOW, *CHANGED, *RELEARNED)]
)
def test_asking_again_gives_the_figures_that_were_saved(name: str) -> None:
    check_same(figures(QUESTIONS[name]()), expected_of(name), TEN_DIGITS, name)


@pytest.mark.parametrize("name", EXACT_NOW)
def test_what_was_drawn_is_within_its_error_of_what_is_exact(name: str) -> None:
    was, c = expected_of(name), QUESTIONS[name]()
    assert not was["exact"]
    assert c.exact
    kept = ("best", "edges", "log_evidence", "score", "options", "verdict")
    check_same(
        {k: v for k, v in figures(c).items() if k in kept},
        {k: was[k] for k in kept},
        TEN_DIGITS,
        name,
    )
    gap = np.abs(c.probability.values - np.array(was["probability"]["values"]))
    np.testing.assert_array_less(gap, 4 * np.array(was["mcse"]["values"]))


@pytest.mark.parametrize("name", CHANGED)
def test_another_model_gives_other_figures_to_the_same_question(name: str) -> None:
    was, now = expected_of(name), figures(QUESTIONS[name]())
    same = ("best", "exact", "method", "options", "verdict")
    check_same({k: now[k] for k in same}, {k: was[k] for k in same}, TEN_DIGITS, name)
    # Less is known of a dataset whose deviation is uncertain, too.
    before, after = (np.array(of["evidence"]["values"]) for of in (was, now))
    assert after.shape == before.shape
    assert (after.max(axis=1) < before.max(axis=1)).mean() >= 0.5
    gap = np.array(now["probability"]["values"]) - np.array(was["probability"]["values"])
    assert 0.0 < np.abs(gap).max() < 0.1


@pytest.mark.parametrize("name", SAMPLED)
def test_a_sampled_posterior_comes_back_from_netcdf(name: str) -> None:
    tree = bc.load_comparison(SAVED / f"{name}.nc").tree
    assert dict(tree["posterior"].sizes)["draw"] == FEW["draws"]
    assert "sample_stats" in tree.children


def test_saved_results_are_the_example() -> None:
    with xr.open_dataset(SAVED / "results.nc", engine="h5netcdf") as opened:
        assert bc.Results.from_dataset(opened.load()) == bc.load_example(EXAMPLE)
    # The example has its numbers of test examples since (issue 36.4).
    with xr.open_dataset(SAVED / "error-counts.nc", engine="h5netcdf") as opened:
        saved = bc.ErrorCounts.from_dataset(opened.load())
    now = bc.load_example(ERRORS)
    assert saved.datasets == now.datasets
    xr.testing.assert_equal(saved.counts["wrong_only"], now.counts["wrong_only"])


def test_the_comparisons_in_a_saved_pairwise_document_can_be_loaded(tmp_path: Path) -> None:
    """No door reads the document whole; each of its comparisons is one that `to_json` wrote."""
    document = json.loads((SAVED / "pairwise.json").read_text(encoding="utf-8"))
    assert len(document["comparisons"]) == 3
    kept = expected_of("pairwise")
    for k, one in enumerate(document["comparisons"]):
        path = tmp_path / f"{k}.json"
        path.write_text(json.dumps(one), encoding="utf-8")
        c = bc.load_comparison(path)
        check_same(figures(c), kept[", ".join(c.results.algorithms)], 1e-12, c.best)


def test_pairs_that_are_asked_again_learn_by_the_rule_of_today() -> None:
    """The file keeps the prior of 0.1.0 and its figures; asking again has those of SPEC 8."""
    was = json.loads((SAVED / "pairwise.json").read_text(encoding="utf-8"))
    now = pairs()
    assert len(was["learned"]["weights"]) == len(was["learned"]["values"]) == 16
    assert isinstance(now.learned, Learned)
    before = pd.DataFrame(was["decided"]).set_index(["first", "second"])
    after = now.decide().set_index(["first", "second"]).reindex(before.index)
    assert before["statement"].tolist() == after["statement"].tolist()
    np.testing.assert_allclose(after["alone"], before["alone"], atol=1e-10)
    assert (np.abs(after["probability"] - before["probability"]) > 1e-6).any()
