"""What the package answered when the house was begun, question by question."""
