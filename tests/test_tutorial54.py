"""`tools/tutorial54.py` reads the public table, and its figures are those on the page of models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tools import tutorial54

ROOT = Path(__file__).parent.parent


def test_the_files_of_the_public_table_are_read(tmp_path: Path) -> None:
    """Two datasets of one name stay two, and folds keep their order."""
    values = np.arange(24.0) * 2.5
    columns = {
        "ClassifierNames": ["nbc", "aode"],
        "DatasetNames": ["credit", "iris", "credit"],
        "ClassifierID": np.repeat([1, 2], 12),
        "DatasetID": np.tile(np.repeat([1, 2, 3], 4), 2),
        "Percent_correct": values,
    }
    for name, column in columns.items():
        text = "\n".join(map(str, column))
        (tmp_path / f"{name}.dat").write_text(f"{text}\n", encoding="utf-8")
    results = tutorial54.read_table(tmp_path)
    assert results.datasets == ("credit", "iris", "credit-2")
    assert results.algorithms == ("nbc", "aode")
    assert results["accuracy"].rope == 0.01
    cells = results.data["accuracy"].transpose("algorithm", "dataset", "replicate").values
    np.testing.assert_allclose(cells.ravel(), values / 100)


def test_published_figures_are_probabilities() -> None:
    assert len(tutorial54.PUBLISHED) == 10
    for pair, (probability, following) in tutorial54.PUBLISHED.items():
        # They are printed to four digits.
        assert sum(probability) == pytest.approx(1.0, abs=2e-4), pair
        assert sum(following) == pytest.approx(1.0, abs=2e-4), pair


def test_obtained_figures_agree_with_the_published_ones() -> None:
    """Within 0.02: about twice the error of a share of 4,000 draws on either side."""
    table = pd.read_csv(ROOT / "docs" / "tutorial54.csv").set_index("pair")
    assert len(table) == len(tutorial54.PUBLISHED)
    for pair, published in tutorial54.PUBLISHED.items():
        row = table.loc[pair.replace("-", "–")]
        for column, figures in (
            ("", published.probability),
            ("next dataset, ", published.following),
        ):
            assert row[f"{column}published"] == tutorial54.three(figures)
            obtained = [float(text) for text in row[f"{column}obtained"].split(" / ")]
            np.testing.assert_allclose(obtained, figures, atol=0.02, err_msg=pair)
        assert row["MCSE"] < 0.01
        assert row["R-hat"] < 1.01
