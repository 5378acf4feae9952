"""Bayesian networks over measures: scores, graphs, and statements under a graph."""
