"""Names of array types, for annotations; it imports nothing but numpy, so kernels may use it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
StrArray = NDArray[np.str_]
#: Indices into the very large tables of the dominance kernels, where 64 bits would double them.
Int32Array = NDArray[np.int32]
