"""Numbers only: numpy, scipy and numba in, arrays out. No names, no PyMC, no plotting."""
