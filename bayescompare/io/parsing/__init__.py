"""From bytes and frames to one table: formats, layouts, headers and the choice of columns."""
