"""Estimation in coefficient space, where the problem is linear: LMS, RLS, least squares."""
