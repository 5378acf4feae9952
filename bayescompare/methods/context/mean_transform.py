r"""A mean advantage as NUTS sees it, in the form of the correlated t-test that has every mean.

The prior density :math:`\theta_{s(\mu)}` of a mean advantage jumps from statement to statement, at
which NUTS would stall. Take a logistic density g with the centre and about the width of what the
replicates say of :math:`\mu`, weight it by the shares, and let

.. math:: \nu = \frac{1}{Z(\theta)} \int_{-\infty}^{\mu} \theta_{s(m)}\,g(m)\,dm , \qquad
          Z(\theta) = \sum_s \theta_s \int_s g .

The logit of :math:`\nu` then has density :math:`\nu(1-\nu)\,Z(\theta)\,p(x \mid \mu)/g(\mu)`:
continuous, close to logistic, and almost independent of :math:`\theta` but for :math:`Z`, which is
about what the dataset says of the shares. With equal shares the map is linear.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from bayescompare._typing import FloatArray

__all__ = ["mean_transform"]

#: Scale of a logistic as wide as a Student-t of scale 1 with a few degrees of freedom.
_WIDTH = 0.65
_TINY, _BELOW_ONE = 1e-300, 1.0 - 2.0**-53


def mean_transform(rope: float, location: FloatArray, scale: FloatArray) -> Any:
    """Return the PyMC transform of the mean advantages, whose last parameter is θ."""
    import pytensor.tensor as pt
    from pymc.logprob.transforms import Transform

    reference = _MeanReference(rope, location, _WIDTH * scale)

    class ReweightedLogistic(Transform):  # type: ignore[misc]
        name = "reweighted"
        ndim_supp = 0

        def forward(self, value: Any, *inputs: Any) -> Any:
            return reference.to_logit(value, inputs[-1])

        def backward(self, value: Any, *inputs: Any) -> Any:
            standard, _ = reference.from_logit(value, inputs[-1])
            return location + reference.width * standard

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:
            theta = inputs[-1]
            standard, own = reference.from_logit(value, theta)
            logs = _log_logistic_mean_transform(value) - _log_logistic_mean_transform(standard)
            return logs + np.log(reference.width) + pt.log(reference.total(theta) / own)

    return ReweightedLogistic()


def _log_logistic_mean_transform(x: Any) -> Any:
    """Log density of the standard logistic distribution."""
    import pytensor.tensor as pt

    return -pt.softplus(x) - pt.softplus(-x)


class _MeanReference:
    """The logistic densities of the datasets, and their masses below, within and above the rope."""

    def __init__(self, rope: float, location: FloatArray, width: FloatArray) -> None:
        self.rope, self.location, self.width = rope, location, width
        low, high = (-rope - location) / width, (rope - location) / width
        self.below, self.above = expit(low), expit(-high)
        # The difference of the smaller tails.
        right = low + high < 0
        self.within = np.where(right, expit(-low) - self.above, expit(high) - self.below)
        # The middle is measured from the end at which the masses are small.
        self._from_above = right

    def total(self, theta: Any) -> Any:
        """Z: the mass of each dataset, weighted by the shares."""
        up, middle, down = self._shares(theta)
        return down * self.below + middle * self.within + up * self.above

    def _shares(self, theta: Any) -> tuple[Any, Any, Any]:
        return theta[..., 0], theta[..., 1] if self.rope else 1.0, theta[..., -1]

    def to_logit(self, value: Any, theta: Any) -> Any:
        """The logit of ν."""
        import pytensor.tensor as pt

        up, middle, down = self._shares(theta)
        standard, total = (value - self.location) / self.width, self.total(theta)
        lower, upper = pt.sigmoid(standard), pt.sigmoid(-standard)
        below = down * lower / total
        above = up * upper / total
        within = (down * self.below + middle * (lower - self.below)) / total
        return pt.switch(
            value > self.rope,
            pt.log1p(-above) - pt.log(above),
            pt.switch(
                value < -self.rope,
                _logit_in_mean_transform(below),
                _logit_in_mean_transform(within),
            ),
        )

    def from_logit(self, value: Any, theta: Any) -> tuple[Any, Any]:
        """The standardised mean advantage, and the share of its statement."""
        import pytensor.tensor as pt

        up, middle, down = self._shares(theta)
        total = self.total(theta)
        lower, upper = total * pt.sigmoid(value), total * pt.sigmoid(-value)
        in_below, in_above = lower < down * self.below, upper < up * self.above
        below = _logit_in_mean_transform(_clip_in_mean_transform(lower / down, 0.0, self.below))
        above = -_logit_in_mean_transform(_clip_in_mean_transform(upper / up, 0.0, self.above))
        if not self.rope:
            # Rounding may leave a value on neither side of the boundary.
            return pt.switch(in_below, below, above), pt.switch(in_below, down, up)
        first = self.below + (lower - down * self.below) / middle
        second = self.above + (upper - up * self.above) / middle
        inner = pt.switch(
            self._from_above,
            -_logit_in_mean_transform(
                _clip_in_mean_transform(second, self.above, self.above + self.within)
            ),
            _logit_in_mean_transform(
                _clip_in_mean_transform(first, self.below, self.below + self.within)
            ),
        )
        standard = pt.switch(in_above, above, pt.switch(in_below, below, inner))
        return standard, pt.switch(in_above, up, pt.switch(in_below, down, middle))


def _logit_in_mean_transform(p: Any) -> Any:
    import pytensor.tensor as pt

    return pt.log(p) - pt.log1p(-p)


def _clip_in_mean_transform(x: Any, low: Any, high: Any) -> Any:
    """Keep a branch that is not taken where its logarithms, and their slopes, are finite."""
    import pytensor.tensor as pt

    low = np.clip(low, _TINY, _BELOW_ONE)
    return pt.clip(x, low, np.clip(high, low, _BELOW_ONE))
