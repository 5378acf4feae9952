"""Statements that are themselves uncertain: evidence of each dataset, and the counts behind θ."""
