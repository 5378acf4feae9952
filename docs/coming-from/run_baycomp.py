"""The job in baycomp: two classifiers over datasets, and over folds. Writes output/baycomp.csv."""

from pathlib import Path

import baycomp
import pandas as pd

HERE = Path(__file__).parent

# start: shown on the page
table = pd.read_csv(HERE.parents[1] / "bayescompare" / "data" / "jansen_uci.csv")
auc = table.pivot(index="dataset", columns="algorithm", values="auc")
folds = pd.read_csv(HERE / "folds.csv")

gbm, glm = auc["GBM"].to_numpy(), auc["GLM"].to_numpy()
signed = baycomp.SignedRankTest.probs(gbm, glm, rope=0.01, random_state=1)
sign = baycomp.SignTest.probs(gbm, glm, rope=0.01, random_state=1)
answers = {"signed rank": signed, "sign": sign}

# The same in thousandths: whole numbers, so a difference of exactly the rope is exact.
gbm, glm = (gbm * 1000).round(), (glm * 1000).round()
answers["signed rank, thousandths"] = baycomp.SignedRankTest.probs(gbm, glm, 10, random_state=1)
answers["sign, thousandths"] = baycomp.SignTest.probs(gbm, glm, 10, random_state=1)
answers = pd.DataFrame(answers, ["GBM", "equivalent", "GLM"]).T
print(answers.round(3), end="\n\n")

rows = {}
for dataset, scores in folds.groupby("dataset"):
    wide = scores.pivot(index="fold", columns="algorithm", values="accuracy")
    rows[dataset] = baycomp.CorrelatedTTest.probs(
        wide["bayes"].to_numpy(), wide["logistic"].to_numpy(), rope=0.01, runs=1
    )
folded = pd.DataFrame(rows, ["bayes", "equivalent", "logistic"]).T
print(folded.round(3))
# end
columns = ["first", "equivalent", "second"]
pd.concat([answers.set_axis(columns, axis=1), folded.set_axis(columns, axis=1)]).to_csv(
    HERE / "output" / "baycomp.csv", index_label="job"
)
