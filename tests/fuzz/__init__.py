"""Fuzzers: broken input of all kinds, each case made from a seed and a number, so that a failure can be repeated."""
