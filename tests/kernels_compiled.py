"""Small questions that compile the kernels: two workers compile one half each, and find both."""

from __future__ import annotations

import numpy as np


def compile_gsd() -> None:
    """Compile the linear programmes of generalised stochastic dominance, the largest part."""
    import bayescompare as bc

    table = bc.load_example("jansen-uci")
    bc.compare(table, method=bc.methods.GSD(permutations=20), algorithms=["GBM", "CART"], rng=0)


def compile_others() -> None:
    """Compile graphs, error rates and count vectors."""
    import bayescompare as bc
    from bayescompare.kernels.replicated.gibbs import gibbs_counts
    from bayescompare.posterior.dirichlet import DirichletMixture
    from bayescompare.prior import DirichletPrior
    from tests.posterior.test_rows import evidence_of

    table = bc.load_example("benavoli-example1")
    bc.compare(table, method=bc.methods.Network(average=True), rng=0)
    bc.compare(bc.load_example("lacoste-svm-parzen"), method="hierarchical", rng=0)
    logs = np.random.default_rng(0).normal(size=(1, 5, 4))
    DirichletMixture.of(evidence_of(logs), DirichletPrior.symmetric(0.25, 4)).per_dataset()
    gibbs_counts(logs, np.full(4, 0.25), np.random.default_rng(0), draws=2, warmup=1, chains=1)
