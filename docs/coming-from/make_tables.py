"""Write folds.csv (cross-validated by scikit-learn) and seeds.csv (made up) for both sides."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
DATASETS = {
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}
AGENTS = {"calm": (0.0, 0.10), "keen": (0.12, 0.10), "bold": (0.10, 0.30)}  # level, spread


def folds() -> pd.DataFrame:
    models = {
        "bayes": GaussianNB(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    ten = StratifiedKFold(10, shuffle=True, random_state=0)
    rows = [
        (dataset, name, fold, score)
        for dataset, load in DATASETS.items()
        for name, model in models.items()
        for fold, score in enumerate(cross_val_score(model, *load(return_X_y=True), cv=ten), 1)
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "accuracy"])


def seeds() -> pd.DataFrame:
    """Normalised scores of three agents on twelve tasks, ten seeds each."""
    rng = np.random.default_rng(12)
    ease = rng.uniform(0.3, 1.2, 12)
    rows = []
    for agent, (level, spread) in AGENTS.items():
        liking = rng.normal(level, 0.15, 12)
        for task in range(12):
            scores = ease[task] + liking[task] + rng.normal(0, spread, 10)
            rows += [(f"task{task + 1:02}", agent, seed, s) for seed, s in enumerate(scores, 1)]
    return pd.DataFrame(rows, columns=["task", "agent", "seed", "score"])


if __name__ == "__main__":
    folds().round(6).to_csv(HERE / "folds.csv", index=False)
    seeds().round(4).to_csv(HERE / "seeds.csv", index=False)
