"""Posteriors of θ: what one can be asked is written once."""
