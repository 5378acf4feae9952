"""Numerical tools for all models: compilation, quadrature, gamma functions, orthants."""
