"""Estimators in coefficient space, where the problem is linear: a frozen state and a pure step each."""
