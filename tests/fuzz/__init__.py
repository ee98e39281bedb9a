"""Generators of hostile input, and what drives the package with it."""
