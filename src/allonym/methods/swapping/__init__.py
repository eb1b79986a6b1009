"""The parts of `allonym.methods.swap`: orders by meaning, pairs within a window of ranks, and nearest pairs."""
