"""The pages of the studio: for each, what it shows and what can be done there."""
