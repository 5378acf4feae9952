"""The one decorator of compiled kernels: cached on disk where that can be, compiled anew elsewhere.

numba refuses to cache where neither the package's folder nor the user's can be written, and would
fail with the disk full; a kernel is as right without its cache, only slower to start.
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
        _forgive_saving(kernel)
        return kernel  # type: ignore[no-any-return]

    return compiled


def _forgive_saving(kernel: Any) -> None:
    """Let a kernel that was compiled be used even when it cannot be kept."""
    save = kernel._cache.save_overload

    def save_if_possible(signature: Any, compiled: Any) -> None:
        with suppress(OSError):
            save(signature, compiled)

    kernel._cache.save_overload = save_if_possible
