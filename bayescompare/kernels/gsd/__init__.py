"""Generalised stochastic dominance: the preference system, its optima and their tests."""
