"""Simulate unlabeled sets: laws of noise, inputs, labels and motion, and `simulate`, which puts them together."""

from vieta.simulation import inputs, labels, motion, noise
from vieta.simulation.records import Records
from vieta.simulation.run import simulate
from vieta.simulation.scenario import Scenario

__all__ = ["Records", "Scenario", "inputs", "labels", "motion", "noise", "simulate"]
