"""The mathematics, on arrays alone: numpy, scipy and numba, but no names, PyMC or plotting."""
