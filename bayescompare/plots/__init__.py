"""Pictures of comparisons, one file per plot; each returns the matplotlib Axes it drew on.

The plots leave matplotlib's settings alone. With ``ax=`` they draw on that Axes only; without it
they open a new pyplot figure, as large as the content needs.
"""

from __future__ import annotations

from bayescompare.plots.critical import plot_critical
from bayescompare.plots.dispatch import plot_comparison, plot_pairwise
from bayescompare.plots.dominance import plot_dominance
from bayescompare.plots.front import plot_front
from bayescompare.plots.gate import plot_gate
from bayescompare.plots.growth import plot_growth
from bayescompare.plots.matrix import plot_matrix
from bayescompare.plots.network import plot_network
from bayescompare.plots.order import plot_order
from bayescompare.plots.places import plot_places
from bayescompare.plots.plan import plot_plan
from bayescompare.plots.prior import plot_beliefs, plot_prior, plot_prior_predictive
from bayescompare.plots.ranking import plot_ranking
from bayescompare.plots.ranks import plot_ranks
from bayescompare.plots.relation import plot_relation
from bayescompare.plots.robustness import plot_robustness
from bayescompare.plots.sensitivity import plot_sensitivity
from bayescompare.plots.shrinkage import plot_shrinkage
from bayescompare.plots.simplex import plot_simplex
from bayescompare.plots.statements import plot_statements
from bayescompare.plots.success import plot_success
from bayescompare.plots.weights import plot_weights

__all__ = [
    "plot_beliefs",
    "plot_comparison",
    "plot_critical",
    "plot_dominance",
    "plot_front",
    "plot_gate",
    "plot_growth",
    "plot_matrix",
    "plot_network",
    "plot_order",
    "plot_pairwise",
    "plot_places",
    "plot_plan",
    "plot_prior",
    "plot_prior_predictive",
    "plot_ranking",
    "plot_ranks",
    "plot_relation",
    "plot_robustness",
    "plot_sensitivity",
    "plot_shrinkage",
    "plot_simplex",
    "plot_statements",
    "plot_success",
    "plot_weights",
]
