"""The algebra: sets of points to symmetric polynomials and back."""
