"""Estimate the parameters of many systems from unlabeled sets of observations."""

__version__ = "0.1.0"
