"""Hierarchical codes, such as postcodes and codes of occupations or diagnoses: what begins alike is alike."""
