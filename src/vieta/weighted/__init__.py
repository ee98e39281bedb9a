"""Weighted estimation in parameter space: as accurate as with labels, where the noise allows."""
