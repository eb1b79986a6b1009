"""Several ontologies as one, below a virtual root."""
