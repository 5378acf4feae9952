"""The job in scikit-posthocs: Friedman, then pairs. Writes output/posthocs*."""

from pathlib import Path

import pandas as pd
import scikit_posthocs as sp
from scipy import stats

HERE = Path(__file__).parent

# start: shown on the page
table = pd.read_csv(HERE.parents[1] / "bayescompare" / "data" / "jansen_uci.csv")

auc = table.pivot(index="dataset", columns="algorithm", values="auc")
chi2, p = stats.friedmanchisquare(*auc.to_numpy().T)
print(f"Friedman: chi2 = {chi2:.3f}, p = {p:.2g}")
nemenyi = sp.posthoc_nemenyi_friedman(auc)
print(nemenyi.round(4), end="\n\n")

wilcoxon = sp.posthoc_wilcoxon(
    table, val_col="auc", group_col="algorithm", p_adjust="holm", sort=True
)
print(wilcoxon.round(4))
# end
nemenyi.to_csv(HERE / "output" / "posthocs_nemenyi.csv")
wilcoxon.to_csv(HERE / "output" / "posthocs_wilcoxon.csv")
