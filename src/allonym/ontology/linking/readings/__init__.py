"""How a value may be read before it is matched: signs, brackets, order, abbreviations, unions, negations."""
