"""Tables at the edge: files and frames."""
