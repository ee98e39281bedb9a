"""Answers that are not measurements: families of laws for right or wrong, levels of a scale, counts and rounded numbers."""
