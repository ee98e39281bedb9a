"""What each method's error will be: asymptotic covariances, bounds, step sizes, tracking."""
