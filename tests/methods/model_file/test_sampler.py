"""How a model file wants to be sampled, unless the user says otherwise."""

from __future__ import annotations

from typing import Any

import pymc as pm
import pytest

import bayescompare as bc
from bayescompare.methods import ModelFile
from tests.methods.model_file.own import multinomial


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


def test_so_does_another_sample_of_the_answer(
    own: bc.Comparison, asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelFile, "sampler", {"target_accept": 0.91})
    with pytest.raises(AskedError):
        own.sample(10, tune=20)
    assert (asked[0]["target_accept"], asked[0]["tune"]) == (0.91, 20)


@pytest.mark.parametrize("name", ["thurstone", "item_response", "spike_and_slab"])
def test_models_with_narrow_places_take_small_steps(name: str) -> None:
    assert ModelFile(name).sampler == {"target_accept": 0.95}
    assert ModelFile("plackett_luce").sampler == {}


@pytest.mark.parametrize("wrong", [0.95, "careful", {1: 0.95}, ["target_accept"]])
def test_options_that_are_no_mapping_are_refused(results: bc.Results, wrong: Any) -> None:
    def build(results: bc.Results) -> pm.Model:
        return multinomial(results)

    build.SAMPLER = wrong  # type: ignore[attr-defined]
    with pytest.raises(bc.BayescompareError, match=r"SAMPLER=.*must map options of pymc\.sample"):
        bc.compare(results, method=build)
