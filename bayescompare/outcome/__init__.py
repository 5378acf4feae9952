"""What a method and its answer are, before any method: one room for what all have in common."""
