"""The job in autorank: compare eight classifiers on auc. Writes output/autorank*."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import pandas as pd
from autorank import autorank, create_report

HERE = Path(__file__).parent

# start: shown on the page
table = pd.read_csv(HERE.parents[1] / "bayescompare" / "data" / "jansen_uci.csv")
auc = table.pivot(index="dataset", columns="algorithm", values="auc")

result = autorank(auc, alpha=0.05, order="descending")
create_report(result)
print(result.rankdf[["meanrank", "median", "ci_lower", "ci_upper", "effect_size"]])

bayes = autorank(
    auc, approach="bayesian", rope=0.01, rope_mode="absolute", nsamples=10_000, random_state=1
)
print(bayes.rankdf[["median", "p_equal", "p_smaller", "decision"]])
# end
result.rankdf[["meanrank"]].assign(pvalue=result.pvalue, cd=result.cd).to_csv(
    HERE / "output" / "autorank_frequentist.csv"
)
bayes.posterior_matrix.stack().apply(pd.Series).to_csv(HERE / "output" / "autorank_bayesian.csv")
