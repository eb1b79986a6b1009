"""The edge: tables as people have them, cell by cell, and what is written back."""
