r"""Log likelihoods from which the latents of each dataset are integrated out.

A model may give every dataset a latent :math:`u_i` of its own. Its likelihood
:math:`p(y_i \mid \varphi, u_i)` then speaks of a dataset whose latent has already seen its data, so
leaving the dataset out by importance weights fails. What is to be weighted is

.. math:: p(y_i \mid \varphi) = \int p(y_i \mid \varphi, u)\, p(u \mid \varphi)\, du

at every draw of φ. One coordinate is integrated by the trapezoidal rule, densely where the
posterior draws of :math:`u_i` are; several by importance sampling, at quasi-random points of a
Student-t fitted to those draws. More points are taken until two sets agree.

References
----------
Vehtari, Mononen, Tolvanen, Sivula & Winther (2016), JMLR 17(103), for integrated leave-one-out;
Merkle, Furr & Rabe-Hesketh (2019), Psychometrika 84, 802–829.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp, ndtri

from bayescompare._errors import BayescompareError
from bayescompare._typing import FloatArray
from bayescompare.outcome.nuts import nuts_starts_put_aside, quiet_nuts_warnings
from bayescompare.text.numbers import statistic_number_text
from bayescompare.text.phrases import join_names

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr


__all__ = [
    "IntegratedLikelihood",
    "check_integration_latents",
    "with_likelihood",
]

_SAMPLES = ("chain", "draw")
#: Points of the first rule, and of the last.
_FEWEST, _MOST = 24, 768
_FEWEST_SEVERAL, _MOST_SEVERAL = 256, 4096
#: Two rules agree within this, in nats.
_AGREE_ONE, _AGREE_SEVERAL = 1e-4, 0.02
#: Draws at which rules are compared.
_TRIED = 200
#: sinh of this many standard deviations on either side: 27.
_REACH = 4.0
#: Degrees of freedom of the Student-t, and how much wider it is than the draws.
_FREEDOM, _WIDER = 5, 1.3


def check_integration_latents(latents: Sequence[str], model: pm.Model) -> None:
    """Refuse names of latents that are no free variable of each dataset's own."""
    free = [str(rv.name) for rv in model.free_RVs]
    for name in latents:
        if name not in free:
            raise BayescompareError(
                f"LATENT={name!r}: the model has no such free variable; it has {join_names(free)}."
            )
        dims = tuple(model.named_vars_to_dims.get(name) or ())
        if "dataset" not in dims:
            raise BayescompareError(
                f"LATENT={name!r}: its dims are {dims or 'none'}; only a latent of each dataset, "
                "with the dim 'dataset', can be integrated out."
            )


def with_likelihood(
    tree: xr.DataTree, likelihood: Callable[[xr.Dataset], xr.DataArray] | None, model: pm.Model
) -> xr.DataTree:
    """Put the log likelihood that can leave a dataset out in place of the model's own, if any."""
    import xarray as xr

    if likelihood is not None:
        name = str(model.observed_RVs[0].name)
        by_dataset = likelihood(tree["posterior"].to_dataset())
        tree["log_likelihood"] = xr.DataTree(by_dataset.to_dataset(name=name))
    return tree


@dataclass(frozen=True, eq=False)
class IntegratedLikelihood:
    """The log likelihood of each dataset given what all datasets share.

    Attributes
    ----------
    model : pm.Model
    latents : tuple of str
        Free variables with the dim "dataset", each dataset's own.
    fitted : Dataset
        Posterior draws, by which the points of integration are chosen.
    """

    model: pm.Model
    latents: tuple[str, ...]
    fitted: xr.Dataset

    def __call__(self, posterior: xr.Dataset) -> xr.DataArray:
        """Integrate at every draw: an array over chain, draw and dataset."""
        import xarray as xr

        points, weights = self._rule
        values = self._evaluated(self._shared(posterior), points, weights)
        sizes = [posterior.sizes[dim] for dim in _SAMPLES]
        names = list(self.model.coords["dataset"])
        return xr.DataArray(
            values.reshape(*sizes, -1),
            {
                **{dim: posterior[dim] for dim in _SAMPLES if dim in posterior.coords},
                "dataset": names,
            },
            (*_SAMPLES, "dataset"),
            attrs={"integrated": ", ".join(self.latents)},
        )

    # the density at given latents ---------------------------------------------------------------

    @cached_property
    def _plain(self) -> pm.Model:
        """The model in which only the latents are transformed."""
        from pymc.model.transform.conditioning import remove_value_transforms

        others = [rv for rv in self.model.free_RVs if rv.name not in self.latents]
        with nuts_starts_put_aside(self.model):
            plain: pm.Model = remove_value_transforms(self.model, others) if others else self.model
        return plain

    @cached_property
    def _values(self) -> tuple[list[Any], list[Any]]:
        """Value variables of the latents, and of all else."""
        plain = self._plain
        own = [plain.rvs_to_values[plain[name]] for name in self.latents]
        return own, [v for v in plain.value_vars if v not in own]

    @cached_property
    def _density(self) -> Any:
        """Compile log p(u) + log p(y | u) by dataset: others, then latents with points in front."""
        from pymc.pytensorf import compile as compile_
        from pytensor.graph.replace import vectorize_graph

        own, others = self._values
        batched = [self._batched(value) for value in own]
        terms = self._terms()
        with quiet_nuts_warnings():
            vectorised = vectorize_graph(terms, dict(zip(own, batched, strict=True)))
            return compile_(
                [*others, *batched], vectorised, on_unused_input="ignore", trust_input=True
            )

    @staticmethod
    def _batched(value: Any) -> Any:
        import pytensor.tensor as pt

        return pt.tensor(f"{value.name}_points", dtype=value.dtype, shape=(None, *value.type.shape))

    def _terms(self) -> list[Any]:
        """Log prior of the latents, and log likelihood, by dataset."""
        plain = self._plain
        with plain:
            prior = plain.logp([plain[name] for name in self.latents], sum=False)
            likelihood = plain.logp(list(plain.observed_RVs), sum=False)
        return [
            sum(map(self._by_dataset, self.latents, prior)),
            sum(map(self._by_dataset, [rv.name for rv in plain.observed_RVs], likelihood)),
        ]

    def _by_dataset(self, name: str, term: Any) -> Any:
        """Sum a variable's log density over all its dims but the dataset."""
        axis = self._axis(name)
        if axis >= term.ndim:
            raise BayescompareError(
                f"LATENT={name!r}: its density is not a product over datasets, so no dataset's own "
                "can be integrated out; declare log_likelihood(posterior, results) instead."
            )
        return term.sum(axis=[k for k in range(term.ndim) if k != axis])

    def _axis(self, name: str) -> int:
        return list(self.model.named_vars_to_dims[name]).index("dataset")

    # draws --------------------------------------------------------------------------------------

    def _shared(self, posterior: xr.Dataset) -> list[FloatArray]:
        """Draws (sample, …) of all variables but the latents."""
        _, others = self._values
        rvs = [self._plain.values_to_rvs[v] for v in others]
        return [
            self._stacked(posterior, str(rv.name), v.dtype)
            for rv, v in zip(rvs, others, strict=True)
        ]

    @staticmethod
    def _stacked(posterior: xr.Dataset, name: str, dtype: str) -> Any:
        values = posterior[name].transpose(*_SAMPLES, ...).values
        return values.reshape(-1, *values.shape[2:]).astype(dtype)

    @cached_property
    def _drawn(self) -> list[FloatArray]:
        """Fitted draws of the latents in their unconstrained coordinates (sample, …)."""
        from pymc.model.transform.conditioning import remove_value_transforms
        from pymc.pytensorf import compile as compile_

        with nuts_starts_put_aside(self.model):
            bare = remove_value_transforms(self.model)
        outs = []
        for name in self.latents:
            rv, transform = bare[name], self.model.rvs_to_transforms[self.model[name]]
            outs.append(rv if transform is None else transform.forward(rv, *rv.owner.inputs))
        with quiet_nuts_warnings():
            turned = compile_(
                bare.value_vars,
                bare.replace_rvs_by_values(outs),
                on_unused_input="ignore",
                trust_input=True,
            )
        columns = [self._stacked(self.fitted, str(v.name), v.dtype) for v in bare.value_vars]
        rows = [turned(*row) for row in zip(*columns, strict=True)]
        return [np.stack(each) for each in zip(*rows, strict=True)]

    def _coordinates(self) -> FloatArray:
        """The same as (sample, dataset, D): all coordinates of each dataset."""
        parts = []
        for name, drawn in zip(self.latents, self._drawn, strict=True):
            moved = np.moveaxis(drawn, 1 + self._axis(name), 1)
            parts.append(moved.reshape(*moved.shape[:2], -1))
        return np.concatenate(parts, axis=-1)

    def _as_latents(self, points: FloatArray) -> list[FloatArray]:
        """Points (Q, dataset, D) in the shapes of the latents."""
        latents, start = [], 0
        for name, drawn in zip(self.latents, self._drawn, strict=True):
            axis = self._axis(name)
            moved = np.moveaxis(drawn, 1 + axis, 1)
            size = math.prod(moved.shape[2:])
            part = points[..., start : start + size].reshape(len(points), *moved.shape[1:])
            latents.append(np.ascontiguousarray(np.moveaxis(part, 1, 1 + axis)))
            start += size
        return latents

    # the rule -----------------------------------------------------------------------------------

    @cached_property
    def _rule(self) -> tuple[list[FloatArray], FloatArray]:
        """Points and log weights of the first rule that the next one agrees with."""
        x = self._coordinates()
        self._check_separate(x)
        one = x.shape[-1] == 1
        number, most = (_FEWEST, _MOST) if one else (_FEWEST_SEVERAL, _MOST_SEVERAL)
        agree = _AGREE_ONE if one else _AGREE_SEVERAL
        every = self._shared(self.fitted)
        step = max(1, len(x) // _TRIED)
        tried = [column[::step] for column in every]
        rule = self._rule_of(x, number)
        before = self._evaluated(tried, *rule)
        while True:
            finer = self._rule_of(x, 2 * number)
            after = self._evaluated(tried, *finer)
            off = float(np.abs(after - before).max())
            if off <= agree:
                return finer
            number *= 2
            if number >= most:
                raise BayescompareError(
                    f"LATENT={', '.join(self.latents)}: integrating it out does not settle (two "
                    f"rules differ by {statistic_number_text(off, significant=2)} nats); declare "
                    "log_likelihood(posterior, results) instead."
                )
            rule, before = finer, after

    def _rule_of(self, x: FloatArray, number: int) -> tuple[list[FloatArray], FloatArray]:
        points, weights = (
            _trapezoid_integration_points if x.shape[-1] == 1 else _importance_integration_points
        )(x, number)
        return self._as_latents(points), weights

    def _evaluated(
        self, shared: list[FloatArray], points: Sequence[FloatArray], weights: FloatArray
    ) -> FloatArray:
        """Log of the integral (sample, dataset)."""
        density, rows = self._density, []
        with np.errstate(all="ignore"):
            for row in _integration_rows(
                shared, len(self.fitted["draw"]) * len(self.fitted["chain"])
            ):
                prior, likelihood = density(*row, *points)
                rows.append(logsumexp(prior + likelihood + weights, axis=0))
        return np.stack(rows)

    def _check_separate(self, x: FloatArray) -> None:
        """Refuse a likelihood of a dataset that depends on the latents of others."""
        row = [column[0] for column in self._shared(self.fitted)]
        moved = x[[0]].copy()
        moved[:, ::2] = x[[-1], ::2]
        plain, other = (self._density(*row, *self._as_latents(v))[1] for v in (x[[0]], moved))
        stayed = np.isclose(plain[0, 1::2], other[0, 1::2], rtol=1e-9, atol=1e-9)
        if not stayed.all():
            names = [str(n) for n in list(self.model.coords["dataset"])[1::2]]
            wrong = [name for name, ok in zip(names, stayed, strict=True) if not ok]
            raise BayescompareError(
                f"LATENT={', '.join(self.latents)}: the likelihood of {join_names(wrong, most=3)} "
                "depends on the latents of other datasets, so it cannot be integrated alone."
            )


def _integration_rows(columns: list[FloatArray], number: int) -> Any:
    return zip(*columns, strict=True) if columns else ([] for _ in range(number))


def _trapezoid_integration_points(x: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Points (Q, n, 1), dense where the draws are and far beyond them, with log weights.

    The trapezoidal rule in t, for u = mean + sd sinh t.
    """
    t = np.linspace(-_REACH, _REACH, number)[:, None]
    centre, spread = x[..., 0].mean(axis=0), np.maximum(x[..., 0].std(axis=0), 1e-8)
    step = t[1] - t[0]
    points, weights = centre + spread * np.sinh(t), np.log(spread * np.cosh(t) * step)
    return points[..., None], weights


def _importance_integration_points(x: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Quasi-random points (Q, n, D) of a Student-t for each dataset, with log weights."""
    from scipy.stats import chi2, multivariate_t, qmc

    d = x.shape[-1]
    unit = qmc.Sobol(d + 1, seed=np.random.default_rng(0)).random(number)
    z = ndtri(np.clip(unit[:, :d], 1e-12, 1.0 - 1e-12))
    z /= np.sqrt(chi2.ppf(np.clip(unit[:, d:], 1e-12, 1.0), _FREEDOM) / _FREEDOM)
    points, weights = [], []
    for i in range(x.shape[1]):
        centre = x[:, i].mean(axis=0)
        spread = _WIDER**2 * np.atleast_2d(np.cov(x[:, i].T)) + 1e-12 * np.eye(d)
        own = centre + z @ np.linalg.cholesky(spread).T
        points.append(own)
        weights.append(-multivariate_t.logpdf(own, centre, spread, _FREEDOM) - math.log(number))
    return np.stack(points, axis=1), np.stack(weights, axis=1)
