"""Tables that several commands print."""
