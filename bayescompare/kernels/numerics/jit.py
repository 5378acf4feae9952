"""The decorator of all compiled kernels, which caches them on disk where that is possible.

numba refuses to cache if neither the package's folder nor the user's is writable, fails if the
disk is full or a file is damaged, and looks only at the file of a kernel, not at those of the
kernels which it calls. Without a cache a kernel is just as correct, only slower to start.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import IndexDataCacheFile


def jit[F: Callable[..., Any]](**options: Any) -> Callable[[F], F]:
    """Compile a kernel in nopython mode, with `options` for `numba.njit`."""

    def compiled(function: F) -> F:
        try:
            kernel = njit(cache=True, **options)(function)
        except RuntimeError:  # "no locator available": nowhere to keep the cache
            return njit(**options)(function)  # type: ignore[no-any-return]
        _trust_jit_cache_in_part(kernel._cache)
        return kernel  # type: ignore[no-any-return]

    return compiled


def _trust_jit_cache_in_part(cache: Any) -> None:
    """Let a kernel be compiled if its cached code is damaged or stale, and used if not saved."""
    stamp = (cache._impl.locator.get_source_stamp(), _digest_of_kernels())
    files: Any = _SealedFiles  # numba's own have no types
    cache._cache_file = files(cache.cache_path, cache._impl.filename_base, stamp)
    load, save = cache.load_overload, cache.save_overload

    def load_if_sound(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # damaged bytes raise anything when they are unpickled
            with suppress(OSError):
                cache.flush()
            return None

    def save_if_possible(signature: Any, compiled: Any) -> None:
        with suppress(OSError):
            save(signature, compiled)

    cache.load_overload, cache.save_overload = load_if_sound, save_if_possible


class _SealedFiles(IndexDataCacheFile):
    """Files whose machine code bears a seal: LLVM would crash on code with a wrong byte.

    The seal covers the sources too. The index is replaced before the code, and where a process
    ends in between, the index of the new sources leads to the code of the old ones.
    """

    def _save_data(self, name: str, data: Any) -> None:
        code = self._dump(data)  # type: ignore[no-untyped-call]
        super()._save_data(name, (self._jit_seal(code), code))  # type: ignore[no-untyped-call]

    def _load_data(self, name: str) -> Any:
        seal, code = super()._load_data(name)  # type: ignore[no-untyped-call]
        if seal != self._jit_seal(code):
            raise ValueError(f"{name} is damaged")
        return pickle.loads(code)

    def _jit_seal(self, code: bytes) -> bytes:
        return hashlib.sha256(repr(self._source_stamp).encode() + code).digest()


@functools.cache
def _digest_of_kernels() -> bytes:
    """Return a digest of the sources of all kernels, any of which may be part of any other."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    # An editor's lock looks like a source, and is a link to nowhere.
    sources = (path.read_bytes() for path in files if path.is_file())
    return hashlib.sha256(b"".join(sources)).digest()
