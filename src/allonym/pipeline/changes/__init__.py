"""The changes of a release: from its cells to the counts of `measures.changes`, and the list of replacements."""
