"""Methods: each partitions tuples into groups or perturbs values, and sees integers and distances only."""

from allonym.methods.registry import DEFAULT_METHOD, METHODS, find, method_parameters

__all__ = ["DEFAULT_METHOD", "METHODS", "find", "method_parameters"]
