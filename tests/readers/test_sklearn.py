"""scikit-learn: real `cross_validate` and real searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayescompare as bc
from bayescompare.io import from_cross_validate, from_grid_search

pytest.importorskip("sklearn")


import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bayescompare import io

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)
DATASETS: dict[str, Callable[..., Any]] = {"iris": load_iris, "wine": load_wine}
ALGORITHMS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}


def validated(**options: Any) -> dict[str, dict[str, Any]]:
    return {
        data: {
            name: cross_validate(algorithm, *load(return_X_y=True), cv=FOLDS, **options)
            for name, algorithm in ALGORITHMS.items()
        }
        for data, load in DATASETS.items()
    }


def searched(**options: Any) -> dict[str, GridSearchCV]:
    grid = {"svc__C": [0.1, 1, 10], "svc__kernel": ["linear", "rbf"]}
    pipeline = make_pipeline(StandardScaler(), SVC())
    return {
        data: GridSearchCV(pipeline, grid, cv=FOLDS, **options).fit(*load(return_X_y=True))
        for data, load in DATASETS.items()
    }


# --------------------------------------------------------------------------------- cross_validate


def test_one_scorer_is_called_score() -> None:
    scores = validated()
    results = from_cross_validate(scores)
    assert results.datasets == ("iris", "wine")
    assert results.algorithms == ("bayes", "tree")
    assert results.measures == ("score", "fit_time", "score_time")
    assert results.n_replicates == 4
    assert (results["score"].direction, results["fit_time"].direction) == ("max", "min")
    assert results["fit_time"].unit == "s"
    np.testing.assert_array_equal(
        results.data["score"].sel(dataset="wine", algorithm="tree"),
        scores["wine"]["tree"]["test_score"],
    )


def test_several_scorers_and_train_scores() -> None:
    scores = validated(scoring=["accuracy", "neg_log_loss"], return_train_score=True)
    results = from_cross_validate(scores)
    assert results.measures == ("accuracy", "neg_log_loss", "fit_time", "score_time")
    assert results["neg_log_loss"].direction == "max"
    assert (results.data["neg_log_loss"] <= 0).all()
    chosen = from_cross_validate(scores, measures=["train_accuracy", "fit_time"])
    assert chosen.measures == ("train_accuracy", "fit_time")
    told = from_cross_validate(scores, measures={"accuracy": bc.Measure("max", rope=0.01)})
    assert told["accuracy"].rope == 0.01


def test_a_comparison_of_folds() -> None:
    results = from_cross_validate(validated(), measures=["score"])
    c = bc.compare(results, method="correlated-t")
    assert c.best in ("bayes>tree", "tree>bayes")
    assert bc.compare(results.average()).best == "bayes>tree"


def test_datasets_may_have_different_numbers_of_splits() -> None:
    X, y = load_diabetes(return_X_y=True)
    scores = {
        f"diabetes-{k}": {
            name: cross_validate(model, X, y, cv=KFold(k), scoring="neg_mean_squared_error")
            for name, model in (("least squares", LinearRegression()), ("ridge", Ridge()))
        }
        for k in (3, 5)
    }
    results = from_cross_validate(scores, measures=["score"])
    assert results.n_replicates == 5
    assert results.paired() is results
    assert len(results.missing()) == 4


def test_splits_are_compared_where_they_are_told() -> None:
    scores = validated(return_indices=True)
    assert from_cross_validate(scores).n_replicates == 4
    X, y = load_iris(return_X_y=True)
    other = StratifiedKFold(4, shuffle=True, random_state=1)
    scores["iris"]["tree"] = cross_validate(GaussianNB(), X, y, cv=other, return_indices=True)
    with pytest.raises(bc.BayescompareError, match="'bayes' and 'tree' were tested on different"):
        from_cross_validate(scores)


class Fragile(GaussianNB):
    """Cannot be fitted when the first flower is among the training examples."""

    def fit(self, X: Any, y: Any) -> Fragile:  # type: ignore[override]
        if X[0, 0] == 5.1:
            raise ValueError("no")
        return super().fit(X, y)


def test_a_failed_fit_is_a_missing_fold_and_no_missing_cell() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.warns(FitFailedWarning):
        failed = cross_validate(Fragile(), X, y, cv=FOLDS)
    scores = {"iris": {"svm": failed, "bayes": cross_validate(GaussianNB(), X, y, cv=FOLDS)}}
    results = from_cross_validate(scores, measures=["score"])
    assert len(results.missing()) == 3
    mean = results.average()
    assert not np.isnan(mean.values()).any()
    assert "3 of 4 on iris" in mean.notes[-1]
    failed["test_score"] = np.full(4, np.nan)
    results = from_cross_validate(scores, measures=["score"])
    with pytest.raises(bc.BayescompareError, match="missing cell: score of 'svm' on 'iris'"):
        bc.compare(results)


FOLD = {"test_score": [0.9, 0.8], "fit_time": [1.0, 1.0]}


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({}, "scores is empty"),
        ([FOLD], "scores is a list: give {dataset"),
        ({"iris": {}}, r"scores\['iris'\] is empty"),
        ({"iris": 0.9}, r"scores\['iris'\] is a float"),
        ({"svm": FOLD}, r"scores\['svm'\]\['test_score'\] is not a result of cross_validate"),
        ({"iris": {"svm": {"score": [1]}}}, r"key such as 'test_score' \(seen: \['score'\]\)"),
        ({"iris": {"svm": {"test_score": ["high"]}}}, "must be a list of numbers"),
        ({"iris": {"svm": {"test_score": []}}}, "must be a list of numbers"),
        ({"iris": {"svm": {"test_score": [[0.9]]}}}, "must be a list of numbers"),
        ({"iris": {"svm": {**FOLD, "fit_time": [1.0]}}}, "different numbers of splits"),
        ({"iris": {"a": FOLD, "b": {"test_score": [0.9]}}}, "different numbers of splits, {'a': 2"),
        ({"iris": {"C=1": FOLD}}, "algorithm name 'C=1'"),
    ],
)
def test_what_is_no_result_of_cross_validate(scores: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        from_cross_validate(scores)


def test_unknown_measures() -> None:
    with pytest.raises(bc.BayescompareError, match="no measure called 'acuracy'"):
        from_cross_validate({"iris": {"a": FOLD}}, measures=["acuracy"])
    with pytest.raises(bc.BayescompareError, match=r"as in \['score'\]"):
        from_cross_validate({"iris": {"a": FOLD}}, measures="score")


# --------------------------------------------------------------------------------------- searches


def test_candidates_are_algorithms() -> None:
    searches = searched()
    results = from_grid_search(searches)
    assert results.algorithms[:3] == (
        "C 0.1, kernel linear",
        "C 0.1, kernel rbf",
        "C 1, kernel linear",
    )
    assert (results.measures, results.n_replicates) == (("score",), 4)
    found = searches["iris"].cv_results_
    np.testing.assert_allclose(
        results.average().data["score"].sel(dataset="iris"), found["mean_test_score"]
    )
    p = bc.pairwise(results, reference="C 1, kernel rbf", n_jobs=1)
    assert p.matrix.sizes == {"algorithm": 6, "opponent": 6}


def test_dicts_and_frames_do_as_well() -> None:
    searches = searched()
    whole = from_grid_search(searches)
    dicts = {data: search.cv_results_ for data, search in searches.items()}
    assert from_grid_search(dicts) == whole
    assert from_grid_search({d: pd.DataFrame(found) for d, found in dicts.items()}) == whole


def test_several_metrics() -> None:
    searches = searched(scoring=["accuracy", "f1_macro"], refit="accuracy")
    results = from_grid_search(searches)
    assert results.measures == ("accuracy", "f1_macro")
    assert from_grid_search(searches, measures=["f1_macro"]).measures == ("f1_macro",)


def test_names_of_candidates() -> None:
    searches = searched()
    named = from_grid_search(searches, name=lambda p: f"{p['svc__kernel']}-{p['svc__C']}")
    assert named.algorithms[0] == "linear-0.1"
    with pytest.raises(bc.BayescompareError, match="two candidates are called 'svm'"):
        from_grid_search(searches, name=lambda _: "svm")


def test_estimators_are_called_by_their_class() -> None:
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVC())
    grid = {"standardscaler": [StandardScaler(), "passthrough"], "svc__C": [1.0], "svc": [SVC()]}
    search = GridSearchCV(pipeline, grid, cv=FOLDS).fit(X, y)
    assert from_grid_search({"iris": search}).algorithms == (
        "standardscaler StandardScaler",
        "standardscaler passthrough",
    )


def test_the_same_last_part_of_two_parameters() -> None:
    params = [{"a__k": 1, "b__k": 2}, {"a__k": 2, "b__k": 1}]
    found = {"params": params, "split0_test_score": [0.9, 0.8]}
    assert from_grid_search({"iris": found}).algorithms[0] == "a__k 1, b__k 2"


def test_a_randomised_search() -> None:
    X, y = load_iris(return_X_y=True)
    search = RandomizedSearchCV(SVC(), {"C": [1, 2, 3]}, n_iter=2, cv=FOLDS, random_state=0)
    assert len(from_grid_search({"iris": search.fit(X, y)}).algorithms) == 2


def test_failed_candidates_are_refused_or_left_out() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.warns((FitFailedWarning, UserWarning)):
        search = GridSearchCV(SVC(), {"C": [-1, 1]}, cv=FOLDS).fit(X, y)
    with pytest.raises(bc.BayescompareError, match=r"NaN.*'C -1' on 'iris'.*failed='drop'"):
        from_grid_search({"iris": search})
    results = from_grid_search({"iris": search}, failed="drop")
    assert results.algorithms == ("C 1",)
    assert results.notes == ("left out, with scores of NaN: C -1",)


def test_a_candidate_whose_fit_failed_on_one_split_stays() -> None:
    found = {
        "params": [{"C": 1}, {"C": 10}],
        "split0_test_score": [0.9, np.nan],
        "split1_test_score": [0.7, 0.8],
    }
    results = from_grid_search({"iris": found})
    assert results.algorithms == ("C 1", "C 10")
    np.testing.assert_array_equal(results.average().values().ravel(), [0.7, 0.8])


CANDIDATES = {"params": [{"C": 1}], "split0_test_score": [0.9]}


@pytest.mark.parametrize(
    ("searches", "message"),
    [
        ({}, "searches is empty"),
        (CANDIDATES, r"searches\['params'\] is a list without cv_results_"),
        ({"iris": GridSearchCV(SVC(), {"C": [1]})}, "is a GridSearchCV without cv_results_"),
        ({"iris": {"params": [{}], "mean_test_score": [0.9]}}, "without cv_results_ of its splits"),
        ({"iris": {**CANDIDATES, "iter": [0]}}, "is a halving search"),
        ({"iris": {**CANDIDATES, "split1_test_score": [1, 1]}}, "a score for each of 'params'"),
        ({"iris": {**CANDIDATES, "split1_test_b": [1]}}, "are not of the same splits"),
        ({"iris": {**CANDIDATES, "params": ["{'C': 1}"]}}, "must hold a dict for each candidate"),
        ({"iris": {**CANDIDATES, "split0_test_score": [np.nan]}}, "NaN"),
    ],
)
def test_what_is_no_search(searches: Any, message: str) -> None:
    with pytest.raises(bc.BayescompareError, match=message):
        from_grid_search(searches)


def test_wrong_options() -> None:
    with pytest.raises(bc.BayescompareError, match=r"failed='dropp': .*Did you mean 'drop'"):
        from_grid_search({"iris": CANDIDATES}, failed="dropp")  # type: ignore[arg-type]
    none_left = {"iris": {**CANDIDATES, "split0_test_score": [np.nan]}}
    with pytest.raises(bc.BayescompareError, match="every candidate"):
        from_grid_search(none_left, failed="drop")


def test_cross_validate_drops_no_algorithm_in_silence():
    folds = {"test_score": [0.1, 0.2]}
    other = {"test_score": [0.3, 0.4]}
    with pytest.raises(bc.BayescompareError):
        io.from_cross_validate({"d": {1: folds, "1": other, "x": folds}})
