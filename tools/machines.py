"""Run the tests that hold stored figures as other processors would: ``python tools/machines.py``.

A last digit of exp, log or a sum may differ on another machine. Each setting below hides a part of
this processor from numpy, from the C library (and so from scipy.special), from OpenBLAS or from
numba. What numpy, the C library or OpenBLAS does not understand in a setting, it ignores.
So a probe computes some bits first, and they must change where the processor has what is hidden.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__ as DISPATCHED  # type: ignore[import-not-found]
from numpy._core._multiarray_umath import __cpu_features__ as FEATURES

ROOT = Path(__file__).resolve().parents[1]
#: Tests that compare with figures which were computed elsewhere: saved files, papers, pictures,
#: documentation, docstrings.
STORED = (
    "tests/test_saved_files.py",
    "tests/test_golden.py",
    "tests/test_readme.py",
    "tests/test_tutorial54.py",
    "tests/plots/test_images.py",
    "tests/reproduction/test_reproduce.py",
    "tests/methods/classic/test_published.py",
    "tests/methods/gsd/test_published.py",
    "bayescompare",
)
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
GLIBC = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"
INTEL = platform.machine() in ("x86_64", "AMD64")


def openblas_core() -> str:
    """Return whose kernels numpy's own OpenBLAS takes here; nothing where it is another library."""
    for library in (Path(np.__file__).parents[1] / "numpy.libs").glob("libscipy_openblas64_*"):
        name = ctypes.CDLL(str(library)).scipy_openblas_get_corename64_
        name.restype = ctypes.c_char_p
        return str(name().decode())
    return ""


#: Variables of each setting, the part of the probe that it changes, and whether it can do so here.
SETTINGS: dict[str, tuple[dict[str, str], str, bool]] = {
    "one thread": ({}, "", False),
    "four threads": (dict.fromkeys(ONE_THREAD, "4"), "", False),
    **{
        f"numpy without {names}": (
            {"NPY_DISABLE_CPU_FEATURES": names},
            "numpy",
            all(name in DISPATCHED and FEATURES[name] for name in names.split()),
        )
        for names in ("X86_V4", "X86_V4 X86_V3")
    },
    "glibc without AVX2": (
        {"GLIBC_TUNABLES": GLIBC},
        "scipy",
        platform.libc_ver()[0] == "glibc" and FEATURES.get("FMA3", False),
    ),
    # Where OpenBLAS takes Haswell's kernels by itself, as on some processors with AVX-512, nothing
    # can change.
    "OpenBLAS for Haswell": (
        {"OPENBLAS_CORETYPE": "Haswell"},
        "blas",
        openblas_core() not in ("", "Haswell", "Zen"),
    ),
    "numba for any processor": ({"NUMBA_CPU_NAME": "generic"}, "", False),
}


def probe() -> dict[str, str]:
    """Digests of bits that numpy, scipy.special and a product of matrices give here."""
    from scipy import special

    rng = np.random.default_rng(0)
    # Sizes that no block of a product divides; blocks alone are summed alike everywhere.
    x, left, right = rng.gamma(1.0, 5.0, 20_001), *rng.normal(size=(2, 37, 53))
    bits = {
        "numpy": [np.exp(-x), np.log(x), np.sin(x), np.tanh(x), np.log1p(x)],
        "scipy": [special.gammaln(x), special.betainc(x, x[::-1], 0.3), special.expit(-x)],
        "blas": [x @ np.log(x), left.T @ right],
    }
    joined = {k: b"".join(np.asarray(one).tobytes() for one in v) for k, v in bits.items()}
    return {k: hashlib.sha256(v).hexdigest()[:12] for k, v in joined.items()}


def run(environment: dict[str, str], *arguments: str) -> tuple[int, str, float]:
    """Start this Python under a setting: exit code, output, seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | ONE_THREAD | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, spent


def main(tests: list[str]) -> int:
    """Probe and test under every setting; the number of settings that failed."""
    failed = 0
    plain = probe_under({})
    for title, (variables, part, must_change) in SETTINGS.items():
        with tempfile.TemporaryDirectory() as cache:
            # numba does not tell code for one processor from code for another in every case.
            own = variables | ({"NUMBA_CACHE_DIR": cache} if "NUMBA_CPU_NAME" in variables else {})
            changed = [k for k, v in probe_under(own).items() if v != plain[k]]
            code, output, spent = run(own, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
        ignored = must_change and part not in changed
        failed += bool(code or ignored)
        if code:
            print(output)
        told = "the setting changed nothing, " if ignored else ""
        told += f"other bits of {', '.join(changed) or 'nothing'}"
        if part and not must_change:
            told += " (the processor lacks what it hides)"
        print(
            f"{title}: {'FAILED' if code or ignored else 'passed'} in {spent:.0f} s; {told}",
            flush=True,
        )
    return failed


def probe_under(environment: dict[str, str]) -> dict[str, str]:
    """Return the digests that a new process computes under a setting."""
    code, output, _ = run(environment, __file__, "probe")
    if code:
        raise SystemExit(f"the probe ended with {code} under {environment}:\n{output}")
    digests: dict[str, str] = json.loads(output.splitlines()[-1])
    return digests


if __name__ == "__main__":
    if sys.argv[1:] == ["probe"]:
        print(json.dumps(probe()))
    else:
        sys.exit(min(main(sys.argv[1:] or list(STORED)), 1))
