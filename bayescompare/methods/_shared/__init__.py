"""What several families of methods share."""
