"""Global search for the parameters of unlabeled sets, with a score that compares solutions and finds rivals."""
