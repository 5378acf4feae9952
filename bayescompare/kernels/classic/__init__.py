"""Tests of null hypotheses: likelihood ratio, signed ranks, Holm's correction."""
