"""Leaderboards: the widened Bayesian bootstrap, places, fronts and utilities."""
