"""Error rates of the gate in simulation: what is stated against what is realised."""

from __future__ import annotations

import pytest

import bayescompare as bc
from bayescompare.studies.gates import gate_study


def test_a_small_study_has_its_shape() -> None:
    study = gate_study([6, 9], laws=["normal"], tables=5, rng=0)
    assert study.index.names == ["differences", "datasets"]
    assert study.shape == (2, 5)
    assert study.drop(columns="mcse").stack().between(0, 1).all()
    again = gate_study([6, 9], laws=["normal"], tables=5, rng=0)
    assert again.equals(study)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"laws": ["cauchy"]}, "laws='cauchy'"), ({"rope": 0}, "rope=0"), ({"tables": 0}, "tables=0")],
)
def test_bad_arguments_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(bc.BayescompareError, match=said):
        gate_study([6], **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_symmetric_differences_keep_the_stated_rate() -> None:
    study = gate_study([5, 10, 20], laws=["normal"], tables=2000, rng=1)
    wrong = study[["false_superior", "false_not_worse", "false_worse"]]
    assert (wrong <= 0.05 + 4 * study["mcse"].max()).all(axis=None)
    # And are not so cautious that nothing is ever found.
    assert study.loc[("normal", 20), "passed"] > 0.95
