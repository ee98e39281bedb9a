"""Long Monte Carlo studies: the figures that the README leads with."""
