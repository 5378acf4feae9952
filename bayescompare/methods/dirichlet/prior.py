"""The `prior=` of the multinomial-Dirichlet test, from the user's words to cells' parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np

from bayescompare._checks import MOST_WEIGHT, check_positive, is_number, show_checked_value
from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare._typing import FloatArray
from bayescompare.kernels.dirichlet.cells import DirichletCells
from bayescompare.methods.dirichlet.elicited import (
    WEIGHT,
    ElicitedPrior,
    check_elicited_beliefs,
    is_elicited,
)
from bayescompare.methods.dirichlet.wildcards import REST, WildcardPrior, has_wildcards
from bayescompare.statements import DENSE, Statement, Statements
from bayescompare.text.numbers import count, setting_number_text

__all__ = [
    "REST",
    "Prior",
    "check_prior",
    "dirichlet_prior_as_json",
    "dirichlet_prior_cells",
    "dirichlet_prior_mapping",
    "marginal_prior",
    "pattern_prior",
]

PriorName = Literal["symmetric", "jeffreys", "uniform", "imprecise", "learned"]
Prior = PriorName | float | Mapping[str, float] | Mapping[str, float | Mapping[str, float]]

_NAMES = ("symmetric", "jeffreys", "uniform", "imprecise", "learned")
_PER_STATEMENT = {"jeffreys": 0.5, "uniform": 1.0}


def check_prior(prior: object, strength: float) -> None:
    """Check what can be checked before the data are known."""
    check_positive(strength=strength)
    if isinstance(prior, str):
        if prior not in _NAMES:
            raise BayescompareError(
                f"prior={prior!r}: choose one of {', '.join(_NAMES)}, a number (α per statement) "
                f"or a mapping from statement to α.{did_you_mean(prior, _NAMES)}"
            )
    elif is_elicited(prior):
        assert isinstance(prior, Mapping)
        check_elicited_beliefs(prior)
    elif isinstance(prior, Mapping):
        if not prior:
            raise BayescompareError("prior={}: name at least one statement, or '*' for all.")
        for label, value in prior.items():
            _check_dirichlet_prior_alpha(f"prior[{label!r}]", value)
    else:
        _check_dirichlet_prior_alpha("prior", prior)
    if strength != 1.0 and not (isinstance(prior, str) and prior in ("symmetric", "imprecise")):
        fixes = "fixes α itself"
        if is_elicited(prior):
            fixes = "has its own 'weight'"
        raise BayescompareError(
            f"strength={strength!r} goes with prior='symmetric' or 'imprecise'; prior={prior!r} "
            f"{'learns it' if prior == 'learned' else fixes}."
        )


def _check_dirichlet_prior_alpha(argument: str, value: object) -> None:
    if not is_number(value) or not 0.0 < value <= MOST_WEIGHT:
        raise BayescompareError(
            f"{argument}={show_checked_value(value)}: α must be a finite number > 0, at most "
            f"{setting_number_text(MOST_WEIGHT)}."
        )


def dirichlet_prior_cells(
    prior: Prior, strength: float, statements: Statements
) -> tuple[Statements, DirichletCells]:
    """Give every statement its α; the statements come back with the prior's own labels listed."""
    patterns = pattern_prior(prior, statements)
    if patterns is not None:
        return _dirichlet_prior_from_patterns(patterns)
    if isinstance(prior, Mapping):
        return _dirichlet_prior_from_mapping(cast("Mapping[str, float]", prior), statements)
    if isinstance(prior, str):
        alpha = _PER_STATEMENT.get(prior)
        log_alpha = math.log(strength) - statements.log_size if alpha is None else math.log(alpha)
    else:
        log_alpha = math.log(prior)
    return statements, DirichletCells(
        np.full(statements.n_listed, log_alpha),
        statements.table.counts,
        rest_log_alpha=log_alpha,
        rest_log_size=statements.log_unlisted,
    )


def pattern_prior(prior: Prior, statements: Statements) -> ElicitedPrior | WildcardPrior | None:
    """Read a prior whose α's are those of patterns of statements; None of any other."""
    if not isinstance(prior, Mapping):
        return None
    if is_elicited(prior):
        return ElicitedPrior.read(prior, statements)
    named = cast("Mapping[str, float]", prior)
    return WildcardPrior.read(named, statements) if has_wildcards(named, statements) else None


def _dirichlet_prior_from_patterns(
    prior: ElicitedPrior | WildcardPrior,
) -> tuple[Statements, DirichletCells]:
    lumps = prior.lumps()
    first = lumps[0] if lumps else (-math.inf, -math.inf)
    cells = DirichletCells(
        prior.log_alpha, prior.statements.table.counts, *first, more=tuple(lumps[1:])
    )
    return prior.statements, cells


def dirichlet_prior_mapping(
    name: str, alpha: FloatArray | None, statements: Statements
) -> dict[str, float]:
    """Read a vector of α, in the order in which the statements are listed, as a mapping."""
    assert alpha is not None, "only a fixed Dirichlet is read as one"
    if alpha.shape != (statements.size,) or statements.size > DENSE:
        raise BayescompareError(
            f"priors[{name!r}] has {alpha.size} parameter(s) for {count(statements.size)} "
            f"statements ({', '.join(statements.labels[:4])}…); give one each, at most {DENSE}."
        )
    for label, value in zip(statements.labels, alpha, strict=True):
        _check_dirichlet_prior_alpha(f"priors[{name!r}] at {label!r}", float(value))
    return dict(zip(statements.labels, alpha.tolist(), strict=True))


def _dirichlet_prior_from_mapping(
    prior: Mapping[str, float], statements: Statements
) -> tuple[Statements, DirichletCells]:
    named = {label: alpha for label, alpha in prior.items() if label != REST}
    if REST not in prior and len(named) < statements.size:
        missing = [label for label in statements.labels if label not in named][:4]
        raise BayescompareError(
            f"prior names {len(named)} of {count(statements.size)} statements; missing "
            f"{', '.join(missing)}…: name them too, or give '*' for the rest."
        )
    listed = statements.with_labels(list(named))
    rest = float(prior.get(REST, math.nan))
    alpha = np.array([float(named.get(label, rest)) for label in listed.labels])
    return listed, DirichletCells(
        np.log(alpha),
        listed.table.counts,
        rest_log_alpha=math.log(rest) if REST in prior else -math.inf,
        rest_log_size=listed.log_unlisted,
    )


def dirichlet_prior_as_json(value: Any) -> Any:
    """Write numbers, and mappings of them, as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): dirichlet_prior_as_json(each) for key, each in value.items()}
    return float(value)


def marginal_prior(prior: Prior, statements: Statements, measures: list[str]) -> Prior:
    """Sum the prior over all measures but `measures`: a Dirichlet's aggregate is a Dirichlet.

    α = s/K stays α = s/K′. A fixed α per statement grows by K/K′, so the marginal of Jeffreys' or
    the uniform prior is *not* Jeffreys' or uniform on the subset.
    """
    if prior in ("symmetric", "imprecise"):
        return prior
    keep = [statements.measures.index(measure) for measure in measures]
    factor = Fraction(statements.size, math.prod(statements.arities[j] for j in keep))
    if is_elicited(prior):
        return _marginal_dirichlet_prior_beliefs(cast("Mapping[str, Any]", prior), measures)
    patterns = pattern_prior(prior, statements)
    if isinstance(patterns, WildcardPrior):
        return patterns.marginal(keep)
    if isinstance(prior, Mapping):
        return _marginal_dirichlet_prior_mapping(cast("Mapping[str, float]", prior), keep, factor)
    alpha = _PER_STATEMENT[prior] if isinstance(prior, str) else float(prior)
    return _dirichlet_prior_alpha_times(alpha, factor)


def _marginal_dirichlet_prior_beliefs(prior: Mapping[str, Any], measures: list[str]) -> Prior:
    """Beliefs about some of the measures; a product sums to the product of the others."""
    kept = {name: belief for name, belief in prior.items() if name in measures}
    return {**kept, WEIGHT: float(prior.get(WEIGHT, 1.0))} if kept else "symmetric"


def _marginal_dirichlet_prior_mapping(
    prior: Mapping[str, float], keep: list[int], factor: Fraction
) -> dict[str, float]:
    rest, sums, named = float(prior.get(REST, 0.0)), dict[str, float](), dict[str, int]()
    for label, alpha in prior.items():
        if label != REST:
            short = str(Statement.parse(label).on(keep))
            sums[short] = sums.get(short, 0.0) + alpha
            named[short] = named.get(short, 0) + 1
    masses = {
        short: total + _dirichlet_prior_alpha_times(rest, factor - named[short])
        for short, total in sums.items()
    }
    return masses if rest == 0.0 else {**masses, REST: _dirichlet_prior_alpha_times(rest, factor)}


def _dirichlet_prior_alpha_times(alpha: float, factor: Fraction) -> float:
    try:
        return float(Fraction(alpha) * factor)
    except OverflowError:
        raise BayescompareError(
            "the prior's parameters summed over the other measures exceed the float range; "
            "use prior='symmetric', whose total is its strength."
        ) from None
