"""Privacy models beside k-anonymity: counted on groups of rows, one module each."""
