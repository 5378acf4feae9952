"""The table: read, checked once, kept. `results.Results` and the counts and frames beside it."""
