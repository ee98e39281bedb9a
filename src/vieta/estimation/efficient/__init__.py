"""Weighted estimation in parameter space: as accurate as if the labels had been there, where the noise allows."""
