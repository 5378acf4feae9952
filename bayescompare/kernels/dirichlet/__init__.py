"""The multinomial-Dirichlet model: posterior, P(max), and a prior learned from many pairs."""
