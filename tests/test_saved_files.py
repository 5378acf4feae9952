"""Files that an earlier version wrote are read, and still say what they said when they were saved.

How the files and ``expected.json`` were made is told in tests/data/saved/README.md; none of them is
ever written again. Words may change, figures may not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
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

SAVED = Path(__file__).parent / "data" / "saved"
EXAMPLE, ERRORS = "benavoli-example1", "lacoste-svm-parzen"
#: Of the draws of those that were sampled.
DRAWS = 50
NAMES = sorted({path.stem for path in SAVED.glob("*.nc")} - {"results", "error-counts"})
FILES = [f"{name}.{kind}" for name in NAMES for kind in ("json", "nc")]

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
    assert {expected_of(name)["method"] for name in NAMES} == {*bc.methods.names(), "model"}
    assert {p.name for p in SAVED.iterdir() if p.stem in NAMES} == set(FILES)


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


#: Sampled, or summed out of a network of more measures than the file holds.
NOT_AGAIN = ("model", "strength-prior", "network-on", "network-on-one", "network-summed")
#: Computed by Monte Carlo then, exactly now: within their errors, with the same verdict.
EXACT_NOW = ("network", "network-average")
#: Other models since: deviations of replicates are uncertain, and pairs teach by SPEC 8.
CHANGED = ("replicated", "dirichlet-learned")


@pytest.mark.parametrize("name", sorted({*NAMES} - {*NOT_AGAIN}))
def test_asking_again_gives_the_figures_that_were_saved(name: str) -> None:
    was, c = expected_of(name), loaded(f"{name}.json")
    if name == "dirichlet-learned":
        now = bc.pairwise(bc.load_example("jansen-uci"), algorithms=["GBM", "CART", "RF"], n_jobs=1)
        again = now[c.results.algorithms]
    else:
        again = bc.compare(c.results, method=c.method, rng=7)
    if name not in (*EXACT_NOW, *CHANGED):
        return check_same(figures(again), was, 1e-10, name)
    assert (again.best, again.decision.verdict) == (was["best"], was["verdict"])
    gap = np.abs(again.probability.values - np.array(was["probability"]["values"]))
    if name in EXACT_NOW:
        assert again.exact
        assert not was["exact"]
        np.testing.assert_array_less(gap, 4 * np.array(was["mcse"]["values"]))
        kept = ("edges", "log_evidence", "score", "options")
        check_same(figures(again), {k: was[k] for k in kept}, 1e-10, name)
    else:
        assert 1e-6 < gap.max() < 0.1
    if name == "replicated":
        # Less is known of a dataset whose deviation is uncertain, too.
        before, after = (np.array(of["evidence"]["values"]) for of in (was, figures(again)))
        assert (after.max(axis=1) < before.max(axis=1)).mean() >= 0.5


@pytest.mark.parametrize("name", ["model", "strength-prior"])
def test_a_sampled_posterior_comes_back_from_netcdf(name: str) -> None:
    tree = bc.load_comparison(SAVED / f"{name}.nc").tree
    assert dict(tree["posterior"].sizes)["draw"] == DRAWS
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
