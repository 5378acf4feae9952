"""How figures are written for people; the one place that does so."""
