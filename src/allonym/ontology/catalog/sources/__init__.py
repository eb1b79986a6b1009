"""Modules that declare and read named ontologies from installed packages."""
