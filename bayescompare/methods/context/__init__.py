"""A context of many datasets: how often is the first algorithm better, and where."""
