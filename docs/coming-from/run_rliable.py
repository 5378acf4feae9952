"""The job in rliable: three agents, twelve tasks, ten seeds. Writes output/rliable.csv."""

from pathlib import Path

import numpy as np
import pandas as pd
from rliable import library, metrics

HERE = Path(__file__).parent

# start: shown on the page
table = pd.read_csv(HERE / "seeds.csv")

scores = {  # runs × tasks for each agent
    agent: rows.pivot(index="seed", columns="task", values="score").to_numpy()
    for agent, rows in table.groupby("agent")
}


def aggregates(x):
    return np.array([metrics.aggregate_mean(x), metrics.aggregate_iqm(x)])


np.random.seed(1)  # noqa: NPY002 - rliable draws from numpy's global generator
frames = []
for tasks in (False, True):
    points, intervals = library.get_interval_estimates(
        scores, aggregates, reps=2000, task_bootstrap=tasks
    )
    for agent in scores:
        low, high = intervals[agent]
        for k, name in enumerate(["mean", "IQM"]):
            frames.append((agent, name, tasks, points[agent][k], low[k], high[k]))

pairs = {
    f"{a},{b}": (scores[a], scores[b])
    for a, b in [("keen", "calm"), ("keen", "bold"), ("bold", "calm")]
}
improvement, bounds = library.get_interval_estimates(
    pairs, metrics.probability_of_improvement, reps=2000
)
for pair in pairs:
    low, high = np.ravel(bounds[pair])
    frames.append((pair, "P(improvement)", False, improvement[pair], low, high))

columns = ["agent", "aggregate", "tasks resampled", "estimate", "lower", "upper"]
answers = pd.DataFrame(frames, columns=columns)
print(answers.round(3).to_string(index=False))
# end
answers.to_csv(HERE / "output" / "rliable.csv", index=False)
