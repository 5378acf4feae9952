"""What both forms of the dominance test share."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bayescompare._checks import check_word, is_number
from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.comparison.method import Method, Scope
from bayescompare.comparison.posterior import Posterior
from bayescompare.methods.gsd.posterior import gsd_bootstrap_tree
from bayescompare.methods.gsd.problem import DominanceProblem, PairRule
from bayescompare.statements import Statement
from bayescompare.table.results import Results

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["GsdMethod", "GsdResult", "check_gsd_option"]


class GsdResult(Posterior):
    """What an answer about dominance can be asked."""

    def claim(self, statement: str) -> str:
        """Say a relation in words: "A dominates B"."""
        # With the algorithms, because a name may contain a tilde.
        (state,) = Statement.parse(statement, self.results.algorithms).states
        return " dominates ".join(state.names) if state.relation == ">" else state.words()


@dataclass(frozen=True, kw_only=True)
class GsdMethod(Method):
    """What both forms of the test share: δ, and the meaning of ordinal measures."""

    posterior_type: ClassVar[type[Posterior]] = GsdResult
    scope: ClassVar[Scope] = Scope(question=True)
    draws_are: ClassVar[str] = "Bayesian bootstrap"

    delta: float = 1e-5
    epsilon: float | None = None
    rule: PairRule | None = None

    def __post_init__(self) -> None:
        _check_gsd_method_share(
            "delta", self.delta, "0 for the order itself, 1e-5 to tell ties apart"
        )
        if self.epsilon is not None:
            _check_gsd_method_share(
                "epsilon", self.epsilon, "a share of each pair's δ_max", closed=True
            )
            if self.delta != type(self).delta:
                raise BayescompareError(
                    f"delta={self.delta!r} and epsilon={self.epsilon!r}: δ = ε·δ_max; pass one."
                )
        check_gsd_option("rule", self.rule, (None, "interval", "jansen2022"))

    def pair(self, results: Results) -> DominanceProblem:
        """Set up the linear programmes of two algorithms."""
        return DominanceProblem(results, self.rule or "interval", float(self.delta), self.epsilon)

    def pairs(self, results: Results) -> dict[tuple[str, str], DominanceProblem]:
        """Set them up for every pair."""
        return {
            two: self.pair(results.sel(algorithms=two))
            for two in itertools.combinations(results.algorithms, 2)
        }

    def weight_alpha(self, results: Results) -> FloatArray:
        """Parameters of the datasets' weights, whose posterior is a Dirichlet: Rubin's are 1."""
        return np.ones(len(results.datasets))

    def draws(self, results: Results, draws: int, chains: int, rng: Any) -> xr.DataTree:
        """Draw opt in both directions by the Bayesian bootstrap over datasets."""
        return gsd_bootstrap_tree(self, results, draws, chains, rng)


def _check_gsd_method_share(name: str, value: object, hint: str, *, closed: bool = False) -> None:
    if not (is_number(value) and 0.0 <= value <= 1.0 and (closed or value < 1.0)):
        ends = "[0, 1]" if closed else "[0, 1)"
        raise BayescompareError(f"{name}={value!r}: must be a number in {ends}: {hint}.")


def check_gsd_option(name: str, value: object, known: tuple[str | None, ...]) -> None:
    """Reject an option that is not one of the known words (None included, where listed)."""
    if value is not None or None not in known:
        check_word(name, value, [word for word in known if word is not None])
