"""The decorator of all compiled kernels, which caches them on disk where that is possible.

numba refuses to cache if neither the package's folder nor the user's is writable, and fails if the
disk is full; without a cache a kernel is just as correct, only slower to start.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit

__all__ = ["jit"]


def jit[F: Callable[..., Any]](**options: Any) -> Callable[[F], F]:
    """Compile a kernel in nopython mode, with `options` for `numba.njit`."""

    def compiled(function: F) -> F:
        try:
            kernel = njit(cache=True, **options)(function)
        except RuntimeError:  # "no locator available": nowhere to keep the cache
            return njit(**options)(function)  # type: ignore[no-any-return]
        _forgive_jit_saving(kernel)
        return kernel  # type: ignore[no-any-return]

    return compiled


def _forgive_jit_saving(kernel: Any) -> None:
    """Let a compiled kernel be used even if it cannot be saved to the cache."""
    save = kernel._cache.save_overload

    def save_if_possible(signature: Any, compiled: Any) -> None:
        with suppress(OSError):
            save(signature, compiled)

    kernel._cache.save_overload = save_if_possible
