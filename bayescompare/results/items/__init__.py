"""Tables of test items: clusters, epochs, and statistics in place of millions of rows."""
