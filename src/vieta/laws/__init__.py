"""Laws of noise, inputs, labels and motion; each knows what is known of it (density, moments, information, name in files)."""

from vieta.laws import inputs, labels, motion, noise

__all__ = ["inputs", "labels", "motion", "noise"]
