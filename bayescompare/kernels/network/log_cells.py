r"""The logarithm of a Beta cell above its rival: truncated characteristic functions.

A row of a binary measure's table is :math:`(p, 1 - p)` with p ~ Beta(a, b). For thresholds t of its
log odds :math:`z = \log p - \log(1 - p)` and frequencies ω,

.. math:: A_0(t, ω) = E[e^{iω \log p};\, z > t], \qquad
          A_1(t, ω) = E[e^{iω \log (1 - p)};\, z < t].

The density of z is log-concave and analytic, so Gauss–Legendre panels between the thresholds are
enough, however small the shapes: beyond log odds of ±40 the logarithm is 0 but for rounding, and
what lies there is an atom.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import betainc, expit

from bayescompare._typing import AnyArray, FloatArray
from bayescompare.kernels.numerics.jit import jit

__all__ = ["log_odds_range", "truncated_log_cells"]

#: Log odds beyond which log p is 0 but for rounding.
_CLIP = 40.0
#: What is this far below the peak of a log density is left out: 2e-16 of it.
_NEGLIGIBLE = -36.0
#: Panels are at most this wide; the density is analytic within π of the real line.
_WIDEST = 2.0
#: Square of a panel's width times the curvature of the log density, at most.
_BENT = 4.0


def log_odds_range(a: float, b: float, clip: float = _CLIP) -> tuple[float, float]:
    """Where the log odds of Beta(a, b) are, but for 1e-15 of their mass, within ±40 or ±clip."""
    return _range(a, b, max(clip, _CLIP))


def truncated_log_cells(
    a: float, b: float, thresholds: FloatArray, step: float, count: int, nodes: int
) -> AnyArray:
    """Return A_0 and A_1 at all thresholds and frequencies: complex, (2, thresholds, count).

    Parameters
    ----------
    a, b : float
        Shapes of the cell and of its rival.
    thresholds : array (K,)
        Log odds, ascending and evenly spaced.
    step : float
        Frequencies are 0, step, 2·step, …
    count : int
        How many of them.
    nodes : int
        Nodes of the quadrature between two thresholds; panels beyond them have twice as many.

    Examples
    --------
    At frequency 0 they are probabilities; a fair cell is above its rival half of the time:

    >>> truncated_log_cells(2.0, 2.0, np.zeros(1), 1.0, 1, 8).real.round(9).ravel()
    array([0.5, 0.5])
    """
    clip = max(_CLIP, 1.0 + float(np.abs(thresholds).max()))
    beyond = expit(-clip)
    atoms = np.array([betainc(b, a, beyond), betainc(a, b, beyond)])
    return _transforms(
        a,
        b,
        thresholds,
        step,
        count,
        clip,
        atoms,
        _panel(nodes),
        _panel(2 * nodes),
    )


@cache
def _panel(nodes: int) -> FloatArray:
    return np.stack(np.polynomial.legendre.leggauss(nodes))


@jit()
def _softplus(z: float) -> float:
    return z + math.log1p(math.exp(-z)) if z > 0.0 else math.log1p(math.exp(z))


@jit()
def _log_density(z: float, peak: float, a: float, b: float) -> float:
    """Log density of the log odds, relative to that at `peak`.

    Near the peak the terms of first order cancel exactly: at shapes of 1e9 the rest is what counts.
    """
    y = z - peak
    if abs(y) < 1.0:
        return a * y - (a + b) * math.log1p(math.expm1(y) / (1.0 + math.exp(-peak)))
    return a * y - (a + b) * (_softplus(z) - _softplus(peak))


@jit()
def _peak(a: float, b: float, clip: float) -> float:
    return min(max(math.log(a) - math.log(b), -clip), clip)


@jit()
def _end(peak: float, far: float, a: float, b: float) -> float:
    """Where the log density has become negligible on the way from the peak, at most `far`."""
    if _log_density(far, peak, a, b) > _NEGLIGIBLE:
        return far
    near = peak
    for _ in range(60):
        middle = 0.5 * (near + far)
        if _log_density(middle, peak, a, b) > _NEGLIGIBLE:
            near = middle
        else:
            far = middle
    return far


@jit()
def _range(a: float, b: float, clip: float) -> tuple[float, float]:
    peak = _peak(a, b, clip)
    return _end(peak, -clip, a, b), _end(peak, clip, a, b)


@jit()
def _panel_width(z: float, sign: float, total: float) -> float:
    """How far a panel may reach from z, upwards or downwards, so that the density bends little."""
    width = _WIDEST
    while True:
        end = z + sign * width
        near = 0.0 if z * end <= 0.0 else min(abs(z), abs(end))
        odds = math.exp(-near)
        if width * width * total * odds / (1.0 + odds) ** 2 <= _BENT:
            return width
        width *= 0.7


@jit(fastmath={"reassoc", "contract"})
def _add_panel(
    low: float,
    high: float,
    shape: tuple[float, float, float],
    step: float,
    state: int,
    panel: FloatArray,
    work: FloatArray,
    out: AnyArray,
) -> float:
    """Add one panel's part of A_state at every frequency; return its mass.

    Powers of e^{i·step·u} are multiplied up, all nodes of the panel side by side.
    """
    peak, a, b = shape
    node, weight = panel
    half = 0.5 * (high - low)
    real, imaginary, cosine, sine = work
    mass = 0.0
    for q in range(len(node)):
        z = low + half * (1.0 + node[q])
        real[q] = half * weight[q] * math.exp(_log_density(z, peak, a, b))
        imaginary[q] = 0.0
        mass += real[q]
        u = -_softplus(-z) if state == 0 else -_softplus(z)
        cosine[q], sine[q] = math.cos(step * u), math.sin(step * u)
    for j in range(len(out)):
        x, y = 0.0, 0.0
        for q in range(len(node)):
            re, im = real[q], imaginary[q]
            x += re
            y += im
            real[q] = re * cosine[q] - im * sine[q]
            imaginary[q] = re * sine[q] + im * cosine[q]
        out[j] += complex(x, y)
    return mass


@jit()
def _transforms(
    a: float,
    b: float,
    t: FloatArray,
    step: float,
    count: int,
    clip: float,
    atoms: FloatArray,
    between: FloatArray,
    beyond: FloatArray,
) -> AnyArray:
    last = len(t) - 1
    left, right = _range(a, b, clip)
    shape = (_peak(a, b, clip), a, b)
    work = np.empty((4, beyond.shape[1]))
    out = np.zeros((2, len(t), count), dtype=np.complex128)
    gap = t[1] - t[0] if last > 0 else 0.25
    total = 0.0
    # Outwards from the thresholds, panels grow with their distance from them.
    z, walked = min(t[0], right), max(0.0, t[0] - right)
    while z > left:
        low = max(left, z - min(_panel_width(z, -1.0, a + b), max(gap, walked)))
        total += _add_panel(low, z, shape, step, 1, beyond, work, out[1, 0])
        walked += z - low
        z = low
    z, walked = max(t[last], left), max(0.0, left - t[last])
    while z < right:
        high = min(right, z + min(_panel_width(z, 1.0, a + b), max(gap, walked)))
        total += _add_panel(z, high, shape, step, 0, beyond, work, out[0, last])
        walked += high - z
        z = high
    for k in range(last):
        z, end = max(t[k], left), min(t[k + 1], right)
        while z < end:
            high = min(end, z + _panel_width(z, 1.0, a + b))
            total += _add_panel(z, high, shape, step, 0, between, work, out[0, k])
            _add_panel(z, high, shape, step, 1, between, work, out[1, k + 1])
            z = high
    scale = _scale(shape, total, atoms[0] + atoms[1])
    for k in range(last + 1):
        for j in range(count):
            # The logarithm of the atom's cell is 0, its transform 1.
            above = out[0, last - k + 1, j] if k > 0 else complex(atoms[0], 0.0)
            out[0, last - k, j] = scale * out[0, last - k, j] + above
            below = out[1, k - 1, j] if k > 0 else complex(atoms[1], 0.0)
            out[1, k, j] = scale * out[1, k, j] + below
    return out


@jit()
def _scale(shape: tuple[float, float, float], total: float, atoms: float) -> float:
    """What turns the panels' relative masses into probabilities.

    Their sum is known, which keeps the digits that log Γ loses at large shapes; where the atoms
    have most of the mass the shapes are small, and log Γ has all its digits.
    """
    if atoms < 0.5:
        return (1.0 - atoms) / total
    peak, a, b = shape
    log_beta = math.lgamma(1.0 + a) + math.lgamma(1.0 + b) - math.lgamma(1.0 + a + b)
    log_beta += math.log(a + b) - math.log(a) - math.log(b)
    return math.exp(a * peak - (a + b) * _softplus(peak) - log_beta)
