"""From bytes and frames to one table: formats, layouts, headers, which columns are meant."""
