"""The classical tests, with their p-values."""
