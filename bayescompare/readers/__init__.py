"""Readers of what other tools write, one file per tool; none of the tools is imported."""
