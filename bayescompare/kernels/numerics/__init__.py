"""Tools that know no model: compilation, quadrature, gamma functions, orthants."""
