"""A context of many datasets: error counts, replicates, and how often the first is better."""
